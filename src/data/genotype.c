#include <stdlib.h>

#include "data/columns.h"
#include "data/phenotype.h"
#include "data/reader.h"

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
        phenotype_read(&g.cells, &g.ids, spec->genotypes, spec, report, err) == 0 &&
        target_make(&g.target, &g.cells, spec->task, false, err) == 0 &&
        reader_parts(&g.part, spec->split, &g.ids, spec->genotypes, err) == 0 &&
        clean_markers(&g, report, err) == 0)
        status = build(out, &g, err);
    report->n_genotyped = g.ids.n;
    genotype_release(&g);
    return status;
}
