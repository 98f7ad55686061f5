/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/misspelt.h"

#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "program/template.h"

enum {
    SHORT = 5, /* one other letter makes another word of a shorter one: seed, speed */
    LONG = 8   /* names with two other letters are still alike */
};

static bool is_typo(const char *name, const char *key)
{
    size_t n = strlen(name), m = strlen(key), least = n < m ? n : m, most = n < m ? m : n;

    if (!strcasecmp(name, key))
        return true;
    if (least < SHORT)
        return n + 1 == m && n >= SHORT - 2 && !strncasecmp(name, key, n);
    return most - least <= 2 && nearest_distance(name, key) <= (least < LONG ? 1 : 2);
}

/* `timeout` in trial_timeout, and `environment` with env. */
static bool is_abbreviation(const char *name, const char *key)
{
    size_t n = strlen(name), m = strlen(key);

    if (n >= 2 * m)
        return !strncasecmp(name, key, m) && name[m] != '_';
    return 2 * n > m && n + 1 < m && key[m - n - 1] == '_' && !strcasecmp(name, key + m - n);
}

static bool is_valid(enum param_id id, const char *value)
{
    struct template t = {0};
    union value read;
    struct err err;
    bool is =
        !(id == P_ENV ? template_parse_env(&t, value, &err) : param_read(&read, id, value, &err));

    template_release(&t);
    return is;
}

enum param_id misspelt_setting(const char *name, const char *value)
{
    for (int i = 0; i < P_COUNT; i++) {
        const struct param *p = &param_table[i];
        enum param_id id = (enum param_id)i;

        if (i == P_TYPE || i == P_FORMAT || !param_is_among(p->models, MODELS_PROGRAM))
            continue;
        if (is_typo(name, p->key) || (is_abbreviation(name, p->key) && is_valid(id, value)))
            return id;
    }
    return P_COUNT;
}
