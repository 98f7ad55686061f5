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

/* Writes lines of a given width, in styles, harmless to terminals. */
struct pen {
    struct buf *out;
    int columns;       /* no line is wider */
    int left;          /* columns of the current line; at first `columns` */
    int lines;         /* ended so far */
    bool is_utf8;      /* the mark of a cut is an ellipsis; else three dots */
    const char *plain; /* the SGR sequence that ends a style */
};

static void put_styled(struct pen *pen, const char *style, const char *text, size_t n)
{
    buf_puts(pen->out, style);
    buf_add(pen->out, text, n);
    if (*style)
        buf_puts(pen->out, pen->plain);
}

static void put_cut(struct pen *pen, const char *style, const char *text)
{
    const char *mark = pen->is_utf8 ? "\xe2\x80\xa6" : "...";
    int kept = pen->left - text_width(mark);

    if (kept > 0) {
        put_styled(pen, style, text, text_prefix(text, kept));
        buf_puts(pen->out, mark);
    } else if (pen->left > 0) {
        put_styled(pen, style, text, text_prefix(text, pen->left));
    }
    pen->left = 0;
}

/* Append text to the line, cut where the line ends. style: an SGR sequence, or "". */
static void pen_put(struct pen *pen, const char *style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void pen_put(struct pen *pen, const char *style, const char *format, ...)
{
    va_list args;
    char *text;
    int n;

    va_start(args, format);
    n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0) {
        pen->out->failed = true;
        return;
    }
    escape_terminal(text, false);
    if (text_width(text) <= pen->left) {
        put_styled(pen, style, text, strlen(text));
        pen->left -= text_width(text);
    } else {
        put_cut(pen, style, text);
    }
    free(text);
}

/* Append ", part", or "part" at the start of a line, if it fits whole and is not empty. */
static void pen_put_part(struct pen *pen, const char *style, const char *part)
{
    const char *gap = pen->left < pen->columns ? ", " : "";

    if (*part && text_width(gap) + text_width(part) <= pen->left) {
        pen_put(pen, "", "%s", gap);
        pen_put(pen, style, "%s", part);
    }
}

