/* SPDX-License-Identifier: BSD-3-Clause */
/* Each pending or leased trial is in one list: that of its group and kind, or of its worker (oldest
 * lease first). A group with pending trials of a kind is in one bucket of that kind and its width. */
#include "sched/ledger.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1)

/* Buckets range from 30 ns to 97 days; values beyond go into the first or last. */
#define LEAST_EXPONENT (-24)
#define LEAST_S 0x1p-25
#define MOST_S 0x1p23
enum { STEPS = 32, OCTAVES = 48, BUCKETS = STEPS * OCTAVES };

enum kind {
    CLEAR,
    SUSPECT, /* a worker was lost, maybe because of it */
    KINDS
};

/* Numbered items, each in at most one list; an array holds the links of all. */
struct list {
    int64_t first, last; /* NONE: empty */
    int64_t n;
};

struct link {
    int64_t previous, next; /* NONE at the ends; undefined outside lists */
};

struct entry {
    int32_t worker; /* NONE unless leased */
    int32_t crashes;
    uint8_t state;         /* enum trial_state; RUNNING: leased */
    uint8_t kind;          /* enum kind; a suspect stays one */
    bool is_crash_failure; /* failed by its crashes, not by a result */
};

struct group {
    struct list waiting[KINDS];
    double seconds; /* expected, of one trial */
    int32_t width;  /* workers that run one trial together */
    int32_t tier;   /* of this width */
};

/* The groups of a kind and width, by seconds. */
struct tier {
    struct list of[BUCKETS];
    uint64_t filled[BUCKETS / 64]; /* a bit for each bucket */
};

struct lessee {
    struct list held;
    int64_t running; /* trial; NONE: not reported */
};

struct ledger {
    struct entry *entries; /* [n_trials] */
    struct link *links;    /* [n_trials] */
    int64_t n_trials;
    int64_t group_size; /* trial i belongs to group i / group_size */
    int32_t n_groups, crash_limit;
    struct group *groups;        /* [n_groups] */
    struct link *g_links[KINDS]; /* [n_groups] */
    struct tier *tiers[KINDS];   /* [n_tiers] */
    int32_t *widths;             /* [n_tiers] ascending; the first is 1 */
    int32_t n_tiers, n_workers;
    double pending_s;       /* expected, of all pending trials, times their widths */
    struct lessee *workers; /* [n_workers] seen so far */
    int64_t counts[TRIAL_STATE_COUNT];
};

/* ---- lists ---- */

static const struct list empty = {.first = NONE, .last = NONE};

static void insert(struct list *list, struct link *links, int64_t item, bool is_last)
{
    struct link at = is_last ? (struct link){.previous = list->last, .next = NONE}
                             : (struct link){.previous = NONE, .next = list->first};

    links[item] = at;
    *(at.previous == NONE ? &list->first : &links[at.previous].next) = item;
    *(at.next == NONE ? &list->last : &links[at.next].previous) = item;
    list->n++;
}

static void take_out(struct list *list, struct link *links, int64_t item)
{
    struct link at = links[item];

    *(at.previous == NONE ? &list->first : &links[at.previous].next) = at.next;
    *(at.next == NONE ? &list->last : &links[at.next].previous) = at.previous;
    list->n--;
}

/* ---- groups by seconds ---- */

static int32_t bucket_of(double seconds)
{
    double fraction; /* [0.5, 1) */
    int exponent;

    if (!(seconds > LEAST_S))
        return 0;
    if (seconds >= MOST_S)
        return BUCKETS - 1;
    fraction = frexp(seconds, &exponent);
    return (exponent - LEAST_EXPONENT) * STEPS + (int32_t)((fraction - 0.5) * (2 * STEPS));
}

static void enter_bucket(struct ledger *ledger, int32_t g, int kind, bool is_last)
{
    struct tier *tier = &ledger->tiers[kind][ledger->groups[g].tier];
    int32_t bucket = bucket_of(ledger->groups[g].seconds);

    insert(&tier->of[bucket], ledger->g_links[kind], g, is_last);
    tier->filled[bucket / 64] |= UINT64_C(1) << bucket % 64;
}

