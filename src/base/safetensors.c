/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/safetensors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

#define ALIGNMENT 8

static const struct {
    const char *name;
    size_t bytes;
} types[] = {
    [SAFETENSORS_F64] = {"F64", 8}, [SAFETENSORS_F32] = {"F32", 4}, [SAFETENSORS_U8] = {"U8", 1}};

enum { N_TYPES = sizeof types / sizeof *types };

static size_t count(const struct safetensor *t)
{
    return (size_t)t->shape[0] * (t->n_dims == 2 ? (size_t)t->shape[1] : 1);
}

size_t safetensors_bytes(const struct safetensor *t)
{
    return count(t) * types[t->type].bytes;
}

void safetensors_describe(struct buf *metadata, const char *name, const char *text)
{
    buf_puts(metadata, metadata->size ? "," : "");
    escape_json(metadata, name);
    buf_putc(metadata, ':');
    escape_json(metadata, text);
}

/* ---- writing ---- */

static size_t put_entry(struct buf *header, const struct safetensor *t, size_t at)
{
    size_t end = at + safetensors_bytes(t);

    buf_putc(header, ',');
    escape_json(header, t->name);
    buf_printf(header, ":{\"dtype\":\"%s\",\"shape\":[%" PRId64, types[t->type].name, t->shape[0]);
    if (t->n_dims == 2)
        buf_printf(header, ",%" PRId64, t->shape[1]);
    buf_printf(header, "],\"data_offsets\":[%zu,%zu]}", at, end);
    return end;
}

static void put_header(struct buf *header, const struct buf *metadata,
                       const struct safetensor *tensors, size_t n)
{
    size_t at = 0;

    buf_printf(header, "{\"__metadata__\":{%s}", buf_text(metadata));
    for (int type = 0; type < N_TYPES; type++)
        for (size_t i = 0; i < n; i++)
            if ((int)tensors[i].type == type)
                at = put_entry(header, &tensors[i], at);
    buf_putc(header, '}');
    while (header->size % ALIGNMENT)
        buf_putc(header, ' ');
}

void safetensors_write(struct buf *out, const struct buf *metadata,
                       const struct safetensor *tensors, size_t n)
{
    struct buf header = {0};

    put_header(&header, metadata, tensors, n);
    out->failed |= buf_failed(&header) || buf_failed(metadata);
    buf_put_i64(out, (int64_t)header.size);
    buf_add(out, header.data, header.size);
    for (int type = 0; type < N_TYPES; type++)
        for (size_t i = 0; i < n; i++)
            if ((int)tensors[i].type == type)
                buf_add(out, tensors[i].data, safetensors_bytes(&tensors[i]));
    buf_release(&header);
}

/* ---- reading ---- */

struct file {
    const char *header, *data;
    size_t header_bytes, data_bytes;
};

/* From the start of the data. */
static uint64_t end_of_arrays(const struct file *f)
{
    static const char text[] = "\"data_offsets\":[";
    const char *at = f->header, *end = f->data;
    uint64_t most = 0, place[2];
    char numbers[48];

    while ((at = memmem(at, (size_t)(end - at), text, strlen(text)))) {
        size_t left;

        at += strlen(text);
        left = (size_t)(end - at);
        snprintf(numbers, sizeof numbers, "%.*s", (int)(left < 40 ? left : 40), at);
        if (sscanf(numbers, "%" SCNu64 ",%" SCNu64 "]", &place[0], &place[1]) == 2 &&
            place[1] > most)
            most = place[1];
    }
    return most;
}

/* True if the header is one JSON object and its last array ends with the file. */
static bool has_form(const struct file *f)
{
    size_t n = f->header_bytes;

    while (n && f->header[n - 1] == ' ')
        n--;
    return n >= 2 && f->header[0] == '{' && f->header[n - 1] == '}' &&
           end_of_arrays(f) == f->data_bytes;
}

static int open_file(struct file *f, const void *file, size_t bytes)
{
    int64_t n = 0;

    if (bytes < sizeof n)
        return -1;
    memcpy(&n, file, sizeof n);
    if (n < 0 || (size_t)n > bytes - sizeof n)
        return -1;
    f->header = (const char *)file + sizeof n;
    f->header_bytes = (size_t)n;
    f->data = f->header + n;
    f->data_bytes = bytes - sizeof n - (size_t)n;
    return has_form(f) ? 0 : -1;
}

