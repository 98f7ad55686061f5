/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/id_join.h"

#include <stdlib.h>

/* The reader of the table reports its errors; here they end the ids. */
static int read_asked(struct id_join *j, struct err *err)
{
    struct table t;
    int rc = 0;

    if (table_open(&t, j->path, NULL))
        return 0;
    while (!rc && table_next(&t, NULL) > 0)
        for (int32_t k = j->col; !rc && k < j->col + j->n_cols; k++)
            rc = names_find_or_add(&j->asked, t.cell[k], t.line, err) < 0 ? -1 : 0;
    table_close(&t);
    return rc;
}

int id_join_find(int32_t *out, struct id_join *join, const char *id, struct err *err)
{
    int32_t at;

    *out = names_find(join->ids, id);
    if (*out >= 0)
        return 0;
    if (!join->found) {
        if (read_asked(join, err))
            return -1;
        join->found = malloc(((size_t)join->asked.n + 1) * sizeof *join->found);
        if (!join->found)
            return err_nomem(err, "ids", (size_t)join->asked.n * sizeof *join->found);
        if (equality_join(join->found, &join->count, join->ids, &join->asked, err))
            return -1;
    }
    at = names_find(&join->asked, id);
    *out = at >= 0 ? join->found[at] : -1;
    return 0;
}

void id_join_release(struct id_join *join)
{
    names_release(&join->asked);
    free(join->found);
    join->found = NULL;
}

void id_join_report(struct data_report *report, const struct equality_count *count,
                    const char *path)
{
    if (count->n)
        data_report_add(report, DATA_NOTE_WARNING, "ids",
                        "%s: %lld id%s joined by number or without regard to case: %s", path,
                        (long long)count->n, count->n == 1 ? "" : "s", count->texts.text);
}
