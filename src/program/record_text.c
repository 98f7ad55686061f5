/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/real.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

size_t record_name_length(const char *text, size_t n)
{
    size_t i = 0;

    if (!n || !is_letter(*text))
        return 0;
    while (i < n && (is_letter(text[i]) || is_digit(text[i]) || text[i] == '.' || text[i] == '/' ||
                     text[i] == '-'))
        i++;
    return i < PROGRAM_NAME ? i : 0;
}

/* A number such as 1e400, which is beyond the range of double. */
static bool is_infinite(double *out, const char *text)
{
    char *end;

    if (!*text || strspn(text, "+-.0123456789eE") != strlen(text))
        return false;
    *out = strtod(text, &end);
    return !*end && isinf(*out);
}

int record_number(double *out, const char *text, size_t n)
{
    static const char *const words[] = {"nan", "inf", "infinity"};
    char copy[64];
    const char *word = copy;

    if (n >= sizeof copy)
        return -1;
    memcpy(copy, text, n);
    copy[n] = '\0';
    if (strlen(copy) != n)
        return -1;
    if (real_parse(out, copy) == 0 || is_infinite(out, copy))
        return 0;
    word += *word == '-' || *word == '+';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcasecmp(word, words[i])) {
            *out = i == 0 ? NAN : *copy == '-' ? -INFINITY : INFINITY;
            return 0;
        }
    return -1;
}

struct text {
    const char *at;
    const char *end;
};

static void skip_blanks(struct text *t)
{
    while (t->at < t->end && is_blank(*t->at))
        t->at++;
}

/* Skip one character of a set. */
static bool skip_one(struct text *t, const char *set)
{
    bool is_there = t->at < t->end && *t->at && strchr(set, *t->at);

    t->at += is_there;
    return is_there;
}

/* Skip what stands between results: blanks, "," ";" "|" and a dash before a blank. */
static void skip_separators(struct text *t)
{
    for (;;) {
        if (t->at + 1 < t->end && *t->at == '-' && is_blank(t->at[1]))
            t->at++;
        else if (!skip_one(t, " \t,;|"))
            return;
    }
}

/* Take a number of digits. -1: none, or too large. */
static int32_t take_count(struct text *t)
{
    int64_t count = -1;

    for (; t->at < t->end && is_digit(*t->at); t->at++) {
        count = (count < 0 ? 0 : count) * 10 + (*t->at - '0');
        if (count > INT32_MAX)
            return -1;
    }
    return (int32_t)count;
}

/* Take "epoch=3", "Epoch 3/10:", "Epoch: [3/10]". False: none, and t is unchanged. */
static bool take_epoch(int32_t *epoch, struct text *t)
{
    struct text in = *t;
    int32_t number;

    if (in.end - in.at < 6 || strncasecmp(in.at, "epoch", 5))
        return false;
    in.at += 5;
    if (!strchr(" \t:=[", *in.at) || !*in.at)
        return false;
    skip_blanks(&in);
    skip_one(&in, ":=");
    skip_blanks(&in);
    skip_one(&in, "[");
    number = take_count(&in);
    if (number < 0)
        return false;
    skip_blanks(&in);
    if (skip_one(&in, "/")) {
        skip_blanks(&in);
        take_count(&in);
    }
    skip_one(&in, "]");
    if (in.at < in.end && !skip_one(&in, " \t,;:|") && !is_blank(in.at[-1]))
        return false;
    skip_separators(&in);
    *epoch = number;
    *t = in;
    return true;
}

/* A value ends at a blank, ";", "|", or a comma before a blank, a name or the end: "0,93" is one. */
static bool is_value_end(const struct text *t)
{
    if (t->at == t->end || is_blank(*t->at) || *t->at == ';' || *t->at == '|')
        return true;
    return *t->at == ',' && (t->at + 1 == t->end || is_blank(t->at[1]) || is_letter(t->at[1]));
}

/* Take "name: value" or "name=value", with or without a number. */
static bool take_item(struct record_item *item, struct text *t)
{
    struct text in = *t;
    size_t n_name = record_name_length(in.at, (size_t)(in.end - in.at));
    const char *value;
    size_t n;

    if (!n_name)
        return false;
    in.at += n_name;
    skip_blanks(&in);
    if (!skip_one(&in, ":="))
        return false;
    skip_blanks(&in);
    value = in.at;
    while (!is_value_end(&in))
        in.at++;
    n = (size_t)(in.at - value);
    if (!n)
        return false;
    memcpy(item->name, t->at, n_name);
    item->name[n_name] = '\0';
    item->has_value = record_number(&item->value, value, n) == 0;
    n = n < RECORD_SHOWN ? n : RECORD_SHOWN - 1;
    memcpy(item->shown, value, n);
    item->shown[n] = '\0';
    *t = in;
    return true;
}

