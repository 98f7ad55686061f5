/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/leftover.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/words.h"
#include "cli/print/cli.h"
#include "cli/print/inputs.h"
#include "config.h"
#include "report/page/page.h"
#include "run/advice.h"
#include "store/query/query.h"

struct report_options {
    struct common_options common;
    const char *output, *rule, *title, *figures;
};

/* ---- figures ---- */

enum { FIGURES_MOST = 16 };

struct figure {
    char name[16];         /* of the panel */
    struct buf svg, pdf;   /* owned; pdf empty: there is no rsvg-convert */
    struct outfile out[2]; /* of each */
};

struct figures {
    char *folder; /* of temporary files; owned by base/leftover.h */
    int32_t n;
    struct figure of[FIGURES_MOST];
};

/* The script adds each chart to the document as an element that begins so
 * (page/script/files.js). */
#define MARK "<script type=\"image/svg+xml\" id=\"figure-"

static int read_file(struct buf *out, const char *path, struct err *err)
{
    FILE *file = fopen(path, "rb");
    char block[65536];
    size_t n;

    if (!file)
        return err_set(err, "%s: %s", path, strerror(errno));
    while ((n = fread(block, 1, sizeof block, file)) > 0)
        buf_add(out, block, n);
    fclose(file);
    return buf_failed(out) ? err_nomem(err, path, out->size) : 0;
}

/* Run a command, and wait for its end. words: the program, which is looked up in PATH, its
 * arguments, and NULL. Its standard output goes to a file. status out: its exit status, 127 if
 * there is no such program, or 128 + the signal that ended it. -1 and err: it was not started. */
