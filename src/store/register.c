/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fault.h"
#include "grid/sweep_file.h"
#include "store/db.h"
#include "store/store.h"

/* ---- configurations of a stored sweep by key ----
 *
 * Read once and sorted, so that a large plan is looked up in memory. */

struct stored_config {
    struct hash key;
    int64_t config_id;
};

static int compare_stored(const void *a, const void *b)
{
    const struct hash x = ((const struct stored_config *)a)->key;
    const struct hash y = ((const struct stored_config *)b)->key;

    return x.high != y.high ? (x.high > y.high) - (x.high < y.high)
                            : (x.low > y.low) - (x.low < y.low);
}

static int add_stored(struct buf *out, const struct store *store, sqlite3_stmt *row,
                      struct err *err)
{
    struct stored_config stored = {.config_id = sqlite3_column_int64(row, 0)};
    const char *key = (const char *)sqlite3_column_text(row, 1);

    if (stored.config_id <= 0)
        return err_set(err,
                       "%s: a configuration has the number %lld: must be above 0; the file is "
                       "damaged, or another program changed it",
                       store->path, (long long)stored.config_id);
    if (!key || hash_parse(&stored.key, key))
        return err_set(err,
                       "%s: configuration %lld has the key '%s': must be 32 hexadecimal digits",
                       store->path, (long long)stored.config_id, key ? key : "");
    buf_add(out, &stored, sizeof stored);
    return buf_failed(out) ? err_nomem(err, "configurations", out->size) : 0;
}

/* out: of struct stored_config, sorted by key. */
static int read_stored(struct buf *out, struct store *store, int64_t sweep_id, struct err *err)
{
    sqlite3_stmt *row = db_bind(store, STATEMENT_CONFIGS_OF, err, "i", sweep_id);
    int rc = row ? 1 : -1;

    while (rc == 1 && (rc = db_step(store, row, err)) == 1)
        if (add_stored(out, store, row, err)) {
            sqlite3_reset(row);
            rc = -1;
        }
    if (!rc && out->size)
        qsort(out->data, out->size / sizeof(struct stored_config), sizeof(struct stored_config),
              compare_stored);
    return rc;
}

/* 0: none. */
static int64_t find_stored(const struct buf *sorted, struct hash key)
{
    const struct stored_config wanted = {.key = key}, *found = NULL;

    if (sorted->size)
        found = bsearch(&wanted, sorted->data, sorted->size / sizeof wanted, sizeof wanted,
                        compare_stored);
    return found ? found->config_id : 0;
}

/* ---- new trials, written 16 at a time ----
 *
 * A statement for 16 takes two thirds of the time of 16 statements. */

enum { TRIALS_AT_ONCE = 16 };

struct new_trial {
    int64_t trial_id, config_id;
    int32_t replicate, fold;
    char key[HASH_HEX_SIZE];
};

struct new_trials {
    int64_t last_id; /* largest in the file, including these; -1: not read yet */
    int n;           /* not yet written */
    struct new_trial of[TRIALS_AT_ONCE];
};

static int bind_trial(sqlite3_stmt *statement, int column, const struct new_trial *trial)
{
    return sqlite3_bind_int64(statement, column, trial->trial_id) ||
           sqlite3_bind_int64(statement, column + 1, trial->config_id) ||
           sqlite3_bind_int(statement, column + 2, trial->replicate) ||
           sqlite3_bind_int(statement, column + 3, trial->fold) ||
           sqlite3_bind_text(statement, column + 4, trial->key, -1, SQLITE_STATIC);
}

static int write_trials(struct store *store, enum statement id, const struct new_trial *trials,
                        int n, struct err *err)
{
    sqlite3_stmt *statement = db_bind(store, id, err, "");

    for (int i = 0; statement && i < n; i++)
        if (bind_trial(statement, 1 + 5 * i, &trials[i]))
            return db_fail(store, err);
    return db_finish(store, statement, err);
}

static int new_trials_flush(struct new_trials *trials, struct store *store, struct err *err)
{
    int n = trials->n;

    trials->n = 0;
    if (n == TRIALS_AT_ONCE)
        return write_trials(store, STATEMENT_TRIAL_INSERT_16, trials->of, n, err);
    for (int i = 0; i < n; i++)
        if (write_trials(store, STATEMENT_TRIAL_INSERT, &trials->of[i], 1, err))
            return -1;
    return 0;
}

