/* SPDX-License-Identifier: BSD-3-Clause */
#include "tensor/coded.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define PANEL_COLUMNS 256 /* read at a time */
#define N_LIMITS 4

/* ---- cost ---- */

/* Costs in multiply-adds of a dense product, measured on a Zen 5. A look-up loads 64 bytes, which
 * fit a cycle beside two multiply-adds. A panel of tables loads and stores the sum once. The others
 * are for random order from the second-level cache. */
#define COST_OF_LOOK 2.1
#define COST_OF_PANEL 3.5
#define COST_OF_ROW 3.8   /* a row in the transposed product */
#define COST_OF_ENTRY 8.0 /* an entry or an item */

static double product_cost(double n, double n_groups, double n_tree, double panel)
{
    return n * n_groups * (COST_OF_LOOK + COST_OF_PANEL / panel) + COST_OF_ENTRY * n_tree;
}

static double transposed_cost(double n, double n_groups, double n_tree)
{
    return n * n_groups * COST_OF_ROW + COST_OF_ENTRY * n_tree;
}

static double tree_size(const struct coded *c)
{
    return (double)c->n_entries + c->n_items + c->n_cols;
}

double coded_cost(const struct coded *c, int32_t n)
{
    return product_cost(n, c->n_groups, tree_size(c), c->panel);
}

double coded_cost_tn(const struct coded *c)
{
    return transposed_cost(c->n_rows, c->n_groups, tree_size(c));
}

double coded_flops(const struct coded *c, int32_t n)
{
    return (double)n * c->n_groups + 2 * tree_size(c);
}

double coded_flops_tn(const struct coded *c)
{
    return (double)c->n_rows * c->n_groups + 2 * tree_size(c);
}

/* ---- building a group ---- */

struct item {
    int32_t entry;
    int32_t column;
    float delta;
};

/* Entries are numbered by their first row. If a column splits an entry, rows with the first row's
 * value keep it; the others get new entries below it. */
struct code_group {
    int32_t limit;
    int32_t n_rows;
    int32_t first;  /* first column */
    int32_t n;      /* entries */
    uint16_t *code; /* [n_rows] */
    uint16_t *next; /* [n_rows] codes that include the tried column */
    uint16_t parent[CODED_MOST_LIMIT];
    /* Next entry split from the same parent; 0: none. */
    uint16_t sibling[CODED_MOST_LIMIT];
    float value[CODED_MOST_LIMIT]; /* in the tried column */
    bool is_seen[CODED_MOST_LIMIT];
    struct buf items; /* struct item */
    struct buf base;  /* float, of entry 0 */
    /* Totals of the closed groups. */
    int32_t n_groups;
    int64_t n_entries, n_items;
};

static int group_init(struct code_group *g, int32_t n_rows, int32_t limit, struct err *err)
{
    size_t n = (size_t)n_rows;

    *g = (struct code_group){.limit = limit, .n_rows = n_rows, .n = 1};
    g->code = calloc(n, sizeof *g->code);
    g->next = calloc(n, sizeof *g->next);
    if (!g->code || !g->next)
        return err_nomem(err, "codes", 2 * n * sizeof *g->code);
    return 0;
}

static void group_release(struct code_group *g)
{
    free(g->code);
    free(g->next);
    buf_release(&g->items);
    buf_release(&g->base);
}

/* -1: too many entries for rows with value v. */
static int32_t part(struct code_group *g, int32_t *n, int32_t e, float v)
{
    if (!g->is_seen[e]) {
        g->is_seen[e] = true;
        g->value[e] = v;
    }
    while (g->value[e] != v && g->sibling[e])
        e = g->sibling[e];
    if (g->value[e] == v)
        return e;
    if (*n == g->limit)
        return -1;
    g->sibling[e] = (uint16_t)*n;
    g->value[*n] = v;
    g->is_seen[*n] = true;
    g->sibling[*n] = 0;
    return (*n)++;
}

/* False: too many entries, and the group is unchanged. x: [n_rows]. */
static bool try_column(struct code_group *g, const float *x)
{
    int32_t n = g->n;

    memset(g->is_seen, 0, sizeof g->is_seen);
    memset(g->sibling, 0, sizeof g->sibling);
    for (int32_t i = 0; i < g->n_rows; i++) {
        int32_t e = part(g, &n, g->code[i], x[i]);

        if (e < 0)
            return false;
        if (e >= g->n)
            g->parent[e] = g->code[i];
        g->next[i] = (uint16_t)e;
    }
    return true;
}

