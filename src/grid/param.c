/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/param.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/duration.h"
#include "base/err.h"
#include "base/nearest.h"
#include "base/real.h"
#include "data/core/data_spec.h"
#include "data/core/split.h"
#include "data/graph/graph.h"
#include "gcn/reducer.h"
#include "gcn/ridge.h"
#include "gcn/spec.h"
#include "grid/param_table.h"

/* ---- the table ---- */

enum {
    AXIS = PARAM_AXIS,
    PAIRED = PARAM_PAIRED,
    IDENTITY = PARAM_IDENTITY,
    SWEPT = PARAM_SWEPT,
    OPEN_MIN = PARAM_OPEN_MIN,
    OPEN_MAX = PARAM_OPEN_MAX,
    LATER = PARAM_LATER,
    MAIN = PARAM_MAIN,
    REQUIRED = PARAM_REQUIRED
};

#define TARGET(s, member, less)                                                    \
    {                                                                              \
        PARAM_##s, offsetof(struct s, member), sizeof((struct s *)0)->member, less \
    }
#define INTO(s, member) TARGET(s, member, 0)
#define AFTER_AUTO(s, member) TARGET(s, member, 1)
#define NOWHERE                \
    {                          \
        PARAM_NOWHERE, 0, 0, 0 \
    }

const struct param param_table[P_COUNT] = {
#define PARAM_ROW(id, section, key, type, min, max, choices, default_text, unit, flags, models, \
                  target, help)                                                                 \
    {section,      key,  PARAM_##type, min,    max,    choices,                                 \
     default_text, unit, flags,        models, target, help},
    PARAM_TABLE(PARAM_ROW)
#undef PARAM_ROW
};

static const struct param free_row = {.section = PROGRAM_SECTION,
                                      .key = "",
                                      .type = PARAM_VALUE,
                                      .choices = "",
                                      .default_text = "",
                                      .unit = "",
                                      .flags = PARAM_AXIS | PARAM_IDENTITY,
                                      .models = MODELS_PROGRAM,
                                      .help = ""};

const struct param *param_row(enum param_id id)
{
    return id < P_COUNT ? &param_table[id] : &free_row;
}

static const char *const full_names[P_COUNT] = {
#define PARAM_NAME(id, section, key, ...) "[" section "] " key,
    PARAM_TABLE(PARAM_NAME)
#undef PARAM_NAME
};

/* ---- finding settings ---- */

static const struct {
    enum param_id id;
    const char *key;
} old_names[] = {
#define PARAM_OLD_NAME(id, key) {P_##id, key},
    PARAM_OLD_NAMES(PARAM_OLD_NAME)
#undef PARAM_OLD_NAME
};

static bool is_in(enum param_id id, const char *section, size_t n)
{
    const char *own = param_table[id].section;

    return !section || (strlen(own) == n && !strncmp(own, section, n));
}

static enum param_id find(const char *section, size_t n, const char *key)
{
    for (int id = 0; id < P_COUNT; id++)
        if (*param_table[id].key == *key && !strcmp(param_table[id].key, key) &&
            is_in((enum param_id)id, section, n))
            return (enum param_id)id;
    for (size_t i = 0; i < sizeof old_names / sizeof *old_names; i++)
        if (!strcmp(old_names[i].key, key) && is_in(old_names[i].id, section, n))
            return old_names[i].id;
    return P_COUNT;
}

enum param_id param_find(const char *section, const char *key)
{
    return find(section, section ? strlen(section) : 0, key);
}

enum param_id param_find_name(const char *name)
{
    const char *dot = strchr(name, '.');

    return dot ? find(name, (size_t)(dot - name), dot + 1) : param_find(NULL, name);
}

bool param_is_section(const char *section)
{
    for (int id = 0; id < P_COUNT; id++)
        if (!strcmp(param_table[id].section, section))
            return true;
    return false;
}

/* ---- "did you mean" ---- */

const char *param_suggest(const char *section, const char *key, const char *type)
{
    const char *dot = strrchr(key, '.');
    const char *best = NULL;
    int best_distance = 2 * NEAREST_FAR;

    for (int id = 0; id < P_COUNT; id++) {
        bool elsewhere = section && strcmp(section, param_table[id].section) != 0;
        int distance = 2 * nearest_distance(dot ? dot + 1 : key, param_table[id].key) + elsewhere;

        if (type && !param_is_among(param_table[id].models, type))
            continue;
        if (distance < best_distance) {
            best_distance = distance;
            best = full_names[id];
        }
    }
    return best;
}

