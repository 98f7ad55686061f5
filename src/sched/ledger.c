/* SPDX-License-Identifier: BSD-3-Clause */
/* Each pending or leased trial is in one list: that of its group and kind, or of its worker (oldest
 * lease first). */
#include "sched/ledger.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "sched/list.h"
#include "sched/pending.h"

#define NONE (-1)

struct entry {
    int32_t worker; /* NONE unless leased */
    int32_t crashes;
    uint8_t state;         /* enum trial_state; RUNNING: leased */
    uint8_t kind;          /* enum pending_kind; a suspect stays one */
    bool is_crash_failure; /* failed by its crashes, not by a result */
};

struct lessee {
    struct list held;
    int64_t running; /* trial; NONE: not reported */
};

struct ledger {
    struct entry *entries; /* [n_trials] */
    struct link *links;    /* [n_trials] */
    int64_t n_trials;
    int32_t crash_limit, n_workers;
    struct pending pending;
    struct lessee *workers; /* [n_workers] seen so far */
    int64_t counts[TRIAL_STATE_COUNT];
};

/* ---- transitions ---- */

static void set_state(struct ledger *ledger, int64_t trial, enum trial_state state)
{
    struct entry *entry = &ledger->entries[trial];

    ledger->counts[entry->state]--;
    ledger->counts[state]++;
    entry->state = (uint8_t)state;
}

static enum pending_kind kind_of(const struct ledger *ledger, int64_t trial)
{
    return (enum pending_kind)ledger->entries[trial].kind;
}

static void detach(struct ledger *ledger, int64_t trial)
{
    struct entry *entry = &ledger->entries[trial];

    if (entry->state == TRIAL_PENDING) {
        pending_remove(&ledger->pending, trial, kind_of(ledger, trial));
    } else if (entry->state == TRIAL_RUNNING) {
        struct lessee *worker = &ledger->workers[entry->worker];

        list_remove(&worker->held, ledger->links, trial);
        if (worker->running == trial)
            worker->running = NONE;
        entry->worker = NONE;
    }
}

static void settle(struct ledger *ledger, int64_t trial, enum trial_state state)
{
    detach(ledger, trial);
    set_state(ledger, trial, state);
}

static bool is_final(enum trial_state state)
{
    return state == TRIAL_DONE || state == TRIAL_DIVERGED || state == TRIAL_FAILED;
}

/* Make a trial a suspect with more crashes. True if it has failed by that. */
static bool add_crashes(struct ledger *ledger, int64_t trial, int32_t crashes)
{
    struct entry *entry = &ledger->entries[trial];

    detach(ledger, trial);
    entry->crashes += crashes;
    entry->kind = PENDING_SUSPECT;
    if (entry->crashes >= ledger->crash_limit) {
        set_state(ledger, trial, TRIAL_FAILED);
        entry->is_crash_failure = true;
        return true;
    }
    set_state(ledger, trial, TRIAL_PENDING);
    pending_add(&ledger->pending, trial, kind_of(ledger, trial));
    return false;
}

/* ---- life ---- */

static int take_memory(struct ledger *ledger, int64_t group_size, const double *expected_s,
                       struct err *err)
{
    size_t n = (size_t)ledger->n_trials;

    ledger->entries = calloc(n + 1, sizeof *ledger->entries);
    ledger->links = calloc(n + 1, sizeof *ledger->links);
    if (!ledger->entries || !ledger->links)
        return err_nomem(err, "ledger", n * (sizeof *ledger->entries + sizeof *ledger->links));
    return pending_init(&ledger->pending, ledger->links, ledger->n_trials, group_size, expected_s,
                        err);
}

static void queue_all(struct ledger *ledger)
{
    for (int64_t i = ledger->n_trials; i-- > 0;) {
        ledger->entries[i] = (struct entry){.worker = NONE, .state = TRIAL_PENDING};
        pending_add(&ledger->pending, i, PENDING_CLEAR);
    }
    ledger->counts[TRIAL_PENDING] = ledger->n_trials;
}

struct ledger *ledger_create(int64_t n_trials, int64_t group_size, const double *expected_s,
                             int32_t crash_limit, struct err *err)
{
    struct ledger *ledger = calloc(1, sizeof *ledger);

    assert(crash_limit >= 1 && group_size >= 1);
    if (!ledger) {
        err_nomem(err, "ledger", sizeof *ledger);
        return NULL;
    }
    ledger->n_trials = n_trials;
    ledger->crash_limit = crash_limit;
    if (take_memory(ledger, group_size, expected_s, err)) {
        ledger_destroy(ledger);
        return NULL;
    }
    queue_all(ledger);
    return ledger;
}

