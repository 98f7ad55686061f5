/* SPDX-License-Identifier: BSD-3-Clause */
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "gang/gang_state.h"

/* Between looks for members that have ended. */
#define SLEEP_S 0.02

/* Looks at the generation between looks at the clock. */
enum { SPINS = 64 };

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static bool is_open(const struct gang_page *page, unsigned generation)
{
    return atomic_load_explicit(&page->generation, memory_order_acquire) != generation;
}

static bool spin(struct gang_member *g, unsigned generation, double until_s)
{
    do
        for (int i = 0; i < SPINS; i++) {
            if (is_open(g->page.head, generation))
                return true;
            pause_briefly();
        }
    while (clock_now(&clock_system) < until_s);
    return false;
}

/* Sleep until the last one comes. A member that has passed this barrier may end in good order, so the
 * generation counts before what gang_look() finds. */
static bool sleep_until_open(struct gang_member *g, unsigned generation, double since_s)
{
    const struct timespec limit = {.tv_nsec = (long)(1e9 * SLEEP_S)};
    struct gang_page *page = g->page.head;
    struct gang_failure found;

    for (;;) {
        atomic_fetch_add(&page->n_sleeping, 1);
        if (atomic_load(&page->generation) == generation && !atomic_load(&page->trouble))
            syscall(SYS_futex, &page->generation, FUTEX_WAIT, generation, &limit, NULL, 0);
        atomic_fetch_sub(&page->n_sleeping, 1);
        if (is_open(page, generation))
            return true;
        if (!gang_look(g, since_s, &found))
            continue;
        if (is_open(page, generation))
            return true;
        return gang_fail(g, found.trouble, "%s", found.why.text);
    }
}

bool gang_barrier(struct gang_member *g)
{
    struct gang_page *page = g->page.head;
    unsigned generation;
    double since_s;
    bool is_fine;

    FAULT("gang: before a barrier");
    if (g->crew.has_failed)
        return false;
    if (atomic_load_explicit(&page->trouble, memory_order_acquire))
        return gang_fail(g, GANG_LOST, "the gang has ended");
    generation = atomic_load(&page->generation);
    if (atomic_fetch_add(&page->arrived, 1) + 1 == (unsigned)g->local_size) {
        FAULT("gang: opens a barrier");
        atomic_store_explicit(&page->arrived, 0, memory_order_relaxed);
        atomic_store(&page->generation, generation + 1);
        FAULT("gang: has opened a barrier");
        if (atomic_load(&page->n_sleeping))
            gang_wake(g);
        return true;
    }
    FAULT("gang: waits in a barrier");
    since_s = clock_now(&clock_system);
    is_fine = spin(g, generation, since_s + g->spin_s) || sleep_until_open(g, generation, since_s);
    g->waiting_s += clock_now(&clock_system) - since_s;
    return is_fine;
}