int store_last_trial(int64_t *id, struct store *store, struct err *err)
{
    if (db_integer(store, db_bind(store, STATEMENT_TRIAL_LAST, err, ""), 0, id, err))
        return -1;
    if (*id < 0)
        *id = 0;
    return 0;
}

/* Add a trial under the number after the largest, inside one transaction. new_trials_flush() writes
 * the last ones. */
static int new_trials_add(struct new_trials *trials, struct store *store,
                          const struct new_trial *trial, int64_t *trial_id, struct err *err)
{
    struct new_trial *new = &trials->of[trials->n];

    if (trials->last_id < 0 && store_last_trial(&trials->last_id, store, err))
        return -1;
    if (trials->last_id == INT64_MAX)
        return err_set(err,
                       "%s: the largest possible trial number is in use: no trial can be added",
                       store->path);
    *new = *trial;
    *trial_id = new->trial_id = ++trials->last_id;
    return ++trials->n == TRIALS_AT_ONCE ? new_trials_flush(trials, store, err) : 0;
}

/* ---- a walk over the plan ---- */

struct known_config {
    int64_t config_id;
    int32_t config; /* index in the plan */
};

/* Without `insert` a walk only reads. */
struct walk {
    struct store *store;
    const struct plan *plan;
    const struct dataset *data;
    const struct gcn_cost *work; /* [n_configs], or NULL */
    struct store_trials *trials;
    int64_t sweep_id; /* 0: not in the database */
    bool insert;
    bool is_part; /* some trials are not ours: use the numbers of the whole plan */
    bool is_new;  /* nothing needs a lookup */
    bool is_grown;
    bool gives_stop;            /* the data give a stop part to trials that want one */
    bool has_stop;              /* trials will be scored on one */
    struct buf stored;          /* read_stored(), before this walk */
    struct known_config *known; /* [n_known] sorted by config_id */
    size_t n_known;
    struct new_trials new_trials;
    struct settings_texts texts;
    bool *has_level;   /* [values of all axes, in order] true: some configuration has it */
    struct buf levels; /* "[1,2": configurations that together have these */
    struct buf json;
};

static const char *choice_text(struct buf *out, enum param_id id, const struct settings *s)
{
    buf_clear(out);
    param_format(out, id, s->v[id]);
    return buf_text(out);
}

/* The caller has checked this with store_differences(). */
static int check_same(struct walk *w, const char *name, struct err *err)
{
    struct errlist differences = {0};
    int rc = store_differences(w->store, w->plan, w->data, &differences, err);

    if (!rc && differences.n)
        rc = err_set(err, "%s: sweep '%s' in it has other settings: %s", w->store->path, name,
                     differences.text[0]);
    errlist_release(&differences);
    return rc;
}

/* The stored file gives axes their defaults; config.params overrides them. */
static int insert_sweep(struct walk *w, const struct settings *s, struct err *err)
{
    const struct dataset *d = w->data;
    const struct sweep *sweep = w->plan->sweep;
    struct buf ini = {0}, objective = {0}, direction = {0};
    const char *parts = d->part ? "given" : "drawn";
    char digest[HASH_HEX_SIZE];
    int rc;

    sweep_write(&ini, sweep, w->plan->fixed.v);
    if (w->sweep_id) {
        rc = db_finish(w->store,
                       db_bind(w->store, STATEMENT_SWEEP_UPDATE, err, "issids", w->sweep_id,
                               sweep->path, buf_text(&ini), w->plan->n_trials, clock_unix(), parts),
                       err);
    } else {
        rc = db_finish(w->store,
                       db_bind(w->store, STATEMENT_SWEEP_INSERT, err, "sssssssnnnids",
                               s->v[P_SWEEP_NAME].s, choice_text(&objective, P_OBJECTIVE, s),
                               choice_text(&direction, P_DIRECTION, s), task_name(d->task),
                               sweep->path, buf_text(&ini), hash_hex(d->digest, digest),
                               (int)d->n_samples, (int)d->n_features, (int)d->n_classes,
                               w->plan->n_trials, clock_unix(), parts),
                       err);
        w->sweep_id = sqlite3_last_insert_rowid(w->store->db);
        w->is_new = true;
    }
    buf_release(&ini);
    buf_release(&objective);
    buf_release(&direction);
    return rc;
}