void ledger_destroy(struct ledger *ledger)
{
    if (!ledger)
        return;
    pending_release(&ledger->pending);
    free(ledger->entries);
    free(ledger->links);
    free(ledger->workers);
    free(ledger);
}

static bool is_trial(const struct ledger *ledger, int64_t trial)
{
    return trial >= 0 && trial < ledger->n_trials;
}

void ledger_mark(struct ledger *ledger, int64_t trial, enum trial_state state)
{
    assert(is_trial(ledger, trial) && !ledger->n_workers && is_final(state));
    settle(ledger, trial, state);
}

bool ledger_blame(struct ledger *ledger, int64_t trial, int32_t crashes)
{
    assert(is_trial(ledger, trial) && ledger->entries[trial].state != TRIAL_RUNNING);
    if (crashes <= 0 || is_final((enum trial_state)ledger->entries[trial].state))
        return false;
    return add_crashes(ledger, trial, crashes);
}

void ledger_suspect(struct ledger *ledger, int64_t trial)
{
    assert(is_trial(ledger, trial) && !ledger->n_workers);
    if (!is_final((enum trial_state)ledger->entries[trial].state))
        add_crashes(ledger, trial, 0);
}

/* ---- events ---- */

static int add_workers(struct ledger *ledger, int32_t worker, struct err *err)
{
    int64_t n = 2 * (int64_t)worker + 8;
    struct lessee *grown;

    if (worker < ledger->n_workers)
        return 0;
    if (n > INT32_MAX)
        n = (int64_t)worker + 1;
    grown = realloc(ledger->workers, (size_t)n * sizeof *grown);
    if (!grown)
        return err_nomem(err, "workers of the ledger", (size_t)n * sizeof *grown);
    for (int64_t i = ledger->n_workers; i < n; i++) {
        list_init(&grown[i].held);
        grown[i].running = NONE;
    }
    ledger->workers = grown;
    ledger->n_workers = (int32_t)n;
    return 0;
}

void ledger_expect(struct ledger *ledger, int32_t group, double seconds)
{
    pending_expect(&ledger->pending, group, seconds);
}

int ledger_allow_widths(struct ledger *ledger, const int32_t *widths, int32_t n, struct err *err)
{
    return pending_allow_widths(&ledger->pending, widths, n, err);
}

void ledger_set_width(struct ledger *ledger, int32_t group, int32_t width)
{
    pending_set_width(&ledger->pending, group, width);
}

/* NULL: never seen. */
static struct lessee *lessee_of(const struct ledger *ledger, int32_t worker)
{
    return worker >= 0 && worker < ledger->n_workers ? &ledger->workers[worker] : NULL;
}

static bool holds_suspect(const struct ledger *ledger, const struct lessee *worker)
{
    return worker && worker->held.n && ledger->entries[worker->held.first].kind == PENDING_SUSPECT;
}

int64_t ledger_next_suspect(const struct ledger *ledger, double most_s)
{
    return pending_next(&ledger->pending, PENDING_SUSPECT, 0, most_s);
}

int64_t ledger_next(const struct ledger *ledger, int32_t worker, double most_s)
{
    int64_t next;

    if (holds_suspect(ledger, lessee_of(ledger, worker)))
        return NONE;
    next = pending_next(&ledger->pending, PENDING_CLEAR, 0, most_s);
    if (next == NONE && !ledger_held(ledger, worker))
        next = ledger_next_suspect(ledger, most_s);
    return next;
}

int64_t ledger_next_wide(const struct ledger *ledger, int32_t tier, bool suspect, double most_s)
{
    assert(tier > 0 && tier < ledger->pending.n_tiers);
    return pending_next(&ledger->pending, suspect ? PENDING_SUSPECT : PENDING_CLEAR, tier, most_s);
}

int ledger_lease(struct ledger *ledger, int32_t worker, int64_t trial, struct err *err)
{
    assert(worker >= 0 && is_trial(ledger, trial));
    assert(ledger->entries[trial].state == TRIAL_PENDING);
    if (add_workers(ledger, worker, err))
        return -1;
    assert(!holds_suspect(ledger, &ledger->workers[worker]));
    assert(ledger->entries[trial].kind == PENDING_CLEAR || !ledger->workers[worker].held.n);
    settle(ledger, trial, TRIAL_RUNNING);
    ledger->entries[trial].worker = worker;
    list_append(&ledger->workers[worker].held, ledger->links, trial);
    return 0;
}

