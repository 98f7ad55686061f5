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

static void put_session(struct buf *out, const struct sweep_past_session *s)
{
    json_comma(out);
    buf_putc(out, '{');
    json_put_integer(out, "session", s->session);
    json_name(out, "started");
    put_time(out, s->started);
    json_name(out, "finished");
    put_time(out, s->finished);
    json_put_text(out, "outcome", s->outcome);
    json_put_integer(out, "ranks", s->ranks);
    json_put_text(out, "host", s->host);
    json_put_text(out, "command", s->command);
    json_put_text(out, "version", s->version);
    json_put_text(out, "cpu", s->cpu);
    json_put_real(out, "busy", s->busy);
    json_put_text(out, "job", s->job);
    buf_putc(out, '}');
}

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

static void put_run(struct buf *out, const struct sweep_data *d)
{
    json_name(out, "run");
    buf_putc(out, '{');
    json_name(out, "sessions");
    buf_putc(out, '[');
    for (int32_t i = 0; i < d->n_sessions; i++)
        put_session(out, &d->sessions[i]);
    buf_putc(out, ']');
    put_ranks(out, d);
    put_attempts(out, d);
    json_name(out, "failures");
    buf_putc(out, '[');
    for (int32_t i = 0; i < d->n_failures; i++) {
        json_comma(out);
        buf_putc(out, '{');
        json_put_text(out, "state", d->failures[i].state);
        json_put_integer(out, "n", d->failures[i].n);
        json_put_integer(out, "trial", d->failures[i].trial);
        json_put_text(out, "reason", d->failures[i].reason);
        buf_putc(out, '}');
    }
    buf_puts(out, "]}");
}

/* facts: sorted by topic. */
static void put_facts(struct buf *out, const struct sweep_data *d)
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

void page_json_run(struct buf *out, const struct sweep_data *d)
{
    put_run(out, d);
    put_facts(out, d);
}
