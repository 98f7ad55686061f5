/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/trace.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/real.h"
#include "report/report.h"
#include "store/query/query.h"
#include "trial/result.h"

enum { CHUNK = 64 << 10 };
enum { SESSIONS_PID = 1, FIRST_HOST_PID = 2 };
/* The first columns of these queries are args of slices. */
enum { SESSION_ARGS = 5, ATTEMPT_ARGS = 16, GANG_ARGS = 2 };
#define LANE_TIDS 1000000 /* ranks of a lane; lane 0 has the ranks themselves */
#define LAST_NS INT64_C(4000000000000000000)

/* Sessions of one lane do not overlap. */
struct trace_session {
    int64_t id;
    int64_t first_ns, last_ns;
    int lane;
    bool is_lost;
};

struct trace_lane {
    int64_t free_ns; /* end of its last session */
    int64_t place;   /* the rank that the next two are of */
    int64_t end_ns;  /* of the last slice */
    int64_t mark_ns; /* where the rank was last marked as lost; -1: nowhere */
};

struct trace {
    struct outfile *out;
    struct buf text;                /* not written yet */
    double first_s;                 /* Unix seconds; the zero of all times */
    struct trace_session *sessions; /* [n_sessions] by id */
    size_t n_sessions;
    struct trace_lane *lanes; /* [n_sessions], of which n_lanes are used */
    int n_lanes;
    char *host;
    int64_t rank;
    int64_t place; /* counts the ranks of all hosts */
    int64_t n_hosts;
    bool has_events;
};

struct slice {
    const char *name;
    int64_t pid, tid, begin_ns, end_ns;
    const char *colour; /* NULL: by name */
};

/* ---- events ---- */

static void put_us(struct buf *out, const char *key, int64_t ns)
{
    buf_printf(out, ", \"%s\": %lld.%03lld", key, (long long)(ns / 1000), (long long)(ns % 1000));
}

static void begin_event(struct trace *t, char kind, const char *name, int64_t pid, int64_t tid)
{
    buf_printf(&t->text, "%s{\"ph\": \"%c\", \"pid\": %lld, \"tid\": %lld, \"name\": ",
               t->has_events ? ",\n" : "\n", kind, (long long)pid, (long long)tid);
    escape_json_terminal(&t->text, name);
    t->has_events = true;
}

/* The caller closes args and event by "}}". */
static void begin_slice(struct trace *t, const struct slice *slice)
{
    begin_event(t, 'X', slice->name, slice->pid, slice->tid);
    put_us(&t->text, "ts", slice->begin_ns);
    put_us(&t->text, "dur", slice->end_ns - slice->begin_ns);
    if (slice->colour)
        buf_printf(&t->text, ", \"cname\": \"%s\"", slice->colour);
    buf_puts(&t->text, ", \"args\": {");
}

/* scope: g for the whole trace, t for the thread. */
static void put_instant(struct trace *t, const char *name, int64_t pid, int64_t tid, int64_t ns,
                        char scope)
{
    begin_event(t, 'i', name, pid, tid);
    put_us(&t->text, "ts", ns);
    buf_printf(&t->text, ", \"s\": \"%c\"}", scope);
}

static void put_name(struct trace *t, const char *what, const char *name, int64_t pid, int64_t tid)
{
    begin_event(t, 'M', what, pid, tid);
    buf_puts(&t->text, ", \"args\": {\"name\": ");
    escape_json_terminal(&t->text, name);
    buf_puts(&t->text, "}}");
}

/* The first n columns of a row, without those that have no value. */
static void put_args(struct buf *out, const struct result_table *rows, int64_t r, int32_t n)
{
    const char *gap = "";

    for (int32_t c = 0; c < n; c++) {
        const struct cell *cell = &rows->cells[r * rows->n_cols + c];

        if (cell->type == CELL_NULL || (cell->type == CELL_REAL && !isfinite(cell->f)) ||
            (cell->type == CELL_TEXT && !*cell->s))
            continue;
        buf_printf(out, "%s\"%s\": ", gap, rows->names[c]);
        report_put_json(out, cell);
        gap = ", ";
    }
}

