/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/command/parse.h"

#include <assert.h>
#include <limits.h>
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

static void *member_of(const struct call *call, const struct option_row *o)
{
    return (char *)call->options + o->into;
}

/* ---- values ---- */

static int store_int(const struct call *call, const struct option_row *o, const char *text,
                     struct err *err)
{
    int64_t number;

    if (real_parse_whole(&number, text) || number < o->min || number > o->max)
        return err_set(err, "--%s %s: must be an integer in [%ld, %ld]", o->name, text, o->min,
                       o->max);
    *(long *)member_of(call, o) = (long)number;
    return 0;
}

/* A bare number means minutes to Slurm and seconds to a sweep file, so it is refused here. */
static int store_duration(const struct call *call, const struct option_row *o, const char *text,
                          struct err *err)
{
    double seconds;
    struct err reason;

    if (duration_parse(&seconds, text, &reason))
        return err_set(err, "--%s %s: %s", o->name, text, reason.text);
    if (seconds > 0 && strspn(text, "0123456789.") == strlen(text))
        return err_set(err, "--%s %s: must have a unit: %ss or %sm", o->name, text, text, text);
    if (seconds < (double)o->min || seconds > (double)o->max) {
        bool is_less = seconds < (double)o->min;

        return err_set(err, "--%s %s: must be at %s %lds", o->name, text,
                       is_less ? "least" : "most", is_less ? o->min : o->max);
    }
    *(double *)member_of(call, o) = seconds;
    return 0;
}

static int err_no_choice(const struct option_row *o, const char *text, struct err *err)
{
    struct nearest nearest = {.wrong = text};
    char hint[NEAREST_HINT];

    nearest_offer_list(&nearest, o->choices);
    return err_set(err, "--%s %s: must be one of %s%s", o->name, text, o->choices,
                   nearest_hint(hint, "'", nearest.best, "'", ""));
}

static int store_text(const struct call *call, const struct option_row *o, const char *text,
                      struct err *err)
{
    bool is_file = o->kind >= VALUE_FILE && o->kind <= VALUE_DIRECTORY;

    if (!*text && is_file)
        return err_set(err, "--%s '': must be the name of a file", o->name);
    if (o->choices && !param_is_among(o->choices, text))
        return err_no_choice(o, text, err);
    *(const char **)member_of(call, o) = text;
    return 0;
}

static int store_setting(const struct call *call, const struct option_row *o, const char *text,
                         struct err *err)
{
    struct err reason;
    union value value;

    if (param_read(&value, (enum param_id)o->param, text, &reason))
        return err_set(err, "--%s %s: %s", o->name, text, reason.text);
    *(const char **)member_of(call, o) = text;
    return 0;
}

static int store_item(const struct call *call, const struct option_row *o, const char *text,
                      struct err *err)
{
    struct text_list *list = member_of(call, o);
    const char **grown = realloc(list->text, (list->n + 1) * sizeof *grown);

    if (!grown)
        return err_nomem(err, "command line", (list->n + 1) * sizeof *grown);
    list->text = grown;
    list->text[list->n++] = text;
    return 0;
}

static int store_value(const struct call *call, const struct option_row *o, const char *text,
                       struct err *err)
{
    if (o->type == OPTION_FLAG) {
        *(bool *)member_of(call, o) = true;
        return 0;
    }
    assert(text);
    switch (o->type) {
    case OPTION_FLAG:
        break;
    case OPTION_INT:
        return store_int(call, o, text, err);
    case OPTION_DURATION:
        return store_duration(call, o, text, err);
    case OPTION_TEXT:
        return store_text(call, o, text, err);
    case OPTION_SETTING:
        return store_setting(call, o, text, err);
    case OPTION_LIST:
        return store_item(call, o, text, err);
    }
    return -1;
}

