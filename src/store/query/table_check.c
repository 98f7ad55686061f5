/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/db.h"
#include "store/query/query.h"

static const struct {
    const char *table;
    enum query query;
} checked[QUERY_CHECKED_TABLES] = {
    {"prediction", QUERY_CHECK_PREDICTION},
    {"traffic", QUERY_CHECK_TRAFFIC},
    {"data_fact", QUERY_CHECK_FACT},
    {"log", QUERY_CHECK_LOG},
    {"file", QUERY_CHECK_FILE},
    {"curve_metric", QUERY_CHECK_CURVE_METRIC},
    {"member", QUERY_CHECK_MEMBER},
};

static int count_row(void *arg, const struct result_table *row, struct err *err)
{
    struct query_table_check *to = arg;
    const char *fault = result_table_text(row, 0, "fault");

    (void)err;
    to->n_rows++;
    if (*fault && !to->n_damaged++)
        err_set(&to->first, "%s: %s", result_table_text(row, 0, "place"), fault);
    return 0;
}

int query_check_tables(struct query_table_check out[QUERY_CHECKED_TABLES], struct store *store,
                       struct err *err)
{
    for (int i = 0; i < QUERY_CHECKED_TABLES; i++) {
        out[i] = (struct query_table_check){.table = checked[i].table};
        if (query_each(store, checked[i].query, 0, count_row, &out[i], err))
            return -1;
    }
    return 0;
}

int query_check_traffic(struct store *store, int64_t session_id, struct err *err)
{
    struct query_table_check of = {.n_rows = 0};

    if (query_each(store, QUERY_CHECK_TRAFFIC, session_id, count_row, &of, err))
        return -1;
    return of.n_damaged ? err_set(err,
                                  "%s: table 'traffic', %s; the file is damaged, or another "
                                  "program changed it",
                                  store->path, of.first.text)
                        : 0;
}
