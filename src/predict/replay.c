/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/replay.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/escape.h"
#include "data/format.h"
#include "grid/requirements.h"
#include "grid/sweep_file.h"
#include "store/query/query.h"
#include "trial/spec.h"

static void copy_text(char *out, size_t size, const struct result_table *row, const char *column)
{
    snprintf(out, size, "%s", result_table_text(row, 0, column));
}

static void read_record(struct replay_trial *trial, const struct result_table *row)
{
    trial->sweep_id = result_table_integer(row, 0, "sweep_id");
    copy_text(trial->sweep, sizeof trial->sweep, row, "name");
    copy_text(trial->objective, sizeof trial->objective, row, "objective");
    copy_text(trial->digest, sizeof trial->digest, row, "data_digest");
    trial->config_id = result_table_integer(row, 0, "config_id");
    trial->replicate = (int32_t)result_table_integer(row, 0, "replicate");
    trial->fold = (int32_t)result_table_integer(row, 0, "fold");
    copy_text(trial->key, sizeof trial->key, row, "key");
    trial->state = (enum trial_state)trial_state_parse(result_table_text(row, 0, "state"));
    trial->value = result_table_real(row, 0, "value");
    trial->epochs_run = (int32_t)result_table_integer(row, 0, "epochs_run");
    trial->best_epoch = (int32_t)result_table_integer(row, 0, "best_epoch");
}

int replay_find(struct replay_trial *trial, struct store *store, int64_t trial_id, struct err *err)
{
    struct result_table table;
    int rc = query_table(&table, store, QUERY_TRIAL_RECORD, trial_id, err);

    if (rc)
        return -1;
    *trial = (struct replay_trial){.trial_id = trial_id};
    if (table.n_rows)
        read_record(trial, &table);
    if (trial->replicate >= param_table[P_REPLICATES].max)
        rc = err_set(err,
                     "%s: t%lld: replicate %d: must be less than %.0f; another program changed the "
                     "database",
                     store_path(store), (long long)trial_id, trial->replicate,
                     param_table[P_REPLICATES].max);
    if (!table.n_rows)
        rc = err_set(err, "%s: no trial t%lld in it", store_path(store), (long long)trial_id);
    result_table_release(&table);
    return rc;
}

static void forget_config(struct replay *r)
{
    model_runner_destroy(r->runner);
    plan_release(&r->plan);
    sweep_release(&r->sweep);
    r->runner = NULL;
    r->config_id = 0;
}

static void forget_data(struct replay *r)
{
    forget_config(r);
    prepared_destroy(r->prepared);
    dataset_release(&r->data);
    r->prepared = NULL;
    r->sweep_id = 0;
}

void replay_release(struct replay *replay)
{
    if (replay)
        forget_data(replay);
}

static int first_fault(struct errlist *faults, struct err *err)
{
    int rc = err_set(err, "%s", faults->n ? faults->text[0] : "out of memory");

    errlist_release(faults);
    return rc;
}

static int parse(struct replay *r, int64_t config_id, struct err *err)
{
    struct errlist faults = {0};
    struct buf ini = {0}, word = {0};
    int rc = query_ini(&ini, r->store, config_id, err);

    if (!rc && buf_failed(&ini))
        rc = err_nomem(err, "sweep file", ini.size);
    if (!rc && sweep_parse(&r->sweep, r->db, buf_text(&ini), r->set ? r->set->text : NULL,
                           r->set ? r->set->n : 0, &faults))
        rc = first_fault(&faults, err);
    if (!rc && sweep_is_program(&r->sweep))
        rc = err_set(err,
                     "%s: its trials are programs, which are not run again here, because many give "
                     "other numbers each time; to compare, repeat the best configuration: "
                     "'espalier best %s --format ini > best.ini', and 'espalier run best.ini --db "
                     "again.db'",
                     r->db, escape_shell(&word, r->db));
    buf_release(&word);
    buf_release(&ini);
    return rc;
}

static int check_digest(const struct replay *r, const struct replay_trial *trial, struct err *err)
{
    char digest[HASH_HEX_SIZE];
    struct buf files = {0};

    if (!strcmp(hash_hex(r->data.digest, digest), trial->digest))
        return 0;
    for (int id = 0; id < P_COUNT; id++)
        if (param_table[id].type == PARAM_PATH && *r->sweep.fixed.v[id].s)
            buf_printf(&files, "%s %s", files.size ? "," : "", r->sweep.fixed.v[id].s);
    err_set(err,
            "the data are not the training data (digest %s, here %s):%s; the same files are "
            "needed, with the phenotypes of that time; if they have moved, give --set "
            "data.KEY=FILE",
            trial->digest, digest, files.size ? buf_text(&files) : " simulated");
    buf_release(&files);
    return -1;
}