static void leave_bucket(struct ledger *ledger, int32_t g, int kind)
{
    struct tier *tier = &ledger->tiers[kind][ledger->groups[g].tier];
    int32_t bucket = bucket_of(ledger->groups[g].seconds);

    take_out(&tier->of[bucket], ledger->g_links[kind], g);
    if (!tier->of[bucket].n)
        tier->filled[bucket / 64] &= ~(UINT64_C(1) << bucket % 64);
}

/* Return the highest non-empty bucket up to `bucket`; -1: none. */
static int32_t highest(const struct tier *tier, int32_t bucket)
{
    uint64_t mask = bucket < 0 ? 0 : ~UINT64_C(0) >> (63 - bucket % 64);

    for (int32_t word = bucket < 0 ? -1 : bucket / 64; word >= 0; word--) {
        uint64_t bits = tier->filled[word] & mask;

        if (bits)
            return word * 64 + 63 - __builtin_clzll(bits);
        mask = ~UINT64_C(0);
    }
    return -1;
}

/* Return the first trial of the longest group of at most most_s; NONE: none. May pass over a group
 * less than 3 percent shorter than most_s. */
static int64_t longest(const struct ledger *ledger, enum kind kind, int32_t t, double most_s)
{
    const struct tier *tier = &ledger->tiers[kind][t];
    int32_t bucket = highest(tier, most_s < 0 ? -1 : bucket_of(most_s));

    if (bucket >= 0 && ledger->groups[tier->of[bucket].first].seconds > most_s)
        bucket = highest(tier, bucket - 1);
    return bucket < 0 ? NONE : ledger->groups[tier->of[bucket].first].waiting[kind].first;
}

void ledger_expect(struct ledger *ledger, int32_t g, double seconds)
{
    struct group *group = &ledger->groups[g];
    bool moves = bucket_of(seconds) != bucket_of(group->seconds);

    for (int kind = 0; kind < KINDS; kind++) {
        int64_t n = group->waiting[kind].n;

        ledger->pending_s += (seconds - group->seconds) * group->width * (double)n;
        if (n && moves)
            leave_bucket(ledger, g, kind);
    }
    group->seconds = seconds;
    for (int kind = 0; kind < KINDS && moves; kind++)
        if (group->waiting[kind].n)
            enter_bucket(ledger, g, kind, true);
}

void ledger_set_width(struct ledger *ledger, int32_t g, int32_t width)
{
    struct group *group = &ledger->groups[g];
    int32_t tier = 0;

    while (ledger->widths[tier] != width)
        tier++;
    if (width == group->width)
        return;
    for (int kind = 0; kind < KINDS; kind++) {
        int64_t n = group->waiting[kind].n;

        ledger->pending_s += (width - group->width) * group->seconds * (double)n;
        if (n)
            leave_bucket(ledger, g, kind);
    }
    group->width = width;
    group->tier = tier;
    for (int kind = 0; kind < KINDS; kind++)
        if (group->waiting[kind].n)
            enter_bucket(ledger, g, kind, false);
}

int ledger_allow_widths(struct ledger *ledger, const int32_t *widths, int32_t n, struct err *err)
{
    size_t all = (size_t)ledger->n_tiers + (size_t)n;
    int32_t *grown = realloc(ledger->widths, all * sizeof *grown);

    if (grown) {
        ledger->widths = grown;
        memcpy(grown + ledger->n_tiers, widths, (size_t)n * sizeof *grown);
    }
    for (int kind = 0; grown && kind < KINDS; kind++) {
        struct tier *tiers = realloc(ledger->tiers[kind], all * sizeof *tiers);

        if (!tiers)
            return err_nomem(err, "order of trials", all * sizeof *tiers);
        ledger->tiers[kind] = tiers;
        for (size_t t = (size_t)ledger->n_tiers; t < all; t++) {
            memset(tiers[t].filled, 0, sizeof tiers[t].filled);
            for (int32_t bucket = 0; bucket < BUCKETS; bucket++)
                tiers[t].of[bucket] = empty;
        }
    }
    if (!grown)
        return err_nomem(err, "widths of trials", all * sizeof *grown);
    ledger->n_tiers += n;
    return 0;
}

