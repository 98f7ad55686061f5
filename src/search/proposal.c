/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/proposal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "grid/free_value.h"
#include "search/sobol.h"

/* Points in a row that add nothing, after which a sequence ends. */
enum { MOST_TRIES = 100000 };

int proposal_begin(struct proposal *p, struct grid_rows *rows, int32_t capacity,
                   const struct proposing *of, struct err *err)
{
    *p = (struct proposal){.of = of, .rows = rows, .capacity = capacity};
    if (space_init(&p->space, of->sweep, of->fixed, err))
        return -1;
    if (!proposal_exclude(p, rows, err))
        return 0;
    proposal_end(p);
    return -1;
}

void proposal_end(struct proposal *p)
{
    space_release(&p->space);
    names_release(&p->seen);
    arena_release(&p->texts);
}

int proposal_exclude(struct proposal *p, const struct grid_rows *rows, struct err *err)
{
    for (int32_t c = 0; c < rows->n; c++)
        if (space_find_or_add(&p->seen, &p->space, rows->v + (size_t)c * p->of->sweep->n_axes, 0,
                              err) < 0)
            return -1;
    return 0;
}

static int make_room(struct proposal *p, struct err *err)
{
    const size_t row = p->of->sweep->n_axes * sizeof *p->rows->v;
    const int32_t capacity = p->capacity ? 2 * p->capacity : 64;
    union value *grown;

    if (p->rows->n < p->capacity)
        return 0;
    grown = realloc(p->rows->v, (size_t)capacity * row + 1);
    if (!grown)
        return err_nomem(err, "configurations", (size_t)capacity * row);
    p->rows->v = grown;
    p->capacity = capacity;
    return 0;
}

int proposal_take(int32_t *number, struct proposal *p, const union value *row, struct err *err)
{
    const size_t n_axes = p->of->sweep->n_axes;
    const int32_t n_seen = p->seen.n;
    union value *out;

    *number = space_find_or_add(&p->seen, &p->space, row, p->line, err);
    if (*number < 0)
        return -1;
    if (p->seen.n == n_seen)
        return 0;
    if (make_room(p, err))
        return -1;
    out = p->rows->v + (size_t)p->rows->n * n_axes;
    for (size_t a = 0; a < n_axes; a++) {
        const struct axis *axis = &p->of->sweep->axes[a];

        out[a] = row[a];
        if (!axis_is_range(axis) || !param_is_text(axis->id) || !row[a].s)
            continue;
        out[a].s = arena_take(&p->rows->texts, strlen(row[a].s) + 1, 1);
        if (!out[a].s)
            return err_nomem(err, "values", strlen(row[a].s));
        strcpy((char *)(uintptr_t)out[a].s, row[a].s);
    }
    p->rows->n++;
    return 0;
}

int proposal_add(int32_t *number, bool *is_kept, struct proposal *p, const union value *row,
                 struct err *err)
{
    const struct sweep *sweep = p->of->sweep;
    struct settings point = *p->of->fixed;
    union value decided[P_MAX];
    bool has_all;

    for (size_t a = 0; a < sweep->n_axes; a++)
        point.v[sweep->axes[a].id] = row[a];
    if (grid_decide(is_kept, &has_all, sweep, p->of->predicate, &point, err))
        return -1;
    for (size_t a = 0; a < sweep->n_axes; a++)
        decided[a] = point.v[sweep->axes[a].id];
    return *is_kept ? proposal_take(number, p, decided, err) : 0;
}

/* ---- start ---- */

/* The end of "name = value" before a comma; a quoted value may contain commas. */
static char *end_of_pair(char *text)
{
    char *value = text + strcspn(text, "=,");

    if (*value != '=')
        return value;
    value += 1 + strspn(value + 1, " ");
    if (*value == '\'' || *value == '"') {
        const char *end = free_value_skip_quoted(value);

        value = end ? value + (end - value) : value + strlen(value);
    }
    return value + strcspn(value, ",");
}

static char *trimmed(char *text)
{
    size_t n;

    text += strspn(text, " \t");
    for (n = strlen(text); n > 0 && strchr(" \t", text[n - 1]); n--)
        text[n - 1] = '\0';
    return text;
}

/* given [n_axes]: axes that were named. */
static int start_value(struct proposal *p, bool *given, char *pair, struct err *err)
{
    const struct sweep *sweep = p->of->sweep;
    char *equals = strchr(pair, '='), *name;
    const struct axis *axis;
    struct err reason;
    size_t a;

    if (!equals)
        return proposer_fault(err, sweep, P_START,
                              "start: '%.60s' must be axis = value, as in hidden_size = 64",
                              trimmed(pair));
    *equals = '\0';
    name = trimmed(pair);
    axis = sweep_axis(sweep, sweep_find_name(sweep, name));
    if (!axis)
        return proposer_fault(err, sweep, P_START, "start: '%.60s' is not an axis of [grid]", name);
    a = (size_t)(axis - sweep->axes);
    if (given[a])
        return proposer_fault(err, sweep, P_START, "start: %s comes twice", name);
    given[a] = true;
    if (space_parse(&p->row[a], axis, trimmed(equals + 1), &p->texts, &reason))
        return proposer_fault(err, sweep, P_START, "start: %s", reason.text);
    return 0;
}

