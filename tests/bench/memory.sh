#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Memory of 8 ranks on one host for a data set of 500 MB: a CSV line "case,value,unit,peer,target"
# on stdout. The peer is the same launch with a copy for each rank.
# usage: memory.sh ESPALIER
espalier=$1
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

cat >"$T/panel.ini" <<'INI'
[sweep]
replicates = 64
[data]
format = simulated
samples = 1000
markers = 500000
[model]
hidden_size = 64
reduce = exact
[train]
epochs = 100000
INI
data_mb=500 # one byte a value

# Print the descendants of a process.
descendants() {
    cat /proc/"$1"/task/*/children 2>/dev/null | tr ' ' '\n' | while read -r child; do
        echo "$child"
        descendants "$child"
    done
}

# Resident MB of all ranks while they train. A page shared by n ranks counts 1/n for each.
resident() {
    rm -f "$T"/db*
    ESPALIER_SHM=$1 mpirun -q --oversubscribe --bind-to none -n 8 "$espalier" run "$T/panel.ini" --db "$T/db" \
        --progress plain 2>"$T/err" </dev/null &
    launcher=$!
    until grep -q '8/8 ranks busy' "$T/err"; do
        kill -0 $launcher 2>/dev/null || { cat "$T/err" >&2; exit 1; }
        sleep 0.5
    done
    sleep 5
    for pid in $(descendants $launcher); do
        cat /proc/"$pid"/smaps_rollup
    done | awk '/^Pss:/ { kb += $2 } END { printf "%.0f", kb * 1024 / 1e6 }'
    kill -TERM $launcher # mpirun ends them at once
    wait $launcher || :
}

shared=$(resident /dev/shm) || exit 1
copies=$(resident off) || exit 1
echo "memory of 8 ranks: 500 MB of genotypes reduce = exact,$(echo "$shared $data_mb" | awk '{ printf "%.2f", $1 / $2 }'),data sets resident,a copy for each rank ($(echo "$copies $data_mb" | awk '{ printf "%.1f", $1 / $2 }')),1.3"
