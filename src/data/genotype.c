#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "data/columns.h"
#include "data/reader.h"
#include "data/target.h"

/* A table of samples x markers joined by id with a column of a table of phenotypes. */

struct genotype {
    struct table table; /* open to the end: it owns the markers' names */
    struct columns markers;
    struct names ids;
    struct target_cells cells;
    struct target target;
    uint8_t *part;
};

static void genotype_release(struct genotype *g)
{
    free(g->part);
    target_release(&g->target);
    target_cells_release(&g->cells);
    names_release(&g->ids);
    columns_release(&g->markers);
    table_close(&g->table);
}

/* Markers must have names of their own: two alike mean a faulty table, or one without a header. */
static int check_markers(const struct genotype *g, struct err *err)
{
    struct names seen = {0};
    int rc = 0;

    for (int32_t j = 0; !rc && j < g->markers.n_cols; j++) {
        const char *name = g->markers.name[j];
        int32_t first = names_find(&seen, name);

        if (first >= 0)
            rc = table_fault(
                err, &g->table,
                "marker \"%.80s\" stands in columns %d and %d: the first line must be a "
                "header, with a name of its own for each marker",
                name, first + 2, j + 2);
        else if (names_add(&seen, name, 1, err) < 0)
            rc = -1;
    }
    names_release(&seen);
    return rc;
}

static int read_genotypes(struct genotype *g, const char *path, struct err *err)
{
    int status;

    if (table_open(&g->table, path, err) != 0 ||
        columns_init(&g->markers, &g->table, 0, err) != 0 || check_markers(g, err) != 0)
        return -1;
    while ((status = table_next(&g->table, err)) > 0) {
        int32_t i = reader_new_id(&g->ids, &g->table, err);

        if (i < 0 || columns_add_row(&g->markers, err) != 0 ||
            columns_read_row(&g->markers, i, &g->table, err) != 0)
            return -1;
    }
    if (status == 0 && g->ids.n == 0)
        return err_set(err, "%s: no samples after the header", path);
    return status;
}

/* ---- phenotypes ---- */

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

static int read_trait(struct genotype *g, struct table *t, int32_t trait,
                      struct data_report *report, struct err *err)
{
    struct names listed = {0};
    bool is_any_known = false;
    int status;

    while ((status = table_next(t, err)) > 0) {
        int32_t i = names_find(&g->ids, t->cell[0]);
        bool has_value = !table_is_missing(t->cell[trait]);

        if (reader_new_id(&listed, t, err) < 0 ||
            (i >= 0 && target_cells_set(&g->cells, i, t->cell[trait], t->line, err) != 0)) {
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
                         g->table.path, t->path, g->ids.text[0], listed.n ? listed.text[0] : "");
    names_release(&listed);
    return status;
}

static int read_phenotypes(struct genotype *g, const struct data_spec *spec,
                           struct data_report *report, struct err *err)
{
    struct table t;
    int32_t trait;
    int status = -1;

    if (table_open(&t, spec->phenotypes, err) != 0)
        return -1;
    trait = find_trait(&t, spec->trait, err);
    if (trait > 0 &&
        target_cells_init(&g->cells, g->ids.n, spec->phenotypes, t.name[trait], err) == 0)
        status = read_trait(g, &t, trait, report, err);
    table_close(&t);
    return status;
}

/* ---- together ---- */

static int clean_markers(struct genotype *g, struct data_report *report, struct err *err)
{
    report->n_markers_read = g->markers.n_cols;
    if (columns_drop_constant(&g->markers, &report->n_monomorphic, err) != 0)
        return -1;
    if (g->markers.n_cols == 0)
        return err_set(err, "%s: all %d markers are monomorphic", g->table.path,
                       report->n_markers_read);
    return columns_impute(&g->markers, &report->n_missing, err);
}

static int build(struct dataset *out, const struct genotype *g, struct err *err)
{
    struct draft draft = {
        .n_samples = g->ids.n,
        .n_features = g->markers.n_cols,
        .features = g->markers.v,
        .dosage = g->markers.dosage,
        .part = g->part,
        .ids = g->ids.text,
        .feature_names = g->markers.name,
    };

    target_into(&draft, &g->target);
    return draft_build(out, &draft, err);
}

int genotype_load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
                  struct err *err)
{
    struct genotype g = {0};
    int status = -1;

    if (reader_need_path(spec->genotypes, "genotypes", "genotype", err) == 0 &&
        reader_need_path(spec->phenotypes, "phenotypes", "genotype", err) == 0 &&
        read_genotypes(&g, spec->genotypes, err) == 0 &&
        read_phenotypes(&g, spec, report, err) == 0 &&
        target_make(&g.target, &g.cells, spec->task, false, err) == 0 &&
        reader_parts(&g.part, spec->split, &g.ids, spec->genotypes, err) == 0 &&
        clean_markers(&g, report, err) == 0)
        status = build(out, &g, err);
    report->n_genotyped = g.ids.n;
    genotype_release(&g);
    return status;
}