/* ---- transitions ---- */

static void set_state(struct ledger *ledger, int64_t trial, enum trial_state state)
{
    struct entry *entry = &ledger->entries[trial];

    ledger->counts[entry->state]--;
    ledger->counts[state]++;
    entry->state = (uint8_t)state;
}

/* Make a trial, which is in no list, pending: before the others of its group and kind; a suspect
 * after them. */
static void queue(struct ledger *ledger, int64_t trial)
{
    int32_t g = ledger_group(ledger, trial);
    struct group *group = &ledger->groups[g];
    int kind = ledger->entries[trial].kind;

    set_state(ledger, trial, TRIAL_PENDING);
    insert(&group->waiting[kind], ledger->links, trial, kind == SUSPECT);
    if (group->waiting[kind].n == 1)
        enter_bucket(ledger, g, kind, false);
    ledger->pending_s += group->width * group->seconds;
}

/* Take a trial out of its list, and set its state. */
static void settle(struct ledger *ledger, int64_t trial, enum trial_state state)
{
    struct entry *entry = &ledger->entries[trial];
    int32_t g = ledger_group(ledger, trial);
    struct group *group = &ledger->groups[g];

    if (entry->state == TRIAL_PENDING) {
        take_out(&group->waiting[entry->kind], ledger->links, trial);
        if (!group->waiting[entry->kind].n)
            leave_bucket(ledger, g, entry->kind);
        ledger->pending_s -= group->width * group->seconds;
    } else if (entry->state == TRIAL_RUNNING) {
        struct lessee *worker = &ledger->workers[entry->worker];

        take_out(&worker->held, ledger->links, trial);
        if (worker->running == trial)
            worker->running = NONE;
        entry->worker = NONE;
    }
    set_state(ledger, trial, state);
    if (!ledger->counts[TRIAL_PENDING])
        ledger->pending_s = 0; /* leaves no rounding error */
}

static bool is_final(const struct ledger *ledger, int64_t trial)
{
    return ledger->entries[trial].state > TRIAL_RUNNING;
}

/* Make a trial a suspect with more crashes. True if it has failed by that. */
static bool add_crashes(struct ledger *ledger, int64_t trial, int32_t crashes)
{
    struct entry *entry = &ledger->entries[trial];

    settle(ledger, trial, TRIAL_FAILED);
    entry->crashes += crashes;
    entry->kind = SUSPECT;
    entry->is_crash_failure = entry->crashes >= ledger->crash_limit;
    if (!entry->is_crash_failure)
        queue(ledger, trial);
    return entry->is_crash_failure;
}

/* ---- life ---- */

struct ledger *ledger_create(int64_t n_trials, int64_t group_size, const double *expected_s,
                             int32_t crash_limit, struct err *err)
{
    struct ledger *ledger = calloc(1, sizeof *ledger);
    const int32_t one = 1;
    size_t n = (size_t)n_trials + 1, n_groups = 0;

    assert(crash_limit >= 1 && group_size >= 1);
    if (ledger) {
        *ledger = (struct ledger){
            .n_trials = n_trials, .group_size = group_size, .crash_limit = crash_limit};
        ledger->n_groups = (int32_t)((n_trials + group_size - 1) / group_size);
        n_groups = (size_t)ledger->n_groups + 1;
        ledger->entries = calloc(n, sizeof *ledger->entries);
        ledger->links = calloc(n, sizeof *ledger->links);
        ledger->groups = calloc(n_groups, sizeof *ledger->groups);
        for (int kind = 0; kind < KINDS; kind++)
            ledger->g_links[kind] = calloc(n_groups, sizeof *ledger->g_links[kind]);
    }
    if (!ledger || !ledger->entries || !ledger->links || !ledger->groups || !ledger->g_links[0] ||
        !ledger->g_links[1] || ledger_allow_widths(ledger, &one, 1, err)) {
        ledger_destroy(ledger);
        err_nomem(err, "ledger", n * (sizeof *ledger->entries + sizeof *ledger->links));
        return NULL;
    }
    for (int32_t g = 0; g < ledger->n_groups; g++)
        ledger->groups[g] = (struct group){
            .waiting = {empty, empty}, .seconds = expected_s ? expected_s[g] : 0, .width = 1};
    ledger->counts[TRIAL_PENDING] = n_trials;
    for (int64_t i = n_trials; i-- > 0;) {
        ledger->entries[i].worker = NONE;
        queue(ledger, i);
    }
    return ledger;
}

