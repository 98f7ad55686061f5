/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/words.h"
#include "cli/print/cli.h"
#include "cli/print/figures.h"
#include "cli/print/inputs.h"
#include "config.h"
#include "report/page/page.h"
#include "run/advice.h"
#include "store/query/query.h"

struct report_options {
    struct common_options common;
    const char *output;
    const char *sweep;
    const char *rule;
    const char *title;
    const char *figures;
    bool is_forced;
};

/* ---- what the page is made from ---- */

struct report_work {
    struct store *store;
    struct query_sweep sweep;
    struct sweep_data data;
    struct errlist warnings;
    struct buf html;
};

static void release(struct report_work *work)
{
    buf_release(&work->html);
    errlist_release(&work->warnings);
    sweep_data_release(&work->data);
    store_close(work->store);
}

static int find_warnings(struct report_work *work, struct err *err)
{
    const struct sweep_data *d = &work->data;
    int32_t chosen = d->chosen ? sweep_data_find(d, d->chosen) : 0;
    struct result_table row = d->leaderboard; /* of the choice alone */
    struct advice_choice choice = {.row = &row, .alike = &d->alike, .shows_test = d->n_tests > 0};

    row.cells += (int64_t)chosen * row.n_cols;
    row.n_rows = 1;
    page_advise(&work->warnings, d);
    return advice_scores(&work->warnings, work->store, &work->sweep, err) ||
                   advice_choice(&work->warnings, work->store, &work->sweep, &choice, err)
               ? -1
               : 0;
}

static int make_page(struct report_work *work, const struct report_options *o, struct err *err)
{
    int rule = o->rule ? (int)query_rule_parse(o->rule) : -1;
    struct page page = {.data = &work->data,
                        .title = o->title,
                        .warnings = &work->warnings,
                        .version = PACKAGE_VERSION,
                        .made = clock_unix()};

    if (query_sweep(&work->sweep, work->store, o->sweep, err) ||
        sweep_data_read(&work->data, work->store, &work->sweep, rule, err) ||
        find_warnings(work, err))
        return -1;
    page_put(&work->html, &page);
    return buf_failed(&work->html) ? err_nomem(err, "page", work->html.size) : 0;
}

/* ---- the file ---- */

static int check_outputs(struct report_work *work, const struct report_options *o, struct err *err)
{
    struct inputs inputs = {.is_forced = o->is_forced};
    bool is_stdout = !strcmp(o->output, "-");
    int rc = inputs_add_database(&inputs, o->common.db, work->store, NULL, err) ||
                     (!is_stdout && inputs_check(&inputs, o->output, err)) ||
                     (o->figures && inputs_check_folder(&inputs, o->figures, err))
                 ? -1
                 : 0;

    inputs_release(&inputs);
    return rc;
}

static enum outfile_mode mode_of(const struct report_options *o)
{
    struct stat status;
    bool is_new = !o->is_forced && stat(o->output, &status) != 0;

    return is_new ? OUTFILE_NEW : OUTFILE_REPLACE;
}

static int save_figures(struct figures *figures, const struct report_options *o, struct err *err)
{
    if (figures_save(figures, o->figures, o->is_forced ? OUTFILE_REPLACE : OUTFILE_NEW, err))
        return -1;
    log_info("%s: %d figure%s as SVG%s", o->figures, (int)figures->n, plural(figures->n),
             figures->n && figures->of[0].pdf.size ? " and PDF"
                                                   : "; rsvg-convert, which makes PDF of them, is "
                                                     "not installed");
    return 0;
}

