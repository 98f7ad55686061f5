/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fault.h"
#include "grid/sweep_file.h"
#include "store/db.h"
#include "store/store.h"

/* ---- configurations of a stored sweep ----
 *
 * Read once and sorted, so that a large plan is looked up in memory. */

struct stored_config {
    struct hash key;
    int64_t config_id;
    int32_t config; /* index in the plan; -1: none, or none of its trials is ours */
};

static int compare_keys(const void *a, const void *b)
{
    const struct hash x = ((const struct stored_config *)a)->key;
    const struct hash y = ((const struct stored_config *)b)->key;

    return x.high != y.high ? (x.high > y.high) - (x.high < y.high)
                            : (x.low > y.low) - (x.low < y.low);
}

static int compare_ids(const void *a, const void *b)
{
    const struct stored_config *x = a, *y = b;

    return (x->config_id > y->config_id) - (x->config_id < y->config_id);
}

static void sort_stored(struct buf *stored, int (*compare)(const void *, const void *))
{
    if (stored->size)
        qsort(stored->data, stored->size / sizeof(struct stored_config),
              sizeof(struct stored_config), compare);
}

static struct stored_config *find_stored(const struct buf *sorted,
                                         const struct stored_config *wanted,
                                         int (*compare)(const void *, const void *))
{
    return sorted->size ? bsearch(wanted, sorted->data, sorted->size / sizeof *wanted,
                                  sizeof *wanted, compare)
                        : NULL;
}

static int add_stored(struct buf *out, const struct store *store, sqlite3_stmt *row,
                      struct err *err)
{
    struct stored_config stored = {.config_id = sqlite3_column_int64(row, 0), .config = -1};
    const char *key = (const char *)sqlite3_column_text(row, 1);

    if (!key || hash_parse(&stored.key, key))
        return err_set(err,
                       "%s: configuration %lld has the key '%s': must be 32 hexadecimal digits",
                       store->path, (long long)stored.config_id, key ? key : "");
    buf_add(out, &stored, sizeof stored);
    return buf_failed(out) ? err_nomem(err, "configurations", out->size) : 0;
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

static int write_trials(struct store *store, enum statement id, const struct new_trial *trials,
                        int n, struct err *err)
{
    sqlite3_stmt *to = db_bind(store, id, err, "");

    for (int i = 0, c = 1; to && i < n; i++, c += 5)
        if (sqlite3_bind_int64(to, c, trials[i].trial_id) ||
            sqlite3_bind_int64(to, c + 1, trials[i].config_id) ||
            sqlite3_bind_int(to, c + 2, trials[i].replicate) ||
            sqlite3_bind_int(to, c + 3, trials[i].fold) ||
            sqlite3_bind_text(to, c + 4, trials[i].key, -1, SQLITE_STATIC))
            return db_fail(store, err);
    return db_finish(store, to, err);
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
    return db_ask(id, store, STATEMENT_TRIAL_LAST, err, "");
}

/* ---- a walk over the plan ---- */

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
    bool gives_stop;   /* the data give a stop part to trials that want one */
    bool has_stop;     /* trials will be scored on one */
    struct buf stored; /* struct stored_config, from before this walk */
    struct new_trials new_trials;
    struct settings_texts texts;
    bool *has_level;   /* [values of all axes, in order] true: some configuration has it */
    struct buf levels; /* "[1,2": configurations that together have these */
    struct buf json;
};

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
    param_format(&objective, P_OBJECTIVE, s->v[P_OBJECTIVE]);
    param_format(&direction, P_DIRECTION, s->v[P_DIRECTION]);
    if (w->sweep_id) {
        rc = db_do(w->store, STATEMENT_SWEEP_UPDATE, err, "issids", w->sweep_id, sweep->path,
                   buf_text(&ini), w->plan->n_trials, clock_unix(), parts);
    } else {
        rc = db_do(w->store, STATEMENT_SWEEP_INSERT, err, "sssssssnnnids", s->v[P_SWEEP_NAME].s,
                   buf_text(&objective), buf_text(&direction), task_name(d->task), sweep->path,
                   buf_text(&ini), hash_hex(d->digest, digest), (int)d->n_samples,
                   (int)d->n_features, (int)d->n_classes, w->plan->n_trials, clock_unix(), parts);
        w->sweep_id = sqlite3_last_insert_rowid(w->store->db);
        w->is_new = true;
    }
    buf_release(&ini);
    buf_release(&objective);
    buf_release(&direction);
    return rc;
}

