/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/fixed.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Plain loops in double precision: the same bits on every rank, whatever the BLAS. */

#define TOLERANCE 1e-7
#define PENALTY 1e-6

static double dot(const double *a, const double *b, int32_t n)
{
    double sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* y += f x */
static void add(double *y, double f, const double *x, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        y[i] += f * x[i];
}

/* ---- the design ---- */

static double *basis_row(const struct fixed_design *d, int32_t k)
{
    return d->basis + (size_t)k * (size_t)d->n;
}

static bool occurs(const struct dataset *data, int32_t column, const int32_t *train, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (data->fixed[(int64_t)train[i] * data->n_fixed + column] != 0)
            return true;
    return false;
}

/* Make the coded column `plus - minus` row `rank` of the basis, unless it depends on the others.
 * Projected twice, which is enough (Giraud & Langou 2003). r: space [rank + 1]. */
static void append(struct fixed_design *d, const struct dataset *data, const int32_t *train,
                   int32_t plus, int32_t minus, int32_t width)
{
    double *to = basis_row(d, d->rank), length, whole;

    for (int32_t i = 0; i < d->n; i++) {
        const double *x = data->fixed + (int64_t)train[i] * data->n_fixed;

        to[i] = x[plus] - (minus < 0 ? 0 : x[minus]);
    }
    whole = sqrt(dot(to, to, d->n));
    for (int32_t j = 0; j <= d->rank; j++)
        d->r[(size_t)j * (size_t)width + (size_t)d->rank] = 0;
    for (int32_t j = 0; j < 2 * d->rank; j++) {
        const double *from = basis_row(d, j % d->rank);
        double share = dot(from, to, d->n) / d->n;

        add(to, -share, from, d->n);
        d->r[(size_t)(j % d->rank) * (size_t)width + (size_t)d->rank] += share;
    }
    length = sqrt(dot(to, to, d->n));
    if (!(length >= TOLERANCE * whole) || whole == 0)
        return;
    length /= sqrt(d->n);
    for (int32_t i = 0; i < d->n; i++)
        to[i] /= length;
    d->r[(size_t)d->rank * (size_t)width + (size_t)d->rank] = length;
    d->plus[d->rank] = plus;
    d->minus[d->rank] = minus;
    d->rank++;
}

int fixed_design_init(struct fixed_design *d, const struct dataset *data, const int32_t *train,
                      int32_t n_train, struct arena *scratch, struct err *err)
{
    int32_t width = data->n_fixed + 1, last = -1;
    size_t most = (size_t)(width < n_train ? width : n_train) + 1, n = (size_t)n_train;

    *d = (struct fixed_design){.n = n_train, .rank = 1};
    d->basis = arena_take(scratch, most * n, sizeof *d->basis);
    d->r = arena_take_zeroed(scratch, most * (size_t)width, sizeof *d->r);
    d->plus = arena_take(scratch, most, sizeof *d->plus);
    d->minus = arena_take(scratch, most, sizeof *d->minus);
    if (scratch->is_short)
        return err_nomem(err, "fixed effects", most * (n + (size_t)width) * sizeof *d->basis);
    if (scratch->counts) {
        d->rank = (int32_t)most - 1;
        return 0;
    }
    for (int32_t i = 0; i < n_train; i++)
        d->basis[i] = 1;
    d->r[0] = 1;
    d->plus[0] = d->minus[0] = -1;
    for (int32_t j = 0; j < data->n_fixed && d->rank < n_train; j++) {
        int32_t factor = data->fixed_factor[j];

        /* the column that stands for -1 in each coded column of the factor: its last level here */
        if (factor >= 0 && (j == 0 || data->fixed_factor[j - 1] != factor))
            for (int32_t k = j; k < data->n_fixed && data->fixed_factor[k] == factor; k++)
                if (occurs(data, k, train, n_train))
                    last = k;
        if (factor < 0)
            append(d, data, train, j, -1, width);
        else if (j != last && occurs(data, j, train, n_train))
            append(d, data, train, j, last, width);
    }
    /* r has rows of the width of all columns until the rank is known */
    for (int32_t j = 0; j < d->rank; j++)
        memmove(d->r + (size_t)j * (size_t)d->rank, d->r + (size_t)j * (size_t)width,
                (size_t)d->rank * sizeof *d->r);
    return 0;
}

/* ---- effects ---- */

int fixed_effects_init(struct fixed_effects *e, int32_t n, int32_t n_outputs, struct arena *scratch,
                       struct err *err)
{
    size_t size = (size_t)n * (size_t)n_outputs;

    *e = (struct fixed_effects){.n = n, .n_outputs = n_outputs};
    e->b = arena_take_zeroed(scratch, size + 1, sizeof *e->b);
    e->intercept = arena_take_zeroed(scratch, (size_t)n_outputs, sizeof *e->intercept);
    return scratch->is_short ? err_nomem(err, "fixed effects", size * sizeof *e->b) : 0;
}

void fixed_effects_take(struct fixed_effects *e, const struct fixed_design *d, double *c,
                        int32_t output)
{
    for (int32_t k = d->rank - 1; k >= 0; k--) {
        const double *row = d->r + (size_t)k * (size_t)d->rank;

        for (int32_t j = k + 1; j < d->rank; j++)
            c[k] -= row[j] * c[j];
        c[k] /= row[k];
        if (d->plus[k] >= 0)
            e->b[(size_t)d->plus[k] * (size_t)e->n_outputs + (size_t)output] += c[k];
        if (d->minus[k] >= 0)
            e->b[(size_t)d->minus[k] * (size_t)e->n_outputs + (size_t)output] -= c[k];
    }
    e->intercept[output] += c[0];
}

double fixed_flops(const struct dataset *data, int32_t n_train)
{
    double q = data->n_fixed + 1;

    return data->n_fixed ? 4 * n_train * q * q : 0;
}

double fixed_effect(const struct fixed_effects *e, const double *x, int32_t output)
{
    double sum = e->intercept[output];

    for (int32_t j = 0; j < e->n; j++)
        sum += x[j] * e->b[(size_t)j * (size_t)e->n_outputs + (size_t)output];
    return sum;
}

void fixed_solve(double *b, double *a, int32_t n)
{
    for (int32_t k = 0; k < n; k++)
        for (int32_t i = k + 1; i < n; i++) {
            double f = a[(size_t)i * (size_t)n + (size_t)k] / a[(size_t)k * (size_t)n + (size_t)k];

            add(a + (size_t)i * (size_t)n, -f, a + (size_t)k * (size_t)n, n);
            b[i] -= f * b[k];
        }
    for (int32_t k = n - 1; k >= 0; k--) {
        for (int32_t j = k + 1; j < n; j++)
            b[k] -= a[(size_t)k * (size_t)n + (size_t)j] * b[j];
        b[k] /= a[(size_t)k * (size_t)n + (size_t)k];
    }
}

void fixed_least_squares(struct fixed_effects *e, const struct fixed_design *d, const double *y,
                         double *c)
{
    double mean = 0;

    for (int32_t i = 0; i < d->n; i++)
        mean += y[i] / d->n;
    for (int32_t k = 0; k < d->rank; k++) {
        const double *row = basis_row(d, k);

        c[k] = 0;
        for (int32_t i = 0; i < d->n; i++)
            c[k] += row[i] * (y[i] - mean) / d->n;
    }
    c[0] += mean;
    fixed_effects_take(e, d, c, 0);
}

/* ---- classes ---- */

#define MOST_STEPS 100
#define MOST_HALVINGS 30

struct logistic {
    const struct fixed_design *d;
    const int32_t *label;
    const float *weight;
    int32_t n_classes;
    int32_t size;  /* C p */
    double *p;     /* (n, C) probabilities */
    double *z;     /* (n, C) scratch */
    double *c;     /* (C, p) coefficients, like the next */
    double *trial; /* along a step */
    double *gradient, *step, *residual, *direction, *product;
};

/* z (n, C) = basis^T c^T */
static void outputs(double *z, const struct logistic *l, const double *c)
{
    int32_t n = l->d->n, rank = l->d->rank;

    memset(z, 0, (size_t)n * (size_t)l->n_classes * sizeof *z);
    for (int32_t k = 0; k < rank; k++) {
        const double *row = basis_row(l->d, k);

        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j < l->n_classes; j++)
                z[(size_t)i * (size_t)l->n_classes + (size_t)j] += row[i] * c[j * rank + k];
    }
}

