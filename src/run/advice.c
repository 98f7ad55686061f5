/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/advice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/real.h"
#include "gcn/metric.h"
#include "grid/param.h"
#include "grid/sweep_file.h"
#include "store/query/query.h"
#include "trial/model_type.h"

/* The correlation of two samples is 1 or -1. */
#define LEAST_CORRELATED 3
/* With two values, the chosen one is always at an edge. */
#define LEAST_LEVELS 3
enum { N_EXAMPLES = 2, NUMBER_TEXT = 32 };

/* ---- the parts ---- */

/* With fewer folds, each model would train on half of the samples. */
#define LEAST_FOLDS 3
/* The largest sensible share of a stop or test part. */
#define MOST_SHARE 0.3

int32_t advice_most_val(int32_t n)
{
    return n / LEAST_FOLDS;
}

int32_t advice_most_stop(int32_t n)
{
    return (int32_t)(MOST_SHARE * n);
}

void advice_count_part(struct advice_parts *parts, int32_t n_samples, int32_t most)
{
    if (n_samples == 0)
        return;
    if (!parts->n || n_samples < parts->least)
        parts->least = n_samples;
    parts->n++;
    parts->n_small += n_samples < ADVICE_FEW && most >= ADVICE_FEW;
    parts->n_tiny += n_samples < LEAST_CORRELATED;
}

static void put_parts(struct errlist *out, const struct advice_parts *parts, const char *name,
                      bool is_tiny, const char *consequence)
{
    int32_t n = is_tiny ? parts->n_tiny : parts->n_small;
    int few = is_tiny ? LEAST_CORRELATED : ADVICE_FEW;

    if (parts->n == 1)
        errlist_add(out, "the %s part has fewer than %d samples (%d): %s", name, few, parts->least,
                    consequence);
    else
        errlist_add(out, "%d of %d %s parts have fewer than %d samples (the smallest has %d): %s",
                    n, parts->n, name, few, parts->least, consequence);
}

void advice_small_parts(struct errlist *out, const struct advice_parts *val,
                        const struct advice_parts *stop, const struct advice_objective *objective)
{
    const char *larger =
        objective->has_folds ? "fewer folds or a coarser [split] group" : "a larger [split] val";
    bool is_tiny = objective->is_correlation && val->n_tiny;
    char text[256];

    if (is_tiny)
        snprintf(text, sizeof text,
                 "%s means nothing for so few samples; use %s, or objective = val_rmse",
                 objective->name, larger);
    else
        snprintf(text, sizeof text, "the score depends much on chance; use %s", larger);
    if (is_tiny || val->n_small)
        put_parts(out, val, "validation", is_tiny, text);
    is_tiny = objective->is_correlation && stop->n_tiny;
    if (is_tiny)
        snprintf(text, sizeof text,
                 "%s of so few samples chooses the epoch at random; use a larger [split] stop",
                 objective->name);
    else
        snprintf(text, sizeof text,
                 "the choice of the epoch depends much on chance; use a larger [split] stop");
    if (is_tiny || stop->n_small)
        put_parts(out, stop, "stop", is_tiny, text);
}

static void put_least(struct errlist *out, int32_t n, int32_t most, const char *name,
                      const char *consequence)
{
    if (n > 0 && n < ADVICE_FEW && most >= ADVICE_FEW)
        errlist_add(out, "the smallest %s part has %d samples, fewer than %d: %s", name, n,
                    ADVICE_FEW, consequence);
}

void advice_least_parts(struct errlist *out, const struct advice_least *least)
{
    int32_t n_training = least->train + least->stop, n_dealt = n_training + least->val;

    put_least(out, least->val, advice_most_val(n_dealt), "validation",
              "its score depends much on chance");
    put_least(out, least->stop, advice_most_stop(n_training), "stop",
              "the choice of the epoch depends much on chance");
    put_least(out, least->test, advice_most_stop(n_dealt + least->test), "test",
              "the test scores depend much on chance");
}

void advice_mixed_types(struct errlist *out)
{
    errlist_add(out, "the validation part chooses the epoch of gcn and mlp and also scores them, "
                     "which favours them over ridge: set [split] stop = 0.1 for a fair comparison");
}

void advice_repeated(struct errlist *out, bool has_ridge)
{
    errlist_add(out,
                "all replicates are validated on the same samples: se, * and the intervals measure "
                "the variation between trained models, not between samples%s",
                has_ridge ? " (ridge draws no random numbers, so its replicates are equal)" : "");
}

