/* SPDX-License-Identifier: BSD-3-Clause */
/* Each damaged file has a buffer of exactly its size, so that a sanitizer detects a read past its
 * end. */
#include "base/safetensors.h"
#include "stride.h"
#include "unit.h"

static const double doubles[3] = {1, 2.5, -3};
static const float floats[6] = {1, 2, 3, 4, 5, 6};
static const char texts[] = "a\0b";
static const char *const names[] = {"mean", "layers.0.weight", "layers.0.bias", "names"};
enum { N_NAMES = sizeof names / sizeof *names };

static void write_file(struct buf *file)
{
    const struct safetensor list[] = {
        {"layers.0.weight", SAFETENSORS_F32, 2, {3, 2}, floats},
        {"layers.0.bias", SAFETENSORS_F32, 1, {2, 0}, floats},
        {"mean", SAFETENSORS_F64, 1, {3, 0}, doubles},
        {"names", SAFETENSORS_U8, 1, {4, 0}, texts},
    };
    struct buf metadata = {0};

    safetensors_describe(&metadata, "format", "a \"text\":{\"dtype\":\"U8\"}, \\ and }");
    safetensors_describe(&metadata, "target_sd", "2.5");
    safetensors_write(file, &metadata, list, sizeof list / sizeof *list);
    assert_false(buf_failed(file));
    buf_release(&metadata);
}

static int use(const void *file, size_t bytes)
{
    const char *begin = file;
    struct buf metadata = {0};
    struct safetensor t;
    unsigned sum = 0;
    double number;
    int found = 0;

    for (int i = 0; i < N_NAMES; i++) {
        const unsigned char *data;

        if (safetensors_find(&t, file, bytes, names[i]))
            continue;
        found++;
        data = t.data;
        assert_true((const char *)t.data >= begin);
        assert_true(safetensors_bytes(&t) <= (size_t)(begin + bytes - (const char *)t.data));
        if (safetensors_is(&t, SAFETENSORS_F64, -1, 0))
            assert_int_equal((uintptr_t)t.data % sizeof(double), 0);
        if (safetensors_is(&t, SAFETENSORS_F32, -1, -1))
            assert_int_equal((uintptr_t)t.data % sizeof(float), 0);
        for (size_t k = 0; k < safetensors_bytes(&t); k++)
            sum += data[k];
    }
    found += safetensors_number(&number, file, bytes, "target_sd") == 0;
    found += safetensors_metadata(&metadata, file, bytes) == 0;
    buf_release(&metadata);
    return sum == UINT32_MAX ? -1 : found;
}

static int use_copy(const void *file, size_t bytes)
{
    void *copy = malloc(bytes ? bytes : 1);
    int found;

    assert_non_null(copy);
    memcpy(copy, file, bytes);
    found = use(copy, bytes);
    free(copy);
    return found;
}

static void test_reads_what_it_wrote(void **state)
{
    struct buf file = {0}, metadata = {0};
    struct safetensor t;
    double number;

    (void)state;
    write_file(&file);
    assert_int_equal(use_copy(file.data, file.size), N_NAMES + 2);
    assert_int_equal(safetensors_find(&t, file.data, file.size, "layers.0.weight"), 0);
    assert_true(safetensors_is(&t, SAFETENSORS_F32, 3, 2));
    assert_true(safetensors_is(&t, SAFETENSORS_F32, -1, 2));
    assert_false(safetensors_is(&t, SAFETENSORS_F32, 2, 3));
    assert_false(safetensors_is(&t, SAFETENSORS_F32, 3, 0));
    assert_false(safetensors_is(&t, SAFETENSORS_U8, 3, 2));
    assert_memory_equal(t.data, floats, sizeof floats);
    assert_int_equal(safetensors_find(&t, file.data, file.size, "mean"), 0);
    assert_memory_equal(t.data, doubles, sizeof doubles);
    assert_int_equal(safetensors_find(&t, file.data, file.size, "text"), -1);
    assert_int_equal(safetensors_number(&number, file.data, file.size, "target_sd"), 0);
    assert_true(number == 2.5);
    assert_int_equal(safetensors_metadata(&metadata, file.data, file.size), 0);
    assert_non_null(strstr(buf_text(&metadata), "\"target_sd\":\"2.5\""));
    buf_release(&metadata);
    buf_release(&file);
}

/* Cut at any byte, extended, or with a header that claims another size. */
static void test_other_sizes(void **state)
{
    struct buf file = {0};
    int64_t n;

    (void)state;
    write_file(&file);
    for (size_t size = 0; size < file.size; size++)
        assert_int_equal(use_copy(file.data, size), 0);
    memcpy(&n, file.data, sizeof n);
    for (int64_t other = -9; other <= n + 40; other++) {
        memcpy(file.data, &other, sizeof other);
        if (other != n)
            assert_int_equal(use_copy(file.data, file.size), 0);
    }
    memcpy(file.data, &n, sizeof n);
    assert_int_equal(use_copy(file.data, file.size), N_NAMES + 2);
    buf_putc(&file, 'x');
    assert_int_equal(use_copy(file.data, file.size), 0);
    buf_release(&file);
}

