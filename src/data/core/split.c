#include "data/core/split.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "data/core/group.h"

/* A part is drawn from the samples that are still in PART_TRAIN: they are gathered by class, each
 * class is shuffled, and so many from the front of each class change their part. */

struct draw {
    const struct dataset *d;
    uint8_t *part;        /* [N] enum part; PART_NONE: unlabelled or not in the split file */
    int32_t *member;      /* [N] samples of PART_TRAIN, class after class */
    int32_t *class_start; /* [n_classes + 1] into member */
    int32_t *class_size;  /* [n_classes] labelled samples in all */
    int32_t n_classes;    /* 1 for regression */
    int32_t n_labelled;
};

static void draw_release(struct draw *draw)
{
    free(draw->part);
    free(draw->member);
    free(draw->class_start);
    free(draw->class_size);
}

static int32_t class_of(const struct dataset *d, int32_t i)
{
    return d->task == TASK_CLASSIFICATION ? d->label[i] : 0;
}

static int draw_init(struct draw *draw, const struct dataset *d, struct err *err)
{
    size_t n = (size_t)d->n_samples;

    *draw = (struct draw){.d = d, .n_classes = d->n_classes > 0 ? d->n_classes : 1};
    draw->part = calloc(n, sizeof *draw->part);
    draw->member = malloc(n * sizeof *draw->member);
    draw->class_start = calloc((size_t)draw->n_classes + 1, sizeof *draw->class_start);
    draw->class_size = calloc((size_t)draw->n_classes, sizeof *draw->class_size);
    if (!draw->part || !draw->member || !draw->class_start || !draw->class_size) {
        draw_release(draw);
        return err_nomem(err, "split", n * sizeof *draw->member);
    }
    for (int32_t i = 0; i < d->n_samples; i++)
        if (dataset_is_labelled(d, i)) {
            draw->part[i] = d->part ? d->part[i] : PART_TRAIN;
            draw->class_size[class_of(d, i)]++;
            draw->n_labelled++;
        }
    return 0;
}

/* What the parts follow from; the test part is the same in every replicate. */
static struct hash seed_of(const struct split_spec *spec, bool with_replicate)
{
    char text[96];
    int n = snprintf(text, sizeof text, "split seed=%lld", (long long)spec->seed);

    if (with_replicate)
        snprintf(text + n, sizeof text - (size_t)n, " replicate=%d", spec->replicate);
    return hash_text(text);
}

static struct hash seed_of_stop(const struct split_spec *spec)
{
    char text[96];

    snprintf(text, sizeof text, "split stop seed=%lld replicate=%d fold=%d", (long long)spec->seed,
             spec->replicate, spec->fold);
    return hash_text(text);
}

/* Gather the samples of PART_TRAIN by class and shuffle each class. */
static void gather(struct draw *draw, struct hash seed, enum rng_stream stream)
{
    int32_t *start = draw->class_start;
    struct rng rng;

    memset(start, 0, ((size_t)draw->n_classes + 1) * sizeof *start);
    for (int32_t i = 0; i < draw->d->n_samples; i++)
        if (draw->part[i] == PART_TRAIN)
            start[class_of(draw->d, i) + 1]++;
    for (int32_t c = 0; c < draw->n_classes; c++)
        start[c + 1] += start[c];
    /* start[c + 1] now walks from where class c begins to where it ends, and class c + 1 begins. */
    for (int32_t c = draw->n_classes; c > 0; c--)
        start[c] = start[c - 1];
    for (int32_t i = 0; i < draw->d->n_samples; i++)
        if (draw->part[i] == PART_TRAIN)
            draw->member[start[class_of(draw->d, i) + 1]++] = i;

    rng_init(&rng, seed, stream);
    for (int32_t c = 0; c < draw->n_classes; c++)
        rng_shuffle(draw->member + start[c], (size_t)(start[c + 1] - start[c]), &rng, (uint32_t)c);
}

static void mark(struct draw *draw, int32_t class, int32_t n, enum part part)
{
    for (int32_t i = 0; i < n; i++)
        draw->part[draw->member[draw->class_start[class] + i]] = (uint8_t)part;
}

/* Cumulative rounding: class c gets the growth of round(fraction x samples up to c), so that the
 * sum is exact and no class is off by one or more. */
static int32_t quota(int64_t before, int32_t size, double fraction)
{
    int64_t after = before + size;

    return (int32_t)(floor((double)after * fraction + 0.5) -
                     floor((double)before * fraction + 0.5));
}

static void draw_test(struct draw *draw, const struct split_spec *spec)
{
    int64_t before = 0;

    gather(draw, seed_of(spec, false), RNG_SPLIT_TEST);
    for (int32_t c = 0; c < draw->n_classes; c++) {
        mark(draw, c, quota(before, draw->class_size[c], spec->test), PART_TEST);
        before += draw->class_size[c];
    }
}

static int32_t clamp(int32_t v, int32_t low, int32_t high)
{
    return v < low ? low : v > high ? high : v;
}

