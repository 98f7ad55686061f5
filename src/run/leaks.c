/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/leaks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/words.h"
#include "data/core/duplicates.h"
#include "data/core/target_leaks.h"
#include "data/format.h"
#include "run/advice.h"

/* The side of a sample is its part of a holdout split or, with folds, its fold, `folds` (test) or
 * folds + 1 (the stop part of a split file). Samples that choose the epoch count as training
 * samples, since no score uses them. */

#define MOST_LEAKING 3 /* named in a message */
#define MOST_SETS 5
#define MOST_MEMBERS 5

enum { SIDE_NAME = 32 };

struct leaks {
    struct duplicates duplicates;
    int32_t *side;      /* [N] in the current replicate; -1: none */
    int32_t folds;      /* 0: a holdout split */
    int32_t *replicate; /* [n_sets] first replicate with the set on two sides; -1: none */
    int32_t n_straddling;
    int32_t n_replicates; /* examined */
};

static void release(struct leaks *leaks)
{
    duplicates_release(&leaks->duplicates);
    free(leaks->side);
    free(leaks->replicate);
}

static void put_side(struct leaks *leaks, const int32_t *nodes, int32_t n, int32_t side)
{
    for (int32_t i = 0; i < n; i++)
        leaks->side[nodes[i]] = side;
}

static int find_sides(struct leaks *leaks, struct job *job, int32_t replicate, struct err *err)
{
    size_t n = (size_t)job->data.n_samples;
    struct settings s;

    plan_settings_with(&job->plan, P_STOP, &s);
    leaks->folds = (int32_t)s.v[P_FOLDS].i;
    memset(leaks->side, -1, n * sizeof *leaks->side);
    for (int32_t fold = 0; fold < job->plan.folds; fold++) {
        const struct split *split = prepared_split(job->prepared, &s, replicate, fold, err);

        if (!split)
            return -1;
        if (!leaks->folds) {
            put_side(leaks, split->train, split->n_train, PART_TRAIN);
            put_side(leaks, split->stop, split->n_stop, PART_TRAIN);
        }
        put_side(leaks, split->val, split->n_val, leaks->folds ? fold : PART_VAL);
        put_side(leaks, split->test, split->n_test, leaks->folds ? leaks->folds : PART_TEST);
        for (int32_t i = 0; leaks->folds && i < split->n_stop; i++)
            if (leaks->side[split->stop[i]] < 0)
                leaks->side[split->stop[i]] = leaks->folds + 1;
    }
    return 0;
}

static int find_straddling(struct leaks *leaks, struct job *job, struct err *err)
{
    const struct duplicates *dup = &leaks->duplicates;

    leaks->n_replicates = dup->n_sets ? job_replicates(job) : 0;
    for (int32_t r = 0; r < leaks->n_replicates; r++) {
        if (find_sides(leaks, job, r, err))
            return -1;
        for (int32_t set = 0; set < dup->n_sets; set++)
            if (leaks->replicate[set] < 0 && duplicates_straddles(dup, set, leaks->side)) {
                leaks->replicate[set] = r;
                leaks->n_straddling++;
            }
    }
    return 0;
}

/* The property that equal samples share; NULL: these samples may be equal by nature. */
static const char *same_of(const struct job *job)
{
    return data_format_at(job->sweep.fixed.v[P_FORMAT].i)->same;
}

static int find(struct leaks *leaks, struct job *job, struct err *err)
{
    size_t n = (size_t)job->data.n_samples, n_sets;

    memset(leaks, 0, sizeof *leaks);
    if (duplicates_find(&leaks->duplicates, &job->data, err))
        return -1;
    n_sets = (size_t)leaks->duplicates.n_sets;
    leaks->side = malloc(n * sizeof *leaks->side);
    leaks->replicate = malloc((n_sets + 1) * sizeof *leaks->replicate);
    if (!leaks->side || !leaks->replicate) {
        release(leaks);
        return err_nomem(err, "duplicates", (n + n_sets) * sizeof *leaks->side);
    }
    memset(leaks->replicate, -1, n_sets * sizeof *leaks->replicate);
    if (!find_straddling(leaks, job, err))
        return 0;
    release(leaks);
    return -1;
}