/* Copy up to size - 1 bytes behind `text`. Quotes in JSON texts are escaped, so "name": matches
 * only a member's name. */
static const char *after(char *out, size_t size, const struct file *f, const char *text)
{
    size_t n = strlen(text), left;
    const char *found = memmem(f->header, f->header_bytes, text, n);

    if (!found)
        return NULL;
    found += n;
    left = (size_t)(f->header + f->header_bytes - found);
    n = left < size - 1 ? left : size - 1;
    memcpy(out, found, n);
    out[n] = '\0';
    return found;
}

/* Parse a member behind "dtype":", with one or two dimensions. */
static int parse_entry(struct safetensor *out, char type[4], uint64_t place[2], const char *entry)
{
    if (sscanf(entry,
               "%3[A-Z0-9]\",\"shape\":[%" SCNd64 "],\"data_offsets\":[%" SCNu64 ",%" SCNu64 "]}",
               type, &out->shape[0], &place[0], &place[1]) == 4) {
        out->n_dims = 1;
        return 0;
    }
    out->n_dims = 2;
    return sscanf(entry,
                  "%3[A-Z0-9]\",\"shape\":[%" SCNd64 ",%" SCNd64 "],\"data_offsets\":[%" SCNu64
                  ",%" SCNu64 "]}",
                  type, &out->shape[0], &out->shape[1], &place[0], &place[1]) == 5
               ? 0
               : -1;
}

static bool is_size(int64_t n)
{
    return n >= 0 && n <= INT32_MAX;
}

/* True if this array fits its place in the file, aligned. */
static bool is_placed(const struct safetensor *t, const uint64_t place[2], const struct file *f)
{
    size_t before = sizeof(int64_t) + f->header_bytes, each = types[t->type].bytes;

    if (!is_size(t->shape[0]) || !is_size(t->shape[1]) || place[0] > place[1] ||
        place[1] > f->data_bytes || (before + place[0]) % each)
        return false;
    /* Elements first: the size in bytes can overflow 64 bits. */
    return count(t) <= f->data_bytes && safetensors_bytes(t) == place[1] - place[0];
}

int safetensors_find(struct safetensor *out, const void *file, size_t bytes, const char *name)
{
    char key[64], entry[192], type[4];
    uint64_t place[2];
    struct file f;

    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", name);
    snprintf(key, sizeof key, "\"%s\":{\"dtype\":\"", name);
    if (open_file(&f, file, bytes) || !after(entry, sizeof entry, &f, key) ||
        parse_entry(out, type, place, entry))
        return -1;
    while ((int)out->type < N_TYPES && strcmp(types[out->type].name, type) != 0)
        out->type++;
    if ((int)out->type == N_TYPES || !is_placed(out, place, &f))
        return -1;
    out->data = f.data + place[0];
    return 0;
}

bool safetensors_is(const struct safetensor *t, enum safetensors_type type, int64_t rows,
                    int64_t cols)
{
    return t->type == type && t->n_dims == (cols ? 2 : 1) && (rows < 0 || t->shape[0] == rows) &&
           (cols < 0 || t->shape[1] == cols);
}

int safetensors_number(double *out, const void *file, size_t bytes, const char *name)
{
    char key[64], text[64], *end;
    struct file f;

    snprintf(key, sizeof key, "\"%s\":\"", name);
    if (open_file(&f, file, bytes) || !after(text, sizeof text, &f, key))
        return -1;
    *out = strtod(text, &end);
    return end == text || *end != '"' ? -1 : 0;
}

int safetensors_metadata(struct buf *out, const void *file, size_t bytes)
{
    bool is_quoted = false;
    struct file f;
    const char *at, *end;
    char rest[2];

    if (open_file(&f, file, bytes))
        return -1;
    at = after(rest, sizeof rest, &f, "\"__metadata__\":{");
    if (!at)
        return -1;
    for (end = at; end < f.data && (is_quoted || *end != '}'); end++) {
        if (*end == '\\' && is_quoted)
            end++;
        else if (*end == '"')
            is_quoted = !is_quoted;
    }
    if (end >= f.data)
        return -1;
    buf_add(out, at, (size_t)(end - at));
    return 0;
}
