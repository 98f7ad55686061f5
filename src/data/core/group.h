/* Parts that are drawn of whole groups, so that none stands on both sides of a split.
 *
 * What counts of a group is its samples in PART_TRAIN (all of them labelled), class by class; a
 * regression has one class. Groups without such samples are not there. */
#ifndef DATA_CORE_GROUP_H
#define DATA_CORE_GROUP_H

#include "base/rng.h"
#include "data/core/dataset.h"

struct group_draw {
    const struct dataset *data; /* borrowed; has groups */
    uint8_t *part;              /* [N] enum part; borrowed: what is drawn leaves PART_TRAIN */
    int32_t n_classes;          /* at least 1 */
    int32_t *count;             /* (n_groups, n_classes) samples in PART_TRAIN */
    int32_t *class_size;        /* [n_classes] what fractions are of: labelled samples in all */
    double *have;               /* [n_classes] scratch */
    int32_t *order;             /* [n_groups] the n groups that are there, ascending */
    bool *is_taken;             /* [n_groups] scratch */
    int32_t n;
};

/* part is set, and outlives the draw. Pair with group_draw_release(), also after a failure. -1 and
 * err when memory is short. */
int group_draw_init(struct group_draw *draw, const struct dataset *data, uint8_t *part,
                    struct err *err);
void group_draw_release(struct group_draw *draw); /* takes a zeroed one */

/* Count again, after others changed part. */
void group_draw_count(struct group_draw *draw);

/* Fractions are from now on of the samples in PART_TRAIN. */
void group_draw_resize(struct group_draw *draw);

/* Groups go to `part`, in random order, each that brings it nearer to `fraction` of every class,
 * and so on until none that came or went would; at least one, and so that n_spare stay: draw->n
 * must be more than that. */
void group_draw_part(struct group_draw *draw, double fraction, int32_t n_spare, enum part part,
                     const struct rng *rng);

/* Fold `fold` of `folds`, at most draw->n, goes to PART_VAL. Each fold is a group at least. With as
 * many folds as groups each is one, in the order of their numbers. Otherwise groups are dealt out
 * from large to small (in random order where sizes are within a factor of two), each to the fold
 * that has least of its classes: with one class the sizes of two folds differ by no more than the
 * largest group. -1 and err when memory is short. */
int group_draw_fold(struct group_draw *draw, int32_t folds, int32_t fold, const struct rng *rng,
                    struct err *err);

#endif
