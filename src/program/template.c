/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/escape.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS "0123456789"
#define BLANKS " \t\r\n"

enum { NAME_BYTES = 63 };

struct parser {
    struct template *t;
    const char *text;
    const char *at;
    struct buf piece; /* literal text so far */
    bool in_word;     /* a word has begun */
    bool is_fresh;    /* and has no piece yet */
    bool is_quoted;   /* and quotes or a backslash stand in it */
    char quote;       /* ' or " that is open; 0: none */
    const char *quote_at;
    const char *group_end; /* ] of the brackets that are open; NULL: none */
    size_t n_groups;
    /* Shell templates only. */
    char last;    /* previous character that can combine with the next, as $ with ( */
    char closing; /* end of the ${NAME} or "$(...)" that is open; 0: none */
    bool is_comment;
    const char *unclear; /* construct after which quotes are not followed; NULL: none yet */
    struct err *err;
};

static int fail(struct parser *p, const char *at, const char *what, const char *detail)
{
    return err_set(p->err, "byte %zu: %s%s", (size_t)(at - p->text) + 1, what, detail);
}

static int add_piece(struct parser *p, const char *text, size_t n, struct template_piece piece)
{
    struct template *t = p->t;

    /* Twice the room whenever the number is a power of two. */
    if (!(t->n & (t->n - 1))) {
        struct template_piece *grown = realloc(t->pieces, (t->n ? 2 * t->n : 1) * sizeof *grown);

        if (!grown)
            return err_nomem(p->err, "template", t->n * sizeof *grown);
        t->pieces = grown;
    }
    piece.text = t->texts.size;
    piece.begins_word = p->is_fresh;
    piece.is_quoted = p->is_quoted;
    piece.group = p->group_end ? p->n_groups : 0;
    buf_add(&t->texts, text, n);
    buf_putc(&t->texts, '\0');
    t->pieces[t->n++] = piece;
    p->is_fresh = false;
    return 0;
}

static int flush(struct parser *p)
{
    int rc = 0;

    if (p->piece.size)
        rc = add_piece(p, p->piece.data, p->piece.size, (struct template_piece){0});
    buf_clear(&p->piece);
    return rc;
}

static void begin_word(struct parser *p)
{
    if (p->in_word)
        return;
    p->in_word = p->is_fresh = true;
    p->is_quoted = false;
}

static int end_word(struct parser *p)
{
    int rc = flush(p);

    if (!rc && p->is_fresh)
        rc = add_piece(p, "", 0, (struct template_piece){0});
    p->in_word = p->is_fresh = false;
    return rc;
}

static void put(struct parser *p, char c)
{
    begin_word(p);
    buf_putc(&p->piece, c);
}

/* A list stands between blanks or brackets. */
static bool is_alone(const struct parser *p, const char *after)
{
    bool begins = p->t->is_shell ? strchr(BLANKS ";&|()", p->last) != NULL : !p->in_word;

    return begins && !p->quote &&
           (!*after || after == p->group_end ||
            strchr(p->t->is_shell ? BLANKS ";&|()<>" : BLANKS, *after));
}

/* Parse the place at p->at. */
static int take_place(struct parser *p)
{
    const char *name = p->at + 1;
    const char *end = strchr(name, '}');
    struct template_piece place = {.at = (size_t)(p->at - p->text) + 1, .is_place = true};
    const char *colon = end ? memchr(name, ':', (size_t)(end - name)) : NULL, *name_end = end;
    char shown[NAME_BYTES + 3];

    if (!end)
        return fail(p, p->at, "{ is not closed by }; write {{ for a brace", "");
    snprintf(shown, sizeof shown, "%.*s", (int)(end - name < 40 ? end - name : 40), name);
    place.is_list = end - name > 3 && !memcmp(end - 3, "...", 3);
    name_end = colon ? colon : place.is_list ? end - 3 : end;
    if (strspn(name, DIGITS ".-") || !*name || name == name_end ||
        strspn(name, LETTERS DIGITS ".-") < (size_t)(name_end - name))
        return err_set(
            p->err,
            "byte %zu: {%s} is no name: must consist of letters, digits, '_', '.' and '-', "
            "and begin with a letter or '_'; write {{ and }} for braces",
            place.at, shown);
    if (name_end - name > NAME_BYTES)
        return err_set(p->err, "byte %zu: {%s...}: a name has at most %d bytes", place.at, shown,
                       NAME_BYTES);
    if (colon && (colon + 1 == end || strcspn(colon + 1, BLANKS "}") < (size_t)(end - colon - 1)))
        return err_set(p->err, "byte %zu: {%s}: after the colon stands one word, as in {x:--flag}",
                       place.at, shown);
    if (place.is_list && !colon && !is_alone(p, end + 1))
        return err_set(p->err, "byte %zu: {%s} must be a word of its own, without quotes", place.at,
                       shown);
    place.is_list &= !colon;
    begin_word(p);
    place.quote = p->t->is_shell ? p->quote : 0;
    p->at = end + 1;
    if (flush(p) || add_piece(p, name, (size_t)(name_end - name), place))
        return -1;
    if (colon) {
        p->t->pieces[p->t->n - 1].flag = p->t->texts.size;
        buf_add(&p->t->texts, colon + 1, (size_t)(end - colon - 1));
        buf_putc(&p->t->texts, '\0');
    }
    return 0;
}

