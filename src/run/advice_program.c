/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts of the command of a program and of its values. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "run/advice.h"
#include "trial/program_command.h"

/* ---- words that only a shell understands ---- */

/* The word that begins with this piece, if it has neither places nor quotes; else NULL. */
static const char *plain_word(const struct template *t, size_t piece)
{
    const struct template_piece *p = &t->pieces[piece];
    bool is_whole = p->begins_word && (piece + 1 == t->n || p[1].begins_word);

    return is_whole && !p->is_place && !p->is_quoted ? t->texts.data + p->text : NULL;
}

/* A word that begins with ~/ or has a variable, such as $HOME or ${HOME}. */
static bool is_expansion(const char *word)
{
    const char *at = strchr(word, '$');

    return !strncmp(word, "~/", 2) ||
           (at && (isalpha((unsigned char)at[1]) || at[1] == '_' || at[1] == '{' || at[1] == '('));
}

/* A word such as |, >log.txt or #, which begins a comment. */
static bool is_of_shell(const char *word)
{
    static const char *const others[] = {"|", "||", "&&", "&", ";", "<"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(word, others[i]))
            return true;
    return *word == '>' || *word == '#' || !strncmp(word, "2>", 2) || is_expansion(word);
}

enum { WORDS_SHOWN = 4 };

/* is_env: t has variables. */
static void advise_words(struct errlist *out, enum rule rule, const struct template *t)
{
    const char *found[WORDS_SHOWN];
    struct buf words = {0};
    int32_t n = 0;

    for (size_t i = 0; i < t->n && n < WORDS_SHOWN; i++) {
        const char *word = plain_word(t, i);
        bool is_last = i + 1 == t->n;
        /* a value of env that a shell would read, or with the comma before the next variable */
        bool is = rule == RULE_ENV ? word && (is_expansion(word + strcspn(word, "=") + 1) ||
                                              (!is_last && strchr(",;", word[strlen(word) - 1])))
                                   : word && (is_of_shell(word) || (!i && !strcmp(word, "cd")));

        for (int32_t k = 0; is && k < n; k++)
            is = strcmp(found[k], word) != 0;
        if (is)
            found[n++] = word;
    }
    for (int32_t i = 0; i < n; i++)
        buf_printf(&words, "%s'%s'", words_between(i, n), found[i]);
    advise(out, rule, n, "%s", buf_text(&words));
    buf_release(&words);
}

/* ---- values without quotes that look like lists or comments ---- */

/* "[0.1 0.2]", "(1" or "0.1 0.2" and "0.1;0.2": commas were forgotten, or brackets were written. */
static bool is_like_list(const char *text)
{
    char *end;

    if (*text == '[' || *text == '(')
        return isdigit((unsigned char)text[1]) || text[1] == '.' || text[1] == '-';
    strtod(text, &end);
    return end > text && (*end == ';' || *end == ' ') && end[1];
}

/* "linspace(0, 1, 5)": a function of numbers. */
static bool is_like_call(const char *text)
{
    size_t name = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
    size_t numbers = text[name] == '(' ? strspn(text + name + 1, "+-.0123456789eE, ") : 0;
    const char *end = text + name + 1 + numbers;

    return name && numbers && !strcmp(end, ")") && memchr(text + name, ',', numbers);
}

/* "2 # layers": one word before a number sign. */
static bool is_like_comment(const char *text)
{
    size_t word = strcspn(text, " ");

    return word && text[word + strspn(text + word, " ")] == '#';
}

/* Return whether the value, which is one text, was hardly meant so. */
static bool advise_value(struct job *job, int id, const char *text)
{
    bool is_axis = job->sweep.swept[id];
    const char *remedy = !text                   ? NULL
                         : is_like_comment(text) ? "a comment after a value begins with ' ;'"
                         : is_axis && is_like_list(text)
                             ? "separate values by commas, without brackets"
                         : is_axis && is_like_call(text) ? "a range is lo:hi:step or log(lo, hi, n)"
                                                         : NULL;

    advise(&job->advice, RULE_ONE_TEXT, remedy != NULL, "%s" AND "%s" AND "%s",
           sweep_row(&job->sweep, id)->key, text ? text : "", remedy ? remedy : "");
    return remedy != NULL;
}

static void advise_values(struct job *job)
{
    const struct sweep *sweep = &job->sweep;

    for (size_t a = 0; a < sweep->n_axes; a++) {
        const struct axis *axis = &sweep->axes[a];
        int32_t i = axis->id >= P_COUNT ? 0 : axis->n;

        while (i < axis->n && ((axis->is_quoted && axis->is_quoted[i]) ||
                               !advise_value(job, (int)axis->id, axis->values[i].s)))
            i++;
    }
    for (int id = P_COUNT; id < sweep_end(sweep); id++)
        if (!sweep->swept[id] && !sweep->is_quoted[id])
            advise_value(job, id, sweep->fixed.v[id].s);
}

/* ---- what the command uses ---- */

static bool uses(const struct program_command *command, const char *name)
{
    const struct template *const templates[] = {&command->command, &command->env};
    const struct template_piece *place;

    for (int i = 0; i < 2; i++)
        for (size_t p = 0; (place = template_place(templates[i], p)); p++)
            if (!strcmp(template_name(templates[i], place), name))
                return true;
    return false;
}

static void advise_repeats(struct job *job, const struct program_command *command)
{
    const union value *v = job->sweep.fixed.v;

    if (v[P_VALUES].i == param_choice(P_VALUES, "environment") || uses(command, "seed"))
        return;
    if (v[P_FOLDS].i > 1 && !uses(command, "fold"))
        advise(&job->advice, RULE_SAME_REPEATS, 1,
               "folds" AND "%lld" AND "fold" AND "folds" AND "ESPALIER_FOLD",
               (long long)v[P_FOLDS].i);
    if (v[P_REPLICATES].i > 1 && !uses(command, "replicate"))
        advise(&job->advice, RULE_SAME_REPEATS, 1,
               "replicates" AND "%lld" AND "replicate" AND "replicates" AND "ESPALIER_SEED",
               (long long)v[P_REPLICATES].i);
}

int advice_program(struct job *job, struct err *err)
{
    const struct sweep *sweep = &job->sweep;
    struct program_command command;
    int rc = program_command_init(&command, sweep, err);

    if (!rc) {
        if (command.command.is_shell)
            advise(&job->advice, RULE_SHELL_COMMENT, sweep->command_comment != NULL, "%s" AND "%s",
                   sweep->fixed.v[P_COMMAND].s,
                   sweep->command_comment ? sweep->command_comment : "");
        else
            advise_words(&job->advice, RULE_SHELL_WORDS, &command.command);
        advise_words(&job->advice, RULE_ENV, &command.env);
        advise_values(job);
        advise_repeats(job, &command);
    }
    program_command_release(&command);
    return rc;
}
