/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/real.h"
#include "base/words.h"
#include "cli/print/cli.h"
#include "cli/print/output.h"
#include "launch/host.h"
#include "launch/stop.h"
#include "report/answer.h"
#include "report/rows.h"
#include "run/job_prepare.h"
#include "run/scale_study.h"
#include "sched/world.h"

enum { COMBINATIONS, RECOMMENDATION, CONFIGURATION };

static const struct answer_section sections[] = {
    [COMBINATIONS] = {"combinations", NULL, false, NULL, "cores at_once"},
    [RECOMMENDATION] = {"recommendation", NULL, false, NULL, NULL},
    [CONFIGURATION] = {"configuration", NULL, true, NULL, NULL},
};

struct scale_options {
    struct common_options common;
    const char *threads, *ranks, *where, *section;
    long repeats, epochs;
    struct text_list set;
};

struct lists {
    struct scale_list threads, ranks;
    int32_t cores;
};

/* ---- the lists ---- */

static int read_list(struct scale_list *list, const char *option, const char *text, long most,
                     const char *why, struct err *err)
{
    list->n = 0;
    for (const char *at = text;; at++) {
        char *end;
        long value = strtol(at, &end, 10);

        if (end == at || (*end && *end != ','))
            return err_set(err, "%s %s: must be a number, or several such as 1,2,4", option, text);
        if (value < 1)
            return err_set(err, "%s %s: must be at least 1", option, text);
        if (value > most)
            return err_set(err, "%s %s: must be at most %ld, %s", option, text, most, why);
        if (list->n == SCALE_MOST)
            return err_set(err, "%s: must be at most %d numbers", option, SCALE_MOST);
        list->values[list->n++] = (int32_t)value;
        at = end;
        if (!*at)
            return 0;
    }
}

static void double_up_to(struct scale_list *list, int32_t most)
{
    for (list->n = 0; list->n < SCALE_MOST && 1 << list->n <= most; list->n++)
        list->values[list->n] = 1 << list->n;
}

static int read_threads(struct lists *lists, const struct scale_options *o, struct err *err)
{
    lists->cores = host_cores();
    if (o->threads)
        return read_list(&lists->threads, "--threads", o->threads, (long)param_table[P_THREADS].max,
                         "like [resources] threads", err);
    double_up_to(&lists->threads, lists->cores);
    return 0;
}

static int read_ranks(struct lists *lists, const struct scale_options *o,
                      const struct scale_study *study, struct err *err)
{
    int32_t workers = study->workers;
    const char *why = study->has_workers
                          ? "[train] workers of this configuration: the ranks of a trial share "
                            "its workers"
                          : "because the ranks of a trial share its gradient steps, "
                            "and this type of model has none";

    if (o->ranks)
        return read_list(&lists->ranks, "--ranks", o->ranks, workers, why, err);
    double_up_to(&lists->ranks, workers < lists->cores ? workers : lists->cores);
    return 0;
}

static int32_t count_too_large(const struct lists *lists)
{
    int32_t n = 0;

    for (int32_t t = 0; t < lists->threads.n; t++)
        for (int32_t r = 0; r < lists->ranks.n; r++)
            n += (int64_t)lists->threads.values[t] * lists->ranks.values[r] > lists->cores;
    return n;
}

/* Lists by default have only numbers that fit, and their combinations need no word. */
static int check_lists(const struct lists *lists, const struct scale_options *o, struct err *err)
{
    int32_t n = count_too_large(lists), all = lists->threads.n * lists->ranks.n;

    if (n == all)
        return err_set(err,
                       "%s: threads x ranks must be at most %d, the number of cores here, in at "
                       "least one combination",
                       o->threads ? "--threads" : "--ranks", lists->cores);
    if (n && (o->threads || o->ranks))
        log_info("left out %d of %d combinations: threads x ranks is more than the %d core%s here",
                 n, all, lists->cores, plural(lists->cores));
    return 0;
}

/* ---- the answer ---- */

/* Times of a few runs warrant no more digits. Programs that read the answer get all of them. */
static void add_measured(struct rows *rows, const char *name, double value, bool is_short)
{
    rows_real(rows, name, is_short ? real_round(value, 3) : value);
}

