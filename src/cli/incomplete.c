#include "cli/incomplete.h"

#include <string.h>

#include "base/log.h"
#include "store/query.h"

/* Columns of QUERY_INCOMPLETE. */
enum { SWEEP, TRIALS, PLANNED };

int incomplete_note(struct store *store, const char *only, struct err *err)
{
    struct table table;

    if (query_table(&table, store, QUERY_INCOMPLETE, 0, err))
        return -1;
    for (int64_t r = 0; r < table.n_rows; r++) {
        const struct cell *row = &table.cells[r * table.n_cols];

        if (!only || !strcmp(only, row[SWEEP].s))
            log_info("%s: %lld of the %lld trials of its grid are in this file; the others are of "
                     "shards that are not merged into it",
                     row[SWEEP].s, (long long)row[TRIALS].i, (long long)row[PLANNED].i);
    }
    table_release(&table);
    return 0;
}
