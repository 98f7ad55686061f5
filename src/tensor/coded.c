#include "tensor/coded.h"

#include <stdlib.h>
#include <string.h>

#define PANEL_COLUMNS 256 /* read at a time */
#define VALUES CODED_VALUES

/* ---- memory ---- */

static size_t in_panels(int32_t n_groups, int32_t n)
{
    return (size_t)((n_groups + CODED_PANEL - 1) / CODED_PANEL) * (size_t)n * CODED_PANEL;
}

static int32_t row_groups(const struct coded *c)
{
    return (c->n_rows + CODED_BITS - 1) / CODED_BITS;
}

size_t coded_row_bytes(const struct coded *c)
{
    return in_panels(c->n_groups, c->n_rows);
}

size_t coded_plane_bytes(const struct coded *c)
{
    return in_panels(row_groups(c), c->n_planes);
}

void coded_release(struct coded *c)
{
    if (!c)
        return;
    free(c->column);
    free(c->value);
    free(c->n_values);
    free(c->plane_column);
    free(c->plane_delta);
    free(c->by_row);
    free(c->by_plane);
    memset(c, 0, sizeof *c);
}

static int allocate_values(struct coded *c, struct err *err)
{
    size_t n = (size_t)c->n_cols;

    c->value = calloc(n * VALUES + 1, sizeof *c->value);
    c->n_values = calloc(n + 1, 1);
    c->column = calloc(n + 1, sizeof *c->column);
    if (!c->value || !c->n_values || !c->column)
        return err_nomem(err, "values of features", n * (VALUES * sizeof(float) + 5));
    return 0;
}

static int allocate_codes(struct coded *c, struct err *err)
{
    size_t n = (size_t)c->n_planes;

    c->plane_column = calloc(n + 1, sizeof *c->plane_column);
    c->plane_delta = calloc(n + 1, sizeof *c->plane_delta);
    c->by_row = calloc(coded_row_bytes(c) + 1, 1);
    c->by_plane = calloc(coded_plane_bytes(c) + 1, 1);
    if (!c->plane_column || !c->plane_delta || !c->by_row || !c->by_plane)
        return err_nomem(err, "codes of features", coded_row_bytes(c) + coded_plane_bytes(c));
    return 0;
}

/* ---- values ---- */

static int32_t find_value(const struct coded *c, int32_t column, float v)
{
    const float *value = c->value + (size_t)column * VALUES;
    int32_t i = 0;

    while (i < c->n_values[column] && value[i] != v)
        i++;
    return i;
}

/* False where the column has too many. The commonest value comes first: what is left to add for
 * the others is then least, and so is what rounding takes. */
static bool scan_column(struct coded *c, const struct mat *panel, int32_t at, int32_t column)
{
    int32_t count[VALUES] = {0};
    float *value = c->value + (size_t)column * VALUES;
    int32_t most = 0;
    float swapped;

    for (int32_t i = 0; i < panel->n_rows; i++) {
        float v = mat_row(panel, i)[at];
        int32_t found = find_value(c, column, v);

        if (found == VALUES)
            return false;
        if (found == c->n_values[column]) {
            value[found] = v;
            c->n_values[column]++;
        }
        count[found]++;
    }
    for (int32_t i = 1; i < c->n_values[column]; i++)
        if (count[i] > count[most])
            most = i;
    swapped = value[0];
    value[0] = value[most];
    value[most] = swapped;
    return true;
}

static bool scan_panel(struct coded *c, const struct mat *panel, int32_t first)
{
    for (int32_t j = 0; j < panel->n_cols; j++)
        if (!scan_column(c, panel, j, first + j))
            return false;
    return true;
}

/* Columns join the last group while their combinations fit its table. */
static void form_groups(struct coded *c)
{
    int32_t entries = CODED_ENTRIES;

    c->n_groups = 0;
    c->n_planes = 0;
    for (int32_t j = 0; j < c->n_cols; j++) {
        entries *= c->n_values[j];
        if (j == 0 || entries > CODED_ENTRIES) {
            c->column[c->n_groups++] = j;
            entries = c->n_values[j];
        }
        c->n_planes += c->n_values[j] - 1;
    }
    c->column[c->n_groups] = c->n_cols;
}