/* SQLite reuses numbers, so rows whose parent was deleted would join our sweep. */
static int refuse_orphans(struct walk *w, struct err *err)
{
    sqlite3_stmt *row = db_bind(w->store, STATEMENT_ORPHANS, err, "");
    int rc = db_step(w->store, row, err);

    if (rc == 1)
        rc = err_set(err,
                     "%s: there are %s, which is missing: another program deleted it; use an older "
                     "copy, or another --db",
                     w->store->path, (const char *)sqlite3_column_text(row, 0));
    sqlite3_reset(row);
    return rc;
}

static int find_sweep(struct walk *w, struct err *err)
{
    struct errlist differences = {0};
    struct settings s;
    int rc;

    plan_settings(w->plan, 0, &s);
    /* The caller has checked this with store_differences(). */
    rc = store_differences(w->store, w->plan, w->data, &differences, err);
    if (!rc && differences.n)
        rc = err_set(err, "%s: sweep '%s' in it has other settings: %s", w->store->path,
                     s.v[P_SWEEP_NAME].s, differences.text[0]);
    errlist_release(&differences);
    if (rc || db_ask(&w->sweep_id, w->store, STATEMENT_SWEEP_FIND, err, "s", s.v[P_SWEEP_NAME].s) ||
        refuse_orphans(w, err))
        return -1;
    return w->insert ? insert_sweep(w, &s, err) : 0;
}

static int insert_axes(struct walk *w, struct err *err)
{
    const struct sweep *sweep = w->plan->sweep;
    struct settings s;

    for (size_t a = 0; a < sweep->n_axes; a++)
        if (db_do(w->store, STATEMENT_AXIS_INSERT, err, "is", w->sweep_id, sweep->axes[a].row->key))
            return -1;
    plan_settings(w->plan, 0, &s);
    buf_clear(&w->json);
    settings_json(&w->json, &s);
    return db_do(w->store, STATEMENT_AXIS_CHANGED, err, "is", w->sweep_id, buf_text(&w->json));
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

        if (!settings_has(s, sweep->axes[a].id))
            continue;
        is_first |= axis_is_range(&sweep->axes[a]);
        if (level < 0)
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
    const struct cell number = {.type = w->is_part ? CELL_INTEGER : CELL_NULL,
                                .i = (int64_t)config + 1};
    char key[HASH_HEX_SIZE];

    hash_hex(hash, key);
    if (db_do(w->store, STATEMENT_CONFIG_INSERT, err, "inssdc", w->sweep_id, (int)config + 1, key,
              params, flops, &number))
        return -1;
    *config_id = sqlite3_last_insert_rowid(w->store->db);
    w->is_grown = true;
    if (w->is_new)
        note_levels(w, config, s, *config_id);
    return 0;
}

static int insert_trial(struct walk *w, int64_t t, int64_t config_id, struct err *err)
{
    struct plan_trial trial = plan_trial(w->plan, t);
    struct new_trial new = {
        .config_id = config_id, .replicate = trial.replicate, .fold = trial.fold};
    struct new_trials *trials = &w->new_trials;

    hash_hex(settings_texts_key(&w->texts, trial.replicate, trial.fold), new.key);
    if (!w->is_part) {
        /* Under the number after the largest, inside one transaction. new_trials_flush() writes the
         * last ones. */
        if (trials->last_id < 0 && store_last_trial(&trials->last_id, w->store, err))
            return -1;
        w->trials->ids[t] = new.trial_id = ++trials->last_id;
        trials->of[trials->n] = new;
        return ++trials->n == TRIALS_AT_ONCE ? new_trials_flush(trials, w->store, err) : 0;
    }
    if (db_do(w->store, STATEMENT_TRIAL_INSERT_AS, err, "innsi", config_id, (int)trial.replicate,
              (int)trial.fold, new.key, t + 1))
        return -1;
    w->trials->ids[t] = sqlite3_last_insert_rowid(w->store->db);
    return 0;
}

