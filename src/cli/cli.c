/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/escape.h"
#include "base/log.h"
#include "base/outfile.h"
#include "cli/inputs.h"
#include "store/query.h"

#define MAX_OPTIONS 32

static void print_to(FILE *file, const char *format, va_list args)
{
    char *text;

    if (vasprintf(&text, format, args) < 0)
        return;
    escape_terminal(text, true);
    fputs(text, file);
    free(text);
}

void cli_printf(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_to(stdout, format, args);
    va_end(args);
}

void cli_warnf(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_to(stderr, format, args);
    va_end(args);
}

/* Without memory of its own, which may be what is short. One fputs a line, so that lines of several
 * ranks do not mix. */
static void print_fault(const char *text)
{
    char line[1200];

    snprintf(line, sizeof line - 1, "espalier: %s", text);
    escape_terminal(line, false);
    strcat(line, "\n");
    fputs(line, stderr);
}

int cli_fail(const struct err *err)
{
    print_fault(err->text);
    return EXIT_ERROR;
}

int cli_fail_usage(const struct err *err)
{
    print_fault(err->text);
    return EXIT_USAGE;
}

int cli_fail_all(struct errlist *faults)
{
    int status = faults->is_usage ? EXIT_USAGE : EXIT_ERROR;

    for (size_t i = 0; i < faults->n; i++)
        print_fault(faults->text[i]);
    if (!faults->n)
        print_fault("out of memory");
    errlist_release(faults);
    return status;
}

static int write_out(const struct buf *text, struct err *err)
{
    if (buf_failed(text))
        return err_nomem(err, "answer", text->size);
    if ((text->size && fwrite(text->data, text->size, 1, stdout) != 1) || fflush(stdout))
        return err_set(err, "cannot write: %s", outfile_reason(errno));
    return 0;
}

int cli_print(struct buf *text, const char *format, struct err *err)
{
    bool is_data = format && (!strcmp(format, "csv") || !strcmp(format, "json"));

    if ((!is_data || isatty(STDOUT_FILENO)) && text->size && !buf_failed(text))
        text->size = escape_terminal(text->data, true);
    return write_out(text, err);
}

int cli_save(const char *path, const struct buf *text, const struct inputs *inputs, struct err *err)
{
    if (!strcmp(path, "-"))
        return write_out(text, err);
    if (inputs_check(inputs, path, err))
        return -1;
    if (buf_failed(text))
        return err_nomem(err, path, text->size);
    return outfile_save(path, OUTFILE_REPLACE, text->data, text->size, err);
}

int cli_answer(int rc, struct buf *text, const char *format, struct err *err)
{
    if (!rc)
        rc = cli_print(text, format, err);
    buf_release(text);
    return rc ? cli_fail(err) : EXIT_OK;
}

int cli_query(const char *db, const char *format,
              int (*answer)(struct buf *out, struct store *store, const void *arg, struct err *err),
              const void *arg)
{
    struct store *store = NULL;
    struct buf out = {0};
    struct err err;
    int rc = store_open_reader(&store, db, &err);

    if (!rc)
        rc = answer(&out, store, arg, &err);
    store_close(store);
    return cli_answer(rc, &out, format, &err);
}

int cli_note_incomplete(struct store *store, const char *only, struct err *err)
{
    struct result_table table;

    if (query_table(&table, store, QUERY_INCOMPLETE, 0, err))
        return -1;
    for (int64_t r = 0; r < table.n_rows; r++) {
        const char *sweep = result_table_text(&table, r, "sweep");

        if (!only || !strcmp(only, sweep))
            log_info("%s: %lld of the %lld trials of its grid are in this file; the others are of "
                     "shards that are not merged into it",
                     sweep, (long long)result_table_integer(&table, r, "trials"),
                     (long long)result_table_integer(&table, r, "planned"));
    }
    result_table_release(&table);
    return 0;
}

const struct command *command_find(const char *name)
{
    for (const struct command *c = commands; c->name; c++)
        if (!strcmp(c->name, name))
            return c;
    return NULL;
}

static void print_duration(double seconds)
{
    struct buf text = {0};

    duration_format(&text, seconds);
    printf(" [%s]", buf_text(&text));
    buf_release(&text);
}

static void print_default(const struct option_row *o)
{
    if (o->type == OPTION_DURATION && !isnan(*(double *)o->value))
        print_duration(*(double *)o->value);
    else if (o->type == OPTION_INT && *(long *)o->value)
        printf(" [%ld]", *(long *)o->value);
    else if (o->type == OPTION_TEXT && *(const char **)o->value)
        printf(" [%s]", *(const char **)o->value);
}

static void print_help(const struct command *command, const struct option_row *options)
{
    printf("usage: espalier %s [OPTIONS]%s%s\n\n%s\n\n", command->name,
           *command->arguments ? " " : "", command->arguments, command->summary);
    for (const struct option_row *o = options; o->name; o++) {
        char left[64];

        snprintf(left, sizeof left, "%c%c%s--%s%s%s", o->letter ? '-' : ' ',
                 o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name,
                 o->argument ? " " : "", o->argument ? o->argument : "");
        printf("  %-28s  %s", left, o->help);
        print_default(o);
        putchar('\n');
    }
    printf("  %-28s  %s\n", "-h, --help", "print this text");
}

static int usage_error(const struct command *command)
{
    cli_warnf("espalier: see 'espalier %s --help'\n", command->name);
    return EXIT_USAGE;
}

