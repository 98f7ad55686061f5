/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of the JSON of a page, and its parts, internal to report/page. */
#ifndef REPORT_PAGE_PAGE_JSON_VALUE_H
#define REPORT_PAGE_PAGE_JSON_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "report/sweep/sweep_data.h"

/* Configurations and predictions that the script gets; it reports how many were left out. */
enum { PAGE_CONFIGS = 10000, PAGE_PREDICTIONS = 10000 };

/* Begin a member by its name, after a comma unless it is the first. */
void json_name(struct buf *out, const char *text);
/* Before each item of an array: a comma unless it is the first. */
void json_comma(struct buf *out);
/* Six significant digits; null for what is not finite. */
void json_real(struct buf *out, double value);
/* Without a name. */
void json_reals(struct buf *out, const double *values, int32_t n);

void json_put_real(struct buf *out, const char *member, double value);
void json_put_integer(struct buf *out, const char *member, int64_t value);
void json_put_bool(struct buf *out, const char *member, bool value);
void json_put_text(struct buf *out, const char *member, const char *text); /* NULL: null */
void json_put_id(struct buf *out, const char *member, int64_t id);         /* 0: null */
void json_put_reals(struct buf *out, const char *member, const double *values, int32_t n);
void json_put_integers(struct buf *out, const char *member, const int32_t *values, int32_t n);
void json_put_texts(struct buf *out, const char *member, const char *const *texts, int32_t n);

/* Configurations that the script gets. */
int32_t page_json_configs(const struct sweep_data *d);
bool page_json_has(const struct sweep_data *d, int64_t config);

/* Append members. */
void page_json_statistics(struct buf *out, const struct sweep_data *d);
void page_json_curves(struct buf *out, const struct sweep_data *d);
void page_json_predictions(struct buf *out, const struct sweep_data *d);
void page_json_tests(struct buf *out, const struct sweep_data *d);
void page_json_run(struct buf *out, const struct sweep_data *d);
void page_json_facts(struct buf *out, const struct sweep_data *d);

#endif
