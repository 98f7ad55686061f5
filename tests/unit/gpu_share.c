/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch/gpu_share.h"
#include "unit.h"

enum { RANKS = 16 };

static struct rank_info info[RANKS];
static struct gpu_share shares[RANKS];
static int32_t n_ranks;
static struct findings found;

/* gpus: "0,1", or "0=GPU-a,1=GPU-b" with ids; "-": no source names any. */
static void add_rank(char host, const char *gpus, size_t size)
{
    struct rank_info *rank = &info[n_ranks++];
    char copy[256];

    *rank = (struct rank_info){.host = {host}, .machine = {host}};
    snprintf(copy, sizeof copy, "%.*s", (int)size, gpus);
    if (!strcmp(copy, "-"))
        return;
    rank->gpus.source = GPU_OF_CUDA;
    for (char *word = strtok(copy, ","); word; word = strtok(NULL, ",")) {
        struct gpu *gpu = &rank->gpus.gpus[rank->gpus.n++];
        char *id = strchr(word, '=');

        if (id)
            *id++ = '\0';
        snprintf(gpu->name, sizeof gpu->name, "%s", word);
        snprintf(gpu->id, sizeof gpu->id, "%s", id ? id : word);
    }
}

/* launch: "2a:0,1 1b:" are two ranks on host a, which see two GPUs, and one on b, which sees none. */
static int divide(const char *launch, const struct gpu_wish *wish, struct err *err)
{
    n_ranks = found.n = 0;
    for (const char *at = launch; *at; at += strspn(at, " ")) {
        size_t size = strcspn(at, " ");

        for (int i = at[0]; i > '0'; i--)
            add_rank(at[1], at + 3, size - 3);
        at += size;
    }
    return gpu_divide(shares, &found, info, n_ranks, wish, err);
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

/* The GPUs of each rank. */
static void test_shares(void **state)
{
    static const struct {
        const char *launch;
        struct gpu_wish wish;
        const char *expected;
    } cases[] = {
        /* mpirun, or srun --gres: the ranks of a host see the same GPUs */
        {"4a:0,1,2,3", {1, 0, 1}, "0 1 2 3"},
        {"2a:0,1,2,3", {2, 0, 1}, "0,1 2,3"},
        {"4a:0,1,2,3", {0.5, 0, 1}, "0 0 1 1"},
        {"7a:GPU-x,GPU-y", {0.25, 0, 1}, "GPU-x GPU-x GPU-x GPU-x GPU-y GPU-y GPU-y"},
        {"2a:3,1,2", {1, 0, 1}, "3 1"},
        {"1a:0,1 1b:0,1 1a:0,1 1b:0,1", {1, 0, 1}, "0 0 1 1"},
        /* srun --gpus-per-task or --gpu-bind: lists of their own, maybe counted from 0 in each task */
        {"1a:2 1a:0", {1, 0, 1}, "2 0"},
        {"1a:0=GPU-a 1a:0=GPU-b", {1, 0, 1}, "0 0"},
        {"1a:0=nvidia4,1=nvidia5 1a:0=nvidia6,1=nvidia7", {2, 0, 1}, "0,1 0,1"},
        {"1a:0=GPU-a 1a:0=GPU-b", {0.5, 0, 1}, "0 0"},
        {"2a:0,1 2a:2,3", {1, 0, 1}, "0 1 2 3"},
        /* a harmless overlap: rank 0 has taken 0; other hosts may use other names */
        {"1a:0,1 1a:1,2", {1, 0, 1}, "0 1"},
        {"1a:0=0 1b:0=GPU-a", {1, 0, 1}, "0 0"},
        /* gpus_per_host */
        {"4a:-", {1, 4, 1}, "0 1 2 3"},
        {"2a:5,6,7", {1, 2, 1}, "5 6"},
        {"1a:0=GPU-a 1a:0=GPU-b", {1, 2, 1}, "0 0"},
        {"1a:5 1a:6", {1, 1, 1}, "5 6"},
    };
    struct err err = {""};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf text = {0};

        if (divide(cases[i].launch, &cases[i].wish, &err))
            print_message("%s: %s\n", cases[i].launch, err.text);
        for (int32_t rank = 0; rank < n_ranks; rank++)
            buf_printf(&text, "%s%s", rank ? " " : "", shares[rank].devices);
        assert_string_equal(buf_text(&text), cases[i].expected);
        buf_release(&text);
    }
}

