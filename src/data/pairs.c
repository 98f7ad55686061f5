#include "data/pairs.h"

#include <stdlib.h>
#include <string.h>

void pairs_release(struct pairs *pairs)
{
    if (!pairs)
        return;
    free(pairs->item);
    free(pairs->source);
    free(pairs->target);
    free(pairs->weight);
    memset(pairs, 0, sizeof *pairs);
}

int pairs_add(struct pairs *pairs, int32_t from, int32_t to, struct err *err)
{
    if (from == to) {
        pairs->n_self_loops++;
        return 0;
    }
    if (pairs->n == pairs->capacity) {
        int64_t capacity = pairs->capacity ? 2 * pairs->capacity : 1024;
        struct pair *grown = realloc(pairs->item, (size_t)capacity * sizeof *grown);

        if (!grown)
            return err_nomem(err, "edges", (size_t)capacity * sizeof *grown);
        pairs->item = grown;
        pairs->capacity = capacity;
    }
    pairs->item[pairs->n++] =
        from < to ? (struct pair){from, to, false} : (struct pair){to, from, true};
    return 0;
}

static int compare(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;

    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->is_backward - b->is_backward;
}

static bool is_same(const struct pair *a, const struct pair *b)
{
    return a->low == b->low && a->high == b->high;
}

/* Keep the first of each pair, and count the directions that it was given in. */
static void drop_repeats(struct pairs *pairs)
{
    int64_t n = 0;

    for (int64_t e = 0; e < pairs->n;) {
        const struct pair first = pairs->item[e];
        int64_t count = 0;
        bool both;

        for (; e < pairs->n && is_same(&first, &pairs->item[e]); e++)
            count++;
        both = first.is_backward != pairs->item[e - 1].is_backward;
        pairs->n_one_way += !both;
        pairs->n_duplicates += count - 1 - both;
        pairs->item[n++] = first;
    }
    pairs->n = n;
}

int pairs_finish(struct pairs *pairs, struct err *err)
{
    size_t n;

    if (pairs->n > 1)
        qsort(pairs->item, (size_t)pairs->n, sizeof *pairs->item, compare);
    drop_repeats(pairs);
    n = (size_t)pairs->n;
    if (n == 0)
        return 0;
    pairs->source = malloc(n * sizeof *pairs->source);
    pairs->target = malloc(n * sizeof *pairs->target);
    pairs->weight = malloc(n * sizeof *pairs->weight);
    if (!pairs->source || !pairs->target || !pairs->weight)
        return err_nomem(err, "edges", n * sizeof *pairs->source);
    for (size_t e = 0; e < n; e++) {
        pairs->source[e] = pairs->item[e].low;
        pairs->target[e] = pairs->item[e].high;
        pairs->weight[e] = 1;
    }
    free(pairs->item);
    pairs->item = NULL;
    pairs->capacity = 0;
    return 0;
}

void pairs_into(struct draft *draft, const struct pairs *pairs)
{
    draft->n_edges = pairs->n;
    draft->edge_source = pairs->source;
    draft->edge_target = pairs->target;
    draft->edge_weight = pairs->weight;
}
