#include "trial/prepared.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "data/core/dataset.h"
#include "data/core/split.h"
#include "data/graph/graph.h"
#include "gcn/cost.h"
#include "gcn/inputs.h"
#include "gcn/reducer.h"
#include "gcn/train.h"
#include "grid/param.h"
#include "grid/settings.h"
#include "trial/kept.h"
#include "trial/spec.h"

void reduced_init(struct reduced *reduced, const struct dataset *data)
{
    *reduced = (struct reduced){.data = data, .limit_bytes = memory_limit_bytes()};
}

void reduced_release(struct reduced *reduced)
{
    if (!reduced)
        return;
    reducer_release(&reduced->reducer);
    for (int i = 0; i < REDUCED_KEPT; i++)
        mat_release(&reduced->kept[i].l);
    *reduced = (struct reduced){.data = reduced->data, .limit_bytes = reduced->limit_bytes};
}

/* Before anything is taken: on a machine that lends more than it has, a page too many ends the
 * process without a word. */
static int check_memory(const struct reduced *reduced, int32_t reduce, struct err *err)
{
    const struct dataset *data = reduced->data;
    double bytes = reducer_bytes(data, reduce) + (double)data->block_bytes;
    struct buf name = {0};

    if (bytes <= reduced->limit_bytes)
        return 0;
    param_format(&name, P_REDUCE, (union value){.i = reduce});
    err_set(err,
            "reduce = %s: takes %.1f GB for the products of all pairs of the %d %s, this process "
            "may use %.1f GB: allowed is reduce = none, or a machine with more memory",
            buf_text(&name), bytes * 1e-9,
            data->n_samples <= data->n_features ? data->n_samples : data->n_features,
            data->n_samples <= data->n_features ? "samples" : "features",
            reduced->limit_bytes * 1e-9);
    buf_release(&name);
    return -1;
}

static int make_reducer(struct reduced *reduced, enum feature_scale scale, struct err *err)
{
    if (reduced->has_reducer && reduced->scale == scale)
        return 0;
    reduced_release(reduced);
    if (reducer_init(&reduced->reducer, reduced->data, scale, 0, err))
        return -1;
    reduced->scale = scale;
    reduced->has_reducer = true;
    return 0;
}

const struct mat *reduced_features(struct reduced *reduced, const struct gcn_inputs_spec *spec,
                                   struct err *err)
{
    int place;

    if (check_memory(reduced, spec->reduce, err) || make_reducer(reduced, spec->scale, err))
        return NULL;
    for (int i = 0; i < REDUCED_KEPT; i++)
        if (reduced->kept[i].reduce == spec->reduce)
            return &reduced->kept[i].l;
    place = reduced->next;
    mat_release(&reduced->kept[place].l);
    reduced->kept[place].reduce = REDUCE_NONE;
    if (reducer_make(&reduced->kept[place].l, &reduced->reducer, spec->reduce, err))
        return NULL;
    reduced->kept[place].reduce = spec->reduce;
    reduced->next = (place + 1) % REDUCED_KEPT;
    return &reduced->kept[place].l;
}

/* Three caches, each an array of entries with the spec they were made from and when they were last
 * asked for. They are short, so that a linear search is nothing beside a trial. */

/* Batches of less than this part of the samples may need few enough rows for A^X to be cheaper
 * than codes, with ten neighbours or more; association.h decides. */
#define SMALL_SHARE 8

struct inputs_key {
    struct graph_spec graph;
    struct gcn_inputs_spec inputs;
    bool is_kernel; /* of ridge: scale alone matters */
};

struct graph_entry {
    struct inputs_key key;
    struct gcn_inputs inputs;
    uint64_t used; /* 0: empty */
};

struct outline_entry {
    struct inputs_key key;
    struct gcn_outline outline;
    struct csr adjacency; /* until inputs were made with it, and not where samples are graphs */
    uint64_t used;        /* 0: empty */
};

struct split_entry {
    struct split_spec spec;
    struct split split;
    uint64_t used;
};

