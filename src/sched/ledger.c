/* Every trial that is pending or leased is in exactly one doubly linked list: the pending ones in
 * the order they will be leased, the leased ones in their worker's list, oldest lease first. The
 * links live in the trial's entry, so that moving a trial is O(1) and allocates nothing. */
#include "sched/ledger.h"

#include <assert.h>
#include <stdlib.h>

#define NONE (-1)

struct entry {
    int64_t previous, next; /* in its list; NONE at the ends and outside of lists */
    int32_t worker;         /* that leased it; NONE unless leased */
    int32_t crashes;        /* workers lost while running it */
    enum trial_state state; /* RUNNING: leased */
};

struct list {
    int64_t first, last;
    int64_t n;
};

struct lessee {
    struct list held;
    int64_t running; /* trial; NONE: it has not said */
};

struct ledger {
    struct entry *entries; /* [n_trials] */
    int64_t n_trials;
    int32_t crash_limit;
    struct list pending;
    struct lessee *workers; /* [n_workers] those seen so far */
    int32_t n_workers;
    int64_t counts[TRIAL_STATE_COUNT];
};

static const struct list empty_list = {.first = NONE, .last = NONE};

/* ---- lists ---- */

static void list_append(struct ledger *ledger, struct list *list, int64_t trial)
{
    struct entry *entry = &ledger->entries[trial];

    entry->previous = list->last;
    entry->next = NONE;
    if (list->last == NONE)
        list->first = trial;
    else
        ledger->entries[list->last].next = trial;
    list->last = trial;
    list->n++;
}

static void list_prepend(struct ledger *ledger, struct list *list, int64_t trial)
{
    struct entry *entry = &ledger->entries[trial];

    entry->previous = NONE;
    entry->next = list->first;
    if (list->first == NONE)
        list->last = trial;
    else
        ledger->entries[list->first].previous = trial;
    list->first = trial;
    list->n++;
}

static void list_remove(struct ledger *ledger, struct list *list, int64_t trial)
{
    struct entry *entry = &ledger->entries[trial];

    if (entry->previous == NONE)
        list->first = entry->next;
    else
        ledger->entries[entry->previous].next = entry->next;
    if (entry->next == NONE)
        list->last = entry->previous;
    else
        ledger->entries[entry->next].previous = entry->previous;
    entry->previous = entry->next = NONE;
    list->n--;
}

/* ---- transitions ---- */

static void set_state(struct ledger *ledger, int64_t trial, enum trial_state state)
{
    struct entry *entry = &ledger->entries[trial];

    ledger->counts[entry->state]--;
    ledger->counts[state]++;
    entry->state = state;
}