void ledger_start(struct ledger *ledger, int32_t worker, int64_t trial)
{
    if (is_trial(ledger, trial) && ledger->entries[trial].state == TRIAL_RUNNING &&
        ledger->entries[trial].worker == worker)
        ledger->workers[worker].running = trial;
}

enum ledger_answer ledger_finish(struct ledger *ledger, int64_t trial, enum trial_state state)
{
    const struct entry *entry;

    assert(is_final(state));
    if (!is_trial(ledger, trial))
        return LEDGER_UNKNOWN;
    entry = &ledger->entries[trial];
    /* The worker was only silent. */
    if (entry->state == TRIAL_FAILED && entry->is_crash_failure && state != TRIAL_FAILED) {
        set_state(ledger, trial, state);
        return LEDGER_ACCEPTED;
    }
    if (is_final((enum trial_state)entry->state))
        return LEDGER_DUPLICATE;
    settle(ledger, trial, state);
    return LEDGER_ACCEPTED;
}

void ledger_give_back(struct ledger *ledger, int64_t trial)
{
    if (!is_trial(ledger, trial) || ledger->entries[trial].state != TRIAL_RUNNING)
        return;
    settle(ledger, trial, TRIAL_PENDING);
    pending_add(&ledger->pending, trial, kind_of(ledger, trial));
}

void ledger_reopen(struct ledger *ledger, int64_t trial)
{
    if (!is_trial(ledger, trial) || ledger->entries[trial].state != TRIAL_DONE)
        return;
    set_state(ledger, trial, TRIAL_PENDING);
    pending_add(&ledger->pending, trial, kind_of(ledger, trial));
}

/* NONE: the worker ran nothing, or one of several. */
static int64_t culprit(const struct lessee *worker)
{
    if (worker->running != NONE)
        return worker->running;
    return worker->held.n == 1 ? worker->held.first : NONE;
}

int32_t ledger_blames(const struct ledger *ledger, int32_t worker, int32_t max, int64_t *out)
{
    const struct lessee *lessee = lessee_of(ledger, worker);
    int64_t only = lessee ? culprit(lessee) : NONE;
    int32_t n = 0;

    if (!lessee || (only == NONE && ledger->crash_limit == 1))
        return 0;
    for (int64_t at = lessee->held.first; at != LIST_END && n < max; at = ledger->links[at].next)
        if (only == NONE || only == at)
            out[n++] = at;
    return n;
}

int32_t ledger_lose_worker(struct ledger *ledger, int32_t worker, int32_t max, int64_t *failed)
{
    struct lessee *lost = lessee_of(ledger, worker);
    int64_t only = lost ? culprit(lost) : NONE;
    int32_t n = 0;

    if (!lost)
        return 0;
    if (only != NONE && add_crashes(ledger, only, 1) && max > 0)
        failed[n++] = only;
    /* From the last: a returned trial goes before the rest of its group. */
    while (lost->held.n)
        if (only != NONE)
            ledger_give_back(ledger, lost->held.last);
        else
            add_crashes(ledger, lost->held.last, ledger->crash_limit > 1);
    return n;
}

/* ---- views ---- */

int32_t ledger_lessee(const struct ledger *ledger, int64_t trial)
{
    return is_trial(ledger, trial) ? ledger->entries[trial].worker : NONE;
}

bool ledger_is_last_attempt(const struct ledger *ledger, int64_t trial)
{
    return ledger->entries[trial].crashes + 1 >= ledger->crash_limit;
}

bool ledger_is_suspect(const struct ledger *ledger, int64_t trial)
{
    return is_trial(ledger, trial) && ledger->entries[trial].kind == PENDING_SUSPECT;
}

int32_t ledger_group(const struct ledger *ledger, int64_t trial)
{
    return pending_group_of(&ledger->pending, trial);
}

int32_t ledger_group_width(const struct ledger *ledger, int32_t group)
{
    return ledger->pending.groups[group].width;
}

int32_t ledger_width(const struct ledger *ledger, int64_t trial)
{
    return ledger_group_width(ledger, ledger_group(ledger, trial));
}

int64_t ledger_n_wide(const struct ledger *ledger)
{
    return ledger->pending.n_wide;
}

int32_t ledger_n_widths(const struct ledger *ledger)
{
    return ledger->pending.n_tiers;
}

int32_t ledger_tier_width(const struct ledger *ledger, int32_t tier)
{
    return ledger->pending.widths[tier];
}

int32_t ledger_n_groups(const struct ledger *ledger)
{
    return ledger->pending.n_groups;
}

double ledger_expected(const struct ledger *ledger, int32_t group)
{
    return ledger->pending.groups[group].seconds;
}

double ledger_pending_s(const struct ledger *ledger)
{
    return fmax(ledger->pending.seconds, 0);
}

