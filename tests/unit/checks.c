/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "launch/checks.h"
#include "launch/host.h"
#include "unit.h"

enum { RANKS = 8 };

static struct rank_info info[RANKS];
static struct findings found;

const char *launcher_name(enum launcher launcher)
{
    return launcher == LAUNCHER_SRUN ? "srun" : "other";
}

/* "3", "0-15"; no number: the empty set. */
static void set_cpus(cpu_set_t *cpus, const char *text)
{
    int first = -1, last = -1, n = sscanf(text, "%d-%d", &first, &last);

    CPU_ZERO(cpus);
    for (int cpu = first; n > 0 && cpu <= (n == 2 ? last : first); cpu++)
        CPU_SET(cpu, cpus);
}

static void place(struct rank_info *f, const char *host, const char *cpus)
{
    snprintf(f->host, sizeof f->host, "%s", host);
    snprintf(f->machine, sizeof f->machine, "boot-of-%s", host);
    set_cpus(&f->cpus, cpus);
}

/* A launch without faults: ranks under mpirun, each on its own core. */
static int set_up(void **state)
{
    (void)state;
    memset(info, 0, sizeof info);
    for (int i = 0; i < RANKS; i++) {
        char core[16];

        snprintf(core, sizeof core, "%d", i);
        place(&info[i], "a", core);
        strcpy(info[i].pids, "pid:[1]");
        info[i].pid = 100 + i;
        info[i].cpus_online = 16;
        info[i].launcher = LAUNCHER_MPIRUN;
        info[i].n_launched = RANKS;
        info[i].recovery = RECOVERY_ON;
        info[i].shm_bytes = info[i].shm_free_bytes = 8e9;
        info[i].before = 1000;
        info[i].after = 1000.01;
    }
    return 0;
}

static struct checks_job job_of(int32_t threads)
{
    return (struct checks_job){.threads = threads, .db = "x.db", .filesystem = "ext4"};
}

static int32_t find(int32_t n, struct checks_job job)
{
    struct err err;

    assert_int_equal(checks_find(&found, info, n, &job, &err), 0);
    return found.n;
}

static void assert_found(int32_t n, struct checks_job job, const char *what, const char *fix)
{
    find(n, job);
    if (found.n != 1 || !strstr(found.list[0].what, what) || !strstr(found.list[0].fix, fix))
        for (int32_t i = 0; i < found.n; i++)
            print_message("%s; %s\n", found.list[i].what, found.list[i].fix);
    assert_int_equal(found.n, 1);
    assert_non_null(strstr(found.list[0].what, what));
    assert_non_null(strstr(found.list[0].fix, fix));
}

static void test_nothing(void **state)
{
    (void)state;
    for (int32_t n = 2; n <= RANKS; n++)
        assert_int_equal(find(n, job_of(1)), 0);
    info[0].launcher = LAUNCHER_NONE;
    info[0].n_launched = 0;
    info[0].recovery = RECOVERY_UNKNOWN;
    assert_int_equal(find(1, job_of(1)), 0);
}

static void alone(enum launcher launcher, int32_t n)
{
    info[0].launcher = launcher;
    info[0].n_launched = n;
    set_cpus(&info[0].cpus, "0-15");
}

static void test_singleton(void **state)
{
    struct checks_job job = job_of(1);

    (void)state;
    alone(LAUNCHER_SRUN, 4);
    assert_found(1, job, "srun started 4 tasks", "srun --mpi=pmix");
    assert_true(found.list[0].is_refused);
    alone(LAUNCHER_SRUN, 1);
    assert_int_equal(find(1, job), 0);
    alone(LAUNCHER_OTHER, 4);
    assert_found(1, job, "4 tasks", "espalier run -n 4");
    assert_true(found.list[0].is_refused);
    job.is_part = true;
    assert_int_equal(find(1, job), 0);
}

