/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of named arrays, as the Python package safetensors reads them.
 *
 * The length of the header in 8 bytes, little-endian; the header, a JSON object of "__metadata__"
 * (names and texts) and for each array its type, shape and place; the arrays, without gaps, in the
 * machine's byte order, which must be little-endian.
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

/* Bytes of its data. */
size_t safetensors_bytes(const struct safetensor *tensor);

/* One more text of the metadata, a growing list. */
void safetensors_describe(struct buf *metadata, const char *name, const char *text);

/* Append a file. So that every array is aligned, those of larger types come first: in what order
 * the caller has them. metadata: of safetensors_describe(). */
void safetensors_write(struct buf *out, const struct buf *metadata,
                       const struct safetensor *tensors, size_t n);

/* In a file that safetensors_write() wrote, at an address that is aligned for doubles: the array
 * called name, a view of it that is inside the file and aligned; no size is above INT32_MAX. -1: it
 * has none such, or is damaged. */
int safetensors_find(struct safetensor *out, const void *file, size_t bytes, const char *name);

/* Whether it has this type and shape; of one dimension cols is 0. -1: any number of rows, or of
 * cols. */
bool safetensors_is(const struct safetensor *tensor, enum safetensors_type type, int64_t rows,
                    int64_t cols);

/* Of its metadata: the text called name, which is a number. -1: there is none such. */
int safetensors_number(double *out, const void *file, size_t bytes, const char *name);

/* The metadata of such a file, as safetensors_write() takes it. -1 likewise. */
int safetensors_metadata(struct buf *out, const void *file, size_t bytes);

#endif
