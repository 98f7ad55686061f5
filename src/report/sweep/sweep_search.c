/* SPDX-License-Identifier: BSD-3-Clause */
/* The search of a sweep: what was stopped when, and what was known at what cost. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/sweep/sweep_read.h"

/* ---- decisions ---- */

static int take_decisions(struct sweep_data *data, const struct result_table *rows, struct err *err)
{
    data->decisions = sweep_take(data, (size_t)rows->n_rows, sizeof *data->decisions, err);
    if (!data->decisions)
        return -1;
    for (int64_t r = 0; r < rows->n_rows; r++) {
        struct sweep_decision *d = &data->decisions[r];
        int32_t c;

        *d = (struct sweep_decision){.config = result_table_integer(rows, r, "config"),
                                     .step = (int32_t)result_table_integer(rows, r, "step"),
                                     .rung = (int32_t)result_table_integer(rows, r, "rung"),
                                     .value = result_table_real(rows, r, "value"),
                                     .threshold = result_table_real(rows, r, "threshold")};
        while (d->action < SEARCH_STOP && /* the schema allows no other */
               strcmp(search_action_name(d->action), result_table_text(rows, r, "action")) != 0)
            d->action++;
        c = sweep_data_find(data, d->config);
        if (c < 0 || d->action != SEARCH_STOP || d->rung < 1 || data->configs[c].is_complete)
            continue;
        data->configs[c].rung = d->rung;
        data->configs[c].mean = d->value; /* for the order */
        data->search.n_stopped++;
    }
    data->n_decisions = (int32_t)rows->n_rows;
    return 0;
}

static int compare_places(const void *a, const void *b, void *arg)
{
    const struct sweep_data *data = arg;
    const int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    const struct sweep_config *x = &data->configs[i], *y = &data->configs[j];

    if (x->rung != y->rung)
        return !x->rung || (y->rung && x->rung > y->rung) ? -1 : 1;
    if (x->rung && x->mean != y->mean)
        return (x->mean > y->mean) == data->maximize ? -1 : 1;
    return (i > j) - (i < j);
}

/* A mean of some trials, and its interval, would not compare with those of others. */
int sweep_read_decisions(struct sweep_data *data, struct store *store, struct err *err)
{
    const size_t n = (size_t)data->n_configs, row = (size_t)data->leaderboard.n_cols * sizeof(struct cell);
    struct sweep_config *configs = sweep_take(data, n, sizeof *configs, err);
    int32_t *order = sweep_take(data, n, sizeof *order, err);
    char *cells = sweep_take(data, n, row, err), *was = (char *)data->leaderboard.cells;

    if (!configs || !order || !cells ||
        sweep_read_table(data, store, QUERY_SEARCH_DECISIONS, data->sweep_id, take_decisions, err))
        return -1;
    if (!data->search.n_stopped)
        return 0;
    for (int32_t c = 0; c < data->n_configs; c++)
        order[c] = c;
    qsort_r(order, n, sizeof *order, compare_places, data);
    data->alike.n_compared = data->alike.n_alike = data->alike.n_scored = 0;
    for (size_t c = 0; c < n; c++) {
        struct sweep_config *o = &configs[c];

        *o = data->configs[order[c]];
        memcpy(cells + c * row, was + (size_t)order[c] * row, row);
        if (o->rung)
            o->mean = o->sd = o->se = o->diff = o->low = o->high = NAN;
        o->within = o->rung ? -1 : o->within;
        data->alike.n_scored += !isnan(o->mean);
        data->alike.n_compared += c && !isnan(o->low);
        data->alike.n_alike += c && o->low <= 0 && o->high >= 0;
    }
    memcpy(data->configs, configs, n * sizeof *configs);
    memcpy(was, cells, n * row);
    return 0;
}

/* ---- points ---- */

/* While a page is made. A stage ends at a rung of halving, or after a trial of each configuration. */
struct course {
    struct sweep_data *data;
    double *cost_s;   /* (n_configs, n_rungs + 1) when a configuration had come to the end of a stage */
    double *hardness; /* [n_slots] the mean of its scores less the mean of all, of complete configurations */
    double *latest;   /* [n_configs] larger is better */
};

static double *cost_at(const struct course *course, int32_t config, int32_t rung)
{
    return &course->cost_s[(size_t)config * (size_t)(course->data->search.n_rungs + 1) + (size_t)rung];
}

