/* SPDX-License-Identifier: BSD-3-Clause */
/* Panels about scores: why they are empty, and their tables. */
#include <math.h>
#include <stdio.h>

#include "report/page/html.h"
#include "report/page/json.h"
#include "report/page/page.h"
#include "report/page/panel.h"

/* ---- what several tables share ---- */

/* heads: those after the levels. */
static void begin_configs(struct html_table *table, struct buf *out, const struct sweep_data *d,
                          const char *summary, const char *heads)
{
    html_table_begin(table, out, summary, "config|#place");
    for (int32_t a = 0; a < d->n_axes; a++)
        html_table_head(table, d->axes[a].name, d->axes[a].is_numeric);
    html_table_heads(table, heads);
}

/* Begin the row of a configuration with its place and levels. */
static void put_config(struct html_table *table, const struct sweep_data *d, int32_t c)
{
    const int32_t *level = &d->level[(size_t)c * (size_t)d->n_axes];

    html_row(table, d->configs[c].id);
    if (d->configs[c].rung)
        html_cells(table, "%s", "");
    else
        html_cells(table, "%d", (int)d->configs[c].place);
    for (int32_t a = 0; a < d->n_axes; a++)
        html_cells(table, "%s", level[a] < 0 ? "" : d->axes[a].label[level[a]]);
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
    if (d->n_types > 1)
        buf_printf(scratch, "Only one model type has a score: %s.", scored);
    else
        buf_printf(scratch, "The sweep has only one model type: %s.", d->types[0]);
    return buf_text(scratch);
}

/* ---- tables ---- */

static void table_forest(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    struct html_table table;

    begin_configs(&table, out, d, "Table: the leaderboard",
                  "#trials|#mean|#standard error|#difference|#95 % low|#95 % high|within one "
                  "standard error");
    for (int32_t c = 0; c < d->n_configs; c++) {
        const struct sweep_config *o = &d->configs[c];

        put_config(&table, d, c);
        html_cells(&table, "%d%g%g%g%g%g%s", (int)o->n, o->mean, o->se, o->diff, o->low, o->high,
                   o->within > 0    ? "yes"
                   : o->within == 0 ? "no"
                                    : "");
    }
    html_table_end(&table);
}

enum { SLOTS_SHOWN = 50 };

static void table_folds(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    int32_t n_slots = d->n_slots < SLOTS_SHOWN ? d->n_slots : SLOTS_SHOWN;
    struct html_table table;
    char replicate[16] = "", name[96];

    html_table_begin(&table, out,
                     d->replicates > 1 ? "Table: columns are replicate/fold"
                                       : "Table: columns are folds",
                     "config");
    for (int32_t s = 0; s < n_slots; s++) {
        const struct sweep_slot *slot = &d->slots[s];

        if (d->replicates > 1)
            snprintf(replicate, sizeof replicate, "%d/", (int)slot->replicate);
        snprintf(name, sizeof name, "%s%d%s%.48s", replicate, (int)slot->fold,
                 slot->group ? " " : "", slot->group ? slot->group : "");
        html_table_head(&table, name, true);
    }
    for (int32_t c = 0; c < d->n_scored; c++) {
        html_row(&table, d->configs[c].id);
        for (int32_t s = 0; s < n_slots; s++)
            html_cells(&table, "%g", d->value[(size_t)s * (size_t)d->n_configs + (size_t)c]);
    }
    html_table_end(&table);
    if (n_slots < d->n_slots)
        html_element(out, "p", "%d more folds are not shown.", (int)(d->n_slots - n_slots));
}

static void put_marginals(struct buf *out, const struct sweep_data *d)
{
    struct html_table table;

    html_table_begin(&table, out, "Table: mean score for each value",
                     "axis|value|#configurations|#mean|#95 % low|#95 % high|#best");
    for (int32_t a = 0; a < d->n_axes; a++)
        for (int32_t l = 0; l < d->axes[a].n; l++) {
            const struct sweep_marginal *m = &d->marginal[a][l];

            html_row(&table, 0);
            html_cells(&table, "%s%s%d%g%g%g%g", d->axes[a].name, d->axes[a].label[l], (int)m->n,
                       m->mean, m->low, m->high, m->best);
        }
    html_table_end(&table);
}

static void put_effects(struct buf *out, const struct sweep_data *d)
{
    struct html_table table;

    html_table_begin(&table, out, "Table: share of the variance that each axis explains",
                     "axis|with|#degrees of freedom|#share, %");
    for (int32_t e = 0; e < d->effects.n; e++) {
        const struct sweep_effect *effect = &d->effects.of[e];

        html_row(&table, 0);
        html_cells(&table, "%s%s%d%g", d->axes[effect->axis].name,
                   effect->with < 0 ? "" : d->axes[effect->with].name, (int)effect->df,
                   100 * effect->share);
    }
    html_row(&table, 0);
    html_cells(&table, "%s%s%s%g", "three and more axes together", "", "",
               100 * d->effects.residual);
    html_table_end(&table);
}