static void test_idle_job(void **state)
{
    struct checks_job job = job_of(1);

    (void)state;
    alone(LAUNCHER_NONE, 0);
    info[0].n_job = 32;
    assert_found(1, job, "room for 32 tasks", "espalier run -n 32");
    job.threads = 4;
    assert_found(1, job, "on 4 cores", "espalier run -n 8");
    job.starts_ranks = true;
    assert_int_equal(find(1, job), 0);
    job = job_of(16);
    info[0].n_job = 16;
    assert_int_equal(find(1, job), 0);
    alone(LAUNCHER_MPIRUN, 2);
    assert_int_equal(find(2, job_of(1)), 0);
}

static void test_recovery(void **state)
{
    (void)state;
    info[0].recovery = RECOVERY_OFF;
    assert_found(4, job_of(1), "ends all 4", "mpirun --enable-recovery");
    info[0].launched_by_run = 1;
    assert_int_equal(find(4, job_of(1)), 0);
    info[0].launched_by_run = 0;
    assert_int_equal(find(1, job_of(1)), 1); /* singleton */
    info[0].n_launched = 1;
    assert_int_equal(find(1, job_of(1)), 0);
    info[0].recovery = RECOVERY_UNKNOWN;
    assert_int_equal(find(4, job_of(1)), 0);
}

static void test_clocks(void **state)
{
    (void)state;
    info[2].before += 30;
    info[2].after += 30;
    info[1].before -= 2;
    info[1].after -= 2;
    strcpy(info[2].host, "b");
    assert_found(4, job_of(1), "the clock of b is 30.0 s ahead of that of a", "NTP");
    info[2].before -= 60;
    info[2].after -= 60;
    assert_found(4, job_of(1), "the clock of b is 30.0 s behind that of a", "NTP");
    set_up(state);
    info[3].before += 0.9;
    info[3].after += 0.9;
    assert_int_equal(find(4, job_of(1)), 0);
    /* A rank, then rank 0, was delayed between its two clock readings. */
    info[3].after += 20;
    assert_int_equal(find(4, job_of(1)), 0);
    info[3].before -= 20;
    assert_int_equal(find(4, job_of(1)), 0);
    set_up(state);
    info[0].after += 20;
    info[3].before += 5;
    info[3].after += 5;
    assert_int_equal(find(4, job_of(1)), 0);
}

static void test_cores(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        place(&info[i], "a", "5");
    assert_found(4, job_of(1), "the 4 ranks on a are all bound to one core, number 5", "--bind-to");
    info[0].launcher = LAUNCHER_SRUN;
    assert_found(4, job_of(1), "bound to one core", "srun --cpus-per-task=1");
    info[0].cpus_online = 1;
    assert_found(4, job_of(1), "bound to one core", "start fewer ranks: the host has 1 core");
    set_up(state);
    for (int i = 0; i < 4; i++)
        place(&info[i], "a", "0-3");
    assert_int_equal(find(4, job_of(1)), 0);
    assert_found(4, job_of(2), "4 ranks x 2 threads do not fit on the 4 cores of a", "slot:PE=2");
    info[0].cpus_online = 4;
    assert_found(4, job_of(2), "4 cores of a",
                 "start fewer ranks or threads: the host has 4 cores");
    alone(LAUNCHER_NONE, 0);
    assert_int_equal(find(1, job_of(16)), 0);
    assert_found(1, job_of(17), "threads = 17, but this rank may run on 16 cores only", "fewer");
    set_cpus(&info[0].cpus, "3");
    assert_found(1, job_of(2), "threads = 2, but this rank may run on 1 core only", "--bind-to");
    /* Unknown cores give no finding. */
    set_up(state);
    for (int i = 0; i < 4; i++)
        CPU_ZERO(&info[i].cpus);
    assert_int_equal(find(4, job_of(8)), 0);
}

