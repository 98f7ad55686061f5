/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/watch.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/text_width.h"
#include "base/words.h"
#include "report/report.h"

/* The leaderboard takes at most a thirtieth of a processor. */
#define TOP_SHARE 30.0

enum { TOP_ROWS = 5 };

/* ---- lines ---- */

enum section {
    TITLE,
    PROGRESS,
    COUNTS,
    SEARCH,
    TIMES,
    SPARK,
    TOP,
    RANKS,
    RUNNING,
    FAILURES,
    NOTE,
    N_SECTIONS
};

struct view {
    struct buf *out;
    int left;  /* columns of the current line; at first all */
    int lines; /* ended so far */
    const struct watch_facts *facts;
    const struct progress_counts *counts;
    const struct progress_session *session;
    const struct watch_style *style;
    struct result_table top;     /* borrowed: rows with a mean, which come first */
    int32_t granted[N_SECTIONS]; /* lines */
    bool has_gap[N_SECTIONS];    /* an empty line above */
};

/* Append text to the line, harmless to terminals, cut where the line ends. style: an SGR sequence,
 * or "". */
static void put(struct view *v, const char *style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void put(struct view *v, const char *style, const char *format, ...)
{
    const char *mark = v->style->is_utf8 ? "\xe2\x80\xa6" : "...";
    bool is_cut;
    va_list args;
    char *text;
    int n;

    va_start(args, format);
    n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0) {
        v->out->failed = true;
        return;
    }
    escape_terminal(text, false);
    is_cut = text_width(text) > v->left;
    if (is_cut && v->left > text_width(mark))
        v->left -= text_width(mark);
    else
        mark = "";
    if (!is_cut || v->left > 0) {
        buf_puts(v->out, style);
        buf_add(v->out, text, text_prefix(text, v->left));
        buf_puts(v->out, *style ? v->style->plain : "");
        buf_puts(v->out, mark);
    }
    v->left = is_cut ? 0 : v->left - text_width(text);
    free(text);
}

/* Append ", part", or "part" at the start of a line, if it fits whole and is not empty. */
static void put_part(struct view *v, const char *style, const char *part)
{
    const char *gap = v->left < v->style->columns ? ", " : "";

    if (*part && text_width(gap) + text_width(part) <= v->left) {
        put(v, "", "%s", gap);
        put(v, style, "%s", part);
    }
}

static void end_line(struct view *v)
{
    buf_putc(v->out, '\n');
    v->left = v->style->columns;
    v->lines++;
}

/* ---- the facts ---- */

/* before: its table is recent if nothing has changed, or if the last time took long and the sweep
 * goes on. */
static int find_top(struct watch_facts *facts, struct store *store, struct watch_facts *before,
                    struct err *err)
{
    const struct query_filter filter = {.limit = TOP_ROWS, .is_brief = true};
    const struct progress *p = &facts->progress;
    double now_s = clock_now(&clock_system);

    if (before && before->progress.sweep.sweep_id == p->sweep.sweep_id &&
        (before->top_done == p->counts.done ||
         (p->session.is_running && now_s < before->top_s + TOP_SHARE * before->top_cost_s))) {
        facts->top = before->top;
        before->top = (struct result_table){0};
        facts->top_done = before->top_done;
        facts->top_s = before->top_s;
        facts->top_cost_s = before->top_cost_s;
        return 0;
    }
    facts->top_cost_s = -clock_now(&clock_thread);
    if (query_leaderboard(&facts->top, NULL, store, &p->sweep, &filter, err))
        return -1;
    facts->top_cost_s += clock_now(&clock_thread);
    facts->top_done = p->counts.done;
    facts->top_s = now_s;
    return 0;
}

int watch_read(struct watch_facts *facts, struct store *store, const char *name,
               struct watch_facts *before, struct err *err)
{
    struct progress *p = &facts->progress;
    int rc;

    *facts = (struct watch_facts){.limit_s = (double)NAN};
    if (store_begin_look(store, err))
        return -1;
    rc = progress_read(p, store, name, err);
    if (!rc && p->session.is_running)
        rc = query_table(&facts->running, store, QUERY_RUNNING, 0, err);
    if (!rc && (p->counts.failed || p->counts.diverged))
        rc = query_table(&facts->reasons, store, QUERY_REASONS, p->sweep.sweep_id, err);
    if (!rc)
        rc = find_top(facts, store, before, err);
    store_end_look(store);
    return rc;
}

