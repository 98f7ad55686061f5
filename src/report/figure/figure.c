/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/figure/figure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    struct buf bytes; /* owned; empty: the sweep has no data for it */
    struct outfile out;
};

struct figure_files {
    struct figure_file of[FIGURE_COUNT * CANVAS_KINDS];
};

static enum canvas_kind kind_of(int i)
{
    return (enum canvas_kind)(i % CANVAS_KINDS);
}

static int draw_all(struct figure_files *files, const struct sweep_data *data, struct err *err)
{
    for (int i = 0; i < FIGURE_COUNT * CANVAS_KINDS; i++) {
        enum figure figure = (enum figure)(i / CANVAS_KINDS);
        struct buf *bytes = &files->of[i].bytes;

        if (canvas_has(kind_of(i)) && !figure_put(bytes, figure, data, kind_of(i)) &&
            buf_failed(bytes))
            return err_nomem(err, figure_name(figure), bytes->size);
    }
    return 0;
}

static int make_folder(bool *is_new, const char *dir, struct err *err)
{
    struct stat st;

    *is_new = !mkdir(dir, 0777);
    if (*is_new || (errno == EEXIST && !stat(dir, &st) && S_ISDIR(st.st_mode)))
        return 0;
    if (errno == EEXIST)
        return err_set(err, "%s: is not a folder: must be one for figures, or a new name", dir);
    return err_set(err, "%s: cannot make the folder: %s", dir, strerror(errno));
}

/* The name stays unused until the commit. */
static int write_file(struct figure_file *file, const char *name, enum outfile_mode mode,
                      struct err *err)
{
    struct stat st;

    if (mode == OUTFILE_NEW && !lstat(name, &st))
        return err_set(err, "%s: exists already; --force replaces it", name);
    return outfile_open(&file->out, name, mode, err) ||
                   outfile_write(&file->out, file->bytes.data, file->bytes.size, err) ||
                   outfile_flush(&file->out, err)
               ? -1
               : 0;
}

static int write_all(struct figure_files *files, const char *dir, enum outfile_mode mode,
                     struct err *err)
{
    struct buf name = {0};
    int rc = 0;

    for (int i = 0; i < FIGURE_COUNT * CANVAS_KINDS && !rc; i++) {
        if (!files->of[i].bytes.size)
            continue;
        buf_clear(&name);
        buf_printf(&name, "%s/%s.%s", dir, figure_name((enum figure)(i / CANVAS_KINDS)),
                   canvas_extension(kind_of(i)));
        rc = buf_failed(&name) ? err_nomem(err, "name of a file", name.size)
                               : write_file(&files->of[i], buf_text(&name), mode, err);
    }
    buf_release(&name);
    return rc;
}

static int commit_all(int32_t *n_figures, struct figure_files *files, struct err *err)
{
    for (int i = 0; i < FIGURE_COUNT * CANVAS_KINDS; i++) {
        if (files->of[i].out.file && outfile_commit(&files->of[i].out, err))
            return -1;
        *n_figures += kind_of(i) == CANVAS_SVG && files->of[i].bytes.size;
    }
    return 0;
}

int figures_save(int32_t *n_figures, const char *dir, const struct sweep_data *data,
                 enum outfile_mode mode, struct err *err)
{
    struct figure_files files = {0};
    bool is_new = false;
    int rc;

    *n_figures = 0;
    rc = draw_all(&files, data, err) || make_folder(&is_new, dir, err) ||
                 write_all(&files, dir, mode, err) || commit_all(n_figures, &files, err)
             ? -1
             : 0;
    for (int i = 0; i < FIGURE_COUNT * CANVAS_KINDS; i++) {
        outfile_discard(&files.of[i].out);
        buf_release(&files.of[i].bytes);
    }
    if (rc && is_new)
        rmdir(dir);
    return rc;
}
