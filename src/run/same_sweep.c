#include "run/same_sweep.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "run/job.h"
#include "store/query.h"
#include "store/store.h"

int incomplete_note(struct store *store, const char *only, struct err *err)
{
    struct result_table table;

    if (query_table(&table, store, QUERY_INCOMPLETE, 0, err))
        return -1;
    for (int64_t r = 0; r < table.n_rows; r++) {
        const char *sweep = result_table_text(&table, r, "sweep");

        if (!only || !strcmp(only, sweep))
            log_info("%s: %lld of the %lld trials of its grid are in this file; the others are of "
                     "shards that are not merged into it",
                     sweep, (long long)result_table_integer(&table, r, "trials"),
                     (long long)result_table_integer(&table, r, "planned"));
    }
    result_table_release(&table);
    return 0;
}

/* The sweep of the past, NAME#1 and so on, that this plan would go on with; false: none. */
static bool find_past(char *past, size_t size, struct store *store, const struct job *job)
{
    const char *name = job->sweep.fixed.v[P_SWEEP_NAME].s;
    struct sweep sweep = job->sweep;
    struct plan plan = job->plan;
    struct query_sweep there;
    struct err err;
    bool is_same = false;

    plan.sweep = &sweep;
    sweep.fixed.v[P_SWEEP_NAME].s = past;
    for (int n = 1; !is_same; n++) {
        struct errlist differences = {0};

        snprintf(past, size, "%s#%d", name, n);
        if (query_sweep(&there, store, past, &err) ||
            store_differences(store, &plan, &job->data, &differences, &err))
            return false;
        is_same = !differences.n;
        errlist_release(&differences);
    }
    return true;
}

static void refuse(struct store *store, const char *db, const struct job *job,
                   const struct errlist *differences)
{
    const char *name = job->sweep.fixed.v[P_SWEEP_NAME].s;
    char past[256];

    log_error("%s: sweep '%s' in it has other settings (in it -> now):", db, name);
    for (size_t i = 0; i < differences->n; i++)
        log_error("  %s", differences->text[i]);
    log_error("give [sweep] name another value, or add --new-sweep: it begins anew under "
              "this name, and keeps what is there as '%s#1' (or the next number)",
              name);
    if (find_past(past, sizeof past, store, job))
        log_error("'%s' in it has these settings: [sweep] name = %s goes on with it", past, past);
}

static int supersede(struct store *store, const char *db, const char *name, struct err *err)
{
    struct buf renamed = {0};
    int rc = store_supersede(store, name, &renamed, err);

    if (!rc)
        log_info("%s: sweep '%s' of before is now '%s'", db, name, buf_text(&renamed));
    buf_release(&renamed);
    return rc;
}

int same_sweep_check(struct store *store, const char *db, const struct job *job, bool new_sweep)
{
    const char *name = job->sweep.fixed.v[P_SWEEP_NAME].s;
    struct errlist differences = {0};
    struct err err;
    int status = CLI_GO_ON;

    if (store_differences(store, &job->plan, &job->data, &differences, &err) ||
        (differences.n && new_sweep && supersede(store, db, name, &err))) {
        status = log_fail(&err, EXIT_ERROR);
    } else if (differences.n && !new_sweep) {
        refuse(store, db, job, &differences);
        status = EXIT_USAGE;
    }
    errlist_release(&differences);
    return status;
}

int same_sweep_warn(bool *is_same, struct store *store, const char *db, const struct job *job,
                    struct err *err)
{
    struct errlist differences = {0};
    int rc = store_differences(store, &job->plan, &job->data, &differences, err);

    *is_same = !rc && !differences.n;
    if (!rc && differences.n)
        log_warn("%s: sweep '%s' in it has other settings: run would need another name or "
                 "--new-sweep",
                 db, job->sweep.fixed.v[P_SWEEP_NAME].s);
    for (size_t i = 0; !rc && i < differences.n; i++)
        log_warn("  %s", differences.text[i]);
    errlist_release(&differences);
    return rc;
}
