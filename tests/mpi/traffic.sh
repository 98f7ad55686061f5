#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Counters of messages and time (`profile`) of real runs, also of one that loses a rank or is killed.
. "$SRCDIR/tests/lib.sh"
. "$SRCDIR/tests/mpi/killlib.sh"
DB=$T/t.db

run() {
    timeout -k 5 300 "$FAULTY" run sweep.ini --progress none --db "$DB" "$@" </dev/null >out 2>err
    status=$?
}
sql() { sqlite3 "$DB" "$1"; }
main="activity not in ('compute', 'idle')"

run -n 3
is "a run on three ranks" $status 0
is "each rank sends, receives and waits" "$(sql "select count(*) from (select 1 from traffic
    where activity in ('send', 'receive') or activity = 'wait' group by rank, activity having sum(calls) > 0)")" 9
is "all bytes that were sent were received, in each class" "$(sql "select size, sum(iif(activity = 'send', 1, -1) * bytes),
    sum(iif(activity = 'send', 1, -1) * calls) from traffic where size > 0 group by size" | cut -d'|' -f2- | sort -u)" "0|0"
is "all trials are counted" "$(sql "select sum(calls) from traffic where activity = 'compute'")" 24
is "also by rank" "$(sql "select count(*) from traffic t where activity = 'compute' and calls <>
    (select count(*) from attempt a where a.rank = t.rank)")" 0
is "their seconds are those of the trials" "$(sql "select abs(sum(seconds) - (select sum(seconds) from trial)) < 1e-6
    from traffic where activity = 'compute'")" 1
# Time between the activities is not counted: it is long where the machine is busy.
is "seconds of rank 0 are those of the session" "$(sql "select sum(seconds) / (select finished - started from session)
    between 0.5 and 1.5 from traffic where rank = 0 and $main")" 1
is "no other rank served longer" "$(sql "select count(*) from (select rank, sum(seconds) as s from traffic where $main
    group by rank) where s > (select 1.5 * (finished - started) from session)")" 0
is "rank 0 commits" "$(sql "select group_concat(rank) from traffic where activity = 'commit' and calls > 0 and seconds > 0")" 0
is "the command shows them" "$("$ESPALIER" profile t.db --format csv --section ranks | cut -d, -f1 | tr '\n' ' ')" "rank 0 1 2 "

# Rank 2 is killed after it sleeps in its second trial. It beats twice a second.
rm -f t.db*
ESPALIER_FAULT_SECONDS=1.5 ESPALIER_FAULT="worker: a trial begins:2:2:nap; worker: a trial has ended:2:2:kill" run -n 3 --set heartbeat_limit=3
like "a rank is killed" "$(cat err)" "rank 2 .* is lost"
is "the others finish" $status 0
is "its counters up to its last beat are there" "$(sql "select group_concat(activity, ' ') from (select activity from traffic
    where rank = 2 and calls > 0 and seconds > 0 group by activity having activity in ('compute', 'receive') or activity = 'wait')")" "compute receive wait"
is "they cover the second or more before" "$(sql "select sum(seconds) > 0.9 from traffic where rank = 2 and $main")" 1

# Rank 0 is killed after its second commit.
rm -f t.db*
ESPALIER_FAULT_SECONDS=0.8 ESPALIER_FAULT="worker: a trial begins:0:1:nap; worker: a trial begins:1:1:nap; scheduler: a commit was made:0:2:kill" run -n 2
is "rank 0 is killed" $status 1
is "its counters up to this commit are there" "$(sql "select sum(seconds) > 0.75, (select finished is null from session)
    from traffic where rank = 0 and $main")" "1|1"
like "the command shows them" "$("$ESPALIER" profile t.db)" "session 1: lost [(]no such process[)], 2 ranks, .* counted"

# One process has no messages.
rm -f t.db*
run
is "one process has no messages" "$(sql "select group_concat(distinct activity) from traffic where size > 0 or bytes > 0")" ""
is "but time" "$(sql "select group_concat(activity, ' ') from (select activity from traffic
    where activity <> 'idle' order by 1)")" "commit compute schedule start store wait"
like "the command says so" "$("$ESPALIER" profile t.db)" "one process: no messages were sent"
done_testing
