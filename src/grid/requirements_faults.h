/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults of a sweep that the checks of grid/requirements report. Internal to them. */
#ifndef GRID_REQUIREMENTS_FAULTS_H
#define GRID_REQUIREMENTS_FAULTS_H

#include "grid/requirements.h"
#include "grid/sweep.h"

struct check {
    const struct sweep *sweep;
    const bool *refused;
    struct errlist *errors;
    bool is_file;
};

/* Add "s.ini:5: message", with the place of a setting or axis. */
void requirements_complain(const struct check *c, enum param_id id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Add "s.ini:3: [section] key is not set: message". */
void requirements_complain_missing(const struct check *c, enum param_id id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void requirements_check_program(const struct check *c);

#endif
