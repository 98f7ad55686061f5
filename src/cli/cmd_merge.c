/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/words.h"
#include "cli/print/cli.h"
#include "cli/print/output.h"
#include "launch/job_array.h"
#include "report/answer.h"
#include "store/lock.h"
#include "store/merge.h"
#include "store/query/progress.h"

/* Shards are easily forgotten, and the output does not show it. */
static void warn_missing(const char *const *paths, int n)
{
    int missing = 0, example = 0;
    struct shard first, shard;
    bool *seen;

    if (!job_array_database_shard(&first, paths[0]))
        return;
    seen = calloc((size_t)first.n + 1, sizeof *seen);
    if (!seen)
        return;
    for (int i = 0; i < n; i++)
        if (job_array_database_shard(&shard, paths[i]) && shard.n == first.n)
            seen[shard.k] = true;
    for (int k = first.n; k >= 1; k--)
        if (!seen[k]) {
            missing++;
            example = k;
        }
    free(seen);
    if (missing)
        log_warn(
            "%d of %d shards are not among the inputs (%dof%d%s): their trials are missing unless "
            "they were merged before",
            missing, first.n, example, first.n, missing > 1 ? " ..." : "");
}

static int check_input(const char *path, const char *out, struct err *err)
{
    struct lock_holder holder;
    struct stat st;

    if (outfile_is_same(out, path))
        return err_set(err,
                       "%s: is both the output and an input: leave it out of the inputs (its "
                       "contents stay)",
                       path);
    if (stat(path, &st))
        return err_set(err, "%s: %s: every input must be the database of a run; nothing is merged",
                       path, errno == ENOENT ? "no such file" : strerror(errno));
    if (!st.st_size)
        return err_set(err, "%s: is empty: its run ended before anything was stored; leave it out",
                       path);
    if (lock_is_held(path, &holder))
        log_warn("%s: a run is writing to it (pid %lld on %s): its present contents are merged; "
                 "merge it again when the run has ended",
                 path, (long long)holder.pid, holder.host);
    return 0;
}

static int merge(const char *out, const char *const *paths, int n, struct err *err)
{
    struct merge_input *inputs = calloc((size_t)n, sizeof *inputs);
    struct errlist notes = {0};
    int rc = inputs ? 0 : err_nomem(err, "inputs", (size_t)n * sizeof *inputs);

    for (int i = 0; !rc && i < n; i++) {
        inputs[i].path = paths[i];
        rc = check_input(paths[i], out, err);
    }
    if (!rc) {
        warn_missing(paths, n);
        rc = merge_databases(out, inputs, (size_t)n, &notes, err);
    }
    for (size_t i = 0; i < notes.n; i++)
        log_always("%s", notes.text[i]);
    for (int i = 0; !rc && i < n; i++)
        log_info("%s: %lld trial%s: %lld added, %lld updated", inputs[i].path,
                 (long long)inputs[i].n_trials, plural(inputs[i].n_trials),
                 (long long)inputs[i].n_new, (long long)inputs[i].n_finished);
    errlist_release(&notes);
    free(inputs);
    return rc;
}

static const struct answer_section sweeps = {"sweeps", NULL, false, "sweep trials done", NULL};

/* Name the next command, unless trials are missing or unfinished. */
static int fill(struct answer *answer, struct store *store, const void *arg, struct err *err)
{
    struct result_table sweeps_now, missing;
    struct buf word = {0};
    int64_t open = 0;

    if (query_table(&missing, store, QUERY_INCOMPLETE, 0, err))
        return -1;
    open = missing.n_rows;
    result_table_release(&missing);
    if (cli_note_incomplete(store, NULL, err) || progress_sweeps(&sweeps_now, store, err))
        return -1;
    answer_table(answer, &sweeps, &sweeps_now);
    for (int64_t r = 0; r < sweeps_now.n_rows; r++) {
        const struct cell *held = result_table_find(&sweeps_now, r, "held");

        open += result_table_integer(&sweeps_now, r, "running") +
                result_table_integer(&sweeps_now, r, "pending") + (held ? held->i : 0);
    }
    result_table_release(&sweeps_now);
    if (!open)
        log_info("all trials are finished; next: espalier best %s", escape_shell(&word, arg));
    buf_release(&word);
    return 0;
}

static int run_merge(struct call *call)
{
    const char *const *inputs = call->operands;
    int n = call->n_operands;
    struct err err;

    if (!call->common->db) {
        call->common->db = *inputs++;
        n--;
    }
    if (!n) {
        err_set(&err, "merge: at least one input is needed: espalier merge OUT IN...");
        return cli_fail_usage(&err);
    }
    if (merge(call->common->db, inputs, n, &err))
        return cli_fail(&err);
    return output_database(call->common, OUTPUT_TABLE, fill, call->common->db);
}

static const struct option_row options[] = {
    {0, "db", "FILE", OPTION_TEXT, VALUE_DATABASE, offsetof(struct common_options, db),
     .help = "Merge into the database FILE. All operands are then inputs."},
    {0},
};

const struct command command_merge = {
    .name = "merge",
    .group = GROUP_RUN,
    .operands = "OUT IN...",
    .min_operands = 1,
    .max_operands = INT_MAX,
    .operand_kind = VALUE_DATABASE,
    .summary = "Join databases, for example those of a job array.",
    .about = "OUT is created, or added to. Merging a database again changes nothing.",
    .examples = {{"espalier merge results.db results.*of20.db",
                  "Join the databases of the 20 parts of a job array."}},
    .see = "run, status",
    .options = options,
    .common = COMMON_FORMAT | COMMON_WIDE,
    .run = run_merge,
};
