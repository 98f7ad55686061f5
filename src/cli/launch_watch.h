/* The other end of launch_report_*(): follow a mpirun until it ends, and see that it does. */
#ifndef CLI_LAUNCH_WATCH_H
#define CLI_LAUNCH_WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct launch_end {
    int status;         /* that rank 0 reported; -1: none */
    int mpirun_status;  /* its exit status; 128 and the signal where one ended it */
    bool has_come_up;   /* rank 0 has reported at all */
    const char *reason; /* why it was ended from here; NULL: it was not */
};

/* pid is mpirun, leader of a process group; report_fd its standard output. Ends it when rank 0 has
 * reported its status and mpirun does not follow (it waits for ever for a host that is lost), when
 * the ranks do not come up, and when rank 0 has come up and then says nothing: for heartbeat_s and
 * some seconds where it is on another host, as its workers would; on this one for longer, since a
 * disk may hold it, and were it dead mpirun would know. *stop: mpirun was sent SIGUSR1 for its
 * ranks, and gets it again until they have come up, since it loses what comes early. */
void launch_watch(struct launch_end *end, pid_t pid, int report_fd, double heartbeat_s,
                  const volatile sig_atomic_t *stop);

#endif
