/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/command/complete.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/escape.h"
#include "cli/command/command.h"
#include "cli/command/parse.h"
#include "data/text/file_names.h"
#include "grid/param.h"
#include "launch/environment.h"
#include "store/query/query.h"

enum { LONGEST_SUMMARY = 60 };

enum insertion {
    INSERT_WORD, /* with a blank behind it */
    INSERT_FILE, /* likewise, quoted as a file name; folders end in '/' and have no blank */
    INSERT_OPEN  /* without a blank */
};

struct candidates {
    struct buf lines;
    enum insertion insertion;
    const char *before; /* before the part to complete: "--db=" */
    int n_before;
    const char *word; /* the part to complete */
};

/* Return the length of the first sentence or clause. */
static int length_of_summary(const char *text)
{
    size_t n = strcspn(text, ";");
    const char *end = strstr(text, ". ");

    if (end && (size_t)(end - text) < n)
        n = (size_t)(end - text);
    if (n && text[n - 1] == '.')
        n--;
    if (n > LONGEST_SUMMARY) {
        end = memrchr(text, ' ', LONGEST_SUMMARY);
        n = end ? (size_t)(end - text) : LONGEST_SUMMARY;
    }
    return (int)n;
}

static void offer(struct candidates *c, const char *candidate, const char *description)
{
    struct buf copy = {0};

    buf_puts(&copy, candidate);
    if (copy.size)
        escape_terminal(copy.data, false);
    /* Texts of others must not command a terminal or break the protocol. */
    if (!strncmp(candidate, c->word, strlen(c->word)) && !strpbrk(candidate, "\t\n") &&
        !strcmp(buf_text(&copy), candidate))
        buf_printf(&c->lines, "%.*s%s\t%.*s\n", c->n_before, c->before, candidate,
                   length_of_summary(description), description);
    buf_release(&copy);
}

static void offer_list(struct candidates *c, const char *list)
{
    while (*list) {
        size_t n = strcspn(list, "|");
        char item[64];

        snprintf(item, sizeof item, "%.*s", (int)n, list);
        offer(c, item, "");
        list += n + (list[n] == '|');
    }
}

static void skip(struct candidates *c, size_t n)
{
    c->n_before += (int)n;
    c->word += n;
}

/* ---- files ---- */

/* The shell has not replaced "~" yet. If no file has the usual ending, all files are offered. */
static void offer_files(struct candidates *c, enum value_kind kind)
{
    static const char *const endings[] = {[VALUE_GRID] = ".ini", [VALUE_DATABASE] = ".db"};
    const char *slash = strrchr(c->word, '/'), *home = getenv("HOME");
    int n_folder = slash ? (int)(slash - c->word) + 1 : 0;
    bool is_home = n_folder && !strncmp(c->word, "~/", 2) && home;
    struct buf folder = {0}, path = {0};
    struct dirent **entries = NULL;
    int n;

    c->insertion = INSERT_FILE;
    buf_printf(&folder, "%s%.*s",
               is_home    ? home
               : n_folder ? ""
                          : ".",
               n_folder - is_home, c->word + is_home);
    n = scandir(buf_text(&folder), &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        bool is_hidden = *name == '.' && (c->word[n_folder] != '.' || !name[strspn(name, ".")]);
        struct stat st;

        buf_clear(&path);
        buf_printf(&path, "%s/%s", buf_text(&folder), name);
        if (!is_hidden && !stat(buf_text(&path), &st) &&
            (S_ISDIR(st.st_mode) || kind == VALUE_FILE ||
             (kind != VALUE_DIRECTORY && file_names_end_in(name, endings[kind])))) {
            buf_clear(&path);
            buf_printf(&path, "%.*s%s%s", n_folder, c->word, name, S_ISDIR(st.st_mode) ? "/" : "");
            offer(c, buf_text(&path), "");
        }
        free(entries[i]);
    }
    free(entries);
    buf_release(&folder);
    buf_release(&path);
    if (!c->lines.size && kind != VALUE_DIRECTORY && kind != VALUE_FILE)
        offer_files(c, VALUE_FILE);
}

/* ---- settings ---- */

