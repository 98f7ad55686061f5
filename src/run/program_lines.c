/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/program_lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/words.h"
#include "grid/misspelt.h"
#include "program/exec.h"
#include "program/shell_program.h"
#include "store/trial_files.h"

int program_lines_open(struct program_lines *lines, const struct job *job, const char *db,
                       struct err *err)
{
    *lines = (struct program_lines){.job = job};
    trial_files_put_absolute(&lines->files, db);
    if (buf_failed(&lines->files))
        return err_nomem(err, "path", lines->files.size);
    return program_command_init(&lines->command, &job->sweep, err);
}

void program_lines_close(struct program_lines *lines)
{
    program_command_release(&lines->command);
    buf_release(&lines->files);
    buf_release(&lines->text);
}

struct expansion {
    struct template_words argv, variables;
};

static void release(struct expansion *expansion)
{
    template_words_release(&expansion->argv);
    template_words_release(&expansion->variables);
}

/* has_all: the whole environment, not only the trial's values. Pair with release(). */
static int expand(struct expansion *out, bool has_all, struct program_lines *lines, int64_t trial,
                  int64_t id, struct err *err)
{
    const struct plan *plan = &lines->job->plan;
    const char *files = buf_text(&lines->files);
    struct buf dir = {0}, results = {0}, checkpoint = {0};
    struct settings settings;
    struct program_trial t = {
        .settings = &settings, .where = plan_trial(plan, trial), .id = id, .attempt = 1};
    int rc;

    plan_settings(plan, t.where.config, &settings);
    t.key = settings_key(&settings, plan->sweep->swept, lines->job->data.digest, t.where.replicate,
                         t.where.fold, &lines->text);
    buf_printf(&dir, "%s/t%lld/scratch", files, (long long)id);
    buf_printf(&results, "%s/results.jsonl", buf_text(&dir));
    buf_printf(&checkpoint, "%s/t%lld/checkpoint", files, (long long)id);
    t.dir = buf_text(&dir);
    t.results = buf_text(&results);
    t.checkpoint = buf_text(&checkpoint);
    *out = (struct expansion){{NULL, 0}, {NULL, 0}};
    rc = program_command_argv(&out->argv, &lines->command, &t, err) ||
                 (has_all ? program_command_env : program_command_values)(&out->variables,
                                                                          &lines->command, &t, err)
             ? -1
             : 0;
    if (rc)
        release(out);
    buf_release(&dir);
    buf_release(&results);
    buf_release(&checkpoint);
    return rc;
}

int program_lines_put(struct buf *out, struct program_lines *lines, int64_t trial, int64_t id,
                      struct err *err)
{
    struct expansion expansion;

    if (expand(&expansion, false, lines, trial, id, err))
        return -1;
    if (expansion.variables.n) {
        buf_puts(out, "env ");
        template_put_command(out, &expansion.variables);
        buf_putc(out, ' ');
    }
    template_put_command(out, &expansion.argv);
    release(&expansion);
    return 0;
}

/* ---- words that only a shell understands ---- */

/* The word that begins with this piece, if it has neither places nor quotes; else NULL. */
static const char *plain_word(const struct template *t, size_t piece)
{
    const struct template_piece *p = &t->pieces[piece];
    bool is_whole = p->begins_word && (piece + 1 == t->n || p[1].begins_word);

    return is_whole && !p->is_place && !p->is_quoted ? t->texts.data + p->text : NULL;
}

/* A word such as | or >log.txt. */
static bool is_operator(const char *word)
{
    static const char *const others[] = {"|", "||", "&&", "&", ";", "<"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(word, others[i]))
            return true;
    return *word == '>' || !strncmp(word, "2>", 2);
}

enum { OPERATORS = 4 };

/* Return the number of different operators, at most OPERATORS. */
static int32_t find_operators(const char *out[OPERATORS], const struct template *t)
{
    int32_t n = 0;

    for (size_t i = 0; i < t->n && n < OPERATORS; i++) {
        const char *word = plain_word(t, i);
        bool is_new = word && is_operator(word);

        for (int32_t k = 0; k < n; k++)
            is_new = is_new && strcmp(out[k], word) != 0;
        if (is_new)
            out[n++] = word;
    }
    return n;
}

/* A word that begins with ~/ or has a variable, such as $HOME or ${HOME}. */
static bool is_expansion(const char *word)
{
    const char *at = strchr(word, '$');

    return !strncmp(word, "~/", 2) ||
           (at && (isalpha((unsigned char)at[1]) || at[1] == '_' || at[1] == '{' || at[1] == '('));
}

