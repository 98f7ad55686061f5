/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/target_leaks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* A few samples rule out nearly all dense columns: the residual of a line through all samples is at
 * least that of the best line through some. */

#define BLOCK_COLS 4096
#define LEAST_SEEN 64      /* samples examined first, or */
#define SHARE_SEEN 0.01    /* this fraction, if larger */
#define MOST_CLASSES 50    /* with more, only their numbers are compared */
#define LEAST_LOG_ODDS 6.9 /* log 1000 */

struct leak_sums {
    double n, x, xx, y, yy, xy;
};

static void add(struct leak_sums *s, double x, double y)
{
    s->n++;
    s->x += x;
    s->xx += x * x;
    s->y += y;
    s->yy += y * y;
    s->xy += x * y;
}

static double spread(double n, double sum, double squares)
{
    return n > 0 ? fmax(squares - sum * sum / n, 0) : 0;
}

static double shared(const struct leak_sums *s)
{
    return s->n > 0 ? s->xy - s->x * s->y / s->n : 0;
}

static double residual(const struct leak_sums *s)
{
    double xx = spread(s->n, s->x, s->xx), xy = shared(s);

    return spread(s->n, s->y, s->yy) - (xx > 0 ? xy * xy / xx : 0);
}

/* ---- targets ---- */

/* One number for each labelled sample, centred so that sums of squares keep their digits. */
struct look {
    const struct dataset *d;
    struct target_leaks *out;
    int32_t *sample; /* [n] labelled, by ascending y */
    double *y;       /* [n] */
    int32_t n;
    double total;           /* sum of squares of y */
    float *row;             /* [BLOCK_COLS] */
    double *mean;           /* [BLOCK_COLS] */
    struct leak_sums *sums; /* [BLOCK_COLS], for sparse features [F] */
};

struct valued {
    double y;
    int32_t sample;
};

static int compare_values(const void *a_, const void *b_)
{
    const struct valued *a = a_, *b = b_;

    return a->y != b->y ? (a->y > b->y) - (a->y < b->y) : a->sample - b->sample;
}

/* Class numbers are their names if all are numbers, else their indices. */
static double class_value(const struct dataset *d, int32_t label)
{
    double value = 0;

    for (int32_t c = 0; c < d->n_classes; c++) {
        char *end;
        double v = strtod(dataset_class_name(d, c), &end);

        if (*end || end == dataset_class_name(d, c) || !isfinite(v))
            return label;
        if (c == label)
            value = v;
    }
    return value;
}

/* one: the class compared with all others; -1: the target itself. */
static void sort_target(struct look *look, struct valued *order, const double *class_values,
                        int32_t one)
{
    const struct dataset *d = look->d;
    double mean = 0;

    look->n = 0;
    look->total = 0;
    for (int32_t i = 0; i < d->n_samples; i++)
        if (dataset_is_labelled(d, i)) {
            double y = d->task == TASK_REGRESSION ? (double)d->target[i]
                       : one >= 0                 ? d->label[i] == one
                                                  : class_values[d->label[i]];

            order[look->n++] = (struct valued){y, i};
        }
    qsort(order, (size_t)look->n, sizeof *order, compare_values);
    for (int32_t k = 0; k < look->n; k++)
        mean += order[k].y / look->n;
    for (int32_t k = 0; k < look->n; k++) {
        look->sample[k] = order[k].sample;
        look->y[k] = order[k].y - mean;
        look->total += look->y[k] * look->y[k];
    }
}

/* True if y's values have so many permutations that no feature likely orders the samples like y by
 * chance. */
static bool is_telling(const struct look *look)
{
    double ways = lgamma(look->n + 1.0);

    for (int32_t k = 0, begin = 0; k < look->n; k++)
        if (k + 1 == look->n || look->y[k + 1] != look->y[k]) {
            ways -= lgamma(k + 2.0 - begin);
            begin = k + 1;
        }
    return look->n >= TARGET_LEAK_LEAST &&
           ways > LEAST_LOG_ODDS + log(look->d->n_features + look->d->n_fixed);
}

