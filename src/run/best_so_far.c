#include "run/best_so_far.h"

#include <stdlib.h>

#include "store/query.h"

/* A configuration of the plan by its number in the database. */
struct place {
    int64_t id;
    int32_t config;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static struct place *make_places(const struct plan *plan, const struct store_trials *known,
                                 struct err *err)
{
    struct place *places = malloc((size_t)plan->n_configs * sizeof *places);

    if (!places) {
        err_nomem(err, "scores", (size_t)plan->n_configs * sizeof *places);
        return NULL;
    }
    for (int32_t c = 0; c < plan->n_configs; c++)
        places[c] = (struct place){known->config_ids[c], c};
    qsort(places, (size_t)plan->n_configs, sizeof *places, compare_places);
    return places;
}

static void tell(struct progress *progress, const struct place *places,
                 const struct result_table *scores)
{
    for (int64_t row = 0; row < scores->n_rows; row++) {
        struct place wanted = {.id = result_table_integer(scores, row, "config")};
        const struct place *found = bsearch(&wanted, places, (size_t)progress->plan->n_configs,
                                            sizeof *places, compare_places);

        progress_known(progress, found ? found->config : -1, wanted.id,
                       (int32_t)result_table_integer(scores, row, "trials"),
                       result_table_real(scores, row, "mean"));
    }
}

int best_so_far_read(struct progress *progress, struct store *store,
                     const struct store_trials *known, struct err *err)
{
    const struct plan *plan = progress->plan;
    struct query_sweep sweep;
    struct place *places;
    struct result_table scores;

    if (query_sweep(&sweep, store, plan->sweep->fixed.v[P_SWEEP_NAME].s, err) ||
        query_table(&scores, store, QUERY_SCORES, sweep.sweep_id, err))
        return -1;
    places = make_places(plan, known, err);
    if (places)
        tell(progress, places, &scores);
    result_table_release(&scores);
    if (!places)
        return -1;
    free(places);
    return 0;
}
