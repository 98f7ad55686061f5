/* SPDX-License-Identifier: BSD-3-Clause */
/* A seeded synthetic panel: structured populations, linked markers, a polygenic trait. */
#ifndef DATA_GENOTYPE_SIMULATE_H
#define DATA_GENOTYPE_SIMULATE_H

#include <stdint.h>

#include "base/err.h"
#include "data/core/data_spec.h"

/* Markers lie in order on this many chromosomes of (nearly) the same length. */
#define SIMULATE_CHROMOSOMES 5

/* genotypes out (samples, markers) row-major: dosages 0 or 2 (inbred lines), no monomorphic marker.
 * trait     out [samples]: mean 80, sd 15 (days to flowering). Caller allocates both.
 *
 * Sample i is of population i mod populations. An allele's frequency is p ~ U(0.1, 0.9) in the
 * ancestors and Beta(p (1 - F) / F, (1 - p) (1 - F) / F) in each population: Balding & Nichols
 * 1995, Genetica 96:3-12, with F = fst. The gammas a beta is made of are drawn as in Marsaglia &
 * Tsang 2000, ACM Trans Math Softw 26:363-372.
 * Neighbours on a chromosome are linked by a Gaussian copula: allele = [Phi(z) < frequency], where
 * z runs along the chromosome as an AR(1) process with correlation 0.8 (Emrich & Piedmonte 1991,
 * Am Stat 45:302-304, for binary variables from correlated normals). A marker that comes out
 * monomorphic gets one sample with the other allele.
 * Trait: effects of the causal markers are normal on their standardised dosages; genetic value and
 * noise are scaled to variances heritability and 1 - heritability, and their sum to mean and sd.
 * -1 and err: a setting out of range, named data.KEY. */
int simulate_panel(int8_t *genotypes, float *trait, const struct simulate_spec *spec,
                   struct err *err);

/* The chromosome of a marker, from 1; the name of a marker is CHROMOSOME_POSITION. */
int32_t simulate_chromosome(int32_t marker, int32_t markers);

#endif