/* "epoch: 3.0", or a value that is no epoch. */
static void take_epoch_item(struct record *out, const struct record_item *item)
{
    double epoch = item->has_value ? item->value : -1;

    if (epoch >= 0 && epoch <= INT32_MAX && epoch == floor(epoch))
        out->epoch = (int32_t)epoch;
    else
        memcpy(out->wrong_epoch, item->shown, sizeof item->shown);
}

/* Take results until the line ends or other text follows. Returns whether a value is among them. */
static bool take_items(struct record *out, struct text *t)
{
    bool has_value = false;

    while (out->n < PROGRAM_NAMES) {
        struct record_item *item = &out->item[out->n];

        if (take_epoch(&out->epoch, t))
            continue;
        if (!take_item(item, t))
            break;
        skip_separators(t);
        if (!strcasecmp(item->name, "epoch")) {
            take_epoch_item(out, item);
            continue;
        }
        has_value = has_value || item->has_value;
        out->n++;
    }
    return has_value;
}

/* "375/375 - 1s - loss: 0.4": results follow some dash. Returns whether a value is among them. */
static bool take_progress_bar(struct record *out, struct record_text *state, struct text t)
{
    int32_t done = take_count(&t), steps;
    bool has_value = false;

    if (done <= 0 || !skip_one(&t, "/"))
        return false;
    steps = take_count(&t);
    if (steps != done || t.at == t.end || !is_blank(*t.at))
        return false;
    for (; t.end - t.at > 3 && !out->n; t.at++)
        if (!memcmp(t.at, " - ", 3)) {
            struct text items = {t.at + 3, t.end};

            has_value = take_items(out, &items);
        }
    if (has_value && state->heading >= 0 && (!state->steps || state->steps == steps)) {
        out->epoch = state->heading;
        state->steps = steps;
    }
    return has_value;
}

/* Skip ESC, and all of a sequence that sets a colour: ESC [ parameters letter. */
static void skip_escape(struct text *t)
{
    t->at++;
    if (!skip_one(t, "["))
        return;
    while (skip_one(t, "0123456789;?"))
        ;
    t->at += t->at < t->end;
}

/* Remove the last n characters of UTF-8. */
static void cut_characters(struct buf *text, size_t n)
{
    size_t size = text->size;

    for (; n && size; n--) {
        size--;
        while (size && (text->data[size] & 0xc0) == 0x80)
            size--;
    }
    buf_cut(text, size);
}

static bool is_no_break_space(const struct text *t)
{
    return t->end - t->at > 1 && !memcmp(t->at, "\xc2\xa0", 2);
}

/* True if a line has a byte that make_plain() treats. */
static bool has_marks(const char *line, size_t n)
{
    return memchr(line, '\033', n) || memchr(line, '\b', n) || memchr(line, '\xc2', n);
}

/* Copy a line as a terminal shows it: without colours, with blanks for no-break spaces; text behind
 * backspaces replaces as many characters. */
static void make_plain(struct buf *plain, struct text *t)
{
    size_t n_back = 0;

    buf_clear(plain);
    while (t->at < t->end) {
        bool is_space = is_no_break_space(t);

        if (*t->at == '\033') {
            skip_escape(t);
            continue;
        }
        if (*t->at == '\b') {
            n_back++;
        } else {
            cut_characters(plain, n_back);
            n_back = 0;
            buf_putc(plain, is_space ? ' ' : *t->at);
        }
        t->at += is_space ? 2 : 1;
    }
    t->at = buf_text(plain);
    t->end = t->at + plain->size;
}

bool record_text_parse(struct record *out, struct record_text *state, const char *line, size_t n)
{
    struct text t = {line, line + n};

    out->epoch = -1;
    *out->wrong_epoch = '\0';
    out->n = 0;
    if (has_marks(line, n))
        make_plain(&state->plain, &t);
    skip_blanks(&t);
    while (t.end > t.at && is_blank(t.end[-1]))
        t.end--;
    if (t.at == t.end)
        return false;
    if (is_digit(*t.at) ? take_progress_bar(out, state, t) : take_items(out, &t))
        return true;
    if (out->epoch >= 0 && t.at == t.end) {
        state->heading = out->epoch;
        state->steps = 0;
    }
    return out->n > 0;
}
