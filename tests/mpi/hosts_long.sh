#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# More kinds of host loss than hosts.sh tests, and hosts under a plain mpirun.
. "$SRCDIR/tests/mpi/hostlib.sh"
cd "$T" || exit 1
hosts 3 || skip_all "no bridge between network namespaces"

"$ESPALIER" run sweep.ini --db alone.db --progress none 2>/dev/null
wanted=$(rows alone.db)

crashes() {
    sqlite3 "$1" "select count(*) from attempt where outcome = 'crashed'"
}

slots n0:1 n1:2 n2:1
begin killed.db 4
kill_host n2
completes "a host killed, its connections closed"
revive n2

begin cut.db 4
cut_link n1
completes "a link cut"
sleep 3
is "the ranks beyond it have left" "$(ranks_on n1)" ""
join_link n1
is "its daemon leaves when the link is there again" "$(empties n1 30)" ""

begin early.db 4
cut_link n1
sleep 1
join_link n1
completes "a link cut for a moment"
is "no rank is lost" "$(crashes early.db)" 0

# TCP gives up a connection early, as it does by default after a quarter of an hour.
for host in n0 n1 n2; do
    on $host sh -c 'echo 3 >/proc/sys/net/ipv4/tcp_retries2'
done
begin given.db 4
cut_link n1
completes "a link cut for as long as TCP waits"
join_link n1
empties n1 30

slots n1:1 n2:2
begin elsewhere.db 3
completes "rank 0 on another host than run -n"
begin leader.db 3
lose n1
finish
is "the host of rank 0 lost: the run returns with 1" "$status" 1
like "within seconds" "$seconds" '^.$|^[12].$'
is "the others leave" "$(empties n2 10)$(empties n0 10)" ""
slots n0:1 n2:1
db=leader.db
"$ESPALIER" status leader.db >seen 2>&1
like "the run has ended" "$(cat seen)" "lost"
begin leader.db 1
completes "the same command on the remaining hosts"
revive n1

slots n0:1 n1:2 n2:1
mpirun_begin ranks.db 4
kill_ranks n1
finish
like "mpirun, the ranks of a host killed: it returns" "$status" '^[01]$'
is "complete" "$(rows ranks.db)" "$wanted"
mpirun_begin host.db 4
lose n1
finish
is "mpirun, a host lost: rank 0 ends it" "$status" 1
like "rank 0 says so" "$(cat err)" "mpirun waits for the lost host, it is ended in 5 s with its own exit status 1"
is "the sweep is complete" "$(rows host.db)" "$wanted"
is "nothing is left" "$(empties n0 10)$(empties n2 20)" ""
revive n1

# As with a firewall: the agent starts a daemon there, which cannot reach mpirun.
cut_link n1
LIMIT=40 launch wall.db 0 "$ESPALIER" run -n 4
finish
is "a host that cannot reach mpirun: run stops when it is asked to" "$status" 124
like "the message says what may be wrong" "$(tr '\n' ' ' <err)" "not all ranks have started after 30 s.*firewall.*stopped before"
is "no process is left on any host" "$(empties n1 20)$(empties n0 10)$(empties n2 20)" ""
join_link n1

# The other ranks, on n1, wait for rank 0's data; only their daemon can detect the cut link.
mv short.ini sweep.ini
launch_held data.db 4
cut_link n1
sleep 14
release_rank_0
finish
is "a link cut before the sweep has begun: the run returns with 1" "$status" 1
is "no process is left beyond the cut" "$(empties n1 20)" ""
is "and none on this side" "$(empties n0 10)$(empties n2 20)" ""

done_testing
