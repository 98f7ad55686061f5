/* SPDX-License-Identifier: BSD-3-Clause */
/* A list of texts, such as the values of a repeated option. */
#ifndef BASE_TEXT_LIST_H
#define BASE_TEXT_LIST_H

#include <stddef.h>

struct text_list {
    const char **text; /* [n]; array owned, texts borrowed */
    size_t n;
};

#endif
