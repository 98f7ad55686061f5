#include "data/core/group.h"

#include <stdlib.h>
#include <string.h>

/* Whole groups cannot be cut to size, so parts are filled greedily. How far a part is from what it
 * should be is
 *     sum over classes of (what it has - what it should have)^2 / size of the class
 * as in a chi-square test: classes of few samples count as much as those of many. */

static int32_t class_of(const struct group_draw *draw, int32_t i)
{
    return draw->n_classes > 1 ? draw->data->label[i] : 0;
}

static const int32_t *count_of(const struct group_draw *draw, int32_t group)
{
    return draw->count + (size_t)group * (size_t)draw->n_classes;
}

static int64_t size_of(const struct group_draw *draw, int32_t group)
{
    const int32_t *count = count_of(draw, group);
    int64_t size = 0;

    for (int32_t c = 0; c < draw->n_classes; c++)
        size += count[c];
    return size;
}

int group_draw_init(struct group_draw *draw, const struct dataset *data, uint8_t *part,
                    struct err *err)
{
    size_t n_classes = data->n_classes > 0 ? (size_t)data->n_classes : 1;
    size_t n_groups = (size_t)data->n_groups;

    *draw = (struct group_draw){.data = data, .part = part, .n_classes = (int32_t)n_classes};
    draw->count = calloc(n_groups * n_classes, sizeof *draw->count);
    draw->class_size = calloc(n_classes, sizeof *draw->class_size);
    draw->have = calloc(n_classes, sizeof *draw->have);
    draw->order = calloc(n_groups, sizeof *draw->order);
    draw->is_taken = calloc(n_groups, sizeof *draw->is_taken);
    if (!draw->count || !draw->class_size || !draw->have || !draw->order || !draw->is_taken)
        return err_nomem(err, "groups", n_groups * n_classes * sizeof *draw->count);
    for (int32_t i = 0; i < data->n_samples; i++)
        if (dataset_is_labelled(data, i))
            draw->class_size[class_of(draw, i)]++;
    group_draw_count(draw);
    return 0;
}

void group_draw_release(struct group_draw *draw)
{
    if (!draw)
        return;
    free(draw->count);
    free(draw->class_size);
    free(draw->have);
    free(draw->order);
    free(draw->is_taken);
    memset(draw, 0, sizeof *draw);
}

void group_draw_count(struct group_draw *draw)
{
    const struct dataset *d = draw->data;
    size_t n = (size_t)d->n_groups * (size_t)draw->n_classes;

    memset(draw->count, 0, n * sizeof *draw->count);
    for (int32_t i = 0; i < d->n_samples; i++)
        if (draw->part[i] == PART_TRAIN)
            draw->count[(size_t)d->group[i] * (size_t)draw->n_classes +
                        (size_t)class_of(draw, i)]++;
    draw->n = 0;
    for (int32_t g = 0; g < d->n_groups; g++)
        if (size_of(draw, g) > 0)
            draw->order[draw->n++] = g;
}

void group_draw_resize(struct group_draw *draw)
{
    memset(draw->class_size, 0, (size_t)draw->n_classes * sizeof *draw->class_size);
    for (int32_t k = 0; k < draw->n; k++)
        for (int32_t c = 0; c < draw->n_classes; c++)
            draw->class_size[c] += count_of(draw, draw->order[k])[c];
}

/* The groups that are marked. */
static void move(struct group_draw *draw, enum part part)
{
    for (int32_t i = 0; i < draw->data->n_samples; i++)
        if (draw->part[i] == PART_TRAIN && draw->is_taken[draw->data->group[i]])
            draw->part[i] = (uint8_t)part;
    memset(draw->is_taken, 0, (size_t)draw->data->n_groups * sizeof *draw->is_taken);
    group_draw_count(draw);
}

/* ---- a part of some size ---- */

/* More passes than are ever needed: each leaves the part nearer, or is the last. */
#define MAX_PASSES 100
/* Less is rounding. */
#define LEAST_GAIN 1e-9

/* How much nearer the part is to its fraction of every class once the group has come (sign 1) or
 * gone (-1). */
static double gain_of(const struct group_draw *draw, int32_t group, double fraction, double sign)
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

static void toggle(struct group_draw *draw, int32_t group)
{
    const int32_t *count = count_of(draw, group);
    double sign = draw->is_taken[group] ? -1 : 1;

    draw->is_taken[group] = !draw->is_taken[group];
    for (int32_t c = 0; c < draw->n_classes; c++)
        draw->have[c] += sign * count[c];
}

