/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/event_file.h"

#include <stdlib.h>

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

struct packed_infos {
    Board__HParamInfo *hparams, **hparam_list;
    Board__MetricInfo *metrics, **metric_list;
    Board__MetricName *names;
};

static void fill_infos(struct packed_infos *p, const struct event_hparam *hparams, size_t n_hparams,
                       const struct event_metric *metrics, size_t n_metrics)
{
    for (size_t i = 0; i < n_hparams; i++) {
        board__hparam_info__init(&p->hparams[i]);
        p->hparams[i].name = text_of(hparams[i].name);
        p->hparams[i].type = hparams[i].is_text ? BOARD__DATA_TYPE__DATA_TYPE_STRING
                                                : BOARD__DATA_TYPE__DATA_TYPE_FLOAT64;
        p->hparam_list[i] = &p->hparams[i];
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
        .metrics = calloc(n_metrics + 1, sizeof *p.metrics),
        .metric_list = calloc(n_metrics + 1, sizeof(Board__MetricInfo *)),
        .names = calloc(n_metrics + 1, sizeof *p.names),
    };

    if (p.hparams && p.hparam_list && p.metrics && p.metric_list && p.names) {
        fill_infos(&p, hparams, n_hparams, metrics, n_metrics);
        experiment.n_hparam_infos = n_hparams;
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
        board__value__init(&values[i]);
        values[i].kind_case =
            hparams[i].is_text ? BOARD__VALUE__KIND_STRING_VALUE : BOARD__VALUE__KIND_NUMBER_VALUE;
        if (hparams[i].is_text)
            values[i].string_value = text_of(hparams[i].text);
        else
            values[i].number_value = hparams[i].number;
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
