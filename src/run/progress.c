/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/progress.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/log.h"
#include "base/terminal.h"
#include "base/text_width.h"
#include "base/words.h"
#include "store/query/query.h"
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
    p->objective = s->v[P_OBJECTIVE].s;
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

/* ---- the line ---- */

enum { LINE_SIZE = 512, PART_SIZE = 96 };

/* False: the line would be wider than `width` (0: no limit). */
static bool add_part(char line[LINE_SIZE], int width, const char *part)
{
    const char *comma = *line && *part ? ", " : "";
    size_t used = strlen(line);

    if (width && text_width(line) + text_width(comma) + text_width(part) > width)
        return false;
    snprintf(line + used, LINE_SIZE - used, "%s%s", comma, part);
    return true;
}

static void format_count(char part[PART_SIZE], const struct ledger_counts *counts)
{
    int64_t finished = counts->done + counts->diverged + counts->failed;
    double percent = counts->total ? 100.0 * (double)finished / (double)counts->total : 100.0;

    snprintf(part, PART_SIZE, "%lld/%lld trials (%.0f %%)", (long long)finished,
             (long long)counts->total, percent);
}

static void format_left(char part[PART_SIZE], const struct master_progress *now)
{
    char words[DURATION_TEXT];

    *part = '\0';
    /* 0 s: the running trials take longer than expected */
    if (isfinite(now->left_s) && now->left_s >= 0.5)
        snprintf(part, PART_SIZE, "%s left", duration_words(words, round(now->left_s)));
}

/* A shard need not have all trials of any configuration. */
static void format_best(char part[PART_SIZE], const struct progress *p, bool is_shard)
{
    *part = '\0';
    if (p->best_id)
        snprintf(part, PART_SIZE, "best %s %.4g (c%lld)", p->objective, p->best_mean,
                 (long long)p->best_id);
    else if (!is_shard)
        snprintf(part, PART_SIZE, "no configuration is complete yet");
}

void progress_rate_like(char out[PROGRESS_RATE], double per_s, double like_per_s)
{
    bool is_s = like_per_s >= 1 || like_per_s <= 0, is_min = !is_s && like_per_s * 60 >= 1;
    double rate = is_s ? per_s : is_min ? per_s * 60 : per_s * 3600;

    snprintf(out, PROGRESS_RATE, rate >= 100 ? "%.0f/%s" : "%.3g/%s", rate,
             is_s     ? "s"
             : is_min ? "min"
                      : "h");
}

void progress_rate(char out[PROGRESS_RATE], double per_s)
{
    progress_rate_like(out, per_s, per_s);
}

static void format_line(char line[LINE_SIZE], int width, const struct progress *p,
                        const struct master_progress *now)
{
    char parts[5][PART_SIZE];
    bool fits = true;

    format_count(parts[0], &now->counts);
    format_left(parts[1], now);
    format_best(parts[2], p, now->counts.total < p->plan->n_trials);
    progress_rate(parts[3], now->elapsed_s > 0 ? (double)now->finished / now->elapsed_s : 0);
    snprintf(parts[4], PART_SIZE, "%d/%d ranks busy", now->n_busy, now->n_workers);
    *line = '\0';
    for (int i = 0; i < 5 && fits; i++)
        fits = add_part(line, width, parts[i]);
    if (!*line)
        snprintf(line, LINE_SIZE, "%.*s", (int)text_prefix(parts[0], width), parts[0]);
}

/* A rank that mpirun started writes into a pipe, but may share the terminal of mpirun. A window can
 * be resized. One column stays empty: some terminals wrap as soon as the last one is written. */
static int live_width(void)
{
    int tty = isatty(STDERR_FILENO) ? -1 : open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
    int width = terminal_width(tty < 0 ? STDERR_FILENO : tty) - 1;

    if (tty >= 0)
        close(tty);
    return width > 0 ? width : 1;
}

void progress_show(struct progress *p, const struct master_progress *now)
{
    bool is_live = p->mode == PROGRESS_LIVE;
    char line[LINE_SIZE];

    if (p->mode == PROGRESS_NONE || now->elapsed_s < p->next_s)
        return;
    p->next_s = now->elapsed_s + (is_live ? LIVE_S : PLAIN_S);
    format_line(line, is_live ? live_width() : 0, p, now);
    if (is_live)
        fprintf(stderr, "\r\033[K%s", line);
    else
        log_always("%s", line);
    p->line_open = is_live;
}

void progress_finish(struct progress *p)
{
    if (p->line_open)
        fputs("\r\033[K", stderr);
    p->line_open = false;
}

/* Beyond ten times the bound a percentage is hard to read. */
#define MUCH 9

static void put_bound(struct buf *out, const struct query_efficiency *e)
{
    char words[DURATION_TEXT];

    buf_printf(out, "the %s of ", duration_words(words, e->bound.seconds));
    if (e->bound.limit == MAKESPAN_WIDE)
        buf_printf(out, "the trials of %lld or more ranks, of which %lld ranks hold %lld at a time",
                   (long long)e->bound.width, (long long)e->ranks,
                   (long long)(e->ranks / e->bound.width));
    else if (e->bound.limit == MAKESPAN_LONGEST)
        buf_puts(out, "the longest trial");
    else
        buf_printf(out, "all trials spread evenly over %lld rank%s", (long long)e->ranks,
                   plural(e->ranks));
}

void progress_efficiency(struct buf *out, const struct query_efficiency *e)
{
    if (isnan(e->above))
        return;
    buf_printf(out, "ranks were busy %.1f %% of the time; the run took ", 100 * e->busy);
    if (100 * e->above < 0.05)
        buf_puts(out, "no longer than ");
    else if (e->above < MUCH)
        buf_printf(out, "%.*f %% longer than ", e->above < 0.1, 100 * e->above);
    else
        buf_printf(out, "%.0f times ", 1 + e->above);
    put_bound(out, e);
}