static void put_combinations(struct answer *answer, const struct scale_study *s, int32_t cores)
{
    static const char *const names[] = {"threads",       "ranks",   "cores",
                                        "seconds",       "speedup", "efficiency",
                                        "communication", "at_once", "throughput"};
    bool is_short = answer_is_for_people(answer);
    struct rows rows;

    rows_init(&rows, names, sizeof names / sizeof *names);
    for (int32_t i = 0; i < s->n_points; i++) {
        const struct scale_point *p = &s->points[i];
        int32_t used = p->threads * p->ranks;

        rows_integer(&rows, "threads", p->threads);
        rows_integer(&rows, "ranks", p->ranks);
        rows_integer(&rows, "cores", used);
        add_measured(&rows, "seconds", p->seconds, is_short);
        add_measured(&rows, "speedup", scale_speedup(s, p), is_short);
        add_measured(&rows, "efficiency", scale_speedup(s, p) / used, is_short);
        add_measured(&rows, "communication", p->communication, is_short);
        rows_integer(&rows, "at_once", scale_at_once(p, cores));
        add_measured(&rows, "throughput", scale_throughput(s, p, cores), is_short);
    }
    answer_table(answer, &sections[COMBINATIONS], rows_table(&rows));
    rows_release(&rows);
}

static void add_recommendation(struct rows *rows, const char *purpose, const struct scale_point *p)
{
    rows_text(rows, "purpose", purpose);
    rows_integer(rows, "threads", p->threads);
    rows_integer(rows, "ranks", p->ranks);
}

static void put_recommendation(struct answer *answer, const struct scale_study *s, int32_t cores)
{
    static const char *const names[] = {"purpose", "threads", "ranks"};
    struct rows rows;

    rows_init(&rows, names, sizeof names / sizeof *names);
    add_recommendation(&rows, "one trial", scale_fastest(s));
    add_recommendation(&rows, "many trials", scale_busiest(s, cores));
    answer_table(answer, &sections[RECOMMENDATION], rows_table(&rows));
    rows_release(&rows);
}

static void put_configuration(struct answer *answer, const struct scale_study *s, int32_t cores)
{
    struct rows row = {.n_cols = 0};

    rows_integer(&row, "configuration", s->config + 1);
    rows_integer(&row, "configurations", s->n_configs);
    rows_text(&row, "axes", buf_text(&s->values));
    rows_integer(&row, "workers", s->workers);
    rows_integer(&row, "epochs", s->epochs);
    rows_integer(&row, "all_epochs", s->all_epochs);
    rows_integer(&row, "trials", s->n_trials - 1);
    rows_integer(&row, "cores", cores);
    answer_table(answer, &sections[CONFIGURATION], rows_table(&row));
    rows_release(&row);
}

static void print_head(struct answer *answer, const struct scale_study *s, int32_t cores)
{
    answer_printf(answer, "configuration %d of %d", s->config + 1, s->n_configs);
    if (s->values.size)
        answer_printf(answer, " (%s)", buf_text(&s->values));
    answer_printf(answer, "%s\n", s->n_configs > 1 ? ", the most expensive" : "");
    if (s->epochs)
        answer_printf(answer, "%lld of %lld epochs, ", (long long)s->epochs,
                      (long long)s->all_epochs);
    answer_printf(answer, "median of %d trial%s, %d core%s\n", s->n_trials - 1,
                  plural(s->n_trials - 1), cores, plural(cores));
    answer_printf(answer, "\n");
}

static void print_fastest(struct answer *answer, const struct scale_study *s)
{
    const struct scale_point *one = scale_fastest(s), *quickest = scale_quickest(s);

    answer_printf(answer, "\nOne trial is fastest with threads = %d, ranks = %d", one->threads,
                  one->ranks);
    if (quickest != one)
        answer_printf(answer,
                      " (no clear gain: threads = %d, ranks = %d is %.3g times as fast, and up to "
                      "%.3g may be chance)",
                      quickest->threads, quickest->ranks, one->seconds / quickest->seconds,
                      SCALE_ALIKE);
    answer_printf(answer, ". ");
}

