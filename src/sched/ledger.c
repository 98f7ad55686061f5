/* Every trial that is pending or leased is in exactly one doubly linked list: a pending one in that
 * of its group, or in one of two that are leased before and after all groups; a leased one in its
 * worker's list, oldest lease first. The links live in the trial's entry, so that moving a trial
 * allocates nothing. A group is in the order as long as its list is not empty. */
#include "sched/ledger.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "sched/order.h"

#define NONE (-1)

enum queue { QUEUE_FRONT, QUEUE_GROUP, QUEUE_BACK }; /* in the order of leasing */

struct entry {
    int64_t previous, next; /* in its list; NONE at the ends and outside of lists */
    int32_t worker;         /* that leased it; NONE unless leased */
    int32_t crashes;        /* workers lost while running it */
    uint8_t state;          /* enum trial_state; RUNNING: leased */
    uint8_t queue;          /* enum queue, of a pending one */
};

struct list {
    int64_t first, last;
    int64_t n;
};

struct group {
    struct list waiting; /* pending; neither in front nor at the back */
    int64_t n_pending;   /* wherever they wait */
};

struct lessee {
    struct list held;
    int64_t running; /* trial; NONE: it has not said */
};

struct ledger {
    struct entry *entries; /* [n_trials] */
    int64_t n_trials, group_size;
    int32_t crash_limit;
    struct list front, back; /* pending: what came back; what took its worker down */
    struct group *groups;    /* [order.n_groups] */
    struct order order;
    double pending_s;
    struct lessee *workers; /* [n_workers] those seen so far */
    int32_t n_workers;
    int64_t counts[TRIAL_STATE_COUNT];
};

static const struct list empty_list = {.first = NONE, .last = NONE};

/* ---- lists ---- */

/* Between two neighbours; NONE: an end of the list. */
static void list_insert(struct ledger *ledger, struct list *list, int64_t trial, int64_t previous,
                        int64_t next)
{
    struct entry *entries = ledger->entries;

    entries[trial].previous = previous;
    entries[trial].next = next;
    *(previous == NONE ? &list->first : &entries[previous].next) = trial;
    *(next == NONE ? &list->last : &entries[next].previous) = trial;
    list->n++;
}

static void list_append(struct ledger *ledger, struct list *list, int64_t trial)
{
    list_insert(ledger, list, trial, list->last, NONE);
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
    entry->state = (uint8_t)state;
}

int32_t ledger_group(const struct ledger *ledger, int64_t trial)
{
    return (int32_t)(trial / ledger->group_size);
}

static struct list *queue_of(struct ledger *ledger, int64_t trial)
{
    switch (ledger->entries[trial].queue) {
    case QUEUE_FRONT:
        return &ledger->front;
    case QUEUE_BACK:
        return &ledger->back;
    default:
        return &ledger->groups[ledger_group(ledger, trial)].waiting;
    }
}

static void leave_queue(struct ledger *ledger, int64_t trial)
{
    struct list *queue = queue_of(ledger, trial);
    int32_t group = ledger_group(ledger, trial);

    list_remove(ledger, queue, trial);
    ledger->groups[group].n_pending--;
    ledger->pending_s -= ledger->order.seconds[group];
    if (ledger->entries[trial].queue == QUEUE_GROUP && !queue->n)
        order_remove(&ledger->order, group);
}

static void join_queue(struct ledger *ledger, int64_t trial, enum queue queue)
{
    int32_t group = ledger_group(ledger, trial);

    ledger->entries[trial].queue = (uint8_t)queue;
    if (queue == QUEUE_FRONT)
        list_insert(ledger, &ledger->front, trial, NONE, ledger->front.first);
    else
        list_append(ledger, queue_of(ledger, trial), trial);
    ledger->groups[group].n_pending++;
    ledger->pending_s += ledger->order.seconds[group];
    if (queue == QUEUE_GROUP)
        order_add(&ledger->order, group);
}

