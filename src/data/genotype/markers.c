/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/genotype/markers.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/cpu.h"
#include "base/hash.h"
#include "data/core/dataset.h"
#include "data/core/filter.h"
#include "data/genotype/variants.h"
#include "data/text/table.h"

/* ---- names ---- */

/* Sorted hashes find equal names. A hash table of texts would take several times the memory of half
 * a million names. */

struct hashed {
    uint64_t hash;
    int32_t marker;
};

static int compare(const void *a, const void *b)
{
    const struct hashed *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->marker > y->marker) - (x->marker < y->marker);
}

bool markers_has_place(const char *chrom, int64_t pos)
{
    static const char *const none[] = {"", ".", "0", "un", "chr0", "chrun"};

    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (!strcasecmp(chrom, none[i]))
            return false;
    return pos > 0;
}

enum { NAME_SHORT, NAME_ALLELES, NAME_WHOLE };

bool markers_is_placed(const char *allele)
{
    char chrom[16];
    size_t n = strcspn(allele, "\t");

    if (!allele[n])
        return false; /* unknown alleles */
    if (n >= sizeof chrom)
        return true;
    memcpy(chrom, allele, n);
    chrom[n] = '\0';
    return markers_has_place(chrom, strtoll(allele + n + 1, NULL, 10));
}

static void put_name(struct buf *out, const struct markers *m, int32_t j, int length)
{
    const char *at = m->allele[j];
    bool is_named = *m->id[j] && !markers_is_placed(at);
    int n_tabs = 0;

    if (is_named)
        buf_puts(out, m->id[j]);
    for (; *at; at++) {
        n_tabs += *at == '\t';
        if (n_tabs == 2 && length == NAME_SHORT)
            break;
        if (!is_named || n_tabs >= 2)
            buf_putc(out, *at == '\t' ? '_' : *at);
    }
    if (length == NAME_WHOLE && *m->id[j])
        buf_printf(out, "_%s", m->id[j]);
    else if (length == NAME_WHOLE)
        buf_printf(out, "_%d", m->list[j].came + 1);
    buf_putc(out, '\0');
}

/* Returns REF and ALT of "CHROM\tPOS\tREF\tALT". */
static const char *skip_place(const char *allele)
{
    return strchr(strchr(allele, '\t') + 1, '\t') + 1;
}

/* True if b is the marker a once more. Without a place, the chromosome and position mean nothing. */
static bool is_repeated(const struct markers *m, int32_t a, int32_t b)
{
    bool is_placed = markers_is_placed(m->allele[a]) || markers_is_placed(m->allele[b]);

    if (is_placed ? strcmp(m->allele[a], m->allele[b]) != 0
                  : strcmp(skip_place(m->allele[a]), skip_place(m->allele[b])) != 0)
        return false;
    if (!*m->id[a] || !*m->id[b])
        return is_placed;
    return !strcmp(m->id[a], m->id[b]);
}

enum { DROPPED = UINT8_MAX };

/* Lengthens equal names and drops markers that occur again. Returns the number of both. sorted:
 * scratch [n]. */
static int32_t tell_apart(uint8_t *length, struct hashed *sorted, struct markers *m)
{
    int32_t n_changed = 0, n = 0;

    for (int32_t j = 0; j < m->n; j++)
        sorted[j] = (struct hashed){hash_text(m->name[j]).low, j};
    qsort(sorted, (size_t)m->n, sizeof *sorted, compare);
    for (int32_t k = 1, first = 0; k < m->n; k++) {
        int32_t a = sorted[first].marker, b = sorted[k].marker;
        uint8_t least = length[a] < length[b] ? length[a] : length[b];

        if (sorted[first].hash != sorted[k].hash || strcmp(m->name[a], m->name[b]) != 0) {
            first = k;
            continue;
        }
        n_changed++;
        if (is_repeated(m, a, b)) {
            length[b] = DROPPED;
        } else if (least < NAME_WHOLE) {
            length[a] += length[a] == least;
            length[b] += length[b] == least;
        } else {
            first = k;
            n_changed--;
        }
    }
    for (int32_t j = 0; j < m->n; j++) {
        if (length[j] == DROPPED) {
            examples_add(&m->repeated, ", ", "\"%.40s\"", m->name[j]);
            continue;
        }
        m->list[n] = m->list[j];
        m->allele[n] = m->allele[j];
        m->id[n] = m->id[j];
        length[n++] = length[j];
    }
    m->n = n;
    return n_changed;
}