static int64_t ns_of(const struct trace *t, double unix_s)
{
    double ns = round((unix_s - t->first_s) * 1e9);

    return !(ns > 0) ? 0 : ns > (double)LAST_NS ? LAST_NS : (int64_t)ns;
}

static int write_text(struct trace *t, struct err *err)
{
    int rc = buf_failed(&t->text) ? err_nomem(err, "trace", t->text.size)
                                  : outfile_write(t->out, t->text.data, t->text.size, err);

    buf_clear(&t->text);
    return rc;
}

/* ---- sessions ---- */

static int compare_ids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void put_session(struct trace *t, const struct result_table *row, int64_t r,
                        const struct trace_session *session)
{
    int64_t begin_ns = ns_of(t, result_table_real(row, r, "started"));
    char name[64];
    struct slice slice = {.name = name,
                          .pid = SESSIONS_PID,
                          .tid = session->lane,
                          .begin_ns = begin_ns,
                          .end_ns = session->last_ns};

    snprintf(name, sizeof name, "session %lld", (long long)session->id);
    begin_slice(t, &slice);
    put_args(&t->text, row, r, SESSION_ARGS);
    buf_puts(&t->text, "}}");
    snprintf(name, sizeof name, "session %lld begins", (long long)session->id);
    put_instant(t, name, SESSIONS_PID, session->lane, begin_ns, 'g');
    snprintf(name, sizeof name, "session %lld: %s", (long long)session->id,
             result_table_text(row, r, "outcome"));
    put_instant(t, name, SESSIONS_PID, session->lane, slice.end_ns, 'g');
}

static int put_sessions(struct trace *t, const struct result_table *rows, struct err *err)
{
    size_t n = (size_t)rows->n_rows;

    t->sessions = calloc(n + 1, sizeof *t->sessions);
    t->lanes = calloc(n + 1, sizeof *t->lanes);
    if (!t->sessions || !t->lanes)
        return err_nomem(err, "sessions", n * sizeof *t->sessions);
    t->first_s = INFINITY;
    for (int64_t r = 0; r < rows->n_rows; r++) {
        double first_s = result_table_real(rows, r, "first");

        if (isfinite(first_s))
            t->first_s = fmin(t->first_s, first_s);
    }
    if (!isfinite(t->first_s))
        t->first_s = 0;
    for (int64_t r = 0; r < rows->n_rows; r++) {
        struct trace_session *session = &t->sessions[t->n_sessions++];
        int lane = 0; /* the first one that is free at this moment */

        session->first_ns = ns_of(t, result_table_real(rows, r, "first"));
        session->id = result_table_integer(rows, r, "session");
        session->last_ns = ns_of(t, result_table_real(rows, r, "last"));
        while (lane < t->n_lanes && t->lanes[lane].free_ns > session->first_ns)
            lane++;
        t->n_lanes += lane == t->n_lanes;
        t->lanes[lane].free_ns = session->last_ns;
        session->lane = lane;
        session->is_lost = !strcmp(result_table_text(rows, r, "outcome"), "lost");
        put_session(t, rows, r, session);
    }
    for (int lane = 0; lane < t->n_lanes; lane++)
        put_name(t, "thread_name", "sessions", SESSIONS_PID, lane);
    qsort(t->sessions, t->n_sessions, sizeof *t->sessions, compare_ids);
    return 0;
}

/* ---- attempts ---- */

/* Colours are names of trace-viewer's base scheme. */
static const char *colour_of(const char *outcome)
{
    static const struct {
        const char *outcome, *colour;
    } colours[] = {
        {"done", "good"},
        {"diverged", "bad"},
        {"failed", "terrible"},
        {"crashed", "terrible"},
        {"stopped", "grey"},
        {"lost", "grey"},
        {"running", "thread_state_running"},
    };

    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        if (!strcmp(colours[i].outcome, outcome))
            return colours[i].colour;
    return NULL;
}

static const struct trace_session *find_session(const struct trace *t, int64_t id)
{
    return bsearch(&id, t->sessions, t->n_sessions, sizeof *t->sessions, compare_ids);
}

