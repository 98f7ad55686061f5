/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/prepared.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "trial/spec.h"

/* A linear search is cheap beside a trial. */

struct inputs_entry {
    struct inputs_key key;
    void *inputs; /* owned */
    bool is_view;
    uint64_t used; /* 0: empty */
};

struct outline_entry {
    struct inputs_key key;
    void *outline; /* owned */
    uint64_t used; /* 0: empty */
};

struct split_entry {
    struct split_spec spec;
    struct split split;
    uint64_t used;
};

struct prepared {
    const struct dataset *data;
    uint64_t now; /* counts requests */
    struct derived derived;
    struct inputs_entry inputs[PREPARED_INPUTS];
    struct outline_entry outlines[PREPARED_INPUTS];
    struct split_entry splits[PREPARED_SPLITS];
};

struct prepared *prepared_create(const struct dataset *data, struct err *err)
{
    struct prepared *prepared = calloc(1, sizeof *prepared);

    if (!prepared) {
        err_nomem(err, "cache", sizeof *prepared);
        return NULL;
    }
    prepared->data = data;
    derived_init(&prepared->derived, data);
    return prepared;
}

static void inputs_entry_clear(struct inputs_entry *entry)
{
    if (entry->used)
        entry->key.type->release(entry->inputs);
    free(entry->inputs);
    memset(entry, 0, sizeof *entry);
}

static void outline_entry_clear(struct outline_entry *entry)
{
    if (entry->used && entry->key.type->forget)
        entry->key.type->forget(entry->outline);
    free(entry->outline);
    memset(entry, 0, sizeof *entry);
}

static void split_entry_clear(struct split_entry *entry)
{
    if (entry->used)
        split_release(&entry->split);
    memset(entry, 0, sizeof *entry);
}

void prepared_destroy(struct prepared *prepared)
{
    if (!prepared)
        return;
    for (size_t i = 0; i < PREPARED_INPUTS; i++) {
        inputs_entry_clear(&prepared->inputs[i]);
        outline_entry_clear(&prepared->outlines[i]);
    }
    for (size_t i = 0; i < PREPARED_SPLITS; i++)
        split_entry_clear(&prepared->splits[i]);
    derived_release(&prepared->derived);
    free(prepared);
}

static int make_key(struct inputs_key *key, const struct prepared *prepared,
                    const struct settings *s, struct err *err)
{
    memset(key, 0, sizeof *key);
    key->type = model_type_of(s)->inputs;
    return key->type ? key->type->key(key, prepared->data, s, err) : 0;
}

/* ---- outlines ---- */

/* -1: none */
static int find_outline(const struct prepared *prepared, const struct inputs_key *key)
{
    for (int i = 0; i < PREPARED_INPUTS; i++)
        if (prepared->outlines[i].used && !memcmp(&prepared->outlines[i].key, key, sizeof *key))
            return i;
    return -1;
}

static struct outline_entry *free_outline(struct prepared *prepared)
{
    struct outline_entry *oldest = &prepared->outlines[0];

    for (int i = 1; i < PREPARED_INPUTS; i++)
        if (prepared->outlines[i].used < oldest->used)
            oldest = &prepared->outlines[i];
    outline_entry_clear(oldest);
    return oldest;
}

static int make_outline(struct outline_entry *entry, struct prepared *prepared,
                        const struct inputs_key *key, struct err *err)
{
    entry->key = *key;
    entry->outline = calloc(1, key->type->outline_size);
    if (!entry->outline)
        return err_nomem(err, "outline", key->type->outline_size);
    entry->used = ++prepared->now;
    if (!key->type->outline(entry->outline, &prepared->derived, key, err))
        return 0;
    outline_entry_clear(entry);
    return -1;
}

static void *outline_of(struct prepared *prepared, const struct inputs_key *key, struct err *err)
{
    int found = find_outline(prepared, key);
    struct outline_entry *entry = found < 0 ? free_outline(prepared) : &prepared->outlines[found];

    if (found < 0 && make_outline(entry, prepared, key, err))
        return NULL;
    entry->used = ++prepared->now;
    return entry->outline;
}

double prepared_inputs_bytes(const struct prepared *prepared, const struct settings *s)
{
    struct inputs_key key;
    struct err err;
    int found = -1;

    if (!make_key(&key, prepared, s, &err) && key.type)
        found = find_outline(prepared, &key);
    return found < 0 ? 0 : key.type->bytes(prepared->outlines[found].outline);
}

double prepared_all_bytes(const struct prepared *prepared)
{
    double bytes = 0;

    for (int i = 0; i < PREPARED_INPUTS; i++) {
        const struct outline_entry *entry = &prepared->outlines[i];

        if (entry->used)
            bytes += entry->key.type->bytes(entry->outline);
    }
    return bytes;
}

/* ---- inputs ---- */

/* -1: none */
static int find_inputs(const struct prepared *prepared, const struct inputs_key *key)
{
    for (int i = 0; i < PREPARED_INPUTS; i++)
        if (prepared->inputs[i].used && !memcmp(&prepared->inputs[i].key, key, sizeof *key))
            return i;
    return -1;
}

/* Empty and return the least recently used entry that is not adopted. */
static struct inputs_entry *free_inputs(struct prepared *prepared)
{
    struct inputs_entry *oldest = NULL;

    for (int i = 0; i < PREPARED_INPUTS; i++) {
        struct inputs_entry *entry = &prepared->inputs[i];

        if (!entry->is_view && (!oldest || entry->used < oldest->used))
            oldest = entry;
    }
    inputs_entry_clear(oldest);
    return oldest;
}

