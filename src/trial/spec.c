/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/spec.h"

#include <string.h>

#include "data/format.h"
#include "gcn/reducer.h"

/* Store the value as the member's type. The parameter table lists choices in the order of their
 * enums (tests/unit/spec.c). */
static void copy_value(char *member, const struct param *p, union value v)
{
    int64_t i = v.i - p->target.less;
    int32_t narrow = (int32_t)i;
    bool flag = i != 0;

    switch (p->type) {
    case PARAM_REAL:
    case PARAM_DURATION:
        memcpy(member, &v.f, sizeof v.f);
        return;
    case PARAM_TEXT:
    case PARAM_PATH:
    case PARAM_METRIC:
    case PARAM_VALUE:
        memcpy(member, &v.s, sizeof v.s);
        return;
    default:
        if (p->target.size == sizeof i)
            memcpy(member, &i, sizeof i);
        else if (p->target.size == sizeof narrow)
            memcpy(member, &narrow, sizeof narrow);
        else
            memcpy(member, &flag, sizeof flag);
    }
}

static void fill(void *out, enum param_struct into, const union value v[P_MAX])
{
    for (int id = 0; id < P_COUNT; id++)
        if (param_table[id].target.into == into)
            copy_value((char *)out + param_table[id].target.offset, &param_table[id], v[id]);
}

void spec_data(struct data_spec *out, const union value v[P_MAX])
{
    memset(out, 0, sizeof *out);
    fill(out, PARAM_data_spec, v);
    out->format = data_format_at(v[P_FORMAT].i);
    out->filter.call_rate = 1 - v[P_MAX_MISSING].f;
}

void spec_graph(struct graph_spec *out, const struct settings *s)
{
    memset(out, 0, sizeof *out); /* also the padding: caches compare bytes, here and below */
    fill(out, PARAM_graph_spec, s->v);
}

void spec_split(struct split_spec *out, const struct settings *s, int32_t replicate, int32_t fold)
{
    memset(out, 0, sizeof *out);
    fill(out, PARAM_split_spec, s->v);
    out->trains_on_stop = !settings_has(s, P_STOP);
    out->replicate = replicate;
    out->fold = fold;
}

void spec_inputs(struct gcn_inputs_spec *out, const struct settings *s)
{
    memset(out, 0, sizeof *out);
    fill(out, PARAM_gcn_inputs_spec, s->v);
    out->drops_inputs = settings_has(s, P_INPUT_DROPOUT) && s->v[P_INPUT_DROPOUT].f > 0;
    if (!settings_has(s, P_REDUCE))
        out->reduce = REDUCE_NONE;
}

void spec_gcn(struct gcn_spec *out, const struct settings *s)
{
    memset(out, 0, sizeof *out);
    if (!settings_has(s, P_LAYERS)) {
        out->layers = 1;
        return;
    }
    fill(out, PARAM_gcn_spec, s->v);
    if (!settings_pool(s))
        out->pool = POOL_NONE;
    out->objective = spec_objective(s);
    out->maximize = spec_maximize(s);
}

void spec_ridge(struct ridge_spec *out, const struct settings *s)
{
    memset(out, 0, sizeof *out);
    fill(out, PARAM_ridge_spec, s->v);
    out->objective = spec_objective(s);
}

enum metric spec_objective(const struct settings *s)
{
    return (enum metric)metric_parse(s->v[P_OBJECTIVE].s + strlen("val_"));
}

bool spec_maximize(const struct settings *s)
{
    enum { AUTO, MAX, MIN };

    if (s->v[P_DIRECTION].i == AUTO)
        return metric_rows[spec_objective(s)].is_larger_better;
    return s->v[P_DIRECTION].i == MAX;
}
