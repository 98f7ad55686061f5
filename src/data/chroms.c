#include "data/chroms.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *skip_prefix(const char *name)
{
    static const char prefix[] = "chr";
    size_t n = strlen(prefix);

    return !strncasecmp(name, prefix, n) && name[n] ? name + n : name;
}

void chroms_release(struct chroms *c)
{
    names_release(&c->name);
    names_release(&c->bare);
    c->is_mixed = false;
}

static int add(struct chroms *c, const char *name, struct err *err)
{
    const char *bare = skip_prefix(name);

    if (names_find(&c->name, name) >= 0)
        return 0;
    if (names_find(&c->bare, bare) >= 0)
        c->is_mixed = true;
    else if (names_add(&c->bare, bare, 0, err) < 0)
        return -1;
    return names_add(&c->name, name, 0, err) < 0 ? -1 : 0;
}

int chroms_add(struct chroms *c, const char *text, size_t n, struct err *err)
{
    char *name = strndup(text, n);
    int rc = name ? add(c, name, err) : err_nomem(err, "chromosomes", n);

    free(name);
    return rc;
}

const char *chroms_find(const struct chroms *c, const char *chrom)
{
    int32_t i = names_find(&c->name, chrom);

    if (i < 0 && !c->is_mixed) /* the numbers of both are the same then */
        i = names_find(&c->bare, skip_prefix(chrom));
    return i < 0 ? NULL : c->name.text[i];
}
