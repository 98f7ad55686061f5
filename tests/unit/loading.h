/* Loading as a unit test of a reader does it; after cmocka.h. */
#ifndef TESTS_LOADING_H
#define TESTS_LOADING_H

#include "data/core/load.h"
#include "scratch.h"

static inline void load(struct dataset *d, struct data_report *report, const struct data_spec *spec)
{
    struct err err = {""};

    if (data_load(d, spec, report, &err) != 0)
        fail_msg("%s", err.text);
}

/* The load must fail with this text, folders left out. */
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
