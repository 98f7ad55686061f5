/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/shell_program.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* Keywords and builtins of dash, bash, ksh and busybox. */
static const char own_words[] =
    " . : [ alias autoload bg bind break builtin caller case cd chdir command compgen complete "
    "compopt"
    " continue coproc declare dirs disown do done echo elif else enable esac eval exec exit export"
    " false fc fg fi for function getopts hash help history if in integer jobs kill let local "
    "logout"
    " mapfile nameref newgrp popd print printf pushd pwd read readarray readonly return select set"
    " shift shopt source suspend test then time times trap true type typeset ulimit umask unalias"
    " unset until wait whence while ";

static bool is_own_word(const char *word)
{
    const char *found = own_words;
    size_t n = strlen(word);

    while ((found = strstr(found + 1, word)))
        if (found[-1] == ' ' && found[n] == ' ')
            return true;
    return false;
}

/* BASH_FUNC_module%%=() { ... */
static bool is_function(const char *word, char *const *variables)
{
    static const char beginning[] = "BASH_FUNC_";
    size_t n = strlen(word);

    for (; *variables; variables++)
        if (!strncmp(*variables, beginning, strlen(beginning)) &&
            !strncmp(*variables + strlen(beginning), word, n) &&
            strchr("%(", (*variables)[strlen(beginning) + n]))
            return true;
    return false;
}

/* True if the shell may go on behind this text although a program has failed: only && and the & in
 * 2>&1 are harmless. */
static bool goes_on(const char *text)
{
    char last = ' ';

    for (; *text; last = *text++) {
        if (strchr(";|\n", *text))
            return true;
        if (*text == '&' && !strchr("<>", last) && *++text != '&')
            return true;
    }
    return false;
}

bool shell_program_find(char out[SHELL_PROGRAM], const struct template *t, char *const *variables)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
    const char *text = t->texts.data, *after;
    size_t n;

    if (!t->n || t->pieces[0].is_place)
        return false;
    text += strspn(text, " \t\n");
    n = strspn(text, letters);
    after = text + n + strspn(text + n, " \t");
    if (!n || n >= SHELL_PROGRAM || *after == '(')
        return false;
    if (after == text + n && strncmp(after, "&&", 2) != 0 && (*after || t->n > 1))
        return false;
    for (size_t i = 0; i < t->n; i++)
        if (!t->pieces[i].is_place && goes_on(i ? t->texts.data + t->pieces[i].text : after))
            return false;
    memcpy(out, text, n);
    out[n] = '\0';
    return !is_own_word(out) && !is_function(out, variables);
}

/* ---- the shell ---- */

const char *shell_program_bash(void)
{
    static const char *const paths[] = {"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"};

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (!access(paths[i], X_OK))
            return paths[i];
    return NULL;
}

/* A substitution in double quotes may contain a pipe, so only single quotes hide one there. */
static bool has_pipe(const struct template *t)
{
    bool is_single = false, is_double = false, substitutes = false;

    for (size_t i = 0; i < t->n; i++) {
        const char *text = t->texts.data + t->pieces[i].text;
        char last = ' ';

        for (; !t->pieces[i].is_place && *text; last = *text++) {
            if (*text == '\\' && !is_single && text[1])
                text++;
            else if (*text == '\'' && !is_double)
                is_single = !is_single;
            else if (*text == '"' && !is_single)
                is_double = !is_double;
            else if (*text == '`' || (*text == '(' && last == '$'))
                substitutes = true;
            else if (*text == '|' && text[1] == '|')
                text++;
            else if (*text == '|' && last != '>' && !is_single && (!is_double || substitutes))
                return true;
        }
    }
    return false;
}

void shell_program_put(struct buf *out, size_t *n, const struct template *t, const char *bash)
{
    static const char options[] = "-o\0pipefail\0-c";
    static const char sh[] = "/bin/sh\0-c";

    *n = bash ? 4 : 2;
    if (bash) {
        buf_add(out, bash, strlen(bash) + 1);
        buf_add(out, options, sizeof options);
        return;
    }
    buf_add(out, sh, sizeof sh);
    if (has_pipe(t))
        buf_puts(
            out,
            "(set -o pipefail) 2>/dev/null || { echo 'espalier: no bash is here, and the shell "
            "lacks pipefail, so a failure in front of a pipe would go unnoticed: write to a "
            "file instead of a pipe' >&2; exit 2; }; set -o pipefail; ");
}