static void offer_keys(struct candidates *c)
{
    bool is_bare = *c->word && !strchr(c->word, '.');
    char name[96];

    c->insertion = INSERT_OPEN;
    for (int id = 0; id < P_COUNT; id++) {
        const struct param *p = &param_table[id];
        const char *const before[] = {p->section, p->flags & PARAM_AXIS ? "grid" : NULL};

        for (int i = 0; i < 2; i++) {
            snprintf(name, sizeof name, "%s.%s=", before[i], p->key);
            if (before[i])
                offer(c, name, p->help);
        }
        snprintf(name, sizeof name, "%s=", p->key);
        if (is_bare)
            offer(c, name, p->help);
    }
}

static void offer_settings(struct candidates *c)
{
    const char *equals = strchr(c->word, '='), *comma;
    bool is_axis = !strncmp(c->word, "grid.", 5);
    const struct param *p;
    enum param_id id;
    char key[96];

    if (!equals) {
        offer_keys(c);
        return;
    }
    snprintf(key, sizeof key, "%.*s", (int)(equals - c->word), c->word);
    id = param_find_name(is_axis ? key + 5 : key);
    skip(c, (size_t)(equals - c->word) + 1);
    comma = is_axis ? strrchr(c->word, ',') : NULL;
    if (comma)
        skip(c, (size_t)(comma - c->word) + 1 + strspn(comma + 1, " "));
    if (id == P_COUNT)
        return;
    p = &param_table[id];
    if (p->type == PARAM_PATH)
        offer_files(c, VALUE_FILE);
    else if (p->type == PARAM_CHOICE)
        offer_list(c, p->choices);
    else if (p->type == PARAM_REDUCTION)
        offer_list(c, "none|exact|pca:");
    else if (*p->default_text)
        offer(c, p->default_text, "default");
    if ((p->type == PARAM_COUNT || p->type == PARAM_FOLDS) &&
        strcmp(p->default_text, p->choices) != 0)
        offer(c, p->choices, "");
}

/* ---- what is in a database ---- */

static void offer_columns(struct candidates *c, struct store *store)
{
    const char *name, *end, *last = NULL;
    struct buf columns = {0};
    size_t n = strlen(c->word);
    bool is_text = false; /* the last character is inside a text of SQL, where no column can be */
    int n_near = 0;
    char text[128];

    c->insertion = INSERT_OPEN;
    for (const char *at = c->word; *at; at++)
        is_text ^= *at == '\'';
    while (n && (isalnum((unsigned char)c->word[n - 1]) || c->word[n - 1] == '_'))
        n--;
    if (!is_text && !query_columns(&columns, store, NULL)) {
        skip(c, n);
        name = buf_text(&columns);
        for (end = name + columns.size; name < end; name += strlen(name) + 1)
            if (!strncmp(name, c->word, strlen(c->word))) {
                offer(c, name, "");
                last = name;
                n_near++;
            }
    }
    /* A shell takes a single candidate for the whole word, and closes the quote before it. So
     * the only column is offered with what may follow it. */
    if (n_near == 1) {
        buf_clear(&c->lines);
        for (const char *sign = "=<>"; *sign; sign++) {
            snprintf(text, sizeof text, "%s %c", last, *sign);
            offer(c, text, "");
        }
    }
    buf_release(&columns);
}

/* The words before the last one. */
struct typed_line {
    const struct command *command;
    const struct option_row *pending; /* the last word is its value; or NULL */
    const char *db;
    const char *operands[2];
    int n_operands;
    bool is_over; /* after "--" */
};

static void offer_from(struct candidates *c, const struct typed_line *line, enum value_kind kind)
{
    const char *variable = getenv(LAUNCH_DB), *db = line->db;
    int at = line->command->db_operand == DB_FIRST ? 0 : 1;
    struct store *store = NULL;
    struct result_table table;

    if (!db && line->command->db_operand != DB_NONE && line->n_operands > at)
        db = line->operands[at];
    if (!db)
        db = variable && *variable ? variable : PARSE_DEFAULT_DB;
    if (store_open_reader(&store, db, NULL))
        return;
    if (kind == VALUE_CONDITION) {
        offer_columns(c, store);
    } else if (!query_table(&table, store, QUERY_SWEEP_NAMES, 0, NULL)) {
        for (int64_t r = 0; r < table.n_rows; r++)
            offer(c, result_table_text(&table, r, "name"), "");
        result_table_release(&table);
    }
    store_close(store);
}

/* ---- the line ---- */

