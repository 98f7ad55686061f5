/* SPDX-License-Identifier: BSD-3-Clause */
/* external: the trial is another program (trial/program_runner.h). */
#include "trial/model_type.h"

const struct model_type model_external = {
    .name = "external", .words = "external program", .draws_random = true, .is_program = true};