/* SQLite reuses numbers, so rows whose parent was deleted would join our sweep. */
static int refuse_orphans(struct walk *w, enum statement id, const char *children,
                          const char *parent, struct err *err)
{
    int64_t gone;

    if (db_integer(w->store, db_bind(w->store, id, err, ""), 0, &gone, err))
        return -1;
    return !gone ? 0
                 : err_set(err,
                           "%s: there are %s of %s %lld, which is missing: another program deleted "
                           "it; use an older copy, or another --db",
                           w->store->path, children, parent, (long long)gone);
}

static int find_sweep(struct walk *w, struct err *err)
{
    struct settings s;
    sqlite3_stmt *row;

    plan_settings(w->plan, 0, &s);
    if (check_same(w, s.v[P_SWEEP_NAME].s, err))
        return -1;
    row = db_bind(w->store, STATEMENT_SWEEP_FIND, err, "s", s.v[P_SWEEP_NAME].s);
    if (db_integer(w->store, row, 0, &w->sweep_id, err))
        return -1;
    if (refuse_orphans(w, STATEMENT_SWEEP_GONE, "configurations", "sweep", err) ||
        refuse_orphans(w, STATEMENT_CONFIG_GONE, "trials", "configuration", err))
        return -1;
    return w->insert ? insert_sweep(w, &s, err) : 0;
}

static int insert_axes(struct walk *w, struct err *err)
{
    const struct sweep *sweep = w->plan->sweep;
    struct settings s;

    for (size_t a = 0; a < sweep->n_axes; a++)
        if (db_finish(w->store,
                      db_bind(w->store, STATEMENT_AXIS_INSERT, err, "is", w->sweep_id,
                              sweep->axes[a].row->key),
                      err))
            return -1;
    plan_settings(w->plan, 0, &s);
    buf_clear(&w->json);
    settings_json(&w->json, &s);
    return db_finish(
        w->store,
        db_bind(w->store, STATEMENT_AXIS_CHANGED, err, "is", w->sweep_id, buf_text(&w->json)), err);
}

/* These few configurations, each the first with a value of some axis, are enough to read the levels
 * of all axes. */
static void note_levels(struct walk *w, int32_t config, const struct settings *s, int64_t config_id)
{
    const struct sweep *sweep = w->plan->sweep;
    size_t first = 0;
    bool is_first = false;

    for (size_t a = 0; a < sweep->n_axes; first += (size_t)sweep->axes[a++].n) {
        int32_t level = plan_level(w->plan, config, a);

        if (level < 0 || !settings_has(s, sweep->axes[a].id))
            continue;
        is_first |= !w->has_level[first + (size_t)level];
        w->has_level[first + (size_t)level] = true;
    }
    if (is_first)
        buf_printf(&w->levels, "%c%lld", w->levels.size ? ',' : '[', (long long)config_id);
}

static int insert_config(struct walk *w, int32_t config, const struct settings *s, struct hash hash,
                         int64_t *config_id, struct err *err)
{
    double flops = w->work ? w->work[config].flops : (double)NAN;
    const char *params = buf_text(&w->texts.json);
    char key[HASH_HEX_SIZE];

    hash_hex(hash, key);
    if (db_finish(w->store,
                  w->is_part
                      ? db_bind(w->store, STATEMENT_CONFIG_INSERT_AS, err, "inssdi", w->sweep_id,
                                (int)config + 1, key, params, flops, (int64_t)config + 1)
                      : db_bind(w->store, STATEMENT_CONFIG_INSERT, err, "inssd", w->sweep_id,
                                (int)config + 1, key, params, flops),
                  err))
        return -1;
    *config_id = sqlite3_last_insert_rowid(w->store->db);
    w->is_grown = true;
    if (w->is_new)
        note_levels(w, config, s, *config_id);
    return 0;
}

static int insert_trial_as(struct walk *w, const struct new_trial *trial, int64_t t,
                           struct err *err)
{
    if (db_finish(w->store,
                  db_bind(w->store, STATEMENT_TRIAL_INSERT_AS, err, "innsi", trial->config_id,
                          (int)trial->replicate, (int)trial->fold, trial->key, t + 1),
                  err))
        return -1;
    w->trials->ids[t] = sqlite3_last_insert_rowid(w->store->db);
    return 0;
}

static int insert_trial(struct walk *w, int64_t t, int64_t config_id, struct err *err)
{
    struct plan_trial trial = plan_trial(w->plan, t);
    struct new_trial new = {
        .config_id = config_id, .replicate = trial.replicate, .fold = trial.fold};

    hash_hex(settings_texts_key(&w->texts, trial.replicate, trial.fold), new.key);
    return w->is_part ? insert_trial_as(w, &new, t, err)
                      : new_trials_add(&w->new_trials, w->store, &new, &w->trials->ids[t], err);
}

