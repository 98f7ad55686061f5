/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/reader.h"

#include <string.h>

#include "data/text/equality.h"

int reader_need_path(const struct data_spec *spec, const char *path, const char *key,
                     struct err *err)
{
    if (path && *path)
        return 0;
    return err_set(err, "data.%s is not set: data.format = %s needs it", key, spec->format->name);
}

bool reader_has_family(const struct table *t)
{
    return t->n_cols > 1 && !strcmp(t->name[0] + (*t->name[0] == '#'), "FID") &&
           !strcmp(t->name[1], "IID");
}

int32_t reader_column(const struct table *t, const char *name, int32_t except, const char *setting,
                      const char *remedy, struct err *err)
{
    struct buf columns = {0};
    int32_t found = table_column(t, name, except, err);

    if (found != TABLE_NO_COLUMN)
        return found;
    table_put_columns(&columns, t, name, NULL, NULL);
    table_fault(err, t, "no column \"%.80s\" (%s): must be one of %s%s", name, setting,
                buf_text(&columns), remedy);
    buf_release(&columns);
    return -1;
}

int32_t reader_id_column(const struct table *t, const char *name, struct err *err)
{
    if (!name || !*name)
        return reader_has_family(t);
    return reader_column(t, name, -1, "data.id", "", err);
}

void reader_report_columns(struct data_report *report, const struct equality_count *spelled,
                           const char *path)
{
    if (spelled->n)
        data_report_add(report, DATA_NOTE_INFO, "columns",
                        "%lld column%s of %s found by number or without regard to case: %s",
                        (long long)spelled->n, spelled->n == 1 ? "" : "s", path,
                        spelled->texts.text);
}

int32_t reader_new_id(struct names *ids, const struct table *t, int32_t col, struct err *err)
{
    const char *id = t->cell[col];
    int32_t known = names_find(ids, id);

    if (!*id)
        return table_fault(err, t, "the id in column \"%.80s\" is empty", t->name[col]);
    if (known >= 0)
        return table_fault(err, t, "id \"%.80s\" occurs twice, first on line %lld", id,
                           (long long)names_line(ids, known));
    return names_add(ids, id, t->line, err);
}

int32_t reader_known_id(struct id_join *join, const struct table *t, int32_t col,
                        const char *source, struct err *err)
{
    int32_t known;

    if (id_join_find(&known, join, t->cell[col], err))
        return -1;
    if (known < 0)
        return table_fault(err, t, "column \"%.80s\": id \"%.80s\" is not in %s", t->name[col],
                           t->cell[col], source);
    return known;
}

int reader_keep_cell(struct target_cells *cells, int32_t i, const struct table *t, int32_t col,
                     const struct names *missing, struct err *err)
{
    const char *cell = t->cell[col];

    return target_cells_set(cells, i, reader_is_listed(missing, cell) ? "" : cell, t->line, err);
}

bool reader_is_listed(const struct names *words, const char *cell)
{
    return words->n && equality_pick(words->text, words->n, -1, cell) >= 0;
}
