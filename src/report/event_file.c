/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/event_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "report/events.pb-c.h"

static char *text_of(const char *text)
{
    return (char *)(uintptr_t)text; /* the library only reads it */
}

/* ---- records ---- */

static void put_little_endian(struct buf *out, uint64_t value, size_t n_bytes)
{
    for (size_t i = 0; i < n_bytes; i++)
        buf_putc(out, (char)(value >> 8 * i));
}

static uint32_t masked_crc(const void *data, size_t n)
{
    uint32_t crc = crc32c(data, n);

    return (crc >> 15 | crc << 17) + 0xa282ead8;
}

/* Return the bytes of a message, which the caller frees; NULL: out of memory. */
static unsigned char *pack(const ProtobufCMessage *message, size_t *n, struct buf *out)
{
    unsigned char *bytes = malloc(protobuf_c_message_get_packed_size(message) + 1);

    *n = bytes ? protobuf_c_message_pack(message, bytes) : 0;
    out->failed |= !bytes;
    return bytes;
}

static void put_record(struct buf *out, const Board__Event *event)
{
    size_t n, at = out->size;
    unsigned char *message = pack(&event->base, &n, out);

    put_little_endian(out, n, 8);
    if (message && !buf_failed(out)) {
        put_little_endian(out, masked_crc(out->data + at, 8), 4);
        buf_add(out, message, n);
        put_little_endian(out, masked_crc(message, n), 4);
    }
    free(message);
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

void event_file_begin(struct buf *out, double time_s)
{
    Board__Event event = BOARD__EVENT__INIT;

    event.wall_time = time_s;
    event.what_case = BOARD__EVENT__WHAT_FILE_VERSION;
    event.file_version = text_of("brain.Event:2");
    put_record(out, &event);
}

void event_file_scalar(struct buf *out, double time_s, int64_t step, const char *tag, double number)
{
    Board__Summary__Value value = BOARD__SUMMARY__VALUE__INIT;

    value.tag = text_of(tag);
    value.value_case = BOARD__SUMMARY__VALUE__VALUE_SIMPLE_VALUE;
    value.simple_value = (float)number;
    put_value(out, time_s, step, &value);
}

/* ---- records of the plugin HParams ---- */

static void put_plugin_data(struct buf *out, double time_s, const char *tag,
                            const Board__HParamsPluginData *data)
{
    Board__SummaryMetadata__PluginData plugin = BOARD__SUMMARY_METADATA__PLUGIN_DATA__INIT;
    Board__SummaryMetadata metadata = BOARD__SUMMARY_METADATA__INIT;
    Board__Summary__Value value = BOARD__SUMMARY__VALUE__INIT;

    plugin.plugin_name = text_of("hparams");
    plugin.content.data = pack(&data->base, &plugin.content.len, out);
    metadata.plugin_data = &plugin;
    value.tag = text_of(tag);
    value.metadata = &metadata;
    if (plugin.content.data)
        put_value(out, time_s, 0, &value);
    free(plugin.content.data);
}

enum { MAX_LISTED = 20 }; /* TensorBoard shows a box for each listed value */

struct packed_infos {
    Board__HParamInfo *hparams, **hparam_list; /* [n_settings] */
    Board__ListValue *domains;                 /* [n_settings] */
    Board__Interval *intervals;                /* [n_settings] */
    Board__Value *values, **value_list;
    size_t n_settings;
    Board__MetricInfo *metrics, **metric_list;
    Board__MetricName *names;
};

static void fill_value(Board__Value *out, const struct event_hparam *hparam)
{
    board__value__init(out);
    out->kind_case =
        hparam->is_text ? BOARD__VALUE__KIND_STRING_VALUE : BOARD__VALUE__KIND_NUMBER_VALUE;
    if (hparam->is_text)
        out->string_value = text_of(hparam->text);
    else
        out->number_value = hparam->number;
}

/* hparams: the n values of setting i, which stand from `first` on among all values. */
static void fill_setting(struct packed_infos *p, size_t i, const struct event_hparam *hparams,
                         size_t first, size_t n)
{
    Board__HParamInfo *info = &p->hparams[i];
    Board__Interval *interval = &p->intervals[i];

    board__hparam_info__init(info);
    board__list_value__init(&p->domains[i]);
    board__interval__init(interval);
    info->name = text_of(hparams->name);
    info->type =
        hparams->is_text ? BOARD__DATA_TYPE__DATA_TYPE_STRING : BOARD__DATA_TYPE__DATA_TYPE_FLOAT64;
    info->differs = n > 1;
    p->domains[i].n_values = n;
    p->domains[i].values = p->value_list + first;
    interval->min_value = interval->max_value = hparams->number;
    for (size_t v = 0; v < n; v++) {
        fill_value(&p->values[first + v], &hparams[v]);
        p->value_list[first + v] = &p->values[first + v];
        interval->min_value = fmin(interval->min_value, hparams[v].number);
        interval->max_value = fmax(interval->max_value, hparams[v].number);
    }
    if (n <= MAX_LISTED) {
        info->domain_case = BOARD__HPARAM_INFO__DOMAIN_DOMAIN_DISCRETE;
        info->domain_discrete = &p->domains[i];
    } else if (!hparams->is_text) {
        info->domain_case = BOARD__HPARAM_INFO__DOMAIN_DOMAIN_INTERVAL;
        info->domain_interval = interval;
    }
    p->hparam_list[i] = info;
}

static void fill_infos(struct packed_infos *p, const struct event_hparam *hparams, size_t n_hparams,
                       const struct event_metric *metrics, size_t n_metrics)
{
    for (size_t i = 0, n; i < n_hparams; i += n) {
        for (n = 1; i + n < n_hparams && !strcmp(hparams[i].name, hparams[i + n].name);)
            n++;
        fill_setting(p, p->n_settings++, hparams + i, i, n);
    }
    for (size_t i = 0; i < n_metrics; i++) {
        board__metric_name__init(&p->names[i]);
        p->names[i].tag = text_of(metrics[i].tag);
        board__metric_info__init(&p->metrics[i]);
        p->metrics[i].name = &p->names[i];
        p->metrics[i].display_name = text_of(metrics[i].name);
        p->metrics[i].dataset_type = metrics[i].is_of_training
                                         ? BOARD__DATASET_TYPE__DATASET_TRAINING
                                         : BOARD__DATASET_TYPE__DATASET_VALIDATION;
        p->metric_list[i] = &p->metrics[i];
    }
}

void event_file_experiment(struct buf *out, double time_s, const struct event_hparam *hparams,
                           size_t n_hparams, const struct event_metric *metrics, size_t n_metrics)
{
    Board__Experiment experiment = BOARD__EXPERIMENT__INIT;
    Board__HParamsPluginData data = BOARD__HPARAMS_PLUGIN_DATA__INIT;
    struct packed_infos p = {
        .hparams = calloc(n_hparams + 1, sizeof *p.hparams),
        .hparam_list = calloc(n_hparams + 1, sizeof(Board__HParamInfo *)),
        .domains = calloc(n_hparams + 1, sizeof *p.domains),
        .intervals = calloc(n_hparams + 1, sizeof *p.intervals),
        .values = calloc(n_hparams + 1, sizeof *p.values),
        .value_list = calloc(n_hparams + 1, sizeof(Board__Value *)),
        .metrics = calloc(n_metrics + 1, sizeof *p.metrics),
        .metric_list = calloc(n_metrics + 1, sizeof(Board__MetricInfo *)),
        .names = calloc(n_metrics + 1, sizeof *p.names),
    };

    if (p.hparams && p.hparam_list && p.domains && p.intervals && p.values && p.value_list &&
        p.metrics && p.metric_list && p.names) {
        fill_infos(&p, hparams, n_hparams, metrics, n_metrics);
        experiment.n_hparam_infos = p.n_settings;
        experiment.hparam_infos = p.hparam_list;
        experiment.n_metric_infos = n_metrics;
        experiment.metric_infos = p.metric_list;
        data.data_case = BOARD__HPARAMS_PLUGIN_DATA__DATA_EXPERIMENT;
        data.experiment = &experiment;
        put_plugin_data(out, time_s, "_hparams_/experiment", &data);
    } else {
        out->failed = true;
    }
    free(p.hparams);
    free(p.hparam_list);
    free(p.domains);
    free(p.intervals);
    free(p.values);
    free(p.value_list);
    free(p.metrics);
    free(p.metric_list);
    free(p.names);
}

static void put_start(struct buf *out, double time_s, const char *group, Board__HParam **list,
                      size_t n)
{
    Board__SessionStartInfo start = BOARD__SESSION_START_INFO__INIT;
    Board__HParamsPluginData data = BOARD__HPARAMS_PLUGIN_DATA__INIT;

    start.n_hparams = n;
    start.hparams = list;
    start.group_name = text_of(group);
    start.start_time_secs = time_s;
    data.data_case = BOARD__HPARAMS_PLUGIN_DATA__DATA_SESSION_START_INFO;
    data.session_start_info = &start;
    put_plugin_data(out, time_s, "_hparams_/session_start_info", &data);
}

void event_file_session_start(struct buf *out, double time_s, const char *group,
                              const struct event_hparam *hparams, size_t n_hparams)
{
    Board__HParam *entries = calloc(n_hparams + 1, sizeof *entries);
    Board__HParam **list = calloc(n_hparams + 1, sizeof(Board__HParam *));
    Board__Value *values = calloc(n_hparams + 1, sizeof *values);

    for (size_t i = 0; entries && list && values && i < n_hparams; i++) {
        fill_value(&values[i], &hparams[i]);
        board__hparam__init(&entries[i]);
        entries[i].key = text_of(hparams[i].name);
        entries[i].value = &values[i];
        list[i] = &entries[i];
    }
    if (entries && list && values)
        put_start(out, time_s, group, list, n_hparams);
    else
        out->failed = true;
    free(entries);
    free(list);
    free(values);
}

void event_file_session_end(struct buf *out, double time_s, enum event_status status)
{
    static const Board__Status statuses[] = {
        [EVENT_SUCCESS] = BOARD__STATUS__STATUS_SUCCESS,
        [EVENT_FAILURE] = BOARD__STATUS__STATUS_FAILURE,
        [EVENT_RUNNING] = BOARD__STATUS__STATUS_RUNNING,
    };
    Board__SessionEndInfo end = BOARD__SESSION_END_INFO__INIT;
    Board__HParamsPluginData data = BOARD__HPARAMS_PLUGIN_DATA__INIT;

    end.status = statuses[status];
    end.end_time_secs = time_s;
    data.data_case = BOARD__HPARAMS_PLUGIN_DATA__DATA_SESSION_END_INFO;
    data.session_end_info = &end;
    put_plugin_data(out, time_s, "_hparams_/session_end_info", &data);
}
