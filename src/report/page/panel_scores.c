/* SPDX-License-Identifier: BSD-3-Clause */
/* Panels about scores: why they are empty, and their tables. */
#include <math.h>
#include <stdio.h>

#include "report/page/html.h"
#include "report/page/page_json_value.h"
#include "report/page/panel.h"

/* ---- what several tables share ---- */

static void head_configs(struct html_table *table, const struct sweep_data *d)
{
    html_table_heads(table, "config|#place");
    for (int32_t a = 0; a < d->n_axes; a++)
        html_table_head(table, d->axes[a].name, d->axes[a].is_numeric);
}

static const char *label_of(const struct sweep_data *d, int32_t config, int32_t axis)
{
    int32_t level = d->level[(size_t)config * (size_t)d->n_axes + (size_t)axis];

    return level < 0 ? "" : d->axes[axis].label[level];
}

/* Begin the row of a configuration with its place and levels. */
static void put_config(struct html_table *table, const struct sweep_data *d, int32_t c)
{
    html_table_row(table, d->configs[c].id);
    html_cell_config(table, d->configs[c].id);
    html_cell_integer(table, d->configs[c].place);
    for (int32_t a = 0; a < d->n_axes; a++)
        html_cell_text(table, label_of(d, c, a));
}

static void slot_name(char out[80], const struct sweep_data *d, int32_t slot)
{
    const struct sweep_slot *s = &d->slots[slot];

    if (d->replicates > 1)
        snprintf(out, 80, "%d/%d%s%.48s", (int)s->replicate, (int)s->fold, s->group ? " " : "",
                 s->group ? s->group : "");
    else
        snprintf(out, 80, "%d%s%.48s", (int)s->fold, s->group ? " " : "", s->group ? s->group : "");
}

/* ---- why a panel is empty ---- */

static const char *why_unscored(struct buf *scratch, const struct page *page)
{
    return page->data->n_scored ? NULL : panel_why_no_score(scratch, page->data);
}

static const char *why_no_axis(struct buf *scratch, const struct page *page)
{
    if (!page->data->n_varied)
        return "No setting has several values in this sweep.";
    return why_unscored(scratch, page);
}

static const char *why_no_pair(struct buf *scratch, const struct page *page)
{
    if (page->data->n_varied < 2)
        return "Fewer than two settings have several values in this sweep.";
    return why_unscored(scratch, page);
}

static const char *why_no_curve(struct buf *scratch, const struct page *page)
{
    const struct sweep_data *d = page->data;

    if (d->n_scored && !d->n_curves && d->task == TASK_NONE)
        return "The best configurations have no learning curves: the program reported no numbers "
               "with an epoch.";
    if (d->n_scored && !d->n_curves)
        return "The best configurations have no learning curves: their model type has no epochs.";
    return why_unscored(scratch, page);
}

/* The first configuration of a type by place; -1: none. n: configurations of it. */
static int32_t first_of_type(int32_t *n, const struct sweep_data *d, int32_t type)
{
    int32_t first = -1;

    *n = 0;
    for (int32_t c = 0; c < d->n_configs; c++)
        if (d->configs[c].type == type) {
            first = first < 0 ? c : first;
            ++*n;
        }
    return first;
}

static const char *why_one_type(struct buf *scratch, const struct page *page)
{
    const struct sweep_data *d = page->data;
    const char *scored = "";
    int32_t n_scored = 0;

    for (int32_t t = 0; t < d->n_types; t++) {
        int32_t n, c = first_of_type(&n, d, t);

        if (c < 0 || c >= d->n_scored)
            continue;
        n_scored++;
        scored = d->types[t];
    }
    if (d->task == TASK_NONE)
        return "A program runs all trials, so there are no model types to compare.";
    if (d->n_types > 1 && n_scored != 1)
        return why_unscored(scratch, page);
    buf_printf(scratch,
               d->n_types > 1 ? "Only one model type has a score: %s."
                              : "The sweep has only one model type: %s.",
               d->n_types > 1 ? scored
               : d->n_types   ? d->types[0]
                              : "none");
    return buf_text(scratch);
}

/* ---- tables ---- */

