/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/command/reference.h"

#include <stdio.h>
#include <string.h>

#include "cli/command/command.h"
#include "grid/param.h"

struct writer {
    const char *commands_begin;
    const char *common_begin; /* NULL: the page of commands has no list of shared options */
    void (*group)(struct buf *out, const char *title); /* NULL: commands are not grouped */
    void (*command)(struct buf *out, const struct command *c);
    const char *options_begin, *options_end;
    void (*option)(struct buf *out, const struct option_row *o);
    const char *shared_begin, *shared_before, *shared_after, *shared_between, *shared_end;
    const char *settings_begin;
    const char *section_begin, *section_title_end, *section_end;
    void (*setting)(struct buf *out, enum param_id id);
};

/* It has every shared option. */
static const struct command all_common = {.name = "",
                                          .common = COMMON_DB | COMMON_FORMAT | COMMON_WIDE};
/* A command that has only those of every command. */
static const struct command every_command = {.name = ""};

/* ---- mdoc ---- */

/* Each sentence has its own line, as mdoc wants it. Requests and escapes of roff are quoted. An
 * empty line begins a paragraph. */
static void put_mdoc_text(struct buf *out, const char *text)
{
    bool at_start = true;

    for (; *text; text++) {
        if (at_start && (*text == '.' || *text == '\''))
            buf_puts(out, "\\&");
        at_start = false;
        if (!strncmp(text, "\n\n", 2)) {
            buf_puts(out, "\n.Pp\n");
            text++;
            at_start = true;
        } else if (*text == '\\') {
            buf_puts(out, "\\e");
        } else if (text[0] == '.' && text[1] == ' ') {
            buf_puts(out, ".\n");
            text++;
            at_start = true;
        } else {
            buf_putc(out, *text);
        }
    }
    buf_putc(out, '\n');
}

/* "[DB] ID" becomes Oo Ar DB Oc Ar ID. */
static void put_mdoc_operands(struct buf *out, const char *operands)
{
    bool is_open = false;

    for (; *operands; operands++) {
        if (*operands == '[' || *operands == ']') {
            buf_puts(out, *operands == '[' ? " Oo" : " Oc");
            is_open = false;
        } else if (*operands != ' ' || is_open) {
            if (!is_open)
                buf_puts(out, " Ar ");
            is_open = true;
            buf_putc(out, *operands);
        }
    }
}

static void put_mdoc_option(struct buf *out, const struct option_row *o)
{
    const char *standard = option_default(o);
    struct buf help = {0};

    buf_puts(out, ".It ");
    if (o->letter)
        buf_printf(out, "Fl %c , ", o->letter);
    buf_printf(out, "Fl -%s", o->name);
    if (o->argument)
        buf_printf(out, " Ar %s", o->argument);
    buf_putc(out, '\n');
    option_put_help(&help, o);
    put_mdoc_text(out, buf_text(&help));
    out->failed |= buf_failed(&help);
    buf_release(&help);
    if (standard && *standard)
        buf_printf(out, "Default: %s.\n", standard);
}

static void put_mdoc_command(struct buf *out, const struct command *c)
{
    buf_printf(out, ".It Nm Cm %s", c->name);
    if (!c->takes_words)
        buf_puts(out, " Oo Ar options Oc");
    put_mdoc_operands(out, c->operands);
    buf_putc(out, '\n');
    put_mdoc_text(out, c->summary);
    if (c->about)
        put_mdoc_text(out, c->about);
}

static void put_mdoc_setting(struct buf *out, enum param_id id)
{
    const struct param *p = &param_table[id];
    struct buf allowed = {0};

    param_allowed_in_unit(&allowed, id);
    buf_printf(out, ".It Li %s\n", p->key);
    put_mdoc_text(out, p->help);
    buf_puts(out, ".Pp\nAllowed: ");
    put_mdoc_text(out, buf_text(&allowed));
    if (p->flags & PARAM_REQUIRED)
        buf_puts(out, "(required)\n");
    else if (*p->default_text)
        buf_printf(out, "(default: %s)\n", p->default_text);
    if (p->flags & PARAM_AXIS)
        buf_puts(out, "(may be an axis)\n");
    buf_release(&allowed);
}

