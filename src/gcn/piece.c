/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/piece.h"

#include "gcn/receptive_field.h"

/* Arrays of a piece: what fits in a core's cache of 1 or 2 MB. A training of 1,113 graphs, 128 wide in
 * batches of 64, took 0.67 s instead of 0.96 s. Not the size of this machine's cache: the order of sums
 * would depend on it. */
#define PIECE_BYTES ((size_t)3 << 19)
/* Each piece adds a gradient to the others, which takes 2 to 5 % of the products' time at 256 nodes. */
#define PIECE_ROWS 256

/* Bytes of a node in the arrays of pass.c: of each layer activations, A^ H and dropout; products and
 * gradients. */
static size_t row_bytes(const struct gcn_spec *spec)
{
    size_t of_layer = 2 * sizeof(float) + sizeof(uint16_t), shared = 3 * sizeof(float);

    return (size_t)spec->hidden_size * ((size_t)spec->layers * of_layer + shared);
}

static int32_t rows_of(const struct gcn_spec *spec)
{
    size_t rows = PIECE_BYTES / row_bytes(spec);

    return rows > PIECE_ROWS ? (int32_t)rows : PIECE_ROWS;
}

int32_t piece_capacity(const struct gcn_spec *spec, const struct dataset *data, int32_t n_batch,
                       bool is_full)
{
    bool is_whole = spec->batch_norm || (is_full && spec->workers > 1);
    int32_t most = receptive_field_largest(data, is_whole ? n_batch : 1), rows = rows_of(spec);

    if (most < rows)
        most = rows;
    return most < data->n_nodes ? most : data->n_nodes;
}