int markers_name(struct markers *m, struct err *err)
{
    size_t n = (size_t)m->n;
    uint8_t *length = calloc(n, 1);
    struct hashed *sorted = malloc(n * sizeof *sorted);
    int32_t n_changed = -1;

    m->name = malloc(n * sizeof *m->name);
    m->allele = malloc(n * sizeof *m->allele);
    m->id = malloc(n * sizeof *m->id);
    if (!length || !sorted || !m->name || !m->allele || !m->id) {
        err_nomem(err, "names of variants", n * sizeof *sorted);
        goto done;
    }
    for (int32_t j = 0; j < m->n; j++) {
        m->allele[j] = m->text.data + m->list[j].text;
        m->id[j] = m->allele[j] + strlen(m->allele[j]) + 1;
    }
    do {
        const char *at;

        buf_clear(&m->name_text);
        for (int32_t j = 0; j < m->n; j++)
            put_name(&m->name_text, m, j, length[j]);
        if (buf_failed(&m->name_text)) {
            n_changed = err_nomem(err, "names of variants", m->name_text.size);
            break;
        }
        at = m->name_text.data;
        for (int32_t j = 0; j < m->n; j++, at += strlen(at) + 1)
            m->name[j] = at;
        n_changed = tell_apart(length, sorted, m);
    } while (n_changed > 0);
done:
    free(length);
    free(sorted);
    return n_changed;
}

/* ---- chunks ---- */

/* Genotypes are stored in chunks of WIDTH markers of the same form; a marker that needs a wider
 * form begins another. A chunk is (n_blocks, WIDTH, bytes of BLOCK samples). The dataset block is
 * written BLOCK samples at a time, and the written part of a chunk returns to the system at once,
 * so that both together take little more than the larger one. */

enum { WIDTH = 4096, BLOCK = 256 };
/* The bytes of so many markers in a block fit the first-level cache. */
enum { RUN = 512 };

enum form { FORM_PACKED, FORM_BYTES, FORM_FLOATS };
static const int form_bytes[] = {
    [FORM_PACKED] = BLOCK / 4, [FORM_BYTES] = BLOCK, [FORM_FLOATS] = BLOCK * sizeof(float)};

struct marker_chunk {
    uint8_t *bytes; /* from mmap() */
    enum form form;
    int32_t first; /* its first marker */
    int32_t n;
};

static int32_t n_blocks(int32_t n_samples)
{
    return (int32_t)(((int64_t)n_samples + BLOCK - 1) / BLOCK);
}

int64_t markers_packed_bytes(int32_t n)
{
    return (int64_t)n_blocks(n) * form_bytes[FORM_PACKED];
}

static size_t chunk_bytes(const struct markers *m, enum form form)
{
    return (size_t)n_blocks(m->n_samples) * WIDTH * (size_t)form_bytes[form];
}

int markers_init(struct markers *m, int32_t n_samples, struct err *err)
{
    size_t padded = (size_t)n_blocks(n_samples) * BLOCK;

    *m = (struct markers){.n_samples = n_samples};
    m->dosage = malloc(padded);
    m->packed = malloc(padded / 4);
    m->value = calloc(padded, sizeof *m->value);
    if (!m->dosage || !m->packed || !m->value)
        return err_nomem(err, "genotypes of a variant", padded * sizeof *m->value);
    memset(m->dosage, (unsigned char)DOSAGE_MISSING, padded);
    return 0;
}

static void release_chunks(struct markers *m)
{
    for (int32_t i = 0; i < m->n_chunks; i++)
        munmap(m->chunk[i].bytes, chunk_bytes(m, m->chunk[i].form));
    free(m->chunk);
    m->chunk = NULL;
    m->n_chunks = 0;
    m->chunk_capacity = 0;
}

void markers_release(struct markers *m)
{
    if (!m)
        return;
    release_chunks(m);
    free(m->list);
    buf_release(&m->text);
    buf_release(&m->name_text);
    free(m->name);
    free(m->allele);
    free(m->id);
    free(m->dosage);
    free(m->packed);
    free(m->value);
    memset(m, 0, sizeof *m);
}

/* ---- in ---- */

/* Returns the last chunk if it has room for a marker of this form, else a new one. */
static struct marker_chunk *open_chunk(struct markers *m, enum form form, struct err *err)
{
    struct marker_chunk *last = m->n_chunks ? &m->chunk[m->n_chunks - 1] : NULL;
    size_t bytes = chunk_bytes(m, form);
    void *pages;