struct prepared {
    const struct dataset *data;
    uint64_t now;                                /* counts questions */
    struct neighbours neighbours[GRAPH_METRICS]; /* of each metric asked for */
    struct graph_entry graphs[PREPARED_GRAPHS];
    struct outline_entry outlines[PREPARED_GRAPHS];
    struct split_entry splits[PREPARED_SPLITS];
    struct reduced reduced;
};

struct prepared *prepared_create(const struct dataset *data, struct err *err)
{
    struct prepared *prepared = calloc(1, sizeof *prepared);

    if (!prepared) {
        err_nomem(err, "cache", sizeof *prepared);
        return NULL;
    }
    prepared->data = data;
    reduced_init(&prepared->reduced, data);
    return prepared;
}

static void graph_entry_clear(struct graph_entry *entry)
{
    if (entry->used)
        gcn_inputs_release(&entry->inputs);
    memset(entry, 0, sizeof *entry);
}

static void outline_entry_clear(struct outline_entry *entry)
{
    csr_release(&entry->adjacency);
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
    for (size_t i = 0; i < PREPARED_GRAPHS; i++) {
        graph_entry_clear(&prepared->graphs[i]);
        outline_entry_clear(&prepared->outlines[i]);
    }
    for (size_t i = 0; i < PREPARED_SPLITS; i++)
        split_entry_clear(&prepared->splits[i]);
    for (size_t i = 0; i < GRAPH_METRICS; i++)
        neighbours_release(&prepared->neighbours[i]);
    reduced_release(&prepared->reduced);
    free(prepared);
}

/* Graphs that differ in k or weights alone are cut from the same neighbours. */
static int make_graph(struct csr *out, struct prepared *prepared, const struct graph_spec *spec,
                      struct err *err)
{
    struct neighbours *n = &prepared->neighbours[spec->metric];

    if (spec->build != GRAPH_KNN)
        return graph_build(out, prepared->data, spec, err);
    if (neighbours_grow(n, prepared->data, spec->metric, spec->k, err))
        return -1;
    return graph_cut(out, n, spec->k, spec->weights, err);
}

static int check_kernel(const struct prepared *prepared, const struct inputs_key *key,
                        struct err *err)
{
    const struct dataset *data = prepared->data;
    double bytes = ridge_bytes(data) + (double)data->block_bytes;

    if (bytes > prepared->reduced.limit_bytes)
        return err_set(err,
                       "type = ridge: takes %.1f GB for the products of all pairs of the %d "
                       "samples, this process may use %.1f GB",
                       bytes * 1e-9, data->n_samples, prepared->reduced.limit_bytes * 1e-9);
    return scale_check(data, key->inputs.scale, err);
}

static void make_key(struct inputs_key *key, const struct prepared *prepared,
                     const struct settings *s)
{
    memset(key, 0, sizeof *key);
    spec_inputs(&key->inputs, s);
    if (spec_model(s) == MODEL_RIDGE) {
        key->is_kernel = true;
        return;
    }
    spec_graph(&key->graph, s);
    if (reducer_keeps(prepared->data, key->inputs.reduce))
        key->inputs.reduce = REDUCE_NONE;
    key->inputs.small_batches =
        s->v[P_BATCH_SIZE].i && s->v[P_BATCH_SIZE].i < prepared->data->n_samples / SMALL_SHARE;
    if (prepared->data->is_sparse || key->inputs.reduce != REDUCE_NONE) /* the same serve all */
        key->inputs.drops_inputs = key->inputs.small_batches = false;
}

/* The index of the entry, or -1. */
static int find_graph(const struct prepared *prepared, const struct inputs_key *key)
{
    for (int i = 0; i < PREPARED_GRAPHS; i++)
        if (prepared->graphs[i].used && !memcmp(&prepared->graphs[i].key, key, sizeof *key))
            return i;
    return -1;
}

/* The entry that was last asked for longest ago, of those that were made here; emptied. */
static struct graph_entry *free_graph(struct prepared *prepared)
{
    struct graph_entry *oldest = NULL;

