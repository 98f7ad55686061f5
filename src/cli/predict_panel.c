#include <stdlib.h>
#include <string.h>

#include "cli/predict.h"

static int32_t copy_part(int32_t *nodes, const struct split *split, const char *part)
{
    const int32_t *from = split->val;
    int32_t n = split->n_val;

    if (!strcmp(part, "test")) {
        from = split->test;
        n = split->n_test;
    } else if (!strcmp(part, "stop")) {
        from = split->stop;
        n = split->n_stop;
    }
    memcpy(nodes, from, (size_t)n * sizeof *nodes);
    return n;
}

/* nodes out [N]: samples of the panel that model m is asked of, ascending. Returns how many. */
static int32_t find_nodes(int32_t *nodes, struct predict *w, int32_t m, struct err *err)
{
    const struct dataset *data = &w->replay.data;
    const char *part = w->o->part;
    struct replay_trial trial;
    const struct split *split;
    int32_t n = 0;

    if (!part || !strcmp(part, "none")) {
        for (int32_t i = 0; i < data->n_samples; i++)
            if (w->o->is_all || !dataset_is_labelled(data, i))
                nodes[n++] = i;
        return n;
    }
    if (replay_find(&trial, w->replay.store, w->trial[m], err))
        return -1;
    split = prepared_split(w->replay.prepared, &w->settings, trial.replicate, trial.fold, err);
    if (!split)
        return -1;
    return copy_part(nodes, split, part);
}

static int nothing(const struct predict *w, struct err *err)
{
    const char *part = w->o->part;

    if (part && !strcmp(part, "stop") && !settings_has(&w->settings, P_STOP))
        return err_set(err,
                       "--part stop: c%lld is ridge, which has no epoch to choose: the samples of "
                       "a stop part are among those that it was trained on",
                       (long long)w->config_id);
    if (part && strcmp(part, "none") != 0)
        return err_set(err, "the split has no %s part", part);
    return err_set(err, "every sample of the panel has a phenotype: there are --part val, --part "
                        "test and --all");
}

static int ask_panel(struct predictions *p, struct predict *w, struct err *err)
{
    int32_t *nodes = malloc((size_t)w->replay.data.n_samples * sizeof *nodes);
    int rc = 0;

    if (!nodes)
        return err_nomem(err, "samples", (size_t)w->replay.data.n_samples * sizeof *nodes);
    for (int32_t m = 0; !rc && m < w->n_models; m++) {
        int32_t n = find_nodes(nodes, w, m, err);

        if (n == 0)
            rc = nothing(w, err);
        else
            rc = n < 0 ? -1 : predict_ask(p, w, m, nodes, n, 0, false, err);
    }
    free(nodes);
    return rc;
}

/* Those that chose the epoch would flatter, and those that were trained on more. */
static bool has_score(const struct predict_options *o)
{
    return o->part && (!strcmp(o->part, "val") || !strcmp(o->part, "test"));
}

int predict_panel(struct predict *w, struct err *err)
{
    const struct dataset *data = &w->replay.data;
    const char **id = malloc((size_t)data->n_samples * sizeof *id);
    struct predictions p;
    int rc;

    if (!id)
        return err_nomem(err, "samples", (size_t)data->n_samples * sizeof *id);
    for (int32_t i = 0; i < data->n_samples; i++)
        id[i] = dataset_id(data, i);
    p = predict_describe(w, id);
    rc = predictions_init(&p, data->n_samples, w->n_models, predictor_outputs(&w->predictor), err);
    if (!rc)
        rc = ask_panel(&p, w, err);
    if (!rc)
        rc = predictions_put(&w->table, &p, w->o->is_each, err);
    if (!rc && has_score(w->o))
        rc = predict_score(&p, w->o->part, err);
    predictions_release(&p);
    free(id);
    return rc;
}