static void test_refusals(void **state)
{
    static const char *const batch =
        "ask the batch system for GPUs (sbatch --gres=gpu:N, bsub -gpu "
        "num=N), state their number with gpus_per_host, or set "
        "gpus = 0";
    static const char *const same = "let all ranks of a host see the same GPUs, or give each rank "
                                    "its own (srun --gpus-per-task)";
    static const struct {
        const char *launch;
        struct gpu_wish wish;
        const char *what, *const *fix;
    } cases[] = {
        {"2a:0,1 4b:0,1",
         {1, 0, 1},
         "b: 4 ranks with gpus = 1 need 4 GPUs, but there are 2 (CUDA_VISIBLE_DEVICES); start at "
         "most 2 ranks there (mpirun --map-by ppr:2:node, srun --ntasks-per-node=2), or set "
         "gpus = 0.5",
         NULL},
        {"5a:0,1",
         {0.5, 0, 1},
         "a: 5 ranks with gpus = 0.5 need 3 GPUs, but there are 2 (CUDA_VISIBLE_DEVICES); start at "
         "most 4 ranks there (mpirun --map-by ppr:4:node, srun --ntasks-per-node=4), or set "
         "gpus = 0.333",
         NULL},
        {"1a:0,1",
         {4, 0, 1},
         "a: 1 rank with gpus = 4 needs 4 GPUs, but there are 2 (CUDA_VISIBLE_DEVICES); set "
         "gpus = 2",
         NULL},
        /* the same number twice is one GPU */
        {"1a:0 1a:0",
         {1, 0, 1},
         "a: 2 ranks with gpus = 1 need 2 GPUs, but there is 1 (CUDA_VISIBLE_DEVICES); start at "
         "most 1 rank there (mpirun --map-by ppr:1:node, srun --ntasks-per-node=1), or set "
         "gpus = 0.5",
         NULL},
        {"2a:",
         {1, 0, 1},
         "a: 2 ranks with gpus = 1 need 2 GPUs, but there are 0 (CUDA_VISIBLE_DEVICES); ",
         &batch},
        {"1a:",
         {1, 4, 1},
         "a: 1 rank with gpus = 1 needs 1 GPU, but there are 0 (CUDA_VISIBLE_DEVICES, which "
         "overrides gpus_per_host); ",
         &batch},
        {"1a:-",
         {0.5, 0, 1},
         "a: 1 rank with gpus = 0.5 needs 1 GPU, but there are 0 (nvidia-smi, rocm-smi, /dev); ",
         &batch},
        /* enough on the host, but not for one of its ranks */
        {"1a:0,1,2 1a:3",
         {2, 0, 1},
         "rank 1 on a needs 2 GPUs (gpus = 2), but 1 of those that it sees (3) is free; ",
         &same},
        {"1b:5 1a:0,1 1a:0",
         {1, 0, 1},
         "rank 2 on a needs 1 GPU (gpus = 1), but 0 of those that it sees (0) are free; ",
         &same},
        {"1a:0=0 1a:0=GPU-a",
         {1, 0, 1},
         "ranks 0 and 1 on a see GPUs under names that cannot be compared (0 and GPU-a); ",
         &same},
        {"1a:0=nvidia0 1a:0=GPU-a",
         {1, 0, 1},
         "ranks 0 and 1 on a see GPUs under names that cannot be compared (nvidia0 and GPU-a); ",
         &same},
        {"1a:0", {0.7, 0, 1}, "gpus = 0.7: must be", NULL},
    };
    struct err err = {""};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = strlen(cases[i].what);

        assert_int_equal(divide(cases[i].launch, &cases[i].wish, &err), -1);
        if (strncmp(err.text, cases[i].what, n) != 0)
            assert_string_equal(err.text, cases[i].what);
        if (cases[i].fix)
            assert_string_equal(err.text + n, *cases[i].fix);
    }
}

