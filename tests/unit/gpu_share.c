/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "launch/gpu_settle.h"
#include "launch/gpu_share.h"

enum { RANKS = 16 };

static struct rank_info info[RANKS];
static struct gpu_share shares[RANKS];
static int32_t n_ranks;
static struct findings found;

/* A rank that sees gpus, such as "0,1", or "0=GPU-a,1=GPU-b" with ids. */
static void add_rank(const char *host, const char *gpus)
{
    struct rank_info *rank = &info[n_ranks++];
    char copy[256];

    snprintf(rank->host, sizeof rank->host, "%s", host);
    snprintf(rank->machine, sizeof rank->machine, "boot-of-%s", host);
    rank->gpus = (struct gpu_list){.source = GPU_OF_CUDA, .gpus = calloc(8, sizeof(struct gpu))};
    snprintf(copy, sizeof copy, "%s", gpus);
    for (char *word = strtok(copy, ","); word; word = strtok(NULL, ",")) {
        struct gpu *gpu = &rank->gpus.gpus[rank->gpus.n++];
        char *id = strchr(word, '=');

        if (id)
            *id++ = '\0';
        snprintf(gpu->name, sizeof gpu->name, "%s", word);
        snprintf(gpu->id, sizeof gpu->id, "%s", id ? id : word);
    }
}

static void add_ranks(int32_t n, const char *host, const char *gpus)
{
    while (n-- > 0)
        add_rank(host, gpus);
}

static int clear(void **state)
{
    (void)state;
    for (int32_t rank = 0; rank < n_ranks; rank++) {
        rank_info_release(&info[rank]);
        gpu_share_release(&shares[rank]);
    }
    n_ranks = 0;
    found.n = 0;
    return 0;
}

static int divide_as(double gpus, int32_t per_host, struct err *err)
{
    const struct gpu_wish wish = {gpus, per_host, 1};

    return gpu_divide(shares, &found, info, n_ranks, &wish, err);
}

/* expected: what each rank gets, separated by blanks. Starts the next case with no ranks. */
static void assert_shares(double gpus, int32_t per_host, const char *expected)
{
    struct buf text = {0};
    struct err err = {""};

    if (divide_as(gpus, per_host, &err))
        print_message("%s\n", err.text);
    for (int32_t rank = 0; rank < n_ranks; rank++)
        buf_printf(&text, "%s%s", rank ? " " : "",
                   shares[rank].devices ? shares[rank].devices : "-");
    assert_string_equal(buf_text(&text), expected);
    buf_release(&text);
    clear(NULL);
}

static void assert_refused(double gpus, int32_t per_host, const char *message)
{
    struct err err = {""};

    assert_int_equal(divide_as(gpus, per_host, &err), -1);
    assert_string_equal(err.text, message);
    for (int32_t rank = 0; rank < n_ranks; rank++)
        assert_null(shares[rank].devices);
    clear(NULL);
}

static void test_amount(void **state)
{
    static const struct {
        double gpus;
        int32_t devices, ranks;
    } right[] = {{0, 0, 1},     {1, 1, 1},     {2, 2, 1},    {128, 128, 1},   {0.5, 1, 2},
                 {0.33, 1, 3},  {0.333, 1, 3}, {0.25, 1, 4}, {0.2, 1, 5},     {0.167, 1, 6},
                 {0.143, 1, 7}, {0.125, 1, 8}, {0.1, 1, 10}, {0.0625, 1, 16}, {0.03125, 1, 32}};
    static const double wrong[] = {-1,  -0.5,  1.5,  2.25, 0.3,  0.4,  0.6, 0.75,
                                   0.9, 0.999, 0.15, 0.06, 0.03, 1e-9, 129, 1e300};
    int32_t devices, ranks;
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        assert_int_equal(gpu_amount(&devices, &ranks, right[i].gpus, &err), 0);
        assert_int_equal(devices, right[i].devices);
        assert_int_equal(ranks, right[i].ranks);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(gpu_amount(&devices, &ranks, wrong[i], &err), -1);
        assert_non_null(
            strstr(err.text, ": must be 0, a whole number up to 128, or a part of one"));
    }
}