static int store_default(const struct call *call, const struct option_row *o, struct err *err)
{
    const char *text =
        o->type == OPTION_SETTING ? param_table[o->param].default_text : o->default_text;

    if (text && o->type == OPTION_INT) {
        *(long *)member_of(call, o) = atol(text); /* out of range: it was not given */
        return 0;
    }
    if (text)
        return store_value(call, o, text, err);
    if (o->type == OPTION_DURATION)
        *(double *)member_of(call, o) = (double)NAN;
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

/* The nearest setting of a sweep file, for commands that have --set. key out: the name, with its words
 * joined as those of settings. */
static void find_setting(struct nearest *nearest, char key[NEAREST_WORD],
                         const struct command *command, const char *name)
{
    snprintf(key, NEAREST_WORD, "%s", name);
    for (char *at = key; *at; at++)
        *at = *at == '-' ? '_' : *at;
    nearest->wrong = key;
    for (int id = 0; command_find_option(command, "set") && id < P_COUNT; id++)
        nearest_offer(nearest, param_table[id].key);
}

/* value: behind the name, or NULL. */
static int err_unknown(const struct command *command, const char *name, const char *value,
                       struct err *err)
{
    struct nearest option = {.wrong = name}, setting = {.best = ""};
    char key[NEAREST_WORD], set[NEAREST_WORD + 80], hint[NEAREST_HINT];
    const struct option_row *o;

    for (int i = 0; (o = command_option(command, i)); i++)
        if (!o->is_hidden)
            nearest_offer(&option, o->name);
    find_setting(&setting, key, command, name);
    if (*setting.best && (!*option.best || setting.distance < option.distance)) {
        bool is_axis = value && strchr(value, ',') &&
                       param_table[param_find(NULL, setting.best)].flags & PARAM_AXIS;

        snprintf(set, sizeof set, "%s%s=%.60s", is_axis ? "grid." : "", setting.best,
                 value ? value : "VALUE");
        nearest_hint(hint, "--set ", set, "", "");
    } else {
        nearest_hint(hint, "'--", option.best, "'", "");
    }
    return err_set(err, "%s: unknown option '--%s'%s", command->name, name, hint);
}

static int err_ambiguous(const struct command *command, const char *name, bool is_own,
                         struct err *err)
{
    size_t n = strlen(name);
    const struct option_row *o;
    struct buf list = {0};

    for (int i = 0; (o = command_option(command, i)); i++)
        if (!strncmp(o->name, name, n) && !o->is_hidden && (!is_own || command_owns(command, o)))
            buf_printf(&list, "%s--%s", list.size ? ", " : "", o->name);
    err_set(err, "%s: '--%s' is the beginning of several options: %s", command->name, name,
            buf_text(&list));
    buf_release(&list);
    return -1;
}

/* The options of the command come before those that all commands have: a short form keeps its
 * meaning when a common option is added. */
static int find_long(const struct option_row **out, const struct command *command, const char *name,
                     const char *value, struct err *err)
{
    const struct option_row *o, *own = NULL, *common = NULL;
    int n_own = 0, n_common = 0;
    size_t n = strlen(name);

    *out = command_find_option(command, name);
    if (*out)
        return 0;
    for (int i = 0; n && (o = command_option(command, i)); i++) {
        if (strncmp(o->name, name, n) != 0 || o->is_hidden)
            continue;
        if (command_owns(command, o)) {
            own = o;
            n_own++;
        } else {
            common = o;
            n_common++;
        }
    }
    if (n_own > 1 || (!n_own && n_common > 1))
        return err_ambiguous(command, name, n_own > 1, err);
    *out = own ? own : common;
    return *out ? 0 : err_unknown(command, name, value, err);
}

const struct option_row *parse_find_long(const struct command *command, const char *name)
{
    const struct option_row *o;

    return find_long(&o, command, name, NULL, NULL) ? NULL : o;
}

/* ---- the line ---- */

struct command_words {
    char **at;
    int n, next;
    bool wants_help;
};

static int take_value(const char **value, const struct call *call, const struct option_row *o,
                      struct command_words *words, struct err *err)
{
    if (words->next == words->n)
        return err_set(err, "%s: --%s needs a value: --%s %s", call->command->name, o->name,
                       o->name, o->argument);
    *value = words->at[words->next++];
    return 0;
}

static bool is_help(const struct option_row *o)
{
    return o->letter == 'h' && !strcmp(o->name, "help");
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

/* word: behind the dashes. */
static int take_long(struct call *call, const char *word, struct command_words *words,
                     struct err *err)
{
    const char *equals = strchr(word, '=');
    const char *value = equals ? equals + 1 : NULL;
    const char *next = words->next < words->n ? words->at[words->next] : NULL;
    const struct option_row *o;
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    if (find_long(&o, call->command, name, value ? value : next, err))
        return -1;
    if (!o->argument && value)
        return err_set(err, "%s: --%s takes no value", call->command->name, o->name);
    if (is_help(o)) {
        words->wants_help = true;
        return 0;
    }
    if (o->argument && !value && take_value(&value, call, o, words, err))
        return -1;
    return store_value(call, o, value, err);
}

/* letters: behind the dash. */
static int take_letters(struct call *call, const char *letters, struct command_words *words,
                        struct err *err)
{
    for (; *letters; letters++) {
        const struct option_row *o = parse_find_letter(call->command, *letters);
        const char *value = letters[1] ? letters + 1 : NULL;

        if (!o)
            return err_set(err, "%s: unknown option '-%c'", call->command->name, *letters);
        if (is_help(o)) {
            words->wants_help = true;
            return 0;
        }
        if (o->argument)
            return !value && take_value(&value, call, o, words, err)
                       ? -1
                       : store_value(call, o, value, err);
        if (store_value(call, o, NULL, err))
            return -1;
    }
    return 0;
}

static int take_words(struct call *call, struct command_words *words, struct err *err)
{
    bool is_over = call->command->takes_words;
    int rc = 0;

    while (!rc && !words->wants_help && words->next < words->n) {
        const char *word = words->at[words->next++];

        if (is_over || *word != '-' || !word[1])
            call->operands[call->n_operands++] = word;
        else if (!strcmp(word, "--"))
            is_over = true;
        else if (word[1] == '-')
            rc = take_long(call, word + 2, words, err);
        else
            rc = take_letters(call, word + 1, words, err);
    }
    return rc;
}

/* ---- operands ---- */

static int check_count(const struct call *call, struct err *err)
{
    const struct command *c = call->command;

    if (call->n_operands < c->min_operands)
        return err_set(err, "%s: an argument is missing: espalier %s %s", c->name, c->name,
                       c->operands);
    if (call->n_operands - (c->db_operand != DB_NONE) > c->max_operands)
        return err_set(err, "%s: '%s' is one argument too many", c->name,
                       call->operands[c->max_operands + (c->db_operand != DB_NONE)]);
    return 0;
}

/* The operand DB, taken out of the list; NULL: it is not there. */
static const char *take_db(struct call *call)
{
    const struct command *c = call->command;
    const char *db;

    if (c->db_operand == DB_NONE || call->n_operands <= c->max_operands)
        return NULL;
    if (c->db_operand == DB_LAST)
        return call->operands[--call->n_operands];
    db = call->operands[0];
    memmove(call->operands, call->operands + 1,
            (size_t)--call->n_operands * sizeof *call->operands);
    return db;
}

static int choose_db(struct call *call, struct err *err)
{
    const char *operand = take_db(call), *option = call->common->db;
    const char *variable = getenv(LAUNCH_DB);

    if (operand && !*operand)
        return err_set(err, "%s: the name of the database is empty", call->command->name);
    if (operand && call->command->db_operand == DB_LAST && file_names_end_in(operand, ".ini"))
        return err_set(err, "%s: '%s' is one argument too many: espalier %s takes one sweep file",
                       call->command->name, operand, call->command->name);
    if (operand && option && strcmp(operand, option) != 0)
        return err_set(err, "%s: two databases are given, '%s' and --db '%s'; give one of them",
                       call->command->name, operand, option);
    if (operand)
        call->common->db = operand;
    else if (!option)
        call->common->db = variable && *variable ? variable : PARSE_DEFAULT_DB;
    return 0;
}

static int set_defaults(struct call *call, struct err *err)
{
    const struct option_row *o;

    for (int i = 0; (o = command_option(call->command, i)); i++)
        if (o->type != OPTION_FLAG && store_default(call, o, err))
            return -1;
    return 0;
}

static int finish(struct call *call, struct err *err)
{
    if (check_count(call, err))
        return -1;
    if (call->common->is_quiet && call->common->is_verbose)
        return err_set(err, "%s: --quiet and --verbose: give one of them", call->command->name);
    return call->command->common & COMMON_DB ? choose_db(call, err) : 0;
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
    if (!call->options || !call->operands) {
        err_nomem(err, "command line", size);
        return PARSE_FAILED;
    }
    if (set_defaults(call, err) || take_words(call, &words, err))
        return PARSE_WRONG;
    if (words.wants_help)
        return PARSE_HELP;
    return finish(call, err) ? PARSE_WRONG : PARSE_OK;
}

void call_release(struct call *call)
{
    const struct option_row *o;

    for (int i = 0; call->options && (o = command_option(call->command, i)); i++)
        if (o->type == OPTION_LIST)
            free(((struct text_list *)member_of(call, o))->text);
    free(call->options);
    free(call->operands);
    *call = (struct call){0};
}
