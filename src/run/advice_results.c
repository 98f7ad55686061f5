/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts of the results, from the database. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "gcn/metric.h"
#include "run/advice.h"
#include "trial/model_type.h"

void advice_put_losses(struct buf *out, const struct advice_losses *losses, const char *objective)
{
    int64_t ended = losses->failed + losses->diverged + losses->undefined;
    const char *gap = "";

    if (!ended)
        return;
    if (losses->diverged == ended && !losses->left) {
        buf_printf(out,
                   "all %lld trials diverged (the loss was no longer finite): try a smaller "
                   "learning rate",
                   (long long)ended);
        return;
    }
    buf_printf(out, "no trial has a score%s: of %lld trials ", losses->left ? " yet" : "",
               (long long)(ended + losses->left));
    if (losses->failed)
        buf_printf(out, "%lld failed", (long long)losses->failed);
    gap = losses->failed ? ", " : "";
    if (losses->diverged)
        buf_printf(out, "%s%lld diverged (the loss was no longer finite)", gap,
                   (long long)losses->diverged);
    gap = losses->failed + losses->diverged ? ", " : "";
    if (losses->undefined)
        buf_printf(out, "%s%lld ended without a value of %s", gap, (long long)losses->undefined,
                   objective);
    if (losses->left)
        buf_printf(out, ", %lld %s left", (long long)losses->left,
                   losses->left == 1 ? "is" : "are");
}

/* NaN: no such column. */
static double number(const struct result_table *table, const char *column)
{
    return result_table_find(table, 0, column) ? result_table_real(table, 0, column) : (double)NAN;
}

static long long count(const struct result_table *table, const char *column)
{
    return table->n_rows ? (long long)result_table_integer(table, 0, column) : 0;
}

/* ---- all scores ---- */

int advice_scores(struct errlist *out, struct store *store, const struct query_sweep *sweep,
                  struct err *err)
{
    const char *objective = sweep->objective;
    int metric = metric_parse(objective + (strncmp(objective, "val_", 4) ? 0 : 4));
    struct result_table now;

    if (query_table(&now, store, QUERY_PROGRESS, sweep->sweep_id, err))
        return -1;
    advise(out, RULE_UNDEFINED, (double)count(&now, "undefined"),
           "%s" AND "%lld" AND "%lld" AND "%s", objective, count(&now, "undefined"),
           count(&now, "done"),
           metric < 0 ? "it is undefined for their parts" : metric_rows[metric].lack);
    result_table_release(&now);
    return 0;
}

/* ---- the edges of axes ---- */

/* With two values, the chosen one is always at an edge. */
#define LEAST_LEVELS 3
enum { N_EXAMPLES = 2, NUMBER_TEXT = 32 };

/* True if equal ratios describe the levels better than equal steps. */
static bool is_geometric(const struct advice_axis *axis)
{
    double ratio[2] = {INFINITY, 0}, step[2] = {INFINITY, 0};

    if (axis->levels[0] <= 0)
        return false;
    for (int32_t i = 1; i < axis->n; i++) {
        double a = axis->levels[i - 1], b = axis->levels[i];

        ratio[0] = fmin(ratio[0], log(b / a));
        ratio[1] = fmax(ratio[1], log(b / a));
        step[0] = fmin(step[0], b - a);
        step[1] = fmax(step[1], b - a);
    }
    return ratio[1] / ratio[0] < step[1] / step[0];
}

static void put_number(char text[NUMBER_TEXT], double number, bool is_whole)
{
    struct buf shortest = {0};

    snprintf(text, NUMBER_TEXT, is_whole ? "%.0f" : "%.2g", number);
    real_format(&shortest, strtod(text, NULL));
    snprintf(text, NUMBER_TEXT, "%s", buf_text(&shortest));
    buf_release(&shortest);
}

/* Counts and amounts of a free name stay counts and amounts, and shares stay below 1. */
static struct param bounds_of(const struct advice_axis *axis)
{
    bool is_whole = true, is_positive = axis->levels[0] > 0, is_share;