/* mpirun, or srun --gres: the ranks of a host see the same GPUs. */
static void test_shared_list(void **state)
{
    (void)state;
    add_ranks(4, "a", "0,1,2,3");
    assert_shares(1, 0, "0 1 2 3");
    add_ranks(2, "a", "0,1,2,3");
    assert_shares(2, 0, "0,1 2,3");
    add_ranks(4, "a", "0,1,2,3");
    assert_shares(0.5, 0, "0 0 1 1");
    add_ranks(7, "a", "GPU-x,GPU-y");
    assert_shares(0.25, 0, "GPU-x GPU-x GPU-x GPU-x GPU-y GPU-y GPU-y");
    /* in the order of the list, with GPUs left over */
    add_ranks(2, "a", "3,1,2");
    assert_shares(1, 0, "3 1");
    /* ranks of several hosts in turn */
    add_rank("a", "0,1");
    add_rank("b", "0,1");
    add_rank("a", "0,1");
    add_rank("b", "0,1");
    assert_shares(1, 0, "0 0 1 1");
}

/* srun --gpus-per-task or --gpu-bind: lists of their own. */
static void test_own_lists(void **state)
{
    (void)state;
    add_rank("a", "2");
    add_rank("a", "0");
    assert_shares(1, 0, "2 0");
    /* counted from 0 in each task */
    add_rank("a", "0=GPU-a");
    add_rank("a", "0=GPU-b");
    assert_shares(1, 0, "0 0");
    add_rank("a", "0=nvidia4,1=nvidia5");
    add_rank("a", "0=nvidia6,1=nvidia7");
    assert_shares(2, 0, "0,1 0,1");
    add_rank("a", "0=GPU-a");
    add_rank("a", "0=GPU-b");
    assert_shares(0.5, 0, "0 0");
    /* two lists, of two ranks each (--gpu-bind=closest) */
    add_ranks(2, "a", "0,1");
    add_ranks(2, "a", "2,3");
    assert_shares(1, 0, "0 1 2 3");
    /* the same number twice is one GPU */
    add_rank("a", "0");
    add_rank("a", "0");
    assert_refused(1, 0,
                   "a: 2 ranks with gpus = 1 need 2 GPUs, but there is 1 (CUDA_VISIBLE_DEVICES); "
                   "start at most 1 rank there (mpirun --map-by ppr:1:node, srun "
                   "--ntasks-per-node=1), or set gpus = 0.5");
}

/* A gang of two cannot run on one rank, but on two hosts. */
static void test_few_for_a_gang(void **state)
{
    const struct gpu_wish wish = {1, 0, 2};
    struct err err = {""};

    (void)state;
    add_ranks(2, "a", "0");
    assert_int_equal(gpu_divide(shares, &found, info, n_ranks, &wish, &err), -1);
    assert_string_equal(err.text, "a: 2 ranks with gpus = 1 need 2 GPUs, but there is 1 "
                                  "(CUDA_VISIBLE_DEVICES); set gpus = 0.5");
    add_ranks(2, "b", "0");
    assert_int_equal(gpu_divide(shares, &found, info, n_ranks, &wish, &err), -1);
    assert_non_null(strstr(err.text, "start at most 1 rank there"));
}

static void test_overlap(void **state)
{
    (void)state;
    /* harmless: rank 0 has taken 0 */
    add_rank("a", "0,1");
    add_rank("a", "1,2");
    assert_shares(1, 0, "0 1");
    add_rank("b", "5");
    add_rank("a", "0,1");
    add_rank("a", "0");
    assert_refused(1, 0,
                   "ranks 1 and 2 on a see some GPUs in common, but not all (0,1 and 0); let all "
                   "ranks of a host see the same GPUs, or give each rank its own (srun "
                   "--gpus-per-task)");
    add_rank("a", "0=0");
    add_rank("a", "0=GPU-a");
    assert_refused(1, 0,
                   "ranks 0 and 1 on a see GPUs under names that cannot be compared (0 and 0); let "
                   "all ranks of a host see the same GPUs, or give each rank its own (srun "
                   "--gpus-per-task)");
    add_rank("a", "0=nvidia0");
    add_rank("a", "0=GPU-a");
    assert_int_equal(divide_as(1, 0, NULL), -1);
    clear(NULL);
    /* other hosts may use other names */
    add_rank("a", "0=0");
    add_rank("b", "0=GPU-a");
    assert_shares(1, 0, "0 0");
}