    for (int i = 0; i < PREPARED_GRAPHS; i++) {
        struct graph_entry *entry = &prepared->graphs[i];

        if (!entry->inputs.is_view && (!oldest || entry->used < oldest->used))
            oldest = entry;
    }
    graph_entry_clear(oldest);
    return oldest;
}

static int make_reduced(struct gcn_inputs *out, struct prepared *prepared,
                        const struct inputs_key *key, struct err *err)
{
    const struct mat *l;
    struct csr adjacency;
    int rc;

    if (make_graph(&adjacency, prepared, &key->graph, err))
        return -1;
    l = reduced_features(&prepared->reduced, &key->inputs, err);
    rc = l ? gcn_inputs_init_reduced(out, prepared->data, &adjacency, l, err) : -1;
    csr_release(&adjacency);
    return rc;
}

/* ---- outlines ---- */

/* The index of the entry, or -1. */
static int find_outline(const struct prepared *prepared, const struct inputs_key *key)
{
    for (int i = 0; i < PREPARED_GRAPHS; i++)
        if (prepared->outlines[i].used && !memcmp(&prepared->outlines[i].key, key, sizeof *key))
            return i;
    return -1;
}

static struct outline_entry *free_outline(struct prepared *prepared)
{
    struct outline_entry *oldest = &prepared->outlines[0];

    for (int i = 1; i < PREPARED_GRAPHS; i++)
        if (prepared->outlines[i].used < oldest->used)
            oldest = &prepared->outlines[i];
    outline_entry_clear(oldest);
    return oldest;
}

static int make_outline(struct outline_entry *entry, struct prepared *prepared,
                        const struct inputs_key *key, const struct settings *s, struct err *err)
{
    const struct dataset *data = prepared->data;
    const struct gcn_inputs *inputs;

    if (key->is_kernel) {
        entry->outline = (struct gcn_outline){
            .data = data, .n_inputs = data->n_features, .n_kernel = data->n_samples};
        return check_kernel(prepared, key, err);
    }
    if (key->inputs.reduce != REDUCE_NONE) {
        inputs = prepared_inputs(prepared, s, err);
        if (inputs)
            entry->outline = gcn_outline_of(inputs);
        return inputs ? 0 : -1;
    }
    if (make_graph(&entry->adjacency, prepared, &key->graph, err) ||
        gcn_outline_find(&entry->outline, data, &entry->adjacency, &key->inputs, err))
        return -1;
    if (data->graph_start) /* large, and soon made again */
        csr_release(&entry->adjacency);
    return 0;
}

/* NULL and err as prepared_inputs(). */
static struct outline_entry *outline_of(struct prepared *prepared, const struct inputs_key *key,
                                        const struct settings *s, struct err *err)
{
    int found = find_outline(prepared, key);
    struct outline_entry *entry = found < 0 ? free_outline(prepared) : &prepared->outlines[found];

    if (found < 0 && make_outline(entry, prepared, key, s, err)) {
        outline_entry_clear(entry);
        return NULL;
    }
    entry->key = *key;
    entry->used = ++prepared->now;
    return entry;
}

double prepared_inputs_bytes(const struct prepared *prepared, const struct settings *s)
{
    struct inputs_key key;
    int found;

    make_key(&key, prepared, s);
    found = find_outline(prepared, &key);
    return found < 0 ? 0 : gcn_outline_bytes(&prepared->outlines[found].outline);
}

double prepared_all_bytes(const struct prepared *prepared)
{
    double bytes = 0;

    for (int i = 0; i < PREPARED_GRAPHS; i++)
        if (prepared->outlines[i].used)
            bytes += gcn_outline_bytes(&prepared->outlines[i].outline);
    return bytes;
}

/* ---- inputs ---- */

