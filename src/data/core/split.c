/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/split.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/rng.h"
#include "data/core/dataset.h"

/* A part is drawn from the labelled samples in PART_TRAIN. A regression has one class.
 *
 * Without groups each class is shuffled, then its first samples move. Whole groups cannot be cut to
 * size, so parts are filled greedily. The distance of a part from its target is
 *     sum over classes of (samples it has - samples it should have)^2 / size of the class
 * as in a chi-square test: small classes count as much as large ones. */
struct draw {
    const struct dataset *d;
    const struct split_spec *spec;
    struct arena memory; /* of all arrays */
    uint8_t *part;       /* [N] enum part */
    int32_t *class_size; /* [n_classes] what fractions refer to: all labelled samples */
    int32_t n_classes;
    int32_t n_labelled;

    int32_t *member;      /* [N] samples of PART_TRAIN by class */
    int32_t *class_start; /* [n_classes + 1] into member */

    /* with groups */
    int32_t *count; /* (n_groups, n_classes) samples in PART_TRAIN */
    double *have;   /* [n_classes] scratch */
    int32_t *order; /* [n] the groups with such samples, ascending */
    bool *is_taken; /* [n_groups] scratch */
    int32_t n;
};

static int32_t class_of(const struct dataset *d, int32_t i)
{
    return d->task == TASK_CLASSIFICATION ? d->label[i] : 0;
}

/* The caller releases draw->memory, also after a failure. */
static int draw_init(struct draw *draw, const struct dataset *d, const struct split_spec *spec,
                     struct err *err)
{
    size_t n = (size_t)d->n_samples, n_groups = (size_t)d->n_groups + 1;
    size_t n_classes = d->n_classes > 0 ? (size_t)d->n_classes : 1;
    struct arena *memory = &draw->memory;

    *draw = (struct draw){.d = d, .spec = spec, .n_classes = (int32_t)n_classes};
    draw->part = arena_take_zeroed(memory, n, sizeof *draw->part);
    draw->class_size = arena_take_zeroed(memory, n_classes, sizeof *draw->class_size);
    draw->member = arena_take(memory, n, sizeof *draw->member);
    draw->class_start = arena_take(memory, n_classes + 1, sizeof *draw->class_start);
    draw->count = arena_take(memory, n_groups * n_classes, sizeof *draw->count);
    draw->have = arena_take(memory, n_classes, sizeof *draw->have);
    draw->order = arena_take(memory, n_groups, sizeof *draw->order);
    draw->is_taken = arena_take_zeroed(memory, n_groups, sizeof *draw->is_taken);
    if (memory->is_short)
        return err_nomem(err, "split", (n + n_groups * n_classes) * sizeof *draw->member);
    for (int32_t i = 0; i < d->n_samples; i++)
        if (dataset_is_labelled(d, i)) {
            draw->part[i] = d->part ? d->part[i] : PART_TRAIN;
            draw->class_size[class_of(d, i)]++;
            draw->n_labelled++;
        }
    return 0;
}

/* The random numbers that draw a part. The test part is the same in every replicate. */
static struct rng rng_of(const struct draw *draw, enum part part)
{
    const struct split_spec *spec = draw->spec;
    long long seed = (long long)spec->seed;
    struct rng rng;
    char text[96];

    if (part == PART_TEST)
        snprintf(text, sizeof text, "split seed=%lld", seed);
    else if (part == PART_VAL)
        snprintf(text, sizeof text, "split seed=%lld replicate=%d", seed, spec->replicate);
    else
        snprintf(text, sizeof text, "split stop seed=%lld replicate=%d fold=%d", seed,
                 spec->replicate, spec->fold);
    rng_init(&rng, hash_text(text),
             part == PART_TEST  ? RNG_SPLIT_TEST
             : part == PART_VAL ? RNG_SPLIT_FOLD
                                : RNG_SPLIT_STOP);
    return rng;
}

static double fraction_of(const struct draw *draw, enum part part)
{
    const struct split_spec *spec = draw->spec;

    return part == PART_TEST ? spec->test : part == PART_VAL ? spec->val : spec->stop;
}

static void give_to_train(struct draw *draw, enum part part)
{
    for (int32_t i = 0; i < draw->d->n_samples; i++)
        if (draw->part[i] == part)
            draw->part[i] = PART_TRAIN;
}

/* ---- groups ---- */

static const int32_t *count_of(const struct draw *draw, int32_t group)
{
    return draw->count + (size_t)group * (size_t)draw->n_classes;
}

