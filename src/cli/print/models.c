/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/models.h"

#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "base/log.h"
#include "cli/print/cli.h"
#include "cli/print/inputs.h"
#include "predict/predict.h"
#include "predict/replay.h"
#include "store/query/query.h"
#include "trial/kept.h"

struct writing {
    struct replay replay;
    struct kept_products products;
    struct inputs inputs; /* must not be overwritten */
};

static int complete(struct buf *file, struct writing *w, int64_t trial_id, struct err *err)
{
    struct replay *replay = &w->replay;
    struct replay_trial trial;
    struct settings settings;
    struct buf out = {0};
    int64_t number;

    if (replay_find(&trial, replay->store, trial_id, err) ||
        replay_prepare(replay, &trial, &number, err))
        return -1;
    replay_settings(replay, &settings);
    if (kept_complete(&out, file->data, file->size, &replay->data, &settings, &w->products, err)) {
        buf_release(&out);
        return err_wrap(err, "t%lld", (long long)trial_id);
    }
    buf_release(file);
    *file = out;
    return 0;
}

static int save(const char *path, const struct writing *w, const struct buf *file, int64_t trial_id,
                struct err *err)
{
    if (cli_save(path, file, &w->inputs, err))
        return -1;
    log_info("%s: the model of t%lld, %.3g MB", path, (long long)trial_id,
             (double)file->size * 1e-6);
    return 0;
}

static int check_one(const char *path, struct writing *w, int64_t trial_id, struct err *err)
{
    (void)trial_id;
    return inputs_check(&w->inputs, path, err);
}

static int write_one(const char *path, struct writing *w, int64_t trial_id, struct err *err)
{
    struct buf file = {0};
    int rc = store_find_model(&file, w->replay.store, trial_id, err);

    if (rc == 0)
        rc = predict_no_model(w->replay.store, 't', trial_id, err);
    if (rc == 1)
        rc = kept_is_complete(file.data, file.size) ? 0 : complete(&file, w, trial_id, err);
    if (!rc)
        rc = save(path, w, &file, trial_id, err);
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

/* The name from which others are made must be one that could be written. */
static int check_stem(const char *path, int64_t n, struct err *err)
{
    const struct inputs none = {.is_forced = true};
    struct stat status;

    if (inputs_check(&none, path, err))
        return -1;
    if (n > 1 && stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return err_set(err, "%s: is not a regular file, but must be the name of %lld files", path,
                       (long long)n);
    return 0;
}

/* Call act() for each row, with the name of its file. */
static int each_model(const char *path, struct writing *w, const struct result_table *models,
                      int (*act)(const char *path, struct writing *w, int64_t trial_id,
                                 struct err *err),
                      struct err *err)
{
    int rc = 0;

    for (int64_t r = 0; !rc && r < models->n_rows; r++) {
        int64_t trial_id = result_table_integer(models, r, "trial");
        struct buf numbered = {0};

        put_numbered(&numbered, path, trial_id);
        rc = act(models->n_rows == 1 ? path : buf_text(&numbered), w, trial_id, err);
        buf_release(&numbered);
    }
    return rc;
}

static int write_config(const char *path, struct writing *w, int64_t config_id, struct err *err)
{
    struct result_table table;
    int rc = query_table(&table, w->replay.store, QUERY_CONFIG_MODELS, config_id, err);

    if (rc)
        return -1;
    if (!table.n_rows)
        rc = predict_no_model(w->replay.store, 'c', config_id, err);
    else
        rc = check_stem(path, table.n_rows, err);
    if (!rc)
        rc = each_model(path, w, &table, check_one, err);
    if (!rc)
        rc = each_model(path, w, &table, write_one, err);
    result_table_release(&table);
    return rc;
}

static int write_trial(const char *path, struct writing *w, int64_t trial_id, struct err *err)
{
    return check_one(path, w, trial_id, err) ? -1 : write_one(path, w, trial_id, err);
}

int models_save(const char *path, bool is_forced, const char *db, struct store *store,
                bool is_trial, int64_t id, const struct text_list *set, struct err *err)
{
    struct writing w = {.inputs = {.is_forced = is_forced},
                        .replay = {.db = db, .store = store, .set = set}};
    int rc = inputs_add_database(&w.inputs, db, store, set, err);

    if (!rc)
        rc = (is_trial ? write_trial : write_config)(path, &w, id, err);
    inputs_release(&w.inputs);
    kept_products_release(&w.products);
    replay_release(&w.replay);
    return rc;
}