/* Look for array "a" in a file with this header entry and `size` bytes of data. */
static int find_one(struct safetensor *t, const char *entry, size_t size)
{
    struct buf header = {0}, file = {0};
    int rc;

    buf_printf(&header, "{\"__metadata__\":{},\"a\":%s}", entry);
    while (header.size % 8)
        buf_putc(&header, ' ');
    buf_put_i64(&file, (int64_t)header.size);
    buf_puts(&file, buf_text(&header));
    memset(buf_extend(&file, size), 0, size);
    rc = safetensors_find(t, file.data, file.size, "a");
    buf_release(&header);
    buf_release(&file);
    return rc;
}

static void test_entries_that_lie(void **state)
{
    static const char *const bad[] = {
        "{\"dtype\":\"F64\",\"shape\":[4,2],\"data_offsets\":[0,32]}", /* more than the file has */
        "{\"dtype\":\"F32\",\"shape\":[4,1],\"data_offsets\":[0,32]}", /* fewer */
        "{\"dtype\":\"F32\",\"shape\":[7],\"data_offsets\":[2,30]}",
        "{\"dtype\":\"F32\",\"shape\":[-4,-2],\"data_offsets\":[0,32]}",
        "{\"dtype\":\"F32\",\"shape\":[4,2],\"data_offsets\":[32,0]}",
        "{\"dtype\":\"F32\",\"shape\":[8,2],\"data_offsets\":[0,64]}",
        "{\"dtype\":\"U8\",\"shape\":[4294967296,4294967296],\"data_offsets\":[32,32]}",
        "{\"dtype\":\"F64\",\"shape\":[1518500249,1518500249],\"data_offsets\":[0,32]}",
        "{\"dtype\":\"F64\",\"shape\":[2147483648,1073741824],\"data_offsets\":[32,32]}",
        "{\"dtype\":\"F16\",\"shape\":[16],\"data_offsets\":[0,32]}",
        "{\"dtype\":\"F32\",\"shape\":[4,2,1],\"data_offsets\":[0,32]}",
        "{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,32]}",
        "{\"dtype\":\"\",\"shape\":[8],\"data_offsets\":[0,32]}",
    };
    struct safetensor t;

    (void)state;
    assert_int_equal(
        find_one(&t, "{\"dtype\":\"F32\",\"shape\":[4,2],\"data_offsets\":[0,32]}", 32), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!find_one(&t, bad[i], 32))
            fail_msg("%s", bad[i]);
    /* Inside the file, but not aligned for floats. */
    assert_int_equal(find_one(&t, "{\"dtype\":\"F32\",\"shape\":[7],\"data_offsets\":[2,30]}", 30),
                     -1);
    assert_int_equal(find_one(&t, "{\"dtype\":\"U8\",\"shape\":[28],\"data_offsets\":[2,30]}", 30),
                     0);
}

/* The same sequence in each run. Source: Marsaglia 2003, "Xorshift RNGs". */
static uint32_t below(uint32_t n)
{
    static uint32_t x = 2463534242u;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x % n;
}

static void break_some(struct buf *out, const struct buf *file)
{
    static const char likely[] = "0123456789[]{}\",:FU \\-.";
    int64_t n;

    buf_clear(out);
    buf_add(out, file->data, file->size);
    for (uint32_t k = 1 + below(3); k; k--) {
        uint32_t at = below((uint32_t)out->size);
        uint32_t how = below(4);

        if (how == 0) {
            memmove(out->data + at, out->data + at + 1, out->size - at - 1);
            out->size--;
        } else {
            out->data[at] =
                (char)(how == 1 ? below(256) : (uint8_t)likely[below(sizeof likely - 1)]);
        }
    }
    /* With a false header length, nothing of a shortened header would be read. */
    memcpy(&n, file->data, sizeof n);
    n -= (int64_t)(file->size - out->size);
    if (below(2))
        memcpy(out->data, &n, sizeof n);
}

static void test_broken(void **state)
{
    struct buf file = {0}, broken = {0};
    const int n_broken = 60000 / test_stride();
    int whole = 0, part = 0;

    (void)state;
    write_file(&file);
    for (int i = 0; i < n_broken; i++) {
        int found;

        break_some(&broken, &file);
        found = use_copy(broken.data, broken.size);
        whole += found == N_NAMES + 2;
        part += found > 0 && found < N_NAMES + 2;
    }
    /* Enough cases were read whole, in part, and not at all. */
    assert_in_range(whole, n_broken / 50, n_broken * 3 / 4);
    assert_in_range(part, n_broken / 50, n_broken * 3 / 4);
    buf_release(&broken);
    buf_release(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_what_it_wrote),
        cmocka_unit_test(test_other_sizes),
        cmocka_unit_test(test_entries_that_lie),
        cmocka_unit_test(test_broken),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("safetensors", tests, NULL, NULL);
}