/* How many of the `left` samples of a class that has not given the test part more go to val: its
 * quota, moved where train would otherwise be off by one or more. */
static int32_t val_count(const struct draw *draw, int64_t before, int32_t class, int32_t left,
                         const struct split_spec *spec)
{
    double size = draw->class_size[class];
    double val = size * spec->val, train = size * (1 - spec->test - spec->val);
    /* The least and the most whole numbers strictly within one of what each part should have. */
    double low = fmax(floor(val - 1), floor(left - train - 1)) + 1;
    double high = fmin(ceil(val + 1), ceil(left - train + 1)) - 1;
    int32_t n = quota(before, draw->class_size[class], spec->val);

    return clamp(clamp(n, (int32_t)low, (int32_t)high), 0, left);
}

static void draw_val(struct draw *draw, const struct split_spec *spec)
{
    int64_t before = 0;

    for (int32_t c = 0; c < draw->n_classes; c++) {
        int32_t left = draw->class_start[c + 1] - draw->class_start[c];

        mark(draw, c, val_count(draw, before, c, left, spec), PART_VAL);
        before += draw->class_size[c];
    }
}

/* Members are dealt out to the folds in turn, over the ends of classes. */
static void draw_fold(struct draw *draw, const struct split_spec *spec)
{
    int32_t n = draw->class_start[draw->n_classes];

    for (int32_t i = spec->fold; i < n; i += spec->folds)
        draw->part[draw->member[i]] = PART_VAL;
}

/* From what is left. */
static void draw_stop(struct draw *draw, const struct split_spec *spec)
{
    int64_t before = 0;

    gather(draw, seed_of_stop(spec), RNG_SPLIT_STOP);
    for (int32_t c = 0; c < draw->n_classes; c++) {
        int32_t size = draw->class_start[c + 1] - draw->class_start[c];

        mark(draw, c, quota(before, size, spec->stop), PART_STOP);
        before += size;
    }
}

static void give_to_train(struct draw *draw, enum part part)
{
    for (int32_t i = 0; i < draw->d->n_samples; i++)
        if (draw->part[i] == part)
            draw->part[i] = PART_TRAIN;
}

static void assign(struct draw *draw, const struct split_spec *spec)
{
    if (!draw->d->part)
        draw_test(draw, spec);
    if (spec->folds > 0) {
        give_to_train(draw, PART_VAL);
        gather(draw, seed_of(spec, true), RNG_SPLIT_FOLD);
        draw_fold(draw, spec);
    } else if (!draw->d->part) {
        gather(draw, seed_of(spec, true), RNG_SPLIT_FOLD);
        draw_val(draw, spec);
    }
    if (spec->stop > 0)
        draw_stop(draw, spec);
}

/* ---- whole groups ---- */

/* A split file must not tear groups: of every group one part is noted. With folds, train and val
 * of the file are the same. */
static int check_torn(const struct draw *draw, const struct split_spec *spec, struct err *err)
{
    const struct dataset *d = draw->d;
    uint8_t *seen = calloc((size_t)d->n_groups, sizeof *seen);
    int rc = 0;

    if (!seen)
        return err_nomem(err, "groups", (size_t)d->n_groups);
    for (int32_t i = 0; !rc && i < d->n_samples; i++) {
        uint8_t part = draw->part[i], *first;

        if (part == PART_NONE)
            continue;
        if (part == PART_VAL && spec->folds > 0)
            part = PART_TRAIN;
        first = &seen[d->group[i]];
        if (*first == PART_NONE)
            *first = part;
        else if (*first != part)
            rc = err_set(err,
                         "split.file tears group \"%.80s\": sample \"%.80s\" is in %s, others of "
                         "the group in %s",
                         dataset_group_name(d, d->group[i]), dataset_id(d, i), part_name(part),
                         part_name((enum part) * first));
    }
    free(seen);
    return rc;
}

/* Always -1. */
static int too_few(const struct group_draw *groups, const char *takes, struct err *err)
{
    return err_set(err, "split.group: %d group%s labelled samples: %s", groups->n,
                   groups->n == 1 ? " has" : "s have", takes);
}

static int draw_test_groups(struct group_draw *groups, const struct split_spec *spec,
                            struct err *err)
{
    struct rng rng;

    if (!(spec->test > 0))
        return 0;
    if (groups->n < 3)
        return too_few(groups, "a test part, val and train take at least 3; with split.test = 0, 2",
                       err);
    rng_init(&rng, seed_of(spec, false), RNG_SPLIT_TEST);
    group_draw_part(groups, spec->test, 2, PART_TEST, &rng);
    return 0;
}

static int draw_val_groups(struct group_draw *groups, const struct split_spec *spec,
                           struct err *err)
{
    struct rng rng;

    if (groups->n < 2)
        return too_few(groups, "val and train take at least 2", err);
    rng_init(&rng, seed_of(spec, true), RNG_SPLIT_FOLD);
    group_draw_part(groups, spec->val, 1, PART_VAL, &rng);
    return 0;
}

