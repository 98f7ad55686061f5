/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/sweep_match.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "run/job_prepare.h"
#include "store/query/progress.h"

enum { INPUTS_SHOWN = 3 };

/* Add path and "digest -> digest" of each input file of a program that is not what the sweep had. Files
 * that the command names and that it did not have are new, perhaps written by a trial. */
static void compare_inputs(struct errlist *changes, const struct result_table *facts,
                           const struct job *job)
{
    struct errlist known = {0};

    for (int64_t r = 0; r < facts->n_rows; r++) {
        const char *path = result_table_text(facts, r, "name"), *hash;
        const struct cell *value = result_table_find(facts, r, "value");

        if (strcmp(result_table_text(facts, r, "topic"), "input") != 0 || value->type != CELL_TEXT)
            continue;
        errlist_add(&known, "%s", path);
        hash = job_input_hash(job, path);
        if (!hash || strcmp(hash, value->s) != 0) {
            errlist_add(changes, "%s", path);
            errlist_add(changes, "%s -> %s", value->s, hash ? hash : "none");
        }
    }
    for (int32_t i = 0; i < job->data.n_features; i++) {
        char path[PATH_MAX];
        const char *hash = inputs_split(path, dataset_feature_name(&job->data, i));

        if (!errlist_has(&known, path) && job_input_role(job, path) == INPUTS_LISTED) {
            errlist_add(changes, "%s", path);
            errlist_add(changes, "%s -> %s", "none", hash);
        }
    }
    errlist_release(&known);
}

/* Compare the files of a program with those that the stored sweep had. If they are the same, or were
 * accepted, the trials have the digest that the sweep began with. changes: the others. */
static int match_inputs(struct errlist *changes, struct store *store, struct job *job, bool accepts,
                        struct err *err)
{
    struct result_table facts;
    struct query_sweep sweep;
    struct hash digest;
    int found;

    if (!sweep_is_program(&job->sweep))
        return 0;
    found = store_find_digest(&digest, store, job->sweep.fixed.v[P_SWEEP_NAME].s, err);
    if (found != 1)
        return found;
    if (query_sweep(&sweep, store, job->sweep.fixed.v[P_SWEEP_NAME].s, err) ||
        query_table(&facts, store, QUERY_DATA_FACTS, sweep.sweep_id, err))
        return -1;
    errlist_release(&job->accepted);
    for (int64_t r = 0; r < facts.n_rows; r++)
        if (!strcmp(result_table_text(&facts, r, "topic"), "accepted")) {
            errlist_add(&job->accepted, "%s", result_table_text(&facts, r, "name"));
            errlist_add(&job->accepted, "%s", result_table_text(&facts, r, "value"));
        }
    if (!hash_equal(digest, job->data.digest))
        compare_inputs(changes, &facts, job);
    result_table_release(&facts);
    for (size_t i = 0; accepts && i < changes->n; i += 2) {
        log_info("%s: the change is accepted, and earlier results stay (digest %s)",
                 changes->text[i], changes->text[i + 1]);
        errlist_add(&job->accepted, "%s", changes->text[i]);
        errlist_add(&job->accepted, "%s", changes->text[i + 1]);
    }
    if (accepts || !changes->n) {
        job->data.digest = digest;
        errlist_release(changes);
    }
    return 0;
}

/* Settings that differ, and changes of match_inputs(). */
static int compare(struct errlist *differences, struct errlist *changes, struct store *store,
                   struct job *job, bool accepts, struct err *err)
{
    return match_inputs(changes, store, job, accepts, err) ||
                   store_differences(store, &job->plan, &job->data, differences, err)
               ? -1
               : 0;
}

static int refuse(const char *db, const struct job *job, const struct errlist *differences,
                  const struct errlist *changes, struct errlist *faults)
{
    const char *name = job->sweep.fixed.v[P_SWEEP_NAME].s;

    faults->is_usage = true;
    errlist_add(faults, "%s: sweep '%s' is stored with other settings (stored -> now):", db, name);
    for (size_t i = 0; i < differences->n; i++)
        errlist_add(faults, "  %s", differences->text[i]);
    for (size_t i = 0; i < changes->n && i < 2 * INPUTS_SHOWN; i += 2)
        errlist_add(faults, "  %s has changed (digest %s)", changes->text[i], changes->text[i + 1]);
    if (changes->n > 2 * INPUTS_SHOWN)
        errlist_add(faults, "  and %zu more files", changes->n / 2 - INPUTS_SHOWN);
    if (changes->n)
        errlist_add(faults,
                    "add --accept-inputs to go on with the changed files, and keep the results "
                    "of the earlier ones beside the new ones");
    errlist_add(faults,
                "change [sweep] name, or add --new-sweep to start again under this name and keep "
                "the stored sweep as '%s#1' (or the next free number)",
                name);
    return -1;
}

/* Nothing would be lost: a script that failed at once was mended. */
static bool has_no_result(struct store *store, const char *name)
{
    struct progress_counts counts;
    struct query_sweep sweep;
    struct err err;

    return !query_sweep(&sweep, store, name, &err) && sweep.is_program &&
           !progress_count(&counts, store, &sweep, &err) && counts.trials && !counts.done;
}

int sweep_match_check(struct store *store, const char *db, struct job *job, bool new_sweep,
                      bool accepts_inputs, struct errlist *faults)
{
    const char *name = job->sweep.fixed.v[P_SWEEP_NAME].s;
    struct errlist differences = {0}, changes = {0};
    struct buf renamed = {0};
    struct err err;
    int rc = 0;

    if (compare(&differences, &changes, store, job, accepts_inputs, &err))
        rc = errlist_add_err(faults, &err);
    else if (differences.n && !new_sweep && !has_no_result(store, name))
        rc = refuse(db, job, &differences, &changes, faults);
    else if (differences.n && store_supersede(store, name, &renamed, &err))
        rc = errlist_add_err(faults, &err);
    else if (differences.n)
        log_info("%s: the earlier sweep '%s' is now named '%s'", db, name, buf_text(&renamed));
    buf_release(&renamed);
    errlist_release(&differences);
    errlist_release(&changes);
    return rc;
}

int sweep_match_refuse(struct store *store, const char *db, struct job *job, struct errlist *faults)
{
    struct errlist differences = {0}, changes = {0};
    struct err err;

    if (compare(&differences, &changes, store, job, false, &err))
        errlist_add_err(faults, &err);
    else
        refuse(db, job, &differences, &changes, faults);
    errlist_release(&differences);
    errlist_release(&changes);
    return -1;
}

int sweep_match_warn(bool *is_same, struct store *store, const char *db, struct job *job,
                     struct err *err)
{
    struct errlist differences = {0}, changes = {0};
    int rc = compare(&differences, &changes, store, job, false, err);

    *is_same = !rc && !differences.n;
    if (!rc && differences.n)
        log_warn(
            "%s: sweep '%s' is stored with other settings: 'run' would need another [sweep] name "
            "or --new-sweep",
            db, job->sweep.fixed.v[P_SWEEP_NAME].s);
    for (size_t i = 0; !rc && i < differences.n; i++)
        log_warn("  %s", differences.text[i]);
    for (size_t i = 0; !rc && i < changes.n; i += 2)
        log_warn("  %s has changed (digest %s)", changes.text[i], changes.text[i + 1]);
    errlist_release(&differences);
    errlist_release(&changes);
    return rc;
}