const char *param_suggest_section(const char *section)
{
    const char *best = NULL;
    int best_distance = NEAREST_FAR;

    for (int id = 0; id <= P_COUNT; id++) {
        const char *name = id < P_COUNT ? param_table[id].section : "grid";
        int distance = nearest_distance(section, name);

        if (distance < best_distance) {
            best_distance = distance;
            best = name;
        }
    }
    return best;
}

/* ---- values ---- */

static void put_range(struct buf *out, const struct param *p)
{
    buf_putc(out, p->flags & PARAM_OPEN_MIN ? '(' : '[');
    real_format(out, p->min);
    buf_puts(out, ", ");
    real_format(out, p->max);
    buf_putc(out, p->flags & PARAM_OPEN_MAX ? ')' : ']');
}

static void put_word(struct buf *out, const struct param *p)
{
    if ((p->type == PARAM_COUNT || p->type == PARAM_FOLDS) && *p->choices)
        buf_printf(out, ", or %s", p->choices);
}

/* Without what a sweep file cannot choose. */
static void put_choices(struct buf *out, enum param_id id)
{
    const char *implied = id == P_TYPE     ? "|" MODELS_PROGRAM
                          : id == P_FORMAT ? "|" FORMAT_PROGRAM
                                           : "";
    const char *choices = param_table[id].choices;
    size_t n = strlen(choices) - strlen(implied);

    for (size_t i = 0; i < n; i++)
        buf_printf(out, choices[i] == '|' ? " %c " : "%c", choices[i]);
}

void param_allowed(struct buf *out, enum param_id id)
{
    const struct param *p = param_row(id);

    switch (p->type) {
    case PARAM_INT:
    case PARAM_COUNT:
    case PARAM_FOLDS:
        buf_puts(out, "integer in ");
        put_range(out, p);
        put_word(out, p);
        break;
    case PARAM_REDUCTION:
        buf_puts(out, "none | exact | pca:K, K an integer in ");
        put_range(out, p);
        break;
    case PARAM_REAL:
        buf_puts(out, "number in ");
        put_range(out, p);
        break;
    case PARAM_CHOICE:
    case PARAM_METRIC:
        put_choices(out, id);
        break;
    case PARAM_DURATION:
        buf_puts(out, "duration (90s, 15m, 2h, 1-12:00:00)");
        break;
    case PARAM_TEXT:
        buf_puts(out, "text");
        break;
    case PARAM_PATH:
        buf_puts(out, "path");
        break;
    case PARAM_VALUE:
        buf_puts(out, "number or text");
        break;
    }
}

void param_allowed_in_unit(struct buf *out, enum param_id id)
{
    const struct param *p = &param_table[id];

    param_allowed(out, id);
    if (*p->unit && p->type != PARAM_DURATION)
        buf_printf(out, ", %s", p->unit);
}

/* Punctuation does not count: rr-BLUP. */
static const char *synonym_of(const char *wrong)
{
    static const struct {
        const char *type, *name;
    } synonyms[] = {
#define SYNONYM_ROW(type, name) {#type, #name},
        MODEL_TYPE_SYNONYMS(SYNONYM_ROW)
#undef SYNONYM_ROW
    };
    char plain[NEAREST_WORD] = "";
    size_t n = 0;

    for (; *wrong && n + 1 < sizeof plain; wrong++)
        if (isalnum((unsigned char)*wrong))
            plain[n++] = (char)tolower((unsigned char)*wrong);
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (!strcmp(plain, synonyms[i].name))
            return synonyms[i].type;
    return NULL;
}

/* "4GB" and "4 GB": letters follow a number. */
static bool has_unit(const char *text)
{
    char *end;

    strtod(text, &end);
    return end > text && isalpha((unsigned char)end[strspn(end, " ")]);
}

/* Append the choice that was probably meant, the unit of a number that was given with one, or a
 * decimal point for a number with a comma. */
