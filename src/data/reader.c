#include "data/reader.h"

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