static void table_forest(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    struct html_table table;

    html_table_begin(&table, out, "Table: the leaderboard");
    head_configs(&table, d);
    html_table_heads(
        &table,
        "#trials|#mean|#standard error|#difference|#95 % low|#95 % high|within one standard error");
    for (int32_t c = 0; c < d->n_configs; c++) {
        const struct sweep_config *o = &d->configs[c];

        put_config(&table, d, c);
        html_cell_integer(&table, o->n);
        html_cell_real(&table, o->mean);
        html_cell_real(&table, o->se);
        html_cell_real(&table, o->diff);
        html_cell_real(&table, o->low);
        html_cell_real(&table, o->high);
        html_cell_text(&table, o->within > 0 ? "yes" : o->within == 0 ? "no" : "");
    }
    html_table_end(&table);
}

enum { SLOTS_SHOWN = 50 };

static void table_folds(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    int32_t n_slots = d->n_slots < SLOTS_SHOWN ? d->n_slots : SLOTS_SHOWN;
    struct html_table table;
    char name[80];

    html_table_begin(&table, out,
                     d->replicates > 1 ? "Table: columns are replicate/fold"
                                       : "Table: columns are folds");
    html_table_head(&table, "config", false);
    for (int32_t s = 0; s < n_slots; s++) {
        slot_name(name, d, s);
        html_table_head(&table, name, true);
    }
    for (int32_t c = 0; c < d->n_scored; c++) {
        html_table_row(&table, d->configs[c].id);
        html_cell_config(&table, d->configs[c].id);
        for (int32_t s = 0; s < n_slots; s++)
            html_cell_real(&table, d->value[(size_t)s * (size_t)d->n_configs + (size_t)c]);
    }
    html_table_end(&table);
    if (n_slots < d->n_slots)
        html_element(out, "p", "%d more folds are not shown.", (int)(d->n_slots - n_slots));
}

static void put_marginals(struct buf *out, const struct sweep_data *d)
{
    struct html_table table;

    html_table_begin(&table, out, "Table: mean score for each value");
    html_table_heads(&table, "axis|value|#configurations|#mean|#95 % low|#95 % high|#best");
    for (int32_t a = 0; a < d->n_axes; a++)
        for (int32_t l = 0; l < d->axes[a].n; l++) {
            const struct sweep_marginal *m = &d->marginal[a][l];

            html_table_row(&table, 0);
            html_cell_text(&table, d->axes[a].name);
            html_cell_text(&table, d->axes[a].label[l]);
            html_cell_integer(&table, m->n);
            html_cell_real(&table, m->mean);
            html_cell_real(&table, m->low);
            html_cell_real(&table, m->high);
            html_cell_real(&table, m->best);
        }
    html_table_end(&table);
}

static void put_effects(struct buf *out, const struct sweep_data *d)
{
    struct html_table table;

    html_table_begin(&table, out, "Table: share of the variance that each axis explains");
    html_table_heads(&table, "axis|with|#degrees of freedom|#share, %");
    for (int32_t e = 0; e < d->effects.n; e++) {
        const struct sweep_effect *effect = &d->effects.of[e];

        html_table_row(&table, 0);
        html_cell_text(&table, d->axes[effect->axis].name);
        html_cell_text(&table, effect->with < 0 ? "" : d->axes[effect->with].name);
        html_cell_integer(&table, effect->df);
        html_cell_real(&table, 100 * effect->share);
    }
    html_table_row(&table, 0);
    html_cell_text(&table, "three and more axes together");
    html_cell_text(&table, "");
    html_cell_text(&table, "");
    html_cell_real(&table, 100 * d->effects.residual);
    html_table_end(&table);
}

static void table_axis(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;

    if (d->effects.is_complete)
        html_element(out, "p",
                     "The grid is complete, so its analysis of variance is exact: the "
                     "shares of main effects, pairs and higher interactions add up to "
                     "100 %% of the variance of the configurations' means.");
    else
        html_element(out, "p",
                     "The share of the variance that each axis explains is not shown: %s.",
                     d->effects.why);
    put_marginals(out, d);
    if (d->effects.is_complete)
        put_effects(out, d);
}

