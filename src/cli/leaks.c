#include "cli/leaks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "data/duplicates.h"

/* The side of a sample is its fold, or the part of a holdout split; the test part is the side after
 * the folds. Replicates have other folds: the first stands for all. */

#define MOST_PRINTED 20

struct leaks {
    struct duplicates duplicates;
    int32_t *side; /* [N] -1: on none */
    int32_t folds; /* 0: a holdout split, sides are enum part */
};

static void release(struct leaks *leaks)
{
    duplicates_release(&leaks->duplicates);
    free(leaks->side);
}

static void put_side(struct leaks *leaks, const int32_t *nodes, int32_t n, int32_t side)
{
    for (int32_t i = 0; i < n; i++)
        leaks->side[nodes[i]] = side;
}

static int find_sides(struct leaks *leaks, struct job *job, struct err *err)
{
    size_t n = (size_t)job->data.n_samples;
    struct settings s;

    plan_settings(&job->plan, 0, &s);
    leaks->folds = (int32_t)s.v[P_FOLDS].i;
    leaks->side = malloc(n * sizeof *leaks->side);
    if (!leaks->side)
        return err_nomem(err, "duplicates", n * sizeof *leaks->side);
    memset(leaks->side, -1, n * sizeof *leaks->side);
    for (int32_t fold = 0; fold < job->plan.folds; fold++) {
        const struct split *split = prepared_split(job->prepared, &s, 0, fold, err);

        if (!split)
            return -1;
        if (!leaks->folds)
            put_side(leaks, split->train, split->n_train, PART_TRAIN);
        put_side(leaks, split->val, split->n_val, leaks->folds ? fold : PART_VAL);
        put_side(leaks, split->test, split->n_test, leaks->folds ? leaks->folds : PART_TEST);
    }
    return 0;
}

static bool is_of_interest(const struct job *job)
{
    return job->sweep.fixed.v[P_FORMAT].i == DATA_GENOTYPE && !job->data.is_sparse;
}

static int find(struct leaks *leaks, struct job *job, struct err *err)
{
    memset(leaks, 0, sizeof *leaks);
    if (duplicates_find(&leaks->duplicates, &job->data, err) || find_sides(leaks, job, err)) {
        release(leaks);
        return -1;
    }
    return 0;
}

int leaks_warn(struct job *job, struct err *err)
{
    struct leaks leaks;
    int32_t n;

    if (!is_of_interest(job))
        return 0;
    if (find(&leaks, job, err))
        return -1;
    n = duplicates_straddling(&leaks.duplicates, leaks.side);
    if (n)
        log_warn("%s: %d set%s of samples with the same markers on both sides of a split, which "
                 "flatters the scores: 'espalier inspect' names them, [split] group keeps samples "
                 "together",
                 job->sweep.path, n, n == 1 ? "" : "s");
    release(&leaks);
    return 0;
}

static void print_side(const struct leaks *leaks, int32_t sample)
{
    int32_t side = leaks->side[sample];

    if (side < 0)
        printf(" (no part)");
    else if (!leaks->folds)
        printf(" (%s)", part_name((enum part)side));
    else if (side == leaks->folds)
        printf(" (test)");
    else
        printf(" (fold %d)", side);
}

static void print_set(const struct leaks *leaks, const struct dataset *d, int32_t set)
{
    const struct duplicates *dup = &leaks->duplicates;
    int32_t n = dup->start[set + 1] - dup->start[set];

    printf("same        ");
    for (int32_t k = 0; k < n && k < MOST_PRINTED; k++) {
        int32_t sample = dup->member[dup->start[set] + k];

        printf("%s%s", k ? ", " : "", dataset_id(d, sample));
        print_side(leaks, sample);
    }
    printf(n > MOST_PRINTED ? ", %d more\n" : "\n", n - MOST_PRINTED);
}

static void print_sets(const struct leaks *leaks, const struct dataset *d)
{
    const struct duplicates *dup = &leaks->duplicates;
    int32_t n_straddling = duplicates_straddling(dup, leaks->side), n = 0;

    printf("duplicates  %d sets of samples with the same markers, %d samples in all; %d sets on "
           "both sides of a split\n",
           dup->n_sets, dup->n_members, n_straddling);
    for (int32_t set = 0; set < dup->n_sets; set++)
        if (duplicates_straddles(dup, set, leaks->side) && n++ < MOST_PRINTED)
            print_set(leaks, d, set);
    if (n > MOST_PRINTED)
        printf("same        %d sets more\n", n - MOST_PRINTED);
}

int leaks_print(struct job *job, struct err *err)
{
    struct leaks leaks;

    if (!is_of_interest(job))
        return 0;
    if (find(&leaks, job, err))
        return -1;
    if (leaks.duplicates.n_sets)
        print_sets(&leaks, &job->data);
    else
        printf("duplicates  none: no two samples have the same markers\n");
    release(&leaks);
    return 0;
}
