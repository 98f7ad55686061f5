/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings and plans for tests that take a sweep's settings as resolved, or resolve them in place. */
#ifndef TESTS_UNIT_RESOLVE_H
#define TESTS_UNIT_RESOLVE_H

#include <string.h>

#include "grid/plan.h"

static inline void default_settings(struct settings *out)
{
    struct given given;

    settings_defaults(&given);
    settings_stored(out, &given);
}

static inline int resolve_settings(struct settings *s, enum task task, struct err *err)
{
    struct given given = {.names = s->names};

    memcpy(given.v, s->v, sizeof given.v);
    return settings_resolve(s, &given, task, err);
}

static inline int resolve_sweep(struct sweep *sweep, enum task task, struct err *err)
{
    struct settings s;
    int rc = settings_resolve(&s, &sweep->fixed, task, err);

    memcpy(sweep->fixed.v, s.v, sizeof s.v);
    return rc;
}

static inline int make_plan(struct plan *plan, const struct sweep *sweep,
                            const struct predicate *predicate, struct err *err)
{
    struct settings fixed;

    settings_stored(&fixed, &sweep->fixed);
    return plan_init(plan, sweep, &fixed, predicate, err);
}

#endif
