#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A database of 100,000 trials, half of them done: the time of a continued run from its start to its
# first trial, and the time of status and best. CSV lines "case,value,unit,beside,target".
# usage: resume.sh ESPALIER SOURCE_DIRECTORY
# RESUME_SCALE divides the number of trials.
espalier=$1
src=$2
# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"
n=$((100000 / ${RESUME_SCALE:-1}))

cat >"$T/half.ini" <<INI
[sweep]
name = resume
replicates = $((n / 200))
[data]
format = simulated
samples = 20
markers = 10
causal = 2
[graph]
k = 2
[model]
type = noop
[grid]
hidden_size = 1:100:1
INI
sed 's/1:100:1/1:200:1/' "$T/half.ini" >"$T/all.ini"
espalier_run "$T/half.ini" --db "$T/half.db"

# Seconds from the start of a process to the first start of a trial in its session. All trials are
# already registered, as after a run that was stopped.
"$espalier" run "$T/all.ini" --db "$T/half.db" --progress none 2>/dev/null &
pid=$!
until [ "$(sqlite3 "$T/half.db" 'select count(*) from trial' 2>/dev/null)" = "$n" ]; do
    sleep 0.1
done
kill -INT $pid
wait $pid 2>/dev/null
resume() {
    cp "$T/half.db" "$T/r.db"
    begun=$(date +%s.%N)
    espalier_run "$T/all.ini" --db "$T/r.db"
    sqlite3 "$T/r.db" "select round(min(started) - $begun, 3) from attempt
        where session_id = (select max(session_id) from session) and started > $begun"
}
ask() { # COMMAND
    begun=$(date +%s.%N)
    "$espalier" "$1" "$T/r.db" >"$T/answer" 2>/dev/null || exit 1
    echo "$begun $(date +%s.%N)" | awk '{ printf "%.3f\n", $2 - $1 }'
}

i=0
while [ $i -lt "$rounds" ]; do
    resume >>"$T/resume"
    ask status >>"$T/status_s"
    ask best >>"$T/best_s"
    i=$((i + 1))
done
row "$n trials, some done: from start to the first trial" "$(median <"$T/resume")" s none 1
row "status on $n trials" "$(median <"$T/status_s")" s none 0.2
row "best on $n trials" "$(median <"$T/best_s")" s none 1