static void take_column(struct code_group *g, int32_t column)
{
    uint16_t *swap = g->code;

    for (int32_t e = 1; e < CODED_MOST_LIMIT && (e < g->n || g->is_seen[e]); e++) {
        struct item item = {e, column, g->value[e] - g->value[g->parent[e]]};

        if (g->value[e] != g->value[g->parent[e]])
            buf_add(&g->items, &item, sizeof item);
    }
    while (g->n < g->limit && g->is_seen[g->n])
        g->n++;
    buf_add(&g->base, &g->value[0], sizeof g->value[0]);
    g->code = g->next;
    g->next = swap;
}

typedef void group_use(struct coded *c, const struct code_group *g, int32_t end);

static void close_group(struct coded *c, struct code_group *g, int32_t end, group_use *use)
{
    if (end == g->first)
        return;
    if (use)
        use(c, g, end);
    g->n_groups++;
    g->n_entries += g->n;
    g->n_items += (int64_t)(g->items.size / sizeof(struct item));
    g->first = end;
    g->n = 1;
    memset(g->code, 0, (size_t)g->n_rows * sizeof *g->code);
    buf_clear(&g->items);
    buf_clear(&g->base);
}

/* ---- memory ---- */

size_t coded_code_bytes(const struct coded *c)
{
    int32_t panels = c->panel ? (c->n_groups + c->panel - 1) / c->panel : 0;

    return (size_t)panels * (size_t)c->panel * (size_t)c->n_rows;
}

size_t coded_bytes(const struct coded *c)
{
    size_t bytes = 0;

#define ADD(name, n) bytes += (size_t)(n) * sizeof *c->name;
    CODED_ARRAYS(ADD, c)
#undef ADD
    return bytes;
}

void coded_release(struct coded *c)
{
    if (!c)
        return;
#define FREE(name, n) free(c->name);
    CODED_ARRAYS(FREE, c)
#undef FREE
    memset(c, 0, sizeof *c);
}

static int allocate(struct coded *c, struct err *err)
{
    bool is_short = false;

#define TAKE(name, n)                                   \
    c->name = calloc((size_t)(n) + 1, sizeof *c->name); \
    is_short = is_short || !c->name;
    CODED_ARRAYS(TAKE, c)
#undef TAKE
    if (is_short)
        return err_nomem(err, "codes of features", coded_bytes(c));
    c->n_groups = c->n_entries = c->n_items = 0;
    return 0;
}

/* ---- storing a group ---- */

static void lay_items(struct coded *c, const struct code_group *g)
{
    const struct item *items = (const struct item *)(const void *)g->items.data;
    int32_t n = (int32_t)(g->items.size / sizeof *items);
    int32_t *start = c->item + c->n_entries;
    int32_t at[CODED_MOST_LIMIT];

    for (int32_t i = 0; i < n; i++)
        start[items[i].entry + 1]++;
    start[0] = c->n_items;
    for (int32_t e = 0; e < g->n; e++) {
        start[e + 1] += start[e];
        at[e] = start[e];
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t place = at[items[i].entry]++;

        c->item_column[place] = items[i].column;
        c->item_delta[place] = items[i].delta;
    }
    c->n_items += n;
}

static void lay_rows(struct coded *c, const struct code_group *g)
{
    int32_t *start = c->run_start + c->n_entries;
    size_t group = (size_t)c->n_groups, panel = (size_t)c->panel;
    uint8_t *code = c->code + group / panel * panel * (size_t)g->n_rows + group % panel;
    int32_t at[CODED_MOST_LIMIT];

    for (int32_t i = 0; i < g->n_rows; i++)
        start[g->code[i] + 1]++;
    for (int32_t e = 0; e < g->n; e++) {
        start[e + 1] += start[e];
        at[e] = start[e];
    }
    for (int32_t i = 0; i < g->n_rows; i++) {
        code[(size_t)i * panel] = (uint8_t)g->code[i];
        c->run[at[g->code[i]]++] = i;
    }
}