void watch_release(struct watch_facts *facts)
{
    progress_release(&facts->progress);
    result_table_release(&facts->top);
    result_table_release(&facts->running);
    result_table_release(&facts->reasons);
}

/* ---- the sweep ---- */

static int64_t finished_of(const struct progress_counts *c)
{
    return c->done + c->diverged + c->failed + c->stopped;
}

enum { STATE_TEXT = 256 };

static const char *state_of(char out[STATE_TEXT], const struct progress *p)
{
    const struct progress_session *s = &p->session;
    char words[DURATION_TEXT];

    if (!s->id)
        snprintf(out, STATE_TEXT, p->is_last ? "no run in this file" : "another sweep ran later");
    else if (s->is_running)
        snprintf(out, STATE_TEXT, "running for %s", duration_words(words, floor(s->seconds)));
    else
        snprintf(out, STATE_TEXT, "%s%s%s%s", s->outcome, *s->why ? " (" : "", s->why,
                 *s->why ? ")" : "");
    return out;
}

static void draw_title(struct view *v)
{
    const struct progress_session *s = v->session;
    bool is_bad = s->id && !s->is_running && strcmp(s->outcome, "finished") != 0;
    char state[STATE_TEXT];
    int room;

    state_of(state, &v->facts->progress);
    room = v->left - text_width(state) - 2;
    if (room > 0) {
        int whole = v->left;

        v->left = room;
        put(v, v->style->bold, "%s", v->facts->progress.sweep.name);
        v->left += whole - room;
        put(v, "", "  ");
    }
    put(v, is_bad ? v->style->warning : "", "%s", state);
    end_line(v);
}

/* ---- the bar ---- */

enum { DONE, BAD, STOPPED, UNDER_WAY, PENDING, N_PARTS };

static const char *mark_of(const struct view *v, int part)
{
    static const char *const marks[][N_PARTS] = {
        {"#", "x", "-", ">", "."},
        {"\xe2\x96\x88", "x", "-", ">", "\xc2\xb7"},
    };

    return marks[v->style->is_utf8][part];
}

/* Each part that is not empty has at least one column; the widest gives and takes the rest. */
static void divide(int widths[N_PARTS], const int64_t counts[N_PARTS], int64_t total, int width)
{
    int widest = 0, sum = 0;

    for (int i = 0; i < N_PARTS; i++) {
        double share = total > 0 ? (double)counts[i] / (double)total : 0;

        widths[i] = (int)(share * width);
        if (counts[i] > 0 && widths[i] == 0)
            widths[i] = 1;
        if (widths[i] > widths[widest])
            widest = i;
        sum += widths[i];
    }
    widths[widest] += width - sum;
}

static void draw_progress(struct view *v)
{
    const struct progress_counts *c = v->counts;
    const int64_t counts[N_PARTS] = {c->done, c->diverged + c->failed, c->stopped, c->running,
                                     c->pending + c->held};
    int widths[N_PARTS], width;
    char text[64];

    snprintf(text, sizeof text, " %d %%  %lld/%lld trials",
             progress_percent(finished_of(c), c->trials), (long long)finished_of(c),
             (long long)c->trials);
    width = v->left - text_width(text) - 2;
    if (width >= 2 * N_PARTS) {
        divide(widths, counts, c->trials, width);
        put(v, "", "[");
        for (int i = 0; i < N_PARTS; i++)
            for (int n = 0; n < widths[i]; n++)
                put(v, i == BAD ? v->style->error : "", "%s", mark_of(v, i));
        put(v, "", "]");
    }
    put(v, "", "%s", width >= 2 * N_PARTS ? text : text + 1);
    end_line(v);
}

enum { MISSING_TEXT = 80 };

/* "" unless other shards have trials. */
static const char *missing_of(char out[MISSING_TEXT], const struct progress_counts *c)
{
    *out = '\0';
    if (c->planned > c->trials)
        snprintf(out, MISSING_TEXT, "%lld of the grid's %lld trials not in this file",
                 (long long)(c->planned - c->trials), (long long)c->planned);
    return out;
}

