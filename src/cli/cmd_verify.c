/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/real.h"
#include "base/words.h"
#include "cli/print/cli.h"
#include "cli/print/output.h"
#include "config.h"
#include "launch/host.h"
#include "predict/replay.h"
#include "predict/search_replay.h"
#include "report/answer.h"
#include "report/rows.h"
#include "store/query/query.h"
#include "tensor/gemm.h"

struct verify_options {
    struct common_options common;
    long n, seed;
    const char *trial;
};

enum { SUMMARY, TRIALS, TABLES };
static const struct answer_section sections[] = {
    [SUMMARY] = {"summary", NULL, true, NULL, NULL},
    [TRIALS] = {"trials", "trials", false, "trial equal differences", "objective numbers"},
    [TABLES] = {"tables", "tables", false, "table damaged", NULL},
};

/* For people, each trial is printed as soon as it has run. */
struct verification {
    struct replay *replay;
    const struct verify_options *options;
    bool is_live;       /* for people */
    struct rows trials; /* for programs */
    int64_t n, n_done, n_equal;
    struct query_table_check tables[QUERY_CHECKED_TABLES];
    int64_t n_damaged;
    struct search_replay decisions;
};

/* ---- comparison ---- */

/* The numbers compared, and the first two differences in words. */
struct trial_comparison {
    struct buf text;
    int32_t n_numbers;
    int32_t n_different;
};

static void compare(struct trial_comparison *c, double there, double here, const char *what,
                    int32_t epoch)
{
    c->n_numbers++;
    if (real_is_same(there, here))
        return;
    if (++c->n_different > 2)
        return;
    buf_printf(&c->text, "%s%s", c->text.size ? "; " : "", what);
    if (epoch)
        buf_printf(&c->text, " of epoch %d", epoch);
    buf_printf(&c->text, " %.17g, here %.17g", there, here);
}

/* Compare a metric on all parts; one that the database lacks is NaN. */
static void compare_metric(struct trial_comparison *c, const struct result_table *table,
                           const char *name, const double here[PART_COUNT])
{
    int64_t row = 0;
    char what[64];

    while (row < table->n_rows && strcmp(result_table_text(table, row, "metric"), name) != 0)
        row++;
    for (int part = PART_TRAIN; part < PART_COUNT; part++) {
        double there = row < table->n_rows
                           ? result_table_real(table, row, part_name((enum part)part))
                           : (double)NAN;

        if (isnan(there) && isnan(here[part]))
            continue;
        snprintf(what, sizeof what, "%s_%s", part_name((enum part)part), name);
        compare(c, there, here[part], what, 0);
    }
}

static int compare_metrics(struct trial_comparison *c, struct store *store, int64_t trial_id,
                           const struct trial_result *r, struct err *err)
{
    struct result_table table;

    if (query_table(&table, store, QUERY_TRIAL_METRICS, trial_id, err))
        return -1;
    compare_metric(c, &table, "loss", r->losses);
    for (int m = 0; m < METRIC_COUNT; m++) {
        double here[PART_COUNT];

        for (int part = 0; part < PART_COUNT; part++)
            here[part] = r->metrics[part][m];
        compare_metric(c, &table, metric_rows[m].name, here);
    }
    result_table_release(&table);
    return 0;
}

static int compare_curve(struct trial_comparison *c, struct store *store, int64_t trial_id,
                         const struct trial_result *r, struct err *err)
{
    static const char *const columns[] = {"train_loss", "val_loss", "val_value"};
    struct result_table table;

    if (query_table(&table, store, QUERY_TRIAL_CURVE, trial_id, err))
        return -1;
    compare(c, (double)table.n_rows, r->n_curve, "epochs of the curve", 0);
    for (int64_t i = 0; i < table.n_rows && i < r->n_curve; i++) {
        const struct gcn_epoch *e = &r->curve[i];
        const double here[] = {e->train_loss, e->val_loss, e->val_value};

        for (int k = 0; k < 3; k++)
            compare(c, result_table_real(&table, i, columns[k]), here[k], columns[k],
                    (int32_t)i + 1);
    }
    result_table_release(&table);
    return 0;
}

