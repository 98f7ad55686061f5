/* Something that runs trials: the GCN, or a stand-in of the tests. */
#ifndef TRIAL_RUNNER_H
#define TRIAL_RUNNER_H

#include "trial/result.h"

/* Who has a trial run, from inside it. */
struct trial_watch {
    /* Asked at least once an epoch; false: leave with state PENDING. */
    bool (*keep_going)(void *arg);
    /* Here is how far the trial has come; borrowed for the call. Where it is worth keeping: before
     * it leaves with PENDING, and now and then. NULL: nobody keeps any. */
    void (*save)(void *arg, const struct trial_checkpoint *checkpoint);
    void *arg;
    const struct trial_checkpoint *from; /* to go on from; NULL: from the beginning */
};

struct runner {
    /* Run trial `number` to its end, filling r (initialised by the caller). Never fails: a trial
     * that cannot run has state FAILED and a reason; one that cannot go on begins anew. */
    void (*run)(void *self, struct trial_result *r, int64_t number,
                const struct trial_watch *watch);
    void *self;
};

#endif