static int32_t smallest(const struct group_draw *draw)
{
    int32_t found = draw->order[0];

    for (int32_t k = 1; k < draw->n; k++)
        if (size_of(draw, draw->order[k]) < size_of(draw, found))
            found = draw->order[k];
    return found;
}

/* Each group comes or goes where that brings the part nearer; whether any did. */
static bool improve(struct group_draw *draw, double fraction, int32_t n_spare, int32_t *n_taken)
{
    bool is_better = false;

    for (int32_t k = 0; k < draw->n; k++) {
        int32_t group = draw->order[k];
        bool is_in = draw->is_taken[group];

        if (!is_in && draw->n - *n_taken <= n_spare)
            continue;
        if (gain_of(draw, group, fraction, is_in ? -1 : 1) <= LEAST_GAIN)
            continue;
        toggle(draw, group);
        *n_taken += is_in ? -1 : 1;
        is_better = true;
    }
    return is_better;
}

void group_draw_part(struct group_draw *draw, double fraction, int32_t n_spare, enum part part,
                     const struct rng *rng)
{
    int32_t n_taken = 0;

    memset(draw->have, 0, (size_t)draw->n_classes * sizeof *draw->have);
    rng_shuffle(draw->order, (size_t)draw->n, rng, 0);
    for (int pass = 0; pass < MAX_PASSES && improve(draw, fraction, n_spare, &n_taken); pass++)
        ;
    if (n_taken == 0)
        toggle(draw, smallest(draw));
    move(draw, part);
}

/* ---- folds ---- */

/* 0 for sizes 0 and 1, 1 up to 3, 2 up to 7 ... */
static int magnitude(int64_t size)
{
    int m = 0;

    while (size >>= 1)
        m++;
    return m;
}

/* Shuffled, then from large to small. */
static int sort_by_size(struct group_draw *draw, const struct rng *rng, struct err *err)
{
    int32_t *shuffled = malloc((size_t)draw->n * sizeof *shuffled);
    int32_t n = 0;

    if (!shuffled)
        return err_nomem(err, "groups", (size_t)draw->n * sizeof *shuffled);
    memcpy(shuffled, draw->order, (size_t)draw->n * sizeof *shuffled);
    rng_shuffle(shuffled, (size_t)draw->n, rng, 0);
    for (int m = magnitude(INT32_MAX); m >= 0; m--)
        for (int32_t k = 0; k < draw->n; k++)
            if (magnitude(size_of(draw, shuffled[k])) == m)
                draw->order[n++] = shuffled[k];
    free(shuffled);
    return 0;
}

/* What fold f has: its samples of each class, then of all. */
static double *fold_row(double *have, const struct group_draw *draw, int32_t f)
{
    return have + (size_t)f * ((size_t)draw->n_classes + 1);
}

/* The fold to which the group adds least to the squares that are to be small: twice the sum over
 * classes of what the fold has times what the group has; the emptiest of equal ones. */
static int32_t pick_fold(double *have, const struct group_draw *draw, int32_t group, int32_t folds)
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

static void deal(double *have, struct group_draw *draw, int32_t folds, int32_t fold)
{
    for (int32_t k = 0; k < draw->n; k++) {
        int32_t group = draw->order[k];
        int32_t to = pick_fold(have, draw, group, folds);
        double *row = fold_row(have, draw, to);

        for (int32_t c = 0; c < draw->n_classes; c++)
            row[c] += count_of(draw, group)[c];
        row[draw->n_classes] += (double)size_of(draw, group);
        draw->is_taken[group] = to == fold;
    }
}

int group_draw_fold(struct group_draw *draw, int32_t folds, int32_t fold, const struct rng *rng,
                    struct err *err)
{
    size_t n = (size_t)folds * ((size_t)draw->n_classes + 1);
    double *have;
    int rc;

    if (folds == draw->n) {
        draw->is_taken[draw->order[fold]] = true;
        move(draw, PART_VAL);
        return 0;
    }
    have = calloc(n, sizeof *have);
    if (!have)
        return err_nomem(err, "folds", n * sizeof *have);
    rc = sort_by_size(draw, rng, err);
    if (!rc) {
        deal(have, draw, folds, fold);
        move(draw, PART_VAL);
    }
    free(have);
    return rc;
}