int64_t ledger_held(const struct ledger *ledger, int32_t worker)
{
    const struct lessee *lessee = lessee_of(ledger, worker);

    return lessee ? lessee->held.n : 0;
}

struct ledger_counts ledger_counts(const struct ledger *ledger)
{
    return (struct ledger_counts){
        .pending = ledger->counts[TRIAL_PENDING],
        .leased = ledger->counts[TRIAL_RUNNING],
        .done = ledger->counts[TRIAL_DONE],
        .diverged = ledger->counts[TRIAL_DIVERGED],
        .failed = ledger->counts[TRIAL_FAILED],
        .total = ledger->n_trials,
    };
}

bool ledger_is_finished(const struct ledger *ledger)
{
    return !ledger->counts[TRIAL_PENDING] && !ledger->counts[TRIAL_RUNNING];
}

enum trial_state ledger_state(const struct ledger *ledger, int64_t trial)
{
    assert(is_trial(ledger, trial));
    return (enum trial_state)ledger->entries[trial].state;
}

/* ---- invariants ---- */

static int check_waiting(const struct ledger *ledger, int32_t group, struct err *err)
{
    for (int kind = 0; kind < PENDING_KINDS; kind++) {
        const struct list *waiting = &ledger->pending.groups[group].waiting[kind];

        for (int64_t at = waiting->first; at != LIST_END; at = ledger->links[at].next) {
            const struct entry *entry = &ledger->entries[at];

            if (entry->state != TRIAL_PENDING || entry->worker != NONE || entry->kind != kind)
                return err_set(err, "trial %ld waits as kind %d, and is %s by %d", (long)at, kind,
                               trial_state_name((enum trial_state)entry->state), entry->worker);
        }
    }
    return 0;
}

static int check_worker(const struct ledger *ledger, int32_t w, struct err *err)
{
    const struct lessee *worker = &ledger->workers[w];

    if (list_check(&worker->held, ledger->links, err))
        return -1;
    for (int64_t at = worker->held.first; at != LIST_END; at = ledger->links[at].next) {
        const struct entry *entry = &ledger->entries[at];

        if (entry->state != TRIAL_RUNNING || entry->worker != w)
            return err_set(err, "trial %ld is %s by %d", (long)at,
                           trial_state_name((enum trial_state)entry->state), entry->worker);
        if (entry->kind == PENDING_SUSPECT && worker->held.n > 1)
            return err_set(err, "suspect %ld is one of %ld", (long)at, (long)worker->held.n);
    }
    if (worker->running != NONE && ledger->entries[worker->running].worker != w)
        return err_set(err, "trial %ld runs without a lease", (long)worker->running);
    return 0;
}

static int check_lists(const struct ledger *ledger, struct err *err)
{
    int64_t leased = 0;

    if (pending_check(&ledger->pending, err))
        return -1;
    for (int32_t g = 0; g < ledger->pending.n_groups; g++)
        if (check_waiting(ledger, g, err))
            return err_wrap(err, "group %d", g);
    for (int32_t w = 0; w < ledger->n_workers; w++) {
        if (check_worker(ledger, w, err))
            return err_wrap(err, "worker %d", w);
        leased += ledger->workers[w].held.n;
    }
    if (ledger->pending.n != ledger->counts[TRIAL_PENDING] ||
        leased != ledger->counts[TRIAL_RUNNING])
        return err_set(err, "lists hold %ld pending and %ld leased trials", (long)ledger->pending.n,
                       (long)leased);
    return 0;
}

static int check_entries(const struct ledger *ledger, struct err *err)
{
    int64_t counts[TRIAL_STATE_COUNT] = {0};

    for (int64_t i = 0; i < ledger->n_trials; i++) {
        const struct entry *entry = &ledger->entries[i];

        counts[entry->state]++;
        if (entry->crashes >= ledger->crash_limit && !is_final((enum trial_state)entry->state))
            return err_set(err, "trial %ld crashed %d times and goes on", (long)i, entry->crashes);
        if (entry->crashes && entry->kind != PENDING_SUSPECT)
            return err_set(err, "trial %ld crashed and is no suspect", (long)i);
    }
    for (int s = 0; s < TRIAL_STATE_COUNT; s++)
        if (counts[s] != ledger->counts[s])
            return err_set(err, "%s: %ld trials, counted as %ld", trial_state_name(s),
                           (long)counts[s], (long)ledger->counts[s]);
    return 0;
}

int ledger_check(const struct ledger *ledger, struct err *err)
{
    return check_lists(ledger, err) || check_entries(ledger, err) ? -1 : 0;
}