static bool is_choice(const char *choices, const char *text)
{
    size_t n = strlen(text);

    for (const char *c = choices; c; c = strchr(c, '|') ? strchr(c, '|') + 1 : NULL)
        if (!strncmp(c, text, n) && (c[n] == '|' || !c[n]))
            return true;
    return false;
}

/* What follows is -1 where the argument is wrong, which has then been printed. */
static int store_int(const struct option_row *o, const char *text)
{
    char *end;
    long number;

    errno = 0;
    number = strtol(text, &end, 10);
    if (errno || end == text || *end || number < o->min || number > o->max) {
        cli_warnf("espalier: --%s %s: must be an integer in [%ld, %ld]\n", o->name, text, o->min,
                  o->max);
        return -1;
    }
    *(long *)o->value = number;
    return 0;
}

static int store_duration(const struct option_row *o, const char *text)
{
    double seconds;
    struct err err;

    if (duration_parse(&seconds, text, &err)) {
        cli_warnf("espalier: --%s %s: %s\n", o->name, text, err.text);
        return -1;
    }
    /* To Slurm a bare number is minutes, to a sweep file seconds: here it must not be guessed. */
    if (seconds > 0 && strspn(text, "0123456789.") == strlen(text)) {
        cli_warnf("espalier: --%s %s: must have a unit: %ss or %sm\n", o->name, text, text, text);
        return -1;
    }
    if (seconds < (double)o->min || seconds > (double)o->max) {
        bool is_less = seconds < (double)o->min;

        cli_warnf("espalier: --%s %s: must be at %s %lds\n", o->name, text,
                  is_less ? "least" : "most", is_less ? o->min : o->max);
        return -1;
    }
    *(double *)o->value = seconds;
    return 0;
}

static int store_text(const struct option_row *o, const char *text)
{
    if (!*text && o->argument && !strcmp(o->argument, "FILE")) {
        cli_warnf("espalier: --%s '': must be the name of a file\n", o->name);
        return -1;
    }
    if (o->choices && !is_choice(o->choices, text)) {
        cli_warnf("espalier: --%s %s: must be one of %s\n", o->name, text, o->choices);
        return -1;
    }
    *(const char **)o->value = text;
    return 0;
}

static int store_item(const struct option_row *o, const char *text)
{
    struct text_list *list = o->value;
    const char **grown = realloc(list->text, (list->n + 1) * sizeof *grown);

    if (!grown) {
        fputs("espalier: out of memory\n", stderr);
        return -1;
    }
    list->text = grown;
    list->text[list->n++] = text;
    return 0;
}

static int store_value(const struct option_row *o, const char *text)
{
    switch (o->type) {
    case OPTION_FLAG:
        *(bool *)o->value = true;
        return 0;
    case OPTION_INT:
        return store_int(o, text);
    case OPTION_DURATION:
        return store_duration(o, text);
    case OPTION_TEXT:
        return store_text(o, text);
    case OPTION_LIST:
        return store_item(o, text);
    }
    return -1;
}

/* getopt's tables from ours. */
static size_t fill_tables(struct option *table, char *letters, const struct option_row *options)
{
    size_t n = 0;

    for (; n < MAX_OPTIONS && options[n].name; n++) {
        table[n] =
            (struct option){options[n].name, options[n].argument ? required_argument : no_argument,
                            NULL, 256 + (int)n};
        if (options[n].letter) {
            *letters++ = options[n].letter;
            if (options[n].argument)
                *letters++ = ':';
        }
    }
    table[n] = (struct option){"help", no_argument, NULL, 'h'};
    table[n + 1] = (struct option){0};
    *letters++ = 'h';
    *letters = '\0';
    return n;
}

/* -1 where the line has too few operands or too many, which has then been printed. */
static int check_operands(const struct operands *operands, const struct command *command)
{
    if (operands->n < command->min_operands) {
        cli_warnf("espalier: %s: %s is missing\n", command->name, command->arguments);
        return -1;
    }
    if (operands->n > command->max_operands) {
        cli_warnf("espalier: %s: '%s' is one argument too many\n", command->name,
                  operands->at[command->max_operands]);
        return -1;
    }
    return 0;
}

/* An option as getopt_long() returns it; -1 where there is none such or its argument is wrong. */
static int take_option(const struct option_row *options, size_t n, int c)
{
    size_t i = 0;

    while (i < n && c != 256 + (int)i && (!options[i].letter || c != options[i].letter))
        i++;
    return i == n || store_value(&options[i], optarg) ? -1 : 0;
}

int cli_parse(int *status, struct operands *operands, const char *name,
              const struct option_row *options, int argc, char **argv)
{
    const struct command *command = command_find(name);
    struct option table[MAX_OPTIONS + 2];
    char letters[2 * MAX_OPTIONS + 2];
    size_t n = fill_tables(table, letters, options);
    int rc = 0, c;

    optind = 1;
    while (!rc && (c = getopt_long(argc, argv, letters, table, NULL)) != -1) {
        if (c == 'h') {
            print_help(command, options);
            *status = EXIT_OK;
            return -1;
        }
        rc = take_option(options, n, c);
    }
    *operands = (struct operands){.at = argv + optind, .n = argc - optind};
    if (rc || check_operands(operands, command)) {
        *status = usage_error(command);
        return -1;
    }
    return 0;
}
