#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config.h"

const struct command commands[] = {
    {"run", "GRID.ini", "Run a sweep, or go on with it.", cmd_run},
    {"plan", "GRID.ini", "List the trials of a sweep and what they cost; run nothing.", cmd_plan},
    {"params", "[SECTION | KEY ...]", "The settings of a sweep file.", cmd_params},
    {"status", "[DB]", "How far a sweep is.", cmd_status},
    {"best", "[DB]", "The leaderboard.", cmd_best},
    {"show", "[DB] ID", "One configuration (c12) or trial (t345) in full.", cmd_show},
    {"predict", "[DB]", "What the kept models say of samples without a phenotype.", cmd_predict},
    {"merge", "OUT IN...", "Join databases, those of the shards of a sweep for example.",
     cmd_merge},
    {"verify", "[DB]", "Run some of the trials again and compare their bits.", cmd_verify},
    {"export", "[DB]", "All trials as csv or json.", cmd_export},
    {"simulate", "DIRECTORY", "Write a seeded synthetic panel and a sweep file for it.",
     cmd_simulate},
    {"inspect", "GRID.ini", "What the data of a sweep look like.", cmd_inspect},
    {"doctor", "[GRID.ini]", "What a launch like this one would really do.", cmd_doctor},
    {NULL, NULL, NULL, NULL},
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
        fprintf(stderr, "espalier: '%s' is not a command; see 'espalier --help'\n", argv[1]);
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
    fprintf(stderr, "espalier: cannot write%s%s\n", errno ? ": " : "",
            errno ? strerror(errno) : " all of it");
    return EXIT_ERROR;
}

int main(int argc, char **argv)
{
    return close_output(run(argc, argv));
}
