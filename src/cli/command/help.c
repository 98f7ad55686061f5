/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/command/help.h"

#include <stdio.h>
#include <string.h>

#include "base/terminal.h"
#include "base/text_width.h"
#include "grid/param.h"

/* Longer lines are hard to read. Shorter ones leave no room for the second column. */
enum { LARGEST_WIDTH = 100, SMALLEST_WIDTH = 40 };
enum { LARGEST_LEFT = 26 };

struct help_page {
    struct buf *out;
    int fd, width;
    int left; /* of the first column, with its margins */
};

static struct help_page begin(struct buf *out, int fd, int left)
{
    int width = terminal_width(fd);

    width = width > LARGEST_WIDTH ? LARGEST_WIDTH : width < SMALLEST_WIDTH ? SMALLEST_WIDTH : width;
    return (struct help_page){.out = out, .fd = fd, .width = width, .left = left};
}

static void put_styled(const struct help_page *page, enum terminal_style style, const char *text)
{
    buf_puts(page->out, terminal_style(page->fd, style));
    buf_puts(page->out, text);
    buf_puts(page->out, terminal_style(page->fd, TERMINAL_PLAIN));
}

static void put_heading(const struct help_page *page, const char *text)
{
    buf_putc(page->out, '\n');
    put_styled(page, TERMINAL_HEADING, text);
    buf_putc(page->out, '\n');
}

/* A row of two columns. The second one begins on a line of its own where the first is too long. */
static void put_row(const struct help_page *page, const char *left, const char *right)
{
    int used = 2 + (int)strlen(left);

    buf_puts(page->out, "  ");
    put_styled(page, TERMINAL_NAME, left);
    if (used + 2 > page->left) {
        buf_putc(page->out, '\n');
        used = 0;
    }
    buf_printf(page->out, "%*s", page->left - used, "");
    text_put_wrapped(page->out, right, page->left, page->left, page->width);
    buf_putc(page->out, '\n');
}

static void put_paragraphs(const struct help_page *page, const char *text)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t n = end ? (size_t)(end - text) : strlen(text);
        struct buf one = {0};

        buf_add(&one, text, n);
        buf_putc(page->out, '\n');
        text_put_wrapped(page->out, buf_text(&one), 0, 0, page->width);
        buf_putc(page->out, '\n');
        buf_release(&one);
        text += n + (end ? 2 : 0);
    }
}

/* Usage, description and examples. */
static void put_head(const struct help_page *page, const struct command *c)
{
    put_styled(page, TERMINAL_HEADING, "usage:");
    buf_printf(page->out, " espalier %s%s%s%s\n", c->name, c->takes_words ? "" : " [OPTIONS]",
               *c->operands ? " " : "", c->operands);
    put_paragraphs(page, c->summary);
    if (c->about)
        put_paragraphs(page, c->about);
    if (c->examples->line)
        put_heading(page, "Examples:");
    for (const struct example *e = c->examples; e->line; e++) {
        buf_puts(page->out, "  ");
        put_styled(page, TERMINAL_NAME, e->line);
        buf_puts(page->out, "\n      ");
        text_put_wrapped(page->out, e->what, 6, 6, page->width);
        buf_putc(page->out, '\n');
    }
}

/* ---- one command ---- */

static void put_option(const struct help_page *page, const struct option_row *o)
{
    const char *standard = option_default(o);
    struct buf right = {0};
    char left[64], letter[8] = "    ";

    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
    option_put_help(&right, o);
    if (standard && *standard)
        buf_printf(&right, " [%s]", standard);
    put_row(page, left, buf_text(&right));
    buf_release(&right);
}

static void put_options(const struct help_page *page, const struct command *c)
{
    const char *heading = NULL, *next;
    const struct option_row *o;
    bool has_own = false;

    for (int i = 0; (o = command_option(c, i)); i++) {
        if (o->is_hidden)
            continue;
        has_own = has_own || command_owns(c, o);
        next = has_own && !command_owns(c, o) ? "Common options:" : "Options:";
        if (heading != next)
            put_heading(page, next);
        heading = next;
        put_option(page, o);
    }
}

