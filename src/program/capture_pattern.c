/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/capture_pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "program/characters.h"

enum { HEAP_KIB = 20000, GROUPS = 64 };

struct capture_pattern {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *limits;
    const char *name[GROUPS]; /* borrowed from code */
    uint32_t number[GROUPS];
    uint32_t n_groups;
};

static int compile(struct capture_pattern *p, const char *text, struct err *err)
{
    unsigned char message[120];
    PCRE2_SIZE at;
    int code;

    p->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
                            PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_DUPNAMES |
                                PCRE2_NEVER_BACKSLASH_C,
                            &code, &at, NULL);
    if (p->code)
        return 0;
    pcre2_get_error_message(code, message, sizeof message);
    return err_set(err, "byte %zu: %s", (size_t)at + 1, (char *)message);
}

/* Each row of PCRE2's table is the number of a group in two bytes, and its name. */
static int find_groups(struct capture_pattern *p, struct err *err)
{
    const char *table;
    uint32_t size;

    pcre2_pattern_info(p->code, PCRE2_INFO_NAMECOUNT, &p->n_groups);
    pcre2_pattern_info(p->code, PCRE2_INFO_NAMEENTRYSIZE, &size);
    pcre2_pattern_info(p->code, PCRE2_INFO_NAMETABLE, &table);
    if (!p->n_groups)
        return err_set(err, "has no named group: name each number, as in loss is (?<loss>\\S+)");
    if (p->n_groups > GROUPS)
        return err_set(err, "has %u named groups: at most %d are allowed", p->n_groups, GROUPS);
    for (uint32_t i = 0; i < p->n_groups; i++, table += size) {
        p->number[i] = (uint32_t)(unsigned char)table[0] << 8 | (unsigned char)table[1];
        p->name[i] = table + 2;
    }
    return 0;
}

struct capture_pattern *capture_pattern_create(const char *text, struct err *err)
{
    struct capture_pattern *p = calloc(1, sizeof *p);
    int rc =
        p ? compile(p, text, err) || find_groups(p, err) : err_nomem(err, "pattern", sizeof *p);

    if (!rc) {
        p->match = pcre2_match_data_create_from_pattern(p->code, NULL);
        p->limits = pcre2_match_context_create(NULL);
        rc = p->match && p->limits ? 0 : err_nomem(err, "pattern", strlen(text));
    }
    if (rc) {
        capture_pattern_destroy(p);
        return NULL;
    }
    pcre2_set_match_limit(p->limits, CAPTURE_STEPS);
    pcre2_set_heap_limit(p->limits, HEAP_KIB);
    return p;
}

void capture_pattern_destroy(struct capture_pattern *p)
{
    if (!p)
        return;
    pcre2_match_context_free(p->limits);
    pcre2_match_data_free(p->match);
    pcre2_code_free(p->code);
    free(p);
}

static bool has(const struct capture_pattern *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_groups; i++)
        if (record_is_like(p->name[i], name))
            return true;
    return false;
}

/* Remove what a line without a match cannot have: names of groups, and the epoch if it is one. */
static void leave(struct record *record, const struct capture_pattern *p)
{
    int32_t n = 0;

    for (int32_t i = 0; i < record->n; i++)
        if (!has(p, record->item[i].name))
            record->item[n++] = record->item[i];
    record->n = n;
    if (has(p, "epoch")) {
        record->epoch = -1;
        *record->wrong_epoch = '\0';
    }
}

/* Take the groups of one match that are set. A group that ends within a number stands for all of
 * it: [\d.]+ matches 1.2 of 1.2e-05. */
static void take_match(struct record *out, const struct capture_pattern *p, const char *objective,
                       const struct buf *text)
{
    const char *line = buf_text(text);
    const PCRE2_SIZE *place = pcre2_get_ovector_pointer(p->match);

    for (uint32_t i = 0; i < p->n_groups; i++) {
        const PCRE2_SIZE *group = place + 2 * p->number[i];
        size_t n = group[0] == PCRE2_UNSET || group[1] < group[0] ? 0 : group[1] - group[0];
        const char *name = record_is_like(p->name[i], objective) ? objective : p->name[i];

        if (n) {
            const char *at = line + group[0], *end = record_number_end(at, line + text->size);

            record_put(out, name, at, end > at + n ? (size_t)(end - at) : n);
        }
    }
}

static int match_line(struct record *out, const struct capture_pattern *p, const char *objective,
                      const struct buf *line)
{
    const char *text = buf_text(line);
    size_t at = 0;
    int rc = 0, found = 0;

    record_clear(out);
    while (at <= line->size && (rc = pcre2_match(p->code, (PCRE2_SPTR)text, line->size, at, 0,
                                                 p->match, p->limits)) > 0) {
        const PCRE2_SIZE *place = pcre2_get_ovector_pointer(p->match);

        take_match(out, p, objective, line);
        found = 1;
        at = place[1] > at ? place[1] : at + 1;
    }
    return rc == PCRE2_ERROR_MATCHLIMIT || rc == PCRE2_ERROR_HEAPLIMIT ? -1 : found;
}

int capture_line(struct record *out, const struct capture_pattern *p, struct record_text *state,
                 const char *line, size_t n)
{
    int found = 0;

    if (p) {
        characters_shown(&state->plain, line, line + n);
        found = match_line(out, p, state->objective, &state->plain);
    }
    if (found)
        return found;
    if (!record_text_parse(out, state, line, n))
        return 0;
    if (p)
        leave(out, p);
    return out->n > 0;
}