static void test_hosts(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        char host[2] = {(char)('a' + i % 4), '\0'};

        place(&info[i], host, "0");
    }
    assert_found(
        8, job_of(1),
        "the 2 ranks on a are all bound to one core, number 0 (and likewise on 3 other hosts)",
        "--bind-to");
    /* Containers of one machine share its cores. */
    set_up(state);
    place(&info[0], "c1", "0");
    place(&info[1], "c2", "0");
    strcpy(info[0].machine, "boot");
    strcpy(info[1].machine, "boot");
    assert_found(2, job_of(1), "the 2 ranks on c1 are all bound to one core", "--bind-to");
}

static struct host_run others[3];

static void see(int rank, int32_t n)
{
    memcpy(info[rank].others, others, sizeof others);
    info[rank].n_others = n;
}

static void test_other_runs(void **state)
{
    (void)state;
    others[0].pid = 101; /* rank 1 */
    set_cpus(&others[0].cpus, "1");
    others[1].pid = 7;
    strcpy(others[1].user, "ada");
    set_cpus(&others[1].cpus, "1");
    others[2].pid = 8;
    set_cpus(&others[2].cpus, "12");
    see(0, 1);
    assert_int_equal(find(2, job_of(1)), 0);
    see(0, 3);
    assert_found(2, job_of(1), "another espalier run (process 7 of ada) uses the same cores of a",
                 "fewer ranks");
    set_cpus(&others[1].cpus, "0-3");
    see(0, 3);
    assert_int_equal(find(2, job_of(1)), 0);
    /* In different pid namespaces, pids are not comparable. */
    set_cpus(&others[1].cpus, "1");
    see(0, 3);
    strcpy(info[1].pids, "pid:[2]");
    assert_int_equal(find(2, job_of(1)), 0);
    /* Runs that compete only with each other are ignored. */
    set_up(state);
    set_cpus(&others[1].cpus, "7");
    set_cpus(&others[2].cpus, "7");
    see(0, 3);
    assert_int_equal(find(2, job_of(1)), 0);
    place(&info[1], "a", "0-15");
    assert_int_equal(find(2, job_of(1)), 0);
}

static void test_shared_memory(void **state)
{
    struct checks_job job = job_of(1);

    (void)state;
    for (int i = 0; i < RANKS; i++)
        info[i].shm_bytes = info[i].shm_free_bytes = 64 * 1024 * 1024;
    assert_found(2, job, "a container's default", "--shm-size");
    job.share_bytes = 1e6;
    assert_int_equal(find(2, job), 0);
    job.share_bytes = 2e9;
    assert_found(2, job,
                 "0.062 GiB free, but the data need at least 1.863 GiB: each of its 2 ranks",
                 "ESPALIER_SHM");
    info[0].n_launched = 1;
    assert_int_equal(find(1, job), 0);
    info[0].shm_bytes = info[0].shm_free_bytes = -1;
    assert_int_equal(find(2, job), 0);
}

static void test_cpu_lists(void **state)
{
    struct buf out = {0};
    cpu_set_t cpus;

    (void)state;
    CPU_ZERO(&cpus);
    host_cpus_format(&out, &cpus);
    for (int cpu = 0; cpu < 4; cpu++)
        CPU_SET(cpu, &cpus);
    CPU_SET(8, &cpus);
    CPU_SET(CPU_SETSIZE - 2, &cpus);
    CPU_SET(CPU_SETSIZE - 1, &cpus);
    buf_putc(&out, ' ');
    host_cpus_format(&out, &cpus);
    assert_string_equal(buf_text(&out), "none 0-3,8,1022-1023");
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_nothing, set_up),
        cmocka_unit_test_setup(test_singleton, set_up),
        cmocka_unit_test_setup(test_idle_job, set_up),
        cmocka_unit_test_setup(test_recovery, set_up),
        cmocka_unit_test_setup(test_clocks, set_up),
        cmocka_unit_test_setup(test_cores, set_up),
        cmocka_unit_test_setup(test_hosts, set_up),
        cmocka_unit_test_setup(test_other_runs, set_up),
        cmocka_unit_test_setup(test_shared_memory, set_up),
        cmocka_unit_test(test_cpu_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
