/* SPDX-License-Identifier: BSD-3-Clause */
/* Templates of commands and environments: text with places such as {learning_rate}, which values of a
 * trial replace. A name may have no value.
 *
 *     struct template t;
 *     struct template_words argv;
 *
 *     template_parse(&t, "python3 cnn.py --lr {lr} --note \"a b {x}\"", err);
 *     for (size_t i = 0; (place = template_place(&t, i)); i++)
 *         ... refuse an unknown name, mark a known one as used ...
 *     template_expand(&argv, &t, value_of, trial, err);
 *     execvp(argv.word[0], argv.word);
 *
 * Rules of all templates:
 *   {name}    a place, also within quotes. A name consists of letters, digits, _, . and -, begins with a
 *             letter or _, and has at most 63 bytes.
 *   {name:--flag}  the word --flag if the value is yes, true or 1; nothing if it is no, false or 0, or if
 *             there is none
 *   {name...} the words of the value, which blanks separate; not in an environment
 *   [a {x}]   words from one that begins with [ to one that ends with ]: left out if one of the names has
 *             no value. Brackets without a place in between, before or after a blank, in quotes or after a
 *             backslash are characters.
 *   {{ }}     the characters { and }. A single } is an error. \{ and \} outside quotes are braces, too.
 *
 * Rules of template_parse() and template_parse_env(), which need no shell:
 *   blanks    separate words. Blanks, tabs and line ends are blanks.
 *   '...'     everything is literal, except places
 *   "..."     \ is special only before $ ` " \ and a line end, as in sh
 *   \c        outside quotes: the character c; \ before a line end disappears
 *   ''        an empty word
 * Values never add or split words, except by {name...}: a value may contain anything. A word of
 * {name:--flag} alone that is nothing is left out.
 *
 * A shell template (template_parse_shell()) is a text for a shell (template_put_shell()). Its text stays as it is, and each
 * place becomes a word in quotes. Inside "..." or '...' of the text, the value leaves these quotes or is
 * escaped for them, so that the shell takes every value literally. Places are refused where this is not
 * certain:
 *   $ before it            ${lr}: the shell's own variable is ${{lr}}
 *   in a comment
 *   after a backtick, << , (( , $' and ${x...} with an operator; after $(...) in double quotes if it
 *   contains quotes, parentheses or a place. An assignment before it (x={x}) helps: "$(cmd "$x")".
 * A second shell that the text itself starts (eval, sh -c) interprets values again.
 *
 * Functions are local and thread-safe. The only limit on values is that they are C strings. */
#ifndef PROGRAM_TEMPLATE_H
#define PROGRAM_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct template_piece {
    size_t text;  /* offset in template.texts: literal text, or the name of a place */
    size_t at;    /* of a place: its byte in the template, from 1 */
    size_t flag;  /* of {name:--flag}: offset of the flag in template.texts; 0: another place */
    size_t group; /* number of the brackets around it, from 1; 0: none */
    bool is_place;
    bool is_list; /* {name...} */
    bool begins_word;
    bool is_quoted; /* quotes or backslashes stand in its word before its end */
    char quote;     /* of a place in a shell template: the quotes around it, ' or "; 0: none */
};

struct template
{
    struct buf texts; /* each ends with a NUL */
    struct template_piece *pieces;
    size_t n;
    bool is_shell;
};

/* Parse a command. Errors are "byte N: what is wrong", or the command is empty; t is then released. */
int template_parse(struct template *t, const char *text, struct err *err);
/* The same for a text that a shell runs. */
int template_parse_shell(struct template *t, const char *text, struct err *err);
/* Parse an environment: words NAME=text. NAME is a variable name (letters, digits and _) without
 * places. A name that occurs twice or begins with ESPALIER_ is an error. No words are fine. */
int template_parse_env(struct template *t, const char *text, struct err *err);
void template_release(struct template *t);

/* Return place i, in the order of the text; NULL: there are only i places. A name occurs as often as in
 * the text. */
const struct template_piece *template_place(const struct template *t, size_t i);
/* The name of a place. */
const char *template_name(const struct template *t, const struct template_piece *place);
/* True if the place may lack a value. */
bool template_is_optional(const struct template_piece *place);

/* The meaning of the value of a flag: 1 for yes, true and 1, 0 for no, false and 0, -1 for another one. */
int template_flag(const char *value);

/* Return the value of a name. NULL: there is none; without brackets or a flag the expansion fails. */
typedef const char *template_value(void *source, const char *name);

struct template_words {
    char **word; /* [n + 1] one owned block; word[n] is NULL */
    size_t n;
};

/* Replace the places. A command gives its argv, a shell template the shell with its options and the text, and an
 * environment its "NAME=text". -1: a name without a value, a wrong flag, or out of memory; out is then
 * empty. */
int template_expand(struct template_words *out, const struct template *t, template_value *value,
                    void *source, struct err *err);
/* Append the words in front of the text of a shell template, each with its NUL, and count them; then maybe
 * the beginning of the text.
 *
 * A pipe fails if one of its programs does (pipefail): otherwise a program that crashes in front of
 * `| sed` would be a success. bash: its path. NULL: /bin/sh must have pipefail, or it refuses a text with
 * a sign | other than || and >|. */
void template_put_shell(struct buf *out, size_t *n, const struct template *t, const char *bash);

/* Return the path of bash on this system; NULL: it has none. */
const char *template_bash(void);

/* Make words of n texts, each with its NUL, and release the text. -1: out of memory; out is then empty. */
int template_words_take(struct template_words *out, struct buf *text, size_t n, struct err *err);
void template_words_release(struct template_words *words);

/* Append a command as a line for a shell, with quotes only where they are needed. */
void template_put_command(struct buf *out, const struct template_words *argv);

#endif
