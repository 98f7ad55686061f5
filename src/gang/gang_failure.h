/* SPDX-License-Identifier: BSD-3-Clause */
/* Why a gang cannot go on. */
#ifndef GANG_GANG_FAILURE_H
#define GANG_GANG_FAILURE_H

#include "base/err.h"

enum gang_trouble {
    GANG_FINE,
    GANG_LOST,    /* a member has ended, is silent, or did not come: the trial may run again */
    GANG_DIFFERS, /* members have other builds, processors or numbers: running again is no use */
    GANG_STOPPED, /* this rank, or another one, was told to leave */
    GANG_BROKEN   /* no memory, no socket */
};

struct gang_failure {
    enum gang_trouble trouble;
    struct err why;
};

/* Always -1, for `return gang_fails(failure, ...)`. */
int gang_fails(struct gang_failure *failure, enum gang_trouble trouble, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
