/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch/gpu_share.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/words.h"
#include "launch/preflight.h"

void gpu_shares_release(struct gpu_shares *shares)
{
    free(shares->of);
    *shares = (struct gpu_shares){.n = 0};
}

static bool has_word(const char *list, const char *word, size_t size)
{
    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (strcspn(list, ",") == size && !strncmp(list, word, size))
            return true;
    return false;
}

static void add_name(struct gpu_share *share, const char *name, size_t size)
{
    size_t used = strlen(share->devices);

    snprintf(share->devices + used, sizeof share->devices - used, "%s%.*s", share->n++ ? "," : "",
             (int)size, name);
}

void gpu_shares_join(struct gpu_share *out, const struct gpu_shares *shares, const int32_t *ranks,
                     int32_t n_ranks)
{
    const struct gpu_share *own = &shares->of[shares->rank];

    *out = (struct gpu_share){.vendor = own->vendor, .view = own->view};
    for (int32_t i = 0; i < n_ranks; i++) {
        const struct gpu_share *its =
            ranks[i] >= 0 && ranks[i] < shares->n ? &shares->of[ranks[i]] : NULL;

        if (!its || its->view != own->view) {
            *out = *own;
            return;
        }
        for (const char *at = its->devices; *at;) {
            size_t size = strcspn(at, ",");

            if (!has_word(out->devices, at, size))
                add_name(out, at, size);
            at += size + (at[size] == ',');
        }
    }
    if (!n_ranks)
        *out = *own;
}

const char *gpu_share_variable(struct buf *value, const struct gpu_share *share, int32_t i)
{
    static const char *const counted[] = {"HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES",
                                          "GPU_DEVICE_ORDINAL"};

    if (i == 0) {
        buf_puts(value, share->devices);
        return share->vendor == GPU_AMD ? "ROCR_VISIBLE_DEVICES" : "CUDA_VISIBLE_DEVICES";
    }
    if (share->vendor != GPU_AMD || i > (int32_t)(sizeof counted / sizeof *counted))
        return NULL;
    for (int32_t k = 0; k < share->n; k++)
        buf_printf(value, "%s%d", k ? "," : "", k);
    return counted[i - 1];
}

/* ---- one machine ---- */

struct device {
    const char *id;
    int32_t n_ranks;
};

/* The ranks of one machine. */
struct gpu_group {
    const struct rank_info *info;
    int32_t *ranks; /* [n] */
    int32_t n;
    struct device *devices; /* [n_devices] that its ranks see; room for all of them */
    int32_t n_devices;

    const struct gpu_wish *wish;
    int32_t wanted; /* devices of a rank */
    int32_t most;   /* ranks of a device */

    struct findings *findings;
    bool has_idle, has_other_views; /* warned of */
};

static const struct rank_info *member(const struct gpu_group *group, int32_t i)
{
    return &group->info[group->ranks[i]];
}

static struct device *find_device(const struct gpu_group *group, const char *id)
{
    for (int32_t i = 0; i < group->n_devices; i++)
        if (!strcmp(group->devices[i].id, id))
            return &group->devices[i];
    return NULL;
}

/* ---- refusals ---- */

static int refuse_few(const struct gpu_group *group, struct err *err)
{
    const struct rank_info *first = member(group, 0);
    const char *source = gpu_source_name(&first->gpus);
    int32_t n = group->n_devices, fitting = n / group->wanted * group->most;
    int32_t needed = (group->n * group->wanted + group->most - 1) / group->most;
    bool is_overridden = group->wish->per_host && first->gpus.source != GPU_OF_SETTING;
    struct buf fix = {0};

    if (!n)
        buf_puts(&fix,
                 "ask the batch system for GPUs (sbatch --gres=gpu:N, bsub -gpu num=N), state "
                 "their number with gpus_per_host, or ");
    else if (fitting)
        buf_printf(&fix,
                   "start at most %d rank%s there (mpirun --map-by ppr:%d:node, srun "
                   "--ntasks-per-node=%d), or ",
                   fitting, plural(fitting), fitting, fitting);
    /* the largest number that each can have: 2, or 0.333 for a third */
    buf_printf(&fix, "set gpus = %.3g",
               n >= group->n || !n ? n / group->n
                                   : 1 / fmin((group->n + n - 1) / n, GPU_MOST_RANKS));
    (void)err_set(err, "%s: %d rank%s with gpus = %g need%s %d GPU%s, but there %s %d (%s%s); %s",
                  first->host, group->n, plural(group->n), group->wish->gpus,
                  group->n == 1 ? "s" : "", needed, plural(needed), n == 1 ? "is" : "are", n,
                  *source ? source : "nvidia-smi, rocm-smi, /dev",
                  is_overridden ? ", which overrides gpus_per_host" : "", buf_text(&fix));
    buf_release(&fix);
    return -1;
}

