/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/record.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/real.h"
#include "program/characters.h"

enum {
    WORDS = 8,      /* of a run of words that are kept, from its end */
    NAME_WORDS = 4, /* a name of more words is a sentence */
    DEPTH = 6,      /* of nested objects whose names count */
    COLUMNS = 32    /* of a table */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* ---- names ---- */

struct record_word {
    const char *text;
    size_t n;
};

/* One pass over a line: words, the sign behind them, the number behind it. */
struct scan {
    const char *start, *at, *end;
    struct record *out;
    struct record_text *state;
    struct record_word word[WORDS]; /* the run of words at `at` */
    int n_words;                    /* of the run; the last WORDS are kept */
    bool is_closed;                 /* a wide gap ends the run */
    bool is_foreign;                /* it is no name: a path, an option, letters beyond ASCII */
    bool is_value;                  /* it begins where a value is expected */
    bool is_tight;                  /* it begins a line, a cell, an item of a list */
    bool is_after_number;
    int n_brackets;
    struct record_word outer[DEPTH]; /* names of the objects around */
    int depth;
    struct record_word part; /* "[val] loss: 0.3, acc: 0.9": of the names behind it; empty: none */
    bool is_of_fold;         /* "Fold 3" is in the line: one of several results */
};

/* The words of the run that are kept. */
static int n_kept(const struct scan *s)
{
    return s->n_words < WORDS ? s->n_words : WORDS;
}

typedef int compare_words(const char *a, const char *b, size_t n);

/* list: "|a|b|" */
static bool is_listed(const struct record_word *w, const char *list, compare_words *compare)
{
    const char *name = list + 1;

    for (const char *at = name; *at; at++) {
        if (*at != '|')
            continue;
        if ((size_t)(at - name) == w->n && !compare(name, w->text, w->n))
            return true;
        name = at + 1;
    }
    return false;
}

static bool word_is(const struct record_word *w, const char *list)
{
    return is_listed(w, list, strncmp);
}

static bool word_is_any_case(const struct record_word *w, const char *list)
{
    return is_listed(w, list, strncasecmp);
}

/* The word begins with a part of the data, as val_loss does: `train loss` is never `loss`. */
static bool has_part(const struct record_word *w)
{
    struct record_word first = {w->text, 0};

    while (first.n < w->n && isalpha((unsigned char)w->text[first.n]))
        first.n++;
    return word_is_any_case(&first,
                            "|train|training|val|valid|validation|dev|test|testing|eval|holdout|");
}

/* A part of the word is the name of some metric. Without a sign other names are not read. */
static bool is_metric(const struct record_word *w)
{
    static const char names[] =
        "|loss|acc|accuracy|auc|auroc|auprc|roc|ap|map|f|score|error|err|mse|rmse|mae|mape|r|"
        "rsquared|"
        "corr|pearson|spearman|mcc|kappa|precision|recall|perplexity|ppl|bleu|rouge|iou|miou|dice|"
        "psnr|ssim|fid|nll|bce|logloss|kl|elbo|reward|return|";

    for (size_t i = 0, n; i < w->n; i += n + 1) {
        struct record_word part = {w->text + i, 0};

        for (n = 0; i + n < w->n && (isalnum((unsigned char)w->text[i + n])); n++)
            part.n = is_digit(w->text[i + n]) ? part.n : n + 1;
        if (part.n && word_is_any_case(&part, names))
            return true;
    }
    return false;
}

/* Join words by _; false: the name is too long. */
static bool join(char name[PROGRAM_NAME], const struct record_word *words, int n)
{
    size_t size = 0;

    for (int i = 0; i < n; i++) {
        if (size + words[i].n + 2 > PROGRAM_NAME)
            return false;
        if (i)
            name[size++] = '_';
        for (size_t k = 0; k < words[i].n; k++)
            name[size++] = words[i].text[k] == '@' ? '_' : words[i].text[k];
    }
    name[size] = '\0';
    return n > 0;
}

/* "Fold 3", "Class A": one of several results. */
static bool is_one_of(const struct record_word *w)
{
    return word_is_any_case(w, "|fold|class|split|");
}

/* True if the objective may follow n words, as in "Final val acc", but not a number of another kind, or of
 * another model. Its first word is objective[0]. */
static bool may_precede(const struct record_word *words, int n, const struct record_word *objective)
{
    for (int i = 0; i < n; i++)
        if (word_is_any_case(&words[i],
                             "|std|stdev|sd|se|sem|stderr|deviation|var|variance|delta|lower|"
                             "upper|target|baseline|initial|previous|prev|old|") ||
            (has_part(&words[i]) && !has_part(objective)))
            return false;
    return true;
}

/* Name an item after the run. False: the run is no name. needs_metric: only names of metrics count. */
static bool set_name(struct record_item *item, const struct scan *s, bool needs_metric)
{
    const char *objective = s->state->objective;
    struct record_word all[DEPTH + 1 + WORDS];
    bool is_of_fold = s->is_of_fold;
    int n = 0, n_run = n_kept(s);

    for (int i = 0; i < s->depth && i < DEPTH; i++)
        if (s->outer[i].n && !(has_part(&s->outer[i]) && has_part(s->word)))
            all[n++] = s->outer[i];
    if (!n && s->part.n && !has_part(s->word))
        all[n++] = s->part;
    memcpy(all + n, s->word, (size_t)n_run * sizeof *all);
    n += n_run;
    if (!n_run || s->is_foreign)
        return false;
    item->is_ambiguous = false;
    for (int i = 0; i < n; i++) {
        if (join(item->name, all + i, n - i) && record_is_like(item->name, objective) &&
            may_precede(all, i, &all[i])) {
            item->rank = is_of_fold                           ? RECORD_OF_FOLD
                         : i                                  ? RECORD_OTHER_WORDS
                         : strcmp(item->name, objective) != 0 ? RECORD_ALIKE
                                                              : RECORD_EXACT;
            if (!join(item->name, all, n))
                *item->name = '\0';
            snprintf(item->shown, sizeof item->shown, "%.*s", RECORD_SHOWN - 1, item->name);
            snprintf(item->name, sizeof item->name, "%s", objective);
            return true;
        }
        is_of_fold |= is_one_of(&all[i]);
    }
    return (!needs_metric || is_metric(&all[n - 1])) && n <= NAME_WORDS && s->n_words <= WORDS &&
           !(n == 1 && word_is_any_case(all, "|epoch|")) && join(item->name, all, n) &&
           record_name_length(item->name, strlen(item->name));
}

static void add_number(struct scan *s, bool needs_metric, double value)
{
    struct record *out = s->out;
    struct record_item *item = &out->item[out->n];

    if (out->n == PROGRAM_NAMES || !set_name(item, s, needs_metric))
        return;
    item->value = value;
    item->has_value = true;
    out->n++;
    s->n_words = 0;
}

/* Text in place of a number counts if it begins the line, is like a number, or stands for none. */
static void add_text(struct scan *s, const char *at)
{
    struct record *out = s->out;
    struct record_item *item = &out->item[out->n];
    bool is_number = true;
    size_t n = 0;

    for (;
         at + n < s->end && n < RECORD_SHOWN - 1 && !is_blank(at[n]) && !is_among(at[n], ";|)]}") &&
         !(at[n] == ',' && (at + n + 1 == s->end || !is_digit(at[n + 1])));
         n++)
        is_number &= is_digit(at[n]) || is_among(at[n], ".,");
    if (!n || out->n == PROGRAM_NAMES ||
        !((s->n_words == 1 && s->word->text == s->start) || is_number ||
          word_is_any_case(&(struct record_word){at, n}, "|na|n/a|none|null|-|")) ||
        !set_name(item, s, false))
        return;
    item->has_value = false;
    snprintf(item->shown, sizeof item->shown, "%.*s", (int)n, at);
    out->n++;
}

/* ---- epochs ---- */

/* Take what follows the word `epoch`: "3/10", ": 3", "=3", ": [3][ 7/50]", "': 3.0". False: no number. */
static bool take_epoch(struct scan *s)
{
    const char *end = s->end, *at = s->at + (s->at < end && is_among(*s->at, "\"'"));
    const char *number, *stop, *more;

    at = record_skip_blanks(at, end);
    at = record_skip_blanks(at + (at < end && is_among(*at, ":=")), end);
    at = record_skip_blanks(at + (at < end && is_among(*at, "[#\"'")), end);
    number = at;
    stop = at = record_number_end(number, end);
    more = record_skip_blanks(at, end);
    if (more < end && *more == '/' && is_digit(*number)) {
        more = record_skip_blanks(more + 1, end);
        at = record_skip_digits(more, end) > more ? record_skip_digits(more, end) : at;
    }
    at += at < end && is_among(*at, "]\"'");
    if (stop == number || !(record_ends_number(at, end) || *at == ':' ||
                            (*at == '-' && at + 1 < end && is_blank(at[1]))))
        return false;
    record_set_epoch(s->out, number, (size_t)(stop - number), false);
    s->at = at;
    return true;
}

/* The run names the epoch of the line, and no other one: "Best epoch: 7", "val_loss=0.3 (epoch 7)". */
static bool names_epoch(const struct scan *s)
{
    int n = n_kept(s);

    return !s->n_brackets && !s->is_foreign && word_is_any_case(&s->word[n - 1], "|epoch|") &&
           (n < 2 || !word_is_any_case(&s->word[n - 2], "|best|at|on|in|from|after|since|until|"));
}

/* Take the round that begins a line: "[3/10] ", or "[7]" and "7:" before a tab. */
static void take_round(struct scan *s)
{
    const char *end = s->end, *at = s->at, *number, *stop;
    bool is_pair = false, is_open = *at == '[';

    number = at = record_skip_blanks(at + is_open, end);
    stop = at = record_skip_digits(number, end);
    if (is_open && at + 1 < end && *at == '/' && is_digit(at[1])) {
        is_pair = true;
        at = record_skip_digits(at + 1, end);
    }
    if (stop == number || at + 1 >= end || *at != (is_open ? ']' : ':') || !is_blank(at[1]) ||
        (!is_pair && at[1] != '\t'))
        return;
    record_set_epoch(s->out, number, (size_t)(stop - number), true);
    s->at = at + 1;
}

/* ---- the pass ---- */

static void end_run(struct scan *s)
{
    if (s->n_words == 1 && !s->is_foreign && record_name_length(s->word->text, s->word->n) &&
        !memchr(s->word->text, '_', s->word->n) && has_part(s->word))
        s->part = s->word[0];
    s->n_words = 0;
    s->is_closed = s->is_foreign = s->is_value = false;
}

static void add_word(struct scan *s, struct record_word word)
{
    /* Words before a name that do not belong to it. */
    if (s->n_words == 1 &&
        (word_is(s->word, "|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|and|") ||
         (s->is_after_number &&
          word_is(s->word, "|s|ms|sec|secs|seconds|min|minutes|h|it/s|MB|GB|")))) {
        s->n_words = 0;
        s->is_tight = false;
    }
    if (s->n_words >= WORDS)
        memmove(s->word, s->word + 1, (WORDS - 1) * sizeof *s->word);
    s->word[s->n_words < WORDS ? s->n_words : WORDS - 1] = word;
    s->n_words++;
}

/* A number without a sign before it: "train loss 0.2", of a metric with decimals, or of the objective. */
static bool take_unsigned(struct scan *s)
{
    const char *stop = record_number_end(s->at, s->end), *after;
    struct record_item *item = &s->out->item[s->out->n];
    bool is_whole = stop > s->at && record_skip_digits(s->at, stop) == stop;
    double value;

    if (s->n_words > 1 && s->n_words <= WORDS && word_is(&s->word[s->n_words - 1], "|is|was|"))
        s->n_words--;
    if (!s->n_words || s->out->n == PROGRAM_NAMES || !set_name(item, s, true) ||
        !(stop = record_take_number(&value, s->at, s->end)))
        return false;
    after = record_skip_blanks(stop, s->end);
    if (s->end - after >= 2 && !strncasecmp(after, "CI", 2)) /* "AUC 95% CI: 0.75-0.85" */
        return false;
    if (is_whole && stop[-1] != '%' &&
        (strcmp(item->name, s->state->objective) != 0 ||
         (after < s->end && !is_among(*after, ",;|)}-"))))
        return false;
    add_number(s, true, value);
    s->at = stop;
    return true;
}

/* A number follows the run: "Fold 3", "class 2". */
static void note_fold(struct scan *s)
{
    int n = n_kept(s);

    s->is_of_fold |= n && is_one_of(&s->word[n - 1]);
}

static void take_digits(struct scan *s)
{
    note_fold(s);
    if (!take_unsigned(s)) { /* a time, a size: all up to a blank or a bracket */
        while (s->at < s->end && !is_blank(*s->at) && !is_among(*s->at, ",;|()[]{}\"'="))
            s->at++;
        s->at += s->at < s->end && *s->at == '=';
    }
    end_run(s);
    s->is_after_number = true;
}

static void take_word(struct scan *s)
{
    struct record_word word = {s->at, 0};
    bool is_ascii = true;

    if (s->n_words && !strncasecmp(s->at, "nan", 3) && take_unsigned(s)) {
        end_run(s);
        return;
    }
    if (!s->n_words || s->is_closed) {
        char before = s->at > s->start ? s->at[-1] : ' ';
        bool is_value = s->is_value && !s->n_words;

        end_run(s);
        s->is_value = is_value;
        s->is_foreign = !is_blank(before) && !is_among(before, ",;|([{\"'<>:=*");
        s->is_tight = s->at == s->start || s->is_after_number || is_among(before, ",;|{\t\"'");
    }
    for (; s->at < s->end && (isalnum((unsigned char)*s->at) || is_among(*s->at, "_./-@") ||
                              (unsigned char)*s->at >= 0x80);
         s->at++)
        is_ascii &= (unsigned char)*s->at < 0x80;
    word.n = (size_t)(s->at - word.text);
    while (word.n > 1 && is_among(word.text[word.n - 1], ".-/"))
        word.n--;
    s->is_foreign |= !is_ascii;
    add_word(s, word);
    if (s->end - s->at > 2 && s->at[0] == '\'' && s->at[1] == 's' && is_blank(s->at[2]))
        s->at += 2; /* LightGBM: valid_0's l2 */
    s->is_closed = word.text + word.n < s->at && is_among(s->at[-1], ".-/");
    if (names_epoch(s) && take_epoch(s))
        end_run(s);
    s->is_after_number = false;
}

/* The sign behind a run: the value follows, or an object. */
static void take_sign(struct scan *s)
{
    const char *at = s->at, *next = at + 1, *stop;
    bool is_double = next < s->end && *next == *at, is_glued, is_whole;
    double value;

    next += is_double || (next < s->end && *at == '=' && *next == '>');
    is_glued = next < s->end && !is_blank(*next);
    next = record_skip_blanks(next, s->end);
    s->at = next;
    if (is_double || !s->n_words) {
        end_run(s);
        s->is_value = !is_double;
        return;
    }
    if (next < s->end && *next == '{') {
        if (s->depth < DEPTH)
            s->outer[s->depth] = s->word[n_kept(s) - 1];
        s->depth++;
        s->at++;
        s->n_words = 0;
        end_run(s);
        return;
    }
    stop = record_take_number(&value, next, s->end);
    is_whole = stop && record_skip_digits(next, stop) == stop;
    /* host:8080, train.py:57 and cuda:0 are no results */
    if (stop && *at == ':' && is_glued &&
        (s->is_value ||
         (is_whole && (!s->is_tight || s->n_words > 1 || memchr(s->word->text, '.', s->word->n)))))
        s->is_foreign = true;
    if (stop) {
        note_fold(s);
        add_number(s, false, value);
    } else {
        add_text(s, next);
    }
    s->at = stop ? stop : next;
    end_run(s);
    s->is_after_number = stop != NULL;
    s->is_value = !stop;
}

/* "Loss (train): 0.3", "Accuracy (%): 93": the bracket belongs to the name before a sign. */
static void open_bracket(struct scan *s)
{
    size_t most = (size_t)(s->end - s->at) < PROGRAM_NAME ? (size_t)(s->end - s->at) : PROGRAM_NAME;
    const char *close = s->n_words ? memchr(s->at, ')', most) : NULL;
    const char *sign = close ? record_skip_blanks(close + 1, s->end) : s->end;
    size_t n = close ? (size_t)(close - s->at - 1) : 0;

    if (sign < s->end && is_among(*sign, ":=")) {
        if (record_name_length(s->at + 1, n) == n && n)
            add_word(s, (struct record_word){s->at + 1, n});
        s->at = sign;
        return;
    }
    s->n_brackets++;
    s->at++;
    end_run(s);
}

/* The end of a cell: "| val_loss | 0.31 |". */
static void take_bar(struct scan *s)
{
    const char *at = record_skip_blanks(s->at + 1, s->end), *stop;
    double value;

    stop = *s->start == '|' && s->n_words ? record_take_number(&value, at, s->end) : NULL;
    at = stop ? record_skip_blanks(stop, s->end) : s->end;
    if (at < s->end && *at == '|') {
        add_number(s, false, value);
        s->at = at;
    } else {
        s->at++;
    }
    end_run(s);
}

/* A quote ends a run, unless a sign follows: 'eval_loss': 0.3. */
static void take_quote(struct scan *s)
{
    const char *sign = record_skip_blanks(s->at + 1, s->end);
    bool is_value = s->is_value && !s->n_words;

    if (s->n_words && !s->is_closed && sign < s->end && is_among(*sign, ":=")) {
        s->at = sign;
        return;
    }
    s->at++;
    end_run(s);
    s->is_value = is_value;
}

static void take_other(struct scan *s)
{
    unsigned char c = (unsigned char)*s->at;

    if (c == '{' && ++s->depth <= DEPTH)
        s->outer[s->depth - 1].n = 0;
    s->depth -= c == '}' && s->depth;
    s->n_brackets -= c == ')' && s->n_brackets;
    end_run(s);
    s->at++;
    while (c >= 0xc0 && s->at < s->end && ((unsigned char)*s->at & 0xc0) == 0x80)
        s->at++;
}

static bool begins_number(const struct scan *s)
{
    const char *at = s->at + is_among(*s->at, "+-");

    return at < s->end && (is_digit(*at) || (*at == '.' && at + 1 < s->end && is_digit(at[1])) ||
                           (at > s->at && record_number_end(s->at, s->end) > s->at));
}

static void take_next(struct scan *s)
{
    unsigned char c = (unsigned char)*s->at;

    if (is_blank(*s->at)) {
        const char *next = record_skip_blanks(s->at, s->end);

        s->is_closed |= next - s->at > 1 || c == '\t';
        s->at = next;
    } else if (is_letter(*s->at) || (c >= 0xc0 && c != 0xe2 && c < 0xf0)) {
        take_word(s);
    } else if (begins_number(s)) {
        take_digits(s);
    } else if (c == ':' || c == '=') {
        take_sign(s);
    } else if (c == '(') {
        open_bracket(s);
    } else if (c == '|') {
        take_bar(s);
    } else if (c == '"' || c == '\'') {
        take_quote(s);
    } else {
        take_other(s);
    }
}

/* ---- progress bars ---- */

/* The numbers of "7/50", if a blank or the end of the line follows. */
static bool find_counts(long *done, long *steps, const char *at, const char *end)
{
    const char *slash = record_skip_digits(at, end), *stop;

    if (slash == at || slash - at > 9 || slash == end || *slash != '/')
        return false;
    stop = record_skip_digits(slash + 1, end);
    if (stop == slash + 1 || stop - slash > 10 || (stop < end && !is_blank(*stop)))
        return false;
    *done = strtol(at, NULL, 10);
    *steps = strtol(slash + 1, NULL, 10);
    return true;
}

/* Keras begins a line with its bar, which belongs to the epoch of the heading. tqdm writes "50%|#### | 7/50 [".
 * False: the epoch is not complete, and its values are not read. */
static bool take_progress(struct scan *s)
{
    struct record *out = s->out;
    struct record_text *state = s->state;
    const char *bar = strstr(s->start, "%|"), *at;
    long done, steps;

    if (find_counts(&done, &steps, s->start, s->end)) {
        if (done != steps)
            return false;
        if (out->epoch < 0 && out->n && state->heading >= 0 &&
            (!state->steps || state->steps == steps)) {
            out->epoch = state->heading;
            state->steps = (int32_t)steps;
        }
        return true;
    }
    at = bar ? strchr(bar + 2, '|') : NULL;
    return !at || !find_counts(&done, &steps, record_skip_blanks(at + 1, s->end), s->end) ||
           done == steps || (out->epoch < 0 && state->heading < 0);
}

/* ---- tables ---- */

static struct record_word next_field(const char **at, const char *end)
{
    struct record_word field = {record_skip_blanks(*at, end), 0};