static void table_axis(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;

    if (!d->search.is_grid) {
        html_element(out, "p",
                     "The share of the variance that each axis explains is unknown: %s.%s",
                     d->effects.why,
                     isnan(panel_fact(d, "length_scale", d->axes[d->axis_order[0]].name))
                         ? ""
                         : " The length scales of the search's model, in the panel of the data, "
                           "tell along which "
                           "axes scores change fast.");
        return;
    }
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
    html_row(table, 0);
    html_cells(table, "%s%s%d%g%g", d->axes[pair[0]].label[i], d->axes[pair[1]].label[j], (int)n,
               sum / n, best);
}

/* A table of more cells has rows that nobody sees, and takes long to fill. */
enum { PAIR_LEVELS = 40 };

static void table_pair(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    const struct sweep_axis *x = &d->axes[d->axis_order[0]], *y = &d->axes[d->axis_order[1]];
    struct html_table table;

    if (!d->search.is_grid)
        return;
    html_table_begin(&table, out, "Table: mean score for each pair of values", "");
    html_table_head(&table, x->name, x->is_numeric);
    html_table_head(&table, y->name, y->is_numeric);
    html_table_heads(&table, "#configurations|#mean|#best");
    for (int32_t i = 0; i < x->n && i < PAIR_LEVELS; i++)
        for (int32_t j = 0; j < y->n && j < PAIR_LEVELS; j++)
            put_cell(&table, d, d->axis_order, i, j);
    html_table_end(&table);
}

