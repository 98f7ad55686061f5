#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Constants of a sum over two ranks (tests/bench/links.c) for the cost model of sched/speedup.h, in
# shared memory and by TCP between two network namespaces; and the trainings of tests/bench/workers.c
# on these two, compared with one rank. CSV lines "case,value,unit,beside,target" on stdout.
# usage: links.sh PROGRAM_DIRECTORY SOURCE_DIRECTORY
# A sum takes 2 latency + bytes x per_byte. Both are from the least times of many short turns.
programs=$1
src=$2
PATH=$PATH:/usr/sbin:/sbin
if ! [ -e "$programs/links" ]; then
    echo "\"constants of a sum over 2 ranks\",-,,$programs/links is not there,"
    exit 0
fi
# All namespaces end with this script.
if [ -z "${ESPALIER_LINKS:-}" ]; then
    map=
    [ "$(id -u)" -eq 0 ] || map=-r
    if unshare $map -np --fork --kill-child --mount-proc true 2>/dev/null; then
        ESPALIER_LINKS=inside exec unshare $map -np --fork --kill-child --mount-proc sh "$0" "$@"
    fi
fi
# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"
rounds=${ROUNDS:-3}
address=10.98.0.1

# other COMMAND...: run it in the second namespace.
other() { nsenter -t "$second" -n "$@"; }

join() {
    unshare -n sleep 600 &
    second=$!
    # The second namespace is there when it differs from this one.
    while [ "$(readlink "/proc/$second/ns/net")" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.02; done
    ip link set lo up && ip link add near type veth peer name far netns "$second" &&
        ip addr add $address/24 dev near && ip link set near up &&
        other ip addr add 10.98.0.2/24 dev far && other ip link set far up
}

# both PROGRAM ARGUMENT...: run it with address and rank, 0 here and 1 in the second namespace.
both() {
    other "$@" $address 1 >"$T/second" &
    pid=$!
    "$@" $address 0 || exit 1
    wait $pid || exit 1
}

# constants NAME: rows from lines of bytes, seconds and processor seconds.
constants() {
    awk '$1 <= 256 { if (!least || $2 < least) least = $2; if (!processor || $3 < processor) processor = $3 }
        $1 == 1048576 { cached = ($2 - least) / $1 }
        END { printf "%.2f %.2f %.3f %.3f\n", 1e6 * least / 2, 1e6 * processor / 4, 1e9 * cached, 1e9 * ($2 - least) / $1 }
        ' "$T/sums" >"$T/constants"
    read -r latency overhead cached streamed <"$T/constants"
    row "$1: latency of half a sum, up to 256 bytes" "$latency" us "processor time of a message, each end: $overhead us" ""
    row "$1: each byte of a sum of 1 MB" "$cached" ns "17 MB, beyond the caches: $streamed ns" ""
}

"$programs/links" >"$T/sums" || exit 1
constants "2 ranks of a host"
if [ -z "${ESPALIER_LINKS:-}" ] || ! join; then
    row "2 ranks by TCP between network namespaces" - "" "namespaces cannot be made here" ""
    exit 0
fi
both "$programs/links" >"$T/sums"
constants "2 ranks by TCP between network namespaces"

for task in nodes graphs; do
    rm -f "$T/one" "$T/two"
    i=0
    while [ $i -lt "$rounds" ]; do
        "$programs/workers" time $task 1 >>"$T/one" || exit 1
        both "$programs/workers" host $task >>"$T/two"
        i=$((i + 1))
    done
    one=$(median <"$T/one")
    two=$(median <"$T/two")
    name="full batch of 50000 nodes"
    [ $task = nodes ] || name="batches of 64 graphs"
    row "$name: 2 ranks by TCP between network namespaces" "$(ratio "$one" "$two")" "times faster" \
        "1 rank ($one s; 2: $two s)" ""
done