/* The ] of brackets that begin at `open`, have a place between them, and end a word; NULL: characters. */
static const char *find_group(const struct parser *p, const char *open)
{
    const char *ends = p->t->is_shell ? BLANKS ";&|()<>" : BLANKS, *at = open + 1;
    bool has_place = false;
    char quote = 0;

    if (strchr(BLANKS "[", *at))
        return NULL;
    for (; *at && (quote || *at != ']'); at++) {
        if (quote ? *at == quote : *at == '\'' || *at == '"')
            quote = quote ? 0 : *at;
        else if (*at == '\\' && quote != '\'' && at[1])
            at++;
        else if (*at == '{' && at[1] == '{')
            at++;
        else if (*at == '{')
            has_place = true;
        else if (*at == '[' && !quote)
            return NULL;
    }
    return *at && has_place && !strchr(BLANKS, at[-1]) && (!at[1] || strchr(ends, at[1])) ? at
                                                                                          : NULL;
}

/* Take [ or ] of a group. 0: they are characters, -1: an error. */
static int take_bracket(struct parser *p, bool begins_word)
{
    int rc = 1;

    if (p->at == p->group_end) {
        rc = p->t->is_shell ? flush(p) : end_word(p);
        p->group_end = NULL;
    } else if (*p->at == '[' && begins_word && !p->group_end) {
        const char *end = find_group(p, p->at);

        if (!end)
            return 0;
        rc = flush(p);
        p->group_end = end;
        p->n_groups++;
    } else {
        return 0;
    }
    p->at++;
    return rc < 0 ? -1 : 1;
}

/* Return 1 if p->at is {{ or }}, 0 for a place, -1 for an error. */
static int read_brace(struct parser *p)
{
    if (p->at[1] == *p->at)
        return 1;
    return *p->at == '{' ? 0 : fail(p, p->at, "a single }: write }} for a brace", "");
}

/* A backslash outside single quotes. */
static void take_backslash(struct parser *p)
{
    char next = p->at[1];

    if (!next || (p->quote && !strchr("$`\"\\\n", next))) {
        put(p, '\\');
        p->at++;
        return;
    }
    if (next != '\n')
        put(p, next);
    p->at += 2;
}

static int take_in_words(struct parser *p)
{
    char c = *p->at;
    int brace, bracket = p->quote ? 0 : take_bracket(p, !p->in_word);

    if (bracket)
        return bracket < 0 ? -1 : 0;
    if (c == '{' || c == '}') {
        brace = read_brace(p);
        if (brace <= 0)
            return brace ? -1 : take_place(p);
        put(p, c);
        p->at += 2;
        return 0;
    }
    if (c == '\\' && p->quote != '\'') {
        take_backslash(p);
        p->is_quoted = true;
        return 0;
    }
    p->at++;
    if (p->quote ? c == p->quote : c == '\'' || c == '"') {
        begin_word(p);
        p->is_quoted = true;
        p->quote_at = p->at - 1;
        p->quote = p->quote ? 0 : c;
    } else if (!p->quote && strchr(" \t\r\n", c)) {
        return end_word(p);
    } else {
        put(p, c);
    }
    return 0;
}