/* Check the tables. People see the damage at once. */
static int verify_tables(struct verification *v, struct err *err)
{
    int rc = query_check_tables(v->tables, v->replay->store, err);

    for (int i = 0; !rc && i < QUERY_CHECKED_TABLES; i++) {
        const struct query_table_check *t = &v->tables[i];
        struct buf line = {0};

        v->n_damaged += t->n_damaged;
        buf_printf(&line, "table %s: %lld of %lld row%s damaged; the first: %s\n", t->table,
                   (long long)t->n_damaged, (long long)t->n_rows, plural(t->n_rows), t->first.text);
        if (v->is_live && t->n_damaged)
            rc = cli_print(&line, CLI_PLAIN, err);
        buf_release(&line);
    }
    return rc;
}

/* A model does not depend on who trained it, so both have the same bytes. */
static int compare_model(struct trial_comparison *c, struct store *store, int64_t trial_id,
                         const struct trial_result *r, struct err *err)
{
    struct buf there = {0};
    int rc = r->model ? store_find_model(&there, store, trial_id, err) : 0;

    if (rc == 1 &&
        (there.size != r->model_bytes || memcmp(buf_text(&there), r->model, r->model_bytes) != 0)) {
        buf_printf(&c->text, "%sthe model that is kept", c->text.size ? "; " : "");
        c->n_different++;
    }
    buf_release(&there);
    return rc < 0 ? -1 : 0;
}

static int compare_all(struct trial_comparison *c, struct store *store,
                       const struct replay_trial *trial, const struct trial_result *r,
                       struct err *err)
{
    if (r->state != trial->state) {
        c->n_different++;
        buf_printf(&c->text, "%s, here %s%s%s", trial_state_name(trial->state),
                   trial_state_name(r->state), *r->error ? ": " : "", r->error);
        return 0;
    }
    compare(c, trial->value, r->value, "value", 0);
    compare(c, trial->epochs_run, r->epochs_run, "epochs_run", 0);
    compare(c, trial->best_epoch, r->best_epoch, "best_epoch", 0);
    return compare_metrics(c, store, trial->trial_id, r, err) ||
                   compare_curve(c, store, trial->trial_id, r, err) ||
                   compare_model(c, store, trial->trial_id, r, err)
               ? -1
               : 0;
}

/* ---- the report ---- */

/* Append the line of a trial, and where it differs both machines, the usual cause. */
static int put_line(struct buf *out, struct store *store, const struct replay_trial *trial,
                    const struct trial_comparison *c, struct err *err)
{
    static const char *const columns[][2] = {{"version", "espalier"},
                                             {"cpu", "processor"},
                                             {"blas", "BLAS"},
                                             {"blas_kernel", "BLAS kernel"},
                                             {"host", "host"}};
    char cpu[128], host[64];
    const char *here[] = {PACKAGE_VERSION, host_cpu(cpu, sizeof cpu), gemm_library(), gemm_kernel(),
                          host_name(host, sizeof host)};
    struct result_table table;

    buf_printf(out, "t%lld  c%lld  replicate %d  fold %d  ", (long long)trial->trial_id,
               (long long)trial->config_id, trial->replicate, trial->fold);
    if (!c->n_different) {
        buf_printf(out, "equal: %s %.6g, %d numbers\n", trial->objective, trial->value,
                   c->n_numbers);
        return 0;
    }
    buf_printf(out, "differs: %s", buf_text(&c->text));
    if (c->n_different > 2)
        buf_printf(out, "; %d of %d numbers in all", c->n_different, c->n_numbers);
    buf_putc(out, '\n');
    if (query_table(&table, store, QUERY_TRIAL_SESSION, trial->trial_id, err))
        return -1;
    for (size_t i = 0; table.n_rows && i < sizeof columns / sizeof *columns; i++) {
        const struct cell *cell = result_table_find(&table, 0, columns[i][0]);
        const char *there = cell->type == CELL_TEXT ? cell->s : "unknown";
        bool is_same = !strcmp(there, here[i]);

        buf_printf(out, "    %-11s  %s%s%s\n", columns[i][1], there, is_same ? "" : ", here ",
                   is_same ? "" : here[i]);
    }
    result_table_release(&table);
    return 0;
}