static void print_advice(struct answer *answer, const struct scale_study *s, int32_t cores)
{
    const struct scale_point *many = scale_busiest(s, cores);
    int32_t at_once = scale_at_once(many, cores);

    print_fastest(answer, s);
    answer_printf(answer,
                  "A sweep of many trials finishes first with threads = %d, ranks = %d: %d trial%s "
                  "at once",
                  many->threads, many->ranks, at_once, plural(at_once));
    answer_printf(answer, many->ranks * at_once > 1 ? " (run -n %d).\n" : ".\n",
                  many->ranks * at_once);
    if (!s->has_workers)
        answer_printf(answer,
                      "A trial of type = %s has no gradient steps that ranks could share, so it "
                      "runs on one rank. To use more cores, run several trials at once.\n",
                      s->type);
    else if (s->workers == 1)
        answer_printf(answer, "A trial with workers = 1 runs on one rank. More ranks need [train] "
                              "workers = 2 or more, which changes its numbers.\n");
}

static int print(const struct scale_options *o, const struct scale_study *s, int32_t cores)
{
    struct answer answer;
    struct err err;
    bool is_whole;

    output_begin(&answer, &o->common, o->section, OUTPUT_DOCUMENT);
    is_whole = answer_is_for_people(&answer) && !o->section;
    if (is_whole)
        print_head(&answer, s, cores);
    put_combinations(&answer, s, cores);
    if (is_whole) {
        print_advice(&answer, s, cores);
    } else {
        put_recommendation(&answer, s, cores);
        put_configuration(&answer, s, cores);
    }
    return output_end(0, &answer, &err);
}

/* ---- the command ---- */

static int add_where(struct job *job, const char *where, struct errlist *faults)
{
    const char *own = job->sweep.fixed.v[P_WHERE].s;
    struct buf both = {0};
    struct err err;

    if (!where)
        return 0;
    buf_printf(&both, *own ? "(%s) AND (%s)" : "%s%s", own, where);
    job->sweep.fixed.v[P_WHERE].s =
        sweep_keep_text(&job->sweep, buf_failed(&both) ? NULL : strdup(buf_text(&both)));
    buf_release(&both);
    if (job->sweep.fixed.v[P_WHERE].s)
        return 0;
    err_nomem(&err, "--where", strlen(where));
    return errlist_add_err(faults, &err);
}

static int prepare(struct job *job, const char *grid, const struct scale_options *o,
                   struct errlist *faults)
{
    struct err err;

    if (job_parse(job, grid, &o->set, faults) || add_where(job, o->where, faults))
        return -1;
    if (!sweep_is_program(&job->sweep))
        return job_load(job, faults) || job_plan(job, faults) ? -1 : 0;
    err_set(&err,
            "%s: scale measures the models of espalier, not programs: make threads an axis, run "
            "the sweep with --set grid.threads=1,2,4, and compare the seconds in 'espalier best'",
            grid);
    return errlist_add_usage(faults, &err);
}

static int choose(struct scale_study *study, struct lists *lists, const struct job *job,
                  const struct scale_options *o)
{
    struct err err;

    if (scale_choose(study, job, (int32_t)o->repeats, o->epochs, &err))
        return cli_fail(&err);
    if (read_ranks(lists, o, study, &err) || check_lists(lists, o, &err))
        return cli_fail_usage(&err);
    if (scale_combine(study, &lists->threads, &lists->ranks, lists->cores, &err))
        return cli_fail(&err);
    return EXIT_OK;
}

static void warn_of_others(void)
{
    struct host_run *runs = calloc(HOST_RUNS_MAX, sizeof *runs);
    int32_t n = runs ? host_find_runs(runs) : 0;

    if (n)
        log_warn("another 'espalier run' uses this machine: the times may be too long");
    free(runs);
}

static void warn_of_scatter(const struct scale_study *study, int32_t cores)
{
    const struct scale_point *p = scale_unsteady(study, cores);

    if (p)
        log_warn("threads = %d, ranks = %d: trials took %.3g to %.3g s, so the recommendation is "
                 "uncertain: measure again while nothing else runs on this machine, or with more "
                 "--repeats",
                 p->threads, p->ranks, p->least, p->most);
}

