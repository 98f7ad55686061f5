/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/tensorboard.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "report/event_file.h"
#include "trial/result.h"

struct board {
    struct outfolder *out;
    struct store *store;
    struct result_table settings, metrics; /* own the texts of hparams and event_metrics */
    struct event_hparam *hparams;          /* [settings.n_rows] all values of all settings */
    struct event_hparam **shown;           /* [n_shown] the first value of each */
    size_t n_shown;
    struct event_metric *event_metrics; /* [metrics.n_rows] */
    struct buf tags;                    /* of the metrics, then of the curves, each with its NUL */
    const char *objective_tag, *stop_tag; /* of the curve on the validation, on the stop part */
    struct result_table values;           /* of the configuration */
    int64_t config;                       /* 0: none yet */
    bool has_stop;                        /* the trial has a stop part, of which its curves are */
    int64_t n_runs;
    struct buf file;
};

bool tensorboard_is_available(void)
{
    return true;
}

static const char own_name[] = "events.out.tfevents.";

bool tensorboard_is_own(const char *name)
{
    return !strncmp(name, own_name, strlen(own_name));
}

/* Messages must be UTF-8, other than the texts of a database. */
static void make_valid(struct result_table *table)
{
    for (int64_t i = 0; i < table->n_rows * table->n_cols; i++)
        if (table->cells[i].type == CELL_TEXT)
            escape_invalid((char *)(uintptr_t)table->cells[i].s);
}

static int read_table(struct result_table *out, struct board *b, enum query query, int64_t id,
                      struct err *err)
{
    if (query_table(out, b->store, query, id, err))
        return -1;
    make_valid(out);
    return 0;
}

/* ---- the experiment ---- */

static void take_value(struct event_hparam *hparam, const struct result_table *values, int64_t r)
{
    hparam->text = result_table_text(values, r, "text");
    hparam->number = result_table_real(values, r, "value");
}

static int name_hparams(struct board *b, struct err *err)
{
    size_t n = (size_t)b->settings.n_rows;

    b->hparams = calloc(n + 1, sizeof *b->hparams);
    b->shown = calloc(n + 1, sizeof(struct event_hparam *));
    if (!b->hparams || !b->shown)
        return err_nomem(err, "settings", n * sizeof *b->hparams);
    for (size_t i = 0; i < n; i++) {
        b->hparams[i].name = result_table_text(&b->settings, (int64_t)i, "setting");
        b->hparams[i].is_text = result_table_integer(&b->settings, (int64_t)i, "words") > 0;
        take_value(&b->hparams[i], &b->settings, (int64_t)i);
        if (!i || strcmp(b->hparams[i].name, b->hparams[i - 1].name) != 0)
            b->shown[b->n_shown++] = &b->hparams[i];
    }
    return 0;
}

static void put_tag(struct buf *out, const char *split, const char *name)
{
    buf_printf(out, "final/%s%s%s", split, *split ? "_" : "", name);
}

/* The tags are made first, since they move while they grow. */
static int name_metrics(struct board *b, const struct query_sweep *sweep, struct err *err)
{
    size_t n = (size_t)b->metrics.n_rows;
    const char *tag;

    for (int64_t r = 0; r < b->metrics.n_rows; r++) {
        const char *split = result_table_text(&b->metrics, r, "split");

        put_tag(&b->tags, split, result_table_text(&b->metrics, r, "name"));
        buf_putc(&b->tags, '\0');
    }
    buf_printf(&b->tags, "curve/%s", sweep->objective);
    buf_putc(&b->tags, '\0');
    buf_printf(&b->tags, "curve/stop_%s",
               sweep->objective + (strncmp(sweep->objective, "val_", 4) ? 0 : 4));
    if (buf_failed(&b->tags))
        return err_nomem(err, "metrics", b->tags.size);
    for (size_t at = 0; at < b->tags.size; at += strlen(b->tags.data + at) + 1)
        escape_invalid(b->tags.data + at);
    b->event_metrics = calloc(n + 1, sizeof *b->event_metrics);
    if (!b->event_metrics)
        return err_nomem(err, "metrics", n * sizeof *b->event_metrics);
    tag = buf_text(&b->tags);
    for (size_t i = 0; i < n; i++, tag += strlen(tag) + 1)
        b->event_metrics[i] = (struct event_metric){
            .tag = tag,
            .name = tag + strlen("final/"),
            .is_of_training = !strcmp(result_table_text(&b->metrics, (int64_t)i, "split"), "train"),
        };
    b->objective_tag = tag;
    b->stop_tag = tag + strlen(tag) + 1;
    return 0;
}

