#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Cost of durable commits for a sweep of trials of about 50 ms on two cores: with commits that
# survive a power cut, and with an fsync() that does nothing, in turn. Also the cost of `espalier
# status` in a loop beside such a sweep. CSV lines "case,value,unit,beside,target" on stdout.
# usage: commit.sh ESPALIER SOURCE_DIRECTORY FAULT_SO
espalier=$1
src=$2
fault=$3
# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"

cat >"$T/commit.ini" <<'INI'
[sweep]
replicates = 40
[data]
format = simulated
samples = 300
markers = 1000
[train]
epochs = 135
[grid]
dropout = 0.1:0.5:0.1
INI

# From the first start of a trial to the end of the session, after the last commit.
sweep() {
    rm -f "$T/commit.db"*
    espalier_run "$T/commit.ini" -n 2 --db "$T/commit.db"
    sqlite3 "$T/commit.db" 'select max(s.finished) - min(a.started) from attempt a, session s'
}

watched() {
    while :; do
        "$espalier" status "$T/commit.db" >/dev/null 2>&1
        sleep 0.1
    done &
    watcher=$!
    sweep
    kill $watcher
    wait $watcher 2>/dev/null
}

i=0
while [ $i -lt "$rounds" ]; do
    LD_PRELOAD=$fault FAULT_SYNC_LOG=$T/synced sweep >>"$T/durable"
    LD_PRELOAD=$fault FAULT_NO_SYNC=1 sweep >>"$T/fast"
    watched >>"$T/watched"
    i=$((i + 1))
done

percent() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", 100 * (a / b - 1) }'; }
durable=$(median <"$T/durable")
fast=$(median <"$T/fast")
each=$(sqlite3 "$T/commit.db" 'select round(1000 * avg(seconds)) from trial')
syncs=$(awk '{ print $1 }' "$T/synced" | median)
row "time in fsync of a sweep of 50 ms trials, 2 ranks" \
    "$(awk -v s="$syncs" -v t="$durable" 'BEGIN { printf "%.2f", 100 * s / t }')" % \
    "all its $(awk -v t="$durable" 'BEGIN { printf "%.1f", t }') s; a trial took ${each%.*} ms" 2
row "commits that survive a power cut" "$(percent "$durable" "$fast")" "% slower" "the same without fsync" 2
row "espalier status ten times a second beside it" "$(percent "$(median <"$T/watched")" "$durable")" "% slower" \
    "the same without" ""