#define SAME_GPUS \
    "let all ranks of a host see the same GPUs, or give each rank its own (srun --gpus-per-task)"

/* i: gets n devices, though the machine has enough. */
static int refuse_rank(const struct gpu_group *group, int32_t i, int32_t n, struct err *err)
{
    const struct rank_info *info = member(group, i);
    struct buf sees = {0};

    gpu_list_format(&sees, &info->gpus);
    (void)err_set(err,
                  "rank %d on %s needs %d GPU%s (gpus = %g), but %d of those that it sees (%s) %s "
                  "free; " SAME_GPUS,
                  group->ranks[i], info->host, group->wanted, plural(group->wanted),
                  group->wish->gpus, n, sees.size ? buf_text(&sees) : "none",
                  n == 1 ? "is" : "are");
    buf_release(&sees);
    return -1;
}

/* ---- division ---- */

/* a, b: lists of the same GPUs, under the same names. */
static bool is_same_view(const struct gpu_list *a, const struct gpu_list *b)
{
    for (int32_t i = 0; i < a->n && i < b->n; i++)
        if (strcmp(a->gpus[i].id, b->gpus[i].id) != 0 ||
            strcmp(a->gpus[i].name, b->gpus[i].name) != 0)
            return false;
    return a->n == b->n && a->vendor == b->vendor;
}

enum id_kind { ID_NUMBER, ID_FILE, ID_UUID };

static enum id_kind kind_of(const struct gpu *gpu)
{
    if (!gpu->id[strspn(gpu->id, "0123456789")])
        return ID_NUMBER;
    return !strncmp(gpu->id, "nvidia", 6) || !strncmp(gpu->id, "renderD", 7) ? ID_FILE : ID_UUID;
}

static int check_group(const struct gpu_group *group, struct err *err)
{
    const struct gpu_list *first = &member(group, 0)->gpus;

    /* a number and a UUID may be the same GPU */
    for (int32_t i = 1; i < group->n; i++) {
        const struct gpu_list *list = &member(group, i)->gpus;

        if (list->n && first->n && kind_of(list->gpus) != kind_of(first->gpus))
            return err_set(err,
                           "ranks %d and %d on %s see GPUs under names that cannot be compared (%s "
                           "and %s); " SAME_GPUS,
                           group->ranks[0], group->ranks[i], member(group, 0)->host,
                           first->gpus[0].id, list->gpus[0].id);
    }
    return (int64_t)group->n * group->wanted > (int64_t)group->n_devices * group->most
               ? refuse_few(group, err)
               : 0;
}

static int take(struct gpu_share *share, const struct gpu_group *group, int32_t i, struct err *err)
{
    const struct gpu_list *list = &member(group, i)->gpus;
    int32_t view = 0;

    while (view < i && !is_same_view(list, &member(group, view)->gpus))
        view++;
    *share = (struct gpu_share){.vendor = list->vendor, .view = group->ranks[view]};
    for (int32_t k = 0; k < list->n && share->n < group->wanted; k++) {
        struct device *device = find_device(group, list->gpus[k].id);

        if (device->n_ranks == group->most)
            continue;
        device->n_ranks++;
        add_name(share, list->gpus[k].name, GPU_NAME);
    }
    return share->n == group->wanted ? 0 : refuse_rank(group, i, share->n, err);
}

/* Warn, if another number of ranks or another setting would use the GPUs that are idle. */
static void check_idle(struct gpu_group *group)
{
    int32_t fitting = group->n_devices / group->wanted * group->most, n_idle = 0;
    bool is_more = group->n_devices / group->n > group->wanted;
    struct buf fix = {0};

    for (int32_t i = 0; i < group->n_devices; i++)
        n_idle += group->devices[i].n_ranks == 0;
    if (group->has_idle || !n_idle || (fitting <= group->n && !is_more))
        return;
    if (fitting > group->n)
        buf_printf(&fix, "start %d ranks there%s", fitting, is_more ? ", or " : "");
    if (is_more)
        buf_printf(&fix, "set gpus = %d", group->n_devices / group->n);
    checks_add(group->findings, false, buf_text(&fix),
               "%s: %d rank%s with gpus = %g leave%s %d of %d GPUs idle", member(group, 0)->host,
               group->n, plural(group->n), group->wish->gpus, group->n == 1 ? "s" : "", n_idle,
               group->n_devices);
    group->has_idle = true;
    buf_release(&fix);
}