double coded_additions(const struct coded *c, int32_t n)
{
    return (double)c->n_groups * (n + CODED_ENTRIES);
}

double coded_additions_tn(const struct coded *c)
{
    return (double)row_groups(c) * (c->n_planes + CODED_ENTRIES);
}

/* ---- codes ---- */

static void lay_planes(struct coded *c)
{
    int32_t p = 0;

    for (int32_t j = 0; j < c->n_cols; j++) {
        const float *value = c->value + (size_t)j * VALUES;

        for (int32_t v = 1; v < c->n_values[j]; v++, p++) {
            c->plane_column[p] = j;
            c->plane_delta[p] = value[v] - value[0];
        }
    }
}

/* Where the column being coded belongs. */
struct place {
    int32_t column;
    int32_t group;
    int32_t stride; /* combinations of the group's columns before it */
    int32_t plane;  /* of its second value */
};

static void next_place(struct place *place, const struct coded *c)
{
    place->stride *= c->n_values[place->column];
    place->plane += c->n_values[place->column] - 1;
    place->column++;
    if (place->column == c->column[place->group + 1]) {
        place->group++;
        place->stride = 1;
    }
}

static void fill_column(struct coded *c, const struct mat *panel, int32_t at,
                        const struct place *place)
{
    size_t group_panel = (size_t)(place->group / CODED_PANEL) * (size_t)c->n_rows;
    uint8_t *by_row = c->by_row + group_panel * CODED_PANEL + place->group % CODED_PANEL;

    for (int32_t i = 0; i < panel->n_rows; i++) {
        int32_t v = find_value(c, place->column, mat_row(panel, i)[at]);
        int32_t h = i / CODED_BITS;
        size_t plane = (size_t)(h / CODED_PANEL) * (size_t)c->n_planes;

        by_row[(size_t)i * CODED_PANEL] += (uint8_t)(v * place->stride);
        if (v > 0)
            c->by_plane[(plane + (size_t)(place->plane + v - 1)) * CODED_PANEL +
                        (size_t)(h % CODED_PANEL)] |= (uint8_t)(1 << i % CODED_BITS);
    }
}

/* ---- together ---- */

/* What is done with a panel of columns; false ends the reading. */
typedef bool panel_use(struct coded *c, const struct mat *panel, int32_t first);

static bool fill_panel(struct coded *c, const struct mat *panel, int32_t first)
{
    struct place place = {.stride = 1};

    while (place.column < first)
        next_place(&place, c);
    for (int32_t j = 0; j < panel->n_cols; j++) {
        fill_column(c, panel, j, &place);
        next_place(&place, c);
    }
    return true;
}

/* 1: all columns went by; 0: ended; -1 and err. */
static int read_panels(struct coded *c, const struct coded_source *source, panel_use *use,
                       struct err *err)
{
    struct mat space;
    int rc = 1;

    if (mat_init(&space, source->n_rows, PANEL_COLUMNS, err))
        return -1;
    for (int32_t first = 0; rc == 1 && first < source->n_cols; first += PANEL_COLUMNS) {
        int32_t left = source->n_cols - first;
        struct mat panel =
            mat_view(space.v, source->n_rows, left < PANEL_COLUMNS ? left : PANEL_COLUMNS);

        if (source->read(source->self, &panel, first, err))
            rc = -1;
        else
            rc = use(c, &panel, first);
    }
    mat_release(&space);
    return rc;
}

static int make(struct coded *c, const struct coded_source *source, double most, struct err *err)
{
    int rc;

    if (allocate_values(c, err))
        return -1;
    rc = read_panels(c, source, scan_panel, err);
    if (rc <= 0)
        return rc;
    form_groups(c);
    if (coded_additions(c, c->n_rows) + coded_additions_tn(c) > most)
        return 0;
    if (allocate_codes(c, err))
        return -1;
    lay_planes(c);
    return read_panels(c, source, fill_panel, err);
}

int coded_init(struct coded *c, const struct coded_source *source, double most, struct err *err)
{
    int rc;

    *c = (struct coded){.n_rows = source->n_rows, .n_cols = source->n_cols};
    rc = make(c, source, most, err);
    if (rc <= 0)
        coded_release(c);
    return rc;
}
