/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulates structured populations, linked markers and a polygenic trait. */
#ifndef DATA_GENOTYPE_SIMULATE_H
#define DATA_GENOTYPE_SIMULATE_H

#include <stdint.h>

#include "base/err.h"
#include "data/core/data_spec.h"

/* The chromosomes have nearly equal length and markers in order. */
#define SIMULATE_CHROMOSOMES 5

/* The caller allocates both arrays.
 *   genotypes  out  (samples, markers) row-major: dosages 0 or 2 (inbred lines), none monomorphic
 *   trait      out  [samples] mean 80, sd 15 (days to flowering)
 *
 * Sample i is in population i mod populations. The frequency of an allele is p ~ U(0.1, 0.9) in the
 * ancestors and Beta(p (1 - F) / F, (1 - p) (1 - F) / F) in each population, F = fst: Balding &
 * Nichols 1995, Genetica 96:3-12. Gamma variates as in Marsaglia & Tsang 2000, ACM Trans Math Softw
 * 26:363-372.
 *
 * Neighbours on a chromosome are linked by a Gaussian copula: allele = [Phi(z) < frequency], z an
 * AR(1) process with correlation 0.8 (Emrich & Piedmonte 1991, Am Stat 45:302-304). A marker that
 * is monomorphic by chance gets one sample with the other allele.
 *
 * Effects of the causal markers are normal, for standardised dosages. Genetic value and noise are
 * scaled to variances heritability and 1 - heritability, their sum to mean and sd.
 *
 * -1 and err if there are more populations than samples, or more causal markers than markers. */
int simulate_panel(int8_t *genotypes, float *trait, const struct simulate_spec *s, struct err *err);

/* Chromosomes count from 1. A marker's name is CHROMOSOME_POSITION. */
int32_t simulate_chromosome(int32_t marker, int32_t markers);

#endif