static int run(int *status, const char *const *words, const char *output, struct err *err)
{
    posix_spawn_file_actions_t actions;
    int rc, ended = 0;
    pid_t pid;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    rc = posix_spawnp(&pid, words[0], &actions, NULL, (char *const *)(uintptr_t)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    *status = 127;
    if (rc == ENOENT)
        return 0;
    if (rc)
        return err_set(err, "%s: %s", words[0], strerror(rc));
    while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
        ;
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
    return 0;
}

/* The script sees the address #figures. status out: of the browser, 127 if there is none. */
static int run_browser(int *status, const char *folder, const char *dom, struct err *err)
{
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome", "chrome"};
    char address[PATH_MAX], profile[PATH_MAX];
    const char *words[] = {NULL, "--headless", "--disable-gpu", "--disable-dev-shm-usage",
                           "--no-first-run", "--window-size=1280,900",
                           "--virtual-time-budget=60000", profile, "--dump-dom", address,
                           /* Its sandbox refuses root. */
                           geteuid() ? NULL : "--no-sandbox", NULL};

    snprintf(address, sizeof address, "file://%s/page.html#figures", folder);
    snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", folder);
    *status = 127;
    for (size_t i = 0; i < sizeof names / sizeof *names && *status == 127; i++) {
        words[0] = names[i];
        if (run(status, words, dom, err))
            return -1;
    }
    return 0;
}

/* Copy the elements of the charts out of the page. */
static int take_all(struct figures *figures, const char *dom, struct err *err)
{
    const char *at = dom;

    while (figures->n < FIGURES_MOST && (at = strstr(at, MARK))) {
        struct figure *f = &figures->of[figures->n++];
        const char *name = at + strlen(MARK), *begin = strchr(name, '>');
        const char *end = begin ? strstr(begin, "</script>") : NULL;
        size_t n = strcspn(name, "\"");

        if (!end || n >= sizeof f->name || strcspn(name, "/") < n)
            return err_set(err, "--figures: the page's script wrote what cannot be read");
        memcpy(f->name, name, n);
        buf_add(&f->svg, begin + 1, (size_t)(end - begin - 1));
        if (buf_failed(&f->svg))
            return err_nomem(err, "figure", f->svg.size);
        at = end;
    }
    return figures->n ? 0
                      : err_set(err, "--figures: Chromium did not draw the page: open the page, "
                                     "and save each chart with its button SVG");
}

/* Without rsvg-convert there is no PDF. */
static int make_pdfs(struct figures *figures, struct err *err)
{
    char svg[PATH_MAX], pdf[PATH_MAX];
    const char *const words[] = {"rsvg-convert", "-f", "pdf", svg, NULL};
    int status = 0;

    for (int32_t i = 0; i < figures->n && status != 127; i++) {
        struct figure *f = &figures->of[i];

        snprintf(svg, sizeof svg, "%s/%s.svg", figures->folder, f->name);
        snprintf(pdf, sizeof pdf, "%s/%s.pdf", figures->folder, f->name);
        if (outfile_save(svg, OUTFILE_NEW, f->svg.data, f->svg.size, err) ||
            run(&status, words, pdf, err))
            return -1;
        if (status && status != 127)
            return err_set(err, "--figures: rsvg-convert ended with status %d", status);
        if (!status && read_file(&f->pdf, pdf, err))
            return -1;
    }
    return 0;
}

/* Draw the charts of a page. Takes seconds. -1 and err: there is no Chromium, or it failed; the
 * message says what to do. Pair with figures_release(), also after a failure. */
static int figures_draw(struct figures *figures, const struct buf *page, struct err *err)
{
    const char *below = getenv("TMPDIR");
    char path[PATH_MAX];
    struct buf dom = {0};
    int status, rc;

    snprintf(path, sizeof path, "%s/figures", below && *below ? below : "/tmp");
    figures->folder = leftover_name(path);
    if (!figures->folder)
        return err_nomem(err, "the name of a folder", 0);
    if (mkdir(figures->folder, 0700))
        return err_set(err, "%s: %s; set TMPDIR to a folder that you can write to", figures->folder,
                       strerror(errno));
    snprintf(path, sizeof path, "%s/page.html", figures->folder);
    if (outfile_save(path, OUTFILE_NEW, page->data, page->size, err))
        return -1;
    snprintf(path, sizeof path, "%s/dom", figures->folder);
    if (run_browser(&status, figures->folder, path, err))
        return -1;
    if (status == 127)
        return err_set(err, "--figures: Chromium draws them and is not installed: open the page in "
                            "any browser, and save each chart with its button SVG");
    rc = read_file(&dom, path, err) || take_all(figures, buf_text(&dom), err) ||
                 make_pdfs(figures, err)
             ? -1
             : 0;
    buf_release(&dom);
    return rc;
}

/* Write NAME.svg, and NAME.pdf where it is there, into a folder, which is made if it is missing.
 * OUTFILE_NEW refuses before it writes anything if one of the files exists. All are on the disk before
 * the first one gets its name, so a full disk leaves none. -1 and err: a file could not be written. */
static int figures_save(struct figures *figures, const char *dir, enum outfile_mode mode,
                        struct err *err)
{
    bool is_new = !mkdir(dir, 0777);
    int why = errno, rc = 0;
    char name[PATH_MAX];
    struct stat st;

    if (!is_new && (why != EEXIST || stat(dir, &st) || !S_ISDIR(st.st_mode)))
        return why == EEXIST
                   ? err_set(err, "%s: is not a folder: must be one for figures, or a new name",
                             dir)
                   : err_set(err, "%s: cannot make the folder: %s", dir, strerror(why));
    for (int32_t i = 0; i < 2 * figures->n && !rc; i++) {
        struct figure *f = &figures->of[i / 2];
        struct outfile *out = &f->out[i % 2];
        const struct buf *bytes = i % 2 ? &f->pdf : &f->svg;

        snprintf(name, sizeof name, "%s/%s.%s", dir, f->name, i % 2 ? "pdf" : "svg");
        if (!bytes->size)
            continue;
        if (mode == OUTFILE_NEW && !lstat(name, &st))
            rc = err_set(err, "%s: exists already; --force replaces it", name);
        else
            rc = outfile_open(out, name, mode, err) ||
                         outfile_write(out, bytes->data, bytes->size, err) ||
                         outfile_flush(out, err)
                     ? -1
                     : 0;
    }
    for (int32_t i = 0; i < 2 * figures->n; i++) {
        struct outfile *out = &figures->of[i / 2].out[i % 2];

        if (!rc && out->file)
            rc = outfile_commit(out, err);
        outfile_discard(out);
    }
    if (rc && is_new)
        rmdir(dir);
    if (!rc)
        log_info("%s: %d figure%s as SVG%s", dir, (int)figures->n, plural(figures->n),
                 figures->n && figures->of[0].pdf.size
                     ? " and PDF"
                     : "; rsvg-convert, which makes PDF of them, is not installed");
    return rc;
}

static void figures_release(struct figures *figures)
{
    leftover_remove(figures->folder);
    for (int32_t i = 0; i < figures->n; i++) {
        buf_release(&figures->of[i].svg);
        buf_release(&figures->of[i].pdf);
    }
}

/* ---- what the page is made from ---- */

struct report_work {
    struct store *store;
    struct query_sweep sweep;
    struct sweep_data data;
    struct errlist warnings;
    struct buf html;
};

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

    if (query_sweep(&work->sweep, work->store, o->common.sweep, err) ||
        sweep_data_read(&work->data, work->store, &work->sweep, rule, err) ||
        find_warnings(work, err))
        return -1;
    page_put(&work->html, &page);
    return buf_failed(&work->html) ? err_nomem(err, "page", work->html.size) : 0;
}

