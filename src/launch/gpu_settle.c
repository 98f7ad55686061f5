/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch/gpu_settle.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "launch/preflight.h"

/* Rank 0's message is an error, or "" and each rank's share. */
static void put_shares(struct buf *out, const struct gpu_share *shares, int32_t n)
{
    buf_put_text(out, "");
    for (int32_t rank = 0; rank < n; rank++) {
        buf_put_u32(out, (uint32_t)shares[rank].vendor);
        buf_put_u32(out, (uint32_t)shares[rank].n);
        buf_put_u32(out, (uint32_t)shares[rank].view);
        buf_put_text(out, shares[rank].devices);
    }
}

static int divide(struct buf *out, struct rank_info *info, int32_t n, const struct gpu_wish *wish,
                  struct err *err)
{
    struct gpu_share *shares = calloc((size_t)n, sizeof *shares);
    struct findings findings = {.n = 0};
    int rc = shares ? gpu_divide(shares, &findings, info, n, wish, err)
                    : err_nomem(err, "GPUs", (size_t)n * sizeof *shares);

    if (!rc)
        put_shares(out, shares, n);
    for (int32_t i = 0; i < findings.n && preflight_is_on(); i++)
        log_warn("%s; %s", findings.list[i].what, findings.list[i].fix);
    for (int32_t rank = 0; shares && rank < n; rank++)
        gpu_share_release(&shares[rank]);
    free(shares);
    return rc;
}

/* On rank 0, whose error is part of the answer. */
static void answer_all(struct buf *out, const struct world *world, const struct gpu_list *list,
                       const struct gpu_wish *wish)
{
    struct rank_info *info = NULL;
    struct err err;

    if (rank_info_gather(world, list, &info, &err) || divide(out, info, world->size, wish, &err))
        buf_put_text(out, err.text);
    rank_info_destroy(info, world->size);
}

enum { SHARE_TEXT = GPU_MAX * (GPU_NAME + 1) };

/* Forget the ranks whose GPUs this one cannot use. */
static void keep_view(struct gpu_shares *shares)
{
    for (int32_t rank = 0; rank < shares->n; rank++)
        if (shares->of[rank].view != shares->of[shares->rank].view)
            gpu_share_release(&shares->of[rank]);
}

static int read_answer(struct gpu_shares *shares, struct cursor *answer, const struct world *world,
                       struct err *err)
{
    char devices[SHARE_TEXT], fault[sizeof err->text];

    cursor_text(answer, fault, sizeof fault);
    if (*fault)
        return err_set(err, "%s", fault);
    shares->of = calloc((size_t)world->size, sizeof *shares->of);
    if (!shares->of)
        return err_nomem(err, "GPUs", (size_t)world->size * sizeof *shares->of);
    shares->n = world->size;
    shares->rank = world->rank;
    for (int32_t rank = 0; rank < shares->n; rank++) {
        struct gpu_share *share = &shares->of[rank];

        share->vendor = (enum gpu_vendor)cursor_u32(answer);
        share->n = (int32_t)cursor_u32(answer);
        share->view = (int32_t)cursor_u32(answer);
        cursor_text(answer, devices, sizeof devices);
        share->devices = answer->failed ? NULL : strdup(devices);
        if (!share->devices)
            return err_nomem(err, "GPUs", sizeof devices);
    }
    keep_view(shares);
    return 0;
}

int gpu_settle(struct gpu_shares *shares, const struct world *world, const struct gpu_wish *wish,
               struct err *err)
{
    struct rank_info *none;
    struct gpu_list list;
    struct buf answer = {0};
    struct cursor cursor;
    void *bytes;
    size_t n;
    int rc = 0;

    *shares = (struct gpu_shares){.n = 0};
    /* the others wait: a rank without memory sees no GPU, and rank 0 refuses that */
    (void)gpu_look(&list, err);
    if (world->rank)
        rc = rank_info_gather(world, &list, &none, err);
    else
        answer_all(&answer, world, &list, wish);
    gpu_list_release(&list);
    bytes = answer.data;
    n = answer.size;
    rc = rc || world_broadcast(world, &bytes, &n, err) ? -1 : 0;
    cursor = (struct cursor){.data = bytes, .size = n};
    if (!rc)
        rc = read_answer(shares, &cursor, world, err);
    if (rc)
        gpu_shares_release(shares);
    if (world->rank)
        free(bytes);
    buf_release(&answer);
    return rc;
}
