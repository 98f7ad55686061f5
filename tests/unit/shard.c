/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch/job_array.h"
#include "unit.h"

static void test_parse(void **state)
{
    static const char *const wrong[] = {
        "",      "1",    "0/4",   "5/4", "1/0", "1/100001", "-1/4", "1/-4",  "1/4x",         " 1/4",
        "1 / 4", "+1/4", "1/4/2", "/4",  "1/",  "a/b",      "auto", "1.5/4", "1/99999999999"};
    struct shard shard;
    struct err err;

    (void)state;
    assert_int_equal(shard_parse(&shard, "3/4", &err), 0);
    assert_int_equal(shard.k, 3);
    assert_int_equal(shard.n, 4);
    assert_int_equal(shard_parse(&shard, "100000/100000", &err), 0);
    assert_int_equal(shard.k, 100000);
    assert_int_equal(shard_parse(&shard, "1/1", &err), 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (!shard_parse(&shard, wrong[i], &err))
            fail_msg("'%s' was taken", wrong[i]);
        assert_non_null(strstr(err.text, "must be K/N with 1 <= K <= N <= 100000"));
    }
}

/* Long division over the hexadecimal digits of the key. */
static int remainder_of(struct hash key, int n)
{
    char hex[HASH_HEX_SIZE];
    int rest = 0;

    hash_hex(key, hex);
    for (const char *p = hex; *p; p++)
        rest = (rest * 16 + (*p <= '9' ? *p - '0' : *p - 'a' + 10)) % n;
    return rest;
}

static void test_owns(void **state)
{
    static const int ns[] = {1, 2, 3, 4, 7, 10, 64, 1000, 65536, 99999, 100000};

    (void)state;
    for (int i = 0; i < 200; i++) {
        struct hash key = hash_bytes(&i, sizeof i);

        for (size_t j = 0; j < sizeof ns / sizeof *ns; j++) {
            int mine = remainder_of(key, ns[j]) + 1;

            assert_true(shard_owns(&(struct shard){mine, ns[j]}, key));
            if (ns[j] > 1)
                assert_false(shard_owns(&(struct shard){mine % ns[j] + 1, ns[j]}, key));
        }
    }
}

/* Doubling the number of parts halves each part and moves nothing else. */
static void test_nested(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        struct hash key = hash_bytes(&i, sizeof i);

        for (int k = 1; k <= 5; k++)
            assert_int_equal(shard_owns(&(struct shard){k, 5}, key),
                             shard_owns(&(struct shard){k, 10}, key) ||
                                 shard_owns(&(struct shard){k + 5, 10}, key));
    }
}

#define SLURM(...)                    \
    {                                 \
        __VA_ARGS__, NULL, NULL, NULL \
    }
#define LSF(...)                                  \
    {                                             \
        NULL, NULL, NULL, NULL, NULL, __VA_ARGS__ \
    }

