/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32C against the examples of RFC 3720, appendix B.4, whose bytes are given in the order in which
 * they are sent, the lowest first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/crc32c.h"

static void test_rfc_3720(void **state)
{
    static const unsigned char read_command[48] = {
        [0] = 0x01,  [1] = 0xc0,  [16] = 0x14, [22] = 0x04,
        [27] = 0x14, [31] = 0x18, [32] = 0x28, [40] = 0x02,
    };
    unsigned char bytes[32];

    (void)state;
    memset(bytes, 0, sizeof bytes);
    assert_int_equal(crc32c(bytes, sizeof bytes), 0x8a9136aa);
    memset(bytes, 0xff, sizeof bytes);
    assert_int_equal(crc32c(bytes, sizeof bytes), 0x62a8ab43);
    for (unsigned char i = 0; i < sizeof bytes; i++)
        bytes[i] = i;
    assert_int_equal(crc32c(bytes, sizeof bytes), 0x46dd794e);
    for (unsigned char i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(31 - i);
    assert_int_equal(crc32c(bytes, sizeof bytes), 0x113fdb5c);
    assert_int_equal(crc32c(read_command, sizeof read_command), 0xd9963a56);
}

static void test_short(void **state)
{
    (void)state;
    assert_int_equal(crc32c("", 0), 0);
    assert_int_equal(crc32c("123456789", 9), 0xe3069283); /* the usual check value */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rfc_3720),
        cmocka_unit_test(test_short),
    };

    return cmocka_run_group_tests_name("crc32c", tests, NULL, NULL);
}
