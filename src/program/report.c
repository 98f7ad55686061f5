/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/report.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/real.h"
#include "base/words.h"
#include "program/beneath.h"
#include "program/capture_pattern.h"
#include "program/record.h"

/* UTF-8; some editors and PowerShell begin files with it. */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

#define FILE_BYTES ((int64_t)1 << 30)

enum {
    REASON_BYTES = 256,         /* trial_result.error */
    TEXT_LINE_BYTES = 64 << 10, /* of stdout: longer lines are no results */
    CURVE_LINE_BYTES = 64 << 10 /* more than a line of the curve with all names */
};

/* A learning curve: epochs, and values of names in them. */
struct curve {
    struct buf epochs; /* int32_t, ascending */
    struct buf points; /* struct program_point, by ascending epoch */
};

static int32_t *curve_epochs(const struct curve *c)
{
    return (int32_t *)(void *)c->epochs.data;
}

static size_t curve_n_epochs(const struct curve *c)
{
    return c->epochs.size / sizeof(int32_t);
}

static struct program_point *curve_points(const struct curve *c)
{
    return (struct program_point *)(void *)c->points.data;
}

static size_t curve_n_points(const struct curve *c)
{
    return c->points.size / sizeof(struct program_point);
}

static int32_t curve_last_epoch(const struct curve *c)
{
    size_t n = curve_n_epochs(c);

    return n ? curve_epochs(c)[n - 1] : -1;
}

static void curve_release(struct curve *c)
{
    buf_release(&c->epochs);
    buf_release(&c->points);
}

/* Remove an epoch and those after it. */
static void curve_drop_from(struct curve *c, int32_t epoch)
{
    size_t n = curve_n_epochs(c), n_points = curve_n_points(c);

    while (n && curve_epochs(c)[n - 1] >= epoch)
        n--;
    while (n_points && curve_points(c)[n_points - 1].epoch >= epoch)
        n_points--;
    buf_cut(&c->epochs, n * sizeof(int32_t));
    buf_cut(&c->points, n_points * sizeof(struct program_point));
}

/* Append the points of one epoch whose names are not yet marked with it. Returns the next point. */
static size_t append_points(struct curve *out, const struct curve *from, size_t i, int32_t epoch,
                            int32_t *mark)
{
    const struct program_point *point = curve_points(from);

    for (; i < curve_n_points(from) && point[i].epoch == epoch; i++)
        if (mark[point[i].name] != epoch) {
            mark[point[i].name] = epoch;
            buf_add(&out->points, &point[i], sizeof *point);
        }
    return i;
}

/* Append two curves to `out`, whose epochs are all smaller. A value of a takes precedence over that of b. */
static void curve_append_merged(struct curve *out, const struct curve *a, const struct curve *b)
{
    size_t i = 0, j = 0, i_point = 0, j_point = 0;
    int32_t mark[PROGRAM_NAMES];

    memset(mark, -1, sizeof mark);
    while (i < curve_n_epochs(a) || j < curve_n_epochs(b)) {
        int32_t from_a = i < curve_n_epochs(a) ? curve_epochs(a)[i] : INT32_MAX;
        int32_t from_b = j < curve_n_epochs(b) ? curve_epochs(b)[j] : INT32_MAX;
        int32_t epoch = from_a < from_b ? from_a : from_b;

        buf_add(&out->epochs, &epoch, sizeof epoch);
        i_point = append_points(out, a, i_point, epoch, mark);
        j_point = append_points(out, b, j_point, epoch, mark);
        i += i < curve_n_epochs(a) && from_a == epoch;
        j += j < curve_n_epochs(b) && from_b == epoch;
    }
}

/* Records without an epoch. */
struct finals {
    double value[PROGRAM_NAMES]; /* [name] */
    bool is_set[PROGRAM_NAMES];
};

struct report_stream {
    const char *label;
    int64_t line;
    int64_t bytes;
    bool is_text;
    struct buf partial; /* a line without an end so far */
    bool is_open;       /* the last piece ended within a line */
    struct curve curve;
    size_t newest; /* points of earlier epochs */
    struct finals finals;
    struct err refused;    /* stdout: the objective's last record without an epoch is this text */
    bool has_objective;    /* stdout: it was seen */
    enum record_rank rank; /* of its best name so far */
};

