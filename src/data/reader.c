#include "data/reader.h"

#include <stdlib.h>
#include <string.h>

int reader_need_path(const char *path, const char *key, const char *format, struct err *err)
{
    if (path && *path)
        return 0;
    return err_set(err, "data.%s is not set: data.format = %s needs it", key, format);
}

int32_t reader_new_id(struct names *ids, const struct table *t, struct err *err)
{
    const char *id = t->cell[0];
    int32_t known = names_find(ids, id);

    if (!*id)
        return table_fault(err, t, "the id in column \"%.80s\" is empty", t->name[0]);
    if (known >= 0)
        return table_fault(err, t, "id \"%.80s\" again: it is on line %lld already", id,
                           (long long)names_line(ids, known));
    return names_add(ids, id, t->line, err);
}

int32_t reader_known_id(const struct names *ids, const struct table *t, int32_t col,
                        const char *source, struct err *err)
{
    int32_t known = names_find(ids, t->cell[col]);

    if (known < 0)
        return table_fault(err, t, "column \"%.80s\": id \"%.80s\" is not in %s", t->name[col],
                           t->cell[col], source);
    return known;
}

static int parse_part(uint8_t *part, const struct table *t, struct err *err)
{
    for (int p = PART_NONE; p <= PART_TEST; p++)
        if (strcmp(t->cell[1], part_name((enum part)p)) == 0) {
            *part = (uint8_t)p;
            return 0;
        }
    return table_fault(err, t, "part \"%.80s\": must be train, val, test or none", t->cell[1]);
}

static int read_parts(uint8_t *part, struct table *t, const struct names *ids, const char *source,
                      struct err *err)
{
    struct names listed = {0};
    int status;

    if (t->n_cols != 2)
        return table_fault(err, t, "%d columns: a split file has two, id and part", t->n_cols);
    while ((status = table_next(t, err)) > 0) {
        int32_t i = reader_known_id(ids, t, 0, source, err);

        if (i < 0 || reader_new_id(&listed, t, err) < 0 || parse_part(&part[i], t, err) != 0) {
            status = -1;
            break;
        }
    }
    names_release(&listed);
    return status;
}

int reader_parts(uint8_t **part, const char *path, const struct names *ids, const char *source,
                 struct err *err)
{
    struct table t;
    int status;

    *part = NULL;
    if (!path || !*path)
        return 0;
    if (table_open(&t, path, err) != 0)
        return -1;
    *part = calloc((size_t)ids->n, sizeof **part);
    if (*part)
        status = read_parts(*part, &t, ids, source, err);
    else
        status = err_nomem(err, "parts", (size_t)ids->n);
    table_close(&t);
    if (status != 0) {
        free(*part);
        *part = NULL;
    }
    return status;
}
