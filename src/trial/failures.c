/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/failures.h"

#include <stdio.h>
#include <string.h>

void failures_stem(struct buf *out, const char *reason)
{
    for (; *reason; reason++)
        if (!strchr("0123456789.", *reason))
            buf_putc(out, *reason);
}

static bool is_alike(const char *a, const char *b)
{
    struct buf x = {0}, y = {0};
    bool is;

    failures_stem(&x, a);
    failures_stem(&y, b);
    is = !strcmp(buf_text(&x), buf_text(&y));
    buf_release(&x);
    buf_release(&y);
    return is;
}

void failures_init(struct failures *f, int64_t limit, int32_t n_configs, bool has_succeeded)
{
    *f =
        (struct failures){.limit = limit,
                          .n_needed = n_configs < FAILURES_IN_A_ROW ? n_configs : FAILURES_IN_A_ROW,
                          .has_succeeded = has_succeeded};
}

static void note_failure(struct failures *f, int32_t config, const struct trial_result *result)
{
    bool is_known = false;

    if (!f->in_a_row || !is_alike(f->reason, result->error))
        f->in_a_row = f->n_configs = 0;
    f->in_a_row++;
    for (int32_t i = 0; i < f->n_configs; i++)
        is_known |= f->configs[i] == config;
    if (!is_known && f->n_configs < FAILURES_IN_A_ROW)
        f->configs[f->n_configs++] = config;
    f->n++;
    f->trial = result->trial;
    snprintf(f->reason, sizeof f->reason, "%s", result->error);
    if (f->limit > 0 && f->n >= f->limit)
        f->verdict = FAILURES_TOO_MANY;
    else if (f->limit == FAILURES_ALIKE && !f->has_succeeded && f->in_a_row >= FAILURES_IN_A_ROW &&
             f->n_configs >= f->n_needed)
        f->verdict = FAILURES_ALL_ALIKE;
}

enum failures_verdict failures_note(struct failures *f, int32_t config,
                                    const struct trial_result *result)
{
    if (f->verdict != FAILURES_GO_ON)
        return f->verdict;
    if (result->state == TRIAL_FAILED)
        note_failure(f, config, result);
    else if (result->state == TRIAL_DONE || result->state == TRIAL_DIVERGED)
        f->has_succeeded = true;
    return f->verdict;
}
