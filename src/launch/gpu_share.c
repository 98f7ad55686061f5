/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch/gpu_share.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"

void gpu_share_release(struct gpu_share *share)
{
    free(share->devices);
    *share = (struct gpu_share){.n = 0};
}

void gpu_shares_release(struct gpu_shares *shares)
{
    for (int32_t rank = 0; rank < shares->n; rank++)
        gpu_share_release(&shares->of[rank]);
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

/* Append the devices that the list does not have; returns their number. */
static int32_t add_new(struct buf *list, const char *devices)
{
    int32_t n = 0;

    while (*devices) {
        size_t size = strcspn(devices, ",");

        if (!has_word(buf_text(list), devices, size)) {
            buf_printf(list, "%s%.*s", list->size ? "," : "", (int)size, devices);
            n++;
        }
        devices += size + (devices[size] == ',');
    }
    return n;
}

static bool are_known(const struct gpu_shares *shares, const int32_t *ranks, int32_t n_ranks)
{
    for (int32_t i = 0; i < n_ranks; i++)
        if (ranks[i] < 0 || ranks[i] >= shares->n || !shares->of[ranks[i]].devices)
            return false;
    return n_ranks > 0;
}

int gpu_shares_join(struct gpu_share *out, const struct gpu_shares *shares, const int32_t *ranks,
                    int32_t n_ranks, struct err *err)
{
    struct buf devices = {0};

    if (!are_known(shares, ranks, n_ranks)) {
        ranks = &shares->rank;
        n_ranks = 1;
    }
    *out = shares->of[shares->rank];
    out->n = 0;
    for (int32_t i = 0; i < n_ranks; i++)
        out->n += add_new(&devices, shares->of[ranks[i]].devices);
    if (buf_failed(&devices)) {
        buf_release(&devices);
        out->devices = NULL;
        return err_nomem(err, "GPUs", GPU_NAME);
    }
    out->devices = devices.data;
    return 0;
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
struct group {
    const struct rank_info *info;
    int32_t *ranks;         /* [n] */
    int32_t n, n_all;       /* n_all: ranks of the launch */
    struct device *devices; /* [n_devices] that its ranks see; room for all of them */
    int32_t n_devices;

    const struct gpu_wish *wish;
    int32_t wanted; /* devices of a rank */
    int32_t most;   /* ranks of a device */

    struct findings *findings;
    bool has_idle, has_other_views; /* warned of */
};

static const struct rank_info *member(const struct group *group, int32_t i)
{
    return &group->info[group->ranks[i]];
}

static struct device *find_device(const struct group *group, const char *id)
{
    for (int32_t i = 0; i < group->n_devices; i++)
        if (!strcmp(group->devices[i].id, id))
            return &group->devices[i];
    return NULL;
}

static void collect_devices(struct group *group)
{
    group->n_devices = 0;
    for (int32_t i = 0; i < group->n; i++) {
        const struct gpu_list *list = &member(group, i)->gpus;

        for (int32_t k = 0; k < list->n; k++)
            if (!find_device(group, list->gpus[k].id))
                group->devices[group->n_devices++] = (struct device){list->gpus[k].id, 0};
    }
}

/* ---- refusals ---- */

/* The largest number of GPUs that so many ranks can have each: "2", or "0.333" for a third. */
static void put_possible(struct buf *out, int32_t n_ranks, int32_t n_devices)
{
    int32_t sharing = (n_ranks + n_devices - 1) / n_devices;

    if (n_devices >= n_ranks)
        buf_printf(out, "%d", n_devices / n_ranks);
    else
        buf_printf(out, "%.3g", 1.0 / fmin(sharing, GPU_MOST_RANKS));
}

static int refuse_nothing(const struct rank_info *first, double gpus, struct err *err)
{
    const char *source = gpu_source_name(&first->gpus);

    return err_set(err,
                   "%s: gpus = %g, but %s%s; ask the batch system for GPUs (sbatch --gres=gpu:N, "
                   "bsub -gpu num=N), state their number with gpus_per_host, or set gpus = 0",
                   first->host, gpus, *source ? source : "its ranks see no GPU",
                   *source ? " names no GPU" : "");
}

static int refuse_few(const struct group *group, struct err *err)
{
    const struct rank_info *first = member(group, 0);
    int32_t fitting = group->n_devices / group->wanted * group->most;
    int32_t needed = (group->n * group->wanted + group->most - 1) / group->most;
    struct buf fix = {0};

    /* Fewer ranks than one trial needs are of use only if other hosts have the rest. */
    if (fitting && (fitting >= group->wish->ranks || group->n < group->n_all))
        buf_printf(&fix,
                   "start at most %d rank%s there (mpirun --map-by ppr:%d:node, srun "
                   "--ntasks-per-node=%d), or ",
                   fitting, plural(fitting), fitting, fitting);
    buf_puts(&fix, "set gpus = ");
    put_possible(&fix, group->n, group->n_devices);
    (void)err_set(err, "%s: %d rank%s with gpus = %g need%s %d GPU%s, but there %s %d (%s); %s",
                  first->host, group->n, plural(group->n), group->wish->gpus,
                  group->n == 1 ? "s" : "", needed, plural(needed),
                  group->n_devices == 1 ? "is" : "are", group->n_devices,
                  gpu_source_name(&first->gpus), buf_text(&fix));
    buf_release(&fix);
    return -1;
}

/* A variable that names no GPU comes before gpus_per_host. */
static int refuse_overridden(const struct rank_info *first, const struct gpu_wish *wish,
                             struct err *err)
{
    const char *source = gpu_source_name(&first->gpus);

    return err_set(err,
                   "%s: gpus = %g, but %s names no GPU, and it overrides gpus_per_host = %d; unset "
                   "%s, ask the batch system for GPUs (sbatch --gres=gpu:N, bsub -gpu num=N), or "
                   "set gpus = 0",
                   first->host, wish->gpus, source, wish->per_host, source);
}

/* i: sees fewer than it needs. */
static int refuse_own(const struct group *group, int32_t i, struct err *err)
{
    const struct rank_info *info = member(group, i);
    int32_t n = info->gpus.n;
    struct buf sees = {0};

    if (n)
        buf_printf(&sees, "%d GPU%s (", n, plural(n));
    gpu_list_format(&sees, &info->gpus);
    buf_puts(&sees, n ? ")" : "no GPU");
    (void)err_set(err,
                  "rank %d on %s sees %s, but gpus = %g; let it see more (srun "
                  "--gpus-per-task=%d), or set gpus = %d",
                  group->ranks[i], info->host, buf_text(&sees), group->wish->gpus, group->wanted,
                  n);
    buf_release(&sees);
    return -1;
}

static bool is_same_list(const struct gpu_list *a, const struct gpu_list *b)
{
    for (int32_t i = 0; i < a->n && i < b->n; i++)
        if (strcmp(a->gpus[i].id, b->gpus[i].id) != 0)
            return false;
    return a->n == b->n;
}

/* a, b: lists of the same GPUs. */
static bool is_same_names(const struct gpu_list *a, const struct gpu_list *b)
{
    for (int32_t i = 0; i < a->n; i++)
        if (strcmp(a->gpus[i].name, b->gpus[i].name) != 0)
            return false;
    return a->vendor == b->vendor;
}

static bool is_disjoint(const struct gpu_list *a, const struct gpu_list *b)
{
    for (int32_t i = 0; i < a->n; i++)
        for (int32_t k = 0; k < b->n; k++)
            if (!strcmp(a->gpus[i].id, b->gpus[k].id))
                return false;
    return true;
}

/* what: they see, and in brackets follow their lists. */
static int refuse_pair(const struct group *group, int32_t i, int32_t k, const char *what,
                       struct err *err)
{
    struct buf a = {0}, b = {0};

    gpu_list_format(&a, &member(group, i)->gpus);
    gpu_list_format(&b, &member(group, k)->gpus);
    (void)err_set(err,
                  "ranks %d and %d on %s see %s (%s and %s); let all ranks of a host see the "
                  "same GPUs, or give each rank its own (srun --gpus-per-task)",
                  group->ranks[i], group->ranks[k], member(group, i)->host, what, buf_text(&a),
                  buf_text(&b));
    buf_release(&a);
    buf_release(&b);
    return -1;
}

/* i: gets no device, though the machine has enough. */
static int refuse_overlap(const struct group *group, int32_t i, struct err *err)
{
    const struct gpu_list *list = &member(group, i)->gpus;

    for (int32_t k = 0; k < i; k++)
        if (!is_same_list(list, &member(group, k)->gpus) &&
            !is_disjoint(list, &member(group, k)->gpus))
            return refuse_pair(group, k, i, "some GPUs in common, but not all", err);
    return refuse_own(group, i, err);
}

static int refuse_stated(const struct group *group, int32_t per_host, struct err *err)
{
    const struct rank_info *first = member(group, 0);

    return err_set(err,
                   "%s: gpus_per_host = %d, but %s gives its ranks %d GPU%s; ask the batch system "
                   "for %d, or set gpus_per_host = %d",
                   first->host, per_host, gpu_source_name(&first->gpus), group->n_devices,
                   plural(group->n_devices), per_host, group->n_devices);
}

/* ---- division ---- */

enum id_kind { ID_NUMBER, ID_FILE, ID_UUID };

static enum id_kind kind_of(const char *id)
{
    if (!id[strspn(id, "0123456789")])
        return ID_NUMBER;
    return !strncmp(id, "nvidia", 6) || !strncmp(id, "renderD", 7) ? ID_FILE : ID_UUID;
}

/* A number and a UUID may be the same GPU. */
static int check_kinds(const struct group *group, struct err *err)
{
    const struct gpu_list *first = &member(group, 0)->gpus;

    for (int32_t i = 1; i < group->n; i++) {
        const struct gpu_list *list = &member(group, i)->gpus;

        if (list->n && first->n && kind_of(list->gpus[0].id) != kind_of(first->gpus[0].id))
            return refuse_pair(group, 0, i, "GPUs under names that cannot be compared", err);
    }
    return 0;
}

static int check_group(const struct group *group, struct err *err)
{
    int32_t per_host = group->wish->per_host;

    if (!group->n_devices)
        return per_host && *gpu_source_name(&member(group, 0)->gpus)
                   ? refuse_overridden(member(group, 0), group->wish, err)
                   : refuse_nothing(member(group, 0), group->wish->gpus, err);
    if (check_kinds(group, err))
        return -1;
    if (per_host && group->n_devices != per_host)
        return refuse_stated(group, per_host, err);
    return (int64_t)group->n * group->wanted > (int64_t)group->n_devices * group->most
               ? refuse_few(group, err)
               : 0;
}

/* Return the first rank that sees the same GPUs under the same names. */
static int32_t view_of(const struct group *group, int32_t i)
{
    const struct gpu_list *list = &member(group, i)->gpus;

    for (int32_t k = 0; k < i; k++)
        if (is_same_list(list, &member(group, k)->gpus) &&
            is_same_names(list, &member(group, k)->gpus))
            return group->ranks[k];
    return group->ranks[i];
}

static int take(struct gpu_share *share, const struct group *group, int32_t i, struct err *err)
{
    const struct gpu_list *list = &member(group, i)->gpus;
    struct buf names = {0};

    *share = (struct gpu_share){.vendor = list->vendor, .view = view_of(group, i)};
    for (int32_t k = 0; k < list->n && share->n < group->wanted; k++) {
        struct device *device = find_device(group, list->gpus[k].id);

        if (device->n_ranks == group->most)
            continue;
        device->n_ranks++;
        buf_printf(&names, "%s%s", share->n++ ? "," : "", list->gpus[k].name);
    }
    if (share->n == group->wanted && !buf_failed(&names)) {
        share->devices = names.data;
        return 0;
    }
    buf_release(&names);
    return share->n == group->wanted ? err_nomem(err, "GPUs", GPU_NAME)
           : list->n < group->wanted ? refuse_own(group, i, err)
                                     : refuse_overlap(group, i, err);
}

/* Warn, if another number of ranks or another setting would use the GPUs that are idle. */
static void check_idle(struct group *group)
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
static void check_views(struct group *group, const struct gpu_share *shares)
{
    const struct group *g = group;
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

static int divide_group(struct gpu_share *shares, struct group *group, struct err *err)
{
    collect_devices(group);
    if (check_group(group, err))
        return -1;
    for (int32_t i = 0; i < group->n; i++)
        if (take(&shares[group->ranks[i]], group, i, err))
            return -1;
    check_idle(group);
    check_views(group, shares);
    return 0;
}

static int divide_all(struct gpu_share *shares, struct group *group, int32_t n, struct err *err)
{
    for (int32_t rank = 0; rank < n; rank++) {
        group->n = checks_list_machine(group->ranks, group->info, n, rank);
        if (group->n && divide_group(shares, group, err))
            return -1;
    }
    return 0;
}

int gpu_divide(struct gpu_share *shares, struct findings *findings, struct rank_info *info,
               int32_t n, const struct gpu_wish *wish, struct err *err)
{
    struct group group = {.info = info, .n_all = n, .wish = wish, .findings = findings};
    size_t n_gpus = 1;
    int rc = -1;

    memset(shares, 0, (size_t)n * sizeof *shares);
    if (gpu_amount(&group.wanted, &group.most, wish->gpus, err))
        return -1;
    for (int32_t rank = 0; rank < n; rank++) {
        if (wish->per_host && gpu_state(&info[rank].gpus, wish->per_host, err))
            return -1;
        n_gpus += (size_t)info[rank].gpus.n;
    }
    group.ranks = calloc((size_t)n, sizeof *group.ranks);
    group.devices = calloc(n_gpus, sizeof *group.devices);
    if (group.ranks && group.devices)
        rc = divide_all(shares, &group, n, err);
    else
        (void)err_nomem(err, "GPUs", n_gpus * sizeof *group.devices);
    for (int32_t rank = 0; rc && rank < n; rank++)
        gpu_share_release(&shares[rank]);
    free(group.ranks);
    free(group.devices);
    return rc;
}