/* longest_s may be NULL. */
static int count_ended(struct walk *w, int64_t t, const char *outcome, int32_t *out,
                       float *longest_s, struct err *err)
{
    sqlite3_stmt *row =
        db_bind(w->store, STATEMENT_TRIAL_ENDED, err, "is", w->trials->ids[t], outcome);
    int rc = row ? db_step(w->store, row, err) : -1;

    if (rc <= 0)
        return rc;
    *out = sqlite3_column_int(row, 0);
    if (longest_s)
        *longest_s = (float)sqlite3_column_double(row, 1);
    return db_finish(w->store, row, err);
}

/* A finished trial needs no counts. */
static int count_crashes(struct walk *w, int64_t t, int attempts, struct err *err)
{
    if (!attempts || w->trials->states[t] > TRIAL_RUNNING)
        return 0;
    return count_ended(w, t, "crashed", &w->trials->crashes[t], NULL, err) ||
                   count_ended(w, t, "lost", &w->trials->lost[t], NULL, err) ||
                   count_ended(w, t, "stopped", &w->trials->stopped[t], &w->trials->stopped_s[t],
                               err)
               ? -1
               : 0;
}

static int find_ranks(struct walk *w, int64_t t, struct err *err)
{
    int64_t ranks;

    if (db_integer(w->store, db_bind(w->store, STATEMENT_TRIAL_RANKS, err, "i", w->trials->ids[t]),
                   0, &ranks, err))
        return -1;
    w->trials->ranks[t] = (int32_t)ranks;
    return 0;
}

static int compare_known(const void *a, const void *b)
{
    const struct known_config *x = a, *y = b;

    return (x->config_id > y->config_id) - (x->config_id < y->config_id);
}

/* Ignore trials that are not in the plan or our part. Columns: STATEMENT_TRIALS_OF. */
static int take_trial(struct walk *w, sqlite3_stmt *row, struct known_config **last,
                      struct err *err)
{
    const struct plan *plan = w->plan;
    int32_t replicate, fold, attempts;
    double value, seconds, predicted, left;
    enum trial_state state;
    struct known_config of;
    int64_t trial_id, t;

    if (db_read(w->store, row, err, "innitRRRnr", &of.config_id, &replicate, &fold, &trial_id,
                &state, &value, &seconds, &predicted, &attempts, &left))
        return -1;
    if (!*last || (*last)->config_id != of.config_id)
        *last = bsearch(&of, w->known, w->n_known, sizeof of, compare_known);
    if (!*last || replicate >= plan->replicates || fold >= plan->folds)
        return 0;
    t = ((int64_t)(*last)->config * plan->replicates + replicate) * plan->folds + fold;
    if (!w->trials->ours[t])
        return 0;
    w->trials->ids[t] = trial_id;
    w->trials->states[t] = (uint8_t)state;
    w->trials->values[t] = value;
    w->trials->seconds[t] = seconds;
    w->trials->predicted[t] = predicted;
    w->trials->left[t] = left;
    if (w->trials->ranks && state == TRIAL_DONE && find_ranks(w, t, err))
        return -1;
    return count_crashes(w, t, attempts, err);
}

static int expect_ranks(struct walk *w, struct err *err)
{
    size_t n = (size_t)w->plan->n_trials;
    int64_t has_members;

    if (db_integer(w->store, db_bind(w->store, STATEMENT_MEMBERS_EXIST, err, ""), 0, &has_members,
                   err))
        return -1;
    if (!has_members)
        return 0;
    w->trials->ranks = calloc(n + 1, sizeof *w->trials->ranks);
    return w->trials->ranks ? 0 : err_nomem(err, "trials", n * sizeof *w->trials->ranks);
}

static int take_trials(struct walk *w, struct err *err)
{
    sqlite3_stmt *row =
        expect_ranks(w, err) ? NULL : db_bind(w->store, STATEMENT_TRIALS_OF, err, "i", w->sweep_id);
    struct known_config *last = NULL;
    int rc = row ? 1 : -1;

    while (rc == 1 && (rc = db_step(w->store, row, err)) == 1)
        if (take_trial(w, row, &last, err)) {
            sqlite3_reset(row);
            rc = -1;
        }
    return rc;
}

/* *end: one past its last trial. */
static int64_t first_trial(const struct walk *w, int32_t config, int64_t *end)
{
    int64_t n_each = w->plan->n_trials / w->plan->n_configs, first = config * n_each;

    *end = first + n_each;
    return first;
}

