/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/page/page_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "report/page/page_json_value.h"
#include "report/page/panel.h"

/* ---- the sweep ---- */

static void put_sweep(struct buf *out, const struct sweep_data *d)
{
    json_name(out, "sweep");
    buf_putc(out, '{');
    json_put_text(out, "name", d->name);
    json_put_text(out, "objective", d->objective);
    json_put_text(out, "metric", d->metric);
    json_put_bool(out, "maximize", d->maximize);
    json_put_text(out, "task", task_name(d->task));
    json_put_integer(out, "samples", d->samples);
    json_put_integer(out, "features", d->features);
    json_put_integer(out, "classes", d->classes);
    json_put_integer(out, "replicates", d->replicates);
    json_put_integer(out, "folds", d->folds);
    json_name(out, "trials");
    buf_putc(out, '{');
    json_put_integer(out, "planned", d->planned);
    json_put_integer(out, "done", d->done);
    json_put_integer(out, "failed", d->failed);
    json_put_integer(out, "diverged", d->diverged);
    json_put_integer(out, "running", d->running);
    json_put_integer(out, "pending", d->pending);
    buf_puts(out, "}}");
}

static const char *rule_name(const struct sweep_data *d)
{
    return d->rule < 0 ? NULL : d->rule == QUERY_RULE_1SE ? "1se" : "best";
}

static void put_choice(struct buf *out, const struct sweep_data *d)
{
    json_name(out, "choice");
    buf_putc(out, '{');
    json_put_id(out, "best", page_json_has(d, d->best) ? d->best : 0);
    json_put_id(out, "1se", page_json_has(d, d->one_se) ? d->one_se : 0);
    json_put_text(out, "rule", rule_name(d));
    json_put_id(out, "chosen", page_json_has(d, d->chosen) ? d->chosen : 0);
    buf_putc(out, '}');
}

static void put_axis(struct buf *out, const struct sweep_axis *axis)
{
    json_comma(out);
    buf_putc(out, '{');
    json_put_text(out, "name", axis->name);
    if (axis->is_numeric)
        json_put_reals(out, "levels", axis->number, axis->n);
    else
        json_put_texts(out, "levels", axis->label, axis->n);
    json_put_bool(out, "numeric", axis->is_numeric);
    json_put_bool(out, "log", axis->is_log);
    json_put_text(out, "unit", axis->unit);
    buf_putc(out, '}');
}

static void put_axes(struct buf *out, const struct sweep_data *d)
{
    json_name(out, "axes");
    buf_putc(out, '[');
    for (int32_t a = 0; a < d->n_axes; a++)
        put_axis(out, &d->axes[a]);
    buf_putc(out, ']');
}

/* ---- configurations ---- */

/* One array with a member of each configuration. */
#define PUT_EACH(out, d, member, put, expression)            \
    do {                                                     \
        json_name(out, member);                              \
        buf_putc(out, '[');                                  \
        for (int32_t c = 0; c < page_json_configs(d); c++) { \
            const struct sweep_config *o = &d->configs[c];   \
            json_comma(out);                                 \
            put(out, expression);                            \
        }                                                    \
        buf_putc(out, ']');                                  \
    } while (0)

static void within(struct buf *out, int value)
{
    buf_puts(out, value < 0 ? "null" : value ? "1" : "0");
}

static void put_levels(struct buf *out, const struct sweep_data *d)
{
    json_name(out, "level");
    buf_putc(out, '[');
    for (int32_t a = 0; a < d->n_axes; a++) {
        json_comma(out);
        buf_putc(out, '[');
        for (int32_t c = 0; c < page_json_configs(d); c++) {
            json_comma(out);
            buf_put_decimal(out, d->level[(size_t)c * (size_t)d->n_axes + (size_t)a]);
        }
        buf_putc(out, ']');
    }
    buf_putc(out, ']');
}

static void put_configs(struct buf *out, const struct sweep_data *d)
{
    json_name(out, "config");
    buf_putc(out, '{');
    PUT_EACH(out, d, "id", buf_put_decimal, o->id);
    PUT_EACH(out, d, "place", json_real, isnan(o->mean) ? NAN : o->place);
    PUT_EACH(out, d, "n", buf_put_decimal, o->n);
    PUT_EACH(out, d, "mean", json_real, o->mean);
    PUT_EACH(out, d, "sd", json_real, o->sd);
    PUT_EACH(out, d, "se", json_real, o->se);
    PUT_EACH(out, d, "diff", json_real, o->diff);
    PUT_EACH(out, d, "low", json_real, o->low);
    PUT_EACH(out, d, "high", json_real, o->high);
    PUT_EACH(out, d, "within", within, o->within);
    PUT_EACH(out, d, "complete", buf_put_decimal, o->is_complete);
    PUT_EACH(out, d, "seconds", json_real, o->seconds);
    PUT_EACH(out, d, "flops", json_real, o->flops);
    PUT_EACH(out, d, "epochs", json_real, o->epochs);
    PUT_EACH(out, d, "type", buf_put_decimal, o->type);
    put_levels(out, d);
    buf_putc(out, '}');
    json_put_integer(out, "configs_left_out", d->n_configs - page_json_configs(d));
    json_put_texts(out, "types", d->types, d->n_types);
}

static void put_values(struct buf *out, const struct sweep_data *d)
{
    json_name(out, "slots");
    buf_putc(out, '[');
    for (int32_t s = 0; s < d->n_slots; s++) {
        json_comma(out);
        buf_putc(out, '{');
        json_put_integer(out, "replicate", d->slots[s].replicate);
        json_put_integer(out, "fold", d->slots[s].fold);
        json_put_text(out, "group", d->slots[s].group);
        buf_putc(out, '}');
    }
    buf_putc(out, ']');
    json_name(out, "value");
    buf_putc(out, '[');
    for (int32_t s = 0; s < d->n_slots; s++) {
        json_comma(out);
        buf_putc(out, '[');
        for (int32_t c = 0; c < page_json_configs(d); c++) {
            json_comma(out);
            json_real(out, d->value[(size_t)s * (size_t)d->n_configs + (size_t)c]);
        }
        buf_putc(out, ']');
    }
    buf_putc(out, ']');
}

/* ---- all ---- */

#define PUT_PANEL(name)    \
    if (panel_##name.json) \
        panel_##name.json(out, d);

void page_json_put(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    char made[CLOCK_TEXT], program[64];

    snprintf(program, sizeof program, "espalier %s", page->version);
    buf_putc(out, '{');
    json_put_integer(out, "format", 1);
    json_put_text(out, "program", program);
    json_put_text(out, "made", clock_utc(made, page->made));
    json_put_text(out, "database", d->database);
    put_sweep(out, d);
    put_choice(out, d);
    put_axes(out, d);
    json_put_integers(out, "axis_order", d->axis_order, d->n_varied);
    put_configs(out, d);
    put_values(out, d);
    page_json_statistics(out, d);
    PANELS(PUT_PANEL)
    json_put_texts(out, "warnings", (const char *const *)page->warnings->text,
                   (int32_t)page->warnings->n);
    buf_putc(out, '}');
}