static void test_few(void **state)
{
    (void)state;
    add_ranks(2, "a", "0,1");
    add_ranks(4, "node7", "0,1");
    assert_refused(1, 0,
                   "node7: 4 ranks with gpus = 1 need 4 GPUs, but there are 2 "
                   "(CUDA_VISIBLE_DEVICES); start at most 2 ranks there (mpirun --map-by "
                   "ppr:2:node, srun --ntasks-per-node=2), or set gpus = 0.5");
    add_ranks(5, "a", "0,1");
    assert_refused(0.5, 0,
                   "a: 5 ranks with gpus = 0.5 need 3 GPUs, but there are 2 "
                   "(CUDA_VISIBLE_DEVICES); start at most 4 ranks there (mpirun --map-by "
                   "ppr:4:node, srun --ntasks-per-node=4), or set gpus = 0.333");
    add_rank("a", "0,1");
    assert_refused(4, 0,
                   "a: 1 rank with gpus = 4 needs 4 GPUs, but there are 2 "
                   "(CUDA_VISIBLE_DEVICES); set gpus = 2");
    /* enough on the host, but not for one of its ranks */
    add_rank("a", "0,1,2");
    add_rank("a", "3");
    assert_refused(2, 0,
                   "rank 1 on a sees 1 GPU (3), but gpus = 2; let it see more (srun "
                   "--gpus-per-task=2), or set gpus = 1");
    add_rank("a", "0,1,2");
    add_rank("a", "");
    assert_refused(1, 0,
                   "rank 1 on a sees no GPU, but gpus = 1; let it see more (srun "
                   "--gpus-per-task=1), or set gpus = 0");
}

static void test_none(void **state)
{
    (void)state;
    add_ranks(2, "a", "");
    assert_refused(1, 0,
                   "a: gpus = 1, but CUDA_VISIBLE_DEVICES names no GPU; ask the batch system for "
                   "GPUs (sbatch --gres=gpu:N, bsub -gpu num=N), state their number with "
                   "gpus_per_host, or set gpus = 0");
    add_rank("a", "");
    info[0].gpus.source = GPU_OF_NOTHING;
    assert_refused(0.5, 0,
                   "a: gpus = 0.5, but its ranks see no GPU; ask the batch system for GPUs (sbatch "
                   "--gres=gpu:N, bsub -gpu num=N), state their number with gpus_per_host, or set "
                   "gpus = 0");
    add_rank("a", "0");
    assert_int_equal(divide_as(0.7, 0, NULL), -1);
}

static void test_stated(void **state)
{
    (void)state;
    add_ranks(4, "a", "");
    for (int32_t rank = 0; rank < 4; rank++)
        info[rank].gpus.source = GPU_OF_NOTHING;
    assert_shares(1, 4, "0 1 2 3");
    add_ranks(2, "a", "5,6,7");
    assert_shares(1, 2, "5 6");
    add_rank("a", "0=GPU-a");
    add_rank("a", "0=GPU-b");
    assert_shares(1, 2, "0 0");
    add_ranks(2, "a", "5,6");
    assert_refused(1, 4,
                   "a: gpus_per_host = 4, but CUDA_VISIBLE_DEVICES gives its ranks 2 GPUs; ask the "
                   "batch system for 4, or set gpus_per_host = 2");
    add_rank("a", "5");
    add_rank("a", "6");
    assert_refused(1, 1,
                   "a: gpus_per_host = 1, but CUDA_VISIBLE_DEVICES gives its ranks 2 GPUs; ask the "
                   "batch system for 1, or set gpus_per_host = 2");
}

/* NULL: no warning. */
static void assert_idle(double gpus, const char *what, const char *fix)
{
    struct err err = {""};

    assert_int_equal(divide_as(gpus, 0, &err), 0);
    assert_int_equal(found.n, what ? 1 : 0);
    if (what) {
        assert_false(found.list[0].is_refused);
        assert_string_equal(found.list[0].what, what);
        assert_string_equal(found.list[0].fix, fix);
    }
    clear(NULL);
}

