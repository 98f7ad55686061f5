#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Growth with the number of trials: sweeps of 10^4, 10^5 and 10^6 trials that do nothing (9 folds of
# 1,111 to 100,100 configurations), and the time of each command on them. CSV lines
# "case,value,unit,beside,target" on stdout.
# usage: million.sh ESPALIER SOURCE_DIRECTORY
# Needs /usr/bin/time (package time).
# MILLION_SIZES: other numbers of levels of the second axis, with 100 configurations each; default
# "11 111 1001".
espalier=$1
src=$2
# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"
rounds=${ROUNDS:-1}

grid() { # LEVELS
    cat <<INI
[sweep]
name = million
folds = 9
[data]
format = simulated
samples = 60
markers = 10
causal = 2
[graph]
k = 2
[model]
type = noop
[grid]
hidden_size = 1:100:1
learning_rate = 0.001:$(echo "$1" | awk '{ printf "%.3f", $1 / 1000 }'):0.001
INI
}

# time_of NAME COMMAND...: seconds of a command, whose output is discarded.
time_of() {
    name=$1
    shift
    begun=$(date +%s.%N)
    "$@" >"$T/answer" 2>"$T/err" || { cat "$T/err" >&2; exit 1; }
    echo "$begun $(date +%s.%N)" | awk '{ printf "%.3f\n", $2 - $1 }' >>"$T/$name"
}

# Each rank writes its largest resident size in kB to a file named by its rank.
cat >"$T/watched" <<EOF
#!/bin/sh
exec /usr/bin/time -f %M -o "$T/kb.\$OMPI_COMM_WORLD_RANK" "$espalier" "\$@"
EOF
chmod +x "$T/watched"

launch() { # launch 2 ranks, for the time to the first trial, the rate and the memory
    rm -f "$T/m.db"*
    begun=$(date +%s.%N)
    mpirun -q -n 2 --bind-to none "$T/watched" run "$T/m.ini" --db "$T/m.db" --progress none \
        2>"$T/err" </dev/null || { cat "$T/err" >&2; exit 1; }
    sqlite3 "$T/m.db" "select min(started) - $begun from attempt" >>"$T/first"
    sqlite3 "$T/m.db" 'select count(*) / (max(s.finished) - min(a.started)) from attempt a, session s' >>"$T/rate"
    cat "$T/kb.0" >>"$T/rank0"
    cat "$T/kb.1" >>"$T/rank1"
}

measure() {
    time_of plan "$espalier" plan "$T/m.ini" --db "$T/none.db"
    time_of list "$espalier" plan "$T/m.ini" --db "$T/none.db" --list
    launch
    time_of resume "$espalier" run "$T/m.ini" --db "$T/m.db" --progress none
    time_of status "$espalier" status "$T/m.db"
    time_of best20 "$espalier" best -n 20 "$T/m.db"
    time_of best0 "$espalier" best -n 0 "$T/m.db"
    time_of export "$espalier" export --format csv "$T/m.db"
}

put() { # NAME UNIT TARGET FILE: the median of seconds
    row "$n trials: $1" "$(median <"$T/$4")" "$2" none "$3"
}

per_second() { # NAME ROWS TARGET FILE
    row "$n trials: $1" "$(echo "$2 $(median <"$T/$4")" | awk '{ printf "%.0f", $1 / $2 }')" rows/s none "$3"
}

# The smallest size shows the part that does not grow with the trials.
smallest=
for levels in ${MILLION_SIZES:-11 111 1001}; do
    n=$((levels * 900))
    grid "$levels" >"$T/m.ini"
    for file in plan list first rate rank0 rank1 resume status best20 best0 export; do
        rm -f "$T/$file"
    done
    i=0
    while [ $i -lt "$rounds" ]; do
        measure
        i=$((i + 1))
    done
    put plan s 2 plan
    per_second "plan --list" $n 300000 list
    put "from start to the first trial, 2 ranks" s 3 first
    row "$n trials: run by 2 ranks, durable" "$(median <"$T/rate" | cut -d. -f1)" trials/s none 50000
    put "resumed with everything done" s 2 resume
    put status s 0.3 status
    put "best -n 20" s 2 best20
    per_second "best -n 0" $((levels * 100)) 300000 best0
    per_second "export --format csv" $n 300000 export
    row "$n trials: memory of rank 0" "$(median <"$T/rank0" | awk '{ printf "%.0f", $1 * 1024 / 1e6 }')" MB none 400
    kb=$(median <"$T/rank1")
    smallest=${smallest:-$n $kb}
    row "$n trials: memory of the other rank beyond that of the smallest sweep" \
        "$(echo "$smallest $n $kb" | awk '{ d = $3 - $1; printf "%.1f", d ? ($4 - $2) * 1024 / d : 0 }')" \
        bytes/trial none 16
done
