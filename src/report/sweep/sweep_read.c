/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/sweep/sweep_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/query/progress.h"

/* ---- the sweep ---- */

static int no_configuration(const struct sweep_data *data, struct err *err)
{
    return err_set(err, "%s: sweep '%s' has no configuration yet; run 'espalier run' first",
                   data->database, data->name);
}

static int take_record(struct sweep_data *data, const struct result_table *row, struct err *err)
{
    if (!row->n_rows)
        return no_configuration(data, err);
    data->file = sweep_copy_cell(data, row, 0, "file", err);
    data->ini = sweep_copy_cell(data, row, 0, "ini", err);
    data->digest = sweep_copy_cell(data, row, 0, "data_digest", err);
    data->maximize = !strcmp(result_table_text(row, 0, "direction"), "max");
    data->task = task_parse(result_table_text(row, 0, "task"));
    data->is_classification = data->task == TASK_CLASSIFICATION;
    data->samples = result_table_integer(row, 0, "samples");
    data->features = result_table_integer(row, 0, "features");
    data->classes = result_table_integer(row, 0, "classes");
    data->has_given_parts = !strcmp(result_table_text(row, 0, "parts"), "given");
    data->created = result_table_real(row, 0, "created");
    data->updated = result_table_real(row, 0, "updated");
    data->share = result_table_real(row, 0, "share");
    if (data->task == TASK_COUNT)
        return err_set(err, "%s: a sweep has the unknown task '%.40s'", data->database,
                       result_table_text(row, 0, "task"));
    return data->file && data->ini && data->digest ? 0 : -1;
}

static int read_sweep(struct sweep_data *data, struct store *store, const struct query_sweep *sweep,
                      struct err *err)
{
    data->sweep_id = sweep->sweep_id;
    data->database = sweep_copy(data, store_path(store), err);
    data->name = sweep_copy(data, sweep->name, err);
    data->objective = sweep_copy(data, sweep->objective, err);
    if (!data->database || !data->name || !data->objective)
        return -1;
    data->metric = data->objective + (strncmp(data->objective, "val_", 4) ? 0 : 4);
    return sweep_read_table(data, store, QUERY_SWEEP_RECORD, data->sweep_id, take_record, err);
}

static int read_states(struct sweep_data *data, struct store *store,
                       const struct query_sweep *sweep, struct err *err)
{
    struct progress_counts counts;

    if (progress_count(&counts, store, sweep, err))
        return -1;
    data->trials = counts.trials;
    data->planned = counts.planned;
    data->done = counts.done;
    data->failed = counts.failed;
    data->diverged = counts.diverged;
    data->running = counts.running;
    data->pending = counts.pending;
    data->held = counts.held;
    data->stopped = counts.stopped;
    return 0;
}

/* ---- configurations ---- */

static void read_config(struct sweep_config *config, const struct result_table *l, int64_t r)
{
    const struct cell *within = result_table_find(l, r, "within_se");

    config->id = result_table_integer(l, r, "config");
    config->place = (int32_t)result_table_integer(l, r, "place");
    config->n = (int32_t)result_table_integer(l, r, "trials");
    config->mean = result_table_real(l, r, "mean");
    config->sd = result_table_real(l, r, "sd");
    config->se = result_table_real(l, r, "se");
    config->diff = result_table_real(l, r, "diff");
    config->low = result_table_real(l, r, "diff_low");
    config->high = result_table_real(l, r, "diff_high");
    config->seconds = result_table_real(l, r, "seconds");
    config->flops = result_table_real(l, r, "flops");
    config->within = within->type == CELL_INTEGER ? within->i != 0 : -1;
}

static int compare_ids(const void *a, const void *b, void *arg)
{
    const struct sweep_config *configs = arg;
    int64_t x = configs[*(const int32_t *)a].id, y = configs[*(const int32_t *)b].id;

    return (x > y) - (x < y);
}

static int take_types(struct sweep_data *data, const struct result_table *rows, struct err *err)
{
    data->types = sweep_take(data, (size_t)rows->n_rows, sizeof *data->types, err);
    if (!data->types)
        return -1;
    for (int64_t r = 0; r < rows->n_rows; r++) {
        int32_t c = sweep_data_find(data, result_table_integer(rows, r, "config"));
        int32_t type = (int32_t)result_table_integer(rows, r, "place");

        if (c >= 0)
            data->configs[c].type = type;
        if (type < data->n_types)
            continue;
        data->types[type] = sweep_copy_cell(data, rows, r, "type", err);
        if (!data->types[type])
            return -1;
        data->n_types = type + 1;
    }
    return 0;
}

