#include "predict/predictions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

int predictions_init(struct predictions *p, int32_t n, int32_t n_models, int32_t n_outputs,
                     struct err *err)
{
    size_t size = (size_t)n * (size_t)n_models * (size_t)n_outputs;

    p->n = n;
    p->n_models = n_models;
    p->n_outputs = n_outputs;
    p->v = malloc((size + 1) * sizeof *p->v);
    if (!p->v)
        return err_nomem(err, "predictions", size * sizeof *p->v);
    for (size_t i = 0; i < size; i++)
        p->v[i] = NAN;
    return 0;
}

void predictions_release(struct predictions *p)
{
    if (!p)
        return;
    free(p->v);
    p->v = NULL;
}

double predictions_output(const struct predictions *p, int32_t model, int32_t sample, int32_t c)
{
    return p->v[((int64_t)model * p->n + sample) * p->n_outputs + c];
}

/* Of the models that were asked: how many, their mean, and what their spread is. */
static int32_t summarize(double *mean, double *sd, const struct predictions *p, int32_t sample,
                         int32_t c)
{
    double sum = 0, squares = 0;
    int32_t n = 0;

    for (int32_t m = 0; m < p->n_models; m++)
        if (!isnan(predictions_output(p, m, sample, c))) {
            sum += predictions_output(p, m, sample, c);
            n++;
        }
    *mean = n ? sum / n : (double)NAN;
    for (int32_t m = 0; m < p->n_models; m++)
        if (!isnan(predictions_output(p, m, sample, c)))
            squares += (predictions_output(p, m, sample, c) - *mean) *
                       (predictions_output(p, m, sample, c) - *mean);
    *sd = n > 1 ? sqrt(squares / (n - 1)) : (double)NAN;
    return n;
}

double predictions_mean(const struct predictions *p, int32_t sample, int32_t c)
{
    double mean, sd;

    summarize(&mean, &sd, p, sample, c);
    return mean;
}

/* ---- the table ---- */

static bool has_classes(const struct predictions *p)
{
    return p->data->task == TASK_CLASSIFICATION;
}

static int32_t count_columns(const struct predictions *p, bool is_each)
{
    int32_t of_classes = has_classes(p) ? p->n_outputs : 0;

    return 4 + of_classes + (is_each ? p->n_models * p->n_outputs : 0);
}

static int add_name(struct result_table *t, struct buf *name)
{
    char *text = buf_failed(name) ? NULL : strdup(buf_text(name));

    buf_clear(name);
    if (!text)
        return -1;
    t->names[t->n_cols++] = text;
    return 0;
}

static int add_names(struct result_table *t, const struct predictions *p, bool is_each)
{
    static const char *const first[] = {"id", "prediction", "sd", "models"};
    struct buf name = {0};
    int rc = 0;

    for (size_t i = 0; !rc && i < sizeof first / sizeof *first; i++) {
        buf_puts(&name, first[i]);
        rc = add_name(t, &name);
    }
    for (int32_t c = 0; !rc && has_classes(p) && c < p->n_outputs; c++) {
        buf_printf(&name, "%s_%s", p->is_probability ? "p" : "score",
                   dataset_class_name(p->data, c));
        rc = add_name(t, &name);
    }
    for (int32_t m = 0; !rc && is_each && m < p->n_models; m++)
        for (int32_t c = 0; !rc && c < p->n_outputs; c++) {
            buf_printf(&name, "t%lld", (long long)p->trial[m]);
            if (has_classes(p))
                buf_printf(&name, "_%s", dataset_class_name(p->data, c));
            rc = add_name(t, &name);
        }
    buf_release(&name);
    return rc;
}

static struct cell real(double value)
{
    return isnan(value) ? (struct cell){.type = CELL_NULL}
                        : (struct cell){.type = CELL_REAL, .f = value};
}

static int put_text(struct cell *cell, const char *text)
{
    char *copy = strdup(text);

    *cell = (struct cell){.type = copy ? CELL_TEXT : CELL_NULL, .s = copy};
    return copy ? 0 : -1;
}

/* Which class has the largest mean. */
static int32_t likeliest(const struct predictions *p, int32_t sample)
{
    double most = -INFINITY, mean, sd;
    int32_t best = 0;

    for (int32_t c = 0; c < p->n_outputs; c++) {
        summarize(&mean, &sd, p, sample, c);
        if (mean > most) {
            most = mean;
            best = c;
        }
    }
    return best;
}

static int put_row(struct cell *row, const struct predictions *p, int32_t sample, bool is_each)
{
    int32_t best = likeliest(p, sample), at = 4;
    double mean, sd, unused;
    int32_t n = summarize(&mean, &sd, p, sample, best);
    int rc = put_text(&row[0], p->id[sample]);

    row[1] = real(mean);
    if (!rc && has_classes(p))
        rc = put_text(&row[1], dataset_class_name(p->data, best));
    row[2] = real(sd);
    row[3] = (struct cell){.type = CELL_INTEGER, .i = n};
    for (int32_t c = 0; has_classes(p) && c < p->n_outputs; c++) {
        summarize(&mean, &unused, p, sample, c);
        row[at++] = real(mean);
    }
    for (int32_t m = 0; is_each && m < p->n_models; m++)
        for (int32_t c = 0; c < p->n_outputs; c++)
            row[at++] = real(predictions_output(p, m, sample, c));
    return rc;
}

static bool is_asked(const struct predictions *p, int32_t sample)
{
    for (int32_t m = 0; m < p->n_models; m++)
        if (!isnan(predictions_output(p, m, sample, 0)))
            return true;
    return false;
}

int predictions_put(struct result_table *table, const struct predictions *p, bool is_each,
                    struct err *err)
{
    int32_t n_cols = count_columns(p, is_each);
    size_t size = ((size_t)table->n_rows + (size_t)p->n) * (size_t)n_cols;
    struct cell *grown = realloc(table->cells, (size + 1) * sizeof *grown);
    int rc = grown ? 0 : -1;

    if (grown)
        table->cells = grown;
    if (!rc && !table->names) {
        table->names = calloc((size_t)n_cols, sizeof *table->names);
        rc = table->names ? add_names(table, p, is_each) : -1;
    }
    for (int32_t i = 0; !rc && i < p->n; i++)
        if (is_asked(p, i)) {
            rc = put_row(grown + table->n_rows * n_cols, p, i, is_each);
            table->n_rows += rc == 0;
        }
    return rc ? err_nomem(err, "predictions", size * sizeof *grown) : 0;
}
