/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/print/cli.h"
#include "cli/print/models.h"
#include "cli/print/output.h"
#include "program/log_file.h"
#include "report/answer.h"
#include "report/rows.h"
#include "store/query/query.h"
#include "store/trial_files.h"
#include "trial/result.h"

enum { TAB = 8 };

/* The first part is a record. */
struct page_part {
    struct answer_section section;
    enum query query;
};

static const struct page_part config_parts[] = {
    {{"configuration", NULL, true, NULL, NULL}, QUERY_CONFIG},
    {{"settings", "settings", false, "setting value", NULL}, QUERY_CONFIG_SETTINGS},
    {{"trials", "trials", false, "trial state value", "attempts best_epoch"}, QUERY_CONFIG_TRIALS},
    {{"models", "models, which --model FILE writes to files", false, NULL, NULL},
     QUERY_CONFIG_MODELS},
    {{NULL, NULL, false, NULL, NULL}, QUERY_COUNT},
};

static const struct page_part trial_parts[] = {
    {{"trial", NULL, true, NULL, NULL}, QUERY_TRIAL},
    {{"metrics", "metrics at the best epoch", false, "metric val", NULL}, QUERY_TRIAL_METRICS},
    {{"timing", "time in each phase", false, "phase seconds", NULL}, QUERY_TRIAL_TIMING},
    {{"attempts", "attempts", false, "attempt outcome", "pid session rank"}, QUERY_TRIAL_ATTEMPTS},
    {{"members", "ranks of attempts that ran on several", false, NULL, NULL}, QUERY_TRIAL_MEMBERS},
    {{"model", "model, which --model FILE writes to a file", false, NULL, NULL}, QUERY_TRIAL_MODEL},
    {{"checkpoint", "checkpoint, from which the trial continues", false, NULL, NULL},
     QUERY_TRIAL_CHECKPOINT},
    {{"log", "log, which --log prints", false, NULL, NULL}, QUERY_TRIAL_LOG},
    {{"files", "kept files", false, "path", NULL}, QUERY_TRIAL_FILES},
    {{"curve", "training curve", false, "epoch", NULL}, QUERY_TRIAL_CURVE},
    {{NULL, NULL, false, NULL, NULL}, QUERY_COUNT},
};

/* c12 or 12: a configuration; t345: a trial. */
static const struct page_part *parse_id(const char *text, int64_t *id, struct err *err)
{
    bool is_trial = *text == 't';

    if (!query_parse_id(id, text, is_trial ? 't' : 'c')) {
        err_set(err, "'%s' is not an id: must be c12 (a configuration) or t345 (a trial)", text);
        return NULL;
    }
    return is_trial ? trial_parts : config_parts;
}

static const struct page_part reported = {
    {"metrics", "metrics that the program reported", false, "metric value", NULL},
    QUERY_TRIAL_REPORTED};

static int is_of_program(bool *is, struct store *store, int64_t id, struct err *err)
{
    struct result_table program;

    if (query_table(&program, store, QUERY_TRIAL_OF_PROGRAM, id, err))
        return -1;
    *is = program.n_rows > 0;
    result_table_release(&program);
    return 0;
}

static int add_files(struct answer *answer, struct store *store, const struct page_part *part,
                     int64_t id, struct err *err)
{
    static const char *const names[] = {"path", "bytes"};
    struct result_table files;
    struct buf path = {0};
    struct rows rows;

    if (query_table(&files, store, QUERY_TRIAL_FILES, id, err))
        return -1;
    rows_init(&rows, names, sizeof names / sizeof *names);
    for (int64_t r = 0; r < files.n_rows; r++) {
        buf_clear(&path);
        trial_files_put_folder(&path, store_path(store), id);
        buf_printf(&path, "/%s", result_table_text(&files, r, "file"));
        rows_text(&rows, "path", buf_text(&path));
        rows_integer(&rows, "bytes", result_table_integer(&files, r, "bytes"));
    }
    answer_table(answer, &part->section, rows_table(&rows));
    rows_release(&rows);
    buf_release(&path);
    result_table_release(&files);
    return 0;
}

enum { STATE_WORDS = 24 };

/* "is running" or "failed" */
static const char *state_words(char out[STATE_WORDS], const char *state)
{
    enum trial_state parsed = trial_state_parse(state);
    bool is_verb = parsed == TRIAL_FAILED || parsed == TRIAL_DIVERGED;

    snprintf(out, STATE_WORDS, "%s%s", is_verb ? "" : "is ", state);
    return out;
}

/* The curve of a program comes with its result. */
static int note_no_curve(struct store *store, int64_t id, struct err *err)
{
    struct result_table program;
    char words[STATE_WORDS];

    if (query_table(&program, store, QUERY_TRIAL_OF_PROGRAM, id, err))
        return -1;
    if (program.n_rows)
        log_info("t%lld %s: no curve is stored; a program reports one by lines with epoch, which "
                 "are stored with the result",
                 (long long)id, state_words(words, result_table_text(&program, 0, "state")));
    result_table_release(&program);
    return 0;
}