/* key: command or env, where the text after NAME= counts. */
static void warn_expansion(const struct template *t, const char *place, const char *key)
{
    bool is_env = !strcmp(key, "env");

    for (size_t i = 0; i < t->n; i++) {
        const char *word = plain_word(t, i);

        if (!word || !is_expansion(is_env ? word + strcspn(word, "=") + 1 : word))
            continue;
        log_warn("%s: %s: the program gets '%s' as it is, since no shell reads %s: %s", place, key,
                 word, is_env ? "env" : "the command",
                 is_env ? "write the value, or set the variable in a command with shell = yes"
                        : "set shell = yes");
        return;
    }
}

/* Commas and semicolons belong to the value in front of them. */
static void warn_separator(const struct template *t, const char *place)
{
    const char *first = "";

    for (size_t i = 0; i + 1 < t->n; i++) {
        const struct template_piece *p = &t->pieces[i];
        const char *text = t->texts.data + p->text;
        size_t n = strlen(text);

        first = p->begins_word ? text : first;
        if (!p[1].begins_word || p->is_place || p->is_quoted || !strchr(",;", text[n - 1]))
            continue;
        log_warn("%s: env: the value of %.*s ends with '%c': separate variables by blanks alone",
                 place, (int)strcspn(first, "="), first, text[n - 1]);
        return;
    }
}

static void warn_env(const struct program_lines *lines)
{
    const struct template *t = &lines->command.env;
    struct buf place = {0};

    sweep_put_place(&place, &lines->job->sweep, P_ENV);
    warn_expansion(t, buf_text(&place), "env");
    warn_separator(t, buf_text(&place));
    buf_release(&place);
}

/* A word that begins with # would begin a comment for a shell. */
static void warn_hash(const struct template *t, const char *place)
{
    for (size_t i = 0; i < t->n; i++) {
        const char *word = plain_word(t, i);

        if (!word || *word != '#')
            continue;
        log_warn(
            "%s: command: the program gets '%s' and what follows as arguments: a comment after "
            "a value begins with ' ;'",
            place, word);
        return;
    }
}

/* In a command for a shell, ` ;` may have been meant to separate two commands. */
static void warn_comment(const struct sweep *sweep, const char *command)
{
    if (sweep->command_comment)
        log_warn("%s:%d: command: ' ;' begins a comment, so the shell gets '%s' without '%s': for "
                 "another command write ';' without a blank before it, or &&; move a comment to a "
                 "line of its own",
                 sweep->path, sweep->command_comment_line, command, sweep->command_comment);
}

