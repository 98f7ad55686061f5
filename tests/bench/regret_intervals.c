/* SPDX-License-Identifier: BSD-3-Clause */
/* Which intervals and warnings of a leaderboard stay true for the best of many configurations, if all run in full,
 * and if halving or a race stops most of them (doc/manual/explanation/leaderboard-statistics.md). Run by hand.
 *
 * A score is true score + fold + noise, and noise and folds have sd 1. Both correlate between folds by 1 / k, the
 * value that the corrected resampled t interval assumes. Scores of an earlier rung have true scores of their own
 * (correlation 0.6 and 0.8 with the last ones) and half of their variance of noise in common with the last ones.
 *
 * Prints rows of a Markdown table: sd of the true scores, configurations, folds; then for all, halving and race:
 * - how often the interval of the first one's mean contains its true score;
 * - this mean less the true score, in standard errors of the mean;
 * - how often the intervals of others' differences to the first contain the true difference, by the folds that each
 *   one has; after halving, those of the last rung;
 * - how often the truly best one is first, or has run in full and cannot be told apart from the first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/student.h"
#include "search/halving.h"
#include "search/paired.h"
#include "search/race.h"

enum { MOST_CONFIGS = 256, MOST_FOLDS = 25, RUNGS = 3, RUNS = 1000 };

struct world {
    int32_t n, k;
    double truth[MOST_CONFIGS];
    double scores[RUNGS][MOST_CONFIGS * MOST_FOLDS]; /* (n, k) */
};

/* Draws that have their own addresses: a step for each kind, and an index. */
static double draw(const struct rng *rng, uint32_t kind, int32_t i)
{
    return rng_normal(rng, kind, (uint32_t)i);
}

static void make(struct world *w, int32_t n, int32_t k, double spread, uint32_t run)
{
    static const double correlation[RUNGS] = {0.6, 0.8, 1};
    const double common = sqrt(1.0 / k), own = sqrt(1 - 1.0 / k);
    struct rng rng;

    rng_init(&rng, (struct hash){(uint64_t)n * 100 + (uint64_t)k, run}, RNG_SEARCH);
    w->n = n;
    w->k = k;
    for (int32_t i = 0; i < n; i++)
        w->truth[i] = spread * draw(&rng, 0, i);
    for (int32_t r = 0; r < RUNGS; r++)
        for (int32_t i = 0; i < n; i++) {
            const double c = correlation[r],
                         true_here = c * w->truth[i] +
                                     sqrt(1 - c * c) * spread * draw(&rng, 1 + (uint32_t)r, i);

            for (int32_t f = 0; f < k; f++) {
                const double fold = common * draw(&rng, 4, 0) + own * draw(&rng, 5, f);
                const double last = common * draw(&rng, 6, i) + own * draw(&rng, 7, i * k + f);
                const double other = common * draw(&rng, 8 + (uint32_t)r, i) +
                                     own * draw(&rng, 11 + (uint32_t)r, i * k + f);

                w->scores[r][i * k + f] =
                    true_here + fold + (r == RUNGS - 1 ? last : M_SQRT1_2 * (last + other));
            }
        }
}

/* Each rule: folds out [n]: on how many folds a configuration has scores of the last rung. */
static void run_all(int32_t *folds, const struct world *w)
{
    for (int32_t i = 0; i < w->n; i++)
        folds[i] = w->k;
}

static void run_halving(int32_t *folds, const struct world *w)
{
    double scores[MOST_CONFIGS * MOST_FOLDS];
    int32_t left[MOST_CONFIGS], n_left = w->n, share = w->n;
    bool keep[MOST_CONFIGS];

    for (int32_t i = 0; i < w->n; i++)
        left[i] = i;
    for (int32_t r = 0; r < RUNGS - 1; r++) {
        int32_t at = 0;

        for (int32_t i = 0; i < n_left; i++)
            memcpy(scores + i * w->k, w->scores[r] + left[i] * w->k, (size_t)w->k * sizeof *scores);
        share = halving_share(share, 3);
        halving_keep(keep, NULL, NULL, scores, n_left, w->k, share, 0.5);
        for (int32_t i = 0; i < n_left; i++)
            if (keep[i])
                left[at++] = left[i];
        n_left = at;
    }
    memset(folds, 0, (size_t)w->n * sizeof *folds);
    for (int32_t i = 0; i < n_left; i++)
        folds[left[i]] = w->k;
}

