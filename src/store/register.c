#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fault.h"
#include "store/db.h"

/* One walk over a plan; with insert false it only looks. */
struct walk {
    struct store *store;
    const struct plan *plan;
    const struct dataset *data;
    const struct gcn_cost *work; /* [n_configs] NULL: unknown */
    struct store_trials *trials;
    int64_t sweep_id; /* 0: not there */
    bool insert;
    bool is_part;    /* some trials are not ours: numbers are those of the whole plan */
    bool is_grown;   /* a configuration was new */
    bool gives_stop; /* the data, to trials that want such a part */
    bool has_stop;   /* trials will be scored on it */
    struct buf key_text, json;
};

static int resolved(const struct walk *w, int32_t config, struct settings *s, struct err *err)
{
    plan_settings(w->plan, config, s);
    return settings_resolve(s, w->data->task, err);
}

static const char *choice_text(struct buf *out, enum param_id id, const struct settings *s)
{
    buf_clear(out);
    param_format(out, id, s->v[id]);
    return buf_text(out);
}

/* Configurations of one sweep are ranked together: whoever calls has asked store_differences(). */
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

/* The settings that are not swept, as a sweep file; axes with their defaults are overwritten from
 * config.params by whoever reads it. */
static int insert_sweep(struct walk *w, const struct settings *s, struct err *err)
{
    const struct dataset *d = w->data;
    const struct sweep *sweep = w->plan->sweep;
    struct buf ini = {0}, objective = {0}, direction = {0};
    const char *parts = d->part ? "given" : "drawn";
    char digest[HASH_HEX_SIZE];
    int rc;

    sweep_write(&ini, sweep, &sweep->fixed);
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
    }
    buf_release(&ini);
    buf_release(&objective);
    buf_release(&direction);
    return rc;
}

static int find_sweep(struct walk *w, struct err *err)
{
    struct settings s;
    sqlite3_stmt *row;

    if (resolved(w, 0, &s, err) || check_same(w, s.v[P_SWEEP_NAME].s, err))
        return -1;
    row = db_bind(w->store, STATEMENT_SWEEP_FIND, err, "s", s.v[P_SWEEP_NAME].s);
    if (db_integer(w->store, row, 0, &w->sweep_id, err))
        return -1;
    return w->insert ? insert_sweep(w, &s, err) : 0;
}

/* Axes of the file in its order, then whatever else is no longer what it was. */
static int insert_axes(struct walk *w, struct err *err)
{
    const struct sweep *sweep = w->plan->sweep;
    struct settings s;

    for (size_t a = 0; a < sweep->n_axes; a++)
        if (db_finish(w->store,
                      db_bind(w->store, STATEMENT_AXIS_INSERT, err, "is", w->sweep_id,
                              param_table[sweep->axes[a].id].key),
                      err))
            return -1;
    if (resolved(w, 0, &s, err))
        return -1;
    buf_clear(&w->json);
    settings_json(&w->json, &s);
    return db_finish(
        w->store,
        db_bind(w->store, STATEMENT_AXIS_CHANGED, err, "is", w->sweep_id, buf_text(&w->json)), err);
}

static int insert_config(struct walk *w, int32_t config, const struct settings *s, const char *key,
                         int64_t *config_id, struct err *err)
{
    double flops = w->work ? w->work[config].flops : (double)NAN;

    buf_clear(&w->json);
    settings_json(&w->json, s);
    if (db_finish(w->store,
                  db_bind(w->store, STATEMENT_CONFIG_INSERT, err, "inssdi", w->sweep_id,
                          (int)config + 1, key, buf_text(&w->json), flops,
                          w->is_part ? (int64_t)config + 1 : 0),
                  err))
        return -1;
    *config_id = sqlite3_last_insert_rowid(w->store->db);
    w->is_grown = true;
    return 0;
}

static int find_config(struct walk *w, int32_t config, const struct settings *s, int64_t *config_id,
                       struct err *err)
{
    char key[HASH_HEX_SIZE];
    struct hash hash =
        settings_key(s, w->plan->sweep->swept, w->data->digest, -1, -1, &w->key_text);

    hash_hex(hash, key);
    if (db_integer(w->store, db_bind(w->store, STATEMENT_CONFIG_FIND, err, "is", w->sweep_id, key),
                   0, config_id, err))
        return -1;
    return *config_id || !w->insert ? 0 : insert_config(w, config, s, key, config_id, err);
}

static int insert_trial(struct walk *w, int64_t t, const struct settings *s, int64_t config_id,
                        struct err *err)
{
    struct plan_trial trial = plan_trial(w->plan, t);
    struct hash hash = settings_key(s, w->plan->sweep->swept, w->data->digest, trial.replicate,
                                    trial.fold, &w->key_text);
    char key[HASH_HEX_SIZE];

    if (db_finish(w->store,
                  db_bind(w->store, STATEMENT_TRIAL_INSERT, err, "innsi", config_id,
                          (int)trial.replicate, (int)trial.fold, hash_hex(hash, key),
                          w->is_part ? t + 1 : 0),
                  err))
        return -1;
    w->trials->ids[t] = sqlite3_last_insert_rowid(w->store->db);
    return 0;
}

