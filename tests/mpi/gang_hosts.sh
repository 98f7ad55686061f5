#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Gangs on two hosts, each a set of namespaces: their processes meet, and see the GPUs of their host.
. "$SRCDIR/tests/mpi/hostlib.sh"
command -v python3 >/dev/null || skip_all "python3 is not here"
cd "$T" || exit 1
cp "$SRCDIR/tests/mpi/meet.py" .
hosts 2 || skip_all "no bridge between network namespaces"

# Both hosts are one machine for the GPUs.
cat >gangs.ini <<'INI'
[sweep]
objective = val_ranks
direction = max
replicates = 2
[program]
command = python3 meet.py
[resources]
gpus = 1
gpus_per_host = 4
[grid]
ranks = 2, 4
INI
slots n0:2 n1:2
ok "gangs of two and four" on n0 timeout 300 "$ESPALIER" run -n 4 gangs.ini --db gangs.db --progress none
is "all ranks of a gang have met" \
    "$(sqlite3 gangs.db 'select distinct ranks, state, value from trials order by 1')" "2|done|1.0
4|done|123.0"
is "two share a host, four do not" "$(sqlite3 gangs.db 'select distinct ranks, hosts from trials order by 1')" "2|1.0
4|2.0"
like "each of four has its own GPU" "$(sqlite3 gangs.db 'select distinct gpus from trials where ranks = 4')" '^(123|2301).0$'

# Processes that end with 75: the gang starts again as a whole, on both hosts. Rank 0 ends last.
cat >again.sh <<'SH'
echo "$ESPALIER_ATTEMPT$(cat "$ESPALIER_CHECKPOINT/state" 2>/dev/null)" >>"again.$RANK"
case $ESPALIER_ATTEMPT.$RANK in
3.0) echo '{"val_ranks": 1}' >>"$ESPALIER_RESULTS" && exit ;;
3.*) exit ;;
*.[123]) exit 75 ;;
esac
sleep 0.3
echo "$ESPALIER_ATTEMPT" >"$ESPALIER_CHECKPOINT/new" && mv "$ESPALIER_CHECKPOINT/new" "$ESPALIER_CHECKPOINT/state"
exit 75
SH
sed '/gpus/d; /replicates/d; s/python3 meet.py/sh again.sh/; s/2, 4/4/' gangs.ini >again.ini
ok "a gang that ends with 75 twice" on n0 timeout 300 "$ESPALIER" run -n 4 again.ini --db again.db --progress none
is "goes on in all its processes from what rank 0 saved" "$(cat again.? | xargs)" "1 21 32 1 21 32 1 21 32 1 21 32"
is "is done" "$(sqlite3 again.db 'select state, value from trials')" "done|1.0"
ok "and leaves no folder" test ! -e again.db.files

# Rank 0 is lost, and the rank on the other host would notice after a minute.
sed '/gpus/d; /replicates/d; s/python3 meet.py/sleep 61/; s/2, 4/2/' gangs.ini >lost.ini
slots n0:1 n1:1
on n0 timeout 300 "$ESPALIER" run -n 2 lost.ini --db lost.db --progress none 2>lost.err &
run=$!
programs() { pgrep -xf "sleep 61" | wc -l; }
for _ in $(seq 6000); do
    [ "$(programs)" = 2 ] && break
    sleep 0.05
done
for process in $(pgrep -x espalier); do
    grep -qzx OMPI_COMM_WORLD_RANK=0 "/proc/$process/environ" && kill -9 "$process"
done
wait $run
is "rank 0 is lost: the run ends with 1" $? 1
like "and with a message" "$(cat lost.err)" "^espalier: rank 0 was lost: mpirun was ended; all committed results are safe"
for _ in $(seq 6000); do
    [ "$(programs)" = 0 ] && break
    sleep 0.1
done
is "no program is left on any host" "$(programs)" 0
done_testing