void help_put_command(struct buf *out, const struct command *c, int fd)
{
    struct help_page page = begin(out, fd, LARGEST_LEFT);
    struct buf see = {0};

    put_head(&page, c);
    put_options(&page, c);
    buf_puts(&see, "See also: 'man espalier'");
    for (const char *name = c->see; name && *name; name += strspn(name, ", ")) {
        size_t n = strcspn(name, ",");

        buf_printf(&see, ", 'espalier help %.*s'", (int)n, name);
        name += n;
    }
    buf_putc(&see, '.');
    put_paragraphs(&page, buf_text(&see));
    buf_release(&see);
}

/* ---- all commands ---- */

void help_put_commands(struct buf *out, int fd)
{
    static const struct command program = {
        .name = "COMMAND",
        .operands = "[ARGUMENTS]",
        .summary = "espalier trains graph convolutional networks and their baselines, or runs any "
                   "other program, for a grid of hyperparameters or the best part of it, on one "
                   "core or on many MPI ranks, and keeps every result in one SQLite file.",
        .examples = {{"espalier init genotypes.vcf.gz traits.csv",
                      "Write a first sweep file, grid.ini, for your data."},
                     {"espalier run grid.ini -n 4",
                      "Run it on four cores; the results go to results.db."},
                     {"espalier best", "Show the leaderboard."}},
    };
    struct help_page page = begin(out, fd, 14);
    char title[64];

    put_head(&page, &program);
    for (int g = 0; g < N_COMMAND_GROUPS; g++) {
        snprintf(title, sizeof title, "%s:", command_group_title((enum command_group)g));
        put_heading(&page, title);
        for (const struct command *const *c = commands; *c; c++)
            if ((int)(*c)->group == g)
                put_row(&page, (*c)->name, (*c)->summary);
    }
    put_paragraphs(&page, "'espalier help COMMAND' shows the options and examples of a command, "
                          "'espalier --version' the version. The manual page is 'man espalier'.");
}

/* ---- the man page and the manual ---- */

struct writer {
    const char *commands_begin;
    const char *common_begin; /* NULL: the page of commands has no list of shared options */
    const char *group_begin;  /* before the title; NULL: commands are not grouped */
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
    bool is_open = false;