/* Follow the shell's quotes over one character that is not escaped. */
static void follow(struct parser *p, char c)
{
    char last = p->last;

    p->last = c;
    if (p->unclear || p->is_comment) {
        p->is_comment = p->is_comment && c != '\n';
    } else if (p->closing) {
        if (c == p->closing)
            p->closing = 0;
        else if (p->closing == '}' ? !strchr(LETTERS DIGITS, c) : strchr("\"'`\\#({}<", c) != NULL)
            p->unclear = p->closing == '}' ? "${...}" : "\"$(...)\"";
    } else if (p->quote == '\'') {
        p->quote = c == '\'' ? 0 : '\'';
        p->last = 'x';
    } else if (c == '`') {
        p->unclear = "a backtick";
    } else if (c == '{' && last == '$') {
        p->closing = '}';
    } else if (c == '"') {
        p->quote = p->quote ? 0 : c;
        p->quote_at = p->at;
        p->last = 'x';
    } else if (p->quote) {
        p->closing = c == '(' && last == '$' ? ')' : 0;
    } else if (c == '\'') {
        p->unclear = last == '$' ? "$'" : NULL;
        p->quote = c;
        p->quote_at = p->at;
    } else if ((c == '<' || c == '(') && last == c) {
        p->unclear = c == '<' ? "<<" : "((";
    } else if (c == '#' && strchr(" \t\n;&|()<>", last)) {
        p->is_comment = true;
    }
}

/* A place of a shell template: refuse it where the shell might interpret its value. */
static int check_place(struct parser *p)
{
    const char *end = strchr(p->at, '}');
    int n = end ? (int)(end - p->at - 1) : 0;

    if (n <= 0 || n > NAME_BYTES) /* take_place() reports it */
        return 0;
    if (p->last == '$' && p->quote != '\'')
        return err_set(p->err,
                       "byte %zu: ${%.*s}: write {%.*s} for the value, or ${{%.*s}} for a variable "
                       "of the shell",
                       (size_t)(p->at - p->text), n, p->at + 1, n, p->at + 1, n, p->at + 1);
    if (p->is_comment)
        return fail(p, p->at, "a place in a comment", "; write {{ and }} for braces");
    if (p->unclear || p->closing)
        return err_set(p->err,
                       "byte %zu: {%.*s} cannot be quoted safely after %s; before that, write "
                       "x={%.*s}; and here \"$x\"",
                       (size_t)(p->at - p->text) + 1, n, p->at + 1,
                       p->unclear          ? p->unclear
                       : p->closing == ')' ? "\"$("
                                           : "${",
                       n, p->at + 1);
    return 0;
}

static int take_shell_brace(struct parser *p)
{
    int brace = read_brace(p);

    if (brace > 0) {
        follow(p, *p->at);
        put(p, *p->at);
        p->at += 2;
        return 0;
    }
    if (brace || check_place(p) || take_place(p))
        return -1;
    p->last = 'x';
    return 0;
}

/* A backslash that the shell interprets. */
static void take_shell_backslash(struct parser *p)
{
    char next = p->at[1];
    bool is_pair = next && (!p->quote || strchr("$`\"\\\n", next));

    put(p, '\\');
    /* In front of a value it would escape the quote that ends the text. */
    if (p->quote && next == '{' && p->at[2] != '{')
        put(p, '\\');
    if (is_pair)
        put(p, next);
    p->at += 1 + is_pair;
    if (!is_pair || next != '\n') /* else the lines are joined */
        p->last = 'x';
}

static int take_in_shell(struct parser *p)
{
    char c = *p->at;
    bool is_code = !p->quote && !p->is_comment && !p->unclear && !p->closing;
    int bracket = is_code ? take_bracket(p, strchr(BLANKS ";&|(", p->last) != NULL) : 0;

    if (bracket) {
        p->last = p->group_end ? ' ' : 'x';
        return bracket < 0 ? -1 : 0;
    }
    if (c == '\\' && p->quote != '\'' && !p->is_comment && !p->unclear && !p->closing) {
        take_shell_backslash(p);
        return 0;
    }
    if (c == '{' || c == '}')
        return take_shell_brace(p);
    follow(p, c);
    put(p, c);
    p->at++;
    return 0;
}

static int parse(struct template *t, const char *text, bool is_shell, struct err *err)
{
    struct parser p = {.t = t, .text = text, .at = text, .last = '\n', .err = err};
    int rc = 0;

    *t = (struct template){.is_shell = is_shell};
    while (!rc && *p.at)
        rc = is_shell ? take_in_shell(&p) : take_in_words(&p);
    if (!rc && p.quote && !p.unclear)
        rc =
            fail(&p, p.quote_at, p.quote == '"' ? "the quote \"" : "the quote '", " is not closed");
    if (!rc && p.in_word)
        rc = end_word(&p);
    if (!rc && (buf_failed(&p.piece) || buf_failed(&t->texts)))
        rc = err_nomem(err, "template", strlen(text));
    buf_release(&p.piece);
    if (rc)
        template_release(t);
    return rc;
}

static const char *piece_text(const struct template *t, size_t i)
{
    return t->texts.data + t->pieces[i].text;
}