static void test_idle(void **state)
{
    (void)state;
    add_ranks(4, "a", "0,1,2,3");
    assert_idle(1, NULL, NULL);
    add_ranks(4, "b", "0,1,2,3");
    add_ranks(2, "a", "0,1,2,3");
    add_ranks(1, "c", "0,1,2,3");
    assert_idle(1, "a: 2 ranks with gpus = 1 leave 2 of 4 GPUs idle",
                "start 4 ranks there, or set gpus = 2");
    add_ranks(3, "a", "0,1,2,3");
    assert_idle(1, "a: 3 ranks with gpus = 1 leave 1 of 4 GPUs idle", "start 4 ranks there");
    add_ranks(1, "a", "0,1,2");
    assert_idle(2, "a: 1 rank with gpus = 2 leaves 1 of 3 GPUs idle", "set gpus = 3");
    add_ranks(2, "a", "0,1,2,3");
    assert_idle(0.5, "a: 2 ranks with gpus = 0.5 leave 3 of 4 GPUs idle",
                "start 8 ranks there, or set gpus = 2");
    /* nothing to do about it */
    add_ranks(2, "a", "0,1,2,3,4");
    assert_idle(2, NULL, NULL);
    /* a GPU that is not full is used */
    add_ranks(3, "a", "0,1");
    assert_idle(0.5, NULL, NULL);
}

static void assert_variables(enum gpu_vendor vendor, const char *expected)
{
    struct gpu_share share = {.vendor = vendor, .n = 2, .devices = (char *)"2,3"};
    struct buf text = {0}, value = {0};
    const char *name;

    for (int32_t i = 0; (name = gpu_share_variable(&value, &share, i)); i++) {
        buf_printf(&text, "%s=%s ", name, buf_text(&value));
        buf_clear(&value);
    }
    assert_string_equal(buf_text(&text), expected);
    buf_release(&text);
    buf_release(&value);
}

static void test_variables(void **state)
{
    (void)state;
    assert_variables(GPU_NVIDIA, "CUDA_VISIBLE_DEVICES=2,3 ");
    assert_variables(GPU_AMD, "ROCR_VISIBLE_DEVICES=2,3 HIP_VISIBLE_DEVICES=0,1 "
                              "CUDA_VISIBLE_DEVICES=0,1 GPU_DEVICE_ORDINAL=0,1 ");
}

static int settle_alone(struct gpu_shares *known, double gpus, int32_t per_host, struct err *err)
{
    const struct gpu_wish wish = {gpus, per_host, 1};
    struct world world = {.size = 1};

    return gpu_settle(known, &world, &wish, err);
}

static void test_settle_alone(void **state)
{
    struct gpu_shares known;
    struct err err;

    (void)state;
    setenv("CUDA_VISIBLE_DEVICES", "GPU-a,GPU-b,GPU-c", 1);
    assert_int_equal(settle_alone(&known, 2, 0, &err), 0);
    assert_string_equal(known.of[0].devices, "GPU-a,GPU-b");
    assert_int_equal(known.of[0].n, 2);
    gpu_shares_release(&known);
    assert_int_equal(settle_alone(&known, 4, 0, &err), -1);
    assert_non_null(strstr(err.text, ": 1 rank with gpus = 4 needs 4 GPUs, but there are 3"));
    gpu_shares_release(&known);
    assert_int_equal(settle_alone(&known, 0.7, 0, &err), -1);
    unsetenv("CUDA_VISIBLE_DEVICES");
    assert_int_equal(settle_alone(&known, 0.5, 4, &err), 0);
    assert_string_equal(known.of[0].devices, "0");
    gpu_shares_release(&known);
}

/* ranks: of the gang on this host. */
static void assert_joined(int32_t rank, const int32_t *ranks, int32_t n, const char *expected)
{
    const struct gpu_shares known = {.of = shares, .n = n_ranks, .rank = rank};
    struct gpu_share joined;
    int32_t n_words = 1;
    struct err err;

    for (const char *at = expected; *at; at++)
        n_words += *at == ',';
    assert_int_equal(gpu_shares_join(&joined, &known, ranks, n, &err), 0);
    assert_string_equal(joined.devices, expected);
    assert_int_equal(joined.n, n_words);
    assert_int_equal(joined.vendor, GPU_NVIDIA);
    gpu_share_release(&joined);
}