struct program_intake {
    char objective[PROGRAM_NAME];
    bool maximize;
    bool captures;
    struct report_stream results, text; /* of this attempt */
    struct curve curve;                 /* of all ended attempts */
    struct finals finals;               /* of the last one */
    struct err refused;                 /* the same: text in place of the objective; "": none */
    char names[PROGRAM_NAMES][PROGRAM_NAME];
    int32_t n_names;
    struct json_tokener *reader;
    struct record_text text_state;
    struct capture_pattern *pattern; /* NULL: none */
    struct record record;
    struct err unread; /* the objective's first text in place of a number; "": none */
};

/* A fault of the program: the first one stays. */
static void fault(struct program_report *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void fault(struct program_report *r, const char *format, ...)
{
    char text[sizeof r->reason.text], cut[REASON_BYTES];
    va_list args;

    if (*r->reason.text)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    escape_invalid(text);
    err_set(&r->reason, "%s", words_cut(cut, sizeof cut, text));
}

static void out_of_memory(struct program_report *r)
{
    fault(r, "out of memory for the results of a program");
}

/* Return the index of a name, or -1. */
static int32_t find_name(const struct program_intake *in, const char *name)
{
    for (int32_t i = 0; i < in->n_names; i++)
        if (!strcmp(in->names[i], name))
            return i;
    return -1;
}

/* Find or add a name. -1: there is no room; this is a fault unless the name is from stdout. */
static int32_t add_name(struct program_report *r, const struct report_stream *s, const char *name)
{
    struct program_intake *in = r->intake;
    int32_t there = find_name(in, name);
    bool is_reserved = s->is_text && in->n_names == PROGRAM_NAMES - 1 &&
                       strcmp(name, in->objective) != 0 && find_name(in, in->objective) < 0;

    if (there >= 0)
        return there;
    if (in->n_names == PROGRAM_NAMES && !s->is_text)
        fault(r, "%s line %lld: %s is one name too many: at most %d may be reported", s->label,
              (long long)s->line, name, PROGRAM_NAMES);
    if (in->n_names == PROGRAM_NAMES || is_reserved) {
        if (!*r->dropped.text)
            err_set(
                &r->dropped,
                "%s line %lld: %s and the new names after it are not stored: a trial has at most "
                "%d names",
                s->label, (long long)s->line, name, PROGRAM_NAMES);
        return -1;
    }
    memcpy(in->names[in->n_names], name, strlen(name) + 1);
    return in->n_names++;
}

/* -1: a fault. */
static int begin_epoch(struct program_report *r, struct report_stream *s, int32_t epoch)
{
    int32_t last = curve_last_epoch(&s->curve);

    /* Another training begins: another fold of a booster, or the objective is yet to come. */
    if (s->is_text && epoch < last && (r->intake->record.is_weak || !s->has_objective)) {
        curve_drop_from(&s->curve, epoch);
        last = curve_last_epoch(&s->curve);
    }
    if (epoch == last)
        return 0;
    if (epoch < last)
        fault(r, "%s line %lld: epoch %d after epoch %d: epochs must increase", s->label,
              (long long)s->line, epoch, last);
    if (*r->reason.text)
        return -1;
    s->newest = curve_n_points(&s->curve);
    buf_add(&s->curve.epochs, &epoch, sizeof epoch);
    return 0;
}

static void put_point(struct program_report *r, struct report_stream *s, int32_t epoch,
                      int32_t name, double value)
{
    struct program_point point = {epoch, name, value};

    for (size_t i = s->newest; i < curve_n_points(&s->curve); i++)
        if (curve_points(&s->curve)[i].name == name) {
            if (!s->is_text)
                fault(r, "%s line %lld: epoch %d reports %s twice: epochs must increase", s->label,
                      (long long)s->line, epoch, r->intake->names[name]);
            curve_points(&s->curve)[i].value = value;
            return;
        }
    buf_add(&s->curve.points, &point, sizeof point);
}

/* Text stands in place of a number. */
static void put_text(struct program_intake *in, struct report_stream *s,
                     const struct record_item *item)
{
    struct err text;
    int32_t name = find_name(in, item->name);

    if (s->is_text && in->record.epoch < 0 && name >= 0)
        s->finals.is_set[name] = false;
    if (strcmp(item->name, in->objective) != 0)
        return;
    if (s->is_text && item->is_ambiguous)
        err_set(&text,
                "%s may be %s or another number in line %lld of %s: one of their names must be the "
                "objective",
                item->name, item->shown, (long long)s->line, s->label);
    else
        err_set(&text, "%s is '%s' in line %lld of %s: must be a number", item->name, item->shown,
                (long long)s->line, s->label);
    if (!*in->unread.text)
        in->unread = text;
    if (s->is_text && in->record.epoch < 0)
        s->refused = text;
}

static void put_value(struct program_report *r, struct report_stream *s,
                      const struct record_item *item)
{
    int32_t name = add_name(r, s, item->name), epoch = r->intake->record.epoch;

    if (name < 0)
        return;
    if (epoch >= 0) {
        put_point(r, s, epoch, name, item->value);
        return;
    }
    s->finals.value[name] = item->value;
    s->finals.is_set[name] = true;
    if (!strcmp(item->name, r->intake->objective))
        *s->refused.text = '\0';
}

/* Only the best names of the objective count, wherever they stand. */
static bool is_outranked(struct program_report *r, struct report_stream *s,
                         const struct record_item *item)
{
    struct program_intake *in = r->intake;
    int32_t name;
    size_t n = 0;

    if (!s->is_text || strcmp(item->name, in->objective) != 0)
        return false;
    name = find_name(in, item->name);
    if (s->has_objective && item->rank < s->rank)
        return true;
    if (s->has_objective && item->rank > s->rank) {
        for (size_t i = 0; i < curve_n_points(&s->curve); i++)
            if (curve_points(&s->curve)[i].name != name)
                curve_points(&s->curve)[n++] = curve_points(&s->curve)[i];
        buf_cut(&s->curve.points, n * sizeof(struct program_point));
        s->newest = s->newest < n ? s->newest : n;
        if (name >= 0)
            s->finals.is_set[name] = false;
        *s->refused.text = '\0';
    }
    s->has_objective = true;
    s->rank = item->rank;
    return false;
}

static bool has_value(const struct record *record)
{
    for (int32_t i = 0; i < record->n; i++)
        if (record->item[i].has_value)
            return true;
    return false;
}

static void put_record(struct program_report *r, struct report_stream *s)
{
    const struct record *record = &r->intake->record;
    bool is_point = record->epoch >= 0 && (!s->is_text || has_value(record));

    if (*record->wrong_epoch && has_value(record)) {
        fault(r, "%s line %lld: epoch is %s: must be an integer from 0 to %d", s->label,
              (long long)s->line, record->wrong_epoch, INT32_MAX);
        return;
    }
    if (is_point && begin_epoch(r, s, record->epoch))
        return;
    for (int32_t i = 0; i < record->n; i++)
        if (is_outranked(r, s, &record->item[i]))
            continue;
        else if (record->item[i].has_value)
            put_value(r, s, &record->item[i]);
        else
            put_text(r->intake, s, &record->item[i]);
}

static void take_json(struct program_report *r, struct report_stream *s, const char *line, size_t n)
{
    struct program_intake *in = r->intake;
    struct err err;

    if (s->line == 1 && n >= 3 && !memcmp(line, BYTE_ORDER_MARK, 3)) {
        line += 3;
        n -= 3;
    }
    while (n && (*line == ' ' || *line == '\t')) {
        line++;
        n--;
    }
    if (!n)
        return;
    if (n > PROGRAM_LINE_BYTES)
        fault(r, "%s line %lld: longer than %d bytes: this is the limit", s->label,
              (long long)s->line, PROGRAM_LINE_BYTES);
    else if (record_json_parse(&in->record, in->reader, line, n, &err))
        fault(r, "%s line %lld: %s", s->label, (long long)s->line, err.text);
    else
        put_record(r, s);
}

static void take_text(struct program_report *r, struct report_stream *s, const char *line, size_t n)
{
    struct program_intake *in = r->intake;
    int found =
        n > TEXT_LINE_BYTES ? 0 : capture_line(&in->record, in->pattern, &in->text_state, line, n);

    if (found > 0)
        put_record(r, s);
    else if (found < 0 && !*r->dropped.text)
        err_set(&r->dropped,
                "%s line %lld: capture_pattern takes more than %d steps: the line is not read",
                s->label, (long long)s->line, CAPTURE_STEPS);
}

static void check_curve(struct program_report *r, const struct curve *c)
{
    if (curve_n_epochs(c) > PROGRAM_EPOCHS)
        fault(r, "more than %d epochs in all attempts: this is the limit", PROGRAM_EPOCHS);
    if (curve_n_points(c) > PROGRAM_POINTS)
        fault(r,
              "more than %d values in the curve: this is the limit; report fewer epochs or names",
              PROGRAM_POINTS);
    if (buf_failed(&c->epochs) || buf_failed(&c->points))
        out_of_memory(r);
}

/* Keep a piece of a line whose end is yet to come, at most one byte over the limit. */
static void keep_partial(struct program_report *r, struct report_stream *s, const char *bytes,
                         size_t n)
{
    size_t most = (s->is_text ? TEXT_LINE_BYTES : PROGRAM_LINE_BYTES) + 1;
    size_t room = most - s->partial.size;

    buf_add(&s->partial, bytes, n < room ? n : room);
    if (buf_failed(&s->partial))
        out_of_memory(r);
}

/* A line ends, of which `bytes` are the last. */
static void end_line(struct program_report *r, struct report_stream *s, const char *bytes, size_t n)
{
    bool is_partial = s->partial.size > 0;

    if (is_partial) {
        keep_partial(r, s, bytes, n);
        bytes = buf_text(&s->partial);
        n = s->partial.size;
    }
    (s->is_text ? take_text : take_json)(r, s, bytes, n);
    if (is_partial)
        buf_clear(&s->partial);
    check_curve(r, &s->curve);
}

static void too_large(struct program_report *r)
{
    fault(r, "the results file is larger than 1 GiB: this is the limit");
}

/* A carriage return also ends a line, whose number is that of its line feed. */
static void add_output(struct program_report *r, struct report_stream *s, const void *bytes,
                       size_t n)
{
    const char *at = n ? bytes : "", *end = at + n;

    while (at < end && !*r->reason.text) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        const char *stop = feed ? feed : end, *back;

        s->line += !s->is_open;
        if (feed == at && !s->partial.size) { /* four times as fast for empty lines */
            s->is_open = false;
            at++;
            continue;
        }
        while ((back = memchr(at, '\r', (size_t)(stop - at))) && !*r->reason.text) {
            end_line(r, s, at, (size_t)(back - at));
            at = back + 1;
        }
        s->is_open = !feed;
        if (feed)
            end_line(r, s, at, (size_t)(feed - at));
        else
            keep_partial(r, s, at, (size_t)(end - at));
        at = feed ? feed + 1 : end;
    }
}