/* The first word must not be a constant without a character other than blanks, or be left out. */
static int check_command(struct template *t, struct err *err)
{
    const char *text = t->n ? piece_text(t, 0) : "";

    if (t->n && (t->is_shell || !(template_is_optional(t->pieces) || t->pieces->is_list)) &&
        (t->pieces->is_place || text[strspn(text, BLANKS)] ||
         (t->n > 1 && !t->pieces[1].begins_word)))
        return 0;
    template_release(t);
    return err_set(err, "names no program: must be a program and its arguments");
}

int template_parse(struct template *t, const char *text, struct err *err)
{
    return parse(t, text, false, err) || check_command(t, err) ? -1 : 0;
}

int template_parse_shell(struct template *t, const char *text, struct err *err)
{
    return parse(t, text, true, err) || check_command(t, err) ? -1 : 0;
}

/* Check word number i of an environment, which begins with piece `first`. */
static int check_variable(const struct template *t, size_t first, struct err *err)
{
    static const char reserved[] = "ESPALIER_";
    const char *word = piece_text(t, first);
    size_t n = t->pieces[first].is_place ? 0 : strcspn(word, "=");
    int shown = (int)(n < 40 ? n : 40);

    if (!n || word[n] != '=')
        return err_set(err,
                       t->pieces[first].is_place ? "'{%.63s}': must be NAME=text"
                                                 : "'%.40s': must be NAME=text",
                       word);
    if (strspn(word, LETTERS DIGITS) != n || strspn(word, DIGITS))
        return err_set(err,
                       "'%.*s' is no name of a variable: must consist of letters, digits and '_', "
                       "and begin with a letter or '_'",
                       shown, word);
    if (!strncmp(word, reserved, sizeof reserved - 1))
        return err_set(err, "%.*s: names that begin with ESPALIER_ are set by espalier", shown,
                       word);
    for (size_t i = 0; i < first; i++)
        if (t->pieces[i].begins_word && !strncmp(piece_text(t, i), word, n + 1))
            return err_set(err, "%.*s occurs twice", shown, word);
    return 0;
}

int template_parse_env(struct template *t, const char *text, struct err *err)
{
    if (parse(t, text, false, err))
        return -1;
    for (size_t i = 0; i < t->n; i++) {
        const struct template_piece *p = &t->pieces[i];
        int rc = 0;

        if (p->is_list)
            rc = err_set(err, "byte %zu: {%s...} is only for commands", p->at, piece_text(t, i));
        else if (p->begins_word)
            rc = check_variable(t, i, err);
        if (rc) {
            template_release(t);
            return -1;
        }
    }
    return 0;
}

void template_release(struct template *t)
{
    buf_release(&t->texts);
    free(t->pieces);
    *t = (struct template){0};
}

const struct template_piece *template_place(const struct template *t, size_t i)
{
    for (size_t k = 0; k < t->n; k++)
        if (t->pieces[k].is_place && i-- == 0)
            return &t->pieces[k];
    return NULL;
}

const char *template_name(const struct template *t, const struct template_piece *place)
{
    return t->texts.data + place->text;
}

bool template_is_optional(const struct template_piece *place)
{
    return place->flag || place->group;
}

int template_flag(const char *value)
{
    static const char *const words[] = {"no", "false", "0", "yes", "true", "1"};

    for (int i = 0; i < 6; i++)
        if (!strcasecmp(value, words[i]))
            return i / 3;
    return -1;
}

/* Values for the places of a template. */
struct env_values {
    const struct template *t;
    template_value *value;
    void *source;
};

/* A name in the brackets around the piece has no value. */
static bool is_left_out(const struct env_values *v, const struct template_piece *piece)
{
    const struct template *t = v->t;

    for (size_t i = 0; piece->group && i < t->n; i++)
        if (t->pieces[i].group == piece->group && t->pieces[i].is_place && !t->pieces[i].flag &&
            !v->value(v->source, piece_text(t, i)))
            return true;
    return false;
}

static void put_value(struct buf *out, const struct env_values *v,
                      const struct template_piece *piece, const char *text)
{
    char quote = piece->quote;

    if (!v->t->is_shell) {
        buf_puts(out, text);
        return;
    }
    buf_puts(out, quote == '"' ? "\"'" : quote ? "" : "'");
    escape_single_quoted(out, text);
    buf_puts(out, quote == '"' ? "'\"" : quote ? "" : "'");
}

