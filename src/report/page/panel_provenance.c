/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the numbers come from, and how to compute them again. */
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/words.h"
#include "report/page/html.h"
#include "report/page/page.h"
#include "report/page/panel.h"

static void put_row(struct buf *out, const char *name, const char *value)
{
    if (!*value)
        return;
    buf_puts(out, "<tr><th scope=\"row\">");
    escape_html(out, name);
    buf_puts(out, "</th><td>");
    escape_html(out, value);
    buf_puts(out, "</td></tr>\n");
}

static const char *text_of(const struct sweep_data *d, int64_t session, const char *column)
{
    return result_table_text(&d->sessions, session, column);
}

/* True if no earlier session has the same text. */
static bool is_new(const struct sweep_data *d, int64_t i, const char *column)
{
    for (int64_t k = 0; k < i; k++)
        if (!strcmp(text_of(d, k, column), text_of(d, i, column)))
            return false;
    return true;
}

/* A row with the different texts of the sessions. */
static void put_each(struct buf *out, const char *name, const struct sweep_data *d,
                     const char *column)
{
    struct buf all = {0};

    for (int64_t i = 0; i < d->sessions.n_rows; i++)
        if (*text_of(d, i, column) && is_new(d, i, column))
            buf_printf(&all, "%s%s", all.size ? "; " : "", text_of(d, i, column));
    put_row(out, name, buf_text(&all));
    out->failed |= buf_failed(&all);
    buf_release(&all);
}

void panel_put_runs(struct buf *out, const struct sweep_data *d)
{
    int64_t least = INT64_MAX, most = 0, n = d->sessions.n_rows;
    const char *gap = " and a processor of type ";

    for (int64_t s = 0; s < n; s++) {
        int64_t ranks = result_table_integer(&d->sessions, s, "ranks");

        least = ranks < least ? ranks : least;
        most = ranks > most ? ranks : most;
    }
    if (!n)
        return;
    buf_puts(out, "The trials ran ");
    if (n > 1)
        buf_printf(out, "in %d runs of ", (int)n);
    else
        buf_puts(out, "on ");
    if (least < most)
        buf_printf(out, "%d to ", (int)least);
    buf_printf(out, "%d MPI rank%s", (int)most, plural(most));
    for (int64_t s = 0; s < d->sessions.n_rows; s++)
        if (*text_of(d, s, "cpu") && is_new(d, s, "cpu")) {
            buf_printf(out, "%s%s", gap, text_of(d, s, "cpu"));
            gap = ", and ";
        }
    buf_puts(out, ". ");
}

/* The sweep file, and how it relates to the configurations of the database. */
static void put_sweep_file(struct buf *out, const struct sweep_data *d)
{
    html_element(out, "h3", "Sweep file");
    if (d->n_file_configs < 0)
        html_element(out, "p",
                     "The text that the database has. This espalier cannot read it as a "
                     "sweep file.");
    else if (!d->search.is_listed)
        html_element(
            out, "p",
            "All settings of the sweep, also those that its file did not set. [grid] lists the "
            "values of its %d configurations in place of ranges, so the search would not propose "
            "the same ones from it.",
            (int)d->n_configs);
    else if (d->n_file_configs == d->n_configs)
        html_element(out, "p",
                     "All settings of the sweep, also those that its file did not set. The file "
                     "gives the same %d configuration%s.",
                     (int)d->n_configs, plural(d->n_configs));
    else
        html_element(out, "p",
                     "All settings of the sweep, also those that its file did not set. The file "
                     "gives %d configuration%s, but the database has %d: trials of other shards "
                     "are missing, several runs added values, or an earlier version of espalier "
                     "did not store the condition [sweep] where.",
                     (int)d->n_file_configs, plural(d->n_file_configs), (int)d->n_configs);
    buf_puts(out, "<pre class=\"copy\">");
    escape_html(out, d->ini);
    buf_puts(out, "</pre>\n");
}

static void put_again(struct buf *out, const struct sweep_data *d)
{
    struct buf db = {0}, name = {0};
    const char *word = escape_shell(&db, d->database);

    html_element(out, "h3", "How to reproduce");
    buf_puts(out, "<pre class=\"copy\">");
    escape_shell(&name, d->name);
    if (d->task != TASK_NONE)
        html_printf(out,
                    "# Train some stored trials again, and compare the numbers to the bit:\n"
                    "espalier verify %s --sweep %s\n",
                    word, buf_text(&name));
    html_printf(out,
                "# Run the whole sweep anew, after saving the sweep file above as sweep.ini%s:\n"
                "espalier run sweep.ini --db again.db\n",
                d->task == TASK_NONE ? " in the folder of the first sweep file" : "");
    if (d->chosen)
        html_printf(out,
                    "# Write a sweep file of the chosen configuration alone:\n"
                    "espalier best %s --sweep %s%s --format ini\n",
                    word, buf_text(&name), d->rule == QUERY_RULE_1SE ? " --rule 1se" : "");
    buf_puts(out, "</pre>\n");
    out->failed |= buf_failed(&db) || buf_failed(&name);
    buf_release(&db);
    buf_release(&name);
}

static void put_provenance(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    char created[CLOCK_TEXT], updated[CLOCK_TEXT];

    buf_puts(out, "<table><tbody>\n");
    put_row(out, "sweep", d->name);
    put_row(out, "database", d->database);
    put_row(out, "sweep file", d->file);
    put_row(out, d->task == TASK_NONE ? "digest of the input files" : "digest of the data",
            d->digest);
    put_row(out, "first run", clock_utc(created, d->created));
    put_row(out, "last change", clock_utc(updated, d->updated));
    put_each(out, "version of espalier", d, "version");
    put_each(out, "processor", d, "cpu");
    put_each(out, "host of rank 0", d, "host");
    put_row(out, "page written by espalier", page->version);
    buf_puts(out, "</tbody></table>\n");
    put_sweep_file(out, d);
    html_element(out, "h3", "Command lines");
    buf_puts(out, "<pre>");
    for (int64_t i = 0; i < d->sessions.n_rows; i++)
        if (is_new(d, i, "command"))
            html_printf(out, "%s\n", text_of(d, i, "command"));
    buf_puts(out, "</pre>\n");
    put_again(out, d);
}

const struct panel panel_provenance = {
    .id = "provenance",
    .heading = "Provenance",
    .put = put_provenance,
};