static void test_warnings(void **state)
{
    static const char *const views = "ranks 2 and 3 on b see different GPUs, so each process of a "
                                     "gang sees only the GPUs of its own rank, counted from 0";
    static const struct {
        const char *launch;
        struct gpu_wish wish;
        const char *what, *fix; /* NULL: no warning */
    } cases[] = {
        {"4a:0,1,2,3", {1, 0, 1}, NULL, NULL},
        {"4b:0,1,2,3 2a:0,1,2,3 1c:0,1,2,3",
         {1, 0, 1},
         "a: 2 ranks with gpus = 1 leave 2 of 4 GPUs idle",
         "start 4 ranks there, or set gpus = 2"},
        {"3a:0,1,2,3",
         {1, 0, 1},
         "a: 3 ranks with gpus = 1 leave 1 of 4 GPUs idle",
         "start 4 ranks there"},
        {"1a:0,1,2", {2, 0, 1}, "a: 1 rank with gpus = 2 leaves 1 of 3 GPUs idle", "set gpus = 3"},
        {"2a:0,1,2,3",
         {0.5, 0, 1},
         "a: 2 ranks with gpus = 0.5 leave 3 of 4 GPUs idle",
         "start 8 ranks there, or set gpus = 2"},
        /* nothing to do about it */
        {"2a:0,1,2,3,4", {2, 0, 1}, NULL, NULL},
        /* a GPU that is not full is used */
        {"3a:0,1", {0.5, 0, 1}, NULL, NULL},
        /* srun --gpus-per-task hides the GPUs of the other ranks of a gang */
        {"2a:0,1 1b:0=GPU-a 1b:0=GPU-b 1c:0=GPU-a 1c:0=GPU-b", {1, 0, 1}, NULL, NULL},
        {"2a:0,1 1b:0=GPU-a 1b:0=GPU-b 1c:0=GPU-a 1c:0=GPU-b",
         {1, 0, 2},
         views,
         "let all ranks of a host see the same GPUs (srun --gpus-per-node=N), or let the program "
         "use its first GPU instead of number LOCAL_RANK"},
        {"1a:0=GPU-a 1b:0=GPU-b", {1, 0, 2}, NULL, NULL},
    };
    struct err err = {""};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(divide(cases[i].launch, &cases[i].wish, &err), 0);
        assert_int_equal(found.n, cases[i].what ? 1 : 0);
        if (!cases[i].what)
            continue;
        assert_false(found.list[0].is_refused);
        assert_string_equal(found.list[0].what, cases[i].what);
        assert_string_equal(found.list[0].fix, cases[i].fix);
    }
}

static void assert_variables(enum gpu_vendor vendor, const char *expected)
{
    struct gpu_share share = {.vendor = vendor, .n = 2, .devices = "2,3"};
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

/* ranks: of the gang on this host. */
static void assert_joined(int32_t rank, const int32_t *ranks, int32_t n, const char *expected)
{
    const struct gpu_shares known = {.of = shares, .n = n_ranks, .rank = rank};
    struct gpu_share joined;
    int32_t n_words = 1;

    for (const char *at = expected; *at; at++)
        n_words += *at == ',';
    gpu_shares_join(&joined, &known, ranks, n);
    assert_string_equal(joined.devices, expected);
    assert_int_equal(joined.n, n_words);
    assert_int_equal(joined.vendor, GPU_NVIDIA);
}

static void test_gang(void **state)
{
    static const struct gpu_wish one = {1, 0, 1}, two = {2, 0, 1}, half = {0.5, 0, 1};
    static const int32_t views[] = {0, 1, 0, 3, 4, 4, 6};
    struct err err = {""};

    (void)state;
    assert_int_equal(divide("4a:1,10,2,3", &one, &err), 0);
    assert_joined(2, (const int32_t[]){2, 1}, 2, "2,10");
    assert_joined(1, (const int32_t[]){2, 1, 0}, 3, "2,10,1");
    assert_joined(3, NULL, 0, "3");
    assert_joined(3, (const int32_t[]){3}, 1, "3");
    assert_int_equal(divide("2a:0,1,2,3", &two, &err), 0);
    assert_joined(0, (const int32_t[]){0, 1}, 2, "0,1,2,3");
    /* a shared device is there once */
    assert_int_equal(divide("4a:0,1", &half, &err), 0);
    assert_joined(0, (const int32_t[]){0, 1}, 2, "0");
    assert_joined(3, (const int32_t[]){1, 2, 3}, 3, "0,1");
    /* each rank keeps its own devices if the others' names mean nothing to it */
    assert_int_equal(divide("1a:0=GPU-a,1=GPU-b 1a:0=GPU-c 1a:0=GPU-a,1=GPU-b 1a:GPU-d 2b:0,1,2 "
                            "1c:0,1,2",
                            &one, &err),
                     0);
    for (int32_t rank = 0; rank < n_ranks; rank++)
        assert_int_equal(shares[rank].view, views[rank]);
    assert_joined(0, (const int32_t[]){0, 2}, 2, "0,1");
    assert_joined(0, (const int32_t[]){0, 1}, 2, "0");
    assert_joined(0, (const int32_t[]){0, 9}, 2, "0");
    /* the same GPUs under other names */
    assert_int_equal(divide("1a:0=GPU-a,1=GPU-b 1a:GPU-a,GPU-b", &one, &err), 0);
    assert_int_equal(shares[1].view, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amount),    cmocka_unit_test(test_shares),
        cmocka_unit_test(test_refusals),  cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_variables), cmocka_unit_test(test_gang),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
