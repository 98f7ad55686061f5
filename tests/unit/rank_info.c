/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "launch/host.h"
#include "launch/rank_info.h"
#include "run/sweep_share.h"

const char *shared_folder(void)
{
    return "/";
}

static int clear(void **state)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE",
                                        "PMI_SIZE",
                                        "SLURM_STEP_NUM_TASKS",
                                        "SLURM_PTY_PORT",
                                        "LSF_PM_TASKID",
                                        "PBS_VNODENUM",
                                        "SLURM_NTASKS",
                                        "LSB_DJOB_NUMPROC",
                                        "PBS_NP",
                                        "PBS_NODEFILE",
                                        "ESPALIER_COMMAND",
                                        "OMPI_MCA_orte_launch",
                                        "OMPI_MCA_orte_enable_recovery"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    return 0;
}

static void assert_launcher(enum launcher launcher, int32_t n)
{
    struct rank_info info;

    rank_info_here(&info);
    assert_int_equal(info.launcher, launcher);
    assert_int_equal(info.n_launched, n);
}

static void test_launcher(void **state)
{
    (void)state;
    assert_launcher(LAUNCHER_NONE, 0);
    setenv("PBS_VNODENUM", "2", 1);
    assert_launcher(LAUNCHER_PBSDSH, 3);
    setenv("LSF_PM_TASKID", "4", 1);
    assert_launcher(LAUNCHER_BLAUNCH, 4);
    setenv("SLURM_STEP_NUM_TASKS", "5", 1);
    assert_launcher(LAUNCHER_SRUN, 5);
    /* srun --mpi=pmi2, and the daemons of a Hydra in a Slurm step. */
    setenv("PMI_SIZE", "5", 1);
    assert_launcher(LAUNCHER_SRUN, 5);
    setenv("PMI_SIZE", "40", 1);
    assert_launcher(LAUNCHER_OTHER, 40);
    /* The daemons of mpirun are also a Slurm step. */
    setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
    assert_launcher(LAUNCHER_MPIRUN, 1);
    clear(state);
    setenv("SLURM_STEP_NUM_TASKS", "5", 1);
    setenv("SLURM_PTY_PORT", "33000", 1);
    assert_launcher(LAUNCHER_NONE, 0);
}

static enum recovery recovery_here(void)
{
    struct rank_info info;

    rank_info_here(&info);
    return info.recovery;
}

static void test_recovery(void **state)
{
    (void)state;
    assert_int_equal(recovery_here(), RECOVERY_UNKNOWN);
    setenv("OMPI_MCA_orte_launch", "1", 1);
    assert_int_equal(recovery_here(), RECOVERY_OFF);
    setenv("OMPI_MCA_orte_enable_recovery", "0", 1);
    assert_int_equal(recovery_here(), RECOVERY_OFF);
    setenv("OMPI_MCA_orte_enable_recovery", "true", 1);
    assert_int_equal(recovery_here(), RECOVERY_ON);
    setenv("OMPI_MCA_orte_enable_recovery", "1", 1);
    assert_int_equal(recovery_here(), RECOVERY_ON);
}

static void test_round(void **state)
{
    struct host_run others[2] = {{.pid = 7, .user = "ada"}, {.pid = 8, .user = "1001"}};
    struct gpu gpu = {"0", "nvidia2"};
    struct rank_info info, copy;
    struct buf text = {0};
    struct err err;

    (void)state;
    setenv("PBS_NP", "12", 1);
    rank_info_here(&info);
    assert_int_equal(info.n_job, 12);
    assert_true(CPU_COUNT(&info.cpus) > 0 && info.cpus_online > 0 && info.shm_bytes > 0);
    info.before = 1700000000.125;
    info.after = 1700000001.5;
    host_cpus_parse(&others[0].cpus, "0-2,5");
    CPU_ZERO(&others[1].cpus);
    info.others = others;
    info.n_others = 2;
    info.gpus = (struct gpu_list){.source = GPU_OF_DEV, .gpus = &gpu, .n = 1};
    rank_info_pack(&text, &info);
    assert_int_equal(rank_info_unpack(&copy, buf_text(&text), &err), 0);
    assert_string_equal(copy.host, info.host);
    assert_string_equal(copy.machine, info.machine);
    assert_string_equal(copy.pids, info.pids);
    assert_int_equal(copy.pid, info.pid);
    assert_true(CPU_EQUAL(&copy.cpus, &info.cpus));
    assert_int_equal(copy.cpus_online, info.cpus_online);
    assert_int_equal(copy.n_job, 12);
    assert_true(copy.shm_bytes == info.shm_bytes && copy.shm_free_bytes == info.shm_free_bytes);
    assert_true(copy.before == info.before && copy.after == info.after);
    assert_int_equal(copy.n_others, 2);
    assert_int_equal(copy.others[1].pid, 8);
    assert_string_equal(copy.others[1].user, "1001");
    assert_true(CPU_EQUAL(&copy.others[0].cpus, &others[0].cpus));
    assert_int_equal(CPU_COUNT(&copy.others[1].cpus), 0);
    assert_string_equal(gpu_source_name(&copy.gpus), "/dev");
    assert_string_equal(copy.gpus.gpus[0].id, "nvidia2");
    rank_info_release(&copy);

    /* A text cut anywhere is refused, or has lost one digit. */
    for (size_t n = 0; n + 1 < text.size; n++) {
        char *cut = strndup(buf_text(&text), n);

        (void)rank_info_unpack(&copy, cut, &err);
        rank_info_release(&copy);
        free(cut);
    }
    assert_int_equal(rank_info_unpack(&copy, "", &err), -1);
    assert_int_equal(rank_info_unpack(&copy, "a b c 1 0 1 99 0 0 0 0 0 0 0 0 0", &err), -1);
    assert_int_equal(rank_info_unpack(&copy, "a b c 1 0 1 0 0 0 0 0 0 0 0 0 -1", &err), -1);
    assert_int_equal(rank_info_unpack(&copy, "a b c 1 0 1 0 0 0 0 0 0 0 0 0 99999999", &err), -1);
    assert_non_null(strstr(err.text, "cannot parse"));
    assert_int_equal(rank_info_unpack(&copy, "a b c 1 0 1 0 0 0 0 0 0 0 0 0 1", &err), -1);
    rank_info_release(&copy);
    assert_int_equal(rank_info_unpack(&copy, "a b c 1 0 1 0 0 0 0 0 0 0 0 0 0", &err), -1);
    rank_info_release(&copy);
    buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_launcher, clear),
        cmocka_unit_test_setup(test_recovery, clear),
        cmocka_unit_test_setup(test_round, clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