static void put_cell(struct html_table *table, const struct sweep_data *d, const int32_t *pair,
                     int32_t i, int32_t j)
{
    double sum = 0, best = NAN;
    int32_t n = 0;

    for (int32_t c = 0; c < d->n_configs && d->configs[c].is_complete; c++) {
        const int32_t *level = &d->level[(size_t)c * (size_t)d->n_axes];

        if (level[pair[0]] != i || level[pair[1]] != j)
            continue;
        best = n ? best : d->configs[c].mean; /* by place */
        sum += d->configs[c].mean;
        n++;
    }
    if (!n)
        return;
    html_table_row(table, 0);
    html_cell_text(table, d->axes[pair[0]].label[i]);
    html_cell_text(table, d->axes[pair[1]].label[j]);
    html_cell_integer(table, n);
    html_cell_real(table, sum / n);
    html_cell_real(table, best);
}

/* A table of more cells has rows that nobody sees, and takes long to fill. */
enum { PAIR_LEVELS = 40 };

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static void table_pair(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    struct html_table table;
    const int32_t *pair = d->axis_order;

    html_table_begin(&table, out, "Table: mean score for each pair of values");
    html_table_head(&table, d->axes[pair[0]].name, d->axes[pair[0]].is_numeric);
    html_table_head(&table, d->axes[pair[1]].name, d->axes[pair[1]].is_numeric);
    html_table_heads(&table, "#configurations|#mean|#best");
    for (int32_t i = 0; i < least(d->axes[pair[0]].n, PAIR_LEVELS); i++)
        for (int32_t j = 0; j < least(d->axes[pair[1]].n, PAIR_LEVELS); j++)
            put_cell(&table, d, pair, i, j);
    html_table_end(&table);
}

static void table_parallel(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    struct html_table table;

    html_table_begin(&table, out, "Table: configurations and scores");
    head_configs(&table, d);
    html_table_head(&table, "mean", true);
    for (int32_t c = 0; c < d->n_scored; c++) {
        put_config(&table, d, c);
        html_cell_real(&table, d->configs[c].mean);
    }
    html_table_end(&table);
}

/* The index of the epoch that was kept; -1: it is not among the points. */
static int32_t find_best(const struct sweep_curve *curve)
{
    for (int32_t i = 0; i < curve->n; i++)
        if (curve->epoch[i] == curve->best)
            return i;
    return -1;
}

/* Heads of the values that chose the epoch. */
static void head_chosen(struct html_table *table, const struct sweep_data *d)
{
    int32_t n = 0;
    struct buf name = {0};

    for (int32_t i = 0; i < d->n_curves; i++)
        n += d->curves[i].is_stop;
    html_table_head(table,
                    !n                ? "validation loss"
                    : n < d->n_curves ? "loss of the part that chose the epoch"
                                      : "loss of the stop part",
                    true);
    if (n)
        buf_printf(&name, "%s of the %s", d->metric,
                   n < d->n_curves ? "part that chose the epoch" : "stop part");
    html_table_head(table, n ? buf_text(&name) : d->objective, true);
    table->out->failed |= buf_failed(&name);
    buf_release(&name);
}

/* Values of a curve, in the order of the columns: the losses, the objective, then other names. */
enum { TRAIN_LOSS, VAL_LOSS, VAL_VALUE, MORE, SERIES = MORE + SWEEP_CURVE_NAMES };

static const double *series_of(const struct sweep_curve *curve, int32_t series)
{
    switch (series) {
    case TRAIN_LOSS:
        return curve->train_loss;
    case VAL_LOSS:
        return curve->val_loss;
    case VAL_VALUE:
        return curve->val_value;
    default:
        return curve->more[series - MORE];
    }
}

/* A program reports what it likes. */
static bool has_series(const struct sweep_data *d, int32_t series)
{
    if (d->task != TASK_NONE)
        return series < MORE;
    for (int32_t i = 0; i < d->n_curves; i++) {
        const double *values = series_of(&d->curves[i], series);

        for (int32_t k = 0; values && k < d->curves[i].n; k++)
            if (isfinite(values[k]))
                return true;
    }
    return false;
}