static void run_race(int32_t *folds, const struct world *w)
{
    bool is_alive[MOST_CONFIGS];

    for (int32_t i = 0; i < w->n; i++)
        is_alive[i] = true;
    for (int32_t m = race_first(w->k); m <= w->k; m++) {
        for (int32_t i = 0; i < w->n; i++)
            if (is_alive[i])
                folds[i] = m;
        if (m < w->k)
            race_drop(is_alive, NULL, NULL, w->scores[RUNGS - 1], w->n, m, w->k, race_first(w->k),
                      0.05);
    }
}

static const double *scores_of(const struct world *w, int32_t i)
{
    return w->scores[RUNGS - 1] + i * w->k;
}

/* Half of the interval of a mean of n values of this sd. */
static double half_width(int32_t n, double sd, int32_t k)
{
    return student_two_sided(0.95, n - 1) * sqrt(1.0 / n + 1.0 / (k - 1)) * sd;
}

enum { MEASURES = 4 };

static void measure(double found[MEASURES], const struct world *w, const int32_t *folds)
{
    int32_t first = -1, best = 0, n_others = 0, n_covered = 0;
    double most = -INFINITY;
    struct paired d;

    for (int32_t i = 0; i < w->n; i++) {
        const double mean = paired_mean(scores_of(w, i), w->k);

        if (folds[i] == w->k && mean > most) {
            most = mean;
            first = i;
        }
        best = w->truth[i] > w->truth[best] ? i : best;
    }
    for (int32_t i = 0; i < w->n; i++) {
        if (i == first || folds[i] < 2)
            continue;
        d = paired_difference(scores_of(w, i), scores_of(w, first), folds[i]);
        n_covered += fabs(d.mean - (w->truth[i] - w->truth[first])) <= half_width(d.n, d.sd, w->k);
        n_others++;
    }
    d = paired_difference(scores_of(w, first), NULL, w->k);
    found[0] = fabs(d.mean - w->truth[first]) <= half_width(d.n, d.sd, w->k);
    found[1] = (d.mean - w->truth[first]) / (d.sd / sqrt(d.n));
    found[2] = n_others ? (double)n_covered / n_others : 1;
    d = paired_difference(scores_of(w, first), scores_of(w, best), folds[best]);
    found[3] = best == first || (folds[best] == w->k && d.mean <= half_width(d.n, d.sd, w->k));
}

int main(void)
{
    static const int32_t ns[] = {16, 256}, ks[] = {5, 10};
    static const double spreads[] = {0.1, 0.5, 2};
    static void (*const rules[])(int32_t *, const struct world *) = {run_all, run_halving,
                                                                     run_race};
    static struct world w;

    for (int c = 0; c < 3; c++)
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++) {
                double sum[3][MEASURES] = {{0}};

                for (uint32_t run = 0; run < RUNS; run++) {
                    make(&w, ns[a], ks[b], spreads[c], run);
                    for (int rule = 0; rule < 3; rule++) {
                        double found[MEASURES];
                        int32_t folds[MOST_CONFIGS];

                        rules[rule](folds, &w);
                        measure(found, &w, folds);
                        for (int i = 0; i < MEASURES; i++)
                            sum[rule][i] += found[i] / RUNS;
                    }
                }
                printf("| %g | %d | %d |", spreads[c], ns[a], ks[b]);
                for (int i = 0; i < MEASURES; i++)
                    printf(" %.2f, %.2f, %.2f |", sum[0][i], sum[1][i], sum[2][i]);
                putchar('\n');
                fflush(stdout);
            }
    return 0;
}