static int64_t size_of(const struct draw *draw, int32_t group)
{
    const int32_t *count = count_of(draw, group);
    int64_t size = 0;

    for (int32_t c = 0; c < draw->n_classes; c++)
        size += count[c];
    return size;
}

static void count_groups(struct draw *draw)
{
    const struct dataset *d = draw->d;
    size_t n = (size_t)d->n_groups * (size_t)draw->n_classes;

    memset(draw->count, 0, n * sizeof *draw->count);
    for (int32_t i = 0; i < d->n_samples; i++)
        if (draw->part[i] == PART_TRAIN)
            draw->count[(size_t)d->group[i] * (size_t)draw->n_classes + (size_t)class_of(d, i)]++;
    draw->n = 0;
    for (int32_t g = 0; g < d->n_groups; g++)
        if (size_of(draw, g) > 0)
            draw->order[draw->n++] = g;
}

/* Groups in is_taken move. */
static void move(struct draw *draw, enum part part)
{
    for (int32_t i = 0; i < draw->d->n_samples; i++)
        if (draw->part[i] == PART_TRAIN && draw->is_taken[draw->d->group[i]])
            draw->part[i] = (uint8_t)part;
    memset(draw->is_taken, 0, (size_t)draw->d->n_groups * sizeof *draw->is_taken);
    count_groups(draw);
}

/* ---- a part of some size ---- */

/* Each pass but the last reduces the distance. */
#define MAX_PASSES 100
/* Smaller gains are rounding. */
#define LEAST_GAIN 1e-9

/* Returns the decrease of the distance if the group joins (sign 1) or leaves (-1). */
static double gain_of(const struct draw *draw, int32_t group, double fraction, double sign)
{
    const int32_t *count = count_of(draw, group);
    double gain = 0;

    for (int32_t c = 0; c < draw->n_classes; c++) {
        double lacks = fraction * draw->class_size[c] - draw->have[c];

        if (count[c])
            gain += (2 * sign * lacks - count[c]) * count[c] / draw->class_size[c];
    }
    return gain;
}

static void toggle(struct draw *draw, int32_t group)
{
    const int32_t *count = count_of(draw, group);
    double sign = draw->is_taken[group] ? -1 : 1;

    draw->is_taken[group] = !draw->is_taken[group];
    for (int32_t c = 0; c < draw->n_classes; c++)
        draw->have[c] += sign * count[c];
}

/* Move groups to `part`, in random order, until none brings it closer to its fraction of every class.
 * At least one moves and n_spare stay; draw->n must exceed n_spare. */
static void take_groups(struct draw *draw, enum part part, int32_t n_spare)
{
    struct rng rng = rng_of(draw, part);
    int32_t n_taken = 0, smallest;
    bool is_better = true;

    memset(draw->have, 0, (size_t)draw->n_classes * sizeof *draw->have);
    rng_shuffle(draw->order, (size_t)draw->n, &rng, 0);
    for (int pass = 0; pass < MAX_PASSES && is_better; pass++) {
        is_better = false;
        for (int32_t k = 0; k < draw->n; k++) {
            int32_t group = draw->order[k];
            bool is_in = draw->is_taken[group];

            if (!is_in && draw->n - n_taken <= n_spare)
                continue;
            if (gain_of(draw, group, fraction_of(draw, part), is_in ? -1 : 1) <= LEAST_GAIN)
                continue;
            toggle(draw, group);
            n_taken += is_in ? -1 : 1;
            is_better = true;
        }
    }
    smallest = draw->order[0];
    for (int32_t k = 1; k < draw->n; k++)
        if (size_of(draw, draw->order[k]) < size_of(draw, smallest))
            smallest = draw->order[k];
    if (n_taken == 0)
        toggle(draw, smallest);
    move(draw, part);
}

/* ---- folds ---- */

/* It is 0 for sizes 0 and 1, 1 up to 3, 2 up to 7 ... */
static int magnitude(int64_t size)
{
    int m = 0;

    while (size >>= 1)
        m++;
    return m;
}

/* A row has the samples of each class in fold f, then of all. */
static double *fold_row(double *have, const struct draw *draw, int32_t f)
{
    return have + (size_t)f * ((size_t)draw->n_classes + 1);
}

/* Returns the fold whose sum of squares grows least, which is twice the sum over classes of its
 * count times the group's. Ties go to the emptiest fold. */
