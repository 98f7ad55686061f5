/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/progress_line.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/terminal.h"
#include "base/text_width.h"
#include "store/query/progress.h"

#define LIVE_S 0.2
#define PLAIN_S 5.0
/* Looking for the best takes at most a thousandth of a processor. */
#define BEST_SHARE 1000.0

enum progress_mode progress_mode(const char *name)
{
    if (!strcmp(name, "none"))
        return PROGRESS_NONE;
    if (!strcmp(name, "live") || (!strcmp(name, "auto") && isatty(STDERR_FILENO)))
        return PROGRESS_LIVE;
    return PROGRESS_PLAIN;
}

/* After a failure the line has the best of before; a commit will report the cause. */
static void find_best(struct progress_line *p, struct store *store, double now_s)
{
    double cost_s = -clock_now(&clock_thread);
    struct result_table table;
    struct err err;

    if (now_s < p->best_s)
        return;
    if (!query_table(&table, store, QUERY_BEST, p->sweep.sweep_id, &err)) {
        if (table.n_rows && result_table_integer(&table, 0, "trials") >= p->full) {
            p->best_id = result_table_integer(&table, 0, "config");
            p->best_mean = result_table_real(&table, 0, "mean");
        }
        result_table_release(&table);
    }
    search_progress_release(&p->search);
    if (!search_progress_read(&p->search, store, &p->sweep, &err))
        p->search_s = now_s;
    p->best_s = now_s + BEST_SHARE * (cost_s + clock_now(&clock_thread));
}

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

/* "rung 2 of 3, 40/45 trials". A step begins while its trials are not recorded. */
static void format_search(char part[PART_SIZE], const struct search_progress *search,
                          const struct master_progress *now)
{
    const int64_t left = now->counts.pending + now->counts.leased, all = search->released;
    struct buf stage = {0};

    search_progress_put_stage(&stage, search);
    snprintf(part, PART_SIZE, "%s, %lld/%lld trials", buf_text(&stage),
             (long long)(all > left ? all - left : 0), (long long)all);
    buf_release(&stage);
}

/* Until the search is over; the scheduler knows only its present step. */
static double left_s(const struct progress_line *p, const struct master_progress *now)
{
    const double search_s = p->search.left_core_s / now->n_workers - (now->elapsed_s - p->search_s);

    return p->search.is_there ? fmax(search_s, now->left_s) : now->left_s;
}

static void format_line(char line[LINE_SIZE], int width, const struct progress_line *p,
                        const struct master_progress *now)
{
    int64_t finished = now->counts.done + now->counts.diverged + now->counts.failed;
    double rate = now->elapsed_s > 0 ? (double)now->finished / now->elapsed_s : 0;
    char parts[5][PART_SIZE] = {{'\0'}};
    bool fits = true;

    if (p->search.is_there)
        format_search(parts[0], &p->search, now);
    else
        snprintf(parts[0], PART_SIZE, "%lld/%lld trials (%d %%)", (long long)finished,
                 (long long)now->counts.total, progress_percent(finished, now->counts.total));
    progress_left_words(parts[1], left_s(p, now));
    if (p->best_id)
        snprintf(parts[2], PART_SIZE, "best %s %.4g (c%lld)", p->sweep.objective, p->best_mean,
                 (long long)p->best_id);
    else if (!p->is_shard)
        snprintf(parts[2], PART_SIZE, "no configuration is complete yet");
    progress_rate(parts[3], rate, rate);
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

void progress_line_show(struct progress_line *p, struct store *store,
                        const struct master_progress *now)
{
    bool is_live = p->mode == PROGRESS_LIVE;
    char line[LINE_SIZE];

    if (!p->next_s)
        p->next_s = is_live ? LIVE_S : PLAIN_S;
    if (p->mode == PROGRESS_NONE || now->elapsed_s < p->next_s)
        return;
    p->next_s = now->elapsed_s + (is_live ? LIVE_S : PLAIN_S);
    find_best(p, store, now->elapsed_s);
    format_line(line, is_live ? live_width() : 0, p, now);
    if (is_live)
        fprintf(stderr, "\r\033[K%s", line);
    else
        log_always("%s", line);
    p->is_open = is_live;
}

void progress_line_finish(struct progress_line *p)
{
    if (p->is_open)
        fputs("\r\033[K", stderr);
    p->is_open = false;
}

void progress_line_release(struct progress_line *p)
{
    search_progress_release(&p->search);
}
