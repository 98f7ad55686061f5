#include "run/database_trouble.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "launch/stop.h"
#include "store/database_file.h"

/* Somebody's query is over in a moment; a transaction that was left open is noticed by its owner
 * sooner or later, and a job of hours is worth the wait. */
#define TELL_S 2.0
#define PATIENCE_S 600.0
#define STOPPING_S 10.0 /* a batch system that asked us to stop kills soon */

enum { RANGES_MAX = 12 };

static bool on_wait(void *arg, double waited_s, const char *holder)
{
    struct database_trouble *trouble = arg;

    trouble->meanwhile(trouble->arg);
    if (waited_s >= TELL_S && !trouble->has_told) {
        trouble->has_told = true;
        log_warn("%s: %s keeps it from being written; waiting for it, %.0f minutes at most",
                 trouble->db,
                 *holder ? holder : "another process, or a lock service that does not answer,",
                 PATIENCE_S / 60);
    }
    return !stop_signal || waited_s < STOPPING_S;
}

void database_trouble_watch(struct database_trouble *trouble, struct store *store)
{
    store_be_patient(store, PATIENCE_S, on_wait, trouble);
}

void database_trouble_over(struct database_trouble *trouble)
{
    if (trouble->has_told)
        log_info("%s: free again", trouble->db);
    trouble->has_told = false;
}

static bool is_missing(const struct store_trials *known, int64_t t)
{
    return known->ours[t] && known->states[t] != TRIAL_DONE && known->states[t] != TRIAL_DIVERGED &&
           known->states[t] != TRIAL_FAILED;
}

static void put_range(struct buf *out, int64_t from, int64_t to, int n)
{
    buf_printf(out, "%st%lld", n ? ", " : "", (long long)from);
    if (to > from)
        buf_printf(out, "-t%lld", (long long)to);
}

/* "t3, t7-t12": numbers as in `show`. Returns how many trials are missing. */
static int64_t list_missing(struct buf *out, const struct store_trials *known, int64_t n_trials)
{
    int64_t n = 0, from = 0, to = -1;
    int ranges = 0;

    for (int64_t t = 0; t < n_trials; t++) {
        if (!is_missing(known, t))
            continue;
        n++;
        if (known->ids[t] == to + 1) {
            to++;
            continue;
        }
        if (to >= 0 && ranges < RANGES_MAX)
            put_range(out, from, to, ranges++);
        from = to = known->ids[t];
    }
    if (to >= 0 && ranges < RANGES_MAX)
        put_range(out, from, to, ranges);
    else if (to >= 0)
        buf_puts(out, " ...");
    return n;
}

static int64_t count_ours(const struct store_trials *known, int64_t n_trials)
{
    int64_t n = 0;

    for (int64_t t = 0; t < n_trials; t++)
        n += known->ours[t];
    return n;
}

static void tell_what_is_left(const struct database_trouble *trouble, const struct job *job,
                              const struct store_trials *known)
{
    int64_t total = count_ours(known, job->plan.n_trials);
    struct buf missing = {0};
    int64_t n = list_missing(&missing, known, job->plan.n_trials);

    log_warn("%s: all that was committed is safe; it holds %lld of %lld trials", trouble->db,
             (long long)(total - n), (long long)total);
    if (n)
        log_warn("missing: %lld trial%s (%s); mend the cause, then the same command runs %s",
                 (long long)n, n == 1 ? "" : "s", buf_failed(&missing) ? "..." : buf_text(&missing),
                 n == 1 ? "it" : "them");
    else
        log_warn("none is missing");
    buf_release(&missing);
}

static void tell(const struct database_trouble *trouble, const struct job *job,
                 struct store_trials *known)
{
    struct store *store;
    struct err err;

    if (store_open_reader(&store, trouble->db, &err)) {
        log_warn("%s; never part it from %s-wal or %s-journal, where there is one", err.text,
                 trouble->db, trouble->db);
        return;
    }
    if (store_find(store, &job->plan, &job->data, known, &err))
        log_warn("%s; what was committed is in it all the same", err.text);
    else
        tell_what_is_left(trouble, job, known);
    store_close(store);
}

int database_trouble_end(const struct database_trouble *trouble, struct store *store,
                         const struct job *job, struct store_trials *known, const struct err *why)
{
    /* Then `why` names where to find what is safe, or that it is lost. */
    bool is_elsewhere = database_file_has_moved(store) || database_file_is_cut_off(store);
    int status = log_fail(why, EXIT_ERROR);

    store_close(store);
    if (!is_elsewhere)
        tell(trouble, job, known);
    return status;
}
