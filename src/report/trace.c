/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/trace.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/real.h"
#include "store/query/query.h"
#include "trial/result.h"

enum { CHUNK = 64 << 10 };
enum { SESSIONS_PID = 1, FIRST_HOST_PID = 2 };
#define LANE_TIDS 1000000 /* ranks of a lane; lane 0 has the ranks themselves */
#define LAST_NS INT64_C(4000000000000000000)

/* Sessions of one lane do not overlap. */
struct trace_session {
    int64_t id;
    int64_t first_ns, last_ns;
    int lane;
    bool is_lost;
};

/* The slices of one rank in a lane. */
struct trace_lane {
    int64_t place;   /* the rank that they are of; another's are no slices */
    int64_t end_ns;  /* of the last slice */
    int64_t mark_ns; /* where the rank was last marked as lost; -1: nowhere */
};

struct trace {
    struct outfile *out;
    struct buf text;                /* not written yet */
    double first_s;                 /* Unix seconds; the zero of all times */
    struct trace_session *sessions; /* [n_sessions] by id */
    size_t n_sessions;
    /* [2 n_leaves] a binary tree: its leaves are the ends of the lanes' last sessions, and a node has
     * the least end below it. */
    int64_t *least_ends;
    size_t n_leaves;
    struct trace_lane *lanes; /* [n_leaves] */
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

static void put_real_arg(struct buf *out, const char *key, double value)
{
    if (!isfinite(value))
        return;
    buf_printf(out, ", \"%s\": ", key);
    real_format(out, value);
}

static void put_text_arg(struct buf *out, const char *key, const char *text)
{
    if (!*text)
        return;
    buf_printf(out, ", \"%s\": ", key);
    escape_json_terminal(out, text);
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

/* Return the first lane that is free at this moment, and occupy it. One is free: there are as many as
 * sessions. */
static int take_lane(struct trace *t, int64_t begin_ns, int64_t end_ns)
{
    int64_t *ends = t->least_ends;
    size_t node = 1;
    int lane;

    while (node < t->n_leaves)
        node = 2 * node + (ends[2 * node] > begin_ns);
    lane = (int)(node - t->n_leaves);
    ends[node] = end_ns;
    while (node /= 2)
        ends[node] = ends[2 * node] < ends[2 * node + 1] ? ends[2 * node] : ends[2 * node + 1];
    if (lane == t->n_lanes)
        t->n_lanes++;
    return lane;
}

static void put_session(struct trace *t, const struct result_table *row, int64_t r,
                        const struct trace_session *session, int64_t begin_ns)
{
    const char *outcome = result_table_text(row, r, "outcome");
    struct buf name = {0};
    struct slice slice = {.pid = SESSIONS_PID,
                          .tid = session->lane,
                          .begin_ns = begin_ns,
                          .end_ns = session->last_ns};

    buf_printf(&name, "session %lld", (long long)session->id);
    slice.name = buf_text(&name);
    begin_slice(t, &slice);
    buf_printf(&t->text, "\"ranks\": %lld", (long long)result_table_integer(row, r, "ranks"));
    put_text_arg(&t->text, "outcome", outcome);
    put_text_arg(&t->text, "host", result_table_text(row, r, "host"));
    put_text_arg(&t->text, "version", result_table_text(row, r, "version"));
    put_text_arg(&t->text, "command", result_table_text(row, r, "command"));
    buf_puts(&t->text, "}}");
    buf_puts(&name, " begins");
    put_instant(t, buf_text(&name), SESSIONS_PID, session->lane, begin_ns, 'g');
    buf_cut(&name, name.size - (buf_failed(&name) ? 0 : strlen(" begins")));
    buf_printf(&name, ": %s", outcome);
    put_instant(t, buf_text(&name), SESSIONS_PID, session->lane, slice.end_ns, 'g');
    t->text.failed |= buf_failed(&name);
    buf_release(&name);
}

static int put_sessions(struct trace *t, const struct result_table *rows, struct err *err)
{
    size_t n = (size_t)rows->n_rows;

    for (t->n_leaves = 1; t->n_leaves < n;)
        t->n_leaves *= 2;
    t->sessions = calloc(n + 1, sizeof *t->sessions);
    t->least_ends = calloc(2 * t->n_leaves, sizeof *t->least_ends);
    t->lanes = calloc(t->n_leaves, sizeof *t->lanes);
    if (!t->sessions || !t->least_ends || !t->lanes)
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

        session->first_ns = ns_of(t, result_table_real(rows, r, "first"));
        session->id = result_table_integer(rows, r, "session");
        session->last_ns = ns_of(t, result_table_real(rows, r, "last"));
        session->lane = take_lane(t, session->first_ns, session->last_ns);
        session->is_lost = !strcmp(result_table_text(rows, r, "outcome"), "lost");
        put_session(t, rows, r, session, ns_of(t, result_table_real(rows, r, "started")));
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

static void put_thread(struct trace *t, const struct slice *slice, int lane)
{
    struct buf name = {0};

    buf_printf(&name, "rank %lld", (long long)t->rank);
    if (lane)
        buf_printf(&name, ", beside (%d)", lane);
    put_name(t, "thread_name", buf_text(&name), slice->pid, slice->tid);
    t->text.failed |= buf_failed(&name);
    buf_release(&name);
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

static void put_attempt_args(struct buf *out, const struct result_table *row)
{
    static const struct {
        const char *name, *column;
    } integers[] = {
        {"config", "config"},  {"replicate", "replicate"}, {"fold", "fold"},
        {"attempt", "number"}, {"attempt_id", "attempt"},  {"session", "session"},
    };
    bool is_result = result_table_integer(row, 0, "is_result");
    int64_t ranks = result_table_integer(row, 0, "ranks");

    buf_printf(out, "\"trial\": %lld", (long long)result_table_integer(row, 0, "trial"));
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        buf_printf(out, ", \"%s\": %lld", integers[i].name,
                   (long long)result_table_integer(row, 0, integers[i].column));
    if (result_table_find(row, 0, "pid")->type == CELL_INTEGER)
        buf_printf(out, ", \"pid\": %lld", (long long)result_table_integer(row, 0, "pid"));
    if (ranks)
        buf_printf(out, ", \"ranks\": %lld, \"leader\": %lld", (long long)ranks,
                   (long long)result_table_integer(row, 0, "leader"));
    put_text_arg(out, "sweep", result_table_text(row, 0, "sweep"));
    put_text_arg(out, "outcome", result_table_text(row, 0, "outcome"));
    if (is_result)
        put_real_arg(out, "value", result_table_real(row, 0, "value"));
    if (is_result)
        put_real_arg(out, "waited_s", result_table_real(row, 0, "waiting"));
    put_text_arg(out, "error", result_table_text(row, 0, "error"));
    if (isnan(result_table_real(row, 0, "finished")))
        put_text_arg(out, "end", "not recorded");
}

/* A rank that is lost with several attempts is lost once. session: of the attempt, or NULL. */
static void put_marks(struct trace *t, const struct slice *slice, struct trace_lane *lane,
                      const struct trace_session *session, const struct result_table *row)
{
    const char *outcome = result_table_text(row, 0, "outcome");
    int64_t number = result_table_integer(row, 0, "number");
    struct buf name = {0};

    if (number > 1) {
        buf_printf(&name, "%s again (attempt %lld)", slice->name, (long long)number);
        put_instant(t, buf_text(&name), slice->pid, slice->tid, slice->begin_ns, 't');
        buf_clear(&name);
    }
    if (!strcmp(outcome, "crashed"))
        buf_printf(&name, "rank %lld lost", (long long)t->rank);
    else if (!strcmp(outcome, "lost") && (!session || session->is_lost))
        buf_printf(&name, "rank %lld lost with its run", (long long)t->rank);
    if (name.size && lane->mark_ns != slice->end_ns) {
        put_instant(t, buf_text(&name), slice->pid, slice->tid, slice->end_ns, 't');
        lane->mark_ns = slice->end_ns;
    }
    t->text.failed |= buf_failed(&name);
    buf_release(&name);
}

/* Slices of one thread must not overlap, but clocks are set. */
static int put_attempt(void *arg, const struct result_table *row, struct err *err)
{
    struct trace *t = arg;
    const struct trace_session *session = find_session(t, result_table_integer(row, 0, "session"));
    struct trace_lane *lane = &t->lanes[session ? session->lane : 0];
    double finished_s = result_table_real(row, 0, "finished");
    struct buf name = {0};
    struct slice slice = {.begin_ns = ns_of(t, result_table_real(row, 0, "started")),
                          .colour = colour_of(result_table_text(row, 0, "outcome"))};

    if (enter_place(t, result_table_text(row, 0, "host"), result_table_integer(row, 0, "rank"),
                    err))
        return -1;
    slice.pid = FIRST_HOST_PID + t->n_hosts - 1;
    slice.tid = t->rank + (int64_t)(lane - t->lanes) * LANE_TIDS;
    if (lane->place != t->place) {
        *lane = (struct trace_lane){.place = t->place, .mark_ns = -1};
        put_thread(t, &slice, (int)(lane - t->lanes));
    }
    if (slice.begin_ns < lane->end_ns)
        slice.begin_ns = lane->end_ns;
    slice.end_ns = !isnan(finished_s) ? ns_of(t, finished_s) : session ? session->last_ns : 0;
    if (slice.end_ns < slice.begin_ns)
        slice.end_ns = slice.begin_ns;
    lane->end_ns = slice.end_ns;
    buf_printf(&name, "t%lld c%lld", (long long)result_table_integer(row, 0, "trial"),
               (long long)result_table_integer(row, 0, "config"));
    slice.name = buf_text(&name);
    begin_slice(t, &slice);
    put_attempt_args(&t->text, row);
    buf_puts(&t->text, "}}");
    if (result_table_integer(row, 0, "is_result"))
        put_phases(t, &slice, row);
    if (result_table_integer(row, 0, "leader") == t->rank)
        put_marks(t, &slice, lane, session, row);
    t->text.failed |= buf_failed(&name);
    buf_release(&name);
    return t->text.size >= CHUNK ? write_text(t, err) : 0;
}

/* ---- gangs ---- */

static void put_gang_slice(struct trace *t, const struct result_table *rows, int64_t r,
                           const struct trace_session *session)
{
    int64_t rank = result_table_integer(rows, r, "rank");
    struct buf name = {0};
    struct slice slice = {.name = "in gangs",
                          .pid = FIRST_HOST_PID + t->n_hosts,
                          .tid = rank + (int64_t)session->lane * LANE_TIDS,
                          .begin_ns = session->first_ns,
                          .end_ns = session->last_ns};

    buf_printf(&name, "rank %lld", (long long)rank);
    put_name(t, "thread_name", buf_text(&name), slice.pid, slice.tid);
    begin_slice(t, &slice);
    buf_printf(&t->text, "\"session\": %lld", (long long)session->id);
    put_text_arg(&t->text, "host", result_table_text(rows, r, "host"));
    t->text.failed |= buf_failed(&name);
    buf_release(&name);
}

/* The rows of one rank: `"compute_s": 9, "sum": {"up to 256 bytes": {"calls": ...}}`. Return the row
 * behind them. */
static int64_t put_gang_args(struct trace *t, const struct result_table *rows, int64_t r)
{
    int64_t session = result_table_integer(rows, r, "session");
    int64_t rank = result_table_integer(rows, r, "rank");
    const char *open = "";

    for (; r < rows->n_rows && result_table_integer(rows, r, "session") == session &&
           result_table_integer(rows, r, "rank") == rank;
         r++) {
        const char *activity = result_table_text(rows, r, "activity");
        int64_t size = result_table_integer(rows, r, "size");

        if (strcmp(open, activity) != 0)
            buf_printf(&t->text, "%s, \"%s%s\": ", *open ? "}" : "", activity, size ? "" : "_s");
        if (!size) {
            real_format(&t->text, result_table_real(rows, r, "seconds"));
            continue;
        }
        buf_printf(&t->text, "%s\"up to %lld bytes\": {\"calls\": %lld, \"bytes\": %lld",
                   strcmp(open, activity) != 0 ? "{" : ", ", (long long)size,
                   (long long)result_table_integer(rows, r, "calls"),
                   (long long)result_table_integer(rows, r, "bytes"));
        put_real_arg(&t->text, "seconds", result_table_real(rows, r, "seconds"));
        buf_puts(&t->text, "}");
        open = activity;
    }
    buf_puts(&t->text, *open ? "}" : "");
    return r;
}

/* The moments of sums are unknown: the counters of the session have them by size. */
static void put_gangs(struct trace *t, const struct result_table *rows)
{
    if (rows->n_rows)
        put_name(t, "process_name", "gangs", FIRST_HOST_PID + t->n_hosts, 0);
    for (int64_t r = 0; r < rows->n_rows;) {
        const struct trace_session *session =
            find_session(t, result_table_integer(rows, r, "session"));

        if (session)
            put_gang_slice(t, rows, r, session);
        r = session ? put_gang_args(t, rows, r) : r + 1;
        buf_puts(&t->text, session ? "}}" : "");
    }
}

/* ---- the file ---- */

static int put_all_gangs(struct trace *t, struct store *store, struct err *err)
{
    struct result_table rows;

    if (query_table(&rows, store, QUERY_TRACE_GANGS, 0, err))
        return -1;
    put_gangs(t, &rows);
    result_table_release(&rows);
    return 0;
}

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
    if (query_each(store, QUERY_TRACE_ATTEMPTS, 0, put_attempt, t, err) ||
        put_all_gangs(t, store, err))
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
    free(t.least_ends);
    free(t.lanes);
    free(t.host);
    return rc;
}
