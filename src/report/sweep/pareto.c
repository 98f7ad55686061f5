/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/sweep/pareto.h"

#include <math.h>

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
