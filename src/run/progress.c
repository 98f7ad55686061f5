/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/query.h"
#include "trial/spec.h"

#define LIVE_S 0.2
#define PLAIN_S 5.0

enum progress_mode progress_mode(const char *name)
{
    if (!strcmp(name, "none"))
        return PROGRESS_NONE;
    if (!strcmp(name, "live") || (!strcmp(name, "auto") && isatty(STDERR_FILENO)))
        return PROGRESS_LIVE;
    return PROGRESS_PLAIN;
}

int progress_init(struct progress *p, enum progress_mode mode, const struct plan *plan,
                  struct err *err)
{
    const struct settings *s = &plan->sweep->fixed;
    size_t n = (size_t)plan->n_configs;

    memset(p, 0, sizeof *p);
    p->mode = mode;
    p->plan = plan;
    p->objective = metric_name(spec_objective(s));
    p->maximize = spec_maximize(s);
    p->next_s = mode == PROGRESS_LIVE ? LIVE_S : PLAIN_S;
    p->sum = calloc(n, sizeof *p->sum);
    p->n_finished = calloc(n, sizeof *p->n_finished);
    if (!p->sum || !p->n_finished) {
        progress_release(p);
        return err_nomem(err, "progress", n * (sizeof *p->sum + sizeof *p->n_finished));
    }
    return 0;
}

void progress_release(struct progress *p)
{
    free(p->sum);
    free(p->n_finished);
    memset(p, 0, sizeof *p);
}

static bool consider(struct progress *p, int32_t n, double mean)
{
    bool is_better = p->maximize ? mean > p->best_mean : mean < p->best_mean;

    if (n < p->plan->replicates * p->plan->folds || n < p->best_n || (n == p->best_n && !is_better))
        return false;
    p->best_n = n;
    p->best_mean = mean;
    return true;
}

static void take_known(struct progress *p, int32_t config, int64_t id, int32_t n, double mean)
{
    if (config >= 0) {
        p->sum[config] = n * mean;
        p->n_finished[config] = n;
    }
    if (consider(p, n, mean))
        p->best_id = id;
}

/* A configuration of the plan by its number in the database. */
struct place {
    int64_t id;
    int32_t config;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static struct place *make_places(const struct plan *plan, const struct store_trials *known,
                                 struct err *err)
{
    struct place *places = malloc((size_t)plan->n_configs * sizeof *places);

    if (!places) {
        err_nomem(err, "scores", (size_t)plan->n_configs * sizeof *places);
        return NULL;
    }
    for (int32_t c = 0; c < plan->n_configs; c++)
        places[c] = (struct place){known->config_ids[c], c};
    qsort(places, (size_t)plan->n_configs, sizeof *places, compare_places);
    return places;
}

static void take_scores(struct progress *progress, const struct place *places,
                        const struct result_table *scores)
{
    for (int64_t row = 0; row < scores->n_rows; row++) {
        struct place wanted = {.id = result_table_integer(scores, row, "config")};
        const struct place *found = bsearch(&wanted, places, (size_t)progress->plan->n_configs,
                                            sizeof *places, compare_places);

        take_known(progress, found ? found->config : -1, wanted.id,
                   (int32_t)result_table_integer(scores, row, "trials"),
                   result_table_real(scores, row, "mean"));
    }
}

int progress_read(struct progress *progress, struct store *store, const struct store_trials *known,
                  struct err *err)
{
    const struct plan *plan = progress->plan;
    struct query_sweep sweep;
    struct place *places;
    struct result_table scores;

    if (query_sweep(&sweep, store, plan->sweep->fixed.v[P_SWEEP_NAME].s, err) ||
        query_table(&scores, store, QUERY_SCORES, sweep.sweep_id, err))
        return -1;
    places = make_places(plan, known, err);
    if (places)
        take_scores(progress, places, &scores);
    result_table_release(&scores);
    if (!places)
        return -1;
    free(places);
    return 0;
}

bool progress_trial(struct progress *p, int64_t trial, double value)
{
    int32_t c = plan_trial(p->plan, trial).config;

    if (isnan(value))
        return false;
    p->sum[c] += value;
    p->n_finished[c]++;
    return consider(p, p->n_finished[c], p->sum[c] / p->n_finished[c]);
}

void progress_duration(char *out, size_t size, double seconds)
{
    long s = lround(seconds);

    if (s >= 3600)
        snprintf(out, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(out, size, "%ld:%02ld", s / 60, s % 60);
}

static void format_line(char *out, size_t size, const struct progress *p,
                        const struct master_progress *now)
{
    int64_t finished = now->counts.done + now->counts.diverged + now->counts.failed;
    int64_t total = now->counts.total;
    /* Of a shard, which need not have all trials of any configuration, nothing is said. */
    bool is_part = total < p->plan->n_trials;
    char left[32], best[96] = "no complete configuration yet, ";

    progress_duration(left, sizeof left, now->left_s);
    if (is_part)
        *best = '\0';
    if (p->best_id)
        snprintf(best, sizeof best, "best val_%s %.4g (c%lld), ", p->objective, p->best_mean,
                 (long long)p->best_id);
    snprintf(out, size, "%lld/%lld trials (%.0f %%), %.3g/s, %s%d/%d ranks busy, %s left",
             (long long)finished, (long long)total,
             total ? 100.0 * (double)finished / (double)total : 100.0,
             now->elapsed_s > 0 ? (double)now->finished / now->elapsed_s : 0, best, now->n_busy,
             now->n_workers, left);
}

void progress_show(struct progress *p, const struct master_progress *now)
{
    char line[256];

    if (p->mode == PROGRESS_NONE || now->elapsed_s < p->next_s)
        return;
    p->next_s = now->elapsed_s + (p->mode == PROGRESS_LIVE ? LIVE_S : PLAIN_S);
    format_line(line, sizeof line, p, now);
    if (p->mode == PROGRESS_LIVE)
        fprintf(stderr, "\r\033[K%s", line);
    else
        fprintf(stderr, "espalier: %s\n", line);
    p->line_open = p->mode == PROGRESS_LIVE;
}

void progress_finish(struct progress *p)
{
    if (p->line_open)
        fputs("\r\033[K", stderr);
    p->line_open = false;
}

#define MUCH 9 /* beyond ten times the bound nobody thinks in percent (trials that do nothing) */

void progress_efficiency(struct buf *out, const struct result_table *table)
{
    double busy = (double)NAN, above = (double)NAN;
    char bound[64] = "the longest trial";
    long long ranks;

    if (table->n_rows) {
        busy = result_table_real(table, 0, "busy");
        above = result_table_real(table, 0, "above");
    }
    if (isnan(busy) || isnan(above))
        return;
    ranks = result_table_integer(table, 0, "ranks");
    if (result_table_real(table, 0, "total_s") / (double)ranks >=
        result_table_real(table, 0, "longest_s"))
        snprintf(bound, sizeof bound, "total / %lld rank%s", ranks, ranks == 1 ? "" : "s");
    buf_printf(out, "ranks were busy %.1f %% of the time; ", 100 * busy);
    if (above < MUCH)
        buf_printf(out, "%.*f %% above", above < 0.1, 100 * above);
    else
        buf_printf(out, "%.0f times", 1 + above);
    buf_printf(out, " the lower bound of %.3g s (%s)", result_table_real(table, 0, "bound_s"),
               bound);
}
