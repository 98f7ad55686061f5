#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Constants of a sum over two ranks (tests/bench/links.c) for the cost model of sched/speedup.h, in
# shared memory and by TCP between two network namespaces; and the trainings of tests/bench/workers.c
# on these two, compared with one rank. CSV lines "case,value,unit,beside,target" on stdout.
# usage: links.sh PROGRAM_DIRECTORY SOURCE_DIRECTORY
# The constants fit seconds = 2 latency + bytes x per_byte, with relative errors alike for all sizes.
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

# fit NAME: two rows from lines of bytes, seconds and processor seconds.
fit() {
    awk '{ t = $2; x = $1; n += 1 / t ^ 2; sx += x / t ^ 2; sy += 1 / t; sxx += (x / t) ^ 2; sxy += x / t
           seconds[NR] = t; bytes[NR] = x; if (NR == 1) processor = $3 }
        END {
            b = (n * sxy - sx * sy) / (n * sxx - sx ^ 2); a = (sy - b * sx) / n
            for (i = 1; i <= NR; i++) {
                off = (a + b * bytes[i]) / seconds[i] - 1; off = off < 0 ? -off : off
                if (off > most) most = off
            }
            printf "%.2f %.3f %.1f %.2f %.0f %.0f\n", 1e6 * a / 2, 1e9 * b, 1e6 * seconds[1], 1e6 * processor / 4,
                bytes[NR] / 1e6, 100 * most
        }' "$T/sums" >"$T/fit"
    read -r latency per_byte least overhead most off <"$T/fit"
    row "$1: latency of half a sum" "$latency" us "4 bytes take $least us; largest error of the fit $off %" ""
    row "$1: processor time of a message, each end" "$overhead" us "" ""
    row "$1: each byte of a sum" "$per_byte" ns "up to $most MB, with writing the addends" ""
}

"$programs/links" >"$T/sums" || exit 1
fit "2 ranks of a host"
if [ -z "${ESPALIER_LINKS:-}" ] || ! join; then
    row "2 ranks by TCP between network namespaces" - "" "namespaces cannot be made here" ""
    exit 0
fi
both "$programs/links" >"$T/sums"
fit "2 ranks by TCP between network namespaces"

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