    for (int32_t i = 0; i < axis->n; i++)
        is_whole &= axis->levels[i] == floor(axis->levels[i]);
    is_share =
        !is_whole && axis->levels[0] >= 0 && axis->levels[axis->n - 1] < 1 && !is_geometric(axis);
    if (axis->id < P_COUNT)
        return param_table[axis->id];
    return (struct param){.type = is_whole ? PARAM_INT : PARAM_REAL,
                          .min = axis->levels[0] < 0 ? -(double)INFINITY : 0,
                          .max = is_share ? 1 : (double)INFINITY,
                          .flags = (is_positive ? PARAM_OPEN_MIN : 0) | PARAM_OPEN_MAX};
}

/* Write `next`, which continues the axis beyond `edge`, or the value halfway to the limit. False:
 * none is allowed. */
static bool put_beyond(char text[NUMBER_TEXT], const struct advice_axis *axis, double edge,
                       double next)
{
    const struct param p = bounds_of(axis);
    double limit = next < edge ? p.min : p.max, value;
    bool is_open = p.flags & (next < edge ? PARAM_OPEN_MIN : PARAM_OPEN_MAX);
    double slack = 1e-9 * fabs(edge); /* 0.95 + 0.05 may be less than 1 */

    if (next <= p.min + slack || next >= p.max - slack)
        next = (edge + limit) / 2;
    put_number(text, next, p.type != PARAM_REAL);
    /* A limit of 0 often means `never` or `off`, which is not a smaller value. */
    if (strtod(text, NULL) == edge && !is_open && limit != 0)
        put_number(text, limit, p.type != PARAM_REAL);
    value = strtod(text, NULL);
    return value != edge && (value != 0 || p.min < 0) &&
           (p.flags & PARAM_OPEN_MIN ? value > p.min : value >= p.min) &&
           (p.flags & PARAM_OPEN_MAX ? value < p.max : value <= p.max);
}

/* "0.3 and 1" and "0.3,1"; false: nothing to try. */
static bool put_examples(struct buf *words, struct buf *list, const struct advice_axis *axis,
                         double edge, double inner)
{
    bool is_log = is_geometric(axis);
    char text[NUMBER_TEXT];
    int n = 0;

    for (double last = edge, before = inner; n < N_EXAMPLES; n++) {
        double next = is_log ? last * last / before : last + (last - before);

        if (!put_beyond(text, axis, last, next))
            break;
        buf_printf(words, "%s%s", n ? " and " : "", text);
        buf_printf(list, "%s%s", n ? "," : "", text);
        before = last;
        last = strtod(text, NULL);
    }
    return n > 0;
}