void ledger_destroy(struct ledger *ledger)
{
    if (!ledger)
        return;
    for (int kind = 0; kind < KINDS; kind++) {
        free(ledger->g_links[kind]);
        free(ledger->tiers[kind]);
    }
    free(ledger->entries);
    free(ledger->links);
    free(ledger->groups);
    free(ledger->widths);
    free(ledger->workers);
    free(ledger);
}

void ledger_mark(struct ledger *ledger, int64_t trial, enum trial_state state)
{
    assert(!ledger->n_workers && state > TRIAL_RUNNING);
    settle(ledger, trial, state);
}

bool ledger_blame(struct ledger *ledger, int64_t trial, int32_t crashes)
{
    assert(ledger->entries[trial].state != TRIAL_RUNNING);
    return crashes > 0 && !is_final(ledger, trial) && add_crashes(ledger, trial, crashes);
}

void ledger_suspect(struct ledger *ledger, int64_t trial)
{
    assert(!ledger->n_workers);
    if (!is_final(ledger, trial))
        add_crashes(ledger, trial, 0);
}

/* ---- events ---- */

/* NULL: never seen. */
static struct lessee *lessee_of(const struct ledger *ledger, int32_t worker)
{
    return worker >= 0 && worker < ledger->n_workers ? &ledger->workers[worker] : NULL;
}

static bool holds_suspect(const struct ledger *ledger, int32_t worker)
{
    const struct lessee *lessee = lessee_of(ledger, worker);

    return lessee && lessee->held.n && ledger->entries[lessee->held.first].kind == SUSPECT;
}

int64_t ledger_next_suspect(const struct ledger *ledger, double most_s)
{
    return longest(ledger, SUSPECT, 0, most_s);
}

int64_t ledger_next(const struct ledger *ledger, int32_t worker, double most_s)
{
    int64_t next = holds_suspect(ledger, worker) ? NONE : longest(ledger, CLEAR, 0, most_s);

    return next == NONE && !ledger_held(ledger, worker) ? ledger_next_suspect(ledger, most_s)
                                                        : next;
}

int64_t ledger_next_wide(const struct ledger *ledger, int32_t tier, bool suspect, double most_s)
{
    assert(tier > 0 && tier < ledger->n_tiers);
    return longest(ledger, suspect ? SUSPECT : CLEAR, tier, most_s);
}

int ledger_lease(struct ledger *ledger, int32_t worker, int64_t trial, struct err *err)
{
    int32_t n = worker < INT32_MAX / 2 - 8 ? 2 * worker + 8 : INT32_MAX;
    struct lessee *grown = ledger->workers;

    assert(worker >= 0 && ledger->entries[trial].state == TRIAL_PENDING);
    if (worker >= ledger->n_workers) {
        grown = realloc(grown, (size_t)n * sizeof *grown);
        if (!grown)
            return err_nomem(err, "workers of the ledger", (size_t)n * sizeof *grown);
        for (int32_t i = ledger->n_workers; i < n; i++)
            grown[i] = (struct lessee){.held = empty, .running = NONE};
        ledger->workers = grown;
        ledger->n_workers = n;
    }
    assert(!holds_suspect(ledger, worker));
    assert(ledger->entries[trial].kind == CLEAR || !grown[worker].held.n);
    settle(ledger, trial, TRIAL_RUNNING);
    ledger->entries[trial].worker = worker;
    insert(&grown[worker].held, ledger->links, trial, true);
    return 0;
}

void ledger_start(struct ledger *ledger, int32_t worker, int64_t trial)
{
    if (worker >= 0 && ledger_lessee(ledger, trial) == worker)
        ledger->workers[worker].running = trial;
}