static int check_outputs(struct report_work *work, const struct report_options *o, struct err *err)
{
    struct inputs inputs = {.is_forced = o->common.is_forced};
    bool is_stdout = !strcmp(o->output, "-");
    int rc = inputs_add_database(&inputs, o->common.db, work->store, NULL, err) ||
                     (!is_stdout && inputs_check(&inputs, o->output, err)) ||
                     (o->figures && inputs_check_folder(&inputs, o->figures, err))
                 ? -1
                 : 0;

    inputs_release(&inputs);
    return rc;
}

/* Page and figures appear together or not at all. figures: NULL for none. */
static int save_all(struct report_work *work, struct figures *figures,
                    const struct report_options *o, struct err *err)
{
    enum outfile_mode mode = o->common.is_forced ? OUTFILE_REPLACE : OUTFILE_NEW;
    struct outfile out = {0};
    struct stat status;
    char size[BYTES_TEXT];
    int rc;

    if (!strcmp(o->output, "-"))
        return (figures && figures_save(figures, o->figures, mode, err)) ||
                       cli_print(&work->html, CLI_DATA, err)
                   ? -1
                   : 0;
    /* A pipe or a device may exist. */
    rc = outfile_open(&out, o->output, stat(o->output, &status) ? mode : OUTFILE_REPLACE, err) ||
                 outfile_write(&out, work->html.data, work->html.size, err) ||
                 outfile_flush(&out, err) ||
                 (figures && figures_save(figures, o->figures, mode, err)) ||
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

/* Without a browser for the figures there is still a page, which the user can open. */
static int save(struct report_work *work, const struct report_options *o, struct err *err)
{
    struct figures figures = {0};
    struct err why;
    int is_missing = o->figures && figures_draw(&figures, &work->html, &why) ? -1 : 0;
    int rc = save_all(work, o->figures && !is_missing ? &figures : NULL, o, err);

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
    buf_release(&work.html);
    errlist_release(&work.warnings);
    sweep_data_release(&work.data);
    store_close(work.store);
    return rc ? cli_fail(&err) : EXIT_OK;
}

static const struct option_row options[] = {
    {'o', "output", "FILE", OPTION_TEXT, VALUE_FILE, offsetof(struct report_options, output),
     .help = "Write the page to FILE (- = standard output).", .default_text = "report.html"},
    {OPTION_FORCE("Replace files that exist already.")},
    {OPTION_SWEEP},
    {OPTION_RULE(struct report_options)},
    {0, "figures", "DIR", OPTION_TEXT, VALUE_DIRECTORY, offsetof(struct report_options, figures),
     .help = "Also write each chart as SVG and PDF into the folder DIR. Needs Chromium, and "
             "rsvg-convert "
             "for PDF.",
     .shown = "none"},
    {0, "title", "TEXT", OPTION_TEXT, .into = offsetof(struct report_options, title),
     .help = "Give the page this title.", .shown = "the name of the sweep"},
    {0},
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
    .examples =
        {{"espalier report", "Write report.html about the last sweep of results.db."},
         {"espalier report -o page.html --rule 1se --title \"Flowering time\"",
          "Write a page with a title about the choice of a rule, and show its test scores."},
         {"espalier report --figures figures", "Also write figures for a paper into a folder."}},
    .see = "best, show, export",
    .options = options,
    .common = COMMON_DB,
    .options_size = sizeof(struct report_options),
    .run = report,
};
