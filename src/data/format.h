/* Data formats: their rows, and reading data of any of them. */
#ifndef DATA_FORMAT_H
#define DATA_FORMAT_H

#include "data/core/data_format.h"
#include "data/core/data_report.h"
#include "data/core/data_spec.h"
#include "data/core/dataset.h"

/* The format of a choice of data.format. */
const struct data_format *data_format_at(int64_t choice);

/* Format number i of all, from 0; NULL after the last. */
const struct data_format *data_format_next(size_t i);

/* The setting of [data], NULL: the format has no such. */
const struct data_setting *data_format_setting(const struct data_format *format, const char *key);

/* Read data from files, or simulate them, into a dataset. Pair with dataset_release(). -1 and err:
 * file:line, what was found, what is allowed. Local. */
int data_load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
              struct err *err);

#endif