    if (last && last->n < WIDTH && form <= last->form)
        return last;
    if (array_extend(&m->chunk, &m->chunk_capacity, (size_t)m->n_chunks, sizeof *m->chunk,
                     "genotypes", err))
        return NULL;
    pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        err_nomem(err, "genotypes", bytes);
        return NULL;
    }
    m->chunk[m->n_chunks] = (struct marker_chunk){.bytes = pages, .form = form, .first = m->n};
    return &m->chunk[m->n_chunks++];
}

static const int8_t of_code[] = {
    [PACKED_ZERO] = 0, [PACKED_ONE] = 1, [PACKED_TWO] = 2, [PACKED_MISSING] = DOSAGE_MISSING};

/* Returns the calls in the form of a chunk, padded: in the scratch arrays, unless they are packed. */
static const void *convert(struct markers *m, const struct calls *calls, enum form form)
{
    static const uint8_t code[256] = {[0] = PACKED_ZERO,
                                      [1] = PACKED_ONE,
                                      [2] = PACKED_TWO,
                                      [(uint8_t) DOSAGE_MISSING] = PACKED_MISSING};
    int64_t n_bytes = markers_packed_bytes(m->n_samples);
    const int8_t *dosage = m->dosage;

    if (form == FORM_PACKED && calls->packed)
        return calls->packed;
    if (calls->value) {
        memcpy(m->value, calls->value, (size_t)m->n_samples * sizeof *m->value);
        return m->value;
    }
    if (calls->dosage)
        memcpy(m->dosage, calls->dosage, (size_t)m->n_samples);
    for (int32_t i = 0; calls->packed && i < m->n_samples; i++)
        m->dosage[i] = of_code[calls->packed[i / 4] >> 2 * (i % 4) & 3];
    if (form == FORM_BYTES)
        return m->dosage;
    if (form == FORM_PACKED) {
        for (int64_t i = 0; i < n_bytes; i++, dosage += 4) /* 0, 1, 2 or missing, and padded */
            m->packed[i] = (uint8_t)(code[(uint8_t)dosage[0]] | code[(uint8_t)dosage[1]] << 2 |
                                     code[(uint8_t)dosage[2]] << 4 | code[(uint8_t)dosage[3]] << 6);
        return m->packed;
    }
    for (int32_t i = 0; i < m->n_samples; i++)
        m->value[i] = m->dosage[i] == DOSAGE_MISSING ? NAN : (float)m->dosage[i];
    return m->value;
}

int markers_add(struct markers *m, const struct site *site, int32_t alt, const struct calls *calls,
                const struct tally *tally, struct err *err)
{
    bool is_small = !calls->value && tally->low >= 0 && tally->high <= 2;
    enum form form = calls->value ? FORM_FLOATS : is_small ? FORM_PACKED : FORM_BYTES;
    struct marker_chunk *chunk;
    const uint8_t *from;
    size_t size;

    if (m->n == INT32_MAX)
        return err_set(err, "more than %d variants", m->n);
    if (array_extend(&m->list, &m->capacity, (size_t)m->n, sizeof *m->list, "variants", err))
        return -1;
    chunk = open_chunk(m, form, err);
    if (!chunk)
        return -1;
    from = convert(m, calls, chunk->form);
    size = (size_t)form_bytes[chunk->form];
    for (int32_t b = 0; b < n_blocks(m->n_samples); b++)
        memcpy(chunk->bytes + ((size_t)b * WIDTH + (size_t)chunk->n) * size,
               from + (size_t)b * size, size);
    chunk->n++;
    m->list[m->n] = (struct marker){
        .text = m->text.size,
        .came = m->n,
        .n_missing = m->n_samples - tally->n_present,
        .fill = (float)(tally->sum / tally->n_present),
    };
    buf_printf(&m->text, "%s\t%lld\t%s\t%s", site->chrom, (long long)site->pos, site->ref,
               site->alt[alt]);
    buf_putc(&m->text, '\0');
    if (!table_is_missing(site->id)) {
        buf_puts(&m->text, site->id);
        m->has_ids = true;
    }
    buf_putc(&m->text, '\0');
    if (buf_failed(&m->text))
        return err_nomem(err, "names of variants", m->text.size);
    m->has_fractions = m->has_fractions || calls->value;
    m->n++;
    return 0;
}

void markers_thin(struct markers *m, int32_t n)
{
    if (n >= m->n)
        return;
    for (int32_t i = 0; i < n; i++)
        m->list[i] = m->list[(int64_t)i * m->n / n];
    m->n = n;
}

/* ---- out ---- */