    buf_printf(out, ".It Nm Cm %s", c->name);
    if (!c->takes_words)
        buf_puts(out, " Oo Ar options Oc");
    /* "[DB] ID" becomes Oo Ar DB Oc Ar ID. */
    for (const char *at = c->operands; *at; at++) {
        if (*at == '[' || *at == ']') {
            buf_puts(out, *at == '[' ? " Oo" : " Oc");
            is_open = false;
        } else if (*at != ' ' || is_open) {
            if (!is_open)
                buf_puts(out, " Ar ");
            is_open = true;
            buf_putc(out, *at);
        }
    }
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

static void put_markdown_option(struct buf *out, const struct option_row *o)
{
    const char *standard = option_default(o);
    bool is_code =
        standard && *standard && (standard == o->default_text || o->type == OPTION_SETTING);
    struct buf help = {0};

    buf_puts(out, "| ");
    if (o->letter)
        buf_printf(out, "`-%c`, ", o->letter);
    buf_printf(out, "`--%s%s", o->name, o->argument ? " " : "");
    put_cell(out, o->argument ? o->argument : "");
    buf_puts(out, "` | ");
    option_put_help(&help, o);
    put_cell(out, buf_text(&help));
    out->failed |= buf_failed(&help);
    buf_release(&help);
    buf_puts(out, is_code ? " | `" : " | ");
    put_cell(out, standard ? standard : "");
    buf_puts(out, is_code ? "` |\n" : " |\n");
}

static void put_markdown_command(struct buf *out, const struct command *c)
{
    buf_printf(out, "\n### espalier %s\n\n```text\nespalier %s%s%s%s\n```\n\n%s\n", c->name,
               c->name, c->takes_words ? "" : " [OPTIONS]", *c->operands ? " " : "", c->operands,
               c->summary);
    if (c->about)
        buf_printf(out, "\n%s\n", c->about);
    for (const struct example *e = c->examples; e->line; e++)
        buf_printf(out, "%s# %s\n%s\n%s", e == c->examples ? "\n```sh\n" : "\n", e->what, e->line,
                   e[1].line ? "" : "```\n");
}

static void put_markdown_setting(struct buf *out, enum param_id id)
{
    const struct param *p = &param_table[id];
    bool is_code = !(p->flags & PARAM_REQUIRED) && *p->default_text;
    struct buf allowed = {0};

    param_allowed_in_unit(&allowed, id);
    buf_printf(out, "| `%s` | ", p->key);
    put_cell(out, p->help);
    buf_puts(out, " | ");
    put_cell(out, buf_text(&allowed));
    buf_puts(out, is_code ? " | `" : " | ");
    put_cell(out, p->flags & PARAM_REQUIRED ? "required" : p->default_text);
    buf_printf(out, "%s | %s |\n", is_code ? "`" : "", p->flags & PARAM_AXIS ? "yes" : "");
    buf_release(&allowed);
}

static const struct writer markdown = {
    .commands_begin =
        "# Commands\n\n<!-- Written by 'espalier help --format markdown commands'. -->\n",
    .common_begin = "\n## Common options\n\nSeveral commands share these options. `-q`, `-v`, "
                    "`--color` and `-h` work with\nevery command; the first three may also precede "
                    "it.\n",
    .group_begin = "\n## ",
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
        "`[grid]`\nwith several values, or a range, instead. `espalier params` prints the same "
        "list.\n",
    .section_begin = "\n## [",
    .section_title_end =
        "]\n\n| key | meaning | allowed | default | axis |\n|---|---|---|---|---|\n",
    .section_end = "",
    .setting = put_markdown_setting,
};

/* ---- what is written ---- */

static void put_option_rows(struct buf *out, const struct writer *w, const struct command *c,
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

static void put_command(struct buf *out, const struct writer *w, const struct command *c)
{
    const struct option_row *o;
    int n = 0;

    w->command(out, c);
    put_option_rows(out, w, c, true);
    /* The names of the shared options that not every command has. */
    for (int i = 0; (o = command_option(c, i)); i++)
        if (!command_owns(c, o) && !command_find_option(&every_command, o->name))
            buf_printf(out, "%s%s%s%s", n++ ? w->shared_between : w->shared_begin, w->shared_before,
                       o->name, w->shared_after);
    buf_puts(out, n ? w->shared_end : "");
}

static void put_commands(struct buf *out, const struct writer *w)
{
    buf_puts(out, w->commands_begin);
    for (int g = 0; g < N_COMMAND_GROUPS; g++) {
        if (w->group_begin)
            buf_printf(out, "%s%s\n", w->group_begin, command_group_title((enum command_group)g));
        for (const struct command *const *c = commands; *c; c++)
            if ((int)(*c)->group == g)
                put_command(out, w, *c);
    }
    if (w->common_begin) {
        buf_puts(out, w->common_begin);
        put_option_rows(out, w, &all_common, false);
    }
}

static void put_all_settings(struct buf *out, const struct writer *w)
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

bool help_put_reference(struct buf *out, const char *topic, enum help_format format)
{
    static const struct writer *const writers[] = {[HELP_MAN] = &mdoc, [HELP_MARKDOWN] = &markdown};
    const struct command *command = command_find(topic);
    const struct writer *w = writers[format];

    if (!strcmp(topic, "commands"))
        put_commands(out, w);
    else if (!strcmp(topic, "common"))
        put_option_rows(out, w, &all_common, false);
    else if (!strcmp(topic, "settings"))
        put_all_settings(out, w);
    else if (command && command->group != GROUP_HIDDEN)
        put_command(out, w, command);
    else
        return false;
    return true;
}
