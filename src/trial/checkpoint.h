/* How far a trial has come: what a stopped one goes on from. */
#ifndef TRIAL_CHECKPOINT_H
#define TRIAL_CHECKPOINT_H

#include <stdbool.h>

#include "base/buf.h"

struct trial_checkpoint {
    int64_t trial;     /* number in the plan */
    int32_t epoch;     /* the last that was run, from 1 */
    double left;       /* share of the trial's epochs that are not run yet, in [0, 1) */
    double seconds;    /* that the trial took so far, in all attempts that led here */
    const void *state; /* [bytes] of gcn_save() (gcn/train.h); borrowed */
    size_t bytes;
};

/* Whether its numbers are in their ranges. */
bool trial_checkpoint_is_valid(const struct trial_checkpoint *checkpoint);

/* Wire format. Unpacking borrows the state from the message; -1 where that is cut, or no number can
 * be what it says. */
void trial_checkpoint_pack(struct buf *out, const struct trial_checkpoint *checkpoint);
int trial_checkpoint_unpack(struct trial_checkpoint *checkpoint, struct cursor *in);

#endif