static int draw_group_fold(struct group_draw *groups, const struct split_spec *spec,
                           struct err *err)
{
    struct rng rng;

    if (groups->n < spec->folds)
        return err_set(err,
                       "sweep.folds = %d: only %d group%s of split.group %s outside the test part, "
                       "and a fold is at least one",
                       spec->folds, groups->n, groups->n == 1 ? "" : "s",
                       groups->n == 1 ? "is" : "are");
    rng_init(&rng, seed_of(spec, true), RNG_SPLIT_FOLD);
    return group_draw_fold(groups, spec->folds, spec->fold, &rng, err);
}

static int draw_stop_groups(struct group_draw *groups, const struct split_spec *spec,
                            struct err *err)
{
    struct rng rng;

    if (groups->n < 2)
        return err_set(err,
                       "split.stop = %g: %d group%s left outside test and val: a "
                       "stop part and train take at least 2",
                       spec->stop, groups->n, groups->n == 1 ? " is" : "s are");
    rng_init(&rng, seed_of_stop(spec), RNG_SPLIT_STOP);
    group_draw_resize(groups);
    group_draw_part(groups, spec->stop, 1, PART_STOP, &rng);
    return 0;
}

/* The test part, and what is left for the others to be drawn from. */
static int begin_groups(struct group_draw *groups, struct draw *draw, const struct split_spec *spec,
                        struct err *err)
{
    if (group_draw_init(groups, draw->d, draw->part, err))
        return -1;
    if (draw->d->part ? check_torn(draw, spec, err) : draw_test_groups(groups, spec, err))
        return -1;
    if (spec->folds != 0) {
        give_to_train(draw, PART_VAL);
        group_draw_count(groups);
    }
    return 0;
}

static int assign_groups(struct draw *draw, const struct split_spec *spec, struct err *err)
{
    struct group_draw groups = {0};
    int rc = begin_groups(&groups, draw, spec, err);

    if (!rc && spec->folds > 0)
        rc = draw_group_fold(&groups, spec, err);
    else if (!rc && !draw->d->part)
        rc = draw_val_groups(&groups, spec, err);
    if (!rc && spec->stop > 0)
        rc = draw_stop_groups(&groups, spec, err);
    group_draw_release(&groups);
    return rc;
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

static bool has_part(const struct dataset *d, enum part part)
{
    return d->part && memchr(d->part, part, (size_t)d->n_samples);
}

static int check_spec(const struct dataset *d, const struct split_spec *spec, struct err *err)
{
    if (spec->folds < 0 || spec->folds == 1)
        return err_set(err, "sweep.folds = %d: must be 0 or at least 2", spec->folds);
    if (spec->folds > 0 && (spec->fold < 0 || spec->fold >= spec->folds))
        return err_set(err, "fold %d: must be in [0, %d)", spec->fold, spec->folds);
    if (!(spec->stop >= 0 && spec->stop < 1))
        return err_set(err, "split.stop = %g: must be in [0, 1)", spec->stop);
    if (spec->stop > 0 && has_part(d, PART_STOP))
        return err_set(err,
                       "split.stop = %g and a part stop in split.file: one of them says who "
                       "chooses the epoch",
                       spec->stop);
    if (d->part)
        return 0;
    if (!(spec->test >= 0 && spec->test < 1))
        return err_set(err, "split.test = %g: must be in [0, 1)", spec->test);
    if (spec->folds == 0 && !(spec->val > 0 && spec->test + spec->val < 1))
        return err_set(err,
                       "split.val = %g with split.test = %g: must be positive and leave some "
                       "for training",
                       spec->val, spec->test);
    return 0;
}

static int check_parts(const struct split *split, const struct draw *draw,
                       const struct split_spec *spec, struct err *err)
{
    const char *empty = split->n_train == 0                    ? "train"
                        : split->n_val == 0                    ? "val"
                        : spec->stop > 0 && split->n_stop == 0 ? "stop"
                                                               : NULL;

    if (!empty)
        return 0;
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
    if (check_spec(d, spec, err) || draw_init(&draw, d, err))
        return -1;
    if (!d->group)
        assign(&draw, spec);
    rc = d->group ? assign_groups(&draw, spec, err) : 0;
    if (spec->trains_on_stop)
        give_to_train(&draw, PART_STOP);
    if (!rc)
        rc = to_lists(out, &draw, err);
    if (!rc && (rc = check_parts(out, &draw, spec, err)))
        split_release(out);
    draw_release(&draw);
    return rc;
}

int split_count_groups(int32_t *n, const struct dataset *d, const struct split_spec *spec,
                       struct err *err)
{
    struct split_spec pooled = *spec;
    struct group_draw groups = {0};
    struct draw draw;
    int rc;

    pooled.folds = 2; /* any number: val of a split file is drawn from, too */
    if (draw_init(&draw, d, err))
        return -1;
    rc = begin_groups(&groups, &draw, &pooled, err);
    *n = groups.n;
    group_draw_release(&groups);
    draw_release(&draw);
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
