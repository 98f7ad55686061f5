/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/outfile.h"
#include "cli/cli.h"
#include "config.h"

const struct command commands[] = {
    {"init", "FILE...", "Write a first sweep file for data files.", cmd_init, 1, INT_MAX},
    {"run", "GRID.ini", "Run a sweep, or go on with it.", cmd_run, 1, 1},
    {"plan", "GRID.ini", "List the trials of a sweep and what they cost; run nothing.", cmd_plan, 1,
     1},
    {"params", "[SECTION | KEY ...]", "The settings of a sweep file.", cmd_params, 0, 100},
    {"status", "[DB]", "How far a sweep is.", cmd_status, 0, 1},
    {"best", "[DB]", "The leaderboard.", cmd_best, 0, 1},
    {"show", "[DB] ID", "One configuration (c12) or trial (t345) in full.", cmd_show, 1, 2},
    {"predict", "[DB]", "What the kept models say of samples without a phenotype.", cmd_predict, 0,
     1},
    {"merge", "OUT IN...", "Join databases, those of the shards of a sweep for example.", cmd_merge,
     2, INT_MAX},
    {"verify", "[DB]", "Run some of the trials again and compare their bits.", cmd_verify, 0, 1},
    {"export", "[DB]", "All trials as csv or json.", cmd_export, 0, 1},
    {"simulate", "DIRECTORY", "Write a seeded synthetic panel and a sweep file for it.",
     cmd_simulate, 1, 1},
    {"inspect", "GRID.ini", "What the data of a sweep look like.", cmd_inspect, 1, 1},
    {"doctor", "[GRID.ini]", "What a launch like this one would really do.", cmd_doctor, 0, 1},
    {NULL, NULL, NULL, NULL, 0, 0},
};

static void print_usage(FILE *out)
{
    fputs(
        "usage: espalier COMMAND [OPTIONS] [ARGUMENTS]\n\n"
        "Trains graph convolutional networks along a grid of hyperparameters, on however many MPI\n"
        "ranks it is given, and leaves one SQLite file with the answer.\n\n",
        out);
    for (const struct command *c = commands; c->name; c++)
        fprintf(out, "  %-10s %-12s %s\n", c->name, c->arguments, c->summary);
    fputs("\n'espalier COMMAND --help' tells the options of a command.\n", out);
}

static int run(int argc, char **argv)
{
    const struct command *command;

    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        print_usage(stdout);
        return EXIT_OK;
    }
    if (!strcmp(argv[1], "--version")) {
        puts(PACKAGE_STRING);
        return EXIT_OK;
    }
    command = command_find(argv[1]);
    if (!command) {
        cli_warnf("espalier: '%s' is not a command; see 'espalier --help'\n", argv[1]);
        return EXIT_USAGE;
    }
    argv[1] = argv[0];
    return command->run(argc - 1, argv + 1);
}

/* What the standard output did not take is an error of every command, said once. */
static int close_output(int status)
{
    bool is_lost = ferror(stdout);

    errno = 0;
    is_lost = fflush(stdout) != 0 || is_lost;
    /* One that was closed from the start has lost nothing that was not written. */
    is_lost = (fclose(stdout) != 0 && errno != EBADF) || is_lost;
    if (!is_lost || status != EXIT_OK)
        return status;
    cli_warnf("espalier: cannot write: %s\n", outfile_reason(errno));
    return EXIT_ERROR;
}

/* SQLite and the ranks of a host map files into memory. A page of such a file that was cut off, or
 * for which the disk has no room, cannot be read. */
static void leave_on_bus_error(int number)
{
    static const char text[] =
        "espalier: bus error: a file that is mapped into memory (the -shm file beside a database, "
        "or a file in /dev/shm) was cut off, or its disk is full; start the same command again\n";

    (void)number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(EXIT_ERROR);
    _exit(EXIT_ERROR);
}

int main(int argc, char **argv)
{
    cpu_flush_subnormal();
    signal(SIGBUS, leave_on_bus_error);
    /* A write beyond 'ulimit -f' then fails with EFBIG, and can be reported. */
    signal(SIGXFSZ, SIG_IGN);
    return close_output(run(argc, argv));
}
