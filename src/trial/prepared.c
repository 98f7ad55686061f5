/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/prepared.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "trial/spec.h"

/* A linear search is cheap beside a trial. */

/* Inputs and what describes them. */
struct inputs_entry {
    struct inputs_key key;
    void *outline, *inputs; /* owned; NULL: not made */
    bool is_view;           /* of adopted inputs, which stay */
    uint64_t used;          /* 0: empty */
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

static void drop_outline(struct inputs_entry *entry)
{
    if (entry->outline && entry->key.type->forget)
        entry->key.type->forget(entry->outline);
    free(entry->outline);
    entry->outline = NULL;
}

static void drop_inputs(struct inputs_entry *entry)
{
    if (entry->inputs)
        entry->key.type->release(entry->inputs);
    free(entry->inputs);
    entry->inputs = NULL;
}

static void inputs_entry_clear(struct inputs_entry *entry)
{
    drop_outline(entry);
    drop_inputs(entry);
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
    for (size_t i = 0; i < PREPARED_INPUTS; i++)
        inputs_entry_clear(&prepared->inputs[i]);
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

/* ---- inputs ---- */

/* NULL: these settings have none here. */
static const struct inputs_entry *find(const struct prepared *prepared, const struct settings *s)
{
    struct inputs_key key;
    struct err err;

    if (make_key(&key, prepared, s, &err) || !key.type)
        return NULL;
    for (int i = 0; i < PREPARED_INPUTS; i++)
        if (prepared->inputs[i].used && !memcmp(&prepared->inputs[i].key, &key, sizeof key))
            return &prepared->inputs[i];
    return NULL;
}

/* The entry of a key: a new one takes the place of the least recently used that is not adopted. */
static struct inputs_entry *entry_of(struct prepared *prepared, const struct inputs_key *key)
{
    struct inputs_entry *oldest = NULL;

    for (int i = 0; i < PREPARED_INPUTS; i++) {
        struct inputs_entry *entry = &prepared->inputs[i];

        if (entry->used && !memcmp(&entry->key, key, sizeof *key)) {
            entry->used = ++prepared->now;
            return entry;
        }
        if (!entry->is_view && (!oldest || entry->used < oldest->used))
            oldest = entry;
    }
    inputs_entry_clear(oldest);
    oldest->key = *key;
    oldest->used = ++prepared->now;
    return oldest;
}

static int make_outline(struct inputs_entry *entry, struct prepared *prepared, struct err *err)
{
    const struct inputs_type *type = entry->key.type;

    if (entry->outline)
        return 0;
    entry->outline = calloc(1, type->outline_size);
    if (!entry->outline)
        return err_nomem(err, "outline", type->outline_size);
    if (!type->outline(entry->outline, &prepared->derived, &entry->key, err))
        return 0;
    drop_outline(entry);
    return -1;
}

double prepared_inputs_bytes(const struct prepared *prepared, const struct settings *s)
{
    const struct inputs_entry *entry = find(prepared, s);

    return entry && entry->outline ? entry->key.type->bytes(entry->outline) : 0;
}

double prepared_all_bytes(const struct prepared *prepared)
{
    double bytes = 0;

    for (int i = 0; i < PREPARED_INPUTS; i++) {
        const struct inputs_entry *entry = &prepared->inputs[i];

        if (entry->outline)
            bytes += entry->key.type->bytes(entry->outline);
    }
    return bytes;
}

static int make_inputs(struct inputs_entry *entry, struct prepared *prepared, struct err *err)
{
    const struct inputs_type *type = entry->key.type;
    void *inputs;

    if (make_outline(entry, prepared, err))
        return -1;
    inputs = calloc(1, type->size);
    if (!inputs)
        return err_nomem(err, "inputs", type->size);
    if (type->make(inputs, entry->outline, &prepared->derived, &entry->key, err)) {
        free(inputs);
        return -1;
    }
    entry->inputs = inputs;
    return 0;
}

const void *prepared_inputs(struct prepared *prepared, const struct settings *s, struct err *err)
{
    struct inputs_entry *entry;
    struct inputs_key key;

    if (make_key(&key, prepared, s, err))
        return NULL;
    assert(key.type);
    entry = entry_of(prepared, &key);
    return entry->inputs || !make_inputs(entry, prepared, err) ? entry->inputs : NULL;
}

bool prepared_has_own(const struct prepared *prepared, const struct settings *s)
{
    const struct inputs_entry *entry = find(prepared, s);

    return entry && entry->inputs && !entry->is_view;
}

size_t prepared_packed_bytes(const struct prepared *prepared, const struct settings *s)
{
    const struct inputs_entry *entry = find(prepared, s);

    return packed_bytes(entry->key.type->packed, entry->inputs);
}

void prepared_pack(void *block, const struct prepared *prepared, const struct settings *s)
{
    const struct inputs_entry *entry = find(prepared, s);

    packed_write(block, entry->key.type->packed, entry->inputs);
}

int prepared_adopt(struct prepared *prepared, const struct settings *s, const void *block,
                   size_t bytes, struct err *err)
{
    struct inputs_entry *entry;
    struct inputs_key key;
    void *inputs;

    if (make_key(&key, prepared, s, err))
        return -1;
    assert(key.type);
    inputs = calloc(1, key.type->size);
    if (!inputs)
        return err_nomem(err, "inputs", key.type->size);
    if (packed_view(inputs, key.type->packed, prepared->data, block, bytes, err)) {
        free(inputs);
        return -1;
    }
    entry = entry_of(prepared, &key);
    drop_inputs(entry);
    entry->inputs = inputs;
    entry->is_view = true;
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
        struct inputs_entry *entry = entry_of(prepared, &key);

        if (make_outline(entry, prepared, err))
            return -1;
        outline = entry->outline;
    }
    split = prepared_split(prepared, s, 0, 0, err);
    if (!split)
        return -1;
    type->cost(work, &memory, s, prepared->data, outline, split);
    if (bytes)
        *bytes = memory;
    return 0;
}
