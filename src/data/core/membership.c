/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/membership.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/data_report.h"
#include "data/core/reader.h"

struct samples {
    const struct names *ids;
    const struct names *all; /* of the file, or NULL */
    const char *source;      /* file */
};

struct columns_of {
    int32_t id;
    int32_t part;  /* 0: none */
    int32_t group; /* 0: none */
};

static bool is_asked(const struct data_spec *spec)
{
    return spec->group && *spec->group;
}

static int find_columns(struct columns_of *at, const struct table *t, const struct data_spec *spec,
                        struct err *err)
{
    int32_t group = TABLE_NO_COLUMN;

    *at = (struct columns_of){.id = reader_id_column(t, NULL, err)};
    if (is_asked(spec))
        group = table_column(t, spec->group, at->id, err);
    if (group == TABLE_REFUSED)
        return -1;
    for (int32_t j = at->id + 1; j < t->n_cols; j++) {
        bool is_group = j == group;
        bool is_part = !is_group && (t->n_cols == at->id + 2 || !strcmp(t->name[j], "part"));

        if ((is_group && at->group) || (is_part && at->part))
            return table_fault(err, t, "two columns are named \"%.80s\"", t->name[j]);
        if (is_group)
            at->group = j;
        if (is_part)
            at->part = j;
    }
    if (at->part && part_parse(t->name[at->part]) != PART_COUNT)
        return table_fault(err, t,
                           "the column of parts is named \"%.80s\"; is this line a sample? A "
                           "header must come first, such as id,part",
                           t->name[at->part]);
    if (at->part || at->group)
        return 0;
    if (is_asked(spec))
        return table_fault(err, t,
                           "no column \"part\" and none \"%.80s\" (split.group): a split file "
                           "needs at least one of them",
                           spec->group);
    return table_fault(err, t,
                       "%d columns, none named \"part\": a split file needs two columns (id, part) "
                       "or a column \"part\"",
                       t->n_cols);
}

static int parse_part(uint8_t *part, const struct table *t, int32_t col, struct err *err)
{
    enum part found = part_parse(t->cell[col]);

    if (found == PART_COUNT)
        return table_fault(err, t, "part \"%.80s\": must be train, val, test, stop or none",
                           t->cell[col]);
    *part = (uint8_t)found;
    return 0;
}

static int32_t find_sample(struct membership *m, const struct samples *s, const struct table *t,
                           int32_t col, struct err *err)
{
    const char *id = t->cell[col];
    int32_t i;

    if (id_join_find(&i, &m->join, id, err))
        return -1;
    if (i < 0 && s->all && equality_pick(s->all->text, s->all->n, -1, id) >= 0)
        return table_fault(err, t,
                           "id \"%.80s\" is in %s but has no value, so data.subset = phenotyped "
                           "drops it: remove it from this file or set data.subset = all",
                           id, s->source);
    return reader_known_id(&m->join, t, col, s->source, err);
}

static int read_rows(struct membership *m, struct table *t, const struct columns_of *at,
                     const struct samples *samples, struct err *err)
{
    struct names listed = {0};
    int status;

    while ((status = table_next(t, err)) > 0) {
        int32_t i = find_sample(m, samples, t, at->id, err);

        if (i < 0 || reader_new_id(&listed, t, at->id, err) < 0 ||
            (at->part && parse_part(&m->part[i], t, at->part, err)) ||
            (at->group && target_cells_set(&m->cells, i, t->cell[at->group], t->line, err))) {
            status = -1;
            break;
        }
    }
    names_release(&listed);
    return status;
}

static int read_file(struct membership *m, const struct data_spec *spec,
                     const struct samples *samples, struct err *err)
{
    const struct names *ids = samples->ids;
    struct columns_of at;
    struct table t;
    int rc;

    if (table_open(&t, spec->split, err))
        return -1;
    rc = find_columns(&at, &t, spec, err);
    if (!rc && at.part) {
        m->part = calloc((size_t)ids->n, sizeof *m->part);
        rc = m->part ? 0 : err_nomem(err, "parts", (size_t)ids->n);
    }
    if (!rc && at.group)
        rc = target_cells_init(&m->cells, ids->n, spec->split, spec->group, err);
    m->join = (struct id_join){.ids = ids, .path = spec->split, .col = at.id, .n_cols = 1};
    if (!rc)
        rc = read_rows(m, &t, &at, samples, err);
    table_close(&t);
    return rc;
}

/* ---- groups ---- */

static bool has_value(const struct target *target, int32_t i)
{
    return target->label ? target->label[i] >= 0 : !isnan(target->value[i]);
}

/* A labelled sample without a group might belong to one on the other side. */
static int check_groups(const struct membership *m, const struct target_cells *cells,
                        const struct names *ids, const struct target *target, struct err *err)
{
    struct buf first = {0};
    int32_t n = 0;

    for (int32_t i = 0; i < ids->n; i++)
        if (m->group[i] < 0 && has_value(target, i) && n++ < DATA_EXAMPLES)
            buf_printf(&first, "%s\"%.80s\"", n > 1 ? ", " : "", ids->text[i]);
    if (n > DATA_EXAMPLES)
        buf_puts(&first, " ...");
    if (n)
        err_set(err,
                "%s: %d sample%s with a value to predict but without a group in column \"%.80s\": "
                "%s: split.group requires one: write a word that they share, or one for each",
                cells->path, n, n == 1 ? "" : "s", cells->column, buf_text(&first));
    buf_release(&first);
    return n ? -1 : 0;
}

static int make_groups(struct membership *m, const struct target_cells *cells,
                       const struct names *ids, const struct target *target, struct err *err)
{
    struct target groups;

    if (target_classes(&groups, cells, err))
        return -1;
    m->group = groups.label;
    m->group_names = groups.class_names;
    m->n_groups = groups.n_classes;
    m->spelled = groups.spelled;
    return check_groups(m, cells, ids, target, err);
}

int membership_read(struct membership *m, const struct data_spec *spec, const struct names *ids,
                    const char *source, const struct names *all, const struct target_cells *groups,
                    const struct target *target, struct err *err)
{
    const struct samples samples = {ids, all, source};
    bool has_file = spec->split && *spec->split;

    memset(m, 0, sizeof *m);
    if (has_file && read_file(m, spec, &samples, err))
        return -1;
    if (!is_asked(spec))
        return 0;
    if (m->cells.column)
        return make_groups(m, &m->cells, ids, target, err);
    if (groups && groups->column)
        return make_groups(m, groups, ids, target, err);
    if (has_file)
        return err_set(err, "%s: no column \"%.80s\" (split.group)", spec->split, spec->group);
    return err_set(err, "split.group = %.80s: no table has this column: add it to a split file",
                   spec->group);
}

void membership_report(struct data_report *report, const struct membership *m)
{
    id_join_report(report, &m->join.count, m->join.path);
    target_report_spelled(report, &m->spelled, "groups");
}

void membership_release(struct membership *m)
{
    if (!m)
        return;
    id_join_release(&m->join);
    free(m->part);
    free(m->group);
    free(m->group_names);
    target_cells_release(&m->cells);
    memset(m, 0, sizeof *m);
}

void membership_into(struct draft *draft, const struct membership *m)
{
    draft->part = m->part;
    draft->group = m->group;
    draft->n_groups = m->n_groups;
    draft->group_names = m->group_names;
}