/* Programs report some of the columns of a curve. */
static int add_curve(struct answer *answer, struct store *store, const struct page_part *part,
                     int64_t id, bool of_program, struct err *err)
{
    struct result_table curve;
    int rc = 0;

    if (query_trial_curve(&curve, store, id, err))
        return -1;
    if (of_program)
        result_table_drop_empty(&curve, 1);
    answer_table(answer, &part->section, &curve);
    if (of_program && !curve.n_rows && answer->style.section)
        rc = note_no_curve(store, id, err);
    result_table_release(&curve);
    return rc;
}

static int add_part(struct answer *answer, struct store *store, const struct page_part *part,
                    int64_t id, struct err *err)
{
    struct result_table table;
    bool of_program = false;

    if (part->query == QUERY_TRIAL_FILES)
        return add_files(answer, store, part, id, err);
    if ((part->query == QUERY_TRIAL_METRICS || part->query == QUERY_TRIAL_CURVE) &&
        is_of_program(&of_program, store, id, err))
        return -1;
    if (part->query == QUERY_TRIAL_CURVE)
        return add_curve(answer, store, part, id, of_program, err);
    if (part->query == QUERY_TRIAL_METRICS && of_program)
        part = &reported;
    if (query_table(&table, store, part->query, id, err))
        return -1;
    if (part->query == QUERY_TRIAL_METRICS) /* of a model, which may lack a stop part */
        result_table_drop_empty(&table, 4);
    answer_table(answer, &part->section, &table);
    result_table_release(&table);
    return 0;
}

/* -1 and err: the first part is empty, or the query failed. */
static int check_exists(struct store *store, const struct page_part *parts, int64_t id,
                        struct err *err)
{
    const char *db = store_path(store);
    struct result_table table;
    int64_t n;

    if (query_table(&table, store, parts->query, id, err))
        return -1;
    n = table.n_rows;
    result_table_release(&table);
    if (n)
        return 0;
    return parts == trial_parts
               ? err_set(err, "%s: no trial t%lld in it", db, (long long)id)
               : err_set(err, "%s: no configuration c%lld in it", db, (long long)id);
}

struct show_page {
    struct common_options common;
    const struct page_part *parts;
    int64_t id;
    const char *section;
    const char *model; /* NULL: the page is wanted */
    bool is_forced;
    bool is_log;          /* only the log is wanted */
    struct text_list set; /* for the data of the model */
};

/* For a terminal: escape_terminal() knows only text, without tabs. */
static void make_printable(struct buf *log)
{
    struct buf out = {0};
    size_t column = 0;

    for (size_t i = 0; i < log->size; i++) {
        char c = log->data[i];

        if (c == '\r' && i + 1 < log->size && log->data[i + 1] == '\n')
            continue;
        do
            buf_putc(&out, c == '\t' ? ' ' : c ? c : '?');
        while (++column % TAB && c == '\t');
        if (c == '\n')
            column = 0;
    }
    buf_release(log);
    *log = out;
}

struct trial_log {
    struct buf text;
    int64_t total;  /* bytes that the program printed; -1: unknown */
    bool is_so_far; /* of a trial without a result */
    char state[16];
};

static int read_state(struct trial_log *log, struct store *store, int64_t id, struct err *err)
{
    struct result_table table;

    if (query_table(&table, store, QUERY_TRIAL_OF_PROGRAM, id, err))
        return -1;
    if (table.n_rows)
        snprintf(log->state, sizeof log->state, "%s", result_table_text(&table, 0, "state"));
    else
        err_set(err,
                "%s: t%lld has no log: it trains a model of espalier, and only programs have logs",
                store_path(store), (long long)id);
    result_table_release(&table);
    return *log->state ? 0 : -1;
}

/* A trial without a result has its output in a file. */
static int read_log(struct trial_log *log, struct store *store, int64_t id, struct err *err)
{
    int state = trial_state_parse(log->state), n_files = 0;
    struct buf folder = {0};

    trial_files_put_folder(&folder, store_path(store), id);
    if (buf_failed(&folder))
        n_files = err_nomem(err, "path", folder.size);
    else if (state == TRIAL_PENDING || state == TRIAL_RUNNING)
        n_files = log_file_read(&log->text, buf_text(&folder), err);
    buf_release(&folder);
    log->is_so_far = n_files > 0;
    log->total = -1;
    return n_files ? n_files : query_log(&log->text, &log->total, store, id, err);
}

/* The reason of a failure would otherwise seem to be that nothing was printed. */
static int note_silence(const struct trial_log *log, struct store *store, int64_t id,
                        struct err *err)
{
    struct result_table trial;
    char words[STATE_WORDS];
    const char *reason;

    if (query_table(&trial, store, QUERY_TRIAL, id, err))
        return -1;
    reason = trial.n_rows ? result_table_text(&trial, 0, "error") : "";
    log_info("t%lld has printed nothing; it %s%s%s", (long long)id, state_words(words, log->state),
             *reason ? ": " : "", reason);
    result_table_release(&trial);
    return 0;
}