static void draw_counts(struct view *v)
{
    const struct progress_counts *c = v->counts;
    char missing[MISSING_TEXT];
    const struct {
        const char *name;
        int64_t n;
        int mark;
    } counts[] = {{"done", c->done, DONE},          {"failed", c->failed, BAD},
                  {"diverged", c->diverged, BAD},   {"running", c->running, UNDER_WAY},
                  {"pending", c->pending, PENDING}, {"held", c->held, PENDING},
                  {"stopped", c->stopped, STOPPED}};

    missing_of(missing, c);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        bool is_bad = counts[i].mark == BAD && counts[i].n;
        char part[64];

        /* little room: only what is not zero */
        if (!counts[i].n && (v->style->columns < 70 || *missing || i >= 5))
            continue;
        snprintf(part, sizeof part, "%s %lld %s", mark_of(v, counts[i].mark),
                 (long long)counts[i].n, counts[i].name);
        put_part(v, is_bad ? v->style->error : "", part);
    }
    put_part(v, v->style->warning, missing);
    end_line(v);
}

static void draw_search(struct view *v)
{
    struct buf text = {0};

    search_progress_put(&text, &v->facts->progress.search);
    put(v, "", "search: %s", buf_text(&text));
    v->out->failed |= buf_failed(&text);
    buf_release(&text);
    end_line(v);
}

/* ---- time ---- */

enum { TIME_TEXT = 96 };

static const char *limit_of(char out[TIME_TEXT], const struct watch_facts *f)
{
    char words[DURATION_TEXT];

    *out = '\0';
    if (!f->progress.session.is_running || isnan(f->limit_s))
        return out;
    if (f->limit_s <= 0)
        snprintf(out, TIME_TEXT, "the time limit is over");
    else
        snprintf(out, TIME_TEXT, "time limit in %s%s",
                 duration_words(words, fmax(round(f->limit_s), 1)),
                 f->progress.left_s > f->limit_s ? ": too short for all trials" : "");
    return out;
}

static void draw_times(struct view *v)
{
    const struct progress_session *s = v->session;
    char ran[TIME_TEXT], rate[PROGRESS_RATE], left[PROGRESS_LEFT], limit[TIME_TEXT];
    char words[DURATION_TEXT];
    double left_s = v->facts->progress.left_s;

    progress_rate(rate, s->rate, s->rate);
    if (s->is_running) {
        put_part(v, "", progress_left_words(left, left_s));
        put_part(v, left_s > v->facts->limit_s ? v->style->warning : "", limit_of(limit, v->facts));
        put_part(v, "", rate);
    } else {
        snprintf(ran, sizeof ran, "%lld trial%s in %s", (long long)s->results, plural(s->results),
                 duration_words(words, s->seconds));
        put_part(v, "", ran);
        put_part(v, "", rate);
        if (v->counts->pending + v->counts->held && s->life != SESSION_LIFE_ELSEWHERE)
            put_part(v, "", "the same command continues");
    }
    end_line(v);
}

/* ---- throughput ---- */

static void draw_spark(struct view *v)
{
    static const char ascii[] = " .:-=+*#@";
    static const char title[] = "throughput ";
    const struct progress_session *s = v->session;
    double means[PROGRESS_BINS], most = 0;
    char peak[PROGRESS_RATE];
    int n = v->left - (int)strlen(title) - 20;

    n = (int)fmax(fmin(fmin(n, PROGRESS_BINS), s->seconds), 1);
    for (int c = 0; c < n; c++) {
        int from = c * PROGRESS_BINS / n, to = (c + 1) * PROGRESS_BINS / n;
        int64_t sum = 0;

        for (int b = from; b < to; b++)
            sum += s->bins[b];
        means[c] = (double)sum / (to - from);
        most = fmax(most, means[c]);
    }
    put(v, "", "%s", title);
    for (int c = 0; c < n; c++) {
        int level = most > 0 ? (int)ceil(8 * means[c] / most) : 0;

        if (!v->style->is_utf8 || !level)
            put(v, "", "%c", ascii[level]);
        else
            put(v, "", "\xe2\x96%c", 0x80 + level);
    }
    put(v, "", " up to %s", progress_rate(peak, most * PROGRESS_BINS / s->seconds, s->rate));
    end_line(v);
}

/* ---- tables ---- */

/* Lines of a table with its heading; 0 for one without rows. */
static int32_t lines_of(const struct result_table *table)
{
    return table->n_rows ? (int32_t)fmin((double)table->n_rows + 2, INT32_MAX / 2) : 0;
}

/* Each line is cut where the view ends: the layout keeps some columns in any width. keep, drop:
 * layout_fit(). */