/* out (C, p) = z^T basis^T + PENALTY c */
static void gather(double *out, const struct logistic *l, const double *z, const double *c)
{
    int32_t n = l->d->n, rank = l->d->rank;

    for (int32_t j = 0; j < l->size; j++)
        out[j] = PENALTY * c[j];
    for (int32_t k = 0; k < rank; k++) {
        const double *row = basis_row(l->d, k);

        for (int32_t i = 0; i < n; i++)
            for (int32_t j = 0; j < l->n_classes; j++)
                out[j * rank + k] += row[i] * z[(size_t)i * (size_t)l->n_classes + (size_t)j];
    }
}

static double weight_of(const struct logistic *l, int32_t i)
{
    return l->weight ? (double)l->weight[l->label[i]] : 1;
}

/* Sets the probabilities. Returns the penalised loss. */
static double loss_at(struct logistic *l, const double *c)
{
    double loss = PENALTY / 2 * dot(c, c, l->size);

    outputs(l->p, l, c);
    for (int32_t i = 0; i < l->d->n; i++) {
        double *p = l->p + (size_t)i * (size_t)l->n_classes, most = p[0], sum = 0;
        double own = p[l->label[i]];

        for (int32_t j = 1; j < l->n_classes; j++)
            most = fmax(most, p[j]);
        for (int32_t j = 0; j < l->n_classes; j++)
            sum += p[j] = exp(p[j] - most);
        for (int32_t j = 0; j < l->n_classes; j++)
            p[j] /= sum;
        loss += weight_of(l, i) * (log(sum) + most - own);
    }
    return loss;
}

