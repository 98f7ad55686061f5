/* Something that runs trials: the GCN, or a stand-in of the tests. */
#ifndef TRIAL_RUNNER_H
#define TRIAL_RUNNER_H

#include "trial/result.h"

struct runner {
    /* Run trial `number` to its end, filling r (initialised by the caller). keep_going is asked
     * at least once an epoch; false: leave with state PENDING. Never fails: a trial that cannot
     * run has state FAILED and a reason. */
    void (*run)(void *self, struct trial_result *r, int64_t number, bool (*keep_going)(void *arg),
                void *arg);
    void *self;
};

#endif
