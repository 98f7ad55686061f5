/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/query/search_progress.h"

#include <math.h>
#include <string.h>

#include "base/words.h"
#include "search/allocator.h"
#include "search/search.h"
#include "store/db.h"
#include "store/stored_settings.h"

/* ---- reading ---- */

/* The settings of the last run: without a search the decisions of an earlier one count for nothing. */
static int read_settings(struct settings *out, bool *is_wanted, struct store *store,
                         int64_t sweep_id, struct err *err)
{
    sqlite3_stmt *row =
        db_query(store, "SELECT ini FROM sweep WHERE sweep_id = ?1", err, "i", sweep_id);
    struct sweep sweep = {0};
    const char *ini;
    int rc = db_step(store, row, err);

    *is_wanted = false;
    if (rc == 1)
        rc = db_read(store, row, err, "s", &ini) ||
                     stored_settings_parse_sweep(&sweep, store, ini, err)
                 ? -1
                 : 1;
    if (rc == 1) {
        settings_stored(out, &sweep.fixed); /* its numbers stay when the texts are released */
        *is_wanted = search_is_wanted(out);
    }
    sweep_release(&sweep);
    sqlite3_finalize(row);
    return rc < 0 ? -1 : 0;
}

/* In units of full trials. The mean of those that ran prices the others. */
static void expect(struct search_progress *p, const struct result_table *row,
                   const struct settings *fixed, int64_t trials)
{
    const double n = (double)(p->configs * p->each), max_epochs = (double)fixed->v[P_MAX_EPOCHS].i;
    const double registered = (double)trials;
    double spent =
        result_table_real(row, 0, "spent") / result_table_real(row, 0, "work") * registered;
    double left = search_expected_share(fixed, (int32_t)p->each) * n;
    double core_s = result_table_real(row, 0, "core_s");

    p->epochs = result_table_real(row, 0, "epochs");
    p->all_epochs = result_table_real(row, 0, "all_epochs") / registered * n;
    if (p->all_epochs <= 0 && max_epochs > 0) { /* a program */
        p->all_epochs = max_epochs * n;
        spent += result_table_real(row, 0, "partial_epochs") / max_epochs;
    }
    p->spent = spent;
    left = fmax(left - spent, (double)(p->released - p->ended) *
                                  allocator_share(fixed, (int32_t)p->each, p->stage));
    p->left_core_s = spent > 0 && core_s > 0 ? left * core_s / spent : (double)NAN;
}

static void take(struct search_progress *p, const struct result_table *row,
                 const struct query_sweep *sweep, const struct settings *fixed)
{
    const struct allocator *allocator = allocator_of(fixed);
    const int64_t trials = result_table_integer(row, 0, "trials");
    const int64_t left = result_table_integer(row, 0, "left");

    p->is_there = true;
    p->is_over = !left && !result_table_integer(row, 0, "held");
    p->each = result_table_integer(row, 0, "each");
    p->configs = (sweep->planned > trials ? sweep->planned : trials) / p->each;
    p->proposed = result_table_integer(row, 0, "proposed");
    p->stopped = result_table_integer(row, 0, "stopped");
    p->n_stages = allocator_n_stages(fixed, (int32_t)p->each);
    p->stage = (int32_t)result_table_integer(row, 0, "stages");
    if (p->stage >= p->n_stages) /* as in a file that another program changed */
        p->stage = p->n_stages - 1;
    p->end = allocator_stage(fixed, (int32_t)p->each, p->stage).end;
    p->has_rungs = allocator->has_rungs;
    p->are_folds = result_table_integer(row, 0, "replicates") == 1;
    p->released = (p->proposed - p->stopped) * p->end;
    p->ended = p->released > left ? p->released - left : 0;
    p->finished = result_table_integer(row, 0, "finished");
    p->waiting = left + result_table_integer(row, 0, "held");
    expect(p, row, fixed, trials);
}

int search_progress_read(struct search_progress *p, struct store *store,
                         const struct query_sweep *sweep, struct err *err)
{
    struct result_table row;
    struct settings fixed;
    bool is_wanted;

    *p = (struct search_progress){0};
    if (!sweep->has_search)
        return 0;
    if (read_settings(&fixed, &is_wanted, store, sweep->sweep_id, err))
        return -1;
    if (!is_wanted)
        return 0;
    if (query_table(&row, store, QUERY_SEARCH, sweep->sweep_id, err))
        return -1;
    if (row.n_rows)
        take(p, &row, sweep, &fixed);
    result_table_release(&row);
    return query_table(&p->stops, store, QUERY_SEARCH_STOPS, sweep->sweep_id, err);
}

void search_progress_release(struct search_progress *p)
{
    result_table_release(&p->stops);
    *p = (struct search_progress){0};
}

/* ---- words ---- */

void search_progress_put_stage(struct buf *out, const struct search_progress *p)
{
    if (p->proposed < p->configs && !p->stage)
        buf_printf(out, "%lld of %lld configurations", (long long)p->proposed,
                   (long long)p->configs);
    else if (p->has_rungs)
        buf_printf(out, "rung %d of %d", p->stage + 1, p->n_stages);
    else
        buf_printf(out, "%s %d of %lld", p->are_folds ? "fold" : "trial", p->end,
                   (long long)p->each);
}

static void put_end(struct buf *out, const struct search_progress *p)
{
    buf_printf(out, "%lld", (long long)p->proposed);
    if (p->proposed < p->configs)
        buf_printf(out, " of %lld", (long long)p->configs);
    buf_printf(out, " configuration%s tried, %lld to the end", plural(p->configs),
               (long long)(p->proposed - p->stopped));
    for (int64_t r = 0; r < p->stops.n_rows; r++) {
        const long long n = (long long)result_table_integer(&p->stops, r, "configs");
        const long long rung = (long long)result_table_integer(&p->stops, r, "rung");

        if (p->has_rungs)
            buf_printf(out, ", %lld stopped at rung %lld", n, rung);
        else
            buf_printf(out, ", %lld stopped after %lld %s", n, rung,
                       p->are_folds ? "folds" : "trials");
    }
    if (p->has_rungs && p->all_epochs > 0)
        buf_printf(out, "; %.0f of %.0f epochs", p->epochs, p->all_epochs);
    else
        buf_printf(out, "; %lld of %lld trials", (long long)p->finished,
                   (long long)(p->configs * p->each));
}

void search_progress_put(struct buf *out, const struct search_progress *p)
{
    if (p->is_over) {
        put_end(out, p);
        return;
    }
    search_progress_put_stage(out, p);
    buf_printf(out, ": %lld of %lld released trial%s done", (long long)p->ended,
               (long long)p->released, plural(p->released));
    if (p->stopped)
        buf_printf(out, "; %lld of %lld configurations stopped", (long long)p->stopped,
                   (long long)p->configs);
}
