#include "cli/models.h"

#include <string.h>

#include "base/log.h"
#include "cli/replay.h"
#include "store/query.h"
#include "trial/kept.h"

int models_none(const char *db, char letter, int64_t id, struct err *err)
{
    return err_set(err,
                   "%s: no model of %c%lld is kept: with keep = best those of the best "
                   "configuration are, with keep = all every one; the same trials can be run "
                   "again, in another --db",
                   db, letter, (long long)id);
}

/* Weights by features in the place of what stands for them. */
static int complete(struct buf *file, struct replay *replay, int64_t trial_id, struct err *err)
{
    struct replay_trial trial;
    struct settings settings;
    struct buf out = {0};
    int64_t number;

    if (replay_find(&trial, replay->store, trial_id, err) ||
        replay_prepare(replay, &trial, &number, err))
        return -1;
    replay_settings(replay, &settings);
    if (kept_complete(&out, file->data, file->size, &replay->data, &settings, err)) {
        buf_release(&out);
        return err_wrap(err, "t%lld", (long long)trial_id);
    }
    buf_release(file);
    *file = out;
    return 0;
}

static int save(const char *path, struct replay *replay, const struct buf *file, int64_t trial_id,
                struct err *err)
{
    const char *inputs[P_COUNT + 1] = {replay->db};
    size_t n = 1;

    for (int id = 0; replay->config_id && id < P_COUNT; id++)
        if (param_table[id].type == PARAM_PATH)
            inputs[n++] = replay->sweep.fixed.v[id].s;
    if (cli_save(path, file, inputs, n, err))
        return -1;
    log_info("%s: the model of t%lld, %.3g MB", path, (long long)trial_id,
             (double)file->size * 1e-6);
    return 0;
}

static int write_one(const char *path, struct replay *replay, int64_t trial_id, struct err *err)
{
    struct buf file = {0};
    int rc = store_find_model(&file, replay->store, trial_id, err);

    if (rc == 0)
        rc = models_none(replay->db, 't', trial_id, err);
    if (rc == 1)
        rc = kept_is_complete(file.data, file.size) ? 0 : complete(&file, replay, trial_id, err);
    if (!rc)
        rc = save(path, replay, &file, trial_id, err);
    buf_release(&file);
    return rc;
}

/* "dir/best-t12.safetensors" */
static void put_numbered(struct buf *out, const char *path, int64_t trial_id)
{
    const char *name = strrchr(path, '/');
    const char *dot = strrchr(name ? name : path, '.');
    size_t stem = dot ? (size_t)(dot - path) : strlen(path);

    buf_add(out, path, stem);
    buf_printf(out, "-t%lld%s", (long long)trial_id, path + stem);
}

static int write_config(const char *path, struct replay *replay, int64_t config_id, struct err *err)
{
    struct table table;
    int rc = query_table(&table, replay->store, QUERY_CONFIG_MODELS, config_id, err);

    if (rc)
        return -1;
    if (!table.n_rows)
        rc = models_none(replay->db, 'c', config_id, err);
    for (int64_t r = 0; !rc && r < table.n_rows; r++) {
        int64_t trial_id = table.cells[r * table.n_cols].i;
        struct buf numbered = {0};

        put_numbered(&numbered, path, trial_id);
        rc = write_one(table.n_rows == 1 ? path : buf_text(&numbered), replay, trial_id, err);
        buf_release(&numbered);
    }
    table_release(&table);
    return rc;
}

int models_save(const char *path, const char *db, struct store *store, bool is_trial, int64_t id,
                const struct option_list *set, struct err *err)
{
    struct replay replay = {.db = db, .store = store, .set = set};
    int rc = is_trial ? write_one(path, &replay, id, err) : write_config(path, &replay, id, err);

    replay_release(&replay);
    return rc;
}
