/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/membership.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "data/core/data_report.h"
#include "data/core/reader.h"

struct columns_of {
    int32_t id;
    int32_t part;  /* 0: none */
    int32_t group; /* 0: none */
};

static bool is_set(const char *setting)
{
    return setting && *setting;
}

static int find_columns(struct columns_of *at, const struct table *t, const struct data_spec *spec,
                        struct err *err)
{
    int32_t part, group = TABLE_NO_COLUMN;
    bool is_named = is_set(spec->part);

    *at = (struct columns_of){.id = reader_id_column(t, NULL, err)};
    part = table_column(t, is_named ? spec->part : "part", at->id, err);
    if (is_set(spec->group))
        group = table_column(t, spec->group, at->id, err);
    if (part == TABLE_REFUSED || group == TABLE_REFUSED)
        return -1;
    if (!is_named && part < 0 && t->n_cols == at->id + 2)
        part = at->id + 1;
    if (group > at->id)
        at->group = group;
    if (part > at->id && (is_named || part != group))
        at->part = part;
    if (at->part && !is_named && part_of_word(t->name[at->part]) != PART_COUNT)
        return table_fault(err, t,
                           "the column of parts is named \"%.80s\"; is this line a sample? A "
                           "header must come first, such as id,part",
                           t->name[at->part]);
    if (at->part || at->group || is_named) /* it may be in the table with the trait */
        return 0;
    if (is_set(spec->group))
        return table_fault(err, t,
                           "no column \"part\" and none \"%.80s\" (split.group): a split file "
                           "needs at least one of them",
                           spec->group);
    return table_fault(err, t,
                       "%d columns, none named \"part\": a split file needs two columns (id, part) "
                       "or a column \"part\" (or set split.part)",
                       t->n_cols);
}

static int read_file(struct membership *m, const struct membership_source *source, struct err *err)
{
    const struct data_spec *spec = source->spec;
    int32_t n = source->ids->n;
    struct names listed = {0};
    struct columns_of at;
    struct table t;
    int rc, status = 0;

    if (table_open(&t, spec->split, err))
        return -1;
    rc = find_columns(&at, &t, spec, err);
    if (!rc && at.part)
        rc = target_cells_init(&m->parts, n, spec->split, t.name[at.part], err);
    if (!rc && at.group)
        rc = target_cells_init(&m->groups, n, spec->split, spec->group, err);
    m->join = (struct id_join){.ids = source->ids, .path = spec->split, .col = at.id, .n_cols = 1};
    while (!rc && (status = table_next(&t, err)) > 0) {
        const char *id = t.cell[at.id];
        int32_t i = -1;

        rc = id_join_find(&i, &m->join, id, err);
        if (!rc && i < 0 && source->all &&
            equality_pick(source->all->text, source->all->n, -1, id) >= 0)
            rc = table_fault(
                err, &t,
                "id \"%.80s\" is in %s but has no value, so data.subset = phenotyped drops it: "
                "remove it from this file or set data.subset = all",
                id, source->path);
        if (!rc)
            i = reader_known_id(&m->join, &t, at.id, source->path, err);
        if (i < 0 || reader_new_id(&listed, &t, at.id, err) < 0 ||
            (at.part && target_cells_set(&m->parts, i, t.cell[at.part], t.line, err)) ||
            (at.group && target_cells_set(&m->groups, i, t.cell[at.group], t.line, err)))
            rc = -1;
    }
    names_release(&listed);
    reader_report_columns(source->report, table_spelled(&t), spec->split);
    table_close(&t);
    return rc ? rc : status;
}

static bool has_value(const struct target *target, int32_t i)
{
    return target->label ? target->label[i] >= 0 : !isnan(target->value[i]);
}

/* A labelled sample without a group might belong to one on the other side. */
static int make_groups(struct membership *m, const struct target_cells *cells,
                       const struct names *ids, const struct target *target, struct err *err)
{
    struct target groups;
    struct buf first = {0};
    int32_t n = 0;

    if (target_classes(&groups, cells, err))
        return -1;
    m->group = groups.label;
    m->group_names = groups.class_names;
    m->n_groups = groups.n_classes;
    m->spelled = groups.spelled;
    for (int32_t i = 0; i < ids->n; i++)
        if (m->group[i] < 0 && has_value(target, i))
            data_put_example(&first, n++, ids->text[i]);
    if (n)
        err_set(err,
                "%s: %d sample%s with a value to predict but without a group in column \"%.80s\": "
                "%s: split.group requires one: write a word that they share, or one for each",
                cells->path, n, plural(n), cells->column, buf_text(&first));
    buf_release(&first);
    return n ? -1 : 0;
}

/* ---- parts ---- */

