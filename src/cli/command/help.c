/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/command/help.h"

#include <stdio.h>
#include <string.h>

#include "base/terminal.h"
#include "base/text_width.h"

/* Longer lines are hard to read. Shorter ones leave no room for the second column. */
enum { LARGEST_WIDTH = 100, SMALLEST_WIDTH = 40 };
enum { LARGEST_LEFT = 26 };

struct help_page {
    struct buf *out;
    int fd, width;
    int left; /* of the first column, with its margins */
};

static struct help_page begin(struct buf *out, int fd)
{
    int width = terminal_width(fd);

    width = width > LARGEST_WIDTH ? LARGEST_WIDTH : width < SMALLEST_WIDTH ? SMALLEST_WIDTH : width;
    return (struct help_page){.out = out, .fd = fd, .width = width};
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

static void put_blanks(struct buf *out, int n)
{
    while (n-- > 0)
        buf_putc(out, ' ');
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
    put_blanks(page->out, page->left - used);
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

/* ---- one command ---- */

static void put_usage(const struct help_page *page, const struct command *c)
{
    put_styled(page, TERMINAL_HEADING, "usage:");
    buf_printf(page->out, " espalier %s%s%s%s\n", c->name, c->takes_words ? "" : " [OPTIONS]",
               *c->operands ? " " : "", c->operands);
}

static void put_examples(const struct help_page *page, const struct command *c)
{
    if (!c->examples)
        return;
    put_heading(page, "Examples:");
    for (const struct example *e = c->examples; e->line; e++) {
        buf_puts(page->out, "  ");
        put_styled(page, TERMINAL_NAME, e->line);
        buf_puts(page->out, "\n      ");
        text_put_wrapped(page->out, e->what, 6, 6, page->width);
        buf_putc(page->out, '\n');
    }
}

static void left_of(char *left, size_t size, const struct option_row *o)
{
    char letter[8] = "    ";

    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(left, size, "%s--%s%s%s", letter, o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
}

static void put_option(const struct help_page *page, const struct option_row *o)
{
    const char *standard = option_default(o);
    struct buf right = {0};
    char left[64];

    if (o->is_hidden)
        return;
    left_of(left, sizeof left, o);
    option_put_help(&right, o);
    if (standard && *standard)
        buf_printf(&right, " [%s]", standard);
    put_row(page, left, buf_text(&right));
    buf_release(&right);
}

static bool has_own_options(const struct command *c)
{
    for (const struct option_row *o = c->options; o && o->name; o++)
        if (!o->is_hidden)
            return true;
    return false;
}

static void put_options(const struct help_page *page, const struct command *c)
{
    const struct option_row *o;
    bool has_own = has_own_options(c), has_heading = false;

    if (has_own)
        put_heading(page, "Options:");
    for (int i = 0; (o = command_option(c, i)); i++) {
        if (!command_owns(c, o) && !has_heading) {
            put_heading(page, has_own ? "Common options:" : "Options:");
            has_heading = true;
        }
        put_option(page, o);
    }
}

void help_put_command(struct buf *out, const struct command *c, int fd)
{
    struct help_page page = begin(out, fd);
    struct buf see = {0};

    page.left = LARGEST_LEFT;
    put_usage(&page, c);
    put_paragraphs(&page, c->summary);
    if (c->about)
        put_paragraphs(&page, c->about);
    put_examples(&page, c);
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

static const struct example first_steps[] = {
    {"espalier init genotypes.vcf.gz traits.csv",
     "Write a first sweep file, grid.ini, for your data."},
    {"espalier run grid.ini -n 4", "Run it on four cores; the results go to results.db."},
    {"espalier best", "Show the leaderboard."},
    {NULL, NULL},
};

void help_put_commands(struct buf *out, int fd)
{
    struct help_page page = begin(out, fd);
    static const struct command program = {
        .name = "COMMAND", .operands = "[ARGUMENTS]", .examples = first_steps};

    page.left = 14;
    put_usage(&page, &program);
    put_paragraphs(&page,
                   "espalier trains graph convolutional networks and their baselines, or runs any "
                   "other program, on a grid of hyperparameters, on one core or on many MPI ranks, "
                   "and keeps every result in one SQLite file.");
    put_examples(&page, &program);
    for (int g = 0; g < N_COMMAND_GROUPS; g++) {
        char title[64];

        snprintf(title, sizeof title, "%s:", command_group_title((enum command_group)g));
        put_heading(&page, title);
        for (const struct command *const *c = commands; *c; c++)
            if ((int)(*c)->group == g)
                put_row(&page, (*c)->name, (*c)->summary);
    }
    put_paragraphs(&page, "'espalier help COMMAND' shows the options and examples of a command, "
                          "'espalier --version' the version. The manual page is 'man espalier'.");
}