    while (field.text + field.n < end && !is_blank(field.text[field.n]))
        field.n++;
    *at = field.text + field.n;
    return field;
}

/* The number of names in the line that was kept, one of which is the epoch, the objective or a metric;
 * 0: it is no head of a table. */
static int count_columns(const struct record_text *state)
{
    const char *at = state->heads.data, *end = at + state->heads.size;
    bool is_table = false;
    int n = 0;

    while (at < end) {
        struct record_word field = next_field(&at, end);
        char name[PROGRAM_NAME];

        if (!field.n)
            break;
        if (record_name_length(field.text, field.n) != field.n || n++ == COLUMNS)
            return 0;
        is_table = is_table || word_is_any_case(&field, "|epoch|") || is_metric(&field) ||
                   (join(name, &field, 1) && record_is_like(name, state->objective));
    }
    return n > 1 && is_table ? n : 0;
}

/* The number of fields of a row, which are numbers, times or sizes; 0: it is no row. */
static int count_fields(const struct record_text *state, const char *at, const char *end)
{
    int n = 0;

    while (at < end) {
        struct record_word field = next_field(&at, end);
        double value;

        if (!field.n)
            break;
        n++;
        if (n == state->n_columns && field.text[field.n - 1] == ':')
            return n; /* YOLO: a bar follows */
        if (record_number(&value, field.text, field.n) && !is_digit(*field.text) &&
            !word_is(&field, "|NA|None|-|"))
            return 0;
    }
    return n;
}

/* Take a row of the table whose head is known; a first field may name the row. */
static bool take_row(struct scan *s)
{
    struct record_text *state = s->state;
    const char *head = buf_text(&state->heads), *heads_end = head + state->heads.size;
    const char *at = s->start;
    int n;

    if (state->n_columns < 0 && strpbrk(at, "0123456789"))
        state->n_columns = count_columns(state);
    n = state->n_columns > 0 ? count_fields(state, at, s->end) : 0;
    if (!n || (n != state->n_columns && n != state->n_columns + 1))
        return false;
    if (n > state->n_columns)
        next_field(&at, s->end);
    for (int i = 0; i < state->n_columns; i++) {
        struct record_word name = next_field(&head, heads_end), field = next_field(&at, s->end);
        size_t digits = (size_t)(record_number_end(field.text, field.text + field.n) - field.text);
        double value;

        s->n_words = 1;
        s->word[0] = name;
        field.n -= field.n && field.text[field.n - 1] == ':';
        if (word_is_any_case(&name, "|epoch|"))
            record_set_epoch(s->out, field.text, digits, true);
        else if (!record_number(&value, field.text, field.n))
            add_number(s, false, value);
    }
    return true;
}

/* ---- lines ---- */

/* Signs beyond ASCII, and what they mean here: a plus-minus sign ends a value. */
static const struct {
    const char *sign;
    char plain;
} signs[] = {{"\xc2\xa0", ' '},     {"\xc2\xb1", ' '},     {"\xc2\xb2", '2'},
             {"\xe2\x94\x82", '|'}, {"\xe2\x94\x83", '|'}, {"\xe2\x88\x92", '-'}};

/* Replace signs beyond ASCII, such as a bar or a plus-minus sign, by those that mean the same here. */
static void replace_signs(struct buf *plain)
{
    const char *at = plain->data, *end = at + plain->size;
    char *out = plain->data;

    while (at < end) {
        char c = *at;
        size_t n = 0;

        for (size_t i = 0; (unsigned char)*at >= 0x80 && !n && i < sizeof signs / sizeof *signs;
             i++) {
            size_t length = strlen(signs[i].sign);

            if ((size_t)(end - at) >= length && !memcmp(at, signs[i].sign, length)) {
                c = signs[i].plain;
                n = length;
            }
        }
        *out++ = c;
        at += n ? n : 1;
    }
    buf_cut(plain, (size_t)(out - plain->data));
}

/* "total loss: 0.5, cls loss: 0.1" does not tell which of them is `loss`: none is. */
static void refuse_two_names(struct record *out, const char *objective)
{
    const struct record_item *first = NULL;
    bool differ = false;

    for (int32_t i = 0; i < out->n; i++) {
        const struct record_item *item = &out->item[i];

        if (!item->has_value || item->rank != RECORD_OTHER_WORDS ||
            strcmp(item->name, objective) != 0)
            continue;
        first = first ? first : item;
        differ |= strcmp(first->shown, item->shown) != 0;
    }
    for (int32_t i = 0; differ && i < out->n; i++) {
        struct record_item *item = &out->item[i];

        if (strcmp(item->name, objective) != 0 || item->rank != RECORD_OTHER_WORDS)
            continue;
        item->has_value = false;
        item->is_ambiguous = true;
    }
}

bool record_text_parse(struct record *out, struct record_text *state, const char *line, size_t n)
{
    struct scan s = {.out = out, .state = state};
    const char *epoch_end = NULL;

    record_clear(out);
    characters_shown(&state->plain, line, line + n);
    if (state->plain.size)
        replace_signs(&state->plain);
    s.start = buf_text(&state->plain);
    s.end = s.start + state->plain.size;
    while (s.end > s.start && is_blank(s.end[-1]))
        s.end--;
    s.at = s.start = record_skip_blanks(s.start, s.end);
    if (s.at == s.end || buf_failed(&state->plain))
        return false;
    if (take_row(&s))
        return out->n > 0;
    take_round(&s);
    while (s.at < s.end) {
        take_next(&s);
        epoch_end = !epoch_end && out->epoch >= 0 ? s.at : epoch_end;
    }
    if (!take_progress(&s)) {
        out->n = 0;
        return false;
    }
    refuse_two_names(out, state->objective);
    /* A line without results may be the head of a table, which a line of dashes may follow. */
    if (out->n) {
        state->n_columns = 0;
    } else if (s.start + strspn(s.start, "- ") < s.end) {
        buf_clear(&state->heads);
        buf_add(&state->heads, s.start, (size_t)(s.end - s.start));
        state->n_columns = -1;
    }
    /* Only an epoch is in the line: the results of the next bar belong to it. */
    epoch_end = epoch_end ? epoch_end : s.start;
    while (epoch_end < s.end && !isalnum((unsigned char)*epoch_end))
        epoch_end++;
    if (!out->n && out->epoch >= 0 && !out->is_weak && epoch_end == s.end) {
        state->heading = out->epoch;
        state->steps = 0;
    }
    return out->n > 0;
}
