/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions, ranks, attempts and facts about the data of a page as JSON. */
#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "report/page/page_json_value.h"

/* Times keep milliseconds, which six digits would not. */
static void put_time(struct buf *out, double seconds)
{
    if (isfinite(seconds))
        buf_printf(out, "%.3f", seconds);
    else
        buf_puts(out, "null");
}

/* An object for each of the first rows. columns: [n] pairs of a member and its column. */
static void put_rows(struct buf *out, const char *name, const struct result_table *table,
                     int64_t most, const char *const (*columns)[2], size_t n)
{
    json_name(out, name);
    buf_putc(out, '[');
    for (int64_t r = 0; r < table->n_rows && r < most; r++) {
        json_comma(out);
        buf_putc(out, '{');
        for (size_t c = 0; c < n; c++) {
            const struct cell *cell = result_table_find(table, r, columns[c][1]);

            json_name(out, columns[c][0]);
            if (cell->type == CELL_INTEGER)
                buf_put_decimal(out, cell->i);
            else if (cell->type == CELL_TEXT)
                escape_json_html(out, cell->s);
            else if (cell->type == CELL_REAL && strcmp(columns[c][0], "busy") != 0)
                put_time(out, cell->f);
            else
                json_real(out, cell->type == CELL_REAL ? cell->f : (double)NAN);
        }
        buf_putc(out, '}');
    }
    buf_putc(out, ']');
}

static const char *const of_sessions[][2] = {
    {"session", "session"}, {"started", "started"}, {"finished", "finished"},
    {"outcome", "outcome"}, {"ranks", "ranks"},     {"host", "host"},
    {"command", "command"}, {"version", "version"}, {"cpu", "cpu"},
    {"busy", "busy"},       {"job", "job"},
};
static const char *const of_failures[][2] = {
    {"state", "state"}, {"n", "trials"}, {"trial", "example"}, {"reason", "reason"}};

static void put_ranks(struct buf *out, const struct sweep_data *d)
{
    json_name(out, "ranks");
    buf_putc(out, '[');
    for (int32_t i = 0; i < d->n_ranks; i++) {
        json_comma(out);
        buf_putc(out, '{');
        json_put_integer(out, "session", d->ranks[i].session);
        json_put_integer(out, "rank", d->ranks[i].rank);
        json_put_text(out, "host", d->ranks[i].host);
        buf_putc(out, '}');
    }
    buf_putc(out, ']');
}

/* One array with a member of each attempt. */
#define PUT_ATTEMPTS(out, d, member, put, expression)                        \
    do {                                                                     \
        json_name(out, member);                                              \
        buf_putc(out, '[');                                                  \
        for (int32_t i = 0; i < d->n_attempts; i++) {                        \
            const struct sweep_attempt *o = &d->attempts[i];                 \
            if (d->n_configs > PAGE_CONFIGS && !page_json_has(d, o->config)) \
                continue;                                                    \
            json_comma(out);                                                 \
            put(out, expression);                                            \
        }                                                                    \
        buf_putc(out, ']');                                                  \
    } while (0)

static void put_attempts(struct buf *out, const struct sweep_data *d)
{
    int64_t n_hidden = 0;

    for (int32_t i = 0; d->n_configs > PAGE_CONFIGS && i < d->n_attempts; i++)
        n_hidden += !page_json_has(d, d->attempts[i].config);
    json_name(out, "attempts");
    buf_putc(out, '{');
    PUT_ATTEMPTS(out, d, "trial", buf_put_decimal, o->trial);
    PUT_ATTEMPTS(out, d, "config", buf_put_decimal, o->config);
    PUT_ATTEMPTS(out, d, "rank", buf_put_decimal, o->rank);
    PUT_ATTEMPTS(out, d, "start", put_time, o->start);
    PUT_ATTEMPTS(out, d, "end", put_time, o->end);
    PUT_ATTEMPTS(out, d, "outcome", buf_put_decimal, o->outcome);
    buf_putc(out, '}');
    json_put_integer(out, "attempts_left_out", d->n_attempts_left_out + n_hidden);
    json_put_texts(out, "outcomes", sweep_outcome_names, SWEEP_N_OUTCOMES);
    json_name(out, "t0");
    put_time(out, d->t0);
}

void page_json_run(struct buf *out, const struct sweep_data *d)
{
    json_name(out, "run");
    buf_putc(out, '{');
    put_rows(out, "sessions", &d->sessions, INT64_MAX, of_sessions,
             sizeof of_sessions / sizeof *of_sessions);
    put_ranks(out, d);
    put_attempts(out, d);
    put_rows(out, "failures", &d->failures, SWEEP_REASONS, of_failures,
             sizeof of_failures / sizeof *of_failures);
    buf_putc(out, '}');
}

/* facts: sorted by topic. */
void page_json_facts(struct buf *out, const struct sweep_data *d)
{
    json_name(out, "data");
    buf_puts(out, "{\"facts\":[");
    for (int32_t i = 0; i < d->n_shown_facts; i++) {
        const struct sweep_fact *fact = &d->shown_facts[i];

        if (!i || strcmp(d->shown_facts[i - 1].topic, fact->topic) != 0) {
            buf_puts(out, i ? "]},{" : "{");
            json_put_text(out, "topic", fact->topic);
            json_name(out, "rows");
            buf_putc(out, '[');
        }
        json_comma(out);
        buf_putc(out, '[');
        escape_json_html(out, fact->label);
        if (!isnan(fact->number)) {
            json_comma(out);
            json_real(out, fact->number);
        }
        if (*fact->text) {
            json_comma(out);
            escape_json_html(out, fact->text);
        }
        buf_putc(out, ']');
    }
    buf_puts(out, d->n_shown_facts ? "]}]}" : "]}");
}