static int make_inputs(struct gcn_inputs *out, struct prepared *prepared,
                       const struct inputs_key *key, const struct settings *s, struct err *err)
{
    struct outline_entry *entry;
    int rc = 0;

    if (key->is_kernel)
        return check_kernel(prepared, key, err)
                   ? -1
                   : ridge_inputs_init(out, prepared->data, key->inputs.scale, err);
    if (key->inputs.reduce != REDUCE_NONE)
        return make_reduced(out, prepared, key, err);
    entry = outline_of(prepared, key, s, err);
    if (!entry)
        return -1;
    if (!entry->adjacency.row_start)
        rc = make_graph(&entry->adjacency, prepared, &key->graph, err);
    if (!rc)
        rc = gcn_inputs_make(out, &entry->outline, &entry->adjacency, &key->inputs, err);
    csr_release(&entry->adjacency);
    return rc;
}

const struct gcn_inputs *prepared_inputs(struct prepared *prepared, const struct settings *s,
                                         struct err *err)
{
    struct graph_entry *entry;
    struct gcn_inputs_spec asked;
    struct inputs_key key;
    int found;

    spec_inputs(&asked, s);
    if (reducer_check(&asked, prepared->data, err))
        return NULL;
    make_key(&key, prepared, s);
    found = find_graph(prepared, &key);
    entry = found < 0 ? free_graph(prepared) : &prepared->graphs[found];
    if (found < 0 && make_inputs(&entry->inputs, prepared, &key, s, err))
        return NULL;
    entry->key = key;
    entry->used = ++prepared->now;
    return &entry->inputs;
}

const struct gcn_inputs *prepared_own_inputs(const struct prepared *prepared,
                                             const struct settings *s)
{
    const struct graph_entry *entry;
    struct inputs_key key;
    int found;

    make_key(&key, prepared, s);
    found = find_graph(prepared, &key);
    entry = found < 0 ? NULL : &prepared->graphs[found];
    return entry && !entry->inputs.is_view ? &entry->inputs : NULL;
}

int prepared_adopt(struct prepared *prepared, const struct settings *s, const void *block,
                   size_t bytes, struct err *err)
{
    struct graph_entry *entry;
    struct gcn_inputs view;
    struct inputs_key key;
    int found;

    if (gcn_inputs_view(&view, prepared->data, block, bytes, err))
        return -1;
    make_key(&key, prepared, s);
    found = find_graph(prepared, &key);
    entry = found < 0 ? free_graph(prepared) : &prepared->graphs[found];
    graph_entry_clear(entry);
    entry->inputs = view;
    entry->key = key;
    entry->used = ++prepared->now;
    return 0;
}

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

/* A model on its way to the database: a file in a buffer that has room to grow, the message, and
 * what the scheduler holds until the commit. */
#define COPIES_OF_MODEL 4

/* A trial's memory beside data and inputs. */
static double trial_bytes(const struct gcn_spec *spec, const struct settings *s,
                          const struct gcn_outline *outline, const struct split *split)
{
    double copies = keep_of(s) == KEEP_NONE ? 0 : COPIES_OF_MODEL;
    double kept = copies * gcn_weights(spec, outline->data, outline->n_inputs);
    double n = split->n_train;

    if (spec_model(s) == MODEL_RIDGE)
        return n * n * sizeof(double) + kept * sizeof(float);
    return gcn_train_bytes(spec, outline, split->n_train) + kept * sizeof(float);
}

int prepared_cost(struct gcn_cost *work, double *bytes, struct prepared *prepared,
                  const struct settings *s, struct err *err)
{
    const struct outline_entry *entry;
    const struct split *split;
    struct gcn_inputs_spec asked;
    struct inputs_key key;
    struct gcn_spec spec;

    *work = (struct gcn_cost){0};
    if (bytes)
        *bytes = 0;
    if (spec_model(s) == MODEL_NOOP)
        return 0;
    spec_inputs(&asked, s);
    if (reducer_check(&asked, prepared->data, err))
        return -1;
    make_key(&key, prepared, s);
    entry = outline_of(prepared, &key, s, err);
    split = prepared_split(prepared, s, 0, 0, err);
    if (!entry || !split)
        return -1;
    spec_gcn(&spec, s);
    *work = spec_model(s) == MODEL_RIDGE ? ridge_cost(prepared->data, split)
                                         : gcn_cost(&spec, &entry->outline, split);
    if (bytes)
        *bytes = trial_bytes(&spec, s, &entry->outline, split);
    return 0;
}