static int read_leaderboard(struct sweep_data *data, struct store *store,
                            const struct query_sweep *sweep, struct err *err)
{
    struct query_filter filter = {.limit = -1};
    const struct result_table *l = &data->leaderboard;
    int32_t most = 0;

    if (query_leaderboard(&data->leaderboard, &data->alike, store, sweep, &filter, err))
        return -1;
    if (!l->n_rows)
        return no_configuration(data, err);
    data->n_configs = (int32_t)l->n_rows;
    data->configs = sweep_take(data, (size_t)l->n_rows, sizeof *data->configs, err);
    data->by_id = sweep_take(data, (size_t)l->n_rows, sizeof *data->by_id, err);
    if (!data->configs || !data->by_id)
        return -1;
    for (int32_t c = 0; c < data->n_configs; c++) {
        read_config(&data->configs[c], l, c);
        most = data->configs[c].n > most ? data->configs[c].n : most;
        data->by_id[c] = c;
    }
    qsort_r(data->by_id, (size_t)data->n_configs, sizeof *data->by_id, compare_ids, data->configs);
    if (sweep_read_decisions(data, store, err))
        return -1;
    qsort_r(data->by_id, (size_t)data->n_configs, sizeof *data->by_id, compare_ids, data->configs);
    /* Configurations with a mean come first in each part of the leaderboard (complete or not), but
     * an incomplete one without a mean comes after all. */
    for (int32_t c = 0; c < data->n_configs; c++) {
        data->configs[c].is_complete = most && data->configs[c].n == most;
        data->n_scored += !isnan(data->configs[c].mean);
    }
    return sweep_read_axes(data, l, err);
}

/* ---- the choice ---- */

static int read_choice(struct sweep_data *data, struct store *store,
                       const struct query_sweep *sweep, struct err *err)
{
    struct query_filter filter = {.limit = 1};
    struct result_table row;

    data->best = isnan(data->configs[0].mean) ? 0 : data->configs[0].id;
    data->one_se = data->alike.one_se;
    data->chosen = data->rule == QUERY_RULE_1SE ? data->one_se : data->best;
    if (data->rule < 0 || data->chosen)
        return 0;
    /* query_choose() explains why the rule has no choice. */
    if (query_choose(&row, NULL, store, sweep, (enum query_rule)data->rule, &filter, err))
        return -1;
    result_table_release(&row);
    return err_set(err, "%s: another program changed it; repeat the command", data->database);
}

static int take_tests(struct sweep_data *data, const struct result_table *rows, struct err *err)
{
    data->tests = sweep_take(data, (size_t)rows->n_rows, sizeof *data->tests, err);
    if (!data->tests)
        return -1;
    for (int64_t r = 0; r < rows->n_rows; r++) {
        struct sweep_test *test = &data->tests[data->n_tests++];

        test->n = (int32_t)result_table_integer(rows, r, "trials");
        test->mean = result_table_real(rows, r, "mean");
        test->sd = result_table_real(rows, r, "sd");
        test->metric = sweep_copy_cell(data, rows, r, "test", err);
        if (!test->metric)
            return -1;
    }
    return 0;
}

int sweep_data_read(struct sweep_data *data, struct store *store, const struct query_sweep *sweep,
                    int rule, struct err *err)
{
    *data = (struct sweep_data){.rule = rule};
    return read_sweep(data, store, sweep, err) || read_states(data, store, sweep, err) ||
                   read_leaderboard(data, store, sweep, err) ||
                   sweep_read_table(data, store, QUERY_SWEEP_TYPES, data->sweep_id, take_types,
                                    err) ||
                   sweep_read_settings(data, store, err) || read_choice(data, store, sweep, err) ||
                   /* nobody sees test scores before a rule has chosen */
                   (data->rule >= 0 && sweep_read_table(data, store, QUERY_CONFIG_TEST,
                                                        data->chosen, take_tests, err)) ||
                   sweep_read_values(data, store, err) || sweep_find_statistics(data, err) ||
                   sweep_read_curves(data, store, err) || sweep_read_history(data, store, err) ||
                   sweep_read_predictions(data, store, err)
               ? -1
               : 0;
}