/* Note the place of the next attempts, which are sorted by it. */
static int enter_place(struct trace *t, const char *host, int64_t rank, struct err *err)
{
    bool is_new_host = !t->host || strcmp(t->host, host) != 0;

    if (!is_new_host && t->rank == rank)
        return 0;
    t->place++;
    t->rank = rank;
    if (!is_new_host)
        return 0;
    free(t->host);
    t->host = strdup(host);
    if (!t->host)
        return err_nomem(err, "host", strlen(host));
    put_name(t, "process_name", host, FIRST_HOST_PID + t->n_hosts++, 0);
    return 0;
}

static void put_phases(struct trace *t, const struct slice *attempt, const struct result_table *row)
{
    double sum = 0, length_s = (double)(attempt->end_ns - attempt->begin_ns) * 1e-9, passed = 0;

    for (enum trial_phase p = 0; p < PHASE_WAITING; p++)
        sum += fmax(result_table_real(row, 0, trial_phase_name(p)), 0);
    for (enum trial_phase p = 0; p < PHASE_WAITING; p++) {
        double seconds = result_table_real(row, 0, trial_phase_name(p));
        double share = sum > length_s ? length_s / sum : 1;
        struct slice phase = {trial_phase_name(p), attempt->pid, attempt->tid, 0, 0, NULL};

        if (!(seconds > 0) || !isfinite(sum))
            continue;
        phase.begin_ns = attempt->begin_ns + (int64_t)(passed * share * 1e9);
        passed += seconds;
        phase.end_ns = attempt->begin_ns + (int64_t)(passed * share * 1e9);
        if (phase.end_ns > attempt->end_ns)
            phase.end_ns = attempt->end_ns;
        if (phase.begin_ns > phase.end_ns)
            phase.begin_ns = phase.end_ns;
        begin_slice(t, &phase);
        buf_puts(&t->text, "\"sum_s\": ");
        real_format(&t->text, seconds);
        buf_puts(&t->text, "}}");
    }
}

/* A rank that is lost with several attempts is lost once. session: of the attempt, or NULL. */
static void put_marks(struct trace *t, const struct slice *slice, struct trace_lane *lane,
                      const struct trace_session *session, const struct result_table *row)
{
    const char *outcome = result_table_text(row, 0, "outcome");
    int64_t number = result_table_integer(row, 0, "attempt");
    char name[128];

    if (number > 1) {
        snprintf(name, sizeof name, "%s again (attempt %lld)", slice->name, (long long)number);
        put_instant(t, name, slice->pid, slice->tid, slice->begin_ns, 't');
    }
    if (!strcmp(outcome, "crashed"))
        snprintf(name, sizeof name, "rank %lld lost", (long long)t->rank);
    else if (!strcmp(outcome, "lost") && (!session || session->is_lost))
        snprintf(name, sizeof name, "rank %lld lost with its run", (long long)t->rank);
    else
        return;
    if (lane->mark_ns != slice->end_ns)
        put_instant(t, name, slice->pid, slice->tid, slice->end_ns, 't');
    lane->mark_ns = slice->end_ns;
}

