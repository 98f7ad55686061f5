/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/terminal.h"
#include "cli/print/cli.h"
#include "cli/print/output.h"
#include "grid/param.h"
#include "report/answer.h"
#include "report/rows.h"

/* Columns are two blanks apart; the last two wrap. */
enum { COLUMNS = 5, KEY_WIDTH = 16, AXIS_WIDTH = 4, DEFAULT_WIDTH = 9, LEAST_WIDTH = 80 };
enum { PAGE_WIDTH = 100, WRAPPED_AT = KEY_WIDTH + AXIS_WIDTH + DEFAULT_WIDTH + 2 * (COLUMNS - 1) };

struct params_page {
    struct buf *out;
    int width[COLUMNS];
};

/* The width of the terminal from 80 to 100, and 100 elsewhere. */
static struct params_page page_of(struct buf *out)
{
    int width = isatty(STDOUT_FILENO) ? terminal_width(STDOUT_FILENO) : PAGE_WIDTH;
    int left, allowed;

    width = width < LEAST_WIDTH ? LEAST_WIDTH : width > PAGE_WIDTH ? PAGE_WIDTH : width;
    left = width - WRAPPED_AT;
    allowed = left * 4 / 9;
    return (struct params_page){out,
                                {KEY_WIDTH, AXIS_WIDTH, DEFAULT_WIDTH, allowed, left - allowed}};
}

static const char footer[] =
    "\n"
    "A setting marked 'axis' can stand in [grid] instead, with several values:\n"
    "    hidden_size   = 16, 32, 64          a list\n"
    "    dropout       = 0.2:0.5:0.1         from 0.2 to 0.5 in steps of 0.1\n"
    "    learning_rate = log(1e-4, 1e-1, 4)  4 values at equal ratios\n"
    "    batch_size    = 32, 64:256:64, full all of these, mixed\n";

/* No operands ask for all settings. */
static bool is_wanted(enum param_id id, const char *const *operands, int n)
{
    const struct param *p = &param_table[id];

    for (int i = 0; i < n; i++)
        if (!strcmp(operands[i], p->section) || param_find_name(operands[i]) == id)
            return true;
    return n == 0;
}

static int check_operands(const char *const *operands, int n, struct err *err)
{
    for (int i = 0; i < n; i++) {
        char hint[NEAREST_HINT];

        if (param_is_section(operands[i]) || param_find_name(operands[i]) < P_COUNT)
            continue;
        return err_set(err, "'%s' is neither a section nor a key%s", operands[i],
                       nearest_hint(hint, "", param_suggest(NULL, operands[i], NULL), "", ""));
    }
    return 0;
}

/* Return the length of the first line of text, at most `width`, broken at a blank. A longer word
 * stays whole. next: out, the second line. */
static size_t first_line(const char *text, size_t width, const char **next)
{
    size_t end = strcspn(text, " ");

    while (text[end]) {
        size_t word = strcspn(text + end + 1, " ");

        if (end + 1 + word > width)
            break;
        end += 1 + word;
    }
    *next = text + end + (text[end] == ' ');
    return end;
}

static void put_line(const struct params_page *page, const char *cells[COLUMNS])
{
    struct buf *out = page->out;

    for (int c = 0; c < COLUMNS; c++) {
        bool is_last = c + 1 == COLUMNS;
        const char *next;
        size_t n = first_line(cells[c], (size_t)page->width[c], &next);

        buf_printf(out, "%-*.*s%s", is_last ? 0 : page->width[c], (int)n, cells[c],
                   is_last ? "" : "  ");
        cells[c] = next;
    }
    while (out->size && out->data[out->size - 1] == ' ')
        out->data[--out->size] = '\0';
    buf_putc(out, '\n');
}