static int read_costs(struct course *course, struct store *store, struct err *err)
{
    struct sweep_data *data = course->data;
    const int32_t n_rungs = data->search.n_rungs;
    struct result_table rows;

    if (query_table(&rows, store, QUERY_SEARCH_COSTS, data->sweep_id, err))
        return -1;
    for (int32_t c = 0; c < data->n_configs; c++)
        for (int32_t r = 0; r <= n_rungs; r++)
            *cost_at(course, c, r) = NAN;
    for (int64_t i = 0; i < rows.n_rows; i++) { /* ascending, so the last trial counts */
        const int32_t c = sweep_data_find(data, result_table_integer(&rows, i, "config"));
        const int64_t rung = data->search.allocator->has_rungs
                                 ? result_table_integer(&rows, i, "part")
                                 : result_table_integer(&rows, i, "slot") + 1;

        if (c >= 0)
            *cost_at(course, c, rung < n_rungs ? (int32_t)rung : n_rungs) =
                result_table_real(&rows, i, "cost_s");
    }
    for (int32_t c = 0; c < data->n_configs; c++)
        for (int32_t r = 1; r <= n_rungs; r++)
            *cost_at(course, c, r) = fmax(*cost_at(course, c, r), *cost_at(course, c, r - 1));
    result_table_release(&rows);
    return 0;
}

static void find_hardness(struct course *course)
{
    const struct sweep_data *data = course->data;
    double all = 0;

    for (int32_t s = 0; s < data->n_slots; s++) {
        int32_t n = 0;

        for (int32_t c = 0; c < data->n_configs; c++) {
            const double value = data->value[(size_t)s * (size_t)data->n_configs + (size_t)c];

            if (data->configs[c].is_complete && !isnan(value))
                course->hardness[s] += (value - course->hardness[s]) / ++n;
        }
        all += course->hardness[s] / data->n_slots;
    }
    for (int32_t s = 0; s < data->n_slots; s++)
        course->hardness[s] -= all;
}

/* Of the first n trials. */
static double adjusted_mean(const struct course *course, int32_t config, int32_t n)
{
    const struct sweep_data *data = course->data;
    double sum = 0;

    for (int32_t s = 0; s < n && s < data->n_slots; s++)
        sum += data->value[(size_t)s * (size_t)data->n_configs + (size_t)config] - course->hardness[s];
    return sum / n;
}

static void add_point(struct course *course, int32_t config, int32_t step, int32_t rung, double score)
{
    struct sweep_searched *search = &course->data->search;

    search->points[search->n_points++] =
        (struct sweep_point){.config = config,
                             .step = step,
                             .rung = rung,
                             .score = score,
                             .cost_s = *cost_at(course, config, rung ? rung : search->n_rungs)};
}

static int compare_costs(const void *a, const void *b)
{
    const struct sweep_point *x = a, *y = b;

    if (isnan(x->cost_s) || isnan(y->cost_s) || x->cost_s == y->cost_s)
        return isnan(x->cost_s) != isnan(y->cost_s) ? (isnan(x->cost_s) ? 1 : -1)
               : x->step != y->step                 ? x->step - y->step
                                                    : x->config - y->config;
    return x->cost_s > y->cost_s ? 1 : -1;
}

static void follow_best(struct course *course)
{
    struct sweep_data *data = course->data;
    struct sweep_searched *search = &data->search;
    const double sign = data->maximize ? 1 : -1;
    double *latest = course->latest;
    int32_t best = -1;

    qsort(search->points, (size_t)search->n_points, sizeof *search->points, compare_costs);
    for (int32_t c = 0; c < data->n_configs; c++)
        latest[c] = -INFINITY;
    for (int32_t i = 0; i < search->n_points; i++) {
        struct sweep_point *p = &search->points[i];
        const bool has_fallen = best == p->config && !(sign * p->score >= latest[best]);

        latest[p->config] = isnan(p->score) ? -INFINITY : sign * p->score;
        for (int32_t c = 0; has_fallen && c < data->n_configs; c++)
            if (latest[c] > latest[best] &&
                (!data->configs[c].rung || (p->rung && data->configs[c].rung >= p->rung)))
                best = c;
        best = best < 0 || latest[p->config] > latest[best] ? p->config : best;
        p->best = isinf(latest[best]) ? (double)NAN : sign * latest[best];
    }
}

/* ---- steps ---- */

static void end_step(struct course *course, int32_t s)
{
    struct sweep_searched *search = &course->data->search;

    for (int32_t i = 0; i < search->n_points; i++)
        if (search->points[i].cost_s <= search->steps[s].cost_s)
            search->steps[s].best = search->points[i].best;
}

/* Standard errors of the paired difference between a stopped configuration and the least that is kept. most: the
 * threshold of the one to which all are compared, which is its own value. */
static void find_closest(struct sweep_data *data, const struct sweep_decision *d, double most)
{
    struct sweep_searched *search = &data->search;
    const double sign = data->maximize ? 1 : -1;
    const double room = most - sign * d->threshold, gap = most - sign * d->value;
    const double se = search->allocator->allowed(search->settings, data->n_slots, d->rung) * (gap / room - 1);
    const struct sweep_decision *now = &search->closest;

    if (!isfinite(gap) || (now->config && !(room > 0 ? se < search->closest_se
                                                     : isnan(search->closest_se) &&
                                                           sign * d->value > sign * now->value)))
        return;
    search->closest = *d;
    search->closest_se = room > 0 ? se : (double)NAN;
}

