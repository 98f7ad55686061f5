/* An mpirun that somebody else started, in recovery mode: when it has lost a host it never ends,
 * and the job it runs in neither. Rank 0, its child, can end it; launch_watch() does that for the
 * mpirun of `run -n`. */
#ifndef CLI_LAUNCH_PARENT_H
#define CLI_LAUNCH_PARENT_H

#include "base/process.h"

/* A rank is lost (NULL: one that is not known), and with it maybe its host. */
void launch_parent_note_loss(const struct process *rank);

/* Rank 0 is about to leave. After a loss on another host a small process stays behind: mpirun gets
 * five seconds to end by itself, then it is ended, with a status of its own (1). Where mpirun is
 * not our parent (rank 0 is not on its host) only a warning can be given. */
void launch_parent_end(void);

#endif