/* Append the words of a value; of a command each but the last with a NUL, which counts it. */
static int put_list(struct buf *out, size_t *n, const struct env_values *v,
                    const struct template_piece *piece, const char *text)
{
    char *copy = strdup(text), *rest = copy, *word;
    bool is_first = true;

    if (!copy)
        return -1;
    while ((word = strsep(&rest, BLANKS))) {
        if (!*word)
            continue;
        if (!is_first)
            buf_putc(out, v->t->is_shell ? ' ' : '\0');
        *n += !is_first && !v->t->is_shell;
        is_first = false;
        put_value(out, v, piece, word);
    }
    free(copy);
    return 0;
}

static int put_place(struct buf *out, size_t *n, const struct env_values *v,
                     const struct template_piece *piece, struct err *err)
{
    const char *name = v->t->texts.data + piece->text, *text = v->value(v->source, name);
    const char *flag = v->t->texts.data + piece->flag;
    int is_set = piece->flag && text ? template_flag(text) : 0;

    if (is_set < 0)
        return err_set(err, "{%s:%s}: '%.40s' must be yes, true or 1, or no, false or 0", name,
                       flag, text);
    if (!text && !piece->flag)
        return err_set(err, "{%s} has no value", name);
    if (piece->is_list)
        return put_list(out, n, v, piece, text) ? err_nomem(err, "command", strlen(text)) : 0;
    if (is_set || !piece->flag)
        put_value(out, v, piece, piece->flag ? flag : text);
    return 0;
}

const char *template_bash(void)
{
    static const char *const paths[] = {"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"};

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (!access(paths[i], X_OK))
            return paths[i];
    return NULL;
}

static bool has_pipe(const struct template *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const char *text = piece_text(t, i);

        for (const char *at = text; !t->pieces[i].is_place && (at = strchr(at, '|'));
             at += 1 + (at[1] == '|'))
            if (at[1] != '|' && (at == text || at[-1] != '>'))
                return true;
    }
    return false;
}

void template_put_shell(struct buf *out, size_t *n, const struct template *t, const char *bash)
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

/* Append the words, each with a NUL. */
static int put_words(struct buf *out, size_t *n, const struct template *t, template_value *value,
                     void *source, struct err *err)
{
    const struct env_values v = {t, value, source};

    if (t->is_shell)
        template_put_shell(out, n, t, template_bash());
    for (size_t i = 0; i < t->n;) {
        size_t begin = out->size;
        bool is_word = false; /* more than flags and lists, which may be nothing */

        do {
            const struct template_piece *piece = &t->pieces[i];

            if (is_left_out(&v, piece))
                continue;
            is_word |= piece->is_quoted || !(piece->is_place && (piece->flag || piece->is_list));
            if (!piece->is_place)
                buf_puts(out, piece_text(t, i));
            else if (put_place(out, n, &v, piece, err))
                return -1;
        } while (++i < t->n && !t->pieces[i].begins_word);
        if (is_word || out->size > begin) {
            buf_putc(out, '\0');
            ++*n;
        }
    }
    return 0;
}

int template_words_take(struct template_words *out, struct buf *text, size_t n, struct err *err)
{
    size_t pointers = (n + 1) * sizeof *out->word;
    char *next;

    *out = (struct template_words){.n = n};
    out->word = buf_failed(text) ? NULL : malloc(pointers + text->size);
    if (!out->word) {
        buf_release(text);
        return err_nomem(err, "command", pointers);
    }
    next = (char *)out->word + pointers;
    if (text->size)
        memcpy(next, text->data, text->size);
    buf_release(text);
    for (size_t i = 0; i < n; next += strlen(next) + 1)
        out->word[i++] = next;
    out->word[n] = NULL;
    return 0;
}

int template_expand(struct template_words *out, const struct template *t, template_value *value,
                    void *source, struct err *err)
{
    struct buf text = {0};
    size_t n = 0;

    *out = (struct template_words){0};
    if (!put_words(&text, &n, t, value, source, err))
        return template_words_take(out, &text, n, err);
    buf_release(&text);
    return -1;
}

void template_words_release(struct template_words *words)
{
    free(words->word);
    *words = (struct template_words){0};
}

void template_put_command(struct buf *out, const struct template_words *argv)
{
    for (size_t i = 0; i < argv->n; i++) {
        const char *word = argv->word[i];

        buf_puts(out, i ? " " : "");
        /* The shell takes a first word such as A=b for an assignment. */
        if (!i && strchr(word, '=')) {
            buf_putc(out, '\'');
            escape_single_quoted(out, word);
            buf_putc(out, '\'');
        } else {
            escape_shell_word(out, word);
        }
    }
}