/* The entry stays empty after a failure. */
static int make_inputs(struct inputs_entry *entry, struct prepared *prepared,
                       const struct inputs_key *key, struct err *err)
{
    void *outline = outline_of(prepared, key, err);

    if (!outline)
        return -1;
    entry->inputs = calloc(1, key->type->size);
    if (!entry->inputs)
        return err_nomem(err, "inputs", key->type->size);
    if (!key->type->make(entry->inputs, outline, &prepared->derived, key, err))
        return 0;
    free(entry->inputs);
    entry->inputs = NULL;
    return -1;
}

const void *prepared_inputs(struct prepared *prepared, const struct settings *s, struct err *err)
{
    struct inputs_entry *entry;
    struct inputs_key key;
    int found;

    if (make_key(&key, prepared, s, err))
        return NULL;
    assert(key.type);
    found = find_inputs(prepared, &key);
    entry = found < 0 ? free_inputs(prepared) : &prepared->inputs[found];
    if (found < 0 && make_inputs(entry, prepared, &key, err))
        return NULL;
    entry->key = key;
    entry->used = ++prepared->now;
    return entry->inputs;
}

/* NULL if the inputs are absent or adopted. */
static const struct inputs_entry *own_inputs(const struct prepared *prepared,
                                             const struct settings *s)
{
    struct inputs_key key;
    struct err err;
    int found = -1;

    if (!make_key(&key, prepared, s, &err) && key.type)
        found = find_inputs(prepared, &key);
    return found < 0 || prepared->inputs[found].is_view ? NULL : &prepared->inputs[found];
}

bool prepared_has_own(const struct prepared *prepared, const struct settings *s)
{
    return own_inputs(prepared, s) != NULL;
}

size_t prepared_packed_bytes(const struct prepared *prepared, const struct settings *s)
{
    const struct inputs_entry *entry = own_inputs(prepared, s);

    return entry->key.type->packed_bytes(entry->inputs);
}

void prepared_pack(void *block, const struct prepared *prepared, const struct settings *s)
{
    const struct inputs_entry *entry = own_inputs(prepared, s);

    entry->key.type->pack(block, entry->inputs);
}

int prepared_adopt(struct prepared *prepared, const struct settings *s, const void *block,
                   size_t bytes, struct err *err)
{
    struct inputs_entry *entry;
    struct inputs_key key;
    void *inputs;
    int found;

    if (make_key(&key, prepared, s, err))
        return -1;
    assert(key.type);
    inputs = calloc(1, key.type->size);
    if (!inputs)
        return err_nomem(err, "inputs", key.type->size);
    if (key.type->view(inputs, prepared->data, block, bytes, err)) {
        free(inputs);
        return -1;
    }
    found = find_inputs(prepared, &key);
    entry = found < 0 ? free_inputs(prepared) : &prepared->inputs[found];
    inputs_entry_clear(entry);
    *entry = (struct inputs_entry){
        .key = key, .inputs = inputs, .is_view = true, .used = ++prepared->now};
    return 0;
}

int prepared_columns(int32_t *n, struct prepared *prepared, const struct settings *s,
                     struct err *err)
{
    struct gcn_inputs_spec spec;
    const struct mat *l;

    spec_inputs(&spec, s);
    if (reducer_check(&spec, prepared->data, err))
        return -1;
    *n = prepared->data->n_features;
    if (reducer_keeps(prepared->data, spec.reduce))
        return 0;
    l = derived_features(&prepared->derived, &spec, err);
    if (l)
        *n = l->n_cols;
    return l ? 0 : -1;
}

int prepared_graph(struct csr *out, struct prepared *prepared, const struct graph_spec *spec,
                   struct err *err)
{
    return derived_graph(out, &prepared->derived, spec, err);
}

/* ---- splits ---- */

const struct split *prepared_split(struct prepared *prepared, const struct settings *s,
                                   int32_t replicate, int32_t fold, struct err *err)
{
    struct split_entry *oldest = &prepared->splits[0];
    struct split_spec spec;

    spec_split(&spec, s, replicate, fold);
    for (size_t i = 0; i < PREPARED_SPLITS; i++) {
        struct split_entry *entry = &prepared->splits[i];

        if (entry->used && !memcmp(&entry->spec, &spec, sizeof spec)) {
            entry->used = ++prepared->now;
            return &entry->split;
        }
        if (entry->used < oldest->used)
            oldest = entry;
    }
    split_entry_clear(oldest);
    if (split_make(&oldest->split, prepared->data, &spec, err))
        return NULL;
    oldest->spec = spec;
    oldest->used = ++prepared->now;
    return &oldest->split;
}

/* ---- cost ---- */

int prepared_cost(struct gcn_cost *work, double *bytes, struct prepared *prepared,
                  const struct settings *s, struct err *err)
{
    const struct model_type *type = model_type_of(s);
    const void *outline = NULL;
    const struct split *split;
    struct inputs_key key;
    double memory = 0;

    *work = (struct gcn_cost){0};
    if (bytes)
        *bytes = 0;
    if (!type->trains)
        return 0;
    if (make_key(&key, prepared, s, err))
        return -1;
    if (type->inputs) {
        outline = outline_of(prepared, &key, err);
        if (!outline)
            return -1;
    }
    split = prepared_split(prepared, s, 0, 0, err);
    if (!split)
        return -1;
    type->cost(work, &memory, s, prepared->data, outline, split);
    if (bytes)
        *bytes = memory;
    return 0;
}