static bool has_ours(const struct walk *w, int32_t config)
{
    int64_t end, first = first_trial(w, config, &end);

    return memchr(w->trials->ours + first, true, (size_t)(end - first)) != NULL;
}

static bool lacks_trials(const struct walk *w, int32_t config)
{
    int64_t end;

    for (int64_t t = first_trial(w, config, &end); t < end; t++)
        if (w->trials->ours[t] && !w->trials->ids[t])
            return true;
    return false;
}

/* Also set the texts for the keys of its trials. */
static void read_config(struct walk *w, int32_t config, struct settings *s, struct hash *key)
{
    plan_settings(w->plan, config, s);
    w->has_stop |= s->v[P_STOP].f > 0 || (w->gives_stop && settings_has(s, P_STOP));
    settings_texts_set(&w->texts, s);
    *key = settings_texts_key(&w->texts, -1, -1);
}

static int find_configs(struct walk *w, struct err *err)
{
    struct settings s;
    struct hash key;

    if (read_stored(&w->stored, w->store, w->sweep_id, err))
        return -1;
    w->known = calloc((size_t)w->plan->n_configs + 1, sizeof *w->known);
    if (!w->known)
        return err_nomem(err, "configurations", (size_t)w->plan->n_configs * sizeof *w->known);
    for (int32_t config = 0; config < w->plan->n_configs; config++) {
        if (!has_ours(w, config))
            continue;
        read_config(w, config, &s, &key);
        w->trials->config_ids[config] = find_stored(&w->stored, key);
        if (w->trials->config_ids[config])
            w->known[w->n_known++] = (struct known_config){w->trials->config_ids[config], config};
    }
    qsort(w->known, w->n_known, sizeof *w->known, compare_known);
    return take_trials(w, err);
}

static int insert_missing(struct walk *w, int32_t config, struct err *err)
{
    int64_t end, t = first_trial(w, config, &end);
    struct settings s;
    struct hash key;

    read_config(w, config, &s, &key);
    if (!w->trials->config_ids[config] &&
        insert_config(w, config, &s, key, &w->trials->config_ids[config], err))
        return -1;
    for (; t < end; t++)
        if (w->trials->ours[t] && !w->trials->ids[t] &&
            insert_trial(w, t, w->trials->config_ids[config], err))
            return -1;
    return 0;
}

static int expect_nothing(struct walk *w, struct err *err)
{
    size_t n_configs = (size_t)w->plan->n_configs;

    free(w->trials->ranks);
    w->trials->ranks = NULL;
    free(w->trials->config_ids);
    w->trials->config_ids = calloc(n_configs + 1, sizeof *w->trials->config_ids);
    if (!w->trials->config_ids)
        return err_nomem(err, "configurations", n_configs * sizeof *w->trials->config_ids);
    for (int64_t t = 0; t < w->plan->n_trials; t++) {
        w->is_part |= !w->trials->ours[t];
        w->trials->ids[t] = 0;
        w->trials->states[t] = TRIAL_PENDING;
        w->trials->crashes[t] = w->trials->lost[t] = w->trials->stopped[t] = 0;
        w->trials->left[t] = 1;
        w->trials->stopped_s[t] = 0;
        w->trials->values[t] = w->trials->seconds[t] = w->trials->predicted[t] = NAN;
    }
    return 0;
}

static int walk_configs(struct walk *w, struct err *err)
{
    if (expect_nothing(w, err))
        return -1;
    if (!w->sweep_id)
        return 0;
    if (!w->is_new && find_configs(w, err))
        return -1;
    w->has_level = calloc(sweep_n_values(w->plan->sweep) + 1, sizeof *w->has_level);
    if (!w->has_level)
        return err_nomem(err, "levels", sweep_n_values(w->plan->sweep));
    for (int32_t config = 0; w->insert && config < w->plan->n_configs; config++)
        if (lacks_trials(w, config) && insert_missing(w, config, err))
            return -1;
    if (new_trials_flush(&w->new_trials, w->store, err))
        return -1;
    return buf_failed(&w->texts.canonical) || buf_failed(&w->texts.json) || buf_failed(&w->levels)
               ? err_nomem(err, "trial keys", w->texts.canonical.size)
               : 0;
}

