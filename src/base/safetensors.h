/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of named arrays in the format of the Python package safetensors: the length of a JSON
 * header, the header, the arrays. Numbers are little-endian, as the machine must be.
 * Source: https://github.com/huggingface/safetensors, "Format". */
#ifndef BASE_SAFETENSORS_H
#define BASE_SAFETENSORS_H

#include "base/buf.h"

enum safetensors_type { SAFETENSORS_F64, SAFETENSORS_F32, SAFETENSORS_U8 };

struct safetensor {
    char name[48]; /* letters, digits, '.' and '_' */
    enum safetensors_type type;
    int32_t n_dims; /* 1 or 2 */
    int64_t shape[2];
    const void *data; /* row-major; borrowed */
};

size_t safetensors_bytes(const struct safetensor *tensor);

void safetensors_describe(struct buf *metadata, const char *name, const char *text);

/* Append a file. Larger types come first, for alignment. */
void safetensors_write(struct buf *out, const struct buf *metadata,
                       const struct safetensor *tensors, size_t n);

/* Find an array in a file of safetensors_write(), aligned for doubles. out is a view inside it,
 * with sizes up to INT32_MAX. -1: not found, or damaged. */
int safetensors_find(struct safetensor *out, const void *file, size_t bytes, const char *name);

/* cols 0: one dimension; -1: any. */
bool safetensors_is(const struct safetensor *tensor, enum safetensors_type type, int64_t rows,
                    int64_t cols);

/* Parse the metadata text `name`. -1: not a number. */
int safetensors_number(double *out, const void *file, size_t bytes, const char *name);

/* Append a file's metadata, as safetensors_write() takes it. -1: none, or damaged. */
int safetensors_metadata(struct buf *out, const void *file, size_t bytes);

#endif
