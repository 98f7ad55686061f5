/* SPDX-License-Identifier: BSD-3-Clause */
/* The statistics of a page as JSON. */
#include "report/page/page_json_value.h"
#include "report/sweep/resampled_t.h"

/* For n paired differences of a pair of configurations, n = 0, 1, ...: the factor of their standard
 * deviation in half the interval of their mean. */
static void put_interval(struct buf *out, const struct sweep_data *d)
{
    json_name(out, "interval");
    buf_putc(out, '[');
    for (int32_t n = 0; n <= d->n_slots; n++) {
        json_comma(out);
        json_real(out, resampled_factor(n, d->share));
    }
    buf_putc(out, ']');
}

static void put_effect(struct buf *out, const struct sweep_effect *effect)
{
    int32_t axes[] = {effect->axis, effect->with};

    json_comma(out);
    buf_putc(out, '{');
    json_put_integers(out, "axes", axes, effect->with < 0 ? 1 : 2);
    json_put_real(out, "share", effect->share);
    json_put_integer(out, "df", effect->df);
    buf_putc(out, '}');
}

static void put_effects(struct buf *out, const struct sweep_effects *effects)
{
    json_name(out, "effects");
    buf_putc(out, '{');
    json_put_bool(out, "complete", effects->is_complete);
    json_put_text(out, "why", effects->why);
    json_put_real(out, "total", effects->total);
    json_name(out, "terms");
    buf_putc(out, '[');
    for (int32_t e = 0; e < effects->n; e++)
        put_effect(out, &effects->of[e]);
    buf_putc(out, ']');
    json_put_real(out, "residual", effects->residual);
    buf_putc(out, '}');
}

static void put_marginal(struct buf *out, const struct sweep_marginal *m)
{
    json_comma(out);
    buf_putc(out, '{');
    json_put_integer(out, "n", m->n);
    json_put_real(out, "mean", m->mean);
    json_put_real(out, "low", m->low);
    json_put_real(out, "high", m->high);
    json_put_real(out, "best", m->best);
    buf_putc(out, '}');
}

static void put_marginals(struct buf *out, const struct sweep_data *d)
{
    json_name(out, "marginal");
    buf_putc(out, '[');
    for (int32_t a = 0; a < d->n_axes; a++) {
        json_comma(out);
        buf_putc(out, '[');
        for (int32_t l = 0; l < d->axes[a].n; l++)
            put_marginal(out, &d->marginal[a][l]);
        buf_putc(out, ']');
    }
    buf_putc(out, ']');
}

static void put_front(struct buf *out, const char *member, const struct sweep_data *d,
                      const int32_t *front, int32_t n)
{
    json_name(out, member);
    buf_putc(out, '[');
    for (int32_t i = 0; i < n; i++)
        if (front[i] < PAGE_CONFIGS) {
            json_comma(out);
            buf_put_decimal(out, d->configs[front[i]].id);
        }
    buf_putc(out, ']');
}

static void put_fronts(struct buf *out, const struct sweep_data *d)
{
    json_name(out, "pareto");
    buf_putc(out, '{');
    put_front(out, "seconds", d, d->pareto_seconds, d->n_pareto_seconds);
    put_front(out, "flops", d, d->pareto_flops, d->n_pareto_flops);
    buf_putc(out, '}');
}

void page_json_statistics(struct buf *out, const struct sweep_data *d)
{
    put_interval(out, d);
    put_effects(out, &d->effects);
    put_marginals(out, d);
    put_fronts(out, d);
}
