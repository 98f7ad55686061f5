/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/genotype/simulate.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "data/core/data_report.h"
#include "data/core/membership.h"
#include "data/core/reader.h"

#define LINKAGE 0.8 /* correlation of z between neighbours */
#define TRAIT_MEAN 80
#define TRAIT_SD 15

/* Each kind of number has its own generator, so that addresses do not collide. */
static struct rng generator(const struct simulate_spec *s, const char *what)
{
    struct rng rng;
    char text[80];

    snprintf(text, sizeof text, "simulate seed=%lld %s", (long long)s->seed, what);
    rng_init(&rng, hash_text(text), RNG_SIMULATE);
    return rng;
}

int32_t simulate_chromosome(int32_t marker, int32_t markers)
{
    return (int32_t)((int64_t)marker * SIMULATE_CHROMOSOMES / markers) + 1;
}

/* ---- frequencies ---- */

struct draws {
    const struct rng *rng;
    uint32_t step;
    uint32_t next;
};

/* Draws Gamma(shape, 1) as in Marsaglia & Tsang 2000, section 4, and section 6 for shapes under
 * 1. */
static double draw_gamma(struct draws *draws, double shape)
{
    double raised = shape < 1 ? shape + 1 : shape;
    double d = raised - 1.0 / 3, c = 1 / sqrt(9 * d);
    double scale = 1;

    if (shape < 1)
        scale = pow(1 - rng_uniform(draws->rng, draws->step, draws->next++), 1 / shape);
    for (;;) {
        double x = rng_normal(draws->rng, draws->step, draws->next++);
        double u = 1 - rng_uniform(draws->rng, draws->step, draws->next++);
        double v = pow(1 + c * x, 3);

        if (v > 0 && log(u) < 0.5 * x * x + d - d * v + d * log(v))
            return d * v * scale;
    }
}

/* ---- genotypes ---- */

static int64_t place(const struct simulate_spec *s, int32_t sample, int32_t marker)
{
    return (int64_t)sample * s->markers + marker;
}

static void draw_alleles(int8_t *genotypes, const struct simulate_spec *s, const double *z,
                         const double *frequency, int32_t marker)
{
    int32_t carriers = 0;

    assert(s->samples > 0);
    for (int32_t i = 0; i < s->samples; i++) {
        double uniform = 0.5 * erfc(-z[i] / sqrt(2));
        bool is_carrier = uniform < frequency[i % s->populations];

        genotypes[place(s, i, marker)] = is_carrier ? 2 : 0;
        carriers += is_carrier;
    }
    if (carriers == 0 || carriers == s->samples)
        genotypes[place(s, marker % s->samples, marker)] = carriers ? 0 : 2;
}

static int draw_genotypes(int8_t *genotypes, const struct simulate_spec *s, struct err *err)
{
    /* A gamma variate takes a few numbers, never 2^16. */
    const uint32_t stride = 1 << 16;
    double spread = (1 - s->fst) / s->fst;
    struct rng frequencies = generator(s, "frequencies"), alleles = generator(s, "alleles");
    size_t n = (size_t)s->samples + (size_t)s->populations;
    double *z = calloc(n, sizeof *z);
    double *frequency;

    if (!z)
        return err_nomem(err, "simulated panel", n * sizeof *z);
    frequency = z + s->samples;
    for (int32_t j = 0; j < s->markers; j++) {
        bool is_start =
            j == 0 || simulate_chromosome(j, s->markers) != simulate_chromosome(j - 1, s->markers);
        double keep = is_start ? 0 : LINKAGE, fresh = sqrt(1 - keep * keep);
        double p = 0.1 + 0.8 * rng_uniform(&frequencies, (uint32_t)j, 0);

        for (int32_t k = 0; k < s->populations; k++) {
            struct draws draws = {&frequencies, (uint32_t)j, (uint32_t)(k + 1) * stride};
            double a = p * spread, b = (1 - p) * spread;
            double x = draw_gamma(&draws, a), y = draw_gamma(&draws, b);

            /* Both underflow if a and b are tiny (fst near 1): the allele is fixed or lost. */
            frequency[k] = x + y > 0
                               ? x / (x + y)
                               : rng_uniform(&frequencies, draws.step, draws.next++) < a / (a + b);
        }
        for (int32_t i = 0; i < s->samples; i++)
            z[i] = keep * z[i] + fresh * rng_normal(&alleles, (uint32_t)j, (uint32_t)i);
        draw_alleles(genotypes, s, z, frequency, j);
    }
    free(z);
    return 0;
}

/* ---- trait ---- */

/* v gets mean 0 and the given sd (divisor n); a constant becomes 0. */
static void standardise(double *v, int32_t n, double sd)
{
    double mean = 0, squares = 0, scale;

    for (int32_t i = 0; i < n; i++)
        mean += v[i] / n;
    for (int32_t i = 0; i < n; i++)
        squares += (v[i] - mean) * (v[i] - mean);
    scale = squares > 0 ? sd / sqrt(squares / n) : 0;
    for (int32_t i = 0; i < n; i++)
        v[i] = (v[i] - mean) * scale;
}

