#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hosts are lost in the middle of a sweep. Each host is a set of namespaces.
# HOSTS: the kind of loss: ranks, late, lost or all (default: one of them, another each day).
. "$SRCDIR/tests/mpi/hostlib.sh"
cd "$T" || exit 1
losses=${HOSTS:-$(case $(($(date +%s) / 86400 % 3)) in 0) echo ranks ;; 1) echo late ;; *) echo lost ;; esac)}
[ "$losses" != all ] || losses="ranks late lost"
echo "# HOSTS=$losses"
hosts 3 || skip_all "no bridge between network namespaces"

# Shorter trials than in hosts_long.sh, which depends more on timing.
sed -i 's/^epochs.*/epochs = 8000/; s/^heartbeat_limit.*/heartbeat_limit = 2/' sweep.ini
"$ESPALIER" run sweep.ini --db alone.db --progress none 2>/dev/null
wanted=$(rows alone.db)

slots n0:1 n1:2 n2:1
lose_ranks() {
    kill_ranks n1
    completes "all ranks of a host killed"
    like "the message names them, with their host" "$(cat "$T/err")" "rank 1 .pid [0-9]+ on n1. is lost"
}
lose_late() {
    cut_link n1
    sleep 3
    join_link n1
    completes "a link cut for too long"
    ok "the ranks beyond it have left" empties n1 5
}
lose_lost() {
    lose n2
    completes "a host lost"
}
for loss in $losses; do
    begin "$loss.db" 4
    is "$loss: three hosts take part" "$(sqlite3 "$loss.db" 'select count(distinct host) from attempt')" 3
    is "$loss: two ranks of a host share memory" "$(for pid in $(ranks_on n1); do
        awk '/espalier-/ { print $5; exit }' "/proc/$pid/maps"
    done | sort | uniq -c | awk '{ printf "%s ", $1 }')" "2 "
    is "$loss: there is no warning" "$(grep -c share "$T/err")" 0
    "lose_$loss"
done

# The others wait for rank 0's data, so a rank is lost before the sweep begins.
mv short.ini sweep.ini
slots n0:1 n1:1
launch_held early.db 2
kill_host n1
release_rank_0
finish
is "a host lost before the sweep has begun: the run returns with 1" "$status" 1
like "within seconds" "$seconds" '^.$|^[1-5].$'
like "and the message says so" "$(cat err)" "another host does not answer while the launch was being set up: .* the same command continues"
slots n0:2
ok "the same command on the remaining hosts" on n0 timeout 300 "$ESPALIER" run -n 2 sweep.ini --db early.db
is "completes it" "$(sqlite3 early.db "select count(*), sum(state = 'done') from trial")" "40|40"

done_testing