static bool is_same(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

void advice_axis(struct errlist *out, const struct advice_axis *axis, int64_t config)
{
    int32_t last = axis->n - 1, n_values = axis->n + axis->has_full;
    struct buf words = {0}, list = {0};
    bool is_least, is_most, has_more;

    if (n_values < LEAST_LEVELS || axis->n < 2)
        return;
    is_least = is_same(axis->chosen, axis->levels[0]);
    is_most = !axis->has_full && is_same(axis->chosen, axis->levels[last]);
    has_more = (is_least || is_most) &&
               put_examples(&words, &list, axis, axis->levels[is_least ? 0 : last],
                            axis->levels[is_least ? 1 : last - 1]);
    advise(out, RULE_EDGE, has_more,
           "%s" AND "%lld" AND "%.6g" AND "%s" AND "%d" AND "%s" AND "%s" AND "%s", axis->name,
           (long long)config, axis->chosen, is_least ? "smallest" : "largest", n_values,
           buf_text(&words), axis->name, buf_text(&list));
    buf_release(&words);
    buf_release(&list);
}

/* Settings of the split have no best value. */
static bool is_tuned(int id)
{
    const struct param *p = param_row((enum param_id)id);

    return (p->flags & PARAM_IDENTITY) && strcmp(p->section, "split") != 0 &&
           (p->type == PARAM_INT || p->type == PARAM_REAL || p->type == PARAM_COUNT ||
            p->type == PARAM_VALUE);
}

/* Levels: rows from `first` to before `end`. */
static int advise_axis(struct errlist *out, const struct result_table *levels, int64_t first,
                       int64_t end, const struct result_table *chosen, struct err *err)
{
    const char *name = result_table_text(levels, first, "axis");
    struct advice_axis axis = {
        .name = name, .id = (int)param_find(NULL, name), .chosen = number(chosen, name)};
    double *values;

    if (!is_tuned(axis.id) || isnan(axis.chosen))
        return 0;
    values = malloc((size_t)(end - first) * sizeof *values);
    if (!values)
        return err_nomem(err, "levels", (size_t)(end - first) * sizeof *values);
    for (int64_t row = first; row < end; row++) {
        double value = result_table_real(levels, row, "value");

        axis.has_full |= result_table_find(levels, row, "value")->type == CELL_TEXT;
        if (!isnan(value))
            values[axis.n++] = value;
    }
    axis.levels = values;
    advice_axis(out, &axis, result_table_integer(chosen, 0, "config"));
    free(values);
    return 0;
}

/* A value beyond the edge promises nothing if another one is as good, but for chance. */
static int advise_axes(struct errlist *out, struct store *store, const struct query_sweep *sweep,
                       const struct result_table *chosen, struct err *err)
{
    struct result_table levels = {0}, tied = {0};
    int64_t end;
    int rc;

    rc = query_table(&levels, store, QUERY_LEVELS, sweep->sweep_id, err) ||
                 query_table(&tied, store, QUERY_TIED_AXES,
                             result_table_integer(chosen, 0, "config"), err)
             ? -1
             : 0;
    for (int64_t first = 0; !rc && first < levels.n_rows; first = end) {
        const char *axis = result_table_text(&levels, first, "axis");
        bool is_tied = false;

        for (end = first + 1; end < levels.n_rows; end++)
            if (strcmp(result_table_text(&levels, end, "axis"), axis) != 0)
                break;
        for (int64_t r = 0; r < tied.n_rows; r++)
            is_tied |= !strcmp(result_table_text(&tied, r, "axis"), axis);
        if (!is_tied)
            rc = advise_axis(out, &levels, first, end, chosen, err);
    }
    result_table_release(&levels);
    result_table_release(&tied);
    return rc;
}

/* ---- the choice ---- */

/* The best of the baseline's type, if the sweep compares types. */
static int advise_baseline(struct errlist *out, struct store *store,
                           const struct query_sweep *sweep, const struct result_table *best,
                           struct err *err)
{
    char where[64] = "";
    struct query_filter filter = {.where = where, .limit = 1};
    long long config = count(best, "config");
    struct result_table row;

    for (int64_t i = 0; model_type(i); i++)
        if (model_type(i)->is_baseline)
            snprintf(where, sizeof where, "type = '%s'", model_type(i)->name);
    if (!result_table_find(best, 0, "type"))
        return 0;
    if (query_leaderboard(&row, NULL, store, sweep, &filter, err))
        return -1;
    if (row.n_rows && !isnan(number(&row, "mean"))) {
        bool is_best = count(&row, "config") == config;

        advise(out, RULE_ONLY_FIXED, is_best, "%lld", config);
        advise(out, RULE_LIKE_FIXED,
               !is_best && number(&row, "diff_low") <= 0 && number(&row, "diff_high") >= 0,
               "%lld" AND "%lld", config, count(&row, "config"));
    }
    result_table_release(&row);
    return 0;
}

/* A configuration with fewer trials ranks below the complete ones, whatever its mean. */
static int advise_hidden(struct errlist *out, struct store *store, const struct query_sweep *sweep,
                         struct err *err)
{
    struct result_table row;
    char how[80] = "the others have no score";

    if (query_table(&row, store, QUERY_HIDDEN, sweep->sweep_id, err))
        return -1;
    if (count(&row, "own") < count(&row, "replicates"))
        snprintf(how, sizeof how, "run with --set replicates=%lld completes it",
                 count(&row, "replicates"));
    else if (count(&row, "failed"))
        snprintf(how, sizeof how, "run with --retry failed runs the others again");
    if (row.n_rows)
        advise(out, RULE_HIDDEN, 1, "%lld" AND "%.5g" AND "%lld" AND "%lld" AND "%s",
               count(&row, "config"), result_table_real(&row, 0, "mean"), count(&row, "trials"),
               count(&row, "most"), how);
    result_table_release(&row);
    return 0;
}

/* How far scores can be trusted. */
static int advise_chance(struct errlist *out, struct store *store, const struct query_sweep *sweep,
                         const struct advice_choice *choice, struct err *err)
{
    const struct query_alike *alike = choice->alike;
    long long n = (long long)alike->n_alike, others = (long long)alike->n_compared;
    long long trials = count(choice->row, "trials");
    const char *seed = sweep->is_program ? " (the program must use {seed} or ESPALIER_SEED)" : "";
    struct result_table copies;
    bool are_copies;

    if (query_table(&copies, store, QUERY_COPIES, sweep->sweep_id, err))
        return -1;
    are_copies = copies.n_rows > 0;
    result_table_release(&copies);
    advise(out, RULE_COPIES, are_copies, "%s", "");
    if (are_copies)
        return 0;
    advise(out, RULE_ONE_TRIAL, trials == 1 && alike->n_scored == 1, "%s", seed);
    advise(out, RULE_TWO_TRIALS, trials == 2, "%s", seed);
    advise(out, RULE_ONE_TRIAL_EACH, alike->n_scored > 1 && !others, "%s", seed);
    if (others == 1 && !choice->is_restricted)
        advise(out, RULE_ALIKE, (double)n, "%s", "the configuration after the best one");
    else
        advise(out, RULE_ALIKE, (double)n, "%lld of the %lld configurations %s", n, others,
               choice->is_restricted ? "that --where compares with the best one of the sweep"
                                     : "after the best one");
    return 0;
}

static void advise_losses(struct errlist *out, const struct query_sweep *sweep,
                          const struct advice_choice *choice, const struct result_table *now)
{
    struct advice_losses losses = {count(now, "failed"), count(now, "diverged"),
                                   count(now, "undefined"), count(now, "unfinished")};
    struct buf text = {0};

    if (isnan(number(choice->row, "mean")) && !choice->is_restricted) {
        advice_put_losses(&text, &losses, sweep->objective);
        advise(out, RULE_NO_SCORE, (double)text.size, "%s", buf_text(&text));
    } else {
        if (losses.failed)
            buf_printf(&text, "%lld of %lld trials failed", (long long)losses.failed,
                       count(now, "trials"));
        if (losses.diverged)
            buf_printf(&text, losses.failed ? " and %lld diverged" : "%lld of %lld trials diverged",
                       (long long)losses.diverged, count(now, "trials"));
        advise(out, RULE_LOST, (double)text.size, "%s", buf_text(&text));
    }
    buf_release(&text);
}

int advice_choice(struct errlist *out, struct store *store, const struct query_sweep *sweep,
                  const struct advice_choice *choice, struct err *err)
{
    const struct result_table *row = choice->row;
    const char *objective = sweep->objective;
    struct result_table now;
    long long left, missing;
    double r2;

    if (!row->n_rows)
        return 0;
    if (query_table(&now, store, QUERY_PROGRESS, sweep->sweep_id, err))
        return -1;
    left = count(&now, "unfinished");
    missing = count(&now, "missing");
    if (choice->shows_test)
        advise(out, RULE_EARLY_TEST, (double)(left + missing), "%lld" AND "%lld", left + missing,
               count(&now, "trials") + missing);
    advise_losses(out, sweep, choice, &now);
    result_table_release(&now);
    if (left || isnan(number(row, "mean")))
        return 0;
    r2 = number(row, strcmp(objective, "val_r2") ? "val_r2" : "mean");
    advise(out, RULE_R2, r2, "%lld" AND "%.3g" AND "%s", count(row, "config"), r2,
           !strcmp(objective, "val_pearson") || !strcmp(objective, "val_spearman")
               ? "a correlation ignores the scale of the predictions; set [sweep] objective = "
                 "val_r2 to rank by R2"
               : "check the target and its ids, or add regularisation to the grid");
    if (!choice->is_restricted &&
        (advise_baseline(out, store, sweep, row, err) || advise_hidden(out, store, sweep, err) ||
         advise_axes(out, store, sweep, row, err)))
        return -1;
    return advise_chance(out, store, sweep, choice, err);
}