/* Warn if a gang has processes here that see different GPUs. */
static void check_views(struct gpu_group *group, const struct gpu_share *shares)
{
    const struct gpu_group *g = group;
    int32_t i = 1;

    while (i < g->n && shares[g->ranks[i]].view == shares[g->ranks[0]].view)
        i++;
    if (group->wish->ranks < 2 || group->has_other_views || i >= g->n)
        return;
    group->has_other_views = true;
    checks_add(g->findings, false,
               "let all ranks of a host see the same GPUs (srun --gpus-per-node=N), or let the "
               "program use its first GPU instead of number LOCAL_RANK",
               "ranks %d and %d on %s see different GPUs, so each process of a gang sees only the "
               "GPUs of its own rank, counted from 0",
               g->ranks[0], g->ranks[i], member(g, 0)->host);
}

static int divide_group(struct gpu_share *shares, struct gpu_group *group, struct err *err)
{
    group->n_devices = 0;
    for (int32_t i = 0; i < group->n; i++) {
        const struct gpu_list *list = &member(group, i)->gpus;

        for (int32_t k = 0; k < list->n; k++)
            if (!find_device(group, list->gpus[k].id))
                group->devices[group->n_devices++] = (struct device){list->gpus[k].id, 0};
    }
    if (check_group(group, err))
        return -1;
    for (int32_t i = 0; i < group->n; i++)
        if (take(&shares[group->ranks[i]], group, i, err))
            return -1;
    check_idle(group);
    check_views(group, shares);
    return 0;
}

int gpu_divide(struct gpu_share *shares, struct findings *findings, struct rank_info *info,
               int32_t n, const struct gpu_wish *wish, struct err *err)
{
    struct gpu_group group = {.info = info, .wish = wish, .findings = findings};
    size_t n_gpus = 1;
    int rc = 0;

    assert(n > 0);
    if (gpu_amount(&group.wanted, &group.most, wish->gpus, err))
        return -1;
    for (int32_t rank = 0; rank < n; rank++) {
        if (wish->per_host)
            gpu_state(&info[rank].gpus, wish->per_host);
        n_gpus += (size_t)info[rank].gpus.n;
    }
    group.ranks = calloc((size_t)n, sizeof *group.ranks);
    group.devices = calloc(n_gpus, sizeof *group.devices);
    if (!group.ranks || !group.devices)
        rc = err_nomem(err, "GPUs", n_gpus * sizeof *group.devices);
    for (int32_t rank = 0; !rc && rank < n; rank++) {
        group.n = checks_list_machine(group.ranks, info, n, rank);
        if (group.n)
            rc = divide_group(shares, &group, err);
    }
    free(group.ranks);
    free(group.devices);
    return rc;
}

/* ---- all ranks ---- */

/* Rank 0's message to all. */
struct gpu_answer {
    struct err fault; /* "": none */
    struct gpu_share shares[];
};

int gpu_settle(struct gpu_shares *shares, const struct world *world, const struct gpu_wish *wish,
               struct err *err)
{
    size_t n_shares = (size_t)world->size * sizeof *shares->of,
           n = sizeof(struct gpu_answer) + n_shares;
    struct findings findings = {.n = 0};
    struct rank_info *info = NULL;
    struct gpu_answer *answer;
    struct gpu_list list;
    void *bytes = world->rank ? NULL : calloc(1, n);
    int rc = 0;

    *shares = (struct gpu_shares){.n = world->size, .rank = world->rank};
    gpu_look(&list);
    if (!world->rank && !bytes)
        return err_nomem(err, "GPUs", n);
    answer = bytes;
    rc = rank_info_gather(world, &list, &info, answer ? &answer->fault : err);
    if (answer && !rc &&
        !gpu_divide(answer->shares, &findings, info, world->size, wish, &answer->fault))
        for (int32_t i = 0; i < findings.n && preflight_is_on(); i++)
            log_warn("%s; %s", findings.list[i].what, findings.list[i].fix);
    free(info);
    rc = (rc && !answer) || world_broadcast(world, &bytes, &n, err) ? -1 : 0;
    answer = bytes;
    if (!rc && *answer->fault.text)
        rc = err_set(err, "%s", answer->fault.text);
    shares->of = rc ? NULL : malloc(n_shares);
    if (!rc && !shares->of)
        rc = err_nomem(err, "GPUs", n_shares);
    if (!rc)
        memcpy(shares->of, answer->shares, n_shares);
    free(bytes);
    return rc;
}