static void pen_end_line(struct pen *pen)
{
    buf_putc(pen->out, '\n');
    pen->left = pen->columns;
    pen->lines++;
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

enum section {
    TITLE,
    PROGRESS,
    COUNTS,
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
    struct pen pen;
    const struct watch_facts *facts;
    const struct progress_counts *counts;
    const struct progress_session *session;
    const struct watch_style *style;
    struct result_table top; /* borrowed: rows with a mean, which come first */
    int32_t wanted[N_SECTIONS], granted[N_SECTIONS]; /* lines */
    bool has_gap[N_SECTIONS];                        /* an empty line above */
};

static int64_t finished_of(const struct progress_counts *c)
{
    return c->done + c->diverged + c->failed;
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

static void draw_title(struct view *v, int32_t rows)
{
    const struct progress_session *s = v->session;
    bool is_bad = s->id && !s->is_running && strcmp(s->outcome, "finished") != 0;
    char state[STATE_TEXT];
    int room;

    (void)rows;
    state_of(state, &v->facts->progress);
    room = v->pen.left - text_width(state) - 2;
    if (room > 0) {
        int whole = v->pen.left;

        v->pen.left = room;
        pen_put(&v->pen, v->style->bold, "%s", v->facts->progress.sweep.name);
        v->pen.left += whole - room;
        pen_put(&v->pen, "", "  ");
    }
    pen_put(&v->pen, is_bad ? v->style->warning : "", "%s", state);
    pen_end_line(&v->pen);
}

/* ---- the bar ---- */

enum { DONE, BAD, UNDER_WAY, PENDING, N_PARTS };

static const char *mark_of(const struct view *v, int part)
{
    static const char *const marks[][N_PARTS] = {
        {"#", "x", ">", "."},
        {"\xe2\x96\x88", "x", ">", "\xc2\xb7"},
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

static void draw_progress(struct view *v, int32_t rows)
{
    const struct progress_counts *c = v->counts;
    const int64_t counts[N_PARTS] = {c->done, c->diverged + c->failed, c->running, c->pending};
    int widths[N_PARTS], width;
    char text[64];

    (void)rows;
    snprintf(text, sizeof text, " %d %%  %lld/%lld trials",
             progress_percent(finished_of(c), c->trials), (long long)finished_of(c),
             (long long)c->trials);
    width = v->pen.left - text_width(text) - 2;
    if (width >= 2 * N_PARTS) {
        divide(widths, counts, c->trials, width);
        pen_put(&v->pen, "", "[");
        for (int i = 0; i < N_PARTS; i++)
            for (int n = 0; n < widths[i]; n++)
                pen_put(&v->pen, i == BAD ? v->style->error : "", "%s", mark_of(v, i));
        pen_put(&v->pen, "", "]");
    }
    pen_put(&v->pen, "", "%s", width >= 2 * N_PARTS ? text : text + 1);
    pen_end_line(&v->pen);
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

static void draw_counts(struct view *v, int32_t rows)
{
    const struct progress_counts *c = v->counts;
    char missing[MISSING_TEXT];
    const struct {
        const char *name;
        int64_t n;
        int mark;
    } counts[] = {{"done", c->done, DONE},
                  {"failed", c->failed, BAD},
                  {"diverged", c->diverged, BAD},
                  {"running", c->running, UNDER_WAY},
                  {"pending", c->pending, PENDING}};

    (void)rows;
    missing_of(missing, c);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        bool is_bad = counts[i].mark == BAD && counts[i].n;
        char part[64];

        /* little room: only what is not zero */
        if (!counts[i].n && (v->style->columns < 70 || *missing))
            continue;
        snprintf(part, sizeof part, "%s %lld %s", mark_of(v, counts[i].mark),
                 (long long)counts[i].n, counts[i].name);
        pen_put_part(&v->pen, is_bad ? v->style->error : "", part);
    }
    pen_put_part(&v->pen, v->style->warning, missing);
    pen_end_line(&v->pen);
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

static void draw_times(struct view *v, int32_t rows)
{
    const struct progress_session *s = v->session;
    char ran[TIME_TEXT], rate[PROGRESS_RATE], left[PROGRESS_LEFT], limit[TIME_TEXT];
    char words[DURATION_TEXT];
    double left_s = v->facts->progress.left_s;

    (void)rows;
    progress_rate(rate, s->rate, s->rate);
    if (s->is_running) {
        pen_put_part(&v->pen, "", progress_left_words(left, left_s));
        pen_put_part(&v->pen, left_s > v->facts->limit_s ? v->style->warning : "",
                     limit_of(limit, v->facts));
        pen_put_part(&v->pen, "", rate);
    } else {
        snprintf(ran, sizeof ran, "%lld trial%s in %s", (long long)s->results, plural(s->results),
                 duration_words(words, s->seconds));
        pen_put_part(&v->pen, "", ran);
        pen_put_part(&v->pen, "", rate);
        if (v->counts->pending && s->life != SESSION_LIFE_ELSEWHERE)
            pen_put_part(&v->pen, "", "the same command continues");
    }
    pen_end_line(&v->pen);
}

/* ---- throughput ---- */

/* The level, 0 to 8, of each of n columns. Returns the largest mean of results in a bin. */
static double levels_of(int levels[PROGRESS_BINS], const int64_t bins[PROGRESS_BINS], int n)
{
    double means[PROGRESS_BINS], most = 0;

    for (int c = 0; c < n; c++) {
        int from = c * PROGRESS_BINS / n, to = (c + 1) * PROGRESS_BINS / n;
        int64_t sum = 0;

        for (int b = from; b < to; b++)
            sum += bins[b];
        means[c] = (double)sum / (to - from);
        most = fmax(most, means[c]);
    }
    for (int c = 0; c < n; c++)
        levels[c] = most > 0 ? (int)ceil(8 * means[c] / most) : 0;
    return most;
}

static void draw_spark(struct view *v, int32_t rows)
{
    static const char ascii[] = " .:-=+*#@";
    static const char title[] = "throughput ";
    char peak[PROGRESS_RATE], tail[TIME_TEXT];
    int levels[PROGRESS_BINS], n = PROGRESS_BINS;
    double most;

    (void)rows;
    n = v->pen.left - (int)strlen(title) - 20;
    n = (int)fmax(fmin(fmin(n, PROGRESS_BINS), v->session->seconds), 1);
    most = levels_of(levels, v->session->bins, n);
    progress_rate(peak, most * PROGRESS_BINS / v->session->seconds, v->session->rate);
    snprintf(tail, sizeof tail, " up to %s", peak);
    pen_put(&v->pen, "", "%s", title);
    for (int c = 0; c < n; c++)
        if (!v->style->is_utf8 || !levels[c])
            pen_put(&v->pen, "", "%c", ascii[levels[c]]);
        else
            pen_put(&v->pen, "", "\xe2\x96%c", 0x80 + levels[c]);
    pen_put(&v->pen, "", "%s", tail);
    pen_end_line(&v->pen);
}

/* ---- tables ---- */

/* Lines of a table with its heading; 0 for one without rows. */
static int32_t lines_of(const struct result_table *table)
{
    return !table->n_rows                  ? 0
           : table->n_rows < INT32_MAX / 2 ? (int32_t)table->n_rows + 2
                                           : INT32_MAX / 2;
}

/* Each line is cut where the view ends: the layout keeps some columns in any width. */
static void put_lines(struct view *v, const struct buf *text)
{
    const char *style = v->style->bold;
    const char *at = buf_text(text);

    v->pen.out->failed |= buf_failed(text);
    while (*at) {
        size_t n = strcspn(at, "\n");

        pen_put(&v->pen, style, "%.*s", (int)n, at);
        pen_end_line(&v->pen);
        style = "";
        at += n + (at[n] == '\n');
    }
}

/* keep, drop: layout_fit(). */
static void draw_table(struct view *v, const struct result_table *table, const char *heading,
                       const char *keep, const char *drop, int32_t lines)
{
    bool is_whole = lines >= lines_of(table);
    int64_t n = is_whole ? table->n_rows : lines - 3 > 1 ? lines - 3 : 1;
    struct report report;
    struct buf text = {0};

    pen_put(&v->pen, v->style->bold, "%s", heading);
    pen_end_line(&v->pen);
    if (lines < 3)
        return;
    report_begin(&report, &text, table->names, table->n_cols, REPORT_TABLE);
    report.width = v->style->columns;
    report.keep = keep;
    report.drop = drop;
    for (int64_t r = 0; r < n; r++)
        report_row(&report, &table->cells[r * table->n_cols]);
    report_end(&report);
    put_lines(v, &text);
    if (!is_whole && lines > 3) {
        pen_put(&v->pen, "", "... and %lld more", (long long)(table->n_rows - n));
        pen_end_line(&v->pen);
    }
    buf_release(&text);
}

static void draw_top(struct view *v, int32_t lines)
{
    char heading[96];

    snprintf(heading, sizeof heading, "best configurations by %s",
             v->facts->progress.sweep.objective);
    draw_table(v, &v->top, heading, "place config mean",
               "sd val_r2 seconds se within_se trials = * diff+diff_low+diff_high", lines);
}

static void draw_running(struct view *v, int32_t lines)
{
    draw_table(v, &v->facts->running, "running trials, longest first", "trial seconds",
               "since_utc host", lines);
}

static void draw_failures(struct view *v, int32_t lines)
{
    draw_table(v, &v->facts->reasons, "trials that failed or diverged", "state trials reason",
               "sweep example", lines);
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

    for (int32_t r = 0; r < s->n_ranks && v->pen.left > 0; r++) {
        enum progress_work work = s->ranks[r].work;

        if (work == PROGRESS_RUNS || (work == PROGRESS_LOST) != are_lost)
            continue;
        pen_put(&v->pen, "", "%s%d", gap, r);
        if (are_lost)
            pen_put(&v->pen, "", ": t%lld on %s", (long long)s->ranks[r].trial, s->ranks[r].host);
        gap = ", ";
    }
    pen_put(&v->pen, "", "%s", *gap == ',' ? ")" : "");
}

/* "ranks: 3 busy, 1 LOST (2: t5 on node7), 1 idle (5)". */
static void draw_ranks(struct view *v, int32_t lines)
{
    const struct progress_session *s = v->session;
    struct rank_counts n = count_ranks(s);

    (void)lines;
    pen_put(&v->pen, v->style->bold, "ranks");
    pen_put(&v->pen, "", s->is_running ? ": %d busy" : ": %d", s->is_running ? n.busy : s->n_ranks);
    if (n.lost) {
        pen_put(&v->pen, "", ", ");
        pen_put(&v->pen, v->style->error, "%d LOST", n.lost);
        put_ranks(v, true);
    }
    if (s->is_running) {
        pen_put(&v->pen, "", ", %d idle", n.idle);
        put_ranks(v, false);
    }
    pen_end_line(&v->pen);
}

static void draw_note(struct view *v, int32_t rows)
{
    (void)rows;
    pen_put(&v->pen, v->style->bold, "%s", v->style->note);
    pen_end_line(&v->pen);
}

/* ---- which lines ---- */

static void want(struct view *v)
{
    const struct watch_facts *f = v->facts;

    v->wanted[NOTE] = v->style->note != NULL;
    if (!*f->progress.sweep.name) /* nothing is known yet */
        return;
    v->wanted[TITLE] = v->wanted[PROGRESS] = v->wanted[COUNTS] = 1;
    v->wanted[TIMES] = v->session->id != 0;
    v->wanted[SPARK] = v->session->results > 0 && v->session->seconds > 0;
    v->wanted[TOP] = lines_of(&v->top);
    v->wanted[RANKS] = v->session->id != 0;
    v->wanted[RUNNING] = lines_of(&f->running);
    v->wanted[FAILURES] = lines_of(&f->reasons);
}

/* Hand out the rows: each step gives a section up to so many lines, if it wants them. */
static void grant(struct view *v)
{
    enum { ALL = INT32_MAX, GAP = -1 };
    static const struct {
        enum section section;
        int32_t up_to;
    } steps[] = {
        {TITLE, 1}, {PROGRESS, 1}, {TIMES, 1},     {COUNTS, 1},     {NOTE, 1},      {RANKS, 1},
        {TOP, 3},   {FAILURES, 3}, {SPARK, 1},     {TOP, ALL},      {RUNNING, 6},   {FAILURES, 6},
        {TOP, GAP}, {RANKS, GAP},  {RUNNING, GAP}, {FAILURES, GAP}, {RUNNING, ALL}, {FAILURES, ALL},
    };
    int64_t left = v->style->rows > 0 ? v->style->rows : INT32_MAX;

    for (size_t i = 0; i < sizeof steps / sizeof *steps && left > 0; i++) {
        enum section s = steps[i].section;
        int32_t n = v->wanted[s] < steps[i].up_to ? v->wanted[s] : steps[i].up_to;

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

/* Move the note to the bottom. */
static void put_empty_lines(struct view *v)
{
    while (v->style->note && v->pen.lines + 1 < v->style->rows)
        pen_end_line(&v->pen);
}

void watch_frame(struct buf *out, const struct watch_facts *facts, const struct watch_style *style)
{
    static void (*const draw[N_SECTIONS])(struct view *, int32_t) = {
        [TITLE] = draw_title, [PROGRESS] = draw_progress, [COUNTS] = draw_counts,
        [TIMES] = draw_times, [SPARK] = draw_spark,       [TOP] = draw_top,
        [RANKS] = draw_ranks, [RUNNING] = draw_running,   [FAILURES] = draw_failures,
        [NOTE] = draw_note,
    };
    struct view v = {
        .pen = {.out = out,
                .columns = style->columns,
                .left = style->columns,
                .is_utf8 = style->is_utf8,
                .plain = style->plain},
        .facts = facts,
        .counts = &facts->progress.counts,
        .session = &facts->progress.session,
        .style = style,
        .top = facts->top,
    };

    while (v.top.n_rows && isnan(result_table_real(&v.top, v.top.n_rows - 1, "mean")))
        v.top.n_rows--;
    want(&v);
    grant(&v);
    for (int s = 0; s < N_SECTIONS; s++) {
        if (s == NOTE)
            put_empty_lines(&v);
        if (v.has_gap[s])
            pen_end_line(&v.pen);
        if (v.granted[s])
            draw[s](&v, v.granted[s]);
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
