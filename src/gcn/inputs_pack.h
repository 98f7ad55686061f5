/* struct gcn_inputs as one position-independent block of bytes: made once, then used where it lies
 * by every process that has it before it, in memory of its own or shared.
 *
 *     header     magic, version, size, digest, the struct itself with its pointers empty
 *     sections   the arrays of the struct in the order of walk() in inputs_pack.c, each 64-byte
 *                aligned
 *
 * A member that is a number needs nothing; an array needs one line in walk(). */
#ifndef GCN_INPUTS_PACK_H
#define GCN_INPUTS_PACK_H

#include <stddef.h>

#include "gcn/train.h"

size_t gcn_inputs_packed_bytes(const struct gcn_inputs *inputs);
/* block out [gcn_inputs_packed_bytes()], 64-byte aligned. */
void gcn_inputs_pack(void *block, const struct gcn_inputs *inputs);

/* View a block: the digest is verified, nothing is copied. block and data are borrowed and must
 * outlive the view; gcn_inputs_release() then frees nothing. -1 and err if it is not a block of
 * this program, or damaged. Local, thread-safe. */
int gcn_inputs_view(struct gcn_inputs *inputs, const struct dataset *data, const void *block,
                    size_t bytes, struct err *err);

#endif