void advice_baseline(struct errlist *out, int64_t best, int64_t baseline, double low, double high)
{
    if (best == baseline)
        errlist_add(out,
                    "c%lld, the fixed effects alone, is the best: the features add nothing to its "
                    "predictions",
                    (long long)best);
    else if (low <= 0 && high >= 0)
        errlist_add(out,
                    "c%lld does not beat c%lld, the fixed effects alone (the 95 %% interval of the "
                    "paired difference contains 0): nothing shows that the features add to them",
                    (long long)best, (long long)baseline);
}

void advice_no_baseline(struct errlist *out, const char *type)
{
    errlist_add(out,
                "no configuration has the fixed effects alone: add %s to [grid] type, the baseline "
                "that shows what the features add",
                type);
}

/* ---- the edges of axes ---- */

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

static bool has_whole_levels(const struct advice_axis *axis)
{
    bool is = true;

    for (int32_t i = 0; i < axis->n; i++)
        is &= axis->levels[i] == floor(axis->levels[i]);
    return is;
}

/* Counts and amounts of a free name stay counts and amounts, and shares stay below 1. */
static struct param bounds_of(const struct advice_axis *axis)
{
    bool is_whole = has_whole_levels(axis), is_positive = axis->levels[0] > 0;
    bool is_share =
        !is_whole && axis->levels[0] >= 0 && axis->levels[axis->n - 1] < 1 && !is_geometric(axis);

    if (axis->id < P_COUNT)
        return param_table[axis->id];
    return (struct param){.type = is_whole ? PARAM_INT : PARAM_REAL,
                          .min = axis->levels[0] < 0 ? -(double)INFINITY : 0,
                          .max = is_share ? 1 : (double)INFINITY,
                          .flags = (is_positive ? PARAM_OPEN_MIN : 0) | PARAM_OPEN_MAX};
}

static bool is_within(double value, const struct param *p)
{
    return (p->flags & PARAM_OPEN_MIN ? value > p->min : value >= p->min) &&
           (p->flags & PARAM_OPEN_MAX ? value < p->max : value <= p->max);
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
    return value != edge && (value != 0 || p.min < 0) && is_within(value, &p);
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
    bool is_least, is_most;
    struct buf value = {0}, words = {0}, list = {0};
    const char *key = axis->name;

    if (n_values < LEAST_LEVELS || axis->n < 2)
        return;
    is_least = is_same(axis->chosen, axis->levels[0]);
    is_most = !axis->has_full && is_same(axis->chosen, axis->levels[last]);
    if ((is_least || is_most) &&
        put_examples(&words, &list, axis, axis->levels[is_least ? 0 : last],
                     axis->levels[is_least ? 1 : last - 1])) {
        buf_printf(&value, "%.6g", axis->chosen);
        errlist_add(out,
                    "%s: c%lld has %s, the %s of %d values, so a better one may lie beyond: try %s "
                    "(--set grid.%s=%s adds them to the sweep)",
                    key, (long long)config, buf_text(&value), is_least ? "smallest" : "largest",
                    n_values, buf_text(&words), key, buf_text(&list));
    }
    buf_release(&value);
    buf_release(&words);
    buf_release(&list);
}

/* ---- the scores ---- */

static bool is_correlation(const char *objective)
{
    return !strcmp(objective, "val_pearson") || !strcmp(objective, "val_spearman");
}

void advice_r2(struct errlist *out, int64_t config, double r2, const char *objective,
               bool has_groups)
{
    if (!(r2 < 0))
        return;
    errlist_add(out,
                "c%lld has a mean validation R2 of %.3g: it predicts worse than the mean of the "
                "target; %s%s",
                (long long)config, r2,
                is_correlation(objective)
                    ? "a correlation ignores the scale of the predictions; set [sweep] objective = "
                      "val_r2 to rank by R2"
                    : "check the target and its ids, or add regularisation to the grid",
                has_groups ? "; [split] group leaves whole groups out, which is harder than random "
                             "folds: delete it if new samples will come from known groups"
                           : "");
}

void advice_undefined(struct errlist *out, const char *objective, int64_t n, int64_t n_done)
{
    int metric = metric_parse(objective + (strncmp(objective, "val_", 4) ? 0 : 4));

    if (n)
        errlist_add(out, "no %s in %lld of %lld trials, which do not count: %s", objective,
                    (long long)n, (long long)n_done,
                    metric < 0 ? "it is undefined for their parts"
                               : metric_lack((enum metric)metric));
}