static int32_t pick_fold(double *have, const struct draw *draw, int32_t group, int32_t folds)
{
    const int32_t *count = count_of(draw, group);
    double least = 0;
    int32_t found = -1;

    for (int32_t f = 0; f < folds; f++) {
        const double *row = fold_row(have, draw, f);
        double adds = 0;

        for (int32_t c = 0; c < draw->n_classes; c++)
            if (count[c])
                adds += row[c] * count[c] / draw->class_size[c];
        if (found < 0 || adds < least ||
            (adds == least &&
             row[draw->n_classes] < fold_row(have, draw, found)[draw->n_classes])) {
            found = f;
            least = adds;
        }
    }
    return found;
}

/* The fold becomes PART_VAL, as data/core/split.h describes. spec->folds is at most draw->n. */
static int take_fold(struct draw *draw, struct err *err)
{
    int32_t folds = draw->spec->folds, fold = draw->spec->fold;
    size_t n = (size_t)folds * ((size_t)draw->n_classes + 1);
    double *have = arena_take_zeroed(&draw->memory, n, sizeof *have);

    if (!have)
        return err_nomem(err, "folds", n * sizeof *have);
    if (folds == draw->n) {
        draw->is_taken[draw->order[fold]] = true;
    } else { /* from large to small, at random within a magnitude */
        int32_t *shuffled = arena_take(&draw->memory, (size_t)draw->n, sizeof *shuffled);
        struct rng rng = rng_of(draw, PART_VAL);
        int32_t at = 0;

        if (!shuffled)
            return err_nomem(err, "groups", (size_t)draw->n * sizeof *shuffled);
        memcpy(shuffled, draw->order, (size_t)draw->n * sizeof *shuffled);
        rng_shuffle(shuffled, (size_t)draw->n, &rng, 0);
        for (int m = magnitude(INT32_MAX); m >= 0; m--)
            for (int32_t k = 0; k < draw->n; k++)
                if (magnitude(size_of(draw, shuffled[k])) == m)
                    draw->order[at++] = shuffled[k];
    }
    for (int32_t k = 0; folds < draw->n && k < draw->n; k++) {
        int32_t group = draw->order[k];
        int32_t to = pick_fold(have, draw, group, folds);
        double *row = fold_row(have, draw, to);

        for (int32_t c = 0; c < draw->n_classes; c++)
            row[c] += count_of(draw, group)[c];
        row[draw->n_classes] += (double)size_of(draw, group);
        draw->is_taken[group] = to == fold;
    }
    move(draw, PART_VAL);
    return 0;
}

/* ---- single samples ---- */

/* Each class is shuffled. */
static void gather(struct draw *draw, enum part part)
{
    struct rng rng = rng_of(draw, part);
    int32_t *start = draw->class_start;

    memset(start, 0, ((size_t)draw->n_classes + 1) * sizeof *start);
    for (int32_t i = 0; i < draw->d->n_samples; i++)
        if (draw->part[i] == PART_TRAIN)
            start[class_of(draw->d, i) + 1]++;
    for (int32_t c = 0; c < draw->n_classes; c++)
        start[c + 1] += start[c];
    for (int32_t c = draw->n_classes; c > 0; c--)
        start[c] = start[c - 1];
    for (int32_t i = 0; i < draw->d->n_samples; i++)
        if (draw->part[i] == PART_TRAIN)
            draw->member[start[class_of(draw->d, i) + 1]++] = i;
    for (int32_t c = 0; c < draw->n_classes; c++)
        rng_shuffle(draw->member + start[c], (size_t)(start[c + 1] - start[c]), &rng, (uint32_t)c);
}

/* Cumulative rounding: class c gets the growth of round(fraction x samples up to c). The sum is
 * exact and no class is off by one or more. */
static int32_t quota(int64_t before, int32_t size, double fraction)
{
    int64_t after = before + size;

    return (int32_t)(floor((double)after * fraction + 0.5) -
                     floor((double)before * fraction + 0.5));
}

/* Returns how many of a class's `left` samples outside the test part go to val: the quota,
 * corrected where train would be off by one or more. */
static int32_t val_count(const struct draw *draw, int64_t before, int32_t class, int32_t left)
{
    const struct split_spec *spec = draw->spec;
    double size = draw->class_size[class];
    double val = size * spec->val, train = size * (1 - spec->test - spec->val);
    /* whole numbers strictly within one of each part's share */
    double low = fmax(floor(val - 1), floor(left - train - 1)) + 1;
    double high = fmin(ceil(val + 1), ceil(left - train + 1)) - 1;
    int32_t n = quota(before, draw->class_size[class], spec->val);

    n = n < (int32_t)low ? (int32_t)low : n > (int32_t)high ? (int32_t)high : n;
    return n < 0 ? 0 : n > left ? left : n;
}

