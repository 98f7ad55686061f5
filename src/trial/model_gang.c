/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/model_gang.h"

#include <stdio.h>
#include <unistd.h>

#include "config.h"
#include "tensor/gemm.h"

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
    snprintf(r->error, sizeof r->error, "%.*s", (int)sizeof r->error - 1,
             failure->trouble == GANG_STOPPED ? "" : failure->why.text);
}