static void head_series(struct html_table *table, const struct sweep_data *d,
                        const bool shown[SERIES])
{
    const char *names[SERIES] = {"train_loss", "val_loss", d->objective};

    if (d->task != TASK_NONE) {
        html_table_head(table, "training loss", true);
        head_chosen(table, d);
        return;
    }
    for (int32_t i = 0; i < d->n_curve_names; i++)
        names[MORE + i] = d->curve_names[i];
    for (int32_t series = 0; series < SERIES; series++)
        if (shown[series])
            html_table_head(table, names[series], true);
}

static void put_kept_epoch(struct html_table *table, const struct sweep_curve *curve,
                           const bool shown[SERIES])
{
    int32_t at = find_best(curve);

    html_table_row(table, curve->config);
    html_cell_config(table, curve->config);
    html_cell_integer(table, curve->replicate);
    html_cell_integer(table, curve->fold);
    html_cell_integer(table, curve->best);
    html_cell_integer(table, curve->n ? curve->epoch[curve->n - 1] : 0);
    for (int32_t series = 0; series < SERIES; series++) {
        const double *values = series_of(curve, series);

        if (shown[series])
            html_cell_real(table, at < 0 || !values ? (double)NAN : values[at]);
    }
}

static void table_curves(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    struct html_table table;
    bool shown[SERIES];

    if (d->n_curves_left_out)
        html_element(out, "p",
                     "The curves are those of the best %d configurations%s; %lld other%s left out.",
                     (int)SWEEP_CURVE_CONFIGS,
                     sweep_data_find(d, d->chosen) < SWEEP_CURVE_CONFIGS ? ""
                                                                         : " and of the choice",
                     (long long)d->n_curves_left_out, d->n_curves_left_out == 1 ? " is" : "s are");
    for (int32_t series = 0; series < SERIES; series++)
        shown[series] = has_series(d, series);
    html_long_begin(out);
    html_table_begin(&table, out, "Table: the epoch that each trial kept");
    html_table_heads(&table, "config|#replicate|#fold|#kept epoch|#last epoch");
    head_series(&table, d, shown);
    for (int32_t i = 0; i < d->n_curves; i++)
        put_kept_epoch(&table, &d->curves[i], shown);
    html_table_end(&table);
    html_long_end(out);
}

static bool is_among(int32_t config, const int32_t *front, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (front[i] == config)
            return true;
    return false;
}

static void table_cost(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    struct html_table table;

    html_table_begin(&table, out, "Table: cost of one trial");
    html_table_heads(&table,
                     "config|#place|#mean|#seconds|#floating-point operations|Pareto front|choice");
    for (int32_t c = 0; c < d->n_scored; c++) {
        const struct sweep_config *o = &d->configs[c];
        bool by_seconds = is_among(c, d->pareto_seconds, d->n_pareto_seconds);
        bool by_flops = is_among(c, d->pareto_flops, d->n_pareto_flops);

        html_table_row(&table, o->id);
        html_cell_config(&table, o->id);
        html_cell_integer(&table, o->place);
        html_cell_real(&table, o->mean);
        html_cell_real(&table, o->seconds);
        html_cell_real(&table, o->flops);
        html_cell_text(&table, by_seconds && by_flops ? "seconds, flop"
                               : by_seconds           ? "seconds"
                               : by_flops             ? "flop"
                                                      : "");
        html_cell_text(&table, o->id == d->best && o->id == d->one_se ? "best, 1se"
                               : o->id == d->best                     ? "best"
                               : o->id == d->one_se                   ? "1se"
                                                                      : "");
    }
    html_table_end(&table);
}

static void table_types(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    struct html_table table;

    html_table_begin(&table, out, "Table: the best configuration of each model type");
    html_table_heads(&table,
                     "best config|model type|#configurations|#place|#trials|#mean|#difference|#95 "
                     "% low|#95 % high");
    for (int32_t t = 0; t < d->n_types; t++) {
        int32_t n, c = first_of_type(&n, d, t);

        if (c < 0)
            continue;
        html_table_row(&table, d->configs[c].id);
        html_cell_config(&table, d->configs[c].id);
        html_cell_text(&table, d->types[t]);
        html_cell_integer(&table, n);
        html_cell_integer(&table, d->configs[c].place);
        html_cell_integer(&table, d->configs[c].n);
        html_cell_real(&table, d->configs[c].mean);
        html_cell_real(&table, d->configs[c].diff);
        html_cell_real(&table, d->configs[c].low);
        html_cell_real(&table, d->configs[c].high);
    }
    html_table_end(&table);
}

