/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/job_prepare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/process.h"
#include "base/words.h"
#include "data/format.h"
#include "data/inputs.h"
#include "grid/requirements.h"
#include "grid/sweep_file.h"
#include "launch/address_space.h"
#include "run/advice.h"
#include "search/search.h"
#include "store/store.h"
#include "trial/kept.h"
#include "trial/spec.h"

/* ---- the sweep file ---- */

int job_parse(struct job *job, const char *path, const struct text_list *set,
              struct errlist *faults)
{
    faults->is_usage = true;
    return sweep_load(&job->sweep, path, set->text, set->n, faults);
}

int job_parse_text(struct job *job, const char *path, const char *text, struct errlist *faults)
{
    faults->is_usage = true;
    return sweep_parse(&job->sweep, path, text, NULL, 0, faults);
}

/* ---- the data ---- */

static int count_folds(struct job *job, struct err *err)
{
    union value *folds = &job->fixed.v[P_FOLDS];
    struct split_spec spec;
    int32_t n;

    if (folds->i != FOLDS_GROUPS)
        return 0;
    spec_split(&spec, &job->fixed, 0, 0);
    if (split_count_groups(&n, &job->data, &spec, err))
        return -1;
    if (n < 2 || n > param_table[P_FOLDS].max)
        return err_set(err, "folds = groups: %d group%s outside the test part: must be 2 to %g", n,
                       n == 1 ? "" : "s", param_table[P_FOLDS].max);
    folds->i = n;
    return 0;
}

/* In node attributes and features of a given graph, amounts are standardized, one-hot labels and
 * words are not (doc/decisions/0006). */
static int resolve_scale(struct job *job, struct err *err)
{
    const union value *v = job->sweep.fixed.v;
    bool has_amounts;

    if (v[P_SCALE].i != param_choice(P_SCALE, "auto") ||
        !data_format_at(v[P_FORMAT].i)->has_attributes)
        return 0;
    if (job_has_amounts(&has_amounts, job, err))
        return -1;
    if (has_amounts)
        job->fixed.v[P_SCALE].i = param_choice(P_SCALE, "standardize");
    return 0;
}

static int resolve(struct job *job, struct errlist *faults)
{
    struct err err;

    if (settings_resolve(&job->fixed, &job->sweep.fixed, job->data.task, &err) ||
        resolve_scale(job, &err) || count_folds(job, &err)) {
        err_wrap(&err, "%s", job->sweep.path);
        return errlist_add_usage(faults, &err);
    }
    faults->is_usage = true;
    return requirements_check_data(&job->sweep, &job->data, faults);
}

static int fail_load(const struct job *job, struct err *err, struct errlist *faults)
{
    struct buf place = {0};

    if (sweep_is_program(&job->sweep)) /* its only data are the files that a line names */
        sweep_put_place(&place, &job->sweep, P_INPUTS);
    else if (job->report.unset)
        requirements_put_place(&place, &job->sweep, param_find("data", job->report.unset));
    else
        return errlist_add_err(faults, err);
    err_wrap(err, "%s", buf_text(&place));
    buf_release(&place);
    return errlist_add_usage(faults, err);
}

static void find_spec(struct data_spec *spec, const struct job *job)
{
    spec_data(spec, job->sweep.fixed.v);
    spec->unmatched = job->unmatched;
    spec->inputs_folder = job->sweep.folder;
    spec->written = &job->written;
}

/* The state is that before reading, so that no later change is missed. */
static int load(struct job *job, const struct data_spec *spec, struct err *err)
{
    if (sweep_is_program(&job->sweep) && inputs_state(&job->inputs_state, spec, err))
        return -1;
    if (data_load(&job->data, spec, &job->report, err))
        return -1;
    job->files_digest = job->data.digest;
    return 0;
}

enum inputs_role job_input_role(const struct job *job, const char *path)
{
    struct data_spec spec;

    find_spec(&spec, job);
    return inputs_role(&spec, path);
}