/* " in the first 2 of 3 replicates" */
static void put_scope(struct buf *out, const struct leaks *leaks, const struct job *job)
{
    if (leaks->n_replicates < job->plan.replicates)
        buf_printf(out, " in the first %d of %d replicates", leaks->n_replicates,
                   job->plan.replicates);
    else if (job->plan.replicates > 1)
        buf_printf(out, " in at least one of %d replicates", job->plan.replicates);
}

/* ---- features that are the target ---- */

/* names: the first of n features. */
static int find_target_leaks(struct buf *names, int32_t *n, const struct job *job, struct err *err)
{
    struct target_leaks found;

    if (target_leaks_find(&found, &job->data, err))
        return -1;
    *n = found.n;
    for (int32_t i = 0; i < found.n && i < MOST_LEAKING; i++) {
        const struct target_leak *leak = &found.leak[i];
        const char *name = target_leak_name(&job->data, leak);

        buf_puts(names, i ? ", " : "");
        if (*name)
            buf_printf(names, "\"%.80s\"", name);
        else
            buf_printf(names, "number %d", leak->feature + 1);
        buf_printf(names, " (r = %.4f over %d samples)", leak->r, leak->n_samples);
    }
    if (found.n > MOST_LEAKING)
        buf_printf(names, " and %d more", found.n - MOST_LEAKING);
    target_leaks_release(&found);
    return 0;
}

/* ---- together ---- */

static void advise_twins(struct job *job, const struct leaks *leaks)
{
    struct buf scope = {0}, file = {0};

    put_scope(&scope, leaks, job);
    advise(&job->advice, RULE_TWINS, leaks->n_straddling,
           "%d set%s" AND "%s" AND "%s" AND "%s" AND "%s", leaks->n_straddling,
           plural(leaks->n_straddling), same_of(job), buf_text(&scope),
           escape_shell(&file, job->sweep.path),
           *job->sweep.fixed.v[P_GROUP].s ? "keep one sample of each set, or give the set one group"
                                          : "[split] group keeps samples together");
    buf_release(&scope);
    buf_release(&file);
}

int leaks_advise(struct job *job, struct err *err)
{
    struct buf names = {0};
    struct leaks leaks;
    int32_t n = 0;
    int rc = find_target_leaks(&names, &n, job, err);

    advise(&job->advice, RULE_TARGET, n, "%d feature%s" AND "%g" AND "%s", n,
           n == 1 ? " is" : "s are", TARGET_LEAK_CORRELATION, buf_text(&names));
    buf_release(&names);
    if (rc || !same_of(job))
        return rc;
    if (find(&leaks, job, err))
        return -1;
    job->duplicates = (struct job_duplicates){.is_known = true,
                                              .n_sets = leaks.duplicates.n_sets,
                                              .n_samples = leaks.duplicates.n_members,
                                              .n_straddling = leaks.n_straddling};
    advise_twins(job, &leaks);
    release(&leaks);
    return 0;
}

/* "fold 2", "test" ... */
static const char *side_name(char out[SIDE_NAME], const struct leaks *leaks, int32_t sample)
{
    int32_t side = leaks->side[sample];

    if (side < 0)
        return "no part";
    if (!leaks->folds)
        return part_name((enum part)side);
    if (side >= leaks->folds)
        return side == leaks->folds ? "test" : "stop";
    snprintf(out, SIDE_NAME, "fold %d", side);
    return out;
}