static int update_levels(struct walk *w, struct err *err)
{
    if (!w->is_grown)
        return 0;
    if (!w->levels.size) /* no model type of the sweep has any of the axes */
        buf_putc(&w->levels, '[');
    buf_putc(&w->levels, ']');
    return db_finish(w->store,
                     db_bind(w->store, STATEMENT_AXIS_LEVELS, err, "is", w->sweep_id,
                             w->is_new ? buf_text(&w->levels) : NULL),
                     err);
}

static bool has_given_stop(const struct dataset *d)
{
    return d->part && memchr(d->part, PART_STOP, (size_t)d->n_samples);
}

static int register_all(struct walk *w, struct err *err)
{
    w->gives_stop = has_given_stop(w->data);
    if (find_sweep(w, err) || insert_axes(w, err) || walk_configs(w, err))
        return -1;
    FAULT("store: a plan is registered in part");
    return update_levels(w, err) || views_expect(w->store, w->has_stop, err) ? -1 : 0;
}

static void walk_init(struct walk *w)
{
    settings_texts_init(&w->texts, w->plan->sweep->swept, w->data->digest);
    w->new_trials = (struct new_trials){.last_id = -1};
}

static void walk_release(struct walk *w)
{
    buf_release(&w->stored);
    free(w->known);
    settings_texts_release(&w->texts);
    free(w->has_level);
    buf_release(&w->levels);
    buf_release(&w->json);
}

/* ---- exported functions ---- */

int store_trials_init(struct store_trials *trials, int64_t n_trials, struct err *err)
{
    size_t n = (size_t)n_trials + 1;

    trials->ours = malloc(n * sizeof *trials->ours);
    trials->ids = calloc(n, sizeof *trials->ids);
    trials->states = calloc(n, sizeof *trials->states);
    trials->values = calloc(n, sizeof *trials->values);
    trials->seconds = calloc(n, sizeof *trials->seconds);
    trials->predicted = calloc(n, sizeof *trials->predicted);
    trials->left = calloc(n, sizeof *trials->left);
    trials->crashes = calloc(n, sizeof *trials->crashes);
    trials->lost = calloc(n, sizeof *trials->lost);
    trials->stopped = calloc(n, sizeof *trials->stopped);
    trials->stopped_s = calloc(n, sizeof *trials->stopped_s);
    if (trials->ours && trials->ids && trials->states && trials->values && trials->seconds &&
        trials->predicted && trials->left && trials->crashes && trials->lost && trials->stopped &&
        trials->stopped_s) {
        memset(trials->ours, true, n * sizeof *trials->ours);
        return 0;
    }
    store_trials_release(trials);
    return err_nomem(err, "trials", n * (5 * sizeof(double) + 4 * sizeof(int32_t) + 2));
}

int64_t store_trials_find(const struct store_trials *trials, int64_t n_trials, int64_t id)
{
    for (int64_t t = 0; t < n_trials; t++)
        if (trials->ids[t] == id)
            return t;
    return -1;
}

void store_trials_release(struct store_trials *trials)
{
    free(trials->ours);
    free(trials->ids);
    free(trials->states);
    free(trials->values);
    free(trials->seconds);
    free(trials->predicted);
    free(trials->left);
    free(trials->crashes);
    free(trials->lost);
    free(trials->stopped);
    free(trials->stopped_s);
    free(trials->ranks);
    free(trials->config_ids);
    *trials = (struct store_trials){0};
}

int store_register(struct store *store, const struct plan *plan, const struct dataset *data,
                   const struct gcn_cost *work, struct store_trials *trials, struct err *err)
{
    struct walk w = {
        .store = store, .plan = plan, .data = data, .work = work, .trials = trials, .insert = true};
    int rc = store_commit(store, err);

    walk_init(&w);
    if (!rc)
        rc = db_finish(store, db_bind(store, STATEMENT_BEGIN, err, ""), err);
    if (!rc) {
        rc = register_all(&w, err);
        FAULT("store: before a plan is registered");
        if (!rc)
            rc = store_commit(store, err);
        if (rc)
            sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    }
    walk_release(&w);
    return rc;
}

int store_find(struct store *store, const struct plan *plan, const struct dataset *data,
               struct store_trials *trials, struct err *err)
{
    struct walk w = {.store = store, .plan = plan, .data = data, .trials = trials};
    int rc = store_begin_look(store, err);

    walk_init(&w);
    if (!rc)
        rc = find_sweep(&w, err);
    if (!rc)
        rc = walk_configs(&w, err);
    store_end_look(store);
    walk_release(&w);
    return rc;
}
