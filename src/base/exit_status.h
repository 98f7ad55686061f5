/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs and scripts rely on these numbers. */
#ifndef BASE_EXIT_STATUS_H
#define BASE_EXIT_STATUS_H

enum exit_status {
    EXIT_OK = 0, /* every trial of this run's part is finished */
    EXIT_ERROR = 1,
    EXIT_USAGE = 2,       /* fault in the command line or the sweep file */
    EXIT_SOME_FAILED = 3, /* finished, but some trials failed */
    EXIT_RESUMABLE = 75   /* stopped early; the same command line continues */
};

#endif
