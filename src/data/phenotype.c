#include "data/phenotype.h"

#include <string.h>

#include "base/buf.h"
#include "data/reader.h"

static void list_columns(struct buf *out, const struct table *t)
{
    for (int32_t j = 1; j < t->n_cols; j++)
        buf_printf(out, "%s\"%.80s\"", j > 1 ? ", " : "", t->name[j]);
}

/* The column of a trait, of the only one where none is named; -1 and err with those that exist. */
static int32_t find_trait(const struct table *t, const char *trait, struct err *err)
{
    struct buf columns = {0};
    int32_t found = -1, n_found = 0;

    if (t->n_cols < 2)
        return table_fault(err, t, "one column: must be an id and at least one trait");
    if (!trait || !*trait) {
        if (t->n_cols == 2)
            return 1;
        list_columns(&columns, t);
        table_fault(err, t, "several traits: set data.trait to one of %s", buf_text(&columns));
    } else {
        for (int32_t j = t->n_cols - 1; j > 0; j--)
            if (strcmp(t->name[j], trait) == 0) {
                found = j;
                n_found++;
            }
        if (n_found > 1)
            found = table_fault(err, t, "%d columns are named \"%.80s\"", n_found, trait);
        else if (n_found == 0) {
            list_columns(&columns, t);
            table_fault(err, t, "no trait \"%.80s\": data.trait must be one of %s", trait,
                        buf_text(&columns));
        }
    }
    buf_release(&columns);
    return found;
}

static int read_trait(struct target_cells *cells, const struct names *ids, const char *source,
                      struct table *t, int32_t trait, struct data_report *report, struct err *err)
{
    struct names listed = {0};
    bool is_any_known = false;
    int status;

    while ((status = table_next(t, err)) > 0) {
        int32_t i = names_find(ids, t->cell[0]);
        bool has_value = !table_is_missing(t->cell[trait]);

        if (reader_new_id(&listed, t, err) < 0 ||
            (i >= 0 && target_cells_set(cells, i, t->cell[trait], t->line, err) != 0)) {
            status = -1;
            break;
        }
        is_any_known = is_any_known || i >= 0;
        report->n_phenotyped += has_value;
        report->n_joined += has_value && i >= 0;
        report->n_phenotype_only += has_value && i < 0;
    }
    if (status == 0 && !is_any_known)
        status = err_set(err,
                         "%s and %s have no id in common (the first are \"%.80s\" and "
                         "\"%.80s\")",
                         source, t->path, ids->text[0], listed.n ? listed.text[0] : "");
    names_release(&listed);
    return status;
}

int phenotype_read(struct target_cells *cells, const struct names *ids, const char *source,
                   const struct data_spec *spec, struct data_report *report, struct err *err)
{
    struct table t;
    int32_t trait;
    int status = -1;

    memset(cells, 0, sizeof *cells);
    if (table_open(&t, spec->phenotypes, err) != 0)
        return -1;
    trait = find_trait(&t, spec->trait, err);
    if (trait > 0 && target_cells_init(cells, ids->n, spec->phenotypes, t.name[trait], err) == 0)
        status = read_trait(cells, ids, source, &t, trait, report, err);
    table_close(&t);
    return status;
}