static void lay_group(struct coded *c, const struct code_group *g, int32_t end)
{
    lay_items(c, g);
    lay_rows(c, g);
    for (int32_t e = 1; e < g->n; e++)
        c->parent[c->n_entries + e] = (uint8_t)g->parent[e];
    memcpy(c->base + g->first, g->base.data, (size_t)(end - g->first) * sizeof *c->base);
    c->n_groups++;
    c->n_entries += g->n;
    c->column[c->n_groups] = end;
    c->entry[c->n_groups] = c->n_entries;
}

/* ---- reading ---- */

/* Add the columns to each of the groups. A column with too many values sets a group's limit to 0. 1: done;
 * 0: no group is left; -1 and err. */
static int read_columns(struct coded *c, struct code_group *groups, int n,
                        const struct coded_source *source, group_use *use, struct err *err)
{
    struct mat space, column = {0};
    int rc = 1;

    if (mat_init(&space, source->n_rows, PANEL_COLUMNS, err))
        return -1;
    if (mat_init(&column, source->n_rows, 1, err))
        rc = -1;
    for (int32_t at = 0; rc == 1 && at < source->n_cols; at++) {
        int32_t j = at % PANEL_COLUMNS, left = source->n_cols - at;

        if (j == 0) {
            space.n_cols = left < PANEL_COLUMNS ? left : PANEL_COLUMNS;
            if (source->read(source->self, &space, at, err)) {
                rc = -1;
                break;
            }
        }
        for (int32_t i = 0; i < space.n_rows; i++)
            column.v[i] = mat_row(&space, i)[j];
        rc = 0;
        for (int i = 0; i < n; i++) {
            struct code_group *g = &groups[i];
            bool fits = g->limit && try_column(g, column.v);

            if (g->limit && !fits) {
                close_group(c, g, at, use);
                fits = try_column(g, column.v);
            }
            if (fits)
                take_column(g, at);
            else
                g->limit = 0;
            rc |= fits;
        }
    }
    for (int i = 0; rc == 1 && i < n; i++) {
        if (groups[i].limit)
            close_group(c, &groups[i], source->n_cols, use);
        if (buf_failed(&groups[i].items) || buf_failed(&groups[i].base))
            rc = err_nomem(err, "codes", groups[i].items.size);
    }
    mat_release(&column);
    mat_release(&space);
    return rc;
}

static double cost_of(const struct coded *c, const struct code_group *g)
{
    double tree = (double)g->n_entries + (double)g->n_items + c->n_cols;

    return product_cost(c->n_rows, g->n_groups, tree, CODED_ENTRIES / g->limit) +
           transposed_cost(c->n_rows, g->n_groups, tree);
}

int coded_count(struct coded *c, const struct coded_source *source, double most, struct err *err)
{
    struct code_group groups[N_LIMITS] = {{0}};
    const struct code_group *best = NULL;
    int rc = 1;

    *c = (struct coded){.n_rows = source->n_rows, .n_cols = source->n_cols};
    for (int i = 0; rc == 1 && i < N_LIMITS; i++)
        rc = group_init(&groups[i], c->n_rows, CODED_LEAST_LIMIT << i, err) ? -1 : 1;
    if (rc == 1)
        rc = read_columns(c, groups, N_LIMITS, source, NULL, err);
    for (int i = 0; rc == 1 && i < N_LIMITS; i++)
        if (groups[i].limit && (!best || cost_of(c, &groups[i]) < cost_of(c, best)))
            best = &groups[i];
    if (rc == 1)
        rc = best && cost_of(c, best) <= most && best->n_entries + best->n_items < INT32_MAX &&
             (int64_t)best->n_groups * c->n_rows < INT32_MAX;
    if (rc == 1) {
        c->panel = CODED_ENTRIES / best->limit;
        c->n_groups = best->n_groups;
        c->n_entries = (int32_t)best->n_entries;
        c->n_items = (int32_t)best->n_items;
    }
    for (int i = 0; i < N_LIMITS; i++)
        group_release(&groups[i]);
    return rc;
}

int coded_make(struct coded *c, const struct coded_source *source, struct err *err)
{
    struct code_group group = {0};
    int rc = allocate(c, err) || group_init(&group, c->n_rows, CODED_ENTRIES / c->panel, err)
                 ? -1
                 : read_columns(c, &group, 1, source, lay_group, err);

    group_release(&group);
    if (rc < 0)
        coded_release(c);
    return rc < 0 ? -1 : 0;
}