/* Out of the list it is in, if any; its worker holds it no more. */
static void detach(struct ledger *ledger, int64_t trial)
{
    struct entry *entry = &ledger->entries[trial];

    if (entry->state == TRIAL_PENDING) {
        list_remove(ledger, &ledger->pending, trial);
    } else if (entry->state == TRIAL_RUNNING) {
        struct lessee *worker = &ledger->workers[entry->worker];

        list_remove(ledger, &worker->held, trial);
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

/* ---- life ---- */

struct ledger *ledger_create(int64_t n_trials, const int64_t *order, int32_t crash_limit,
                             struct err *err)
{
    struct ledger *ledger = calloc(1, sizeof *ledger);
    size_t n = (size_t)n_trials;

    assert(crash_limit >= 1);
    if (ledger)
        ledger->entries = calloc(n ? n : 1, sizeof *ledger->entries);
    if (!ledger || !ledger->entries) {
        free(ledger);
        err_nomem(err, "ledger", n * sizeof *ledger->entries);
        return NULL;
    }
    ledger->n_trials = n_trials;
    ledger->crash_limit = crash_limit;
    ledger->pending = empty_list;
    ledger->counts[TRIAL_PENDING] = n_trials;
    for (int64_t i = 0; i < n_trials; i++)
        ledger->entries[i] = (struct entry){NONE, NONE, NONE, 0, TRIAL_PENDING};
    for (int64_t i = 0; i < n_trials; i++)
        list_append(ledger, &ledger->pending, order ? order[i] : i);
    return ledger;
}

void ledger_destroy(struct ledger *ledger)
{
    if (!ledger)
        return;
    free(ledger->entries);
    free(ledger->workers);
    free(ledger);
}

void ledger_mark(struct ledger *ledger, int64_t trial, enum trial_state state)
{
    assert(trial >= 0 && trial < ledger->n_trials && !ledger->n_workers && is_final(state));
    settle(ledger, trial, state);
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
    for (int64_t i = ledger->n_workers; i < n; i++)
        grown[i] = (struct lessee){.held = empty_list, .running = NONE};
    ledger->workers = grown;
    ledger->n_workers = (int32_t)n;
    return 0;
}

int32_t ledger_lease(struct ledger *ledger, int32_t worker, int32_t max, int64_t *out,
                     struct err *err)
{
    int32_t n = 0;

    assert(worker >= 0);
    if (add_workers(ledger, worker, err))
        return -1;
    while (n < max && ledger->pending.n) {
        int64_t trial = ledger->pending.first;

        settle(ledger, trial, TRIAL_RUNNING);
        ledger->entries[trial].worker = worker;
        list_append(ledger, &ledger->workers[worker].held, trial);
        out[n++] = trial;
    }
    return n;
}

static bool is_trial(const struct ledger *ledger, int64_t trial)
{
    return trial >= 0 && trial < ledger->n_trials;
}

void ledger_start(struct ledger *ledger, int32_t worker, int64_t trial)
{
    if (is_trial(ledger, trial) && ledger->entries[trial].state == TRIAL_RUNNING &&
        ledger->entries[trial].worker == worker)
        ledger->workers[worker].running = trial;
}

enum ledger_verdict ledger_finish(struct ledger *ledger, int64_t trial, enum trial_state state)
{
    assert(is_final(state));
    if (!is_trial(ledger, trial))
        return LEDGER_UNKNOWN;
    if (is_final(ledger->entries[trial].state))
        return LEDGER_DUPLICATE;
    settle(ledger, trial, state);
    return LEDGER_ACCEPTED;
}

void ledger_give_back(struct ledger *ledger, int64_t trial)
{
    if (!is_trial(ledger, trial) || ledger->entries[trial].state != TRIAL_RUNNING)
        return;
    settle(ledger, trial, TRIAL_PENDING);
    list_prepend(ledger, &ledger->pending, trial);
}

/* Its worker was lost while running it: once more at the end, or never again. */
static bool crash(struct ledger *ledger, int64_t trial)
{
    bool is_last = ++ledger->entries[trial].crashes >= ledger->crash_limit;

    settle(ledger, trial, is_last ? TRIAL_FAILED : TRIAL_PENDING);
    if (!is_last)
        list_append(ledger, &ledger->pending, trial);
    return is_last;
}

int32_t ledger_lose_worker(struct ledger *ledger, int32_t worker, int32_t max, int64_t *failed)
{
    struct lessee *lost;
    int64_t running;
    int32_t n = 0;

    if (worker < 0 || worker >= ledger->n_workers)
        return 0;
    lost = &ledger->workers[worker];
    running = lost->running;
    if (running != NONE && crash(ledger, running) && max > 0)
        failed[n++] = running;
    /* From the last: prepending keeps their order. */
    while (lost->held.n)
        ledger_give_back(ledger, lost->held.last);
    return n;
}

/* ---- views ---- */

int64_t ledger_held(const struct ledger *ledger, int32_t worker)
{
    return worker >= 0 && worker < ledger->n_workers ? ledger->workers[worker].held.n : 0;
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
    return ledger->entries[trial].state;
}

/* ---- invariants ---- */

/* Walks one list: linked both ways, as long as it says, everything in it of this state and
 * worker, the running trial among it. *seen counts up by its length. */
static int check_list(const struct ledger *ledger, const struct list *list, int32_t worker,
                      int64_t running, int64_t *seen, struct err *err)
{
    enum trial_state state = worker == NONE ? TRIAL_PENDING : TRIAL_RUNNING;
    int64_t previous = NONE, n = 0;
    bool has_running = running == NONE;

    for (int64_t at = list->first; at != NONE; at = ledger->entries[at].next) {
        const struct entry *entry = &ledger->entries[at];

        if (entry->previous != previous || n++ == list->n)
            return err_set(err, "worker %d: list is broken at trial %ld", worker, (long)at);
        if (entry->state != state || entry->worker != worker)
            return err_set(err, "trial %ld is %s by %d in the list of %d", (long)at,
                           trial_state_name(entry->state), entry->worker, worker);
        has_running |= at == running;
        previous = at;
    }
    if (n != list->n || list->last != previous)
        return err_set(err, "worker %d: list of %ld has %ld", worker, (long)list->n, (long)n);
    if (!has_running)
        return err_set(err, "worker %d runs trial %ld without a lease", worker, (long)running);
    *seen += n;
    return 0;
}

static int check_lists(const struct ledger *ledger, struct err *err)
{
    int64_t pending = 0, leased = 0;

    if (check_list(ledger, &ledger->pending, NONE, NONE, &pending, err))
        return -1;
    for (int32_t w = 0; w < ledger->n_workers; w++)
        if (check_list(ledger, &ledger->workers[w].held, w, ledger->workers[w].running, &leased,
                       err))
            return -1;
    if (pending != ledger->counts[TRIAL_PENDING] || leased != ledger->counts[TRIAL_RUNNING])
        return err_set(err, "lists hold %ld pending and %ld leased trials", (long)pending,
                       (long)leased);
    return 0;
}

static int check_entries(const struct ledger *ledger, struct err *err)
{
    int64_t counts[TRIAL_STATE_COUNT] = {0};

    for (int64_t i = 0; i < ledger->n_trials; i++) {
        const struct entry *entry = &ledger->entries[i];

        counts[entry->state]++;
        if (entry->crashes >= ledger->crash_limit && !is_final(entry->state))
            return err_set(err, "trial %ld crashed %d times and goes on", (long)i, entry->crashes);
    }
    for (int s = 0; s < TRIAL_STATE_COUNT; s++)
        if (counts[s] != ledger->counts[s])
            return err_set(err, "%s: %ld trials, counted as %ld", trial_state_name(s),
                           (long)counts[s], (long)ledger->counts[s]);
    return 0;
}

bool ledger_check(const struct ledger *ledger, struct err *err)
{
    return !check_lists(ledger, err) && !check_entries(ledger, err);
}