static int load(struct replay *r, const struct replay_trial *trial, struct err *err)
{
    struct data_report report;
    struct data_spec spec;

    spec_data(&spec, r->sweep.fixed.v);
    if (data_load(&r->data, &spec, &report, err))
        return -1;
    r->prepared = prepared_create(&r->data, err);
    if (!r->prepared || check_digest(r, trial, err))
        return -1;
    r->sweep_id = trial->sweep_id;
    return 0;
}

static int resolve(struct settings *fixed, struct replay *r, const struct replay_trial *trial,
                   enum task task, struct err *err)
{
    union value *given = r->sweep.fixed.v;

    /* Neither is part of the key. The number of replicates may have shrunk, and the timeout belongs
     * to another machine. */
    if (given[P_REPLICATES].i <= trial->replicate)
        given[P_REPLICATES].i = trial->replicate + 1;
    given[P_TRIAL_TIMEOUT].f = 0;
    return settings_resolve(fixed, &r->sweep.fixed, task, err);
}

static int make_plan(struct replay *r, const struct replay_trial *trial, struct err *err)
{
    struct errlist faults = {0};
    struct settings fixed;

    if (resolve(&fixed, r, trial, r->data.task, err))
        return -1;
    if (requirements_check_data(&r->sweep, &r->data, &faults))
        return first_fault(&faults, err);
    errlist_release(&faults);
    if (plan_init(&r->plan, &r->sweep, &fixed, NULL, err))
        return -1;
    r->runner = model_runner_create(&r->plan, &r->data, r->prepared, &clock_system, err);
    return r->runner ? 0 : -1;
}

void replay_settings(const struct replay *replay, struct settings *out)
{
    plan_settings(&replay->plan, 0, out);
}

static int check_key(struct replay *r, const struct replay_trial *trial, struct hash digest,
                     struct err *err)
{
    struct buf scratch = {0};
    struct settings settings;
    char key[HASH_HEX_SIZE];
    struct hash here;

    replay_settings(r, &settings);
    here = settings_key(&settings, r->sweep.swept, digest, trial->replicate, trial->fold, &scratch);
    buf_release(&scratch);
    if (!strcmp(hash_hex(here, key), trial->key))
        return 0;
    return err_set(
        err,
        "its key is %s, but its settings give %s here: it was trained with other "
        "settings (check --set), or by a version of espalier that computes other numbers",
        trial->key, key);
}

static int change_config(struct replay *r, const struct replay_trial *trial, struct err *err)
{
    if (r->sweep_id != trial->sweep_id)
        forget_data(r);
    else
        forget_config(r);
    if (parse(r, trial->config_id, err))
        return -1;
    if ((!r->sweep_id && load(r, trial, err)) || make_plan(r, trial, err))
        return -1;
    r->config_id = trial->config_id;
    return 0;
}

int replay_prepare(struct replay *r, const struct replay_trial *trial, int64_t *number,
                   struct err *err)
{
    bool is_there = r->config_id == trial->config_id && trial->replicate < r->plan.replicates;

    if (!is_there && change_config(r, trial, err))
        return err_wrap(err, "sweep '%s'", trial->sweep);
    if (trial->fold < 0 || trial->fold >= r->plan.folds)
        return err_set(err,
                       "%s: t%lld: fold %d: must be in [0, %d]; another program changed the "
                       "database",
                       r->db, (long long)trial->trial_id, trial->fold, r->plan.folds - 1);
    if (check_key(r, trial, r->data.digest, err))
        return err_wrap(err, "%s: t%lld", r->db, (long long)trial->trial_id);
    *number = (int64_t)trial->replicate * r->plan.folds + trial->fold;
    return 0;
}

int replay_prepare_alone(struct replay *r, const struct replay_trial *trial, enum task task,
                         struct err *err)
{
    struct settings fixed;
    struct hash digest;

    forget_data(r);
    if (parse(r, trial->config_id, err) || resolve(&fixed, r, trial, task, err) ||
        plan_init(&r->plan, &r->sweep, &fixed, NULL, err))
        return err_wrap(err, "sweep '%s'", trial->sweep);
    if (hash_parse(&digest, trial->digest) || check_key(r, trial, digest, err))
        return err_wrap(err, "%s: t%lld", r->db, (long long)trial->trial_id);
    return 0;
}

static bool go_on(void *arg)
{
    (void)arg;
    return true;
}

void replay_run(struct trial_result *result, struct replay *replay, int64_t number)
{
    struct trial_watch watch = {.keep_going = go_on};
    struct runner runner = model_runner_interface(replay->runner);

    trial_result_init(result, number);
    runner.run(runner.self, result, number, &watch);
}