int proposal_start(struct proposal *p, struct err *err)
{
    const struct sweep *sweep = p->of->sweep;
    const char *text = p->of->fixed->v[P_START].s;
    bool given[P_MAX] = {false}, is_kept, more = true;
    char *copy = *text ? strdup(text) : NULL;
    int32_t number;
    int rc = 0;

    if (!*text)
        return 0;
    if (!copy)
        return err_nomem(err, "start", strlen(text));
    for (char *at = copy; !rc && more;) {
        char *end = end_of_pair(at);

        more = *end == ',';
        *end = '\0';
        rc = start_value(p, given, at, err);
        at = end + 1;
    }
    for (int32_t a = 0; !rc && a < p->space.n_axes; a++)
        if (!given[a] &&
            space_decode(p->row, &p->space, a, axis_is_range(&sweep->axes[a]) ? 0.5 : 0, &p->texts))
            rc = err_nomem(err, "start", strlen(text));
    if (!rc)
        rc = proposal_add(&number, &is_kept, p, p->row, err);
    if (!rc && !is_kept)
        rc = proposer_fault(err, sweep, P_START,
                            "start = %.200s: [sweep] where drops this configuration: change one of "
                            "them",
                            text);
    free(copy);
    return rc;
}

/* ---- sequences ---- */

bool proposal_is_small_grid(const struct proposing *of)
{
    for (size_t a = 0; a < of->sweep->n_axes; a++)
        if (axis_is_range(&of->sweep->axes[a]))
            return false;
    return grid_points(of->sweep) <= PROPOSAL_SMALL_GRID;
}

int proposal_count(int64_t *n, const struct proposing *of, struct err *err)
{
    const double n_points = grid_points(of->sweep);
    struct grid_rows grid;

    *n = n_points < (double)INT32_MAX ? (int64_t)n_points : INT64_MAX;
    if (!proposal_is_small_grid(of))
        return 0;
    if (grid_rows_make(&grid, of->sweep, of->fixed, of->predicate, err))
        return -1;
    *n = grid.n;
    grid_rows_release(&grid);
    return 0;
}

struct rng proposal_rng(const struct proposing *of)
{
    char text[64];
    struct rng rng;

    snprintf(text, sizeof text, "search seed=%lld", (long long)of->fixed->v[P_SEED].i);
    rng_init(&rng, hash_text(text), RNG_SEARCH);
    return rng;
}

int proposal_add_point(struct proposal *p, const double *u, struct err *err)
{
    int32_t number;
    bool is_kept;

    arena_reset(&p->texts);
    for (int32_t a = 0; a < p->space.n_axes; a++)
        if (space_decode(p->row, &p->space, a, u[a], &p->texts))
            return err_nomem(err, "values", 0);
    return proposal_add(&number, &is_kept, p, p->row, err);
}

/* Add the rows of a sequence until there are n. */
static int draw(struct proposal *p, int32_t n, proposal_sequence *at, struct err *err)
{
    const struct rng rng = proposal_rng(p->of);
    double u[P_MAX];

    for (uint32_t index = 0, last = 0; p->rows->n < n && index - last < MOST_TRIES; index++) {
        const int32_t before = p->rows->n;

        at(u, p->space.n_axes, index, &rng);
        if (proposal_add_point(p, u, err))
            return -1;
        last = p->rows->n > before ? index : last;
    }
    return 0;
}

int proposal_draw(struct proposal *p, int32_t n, proposal_sequence *at, struct err *err)
{
    const struct proposing *of = p->of;
    const bool is_known = n < 0 || proposal_is_small_grid(of);
    struct grid_rows grid = {.n = 0};
    int32_t number;
    int rc = 0;

    if (is_known)
        rc = grid_rows_make(&grid, of->sweep, of->fixed, of->predicate, err);
    n = is_known && (n < 0 || n > grid.n) ? grid.n : n;
    if (!rc)
        rc = draw(p, n, at, err);
    for (int32_t c = 0; !rc && c < grid.n && p->rows->n < n; c++)
        rc = proposal_take(&number, p, grid.v + (size_t)c * of->sweep->n_axes, err);
    grid_rows_release(&grid);
    if (!rc && !p->rows->n)
        rc = err_set(err, "%s: 'where' leaves none of %d points that were drawn", of->sweep->path,
                     MOST_TRIES);
    return rc;
}

int proposal_sequence_rows(struct grid_rows *out, const struct proposing *of, int32_t n,
                           proposal_sequence *at, struct err *err)
{
    struct proposal p;
    int rc;

    *out = (struct grid_rows){.n = 0};
    if (of->sweep->n_axes > SOBOL_MOST_AXES)
        return err_set(err, "%s: a search takes at most %d axes", of->sweep->path, SOBOL_MOST_AXES);
    if (proposal_begin(&p, out, 0, of, err))
        return -1;
    rc = proposal_start(&p, err) || proposal_draw(&p, n, at, err) ? -1 : 0;
    proposal_end(&p);
    if (rc)
        grid_rows_release(out);
    return rc;
}
