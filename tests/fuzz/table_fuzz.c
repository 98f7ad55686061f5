/* SPDX-License-Identifier: BSD-3-Clause */
/* A table, plain or gzip: read every cell. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/text/table.h"
#include "memfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct memfile file;
    struct table t;
    struct err err;
    double v;

    memfile_open(&file, bytes, n);
    if (table_open(&t, file.path, &err) == 0) {
        int64_t line = t.line;

        while (table_next(&t, &err) > 0) {
            if (t.line <= line || t.n_cols < 1)
                abort();
            line = t.line;
            for (int32_t j = 0; j < t.n_cols; j++)
                table_number(&v, &t, j, &err);
        }
        table_close(&t);
    }
    memfile_close(&file);
    return 0;
}