/* For people as a line, for programs as a row. */
static int report_trial(struct verification *v, const struct replay_trial *trial,
                        const struct trial_comparison *c, struct err *err)
{
    struct rows *rows = &v->trials;
    struct buf line = {0};
    int rc = 0;

    if (v->is_live) {
        rc = put_line(&line, v->replay->store, trial, c, err) || cli_print(&line, CLI_PLAIN, err)
                 ? -1
                 : 0;
        buf_release(&line);
        return rc;
    }
    rows_integer(rows, "trial", trial->trial_id);
    rows_integer(rows, "config", trial->config_id);
    rows_integer(rows, "replicate", trial->replicate);
    rows_integer(rows, "fold", trial->fold);
    rows_integer(rows, "equal", !c->n_different);
    rows_text(rows, "objective", trial->objective);
    rows_real(rows, "value", trial->value);
    rows_integer(rows, "numbers", c->n_numbers);
    rows_integer(rows, "different", c->n_different);
    rows_text(rows, "differences", c->n_different ? buf_text(&c->text) : NULL);
    return 0;
}

static int verify_one(struct verification *v, int64_t trial_id, struct err *err)
{
    struct replay *replay = v->replay;
    struct trial_comparison comparison = {0};
    struct replay_trial trial;
    struct trial_result result;
    int64_t number;
    int rc;

    if (replay_find(&trial, replay->store, trial_id, err))
        return -1;
    if (trial.state != TRIAL_DONE && trial.state != TRIAL_DIVERGED)
        return err_set(err,
                       "%s: t%lld is %s: only trials that are done or diverged can be verified",
                       replay->db, (long long)trial_id, trial_state_name(trial.state));
    if (replay_prepare(replay, &trial, &number, err))
        return -1;
    replay_run(&result, replay, number);
    rc = compare_all(&comparison, replay->store, &trial, &result, err) ||
                 report_trial(v, &trial, &comparison, err)
             ? -1
             : 0;
    v->n++;
    v->n_equal += !comparison.n_different;
    trial_result_release(&result);
    buf_release(&comparison.text);
    return rc;
}

/* From one seed to the next: a prime, so that every trial has its turn. */
#define SHIFT 7919

/* Verify the trial of --trial alone; else the tables, and every k-th of the done trials, which
 * are in the order of configurations: these differ, and neighbours share inputs. */
static int verify_all(struct verification *v, struct err *err)
{
    const struct verify_options *o = v->options;
    struct store *store = v->replay->store;
    struct query_sweep sweep;
    struct result_table done;
    struct settings settings;
    int64_t n, id;
    int rc = 0;

    if (o->trial && !query_parse_id(&id, o->trial, 't'))
        return err_set(err, "--trial %s: must be the number of a trial, such as t345", o->trial);
    if (o->trial)
        return verify_one(v, id, err);
    if (verify_tables(v, err) || query_sweep(&sweep, store, o->common.sweep, err) ||
        query_table(&done, store, QUERY_DONE, sweep.sweep_id, err))
        return -1;
    v->n_done = done.n_rows;
    n = o->n && o->n < done.n_rows ? o->n : done.n_rows;
    if (!n)
        rc = err_set(err, "%s: sweep '%s' has no done trial yet", o->common.db, sweep.name);
    for (int64_t i = 0; !rc && i < n; i++) {
        int64_t row = (i * done.n_rows / n + o->seed * SHIFT) % done.n_rows;

        rc = verify_one(v, result_table_integer(&done, row, "trial_id"), err);
    }
    result_table_release(&done);
    if (rc)
        return -1;
    replay_settings(v->replay, &settings);
    return search_replay(&v->decisions, store, &sweep, &settings, err);
}