static void table_parallel(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    struct html_table table;

    begin_configs(&table, out, d, "Table: configurations and scores", "#mean");
    for (int32_t c = 0; c < d->n_scored; c++) {
        put_config(&table, d, c);
        html_cells(&table, "%g", d->configs[c].mean);
    }
    html_table_end(&table);
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

/* For model types, the names say which part of the data the values are of. */
static void head_series(struct html_table *table, const struct sweep_data *d,
                        const bool shown[SERIES])
{
    const char *names[SERIES] = {"train_loss", "val_loss", d->objective};
    char loss[64], value[96];
    int32_t n = 0; /* curves of a stop part */

    for (int32_t i = 0; i < d->n_curves; i++)
        n += d->curves[i].is_stop;
    if (d->task != TASK_NONE) {
        const char *part = n < d->n_curves ? "part that chose the epoch" : "stop part";

        snprintf(loss, sizeof loss, "loss of the %s", part);
        snprintf(value, sizeof value, "%s of the %s", d->metric, part);
        names[TRAIN_LOSS] = "training loss";
        names[VAL_LOSS] = n ? loss : "validation loss";
        names[VAL_VALUE] = n ? value : d->objective;
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
    int32_t at = 0;

    while (at < curve->n && curve->epoch[at] != curve->best)
        at++;
    html_row(table, curve->config);
    html_cells(table, "%d%d%d%d", (int)curve->replicate, (int)curve->fold, (int)curve->best,
               curve->n ? (int)curve->epoch[curve->n - 1] : 0);
    for (int32_t series = 0; series < SERIES; series++) {
        const double *values = series_of(curve, series);

        if (shown[series])
            html_cells(table, "%g", at < curve->n && values ? values[at] : (double)NAN);
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
    html_table_begin(&table, out, "Table: the epoch that each trial kept",
                     "config|#replicate|#fold|#kept epoch|#last epoch");
    head_series(&table, d, shown);
    for (int32_t i = 0; i < d->n_curves; i++)
        put_kept_epoch(&table, &d->curves[i], shown);
    html_table_end(&table);
    html_long_end(out);
}

/* An array of the values of a curve. Four digits suffice for a line. */
static void json_series(struct buf *out, const struct sweep_curve *curve, int32_t series)
{
    const double *values = series_of(curve, series);

    JSON_EACH(out, "", i, values ? curve->n : 0, "%.4g", values[i]);
}

static void json_curve(struct buf *out, const struct sweep_data *d, const struct sweep_curve *curve)
{
    int32_t i = 0;

    json_printf(out, "{'config':%lld,'trial':%lld,'replicate':%d,'fold':%d,'best':%d,'stop':%i",
                (long long)curve->config, (long long)curve->trial, (int)curve->replicate,
                (int)curve->fold, (int)curve->best, curve->is_stop);
    while (i < curve->n && curve->epoch[i] == i + 1)
        i++;
    if (i == curve->n) /* epochs 1, 2, ... n */
        json_printf(out, "'epoch':%d", (int)i);
    else
        JSON_EACH(out, "'epoch':", k, curve->n, "%d", (int)curve->epoch[k]);
    json_printf(out, "'train_loss':");
    json_series(out, curve, TRAIN_LOSS);
    json_printf(out, "'val_loss':");
    json_series(out, curve, VAL_LOSS);
    json_printf(out, "'val_value':");
    json_series(out, curve, VAL_VALUE);
    if (d->n_curve_names) {
        json_printf(out, "'more':[");
        for (int32_t k = 0; k < d->n_curve_names; k++)
            json_series(out, curve, MORE + k);
        buf_putc(out, ']');
    }
    buf_putc(out, '}');
}

static void json_curves(struct buf *out, const struct sweep_data *d)
{
    json_printf(out, "'curves':[");
    for (int32_t i = 0; i < d->n_curves; i++)
        if (json_has_config(d, d->curves[i].config))
            json_curve(out, d, &d->curves[i]);
    buf_putc(out, ']');
    JSON_EACH(out, "'curve_names':", i, d->n_curve_names, "%s", d->curve_names[i]);
    json_printf(out, "'curves_left_out':%lld", (long long)d->n_curves_left_out);
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

    html_table_begin(&table, out, "Table: cost of one trial",
                     "config|#place|#mean|#seconds|#floating-point operations|Pareto front|choice");
    for (int32_t c = 0; c < d->n_scored; c++) {
        const struct sweep_config *o = &d->configs[c];
        bool by_seconds = is_among(c, d->pareto_seconds, d->n_pareto_seconds);
        bool by_flops = is_among(c, d->pareto_flops, d->n_pareto_flops);
        bool is_best = o->id == d->best, is_one_se = o->id == d->one_se;

        html_row(&table, o->id);
        html_cells(&table, "%d%g%g%g", (int)o->place, o->mean, o->seconds, o->flops);
        html_cells(&table, "%s%s",
                   by_seconds && by_flops ? "seconds, flop"
                   : by_seconds           ? "seconds"
                   : by_flops             ? "flop"
                                          : "",
                   is_best && is_one_se ? "best, 1se"
                   : is_best            ? "best"
                   : is_one_se          ? "1se"
                                        : "");
    }
    html_table_end(&table);
}

static void table_types(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    struct html_table table;

    html_table_begin(&table, out, "Table: the best configuration of each model type",
                     "best config|model type|#configurations|#place|#trials|#mean|#difference|#95 "
                     "% low|#95 % high");
    for (int32_t t = 0; t < d->n_types; t++) {
        int32_t n, c = first_of_type(&n, d, t);
        const struct sweep_config *o = &d->configs[c < 0 ? 0 : c];

        if (c < 0)
            continue;
        html_row(&table, o->id);
        html_cells(&table, "%s%d%d%d%g%g%g%g", d->types[t], (int)n, (int)o->place, (int)o->n,
                   o->mean, o->diff, o->low, o->high);
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
};

const struct panel panel_folds = {
    .id = "folds",
    .heading = "Configurations by fold",
    .what = "The score of each configuration in each fold. A fold in which all scores are poor is "
            "a hard one.",
    .what_of_program = "The objective of each configuration in each fold and replicate.",
    .why = why_unscored,
    .table = table_folds,
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
    .what_of_points =
        "The score of each configuration against its value on each axis. Those that the search "
        "stopped "
        "have the score of their rung, which does not compare with those of other colours.",
    .why = why_no_axis,
    .table = table_axis,
};

const struct panel panel_pair = {
    .id = "pair",
    .heading = "Two axes",
    .what = "The mean score of the complete configurations with each pair of values of two axes, "
            "over all other axes. If the best pair lies on the edge of the grid, a better one may "
            "lie beyond.",
    .what_of_points =
        "Each dot is a configuration at its values on two axes, coloured by its score. Hollow ones "
        "were stopped by the search, and have the score of their rung.",
    .why = why_no_pair,
    .table = table_pair,
};

const struct panel panel_parallel = {
    .id = "parallel",
    .heading = "All axes",
    .what = "Each line is a configuration that passes through its value on every axis and ends at "
            "its score.",
    .why = why_no_pair,
    .table = table_parallel,
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
    .json = json_curves,
};

const struct panel panel_cost = {
    .id = "cost",
    .heading = "Cost",
    .what = "Score against the cost of one trial. No configuration is both better and cheaper than "
            "one on the Pareto front.",
    .why = why_unscored,
    .table = table_cost,
};

const struct panel panel_types = {
    .id = "types",
    .heading = "Model types",
    .what = "The best configuration of each model type. A line joins the scores in the same fold: "
            "if almost all lines fall, the second type is worse in almost every fold.",
    .why = why_one_type,
    .table = table_types,
};
