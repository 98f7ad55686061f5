#include "cli/inspect_unmatched.h"

#include <string.h>

#include "cli/cli.h"
#include "data/resemblance.h"

void inspect_put_cell(struct buf *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        buf_puts(out, text);
        return;
    }
    buf_putc(out, '"');
    for (; *text; text++)
        buf_printf(out, *text == '"' ? "\"\"" : "%c", *text);
    buf_putc(out, '"');
}

static int put_ids(struct buf *out, const struct names *ids, const char *file,
                   const struct names *others, struct err *err)
{
    struct resemblance r;
    int rc = resemblance_init(&r, others, err);

    for (int32_t i = 0; !rc && i < ids->n; i++) {
        const char *like = resemblance_find(&r, ids->text[i]);

        inspect_put_cell(out, ids->text[i]);
        buf_putc(out, ',');
        inspect_put_cell(out, file);
        buf_putc(out, ',');
        inspect_put_cell(out, like ? like : "");
        buf_putc(out, '\n');
    }
    resemblance_release(&r);
    return rc;
}

int inspect_unmatched(const char *path, const struct data_unmatched *unmatched,
                      const struct settings *settings, const struct inputs *inputs, struct err *err)
{
    const char *genotypes = settings->v[P_GENOTYPES].s;
    const char *phenotypes = settings->v[P_PHENOTYPES].s;
    struct buf text = {0};
    int rc;

    buf_puts(&text, "id,file,resembles\n");
    rc = put_ids(&text, &unmatched->genotypes, genotypes, &unmatched->phenotypes, err);
    if (!rc)
        rc = put_ids(&text, &unmatched->phenotypes, phenotypes, &unmatched->genotypes, err);
    if (!rc)
        rc = cli_save(path, &text, inputs, err);
    buf_release(&text);
    return rc;
}
