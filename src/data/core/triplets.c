#include "data/core/triplets.h"

#include <stdlib.h>
#include <string.h>

void triplets_release(struct triplets *list)
{
    if (!list)
        return;
    free(list->item);
    memset(list, 0, sizeof *list);
}

int triplets_add(struct triplets *list, struct triplet item, struct err *err)
{
    if (list->n == list->capacity) {
        int64_t capacity = list->capacity ? 2 * list->capacity : 1024;
        struct triplet *grown = realloc(list->item, (size_t)capacity * sizeof *grown);

        if (!grown)
            return err_nomem(err, "matrix entries", (size_t)capacity * sizeof *grown);
        list->item = grown;
        list->capacity = capacity;
    }
    list->item[list->n++] = item;
    return 0;
}