const char *job_input_hash(const struct job *job, const char *path)
{
    for (int32_t i = 0; i < job->data.n_features; i++) {
        const char *name = dataset_feature_name(&job->data, i);

        if (inputs_is_name(name, path))
            return name + strlen(path) + 1;
    }
    return NULL;
}

/* Add to `written` the files of `a` that are not the same in b. False: others differ, too. */
static bool find_written(struct job *job, const struct job *a, const struct job *b)
{
    bool is_all = true;

    for (int32_t i = 0; i < a->data.n_features; i++) {
        char path[PATH_MAX];
        const char *hash = inputs_split(path, dataset_feature_name(&a->data, i));
        const char *other = job_input_hash(b, path);

        if ((other && !strcmp(other, hash)) || errlist_has(&job->written, path))
            continue;
        if (job_input_role(job, path) == INPUTS_NAMED)
            errlist_add(&job->written, "%s", path);
        else
            is_all = false;
    }
    return is_all;
}

/* Files that trials write are not compared any more. *out: inputs have changed. */
static int take_written(bool *out, struct job *now, struct job *job, struct err *err)
{
    size_t n = job->written.n;
    struct data_spec spec;

    *out = !find_written(job, now, job) || !find_written(job, job, now);
    if (*out)
        return 0;
    for (; n < job->written.n; n++)
        log_warn(
            "%s, which the command names, changed while trials ran: it is taken for a file that "
            "they write, and not compared; list it in [program] inputs if they read it",
            job->written.text[n]);
    dataset_release(&now->data);
    find_spec(&spec, job);
    if (load(now, &spec, err))
        return -1;
    job->inputs_state = now->inputs_state;
    job->files_digest = now->files_digest;
    return 0;
}

int job_inputs_changed(bool *out, struct job *now, struct job *job, struct err *err)
{
    struct hash state;
    struct data_spec spec;
    int rc;

    *out = false;
    if (!sweep_is_program(&job->sweep))
        return 0;
    find_spec(&spec, job);
    if (inputs_state(&state, &spec, err))
        return -1;
    if (hash_equal(state, job->inputs_state))
        return 0;
    *now = (struct job){.sweep = job->sweep, .plan = job->plan};
    if (load(now, &spec, err))
        return -1;
    job->inputs_state = now->inputs_state;
    rc = hash_equal(now->files_digest, job->files_digest) ? 0 : take_written(out, now, job, err);
    if (rc || !*out)
        dataset_release(&now->data);
    return rc;
}

/* In another folder a program of the same name might run. */
static int check_folder(const struct job *job, struct errlist *faults)
{
    const char *folder = job->sweep.folder;
    struct buf place = {0};
    struct stat status;
    struct err err;

    if (!sweep_is_program(&job->sweep) || !*folder ||
        (!stat(folder, &status) && S_ISDIR(status.st_mode)))
        return 0;
    sweep_put_place(&place, &job->sweep, P_START_FOLDER);
    err_set(&err, "%s: start_folder: there is no folder '%s': correct the path", buf_text(&place),
            folder);
    buf_release(&place);
    return errlist_add_usage(faults, &err);
}

void job_print_notes(const struct job *job)
{
    const struct data_report *r = &job->report;

    for (int32_t i = 0; i < r->n_notes; i++) {
        const struct data_note *note = &r->note[i];
        const char *path = note->is_advice ? job->sweep.path : "",
                   *gap = note->is_advice ? ": " : "";

        if (note->kind == DATA_NOTE_WARNING)
            log_warn("%s%s%s", path, gap, note->text);
        else if (note->kind == DATA_NOTE_INFO)
            log_info("%s%s%s", path, gap, note->text);
    }
}