static int draw_trait(float *trait, const int8_t *genotypes, const struct simulate_spec *s,
                      struct err *err)
{
    struct rng causal = generator(s, "causal"), effects = generator(s, "effects"),
               noises = generator(s, "noise");
    size_t n = (size_t)s->samples;
    double *value = calloc(3 * n, sizeof *value), *dosage, *noise;
    int32_t *order = malloc((size_t)s->markers * sizeof *order);
    int rc = 0;

    if (!value || !order) {
        rc = err_nomem(err, "simulated trait", 3 * n * sizeof *value);
        goto out;
    }
    dosage = value + n;
    noise = value + 2 * n;
    for (int32_t j = 0; j < s->markers; j++)
        order[j] = j;
    rng_shuffle(order, (size_t)s->markers, &causal, 0);
    for (int32_t j = 0; j < s->causal; j++) { /* an effect is that of the standardised dosage */
        double effect = rng_normal(&effects, 0, (uint32_t)j);

        for (int32_t i = 0; i < s->samples; i++)
            dosage[i] = genotypes[place(s, i, order[j])];
        standardise(dosage, s->samples, 1);
        for (int32_t i = 0; i < s->samples; i++)
            value[i] += effect * dosage[i];
    }
    for (int32_t i = 0; i < s->samples; i++)
        noise[i] = rng_normal(&noises, 0, (uint32_t)i);
    standardise(value, s->samples, sqrt(s->heritability));
    standardise(noise, s->samples, sqrt(1 - s->heritability));
    for (int32_t i = 0; i < s->samples; i++)
        value[i] += noise[i];
    standardise(value, s->samples, TRAIT_SD);
    for (int32_t i = 0; i < s->samples; i++)
        trait[i] = (float)(TRAIT_MEAN + value[i]);
out:
    free(value);
    free(order);
    return rc;
}

int simulate_panel(int8_t *genotypes, float *trait, const struct simulate_spec *s, struct err *err)
{
    if (s->populations > s->samples)
        return err_set(err, "data.populations = %d: must be at most data.samples = %d",
                       s->populations, s->samples);
    if (s->causal > s->markers)
        return err_set(err, "data.causal = %d: must be at most data.markers = %d", s->causal,
                       s->markers);
    return draw_genotypes(genotypes, s, err) || draw_trait(trait, genotypes, s, err) ? -1 : 0;
}

/* ---- as a dataset: samples are s1, s2 ..., markers CHROMOSOME_NUMBER ---- */

#define NAME_SIZE 24

struct simulated {
    int8_t *genotypes; /* (samples, markers) */
    float *trait;
    struct names ids;
    const char **marker; /* [markers] */
    char (*text)[NAME_SIZE];
    struct membership membership;
};

static int make_panel(struct simulated *p, const struct simulate_spec *s, struct err *err)
{
    size_t n = (size_t)s->markers;
    char id[NAME_SIZE];

    p->genotypes = malloc((size_t)s->samples * n);
    p->trait = malloc((size_t)s->samples * sizeof *p->trait);
    p->text = malloc(n * sizeof *p->text);
    p->marker = malloc(n * sizeof *p->marker);
    if (!p->genotypes || !p->trait || !p->text || !p->marker)
        return err_nomem(err, "simulated panel", (size_t)s->samples * n);
    for (int32_t i = 0; i < s->samples; i++) {
        snprintf(id, sizeof id, "s%d", i + 1);
        if (names_add(&p->ids, id, 0, err) < 0)
            return -1;
    }
    for (int32_t j = 0; j < s->markers; j++) {
        snprintf(p->text[j], NAME_SIZE, "%d_%d", simulate_chromosome(j, s->markers), j + 1);
        p->marker[j] = p->text[j];
    }
    return simulate_panel(p->genotypes, p->trait, s, err);
}

static int load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
                struct err *err)
{
    const struct simulate_spec *s = &spec->simulate;
    struct simulated p = {0};
    int rc = make_panel(&p, s, err);

    if (!rc && spec->split && *spec->split) {
        const struct target target = {.value = p.trait};
        const struct membership_source source = {.spec = spec,
                                                 .ids = &p.ids,
                                                 .path = "the simulated panel",
                                                 .target = &target,
                                                 .report = report};

        rc = membership_read(&p.membership, &source, err);
    }
    if (!rc) {
        struct draft draft = {
            .n_samples = s->samples,
            .n_features = s->markers,
            .dosage = p.genotypes,
            .target = p.trait,
            .ids = p.ids.text,
            .feature_names = p.marker,
        };

        membership_into(&draft, &p.membership);
        report->n_samples = report->n_valued = report->n_joined = s->samples;
        report->n_features = s->markers;
        rc = draft_build(out, &draft, err);
    }
    membership_release(&p.membership);
    names_release(&p.ids);
    free(p.genotypes);
    free(p.trait);
    free(p.marker);
    free(p.text);
    return rc;
}

const struct data_format simulated_format = {
    .name = "simulated",
    .sample_word = "accessions",
    .feature_word = "SNPs",
    .samples = DATA_ROWS,
    .has_genotypes = true,
    .is_simulated = true,
    .settings = {{.key = "samples"},
                 {.key = "markers"},
                 {.key = "populations"},
                 {.key = "fst"},
                 {.key = "causal"},
                 {.key = "heritability"},
                 {.key = "simulation_seed"}},
    .load = load,
    .new_option = "genotypes",
};