static void find_gradient(struct logistic *l)
{
    for (int32_t i = 0; i < l->d->n; i++)
        for (int32_t j = 0; j < l->n_classes; j++) {
            size_t at = (size_t)i * (size_t)l->n_classes + (size_t)j;

            l->z[at] = weight_of(l, i) * (l->p[at] - (l->label[i] == j));
        }
    gather(l->gradient, l, l->z, l->c);
}

/* product = Hessian v */
static void multiply(struct logistic *l, const double *v)
{
    outputs(l->z, l, v);
    for (int32_t i = 0; i < l->d->n; i++) {
        double *z = l->z + (size_t)i * (size_t)l->n_classes;
        const double *p = l->p + (size_t)i * (size_t)l->n_classes;
        double mean = dot(p, z, l->n_classes);

        for (int32_t j = 0; j < l->n_classes; j++)
            z[j] = weight_of(l, i) * p[j] * (z[j] - mean);
    }
    gather(l->product, l, l->z, v);
}

/* step = - Hessian^-1 gradient by conjugate gradients */
static void find_step(struct logistic *l)
{
    double squares = dot(l->gradient, l->gradient, l->size), first = squares;

    memset(l->step, 0, (size_t)l->size * sizeof *l->step);
    for (int32_t j = 0; j < l->size; j++)
        l->residual[j] = l->direction[j] = -l->gradient[j];
    for (int32_t k = 0; k < 2 * l->size && squares > 1e-16 * first; k++) {
        double length, before = squares;

        multiply(l, l->direction);
        length = squares / dot(l->direction, l->product, l->size);
        add(l->step, length, l->direction, l->size);
        add(l->residual, -length, l->product, l->size);
        squares = dot(l->residual, l->residual, l->size);
        for (int32_t j = 0; j < l->size; j++)
            l->direction[j] = l->residual[j] + squares / before * l->direction[j];
    }
}

/* False: no shorter step has a smaller loss. */
static bool take_step(struct logistic *l, double *loss)
{
    double slope = dot(l->gradient, l->step, l->size), length = 1;

    for (int k = 0; k < MOST_HALVINGS; k++, length /= 2) {
        double here;

        memcpy(l->trial, l->c, (size_t)l->size * sizeof *l->c);
        add(l->trial, length, l->step, l->size);
        here = loss_at(l, l->trial);
        if (here > *loss + 1e-4 * length * slope)
            continue;
        memcpy(l->c, l->trial, (size_t)l->size * sizeof *l->c);
        *loss = here;
        return true;
    }
    loss_at(l, l->c);
    return false;
}

static int take_memory(struct logistic *l, struct arena *scratch, struct err *err)
{
    size_t n = (size_t)l->d->n * (size_t)l->n_classes, size = (size_t)l->size;
    double *all = arena_take_zeroed(scratch, 2 * n + 7 * size, sizeof *all);

    if (!all)
        return err_nomem(err, "fixed effects", (2 * n + 7 * size) * sizeof *all);
    l->p = all;
    l->z = l->p + n;
    l->c = l->z + n;
    l->trial = l->c + size;
    l->gradient = l->trial + size;
    l->step = l->gradient + size;
    l->residual = l->step + size;
    l->direction = l->residual + size;
    l->product = l->direction + size;
    return 0;
}

int fixed_logistic(struct fixed_effects *e, const struct fixed_design *d, const int32_t *label,
                   const float *weight, struct arena *scratch, struct err *err)
{
    struct logistic l = {.d = d,
                         .label = label,
                         .weight = weight,
                         .n_classes = e->n_outputs,
                         .size = e->n_outputs * d->rank};
    double loss;

    if (take_memory(&l, scratch, err))
        return -1;
    if (scratch->counts)
        return 0;
    loss = loss_at(&l, l.c);
    for (int k = 0; k < MOST_STEPS; k++) {
        find_gradient(&l);
        if (sqrt(dot(l.gradient, l.gradient, l.size)) <= 1e-11 * d->n)
            break;
        find_step(&l);
        if (!take_step(&l, &loss))
            break;
    }
    for (int32_t j = 0; j < e->n_outputs; j++)
        fixed_effects_take(e, d, l.c + j * d->rank, j);
    return 0;
}