/* ---- leaks ---- */

static int note(struct target_leaks *out, int32_t feature, const struct leak_sums *s,
                struct err *err)
{
    double xx = spread(s->n, s->x, s->xx), yy = spread(s->n, s->y, s->yy);
    /* a constant keeps a small spread from rounding */
    double r = xx > 1e-10 * s->xx && yy > 0 ? shared(s) / sqrt(xx * yy) : 0;
    struct target_leak *grown;

    if (s->n < TARGET_LEAK_LEAST || fabs(r) <= TARGET_LEAK_CORRELATION)
        return 0;
    for (int32_t i = 0; i < out->n; i++)
        if (out->leak[i].feature == feature) {
            if (fabs(r) > fabs(out->leak[i].r))
                out->leak[i].r = r;
            return 0;
        }
    grown = realloc(out->leak, ((size_t)out->n + 1) * sizeof *grown);
    if (!grown)
        return err_nomem(err, "features", ((size_t)out->n + 1) * sizeof *grown);
    out->leak = grown;
    out->leak[out->n++] = (struct target_leak){feature, (int32_t)s->n, r};
    return 0;
}

/* ---- dense ---- */

static void add_row(struct leak_sums *sums, struct look *look, int32_t k, int32_t col, int32_t n,
                    const double *mean)
{
    const struct dataset *d = look->d;
    const int8_t *dosage =
        d->dosage ? d->dosage + (size_t)look->sample[k] * (size_t)d->n_features + (size_t)col
                  : NULL;
    struct mat out = mat_view(look->row, 1, n);

    dataset_decode(&out, d, look->sample[k], col);
    for (int32_t j = 0; j < n; j++) {
        double x = (double)look->row[j];
        bool is_missing =
            dosage ? dosage[j] == DOSAGE_MISSING : fabs(x - mean[j]) <= 1e-6 * fabs(mean[j]);

        if (!is_missing)
            add(&sums[j], x, look->y[k]);
    }
}

static int find_dense(struct look *look, struct err *err)
{
    const struct dataset *d = look->d;
    int32_t share = (int32_t)(SHARE_SEEN * look->n);
    int32_t half = (share > LEAST_SEEN ? share : LEAST_SEEN) / 2;
    double allowed = (1 - TARGET_LEAK_CORRELATION * TARGET_LEAK_CORRELATION) * look->total;

    for (int32_t col = 0; col < d->n_features; col += BLOCK_COLS) {
        int32_t left = d->n_features - col, n = left < BLOCK_COLS ? left : BLOCK_COLS;
        struct mat row = mat_view(look->row, 1, n);

        /* means replace missing values; 0 for dosages, which mark theirs */
        memset(look->mean, 0, (size_t)n * sizeof *look->mean);
        for (int32_t i = 0; !d->dosage && i < d->n_samples; i++) {
            dataset_decode(&row, d, i, col);
            for (int32_t j = 0; j < n; j++)
                look->mean[j] += (double)look->row[j] / d->n_samples;
        }
        memset(look->sums, 0, (size_t)n * sizeof *look->sums);
        for (int32_t k = 0; k < look->n; k++) /* the target varies most at its ends */
            if (k < half || k >= look->n - half)
                add_row(look->sums, look, k, col, n, look->mean);
        for (int32_t j = 0; j < n; j++) {
            struct leak_sums s = {0};

            if (residual(&look->sums[j]) > allowed)
                continue;
            for (int32_t k = 0; k < look->n; k++)
                add_row(&s, look, k, col + j, 1, &look->mean[j]);
            if (note(look->out, col + j, &s, err))
                return -1;
        }
    }
    return 0;
}

/* ---- sparse ---- */