static void take_option(struct typed_line *line, const char *word)
{
    const char *equals = strchr(word, '=');
    const struct option_row *o;
    char name[64];

    if (word[1] == '-') {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
        o = parse_find_long(line->command, name);
        if (o && equals && !strcmp(o->name, "db"))
            line->db = equals + 1;
        line->pending = o && o->argument && !equals ? o : NULL;
        return;
    }
    for (word++; *word; word++) {
        o = parse_find_letter(line->command, *word);
        if (o && o->argument) {
            line->pending = word[1] ? NULL : o;
            return;
        }
    }
}

static void take_word(struct typed_line *line, const char *word)
{
    if (line->pending) {
        if (!strcmp(line->pending->name, "db"))
            line->db = word;
        line->pending = NULL;
    } else if (line->is_over || *word != '-' || !word[1]) {
        if (line->n_operands < 2)
            line->operands[line->n_operands] = word;
        line->n_operands++;
    } else if (!strcmp(word, "--")) {
        line->is_over = true;
    } else {
        take_option(line, word);
    }
}

static void offer_commands(struct candidates *c)
{
    for (const struct command *const *p = commands; *p; p++)
        if ((*p)->group != GROUP_HIDDEN)
            offer(c, (*p)->name, (*p)->summary);
}

static void offer_kind(struct candidates *c, const struct typed_line *line, enum value_kind kind)
{
    const char *section = "";

    switch (kind) {
    case VALUE_TEXT:
        break;
    case VALUE_FILE:
    case VALUE_GRID:
    case VALUE_DATABASE:
    case VALUE_DIRECTORY:
        offer_files(c, kind);
        break;
    case VALUE_SETTING:
        offer_settings(c);
        break;
    case VALUE_CONDITION:
    case VALUE_SWEEP:
        offer_from(c, line, kind);
        break;
    case VALUE_COMMAND:
        offer_commands(c);
        break;
    case VALUE_PARAMETER:
        for (int id = 0; id < P_COUNT; id++) {
            if (strcmp(section, param_table[id].section) != 0)
                offer(c, param_table[id].section, "all settings of this section");
            section = param_table[id].section;
        }
        for (int id = 0; id < P_COUNT; id++)
            offer(c, param_table[id].key, param_table[id].help);
        break;
    case VALUE_SHELL:
        offer_list(c, COMPLETE_SHELLS);
        break;
    }
}

static void offer_all(struct candidates *c, const char *const *words, int n)
{
    struct typed_line line = {0};
    int at = parse_count_common(words, n - 1);
    const char *equals = strchr(c->word, '=');
    enum value_kind kind = VALUE_TEXT;
    const struct command *command;
    const struct option_row *o;
    char name[64];

    if (at == n - 1) {
        offer_commands(c);
        if (*c->word == '-')
            offer_list(c, "--help|--version");
        return;
    }
    command = line.command = command_find(words[at]);
    if (!command)
        return;
    for (int i = at + 1; i < n - 1; i++)
        take_word(&line, words[i]);
    at = line.n_operands;
    if (!line.pending && !line.is_over && !strncmp(c->word, "--", 2) && equals) {
        snprintf(name, sizeof name, "%.*s", (int)(equals - c->word) - 2, c->word + 2);
        line.pending = parse_find_long(command, name);
        if (!line.pending)
            return;
        skip(c, (size_t)(equals - c->word) + 1);
    }
    if (line.pending)
        kind = line.pending->kind;
    else if ((command->db_operand == DB_FIRST && at == 0) ||
             (command->db_operand == DB_LAST && at == command->max_operands))
        kind = VALUE_DATABASE;
    else if (at < command->max_operands)
        kind = command->operand_kind;
    if (line.pending && line.pending->choices)
        offer_list(c, line.pending->choices);
    else if (!line.pending && *c->word == '-' && !line.is_over)
        for (int i = 0; (o = command_option(command, i)); i++) {
            snprintf(name, sizeof name, "--%s", o->name);
            if (!o->is_hidden)
                offer(c, name, o->help);
        }
    else
        offer_kind(c, &line, kind);
}

void complete(struct buf *out, const char *const *words, int n)
{
    static const char *const names[] = {
        [INSERT_WORD] = "words", [INSERT_FILE] = "files", [INSERT_OPEN] = "open"};
    struct candidates c = {.before = words[n - 1], .word = words[n - 1]};

    offer_all(&c, words, n);
    buf_printf(out, "%s\n%s", names[c.insertion], buf_text(&c.lines));
    buf_release(&c.lines);
}
