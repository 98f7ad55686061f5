/* SPDX-License-Identifier: BSD-3-Clause */
/* A list of texts, say of an option that may be repeated. */
#ifndef BASE_TEXT_LIST_H
#define BASE_TEXT_LIST_H

#include <stddef.h>

struct text_list {
    const char **text; /* [n] owned array of borrowed texts */
    size_t n;
};

#endif