/* Page and figures appear together or not at all. */
static int save_page(struct report_work *work, struct figures *figures,
                     const struct report_options *o, struct err *err)
{
    struct outfile out = {0};
    char size[BYTES_TEXT];
    int rc = outfile_open(&out, o->output, mode_of(o), err) ||
                     outfile_write(&out, work->html.data, work->html.size, err) ||
                     outfile_flush(&out, err) || (figures && save_figures(figures, o, err)) ||
                     outfile_commit(&out, err)
                 ? -1
                 : 0;

    outfile_discard(&out);
    if (!rc)
        log_info("%s: sweep '%s', %d configuration%s, %s", o->output, work->sweep.name,
                 (int)work->data.n_configs, plural(work->data.n_configs),
                 bytes_words(size, (double)work->html.size));
    return rc;
}

static int save_as(struct report_work *work, struct figures *figures,
                   const struct report_options *o, struct err *err)
{
    if (strcmp(o->output, "-") != 0)
        return save_page(work, figures, o, err);
    return (figures && save_figures(figures, o, err)) || cli_print(&work->html, CLI_DATA, err) ? -1
                                                                                               : 0;
}

/* Without a browser for the figures there is still a page, which the user can open. */
static int save(struct report_work *work, const struct report_options *o, struct err *err)
{
    struct figures figures = {0};
    struct err why;
    int is_missing = o->figures && figures_draw(&figures, &work->html, &why) ? -1 : 0;
    int rc = save_as(work, o->figures && !is_missing ? &figures : NULL, o, err);

    figures_release(&figures);
    if (!rc && is_missing)
        *err = why;
    return rc ? rc : is_missing;
}

static int report(struct call *call)
{
    const struct report_options *o = call->options;
    struct report_work work = {0};
    struct err err;
    int rc;

    cli_log_database(o->common.db);
    rc = store_open_reader(&work.store, o->common.db, &err) || check_outputs(&work, o, &err) ||
                 make_page(&work, o, &err) || save(&work, o, &err)
             ? -1
             : 0;
    release(&work);
    return rc ? cli_fail(&err) : EXIT_OK;
}

static const struct option_row options[] = {
    {'o', "output", "FILE", OPTION_TEXT, VALUE_FILE, offsetof(struct report_options, output),
     .help = "Write the page to FILE (- = standard output).", .default_text = "report.html"},
    {0, "force", NULL, OPTION_FLAG, .into = offsetof(struct report_options, is_forced),
     .help = "Replace files that exist already."},
    {0, "sweep", "NAME", OPTION_TEXT, VALUE_SWEEP, offsetof(struct report_options, sweep),
     .help = "Use the sweep NAME of the database.", .shown = "the last one run"},
    {0, "rule", "RULE", OPTION_TEXT, .into = offsetof(struct report_options, rule),
     .help = "Choose one configuration and show its test metrics. best chooses the first one, 1se "
             "the cheapest within one standard error of it.",
     .choices = "best|1se"},
    {0, "figures", "DIR", OPTION_TEXT, VALUE_DIRECTORY, offsetof(struct report_options, figures),
     .help = "Also write each chart as SVG and PDF into the folder DIR. Needs Chromium, and "
             "rsvg-convert "
             "for PDF.",
     .shown = "none"},
    {0, "title", "TEXT", OPTION_TEXT, .into = offsetof(struct report_options, title),
     .help = "Give the page this title.", .shown = "the name of the sweep"},
    {0},
};

static const struct example examples[] = {
    {"espalier report", "Write report.html about the last sweep of results.db."},
    {"espalier report -o page.html --rule 1se --title \"Flowering time\"",
     "Write a page with a title about the choice of a rule, and show its test scores."},
    {"espalier report --figures figures", "Also write figures for a paper into a folder."},
    {NULL, NULL},
};

const struct command command_report = {
    .name = "report",
    .group = GROUP_RESULTS,
    .operands = "[DB]",
    .db_operand = DB_FIRST,
    .summary = "Write a page with charts and tables about a sweep.",
    .about =
        "The page is one HTML file that needs no network and no other file. Charts react to the "
        "pointer and the keyboard; without a script, texts and tables stay.",
    .examples = examples,
    .see = "best, show, export",
    .options = options,
    .common = COMMON_DB,
    .options_size = sizeof(struct report_options),
    .run = report,
};
