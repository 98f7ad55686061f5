/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/text/equality.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/text/table.h"

/* A double tells whole numbers of 15 digits apart. */
enum { MOST_DIGITS = 15, NUMBER_BYTES = 64 };

struct parsed {
    const char *at; /* without blanks around it */
    size_t n;
    double v; /* of a number */
    bool is_number;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool parse_number(double *out, const char *at, size_t n)
{
    char copy[NUMBER_BYTES];
    size_t digits = 0;

    if (n == 0 || n >= sizeof copy)
        return false;
    for (size_t i = 0; i < n && at[i] != 'e' && at[i] != 'E'; i++)
        digits += at[i] >= '0' && at[i] <= '9';
    memcpy(copy, at, n);
    copy[n] = '\0';
    return digits <= MOST_DIGITS && (table_parse_number(out, copy) || table_parse_comma(out, copy));
}

static struct parsed parse(const char *text)
{
    struct parsed p = {.n = strlen(text)};

    while (is_blank(*text)) {
        text++;
        p.n--;
    }
    while (p.n && is_blank(text[p.n - 1]))
        p.n--;
    p.at = text;
    p.is_number = parse_number(&p.v, p.at, p.n);
    return p;
}

static bool is_alike(const struct parsed *a, const char *text)
{
    struct parsed b;

    if (!a->is_number && !is_blank(*text) &&
        tolower((unsigned char)*text) != tolower((unsigned char)*a->at))
        return false;
    b = parse(text);
    if (a->is_number || b.is_number)
        return a->is_number && b.is_number && a->v == b.v;
    return a->n == b.n && !strncasecmp(a->at, b.at, b.n);
}

bool equality_key(struct buf *out, const char *text)
{
    struct parsed p = parse(text);

    buf_clear(out);
    if (p.is_number)
        buf_printf(out, "%.15g", p.v == 0 ? 0 : p.v);
    else
        buf_add(out, p.at, p.n);
    for (size_t i = 0; !p.is_number && !buf_failed(out) && i < p.n; i++)
        out->data[i] = (char)tolower((unsigned char)out->data[i]);
    return p.is_number;
}

int32_t equality_pick(const char *const *texts, int32_t n, int32_t except, const char *text)
{
    struct parsed wanted;
    int32_t found = -1, n_found = 0;

    for (int32_t i = 0; i < n; i++)
        if (i != except && texts[i] && !strcmp(texts[i], text))
            return i;
    wanted = parse(text);
    for (int32_t i = 0; i < n; i++)
        if (i != except && texts[i] && is_alike(&wanted, texts[i])) {
            found = i;
            n_found++;
        }
    return n_found == 1 ? found : -1;
}

void equality_note(struct equality_count *count, const char *text, const char *as, int64_t n)
{
    examples_add(&count->texts, ", ", "\"%.40s\" as \"%.40s\"", text, as);
    count->n += n;
}

/* ---- joins ---- */

struct keys {
    struct names names;
    int32_t *known, *asked; /* [names.n] the text with that key; NONE, or SEVERAL */
};

enum { NONE = -1, SEVERAL = -2 };

static int index_keys(struct keys *k, int32_t *of_key, const struct names *texts, struct buf *key,
                      struct err *err)
{
    for (int32_t i = 0; i < texts->n; i++) {
        int32_t at, n = k->names.n;

        equality_key(key, texts->text[i]);
        if (buf_failed(key))
            return err_nomem(err, "ids", key->size);
        at = names_find_or_add(&k->names, buf_text(key), 0, err);
        if (at < 0)
            return -1;
        if (at == n)
            k->known[at] = k->asked[at] = NONE;
        of_key[at] = of_key[at] == NONE ? i : SEVERAL;
    }
    return 0;
}

int equality_join(int32_t *found, struct equality_count *count, const struct names *known,
                  const struct names *asked, struct err *err)
{
    size_t n = (size_t)known->n + (size_t)asked->n + 1;
    struct keys k = {.known = malloc(n * sizeof *k.known), .asked = malloc(n * sizeof *k.asked)};
    struct buf key = {0};
    int rc = -1;

    if (!k.known || !k.asked)
        err_nomem(err, "ids", n * sizeof *k.known);
    else
        rc = index_keys(&k, k.known, known, &key, err) || index_keys(&k, k.asked, asked, &key, err)
                 ? -1
                 : 0;
    for (int32_t i = 0; !rc && i < asked->n; i++)
        found[i] = names_find(known, asked->text[i]);
    for (int32_t at = 0; !rc && at < k.names.n; at++) {
        int32_t i = k.asked[at];

        if (i < 0 || k.known[at] < 0 || found[i] >= 0)
            continue;
        found[i] = k.known[at];
        equality_note(count, asked->text[i], known->text[found[i]], 1);
    }
    names_release(&k.names);
    free(k.known);
    free(k.asked);
    buf_release(&key);
    return rc;
}
