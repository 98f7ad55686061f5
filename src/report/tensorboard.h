/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep as a log folder of TensorBoard: a run for each trial that has begun, named by its
 * configuration, replicate and fold (c12/r0-fold1), in a group for each configuration.
 *
 *   hyperparameters   all settings in config.params, the axes first. A setting that is a word in
 *                     some configuration is text in all.
 *   metrics           final/SPLIT_NAME at the best epoch, the objective first. Those of the test part
 *                     are left out, so that nobody chooses by them.
 *   curves            curve/train_loss, curve/val_loss and curve/OBJECTIVE for each epoch */
#ifndef REPORT_TENSORBOARD_H
#define REPORT_TENSORBOARD_H

#include <stdbool.h>

#include "base/err.h"
#include "base/outfolder.h"
#include "store/query/query.h"

/* False: built without protobuf-c. */
bool tensorboard_is_available(void);

/* True if a file of this name may be replaced with its folder. */
bool tensorboard_is_own(const char *name);

/* Write the runs of the sweep. -1 and err: the store cannot be read, no trial has begun, a write
 * failed, or it is not available. */
int tensorboard_write(struct outfolder *out, struct store *store, const struct query_sweep *sweep,
                      struct err *err);

#endif
