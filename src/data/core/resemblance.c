/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/resemblance.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/data_report.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns a copy in lower case without surrounding blanks, R's X before a digit, zeros around a
 * number or a repetition; punctuation becomes points. The caller frees it; NULL if memory is
 * short. */
static char *fold(const char *id)
{
    char *out, *at;
    size_t n;

    while (is_blank(*id))
        id++;
    id += (*id == 'X' || *id == 'x') && is_digit(id[1]);
    out = strdup(id);
    if (!out)
        return NULL;
    for (n = strlen(out); n && is_blank(out[n - 1]); n--)
        out[n - 1] = '\0';
    for (at = out; *at; at++) {
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at - 'A' + 'a');
        else if ((unsigned char)*at < 0x80 && !is_digit(*at) && !(*at >= 'a' && *at <= 'z'))
            *at = '.';
    }
    /* x.x becomes x: PLINK writes FID_IID, and both are often the same */
    n = strlen(out) / 2;
    if (n && out[n] == '.' && strlen(out) % 2 && !strncmp(out, out + n + 1, n))
        out[n] = '\0';
    /* 007 and 7.0 become 7: spreadsheets drop zeros, and pandas adds ".0" to a column with gaps */
    n = strspn(out, "0123456789");
    if (n && (!out[n] || !strcmp(out + n, ".0"))) {
        size_t zeros = strspn(out, "0");

        zeros -= zeros == n;
        memmove(out, out + zeros, n - zeros);
        out[n - zeros] = '\0';
    }
    return out;
}

int resemblance_init(struct resemblance *r, const struct names *ids, struct err *err)
{
    int rc = 0;

    *r = (struct resemblance){.ids = ids};
    r->which = malloc(((size_t)ids->n + 1) * sizeof *r->which);
    if (!r->which)
        return err_nomem(err, "ids", (size_t)ids->n * sizeof *r->which);
    for (int32_t i = 0; !rc && i < ids->n; i++) {
        char *folded = fold(ids->text[i]);

        if (!folded)
            rc = err_nomem(err, "ids", strlen(ids->text[i]));
        else if (names_find(&r->folded, folded) < 0) {
            r->which[r->folded.n] = i;
            rc = names_add(&r->folded, folded, 1, err) < 0 ? -1 : 0;
        }
        free(folded);
    }
    return rc;
}

void resemblance_release(struct resemblance *r)
{
    if (!r)
        return;
    names_release(&r->folded);
    free(r->which);
    memset(r, 0, sizeof *r);
}

const char *resemblance_find(const struct resemblance *r, const char *id)
{
    char *folded = fold(id);
    int32_t at = folded ? names_find(&r->folded, folded) : -1;

    free(folded);
    return at < 0 ? NULL : r->ids->text[r->which[at]];
}

/* ---- why files do not join ---- */

static bool is_between_parts(const char *id, size_t at, size_t length)
{
    return at == 0 || at == length || strchr("_./:-\\ ", id[at - 1]) || strchr("_./:-\\ ", id[at]);
}

/* Returns the longest part of an id, between punctuation, that is an id of the other side, or NULL. The
 * first part of several goes before the others. */
static const char *find_core(const void *names, const char *id)
{
    const struct names *ids = names;
    char core[160];
    size_t length = strlen(id);

    for (size_t n = length < sizeof core ? length - 1 : 0; n > 0; n--)
        for (size_t at = 0; at + n <= length; at++) {
            int32_t found;

            if (!is_between_parts(id, at, length) || !is_between_parts(id, at + n, length))
                continue;
            snprintf(core, sizeof core, "%.*s", (int)n, id + at);
            found = names_find(ids, core);
            if (found >= 0)
                return ids->text[found];
        }
    return NULL;
}

/* An id that is on a list. */
static const char *find_same(const void *names, const char *id)
{
    return names_find(names, id) >= 0 ? id : NULL;
}

static const char *find_alike(const void *resemblance, const char *id)
{
    return resemblance_find(resemblance, id);
}

/* Count the ids that find() finds on the other side, with examples. */
static int32_t count(struct buf *examples, const char *const *ids, int32_t n,
                     const char *(*find)(const void *arg, const char *id), const void *arg)
{
    int32_t n_found = 0;

    buf_clear(examples);
    for (int32_t i = 0; i < n; i++) {
        const char *found = find(arg, ids[i]);

        if (!found || n_found++ >= DATA_EXAMPLES)
            continue;
        buf_printf(examples, "%s\"%.40s\"", n_found > 1 ? ", " : "", ids[i]);
        if (found != ids[i])
            buf_printf(examples, " is \"%.40s\"", found);
    }
    return n_found;
}

/* The reason that explains most ids, the first of equals. */
int resemblance_explain(struct buf *out, const struct names *left, const char *path,
                        const struct joined_ids *other, struct err *err)
{
    struct buf examples = {0}, best = {0};
    struct resemblance r;
    int32_t n, most = 0;
    int rc;

    if (!left->n)
        return 0;
    n = count(&examples, other->columns, other->n_columns, find_same, left);
    if (n > most) {
        most = n;
        buf_printf(&best,
                   "%d of the %d ids of %s that did not join are columns of %s (%s): that table is "
                   "transposed; it must have a row for each sample and a column for each marker",
                   n, left->n, path, other->path, buf_text(&examples));
    }
    rc = resemblance_init(&r, other->ids, err);
    n = rc ? 0 : count(&examples, left->text, left->n, find_alike, &r);
    resemblance_release(&r);
    if (n > most) {
        most = n;
        buf_clear(&best);
        buf_printf(&best,
                   "%d of the %d ids of %s that did not join differ from ids of %s only in case, "
                   "blanks, punctuation, zeros or a repetition (%s): spell them the same way",
                   n, left->n, path, other->path, buf_text(&examples));
    }
    for (int side = 0; side < 2; side++) {
        const struct names *ids = side ? other->ids : left, *whole = side ? left : other->ids;
        const char *here = side ? other->path : path, *there = side ? path : other->path;

        n = count(&examples, ids->text, ids->n, find_core, whole);
        if (n <= most)
            continue;
        most = n;
        buf_clear(&best);
        buf_printf(&best,
                   "%d ids of %s are ids of %s with a lane, path or family before or behind them "
                   "(%s): cut these off in %s",
                   n, here, there, buf_text(&examples), here);
    }
    if (!rc)
        buf_puts(out, buf_text(&best));
    buf_release(&examples);
    buf_release(&best);
    return rc;
}