static void put_hint(struct buf *out, enum param_id id, const char *text)
{
    const struct param *p = &param_table[id];
    const char *comma = strchr(text, ',');
    struct nearest nearest = {.wrong = text};
    char number[NEAREST_WORD], hint[NEAREST_HINT];
    double value;

    if (p->type == PARAM_CHOICE || p->type == PARAM_METRIC) {
        const char *synonym = id == P_TYPE ? synonym_of(text) : NULL;

        nearest_offer_list(&nearest, p->choices);
        buf_puts(out, nearest_hint(hint, "", synonym ? synonym : nearest.best, "", ""));
    }
    if (has_unit(text) && *p->unit)
        buf_printf(out, "; write the number alone, its unit is %s", p->unit);
    if (p->type == PARAM_REAL && comma && strlen(text) < sizeof number) {
        strcpy(number, text)[comma - text] = '.';
        if (!real_parse(&value, number))
            buf_printf(out, "; if %s is one number, use a decimal point: %s", text, number);
    }
}

static int err_not_allowed(struct err *err, enum param_id id, const char *text)
{
    static const char *const article[] = {
        [PARAM_INT] = "an ",     [PARAM_COUNT] = "an ",  [PARAM_REAL] = "a ",
        [PARAM_CHOICE] = "",     [PARAM_TEXT] = "",      [PARAM_PATH] = "",
        [PARAM_DURATION] = "a ", [PARAM_REDUCTION] = "", [PARAM_FOLDS] = "an ",
        [PARAM_METRIC] = "",     [PARAM_VALUE] = ""};
    struct buf allowed = {0};

    param_allowed(&allowed, id);
    put_hint(&allowed, id, text);
    err_set(err, "must be %s%s", article[param_table[id].type], buf_text(&allowed));
    buf_release(&allowed);
    return -1;
}

static int check_range(enum param_id id, double v, struct err *err)
{
    const struct param *p = &param_table[id];
    struct buf range = {0};

    if ((p->flags & PARAM_OPEN_MIN ? v > p->min : v >= p->min) &&
        (p->flags & PARAM_OPEN_MAX ? v < p->max : v <= p->max))
        return 0;
    put_range(&range, p);
    put_word(&range, p);
    err_set(err, "must be in %s", buf_text(&range));
    buf_release(&range);
    return -1;
}

static int64_t find_choice(const char *choices, const char *text)
{
    size_t n = strlen(text);
    int64_t index = 0;

    for (const char *c = choices;; index++) {
        size_t length = strcspn(c, "|");

        if (length == n && !strncmp(c, text, n))
            return index;
        if (!c[length])
            return -1;
        c += length + 1;
    }
}

static const char pca[] = "pca:";

static int reduction_read(int64_t *out, enum param_id id, const char *text)
{
    const struct param *p = &param_table[id];

    if (!strcmp(text, "none"))
        *out = REDUCE_NONE;
    else if (!strcmp(text, "exact"))
        *out = REDUCE_EXACT;
    else if (strncmp(text, pca, strlen(pca)) != 0 || real_parse_whole(out, text + strlen(pca)) ||
             (double)*out < p->min || (double)*out > p->max)
        return -1;
    return 0;
}

/* The number for which the word of this setting stands. */
static int64_t word_value(enum param_id id)
{
    return param_table[id].type == PARAM_FOLDS ? FOLDS_GROUPS : 0;
}

int param_read(union value *out, enum param_id id, const char *text, struct err *err)
{
    union value v = {0};
    int rc = 0;

    switch (param_row(id)->type) {
    case PARAM_FOLDS:
    case PARAM_COUNT:
        v.i = word_value(id);
        if (!strcmp(text, param_table[id].choices))
            break;
        /* fall through */
    case PARAM_INT:
        if (real_parse_whole(&v.i, text))
            return err_not_allowed(err, id, text);
        rc = check_range(id, (double)v.i, err);
        break;
    case PARAM_REDUCTION:
        if (reduction_read(&v.i, id, text))
            return err_not_allowed(err, id, text);
        break;
    case PARAM_REAL:
        if (real_parse(&v.f, text))
            return err_not_allowed(err, id, text);
        rc = check_range(id, v.f, err);
        break;
    case PARAM_DURATION:
        rc = duration_parse(&v.f, text, err) || check_range(id, v.f, err) ? -1 : 0;
        break;
    case PARAM_CHOICE:
        v.i = find_choice(param_table[id].choices, text);
        if (v.i < 0)
            return err_not_allowed(err, id, text);
        break;
    case PARAM_METRIC:
        if (!param_is_among(param_table[id].choices, text))
            return err_not_allowed(err, id, text);
        v.s = text;
        break;
    case PARAM_TEXT:
    case PARAM_PATH:
    case PARAM_VALUE:
        v.s = text;
        break;
    }
    if (rc == 0)
        *out = v;
    return rc;
}

