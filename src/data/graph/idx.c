/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/data_report.h"
#include "data/core/membership.h"
#include "data/core/reader.h"
#include "data/core/target.h"
#include "data/text/stream.h"

/* Images and labels in the format of MNIST (LeCun, yann.lecun.com/exdb/mnist): a big-endian header,
 * then bytes. An image is a graph of its pixels, each joined to its eight neighbours. Grid and
 * coordinates are stored once. */

#define MAGIC_IMAGES 0x00000803u
#define MAGIC_LABELS 0x00000801u
#define MAX_PIXELS (1 << 20)
#define FIRST_CHUNK ((size_t)1 << 24)

struct idx_file {
    struct stream bytes;
    uint32_t n;
    uint32_t rows, cols; /* of images */
};

struct idx {
    uint8_t *pixel; /* (n_images, rows * cols) */
    uint8_t *label; /* [n_images] */
    int32_t n_images;
    int32_t rows, cols;
    struct names ids;
    struct target_cells cells;
    struct target target;
    struct membership membership;
    int64_t *graph_start; /* [n_images + 1] */
    float *place;         /* (rows * cols, 2) */
    int64_t n_edges;
    int32_t *source, *end;
    float *weight;
};

static void idx_release(struct idx *x)
{
    free(x->weight);
    free(x->end);
    free(x->source);
    free(x->place);
    free(x->graph_start);
    membership_release(&x->membership);
    target_release(&x->target);
    target_cells_release(&x->cells);
    names_release(&x->ids);
    free(x->label);
    free(x->pixel);
}

/* ---- files ---- */

static int read_number(uint32_t *out, struct idx_file *f, struct err *err)
{
    uint8_t b[4];
    size_t got;

    if (stream_read(b, &got, &f->bytes, sizeof b, err))
        return -1;
    if (got < sizeof b)
        return err_set(err, "%s: ends within its header", f->bytes.path);
    *out = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    return 0;
}

static const char *magic_means(uint32_t magic)
{
    return magic == MAGIC_IMAGES                                 ? "these are images"
           : magic == MAGIC_LABELS                               ? "these are labels"
           : magic == 0x03080000u || magic == 0x01080000u        ? "it is little-endian"
           : (magic & 0xffff0000u) == 0 && (magic & 0xff00) != 0 ? "IDX of another kind"
                                                                 : "this is not an IDX file";
}

static int read_header(struct idx_file *f, uint32_t wanted, struct err *err)
{
    uint32_t magic;

    if (read_number(&magic, f, err))
        return -1;
    if (magic != wanted)
        return err_set(err, "%s: begins with 0x%08x, %s: must be 0x%08x, bytes in %s",
                       f->bytes.path, magic, magic_means(magic), wanted,
                       wanted == MAGIC_IMAGES ? "three dimensions (images)"
                                              : "one dimension (labels)");
    if (read_number(&f->n, f, err))
        return -1;
    if (wanted == MAGIC_IMAGES && (read_number(&f->rows, f, err) || read_number(&f->cols, f, err)))
        return -1;
    return 0;
}

static int file_open(struct idx_file *f, const char *path, uint32_t magic, struct err *err)
{
    *f = (struct idx_file){0};
    if (stream_open(&f->bytes, path, "an IDX file", err))
        return -1;
    return read_header(f, magic, err);
}

/* Memory grows with the data read, because the header may promise more. The caller frees the
 * records. */
static uint8_t *read_records(struct idx_file *f, size_t n, size_t bytes, const char *record,
                             struct err *err)
{
    size_t room = 0, size = 0, got = 0;
    uint8_t *out = NULL;

    while (size < n * bytes) {
        size_t wanted = room ? 2 * room : FIRST_CHUNK;
        uint8_t *grown;

        room = wanted < n * bytes ? wanted : n * bytes;
        grown = realloc(out, room);
        if (!grown) {
            free(out);
            err_nomem(err, f->bytes.path, room);
            return NULL;
        }
        out = grown;
        if (stream_read(out + size, &got, &f->bytes, room - size, err)) {
            free(out);
            return NULL;
        }
        size += got;
        if (size < room) {
            err_set(err, "%s: is truncated within %s %zu of %u", f->bytes.path, record,
                    size / bytes + 1, f->n);
            free(out);
            return NULL;
        }
    }
    return out;
}