/* Out of the list it is in, if any; its worker holds it no more. */
static void detach(struct ledger *ledger, int64_t trial)
{
    struct entry *entry = &ledger->entries[trial];

    if (entry->state == TRIAL_PENDING) {
        leave_queue(ledger, trial);
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

static int take_memory(struct ledger *ledger, const double *expected_s, struct err *err)
{
    int64_t n_groups = (ledger->n_trials + ledger->group_size - 1) / ledger->group_size;
    size_t n = (size_t)ledger->n_trials, g = (size_t)n_groups;

    if (order_init(&ledger->order, (int32_t)n_groups, expected_s, err))
        return -1;
    ledger->entries = calloc(n + 1, sizeof *ledger->entries);
    ledger->groups = calloc(g + 1, sizeof *ledger->groups);
    if (!ledger->entries || !ledger->groups)
        return err_nomem(err, "ledger", n * sizeof *ledger->entries + g * sizeof *ledger->groups);
    return 0;
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
    ledger->group_size = group_size;
    ledger->crash_limit = crash_limit;
    ledger->front = ledger->back = empty_list;
    if (take_memory(ledger, expected_s, err)) {
        ledger_destroy(ledger);
        return NULL;
    }
    ledger->counts[TRIAL_PENDING] = n_trials;
    for (int32_t g = 0; g < ledger->order.n_groups; g++)
        ledger->groups[g].waiting = empty_list;
    for (int64_t i = 0; i < n_trials; i++) {
        ledger->entries[i] = (struct entry){.worker = NONE, .state = TRIAL_PENDING};
        join_queue(ledger, i, QUEUE_GROUP);
    }
    return ledger;
}

void ledger_destroy(struct ledger *ledger)
{
    if (!ledger)
        return;
    order_release(&ledger->order);
    free(ledger->entries);
    free(ledger->groups);
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

void ledger_expect(struct ledger *ledger, int32_t group, double seconds)
{
    double old_s = ledger->order.seconds[group];

    ledger->pending_s += (seconds - old_s) * (double)ledger->groups[group].n_pending;
    order_set(&ledger->order, group, seconds);
}

int64_t ledger_next(const struct ledger *ledger)
{
    if (ledger->front.n)
        return ledger->front.first;
    if (ledger->order.n)
        return ledger->groups[order_first(&ledger->order)].waiting.first;
    return ledger->back.first;
}

int32_t ledger_lease(struct ledger *ledger, int32_t worker, int32_t max, int64_t *out,
                     struct err *err)
{
    int32_t n = 0;

    assert(worker >= 0);
    if (add_workers(ledger, worker, err))
        return -1;
    while (n < max && ledger->counts[TRIAL_PENDING]) {
        int64_t trial = ledger_next(ledger);

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
    if (is_final((enum trial_state)ledger->entries[trial].state))
        return LEDGER_DUPLICATE;
    settle(ledger, trial, state);
    return LEDGER_ACCEPTED;
}

void ledger_give_back(struct ledger *ledger, int64_t trial)
{
    if (!is_trial(ledger, trial) || ledger->entries[trial].state != TRIAL_RUNNING)
        return;
    settle(ledger, trial, TRIAL_PENDING);
    join_queue(ledger, trial, QUEUE_FRONT);
}

/* Its worker was lost while running it: once more at the end, or never again. */
static bool crash(struct ledger *ledger, int64_t trial)
{
    bool is_last = ++ledger->entries[trial].crashes >= ledger->crash_limit;

    settle(ledger, trial, is_last ? TRIAL_FAILED : TRIAL_PENDING);
    if (!is_last)
        join_queue(ledger, trial, QUEUE_BACK);
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

int32_t ledger_lessee(const struct ledger *ledger, int64_t trial)
{
    return is_trial(ledger, trial) ? ledger->entries[trial].worker : NONE;
}

int32_t ledger_n_groups(const struct ledger *ledger)
{
    return ledger->order.n_groups;
}

double ledger_pending_s(const struct ledger *ledger)
{
    return ledger->counts[TRIAL_PENDING] ? fmax(ledger->pending_s, 0) : 0;
}

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
    return (enum trial_state)ledger->entries[trial].state;
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
                           trial_state_name((enum trial_state)entry->state), entry->worker, worker);
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

static int check_groups(const struct ledger *ledger, int64_t *seen, struct err *err)
{
    int64_t n_pending = 0;
    double pending_s = 0;

    if (!order_check(&ledger->order, err))
        return -1;
    for (int32_t g = 0; g < ledger->order.n_groups; g++) {
        const struct group *group = &ledger->groups[g];

        if (check_list(ledger, &group->waiting, NONE, NONE, seen, err))
            return err_wrap(err, "group %d", g);
        if ((group->waiting.n > 0) != (ledger->order.places[g] >= 0))
            return err_set(err, "group %d of %ld trials is at %d in the order", g,
                           (long)group->waiting.n, ledger->order.places[g]);
        n_pending += group->n_pending;
        pending_s += ledger->order.seconds[g] * (double)group->n_pending;
    }
    if (n_pending != ledger->counts[TRIAL_PENDING] ||
        fabs(pending_s - ledger->pending_s) > 1e-6 * (1 + pending_s))
        return err_set(err, "%ld trials of %g s pend, in groups %ld of %g s",
                       (long)ledger->counts[TRIAL_PENDING], ledger->pending_s, (long)n_pending,
                       pending_s);
    return 0;
}

static int check_lists(const struct ledger *ledger, struct err *err)
{
    int64_t pending = 0, leased = 0;

    if (check_groups(ledger, &pending, err) ||
        check_list(ledger, &ledger->front, NONE, NONE, &pending, err) ||
        check_list(ledger, &ledger->back, NONE, NONE, &pending, err))
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
        if (entry->crashes >= ledger->crash_limit && !is_final((enum trial_state)entry->state))
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