static double real_column(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? (double)NAN
                                                           : sqlite3_column_double(row, column);
}

static int count_ended(struct walk *w, int64_t t, const char *outcome, int32_t *out,
                       struct err *err)
{
    int64_t n;

    if (db_integer(w->store,
                   db_bind(w->store, STATEMENT_TRIAL_ENDED, err, "is", w->trials->ids[t], outcome),
                   0, &n, err))
        return -1;
    *out = (int32_t)n;
    return 0;
}

/* Only of trials to be run: a result has settled what was before it. */
static int count_crashes(struct walk *w, int64_t t, int attempts, struct err *err)
{
    if (!attempts || w->trials->states[t] > TRIAL_RUNNING)
        return 0;
    return count_ended(w, t, "crashed", &w->trials->crashes[t], err) ||
                   count_ended(w, t, "lost", &w->trials->lost[t], err)
               ? -1
               : 0;
}

static int find_trial(struct walk *w, int64_t t, const struct settings *s, int64_t config_id,
                      struct err *err)
{
    struct plan_trial trial = plan_trial(w->plan, t);
    sqlite3_stmt *row = db_bind(w->store, STATEMENT_TRIAL_FIND, err, "inn", config_id,
                                (int)trial.replicate, (int)trial.fold);
    int rc = row ? db_step(w->store, row, err) : -1, attempts;

    if (rc == 1) {
        w->trials->ids[t] = sqlite3_column_int64(row, 0);
        w->trials->states[t] =
            (uint8_t)trial_state_parse((const char *)sqlite3_column_text(row, 1));
        w->trials->values[t] = real_column(row, 2);
        w->trials->seconds[t] = real_column(row, 3);
        w->trials->predicted[t] = real_column(row, 4);
        attempts = sqlite3_column_int(row, 5);
        w->trials->left[t] = sqlite3_column_double(row, 6);
        return db_finish(w->store, row, err) ? -1 : count_crashes(w, t, attempts, err);
    }
    return rc == 0 && w->insert ? insert_trial(w, t, s, config_id, err) : rc;
}

static int walk_config(struct walk *w, int32_t config, struct err *err)
{
    int64_t n_each = w->plan->n_trials / w->plan->n_configs;
    struct settings s;
    int64_t config_id = -1;

    for (int64_t t = config * n_each; t < (config + 1) * n_each; t++) {
        if (!w->trials->ours[t])
            continue;
        if (config_id < 0 &&
            (resolved(w, config, &s, err) || find_config(w, config, &s, &config_id, err)))
            return -1;
        w->has_stop |= s.v[P_STOP].f > 0 || (w->gives_stop && settings_has(&s, P_STOP));
        if (find_trial(w, t, &s, config_id, err))
            return -1;
    }
    return 0;
}

static int walk_configs(struct walk *w, struct err *err)
{
    for (int64_t t = 0; t < w->plan->n_trials; t++) {
        w->is_part |= !w->trials->ours[t];
        w->trials->ids[t] = 0;
        w->trials->states[t] = TRIAL_PENDING;
        w->trials->crashes[t] = w->trials->lost[t] = 0;
        w->trials->left[t] = 1;
        w->trials->values[t] = w->trials->seconds[t] = w->trials->predicted[t] = NAN;
    }
    for (int32_t config = 0; config < w->plan->n_configs; config++)
        if (walk_config(w, config, err))
            return -1;
    return 0;
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
    if (w->is_grown &&
        db_finish(w->store, db_bind(w->store, STATEMENT_AXIS_LEVELS, err, "i", w->sweep_id), err))
        return -1;
    return views_expect(w->store, w->has_stop, err);
}

static void walk_release(struct walk *w)
{
    buf_release(&w->key_text);
    buf_release(&w->json);
}

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
    if (trials->ours && trials->ids && trials->states && trials->values && trials->seconds &&
        trials->predicted && trials->left && trials->crashes && trials->lost) {
        memset(trials->ours, true, n * sizeof *trials->ours);
        return 0;
    }
    store_trials_release(trials);
    return err_nomem(err, "trials", n * (5 * sizeof(double) + 2 * sizeof(int32_t) + 2));
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
    *trials = (struct store_trials){0};
}

int store_register(struct store *store, const struct plan *plan, const struct dataset *data,
                   const struct gcn_cost *work, struct store_trials *trials, struct err *err)
{
    struct walk w = {
        .store = store, .plan = plan, .data = data, .work = work, .trials = trials, .insert = true};
    int rc = store_commit(store, err);

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
    /* One snapshot, and one lock instead of one for each look. */
    int rc = db_exec(store, "BEGIN", err);

    if (!rc)
        rc = find_sweep(&w, err);
    if (!rc)
        rc = walk_configs(&w, err);
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    walk_release(&w);
    return rc;
}

int64_t store_config_of(struct store *store, int64_t trial_id)
{
    int64_t config_id;

    db_integer(store, db_bind(store, STATEMENT_TRIAL_CONFIG, NULL, "i", trial_id), 0, &config_id,
               NULL);
    return config_id;
}
