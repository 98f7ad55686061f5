/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/liveness.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/batch.h"

enum { BOOT_ID = 36 }; /* the part of a realm that identifies the boot */

static void __attribute__((format(printf, 3, 4)))
answer(struct liveness_answer *out, enum liveness liveness, const char *format, ...)
{
    va_list args;

    *out = (struct liveness_answer){.liveness = liveness};
    va_start(args, format);
    vsnprintf(out->why, sizeof out->why, format, args);
    va_end(args);
}

static void ask_job(struct liveness_answer *out, const struct process *process, const char *text)
{
    struct batch_job job, own;
    const char *title;

    if (!batch_job_parse(&job, text)) {
        answer(out, LIVENESS_UNKNOWN, "%s cannot be queried from here", process->host);
        return;
    }
    title = batch_system_title(job.system);
    /* A requeued job keeps its number, so an earlier process of our own job may be gone. */
    batch_job_here(&own);
    if (own.system == job.system && !strcmp(own.id, job.id)) {
        answer(out, LIVENESS_UNKNOWN, "%s cannot be queried from here, and this is the same %s job",
               process->host, title);
        return;
    }
    switch (batch_ask(&job)) {
    case BATCH_GONE:
        answer(out, LIVENESS_GONE, "%s job %s is over", title, job.id);
        break;
    case BATCH_ALIVE:
        answer(out, LIVENESS_ALIVE, "%s job %s is still running", title, job.id);
        break;
    case BATCH_UNKNOWN:
        answer(out, LIVENESS_UNKNOWN, "neither %s nor %s can be queried from here", process->host,
               title);
        break;
    }
}

static bool is_same_boot(const struct process *a, const struct process *b)
{
    return *a->realm && *b->realm && !strncmp(a->realm, b->realm, BOOT_ID);
}

void liveness_ask(struct liveness_answer *out, const struct process *process, const char *job)
{
    enum process_state state = process_ask(process);
    struct process self;

    process_self(&self);
    if (state == PROCESS_GONE)
        answer(out, LIVENESS_GONE, "no such process");
    else if (state == PROCESS_ALIVE && process->pid == self.pid)
        answer(out, LIVENESS_GONE, "it is this process");
    else if (state == PROCESS_ALIVE)
        answer(out, LIVENESS_ALIVE, "its process is running");
    else if (process_is_beside(process, &self))
        answer(out, LIVENESS_UNKNOWN, "processes of other users are hidden on %s", self.host);
    else if (is_same_boot(process, &self))
        answer(out, LIVENESS_UNKNOWN, "it ran in another container");
    else if (*process->realm && !strcmp(process->host, self.host))
        answer(out, LIVENESS_GONE, "%s has been rebooted since", process->host);
    else
        ask_job(out, process, job);
    out->is_same_kernel = is_same_boot(process, &self);
}
