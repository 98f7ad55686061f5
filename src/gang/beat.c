/* SPDX-License-Identifier: BSD-3-Clause */
/* How a rank notices that its gang cannot go on, and tells the others.
 *
 * A thread of each leader sends a byte to every other leader now and then, so that these can
 * distinguish a host that computes from one that does not answer any more. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "gang/gang_state.h"

int gang_fails(struct gang_failure *failure, enum gang_trouble trouble, const char *format, ...)
{
    va_list args;

    failure->trouble = trouble;
    va_start(args, format);
    vsnprintf(failure->why.text, sizeof failure->why.text, format, args);
    va_end(args);
    return -1;
}

/* Bytes of the connection. LEAVES is followed by an enum gang_trouble and a text with its NUL. */
enum { BEAT = 'b', GOODBYE = 'g', LEAVES = 'l' };

/* Beats in the time after which a silent host counts as lost. */
enum { BEATS = 8 };

static void send_to_all(struct gang_member *g, const void *bytes, size_t n)
{
    for (int32_t host = 0; host < g->n_hosts; host++)
        if (g->links[host].beat >= 0)
            (void)!send(g->links[host].beat, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void *beat(void *arg)
{
    struct gang_member *g = arg;
    struct pollfd stop = {.fd = g->beater_wait, .events = POLLIN};
    const char byte = BEAT;
    int ms = (int)(1e3 * g->silent_s / BEATS);

    while (poll(&stop, 1, ms > 0 ? ms : 1) <= 0)
        send_to_all(g, &byte, 1);
    return NULL;
}

int beat_start(struct gang_member *g)
{
    sigset_t all, before;
    int ends[2], code;

    if (pipe2(ends, O_CLOEXEC))
        return -1;
    g->beater_wait = ends[0];
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    code = pthread_create(&g->beater, NULL, beat, g);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!code) {
        g->beater_stop = ends[1];
        return 0;
    }
    close(ends[0]);
    close(ends[1]);
    errno = code;
    return -1;
}

void beat_stop(struct gang_member *g)
{
    if (g->beater_stop < 0)
        return;
    close(g->beater_stop);
    pthread_join(g->beater, NULL);
    close(g->beater_wait);
    g->beater_stop = -1;
}

/* One call of send(), so that no beat comes between. */
void beat_say(struct gang_member *g, enum gang_trouble trouble, const char *why)
{
    char message[MEETING_WHY + 2] = {LEAVES, (char)trouble};

    if (!g->links)
        return;
    if (!trouble)
        message[0] = GOODBYE;
    else
        snprintf(message + 2, sizeof message - 2, "%s", why);
    send_to_all(g, message, trouble ? 3 + strlen(message + 2) : 1);
}

enum gang_trouble beat_listen(struct gang_member *g, int32_t host, struct gang_failure *found)
{
    struct gang_link *link = &g->links[host];
    char bytes[512];
    ssize_t got;

    while ((got = recv(link->beat, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            if (!link->n_said && bytes[i] == GOODBYE)
                link->has_left = true;
            if ((link->n_said || bytes[i] == LEAVES) && link->n_said < sizeof link->said)
                link->said[link->n_said++] = bytes[i];
        }
        link->heard_s = clock_now(&clock_system);
    }
    /* The reason is whole if there is a NUL behind its text. */
    if (link->n_said > 2 && memchr(link->said + 2, '\0', link->n_said - 2)) {
        gang_fails(found, (enum gang_trouble)link->said[1], "%s", link->said + 2);
        return found->trouble;
    }
    if (link->has_left || (got < 0 && (errno == EAGAIN || errno == EINTR)))
        return GANG_FINE;
    gang_fails(found, GANG_LOST, "rank %d of the gang on %s has ended, or its connection is cut",
               g->page.first_rank[host], g->page.host_names[host]);
    return GANG_LOST;
}

/* ---- failures ---- */

void gang_wake(struct gang_member *g)
{
    syscall(SYS_futex, &g->page.head->generation, FUTEX_WAKE, g->local_size, NULL, NULL, 0);
}

bool gang_fail(struct gang_member *g, enum gang_trouble trouble, const char *format, ...)
{
    struct gang_page *page = g->page.head;
    va_list args;

    if (g->crew.has_failed)
        return false;
    g->failure.trouble = trouble;
    va_start(args, format);
    vsnprintf(g->failure.why.text, sizeof g->failure.why.text, format, args);
    va_end(args);
    if (!atomic_exchange(&page->is_claimed, 1)) {
        snprintf(page->why, MEETING_WHY, "%.*s", MEETING_WHY - 1, g->failure.why.text);
        atomic_store(&page->trouble, trouble);
    } else if (atomic_load(&page->trouble)) {
        gang_fails(&g->failure, (enum gang_trouble)atomic_load(&page->trouble), "%s", page->why);
    }
    g->crew.has_failed = true;
    gang_wake(g);
    beat_say(g, g->failure.trouble, g->failure.why.text);
    return false;
}

static enum gang_trouble look_at_host(struct gang_member *g, struct gang_failure *found)
{
    struct gang_page *page = g->page.head;

    if (atomic_load(&page->trouble)) {
        gang_fails(found, (enum gang_trouble)atomic_load(&page->trouble), "%s", page->why);
        return found->trouble;
    }
    for (int32_t i = 0; i < g->local_size; i++) {
        struct pollfd life = {.fd = g->lives[i], .events = POLLIN};

        if (life.fd < 0 || poll(&life, 1, 0) <= 0)
            continue;
        gang_fails(found, GANG_LOST, "rank %d of the gang on %s has ended",
                   g->rank - g->local_rank + i, g->host_name);
        return found->trouble;
    }
    return GANG_FINE;
}

enum gang_trouble gang_look(struct gang_member *g, double since_s, struct gang_failure *found)
{
    g->looked_s = clock_now(&clock_system);
    if (look_at_host(g, found))
        return found->trouble;
    for (int32_t host = 0; g->links && host < g->n_hosts; host++) {
        const struct gang_link *link = &g->links[host];

        if (link->beat < 0)
            continue;
        if (beat_listen(g, host, found))
            return found->trouble;
        if (link->has_left || g->looked_s < fmax(link->heard_s, since_s) + g->silent_s)
            continue;
        gang_fails(found, GANG_LOST, "rank %d of the gang on %s was silent for %g s",
                   g->page.first_rank[host], g->page.host_names[host], g->silent_s);
        return GANG_LOST;
    }
    if (!g->keep_waiting || g->keep_waiting(g->arg))
        return GANG_FINE;
    gang_fails(found, GANG_STOPPED, "rank %d of the gang was told to leave", g->rank);
    return GANG_STOPPED;
}