static void put_setting(const struct params_page *page, enum param_id id)
{
    const struct param *p = &param_table[id];
    struct buf allowed = {0};
    const char *cells[COLUMNS] = {p->key, p->flags & PARAM_AXIS ? "axis" : "",
                                  p->flags & PARAM_REQUIRED ? "required" : p->default_text};

    param_allowed_in_unit(&allowed, id);
    cells[3] = buf_text(&allowed);
    cells[4] = p->help;
    do
        put_line(page, cells);
    while (*cells[3] || *cells[4]);
    page->out->failed |= buf_failed(&allowed);
    buf_release(&allowed);
}

static void put_page(struct buf *out, const char *const *operands, int n)
{
    const char *head[COLUMNS] = {"key", "", "default", "allowed", "meaning"};
    struct params_page page = page_of(out);
    const char *section = "";

    put_line(&page, head);
    for (int id = 0; id < P_COUNT; id++) {
        const struct param *p = &param_table[id];

        if (!is_wanted((enum param_id)id, operands, n))
            continue;
        if (strcmp(section, p->section) != 0)
            buf_printf(out, "\n[%s]\n", p->section);
        section = p->section;
        put_setting(&page, (enum param_id)id);
    }
    if (n == 0)
        buf_puts(out, footer);
}

static const struct answer_section section = {"settings", NULL, false, NULL, NULL};

static void add_settings(struct answer *answer, const char *const *operands, int n)
{
    static const char *const names[] = {"section", "key",  "type", "allowed",
                                        "default", "unit", "axis", "meaning"};
    static const char *const types[] = {
        [PARAM_INT] = "integer",         [PARAM_REAL] = "real",         [PARAM_CHOICE] = "choice",
        [PARAM_TEXT] = "text",           [PARAM_PATH] = "path",         [PARAM_COUNT] = "count",
        [PARAM_REDUCTION] = "reduction", [PARAM_DURATION] = "duration", [PARAM_FOLDS] = "folds"};
    struct rows rows;

    rows_init(&rows, names, sizeof names / sizeof *names);
    for (int id = 0; id < P_COUNT; id++) {
        const struct param *p = &param_table[id];
        struct buf allowed = {0};

        if (!is_wanted((enum param_id)id, operands, n))
            continue;
        param_allowed(&allowed, (enum param_id)id);
        rows_text(&rows, "section", p->section);
        rows_text(&rows, "key", p->key);
        rows_text(&rows, "type", types[p->type]);
        rows_text(&rows, "allowed", buf_text(&allowed));
        rows_text(&rows, "default", p->flags & PARAM_REQUIRED ? "" : p->default_text);
        rows_text(&rows, "unit", p->unit);
        rows_integer(&rows, "axis", (p->flags & PARAM_AXIS) != 0);
        rows_text(&rows, "meaning", p->help);
        answer->out.failed |= buf_failed(&allowed);
        buf_release(&allowed);
    }
    answer_table(answer, &section, rows_table(&rows));
    rows_release(&rows);
}

static int params(struct call *call)
{
    struct buf page = {0};
    struct answer answer;
    struct err err;

    if (check_operands(call->operands, call->n_operands, &err))
        return cli_fail_usage(&err);
    output_begin(&answer, call->common, NULL, OUTPUT_TABLE);
    if (answer_is_for_people(&answer))
        put_page(&page, call->operands, call->n_operands);
    else
        add_settings(&answer, call->operands, call->n_operands);
    answer_printf(&answer, "%s", buf_text(&page));
    answer.out.failed |= buf_failed(&page);
    buf_release(&page);
    return output_end(0, &answer, &err);
}

static const struct example examples[] = {
    {"espalier params", "Show all settings."},
    {"espalier params train dropout", "Show the section [train] and the key dropout."},
    {NULL, NULL},
};

const struct command command_params = {
    .name = "params",
    .group = GROUP_PREPARE,
    .operands = "[SECTION | KEY ...]",
    .max_operands = INT_MAX,
    .operand_kind = VALUE_PARAMETER,
    .summary = "Show the settings of a sweep file.",
    .examples = examples,
    .see = "init, plan",
    .common = COMMON_FORMAT,
    .run = params,
};
