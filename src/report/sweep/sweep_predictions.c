/* SPDX-License-Identifier: BSD-3-Clause */
/* Out-of-fold predictions of the chosen configuration. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/sweep/sweep_read.h"

/* A chart of more classes shows nothing. */
enum { MOST_CLASSES = 200 };

static int32_t find_class(const struct sweep_predictions *p, const char *name)
{
    for (int32_t k = 0; k < p->n_classes; k++)
        if (!strcmp(p->classes[k], name))
            return k;
    return -1;
}

/* The index of a class, which is added if it is new; NaN if there are too many, or scores without
 * it. */
static double class_of(struct sweep_data *data, const char *name, struct err *err)
{
    struct sweep_predictions *p = &data->predictions;
    int32_t k = find_class(p, name);

    if (k < 0 && !p->score && p->n_classes < MOST_CLASSES) {
        k = p->n_classes;
        p->classes[k] = sweep_copy(data, name, err);
        p->n_classes += p->classes[k] != NULL;
    }
    return k < 0 ? (double)NAN : k;
}

static double value_of(struct sweep_data *data, const struct result_table *rows, int64_t r,
                       const char *column, struct err *err)
{
    return data->is_classification ? class_of(data, result_table_text(rows, r, column), err)
                                   : result_table_real(rows, r, column);
}

static int take_arrays(struct sweep_data *data, size_t n, struct err *err)
{
    struct sweep_predictions *p = &data->predictions;

    p->classes = sweep_take(data, MOST_CLASSES, sizeof *p->classes, err);
    p->id = sweep_take(data, n, sizeof *p->id, err);
    p->groups = sweep_take(data, n, sizeof *p->groups, err);
    p->group = sweep_take(data, n, sizeof *p->group, err);
    p->replicate = sweep_take(data, n, sizeof *p->replicate, err);
    p->fold = sweep_take(data, n, sizeof *p->fold, err);
    p->observed = sweep_take(data, n, sizeof *p->observed, err);
    p->predicted = sweep_take(data, n, sizeof *p->predicted, err);
    return p->classes && p->id && p->groups && p->group && p->replicate && p->fold && p->observed &&
                   p->predicted
               ? 0
               : -1;
}

/* ---- probabilities and scores ---- */

/* Classes in the order of the first sample, and room for their scores. */
static int take_classes(struct sweep_data *data, const struct result_table *scores, struct err *err)
{
    struct sweep_predictions *p = &data->predictions;
    size_t n;

    for (int64_t r = 0; r < scores->n_rows; r++)
        if (result_table_integer(scores, r, "trial") == result_table_integer(scores, 0, "trial") &&
            result_table_integer(scores, r, "sample") == result_table_integer(scores, 0, "sample"))
            class_of(data, result_table_text(scores, r, "class"), err);
    if (!p->n_classes)
        return 0;
    n = (size_t)p->n * (size_t)p->n_classes;
    p->score = sweep_take(data, n, sizeof *p->score, err);
    for (size_t i = 0; p->score && i < n; i++)
        p->score[i] = NAN;
    return p->score ? 0 : -1;
}

/* Both tables are sorted by trial and sample. */
static void take_scores(struct sweep_predictions *p, const struct result_table *rows,
                        const struct result_table *scores)
{
    int64_t r = 0;

    for (int64_t s = 0; s < scores->n_rows; s++) {
        int64_t trial = result_table_integer(scores, s, "trial");
        int64_t sample = result_table_integer(scores, s, "sample");
        int32_t k = find_class(p, result_table_text(scores, s, "class"));

        while (r < p->n && (result_table_integer(rows, r, "trial") < trial ||
                            (result_table_integer(rows, r, "trial") == trial &&
                             result_table_integer(rows, r, "sample") < sample)))
            r++;
        if (r < p->n && result_table_integer(rows, r, "trial") == trial &&
            result_table_integer(rows, r, "sample") == sample && k >= 0)
            p->score[r * p->n_classes + k] = result_table_real(scores, s, "score");
    }
}

static int take_predictions(struct sweep_data *data, const struct result_table *rows,
                            const struct result_table *scores, struct err *err)
{
    struct sweep_predictions *p = &data->predictions;
    bool has_probabilities = result_table_find(rows, 0, "probabilities")->type == CELL_TEXT;

    p->config = data->chosen;
    p->n = (int32_t)rows->n_rows;
    if (take_arrays(data, (size_t)p->n, err) || take_classes(data, scores, err))
        return -1;
    for (int64_t r = 0; r < rows->n_rows; r++) {
        int32_t group = (int32_t)result_table_integer(rows, r, "place") - 1; /* -1: none */

        p->id[r] = sweep_copy_cell(data, rows, r, "id", err);
        if (group >= 0 && !p->groups[group]) {
            p->groups[group] = sweep_copy_cell(data, rows, r, "sample_group", err);
            p->n_groups++;
        }
        p->group[r] = group;
        p->replicate[r] = (int32_t)result_table_integer(rows, r, "replicate");
        p->fold[r] = (int32_t)result_table_integer(rows, r, "fold");
        p->observed[r] = value_of(data, rows, r, "observed", err);
        p->predicted[r] = value_of(data, rows, r, "predicted", err);
        if (!p->id[r] || (group >= 0 && !p->groups[group]))
            return -1;
    }
    if (p->score)
        take_scores(p, rows, scores);
    p->is_probability = p->score && has_probabilities;
    return sweep_score_predictions(data, err);
}

/* ---- groups of slots ---- */

/* A fold that leaves one group out bears its name. */
static void name_slots(struct sweep_data *data)
{
    const struct sweep_predictions *p = &data->predictions;

    for (int32_t s = 0; s < data->n_slots; s++) {
        struct sweep_slot *slot = &data->slots[s];
        int32_t group = -1;
        bool is_one = true;

        for (int32_t i = 0; i < p->n && is_one; i++)
            if (p->replicate[i] == slot->replicate && p->fold[i] == slot->fold) {
                is_one = p->group[i] >= 0 && (group < 0 || p->group[i] == group);
                group = p->group[i];
            }
        slot->group = is_one && group >= 0 ? p->groups[group] : NULL;
    }
}

static int take_models(struct sweep_data *data, const struct result_table *row, struct err *err)
{
    (void)err;
    if (!row->n_rows)
        return 0;
    data->n_done = (int32_t)result_table_integer(row, 0, "trials");
    data->n_models = (int32_t)result_table_integer(row, 0, "models");
    data->has_epochs = result_table_integer(row, 0, "epoch") > 0;
    data->has_stop = result_table_integer(row, 0, "has_stop") != 0;
    return 0;
}

int sweep_read_predictions(struct sweep_data *data, struct store *store, struct err *err)
{
    struct result_table rows, scores = {0};
    int rc;

    if (!data->chosen)
        return 0;
    if (sweep_read_table(data, store, QUERY_CONFIG_KEPT, data->chosen, take_models, err) ||
        query_table(&rows, store, QUERY_PREDICTIONS, data->chosen, err))
        return -1;
    rc = rows.n_rows ? query_table(&scores, store, QUERY_CLASS_SCORES, data->chosen, err) : 0;
    if (!rc && rows.n_rows && rows.n_rows < INT32_MAX)
        rc = take_predictions(data, &rows, &scores, err);
    if (!rc && data->predictions.n_groups)
        name_slots(data);
    result_table_release(&rows);
    result_table_release(&scores);
    return rc;
}
