#include "cli/job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "trial/gcn_runner.h"
#include "trial/spec.h"

static int read_file(struct buf *out, const char *path, struct err *err)
{
    char piece[65536];
    FILE *file = fopen(path, "rb");
    size_t n;
    int bad;

    if (!file)
        return err_set(err, "%s: %s", path, strerror(errno));
    while ((n = fread(piece, 1, sizeof piece, file)) > 0)
        buf_add(out, piece, n);
    bad = ferror(file) ? errno : 0;
    fclose(file);
    if (bad)
        return err_set(err, "%s: %s", path, strerror(bad));
    if (buf_failed(out))
        return err_nomem(err, path, out->size);
    if (out->size != strlen(buf_text(out)))
        return err_set(err, "%s: holds a NUL byte: not a text file", path);
    return 0;
}

int job_parse(struct job *job, const char *path, const struct option_list *set)
{
    struct errlist errors = {0};
    struct buf text = {0};
    struct err err;
    int status = CLI_GO_ON;

    if (read_file(&text, path, &err)) {
        status = cli_fail(&err, EXIT_USAGE);
    } else if (sweep_parse(&job->sweep, path, buf_text(&text), set->text, set->n, &errors)) {
        for (size_t i = 0; i < errors.n; i++)
            fprintf(stderr, "espalier: %s\n", errors.text[i]);
        status = EXIT_USAGE;
    }
    errlist_release(&errors);
    buf_release(&text);
    return status;
}

int job_load(struct job *job)
{
    double begun_s = clock_now(&clock_system);
    struct data_spec spec;
    struct err err;

    spec_data(&spec, &job->sweep.fixed);
    if (data_load(&job->data, &spec, &job->report, &err))
        return cli_fail(&err, EXIT_ERROR);
    job->load_s = clock_now(&clock_system) - begun_s;
    if (settings_resolve(&job->sweep.fixed, job->data.task, &err)) {
        err_wrap(&err, "%s", job->sweep.path);
        return cli_fail(&err, EXIT_USAGE);
    }
    return CLI_GO_ON;
}

static int make_plan(struct job *job, struct err *err)
{
    struct store_predicate *where = NULL;
    struct predicate predicate = {0};
    const char *expression = job->sweep.fixed.v[P_WHERE].s;
    int rc = 0;

    if (*expression) {
        rc = store_predicate_open(&where, expression, &job->sweep, err);
        predicate = (struct predicate){.keep = store_predicate_keep, .arg = where};
    }
    if (!rc)
        rc = plan_init(&job->plan, &job->sweep, &predicate, err);
    store_predicate_close(where);
    if (rc)
        err_wrap(err, "%s", job->sweep.path);
    return rc;
}

/* Cost of every configuration; finds values that do not suit the data before anything is spent. */
static int make_costs(struct job *job, struct err *err)
{
    struct settings settings;
    int rc = 0;

    job->prepared = prepared_create(&job->data, err);
    if (!job->prepared)
        return -1;
    job->config_flops = calloc((size_t)job->plan.n_configs, sizeof *job->config_flops);
    if (!job->config_flops)
        return err_nomem(err, "costs", (size_t)job->plan.n_configs * sizeof(double));
    for (int32_t c = 0; !rc && c < job->plan.n_configs; c++) {
        plan_settings(&job->plan, c, &settings);
        rc = prepared_flops(&job->config_flops[c], job->prepared, &settings, err);
    }
    if (rc)
        err_wrap(err, "%s", job->sweep.path);
    return rc;
}

int job_plan(struct job *job)
{
    struct err err;

    if (make_plan(job, &err))
        return cli_fail(&err, EXIT_USAGE);
    if (make_costs(job, &err))
        return cli_fail(&err, EXIT_ERROR);
    return CLI_GO_ON;
}

void job_release(struct job *job)
{
    free(job->config_flops);
    prepared_destroy(job->prepared);
    plan_release(&job->plan);
    dataset_release(&job->data);
    sweep_release(&job->sweep);
    memset(job, 0, sizeof *job);
}

/* Stops a trial when it has run long enough to tell its pace. */
struct probe {
    double until_s;
    int epochs;
};

static bool probe_goes_on(void *arg)
{
    struct probe *probe = arg;

    probe->epochs++;
    return clock_now(&clock_system) < probe->until_s;
}

double job_measure_rate(struct job *job, struct err *err)
{
    const double probe_s = 0.3;
    int32_t middle = job->plan.n_configs / 2;
    int64_t trial = (int64_t)middle * job->plan.replicates * job->plan.folds;
    struct probe probe = {.until_s = clock_now(&clock_system) + probe_s};
    struct settings settings;
    struct trial_result result;
    struct gcn_runner *gcn;
    struct runner runner;
    double begun_s, seconds, epochs;

    plan_settings(&job->plan, middle, &settings);
    if (job->config_flops[middle] <= 0)
        return 0;
    gcn = gcn_runner_create(&job->plan, &job->data, job->prepared, &clock_system, err);
    if (!gcn)
        return -1;
    runner = gcn_runner_interface(gcn);
    trial_result_init(&result, trial);
    begun_s = clock_now(&clock_system);
    runner.run(runner.self, &result, trial, probe_goes_on, &probe);
    seconds = clock_now(&clock_system) - begun_s - result.timing[PHASE_LOAD];
    trial_result_release(&result);
    gcn_runner_destroy(gcn);
    epochs = (double)settings.v[P_EPOCHS].i;
    if (!probe.epochs || epochs < 1)
        return 0;
    return seconds / (job->config_flops[middle] * probe.epochs / epochs);
}
