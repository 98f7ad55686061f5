/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/command/parse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/duration.h"
#include "base/nearest.h"
#include "base/real.h"
#include "data/text/file_names.h"
#include "grid/param.h"
#include "launch/environment.h"

/* ---- values ---- */

/* A bare number means minutes to Slurm and seconds to a sweep file, so it is refused here. */
static int store_duration(double *out, const struct option_row *o, const char *text,
                          struct err *err)
{
    struct err reason;

    if (duration_parse(out, text, &reason))
        return err_set(err, "--%s %s: %s", o->name, text, reason.text);
    if (*out > 0 && strspn(text, "0123456789.") == strlen(text))
        return err_set(err, "--%s %s: must have a unit: %ss or %sm", o->name, text, text, text);
    if (*out < (double)o->min || *out > (double)o->max)
        return err_set(err, "--%s %s: must be from %lds to %lds", o->name, text, o->min, o->max);
    return 0;
}

/* text: not NULL, unless the option is a flag. */
static int store_value(const struct call *call, const struct option_row *o, const char *text,
                       struct err *err)
{
    bool is_file = o->kind >= VALUE_FILE && o->kind <= VALUE_DIRECTORY;
    void *member = (char *)call->options + o->into;
    struct nearest nearest = {.wrong = text};
    struct text_list *list = member;
    char hint[NEAREST_HINT];
    struct err reason;
    int64_t number;

    switch (o->type) {
    case OPTION_FLAG:
        *(bool *)member = true;
        break;
    case OPTION_INT:
        if (real_parse_whole(&number, text) || number < o->min || number > o->max)
            return err_set(err, "--%s %s: must be an integer in [%ld, %ld]", o->name, text, o->min,
                           o->max);
        *(long *)member = (long)number;
        break;
    case OPTION_DURATION:
        return store_duration(member, o, text, err);
    case OPTION_TEXT:
        if (!*text && is_file)
            return err_set(err, "--%s '': must be the name of a file", o->name);
        if (o->choices && !param_is_among(o->choices, text)) {
            nearest_offer_list(&nearest, o->choices);
            return err_set(err, "--%s %s: must be one of %s%s", o->name, text, o->choices,
                           nearest_hint(hint, "'", nearest.best, "'", ""));
        }
        *(const char **)member = text;
        break;
    case OPTION_SETTING:
        if (param_read(member, (enum param_id)o->param, text, &reason))
            return err_set(err, "--%s %s: %s", o->name, text, reason.text);
        break;
    case OPTION_LIST: /* there is room for all words */
        list->text[list->n++] = text;
        break;
    }
    return 0;
}

/* ---- options ---- */

const struct option_row *parse_find_letter(const struct command *command, char letter)
{
    const struct option_row *o;

    for (int i = 0; (o = command_option(command, i)); i++)
        if (o->letter == letter)
            return o;
    return NULL;
}

/* The nearest option, or with --set the nearest setting of a sweep file. */
static int err_unknown(const struct command *command, const char *name, struct err *err)
{
    struct nearest nearest = {.wrong = name};
    char hint[NEAREST_HINT];
    const struct option_row *o;
    bool is_option;

    for (int i = 0; (o = command_option(command, i)); i++)
        if (!o->is_hidden)
            nearest_offer(&nearest, o->name);
    for (int id = 0; command_find_option(command, "set") && id < P_COUNT; id++)
        nearest_offer(&nearest, param_table[id].key);
    is_option = command_find_option(command, nearest.best) != NULL;
    nearest_hint(hint, is_option ? "'--" : "'--set ", nearest.best, is_option ? "'" : "=VALUE'",
                 "");
    return err_set(err, "%s: unknown option '--%s'%s", command->name, name, hint);
}

/* The options of the command come before those that all commands have: a short form keeps its
 * meaning when a common option is added. */
static int find_long(const struct option_row **out, const struct command *command, const char *name,
                     struct err *err)
{
    *out = command_find_option(command, name);
    for (int are_all = 0; *name && !*out && are_all < 2; are_all++) {
        const struct option_row *o;
        struct buf list = {0};
        int n = 0;

        for (int i = 0; (o = command_option(command, i)); i++)
            if (!strncmp(o->name, name, strlen(name)) && !o->is_hidden &&
                (are_all || command_owns(command, o))) {
                buf_printf(&list, "%s--%s", n++ ? ", " : "", o->name);
                *out = o;
            }
        if (n > 1)
            err_set(err, "%s: '--%s' is the beginning of several options: %s", command->name, name,
                    buf_text(&list));
        buf_release(&list);
        if (n > 1)
            return -1;
    }
    return *out ? 0 : err_unknown(command, name, err);
}

const struct option_row *parse_find_long(const struct command *command, const char *name)
{
    const struct option_row *o;

    return find_long(&o, command, name, NULL) ? NULL : o;
}

/* ---- the line ---- */

struct command_words {
    char **at;
    int n, next;
    bool wants_help;
};

static bool is_help(const struct option_row *o)
{
    return o->letter == 'h' && !strcmp(o->name, "help");
}

/* value: in the same word, or NULL. */
static int take_option(struct call *call, const struct option_row *o, const char *value,
                       struct command_words *words, struct err *err)
{
    const char *name = call->command->name;

    if (!o->argument && value)
        return err_set(err, "%s: --%s takes no value", name, o->name);
    if (o->argument && !value && words->next == words->n)
        return err_set(err, "%s: --%s needs a value: --%s %s", name, o->name, o->name, o->argument);
    if (is_help(o)) {
        words->wants_help = true;
        return 0;
    }
    return store_value(call, o, o->argument && !value ? words->at[words->next++] : value, err);
}