static void add_answer(struct answer *answer, struct verification *v)
{
    static const char *const names[] = {"table", "rows", "damaged", "first"};
    struct rows summary = {.n_cols = 0}, tables;

    if (v->is_live && !v->options->trial)
        answer_printf(answer,
                      "%lld of %lld done trial%s run again: %lld equal to the bit, %lld not\n",
                      (long long)v->n, (long long)v->n_done, plural(v->n_done),
                      (long long)v->n_equal, (long long)(v->n - v->n_equal));
    if (v->is_live && v->decisions.n)
        answer_printf(answer, "%lld decisions of the search made again: %lld equal, %lld not%s%s\n",
                      (long long)v->decisions.n,
                      (long long)(v->decisions.n - v->decisions.n_different),
                      (long long)v->decisions.n_different,
                      v->decisions.n_different ? "; the first: " : "", v->decisions.first.text);
    if (v->is_live)
        return;
    rows_integer(&summary, "trials", v->n);
    rows_integer(&summary, "equal", v->n_equal);
    rows_integer(&summary, "different", v->n - v->n_equal);
    rows_integer(&summary, "decisions", v->decisions.n);
    rows_integer(&summary, "decisions_different", v->decisions.n_different);
    rows_init(&tables, names, sizeof names / sizeof *names);
    for (int i = 0; i < QUERY_CHECKED_TABLES && v->tables[i].table; i++) {
        const struct query_table_check *t = &v->tables[i];

        rows_text(&tables, "table", t->table);
        rows_integer(&tables, "rows", t->n_rows);
        rows_integer(&tables, "damaged", t->n_damaged);
        rows_text(&tables, "first", t->n_damaged ? t->first.text : NULL);
    }
    answer_table(answer, &sections[TRIALS], rows_table(&v->trials));
    answer_table(answer, &sections[SUMMARY], rows_table(&summary));
    answer_table(answer, &sections[TABLES], rows_table(&tables));
    rows_release(&summary);
    rows_release(&tables);
}

static int verify(struct call *call)
{
    static const char *const names[] = {"trial",     "config",     "replicate", "fold",
                                        "equal",     "objective",  "value",     "numbers",
                                        "different", "differences"};
    struct verify_options *o = call->options;
    struct replay replay = {.db = o->common.db, .set = &o->common.set};
    struct verification v = {.replay = &replay, .options = o};
    struct answer answer;
    struct err err;
    int status, rc;

    cli_log_database(o->common.db);
    output_begin(&answer, &o->common, OUTPUT_DOCUMENT);
    v.is_live = answer_is_for_people(&answer) && !o->common.section;
    rows_init(&v.trials, names, sizeof names / sizeof *names);
    rc = store_open_reader(&replay.store, o->common.db, &err) || verify_all(&v, &err) ? -1 : 0;
    if (!rc)
        add_answer(&answer, &v);
    status = output_end(rc, &answer, &err);
    if (status == EXIT_OK && (v.n_equal < v.n || v.n_damaged || v.decisions.n_different))
        status = EXIT_ERROR;
    rows_release(&v.trials);
    replay_release(&replay);
    store_close(replay.store);
    return status;
}

static const struct option_row options[] = {
    {'k', "trials", "N", OPTION_INT, .into = offsetof(struct verify_options, n),
     .help = "Run N finished trials again, spread over the configurations (0 = all).",
     .default_text = "5", .max = 1000000000},
    {0, "seed", "N", OPTION_INT, .into = offsetof(struct verify_options, seed),
     .help = "Choose other trials.", .default_text = "1", .max = 1000000000},
    {0, "trial", "ID", OPTION_TEXT, .into = offsetof(struct verify_options, trial),
     .help = "Run only this trial (t345) again."},
    {OPTION_SWEEP},
    {OPTION_SECTION("trials|summary|tables")},
    {OPTION_SET(SET_DATA)},
    {0},
};

const struct command command_verify = {
    .name = "verify",
    .group = GROUP_RESULTS,
    .operands = "[DB]",
    .db_operand = DB_FIRST,
    .summary = "Run some trials again and compare the results to the bit.",
    .about = "Also checks the rows of the tables prediction, traffic, data_fact, log, file, "
             "curve_metric and member, unless --trial is given. The exit status is 1 if a number "
             "differs or a "
             "row is damaged.",
    .examples = {{"espalier verify", "Run five trials again, and compare all numbers to the bit."},
                 {"espalier verify --trial t345", "Run one trial again."}},
    .see = "show",
    .options = options,
    .common = COMMON_DB | COMMON_FORMAT | COMMON_WIDE,
    .options_size = sizeof(struct verify_options),
    .multiplies = true,
    .run = verify,
};