void advice_copies(struct errlist *out)
{
    errlist_add(out,
                "all trials of each configuration have the same score, so the program does not "
                "seem to use the fold or the seed: se and the intervals show nothing, and "
                "further replicates would be copies; let the program use {seed} or {fold} "
                "(ESPALIER_SEED, ESPALIER_FOLD)");
}

static const char *seed_words(bool lacks_seed)
{
    return lacks_seed ? "; first let the program use {seed} or ESPALIER_SEED, else they are copies"
                      : "";
}

void advice_alike(struct errlist *out, const struct query_alike *alike, bool is_restricted,
                  bool lacks_seed)
{
    char which[120];

    if (alike->n_scored > 1 && alike->n_compared == 0)
        errlist_add(out,
                    "with one trial for each configuration, no difference can be told from chance: "
                    "--set replicates=5 adds replicates, which give intervals%s",
                    seed_words(lacks_seed));
    if (!alike->n_alike)
        return;
    if (is_restricted)
        snprintf(which, sizeof which,
                 "%lld of the %lld configurations that --where compares with the best one of the "
                 "sweep",
                 (long long)alike->n_alike, (long long)alike->n_compared);
    else
        snprintf(which, sizeof which, "%lld of the %lld configurations after the best one",
                 (long long)alike->n_alike, (long long)alike->n_compared);
    errlist_add(out,
                "%s cannot be told apart from it (the 95 %% interval of the difference "
                "contains 0): more replicates or folds narrow the intervals, and 'best --rule 1se' "
                "chooses the cheapest configuration that is nearly as good",
                alike->n_compared == 1 && !is_restricted ? "the configuration after the best one"
                                                         : which);
}

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

/* Two trials give one degree of freedom: Student's t is then 12.7. advice_alike() is about one trial
 * of each of several configurations. */
void advice_few_trials(struct errlist *out, int64_t n_trials, bool is_alone, bool lacks_seed)
{
    if (n_trials == 1 && is_alone)
        errlist_add(out,
                    "the score of a single trial has no interval, so nobody knows how much "
                    "of it is chance: --set replicates=5 adds replicates%s",
                    seed_words(lacks_seed));
    if (n_trials == 2)
        errlist_add(out,
                    "two trials for each configuration give intervals so wide that they show "
                    "almost nothing (one degree of freedom): use at least 5 folds, or add "
                    "replicates with --set replicates=5%s",
                    seed_words(lacks_seed));
}

void advice_early_test(struct errlist *out, int64_t n_left, int64_t n_trials)
{
    if (n_left)
        errlist_add(out,
                    "these test scores are too early: %lld of %lld trials are left, so the rule "
                    "may still choose another configuration; test scores that were seen before "
                    "the choice was final are no longer an independent estimate",
                    (long long)n_left, (long long)n_trials);
}

/* ---- what the database shows ---- */