/* Decisions first ... end - 1 are those of a step. */
static void take_step(struct course *course, int32_t first, int32_t end)
{
    struct sweep_data *data = course->data;
    struct sweep_searched *search = &data->search;
    const double sign = data->maximize ? 1 : -1;
    const int32_t s = search->n_steps++;
    struct sweep_step *step = &search->steps[s];
    double most = -INFINITY;

    *step = (struct sweep_step){.number = data->decisions[first].step,
                                .threshold = {NAN, NAN},
                                .cost_s = NAN,
                                .best = NAN};
    for (int32_t i = first; i < end; i++) {
        const struct sweep_decision *d = &data->decisions[i];
        const int32_t c = sweep_data_find(data, d->config);
        const int32_t rung = d->rung < 0 ? 0 : d->rung < search->n_rungs ? d->rung : search->n_rungs;
        /* of proposals: the first stage */
        const int32_t stage =
            rung                           ? rung
            : search->allocator->has_rungs ? 1
                                           : search->allocator->stage(search->settings, data->n_slots, 0).end;

        step->rung = rung;
        step->n_in++;
        step->n_stopped += d->action == SEARCH_STOP;
        step->threshold[0] = fmin(step->threshold[0], d->threshold);
        step->threshold[1] = fmax(step->threshold[1], d->threshold);
        most = fmax(most, sign * d->threshold);
        if (c < 0)
            continue;
        step->cost_s = fmax(step->cost_s, *cost_at(course, c, stage));
        if (rung)
            add_point(course, c, s, rung,
                      search->allocator->has_rungs ? d->value : adjusted_mean(course, c, rung));
    }
    step->n_kept = step->n_in - step->n_stopped;
    for (int32_t i = first; i < end; i++)
        if (data->decisions[i].action == SEARCH_STOP)
            find_closest(data, &data->decisions[i], most);
}

static void take_end(struct course *course)
{
    struct sweep_data *data = course->data;
    struct sweep_searched *search = &data->search;
    struct sweep_step *step = &search->steps[search->n_steps];

    *step = (struct sweep_step){.n_in = data->n_configs - search->n_stopped,
                                .threshold = {NAN, NAN},
                                .cost_s = NAN,
                                .best = NAN};
    for (int32_t c = 0; c < data->n_configs; c++)
        if (data->configs[c].n >= data->n_slots) {
            add_point(course, c, search->n_steps, 0, data->configs[c].mean);
            step->cost_s = fmax(step->cost_s, *cost_at(course, c, search->n_rungs));
            step->n_kept++;
        }
    search->n_steps++;
}

static int take_course(struct course *course, struct store *store, struct err *err)
{
    struct sweep_data *data = course->data;
    struct sweep_searched *search = &data->search;
    const int32_t n_decisions = search_is_wanted(search->settings) ? data->n_decisions : 0;
    const size_t n = (size_t)data->n_configs, most = (size_t)n_decisions;

    course->cost_s = sweep_take(data, n * (size_t)(search->n_rungs + 1), sizeof *course->cost_s, err);
    course->hardness = sweep_take(data, (size_t)data->n_slots, sizeof *course->hardness, err);
    course->latest = sweep_take(data, n, sizeof *course->latest, err);
    search->steps = sweep_take(data, most + 1, sizeof *search->steps, err);
    search->points = sweep_take(data, most + n, sizeof *search->points, err);
    if (!course->cost_s || !course->hardness || !course->latest || !search->steps || !search->points ||
        read_costs(course, store, err))
        return -1;
    find_hardness(course);
    for (int32_t first = 0, end; first < n_decisions; first = end) {
        for (end = first + 1; end < n_decisions; end++)
            if (data->decisions[end].step != data->decisions[first].step)
                break;
        take_step(course, first, end);
    }
    take_end(course);
    follow_best(course);
    for (int32_t s = 0; s < search->n_steps; s++)
        end_step(course, s);
    return 0;
}

int sweep_read_search(struct sweep_data *data, struct store *store, struct err *err)
{
    const struct settings *s = sweep_data_settings(data, 0);
    struct sweep_searched *search = &data->search;
    const bool is_listed =
        !s || param_equal(P_PROPOSE, s->v[P_PROPOSE], param_default(P_PROPOSE));

    search->is_grid = is_listed && !search->n_stopped;
    if (!s || (is_listed && !search_is_wanted(s)))
        return 0;
    search->settings = s;
    search->allocator = allocator_of(s);
    search->proposer = proposer_of(s);
    search->n_rungs = search->allocator->has_rungs ? (int32_t)s->v[P_RUNGS].i : data->n_slots;
    return take_course(&(struct course){.data = data}, store, err);
}
