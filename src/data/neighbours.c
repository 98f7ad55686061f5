#include "data/neighbours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As many are found at least when more may be asked for. Finding more costs next to nothing beside
 * the products, and a sweep seldom asks for more than 40; 1 KiB for each sample. */
#define LEAST_GROWN 64

/* Each sample's best while they are looked for. A pair is offered to both of its samples when its
 * block comes up; blocks ascend, so that every sample sees the others in ascending order. */
struct search {
    struct neighbours *found;
    int32_t *n;    /* [N] how many a sample has so far */
    double *least; /* [N] what an offer must exceed: the last one's similarity if there are k */
};

static int search_init(struct search *s, struct neighbours *out, int32_t n_samples, int32_t k,
                       struct err *err)
{
    size_t n = (size_t)n_samples;

    *out = (struct neighbours){.n_samples = n_samples, .k = k};
    *s = (struct search){.found = out};
    out->best = malloc(n * (size_t)k * sizeof *out->best);
    s->n = calloc(n, sizeof *s->n);
    s->least = malloc(n * sizeof *s->least);
    if (!out->best || !s->n || !s->least)
        return err_nomem(err, "neighbours", n * (size_t)k * sizeof *out->best);
    for (size_t i = 0; i < n; i++)
        s->least[i] = -INFINITY;
    return 0;
}

static void search_release(struct search *s)
{
    free(s->n);
    free(s->least);
}

int32_t neighbours_offer(struct neighbour *best, int32_t n, int32_t k, struct neighbour offered)
{
    int32_t at = n < k ? n : k - 1;

    if (n == k && offered.similarity <= best[k - 1].similarity)
        return n;
    for (; at > 0 && best[at - 1].similarity < offered.similarity; at--)
        best[at] = best[at - 1];
    best[at] = offered;
    return n < k ? n + 1 : k;
}

static void offer(struct search *s, int32_t i, struct neighbour offered)
{
    int32_t k = s->found->k;
    struct neighbour *best = s->found->best + (int64_t)i * k;

    if (offered.similarity <= s->least[i])
        return;
    s->n[i] = neighbours_offer(best, s->n[i], k, offered);
    if (s->n[i] == k)
        s->least[i] = best[k - 1].similarity;
}

/* The pairs of row i of the block, from both sides where j's own row has them not. */
static int search_row(struct search *s, const struct similarity *of, int32_t i, struct err *err)
{
    for (int32_t j = of->first; j < s->found->n_samples; j++) {
        double v;

        if (j == i)
            continue;
        v = similarity_of(of, i, j);
        if (similarity_check(v, i, j, err) != 0)
            return -1;
        offer(s, i, (struct neighbour){v, j});
        if (j >= of->first + of->n_rows)
            offer(s, j, (struct neighbour){similarity_of(of, j, i), i});
    }
    return 0;
}

static int search_all(struct search *s, const struct dataset *d, enum graph_metric metric,
                      struct err *err)
{
    struct similarity of;
    int status = similarity_init(&of, d, metric, err);

    while (status == 0 && similarity_next(&of))
        for (int32_t i = of.first; status == 0 && i < of.first + of.n_rows; i++)
            status = search_row(s, &of, i, err);
    similarity_release(&of);
    return status;
}

int neighbours_find(struct neighbours *out, const struct dataset *d, enum graph_metric metric,
                    int32_t k, struct err *err)
{
    struct search search;
    int status;

    memset(out, 0, sizeof *out);
    if (k < 1 || k > d->n_samples - 1)
        return err_set(err, "graph.k = %d: must be in [1, %d], there are %d samples", k,
                       d->n_samples - 1, d->n_samples);
    status = search_init(&search, out, d->n_samples, k, err);
    if (status == 0)
        status = search_all(&search, d, metric, err);
    search_release(&search);
    if (status != 0)
        neighbours_release(out);
    return status;
}

void neighbours_release(struct neighbours *neighbours)
{
    if (!neighbours)
        return;
    free(neighbours->best);
    memset(neighbours, 0, sizeof *neighbours);
}

int neighbours_grow(struct neighbours *n, const struct dataset *d, enum graph_metric metric,
                    int32_t k, struct err *err)
{
    int64_t wanted = 2 * (int64_t)k > LEAST_GROWN ? 2 * (int64_t)k : LEAST_GROWN;

    if (k >= 1 && k <= n->k)
        return 0;
    neighbours_release(n);
    if (k >= 1 && k < d->n_samples - 1)
        k = wanted < d->n_samples - 1 ? (int32_t)wanted : d->n_samples - 1;
    return neighbours_find(n, d, metric, k, err);
}
