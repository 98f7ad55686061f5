/* SPDX-License-Identifier: BSD-3-Clause */
/* The methods of a sweep whose trials a program ran: espalier does not know its data and training. */
#include <string.h>

#include "base/words.h"
#include "report/page/panel_methods.h"

enum { FILES_LISTED = 8 };

/* The command line as the sweep file has it, and what did not vary in it. */
static void put_command_line(struct methods *m)
{
    const struct settings *s = m->s;
    const char *gap = "The fixed values were ";

    if (!s)
        return;
    buf_printf(&m->text, "A trial ran the command: %s", s->v[P_COMMAND].s);
    buf_puts(&m->text, strchr(s->v[P_COMMAND].s, '{')
                           ? " (a name in braces stands for its value). "
                           : " (it got the values by environment variables). ");
    for (int id = P_COUNT; id < settings_end(s); id++) {
        const char *name = settings_row(s, id)->key;

        if (methods_is_varied(m->d, name) || !s->v[id].s)
            continue;
        buf_printf(&m->text, "%s%s %s", gap, name, s->v[id].s);
        gap = ", ";
    }
    buf_puts(&m->text, *gap == ',' ? ". " : "");
}

static void put_input_files(struct methods *m)
{
    const struct sweep_data *d = m->d;
    int32_t n = 0, i = 0;

    for (int32_t f = 0; f < d->n_facts; f++)
        n += !strcmp(d->facts[f].topic, "input");
    if (!n)
        return;
    buf_printf(&m->text, "The content of %d input file%s identified the trials", (int)n, plural(n));
    for (int32_t f = 0; n <= FILES_LISTED && f < d->n_facts; f++)
        if (!strcmp(d->facts[f].topic, "input"))
            buf_printf(&m->text, "%s%s", i++ ? words_between(i - 1, n) : ": ", d->facts[f].name);
    buf_puts(&m->text, ". ");
}

void methods_put_command(struct methods *m)
{
    put_command_line(m);
    put_input_files(m);
}

/* espalier does not know what a program does with the number of its fold. */
void methods_put_program_scheme(struct methods *m)
{
    const struct sweep_data *d = m->d;
    long long lost = d->failed + d->diverged;

    buf_printf(&m->text, "%s configuration was run ", d->n_configs == 1 ? "The" : "Each");
    if (d->folds > 1)
        buf_printf(&m->text, "for each of %d folds", (int)d->folds);
    if (d->replicates > 1)
        buf_printf(&m->text, "%s%d times with other seeds", d->folds > 1 ? ", " : "",
                   (int)d->replicates);
    if (d->folds <= 1 && d->replicates <= 1)
        buf_puts(&m->text, "once");
    buf_printf(&m->text, ": %lld trial%s in all", (long long)d->planned, plural(d->planned));
    if (lost)
        buf_printf(&m->text, ", of which %lld failed or diverged", lost);
    buf_puts(&m->text, ". ");
    if (d->n_curves)
        buf_printf(&m->text, "Of each trial, the epoch with the best %s counted. ", d->objective);
}
