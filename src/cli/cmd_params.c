/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/terminal.h"
#include "base/text_width.h"
#include "cli/print/cli.h"
#include "cli/print/output.h"
#include "grid/param.h"
#include "report/answer.h"
#include "report/rows.h"

/* The second column begins here. The width is that of the terminal from 80 to 100, and 100
 * elsewhere. */
enum { INDENT = 18, LEAST_WIDTH = 80, PAGE_WIDTH = 100 };
static const char footer[] =
    "\n"
    "A setting marked 'axis' can stand in [grid] instead, with several values:\n"
    "    hidden_size   = 16, 32, 64          a list\n"
    "    dropout       = 0.2:0.5:0.1         from 0.2 to 0.5 in steps of 0.1\n"
    "    learning_rate = log(1e-4, 1e-1, 4)  4 values at equal ratios\n"
    "    batch_size    = 32, 64:256:64, full all of these, mixed\n"
    "    dropout       = uniform(0, 0.5)     a range, with [search]; or loguniform, int, logint\n";

/* No operands ask for all settings. */
static bool is_wanted(enum param_id id, const struct call *call)
{
    for (int i = 0; i < call->n_operands; i++)
        if (!strcmp(call->operands[i], param_table[id].section) ||
            param_find_name(call->operands[i]) == id)
            return true;
    return call->n_operands == 0;
}

static void put_page(struct buf *out, const struct call *call)
{
    int width = isatty(STDOUT_FILENO) ? terminal_width(STDOUT_FILENO) : PAGE_WIDTH;
    const char *section = "";

    width = width < LEAST_WIDTH ? LEAST_WIDTH : width > PAGE_WIDTH ? PAGE_WIDTH : width;
    for (int id = 0; id < P_COUNT; id++) {
        const struct param *p = &param_table[id];
        struct buf allowed = {0};

        if (!is_wanted((enum param_id)id, call))
            continue;
        if (strcmp(section, p->section) != 0)
            buf_printf(out, "%s[%s]\n", *section ? "\n" : "", p->section);
        section = p->section;
        param_allowed_in_unit(&allowed, (enum param_id)id);
        if (p->flags & PARAM_REQUIRED)
            buf_puts(&allowed, "; required");
        else if (*p->default_text)
            buf_printf(&allowed, "; default %s", p->default_text);
        if (p->flags & PARAM_AXIS)
            buf_puts(&allowed, "; axis");
        buf_printf(out, "%-*s", INDENT, p->key);
        text_put_wrapped(out, buf_text(&allowed), INDENT, INDENT, width);
        buf_printf(out, "\n%*s", INDENT, "");
        text_put_wrapped(out, p->help, INDENT, INDENT, width);
        buf_putc(out, '\n');
        out->failed |= buf_failed(&allowed);
        buf_release(&allowed);
    }
    if (!call->n_operands)
        buf_puts(out, footer);
}

static const struct answer_section section = {"settings", NULL, false, NULL, NULL};

static void add_settings(struct answer *answer, const struct call *call)
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

        if (!is_wanted((enum param_id)id, call))
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

    for (int i = 0; i < call->n_operands; i++) {
        const char *name = call->operands[i];
        char hint[NEAREST_HINT];

        if (param_is_section(name) || param_find_name(name) < P_COUNT)
            continue;
        err_set(&err, "'%s' is neither a section nor a key%s", name,
                nearest_hint(hint, "", param_suggest(NULL, name, NULL), "", ""));
        return cli_fail_usage(&err);
    }
    output_begin(&answer, call->common, OUTPUT_TABLE);
    if (answer_is_for_people(&answer))
        put_page(&page, call);
    else
        add_settings(&answer, call);
    answer_printf(&answer, "%s", buf_text(&page));
    answer.out.failed |= buf_failed(&page);
    buf_release(&page);
    return output_end(0, &answer, &err);
}

const struct command command_params = {
    .name = "params",
    .group = GROUP_PREPARE,
    .operands = "[SECTION | KEY ...]",
    .max_operands = INT_MAX,
    .operand_kind = VALUE_PARAMETER,
    .summary = "Show the settings of a sweep file.",
    .examples = {{"espalier params", "Show all settings."},
                 {"espalier params train dropout",
                  "Show the section [train] and the key dropout."}},
    .see = "init, plan",
    .common = COMMON_FORMAT,
    .run = params,
};
