#include "trial/reduced.h"

#include "base/memory.h"
#include "grid/param.h"

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