static int make_parts(struct membership *m, const struct membership_source *source,
                      const struct target_cells *cells, struct err *err)
{
    struct buf first = {0};
    int32_t n = 0;

    m->part = calloc((size_t)cells->n + 1, sizeof *m->part);
    if (!m->part)
        return err_nomem(err, "parts", (size_t)cells->n);
    for (int32_t i = 0; i < cells->n; i++) {
        enum part part = cells->text[i] ? part_of_word(cells->text[i]) : PART_NONE;

        if (part == PART_COUNT && n++ < DATA_EXAMPLES)
            buf_printf(&first, "%s\"%.80s\" on line %lld", n > 1 ? ", " : "", cells->text[i],
                       (long long)cells->line[i]);
        m->part[i] = (uint8_t)part;
    }
    if (n) {
        err_set(err,
                "%s: column \"%.80s\" has %d cell%s other than parts: %s%s: must be train, val "
                "(valid, validation, dev), test, stop or none",
                cells->path, cells->column, n, plural(n), buf_text(&first),
                n > DATA_EXAMPLES ? " ..." : "");
        buf_release(&first);
        return -1;
    }
    /* Rows that a split file lacks are left out on purpose. */
    for (int32_t i = 0; i < cells->n; i++)
        if (!cells->text[i] && cells->line[i] && has_value(source->target, i))
            data_put_example(&first, n++, source->ids->text[i]);
    if (n)
        data_report_add(
            source->report, DATA_NOTE_WARNING, "no part",
            "%s: column \"%.80s\" is empty for %d sample%s with a value, left out of all "
            "parts: %s",
            cells->path, cells->column, n, plural(n), buf_text(&first));
    buf_release(&first);
    return 0;
}

/* ---- together ---- */

/* Always -1. */
static int absent(const struct data_spec *spec, const char *setting, const char *column,
                  struct err *err)
{
    if (is_set(spec->split))
        return err_set(err, "%s: no column \"%.80s\" (split.%s)", spec->split, column, setting);
    return err_set(err, "split.%s = %.80s: no table has this column: add it to a split file",
                   setting, column);
}

int membership_read(struct membership *m, const struct membership_source *source, struct err *err)
{
    const struct data_spec *spec = source->spec;
    const struct membership_cells *table = source->cells;
    const struct target_cells *parts, *groups;

    memset(m, 0, sizeof *m);
    if (is_set(spec->split) && read_file(m, source, err))
        return -1;
    /* the cells of the split file, or those of the other table; NULL: neither has them */
    parts = m->parts.column ? &m->parts : table && table->part.column ? &table->part : NULL;
    groups = m->groups.column ? &m->groups : table && table->group.column ? &table->group : NULL;
    if (is_set(spec->part) && !parts)
        return absent(spec, "part", spec->part, err);
    if (is_set(spec->group) && !groups)
        return absent(spec, "group", spec->group, err);
    if (parts && make_parts(m, source, parts, err))
        return -1;
    if (groups && make_groups(m, groups, source->ids, source->target, err))
        return -1;
    id_join_report(source->report, &m->join.count, m->join.path);
    target_report_spelled(source->report, &m->spelled, "groups");
    return 0;
}

static int find_cells(int32_t *col, struct target_cells *cells, const struct table *t,
                      const struct data_spec *spec, const char *name, const char *setting,
                      int32_t id, int32_t n, struct err *err)
{
    if (!is_set(name))
        return 0;
    *col = is_set(spec->split) ? table_column(t, name, id, err)
                               : reader_column(t, name, id, setting, "", err);
    if (*col == TABLE_NO_COLUMN && is_set(spec->split))
        return 0;
    return *col < 0 ? -1 : target_cells_init(cells, n, t->path, name, err);
}

int membership_cells_find(struct membership_cells *c, const struct table *t,
                          const struct data_spec *spec, int32_t id, int32_t n, struct err *err)
{
    *c = (struct membership_cells){0};
    if (find_cells(&c->part_col, &c->part, t, spec, spec->part, "split.part", id, n, err))
        return -1;
    return find_cells(&c->group_col, &c->group, t, spec, spec->group, "split.group", id, n, err);
}

bool membership_cells_have(const struct membership_cells *c, int32_t col)
{
    return (c->part.column && c->part_col == col) || (c->group.column && c->group_col == col);
}

int membership_cells_read(struct membership_cells *c, int32_t i, const struct table *t,
                          const struct names *missing, struct err *err)
{
    if (c->part.column && reader_keep_cell(&c->part, i, t, c->part_col, missing, err))
        return -1;
    return c->group.column ? reader_keep_cell(&c->group, i, t, c->group_col, missing, err) : 0;
}

void membership_cells_release(struct membership_cells *cells)
{
    target_cells_release(&cells->part);
    target_cells_release(&cells->group);
}

void membership_release(struct membership *m)
{
    if (!m)
        return;
    id_join_release(&m->join);
    free(m->part);
    free(m->group);
    free(m->group_names);
    target_cells_release(&m->parts);
    target_cells_release(&m->groups);
    memset(m, 0, sizeof *m);
}

void membership_into(struct draft *draft, const struct membership *m)
{
    draft->part = m->part;
    draft->group = m->group;
    draft->n_groups = m->n_groups;
    draft->group_names = m->group_names;
}
