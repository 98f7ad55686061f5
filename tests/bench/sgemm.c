/* SPDX-License-Identifier: BSD-3-Clause */
/* Speed of this machine's sgemm for the two products of a dense first layer: X W and X^T G.
 * usage: sgemm SAMPLES FEATURES HIDDEN RUNS
 * Prints a line for each run: seconds of both, GFLOP/s over both, the kernel that OpenBLAS chose.
 * A run takes at least a tenth of a second, on one thread. */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

#define RUN_FLOP 2e10 /* 0.1 s at 200 GFLOP/s */

struct shapes {
    int n, f, h;
};

/* Numbers of either sign, but not tiny: denormal numbers would be slow. */
static float *make_matrix(int rows, int columns)
{
    size_t n = (size_t)rows * (size_t)columns;
    float *out = malloc(n * sizeof *out);

    for (size_t i = 0; out && i < n; i++)
        out[i] = (float)((i * 2654435761u % 1024) + 1) / 512.0f - 1.001f;
    return out;
}

/* Forward, h (N, H) = x (N, F) w (F, H), then the gradient, g (F, H) = x^T h. */
static void both(const struct shapes *s, const float *x, const float *w, float *h, float *g)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, s->n, s->h, s->f, 1.0f, x, s->f, w, s->h,
                0.0f, h, s->h);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, s->f, s->h, s->n, 1.0f, x, s->f, h, s->h,
                0.0f, g, s->h);
}

static void run(const struct shapes *s, const float *x, const float *w, float *h, float *g)
{
    double flop = 4.0 * s->n * s->f * s->h;
    int times = (int)(RUN_FLOP / flop) + 1;
    double begun_s = clock_now(&clock_system), seconds;

    for (int i = 0; i < times; i++)
        both(s, x, w, h, g);
    seconds = (clock_now(&clock_system) - begun_s) / times;
    printf("%.6f %.1f %s\n", seconds, flop / seconds / 1e9, openblas_get_corename());
}

int main(int argc, char **argv)
{
    struct shapes s;
    float *x, *w, *h, *g;

    if (argc != 5) {
        fprintf(stderr, "usage: sgemm SAMPLES FEATURES HIDDEN RUNS\n");
        return 2;
    }
    s = (struct shapes){atoi(argv[1]), atoi(argv[2]), atoi(argv[3])};
    x = make_matrix(s.n, s.f);
    w = make_matrix(s.f, s.h);
    h = make_matrix(s.n, s.h);
    g = make_matrix(s.f, s.h);
    if (!x || !w || !h || !g) {
        fprintf(stderr, "sgemm: out of memory\n");
        return 1;
    }
    openblas_set_num_threads(1);
    both(&s, x, w, h, g); /* the first call initialises */
    for (int i = 0; i < atoi(argv[4]); i++)
        run(&s, x, w, h, g);
    free(x);
    free(w);
    free(h);
    free(g);
    return 0;
}