static const struct writer mdoc = {
    .commands_begin = "",
    .command = put_mdoc_command,
    .options_begin = ".Bl -tag -width Ds\n",
    .options_end = ".El\n",
    .option = put_mdoc_option,
    .shared_begin = ".Pp\nShared options:\n",
    .shared_before = ".Fl -",
    .shared_after = "",
    .shared_between = " ,\n",
    .shared_end = " .\n",
    .settings_begin = "",
    .section_begin = ".Ss Section ",
    .section_title_end = "\n.Bl -tag -width Ds\n",
    .section_end = ".El\n",
    .setting = put_mdoc_setting,
};

/* ---- Markdown ---- */

static void put_cell(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            buf_putc(out, '\\');
        buf_putc(out, *text);
    }
}

static void put_code_cell(struct buf *out, const char *text)
{
    if (!*text)
        return;
    buf_putc(out, '`');
    put_cell(out, text);
    buf_putc(out, '`');
}

static void put_markdown_option(struct buf *out, const struct option_row *o)
{
    const char *standard = option_default(o);
    bool is_code = standard && standard == o->default_text;
    struct buf help = {0};
    char left[80];

    snprintf(left, sizeof left, "--%s%s%s", o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
    buf_puts(out, "| ");
    if (o->letter)
        buf_printf(out, "`-%c`, ", o->letter);
    put_code_cell(out, left);
    buf_puts(out, " | ");
    option_put_help(&help, o);
    put_cell(out, buf_text(&help));
    out->failed |= buf_failed(&help);
    buf_release(&help);
    buf_puts(out, " | ");
    if (standard && (is_code || o->type == OPTION_SETTING))
        put_code_cell(out, standard);
    else if (standard)
        put_cell(out, standard);
    buf_puts(out, " |\n");
}

static void put_markdown_group(struct buf *out, const char *title)
{
    buf_printf(out, "\n## %s\n", title);
}

static void put_markdown_command(struct buf *out, const struct command *c)
{
    buf_printf(out, "\n### espalier %s\n\n```text\nespalier %s%s%s%s\n```\n\n%s\n", c->name,
               c->name, c->takes_words ? "" : " [OPTIONS]", *c->operands ? " " : "", c->operands,
               c->summary);
    if (c->about)
        buf_printf(out, "\n%s\n", c->about);
    if (c->examples)
        buf_puts(out, "\n```sh\n");
    for (const struct example *e = c->examples; e && e->line; e++)
        buf_printf(out, "%s# %s\n%s\n", e == c->examples ? "" : "\n", e->what, e->line);
    if (c->examples)
        buf_puts(out, "```\n");
}

static void put_markdown_setting(struct buf *out, enum param_id id)
{
    const struct param *p = &param_table[id];
    struct buf allowed = {0};

    param_allowed_in_unit(&allowed, id);
    buf_printf(out, "| `%s` | ", p->key);
    put_cell(out, p->help);
    buf_puts(out, " | ");
    put_cell(out, buf_text(&allowed));
    buf_puts(out, " | ");
    if (p->flags & PARAM_REQUIRED)
        buf_puts(out, "required");
    else
        put_code_cell(out, p->default_text);
    buf_printf(out, " | %s |\n", p->flags & PARAM_AXIS ? "yes" : "");
    buf_release(&allowed);
}

static const struct writer markdown = {
    .commands_begin =
        "# Commands\n\n<!-- Written by 'espalier help --format markdown commands'. -->\n",
    .common_begin = "\n## Common options\n\nSeveral commands share these options. `-q`, `-v`, "
                    "`--color` and `-h` work with\nevery command; the first three may also precede "
                    "it.\n",
    .group = put_markdown_group,
    .command = put_markdown_command,
    .options_begin = "\n| option | meaning | default |\n|---|---|---|\n",
    .options_end = "",
    .option = put_markdown_option,
    .shared_begin = "\n[Common options](#common-options): ",
    .shared_before = "`--",
    .shared_after = "`",
    .shared_between = ", ",
    .shared_end = ".\n",
    .settings_begin =
        "# Settings\n\n<!-- Written by 'espalier help --format markdown settings'. -->\n\n"
        "The keys of a sweep file, by section. A setting that may be an axis can stand in "
        "`[grid]`\nwith several values instead. `espalier params` prints the same list.\n",
    .section_begin = "\n## [",
    .section_title_end =
        "]\n\n| key | meaning | allowed | default | axis |\n|---|---|---|---|---|\n",
    .section_end = "",
    .setting = put_markdown_setting,
};

/* ---- what is written ---- */

static void put_options(struct buf *out, const struct writer *w, const struct command *c,
                        bool is_own)
{
    const struct option_row *o;
    int n = 0;

    for (int i = 0; (o = command_option(c, i)); i++) {
        if (o->is_hidden || command_owns(c, o) != is_own)
            continue;
        buf_puts(out, n++ ? "" : w->options_begin);
        w->option(out, o);
    }
    buf_puts(out, n ? w->options_end : "");
}

/* The names of the shared options that not every command has. */
static void put_shared(struct buf *out, const struct writer *w, const struct command *c)
{
    const struct option_row *o;
    int n = 0;

    for (int i = 0; (o = command_option(c, i)); i++) {
        if (command_owns(c, o) || command_find_option(&every_command, o->name))
            continue;
        buf_puts(out, n++ ? w->shared_between : w->shared_begin);
        buf_printf(out, "%s%s%s", w->shared_before, o->name, w->shared_after);
    }
    buf_puts(out, n ? w->shared_end : "");
}

static void put_command(struct buf *out, const struct writer *w, const struct command *c)
{
    w->command(out, c);
    put_options(out, w, c, true);
    put_shared(out, w, c);
}

static void put_commands(struct buf *out, const struct writer *w)
{
    buf_puts(out, w->commands_begin);
    for (int g = 0; g < N_COMMAND_GROUPS; g++) {
        if (w->group)
            w->group(out, command_group_title((enum command_group)g));
        for (const struct command *const *c = commands; *c; c++)
            if ((int)(*c)->group == g)
                put_command(out, w, *c);
    }
    if (w->common_begin) {
        buf_puts(out, w->common_begin);
        put_options(out, w, &all_common, false);
    }
}

static void put_settings(struct buf *out, const struct writer *w)
{
    const char *section = "";

    buf_puts(out, w->settings_begin);
    for (int id = 0; id < P_COUNT; id++) {
        if (strcmp(section, param_table[id].section) != 0)
            buf_printf(out, "%s%s%s%s", *section ? w->section_end : "", w->section_begin,
                       param_table[id].section, w->section_title_end);
        section = param_table[id].section;
        w->setting(out, (enum param_id)id);
    }
    buf_puts(out, w->section_end);
}

bool reference_put(struct buf *out, const char *topic, enum reference_format format)
{
    static const struct writer *const writers[] = {
        [REFERENCE_MAN] = &mdoc, [REFERENCE_MARKDOWN] = &markdown};
    const struct command *command = command_find(topic);
    const struct writer *w = writers[format];

    if (!strcmp(topic, "commands"))
        put_commands(out, w);
    else if (!strcmp(topic, "common"))
        put_options(out, w, &all_common, false);
    else if (!strcmp(topic, "settings"))
        put_settings(out, w);
    else if (command && command->group != GROUP_HIDDEN)
        put_command(out, w, command);
    else
        return false;
    return true;
}