/* The first samples of each class: a share of all its samples, for the stop part of those left. */
static void draw_part(struct draw *draw, enum part part)
{
    int64_t before = 0;

    gather(draw, part);
    for (int32_t c = 0; c < draw->n_classes; c++) {
        int32_t left = draw->class_start[c + 1] - draw->class_start[c];
        int32_t size = part == PART_STOP ? left : draw->class_size[c];
        int32_t n = part == PART_VAL ? val_count(draw, before, c, left)
                                     : quota(before, size, fraction_of(draw, part));

        for (int32_t i = 0; i < n; i++)
            draw->part[draw->member[draw->class_start[c] + i]] = (uint8_t)part;
        before += size;
    }
}

static void assign(struct draw *draw)
{
    const struct split_spec *spec = draw->spec;

    if (!draw->d->part)
        draw_part(draw, PART_TEST);
    if (spec->folds > 0) {
        give_to_train(draw, PART_VAL);
        gather(draw, PART_VAL);
        /* members go to the folds in turn, across classes */
        for (int32_t i = spec->fold; i < draw->class_start[draw->n_classes]; i += spec->folds)
            draw->part[draw->member[i]] = PART_VAL;
    } else if (!draw->d->part) {
        draw_part(draw, PART_VAL);
    }
    if (spec->stop > 0)
        draw_part(draw, PART_STOP);
}

/* ---- whole groups ---- */

/* With folds, train and val count as one part. */
static int check_torn(struct draw *draw, bool has_folds, struct err *err)
{
    const struct dataset *d = draw->d;
    uint8_t *seen = arena_take_zeroed(&draw->memory, (size_t)d->n_groups, sizeof *seen);

    if (!seen)
        return err_nomem(err, "groups", (size_t)d->n_groups);
    for (int32_t i = 0; i < d->n_samples; i++) {
        uint8_t part = draw->part[i], *first;

        if (part == PART_NONE)
            continue;
        if (part == PART_VAL && has_folds)
            part = PART_TRAIN;
        first = &seen[d->group[i]];
        if (*first != PART_NONE && *first != part)
            return err_set(
                err,
                "the given parts divide group \"%.80s\": sample \"%.80s\" is in %s, others of "
                "its group are in %s",
                dataset_group_name(d, d->group[i]), dataset_id(d, i), part_name(part),
                part_name((enum part) * first));
        *first = part;
    }
    return 0;
}

/* Always -1. */
static int too_few(const struct draw *draw, const char *takes, struct err *err)
{
    return err_set(err, "split.group: %d group%s labelled samples: %s", draw->n,
                   draw->n == 1 ? " has" : "s have", takes);
}

static int begin_groups(struct draw *draw, bool has_folds, struct err *err)
{
    count_groups(draw);
    if (draw->d->part && check_torn(draw, has_folds, err))
        return -1;
    if (!draw->d->part && draw->spec->test > 0) {
        if (draw->n < 3)
            return too_few(draw, "test, val and train need at least 3 (2 with split.test = 0)",
                           err);
        take_groups(draw, PART_TEST, 2);
    }
    if (has_folds) {
        give_to_train(draw, PART_VAL);
        count_groups(draw);
    }
    return 0;
}

static int assign_groups(struct draw *draw, struct err *err)
{
    const struct split_spec *spec = draw->spec;

    if (begin_groups(draw, spec->folds > 0, err))
        return -1;
    if (draw->n < spec->folds)
        return err_set(err,
                       "sweep.folds = %d: only %d group%s of split.group %s outside the test part; "
                       "each fold needs at least one",
                       spec->folds, draw->n, draw->n == 1 ? "" : "s", draw->n == 1 ? "is" : "are");
    if (spec->folds > 0 && take_fold(draw, err))
        return -1;
    if (spec->folds == 0 && !draw->d->part) {
        if (draw->n < 2)
            return too_few(draw, "val and train need at least 2", err);
        take_groups(draw, PART_VAL, 1);
    }
    if (!(spec->stop > 0))
        return 0;
    if (draw->n < 2)
        return err_set(err,
                       "split.stop = %g: %d group%s left outside test and val: a stop part and "
                       "train need at least 2",
                       spec->stop, draw->n, draw->n == 1 ? " is" : "s are");
    /* the fraction is one of these samples */
    memset(draw->class_size, 0, (size_t)draw->n_classes * sizeof *draw->class_size);
    for (int32_t k = 0; k < draw->n; k++)
        for (int32_t c = 0; c < draw->n_classes; c++)
            draw->class_size[c] += count_of(draw, draw->order[k])[c];
    take_groups(draw, PART_STOP, 1);
    return 0;
}