static int prepare(struct board *b, const struct query_sweep *sweep, struct err *err)
{
    return read_table(&b->settings, b, QUERY_AXIS_VALUES, sweep->sweep_id, err) ||
                   read_table(&b->metrics, b, QUERY_METRIC_NAMES, sweep->sweep_id, err) ||
                   name_hparams(b, err) || name_metrics(b, sweep, err)
               ? -1
               : 0;
}

/* ---- a run ---- */

/* Read the settings of the configuration, unless they are there. */
static int enter_config(struct board *b, int64_t config, struct err *err)
{
    if (config == b->config)
        return 0;
    result_table_release(&b->values);
    b->values = (struct result_table){0};
    if (read_table(&b->values, b, QUERY_CONFIG_HPARAMS, config, err))
        return -1;
    b->config = config;
    return 0;
}

/* Return the number of settings that the configuration has; out: [n_shown]. */
static size_t collect_hparams(const struct board *b, struct event_hparam *out)
{
    size_t n = 0;

    for (size_t i = 0; i < b->n_shown; i++)
        for (int64_t r = 0; r < b->values.n_rows; r++) {
            const char *name = result_table_text(&b->values, r, "setting");

            if (strcmp(name, b->shown[i]->name) != 0)
                continue;
            out[n] = *b->shown[i];
            take_value(&out[n++], &b->values, r);
            break;
        }
    return n;
}

static int put_hparams(struct board *b, const struct result_table *row, struct err *err)
{
    static const enum event_status statuses[TRIAL_STATE_COUNT] = {
        [TRIAL_DONE] = EVENT_SUCCESS,
        [TRIAL_DIVERGED] = EVENT_FAILURE,
        [TRIAL_FAILED] = EVENT_FAILURE,
        [TRIAL_RUNNING] = EVENT_RUNNING,
    };
    int state = trial_state_parse(result_table_text(row, 0, "state"));
    double started_s = result_table_real(row, 0, "started");
    double finished_s = result_table_real(row, 0, "finished");
    struct event_hparam *hparams = calloc(b->n_shown + 1, sizeof *hparams);
    char group[32];

    if (!hparams)
        return err_nomem(err, "settings", b->n_shown * sizeof *hparams);
    snprintf(group, sizeof group, "c%lld", (long long)b->config);
    if (!b->n_runs)
        event_file_experiment(&b->file, started_s, b->hparams, (size_t)b->settings.n_rows,
                              b->event_metrics, (size_t)b->metrics.n_rows);
    event_file_session_start(&b->file, started_s, group, hparams, collect_hparams(b, hparams));
    event_file_session_end(&b->file, isnan(finished_s) ? 0 : finished_s, statuses[state]);
    free(hparams);
    return 0;
}

/* A diverged trial has metrics of its last epoch with a finite loss, which are no result. */
static int put_metrics(struct board *b, const struct result_table *row, struct err *err)
{
    double ended_s = fmax(result_table_real(row, 0, "started"),
                          result_table_real(row, 0, "finished")); /* a NaN loses */
    bool is_done = trial_state_parse(result_table_text(row, 0, "state")) == TRIAL_DONE;
    static const char *const splits[] = {"train", "val", "stop", ""};
    struct result_table metrics;
    struct buf tag = {0};

    if (read_table(&metrics, b, QUERY_TRIAL_METRICS, result_table_integer(row, 0, "trial"), err))
        return -1;
    b->has_stop = false;
    for (int64_t r = 0; r < metrics.n_rows; r++)
        b->has_stop |= !isnan(result_table_real(&metrics, r, "stop"));
    for (int64_t r = 0; is_done && r < metrics.n_rows; r++)
        for (size_t s = 0; s < sizeof splits / sizeof *splits; s++) {
            double value = result_table_real(&metrics, r, *splits[s] ? splits[s] : "value");

            buf_clear(&tag);
            put_tag(&tag, splits[s], result_table_text(&metrics, r, "metric"));
            if (!isnan(value))
                event_file_scalar(&b->file, ended_s, result_table_integer(row, 0, "best_epoch"),
                                  buf_text(&tag), value);
        }
    b->file.failed |= buf_failed(&tag);
    buf_release(&tag);
    result_table_release(&metrics);
    return 0;
}