/* Slices of one thread must not overlap, but clocks are set. */
static int put_attempt(void *arg, const struct result_table *row, struct err *err)
{
    struct trace *t = arg;
    const struct trace_session *session = find_session(t, result_table_integer(row, 0, "session"));
    struct trace_lane *lane = &t->lanes[session ? session->lane : 0];
    double finished_s = result_table_real(row, 0, "finished");
    char name[64];
    struct slice slice = {.name = name,
                          .begin_ns = ns_of(t, result_table_real(row, 0, "started")),
                          .colour = colour_of(result_table_text(row, 0, "outcome"))};

    if (enter_place(t, result_table_text(row, 0, "host"), result_table_integer(row, 0, "rank"),
                    err))
        return -1;
    slice.pid = FIRST_HOST_PID + t->n_hosts - 1;
    slice.tid = t->rank + (int64_t)(lane - t->lanes) * LANE_TIDS;
    if (lane->place != t->place) {
        *lane = (struct trace_lane){.place = t->place, .mark_ns = -1};
        snprintf(name, sizeof name, lane > t->lanes ? "rank %lld, beside (%d)" : "rank %lld",
                 (long long)t->rank, (int)(lane - t->lanes));
        put_name(t, "thread_name", name, slice.pid, slice.tid);
    }
    if (slice.begin_ns < lane->end_ns)
        slice.begin_ns = lane->end_ns;
    slice.end_ns = !isnan(finished_s) ? ns_of(t, finished_s) : session ? session->last_ns : 0;
    if (slice.end_ns < slice.begin_ns)
        slice.end_ns = slice.begin_ns;
    lane->end_ns = slice.end_ns;
    snprintf(name, sizeof name, "t%lld c%lld", (long long)result_table_integer(row, 0, "trial"),
             (long long)result_table_integer(row, 0, "config"));
    begin_slice(t, &slice);
    put_args(&t->text, row, 0, ATTEMPT_ARGS);
    buf_puts(&t->text, "}}");
    if (result_table_integer(row, 0, "is_result"))
        put_phases(t, &slice, row);
    if (result_table_integer(row, 0, "leads"))
        put_marks(t, &slice, lane, session, row);
    return t->text.size >= CHUNK ? write_text(t, err) : 0;
}

/* ---- gangs ---- */

/* A slice over the session for each rank that trained with others. The moments of sums are unknown:
 * the counters have them by size. */
static int put_gangs(struct trace *t, struct store *store, struct err *err)
{
    int64_t pid = FIRST_HOST_PID + t->n_hosts;
    struct result_table rows;

    if (query_table(&rows, store, QUERY_TRACE_GANGS, 0, err))
        return -1;
    if (rows.n_rows)
        put_name(t, "process_name", "gangs", pid, 0);
    for (int64_t r = 0; r < rows.n_rows; r++) {
        int64_t rank = result_table_integer(&rows, r, "rank");
        const struct trace_session *session =
            find_session(t, result_table_integer(&rows, r, "session"));
        struct slice slice = {.name = "in gangs", .pid = pid};
        char name[64];

        if (!session)
            continue;
        slice.tid = rank + (int64_t)session->lane * LANE_TIDS;
        slice.begin_ns = session->first_ns;
        slice.end_ns = session->last_ns;
        snprintf(name, sizeof name, "rank %lld", (long long)rank);
        put_name(t, "thread_name", name, slice.pid, slice.tid);
        begin_slice(t, &slice);
        put_args(&t->text, &rows, r, GANG_ARGS);
        /* a JSON object of numbers, whose first brace begin_slice() has written */
        buf_printf(&t->text, ", %s}", result_table_text(&rows, r, "counters") + 1);
    }
    result_table_release(&rows);
    return 0;
}

/* ---- the file ---- */

static int put_all(struct trace *t, struct store *store, struct err *err)
{
    struct result_table sessions;
    int rc;

    if (query_table(&sessions, store, QUERY_TRACE_SESSIONS, 0, err))
        return -1;
    if (!sessions.n_rows) {
        result_table_release(&sessions);
        return err_set(err, "%s: no session in it yet; run 'espalier run' first",
                       store_path(store));
    }
    buf_puts(&t->text, "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [");
    put_name(t, "process_name", "sessions", SESSIONS_PID, 0);
    rc = put_sessions(t, &sessions, err);
    result_table_release(&sessions);
    if (rc)
        return -1;
    if (query_each(store, QUERY_TRACE_ATTEMPTS, 0, put_attempt, t, err) || put_gangs(t, store, err))
        return -1;
    buf_puts(&t->text, "\n], \"otherData\": {\"phases\": \"sums over a trial, drawn one after "
                       "another\", \"zero of ts, in Unix seconds\": ");
    real_format(&t->text, t->first_s);
    buf_puts(&t->text, "}}\n");
    return write_text(t, err);
}

int trace_write(struct outfile *out, struct store *store, struct err *err)
{
    struct trace t = {.out = out};
    int rc = put_all(&t, store, err);

    buf_release(&t.text);
    free(t.sessions);
    free(t.lanes);
    free(t.host);
    return rc;
}
