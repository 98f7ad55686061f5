#include <unistd.h>

#include "base/log.h"
#include "cli/predict.h"
#include "store/query.h"
#include "trial/spec.h"

/* ---- without the training data ---- */

/* The first model stays in memory: names are views of it. */
static int read_first(struct predict *w, struct err *err)
{
    if (w->held[0].size)
        return 0;
    if (store_find_model(&w->held[0], w->replay.store, w->trial[0], err) < 0)
        return -1;
    w->held_bytes += w->held[0].size;
    return 0;
}

static bool is_of_genotypes(const struct settings *s)
{
    return s->v[P_FORMAT].i == DATA_GENOTYPE || s->v[P_FORMAT].i == DATA_SIMULATED;
}

static int stand_alone(struct predict *w, const struct replay_trial *trial, struct err *err)
{
    const struct buf *first = &w->held[0];
    struct graph_spec graph;

    if (read_first(w, err) || standin_init(&w->standin, first->data, first->size, err) ||
        replay_prepare_alone(&w->replay, trial, w->standin.data.task, err))
        return -1;
    w->data = &w->standin.data;
    replay_settings(&w->replay, &w->settings);
    spec_graph(&graph, &w->settings);
    if (!is_of_genotypes(&w->settings))
        return err_set(err, "they are of no genotypes");
    if (graph.build != GRAPH_NONE)
        return err_set(err, "a gcn takes the genotypes of the samples that a new one is joined to");
    if (predictor_init(&w->predictor, &w->standin.nobody, &w->settings, err))
        return -1;
    return standin_scaling(&w->predictor.scaling, first->data, first->size, err);
}

/* ---- what is to be done where that is not enough ---- */

/* The first file of the training data that is not there; P_COUNT: they are. */
static int find_absent(const struct settings *s)
{
    int id = 0;

    while (id < P_COUNT &&
           (param_table[id].type != PARAM_PATH || !*s->v[id].s || access(s->v[id].s, R_OK) == 0))
        id++;
    return id;
}

/* why: the models cannot do without the data; NULL where samples of them are asked about. */
static int explain(const struct predict *w, const struct err *why, struct err *err)
{
    struct err what = *err;
    int absent = w->replay.sweep.path ? find_absent(&w->replay.sweep.fixed) : P_COUNT;

    if (why)
        err_set(&what, "%s; the models need the training data: %s", err->text, why->text);
    if (absent < P_COUNT)
        return err_set(err, "%s; --set %s=FILE says where it lies now", what.text,
                       param_table[absent].key);
    *err = what;
    return -1;
}

/* ---- either ---- */

static int with_data(struct predict *w, const struct replay_trial *trial, struct err *err)
{
    int64_t number;

    if (replay_prepare(&w->replay, trial, &number, err))
        return -1;
    w->data = &w->replay.data;
    replay_settings(&w->replay, &w->settings);
    return predictor_init(&w->predictor, &w->replay.data, &w->settings, err);
}

static void forget(struct predict *w)
{
    predictor_release(&w->predictor);
    standin_release(&w->standin);
    w->held_bytes -= w->held[0].size;
    buf_release(&w->held[0]);
}

/* Of a file of which all is asked about the models need to know nothing else. */
static bool is_all_new(const struct predict_options *o)
{
    return o->genotypes && o->is_all;
}

static void tell_alone(const struct predict *w, const struct err *err)
{
    const char *path = w->o->genotypes;

    if (is_all_new(w->o))
        log_info("%s: the models stand alone: the training data are not read", path);
    else
        log_warn("%s; the models stand alone, but who was trained on is not known: all samples of "
                 "%s are predicted",
                 err->text, path);
}

int predict_prepare(struct predict *w, struct err *err)
{
    struct replay_trial trial;
    struct err why;
    bool is_alone;

    if (replay_find(&trial, w->replay.store, w->trial[0], err) ||
        (w->o->genotypes && read_first(w, err)))
        return -1;
    is_alone = is_all_new(w->o) && stand_alone(w, &trial, &why) == 0;
    if (!is_alone) {
        forget(w);
        if (with_data(w, &trial, err) == 0)
            return 0;
        forget(w);
        is_alone = w->o->genotypes && stand_alone(w, &trial, &why) == 0;
    }
    if (!is_alone)
        return explain(w, w->o->genotypes ? &why : NULL, err);
    tell_alone(w, err);
    return 0;
}
