/* SPDX-License-Identifier: BSD-3-Clause */
/* A race over the trials of each configuration, in the order of replicates and folds. */
#include "base/student.h"
#include "search/allocator.h"
#include "search/race.h"

static int32_t first(const struct settings *fixed, int32_t each)
{
    return fixed->v[P_FIRST].i ? (int32_t)fixed->v[P_FIRST].i : race_first(each);
}

static int32_t n_stages(const struct settings *fixed, int32_t each)
{
    return each - first(fixed, each) + 1;
}

static struct search_stage stage(const struct settings *fixed, int32_t each, int32_t number)
{
    return (struct search_stage){first(fixed, each) + number, SETTINGS_LAST_RUNG};
}

/* At each look, so that all looks have `alpha` together. */
static double level(const struct settings *fixed, int32_t each)
{
    const int32_t looks = each - first(fixed, each);

    return fixed->v[P_ALPHA].f / (looks > 0 ? looks : 1); /* a damaged file may lack trials */
}

static int decide(const struct allocation *a, struct err *err)
{
    (void)err;
    race_drop(a->is_left, a->value, a->threshold, a->scores, a->n, a->end, a->each,
              first(a->fixed, a->each), a->fixed->v[P_ALPHA].f);
    return 0;
}

/* After m of k trials, first / m of the configurations are left: 0.7 of the cost with 5 folds, 0.35 with 25,
 * as measured. */
static double expected_share(const struct settings *fixed, int32_t each)
{
    double share = first(fixed, each);

    for (int32_t m = first(fixed, each) + 1; m <= each; m++)
        share += (double)first(fixed, each) / m;
    return share / each;
}

static int check(const struct settings *fixed, int32_t n, int32_t each, int64_t epochs,
                 struct err *err)
{
    (void)n;
    (void)epochs;
    if (each < 3)
        return err_set(err,
                       "allocate = race: %d trial%s of each configuration; at least 3 are needed: "
                       "set folds or replicates, or allocate = all",
                       each, each == 1 ? "" : "s");
    if (first(fixed, each) >= each)
        return err_set(err,
                       "first = %d: a configuration has %d trials, so the race would drop none: "
                       "give less, or allocate = all",
                       first(fixed, each), each);
    return 0;
}

static void describe(struct buf *out, const struct settings *fixed, int32_t each)
{
    buf_printf(
        out,
        "by a race over the %d trials of each (Maron & Moore 1997): after %d trials and each later "
        "one, a configuration drops out if a paired t test against the best one so far finds it "
        "worse "
        "(Birattari et al. 2002; one-sided, alpha = %g for %d looks together, with the correction "
        "for "
        "a finite population of Cochran 1977)",
        each, first(fixed, each), fixed->v[P_ALPHA].f, each - first(fixed, each));
}

static double allowed(const struct settings *fixed, int32_t each, int32_t rung)
{
    return student_two_sided(1 - 2 * level(fixed, each), rung - 1);
}

const struct allocator allocate_race = {
    .name = "race",
    .looks_at_all = true,
    .n_stages = n_stages,
    .stage = stage,
    .decide = decide,
    .expected_share = expected_share,
    .check = check,
    .describe = describe,
    .references =
        {"Birattari M, Stuetzle T, Paquete L, Varrentrapp K (2002) A racing algorithm for "
         "configuring metaheuristics. GECCO, 11-18.",
         "Cochran WG (1977) Sampling techniques, 3rd edition. Wiley, New York. Section 2.6.",
         "Maron O, Moore AW (1997) The racing algorithm: model selection for lazy learners. "
         "Artificial Intelligence Review 11, 193-225."},
    .against = "the best one so far",
    .allowed = allowed,
    /* Simulated: normal scores, with and without differences between configurations. */
    .doubt = "Of two configurations, the race drops the one that is better over all trials with a "
             "probability "
             "below alpha, if differences between trials are about normal. The best one so far is "
             "the best of "
             "many, so this is no bound for the best of all: in simulations with alpha = 0.05, 5 "
             "to 25 trials "
             "and 10 to 200 configurations the race dropped it in 0.4 to 8 % of cases. The mean "
             "loss was at "
             "most 0.024 standard errors of a mean.",
};
