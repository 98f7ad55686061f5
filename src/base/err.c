/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

int(err_set)(struct err *err, const char *format, ...)
{
    va_list args;

    if (!err)
        return -1;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    escape_terminal(err->text, false);
    return -1;
}

int err_vset_at(struct err *err, const char *path, const char *place, int64_t number,
                const char *format, va_list args)
{
    struct err message;

    vsnprintf(message.text, sizeof message.text, format, args);
    return err_set(err, "%s:%s%lld: %s", path, place, (long long)number, message.text);
}

int(err_wrap)(struct err *err, const char *format, ...)
{
    char inner[sizeof err->text];
    va_list args;
    size_t used;

    if (!err)
        return -1;
    memcpy(inner, err->text, sizeof inner);
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    escape_terminal(err->text, false);
    used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, ": %s", inner);
    return -1;
}

int(err_nomem)(struct err *err, const char *what, size_t bytes)
{
    return err_set(err, "out of memory (%s, %zu bytes)", what, bytes);
}

bool err_is_disk_full(int code)
{
    return code == ENOSPC || code == EDQUOT;
}

void errlist_add(struct errlist *list, const char *format, ...)
{
    struct err line;
    va_list args;
    char **grown;

    if (errlist_is_full(list)) {
        list->n_more++;
        return;
    }
    grown = realloc(list->text, (list->n + 1) * sizeof *grown);
    if (!grown) {
        list->n_lost++;
        return;
    }
    list->text = grown;
    va_start(args, format);
    vsnprintf(line.text, sizeof line.text, format, args);
    va_end(args);
    escape_terminal(line.text, false);
    list->text[list->n] = strdup(line.text);
    if (list->text[list->n])
        list->n++;
    else
        list->n_lost++;
}

int errlist_add_err(struct errlist *list, const struct err *err)
{
    errlist_add(list, "%s", err->text);
    list->is_usage = false;
    return -1;
}

int errlist_add_usage(struct errlist *list, const struct err *err)
{
    errlist_add(list, "%s", err->text);
    list->is_usage = true;
    return -1;
}

void errlist_limit(struct errlist *list, size_t n)
{
    list->most = list->n + n;
}

bool errlist_is_full(const struct errlist *list)
{
    return list->most && list->n >= list->most;
}

bool errlist_has(const struct errlist *list, const char *text)
{
    for (size_t i = 0; i < list->n; i++)
        if (!strcmp(list->text[i], text))
            return true;
    return false;
}

void errlist_release(struct errlist *list)
{
    if (!list)
        return;
    for (size_t i = 0; i < list->n; i++)
        free(list->text[i]);
    free(list->text);
    memset(list, 0, sizeof *list);
}
