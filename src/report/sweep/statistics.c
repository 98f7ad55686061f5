/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/sweep/statistics.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/student.h"

/* ---- the corrected resampled t interval ---- */

double resampled_factor(int32_t n, double share)
{
    return n < 2 ? (double)NAN : student_two_sided(0.95, n - 1) * sqrt(1.0 / n + share);
}

double resampled_half_width(const double *d, int32_t n, double share)
{
    double mean = 0, ss = 0;

    if (n < 2)
        return NAN;
    for (int32_t i = 0; i < n; i++)
        mean += d[i] / n;
    for (int32_t i = 0; i < n; i++)
        ss += (d[i] - mean) * (d[i] - mean);
    return resampled_factor(n, share) * sqrt(ss / (n - 1));
}

/* ---- Pareto fronts ---- */

int32_t pareto_front(int32_t *front, const double *score, const double *cost, int32_t n)
{
    double least = INFINITY;
    int32_t n_front = 0;

    for (int32_t i = 0; i < n; i++) {
        if (!(cost[i] < least))
            continue;
        if (n_front && score[front[n_front - 1]] == score[i])
            n_front--;
        front[n_front++] = i;
        least = cost[i];
    }
    for (int32_t i = 0; i < n_front / 2; i++) {
        int32_t swap = front[i];

        front[i] = front[n_front - 1 - i];
        front[n_front - 1 - i] = swap;
    }
    return n_front;
}

/* ---- analysis of variance ---- */

struct grid {
    const int32_t *levels; /* [k] */
    int32_t k;
    size_t n;       /* cells */
    size_t *stride; /* [k] cells between neighbours along an axis */
    double *y;      /* [n] centred */
    double **mean;  /* [k][levels] of each level */
};

static int32_t level_of(const struct grid *g, size_t cell, int32_t axis)
{
    return (int32_t)(cell / g->stride[axis] % (size_t)g->levels[axis]);
}

static double main_effect(struct grid *g, int32_t a)
{
    double each = (double)g->n / g->levels[a], ss = 0;

    for (size_t i = 0; i < g->n; i++)
        g->mean[a][level_of(g, i, a)] += g->y[i] / each;
    for (int32_t i = 0; i < g->levels[a]; i++)
        ss += each * g->mean[a][i] * g->mean[a][i];
    return ss;
}

/* cell: [levels of a * levels of b] scratch. */
static double interaction(const struct grid *g, int32_t a, int32_t b, double *cell)
{
    int32_t n_a = g->levels[a], n_b = g->levels[b];
    double each = (double)g->n / ((double)n_a * n_b), ss = 0;

    memset(cell, 0, (size_t)n_a * (size_t)n_b * sizeof *cell);
    for (size_t i = 0; i < g->n; i++)
        cell[level_of(g, i, a) * n_b + level_of(g, i, b)] += g->y[i] / each;
    for (int32_t i = 0; i < n_a; i++)
        for (int32_t j = 0; j < n_b; j++) {
            double d = cell[i * n_b + j] - g->mean[a][i] - g->mean[b][j];

            ss += each * d * d;
        }
    return ss;
}

double anova_grid(double *main, double *pair, const double *y, const int32_t *levels, int32_t k,
                  struct arena *memory, struct err *err)
{
    struct grid g = {.levels = levels, .k = k, .n = 1};
    double *cell, sum = 0, total = 0;
    bool is_short;

    g.stride = arena_take(memory, (size_t)k, sizeof *g.stride);
    g.mean = arena_take(memory, (size_t)k, sizeof(double *));
    is_short = !g.stride || !g.mean;
    for (int32_t a = k - 1; !is_short && a >= 0; a--) {
        g.stride[a] = g.n;
        g.n *= (size_t)levels[a];
        g.mean[a] = arena_take_zeroed(memory, (size_t)levels[a], sizeof *g.mean[a]);
        is_short = !g.mean[a];
    }
    g.y = arena_take(memory, g.n, sizeof *g.y);
    cell = arena_take(memory, g.n, sizeof *cell);
    if (is_short || !g.y || !cell)
        return err_nomem(err, "analysis of variance", g.n * sizeof *cell);
    for (size_t i = 0; i < g.n; i++)
        sum += y[i];
    for (size_t i = 0; i < g.n; i++) {
        g.y[i] = y[i] - sum / (double)g.n;
        total += g.y[i] * g.y[i];
    }
    memset(pair, 0, (size_t)k * (size_t)k * sizeof *pair);
    for (int32_t a = 0; a < k; a++)
        main[a] = main_effect(&g, a);
    for (int32_t a = 0; a < k; a++)
        for (int32_t b = a + 1; b < k; b++)
            pair[a * k + b] = interaction(&g, a, b, cell);
    return total;
}