const struct panel panel_forest = {
    .id = "forest",
    .heading = "Difference to the best",
    .what =
        "Each row is a configuration: the mean difference of its score to the best configuration "
        "on the same folds, with its corrected 95 % interval. Small open circles are folds, the "
        "filled dot is their mean; a ring marks configurations within one standard error of the "
        "best. If an interval contains 0, these data do not show which of the two is better.",
    .what_of_program =
        "Each row is a configuration: the mean difference of its objective to the best "
        "configuration on the same folds and replicates, with its 95 % interval, which is "
        "corrected if there are folds. Small open circles are trials, the filled dot is their "
        "mean; a ring marks configurations within one standard error of the best. If an interval "
        "contains 0, these trials do not show which of the two is better.",
    .why = why_unscored,
    .table = table_forest,
    .is_of_objective = true,
};

const struct panel panel_folds = {
    .id = "folds",
    .heading = "Configurations by fold",
    .what = "The score of each configuration in each fold. A fold in which all scores are poor is "
            "a hard one.",
    .what_of_program = "The objective of each configuration in each fold and replicate.",
    .why = why_unscored,
    .table = table_folds,
    .is_of_objective = true,
};

const struct panel panel_axis = {
    .id = "axis",
    .heading = "One axis at a time",
    .what = "The mean score of all complete configurations with each value of an axis. An interval "
            "is the corrected 95 % interval of the deviation from the mean of the axis on the same "
            "folds: values whose intervals do not overlap differ on the average over this grid. "
            "There is no correction for several comparisons.",
    .what_of_program =
        "The mean objective of all complete configurations with each value of an axis. An interval "
        "is the 95 % interval of the deviation from the mean of the axis on the same folds and "
        "replicates: values whose intervals do not overlap differ on the average over this grid. "
        "There is no correction for several comparisons.",
    .why = why_no_axis,
    .table = table_axis,
    .is_of_objective = true,
};

const struct panel panel_pair = {
    .id = "pair",
    .heading = "Two axes",
    .what = "The mean score of the complete configurations with each pair of values of two axes, "
            "over all other axes. If the best pair lies on the edge of the grid, a better one may "
            "lie beyond.",
    .why = why_no_pair,
    .table = table_pair,
    .is_of_objective = true,
};

const struct panel panel_parallel = {
    .id = "parallel",
    .heading = "All axes",
    .what = "Each line is a configuration that passes through its value on every axis and ends at "
            "its score.",
    .why = why_no_pair,
    .table = table_parallel,
    .is_of_objective = true,
};

const struct panel panel_curves = {
    .id = "curves",
    .heading = "Learning curves",
    .what = "Loss or score after each epoch: mean and range over folds of the training part and of "
            "the part that chooses the epoch, which is the stop part of a sweep with one, and the "
            "validation part of others. A mark shows the epoch that was kept.",
    .what_of_program =
        "Numbers that the program reported with an epoch: mean and range over the trials of a "
        "configuration. A mark shows the epoch with the best objective, which counts.",
    .why = why_no_curve,
    .table = table_curves,
    .json = page_json_curves,
    .is_of_objective = true,
};

const struct panel panel_cost = {
    .id = "cost",
    .heading = "Cost",
    .what = "Score against the cost of one trial. No configuration is both better and cheaper than "
            "one on the Pareto front.",
    .why = why_unscored,
    .table = table_cost,
    .is_of_objective = true,
};

const struct panel panel_types = {
    .id = "types",
    .heading = "Model types",
    .what = "The best configuration of each model type. A line joins the scores in the same fold: "
            "if almost all lines fall, the second type is worse in almost every fold.",
    .why = why_one_type,
    .table = table_types,
    .is_of_objective = true,
};
