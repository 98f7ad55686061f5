/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <zlib.h>

#include "data/core/split.h"
#include "loading.h"

/* Three images of 2 x 3 pixels. */
static const uint8_t images[] = {0,   0, 8, 3, 0,  0, 0, 3, 0, 0, 0,   2, 0, 0, 0, 3, 0,
                                 255, 0, 1, 0, 51, 9, 8, 7, 6, 5, 102, 0, 0, 0, 0, 0, 1};
static const uint8_t labels[] = {0, 0, 8, 1, 0, 0, 0, 3, 7, 0, 7};

static struct data_spec spec_of(const void *i, size_t n_i, const void *l, size_t n_l)
{
    return (struct data_spec){.format = &idx_format,
                              .images = scratch_bytes("images", i, n_i),
                              .labels = scratch_bytes("labels", l, n_l)};
}

static struct data_spec whole(void)
{
    return spec_of(images, sizeof images, labels, sizeof labels);
}

static void test_images(void **state)
{
    static const int32_t source[] = {0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 4};
    static const int32_t target[] = {1, 3, 4, 2, 3, 4, 5, 4, 5, 4, 5};
    struct data_spec spec = whole();
    struct data_report report;
    struct dataset_graph g;
    struct dataset d;
    struct mat x;

    (void)state;
    load(&d, &report, &spec);
    assert_int_equal(d.n_samples, 3);
    assert_int_equal(d.n_nodes, 18);
    assert_true(d.is_alike);
    g = dataset_graph(&d, 2);
    assert_int_equal(g.n_edges, 11);
    assert_memory_equal(g.source, source, sizeof source);
    assert_memory_equal(g.target, target, sizeof target);
    assert_int_equal(mat_init(&x, 18, 3, NULL), 0);
    dataset_decode(&x, &d, 0, 0);
    for (int i = 0; i < 18; i++) {
        assert_true(mat_row(&x, i)[0] == (float)images[16 + i] / 255);
        assert_true(mat_row(&x, i)[1] == (float)(i % 6 / 3));
        assert_true(mat_row(&x, i)[2] == (float)(i % 3) / 2);
    }
    mat_release(&x);
    assert_string_equal(dataset_feature_name(&d, 0), "intensity");
    assert_int_equal(d.n_classes, 2);
    assert_string_equal(dataset_class_name(&d, 1), "7");
    assert_int_equal(d.label[0], 1);
    assert_int_equal(d.label[1], 0);
    assert_string_equal(dataset_id(&d, 2), "3");
    assert_int_equal(noted_number(&report, "images", " in the file"), 3);
    dataset_release(&d);
}

static void test_first_images(void **state)
{
    struct data_spec spec = whole();
    struct data_report report;
    struct dataset d;

    (void)state;
    spec.first_images = 2;
    load(&d, &report, &spec);
    assert_int_equal(d.n_samples, 2);
    assert_int_equal(noted_number(&report, "images", " in the file"), 3);
    dataset_release(&d);
    spec.first_images = 7;
    load(&d, &report, &spec);
    assert_int_equal(d.n_samples, 3);
    dataset_release(&d);
}

/* The file lacks its last `cut` bytes. */
static const char *pack(const char *name, const void *bytes, size_t n, size_t cut)
{
    const char *path = scratch_path(name);
    gzFile file = gzopen(path, "wb");
    unsigned char packed[256];
    size_t size;
    FILE *plain;

    assert_int_equal(gzwrite(file, bytes, (unsigned)n), (int)n);
    gzclose(file);
    plain = fopen(path, "rb");
    size = fread(packed, 1, sizeof packed, plain);
    fclose(plain);
    return scratch_bytes(name, packed, size - cut);
}

static void test_gzip(void **state)
{
    struct data_spec spec = whole();
    struct data_report report;
    struct dataset d, plain;

    (void)state;
    load(&plain, &report, &spec);
    spec.images = pack("images.gz", images, sizeof images, 0);
    spec.labels = pack("labels.gz", labels, sizeof labels, 0);
    load(&d, &report, &spec);
    assert_true(hash_equal(d.digest, plain.digest));
    dataset_release(&d);
    dataset_release(&plain);
    spec.images = pack("images.gz", images, sizeof images, 9);
    refuse_spec(&spec, "images.gz: cannot read: the gzip stream ends too early");
}

static void test_truncated(void **state)
{
    struct data_spec spec = spec_of(images, sizeof images - 1, labels, sizeof labels);

    (void)state;
    refuse_spec(&spec, "images: is truncated within image 3 of 3");
    spec = spec_of(images, 15, labels, sizeof labels);
    refuse_spec(&spec, "images: ends within its header");
    spec = spec_of(images, 0, labels, sizeof labels);
    refuse_spec(&spec, "images: ends within its header");
    spec = spec_of(images, sizeof images, labels, sizeof labels - 2);
    refuse_spec(&spec, "labels: is truncated within label 2 of 3");
}

static void test_too_long(void **state)
{
    uint8_t longer[sizeof images + 1] = {0};
    struct data_spec spec;

    (void)state;
    memcpy(longer, images, sizeof images);
    spec = spec_of(longer, sizeof longer, labels, sizeof labels);
    refuse_spec(&spec,
                "images: has more bytes after image 3, which is the last according to its header");
}

