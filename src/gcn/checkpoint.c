/* SPDX-License-Identifier: BSD-3-Clause */
/* struct head, struct books, vectors, the curve, and a hash of all. */
#include "gcn/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensor/gemm.h"

/* "CKP" and the format version: increase it when a field or the optimiser's state changes. */
#define CHECKPOINT_MAGIC 0x434b5001u

struct books {
    int32_t epochs_run, best_epoch;
    uint32_t trainer_steps;
    uint32_t more_workers; /* W - 1; 0 in the first versions, too */
    int64_t optimizer_steps;
    double value;
    double elapsed_s;
    double flops, first_flops;
    double seconds[GCN_PHASE_COUNT];
};

struct head {
    uint32_t magic;
    uint32_t n_vectors;
    struct hash key, machine;
    int64_t n_weights;
    int64_t form; /* enum first_form */
};

/* A mixed cluster has several of these libraries; bits depend on them. */
static struct hash machine(void)
{
    char text[256];

    snprintf(text, sizeof text, "%s %s %d", gemm_library(), gemm_kernel(), gemm_threads());
    return hash_text(text);
}

enum { MOST_VECTORS = 2 + OPTIMIZER_VECTORS };

/* [n_weights] each; returns their number. */
static uint32_t vectors(float *out[MOST_VECTORS], const struct checkpoint *c)
{
    uint32_t n = 0;

    out[n++] = c->trainer->model.weights;
    out[n++] = c->best;
    for (int i = 0; i < c->trainer->optimizer.n_vectors; i++)
        out[n++] = c->trainer->optimizer.vector[i];
    return n;
}

static struct head make_head(const struct checkpoint *c)
{
    float *out[MOST_VECTORS];
    struct head head;

    memset(&head, 0, sizeof head);
    head.magic = CHECKPOINT_MAGIC;
    head.n_vectors = vectors(out, c);
    head.key = c->key;
    head.machine = machine();
    head.n_weights = c->trainer->model.n_weights;
    head.form = c->trainer->pass.first.form;
    return head;
}

static size_t bytes_of(const struct checkpoint *c, int32_t epochs)
{
    float *out[MOST_VECTORS];
    size_t n_weights = (size_t)c->trainer->model.n_weights;

    return sizeof(struct head) + sizeof(struct books) +
           vectors(out, c) * n_weights * sizeof(float) + (size_t)epochs * sizeof(struct gcn_epoch) +
           sizeof(struct hash);
}

size_t checkpoint_bytes(const struct checkpoint *checkpoint)
{
    return bytes_of(checkpoint, checkpoint->outcome->epochs_run);
}

static uint32_t more_workers(const struct trainer *trainer)
{
    return (uint32_t)trainer->crew->n_workers - 1;
}

static void write_books(struct buf *out, const struct checkpoint *c)
{
    const struct trainer *trainer = c->trainer;
    struct books books;

    memset(&books, 0, sizeof books);
    books.epochs_run = c->outcome->epochs_run;
    books.best_epoch = c->outcome->best_epoch;
    books.trainer_steps = trainer->n_steps;
    books.more_workers = more_workers(trainer);
    books.optimizer_steps = trainer->optimizer.n_steps;
    books.value = c->outcome->value;
    books.elapsed_s = c->elapsed_s;
    books.flops = trainer->pass.flops;
    books.first_flops = trainer->pass.first.flops;
    memcpy(books.seconds, trainer->seconds, sizeof books.seconds);
    buf_add(out, &books, sizeof books);
}

void checkpoint_write(struct buf *out, const struct checkpoint *c)
{
    struct head head = make_head(c);
    float *vector[MOST_VECTORS];
    size_t begin = out->size;
    struct hash hash;

    buf_add(out, &head, sizeof head);
    write_books(out, c);
    for (uint32_t i = 0; i < vectors(vector, c); i++)
        buf_add(out, vector[i], (size_t)head.n_weights * sizeof(float));
    buf_add(out, c->outcome->curve, (size_t)c->outcome->epochs_run * sizeof(struct gcn_epoch));
    if (buf_failed(out))
        return;
    hash = hash_bytes(out->data + begin, out->size - begin);
    buf_add(out, &hash, sizeof hash);
}

/* The hash detects only accidental changes. */
static bool has_valid_books(const struct books *books)
{
    return books->best_epoch >= 0 && books->best_epoch <= books->epochs_run &&
           books->optimizer_steps >= 0 && books->elapsed_s >= 0 && isfinite(books->elapsed_s);
}

static bool is_ours(const struct checkpoint *c, const char *bytes, size_t n, struct books *books)
{
    struct head head = make_head(c);
    struct hash hash;

    if (n < bytes_of(c, 0) || memcmp(bytes, &head, sizeof head) != 0)
        return false;
    memcpy(books, bytes + sizeof head, sizeof *books);
    if (books->epochs_run < 1 || books->epochs_run > c->trainer->spec->epochs ||
        !has_valid_books(books) || books->more_workers != more_workers(c->trainer) ||
        n != bytes_of(c, books->epochs_run))
        return false;
    memcpy(&hash, bytes + n - sizeof hash, sizeof hash);
    return hash_equal(hash, hash_bytes(bytes, n - sizeof hash));
}

static void read_books(struct checkpoint *c, const struct books *books)
{
    struct trainer *trainer = c->trainer;

    c->outcome->epochs_run = books->epochs_run;
    c->outcome->best_epoch = books->best_epoch;
    c->outcome->value = books->value;
    c->elapsed_s = books->elapsed_s;
    trainer->n_steps = books->trainer_steps;
    trainer->optimizer.n_steps = books->optimizer_steps;
    trainer->pass.flops = books->flops;
    trainer->pass.first.flops = books->first_flops;
    memcpy(trainer->seconds, books->seconds, sizeof books->seconds);
}

int checkpoint_read(struct checkpoint *c, const void *bytes, size_t n)
{
    const char *at = bytes;
    size_t vector_bytes = (size_t)c->trainer->model.n_weights * sizeof(float);
    float *vector[MOST_VECTORS];
    struct books books;

    if (!is_ours(c, at, n, &books))
        return -1;
    at += sizeof(struct head) + sizeof books;
    for (uint32_t i = 0; i < vectors(vector, c); i++, at += vector_bytes)
        memcpy(vector[i], at, vector_bytes);
    memcpy(c->outcome->curve, at, (size_t)books.epochs_run * sizeof(struct gcn_epoch));
    read_books(c, &books);
    trainer_weights_came(c->trainer);
    return 0;
}

struct hash checkpoint_state_hash(const struct checkpoint *c)
{
    struct state {
        struct head head;
        struct hash vector[MOST_VECTORS];
        int64_t epochs_run;
    } state;
    float *vector[MOST_VECTORS];

    memset(&state, 0, sizeof state);
    state.head = make_head(c);
    for (uint32_t i = 0; i < vectors(vector, c); i++)
        state.vector[i] = hash_bytes(vector[i], (size_t)state.head.n_weights * sizeof(float));
    state.epochs_run = c->outcome->epochs_run;
    return hash_bytes(&state, sizeof state);
}