void program_report_add(struct program_report *r, const void *bytes, size_t n)
{
    struct report_stream *s = &r->intake->results;

    s->bytes += (int64_t)n;
    if (s->bytes > FILE_BYTES)
        too_large(r);
    add_output(r, s, bytes, n);
}

void program_report_add_stdout(struct program_report *r, const void *bytes, size_t n)
{
    add_output(r, &r->intake->text, bytes, n);
}

void program_report_read(struct program_report *r, const char *path)
{
    int fd = beneath_open(path, O_RDONLY);
    char bytes[64 << 10];
    struct stat status;
    ssize_t n = 0;

    if (fd < 0 && errno == ENOENT)
        return;
    if (fd < 0 && errno == ELOOP)
        fault(r, "the results file is a link: must be a regular file");
    else if (fd >= 0 && fstat(fd, &status) == 0 && !S_ISREG(status.st_mode))
        fault(r, "the results file is no regular file");
    else if (fd >= 0 && status.st_size > FILE_BYTES)
        too_large(r);
    else
        while (fd >= 0 && !*r->reason.text &&
               ((n = read(fd, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR)))
            program_report_add(r, bytes, n > 0 ? (size_t)n : 0);
    if (fd < 0 || n < 0)
        fault(r, "the results file cannot be read: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
}

static void stream_reset(struct report_stream *s)
{
    struct report_stream fresh = {.label = s->label, .is_text = s->is_text};

    buf_release(&s->partial);
    curve_release(&s->curve);
    *s = fresh;
}

/* Add what the streams have to the earlier attempts. */
static void merge_streams(struct program_intake *in)
{
    const struct curve *a = &in->results.curve, *b = &in->text.curve;

    if (a->epochs.size)
        curve_drop_from(&in->curve, curve_epochs(a)[0]);
    if (b->epochs.size)
        curve_drop_from(&in->curve, curve_epochs(b)[0]);
    curve_append_merged(&in->curve, a, b);
    for (int32_t i = 0; i < PROGRAM_NAMES; i++) {
        const struct finals *from =
            in->results.finals.is_set[i] ? &in->results.finals : &in->text.finals;

        in->finals.value[i] = from->value[i];
        in->finals.is_set[i] = from->is_set[i];
    }
}

void program_report_end_attempt(struct program_report *r, bool was_killed)
{
    struct program_intake *in = r->intake;
    struct err before = r->reason;
    int32_t objective;

    /* The last lines have no end. */
    if (in->results.partial.size)
        end_line(r, &in->results, "", 0);
    if (was_killed)
        r->reason = before;
    else if (in->text.partial.size)
        end_line(r, &in->text, "", 0);
    merge_streams(in);
    objective = find_name(in, in->objective);
    in->refused = in->text.refused;
    if (objective >= 0 && in->results.finals.is_set[objective])
        *in->refused.text = '\0';
    stream_reset(&in->results);
    stream_reset(&in->text);
    in->text_state.heading = -1;
    in->text_state.n_columns = 0;
    check_curve(r, &in->curve);
}

void program_report_put_curve(struct buf *out, const struct program_report *r)
{
    const struct program_intake *in = r->intake;
    const struct program_point *point = curve_points(&in->curve);
    size_t k = 0;

    for (size_t i = 0; i < curve_n_epochs(&in->curve); i++) {
        int32_t epoch = curve_epochs(&in->curve)[i];

        buf_printf(out, "{\"epoch\": %d", epoch);
        for (; k < curve_n_points(&in->curve) && point[k].epoch == epoch; k++) {
            double value = point[k].value;

            buf_printf(out, ", \"%s\": ", in->names[point[k].name]);
            if (isfinite(value))
                real_format(out, value);
            else
                buf_puts(out, isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity");
        }
        buf_puts(out, "}\n");
    }
}

int32_t program_report_last_epoch(const char *path)
{
    int fd = beneath_open(path, O_RDONLY);
    off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
    char tail[CURVE_LINE_BYTES + 1];
    long long epoch;
    ssize_t n = -1;
    char *line;

    if (size > 0)
        n = pread(fd, tail, CURVE_LINE_BYTES,
                  size > CURVE_LINE_BYTES ? size - CURVE_LINE_BYTES : 0);
    if (fd >= 0)
        close(fd);
    if (n <= 0 || tail[n - 1] != '\n')
        return -1;
    tail[n - 1] = '\0';
    line = strrchr(tail, '\n');
    return sscanf(line ? line + 1 : tail, "{\"epoch\": %15lld", &epoch) == 1 && epoch >= 0 &&
                   epoch <= INT32_MAX
               ? (int32_t)epoch
               : -1;
}

/* Return the number of the epoch whose values count; -1: there are no epochs. */
static int32_t best_epoch(const struct program_intake *in)
{
    const struct program_point *point = curve_points(&in->curve);
    int32_t objective = find_name(in, in->objective);
    int32_t best = -1, last = curve_last_epoch(&in->curve);
    double best_value = 0;

    for (size_t i = 0; i < curve_n_points(&in->curve); i++) {
        double value = point[i].value;

        if (point[i].name != objective)
            continue;
        if (best < 0)
            last = point[i].epoch;
        if (isfinite(value) &&
            (best < 0 || (in->maximize ? value > best_value : value < best_value))) {
            best = point[i].epoch;
            best_value = value;
        }
    }
    return best < 0 ? last : best;
}

/* The reason without an objective: "no val_accuracy among the results: loss, accuracy; ..." */
static void report_missing(struct program_report *r)
{
    const struct program_intake *in = r->intake;
    struct buf list = {0};
    int32_t i = 0;

    if (*in->unread.text)
        fault(r, "%s", in->unread.text);
    else if (!in->n_names && in->captures)
        fault(r,
              "no results: no line of stdout has %.40s: or %.40s= and a number, such as %.40s: 0.5 "
              "(stderr is not read), and nothing is in the file that ESPALIER_RESULTS names",
              in->objective, in->objective, in->objective);
    else if (!in->n_names)
        fault(r,
              "no results: the program must append a line such as {\"%.40s\": 0.5} to the file "
              "that ESPALIER_RESULTS names, or print %.40s=0.5 with [program] capture = stdout",
              in->objective, in->objective);
    else if (find_name(in, in->objective) >= 0)
        fault(r, "no %s among the results of the last attempt, though an earlier one reported it",
              in->objective);
    if (*r->reason.text)
        return;
    for (; i < in->n_names && list.size + strlen(in->names[i]) < 80; i++)
        buf_printf(&list, "%s%s", i ? ", " : "", in->names[i]);
    if (i < in->n_names)
        buf_printf(&list, "%s%d more", i ? " and " : "", in->n_names - i);
    fault(r, "no %s among the results: %s; [sweep] objective must be one of them", in->objective,
          buf_text(&list));
    buf_release(&list);
}

/* Set the metrics: the values of the best epoch, then those without an epoch. */
static int put_metrics(struct program_report *r, int32_t best)
{
    const struct program_intake *in = r->intake;
    const struct program_point *point = curve_points(&in->curve);
    struct finals all = in->finals;
    int32_t objective = find_name(in, in->objective);

    for (size_t i = 0; i < curve_n_points(&in->curve); i++)
        if (point[i].epoch == best && !all.is_set[point[i].name]) {
            all.value[point[i].name] = point[i].value;
            all.is_set[point[i].name] = true;
        }
    for (int32_t i = 0; i < in->n_names; i++)
        if (all.is_set[i]) {
            struct program_metric *metric = &r->metrics[r->n_metrics++];

            memcpy(metric->name, in->names[i], sizeof metric->name);
            metric->value = all.value[i];
        }
    if (*r->reason.text)
        return -1;
    if (*in->refused.text) {
        fault(r, "%s", in->refused.text);
        return -1;
    }
    if (objective < 0 || !all.is_set[objective]) {
        report_missing(r);
        return -1;
    }
    r->objective = all.value[objective];
    return 0;
}

int program_report_finish(struct program_report *r)
{
    struct program_intake *in = r->intake;
    size_t n_names = in->n_names ? (size_t)in->n_names : 1;
    int32_t best = best_epoch(in);
    int rc;

    r->metrics = calloc(n_names, sizeof *r->metrics);
    r->names = calloc(n_names, sizeof *r->names);
    if (!r->metrics || !r->names) {
        out_of_memory(r);
        return -1;
    }
    rc = put_metrics(r, best);
    r->n_names = in->n_names;
    memcpy(r->names, in->names, (size_t)in->n_names * sizeof *r->names);
    r->n_epochs = (int32_t)curve_n_epochs(&in->curve);
    r->n_points = (int32_t)curve_n_points(&in->curve);
    r->epochs = curve_epochs(&in->curve);
    r->points = curve_points(&in->curve);
    in->curve = (struct curve){0};
    for (int32_t i = 0; i < r->n_epochs; i++)
        if (r->epochs[i] == best)
            r->best = i;
    return rc;
}

/* A copy of the intake borrows all that it does not change. */
int program_report_so_far(struct program_report *out, const struct program_report *r,
                          const char *results)
{
    struct program_intake now = *r->intake;
    const struct curve *earlier = &r->intake->curve;
    int rc = -1;

    now.curve = (struct curve){0};
    buf_add(&now.curve.epochs, earlier->epochs.data, earlier->epochs.size);
    buf_add(&now.curve.points, earlier->points.data, earlier->points.size);
    now.results = (struct report_stream){.label = now.results.label};
    *out = (struct program_report){.objective = NAN, .best = -1, .intake = &now};
    program_report_read(out, results);
    merge_streams(&now);
    if (!*out->reason.text && !buf_failed(&now.curve.epochs) && !buf_failed(&now.curve.points)) {
        (void)!program_report_finish(out); /* that the objective is missing does not matter */
        rc = out->names ? 0 : -1;
    }
    stream_reset(&now.results);
    curve_release(&now.curve);
    out->intake = NULL;
    return rc;
}

int program_report_init(struct program_report *r, const char *objective, bool maximize,
                        bool captures, const char *pattern, struct err *err)
{
    struct program_intake *in = calloc(1, sizeof *in);

    *r = (struct program_report){.objective = NAN, .best = -1, .intake = in};
    if (in)
        in->reader = record_json_open();
    if (!in || !in->reader) {
        program_report_release(r);
        return err_nomem(err, "results of a program", sizeof *in);
    }
    snprintf(in->objective, sizeof in->objective, "%s", objective);
    in->maximize = maximize;
    in->captures = captures;
    in->results.label = "results";
    in->text.label = "stdout";
    in->text.is_text = true;
    in->text_state.heading = -1;
    in->text_state.objective = in->objective;
    if (*pattern && !(in->pattern = capture_pattern_create(pattern, err))) {
        program_report_release(r);
        return -1;
    }
    return 0;
}

void program_report_release(struct program_report *r)
{
    struct program_intake *in = r->intake;

    if (in) {
        stream_reset(&in->results);
        stream_reset(&in->text);
        curve_release(&in->curve);
        buf_release(&in->text_state.plain);
        buf_release(&in->text_state.heads);
        record_json_close(in->reader);
        capture_pattern_destroy(in->pattern);
    }
    free(in);
    free(r->metrics);
    free(r->epochs);
    free(r->points);
    free(r->names);
    *r = (struct program_report){0};
}