static void test_magic(void **state)
{
    uint8_t other[sizeof images];
    struct data_spec spec = spec_of(labels, sizeof labels, labels, sizeof labels);

    (void)state;
    refuse_spec(&spec,
                "images: begins with 0x00000801, these are labels: must be 0x00000803, bytes in "
                "three dimensions (images)");
    spec = spec_of(images, sizeof images, images, sizeof images);
    refuse_spec(&spec,
                "labels: begins with 0x00000803, these are images: must be 0x00000801, bytes in "
                "one dimension (labels)");
    spec = spec_of("\003\010\0\0aaaaaaaaaaaa", 16, labels, sizeof labels);
    refuse_spec(&spec,
                "images: begins with 0x03080000, it is little-endian: must be 0x00000803, bytes "
                "in three dimensions (images)");
    memcpy(other, images, sizeof other);
    other[2] = 0x0d;
    spec = spec_of(other, sizeof other, labels, sizeof labels);
    refuse_spec(&spec,
                "images: begins with 0x00000d03, IDX of another kind: must be 0x00000803, bytes "
                "in three dimensions (images)");
    spec = spec_of("a,b\n1,2\n", 8, labels, sizeof labels);
    refuse_spec(
        &spec, "images: begins with 0x612c620a, this is not an IDX file: must be 0x00000803, bytes "
               "in three dimensions (images)");
}

static void test_sizes(void **state)
{
    uint8_t other[sizeof images];
    struct data_spec spec;

    (void)state;
    memcpy(other, images, sizeof other);
    other[7] = 2;
    spec = spec_of(other, sizeof other, labels, sizeof labels);
    refuse_spec(&spec,
                "images: has more bytes after image 2, which is the last according to its header");
    spec = spec_of(other, sizeof other - 6, labels, sizeof labels);
    refuse_spec(&spec, "labels: 3 labels: images has 2 images");
    other[7] = 0;
    spec = spec_of(other, 16, labels, sizeof labels);
    refuse_spec(&spec, "images: no images");
    memcpy(other, images, sizeof other);
    other[15] = 0;
    spec = spec_of(other, sizeof other, labels, sizeof labels);
    refuse_spec(&spec, "images: images of 2 x 0 pixels: must have from 1 to 1048576");
    memset(other + 4, 255, 12);
    spec = spec_of(other, sizeof other, labels, sizeof labels);
    refuse_spec(&spec,
                "images: images of 4294967295 x 4294967295 pixels: must have from 1 to 1048576");
    memcpy(other + 8, "\0\0\1\0\0\0\1\0", 8);
    spec = spec_of(other, sizeof other, labels, sizeof labels);
    refuse_spec(&spec, "images: 4294967295 images of 256 x 256 pixels: more than 2147483647 nodes; "
                       "set data.first_images to read fewer");
    spec.first_images = 9;
    refuse_spec(&spec, "images: is truncated within image 1 of 4294967295");
}

static void test_no_file(void **state)
{
    struct data_spec spec = whole();

    (void)state;
    spec.images = "/nowhere/at/all";
    refuse_spec(&spec, "/nowhere/at/all: cannot open: No such file or directory");
    spec.images = "/tmp";
    refuse_spec(&spec, "/tmp: is a directory: must be an IDX file");
    spec = whole(), spec.labels = "";
    refuse_spec(&spec, "data.labels is not set: data.format = idx needs it");
}

/* ---- real data ---- */

static const char *real_path(const char *name)
{
    static char path[2][512];
    static int next;
    const char *data = getenv("ESPALIER_DATA");
    char *out = path[next++ % 2];

    if (!data) {
        print_message("ESPALIER_DATA is not set\n");
        skip();
    }
    snprintf(out, sizeof path[0], "%s/digits/%s", data, name);
    return out;
}

static double mean_pixel(const struct dataset *d)
{
    double sum = 0;

    for (int64_t i = 0; i < d->n_nodes; i++)
        sum += d->code[i];
    return sum / d->n_nodes;
}

/* The counts are published. */
static void test_digits(void **state)
{
    static const int32_t counts[] = {980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009};
    struct data_spec spec = {.format = &idx_format,
                             .images = real_path("t10k-images-idx3-ubyte.gz"),
                             .labels = real_path("t10k-labels-idx1-ubyte.gz")};
    struct data_report report;
    int32_t n[10] = {0};
    struct dataset d;

    (void)state;
    load(&d, &report, &spec);
    assert_int_equal(d.n_samples, 10000);
    assert_int_equal(d.n_nodes, 7840000);
    assert_int_equal(d.n_classes, 10);
    assert_int_equal(d.n_edges, 2970);
    for (int32_t i = 0; i < d.n_samples; i++)
        n[d.label[i]]++;
    assert_memory_equal(n, counts, sizeof counts);
    assert_true(fabs(mean_pixel(&d) - 33.791) < 0.001);
    assert_true(d.block_bytes < 9000000);
    dataset_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_images),   cmocka_unit_test(test_first_images),
        cmocka_unit_test(test_gzip),     cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_too_long), cmocka_unit_test(test_magic),
        cmocka_unit_test(test_sizes),    cmocka_unit_test(test_no_file),
        cmocka_unit_test(test_digits),
    };

    return cmocka_run_group_tests_name("idx", tests, scratch_make, scratch_remove);
}
