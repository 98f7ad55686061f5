/* SPDX-License-Identifier: BSD-3-Clause */
/* The data that the script of a page reads, written into a buffer.
 *
 * One JSON object, columnar: config.mean is an array with an entry for each configuration. Reals
 * have six significant digits; null stands where there is no value. No text can end the <script>
 * element around it. format: 1, and a larger number after an incompatible change. */
#ifndef REPORT_PAGE_JSON_H
#define REPORT_PAGE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "report/sweep/sweep_data.h"

/* Configurations and predictions that the script gets; it reports how many were left out. */
enum { PAGE_CONFIGS = 10000, PAGE_PREDICTIONS = 10000 };

/* Append an item of an array or a member of an object, with a comma before it unless it is the
 * first. ' stands for ". Values:
 *
 *   %d %lld     integers
 *   %i          false or true
 *   %g          six significant digits, whole numbers in full; null for what is not finite
 *   %.4g %.3f   as printf() writes them; null for what is not finite
 *   %s          a text; null for NULL */
void json_printf(struct buf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Append an array with an item for each i in 0 ... n - 1 that meets the condition. head: "'name':",
 * or "" for an array without a name. */
#define JSON_EACH_IF(out, head, i, n, condition, ...) \
    do {                                              \
        json_printf(out, head "[");                   \
        for (int32_t i = 0; i < (n); i++)             \
            if (condition)                            \
                json_printf(out, __VA_ARGS__);        \
        buf_putc(out, ']');                           \
    } while (0)
#define JSON_EACH(out, head, i, n, ...) JSON_EACH_IF(out, head, i, n, true, __VA_ARGS__)

/* True for a configuration that the script gets. */
bool json_has_config(const struct sweep_data *data, int64_t config);

#endif
