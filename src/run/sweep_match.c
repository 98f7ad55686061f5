/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/sweep_match.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "store/query/query.h"

/* Find the superseded sweep (NAME#1, ...) that this plan would continue. */
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

enum { INPUTS_SHOWN = 3 };

/* The hash that the table has for this file now: "path hash" is its name. NULL: none. */
static const char *find_input(const struct dataset *now, const char *path)
{
    size_t n = strlen(path);

    for (int32_t i = 0; i < now->n_features; i++) {
        const char *name = dataset_feature_name(now, i);

        if (!strncmp(name, path, n) && name[n] == ' ' && !strchr(name + n + 1, ' '))
            return name + n + 1;
    }
    return NULL;
}

/* Name input files of a program that changed or are gone. */
static void add_inputs(struct errlist *faults, struct store *store, const struct job *job)
{
    struct result_table facts = {0};
    struct query_sweep sweep;
    struct err err;
    int n = 0;

    if (!sweep_is_program(&job->sweep) ||
        query_sweep(&sweep, store, job->sweep.fixed.v[P_SWEEP_NAME].s, &err) ||
        query_table(&facts, store, QUERY_DATA_FACTS, sweep.sweep_id, &err))
        return;
    for (int64_t r = 0; r < facts.n_rows && n < INPUTS_SHOWN; r++) {
        const char *path = result_table_text(&facts, r, "name"), *hash;
        const struct cell *value = result_table_find(&facts, r, "value");

        if (strcmp(result_table_text(&facts, r, "topic"), "input") != 0 || value->type != CELL_TEXT)
            continue;
        hash = find_input(&job->data, path);
        if (hash && !strcmp(hash, value->s))
            continue;
        n++;
        errlist_add(faults, "  %s %s", path, hash ? "has changed" : "is no longer an input");
    }
    result_table_release(&facts);
}

static int refuse(struct store *store, const char *db, const struct job *job,
                  const struct errlist *differences, struct errlist *faults)
{
    const char *name = job->sweep.fixed.v[P_SWEEP_NAME].s;
    char past[256];

    faults->is_usage = true;
    errlist_add(faults, "%s: sweep '%s' is stored with other settings (stored -> now):", db, name);
    for (size_t i = 0; i < differences->n; i++)
        errlist_add(faults, "  %s", differences->text[i]);
    add_inputs(faults, store, job);
    errlist_add(faults,
                "change [sweep] name, or add --new-sweep to start again under this name and keep "
                "the stored sweep as '%s#1' (or the next free number)",
                name);
    if (find_past(past, sizeof past, store, job))
        errlist_add(faults,
                    "the stored sweep '%s' has these settings: set [sweep] name = %s to "
                    "continue it",
                    past, past);
    return -1;
}

static int supersede(struct store *store, const char *db, const char *name, struct err *err)
{
    struct buf renamed = {0};
    int rc = store_supersede(store, name, &renamed, err);

    if (!rc)
        log_info("%s: the earlier sweep '%s' is now named '%s'", db, name, buf_text(&renamed));
    buf_release(&renamed);
    return rc;
}

/* Nothing would be lost: a script that failed at once was mended. */
static bool has_no_result(struct store *store, const char *name)
{
    struct result_table progress = {0};
    struct query_sweep sweep;
    struct err err;
    bool has_none = false;

    if (!query_sweep(&sweep, store, name, &err) && sweep.is_program &&
        !query_table(&progress, store, QUERY_PROGRESS, sweep.sweep_id, &err) && progress.n_rows)
        has_none = result_table_integer(&progress, 0, "done") == 0;
    result_table_release(&progress);
    return has_none;
}

int sweep_match_check(struct store *store, const char *db, const struct job *job, bool new_sweep,
                      struct errlist *faults)
{
    const char *name = job->sweep.fixed.v[P_SWEEP_NAME].s;
    struct errlist differences = {0};
    struct err err;
    int rc = 0;

    if (store_differences(store, &job->plan, &job->data, &differences, &err))
        rc = errlist_add_err(faults, &err);
    else if (differences.n && !new_sweep && !has_no_result(store, name))
        rc = refuse(store, db, job, &differences, faults);
    else if (differences.n && supersede(store, db, name, &err))
        rc = errlist_add_err(faults, &err);
    errlist_release(&differences);
    return rc;
}

int sweep_match_check_older(const char *db, const struct job *job, bool new_sweep,
                            struct errlist *faults)
{
    const char *name = job->sweep.fixed.v[P_SWEEP_NAME].s;
    struct errlist differences = {0};
    struct store *store = NULL;
    struct err err;
    int rc = 0;

    if (new_sweep || access(db, F_OK) != 0)
        return 0;
    if (!store_open_reader(&store, db, &err) && store_is_older(store) &&
        !store_differences(store, &job->plan, &job->data, &differences, &err) && differences.n &&
        !has_no_result(store, name))
        rc = refuse(store, db, job, &differences, faults);
    errlist_release(&differences);
    store_close(store);
    return rc;
}

int sweep_match_refuse(struct store *store, const char *db, const struct job *job,
                       struct errlist *faults)
{
    struct errlist differences = {0};
    struct err err;

    if (store_differences(store, &job->plan, &job->data, &differences, &err))
        errlist_add_err(faults, &err);
    else
        refuse(store, db, job, &differences, faults);
    errlist_release(&differences);
    return -1;
}

int sweep_match_warn(bool *is_same, struct store *store, const char *db, const struct job *job,
                     struct err *err)
{
    struct errlist differences = {0};
    int rc = store_differences(store, &job->plan, &job->data, &differences, err);

    *is_same = !rc && !differences.n;
    if (!rc && differences.n)
        log_warn(
            "%s: sweep '%s' is stored with other settings: 'run' would need another [sweep] name "
            "or --new-sweep",
            db, job->sweep.fixed.v[P_SWEEP_NAME].s);
    for (size_t i = 0; !rc && i < differences.n; i++)
        log_warn("  %s", differences.text[i]);
    errlist_release(&differences);
    return rc;
}