static void draw_table(struct view *v, enum section section, const struct result_table *table,
                       const char *keep, const char *drop)
{
    int32_t lines = v->granted[section];
    bool is_whole = lines >= lines_of(table);
    int64_t n = is_whole ? table->n_rows : lines - 3 > 1 ? lines - 3 : 1;
    const char *style = v->style->bold;
    struct report report;
    struct buf text = {0};

    end_line(v);
    if (lines < 3)
        return;
    report_begin(&report, &text, table->names, table->n_cols, REPORT_TABLE);
    report.width = v->style->columns;
    report.keep = keep;
    report.drop = drop;
    for (int64_t r = 0; r < n; r++)
        report_row(&report, &table->cells[r * table->n_cols]);
    report_end(&report);
    v->out->failed |= buf_failed(&text);
    for (const char *at = buf_text(&text); *at; at += strcspn(at, "\n") + 1) {
        put(v, style, "%.*s", (int)strcspn(at, "\n"), at);
        end_line(v);
        style = "";
    }
    if (!is_whole && lines > 3) {
        put(v, "", "... and %lld more", (long long)(table->n_rows - n));
        end_line(v);
    }
    buf_release(&text);
}

static void draw_top(struct view *v)
{
    put(v, v->style->bold, "best configurations by %s", v->facts->progress.sweep.objective);
    draw_table(v, TOP, &v->top, "place config mean",
               "sd val_r2 seconds se within_se trials = * diff+diff_low+diff_high");
}

static void draw_running(struct view *v)
{
    put(v, v->style->bold, "running trials, longest first");
    draw_table(v, RUNNING, &v->facts->running, "trial seconds", "since_utc host");
}

static void draw_failures(struct view *v)
{
    put(v, v->style->bold, "trials that failed or diverged");
    draw_table(v, FAILURES, &v->facts->reasons, "state trials reason", "sweep example");
}

/* ---- ranks ---- */

struct rank_counts {
    int32_t busy, idle, lost;
};

static struct rank_counts count_ranks(const struct progress_session *s)
{
    struct rank_counts n = {0};

    for (int32_t r = 0; r < s->n_ranks; r++) {
        enum progress_work work = s->ranks[r].work;

        n.busy += work == PROGRESS_RUNS;
        n.idle += work == PROGRESS_IDLE;
        n.lost += work == PROGRESS_LOST;
    }
    return n;
}

/* Name the idle ranks, or the lost ones with the trials that they lost: " (2, 7)". */
static void put_ranks(struct view *v, bool are_lost)
{
    const struct progress_session *s = v->session;
    const char *gap = " (";

    for (int32_t r = 0; r < s->n_ranks && v->left > 0; r++) {
        enum progress_work work = s->ranks[r].work;

        if (work == PROGRESS_RUNS || (work == PROGRESS_LOST) != are_lost)
            continue;
        put(v, "", "%s%d", gap, r);
        if (are_lost)
            put(v, "", ": t%lld on %s", (long long)s->ranks[r].trial, s->ranks[r].host);
        gap = ", ";
    }
    put(v, "", "%s", *gap == ',' ? ")" : "");
}

/* "ranks: 3 busy, 1 LOST (2: t5 on node7), 1 idle (5)". */
static void draw_ranks(struct view *v)
{
    const struct progress_session *s = v->session;
    struct rank_counts n = count_ranks(s);

    put(v, v->style->bold, "ranks");
    put(v, "", s->is_running ? ": %d busy" : ": %d", s->is_running ? n.busy : s->n_ranks);
    if (n.lost) {
        put(v, "", ", ");
        put(v, v->style->error, "%d LOST", n.lost);
        put_ranks(v, true);
    }
    if (s->is_running) {
        put(v, "", ", %d idle", n.idle);
        put_ranks(v, false);
    }
    end_line(v);
}

static void draw_note(struct view *v)
{
    put(v, v->style->bold, "%s", v->style->note);
    end_line(v);
}

/* ---- which lines ---- */

