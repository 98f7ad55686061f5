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

# ddp FILE ARGUMENT...
ddp() {
    into=$1
    shift
    peer "$into" "$python" -W ignore "$src/tests/bench/peer_ddp.py" "$@"
}

# Largest relative difference of the first five losses, without dropout; 0 if PyTorch failed.
difference() {
    "$programs/workers" dump "$1" "$T/$1" >"$T/ours" || exit 1
    ddp "$T/theirs" "$T/$1" losses
    [ ! -e "$T/theirs.failed" ] || { echo 0 && return; }
    paste "$T/ours" "$T/theirs" | head -n 5 | awk '
        { d = ($1 - $2) / $2; d = d < 0 ? -d : d; if (d > most || $2 == "") most = $2 == "" ? 1 : d }
        END { printf "%.0e\n", NR ? most : 1 }'
}

# compare TASK NAME OPTION NAME_WITH_OPTION TARGET: the second row is that of peer_ddp.py with an option.
compare() {
    task=$1
    target=$5
    if [ -z "$torch" ] || ! [ -e "$programs/workers" ]; then
        row "$2" - "times faster" "${torch:+$programs/workers is not there}${torch:-PyTorch is not there}" "$target"
        return
    fi
    rm -f "$T/theirs"* "$T/ours" "$T/plain"* "$T/option"*
    apart=$(difference "$task") || exit 1
    if [ "$(awk -v d="$apart" 'BEGIN { print (d <= 1e-3) }')" = 0 ]; then
        echo "ddp.sh: $task: losses differ by $apart" >&2
        exit 1
    fi
    rm -f "$T/ours"
    i=0
    while [ $i -lt "$rounds" ]; do
        "$programs/workers" time "$task" 2 >>"$T/ours" || exit 1
        ddp "$T/plain" "$T/$task"
        ddp "$T/option" "$T/$task" "$3"
        i=$((i + 1))
    done
    ours=$(median <"$T/ours")
    beside="$torch, DDP over gloo"
    plain=$(median <"$T/plain")
    peer_row "$T/plain" "$2" "$(ratio "$plain" "$ours")" "times faster" "$beside ($plain s; ours $ours s; losses differ by $apart)" "$target"
    option=$(median <"$T/option")
    peer_row "$T/option" "$4" "$(ratio "$option" "$ours")" "times faster" "$beside ($option s; ours $ours s)" ""
}

nodes="full batch of 50000 nodes: 2 ranks"
compare nodes "$nodes" ax "$nodes, PyTorch also computes A^X only once" 6
graphs="batches of 64 graphs: 2 ranks"
compare graphs "$graphs, PyTorch's batches assembled before" fresh "$graphs, PyTorch assembles each batch in its step" 4.1
