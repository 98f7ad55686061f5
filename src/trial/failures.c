/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/failures.h"

#include <stdio.h>
#include <string.h>

static const char *skip_number(const char *text)
{
    return text + strspn(text, "0123456789.");
}

static bool is_alike(const char *a, const char *b)
{
    for (;; a++, b++) {
        a = skip_number(a);
        b = skip_number(b);
        if (*a != *b || !*a)
            return *a == *b;
    }
}

void failure_groups_add(struct failure_groups *groups, int64_t n, int64_t trial, const char *reason)
{
    struct failure_group *of = groups->of;
    int32_t i = 0;

    while (i < groups->n && !is_alike(of[i].reason, reason))
        i++;
    if (i == FAILURE_GROUPS) {
        groups->n_others += n;
        return;
    }
    if (i == groups->n) {
        of[groups->n++].trial = trial;
        snprintf(of[i].reason, sizeof of[i].reason, "%s", reason);
    }
    of[i].n += n;
    for (; i > 0 && of[i].n > of[i - 1].n; i--) {
        struct failure_group larger = of[i];

        of[i] = of[i - 1];
        of[i - 1] = larger;
    }
}

void failures_init(struct failures *f, int64_t limit, int32_t n_configs, bool has_succeeded)
{
    *f =
        (struct failures){.limit = limit,
                          .n_needed = n_configs < FAILURES_IN_A_ROW ? n_configs : FAILURES_IN_A_ROW,
                          .has_succeeded = has_succeeded};
}

static void note_config(struct failures *f, int32_t config)
{
    for (int32_t i = 0; i < f->n_configs; i++)
        if (f->configs[i] == config)
            return;
    if (f->n_configs < FAILURES_IN_A_ROW)
        f->configs[f->n_configs++] = config;
}

static void note_failure(struct failures *f, int32_t config, const struct trial_result *result)
{
    if (!f->in_a_row || !is_alike(f->reason, result->error))
        f->in_a_row = f->n_configs = 0;
    f->in_a_row++;
    note_config(f, config);
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
