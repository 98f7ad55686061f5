/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and numbers of records. */
#include "program/record.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/real.h"
#include "program/characters.h"

size_t record_name_length(const char *text, size_t n)
{
    size_t i = 0;

    if (!n || !is_letter(*text))
        return 0;
    while (i < n && (is_letter(text[i]) || is_digit(text[i]) || is_among(text[i], "./-")))
        i++;
    return i < PROGRAM_NAME ? i : 0;
}

int record_number(double *out, const char *text, size_t n)
{
    static const char *const words[] = {"nan", "inf", "infinity"};
    char copy[64], *end;
    const char *word = copy;

    if (n >= sizeof copy)
        return -1;
    memcpy(copy, text, n);
    copy[n] = '\0';
    if (strlen(copy) != n)
        return -1;
    if (real_parse(out, copy) == 0)
        return 0;
    /* 1e400 is beyond the range of double */
    if (n && strspn(copy, "+-.0123456789eE") == n) {
        *out = strtod(copy, &end);
        return !*end && isinf(*out) ? 0 : -1;
    }
    word += *word == '-' || *word == '+';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcasecmp(word, words[i])) {
            *out = i == 0 ? NAN : *copy == '-' ? -INFINITY : INFINITY;
            return 0;
        }
    return -1;
}

bool record_is_like(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b) &&
            (isalnum((unsigned char)*a) || isalnum((unsigned char)*b)))
            return false;
    return *a == *b;
}

const char *record_skip_blanks(const char *at, const char *end)
{
    while (at < end && is_among(*at, " \t"))
        at++;
    return at;
}

const char *record_skip_digits(const char *at, const char *end)
{
    while (at < end && is_digit(*at))
        at++;
    return at;
}

const char *record_number_end(const char *at, const char *end)
{
    static const char *const words[] = {"infinity", "inf", "nan"};
    const char *digits = at + (at < end && is_among(*at, "+-")), *stop, *exponent;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i]);

        if ((size_t)(end - digits) >= n && !strncasecmp(digits, words[i], n))
            return digits + n;
    }
    stop = record_skip_digits(digits, end);
    if (stop < end && *stop == '.')
        stop = record_skip_digits(stop + 1, end);
    if (stop == digits || (stop == digits + 1 && *digits == '.'))
        return at;
    if (stop == end || (*stop != 'e' && *stop != 'E'))
        return stop;
    exponent = stop + 1 + (stop + 1 < end && is_among(stop[1], "+-"));
    return record_skip_digits(exponent, end) > exponent ? record_skip_digits(exponent, end) : stop;
}

bool record_ends_number(const char *at, const char *end)
{
    char next = at + 1 < end ? at[1] : ' ';

    if (at == end || is_among(*at, " \t") || is_among(*at, ";|()[]{}\"'<>*!\\"))
        return true;
    if (*at == '+') /* xgb.cv: 0.70+0.02 */
        return next == '/' || next == '-' || is_digit(next);
    return *at == ',' ? !is_digit(next) : *at == '.' && !isalnum((unsigned char)next);
}

/* The number of N/M (P%), which is P; NULL: there is none. */
static const char *find_percentage(const char *at, const char *end, const char **stop)
{
    at = record_skip_blanks(record_skip_digits(at + 1, end), end);
    if (at == end || *at != '(')
        return NULL;
    at = record_skip_blanks(at + 1, end);
    *stop = record_number_end(at, end);
    return *stop > at && *stop < end && **stop == '%' ? at : NULL;
}

const char *record_take_number(double *out, const char *at, const char *end)
{
    const char *call = at, *stop;

    while (call < end && (isalnum((unsigned char)*call) || is_among(*call, "_.")))
        call++;
    call = call > at && call < end && is_letter(*at) && *call == '(' ? call : NULL;
    at = call ? call + 1 : at;
    at += at < end && is_among(*at, "\"'");
    stop = record_number_end(at, end);
    if (stop == at)
        return NULL;
    if (stop < end && *stop == '/')
        at = find_percentage(stop, end, &stop);
    if (!at || record_number(out, at, (size_t)(stop - at)))
        return NULL;
    if (stop < end && *stop == '%')
        return stop + 1 < end && stop[1] == '|' ? NULL : stop + 1; /* a bar */
    if (!record_ends_number(stop, end))
        return NULL;
    while (call && stop < end && *stop != ')')
        stop++;
    return stop;
}

void record_set_epoch(struct record *out, const char *text, size_t n, bool is_weak)
{
    double epoch;

    if (out->epoch >= 0)
        return;
    if (record_number(&epoch, text, n) || !(epoch >= 0 && ceil(epoch) <= INT32_MAX)) {
        snprintf(out->wrong_epoch, sizeof out->wrong_epoch, "%.*s", (int)n, text);
        return;
    }
    out->epoch = (int32_t)ceil(epoch);
    out->is_weak = is_weak;
}

void record_clear(struct record *record)
{
    record->epoch = -1;
    record->is_weak = false;
    *record->wrong_epoch = '\0';
    record->n = 0;
}

void record_put(struct record *record, const char *name, const char *text, size_t n)
{
    struct record_item *item = &record->item[record->n];
    const char *end = text + n;

    text = record_skip_blanks(text, end);
    if (!strcasecmp(name, "epoch")) {
        record_set_epoch(record, text, (size_t)(record_number_end(text, end) - text), false);
        return;
    }
    if (record->n == PROGRAM_NAMES)
        return;
    snprintf(item->name, sizeof item->name, "%s", name);
    item->rank = RECORD_EXACT;
    item->is_ambiguous = false;
    item->has_value = record_take_number(&item->value, text, end) != NULL;
    snprintf(item->shown, sizeof item->shown, "%.*s", (int)(end - text), text);
    record->n++;
}