static int measure(struct scale_study *study, int32_t cores, const struct scale_options *o)
{
    bool is_stopped;
    struct err err;

    stop_catch(false);
    stop_heed();
    warn_of_others();
    if (scale_measure(study, &is_stopped, &err))
        return cli_fail(&err);
    if (is_stopped) {
        log_info("stopped; nothing was kept");
        return EXIT_RESUMABLE;
    }
    warn_of_scatter(study, cores);
    return print(o, study, cores);
}

static int scale(struct call *call)
{
    const struct scale_options *o = call->options;
    struct scale_study study = {.n_points = 0};
    struct errlist faults = {0};
    struct job job = {0};
    struct lists lists;
    struct err err;
    int status;

    if (world_is_launched()) {
        err_set(&err, "scale starts the ranks that it measures itself: call it without mpirun or "
                      "srun");
        return cli_fail_usage(&err);
    }
    if (read_threads(&lists, o, &err))
        return cli_fail_usage(&err);
    status = prepare(&job, call->operands[0], o, &faults) ? cli_fail_all(&faults)
                                                          : choose(&study, &lists, &job, o);
    job_release(&job); /* the runs read the data again */
    if (status == EXIT_OK)
        status = measure(&study, lists.cores, o);
    scale_release(&study);
    return status;
}

static const struct option_row options[] = {
    {0, "threads", "N,N", OPTION_TEXT, .into = offsetof(struct scale_options, threads),
     .help = "Measure these numbers of threads.", .shown = "1, 2, 4 ... up to the cores"},
    {0, "ranks", "N,N", OPTION_TEXT, .into = offsetof(struct scale_options, ranks),
     .help = "Measure these numbers of ranks, at most workers.",
     .shown = "1, 2, 4 ... up to workers and cores"},
    {0, "repeats", "N", OPTION_INT, .into = offsetof(struct scale_options, repeats),
     .help = "Measure at least N trials of each combination, after one that does not count.",
     .default_text = "3", .min = 1, .max = 1000},
    {0, "epochs", "N", OPTION_INT, .into = offsetof(struct scale_options, epochs),
     .help = "Train N epochs.",
     .shown = "as many as one core trains in 2 s, at least 5, at most all", .min = 1,
     .max = 10000000},
    {0, "where", "SQL", OPTION_TEXT, VALUE_TEXT, offsetof(struct scale_options, where),
     .help = "Choose the configuration by a condition over the axes, as [sweep] where."},
    {0, "section", "NAME", OPTION_TEXT, .into = offsetof(struct scale_options, section),
     .help = "Print only this part of the answer.",
     .choices = "combinations|recommendation|configuration"},
    {0, "set", "[S.]K=V", OPTION_LIST, VALUE_SETTING, offsetof(struct scale_options, set),
     .help = "Override a setting of the sweep file, or with grid.K=V,V an axis. May be repeated."},
    {0},
};

static const struct example examples[] = {
    {"espalier scale grid.ini", "Measure threads and ranks in powers of two."},
    {"espalier scale grid.ini --threads 1,2,3,4,5,6,7", "Measure one to seven threads."},
    {"espalier scale grid.ini --set workers=4 --ranks 1,2,4 --threads 1",
     "Measure a trial on one to four ranks."},
    {NULL, NULL},
};

const struct command command_scale = {
    .name = "scale",
    .group = GROUP_PREPARE,
    .operands = "GRID.ini",
    .min_operands = 1,
    .max_operands = 1,
    .operand_kind = VALUE_GRID,
    .summary = "Measure a trial on several threads and ranks, and recommend both.",
    .about = "Runs one configuration, the most expensive one, with each combination of threads and "
             "ranks that fits on this machine. Each run has a temporary database, which is "
             "removed. 1 x 1 is always measured. Combinations of more threads x ranks than cores "
             "are left out.\n\n"
             "seconds is the time of a trial without reading data, speedup the time with 1 x 1 "
             "divided by it, efficiency the speedup divided by the cores. "
             "communication is the share of the ranks' time that they spend on each other. at_once "
             "is the number of "
             "such trials that fit on this machine, throughput at_once x speedup: it assumes that "
             "trials do not slow each other down.",
    .examples = examples,
    .see = "plan, run, profile",
    .options = options,
    .common = COMMON_FORMAT | COMMON_WIDE,
    .options_size = sizeof(struct scale_options),
    .multiplies = true,
    .run = scale,
};
