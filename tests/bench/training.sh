#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Training runs compared with PyTorch and with the machine's own sgemm, in turn, on one core each:
# CSV lines "case,value,unit,beside,target" on stdout.
# usage: training.sh PROGRAM_DIRECTORY SOURCE_DIRECTORY
programs=$1
src=$2
# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"
torch=$(torch_is)

# in_turn OURS PEER: print the medians of the first words of the two commands' output, in one line.
# shellcheck disable=SC2086 # commands are several words
in_turn() {
    rm -f "$T/ours" "$T/peer" "$T/peer.failed"
    i=0
    while [ $i -lt "$rounds" ]; do
        $one_core $1 >>"$T/ours" || exit 1
        peer "$T/peer" $one_core $2
        i=$((i + 1))
    done
    echo "$(median <"$T/ours") $(median <"$T/peer")"
}

# compare NAME TARGET CASE PEER_CASE HIDDEN EPOCHS BATCH: three runs of each program in every round.
compare() {
    name=$1 target=$2 ours=$3 theirs=$4
    shift 4
    if ! has_data "$(echo "$ours" | grep -q cora && echo cora || echo arabidopsis)"; then
        row "$name" - "times faster" "$no_data" "$target"
    elif [ -z "$torch" ]; then
        row "$name" - "times faster" "PyTorch is not there" "$target"
    else
        pair=$(in_turn "$programs/train $ours $ESPALIER_DATA $* 3" \
            "$python -W ignore $src/tests/bench/peer_torch.py $theirs $ESPALIER_DATA $* 3") || exit 1
        # shellcheck disable=SC2086 # two numbers
        set -- $pair
        peer_row "$T/peer" "$name" "$(ratio "$2" "$1")" "times faster" "$torch ($2 s; ours $1 s)" "$target"
    fi
}

# of_sgemm NAME TARGET GFLOP COMMAND SAMPLES FEATURES HIDDEN: GFLOP over the seconds of COMMAND as a share of
# sgemm's speed for both products of these shapes.
of_sgemm() {
    name=$1 target=$2 gflop=$3 ours=$4
    shift 4
    pair=$(in_turn "$ours" "$programs/sgemm $* 3") || exit 1
    flop=$((4 * $1 * $2 * $3))
    # shellcheck disable=SC2086 # two numbers
    set -- $pair
    ours=$(echo "$1" | awk -v gflop="$gflop" '{ printf "%.1f", gflop / $1 }')
    whole=$(echo "$2" | awk -v flop="$flop" '{ printf "%.1f", flop / $1 / 1e9 }')
    peer_row "$T/peer" "$name" "$(ratio "$ours" "$whole")" "of sgemm's" "OpenBLAS, both products ($whole GFLOP/s; ours $ours)" "$target"
}

# Nominal rate: the work of two whole dense products an epoch, whatever is really multiplied.
sgemm() {
    name="FT10, 256 hidden: nominal GFLOP/s over the whole epoch"
    if ! has_data arabidopsis; then
        row "$name" - "of sgemm's" "$no_data" "at least 0.75"
        return
    fi
    of_sgemm "$name" "at least 0.75" "$(awk 'BEGIN { print 100 * 4 * 1058 * 984 * 256 / 1e9 }')" \
        "$programs/train ft10 $ESPALIER_DATA 256 100 0 3" 1058 984 256
}

# Samples that are graphs. The peer trains on the data that espalier has read, in the peer's fastest
# form (see peer_graphs.py).
graphs() {
    hidden=$1 target=$2
    name="BBBP: three layers, $hidden hidden, batches of 64 molecules, 10 epochs"
    if ! has_data bbbp; then
        row "$name" - "times faster" "$no_data" "$target"
    elif [ -z "$torch" ]; then
        row "$name" - "times faster" "PyTorch is not there" "$target"
    elif ! "$programs/graphs" "$ESPALIER_DATA" 1 1 1 1 "$T/bbbp" >/dev/null 2>"$T/err"; then
        row "$name" - "times faster" "failed: graphs: $(cat "$T/err")" "$target"
    else
        pair=$(in_turn "$programs/graphs $ESPALIER_DATA $hidden 10 64 3" \
            "$python -W ignore $src/tests/bench/peer_graphs.py $T/bbbp $hidden 10 64 3") || exit 1
        # shellcheck disable=SC2086 # two numbers
        set -- $pair
        peer_row "$T/peer" "$name" "$(ratio "$2" "$1")" "times faster" "$torch, torch.sparse and scatter ($2 s; ours $1 s)" "$target"
    fi
}

# Matrix products over the whole time of training, as a share of sgemm's speed for the rows of a batch: 64
# molecules have 1,536 atoms.
graphs_sgemm() {
    hidden=$1 target=$2
    name="BBBP, $hidden hidden: GFLOP/s of matrix products over the whole epoch"
    if ! has_data bbbp; then
        row "$name" - "of sgemm's" "$no_data" "$target"
        return
    fi
    of_sgemm "$name" "$target" "$($one_core "$programs/graphs" "$ESPALIER_DATA" "$hidden" 10 64 1 | awk '{ print $1 * $4 }')" \
        "$programs/graphs $ESPALIER_DATA $hidden 10 64 3" 1536 "$hidden" "$hidden"
}

# Targets: what was measured beside PyTorch 2.13, less 15 %.
compare "FT10: 16 hidden, 100 epochs" 30 ft10 ft10 16 100 0
compare "FT10: 64 hidden, 100 epochs" 14 ft10 ft10 64 100 0
compare "FT10: 256 hidden, 100 epochs" 14 ft10 ft10 256 100 0
compare "FT10: 64 hidden, A^X made once by PyTorch too" "" ft10 ft10-ax 64 100 0
compare "FT10: 64 hidden, batches of 64, 10 epochs" "" ft10 ft10 64 10 64
compare "Cora: 16 hidden, 100 epochs" 26 cora cora 16 100 0
compare "Cora: Kipf's settings, 200 epochs" 17 cora-kipf cora-kipf 16 200 0
sgemm
graphs 64 4.8
graphs 128 3.0
graphs_sgemm 64 "at least 0.55"
graphs_sgemm 128 "at least 0.65"
rounds=$(((rounds + 1) / 2)) # six seconds a run
compare "FT16 chromosome 5: 64 hidden, 100 epochs, reduced" 50 ft16 ft16 64 100 0
