/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/text/names.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* By default uthash ends the process when memory is short. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(item) ((item)->was_lost = 1)
#include <uthash.h>

struct name {
    UT_hash_handle hh;
    int64_t line;
    int32_t index;
    int32_t was_lost;
    char text[];
};

void names_release(struct names *names)
{
    if (!names)
        return;
    HASH_CLEAR(hh, names->by_text);
    for (int32_t i = 0; i < names->n; i++)
        free((char *)names->text[i] - offsetof(struct name, text));
    free(names->text);
    memset(names, 0, sizeof *names);
}

int32_t names_find(const struct names *names, const char *text)
{
    struct name *found;

    HASH_FIND_STR(names->by_text, text, found);
    return found ? found->index : -1;
}

int64_t names_line(const struct names *names, int32_t index)
{
    const char *text = names->text[index];

    return ((const struct name *)(const void *)(text - offsetof(struct name, text)))->line;
}

int32_t names_add(struct names *names, const char *text, int64_t line, struct err *err)
{
    assert(names_find(names, text) < 0);
    return names_add_repeated(names, text, line, err);
}

int32_t names_find_or_add(struct names *names, const char *text, int64_t line, struct err *err)
{
    int32_t known = names_find(names, text);

    return known >= 0 ? known : names_add_repeated(names, text, line, err);
}

int32_t names_add_repeated(struct names *names, const char *text, int64_t line, struct err *err)
{
    size_t size = strlen(text) + 1;
    struct name *name;

    if (names->n == INT32_MAX)
        return err_set(err, "more than %d ids", names->n);
    if (array_extend(&names->text, &names->capacity, (size_t)names->n, sizeof *names->text, "ids",
                     err))
        return -1;
    name = malloc(sizeof *name + size);
    if (!name)
        return err_nomem(err, "ids", sizeof *name + size);
    memcpy(name->text, text, size);
    name->line = line;
    name->index = names->n;
    name->was_lost = 0;
    HASH_ADD_KEYPTR(hh, names->by_text, name->text, size - 1, name);
    if (name->was_lost) {
        free(name);
        return err_nomem(err, "ids", sizeof *name + size);
    }
    names->text[names->n] = name->text;
    return names->n++;
}

static int add_part(struct names *names, const char *part, size_t n, const char *what,
                    struct err *err)
{
    char *text = strndup(part, n);
    int rc;

    if (!text)
        return err_nomem(err, what, n + 1);
    names_unquote(text);
    if (!*text)
        rc = err_set(err, "%s: a name is empty", what);
    else if (names_find(names, text) >= 0)
        rc = err_set(err, "%s: \"%.80s\" occurs twice", what, text);
    else
        rc = names_add(names, text, 0, err) < 0 ? -1 : 0;
    free(text);
    return rc;
}

void names_unquote(char *text)
{
    size_t n = strlen(text);
    char *out = text;

    if (n < 2 || text[0] != '"' || text[n - 1] != '"')
        return;
    for (const char *at = text + 1; at < text + n - 1; at++) {
        *out++ = *at;
        at += at[0] == '"' && at[1] == '"' && at + 1 < text + n - 1;
    }
    *out = '\0';
}

/* Returns NULL if a quote is open. */
static const char *find_end(const char *part)
{
    const char *at = part + strcspn(part, "\"(,");

    at += *at == '(';
    if (*at != '"' || (at > part && at[-1] != '('))
        return strchrnul(part, ',');
    for (at++; *at && (*at != '"' || at[1] == '"'); at++)
        at += *at == '"';
    return *at ? strchrnul(at, ',') : NULL;
}

int names_split(struct names *names, const char *list, const char *what, struct err *err)
{
    static const char blanks[] = " \t\n";

    if (!list || !list[strspn(list, blanks)])
        return 0;
    for (const char *next = list; next;) {
        const char *part = next + strspn(next, blanks);
        const char *end = find_end(part);

        if (!end)
            return err_set(err, "%s: %.80s: a quote is not closed", what, part);
        next = *end ? end + 1 : NULL;
        while (end > part && strchr(blanks, end[-1]))
            end--;
        if (add_part(names, part, end > part ? (size_t)(end - part) : 0, what, err))
            return -1;
    }
    return 0;
}
