#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
                  const struct gcn_cost *work, struct err *err)
{
    const struct settings *s = &plan->sweep->fixed;
    size_t n = (size_t)plan->n_configs;

    memset(p, 0, sizeof *p);
    p->mode = mode;
    p->plan = plan;
    p->work = work;
    p->objective = metric_name(spec_objective(s));
    p->maximize = spec_maximize(s);
    p->best_config = -1;
    p->next_s = mode == PROGRESS_LIVE ? LIVE_S : PLAIN_S;
    p->sum = calloc(n, sizeof *p->sum);
    p->n_finished = calloc(n, sizeof *p->n_finished);
    if (!p->sum || !p->n_finished) {
        progress_release(p);
        return err_nomem(err, "progress", n * (sizeof *p->sum + sizeof *p->n_finished));
    }
    for (size_t c = 0; c < n; c++)
        p->flops_left += work[c].flops * plan->replicates * plan->folds;
    return 0;
}

void progress_release(struct progress *p)
{
    free(p->sum);
    free(p->n_finished);
    memset(p, 0, sizeof *p);
}

/* Trials come in the order of their cost, and small ones take more time for a flop than large ones:
 * those that finished last tell most about those that come. */
static void learn_speed(struct progress *p, double flops, double seconds)
{
    const double weight = 0.05;

    if (seconds <= 0 || flops <= 0)
        return;
    if (p->seconds_per_flop <= 0)
        p->seconds_per_flop = seconds / flops;
    p->seconds_per_flop += weight * (seconds / flops - p->seconds_per_flop);
}

bool progress_trial(struct progress *p, int64_t trial, double value, double seconds)
{
    int32_t c = plan_trial(p->plan, trial).config;
    double mean;

    p->flops_left -= p->work[c].flops;
    learn_speed(p, p->work[c].flops, seconds);
    if (isnan(value))
        return false;
    p->sum[c] += value;
    if (++p->n_finished[c] < p->plan->replicates * p->plan->folds)
        return false;
    mean = p->sum[c] / p->n_finished[c];
    if (p->best_config >= 0 && (p->maximize ? mean <= p->best_mean : mean >= p->best_mean))
        return false;
    p->best_config = c;
    p->best_mean = mean;
    return true;
}

void progress_duration(char *out, size_t size, double seconds)
{
    long s = lround(seconds);

    if (s >= 3600)
        snprintf(out, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(out, size, "%ld:%02ld", s / 60, s % 60);
}

static void format_left(char *out, size_t size, const struct progress *p,
                        const struct master_progress *now)
{
    int64_t open = now->counts.pending + now->counts.leased;
    double left;

    if (p->seconds_per_flop > 0)
        left = p->flops_left * p->seconds_per_flop / now->n_workers;
    else if (now->finished > 0)
        left = now->elapsed_s * (double)open / (double)now->finished;
    else {
        snprintf(out, size, "?");
        return;
    }
    progress_duration(out, size, fmax(left, 0));
}

static void format_line(char *out, size_t size, const struct progress *p,
                        const struct master_progress *now)
{
    int64_t finished = now->counts.done + now->counts.diverged + now->counts.failed;
    char left[32], best[96] = "no complete configuration yet";

    format_left(left, sizeof left, p, now);
    if (p->best_config >= 0)
        snprintf(best, sizeof best, "best val_%s %.4g (c%lld)", p->objective, p->best_mean,
                 (long long)p->best_id);
    snprintf(out, size, "%lld/%lld trials (%.0f %%), %.3g/s, %s, %d/%d ranks busy, %s left",
             (long long)finished, (long long)now->counts.total,
             100.0 * (double)finished / (double)now->counts.total,
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
