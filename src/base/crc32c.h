/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32C (Castagnoli), as iSCSI and TensorFlow's files use it.
 *
 * Source: RFC 3720, section 12.1; polynomial 0x1EDC6F41, bits reflected. */
#ifndef BASE_CRC32C_H
#define BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32c(const void *data, size_t n);

#endif