/* ---- lists ---- */

static int to_lists(struct split *out, const struct draw *draw, struct err *err)
{
    int32_t count[PART_COUNT] = {0}, at[PART_COUNT] = {0};
    int32_t *list = malloc((size_t)draw->d->n_samples * sizeof *list);

    if (!list)
        return err_nomem(err, "split", (size_t)draw->d->n_samples * sizeof *list);
    for (int32_t i = 0; i < draw->d->n_samples; i++)
        count[draw->part[i]]++;
    at[PART_VAL] = count[PART_TRAIN];
    at[PART_TEST] = at[PART_VAL] + count[PART_VAL];
    at[PART_STOP] = at[PART_TEST] + count[PART_TEST];
    *out = (struct split){.train = list,
                          .val = list + at[PART_VAL],
                          .test = list + at[PART_TEST],
                          .stop = list + at[PART_STOP],
                          .n_train = count[PART_TRAIN],
                          .n_val = count[PART_VAL],
                          .n_test = count[PART_TEST],
                          .n_stop = count[PART_STOP]};
    for (int32_t i = 0; i < draw->d->n_samples; i++)
        if (draw->part[i] != PART_NONE)
            list[at[draw->part[i]]++] = i;
    return 0;
}

static int check_parts(const struct split *split, const struct draw *draw, struct err *err)
{
    const struct split_spec *spec = draw->spec;
    const char *empty = split->n_train == 0                    ? "train"
                        : split->n_val == 0                    ? "val"
                        : spec->stop > 0 && split->n_stop == 0 ? "stop"
                                                               : NULL;

    if (!empty)
        return 0;
    if (draw->d->part && spec->folds == 0 && split->n_val == 0)
        return err_set(err,
                       "no sample of the given parts is in val: set [sweep] folds = 5, which takes "
                       "validation parts from train, or mark samples as val");
    if (spec->folds > 0)
        return err_set(err,
                       "the %s part of fold %d is empty: %d labelled samples, %d of them in "
                       "the test part, for %d folds",
                       empty, spec->fold, draw->n_labelled, split->n_test, spec->folds);
    return err_set(err, "the %s part is empty: %d labelled samples, %d of them in the test part",
                   empty, draw->n_labelled, split->n_test);
}

int split_make(struct split *out, const struct dataset *d, const struct split_spec *spec,
               struct err *err)
{
    struct draw draw;
    int rc;

    memset(out, 0, sizeof *out);
    if (spec->stop > 0 && d->part && memchr(d->part, PART_STOP, (size_t)d->n_samples))
        return err_set(err,
                       "split.stop = %g, but the given parts have a stop part too: use one of them",
                       spec->stop);
    rc = draw_init(&draw, d, spec, err);
    if (!rc && d->group)
        rc = assign_groups(&draw, err);
    else if (!rc)
        assign(&draw);
    if (!rc && spec->trains_on_stop)
        give_to_train(&draw, PART_STOP);
    if (!rc)
        rc = to_lists(out, &draw, err);
    if (!rc && (rc = check_parts(out, &draw, err)))
        split_release(out);
    arena_release(&draw.memory);
    return rc;
}

int split_count_groups(int32_t *n, const struct dataset *d, const struct split_spec *spec,
                       struct err *err)
{
    struct draw draw;
    int rc = draw_init(&draw, d, spec, err);

    if (!rc)
        rc = begin_groups(&draw, true, err); /* a given val then counts too */
    *n = draw.n;
    arena_release(&draw.memory);
    return rc;
}

enum part split_chooser(const int32_t **nodes, int32_t *n, const struct split *split)
{
    *nodes = split->n_stop ? split->stop : split->val;
    *n = split->n_stop ? split->n_stop : split->n_val;
    return split->n_stop ? PART_STOP : PART_VAL;
}

void split_release(struct split *split)
{
    if (!split)
        return;
    free(split->train);
    memset(split, 0, sizeof *split);
}