static int check_end(struct idx_file *f, const char *record, struct err *err)
{
    uint8_t byte;
    size_t got;

    if (stream_read(&byte, &got, &f->bytes, 1, err))
        return -1;
    if (got)
        return err_set(err,
                       "%s: has more bytes after %s %u, which is the last according to its header",
                       f->bytes.path, record, f->n);
    return 0;
}

/* ---- images ---- */

static int check_size(const struct idx_file *f, int64_t n, struct err *err)
{
    uint64_t pixels = (uint64_t)f->rows * f->cols;

    if (f->n == 0)
        return err_set(err, "%s: no images", f->bytes.path);
    if (pixels < 1 || pixels > MAX_PIXELS)
        return err_set(err, "%s: images of %u x %u pixels: must have from 1 to %d", f->bytes.path,
                       f->rows, f->cols, MAX_PIXELS);
    if ((uint64_t)n > INT32_MAX / pixels)
        return err_set(err,
                       "%s: %lld images of %u x %u pixels: more than %d nodes; set "
                       "data.first_images to read fewer",
                       f->bytes.path, (long long)n, f->rows, f->cols, INT32_MAX);
    return 0;
}

static int read_images(struct idx *x, uint32_t *n_in_file, const struct data_spec *spec,
                       struct err *err)
{
    struct idx_file f;
    int64_t n;
    int rc = file_open(&f, spec->images, MAGIC_IMAGES, err);

    n = spec->first_images && spec->first_images < (int64_t)f.n ? spec->first_images : (int64_t)f.n;
    if (!rc)
        rc = check_size(&f, n, err);
    if (!rc) {
        x->n_images = (int32_t)n;
        x->rows = (int32_t)f.rows;
        x->cols = (int32_t)f.cols;
        *n_in_file = f.n;
        x->pixel = read_records(&f, (size_t)n, (size_t)f.rows * f.cols, "image", err);
        rc = x->pixel ? 0 : -1;
    }
    if (!rc && n == (int64_t)f.n)
        rc = check_end(&f, "image", err);
    stream_close(&f.bytes);
    return rc;
}

static int read_labels(struct idx *x, uint32_t n_in_file, const struct data_spec *spec,
                       struct err *err)
{
    struct idx_file f;
    int rc = file_open(&f, spec->labels, MAGIC_LABELS, err);

    if (!rc && f.n != n_in_file)
        rc = err_set(err, "%s: %u labels: %s has %u images", f.bytes.path, f.n, spec->images,
                     n_in_file);
    if (!rc) {
        x->label = read_records(&f, (size_t)x->n_images, 1, "label", err);
        rc = x->label ? 0 : -1;
    }
    if (!rc && (uint32_t)x->n_images == f.n)
        rc = check_end(&f, "label", err);
    stream_close(&f.bytes);
    return rc;
}

static int number(struct idx *x, struct err *err)
{
    char text[16];

    for (int32_t i = 0; i < x->n_images; i++) {
        snprintf(text, sizeof text, "%d", i + 1);
        if (names_add(&x->ids, text, i + 1, err) < 0)
            return -1;
    }
    return 0;
}

static int make_target(struct idx *x, const struct data_spec *spec, struct err *err)
{
    char text[16];

    if (target_cells_init(&x->cells, 0, spec->labels, "label", err))
        return -1;
    for (int32_t i = 0; i < x->n_images; i++) {
        snprintf(text, sizeof text, "%d", x->label[i]);
        if (target_cells_set(&x->cells, i, text, i + 1, err))
            return -1;
    }
    return target_make(&x->target, &x->cells, spec->task, true, err);
}

static int read_targets(struct idx *x, uint32_t n_in_file, const struct data_spec *spec,
                        struct data_report *report, struct err *err)
{
    const struct membership_source source = {
        .spec = spec, .ids = &x->ids, .path = spec->images, .target = &x->target, .report = report};

    if (read_labels(x, n_in_file, spec, err) || make_target(x, spec, err))
        return -1;
    return membership_read(&x->membership, &source, err);
}

/* The relative position of a pixel is a feature. */
static int check_size_of(const struct idx *x, const char *path, const struct dataset *like,
                         struct err *err)
{
    int32_t pixels = like->n_nodes / like->n_samples, cols = 0;

    while (cols < pixels && like->shared[2 * cols] == 0)
        cols++;
    if (x->cols == cols && x->rows == pixels / cols)
        return 0;
    return err_set(err, "%s: images of %d x %d pixels: must be %d x %d, as in the training data",
                   path, x->rows, x->cols, pixels / cols, cols);
}

