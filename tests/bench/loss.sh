#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Cost of the death of one of 4 ranks on one host, for a sweep on two cores: the whole command with
# a rank killed (SIGKILL) in the middle of a trial of about a second, and without, in turn. CSV line
# "case,value,unit,beside,target" on stdout.
# usage: loss.sh ESPALIER SOURCE_DIRECTORY
espalier=$1
src=$2
# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"
rounds=${ROUNDS:-3}
two_cores=
if command -v taskset >/dev/null 2>&1; then
    two_cores="taskset -c $(taskset -cp $$ | sed 's/.*: *//' | tr ',' '\n' | sed 's/-/ /' |
        while read -r from to; do seq "$from" "${to:-$from}"; done | sed 2q | paste -sd,)"
fi

cat >"$T/loss.ini" <<'INI'
[sweep]
replicates = 24
[data]
format = simulated
samples = 300
markers = 1000
[train]
epochs = 1400
[grid]
dropout = 0.3
INI

# Kill a rank once a third of the trials are done.
kill_one() {
    until [ "$(sqlite3 "$T/loss.db" "select count(*) from trial where state = 'done'" 2>/dev/null || echo 0)" -ge 8 ]; do
        sleep 0.05
    done
    kill -KILL "$(sqlite3 "$T/loss.db" "select pid from attempt where rank = 3 limit 1")"
}

# Seconds of the command. $1: command to run during the sweep.
sweep() {
    rm -f "$T/loss.db"*
    from=$(date +%s.%N)
    # shellcheck disable=SC2086 # several words, or none
    $two_cores "$espalier" run "$T/loss.ini" -n 4 --db "$T/loss.db" --progress none 2>"$T/err" &
    $1
    wait $! || { cat "$T/err" >&2; exit 1; }
    date +%s.%N | awk -v from="$from" '{ printf "%.2f\n", $1 - from }'
}

export ESPALIER_CHECKS=off
i=0
while [ $i -lt "$rounds" ]; do
    sweep : >>"$T/whole"
    sqlite3 "$T/loss.db" 'select avg(seconds) from trial' >>"$T/trial"
    sweep kill_one >>"$T/killed"
    [ "$(sqlite3 "$T/loss.db" "select count(*) from attempt where outcome = 'crashed'")" = 1 ] || exit 1
    i=$((i + 1))
done

whole=$(median <"$T/whole")
killed=$(median <"$T/killed")
trial=$(median <"$T/trial")
row "one of 4 ranks on a host is killed: beyond the lost trial" \
    "$(echo "$killed $whole $trial" | awk '{ printf "%.2f", $1 - $2 - $3 }')" s \
    "$(echo "$killed $whole $trial" | awk '{ printf "%.1f s; without %.1f s; a trial took %.1f s", $1, $2, $3 }')" "under 2"