static int print_log(struct store *store, const struct show_page *page, struct err *err)
{
    struct trial_log log = {.total = -1};
    long long id = (long long)page->id;
    int rc =
        read_state(&log, store, page->id, err) || read_log(&log, store, page->id, err) < 0 ? -1 : 0;
    size_t bytes = log.text.size;
    char words[STATE_WORDS];

    if (!rc && bytes && isatty(STDOUT_FILENO))
        make_printable(&log.text);
    if (!rc && bytes)
        rc = cli_print(&log.text, CLI_DATA, err);
    if (!rc && !bytes)
        rc = note_silence(&log, store, page->id, err);
    else if (!rc && log.is_so_far)
        log_info("t%lld %s: this is its output so far", id, state_words(words, log.state));
    else if (!rc && log.total > (int64_t)bytes)
        log_info("the last %zu of %lld bytes that the program printed", bytes,
                 (long long)log.total);
    buf_release(&log.text);
    return rc;
}

static int fill(struct answer *answer, struct store *store, const void *arg, struct err *err)
{
    const struct show_page *page = arg;
    const struct page_part *p = page->parts;

    if (page->model)
        return models_save(page->model, page->is_forced, page->common.db, store, p == trial_parts,
                           page->id, &page->set, err);
    if (check_exists(store, p, page->id, err))
        return -1;
    if (page->is_log)
        return print_log(store, page, err);
    for (; p->section.name; p++)
        if (answer_wants(answer, &p->section) && add_part(answer, store, p, page->id, err))
            return -1;
    return 0;
}

/* A trial and a configuration have different sections. */
static int check_section(const struct show_page *page, struct err *err)
{
    const struct page_part *p = page->parts;

    while (page->section && p->section.name && strcmp(p->section.name, page->section) != 0)
        p++;
    if (page->section && !p->section.name)
        return err_set(err, "--section %s: a %s has no such section", page->section,
                       page->parts->section.name);
    return 0;
}

static int show(struct call *call)
{
    struct show_page *page = call->options;
    struct err err;

    page->parts = parse_id(call->operands[0], &page->id, &err);
    if (!page->parts || check_section(page, &err))
        return cli_fail_usage(&err);
    if (page->is_log && page->parts != trial_parts) {
        err_set(&err, "--log: must follow the id of a trial, such as t345");
        return cli_fail_usage(&err);
    }
    if (page->model || page->is_log)
        page->common.format = "table"; /* no section is printed */
    return output_database(&page->common, page->section, OUTPUT_DOCUMENT, fill, page);
}

static const struct option_row options[] = {
    {0, "model", "FILE", OPTION_TEXT, VALUE_FILE, offsetof(struct show_page, model),
     .help = "Write the kept model to FILE, as safetensors. A configuration with several trials "
             "writes FILE-t1, FILE-t2 and so on."},
    {0, "log", NULL, OPTION_FLAG, .into = offsetof(struct show_page, is_log),
     .help = "Print the log of a trial that a program ran: the last 64 KiB of its output. For a "
             "trial that is running or was stopped, print the output so far. Bytes stay as they "
             "are, except on a terminal."},
    {0, "force", NULL, OPTION_FLAG, .into = offsetof(struct show_page, is_forced),
     .help = "Replace files of --model that exist."},
    {0, "section", "NAME", OPTION_TEXT, .into = offsetof(struct show_page, section),
     .help =
         "Print only this part: configuration, settings, trials or models of a configuration; "
         "trial, metrics, timing, attempts, members, model, checkpoint, log, files or curve of a "
         "trial.",
     .choices = "configuration|settings|trials|models|trial|metrics|timing|attempts|members|"
                "model|checkpoint|log|files|curve"},
    {0, "set", "[S.]K=V", OPTION_LIST, VALUE_SETTING, offsetof(struct show_page, set),
     .help = "Override a setting, for example the path of training data that have moved, which "
             "--model reads after a reduction. May be repeated."},
    {0},
};

static const struct example examples[] = {
    {"espalier show c12", "Show configuration 12 of results.db."},
    {"espalier show big.db t345", "Show trial 345 of another database."},
    {"espalier show t345 --section curve --format csv", "Print the training curve of a trial."},
    {"espalier show t345 --log", "Print what the program of trial 345 printed."},
    {"espalier show c12 --model c12.safetensors", "Write the models of configuration 12."},
    {NULL, NULL},
};

const struct command command_show = {
    .name = "show",
    .group = GROUP_RESULTS,
    .operands = "[DB] ID",
    .min_operands = 1,
    .max_operands = 1,
    .db_operand = DB_FIRST,
    .summary = "Show one configuration (c12) or trial (t345) in full.",
    .about = "Shows settings, metrics, timing, attempts and the training curve, or writes the "
             "kept model.",
    .examples = examples,
    .see = "best, predict",
    .options = options,
    .common = COMMON_DB | COMMON_FORMAT | COMMON_WIDE,
    .options_size = sizeof(struct show_page),
    .multiplies = true,
    .run = show,
};
