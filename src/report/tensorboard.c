/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/tensorboard.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/crc32c.h"
#include "base/escape.h"
#include "report/events.pb-c.h"
#include "trial/result.h"

struct board {
    struct outfolder *out;
    struct store *store;
    const struct query_sweep *sweep;
    struct result_table settings; /* QUERY_AXIS_VALUES: all values of all settings */
    struct result_table metrics;  /* QUERY_METRIC_NAMES */
    struct result_table values;   /* of the configuration */
    int64_t config;               /* 0: none yet */
    bool has_stop;                /* the trial has a stop part, of which its curves are */
    int64_t n_runs;
    struct buf file;     /* of the run */
    struct arena memory; /* of its messages */
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
static int read_table(struct result_table *out, struct board *b, enum query query, int64_t id,
                      struct err *err)
{
    if (query_table(out, b->store, query, id, err))
        return -1;
    for (int64_t i = 0; i < out->n_rows * out->n_cols; i++)
        if (out->cells[i].type == CELL_TEXT)
            escape_invalid((char *)(uintptr_t)out->cells[i].s);
    return 0;
}

/* The library only reads texts. */
static char *text_at(const struct result_table *rows, int64_t r, const char *column)
{
    return (char *)(uintptr_t)result_table_text(rows, r, column);
}

/* n zeroed items; NULL: no memory, and the file has failed. */
static void *take(struct board *b, int64_t n, size_t size)
{
    void *piece = arena_take_zeroed(&b->memory, (size_t)n, size);

    b->file.failed |= !piece;
    return piece;
}

/* "BEFORESPLIT_NAME", or without a split "BEFORENAME". */
static char *tag_of(struct board *b, const char *before, const char *split, const char *name)
{
    static char none[] = "";
    size_t size = strlen(before) + strlen(split) + strlen(name) + 2;
    char *tag = take(b, (int64_t)size, 1);

    if (!tag)
        return none;
    snprintf(tag, size, "%s%s%s%s", before, split, *split ? "_" : "", name);
    escape_invalid(tag);
    return tag;
}

/* ---- records ----
 *
 * A record is the length of its message (8 bytes), the masked CRC-32C of these bytes (4), the
 * message, and its masked CRC-32C (4), all little-endian, as the machine must be. Masked: rotated
 * right by 15 bits, plus 0xa282ead8.
 * Source: tensorflow/core/lib/io/record_writer.h and lib/hash/crc32c.h. */

static uint32_t masked_crc(const void *data, size_t n)
{
    uint32_t crc = crc32c(data, n);

    return (crc >> 15 | crc << 17) + 0xa282ead8;
}

static void put_record(struct buf *out, const Board__Event *event)
{
    size_t n = protobuf_c_message_get_packed_size(&event->base);
    int64_t length = (int64_t)n;
    unsigned char *message;

    buf_put_i64(out, length);
    buf_put_u32(out, masked_crc(&length, sizeof length));
    message = buf_extend(out, n);
    if (message)
        buf_put_u32(out, masked_crc(message, protobuf_c_message_pack(&event->base, message)));
}

static void put_value(struct buf *out, double time_s, int64_t step, Board__Summary__Value *value)
{
    Board__Summary summary = BOARD__SUMMARY__INIT;
    Board__Event event = BOARD__EVENT__INIT;

    summary.n_value = 1;
    summary.value = &value;
    event.wall_time = time_s;
    event.step = step;
    event.what_case = BOARD__EVENT__WHAT_SUMMARY;
    event.summary = &summary;
    put_record(out, &event);
}

/* A NaN is left out. */
static void put_scalar(struct board *b, double time_s, int64_t step, char *tag, double number)
{
    Board__Summary__Value value = BOARD__SUMMARY__VALUE__INIT;

    if (isnan(number))
        return;
    value.tag = tag;
    value.value_case = BOARD__SUMMARY__VALUE__VALUE_SIMPLE_VALUE;
    value.simple_value = (float)number;
    put_value(&b->file, time_s, step, &value);
}

/* ---- records of the plugin HParams ----
 *
 * Tags, plugin name and version are those of tensorboard/plugins/hparams/metadata.py. */

static void put_plugin_data(struct board *b, double time_s, const char *tag,
                            const Board__HParamsPluginData *data)
{
    Board__SummaryMetadata__PluginData plugin = BOARD__SUMMARY_METADATA__PLUGIN_DATA__INIT;
    Board__SummaryMetadata metadata = BOARD__SUMMARY_METADATA__INIT;
    Board__Summary__Value value = BOARD__SUMMARY__VALUE__INIT;
    static char name[] = "hparams";

    plugin.plugin_name = name;
    plugin.content.len = protobuf_c_message_get_packed_size(&data->base);
    plugin.content.data = take(b, (int64_t)plugin.content.len, 1);
    if (!plugin.content.data)
        return;
    protobuf_c_message_pack(&data->base, plugin.content.data);
    metadata.plugin_data = &plugin;
    value.tag = tag_of(b, "_hparams_/", "", tag);
    value.metadata = &metadata;
    put_value(&b->file, time_s, 0, &value);
}

static bool is_word(const struct board *b, int64_t setting)
{
    return result_table_integer(&b->settings, setting, "words") > 0;
}

static void fill_value(Board__Value *out, bool is_text, const struct result_table *rows, int64_t r)
{
    board__value__init(out);
    out->kind_case = is_text ? BOARD__VALUE__KIND_STRING_VALUE : BOARD__VALUE__KIND_NUMBER_VALUE;
    if (is_text)
        out->string_value = text_at(rows, r, "text");
    else
        out->number_value = result_table_real(rows, r, "value");
}

enum { MAX_LISTED = 20 }; /* TensorBoard shows a box for each listed value */

struct setting {
    Board__HParamInfo info;
    Board__ListValue domain;
    Board__Interval interval;
};

/* first: its first of n values. */
static void fill_setting(struct setting *out, const struct board *b, int64_t first, int64_t n,
                         Board__Value *values, Board__Value **list)
{
    bool is_text = is_word(b, first);
    double least = INFINITY, most = -INFINITY;

    board__hparam_info__init(&out->info);
    board__list_value__init(&out->domain);
    board__interval__init(&out->interval);
    for (int64_t v = 0; v < n; v++) {
        fill_value(&values[v], is_text, &b->settings, first + v);
        list[v] = &values[v];
        least = fmin(least, values[v].number_value);
        most = fmax(most, values[v].number_value);
    }
    out->info.name = text_at(&b->settings, first, "setting");
    out->info.type =
        is_text ? BOARD__DATA_TYPE__DATA_TYPE_STRING : BOARD__DATA_TYPE__DATA_TYPE_FLOAT64;
    out->info.differs = n > 1;
    out->domain.n_values = (size_t)n;
    out->domain.values = list;
    out->interval.min_value = least;
    out->interval.max_value = most;
    if (n <= MAX_LISTED) {
        out->info.domain_case = BOARD__HPARAM_INFO__DOMAIN_DOMAIN_DISCRETE;
        out->info.domain_discrete = &out->domain;
    } else if (!is_text) {
        out->info.domain_case = BOARD__HPARAM_INFO__DOMAIN_DOMAIN_INTERVAL;
        out->info.domain_interval = &out->interval;
    }
}

/* The row behind the values of a setting. */
static int64_t end_of(const struct board *b, int64_t first)
{
    const char *name = result_table_text(&b->settings, first, "setting");
    int64_t r = first + 1;

    while (r < b->settings.n_rows && !strcmp(result_table_text(&b->settings, r, "setting"), name))
        r++;
    return r;
}

/* The settings and metrics of all runs, which TensorBoard takes from the first run that has them. */
static void put_experiment(struct board *b, double time_s)
{
    int64_t n = b->settings.n_rows, k = b->metrics.n_rows;
    Board__Experiment experiment = BOARD__EXPERIMENT__INIT;
    Board__HParamsPluginData data = BOARD__HPARAMS_PLUGIN_DATA__INIT;
    struct setting *settings = take(b, n, sizeof *settings);
    Board__HParamInfo **infos = take(b, n, sizeof(Board__HParamInfo *));
    Board__Value *values = take(b, n, sizeof *values);
    Board__Value **list = take(b, n, sizeof(Board__Value *));
    Board__MetricInfo *metrics = take(b, k, sizeof *metrics);
    Board__MetricInfo **metric_list = take(b, k, sizeof(Board__MetricInfo *));
    Board__MetricName *names = take(b, k, sizeof *names);

    if (b->file.failed)
        return;
    for (int64_t r = 0, end; r < n; r = end) {
        struct setting *setting = &settings[experiment.n_hparam_infos];

        end = end_of(b, r);
        fill_setting(setting, b, r, end - r, values + r, list + r);
        infos[experiment.n_hparam_infos++] = &setting->info;
    }
    for (int64_t r = 0; r < k; r++) {
        const char *split = result_table_text(&b->metrics, r, "split");

        board__metric_name__init(&names[r]);
        board__metric_info__init(&metrics[r]);
        names[r].tag = tag_of(b, "final/", split, result_table_text(&b->metrics, r, "name"));
        metrics[r].name = &names[r];
        metrics[r].display_name = tag_of(b, "", split, result_table_text(&b->metrics, r, "name"));
        metrics[r].dataset_type = strcmp(split, "train") ? BOARD__DATASET_TYPE__DATASET_VALIDATION
                                                         : BOARD__DATASET_TYPE__DATASET_TRAINING;
        metric_list[r] = &metrics[r];
    }
    experiment.hparam_infos = infos;
    experiment.n_metric_infos = (size_t)k;
    experiment.metric_infos = metric_list;
    data.data_case = BOARD__HPARAMS_PLUGIN_DATA__DATA_EXPERIMENT;
    data.experiment = &experiment;
    put_plugin_data(b, time_s, "experiment", &data);
}

static void put_start(struct board *b, double time_s)
{
    int64_t n = b->settings.n_rows;
    Board__SessionStartInfo start = BOARD__SESSION_START_INFO__INIT;
    Board__HParamsPluginData data = BOARD__HPARAMS_PLUGIN_DATA__INIT;
    Board__HParam *entries = take(b, n, sizeof *entries);
    Board__HParam **list = take(b, n, sizeof(Board__HParam *));
    Board__Value *values = take(b, n, sizeof *values);
    char group[32];

    if (b->file.failed)
        return;
    for (int64_t s = 0; s < n; s = end_of(b, s))
        for (int64_t r = 0; r < b->values.n_rows; r++) {
            size_t i = start.n_hparams;
            char *name = text_at(&b->settings, s, "setting");

            if (strcmp(result_table_text(&b->values, r, "setting"), name) != 0)
                continue;
            fill_value(&values[i], is_word(b, s), &b->values, r);
            board__hparam__init(&entries[i]);
            entries[i].key = name;
            entries[i].value = &values[i];
            list[i] = &entries[i];
            start.n_hparams++;
            break;
        }
    snprintf(group, sizeof group, "c%lld", (long long)b->config);
    start.hparams = list;
    start.group_name = group;
    start.start_time_secs = time_s;
    data.data_case = BOARD__HPARAMS_PLUGIN_DATA__DATA_SESSION_START_INFO;
    data.session_start_info = &start;
    put_plugin_data(b, time_s, "session_start_info", &data);
}

/* finished_s: NaN while it runs. */
static void put_end(struct board *b, double finished_s, int state)
{
    static const Board__Status statuses[TRIAL_STATE_COUNT] = {
        [TRIAL_DONE] = BOARD__STATUS__STATUS_SUCCESS,
        [TRIAL_DIVERGED] = BOARD__STATUS__STATUS_FAILURE,
        [TRIAL_FAILED] = BOARD__STATUS__STATUS_FAILURE,
        [TRIAL_RUNNING] = BOARD__STATUS__STATUS_RUNNING,
    };
    double time_s = isnan(finished_s) ? 0 : finished_s;
    Board__SessionEndInfo end = BOARD__SESSION_END_INFO__INIT;
    Board__HParamsPluginData data = BOARD__HPARAMS_PLUGIN_DATA__INIT;

    end.status = statuses[state];
    end.end_time_secs = time_s;
    data.data_case = BOARD__HPARAMS_PLUGIN_DATA__DATA_SESSION_END_INFO;
    data.session_end_info = &end;
    put_plugin_data(b, time_s, "session_end_info", &data);
}

/* ---- a run ---- */

/* A diverged trial has metrics of its last epoch with a finite loss, which are no result. */
static int put_metrics(struct board *b, const struct result_table *row, bool is_done,
                       struct err *err)
{
    double ended_s = fmax(result_table_real(row, 0, "started"),
                          result_table_real(row, 0, "finished")); /* a NaN loses */
    static const char *const splits[] = {"train", "val", "stop", ""};
    struct result_table metrics;

