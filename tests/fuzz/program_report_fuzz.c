/* SPDX-License-Identifier: BSD-3-Clause */
/* A results file and, after a line "%%", stdout of any bytes. Pieces of any size give the same results,
 * and the curve survives being written and read. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "program/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct input {
    const uint8_t *results, *text;
    size_t n_results, n_text;
};

static void read_all(struct program_report *r, const struct input *in, size_t step)
{
    struct err err;

    if (program_report_init(r, "acc", false, true, "", &err))
        abort();
    for (size_t at = 0; at < in->n_text; at += step)
        program_report_add_stdout(r, in->text + at,
                                  in->n_text - at < step ? in->n_text - at : step);
    for (size_t at = 0; at < in->n_results; at += step)
        program_report_add(r, in->results + at,
                           in->n_results - at < step ? in->n_results - at : step);
    program_report_end_attempt(r, in->n_text % 2);
}

static void check_points(const struct program_report *r)
{
    for (int32_t i = 1; i < r->n_epochs; i++)
        if (r->epochs[i] <= r->epochs[i - 1])
            abort();
    for (int32_t i = 0; i < r->n_points; i++) {
        const struct program_point *a = &r->points[i];

        if (a->name < 0 || a->name >= r->n_names || (i && a->epoch < a[-1].epoch))
            abort();
        for (int32_t k = i - 1; k >= 0 && r->points[k].epoch == a->epoch; k--)
            if (r->points[k].name == a->name)
                abort();
    }
}

static void check_equal(const struct program_report *a, const struct program_report *b)
{
    if (strcmp(a->reason.text, b->reason.text) != 0 || a->n_metrics != b->n_metrics ||
        a->n_epochs != b->n_epochs || a->n_points != b->n_points || a->best != b->best)
        abort();
    for (int32_t i = 0; i < a->n_metrics; i++)
        if (strcmp(a->metrics[i].name, b->metrics[i].name) != 0)
            abort();
}

/* The curve of a later attempt that reports nothing. */
static void check_kept(const struct program_report *r, const struct buf *kept)
{
    struct program_report again;
    struct err err;

    if (program_report_init(&again, "acc", false, true, "", &err))
        abort();
    program_report_add(&again, kept->data, kept->size);
    program_report_end_attempt(&again, true);
    program_report_add_stdout(&again, "acc=1\n", 6);
    program_report_end_attempt(&again, false);
    if (program_report_finish(&again) || again.n_epochs != r->n_epochs ||
        again.n_points != r->n_points)
        abort();
    program_report_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const char mark[] = "%%\n";
    const uint8_t *end = memmem(bytes, n, mark, 3);
    size_t n_results = end ? (size_t)(end - bytes) : n;
    const struct input in = {bytes, end ? end + 3 : bytes, n_results, end ? n - n_results - 3 : 0};
    struct program_report whole, pieces;
    struct buf kept = {0};

    read_all(&whole, &in, n + 1);
    read_all(&pieces, &in, 1 + n % 7);
    program_report_put_curve(&kept, &whole);
    if (program_report_finish(&whole) == 0) {
        check_points(&whole);
        check_kept(&whole, &kept);
    }
    program_report_finish(&pieces);
    check_equal(&whole, &pieces);
    program_report_release(&whole);
    program_report_release(&pieces);
    buf_release(&kept);
    return 0;
}