int parse_count_common(const char *const *words, int n)
{
    static const struct command every = {.name = ""};
    int i = 0;

    while (i < n && words[i][0] == '-') {
        const char *word = words[i];
        const struct option_row *o = NULL;
        char name[64];

        snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
        if (word[1] == '-')
            o = parse_find_long(&every, name + 2);
        else if (word[1] && !word[2])
            o = parse_find_letter(&every, word[1]);
        if (!o || is_help(o))
            break;
        i += o->argument && !strchr(word, '=') ? 2 : 1;
    }
    return i < n ? i : n;
}

/* letters: behind the dash. */
static int take_letters(struct call *call, const char *letters, struct command_words *words,
                        struct err *err)
{
    for (; *letters && !words->wants_help; letters++) {
        const struct option_row *o = parse_find_letter(call->command, *letters);

        if (!o)
            return err_set(err, "%s: unknown option '-%c'", call->command->name, *letters);
        if (o->argument)
            return take_option(call, o, letters[1] ? letters + 1 : NULL, words, err);
        if (take_option(call, o, NULL, words, err))
            return -1;
    }
    return 0;
}

static int take_words(struct call *call, struct command_words *words, struct err *err)
{
    bool is_over = call->command->takes_words;

    while (!words->wants_help && words->next < words->n) {
        const char *word = words->at[words->next++], *equals = strchr(word, '=');
        const struct option_row *o;
        char name[64];

        if (is_over || *word != '-' || !word[1]) {
            call->operands[call->n_operands++] = word;
        } else if (!strcmp(word, "--")) {
            is_over = true;
        } else if (word[1] != '-') {
            if (take_letters(call, word + 1, words, err))
                return -1;
        } else {
            snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
            if (find_long(&o, call->command, name, err) ||
                take_option(call, o, equals ? equals + 1 : NULL, words, err))
                return -1;
        }
    }
    return 0;
}

/* ---- operands ---- */

static int choose_db(struct call *call, struct err *err)
{
    const struct command *c = call->command;
    const char *variable = getenv(LAUNCH_DB), *option = call->common->db, *operand = NULL;
    int at = c->db_operand == DB_LAST ? c->max_operands : 0;

    if (c->db_operand != DB_NONE && call->n_operands > c->max_operands) {
        operand = call->operands[at];
        memmove(call->operands + at, call->operands + at + 1,
                (size_t)(--call->n_operands - at) * sizeof *call->operands);
    }
    if (operand && !*operand)
        return err_set(err, "%s: the name of the database is empty", c->name);
    if (operand && c->db_operand == DB_LAST && file_names_end_in(operand, ".ini"))
        return err_set(err, "%s: '%s' is one argument too many: espalier %s takes one sweep file",
                       c->name, operand, c->name);
    if (operand && option && strcmp(operand, option) != 0)
        return err_set(err, "%s: two databases are given, '%s' and --db '%s'; give one of them",
                       c->name, operand, option);
    if (operand)
        call->common->db = operand;
    else if (!option)
        call->common->db = variable && *variable ? variable : PARSE_DEFAULT_DB;
    return 0;
}

static int check_line(struct call *call, struct err *err)
{
    const struct command *c = call->command;
    int most = c->db_operand == DB_NONE ? c->max_operands : c->max_operands + 1;

    if (call->n_operands < c->min_operands)
        return err_set(err, "%s: an argument is missing: espalier %s %s", c->name, c->name,
                       c->operands);
    if (call->n_operands > most)
        return err_set(err, "%s: '%s' is one argument too many", c->name, call->operands[most]);
    if (call->common->is_quiet && call->common->is_verbose)
        return err_set(err, "%s: --quiet and --verbose: give one of them", c->name);
    return c->common & COMMON_DB ? choose_db(call, err) : 0;
}

static int set_defaults(const struct call *call, struct err *err)
{
    const struct option_row *o;

    for (int i = 0; (o = command_option(call->command, i)); i++) {
        void *member = (char *)call->options + o->into;
        const char *text =
            o->type == OPTION_SETTING ? param_table[o->param].default_text : o->default_text;

        if (o->type == OPTION_DURATION)
            *(double *)member = (double)NAN;
        if (text && o->type == OPTION_INT)
            *(long *)member = atol(text); /* out of range: it was not given */
        else if (text && store_value(call, o, text, err))
            return -1;
    }
    return 0;
}

enum parse_result call_parse(struct call *call, const struct command *command, int argc,
                             char **argv, struct err *err)
{
    struct command_words words = {.at = argv, .n = argc, .next = 1};
    size_t size = command->options_size ? command->options_size : sizeof(struct common_options);

    *call = (struct call){.command = command, .argc = argc, .argv = argv};
    call->options = calloc(1, size);
    call->common = call->options;
    call->operands = calloc((size_t)argc + 1, sizeof *call->operands);
    if (call->options)
        call->common->set.text = calloc((size_t)argc + 1, sizeof *call->common->set.text);
    if (!call->operands || !call->options || !call->common->set.text) {
        err_nomem(err, "command line", size);
        return PARSE_FAILED;
    }
    if (set_defaults(call, err) || take_words(call, &words, err))
        return PARSE_WRONG;
    if (words.wants_help)
        return PARSE_HELP;
    return check_line(call, err) ? PARSE_WRONG : PARSE_OK;
}

void call_release(struct call *call)
{
    if (call->options)
        free(call->common->set.text);
    free(call->options);
    free(call->operands);
    *call = (struct call){0};
}