    if (read_table(&metrics, b, QUERY_TRIAL_METRICS, result_table_integer(row, 0, "trial"), err))
        return -1;
    b->has_stop = false;
    for (int64_t r = 0; r < metrics.n_rows; r++)
        b->has_stop |= !isnan(result_table_real(&metrics, r, "stop"));
    for (int64_t r = 0; is_done && r < metrics.n_rows; r++)
        for (size_t s = 0; s < sizeof splits / sizeof *splits; s++)
            put_scalar(b, ended_s, result_table_integer(row, 0, "best_epoch"),
                       tag_of(b, "final/", splits[s], result_table_text(&metrics, r, "metric")),
                       result_table_real(&metrics, r, *splits[s] ? splits[s] : "value"));
    result_table_release(&metrics);
    return 0;
}

static int put_curve(struct board *b, const struct result_table *row, struct err *err)
{
    const char *objective = b->sweep->objective, *split = b->has_stop ? "stop" : "";
    const struct {
        const char *column;
        char *tag;
    } series[] = {
        {"train_loss", tag_of(b, "curve/", "train", "loss")},
        {"val_loss", tag_of(b, "curve/", b->has_stop ? "stop" : "val", "loss")},
        {"val_value", tag_of(b, "curve/", split,
                             objective + (b->has_stop && !strncmp(objective, "val_", 4) ? 4 : 0))},
    };
    double started_s = result_table_real(row, 0, "started");
    struct result_table curve;

    if (read_table(&curve, b, QUERY_TRIAL_CURVE, result_table_integer(row, 0, "trial"), err))
        return -1;
    for (int64_t r = 0; r < curve.n_rows; r++)
        for (size_t s = 0; s < sizeof series / sizeof *series; s++)
            put_scalar(b, started_s + result_table_real(&curve, r, "seconds"),
                       result_table_integer(&curve, r, "epoch"), series[s].tag,
                       result_table_real(&curve, r, series[s].column));
    result_table_release(&curve);
    return 0;
}

/* Other values of a program's curve. */
static int put_points(struct board *b, const struct result_table *row, struct err *err)
{
    double started_s = result_table_real(row, 0, "started");
    struct result_table points;

    if (read_table(&points, b, QUERY_TRIAL_POINTS, result_table_integer(row, 0, "trial"), err))
        return -1;
    for (int64_t r = 0; r < points.n_rows; r++)
        put_scalar(b, started_s + fmax(0, result_table_real(&points, r, "seconds")),
                   result_table_integer(&points, r, "epoch"),
                   tag_of(b, "curve/", "", result_table_text(&points, r, "name")),
                   result_table_real(&points, r, "value"));
    result_table_release(&points);
    return 0;
}

/* Read the settings of the configuration, unless they are there. */
static int enter_config(struct board *b, int64_t config, struct err *err)
{
    if (config == b->config)
        return 0;
    result_table_release(&b->values);
    b->values = (struct result_table){0};
    b->config = config;
    return read_table(&b->values, b, QUERY_CONFIG_HPARAMS, config, err);
}

static int put_run(void *arg, const struct result_table *row, struct err *err)
{
    static char version[] = "brain.Event:2";
    struct board *b = arg;
    int state = trial_state_parse(result_table_text(row, 0, "state"));
    double started_s = result_table_real(row, 0, "started");
    Board__Event first = BOARD__EVENT__INIT;
    char name[512];

    if (enter_config(b, result_table_integer(row, 0, "config"), err))
        return -1;
    buf_clear(&b->file);
    arena_reset(&b->memory);
    first.wall_time = started_s;
    first.what_case = BOARD__EVENT__WHAT_FILE_VERSION;
    first.file_version = version;
    put_record(&b->file, &first);
    if (!b->n_runs++)
        put_experiment(b, started_s);
    put_start(b, started_s);
    put_end(b, result_table_real(row, 0, "finished"), state);
    if (put_metrics(b, row, state == TRIAL_DONE, err) || put_curve(b, row, err) ||
        put_points(b, row, err))
        return -1;
    if (buf_failed(&b->file))
        return err_nomem(err, "event file", b->file.size);
    snprintf(name, sizeof name, "c%lld/r%lld-fold%lld/%s%010.0f.espalier", (long long)b->config,
             (long long)result_table_integer(row, 0, "replicate"),
             (long long)result_table_integer(row, 0, "fold"), own_name, started_s);
    return outfolder_save(b->out, name, b->file.data, b->file.size, err);
}

int tensorboard_write(struct outfolder *out, struct store *store, const struct query_sweep *sweep,
                      struct err *err)
{
    struct board b = {.out = out, .store = store, .sweep = sweep};
    int rc = read_table(&b.settings, &b, QUERY_AXIS_VALUES, sweep->sweep_id, err) ||
                     read_table(&b.metrics, &b, QUERY_METRIC_NAMES, sweep->sweep_id, err) ||
                     query_each(store, QUERY_BOARD_TRIALS, sweep->sweep_id, put_run, &b, err)
                 ? -1
                 : 0;

    if (!rc && !b.n_runs)
        rc = err_set(err, "%s: sweep '%s' has no trial that is running or has ended",
                     store_path(store), sweep->name);
    result_table_release(&b.settings);
    result_table_release(&b.metrics);
    result_table_release(&b.values);
    buf_release(&b.file);
    arena_release(&b.memory);
    return rc;
}
