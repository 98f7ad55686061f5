/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/shard.h"

#include <stdio.h>
#include <string.h>

int shard_parse(struct shard *shard, const char *text, struct err *err)
{
    bool is_plain = strspn(text, "0123456789/") == strlen(text);
    int k, n, end = 0;

    if (!is_plain || sscanf(text, "%6d/%6d%n", &k, &n, &end) != 2 || text[end] || k < 1 || k > n ||
        n > SHARD_MAX)
        return err_set(err, "%s: must be K/N with 1 <= K <= N <= %d", text, SHARD_MAX);
    *shard = (struct shard){k, n};
    return 0;
}

/* 128 bits modulo a small n, in steps that fit 64 bits. */
bool shard_owns(const struct shard *shard, struct hash key)
{
    uint64_t n = (uint64_t)shard->n;
    uint64_t two_to_64 = (UINT64_MAX % n + 1) % n;

    return ((key.high % n) * two_to_64 + key.low % n) % n == (uint64_t)shard->k - 1;
}

int shard_mark(bool *ours, const struct shard *shard, const struct plan *plan,
               const struct dataset *data, struct err *err)
{
    struct settings_texts texts;
    struct settings s;
    int rc = 0;

    settings_texts_init(&texts, plan->sweep->swept, data->digest);
    for (int64_t t = 0; !rc && t < plan->n_trials; t++) {
        struct plan_trial trial = plan_trial(plan, t);

        ours[t] = true;
        if (shard->n == 1)
            continue;
        if (trial.replicate == 0 && trial.fold == 0) {
            plan_settings(plan, trial.config, &s);
            settings_texts_set(&texts, &s);
        }
        ours[t] = shard_owns(shard, settings_texts_key(&texts, trial.replicate, trial.fold));
    }
    if (!rc && buf_failed(&texts.canonical))
        rc = err_nomem(err, "trial keys", texts.canonical.size);
    settings_texts_release(&texts);
    return rc;
}
