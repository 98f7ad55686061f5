/* SPDX-License-Identifier: BSD-3-Clause */
/* TensorBoard's event files: records of messages (events.proto), appended to a buffer.
 *
 * A record is the length of its message (8 bytes), the masked CRC-32C of these bytes (4), the message,
 * and its masked CRC-32C (4), all little-endian. Masked: rotated right by 15 bits, plus 0xa282ead8.
 * Source: tensorflow/core/lib/io/record_writer.h and lib/hash/crc32c.h.
 *
 * The HParams records have the tags, plugin name and version of
 * tensorboard/plugins/hparams/metadata.py. Texts must be UTF-8. */
#ifndef REPORT_EVENT_FILE_H
#define REPORT_EVENT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* A value of a setting. */
struct event_hparam {
    const char *name;
    bool is_text;
    double number;
    const char *text;
};

struct event_metric {
    const char *tag, *name;
    bool is_of_training;
};

enum event_status { EVENT_SUCCESS, EVENT_FAILURE, EVENT_RUNNING };

/* The record that every file begins with. Times are Unix seconds. */
void event_file_begin(struct buf *out, double time_s);
/* The settings and metrics of all runs, which TensorBoard takes from the first run that has them.
 * hparams: all values, those of a setting one after another. */
void event_file_experiment(struct buf *out, double time_s, const struct event_hparam *hparams,
                           size_t n_hparams, const struct event_metric *metrics, size_t n_metrics);
/* group: sessions of one name form a group. */
void event_file_session_start(struct buf *out, double time_s, const char *group,
                              const struct event_hparam *hparams, size_t n_hparams);
/* time_s: 0 while it runs. */
void event_file_session_end(struct buf *out, double time_s, enum event_status status);
void event_file_scalar(struct buf *out, double time_s, int64_t step, const char *tag, double value);

#endif
