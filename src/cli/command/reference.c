/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/command/reference.h"

#include <stdio.h>
#include <string.h>

#include "cli/command/command.h"
#include "grid/param.h"

/* How a text is written in a format. */
struct writer {
    struct buf *out;
    enum reference_format format;
};

/* A command that has every shared option, for the list of those. */
static const struct command all_common = {.name = "",
                                          .common = COMMON_DB | COMMON_FORMAT | COMMON_WIDE};

static bool is_listed(const struct option_row *o)
{
    return !o->is_hidden;
}

/* ---- mdoc ---- */

/* Running text: each sentence on a line of its own, as mdoc wants it, and nothing that roff would
 * take for a request or an escape. An empty line in the text begins a paragraph. */
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

/* "[DB] ID" as macros: Oo Ar DB Oc Ar ID. */
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

    buf_puts(out, ".It ");
    if (o->letter)
        buf_printf(out, "Fl %c , ", o->letter);
    buf_printf(out, "Fl -%s", o->name);
    if (o->argument)
        buf_printf(out, " Ar %s", o->argument);
    buf_putc(out, '\n');
    put_mdoc_text(out, o->help);
    if (standard && *standard)
        buf_printf(out, "Default: %s.\n", standard);
}

static void put_mdoc_options(struct buf *out, const struct command *c, bool is_own)
{
    const struct option_row *o;
    int n = 0;

    for (int i = 0; (o = command_option(c, i)); i++) {
        if (!is_listed(o) || command_owns(c, o) != is_own)
            continue;
        if (n++ == 0)
            buf_puts(out, ".Bl -tag -width Ds\n");
        put_mdoc_option(out, o);
    }
    if (n)
        buf_puts(out, ".El\n");
}

/* The shared options that not every command has. */
static void put_mdoc_shared(struct buf *out, const struct command *c)
{
    const struct option_row *o;
    int n = 0;

    for (int i = 0; (o = command_option(c, i)); i++)
        if (!command_owns(c, o) &&
            (!strcmp(o->name, "db") || !strcmp(o->name, "format") || !strcmp(o->name, "wide")))
            buf_printf(out, "%s.Fl -%s", n++ ? " ,\n" : ".Pp\nShared options:\n", o->name);
    if (n)
        buf_puts(out, " .\n");
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
    put_mdoc_options(out, c, true);
    put_mdoc_shared(out, c);
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

static void put_mdoc_settings(struct buf *out)
{
    const char *section = "";

    for (int id = 0; id < P_COUNT; id++) {
        if (strcmp(section, param_table[id].section) != 0)
            buf_printf(out, "%s.Ss Section %s\n.Bl -tag -width Ds\n", *section ? ".El\n" : "",
                       param_table[id].section);
        section = param_table[id].section;
        put_mdoc_setting(out, (enum param_id)id);
    }
    buf_puts(out, ".El\n");
}

/* ---- Markdown ---- */

/* A cell of a table. */
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
    char left[80];

    snprintf(left, sizeof left, "--%s%s%s", o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
    buf_puts(out, "| ");
    if (o->letter)
        buf_printf(out, "`-%c`, ", o->letter);
    put_code_cell(out, left);
    buf_puts(out, " | ");
    put_cell(out, o->help);
    buf_puts(out, " | ");
    if (standard && (is_code || o->type == OPTION_SETTING))
        put_code_cell(out, standard);
    else if (standard)
        put_cell(out, standard);
    buf_puts(out, " |\n");
}

static void put_markdown_options(struct buf *out, const struct command *c, bool is_own)
{
    const struct option_row *o;
    int n = 0;

    for (int i = 0; (o = command_option(c, i)); i++) {
        if (!is_listed(o) || command_owns(c, o) != is_own)
            continue;
        if (n++ == 0)
            buf_puts(out, "\n| option | meaning | default |\n|---|---|---|\n");
        put_markdown_option(out, o);
    }
}

static void put_markdown_shared(struct buf *out, const struct command *c)
{
    const struct option_row *o;
    int n = 0;

    for (int i = 0; (o = command_option(c, i)); i++)
        if (!command_owns(c, o))
            buf_printf(out, "%s`--%s`",
                       n++ ? ", " : "\n[Common options](#common-options): ", o->name);
    if (n)
        buf_puts(out, ".\n");
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
    put_markdown_options(out, c, true);
    put_markdown_shared(out, c);
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

static void put_markdown_settings(struct buf *out)
{
    const char *section = "";

    buf_puts(out,
             "# Settings\n\n<!-- Written by 'espalier help --format markdown settings'. -->\n\n"
             "The keys of a sweep file, by section. A setting that may be an axis can stand in "
             "`[grid]`\nwith several values instead. `espalier params` prints the same list.\n");
    for (int id = 0; id < P_COUNT; id++) {
        if (strcmp(section, param_table[id].section) != 0)
            buf_printf(out,
                       "\n## [%s]\n\n| key | meaning | allowed | default | axis |\n"
                       "|---|---|---|---|---|\n",
                       param_table[id].section);
        section = param_table[id].section;
        put_markdown_setting(out, (enum param_id)id);
    }
}

/* ---- topics ---- */

static void put_commands(const struct writer *w)
{
    if (w->format == REFERENCE_MARKDOWN)
        buf_puts(w->out,
                 "# Commands\n\n<!-- Written by 'espalier help --format markdown commands'. -->\n");
    for (int g = 0; g < N_COMMAND_GROUPS; g++) {
        if (w->format == REFERENCE_MARKDOWN)
            buf_printf(w->out, "\n## %s\n", command_group_title((enum command_group)g));
        for (const struct command *const *c = commands; *c; c++)
            if ((int)(*c)->group == g)
                (w->format == REFERENCE_MAN ? put_mdoc_command : put_markdown_command)(w->out, *c);
    }
    if (w->format == REFERENCE_MARKDOWN) {
        buf_puts(
            w->out,
            "\n## Common options\n\nSeveral commands share these options. `-q`, `-v`, "
            "`--color` and `-h` work with every command; the first three may also precede it.\n");
        put_markdown_options(w->out, &all_common, false);
    }
}

bool reference_put(struct buf *out, const char *topic, enum reference_format format)
{
    const struct writer w = {out, format};
    const struct command *command = command_find(topic);

    if (!strcmp(topic, "commands"))
        put_commands(&w);
    else if (!strcmp(topic, "common"))
        (format == REFERENCE_MAN ? put_mdoc_options : put_markdown_options)(out, &all_common,
                                                                            false);
    else if (!strcmp(topic, "settings"))
        (format == REFERENCE_MAN ? put_mdoc_settings : put_markdown_settings)(out);
    else if (command && command->group != GROUP_HIDDEN)
        (format == REFERENCE_MAN ? put_mdoc_command : put_markdown_command)(out, command);
    else
        return false;
    return true;
}