/* Values that are not stored add nothing, because y is centred. */
static int find_sparse(struct look *look, struct err *err)
{
    const struct csr *x = &look->d->sparse_features;

    memset(look->sums, 0, (size_t)look->d->n_features * sizeof *look->sums);
    for (int32_t k = 0; k < look->n; k++)
        for (int64_t e = x->row_start[look->sample[k]]; e < x->row_start[look->sample[k] + 1]; e++)
            add(&look->sums[x->col[e]], (double)x->val[e], look->y[k]);
    for (int32_t j = 0; j < look->d->n_features; j++) {
        struct leak_sums *s = &look->sums[j];

        s->n = look->n;
        s->y = 0;
        s->yy = look->total;
        if (note(look->out, j, s, err))
            return -1;
    }
    return 0;
}

/* ---- fixed effects ---- */

/* A missing number is the mean of its column. */
static int find_fixed(struct look *look, struct err *err)
{
    const struct dataset *d = look->d;

    for (int32_t j = 0; j < d->n_fixed; j++) {
        const double *x = d->fixed + j;
        struct leak_sums s = {0};
        double mean = 0;

        for (int32_t i = 0; i < d->n_samples && d->fixed_factor[j] < 0; i++)
            mean += x[(int64_t)i * d->n_fixed] / d->n_samples;
        for (int32_t k = 0; k < look->n; k++) {
            double v = x[(int64_t)look->sample[k] * d->n_fixed];

            if (d->fixed_factor[j] >= 0 || fabs(v - mean) > 1e-9 * fabs(mean))
                add(&s, v, look->y[k]);
        }
        if (note(look->out, d->n_features + j, &s, err))
            return -1;
    }
    return 0;
}

/* ---- together ---- */

static int compare_features(const void *a, const void *b)
{
    return ((const struct target_leak *)a)->feature - ((const struct target_leak *)b)->feature;
}

int target_leaks_find(struct target_leaks *out, const struct dataset *d, struct err *err)
{
    size_t n = (size_t)d->n_samples, n_cols = d->is_sparse ? (size_t)d->n_features : BLOCK_COLS;
    int32_t n_apart = d->n_classes > 2 && d->n_classes <= MOST_CLASSES ? d->n_classes : 0;
    struct arena memory = {0};
    struct look look = {.d = d, .out = out};
    struct valued *order;
    double *class_values;
    int rc = 0;

    *out = (struct target_leaks){0};
    if (d->graph_start)
        return 0;
    order = arena_take(&memory, n, sizeof *order);
    class_values = arena_take(&memory, (size_t)d->n_classes, sizeof *class_values);
    look.sample = arena_take(&memory, n, sizeof *look.sample);
    look.y = arena_take(&memory, n, sizeof *look.y);
    look.row = arena_take(&memory, BLOCK_COLS, sizeof *look.row);
    look.mean = arena_take(&memory, BLOCK_COLS, sizeof *look.mean);
    look.sums = arena_take(&memory, n_cols, sizeof *look.sums);
    if (memory.is_short)
        rc = err_nomem(err, "correlations", n_cols * sizeof *look.sums);
    for (int32_t c = 0; !rc && c < d->n_classes; c++)
        class_values[c] = class_value(d, c);
    for (int32_t one = -1; !rc && one < n_apart; one++) {
        sort_target(&look, order, class_values, one);
        if (is_telling(&look))
            rc = (d->is_sparse ? find_sparse : find_dense)(&look, err) || find_fixed(&look, err)
                     ? -1
                     : 0;
    }
    if (!rc && out->n)
        qsort(out->leak, (size_t)out->n, sizeof *out->leak, compare_features);
    arena_release(&memory);
    if (rc)
        target_leaks_release(out);
    return rc;
}

void target_leaks_release(struct target_leaks *p)
{
    free(p->leak);
    *p = (struct target_leaks){0};
}

const char *target_leak_name(const struct dataset *d, const struct target_leak *leak)
{
    return leak->feature < d->n_features ? dataset_feature_name(d, leak->feature)
                                         : dataset_fixed_name(d, leak->feature - d->n_features);
}
