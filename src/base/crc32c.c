/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/crc32c.h"

/* One step for four bits: short enough to compare with a division by hand, and fast enough for files
 * of kilobytes. table[i] is i divided by the reflected polynomial 0x82F63B78. */
uint32_t crc32c(const void *data, size_t n)
{
    static const uint32_t table[16] = {
        0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
        0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
        0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
    };
    const unsigned char *bytes = data;
    uint32_t crc = 0xffffffff;

    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}