static void divide(double gpus)
{
    struct err err;

    assert_int_equal(divide_as(gpus, 0, &err), 0);
}

static void test_gang(void **state)
{
    (void)state;
    add_ranks(4, "a", "1,10,2,3");
    divide(1);
    assert_joined(2, (const int32_t[]){2, 1}, 2, "2,10");
    assert_joined(1, (const int32_t[]){2, 1, 0}, 3, "2,10,1");
    assert_joined(3, NULL, 0, "3");
    assert_joined(3, (const int32_t[]){3}, 1, "3");
    clear(NULL);
    add_ranks(2, "a", "0,1,2,3");
    divide(2);
    assert_joined(0, (const int32_t[]){0, 1}, 2, "0,1,2,3");
    clear(NULL);
    /* a shared device is there once */
    add_ranks(4, "a", "0,1");
    divide(0.5);
    assert_joined(0, (const int32_t[]){0, 1}, 2, "0");
    assert_joined(3, (const int32_t[]){1, 2, 3}, 3, "0,1");
}

/* Each rank keeps its own devices if the others' names mean nothing to it. */
static void test_views(void **state)
{
    static const int32_t views[] = {0, 1, 0, 3, 4, 4, 6};
    const int32_t pair[] = {0, 9};

    (void)state;
    add_rank("a", "0=GPU-a,1=GPU-b");
    add_rank("a", "0=GPU-c");
    add_rank("a", "0=GPU-a,1=GPU-b");
    add_rank("a", "GPU-d");
    add_ranks(2, "b", "0,1,2");
    add_rank("c", "0,1,2");
    divide(1);
    for (int32_t rank = 0; rank < n_ranks; rank++)
        assert_int_equal(shares[rank].view, views[rank]);
    assert_joined(0, (const int32_t[]){0, 2}, 2, "0,1");
    gpu_share_release(&shares[1]); /* as gpu_settle() does on rank 0 */
    assert_joined(0, (const int32_t[]){0, 1}, 2, "0");
    assert_joined(0, pair, 2, "0");
    clear(NULL);
    /* the same GPUs under other names */
    add_rank("a", "0=GPU-a,1=GPU-b");
    add_rank("a", "GPU-a,GPU-b");
    divide(1);
    assert_int_equal(shares[1].view, 1);
}

/* expected: the warning; NULL: none. Starts the next case with no ranks. */
static void assert_views(int32_t ranks_of_gang, const char *expected)
{
    const struct gpu_wish wish = {1, 0, ranks_of_gang};
    struct err err;

    assert_int_equal(gpu_divide(shares, &found, info, n_ranks, &wish, &err), 0);
    assert_int_equal(found.n, expected ? 1 : 0);
    if (expected)
        assert_string_equal(found.list[0].what, expected);
    clear(NULL);
}

/* srun --gpus-per-task hides the GPUs of the other ranks of a gang. */
static void test_gang_views(void **state)
{
    (void)state;
    for (int32_t gang = 1; gang < 3; gang++) {
        add_ranks(2, "a", "0,1");
        add_rank("b", "0=GPU-a");
        add_rank("b", "0=GPU-b");
        add_rank("c", "0=GPU-a");
        add_rank("c", "0=GPU-b");
        assert_views(gang, gang == 1
                               ? NULL
                               : "ranks 2 and 3 on b see different GPUs, so each process of a "
                                 "gang sees only the GPUs of its own rank, counted from 0");
    }
    add_rank("a", "0=GPU-a");
    add_rank("b", "0=GPU-b");
    assert_views(2, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amount),
        cmocka_unit_test_teardown(test_shared_list, clear),
        cmocka_unit_test_teardown(test_own_lists, clear),
        cmocka_unit_test_teardown(test_few_for_a_gang, clear),
        cmocka_unit_test_teardown(test_overlap, clear),
        cmocka_unit_test_teardown(test_few, clear),
        cmocka_unit_test_teardown(test_none, clear),
        cmocka_unit_test_teardown(test_stated, clear),
        cmocka_unit_test_teardown(test_idle, clear),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_settle_alone),
        cmocka_unit_test_teardown(test_gang, clear),
        cmocka_unit_test_teardown(test_gang_views, clear),
        cmocka_unit_test_teardown(test_views, clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
