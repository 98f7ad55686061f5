/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks of a gang as a crew (gcn/crew.h).
 *
 *     gang_open()     all ranks meet, on their host and then between hosts
 *     gang_crew()     sums, shares and agrees
 *     gang_close()
 *
 * On a host, ranks share memory that has no name, so a killed process leaves nothing behind.
 * Between hosts, the first rank of each host (its leader) has a TCP connection with every other
 * leader. All calls wait for the slowest rank without a time limit, but they notice
 *   - the end of a process on the same host, within 0.1 s;
 *   - the end of a leader of another host, at once, and its silence after silent_s;
 *   - keep_waiting() that returns false, within 0.1 s.
 * A stopped process (SIGSTOP) has not ended. Its host is silent only if it is the leader.
 *
 * The rank that notices tells all others, so each knows the reason. Knows neither MPI nor
 * settings. A gang belongs to one thread. */
#ifndef GANG_GANG_H
#define GANG_GANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "gcn/crew.h"

#define GANG_MEET_S 60.0
#define GANG_SILENT_S 10.0

/* A text that all ranks must have alike is compared up to here. */
enum { GANG_TEXT = 256, GANG_HOST = 64, GANG_WHY = 512 };

enum gang_trouble {
    GANG_FINE,
    GANG_LOST,    /* a member has ended, is silent, or did not come: the trial may run again */
    GANG_DIFFERS, /* members have other builds, processors or numbers: running again is no use */
    GANG_STOPPED, /* this rank, or another one, was told to leave */
    GANG_BROKEN   /* no memory, no socket */
};

/* Why a gang cannot go on. */
struct gang_failure {
    enum gang_trouble trouble;
    struct err why;
};

struct gang_place {
    int32_t rank, size;
    int32_t local_rank, local_size; /* ranks on a host are consecutive */
    int32_t host, n_hosts;          /* in order of their ranks */
    const char *host_name;          /* of this host, for messages */
    const char *address;            /* of rank 0's host; unused if n_hosts is 1 */
    int32_t port;                   /* free on rank 0's host; unused if n_hosts is 1 */
    const char
        *token; /* the same on all ranks, and different from those of all other gangs. Between
                          hosts, only members may know it. */
};

struct gang_options {
    int32_t n_workers;     /* at least place.size */
    const char *build;     /* compared: the program's version and build */
    const char *processor; /* compared: all that makes results of a machine differ */
    double meet_s;   /* time limit of the meeting on a host, and between hosts; 0: GANG_MEET_S */
    double silent_s; /* 0: GANG_SILENT_S */
    /* Called at least every 0.1 s while a rank waits; false: give up. NULL: always true. */
    bool (*keep_waiting)(void *arg);
    void *arg;
};

/* A rank in its gang. */
struct gang_member;

/* Collective. Rank r gets workers r W / R ... (r + 1) W / R - 1. Texts of place and options are
 * borrowed for the call. -1 and failure: *gang is NULL. */
int gang_open(struct gang_member **gang, const struct gang_place *place,
              const struct gang_options *options, struct gang_failure *failure);

/* Borrowed. Memory from take_parts() and take_common() is zeroed and ends with the gang. */
struct crew *gang_crew(struct gang_member *gang);

/* The reason, if the crew has_failed. */
const struct gang_failure *gang_failure(const struct gang_member *gang);

/* The member that computed longest since the first agree(): the others wait for it. */
struct gang_pace {
    int32_t rank;
    const char *host; /* borrowed; NULL: agree() was not called twice */
    double busy_s;    /* it did not wait for others so long */
    double others_s;  /* the others would have needed for its workers, on average */
};

/* As of the last agree(). */
const struct gang_pace *gang_pace(const struct gang_member *gang);

/* Local. The others may still be in their last call. NULL is allowed. */
void gang_close(struct gang_member *gang);

/* ---- counters, for `profile` ---- */

enum gang_call { GANG_SUM, GANG_SHARE, GANG_AGREE, GANG_CALLS };

/* Classes of size: up to 64 B, 256 B, 1 KiB ... 1 GiB and above. */
enum { GANG_SIZES = 13 };
int gang_size_class(size_t bytes);

struct gang_count {
    int64_t calls, bytes; /* of what is summed or shared, once */
    double seconds;       /* in the calls, with waiting_s */
    double waiting_s;     /* until the last rank of the host came, or for data of other hosts */
};

struct gang_counts {
    struct gang_count of[GANG_CALLS][GANG_SIZES];
    double meeting_s; /* in gang_open() */
};

const struct gang_counts *gang_counts(const struct gang_member *gang);

#endif
