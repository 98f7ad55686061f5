/* SPDX-License-Identifier: BSD-3-Clause */
/* Loading data in unit tests of readers. */
#ifndef TESTS_LOADING_H
#define TESTS_LOADING_H

#include "data/format.h"
#include "scratch.h"
#include "unit.h"

static inline void load(struct dataset *d, struct data_report *report, const struct data_spec *spec)
{
    struct err err = {""};

    if (data_load(d, spec, report, &err) != 0)
        fail_msg("%s", err.text);
}

/* Returns "" without a note. */
static inline const char *noted(const struct data_report *report, const char *label)
{
    for (int32_t i = 0; i < report->n_notes; i++)
        if (!strcmp(report->note[i].label, label))
            return report->note[i].text;
    return "";
}

/* Return the number in front of `words` in a note, or 0. */
static inline int64_t noted_number(const struct data_report *report, const char *label,
                                   const char *words)
{
    const char *text = noted(report, label), *at = strstr(text, words);

    while (at && at > text && strchr(" 0123456789", at[-1]))
        at--;
    return at ? strtoll(at, NULL, 10) : 0;
}

/* The load must fail with this text. Folders are removed from it. */
static inline void refuse_spec(const struct data_spec *spec, const char *wanted)
{
    struct dataset d;
    struct data_report report;
    struct err err = {""};
    char text[sizeof err.text] = "";
    const char *from = err.text, *folder;
    size_t size = strlen(scratch_folder) + 1;

    assert_int_equal(data_load(&d, spec, &report, &err), -1);
    while ((folder = strstr(from, scratch_folder))) {
        strncat(text, from, (size_t)(folder - from));
        from = folder + size;
    }
    strcat(text, from);
    assert_string_equal(text, wanted);
}

static inline void check_features(const struct dataset *d, const float *wanted)
{
    struct mat x;

    assert_int_equal(mat_init(&x, d->n_nodes, d->n_features, NULL), 0);
    dataset_decode(&x, d, 0, 0);
    assert_memory_equal(x.v, wanted, (size_t)mat_size(&x) * sizeof *x.v);
    mat_release(&x);
}

#endif