static int put_curve(struct board *b, const struct result_table *row, struct err *err)
{
    const struct {
        const char *column, *tag;
    } series[] = {{"train_loss", "curve/train_loss"},
                  {"val_loss", b->has_stop ? "curve/stop_loss" : "curve/val_loss"},
                  {"val_value", b->has_stop ? b->stop_tag : b->objective_tag}};
    double started_s = result_table_real(row, 0, "started");
    struct result_table curve;

    if (query_table(&curve, b->store, QUERY_TRIAL_CURVE, result_table_integer(row, 0, "trial"),
                    err))
        return -1;
    for (int64_t r = 0; r < curve.n_rows; r++)
        for (size_t s = 0; s < sizeof series / sizeof *series; s++) {
            double value = result_table_real(&curve, r, series[s].column);

            if (!isnan(value))
                event_file_scalar(&b->file, started_s + result_table_real(&curve, r, "seconds"),
                                  result_table_integer(&curve, r, "epoch"), series[s].tag, value);
        }
    result_table_release(&curve);
    return 0;
}

/* Other values of a program's curve. */
static int put_points(struct board *b, const struct result_table *row, struct err *err)
{
    double started_s = result_table_real(row, 0, "started");
    struct result_table points;
    struct buf tag = {0};

    if (query_table(&points, b->store, QUERY_TRIAL_POINTS, result_table_integer(row, 0, "trial"),
                    err))
        return -1;
    make_valid(&points);
    for (int64_t r = 0; r < points.n_rows; r++) {
        buf_clear(&tag);
        buf_printf(&tag, "curve/%s", result_table_text(&points, r, "name"));
        event_file_scalar(&b->file, started_s + fmax(0, result_table_real(&points, r, "seconds")),
                          result_table_integer(&points, r, "epoch"), buf_text(&tag),
                          result_table_real(&points, r, "value"));
    }
    b->file.failed |= buf_failed(&tag);
    buf_release(&tag);
    result_table_release(&points);
    return 0;
}

static int put_run(void *arg, const struct result_table *row, struct err *err)
{
    struct board *b = arg;
    double started_s = result_table_real(row, 0, "started");
    struct buf name = {0};
    int rc;

    if (enter_config(b, result_table_integer(row, 0, "config"), err))
        return -1;
    buf_clear(&b->file);
    event_file_begin(&b->file, started_s);
    if (put_hparams(b, row, err) || put_metrics(b, row, err) || put_curve(b, row, err) ||
        put_points(b, row, err))
        return -1;
    buf_printf(&name, "c%lld/r%lld-fold%lld/%s%010.0f.espalier", (long long)b->config,
               (long long)result_table_integer(row, 0, "replicate"),
               (long long)result_table_integer(row, 0, "fold"), own_name, started_s);
    rc = buf_failed(&b->file) || buf_failed(&name)
             ? err_nomem(err, "event file", b->file.size)
             : outfolder_save(b->out, buf_text(&name), b->file.data, b->file.size, err);
    buf_release(&name);
    b->n_runs++;
    return rc;
}

int tensorboard_write(struct outfolder *out, struct store *store, const struct query_sweep *sweep,
                      struct err *err)
{
    struct board b = {.out = out, .store = store};
    int rc = prepare(&b, sweep, err) ||
                     query_each(store, QUERY_BOARD_TRIALS, sweep->sweep_id, put_run, &b, err)
                 ? -1
                 : 0;

    if (!rc && !b.n_runs)
        rc = err_set(err, "%s: sweep '%s' has no trial that is running or has ended",
                     store_path(store), sweep->name);
    result_table_release(&b.settings);
    result_table_release(&b.metrics);
    result_table_release(&b.values);
    free(b.hparams);
    free(b.shown);
    free(b.event_metrics);
    buf_release(&b.tags);
    buf_release(&b.file);
    return rc;
}
