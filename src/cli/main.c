/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/leftover.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/process.h"
#include "base/terminal.h"
#include "cli/command/help.h"
#include "cli/commands.h"
#include "cli/print/cli.h"
#include "config.h"
#include "launch/environment.h"
#include "sched/world.h"
#include "tensor/gemm.h"

/* In the order of help and the manual. */
static const struct command *const all_commands[] = {
    &command_init,     &command_inspect,
    &command_params,   &command_plan,
    &command_simulate, &command_run,
    &command_status,   &command_watch,
    &command_profile,  &command_doctor,
    &command_merge,    &command_best,
    &command_show,     &command_report,
    &command_predict,  &command_export,
    &command_trace,    &command_verify,
    &command_help,     &command_completion,
    &command_complete, NULL,
};

/* All ranks of an MPI launch get the same command line. The first one alone reports its faults. */
static bool is_other_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};

    for (size_t i = 0; world_is_launched() && i < sizeof names / sizeof *names; i++) {
        const char *rank = getenv(names[i]);

        if (rank)
            return atoi(rank) > 0;
    }
    return false;
}

static int print_help(const struct command *command)
{
    struct buf out = {0};

    if (command)
        help_put_command(&out, command, STDOUT_FILENO);
    else
        help_put_commands(&out, STDOUT_FILENO);
    return cli_answer(&out);
}

static int run_command(const struct command *command, int argc, char **argv)
{
    struct call call;
    struct err err;
    bool is_other = is_other_rank();
    double begun_s = clock_now(&clock_system);
    enum parse_result result = call_parse(&call, command, argc, argv, &err);
    const struct common_options *common = call.common;
    int status = EXIT_OK;

    if (common && (common->is_quiet || common->is_verbose))
        log_set_level(common->is_quiet ? LOG_WARN : LOG_VERBOSE);
    if (common && common->color && !strcmp(common->color, "always"))
        terminal_set_color(TERMINAL_COLOR_ALWAYS);
    else if (common && common->color && (!strcmp(common->color, "never") || world_is_launched()))
        terminal_set_color(TERMINAL_COLOR_NEVER); /* mpirun gives ranks a terminal of its own */
    if (result == PARSE_OK) {
        status = command->run(&call);
        if (!is_other && !getenv(LAUNCH_REPORT))
            log_verbose("%s: took %.3f s", command->name, clock_now(&clock_system) - begun_s);
    } else if (result == PARSE_HELP && !is_other) {
        status = print_help(command);
    } else if (result == PARSE_FAILED) {
        status = cli_fail(&err);
    } else if (!is_other) {
        status = cli_fail_usage(&err);
        log_always("see 'espalier %s --help'", command->name);
    }
    call_release(&call);
    return status;
}

/* OpenBLAS reads this variable when it is loaded, before main(). */
#define BLAS_KERNEL "OPENBLAS_CORETYPE"
/* Set beside it in the process that use_better_kernel() starts. */
#define BLAS_KERNEL_IS_OURS "ESPALIER_BLAS_KERNEL"

/* Start this program again in the same process if OpenBLAS does not know the processor and the
 * user has not chosen a kernel. The variables reach no other process, whose processor may
 * differ. */
static void use_better_kernel(char **argv)
{
    const char *kernel = gemm_better_kernel(gemm_kernel());
    bool is_ours = getenv(BLAS_KERNEL_IS_OURS) != NULL;
    char path[PATH_MAX] = "";

    if (!is_ours &&
        (!kernel || getenv(BLAS_KERNEL) || readlink("/proc/self/exe", path, sizeof path - 1) < 0))
        return;
    if (!is_ours) {
        setenv(BLAS_KERNEL, kernel, 1);
        setenv(BLAS_KERNEL_IS_OURS, "1", 1);
        execv(path, argv);
    }
    unsetenv(BLAS_KERNEL_IS_OURS);
    unsetenv(BLAS_KERNEL);
}

static int run(int argc, char **argv)
{
    int n = argc < 2 ? 0 : parse_count_common((const char *const *)argv + 1, argc - 1);
    const char *word = argc > n + 1 ? argv[n + 1] : NULL;
    const struct command *command;
    struct buf out = {0};

    if (!word) {
        help_put_commands(&out, STDERR_FILENO);
        fputs(buf_text(&out), stderr);
        buf_release(&out);
        return EXIT_USAGE;
    }
    if (!strcmp(word, "--help") || !strcmp(word, "-h"))
        return print_help(NULL);
    if (!strcmp(word, "--version") || !strcmp(word, "-V") || !strcmp(word, "version")) {
        puts(PACKAGE_STRING);
        return EXIT_OK;
    }
    command = command_find(word);
    if (!command)
        return cli_fail_command(word);
    if (command->multiplies)
        use_better_kernel(argv);
    /* Options before the command take the place behind it. */
    memmove(argv + 2, argv + 1, (size_t)n * sizeof *argv);
    argv[1] = argv[0];
    return run_command(command, argc - 1, argv + 1);
}

/* Each command reports a failed write to stdout once, as an error. */
static int close_output(int status)
{
    bool is_lost = ferror(stdout);
    struct err err;

    errno = 0;
    is_lost = fflush(stdout) != 0 || is_lost;
    /* EBADF: stdout was closed from the start, and nothing was written. */
    is_lost = (fclose(stdout) != 0 && errno != EBADF) || is_lost;
    if (!is_lost || status != EXIT_OK)
        return status;
    err_set(&err, "cannot write: %s", outfile_reason(errno));
    return cli_fail(&err);
}

/* SQLite and the ranks of a host map files into memory. Reading a page raises SIGBUS if the file
 * was cut off or the disk is full. */
static void leave_on_bus_error(int number)
{
    static const char text[] =
        "espalier: bus error: a file that is mapped into memory (the -shm file beside a database, "
        "or a file in /dev/shm) was cut off, or its disk is full; start the same command again\n";

    (void)number;
    leftover_remove_all();
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(EXIT_ERROR);
    _exit(EXIT_ERROR);
}

int main(int argc, char **argv)
{
    const char *width = getenv(LAUNCH_WIDTH);

    commands = all_commands;
    if (width)
        log_set_width(atoi(width));
    cpu_flush_subnormal();
    process_return_memory();
    signal(SIGBUS, leave_on_bus_error);
    /* A write beyond 'ulimit -f' then fails with EFBIG, and can be reported. */
    signal(SIGXFSZ, SIG_IGN);
    return close_output(run(argc, argv));
}