/* NaN: no such column. */
static double number(const struct result_table *table, const char *column)
{
    return result_table_find(table, 0, column) ? result_table_real(table, 0, column) : (double)NAN;
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
static int find_axis(struct errlist *out, const struct result_table *levels, int64_t first,
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

static bool has_text(const struct result_table *table, const char *column, const char *text)
{
    bool has = false;

    for (int64_t r = 0; !has && r < table->n_rows; r++)
        has = !strcmp(result_table_text(table, r, column), text);
    return has;
}

/* A value beyond the edge promises nothing if another one is as good, but for chance. */
static int find_axes(struct errlist *out, struct store *store, const struct query_sweep *sweep,
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

        for (end = first + 1; end < levels.n_rows; end++)
            if (strcmp(result_table_text(&levels, end, "axis"), axis) != 0)
                break;
        if (!has_text(&tied, "axis", axis))
            rc = find_axis(out, &levels, first, end, chosen, err);
    }
    result_table_release(&levels);
    result_table_release(&tied);
    return rc;
}

/* Return 1 if trials are missing, which may change the leaderboard, else 0. -1 and err. */
static int find_unfinished(struct errlist *out, struct store *store,
                           const struct query_sweep *sweep, bool shows_test, struct err *err)
{
    struct result_table now;
    int64_t left, missing;
    int is_begun = 0;

    if (query_table(&now, store, QUERY_PROGRESS, sweep->sweep_id, err))
        return -1;
    if (now.n_rows) {
        advice_undefined(out, sweep->objective, result_table_integer(&now, 0, "undefined"),
                         result_table_integer(&now, 0, "done"));
        left = result_table_integer(&now, 0, "unfinished");
        missing = result_table_integer(&now, 0, "missing");
        if (shows_test)
            advice_early_test(out, left + missing,
                              result_table_integer(&now, 0, "trials") + missing);
        is_begun = left > 0;
    }
    result_table_release(&now);
    return is_begun;
}

/* The settings of a configuration as they are stored. Pair with sweep_release(). */
static int read_settings(struct sweep *sweep, struct store *store, int64_t config)
{
    struct errlist faults = {0};
    struct buf ini = {0};
    struct err err;
    int rc = query_ini(&ini, store, config, &err) || buf_failed(&ini) ||
                     sweep_parse_stored(sweep, store_path(store), buf_text(&ini), &faults)
                 ? -1
                 : 0;

    errlist_release(&faults);
    buf_release(&ini);
    return rc;
}

static bool has_groups(struct store *store, int64_t config)
{
    struct sweep sweep = {0};
    bool has = !read_settings(&sweep, store, config) && *sweep.fixed.v[P_GROUP].s;

    sweep_release(&sweep);
    return has;
}

/* False for a program that gets all values in its environment, which may use it. */
static bool lacks_seed(struct store *store, int64_t config)
{
    struct sweep sweep = {0};
    const union value *v = sweep.fixed.v;
    bool lacks = !read_settings(&sweep, store, config) &&
                 v[P_VALUES].i != param_choice(P_VALUES, "environment") &&
                 !strstr(v[P_COMMAND].s, "{seed}") && !strstr(v[P_ENV].s, "{seed}") &&
                 !strstr(v[P_COMMAND].s, "{replicate}") && !strstr(v[P_ENV].s, "{replicate}");

    sweep_release(&sweep);
    return lacks;
}

static void find_r2(struct errlist *out, struct store *store, const struct query_sweep *sweep,
                    const struct result_table *row)
{
    int64_t config = result_table_integer(row, 0, "config");
    double r2 = number(row, strcmp(sweep->objective, "val_r2") ? "val_r2" : "mean");

    advice_r2(out, config, r2, sweep->objective, r2 < 0 && has_groups(store, config));
}

/* Return 1 if the query has a row for the sweep, else 0. -1 and err. */
static int has_row(struct store *store, const struct query_sweep *sweep, enum query query,
                   struct err *err)
{
    struct result_table rows;
    int has;

    if (query_table(&rows, store, query, sweep->sweep_id, err))
        return -1;
    has = rows.n_rows > 0;
    result_table_release(&rows);
    return has;
}

/* How far scores can be trusted. */
static int find_chance(struct errlist *out, struct store *store, const struct query_sweep *sweep,
                       const struct advice_choice *choice, struct err *err)
{
    const struct result_table *row = choice->row;
    int are_copies = has_row(store, sweep, QUERY_COPIES, err);
    bool lacks;

    if (are_copies < 0)
        return -1;
    if (are_copies) {
        advice_copies(out);
        return 0;
    }
    lacks = sweep->is_program && lacks_seed(store, result_table_integer(row, 0, "config"));
    advice_few_trials(out, result_table_integer(row, 0, "trials"), choice->alike->n_scored == 1,
                      lacks);
    advice_alike(out, choice->alike, choice->is_restricted, lacks);
    return 0;
}

/* A configuration with fewer trials ranks below the complete ones, whatever its mean. */
static int find_hidden(struct errlist *out, struct store *store, const struct query_sweep *sweep,
                       struct err *err)
{
    struct result_table row;
    char how[96] = "";

    if (query_table(&row, store, QUERY_HIDDEN, sweep->sweep_id, err))
        return -1;
    if (row.n_rows) {
        long long replicates = (long long)result_table_integer(&row, 0, "replicates");

        if (result_table_integer(&row, 0, "own") < replicates)
            snprintf(how, sizeof how, ": run with --set replicates=%lld completes it", replicates);
        else if (result_table_integer(&row, 0, "failed"))
            snprintf(how, sizeof how, ": run with --retry failed runs the others again");
        errlist_add(out, "c%lld has a better mean (%.5g), but only %lld of %lld trials%s",
                    (long long)result_table_integer(&row, 0, "config"),
                    result_table_real(&row, 0, "mean"),
                    (long long)result_table_integer(&row, 0, "trials"),
                    (long long)result_table_integer(&row, 0, "most"), how);
    }
    result_table_release(&row);
    return 0;
}

/* The best of the baseline's type, if the sweep compares types. */
static int find_baseline(struct errlist *out, struct store *store, const struct query_sweep *sweep,
                         const struct result_table *best, struct err *err)
{
    char where[64] = "";
    struct query_filter filter = {.where = where, .limit = 1};
    struct result_table row;

    for (int64_t i = 0; model_type(i); i++)
        if (model_type(i)->is_baseline)
            snprintf(where, sizeof where, "type = '%s'", model_type(i)->name);
    if (!result_table_find(best, 0, "type"))
        return 0;
    if (query_leaderboard(&row, NULL, store, sweep, &filter, err))
        return -1;
    if (row.n_rows && !isnan(number(&row, "mean")))
        advice_baseline(out, result_table_integer(best, 0, "config"),
                        result_table_integer(&row, 0, "config"), number(&row, "diff_low"),
                        number(&row, "diff_high"));
    result_table_release(&row);
    return 0;
}

int advice_find(struct errlist *out, struct store *store, const struct query_sweep *sweep,
                const struct advice_choice *choice, struct err *err)
{
    const struct result_table *row = choice->row;
    int is_begun = find_unfinished(out, store, sweep, choice->shows_test, err);

    if (is_begun < 0)
        return -1;
    if (is_begun || !row->n_rows || isnan(number(row, "mean")))
        return 0;
    find_r2(out, store, sweep, row);
    if (!choice->is_restricted && find_baseline(out, store, sweep, row, err))
        return -1;
    if (!choice->is_restricted && find_hidden(out, store, sweep, err))
        return -1;
    if (!choice->is_restricted && find_axes(out, store, sweep, row, err))
        return -1;
    return find_chance(out, store, sweep, choice, err);
}

/* The facts are those of the first replicate. */
static int find_least_parts(struct errlist *out, struct store *store,
                            const struct query_sweep *sweep, bool shows_test, struct err *err)
{
    static const char *const names[] = {"train_min", "val_min", "stop_min", "test_min"};
    struct advice_least least = {0};
    int32_t *const sizes[] = {&least.train, &least.val, &least.stop, &least.test};
    struct result_table facts;

    if (query_table(&facts, store, QUERY_DATA_FACTS, sweep->sweep_id, err))
        return -1;
    for (int64_t r = 0; r < facts.n_rows; r++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            double n = result_table_real(&facts, r, "value");

            if (!strcmp(result_table_text(&facts, r, "topic"), "part") &&
                !strcmp(result_table_text(&facts, r, "name"), names[i]) && n > 0 && n <= INT32_MAX)
                *sizes[i] = (int32_t)n;
        }
    least.test = shows_test ? least.test : 0;
    advice_least_parts(out, &least);
    result_table_release(&facts);
    return 0;
}

int advice_find_all(struct errlist *out, struct store *store, const struct query_sweep *sweep,
                    const struct advice_choice *choice, struct err *err)
{
    int is_mixed = has_row(store, sweep, QUERY_LUCKY, err);
    int is_repeated = is_mixed < 0 ? -1 : has_row(store, sweep, QUERY_REPEATED, err);

    if (is_repeated < 0)
        return -1;
    if (is_mixed)
        advice_mixed_types(out);
    if (is_repeated)
        advice_repeated(out, true);
    if (find_least_parts(out, store, sweep, choice->shows_test, err))
        return -1;
    return advice_find(out, store, sweep, choice, err);
}

void advice_print(struct errlist *advice, const char *path)
{
    for (size_t i = 0; i < advice->n; i++)
        log_warn("%s%s%s", path ? path : "", path ? ": " : "", advice->text[i]);
    errlist_release(advice);
}

void advice_print_best(struct store *store, const char *name)
{
    struct query_filter filter = {.limit = 1};
    struct query_sweep sweep;
    struct query_alike alike;
    struct result_table row = {0};
    struct advice_choice choice = {.row = &row, .alike = &alike};
    struct errlist advice = {0};
    struct err err;

    if (query_sweep(&sweep, store, name, &err) ||
        query_leaderboard(&row, &alike, store, &sweep, &filter, &err) ||
        advice_find(&advice, store, &sweep, &choice, &err))
        log_warn("%s", err.text);
    advice_print(&advice, NULL);
    result_table_release(&row);
}
