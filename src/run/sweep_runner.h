/* SPDX-License-Identifier: BSD-3-Clause */
/* The runner of a sweep's trials on one rank: models, or programs. */
#ifndef RUN_SWEEP_RUNNER_H
#define RUN_SWEEP_RUNNER_H

#include "base/buf.h"
#include "data/core/dataset.h"
#include "grid/plan.h"
#include "launch/gpu_share.h"
#include "program/spawner.h"
#include "trial/model_runner.h"
#include "trial/program_runner.h"

/* Zero-initialise. */
struct sweep_runner {
    struct plan *plan;
    struct runner inner;
    struct model_runner *model;
    struct program_runner *program;
    struct program_place place;
    struct buf modules;
};

/* Where a sweep of programs runs on this rank. Everything is borrowed. */
struct sweep_place {
    const char *files; /* trial_files_put_absolute() */
    struct spawner *spawner;
    const struct gpu_shares *gpus; /* of the trials; without any they are left alone */
};

/* plan, which gets more rows, data and prepared are borrowed. A sweep of models ends the spawner. Pair with
 * sweep_runner_close(). */
int sweep_runner_open(struct sweep_runner *runner, struct plan *plan, const struct dataset *data,
                      struct prepared *prepared, const struct sweep_place *place, struct err *err);
void sweep_runner_close(struct sweep_runner *runner);

/* Borrows the runner. */
struct runner sweep_runner_interface(struct sweep_runner *runner);

#endif
