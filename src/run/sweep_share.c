/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/sweep_share.h"

#include <string.h>

#include "base/log.h"

/* Precedes inputs: a configuration that uses them. */
struct label {
    int64_t config;
    char space[56]; /* aligns the inputs to 64 bytes */
};

static void warn_refused(const struct shared *shared, const char *what)
{
    if (shared->n_refusing)
        log_warn("%d host%s cannot share memory: each rank there has its own copy of %s; %s",
                 shared->n_refusing, shared->n_refusing == 1 ? "" : "s", what, shared->reason);
}

static int give_data(struct sweep_share *share, const struct world *world, struct dataset *data,
                     const char *folder, struct err *err)
{
    struct shared *shared = &share->data;

    if (shared_open(shared, world, data->block_bytes, folder, err))
        return -1;
    memcpy(shared->bytes, data->block, data->block_bytes);
    dataset_release(data);
    if (shared_send(shared, err))
        return -1;
    warn_refused(shared, "the data");
    dataset_view(data, shared->bytes);
    return 0;
}

static int give_inputs(struct sweep_share *share, const struct world *world,
                       struct prepared *prepared, const struct settings *settings, int32_t config,
                       const char *folder, struct err *err)
{
    size_t bytes = prepared_packed_bytes(prepared, settings);
    struct shared *shared = &share->inputs[share->n++];
    struct label *label;

    if (shared_open(shared, world, sizeof *label + bytes, folder, err))
        return -1;
    label = shared->bytes;
    *label = (struct label){.config = config};
    prepared_pack(label + 1, prepared, settings);
    if (shared_send(shared, err))
        return -1;
    warn_refused(shared, "the prepared inputs");
    return prepared_adopt(prepared, settings, label + 1, bytes, err);
}

int sweep_share_give(struct sweep_share *share, const struct world *world, struct dataset *data,
                     struct prepared *prepared, const struct plan *plan, struct err *err)
{
    const char *folder = shared_folder();
    struct settings settings;
    struct shared end;

    if (give_data(share, world, data, folder, err))
        return -1;
    for (int32_t c = 0; *folder && c < plan->n_configs; c++) {
        if (share->n == PREPARED_ADOPTED || share->data.n_refusing ||
            (share->n && share->inputs[share->n - 1].n_refusing))
            break;
        plan_settings(plan, c, &settings);
        if (prepared_has_own(prepared, &settings) &&
            give_inputs(share, world, prepared, &settings, c, folder, err))
            return -1;
    }
    return shared_open(&end, world, 0, folder, err);
}

static int take(struct shared *shared, const struct world *world, struct err *err)
{
    if (shared_open(shared, world, 0, "", err))
        return -1;
    return shared->n ? shared_send(shared, err) : 0;
}

int sweep_share_take(struct sweep_share *share, const struct world *world, struct dataset *data,
                     struct prepared **prepared, const struct plan *plan, struct err *err)
{
    struct settings settings;
    struct shared shared;

    if (take(&share->data, world, err) || dataset_open(data, share->data.bytes, share->data.n, err))
        return -1;
    *prepared = prepared_create(data, err);
    if (!*prepared)
        return -1;
    for (;;) {
        const struct label *label;

        if (take(&shared, world, err))
            return -1;
        if (!shared.n)
            return 0;
        share->inputs[share->n++] = shared;
        label = shared.bytes;
        plan_settings(plan, (int32_t)label->config, &settings);
        if (prepared_adopt(*prepared, &settings, label + 1, shared.n - sizeof *label, err))
            return -1;
    }
}

double sweep_share_patience(const struct sweep *sweep)
{
    return sweep->fixed.v[P_HEARTBEAT_LIMIT].f + 10;
}

void sweep_share_release(struct sweep_share *share)
{
    shared_release(&share->data);
    for (int i = 0; i < share->n; i++)
        shared_release(&share->inputs[i]);
    *share = (struct sweep_share){.n = 0};
}
