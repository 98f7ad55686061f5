/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/print/cli.h"
#include "cli/print/inputs.h"
#include "cli/print/output.h"
#include "predict/predict.h"
#include "predict/replay.h"
#include "program/log_file.h"
#include "report/answer.h"
#include "report/rows.h"
#include "store/query/query.h"
#include "store/trial_files.h"
#include "trial/kept.h"
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
    {{"decisions", "decisions of the search", false, "step action", NULL}, QUERY_CONFIG_DECISIONS},
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
    {{"rungs", "scores at rungs of the search", false, NULL, NULL}, QUERY_TRIAL_RUNGS},
    {{"curve", "training curve; val is the stop part, where there is one", false, "epoch", NULL},
     QUERY_TRIAL_CURVE},
    {{NULL, NULL, false, NULL, NULL}, QUERY_COUNT},
};

static const struct answer_section reported = {"metrics", "metrics that the program reported",
                                               false, "metric value", NULL};

/* state: out, of a trial that a program ran; "" for a model. -1 and err. */
static int read_state(char state[16], struct store *store, int64_t id, struct err *err)
{
    struct result_table program;

    if (query_table(&program, store, QUERY_TRIAL_OF_PROGRAM, id, err))
        return -1;
    snprintf(state, 16, "%s", program.n_rows ? result_table_text(&program, 0, "state") : "");
    result_table_release(&program);
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

/* The same. Programs report some of the columns of a curve, with their result. */
static int add_curve(struct answer *answer, struct store *store, const struct page_part *part,
                     int64_t id, const char *state, struct err *err)
{
    struct result_table table;
    char words[STATE_WORDS];

    if (query_trial_curve(&table, store, id, err))
        return -1;
    if (*state)
        result_table_drop_empty(&table, 1);
    answer_table(answer, &part->section, &table);
    if (*state && !table.n_rows && answer->style.section)
        log_info("t%lld %s: no curve is stored; a program reports one by lines with epoch, which "
                 "are stored with the result",
                 (long long)id, state_words(words, state));
    result_table_release(&table);
    return 0;
}

/* Only a sweep with a search has them. */
static void add_of_search(struct answer *answer, const struct page_part *part,
                          const struct result_table *table)
{
    const int64_t last = table->n_rows - 1;

    if (table->n_rows || answer->style.section)
        answer_table(answer, &part->section, table);
    if (part->query != QUERY_CONFIG_DECISIONS || last < 0 || !answer_is_for_people(answer) ||
        strcmp(result_table_text(table, last, "action"), "stop") != 0)
        return;
    answer_printf(answer,
                  "stopped in step %lld: ", (long long)result_table_integer(table, last, "step"));
    if (isnan(result_table_real(table, last, "value")))
        answer_printf(answer, "a trial failed or diverged\n");
    else
        answer_printf(answer, "its value %.5g is worse than the threshold %.5g\n",
                      result_table_real(table, last, "value"),
                      result_table_real(table, last, "threshold"));
}

static int add_part(struct answer *answer, struct store *store, const struct page_part *part,
                    int64_t id, struct err *err)
{
    static const char *const names[] = {"path", "bytes"};
    struct result_table table;
    struct buf path = {0};
    struct rows rows;
    bool is_reported;
    char state[16];

    if ((part->query == QUERY_TRIAL_METRICS || part->query == QUERY_TRIAL_CURVE) &&
        read_state(state, store, id, err))
        return -1;
    if (part->query == QUERY_TRIAL_CURVE)
        return add_curve(answer, store, part, id, state, err);
    /* the trial of a program; one of a model may lack a stop part */
    is_reported = part->query == QUERY_TRIAL_METRICS && *state;
    if (query_table(&table, store, is_reported ? QUERY_TRIAL_REPORTED : part->query, id, err))
        return -1;
    if (part->query == QUERY_TRIAL_METRICS && !is_reported)
        result_table_drop_empty(&table, 4);
    if (part->query == QUERY_CONFIG_DECISIONS || part->query == QUERY_TRIAL_RUNGS) {
        add_of_search(answer, part, &table);
        result_table_release(&table);
        return 0;
    }
    if (part->query != QUERY_TRIAL_FILES) {
        answer_table(answer, is_reported ? &reported : &part->section, &table);
        result_table_release(&table);
        return 0;
    }
    rows_init(&rows, names, sizeof names / sizeof *names);
    for (int64_t r = 0; r < table.n_rows; r++) {
        buf_clear(&path);
        trial_files_put_folder(&path, store_path(store), id);
        buf_printf(&path, "/%s", result_table_text(&table, r, "file"));
        rows_text(&rows, "path", buf_text(&path));
        rows_integer(&rows, "bytes", result_table_integer(&table, r, "bytes"));
    }
    answer_table(answer, &part->section, rows_table(&rows));
    rows_release(&rows);
    buf_release(&path);
    result_table_release(&table);
    return 0;
}

struct show_page {
    struct common_options common;
    const char *model; /* NULL: the page is wanted */
    bool is_log;       /* only the log is wanted */
    /* The members below are no options. */
    const struct page_part *parts;
    int64_t id;
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

/* Append the log. A trial without a result has its output in a file. total: out, bytes that the
 * program printed; -1: unknown. is_so_far: out, it is of a trial without a result. -1 and err. */
static int read_log(struct buf *text, int64_t *total, bool *is_so_far, struct store *store,
                    int64_t id, const char *state, struct err *err)
{
    int parsed = trial_state_parse(state), n_files = 0;
    struct buf folder = {0};

    if (!*state)
        return err_set(
            err,
            "%s: t%lld has no log: it trains a model of espalier, and only programs have "
            "logs",
            store_path(store), (long long)id);
    trial_files_put_folder(&folder, store_path(store), id);
    if (buf_failed(&folder))
        n_files = err_nomem(err, "path", folder.size);
    else if (parsed == TRIAL_PENDING || parsed == TRIAL_RUNNING || parsed == TRIAL_HELD)
        n_files = log_file_read(text, buf_text(&folder), err);
    buf_release(&folder);
    *is_so_far = n_files > 0;
    return n_files ? n_files : query_log(text, total, store, id, err);
}

static int print_log(struct store *store, int64_t id, struct err *err)
{
    bool is_so_far = false;
    struct buf text = {0};
    int64_t total = -1;
    struct result_table trial;
    char state[16], words[STATE_WORDS];
    int rc = read_state(state, store, id, err) ||
                     read_log(&text, &total, &is_so_far, store, id, state, err) < 0
                 ? -1
                 : 0;
    size_t bytes = text.size;

    if (!rc && bytes && isatty(STDOUT_FILENO))
        make_printable(&text);
    if (!rc && bytes)
        rc = cli_print(&text, CLI_DATA, err);
    else if (!rc)
        rc = query_table(&trial, store, QUERY_TRIAL, id, err);
    if (!rc && !bytes) {
        /* The reason of a failure would otherwise seem to be that nothing was printed. */
        const char *reason = trial.n_rows ? result_table_text(&trial, 0, "error") : "";

        log_info("t%lld has printed nothing; it %s%s%s", (long long)id, state_words(words, state),
                 *reason ? ": " : "", reason);
        result_table_release(&trial);
    } else if (!rc && is_so_far) {
        log_info("t%lld %s: this is its output so far", (long long)id, state_words(words, state));
    } else if (!rc && total > (int64_t)bytes) {
        log_info("the last %zu of %lld bytes that the program printed", bytes, (long long)total);
    }
    buf_release(&text);
    return rc;
}

struct writing {
    struct replay replay;
    struct kept_products products;
    struct inputs inputs; /* must not be overwritten */
};

static int write_model(const char *path, struct writing *w, int64_t trial_id, struct err *err)
{
    struct replay *replay = &w->replay;
    struct buf file = {0}, whole = {0};
    struct replay_trial trial;
    struct settings settings;
    int64_t number;
    int rc = store_find_model(&file, replay->store, trial_id, err);

    if (rc == 0)
        rc = predict_no_model(replay->store, 't', trial_id, err);
    else if (rc > 0)
        rc = 0;
    if (!rc && !kept_is_complete(file.data, file.size)) {
        rc = replay_find(&trial, replay->store, trial_id, err) ||
                     replay_prepare(replay, &trial, &number, err)
                 ? -1
                 : 0;
        if (!rc) {
            replay_settings(replay, &settings);
            if (kept_complete(&whole, file.data, file.size, &replay->data, &settings, &w->products,
                              err))
                rc = err_wrap(err, "t%lld", (long long)trial_id);
        }
        buf_release(&file);
        file = whole;
    }
    if (!rc)
        rc = cli_save(path, &file, &w->inputs, err);
    if (!rc)
        log_info("%s: the model of t%lld, %.3g MB", path, (long long)trial_id,
                 (double)file.size * 1e-6);
    buf_release(&file);
    return rc;
}

/* Write the models of a configuration to dir/best-t12.safetensors and so on; a single one to the
 * path as it is. All names are checked before the first file is written. */
static int write_models(const char *path, struct writing *w, int64_t config_id, struct err *err)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    int stem = dot ? (int)(dot - path) : (int)strlen(path);
    const struct inputs none = {.is_forced = true};
    struct result_table models;
    struct stat status;
    int rc;

    if (query_table(&models, w->replay.store, QUERY_CONFIG_MODELS, config_id, err))
        return -1;
    if (!models.n_rows)
        rc = predict_no_model(w->replay.store, 'c', config_id, err);
    else if (models.n_rows > 1 && !inputs_check(&none, path, err) && !stat(path, &status) &&
             !S_ISREG(status.st_mode))
        rc = err_set(err, "%s: is not a regular file, but must be the name of %lld files", path,
                     (long long)models.n_rows);
    else
        rc = inputs_check(&none, path, err);
    for (int64_t r = 0; !rc && r < 2 * models.n_rows; r++) {
        int64_t id = result_table_integer(&models, r % models.n_rows, "trial");
        struct buf numbered = {0};

        if (models.n_rows > 1)
            buf_printf(&numbered, "%.*s-t%lld%s", stem, path, (long long)id, path + stem);
        else
            buf_puts(&numbered, path);
        rc = r < models.n_rows ? inputs_check(&w->inputs, buf_text(&numbered), err)
                               : write_model(buf_text(&numbered), w, id, err);
        buf_release(&numbered);
    }
    result_table_release(&models);
    return rc;
}

/* Write the model of a trial to --model, or the models of a configuration. After a reduction the
 * data are read, to compute weights for the original features; --set overrides their settings. */
static int save_models(const struct show_page *page, struct store *store, struct err *err)
{
    const char *db = page->common.db;
    struct writing w = {.inputs = {.is_forced = page->common.is_forced},
                        .replay = {.db = db, .store = store, .set = &page->common.set}};
    int rc = inputs_add_database(&w.inputs, db, store, &page->common.set, err);

    if (!rc && page->parts == trial_parts)
        rc =
            inputs_check(&w.inputs, page->model, err) || write_model(page->model, &w, page->id, err)
                ? -1
                : 0;
    else if (!rc)
        rc = write_models(page->model, &w, page->id, err);
    inputs_release(&w.inputs);
    kept_products_release(&w.products);
    replay_release(&w.replay);
    return rc;
}

static int fill(struct answer *answer, struct store *store, const void *arg, struct err *err)
{
    const struct show_page *page = arg;
    const struct page_part *p = page->parts;
    bool is_trial = p == trial_parts;
    struct result_table first;
    int64_t n;

    if (page->model)
        return save_models(page, store, err);
    if (query_table(&first, store, p->query, page->id, err))
        return -1;
    n = first.n_rows;
    result_table_release(&first);
    if (!n)
        return err_set(err, "%s: no %s %c%lld in it", store_path(store), p->section.name,
                       is_trial ? 't' : 'c', (long long)page->id);
    if (page->is_log)
        return print_log(store, page->id, err);
    for (; p->section.name; p++)
        if (answer_wants(answer, &p->section) && add_part(answer, store, p, page->id, err))
            return -1;
    return 0;
}

static int show(struct call *call)
{
    const char *id = call->operands[0];
    struct show_page *page = call->options;
    const char *section = page->common.section;
    bool is_trial = *id == 't';
    const struct page_part *p = page->parts = is_trial ? trial_parts : config_parts;
    struct err err;

    /* A trial and a configuration have different sections. */
    while (section && p->section.name && strcmp(p->section.name, section) != 0)
        p++;
    if (!query_parse_id(&page->id, id, is_trial ? 't' : 'c'))
        err_set(&err,
                "'%s' is not an id: must be c12 (a configuration) or t345 (a trial); a database "
                "comes before it",
                id);
    else if (!p->section.name)
        err_set(&err, "--section %s: a %s has no such section", section, page->parts->section.name);
    else if (page->is_log && !is_trial)
        err_set(&err, "--log: must follow the id of a trial, such as t345");
    else {
        if (page->model || page->is_log)
            page->common.format = "table"; /* no section is printed */
        return output_database(&page->common, OUTPUT_DOCUMENT, fill, page);
    }
    return cli_fail_usage(&err);
}

static const struct option_row options[] = {
    {0, "model", "FILE", OPTION_TEXT, VALUE_FILE, offsetof(struct show_page, model),
     .help = "Write the kept model to FILE, as safetensors. A configuration with several trials "
             "writes FILE-t1, FILE-t2 and so on."},
    {0, "log", NULL, OPTION_FLAG, .into = offsetof(struct show_page, is_log),
     .help = "Print the log of a trial that a program ran: the last 64 KiB of its output. For a "
             "trial that is running or was stopped, print the output so far. Bytes stay as they "
             "are, except on a terminal."},
    {OPTION_FORCE("Replace files of --model that exist.")},
    {0, "section", "NAME", OPTION_TEXT, .into = offsetof(struct common_options, section),
     .help =
         "Print only this part: configuration, settings, trials, decisions or models of a "
         "configuration; trial, metrics, timing, attempts, members, model, checkpoint, log, files, "
         "rungs or curve of a trial.",
     .choices = "configuration|settings|trials|decisions|models|trial|metrics|timing|attempts|"
                "members|model|checkpoint|log|files|rungs|curve"},
    {OPTION_SET("Override a setting, for example the path of training data that have moved, which "
                "--model reads after a reduction.")},
    {0},
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
    .examples = {{"espalier show c12", "Show configuration 12 of results.db."},
                 {"espalier show big.db t345", "Show trial 345 of another database."},
                 {"espalier show t345 --section curve --format csv",
                  "Print the training curve of a trial."},
                 {"espalier show t345 --log", "Print what the program of trial 345 printed."},
                 {"espalier show c12 --model c12.safetensors",
                  "Write the models of configuration 12."}},
    .see = "best, predict",
    .options = options,
    .common = COMMON_DB | COMMON_FORMAT | COMMON_WIDE,
    .options_size = sizeof(struct show_page),
    .multiplies = true,
    .run = show,
};