const char *param_comment_hint(const char *value)
{
    return strstr(value, " #") ? " (a comment after a value begins with ' ;')" : "";
}

int param_parse(union value *out, enum param_id id, const char *text, struct err *err)
{
    struct err reason;

    return param_read(out, id, text, &reason) ? err_set(err, "%s = %s: %s%s", param_row(id)->key,
                                                        text, reason.text, param_comment_hint(text))
                                              : 0;
}

static union value read_table(enum param_id id, const char *text)
{
    union value value = {0};
    int rc = param_read(&value, id, text, NULL);

    assert(rc == 0);
    (void)rc;
    return value;
}

union value param_default(enum param_id id)
{
    return read_table(id, param_row(id)->default_text);
}

union value param_before(enum param_id id)
{
    switch (id) {
#define BEFORE_CASE(name, text) \
    case P_##name:              \
        return read_table(id, text);
        PARAM_BEFORE_TABLE(BEFORE_CASE)
#undef BEFORE_CASE
    default:
        return param_default(id);
    }
}

bool param_is_text(enum param_id id)
{
    enum param_type type = param_row(id)->type;

    return type == PARAM_TEXT || type == PARAM_PATH || type == PARAM_METRIC || type == PARAM_VALUE;
}

bool param_is_metric_name(const char *name)
{
    size_t n = strlen(name);

    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_./-", *c))
            return false;
    return n < PARAM_METRIC_NAME;
}

bool param_is_among(const char *list, const char *word)
{
    return find_choice(list, word) >= 0;
}

static bool is_choice_among(enum param_id id, union value v, const char *choices)
{
    struct buf name = {0};
    bool is;

    param_format(&name, id, v);
    is = param_is_among(choices, buf_text(&name));
    buf_release(&name);
    return is;
}

bool param_is_idle(enum param_id id, const union value v[P_COUNT])
{
    switch (id) {
#define BESIDE_CASE(name, other, choices) \
    case P_##name:                        \
        return !is_choice_among(P_##other, v[P_##other], choices);
        PARAM_BESIDE_TABLE(BESIDE_CASE)
#undef BESIDE_CASE
    default:
        return false;
    }
}

bool param_equal(enum param_id id, union value a, union value b)
{
    switch (param_row(id)->type) {
    case PARAM_REAL:
    case PARAM_DURATION:
        return a.f == b.f;
    case PARAM_TEXT:
    case PARAM_PATH:
    case PARAM_METRIC:
        return !strcmp(a.s, b.s);
    case PARAM_VALUE:
        return a.s == b.s || (a.s && b.s && !strcmp(a.s, b.s));
    default:
        return a.i == b.i;
    }
}

int64_t param_choice(enum param_id id, const char *name)
{
    int64_t index = find_choice(param_table[id].choices, name);

    assert(index >= 0);
    return index;
}

/* Durations have no exponents: 1e-06s could not be parsed. */
void param_format(struct buf *out, enum param_id id, union value value)
{
    const char *choice;

    switch (param_row(id)->type) {
    case PARAM_INT:
    case PARAM_COUNT:
    case PARAM_FOLDS:
        if (value.i == word_value(id) && param_row(id)->type != PARAM_INT)
            buf_puts(out, param_table[id].choices);
        else
            buf_printf(out, "%lld", (long long)value.i);
        break;
    case PARAM_REDUCTION:
        if (value.i > 0)
            buf_printf(out, "%s%lld", pca, (long long)value.i);
        else
            buf_puts(out, value.i == REDUCE_NONE ? "none" : "exact");
        break;
    case PARAM_REAL:
        real_format(out, value.f);
        break;
    case PARAM_DURATION:
        duration_format(out, value.f);
        break;
    case PARAM_CHOICE:
        for (choice = param_table[id].choices; value.i > 0; value.i--)
            choice = strchr(choice, '|') + 1;
        buf_add(out, choice, strcspn(choice, "|"));
        break;
    case PARAM_TEXT:
    case PARAM_PATH:
    case PARAM_METRIC:
    case PARAM_VALUE:
        buf_puts(out, value.s ? value.s : "");
        break;
    }
}
