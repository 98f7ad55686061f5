/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/proposer.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "search/proposal.h"

#define PROPOSER_ROW(name) extern const struct proposer propose_##name;
SEARCH_PROPOSERS(PROPOSER_ROW, )
#undef PROPOSER_ROW

const struct proposer *proposer_of(const struct settings *fixed)
{
#define PROPOSER_ROW(name) &propose_##name,
    static const struct proposer *const rows[] = {SEARCH_PROPOSERS(PROPOSER_ROW, )};

    return rows[fixed->v[P_PROPOSE].i];
}

int proposer_fault(struct err *err, const struct sweep *sweep, enum param_id id, const char *format,
                   ...)
{
    struct buf place = {0};
    char text[sizeof err->text];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sweep_put_place(&place, sweep, (int)id);
    err_set(err, "%s: %s", buf_text(&place), text);
    buf_release(&place);
    return -1;
}

int32_t proposer_initial(const struct proposing *proposing)
{
    const int64_t initial = proposing->fixed->v[P_INITIAL].i;

    return initial ? (int32_t)initial : 2 * ((int32_t)proposing->sweep->n_axes + 1);
}

/* n: configurations; -1: all. */
static int check(const struct proposing *proposing, const struct proposer *proposer, int32_t n,
                 struct err *err)
{
    const struct sweep *sweep = proposing->sweep;
    const struct axis *range = NULL;

    for (size_t a = 0; a < sweep->n_axes; a++)
        range = axis_is_range(&sweep->axes[a]) ? &sweep->axes[a] : range;
    if (range && !proposer->takes_ranges)
        return 0; /* the grid refuses it */
    if (n < 0 && range && !proposer->has_end)
        return proposer_fault(err, sweep, P_PROPOSE,
                              "propose = %s: the range of %s has no last point: set [search] "
                              "configs to the number of configurations",
                              proposer->name, range->row->key);
    if (n < 0 && proposer->is_adaptive)
        return proposer_fault(err, sweep, P_PROPOSE,
                              "propose = %s: with configs = all nothing is left to choose: set "
                              "[search] configs to the number of configurations",
                              proposer->name);
    if (proposer->is_adaptive && n <= proposer_initial(proposing))
        return proposer_fault(err, sweep, P_CONFIGS,
                              "configs = %d: propose = %s chooses none of them, since the first %d "
                              "(initial) are of the Sobol sequence: set [search] configs to more, "
                              "initial to fewer, or propose = sobol",
                              n, proposer->name, proposer_initial(proposing));
    return 0;
}

int proposer_rows(struct grid_rows *out, int32_t *n_configs, const struct proposing *proposing,
                  struct err *err)
{
    const struct proposer *proposer = proposer_of(proposing->fixed);
    const int64_t configs = proposing->fixed->v[P_CONFIGS].i; /* 0: all */
    const int32_t n = configs ? (int32_t)configs : -1;
    int64_t n_points = INT64_MAX;

    *out = (struct grid_rows){.n = 0};
    if (check(proposing, proposer, n, err) || proposer->first(out, proposing, n, err))
        return -1;
    if (proposer->is_adaptive && proposal_count(&n_points, proposing, err)) {
        grid_rows_release(out);
        return -1;
    }
    *n_configs = !proposer->is_adaptive ? out->n : n < n_points ? n : (int32_t)n_points;
    return 0;
}

void proposer_put(struct buf *out, const struct sweep *sweep, const struct settings *fixed,
                  int32_t n_configs)
{
    const struct proposer *proposer = proposer_of(fixed);
    const double n_points = grid_points(sweep);

    if (!proposer->takes_ranges && !fixed->v[P_CONFIGS].i)
        return;
    buf_printf(out, "%d configuration%s by %s", n_configs, n_configs == 1 ? "" : "s",
               proposer->name);
    if (proposer->is_adaptive)
        buf_printf(out, ", batches of %lld", (long long)fixed->v[P_BATCH].i);
    if (!proposer->has_end && n_points <= GRID_MAX_POINTS)
        buf_printf(out, ", of a grid of %.0f", n_points);
}