static int make_none(struct idx *x, const struct data_spec *spec, struct err *err)
{
    return check_size_of(x, spec->images, spec->like, err) ||
                   target_absent(&x->target, x->n_images, err)
               ? -1
               : 0;
}

/* ---- the grid ---- */

static void join(struct idx *x, int32_t node, int32_t row, int32_t col)
{
    if (row >= x->rows || col < 0 || col >= x->cols)
        return;
    x->source[x->n_edges] = node;
    x->end[x->n_edges] = row * x->cols + col;
    x->weight[x->n_edges++] = 1;
}

static float share(int32_t i, int32_t n)
{
    return n > 1 ? (float)i / (float)(n - 1) : 0;
}

static int make_grid(struct idx *x, struct err *err)
{
    size_t pixels = (size_t)x->rows * (size_t)x->cols;
    size_t bytes = 4 * pixels * sizeof *x->source;

    x->place = malloc(2 * pixels * sizeof *x->place);
    x->source = malloc(bytes);
    x->end = malloc(bytes);
    x->weight = malloc(4 * pixels * sizeof *x->weight);
    x->graph_start = malloc(((size_t)x->n_images + 1) * sizeof *x->graph_start);
    if (!x->place || !x->source || !x->end || !x->weight || !x->graph_start)
        return err_nomem(err, "the grid of pixels", bytes);
    for (int32_t i = 0; i <= x->n_images; i++)
        x->graph_start[i] = i * (int64_t)pixels;
    for (int32_t row = 0, node = 0; row < x->rows; row++)
        for (int32_t col = 0; col < x->cols; col++, node++) {
            x->place[2 * node] = share(row, x->rows);
            x->place[2 * node + 1] = share(col, x->cols);
            join(x, node, row, col + 1);
            join(x, node, row + 1, col - 1);
            join(x, node, row + 1, col);
            join(x, node, row + 1, col + 1);
        }
    return 0;
}

/* ---- together ---- */

static int build(struct dataset *out, const struct idx *x, struct err *err)
{
    static const char *const name[] = {"intensity", "row", "column"};
    float level[256];
    struct draft draft = {
        .n_samples = x->n_images,
        .n_nodes = x->n_images * x->rows * x->cols,
        .n_features = 3,
        .n_shared = 2,
        .code = x->pixel,
        .level = level,
        .shared = x->place,
        .graph_start = x->graph_start,
        .is_alike = true,
        .n_edges = x->n_edges,
        .edge_source = x->source,
        .edge_target = x->end,
        .edge_weight = x->weight,
        .ids = x->ids.text,
        .feature_names = name,
    };

    for (int v = 0; v < 256; v++)
        level[v] = (float)v / 255;
    target_into(&draft, &x->target);
    membership_into(&draft, &x->membership);
    return draft_build(out, &draft, err);
}

static int load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
                struct err *err)
{
    struct idx x = {0};
    uint32_t n_in_file = 0;
    int rc =
        reader_need_path(spec, spec->images, "images", err) ||
        (!spec->like && reader_need_path(spec, spec->labels, "labels", err)) ||
        read_images(&x, &n_in_file, spec, err) || number(&x, err) ||
        (spec->like ? make_none(&x, spec, err) : read_targets(&x, n_in_file, spec, report, err)) ||
        make_grid(&x, err) || build(out, &x, err);

    if (!spec->like)
        data_report_add(report, DATA_NOTE_FACT, "images", "%u in the file, %d x %d pixels",
                        n_in_file, x.rows, x.cols);
    idx_release(&x);
    return rc ? -1 : 0;
}

static void set_new_path(struct data_spec *spec, const char *path)
{
    spec->images = path;
    spec->first_images = 0;
}

const struct data_format idx_format = {
    .name = "idx",
    .sample_word = "images",
    .feature_word = "features of pixels",
    .samples = DATA_GRAPHS,
    .is_alike = true,
    .has_class_numbers = true,
    .settings = {{"labels", true, "IDX file of the classes"},
                 {"images", true, "IDX file; each image is a graph of its pixels"},
                 {.key = "first_images"}},
    .load = load,
    .new_option = "graphs",
    .set_new_path = set_new_path,
    .files = {{"images", "labels", "IDX images: the IDX file of their labels is missing"}},
    .proposal = {.epochs = 20,
                 .batch_size = 16,
                 .one_part = 500,
                 .learning_rate = "0.003 0.01",
                 .dropout = "0",
                 .layers = "4",
                 .pool = "mean max",
                 .hidden_size = "32"},
};
