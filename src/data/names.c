#include "data/names.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Out of memory must come back as an error: without this uthash ends the process. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(item) ((item)->was_lost = 1)
#include <uthash.h>

struct name {
    UT_hash_handle hh;
    int64_t line;
    int32_t index;
    int32_t was_lost; /* uthash had no memory for it */
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

static int grow(struct names *names, struct err *err)
{
    int32_t capacity = names->capacity ? 2 * names->capacity : 64;
    const char **grown;

    if (names->capacity > INT32_MAX / 2)
        return err_set(err, "more than %d ids", names->capacity);
    grown = realloc(names->text, (size_t)capacity * sizeof *grown);
    if (!grown)
        return err_nomem(err, "ids", (size_t)capacity * sizeof *grown);
    names->text = grown;
    names->capacity = capacity;
    return 0;
}

int32_t names_add(struct names *names, const char *text, int64_t line, struct err *err)
{
    size_t size = strlen(text) + 1;
    struct name *name;

    assert(names_find(names, text) < 0);
    if (names->n == names->capacity && grow(names, err) != 0)
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