/* Up to RUN markers of a chunk. */
struct run {
    const struct marker_chunk *chunk;
    const struct marker *marker; /* [n] */
    int32_t n;
    const uint8_t *from; /* of the current samples */
    int64_t to;          /* of the first genotype */
    int64_t row_size;
    int8_t *dosage; /* one is NULL */
    float *features;
};

/* Arithmetic, which gcc vectorises: 0 is two, 1 missing, 2 one, 3 zero. */
CLONES static void expand(int8_t *restrict out, const uint8_t *restrict packed, int shift,
                          int32_t n)
{
    for (int32_t j = 0; j < n; j++) {
        uint8_t code = packed[j] >> shift & 3;
        uint8_t is_missing = (uint8_t) - (code == PACKED_MISSING);
        uint8_t count = (uint8_t)((3 - code) - (code < PACKED_ONE));

        out[j] = (int8_t)((count & ~is_missing) | ((uint8_t)DOSAGE_MISSING & is_missing));
    }
}

static const uint8_t *bytes_of(const struct run *run, int32_t j)
{
    return run->from +
           (int64_t)(run->marker[j].came - run->chunk->first) * form_bytes[run->chunk->form];
}

static void put_row(const struct run *run, int32_t row, const int8_t *dosage)
{
    int64_t to = run->to + row * run->row_size;

    if (run->dosage)
        memcpy(run->dosage + to, dosage, (size_t)run->n);
    for (int32_t j = 0; run->features && j < run->n; j++)
        run->features[to + j] =
            dosage[j] == DOSAGE_MISSING ? run->marker[j].fill : (float)dosage[j];
}

static void write_packed(const struct run *run, int32_t n_rows)
{
    uint8_t packed[RUN];
    int8_t dosage[RUN];

    for (int32_t i = 0; i < n_rows; i++) {
        for (int32_t j = 0; i % 4 == 0 && j < run->n; j++)
            packed[j] = bytes_of(run, j)[i / 4];
        expand(dosage, packed, 2 * (i % 4), run->n);
        put_row(run, i, dosage);
    }
}

static void write_bytes(const struct run *run, int32_t n_rows)
{
    int8_t dosage[RUN];

    for (int32_t i = 0; i < n_rows; i++) {
        for (int32_t j = 0; j < run->n; j++)
            dosage[j] = (int8_t)bytes_of(run, j)[i];
        put_row(run, i, dosage);
    }
}

static void write_floats(const struct run *run, int32_t n_rows)
{
    for (int32_t i = 0; i < n_rows; i++)
        for (int32_t j = 0; j < run->n; j++) {
            float v;

            memcpy(&v, bytes_of(run, j) + (size_t)i * sizeof v, sizeof v);
            run->features[run->to + i * run->row_size + j] = isnan(v) ? run->marker[j].fill : v;
        }
}

/* Writes markers from number `at` on, for one block of samples. Returns the next number. */
static int32_t write_chunk(const struct markers *m, struct run *run, int32_t at, int32_t row)
{
    int32_t n_rows = m->n_samples - row < BLOCK ? m->n_samples - row : BLOCK;

    while (at < m->n && m->list[at].came < run->chunk->first + run->chunk->n) {
        run->marker = &m->list[at];
        run->to = (int64_t)row * m->n + at;
        for (run->n = 0;
             run->n < RUN && at < m->n && m->list[at].came < run->chunk->first + run->chunk->n;
             run->n++)
            at++;
        if (run->chunk->form == FORM_PACKED)
            write_packed(run, n_rows);
        else if (run->chunk->form == FORM_BYTES)
            write_bytes(run, n_rows);
        else
            write_floats(run, n_rows);
    }
    return at;
}

void markers_write(void *markers, int8_t *dosage, float *fill, float *features)
{
    struct markers *m = markers;

    for (int32_t j = 0; fill && j < m->n; j++)
        fill[j] = m->list[j].fill;
    for (int32_t row = 0; row < m->n_samples; row += BLOCK) {
        int32_t at = 0;

        for (int32_t c = 0; c < m->n_chunks; c++) {
            size_t size = (size_t)WIDTH * (size_t)form_bytes[m->chunk[c].form];
            uint8_t *from = m->chunk[c].bytes + (size_t)(row / BLOCK) * size;
            struct run run = {.chunk = &m->chunk[c],
                              .from = from,
                              .row_size = m->n,
                              .dosage = dosage,
                              .features = features};

            at = write_chunk(m, &run, at, row);
            madvise(from, size, MADV_DONTNEED);
        }
    }
    release_chunks(m);
}