/* Hand out the rows: each step gives a section up to so many lines, if it wants them. */
static void grant(struct view *v)
{
    bool is_known = *v->facts->progress.sweep.name; /* of the sweep: something */
    const int32_t wanted[N_SECTIONS] = {
        [TITLE] = is_known,
        [PROGRESS] = is_known,
        [COUNTS] = is_known,
        [SEARCH] = is_known && v->facts->progress.search.is_there,
        [TIMES] = v->session->id != 0,
        [SPARK] = v->session->results > 0 && v->session->seconds > 0,
        [TOP] = lines_of(&v->top),
        [RANKS] = v->session->id != 0,
        [RUNNING] = lines_of(&v->facts->running),
        [FAILURES] = lines_of(&v->facts->reasons),
        [NOTE] = v->style->note != NULL,
    };
    enum { ALL = INT32_MAX, GAP = -1 };
    static const struct {
        enum section section;
        int32_t up_to;
    } steps[] = {
        {TITLE, 1},     {PROGRESS, 1},   {SEARCH, 1},    {TIMES, 1},      {COUNTS, 1},
        {NOTE, 1},      {RANKS, 1},      {TOP, 3},       {FAILURES, 3},   {SPARK, 1},
        {TOP, ALL},     {RUNNING, 6},    {FAILURES, 6},  {TOP, GAP},      {RANKS, GAP},
        {RUNNING, GAP}, {FAILURES, GAP}, {RUNNING, ALL}, {FAILURES, ALL},
    };
    int64_t left = v->style->rows > 0 ? v->style->rows : INT32_MAX;

    for (size_t i = 0; i < sizeof steps / sizeof *steps && left > 0; i++) {
        enum section s = steps[i].section;
        int32_t n = wanted[s] < steps[i].up_to ? wanted[s] : steps[i].up_to;

        if (steps[i].up_to == GAP) {
            v->has_gap[s] = v->granted[s] > 0;
            left -= v->has_gap[s];
        } else if (n > v->granted[s] && n - v->granted[s] <= left) {
            left -= n - v->granted[s];
            v->granted[s] = n;
        } else if (n > v->granted[s] && v->granted[s]) {
            v->granted[s] += (int32_t)left;
            left = 0;
        }
    }
}

void watch_frame(struct buf *out, const struct watch_facts *facts, const struct watch_style *style)
{
    static void (*const draw[N_SECTIONS])(struct view *) = {
        [TITLE] = draw_title,       [PROGRESS] = draw_progress, [COUNTS] = draw_counts,
        [SEARCH] = draw_search,     [TIMES] = draw_times,       [SPARK] = draw_spark,
        [TOP] = draw_top,           [RANKS] = draw_ranks,       [RUNNING] = draw_running,
        [FAILURES] = draw_failures, [NOTE] = draw_note,
    };
    struct view v = {
        .out = out,
        .left = style->columns,
        .facts = facts,
        .counts = &facts->progress.counts,
        .session = &facts->progress.session,
        .style = style,
        .top = facts->top,
    };

    while (v.top.n_rows && isnan(result_table_real(&v.top, v.top.n_rows - 1, "mean")))
        v.top.n_rows--;
    grant(&v);
    for (int s = 0; s < N_SECTIONS; s++) {
        while (s == NOTE && style->note && v.lines + 1 < style->rows)
            end_line(&v); /* the note stands at the bottom */
        if (v.has_gap[s])
            end_line(&v);
        if (v.granted[s])
            draw[s](&v);
    }
}

/* ---- one line ---- */

void watch_line(struct buf *out, const struct watch_facts *f)
{
    const struct progress_counts *c = &f->progress.counts;
    const struct progress_session *s = &f->progress.session;
    char state[STATE_TEXT], left[PROGRESS_LEFT], limit[TIME_TEXT], rate[PROGRESS_RATE];
    char missing[MISSING_TEXT];
    struct rank_counts ranks = count_ranks(s);
    size_t from = out->size;
    const char *const parts[] = {missing_of(missing, c), progress_rate(rate, s->rate, s->rate),
                                 progress_left_words(left, f->progress.left_s), limit_of(limit, f)};

    buf_printf(out, "%s: %s, %lld/%lld trials (%d %%)", f->progress.sweep.name,
               state_of(state, &f->progress), (long long)finished_of(c), (long long)c->trials,
               progress_percent(finished_of(c), c->trials));
    if (f->progress.search.is_there) {
        buf_puts(out, ", ");
        search_progress_put(out, &f->progress.search);
    }
    if (c->failed || c->diverged)
        buf_printf(out, ", %lld failed, %lld diverged", (long long)c->failed,
                   (long long)c->diverged);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        buf_printf(out, "%s%s", *parts[i] ? ", " : "", parts[i]);
    if (f->top.n_rows && !isnan(result_table_real(&f->top, 0, "mean")))
        buf_printf(out, ", best %s %.4g (c%lld)", f->progress.sweep.objective,
                   result_table_real(&f->top, 0, "mean"),
                   (long long)result_table_integer(&f->top, 0, "config"));
    if (s->is_running)
        buf_printf(out, ", %d/%d ranks busy", ranks.busy, s->n_ranks);
    if (ranks.lost)
        buf_printf(out, ", %d LOST", ranks.lost);
    if (!buf_failed(out))
        out->size = from + escape_terminal(out->data + from, false);
    buf_putc(out, '\n');
}
