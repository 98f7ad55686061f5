/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/model_gang.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/words.h"
#include "config.h"
#include "tensor/gemm.h"

/* A shorter time may show another program's moment. */
#define PACE_S 5.0
/* Share of the time that the others wait. */
#define SLOW_SHARE 0.25

int model_gang_open(struct gang_member **gang, const struct trial_watch *watch, int32_t n_workers,
                    struct gang_failure *failure)
{
    const struct trial_gang *part = watch->gang;
    char host[GANG_HOST] = "", processor[GANG_TEXT];
    const struct gang_place place = {.rank = part->rank,
                                     .size = part->size,
                                     .local_rank = part->local_rank,
                                     .local_size = part->local_size,
                                     .host = part->host,
                                     .n_hosts = part->n_hosts,
                                     .host_name = host,
                                     .address = part->address,
                                     .port = part->port,
                                     .token = part->token};
    const struct gang_options options = {.n_workers = n_workers,
                                         .build = PACKAGE_VERSION,
                                         .processor = processor,
                                         .keep_waiting = watch->keep_waiting,
                                         .arg = watch->arg};

    gethostname(host, sizeof host - 1);
    snprintf(processor, sizeof processor, "%s %s", gemm_library(), gemm_kernel());
    return gang_open(gang, &place, &options, failure);
}

void model_gang_fail(struct trial_result *r, const struct gang_failure *failure)
{
    bool may_run_again = failure->trouble == GANG_LOST || failure->trouble == GANG_STOPPED;

    r->state = may_run_again ? TRIAL_PENDING : TRIAL_FAILED;
    words_cut(r->error, sizeof r->error, failure->trouble == GANG_STOPPED ? "" : failure->why.text);
}

void model_gang_warn(struct errlist *slow, const struct gang_member *gang)
{
    const struct gang_pace *pace = gang_pace(gang);
    double share = pace->busy_s > 0 ? 1 - pace->others_s / pace->busy_s : 0;

    if (!pace->host || pace->busy_s < PACE_S || share < SLOW_SHARE || errlist_has(slow, pace->host))
        return;
    errlist_add(slow, "%s", pace->host);
    if (!slow->n_lost) /* else the warning could come in each epoch */
        log_warn("rank %d of a gang is slow on %s: it computed for %.3g s where the others needed "
                 "%.3g s, so they wait %.0f %% of the time; look for other programs on %s, or "
                 "launch on machines of one type",
                 pace->rank, pace->host, pace->busy_s, pace->others_s, 100 * share, pace->host);
}
