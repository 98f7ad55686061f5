/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/model_type.h"

#include <assert.h>
#include <string.h>

static const struct model_type *const rows[] = {
#define MODEL_TYPE_ROW(name) &model_##name,
    MODEL_TYPES(MODEL_TYPE_ROW, )
#undef MODEL_TYPE_ROW
};

enum { N_ROWS = sizeof rows / sizeof *rows };

const struct model_type *model_type(int64_t i)
{
    return i >= 0 && i < N_ROWS ? rows[i] : NULL;
}

const struct model_type *model_type_of(const struct settings *s)
{
    const struct model_type *type = model_type(s->v[P_TYPE].i);

    assert(type);
    return type;
}

bool model_type_is(const char *name, const char *fact)
{
    for (int i = 0; i < N_ROWS; i++) {
        const struct model_type *row = rows[i];
        const struct {
            const char *name;
            bool is;
        } facts[] = {
            {"trains", row->trains},         {"draws_random", row->draws_random},
            {"has_epochs", row->has_epochs}, {"gives_probabilities", row->gives_probabilities},
            {"uses_graph", row->uses_graph},
        };

        if (strcmp(row->name, name) != 0)
            continue;
        for (size_t f = 0; f < sizeof facts / sizeof *facts; f++)
            if (!strcmp(facts[f].name, fact))
                return facts[f].is;
    }
    return false;
}
