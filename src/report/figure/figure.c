/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/figure/figure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
    const char *name;
    bool (*draw)(struct canvas *canvas, const struct sweep_data *data);
} figures[FIGURE_COUNT] = {
#define FIGURE_ROW(id, name) {#name, figure_##name},
    FIGURE_TABLE(FIGURE_ROW)
#undef FIGURE_ROW
};

const char *figure_name(enum figure figure)
{
    return figures[figure].name;
}

int figure_find(const char *name)
{
    int figure = FIGURE_COUNT - 1;

    while (figure >= 0 && strcmp(figures[figure].name, name) != 0)
        figure--;
    return figure;
}

bool figure_put(struct buf *out, enum figure figure, const struct sweep_data *data,
                enum canvas_kind kind)
{
    struct canvas canvas;
    bool is_drawn;

    canvas_init(&canvas, kind, out);
    is_drawn = figures[figure].draw(&canvas, data);
    if (canvas_end(&canvas)) {
        out->failed = true;
        return false;
    }
    return is_drawn;
}

/* ---- axes ---- */

double figure_share(const struct sweep_data *data, int32_t axis)
{
    for (int32_t i = 0; data->effects.is_complete && i < data->effects.n; i++)
        if (data->effects.of[i].axis == axis && data->effects.of[i].with < 0)
            return data->effects.of[i].share;
    return NAN;
}

static int32_t count_having(const struct sweep_data *data, int32_t axis)
{
    int32_t n = 0;

    for (int32_t c = 0; c < data->n_configs; c++)
        n += data->level[(size_t)c * (size_t)data->n_axes + (size_t)axis] >= 0;
    return n;
}

/* True if axis a comes before axis b, which is earlier in the file. */
static bool matters_more(const struct sweep_data *data, int32_t a, int32_t b)
{
    if (data->effects.is_complete)
        return figure_share(data, a) > figure_share(data, b);
    return count_having(data, a) > count_having(data, b);
}

/* By insertion: there are few axes. */
int32_t figure_axes(int32_t *axes, int32_t most, const struct sweep_data *data)
{
    int32_t n = 0;

    for (int32_t axis = 0; axis < data->n_axes; axis++) {
        int32_t at = n;

        if (data->axes[axis].n < 2)
            continue;
        while (at > 0 && matters_more(data, axis, axes[at - 1]))
            at--;
        if (at >= most)
            continue;
        n += n < most;
        for (int32_t i = n - 1; i > at; i--)
            axes[i] = axes[i - 1];
        axes[at] = axis;
    }
    return n;
}

/* NULL: memory was short. */
static const char *short_level(struct arena *memory, const struct sweep_axis *axis, int32_t level)
{
    const char *label = axis->label[level];
    struct buf text = {0};
    char *copy = NULL;

    if (isnan(axis->number[level]) || (strlen(label) < 8 && !strchr(label, 'e')))
        return label;
    number_label(&text, axis->number[level], 3);
    if (!buf_failed(&text))
        copy = arena_take(memory, text.size + 1, 1);
    if (copy)
        memcpy(copy, buf_text(&text), text.size + 1);
    buf_release(&text);
    return copy;
}

const char *const *figure_levels(struct arena *memory, const struct sweep_axis *axis)
{
    const char **names = arena_take(memory, (size_t)axis->n, sizeof *names);

    for (int32_t i = 0; names && i < axis->n; i++) {
        names[i] = short_level(memory, axis, i);
        if (!names[i])
            names = NULL;
    }
    return names ? names : axis->label;
}

/* The configurations are sorted, except for those that lack trials. */
struct value_range figure_scores(const struct sweep_data *data)
{
    struct value_range range = value_range_empty();
    double median = data->n_scored ? data->configs[data->n_scored / 2].mean : 0;
    double room = data->n_scored ? 10 * fabs(data->configs[0].mean - median) : 0;

    for (int32_t i = 0; i < data->n_scored; i++)
        if (!(room > 0) || fabs(data->configs[i].mean - median) <= room)
            value_range_add(&range, data->configs[i].mean);
    return range;
}

/* ---- files ---- */

struct figure_file {
    struct buf bytes; /* owned */
    struct outfile out;
};

static int make_folder(const char *dir, struct err *err)
{
    struct stat st;

    if (!mkdir(dir, 0777) || (errno == EEXIST && !stat(dir, &st) && S_ISDIR(st.st_mode)))
        return 0;
    if (errno == EEXIST)
        return err_set(err, "%s: is not a folder: must be one for figures, or a new name", dir);
    return err_set(err, "%s: cannot make the folder: %s", dir, strerror(errno));
}

/* Draw into memory and open the file, whose name stays unused until its commit. */
static int prepare(struct figure_file *file, const char *dir, enum figure figure,
                   const struct sweep_data *data, enum canvas_kind kind, enum outfile_mode mode,
                   struct err *err)
{
    struct buf path = {0};
    struct stat st;
    int rc;

    if (!figure_put(&file->bytes, figure, data, kind))
        return buf_failed(&file->bytes) ? err_nomem(err, figure_name(figure), file->bytes.size) : 0;
    buf_printf(&path, "%s/%s.%s", dir, figure_name(figure), canvas_extension(kind));
    if (buf_failed(&path))
        rc = err_nomem(err, "name of a file", path.size);
    else if (mode == OUTFILE_NEW && !lstat(buf_text(&path), &st))
        rc = err_set(err, "%s: exists already; --force replaces it", buf_text(&path));
    else
        rc = outfile_open(&file->out, buf_text(&path), mode, err);
    buf_release(&path);
    return rc;
}

static int prepare_all(struct figure_file files[FIGURE_COUNT][CANVAS_KINDS], const char *dir,
                       const struct sweep_data *data, enum outfile_mode mode, struct err *err)
{
    for (int figure = 0; figure < FIGURE_COUNT; figure++)
        for (int kind = 0; kind < CANVAS_KINDS; kind++)
            if (canvas_has((enum canvas_kind)kind) &&
                prepare(&files[figure][kind], dir, (enum figure)figure, data,
                        (enum canvas_kind)kind, mode, err))
                return -1;
    return 0;
}

static int commit(struct figure_file *file, struct err *err)
{
    if (!file->out.file)
        return 0;
    fwrite(file->bytes.data, 1, file->bytes.size, file->out.file);
    return outfile_commit(&file->out, err);
}

int figures_save(int32_t *n_figures, const char *dir, const struct sweep_data *data,
                 enum outfile_mode mode, struct err *err)
{
    struct figure_file files[FIGURE_COUNT][CANVAS_KINDS] = {0};
    int rc = make_folder(dir, err) || prepare_all(files, dir, data, mode, err) ? -1 : 0;

    *n_figures = 0;
    for (int figure = 0; figure < FIGURE_COUNT; figure++) {
        *n_figures += !rc && files[figure][CANVAS_SVG].out.file != NULL;
        for (int kind = 0; kind < CANVAS_KINDS; kind++) {
            rc = rc || commit(&files[figure][kind], err) ? -1 : 0;
            outfile_discard(&files[figure][kind].out);
            buf_release(&files[figure][kind].bytes);
        }
    }
    return rc;
}
