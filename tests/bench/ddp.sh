#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Two trainings that two ranks share (tests/bench/workers.c), and the same ones by PyTorch's
# DistributedDataParallel over gloo with two processes of one thread (peer_ddp.py), in turn. CSV lines
# "case,value,unit,beside,target" on stdout.
# usage: ddp.sh PROGRAM_DIRECTORY SOURCE_DIRECTORY
# Both sides begin with the same weights and take the same samples in the same order. Times are those
# of all epochs but the first, with one evaluation each: no imports, data or processes.
programs=$1
src=$2
# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"
rounds=${ROUNDS:-3}
torch=$(torch_is)

peer() {
    "$python" -W ignore "$src/tests/bench/peer_ddp.py" "$@" 2>"$T/err" || { cat "$T/err" >&2; exit 1; }
}

# Largest relative difference of the first five losses, without dropout.
difference() {
    "$programs/workers" dump "$1" "$T/$1" >"$T/ours" || exit 1
    peer "$T/$1" losses >"$T/theirs"
    paste "$T/ours" "$T/theirs" | head -n 5 | awk '
        { d = ($1 - $2) / $2; d = d < 0 ? -d : d; if (d > most || $2 == "") most = $2 == "" ? 1 : d }
        END { printf "%.0e\n", NR ? most : 1 }'
}

# compare TASK NAME OPTION NAME_WITH_OPTION: the second row is that of peer_ddp.py with an option.
compare() {
    task=$1
    if [ -z "$torch" ] || ! [ -e "$programs/workers" ]; then
        row "$2" - "times faster" "${torch:+$programs/workers is not there}${torch:-PyTorch is not there}" 6
        return
    fi
    apart=$(difference "$task")
    if [ "$(awk -v d="$apart" 'BEGIN { print (d <= 1e-3) }')" = 0 ]; then
        echo "ddp.sh: $task: losses differ by $apart" >&2
        exit 1
    fi
    rm -f "$T/ours" "$T/plain" "$T/option"
    i=0
    while [ $i -lt "$rounds" ]; do
        "$programs/workers" time "$task" 2 >>"$T/ours" || exit 1
        peer "$T/$task" >>"$T/plain"
        peer "$T/$task" "$3" >>"$T/option"
        i=$((i + 1))
    done
    ours=$(median <"$T/ours")
    beside="$torch, DDP over gloo"
    plain=$(median <"$T/plain")
    row "$2" "$(ratio "$plain" "$ours")" "times faster" "$beside ($plain s; ours $ours s; losses differ by $apart)" 6
    option=$(median <"$T/option")
    row "$4" "$(ratio "$option" "$ours")" "times faster" "$beside ($option s; ours $ours s)" ""
}

nodes="full batch of 50000 nodes: 2 ranks"
compare nodes "$nodes" ax "$nodes, PyTorch also computes A^X only once"
graphs="batches of 64 graphs: 2 ranks"
compare graphs "$graphs, PyTorch's batches assembled before" fresh "$graphs, PyTorch assembles each batch in its step"