int job_load(struct job *job, struct errlist *faults)
{
    double begun_s = clock_now(&clock_system);
    struct data_spec spec;
    struct err err;

    address_space_warn();
    if (check_folder(job, faults))
        return -1;
    find_spec(&spec, job);
    if (load(job, &spec, &err))
        return fail_load(job, &err, faults);
    job->load_s = clock_now(&clock_system) - begun_s;
    if (job->data.task == TASK_NONE)
        return resolve(job, faults);
    log_verbose("data: %d samples and %d features, read in %.2f s", job->data.n_samples,
                job->data.n_features, job->load_s);
    job_print_notes(job);
    return resolve(job, faults);
}

int job_parse_again(struct job *job, const char *path, const char *text, struct errlist *faults)
{
    job_release_plan(job);
    return job_parse_text(job, path, text, faults) || resolve(job, faults) ? -1 : 0;
}

/* ---- the plan ---- */

static int price(struct job *job, int32_t c, struct settings *settings, struct err *err)
{
    const struct dataset *d = &job->data;
    bool is_reduced;
    double bytes;

    plan_settings(&job->plan, c, settings);
    if (prepared_cost(&job->work[c], &bytes, job->prepared, settings, err))
        return -1;
    job->rank_work[c] = (struct gcn_cost){
        .flops = job->work[c].flops * job_rank_share(settings),
        .bytes = job->work[c].bytes * job_rank_share(settings),
        .steps = job->work[c].steps,
    };
    job->trial_bytes = fmax(job->trial_bytes, bytes);
    job->bytes[c] = bytes + prepared_inputs_bytes(job->prepared, settings);
    is_reduced = settings->v[P_REDUCE].i != REDUCE_NONE && d->n_samples < d->n_features;
    job->store_bytes += /* models of all its trials */
        (double)job->plan.replicates * job->plan.folds *
        kept_model_bytes(settings, d, is_reduced ? d->n_samples : d->n_features);
    return 0;
}

/* Also finds values that do not suit the data before any training. */
static int make_costs(struct job *job, struct err *err)
{
    struct settings settings;
    double stop, least_stop = INFINITY;
    int rc = 0;

    job->work = calloc((size_t)job->plan.n_configs, sizeof *job->work);
    job->rank_work = calloc((size_t)job->plan.n_configs, sizeof *job->rank_work);
    job->bytes = calloc((size_t)job->plan.n_configs, sizeof *job->bytes);
    if (!job->work || !job->rank_work || !job->bytes)
        return err_nomem(err, "costs", (size_t)job->plan.n_configs * sizeof *job->work);
    for (int32_t c = 0; !rc && c < job->plan.n_configs; c++) {
        rc = price(job, c, &settings, err);
        stop = settings.v[P_STOP].f;
        /* Find an empty part before any training. */
        if (c == 0 || (stop > 0 && stop < least_stop))
            for (int32_t r = 0; r < job_replicates(job); r++)
                for (int32_t fold = 0; !rc && fold < job->plan.folds; fold++)
                    rc = prepared_split(job->prepared, &settings, r, fold, err) ? 0 : -1;
        least_stop = stop > 0 ? fmin(stop, least_stop) : least_stop;
    }
    job->inputs_bytes = prepared_all_bytes(job->prepared);
    if (rc)
        err_wrap(err, "%s", job->sweep.path);
    return rc;
}

int job_price(struct job *job, int32_t first, struct err *err)
{
    struct settings settings;
    int rc = 0;

    for (int32_t c = first; !rc && job->work && c < job->plan.rows.n; c++)
        rc = price(job, c, &settings, err);
    return rc;
}

