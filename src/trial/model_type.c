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
