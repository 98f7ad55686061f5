/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch/rank_info.h"
#include "launch/host.h"
#include "run/sweep_share.h"
#include "unit.h"

static int clear(void **state)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE",
                                        "PMI_SIZE",
                                        "SLURM_STEP_NUM_TASKS",
                                        "SLURM_PTY_PORT",
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
    return setenv(SHARED_VARIABLE, "/", 1);
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

static void test_here(void **state)
{
    struct rank_info info;

    (void)state;
    setenv("PBS_NP", "12", 1);
    rank_info_here(&info);
    assert_int_equal(info.n_job, 12);
    assert_true(CPU_COUNT(&info.cpus) > 0 && info.cpus_online > 0 && info.shm_bytes > 0);
    assert_true(*info.host && *info.machine && *info.pids && info.pid > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_launcher, clear),
        cmocka_unit_test_setup(test_recovery, clear),
        cmocka_unit_test_setup(test_here, clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