static void test_environments(void **state)
{
    static const char *const names[] = {"SLURM_ARRAY_TASK_ID",    "SLURM_ARRAY_TASK_MIN",
                                        "SLURM_ARRAY_TASK_MAX",   "SLURM_ARRAY_TASK_STEP",
                                        "SLURM_ARRAY_TASK_COUNT", "LSB_JOBINDEX",
                                        "LSB_JOBINDEX_END",       "LSB_JOBINDEX_STEP"};
    static const struct {
        const char *values[8]; /* of the names; NULL: not set */
        int rc;                /* 1 an array, 0 none, -1 refused */
        int k, n;
        const char *why;
    } cases[] = {
        {{NULL}, 0, 1, 1, NULL},
        {SLURM("1", "1", "4", "1", "4"), 1, 1, 4, NULL},
        {SLURM("4", "1", "4", "1", "4"), 1, 4, 4, NULL},
        {SLURM("0", "0", "9", "1", "10"), 1, 1, 10, NULL},
        {SLURM("9", "0", "9", "1", "10"), 1, 10, 10, NULL},
        {SLURM("7", "5", "8", NULL, "4"), 1, 3, 4, NULL},
        {SLURM("5", "1", "7", "2", "4"), 1, 3, 4, NULL},
        {SLURM("6", "0", "7", "2", "4"), 1, 4, 4, NULL}, /* 0-7:2 is 0 2 4 6 */
        {SLURM("3", "3", "3", "1", "1"), 1, 1, 1, NULL},
        {SLURM("3", "1", "7", "1", "3"), -1, 0, 0, "the job array has gaps"}, /* 1,3,7 */
        {SLURM("3", "1", "5", "1", "3"), -1, 0, 0, "--array=1-3"},            /* 1,3,5 */
        {SLURM("2", "1", "5", "2", "3"), -1, 0, 0, "index 2 is not one of 1, 3 ... 5"},
        {SLURM("9", "1", "4", "1", "4"), -1, 0, 0, "index 9"},
        {SLURM("1", "4", "1", "1", "4"), -1, 0, 0, "the job array has gaps"},
        {SLURM("1", "1", NULL, "1", "4"), -1, 0, 0, "SLURM_ARRAY_TASK_MAX is not set"},
        {SLURM("1", "1", "4", "1", NULL), -1, 0, 0, "SLURM_ARRAY_TASK_COUNT is not set"},
        {SLURM("x", "1", "4", "1", "4"), -1, 0, 0, "SLURM_ARRAY_TASK_ID = 'x'"},
        {SLURM("", "1", "4", "1", "4"), -1, 0, 0, "SLURM_ARRAY_TASK_ID = ''"},
        {SLURM("1", "1", "4", "0", "4"), -1, 0, 0, "SLURM_ARRAY_TASK_STEP = '0'"},
        {SLURM("-1", "-1", "4", "1", "6"), -1, 0, 0, "must be an integer in [0, "},
        {SLURM("1", "1", "99999999999999999999", "1", "4"), -1, 0, 0, "TASK_MAX"},
        {SLURM("1", "1", "200000", "1", "200000"), -1, 0, 0, "must be at most 100000"},
        {LSF("0", "0", "1"), 0, 1, 1, NULL}, /* not a job array */
        {LSF("0", NULL, NULL), 0, 1, 1, NULL},
        {LSF("1", "100", "1"), 1, 1, 100, NULL},
        {LSF("100", "100", NULL), 1, 100, 100, NULL},
        {LSF("5", "9", "2"), 1, 3, 5, NULL},  /* [1-9:2] */
        {LSF("6", "10", "2"), 1, 3, 5, NULL}, /* [2-10:2] */
        {LSF("7", "4", "1"), -1, 0, 0, "index 7"},
        {LSF("7", NULL, "1"), -1, 0, 0, "LSB_JOBINDEX_END is not set"},
        {LSF("seven", "8", "1"), -1, 0, 0, "LSB_JOBINDEX = 'seven'"},
        {{"1", "1", "2", NULL, "2", "0"}, 1, 1, 2, NULL},
        {{"1", "1", "2", NULL, "2", "1"}, -1, 0, 0, "both SLURM_ARRAY_TASK_ID and LSB_JOBINDEX"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shard shard;
        struct err err = {""};
        int rc;

        for (size_t v = 0; v < 8; v++)
            if (cases[i].values[v])
                setenv(names[v], cases[i].values[v], 1);
            else
                unsetenv(names[v]);
        rc = job_array_shard(&shard, &err);
        if (rc != cases[i].rc)
            fail_msg("case %zu: %d, not %d: %s", i, rc, cases[i].rc, err.text);
        if (rc < 0 && !strstr(err.text, cases[i].why))
            fail_msg("case %zu: %s", i, err.text);
        if (rc >= 0 && (shard.k != cases[i].k || shard.n != cases[i].n))
            fail_msg("case %zu: %d/%d", i, shard.k, shard.n);
    }
}

static void test_names(void **state)
{
    static const struct {
        const char *db;
        struct shard shard;
        const char *wanted;
    } cases[] = {
        {"results.db", {2, 4}, "results.2of4.db"},
        {"results.db", {1, 1}, "results.db"},
        {"a.b/results", {2, 4}, "a.b/results.2of4"},
        {"/x/my.sweep.sqlite", {10, 100}, "/x/my.sweep.10of100.sqlite"},
        {"results.2of4.db", {2, 4}, "results.2of4.db"},
        {"results.2of4.db", {3, 4}, "results.2of4.3of4.db"},
        {"x/.db", {2, 4}, "x/.db.2of4"},
    };
    static const char *const none[] = {"results.db",      "2of4.db",        "results.5of4.db",
                                       "results.0of4.db", "results.of.db",  "results.2of4",
                                       "x/2of4.db",       "results.2o4.db", "r.2of4of5.db"};
    struct buf name = {0};
    struct shard shard;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        job_array_database(&name, cases[i].db, &cases[i].shard);
        assert_string_equal(buf_text(&name), cases[i].wanted);
    }
    buf_release(&name);
    assert_true(job_array_database_shard(&shard, "some/results.12of40.db"));
    assert_int_equal(shard.k, 12);
    assert_int_equal(shard.n, 40);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (job_array_database_shard(&shard, none[i]))
            fail_msg("%s: %d of %d", none[i], shard.k, shard.n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),  cmocka_unit_test(test_owns),
        cmocka_unit_test(test_nested), cmocka_unit_test(test_environments),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests_name("shard", tests, NULL, NULL);
}
