/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/resemblance.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/data_report.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Return a copy in lower case without surrounding blanks, with a point for other ASCII characters,
 * without the X that R puts before a digit. The caller frees it; NULL if memory is short. */
static char *fold(const char *id)
{
    char *out, *at;
    size_t n;

    while (is_blank(*id))
        id++;
    id += (*id == 'X' || *id == 'x') && is_digit(id[1]);
    out = strdup(id);
    if (!out)
        return NULL;
    for (n = strlen(out); n && is_blank(out[n - 1]); n--)
        out[n - 1] = '\0';
    for (at = out; *at; at++) {
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at - 'A' + 'a');
        else if ((unsigned char)*at < 0x80 && !is_digit(*at) && !(*at >= 'a' && *at <= 'z'))
            *at = '.';
    }
    return out;
}

int resemblance_init(struct resemblance *r, const struct names *ids, struct err *err)
{
    int rc = 0;

    *r = (struct resemblance){.ids = ids};
    r->which = malloc(((size_t)ids->n + 1) * sizeof *r->which);
    if (!r->which)
        return err_nomem(err, "ids", (size_t)ids->n * sizeof *r->which);
    for (int32_t i = 0; !rc && i < ids->n; i++) {
        char *folded = fold(ids->text[i]);

        if (!folded)
            rc = err_nomem(err, "ids", strlen(ids->text[i]));
        else if (names_find(&r->folded, folded) < 0) {
            r->which[r->folded.n] = i;
            rc = names_add(&r->folded, folded, 1, err) < 0 ? -1 : 0;
        }
        free(folded);
    }
    return rc;
}

void resemblance_release(struct resemblance *r)
{
    if (!r)
        return;
    names_release(&r->folded);
    free(r->which);
    memset(r, 0, sizeof *r);
}

const char *resemblance_find(const struct resemblance *r, const char *id)
{
    char *folded = fold(id);
    int32_t at = folded ? names_find(&r->folded, folded) : -1;

    free(folded);
    return at < 0 ? NULL : r->ids->text[r->which[at]];
}

/* ---- why files do not join ---- */

static void put_example(struct buf *out, int32_t n, const char *id, const char *other)
{
    if (n >= DATA_EXAMPLES)
        return;
    buf_printf(out, "%s\"%.40s\"", n ? ", " : "", id);
    if (other)
        buf_printf(out, " is \"%.40s\"", other);
}

/* The table has a row for each marker and a column for each sample. */
static void explain_transposed(struct buf *out, const struct names *left, const char *path,
                               const struct joined_ids *other)
{
    struct buf examples = {0};
    int32_t n = 0;

    for (int32_t j = 0; j < other->n_columns; j++)
        if (names_find(left, other->columns[j]) >= 0)
            put_example(&examples, n++, other->columns[j], NULL);
    if (n)
        buf_printf(out,
                   "%d of the %d ids of %s that did not join are columns of %s (%s): that table is "
                   "transposed; it must have a row for each sample and a column for each marker",
                   n, left->n, path, other->path, buf_text(&examples));
    buf_release(&examples);
}

static int explain_spelling(struct buf *out, const struct names *left, const char *path,
                            const struct joined_ids *other, struct err *err)
{
    struct resemblance r;
    struct buf examples = {0};
    int32_t n = 0;
    int rc = resemblance_init(&r, other->ids, err);

    for (int32_t i = 0; !rc && i < left->n; i++) {
        const char *like = resemblance_find(&r, left->text[i]);

        if (like)
            put_example(&examples, n++, left->text[i], like);
    }
    if (n)
        buf_printf(out,
                   "%d of the %d ids of %s that did not join differ from ids of %s only in case, "
                   "blanks or punctuation (%s): spell them the same way",
                   n, left->n, path, other->path, buf_text(&examples));
    buf_release(&examples);
    resemblance_release(&r);
    return rc;
}

int resemblance_explain(struct buf *out, const struct names *left, const char *path,
                        const struct joined_ids *other, struct err *err)
{
    size_t before = out->size;

    if (!left->n)
        return 0;
    explain_transposed(out, left, path, other);
    return out->size > before ? 0 : explain_spelling(out, left, path, other, err);
}
