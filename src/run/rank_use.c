/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/rank_use.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/words.h"

/* Which numbers of ranks the widths add up to. */
struct sums {
    int64_t *n_of; /* [n_ranks + 1] trials of each width */
    int32_t *used; /* [most + 1] fewest trials of the last width in this sum; -1: no such sum */
    int32_t most;
};

static void add_width(struct sums *sums, int32_t width, int64_t n)
{
    for (int32_t sum = 0; sum <= sums->most; sum++)
        if (sums->used[sum] >= 0)
            sums->used[sum] = 0;
        else if (sum >= width && sums->used[sum - width] >= 0 && sums->used[sum - width] < n)
            sums->used[sum] = sums->used[sum - width] + 1;
}

static int count(struct rank_use *use, struct sums *sums, const struct job *job,
                 const int64_t *n_left, struct err *err)
{
    int32_t *widths;

    if (job_widths(&widths, job, err))
        return -1;
    for (int32_t c = 0; c < job->plan.n_configs; c++) {
        int32_t width = widths ? widths[c] : 1;

        use->n_trials += n_left[c];
        sums->n_of[width < use->n_ranks ? width : use->n_ranks] += n_left[c];
    }
    free(widths);
    return 0;
}

static void find(struct rank_use *use, struct sums *sums)
{
    for (int32_t sum = 1; sum <= sums->most; sum++)
        sums->used[sum] = -1;
    for (int32_t width = 1; width <= use->n_ranks; width++)
        if (sums->n_of[width])
            add_width(sums, width, sums->n_of[width]);
    for (int32_t sum = 0; sum <= use->n_ranks; sum++)
        if (sums->used[sum] >= 0)
            use->most = sum;
    for (int32_t sum = sums->most; sum > use->n_ranks; sum--)
        if (sums->used[sum] >= 0)
            use->larger = sum;
}

int rank_use_find(struct rank_use *use, const struct job *job, const int64_t *n_left,
                  int32_t n_ranks, struct err *err)
{
    /* a launch that is larger by one gang */
    struct sums sums = {.most = 2 * n_ranks};
    size_t n = (size_t)sums.most + 1;
    int rc = 0;

    *use = (struct rank_use){.n_ranks = n_ranks};
    sums.n_of = calloc(n, sizeof *sums.n_of);
    sums.used = calloc(n, sizeof *sums.used);
    if (!sums.n_of || !sums.used)
        rc = err_nomem(err, "ranks", n * sizeof *sums.n_of);
    else
        rc = count(use, &sums, job, n_left, err);
    if (!rc)
        find(use, &sums);
    free(sums.n_of);
    free(sums.used);
    return rc;
}

void rank_use_warn(const struct rank_use *use)
{
    int64_t idle = use->n_ranks - use->most;
    char larger[32] = "", advice[80];

    if (!use->n_trials || idle <= 0)
        return;
    if (use->larger)
        snprintf(larger, sizeof larger, ", or -n %lld", (long long)use->larger);
    snprintf(advice, sizeof advice, "-n %lld, which takes as long%s", (long long)use->most, larger);
    log_warn("the %lld trial%s to run can use at most %lld of the %d ranks at a time: %lld rank%s "
             "will have nothing to do: start with %s",
             (long long)use->n_trials, plural(use->n_trials), (long long)use->most, use->n_ranks,
             (long long)idle, plural(idle), advice);
}
