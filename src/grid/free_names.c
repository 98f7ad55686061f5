/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/free_names.h"

#include <ctype.h>
#include <string.h>

/* The implied settings are no values. */
#define GIVEN "trial|key|seed|fold|folds|replicate|threads|dir|results|checkpoint|gpus|rank|ranks|until"
#define IMPLIED "type|format"

/* Columns of the views and of `best` that no axis is (store/views.c, store/query/leaderboard.c). */
#define COLUMNS                                                                           \
    "sweep|trial|config|replicate|fold|state|value|seconds|predicted|rank|host|attempts|" \
    "place|trials|mean|sd|se|diff|diff_se|diff_low|diff_high|pairs|within_se|flops"
/* Words that SQLite does not take for a column unless they stand in quotes. */
#define SQL_WORDS                                                                             \
    "add|all|alter|and|as|autoincrement|between|case|cast|check|collate|commit|constraint|"   \
    "create|current_date|current_time|current_timestamp|default|deferrable|delete|distinct|"  \
    "drop|else|escape|except|exists|false|foreign|from|group|having|in|index|insert|"         \
    "intersect|into|is|isnull|join|limit|not|nothing|notnull|null|on|or|order|primary|raise|" \
    "references|returning|select|set|table|then|to|transaction|true|union|unique|update|"     \
    "using|values|when|where|with"

bool free_names_is_given(const char *name)
{
    return param_is_among(GIVEN, name);
}

const char *free_names_given(void)
{
    return GIVEN;
}

/* For SQL names are equal whatever their case. */
const char *free_names_taken(const char *name)
{
    char lower[FREE_NAME_SIZE];
    size_t n = 0;

    for (; name[n] && n + 1 < sizeof lower; n++)
        lower[n] = (char)tolower((unsigned char)name[n]);
    lower[n] = '\0';
    if (param_is_among(COLUMNS, lower))
        return "a column of the leaderboard or of the trials";
    return param_is_among(SQL_WORDS, lower) ? "a word of SQL" : NULL;
}

static bool is_name(const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            return false;
    return strlen(name) < FREE_NAME_SIZE;
}

int free_names_add(struct free_names *names, const char *name, struct err *err)
{
    int32_t at = names->n;

    if (free_names_find(names, name) < P_MAX)
        return 0;
    if (!is_name(name))
        return err_set(err,
                       "'%.60s' is not a name: must be letters, digits and _, at most %d, and "
                       "not begin with a digit",
                       name, FREE_NAME_SIZE - 1);
    if (free_names_is_given(name) || param_is_among(IMPLIED, name))
        return err_set(err, "'%s' is a name of espalier: choose another, such as my_%s", name,
                       name);
    if (names->n == FREE_NAMES_MAX)
        return err_set(err, "'%s' is one name too many: at most %d are allowed", name,
                       FREE_NAMES_MAX);
    while (at > 0 && strcmp(names->name[at - 1], name) > 0) {
        memcpy(names->name[at], names->name[at - 1], FREE_NAME_SIZE);
        at--;
    }
    strcpy(names->name[at], name);
    names->n++;
    for (int32_t i = 0; i < names->n; i++) {
        names->row[i] = *param_row(P_COUNT);
        names->row[i].key = names->name[i];
    }
    return 0;
}

int free_names_find(const struct free_names *names, const char *name)
{
    for (int32_t i = 0; names && i < names->n; i++)
        if (!strcmp(names->name[i], name))
            return P_COUNT + i;
    return P_MAX;
}
