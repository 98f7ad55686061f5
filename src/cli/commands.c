/* SPDX-License-Identifier: BSD-3-Clause */
/* In the order of help and the manual. */
#include "cli/commands.h"

const struct command *const commands[] = {
    &command_init,     &command_inspect,
    &command_params,   &command_plan,
    &command_simulate, &command_run,
    &command_status,   &command_watch,
    &command_profile,  &command_doctor,
    &command_merge,    &command_best,
    &command_show,     &command_report,
    &command_predict,  &command_export,
    &command_trace,    &command_verify,
    &command_help,     &command_completion,
    &command_complete, NULL,
};