bool ledger_finish(struct ledger *ledger, int64_t trial, enum trial_state state)
{
    const struct entry *entry = &ledger->entries[trial];
    bool was_only_silent = entry->is_crash_failure && entry->state == TRIAL_FAILED;

    assert(state > TRIAL_RUNNING);
    if (is_final(ledger, trial) && !(was_only_silent && state != TRIAL_FAILED) &&
        !(entry->state == TRIAL_HELD && state != TRIAL_HELD))
        return false;
    settle(ledger, trial, state);
    return true;
}

void ledger_give_back(struct ledger *ledger, int64_t trial)
{
    if (ledger_lessee(ledger, trial) == NONE)
        return;
    settle(ledger, trial, TRIAL_PENDING);
    queue(ledger, trial);
}

void ledger_reopen(struct ledger *ledger, int64_t trial)
{
    const int state = ledger->entries[trial].state;

    if (state == TRIAL_DONE || state == TRIAL_HELD || state == TRIAL_STOPPED)
        queue(ledger, trial);
}

void ledger_stop(struct ledger *ledger, int64_t trial)
{
    if (ledger->entries[trial].state == TRIAL_HELD)
        set_state(ledger, trial, TRIAL_STOPPED);
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
    for (int64_t at = lessee->held.first; at != NONE && n < max; at = ledger->links[at].next)
        if (only == NONE || only == at)
            out[n++] = at;
    return n;
}

int64_t ledger_lose_worker(struct ledger *ledger, int32_t worker)
{
    struct lessee *lost = lessee_of(ledger, worker);
    int64_t only = lost ? culprit(lost) : NONE;
    bool has_failed = only != NONE && add_crashes(ledger, only, 1);

    /* From the last: a returned trial goes before the rest of its group. No trial fails here, since
     * one with crashes is leased alone. */
    while (lost && lost->held.n)
        if (only != NONE)
            ledger_give_back(ledger, lost->held.last);
        else
            add_crashes(ledger, lost->held.last, ledger->crash_limit > 1);
    return has_failed ? only : NONE;
}

/* ---- views ---- */

static bool is_trial(const struct ledger *ledger, int64_t trial)
{
    return trial >= 0 && trial < ledger->n_trials;
}

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
    return is_trial(ledger, trial) && ledger->entries[trial].kind == SUSPECT;
}

int32_t ledger_group(const struct ledger *ledger, int64_t trial)
{
    return (int32_t)(trial / ledger->group_size);
}

int32_t ledger_group_width(const struct ledger *ledger, int32_t group)
{
    return ledger->groups[group].width;
}

int32_t ledger_width(const struct ledger *ledger, int64_t trial)
{
    return ledger_group_width(ledger, ledger_group(ledger, trial));
}

int32_t ledger_n_widths(const struct ledger *ledger)
{
    return ledger->n_tiers;
}

int32_t ledger_tier_width(const struct ledger *ledger, int32_t tier)
{
    return ledger->widths[tier];
}

int32_t ledger_n_groups(const struct ledger *ledger)
{
    return ledger->n_groups;
}

double ledger_expected(const struct ledger *ledger, int32_t group)
{
    return ledger->groups[group].seconds;
}

