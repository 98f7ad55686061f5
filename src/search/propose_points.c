/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a table whose columns are the axes, in their order. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "data/text/table.h"
#include "search/proposal.h"

struct points {
    struct proposal proposal;
    struct table table;
    int32_t column[P_MAX]; /* of each axis */
};

/* The axis of each column. */
static int find_columns(struct points *p, struct err *err)
{
    const struct sweep *sweep = p->proposal.of->sweep;
    const struct table *t = &p->table;
    struct buf axes = {0};
    int rc = 0;

    for (size_t a = 0; a < sweep->n_axes; a++) {
        buf_printf(&axes, "%s%s", a ? ", " : "", sweep->axes[a].row->key);
        p->column[a] = -1;
    }
    for (int32_t c = 0; !rc && c < t->n_cols; c++) {
        const struct axis *axis = sweep_axis(sweep, sweep_find_name(sweep, t->name[c]));

        if (!axis)
            rc = table_fault(err, t, "column %d, '%.60s', is not an axis: the axes are %s",
                             (int)c + 1, t->name[c], sweep->n_axes ? buf_text(&axes) : "none");
        else if (p->column[axis - sweep->axes] >= 0)
            rc = table_fault(err, t, "columns %d and %d are the same axis, %s",
                             (int)p->column[axis - sweep->axes] + 1, (int)c + 1, axis->row->key);
        else
            p->column[axis - sweep->axes] = c;
    }
    for (size_t a = 0; !rc && a < sweep->n_axes; a++)
        if (p->column[a] < 0)
            rc = table_fault(err, t, "no column for the axis %s: the axes are %s",
                             sweep->axes[a].row->key, buf_text(&axes));
    buf_release(&axes);
    return rc;
}

static bool is_equal(const struct sweep *sweep, const union value *a, const union value *b)
{
    for (size_t i = 0; i < sweep->n_axes; i++)
        if (!param_equal(sweep->axes[i].id, a[i], b[i]))
            return false;
    return true;
}

/* An empty cell stands for the first value of an axis that the row's model type lacks. */
static int read_cells(struct points *p, struct err *err)
{
    const struct sweep *sweep = p->proposal.of->sweep;
    struct proposal *proposal = &p->proposal;
    struct err reason;

    for (size_t a = 0; a < sweep->n_axes; a++) {
        const char *cell = p->table.cell[p->column[a]];

        if (!*cell &&
            space_decode(proposal->row, &proposal->space, (int32_t)a, 0, &proposal->texts))
            return err_nomem(err, "values", 0);
        if (*cell &&
            space_parse(&proposal->row[a], &sweep->axes[a], cell, &proposal->texts, &reason))
            return table_fault(err, &p->table, "column %d: %s", (int)p->column[a] + 1, reason.text);
    }
    for (int32_t a = 0; a < proposal->space.n_axes; a++)
        if (!*p->table.cell[p->column[a]] && !sweep->axes[a].condition &&
            space_has(&proposal->space, proposal->row, a))
            return table_fault(err, &p->table, "column %d, %s: the cell is empty",
                               (int)p->column[a] + 1, sweep->axes[a].row->key);
    return 0;
}

static int add_row(struct points *p, struct err *err)
{
    struct proposal *proposal = &p->proposal;
    const struct sweep *sweep = proposal->of->sweep;
    struct grid_rows *rows = proposal->rows;
    union value own[P_MAX];
    bool is_kept;
    int32_t number, before = rows->n;

    proposal->line = p->table.line;
    arena_reset(&proposal->texts);
    if (read_cells(p, err) || proposal_add(&number, &is_kept, proposal, proposal->row, err))
        return -1;
    if (!is_kept || rows->n > before)
        return 0;
    for (size_t a = 0; a < sweep->n_axes; a++) /* as decided for the earlier one */
        own[a] = param_is_text(sweep->axes[a].id) && !rows->v[(size_t)number * sweep->n_axes + a].s
                     ? (union value){.s = NULL}
                     : proposal->row[a];
    if (names_line(&proposal->seen, number) &&
        is_equal(sweep, own, rows->v + (size_t)number * sweep->n_axes))
        return table_fault(err, &p->table, "repeats the configuration of line %lld: remove one",
                           (long long)names_line(&proposal->seen, number));
    return 0;
}

static int read_table(struct points *p, int32_t n, struct err *err)
{
    int rc = find_columns(p, err);

    if (!rc)
        rc = proposal_start(&p->proposal, err);
    while (!rc && (n < 0 || p->proposal.rows->n < n)) {
        rc = table_next(&p->table, err);
        if (rc <= 0)
            break;
        rc = add_row(p, err);
    }
    if (!rc && !p->proposal.rows->n)
        rc = err_set(err, "%s: has no configuration%s", p->table.path,
                     *p->proposal.of->fixed->v[P_WHERE].s ? " that 'where' keeps" : "");
    return rc;
}

static int first(struct grid_rows *out, const struct proposing *proposing, int32_t n,
                 struct err *err)
{
    const char *path = proposing->fixed->v[P_POINTS].s;
    struct points p = {.proposal = {.line = 0}};
    int rc;

    *out = (struct grid_rows){.n = 0};
    if (!*path)
        return proposer_fault(err, proposing->sweep, P_PROPOSE,
                              "propose = points: set [search] points to the table's file");
    if (table_open(&p.table, path, err))
        return -1;
    rc = proposal_begin(&p.proposal, out, 0, proposing, err);
    if (!rc) {
        rc = read_table(&p, n, err);
        proposal_end(&p.proposal);
    }
    table_close(&p.table);
    if (rc)
        grid_rows_release(out);
    return rc;
}

const struct proposer propose_points = {.name = "points",
                                        .words = "given in a table",
                                        .takes_ranges = true,
                                        .has_end = true,
                                        .first = first};