static void warn_shell(const struct program_lines *lines)
{
    const struct template *t = &lines->command.command;
    struct buf place = {0}, words = {0};
    const char *first = plain_word(t, 0), *operators[OPERATORS];
    int32_t n;

    if (t->is_shell) {
        warn_comment(&lines->job->sweep, lines->job->sweep.fixed.v[P_COMMAND].s);
        return;
    }
    sweep_put_place(&place, &lines->job->sweep, P_COMMAND);
    n = find_operators(operators, t);
    for (int32_t i = 0; i < n; i++)
        buf_printf(&words, "%s'%s'", words_between(i, n), operators[i]);
    if (first && !strcmp(first, "cd"))
        log_warn("%s: command: 'cd' is a command of the shell: leave it out, since the program "
                 "starts in the folder of the sweep file, or set shell = yes",
                 buf_text(&place));
    if (n)
        log_warn("%s: command: the program gets %s as %s, since no shell reads the command: set "
                 "shell = yes for pipes, redirections and chains of commands",
                 buf_text(&place), buf_text(&words), n == 1 ? "an argument" : "arguments");
    warn_expansion(t, buf_text(&place), "command");
    warn_hash(t, buf_text(&place));
    buf_release(&place);
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

/* The advice for a value that is one text, though it was hardly meant so; NULL: none. */
static const char *advice_on(const char *text, bool is_axis)
{
    if (is_like_comment(text))
        return "a comment after a value begins with ' ;'";
    if (is_axis && is_like_list(text))
        return "separate values by commas, without brackets";
    if (is_axis && is_like_call(text))
        return "a range is lo:hi:step or log(lo, hi, n)";
    return NULL;
}

/* Return whether there is some. */
static bool warn_value(const struct sweep *sweep, int id, const char *text)
{
    const char *advice = text ? advice_on(text, sweep->swept[id]) : NULL;

    if (advice)
        log_warn("%s: %s = %s: this is one text: %s", sweep->path, sweep_row(sweep, id)->key, text,
                 advice);
    return advice != NULL;
}

static void warn_values(const struct sweep *sweep)
{
    for (size_t a = 0; a < sweep->n_axes; a++) {
        const struct axis *axis = &sweep->axes[a];
        int32_t i = axis->id >= P_COUNT ? 0 : axis->n;

        while (i < axis->n && ((axis->is_quoted && axis->is_quoted[i]) ||
                               !warn_value(sweep, (int)axis->id, axis->values[i].s)))
            i++;
    }
    for (int id = P_COUNT; id < settings_end(&sweep->fixed); id++)
        if (!sweep->swept[id] && !sweep->is_quoted[id])
            warn_value(sweep, id, sweep->fixed.v[id].s);
}

/* ---- fixed values that may be settings ---- */

static bool uses(const struct program_lines *lines, const char *name)
{
    const struct template *const templates[] = {&lines->command.command, &lines->command.env};
    const struct template_piece *place;

    for (int i = 0; i < 2; i++)
        for (size_t p = 0; (place = template_place(templates[i], p)); p++)
            if (!strcmp(template_name(templates[i], place), name))
                return true;
    return false;
}

/* With values = environment, any key of [program] is a value for the program. */
static void warn_misspelt(const struct program_lines *lines)
{
    const struct sweep *sweep = &lines->job->sweep;

    for (int id = P_COUNT; id < settings_end(&sweep->fixed); id++) {
        const char *key = sweep_row(sweep, id)->key, *value = sweep->fixed.v[id].s;
        bool is_own = sweep->swept[id] || !value || uses(lines, key);
        enum param_id meant = is_own ? P_COUNT : misspelt_setting(key, value);
        struct buf place = {0};

        if (meant == P_COUNT)
            continue;
        sweep_put_place(&place, sweep, id);
        log_warn("%s: %s = %.60s is passed to the program as a fixed value; did you mean [%s] %s?",
                 buf_text(&place), key, value, param_table[meant].section, param_table[meant].key);
        buf_release(&place);
    }
}

/* ---- repeats that the command cannot tell apart ---- */

static void warn_repeats(const struct program_lines *lines)
{
    const struct sweep *sweep = &lines->job->sweep;
    int64_t folds = sweep->fixed.v[P_FOLDS].i, replicates = sweep->fixed.v[P_REPLICATES].i;

    if (sweep->fixed.v[P_VALUES].i == param_choice(P_VALUES, "environment") || uses(lines, "seed"))
        return;
    if (folds > 1 && !uses(lines, "fold"))
        log_warn("%s: folds = %lld, but the command has neither {fold} nor {seed}: all folds of a "
                 "configuration are the same, unless the program reads ESPALIER_FOLD",
                 sweep->path, (long long)folds);
    if (replicates > 1 && !uses(lines, "replicate"))
        log_warn("%s: replicates = %lld, but the command has neither {replicate} nor {seed}: all "
                 "replicates of a configuration are the same, unless the program reads "
                 "ESPALIER_SEED",
                 sweep->path, (long long)replicates);
}

void program_lines_warn(const struct program_lines *lines)
{
    warn_shell(lines);
    warn_env(lines);
    warn_values(&lines->job->sweep);
    warn_misspelt(lines);
    warn_repeats(lines);
}

/* ---- whether the program exists ---- */

static int check_one(struct program_lines *lines, int32_t config, struct err *err)
{
    const struct plan *plan = &lines->job->plan;
    const struct template *t = &lines->command.command;
    int64_t each = (int64_t)plan->replicates * plan->folds;
    char shell_program[SHELL_PROGRAM];
    char *const shell_words[] = {shell_program, NULL};
    struct expansion expansion;
    struct exec_program program;
    int rc = 0;

    if (expand(&expansion, true, lines, config * each, config * each + 1, err))
        return -1;
    program = (struct exec_program){.words = t->is_shell ? shell_words : expansion.argv.word,
                                    .variables = expansion.variables.word,
                                    .folder = lines->job->sweep.folder};
    if (!t->is_shell || shell_program_find(shell_program, t, program.variables))
        rc = exec_check(&program, err);
    release(&expansion);
    return rc;
}

/* True if the first word contains a place, so that it may differ between configurations. */
static bool has_many(const struct template *t)
{
    for (size_t i = 0; i < t->n && !t->is_shell && !(i && t->pieces[i].begins_word); i++)
        if (t->pieces[i].is_place)
            return true;
    return false;
}

int program_lines_check(struct program_lines *lines, struct err *err)
{
    int32_t n = has_many(&lines->command.command) ? lines->job->plan.n_configs : 1;

    for (int32_t config = 0; config < n; config++)
        if (check_one(lines, config, err)) {
            struct buf place = {0};

            sweep_put_place(&place, &lines->job->sweep, P_COMMAND);
            err_wrap(err, "%s: command", buf_text(&place));
            buf_release(&place);
            return -1;
        }
    return 0;
}
