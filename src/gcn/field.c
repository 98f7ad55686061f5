#include "gcn/field.h"

#include <math.h>
#include <string.h>

/* Beyond this share of all samples a level takes the rest too. */
#define NEARLY_ALL 0.9

int field_init(struct field *field, int32_t n_samples, int32_t n_layers, struct arena *scratch,
               struct err *err)
{
    size_t n = (size_t)n_samples;
    size_t n_levels = (size_t)n_layers + 1;

    *field = (struct field){.n_layers = n_layers, .n_samples = n_samples};
    field->level = arena_take_zeroed(scratch, n_levels, sizeof *field->level);
    for (size_t l = 0; field->level && l < n_levels; l++) {
        field->level[l].rows = arena_take(scratch, n, sizeof(int32_t));
        field->level[l].pos = arena_take(scratch, n, sizeof(int32_t));
        if (!field->level[l].rows || !field->level[l].pos)
            field->level = NULL;
    }
    if (!field->level)
        return err_nomem(err, "receptive field", 2 * n * n_levels * sizeof(int32_t));
    return 0;
}

/* rows, n and entries from the marks in pos (0: present, -1: absent). */
static void number(struct level *level, const struct csr *a_hat)
{
    level->n = 0;
    level->entries = 0;
    for (int32_t i = 0; i < a_hat->n_rows; i++) {
        if (level->pos[i] < 0)
            continue;
        level->pos[i] = level->n;
        level->rows[level->n++] = i;
        level->entries += a_hat->row_start[i + 1] - a_hat->row_start[i];
    }
}

/* 0xff bytes are -1 in every int32_t. */
static void mark_none(struct level *level, int32_t n_samples)
{
    memset(level->pos, 0xff, (size_t)n_samples * sizeof *level->pos);
}

static void mark_all(struct level *level, int32_t n_samples)
{
    memset(level->pos, 0, (size_t)n_samples * sizeof *level->pos);
}

static void expand(struct level *below, const struct level *above, const struct csr *a_hat)
{
    mark_none(below, a_hat->n_rows);
    for (int32_t i = 0; i < above->n; i++) {
        int32_t r = above->rows[i];

        for (int64_t e = a_hat->row_start[r]; e < a_hat->row_start[r + 1]; e++)
            below->pos[a_hat->col[e]] = 0;
    }
    number(below, a_hat);
    if (below->n < a_hat->n_rows && below->n > NEARLY_ALL * a_hat->n_rows) {
        mark_all(below, a_hat->n_rows);
        number(below, a_hat);
    }
}

void field_build(struct field *field, const struct csr *a_hat, const int32_t *nodes, int32_t n)
{
    struct level *top = &field->level[field->n_layers];

    mark_none(top, field->n_samples);
    for (int32_t i = 0; i < n; i++)
        top->pos[nodes[i]] = 0;
    number(top, a_hat);
    for (int32_t l = field->n_layers; l > 0; l--)
        expand(&field->level[l - 1], &field->level[l], a_hat);
}

/* A sample is missed by all n with probability (1 - degree / N)^n. */
double field_expected(double n_samples, double degree, double n, int32_t down)
{
    double miss = fmax(1 - degree / n_samples, 0);

    for (int32_t i = 0; i < down; i++)
        n = n_samples * (1 - pow(miss, n));
    return n;
}

const int32_t *field_rows(const struct field *field, int32_t level)
{
    return field->level[level].n == field->n_samples ? NULL : field->level[level].rows;
}

const int32_t *field_pos(const struct field *field, int32_t level)
{
    return field->level[level].n == field->n_samples ? NULL : field->level[level].pos;
}