/* Count attempts since the trial's last result. A finished trial needs no counts. */
static int count_ended(struct walk *w, int64_t t, struct err *err)
{
    struct store_trials *trials = w->trials;
    sqlite3_stmt *row = db_bind(w->store, STATEMENT_TRIAL_ENDED, err, "i", trials->ids[t]);
    int rc = 0;

    while (db_next(&rc, w->store, row, err)) {
        const char *outcome;
        int32_t n;
        double longest_s;

        rc = db_read(w->store, row, err, "snR", &outcome, &n, &longest_s);
        if (rc)
            continue;
        *(!strcmp(outcome, "crashed") ? &trials->crashes[t]
          : !strcmp(outcome, "lost")  ? &trials->lost[t]
                                      : &trials->stopped[t]) = n;
        if (!strcmp(outcome, "stopped") && !isnan(longest_s))
            trials->stopped_s[t] = (float)longest_s;
    }
    return rc;
}

/* Ignore trials that are not in the plan or our part. Columns: STATEMENT_TRIALS_OF. */
static int take_trial(struct walk *w, sqlite3_stmt *row, const struct stored_config **last,
                      struct err *err)
{
    const struct plan *plan = w->plan;
    int32_t replicate, fold, attempts;
    double value, seconds, predicted, left;
    enum trial_state state;
    struct stored_config of;
    int64_t trial_id, ranks, t;

    if (db_read(w->store, row, err, "innitRRRnr", &of.config_id, &replicate, &fold, &trial_id,
                &state, &value, &seconds, &predicted, &attempts, &left))
        return -1;
    if (!*last || (*last)->config_id != of.config_id)
        *last = find_stored(&w->stored, &of, compare_ids);
    if (!*last || (*last)->config < 0 || replicate >= plan->replicates || fold >= plan->folds)
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
    if (w->trials->ranks && state == TRIAL_DONE) {
        if (db_ask(&ranks, w->store, STATEMENT_TRIAL_RANKS, err, "i", trial_id))
            return -1;
        w->trials->ranks[t] = (int32_t)ranks;
    }
    return attempts && state <= TRIAL_RUNNING ? count_ended(w, t, err) : 0;
}

static int take_trials(struct walk *w, struct err *err)
{
    size_t n = (size_t)w->plan->n_trials;
    const struct stored_config *last = NULL;
    int64_t has_members;
    sqlite3_stmt *row;
    int rc = 0;

    if (db_ask(&has_members, w->store, STATEMENT_MEMBERS_EXIST, err, ""))
        return -1;
    if (has_members) {
        w->trials->ranks = calloc(n + 1, sizeof *w->trials->ranks);
        if (!w->trials->ranks)
            return err_nomem(err, "trials", n * sizeof *w->trials->ranks);
    }
    row = db_bind(w->store, STATEMENT_TRIALS_OF, err, "i", w->sweep_id);
    while (db_next(&rc, w->store, row, err))
        rc = take_trial(w, row, &last, err);
    return rc;
}

/* *end: one past its last trial. */
static int64_t first_trial(const struct walk *w, int32_t config, int64_t *end)
{
    int64_t n_each = w->plan->n_trials / w->plan->n_configs, first = config * n_each;

    *end = first + n_each;
    return first;
}

/* is_missing: one that is not stored. */
static bool has_ours(const struct walk *w, int32_t config, bool is_missing)
{
    int64_t end;

    for (int64_t t = first_trial(w, config, &end); t < end; t++)
        if (w->trials->ours[t] && !(is_missing && w->trials->ids[t]))
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
    sqlite3_stmt *row = db_bind(w->store, STATEMENT_CONFIGS_OF, err, "i", w->sweep_id);
    struct stored_config wanted, *found;
    struct settings s;
    int rc = 0;

    while (db_next(&rc, w->store, row, err))
        rc = add_stored(&w->stored, w->store, row, err);
    if (rc)
        return -1;
    sort_stored(&w->stored, compare_keys);
    for (int32_t config = 0; config < w->plan->n_configs; config++) {
        if (!has_ours(w, config, false))
            continue;
        read_config(w, config, &s, &wanted.key);
        found = find_stored(&w->stored, &wanted, compare_keys);
        if (found) {
            found->config = config;
            w->trials->config_ids[config] = found->config_id;
        }
    }
    sort_stored(&w->stored, compare_ids);
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
        if (has_ours(w, config, true) && insert_missing(w, config, err))
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
    return db_do(w->store, STATEMENT_AXIS_LEVELS, err, "is", w->sweep_id,
                 w->is_new ? buf_text(&w->levels) : NULL);
}

static int register_all(struct walk *w, struct err *err)
{
    w->gives_stop = w->data->part && memchr(w->data->part, PART_STOP, (size_t)w->data->n_samples);
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
        rc = db_do(store, STATEMENT_BEGIN, err, "");
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
