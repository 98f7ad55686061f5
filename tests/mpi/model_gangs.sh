#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Models whose trials need several ranks: any number of ranks gives the same rows to the bit, also if
# one of them is killed at a named point (src/base/fault.h), or if the run is stopped in the middle
# and goes on with another number.
. "$SRCDIR/tests/lib.sh"
command -v mpirun >/dev/null || skip_all "mpirun is not here"
. "$SRCDIR/tests/mpi/killlib.sh"

# 8 trials; each step has the batches of four workers.
cat >sweep.ini <<'INI'
[sweep]
name = kill
folds = 2
keep = all
[data]
format = simulated
samples = 120
markers = 50
[model]
batch_norm = yes
[train]
epochs = 20
batch_size = 7
workers = 4
[resources]
crash_limit = 1000
[grid]
hidden_size = 8, 16
dropout = 0, 0.5
INI
run() { timeout -k 5 300 "$ESPALIER" run sweep.ini --progress none "$@" </dev/null >out 2>err; }

ok "on one rank" run --db k1.db
whole=$(rows k1.db)
is "all trials are done" "$(sqlite3 k1.db "select count(*) from trial where state = 'done'")" 8
for ranks in 3 4; do
    ok "on $ranks ranks together" run --db "k$ranks.db" --set "ranks=$ranks" -n "$ranks"
    is "the same rows" "$(rows "k$ranks.db")" "$whole"
done
# Each of three ranks is busy in all trials and counts the same sums; only the first has attempts.
is "all ranks of a gang are busy" "$("$ESPALIER" status k3.db --section ranks --format csv |
    awk -F, 'NR > 1 { print $1, $3, ($4 > 0 ? "busy" : "idle") }')" "0 8 busy
1 0 busy
2 0 busy"
busy=$(sqlite3 k3.db "select 100 * sum(finished - started) / 3 / (select max(finished) - min(started) from attempt)
    from attempt join member using (attempt_id)")
is "the run says how busy they all were" \
    "$("$ESPALIER" status k3.db | sed -n 's/.*ranks were busy \([0-9.]*\) % of the time.*/\1/p')" \
    "$(awk -v b="$busy" 'BEGIN { printf "%.1f", (b > 100 ? 100 : b) }')"
gangs() { "$ESPALIER" profile "$1" --section gangs --format csv -q; }
is "profile counts their sums" "$(gangs k3.db | cut -d, -f4,5 | sort -u | wc -l) $(gangs k3.db | awk -F, 'NR > 1 {
    n++; good += $3 > 0 && $4 > 0 && $5 > 0 && $9 > 0 && $6 + $7 + $8 + $9 < 100.2 } END { print n, good }')" "2 3 3"
is "which are part of their time in trials" "$(sqlite3 k3.db "select count(*) from (select rank, total(seconds)
    filter (where activity in ('sum', 'share', 'agree', 'members')) as s, total(seconds) filter (where activity = 'compute') as c
    from traffic group by rank) where s between 0 and c")" 3
is "of a rank alone there are none" "$(gangs k1.db | wc -l)" 1
is "nothing was computed twice" "$(sqlite3 k4.db 'select count(*) from attempt')" 8

fails "more ranks than workers" 2 run --db no.db --set ranks=5 -n 5
is "says how many there are" "$(cat err)" \
    "espalier: --set ranks: ranks = 5: a trial runs on at most as many ranks as it has workers, here 4: set [resources] ranks = 4, or [train] workers to at least 5"
fails "more ranks than the launch has" 2 run --db no.db --set ranks=2
is "says how many it needs" "$(cat err)" \
    "espalier: ranks = 2: a trial needs 2 ranks, and this launch has 1; start at least 2 (-n 2), or set ranks = 1"
fails "a larger number of an axis" 2 run --db no.db --set grid.ranks=1,4 -n 3
is "says which" "$(cat err)" \
    "espalier: ranks = 4: a trial needs 4 ranks, and this launch has 3; start at least 4 (-n 4), or give the axis ranks no number above 3"
is "no file was made" "$(ls -d no.db* 2>/dev/null)" ""
ok "a finished sweep runs on one rank" run --db k4.db --set ranks=4

# Members are killed at points of the protocol (all of them: model_gangs_long.sh), one after the other.
# The ranks that are left finish, with two in each trial, or with one if no more are left.
faulty() { # FAULTS ARGUMENT...
    faults=$1
    shift
    rm -rf k.db* log
    ESPALIER_FAULT=$faults ESPALIER_FAULT_LOG=$T/log timeout -k 5 300 \
        "$FAULTY" run sweep.ini --progress none --db k.db "$@" </dev/null >out 2>err
    status=$?
}
faulty "gang: memory was mapped:1:2:kill; gang: has a sum:2:50:kill; gang: has introduced itself:3:2:kill" --set ranks=2 -n 4
is "three of four ranks are killed" "$status $(cut -d: -f1 log | sort | tr '\n' ' ')" "0 kill rank 1 kill rank 2 kill rank 3 "
is "the same rows" "$(rows k.db)" "$whole"
# Only the loss of rank 0 ends a run.
faulty "gang: the host's ranks were answered:0:3:kill" --set ranks=2 -n 2
is "rank 0 is killed" "$((status == 1 || status == 137)) $(cut -d: -f1 log)" "1 kill rank 0"
ok "another number of ranks goes on" run --db k.db --set ranks=3 -n 3
is "the same rows" "$(rows k.db)" "$whole"
# Who sees the loss first gives the reason: rank 1, which reports it before the leader does, or the
# scheduler, which sees that the process is gone.
faulty "gang: before a barrier:2:300:kill; worker: a trial has ended:0:1:nap" --set ranks=3 --set crash_limit=1 -n 3
like "the loss of a member counts as a crash of its trial" \
    "$status $(sqlite3 k.db "select count(*) || error from trial where state = 'failed'")" \
    "^3 1its gang lost a member for the last time \(crash_limit\): rank 2 (of the gang on $(hostname) has ended|on $(hostname): its process is gone)\$"
done_testing