static void put_set(struct buf *out, const struct leaks *leaks, const struct dataset *d,
                    int32_t set)
{
    const struct duplicates *dup = &leaks->duplicates;
    int32_t n = dup->start[set + 1] - dup->start[set];
    char name[SIDE_NAME];

    buf_printf(out, "same        ");
    if (leaks->replicate[set] > 0)
        buf_printf(out, "in replicate %d: ", leaks->replicate[set]);
    for (int32_t k = 0; k < n && k < MOST_MEMBERS; k++) {
        int32_t sample = dup->member[dup->start[set] + k];

        buf_printf(out, "%s%s (%s)", k ? ", " : "", dataset_id(d, sample),
                   side_name(name, leaks, sample));
    }
    buf_printf(out, n > MOST_MEMBERS ? ", %d more\n" : "\n", n - MOST_MEMBERS);
}

static int put_sets(struct buf *out, struct leaks *leaks, struct job *job, struct err *err)
{
    const struct duplicates *dup = &leaks->duplicates;
    int32_t n_unequal = duplicates_disagreeing(dup, &job->data), n = 0;
    struct buf scope = {0};

    put_scope(&scope, leaks, job);
    buf_printf(
        out,
        "duplicates  %d set%s of samples with the same %s, %d samples in all; %d set%s on both "
        "sides of a split%s\n",
        dup->n_sets, plural(dup->n_sets), same_of(job), dup->n_members, leaks->n_straddling,
        plural(leaks->n_straddling), buf_text(&scope));
    buf_release(&scope);
    if (n_unequal)
        buf_printf(out, "unequal     %d of these sets %s different values to predict\n", n_unequal,
                   n_unequal == 1 ? "has" : "have");
    for (int32_t set = 0; set < dup->n_sets; set++) {
        if (leaks->replicate[set] < 0 || n++ >= MOST_SETS)
            continue;
        if (find_sides(leaks, job, leaks->replicate[set], err))
            return -1;
        put_set(out, leaks, &job->data, set);
    }
    if (n > MOST_SETS)
        buf_printf(out, "same        %d more set%s: --duplicates FILE writes all\n", n - MOST_SETS,
                   n - MOST_SETS == 1 ? "" : "s");
    return 0;
}

int leaks_put(struct buf *out, struct job *job, struct err *err)
{
    struct buf names = {0};
    struct leaks leaks;
    int32_t n = 0;
    int rc = find_target_leaks(&names, &n, job, err);

    if (n)
        buf_printf(out, "leaks       %d feature%s with |r| above %g with the target: %s\n", n,
                   plural(n), TARGET_LEAK_CORRELATION, buf_text(&names));
    buf_release(&names);
    if (rc || !same_of(job))
        return rc;
    if (find(&leaks, job, err))
        return -1;
    if (leaks.duplicates.n_sets)
        rc = put_sets(out, &leaks, job, err);
    else
        buf_printf(out, "duplicates  none: no two samples have the same %s\n", same_of(job));
    release(&leaks);
    return rc;
}

int leaks_each_duplicate(struct job *job, leaks_visit *visit, void *arg, struct err *err)
{
    const char *format = data_format_at(job->sweep.fixed.v[P_FORMAT].i)->name;
    struct leaks leaks;
    int rc = 0;

    if (!same_of(job))
        return err_set(err, "--duplicates: samples of data.format = %s are not compared", format);
    if (find(&leaks, job, err))
        return -1;
    for (int32_t set = 0; !rc && set < leaks.duplicates.n_sets; set++) {
        const struct duplicates *dup = &leaks.duplicates;
        struct leaks_member member = {
            .set = set + 1,
            .replicate = leaks.replicate[set] < 0 ? 0 : leaks.replicate[set],
            .is_apart = leaks.replicate[set] >= 0,
        };
        char name[SIDE_NAME];

        rc = find_sides(&leaks, job, member.replicate, err);
        for (int32_t k = dup->start[set]; !rc && k < dup->start[set + 1]; k++) {
            member.id = dataset_id(&job->data, dup->member[k]);
            member.side = side_name(name, &leaks, dup->member[k]);
            visit(arg, &member);
        }
    }
    release(&leaks);
    return rc;
}