double ledger_pending_s(const struct ledger *ledger)
{
    return fmax(ledger->pending_s, 0);
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
        .held = ledger->counts[TRIAL_HELD],
        .stopped = ledger->counts[TRIAL_STOPPED],
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

static int check_list(const struct list *list, const struct link *links, struct err *err)
{
    int64_t previous = NONE, n = 0;

    for (int64_t at = list->first; at != NONE; at = links[at].next) {
        if (links[at].previous != previous || n++ == list->n)
            return err_set(err, "list is broken at %ld", (long)at);
        previous = at;
    }
    if (n != list->n || list->last != previous)
        return err_set(err, "list of %ld has %ld", (long)list->n, (long)n);
    return 0;
}

/* Every trial of a list has this state, worker and kind (KINDS: any, and a suspect alone). */
static int check_trials(const struct ledger *ledger, const struct list *list,
                        enum trial_state state, int32_t worker, int kind, struct err *err)
{
    if (check_list(list, ledger->links, err))
        return -1;
    for (int64_t at = list->first; at != NONE; at = ledger->links[at].next) {
        const struct entry *entry = &ledger->entries[at];

        if (entry->state != state || entry->worker != worker ||
            (kind == KINDS ? entry->kind == SUSPECT && list->n > 1 : entry->kind != kind))
            return err_set(err, "trial %ld of kind %d is %s by %d, one of %ld", (long)at,
                           entry->kind, trial_state_name((enum trial_state)entry->state),
                           entry->worker, (long)list->n);
    }
    return 0;
}

/* Add the groups of a tier to *n. */
static int check_tier(const struct ledger *ledger, int kind, int32_t t, int64_t *n, struct err *err)
{
    const struct tier *tier = &ledger->tiers[kind][t];
    const struct link *links = ledger->g_links[kind];

    for (int32_t bucket = 0; bucket < BUCKETS; bucket++) {
        const struct list *list = &tier->of[bucket];

        if (check_list(list, links, err))
            return -1;
        if ((list->n > 0) != (tier->filled[bucket / 64] >> bucket % 64 & 1))
            return err_set(err, "bucket %d of %ld groups is marked wrongly", bucket, (long)list->n);
        for (int64_t g = list->first; g != NONE; g = links[g].next)
            if (bucket_of(ledger->groups[g].seconds) != bucket || ledger->groups[g].tier != t ||
                !ledger->groups[g].waiting[kind].n)
                return err_set(err, "group %ld is in bucket %d of tier %d", (long)g, bucket, t);
        *n += list->n;
    }
    return 0;
}

static int check_pending(const struct ledger *ledger, struct err *err)
{
    int64_t n = 0, n_groups = 0;
    double seconds = 0;

    for (int kind = 0; kind < KINDS; kind++) {
        for (int32_t t = 0; t < ledger->n_tiers; t++)
            if (check_tier(ledger, kind, t, &n_groups, err))
                return -1;
        for (int32_t g = 0; g < ledger->n_groups; g++) {
            const struct group *group = &ledger->groups[g];
            int64_t waiting = group->waiting[kind].n;

            if (check_trials(ledger, &group->waiting[kind], TRIAL_PENDING, NONE, kind, err))
                return err_wrap(err, "group %d", g);
            n += waiting;
            seconds += group->width * group->seconds * (double)waiting;
            n_groups -= waiting > 0;
        }
    }
    if (n != ledger->counts[TRIAL_PENDING] || n_groups ||
        fabs(seconds - ledger->pending_s) > 1e-6 * (1 + seconds))
        return err_set(err, "%ld trials of %g s pend, in groups %ld of %g s, %ld in no bucket",
                       (long)ledger->counts[TRIAL_PENDING], ledger->pending_s, (long)n, seconds,
                       (long)-n_groups);
    return 0;
}

int ledger_check(const struct ledger *ledger, struct err *err)
{
    int64_t counts[TRIAL_STATE_COUNT] = {0}, leased = 0;

    if (check_pending(ledger, err))
        return -1;
    for (int32_t w = 0; w < ledger->n_workers; w++) {
        const struct lessee *worker = &ledger->workers[w];

        if (check_trials(ledger, &worker->held, TRIAL_RUNNING, w, KINDS, err))
            return err_wrap(err, "worker %d", w);
        if (worker->running != NONE && ledger->entries[worker->running].worker != w)
            return err_set(err, "trial %ld runs without a lease", (long)worker->running);
        leased += worker->held.n;
    }
    for (int64_t i = 0; i < ledger->n_trials; i++) {
        const struct entry *entry = &ledger->entries[i];

        counts[entry->state]++;
        if (entry->crashes && (entry->kind != SUSPECT ||
                               (entry->crashes >= ledger->crash_limit && !is_final(ledger, i))))
            return err_set(err, "trial %ld crashed %d times and goes on", (long)i, entry->crashes);
    }
    for (int s = 0; s < TRIAL_STATE_COUNT; s++)
        if (counts[s] != ledger->counts[s] || (s == TRIAL_RUNNING && counts[s] != leased))
            return err_set(err, "%s: %ld trials, counted as %ld", trial_state_name(s),
                           (long)counts[s], (long)ledger->counts[s]);
    return 0;
}