static int check_workers(struct job *job, struct errlist *faults)
{
    int32_t n_splits = job_replicates(job) * job->plan.folds, n_train = 0;
    struct split_spec last = {0}, spec;
    struct settings s;
    struct err err;

    if (sweep_is_always(&job->sweep, P_WORKERS, 1) && sweep_is_always(&job->sweep, P_RANKS, 1))
        return 0;
    faults->is_usage = true;
    for (int32_t c = 0; c < job->plan.n_configs; c++) {
        plan_settings(&job->plan, c, &s);
        if (s.v[P_WORKERS].i == 1 && s.v[P_RANKS].i == 1)
            continue;
        spec_split(&spec, &s, 0, 0);
        if (memcmp(&spec, &last, sizeof spec) != 0)
            n_train = INT32_MAX;
        for (int32_t i = 0; memcmp(&spec, &last, sizeof spec) != 0 && i < n_splits; i++) {
            const struct split *split =
                prepared_split(job->prepared, &s, i / job->plan.folds, i % job->plan.folds, &err);

            if (!split) {
                err_wrap(&err, "%s", job->sweep.path);
                return errlist_add_err(faults, &err);
            }
            n_train = split->n_train < n_train ? split->n_train : n_train;
        }
        last = spec;
        if (requirements_check_workers(&job->sweep, &s, n_train, faults))
            return -1;
    }
    return 0;
}

int job_points(struct job *job, struct errlist *faults)
{
    struct err err;

    if (store_plan(&job->plan, &job->sweep, &job->fixed, &err))
        return errlist_add_usage(faults, &err);
    job->prepared = prepared_create(&job->data, &err);
    return job->prepared ? 0 : errlist_add_err(faults, &err);
}

/* Print what the plan leaves out. */
static void log_plan(const struct job *job)
{
    const struct plan *plan = &job->plan;
    struct buf emptied = {0}, why = {0}, strays = {0}, unused = {0};

    plan_put_unused(&unused, plan);
    if (unused.size)
        log_warn("%s: [search] %s", job->sweep.path, buf_text(&unused));
    buf_release(&unused);
    plan_put_emptied(&emptied, plan);
    if (emptied.size)
        log_info("%s: where leaves no configuration with %s", job->sweep.path, buf_text(&emptied));
    if (job->data.task != TASK_NONE) {
        plan_put_strays(&strays, plan);
        plan_put_repeats(&why, plan);
    }
    if (strays.size)
        log_info("%s: %s", job->sweep.path, buf_text(&strays));
    if (plan->rows.n_repeats && why.size)
        log_info("%s: %s: dropped %d point%s of the grid that repeat%s the model of another point",
                 job->sweep.path, buf_text(&why), plan->rows.n_repeats,
                 plural(plan->rows.n_repeats), plan->rows.n_repeats == 1 ? "s" : "");
    buf_release(&emptied);
    buf_release(&strays);
    buf_release(&why);
}

int job_plan(struct job *job, struct errlist *faults)
{
    double begun_s = clock_now(&clock_system);
    struct process_memory memory;
    struct err err;

    if (job_points(job, faults))
        return -1;
    if (search_check(&job->plan, &err)) {
        err_wrap(&err, "%s:%d", job->sweep.path, job->sweep.line[P_ALLOCATE]);
        return errlist_add_usage(faults, &err);
    }
    log_plan(job);
    if (job->data.task == TASK_NONE) {
        job->stop_s = job->sweep.fixed.v[P_STOP_GRACE].f;
        /* only the program knows what its trials need */
        return advice_plan(job, &err) ? errlist_add_err(faults, &err) : 0;
    }
    if (make_costs(job, &err))
        return errlist_add_err(faults, &err);
    if (check_workers(job, faults))
        return -1;
    if (advice_plan(job, &err))
        return errlist_add_err(faults, &err);
    process_trim_memory();
    memory = process_memory();
    job->program_bytes = fmax(memory.resident_bytes - (double)job->data.block_bytes, 0);
    job->prepare_bytes = memory.peak_bytes;
    job->store_bytes = fmin(job->store_bytes, STORE_CACHE_BYTES);
    log_verbose("plan: %lld trials of %d configurations, made in %.2f s",
                (long long)job->plan.n_trials, job->plan.n_configs,
                clock_now(&clock_system) - begun_s);
    return 0;
}

int job_prepare(struct job *job, const char *path, const struct text_list *set,
                struct errlist *faults)
{
    return job_parse(job, path, set, faults) || job_load(job, faults) || job_plan(job, faults) ? -1
                                                                                               : 0;
}
