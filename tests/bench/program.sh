#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs as trials on two cores: what a start, an end and a durable result cost beside the
# program's own time. CSV lines "case,value,unit,beside,target" on stdout.
# usage: program.sh ESPALIER SOURCE_DIRECTORY PROGRAM_DIRECTORY
# Each round runs espalier, GNU parallel and a plain loop in turn, with the same programs.
# PROGRAM_SCALE divides the numbers of trials.
espalier=$1
src=$2
programs=$3
# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"
scale=${PROGRAM_SCALE:-1}

# sweep NAME TRIALS COMMAND LINE...: write NAME.ini. LINES go below the command.
sweep() {
    name=$1
    trials=$2
    command=$3
    shift 3
    printf '%s\n' "[sweep]" "objective = score" "direction = max" "replicates = $((trials / 10))" \
        "[program]" "command = $command" "$@" "[grid]" "x = 1:10:1" >"$T/$name.ini"
}
sweep json $((4000 / scale)) "$programs/one_number" "values = environment"
sweep echo $((4000 / scale)) "/bin/echo score={x}" "capture = stdout"
sweep sleep $((400 / scale)) "$programs/one_number 0.05" "values = environment"

# From the first start of a trial to the end of the session, after the last commit: seconds a trial
# of each rank.
ours() {
    rm -rf "$T/$1.db"*
    espalier_run "$T/$1.ini" -n 2 --db "$T/$1.db"
    sqlite3 "$T/$1.db" "select 2 * (max(s.finished) - min(a.started)) / count(*)
        from attempt a, session s having min(a.outcome) = 'done' and max(a.outcome) = 'done'"
}

# least NUMBER PROGRAM WORD...: the same without storing anything.
least() {
    "$programs/starts" 2 "$@" | awk -v n="$1" '{ print 2 * $1 / n }'
}

# gnu_parallel NUMBER COMMAND WORDS: WORDS (0 or 1) go from the input into each command. The
# tenth of a second in which it starts is part of its time.
gnu_parallel() {
    begun=$(date +%s.%N)
    seq "$1" | parallel --will-cite -j 2 --joblog "$T/joblog" -N "$3" "$2" >"$T/printed" 2>&1
    echo "$1 $begun $(date +%s.%N)" | awk '{ print 2 * ($3 - $2) / $1 }'
    rm -f "$T/joblog"
}

parallel_is=$(parallel --version 2>/dev/null | sed -n '1s/.* //p')
i=0
while [ $i -lt "$rounds" ]; do
    for case in json echo sleep; do
        ours $case >>"$T/$case.ours"
    done
    least $((2000 / scale)) "$programs/one_number" >>"$T/json.least"
    least $((2000 / scale)) /bin/echo score=1 >>"$T/echo.least"
    least $((400 / scale)) "$programs/one_number" 0.05 >>"$T/sleep.least"
    if [ -n "$parallel_is" ]; then
        gnu_parallel $((1000 / scale)) "$programs/one_number" 0 >>"$T/json.parallel"
        gnu_parallel $((1000 / scale)) "/bin/echo score={}" 1 >>"$T/echo.parallel"
    fi
    i=$((i + 1))
done

# a_second FILE: programs a second, two at a time.
a_second() { median <"$T/$1" | awk '{ printf "%.0f", 2 / $1 }'; }
ms() { median <"$T/$1" | awk '{ printf "%.2f", 1000 * $1 }'; }

# rate CASE WORDS
rate() {
    name="programs that report $2, 2 ranks, durable in SQLite"
    row "$name" "$(a_second "$1.ours")" trials/s \
        "posix_spawn in a plain loop, 2 at a time, nothing stored ($(a_second "$1.least"))" 1000
    if [ -z "$parallel_is" ]; then
        row "$name: beside GNU parallel" - "times faster" "it is not there" 10
    else
        row "$name: beside GNU parallel" "$(ratio "$(a_second "$1.ours")" "$(a_second "$1.parallel")")" \
            "times faster" "parallel $parallel_is -j 2 --joblog ($(a_second "$1.parallel") a second)" 10
    fi
}
rate json "one number as JSON"
rate echo "one number by echo"
row "programs of 50 ms, 2 ranks: a trial beside the program's own time" \
    "$(awk -v a="$(ms sleep.ours)" -v b="$(ms sleep.least)" 'BEGIN { printf "%.2f", a - b }')" ms \
    "posix_spawn in a plain loop ($(ms sleep.least) ms; ours $(ms sleep.ours) ms)" 2
