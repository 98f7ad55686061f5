#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# profile: the exact answer for an invented database, and databases without counters.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

sqlite3 results.db <"$SRCDIR/db/schema.sql"
sqlite3 results.db "
insert into session (command, version, host, pid, ranks, started, finished, outcome)
    values ('espalier run old.ini', '0.1', 'n1', 1, 2, 1000, 1010, 'finished'),
           ('espalier run a.ini -n 3', '0.2', 'n1', 2, 3, 2000, 2100.5, 'finished'),
           ('espalier run b.ini', '0.2', 'n1', 3, 1, 3000, 3004, 'finished'),
           ('espalier run b.ini', '0.2', 'n1', 4, 1, 4000, 4001, 'finished');
insert into traffic values
    (2, 0, 'n1', 'compute', 0, 8, 0, 80), (2, 0, 'n1', 'idle', 0, 9, 0, 15),
    (2, 0, 'n1', 'start', 0, 1, 0, 2), (2, 0, 'n1', 'store', 0, 16, 0, 5),
    (2, 0, 'n1', 'commit', 0, 4, 0, 0.5), (2, 0, 'n1', 'schedule', 0, 0, 0, 0.5),
    (2, 0, 'n1', 'send', 256, 10, 2000, 0.25), (2, 0, 'n1', 'receive', 64, 20, 480, 0.25),
    (2, 0, 'n1', 'receive', 65536, 2, 100000, 0.14), (2, 0, 'n1', 'poll', 0, 900, 0, 1),
    (2, 0, 'n1', 'wait', 0, 900, 0, 90.36),
    (2, 1, 'n2', 'compute', 0, 8, 0, 90), (2, 1, 'n2', 'idle', 0, 3, 0, 7),
    (2, 1, 'n2', 'send', 64, 20, 480, 0.01), (2, 1, 'n2', 'send', 65536, 2, 100000, 0.04),
    (2, 1, 'n2', 'receive', 256, 10, 2000, 0.1), (2, 1, 'n2', 'poll', 0, 800, 0, 0.85),
    (2, 1, 'n2', 'wait', 0, 800, 0, 97),
    (3, 0, 'n1', 'compute', 0, 4, 0, 3), (3, 0, 'n1', 'wait', 0, 40, 0, 4),
    (4, 0, 'n1', 'start', 0, 1, 0, 0.5);"
before=$(cksum results.db)

is "the last session that ran trials has one process" "$("$ESPALIER" profile 2>&1)" "espalier: session 4, the last one, ran no trials: this is session 3
session 3: finished, 1 rank, 4 s counted
one process: no messages were sent

both threads of all ranks together, percent of the time counted
thread  activity  calls  bytes  seconds  percent
worker  compute       4      -        3       75
main    wait         40      -        4      100

each rank, percent of its seconds
rank  host  seconds  attempts  compute  idle  start  store  commit  schedule  send  receive  poll  wait
   0  n1          4         4       75     0      0      0       0         0     0        0     0   100"

is "an earlier session, of which one rank is missing" "$("$ESPALIER" profile --session 2 2>&1)" \
    "session 2: finished, 3 ranks, 1 min 40 s counted
32 messages, 102 kB
rank 2 reported no counters: not counted

both threads of all ranks together, percent of the time counted
thread  activity  calls   bytes  seconds  percent
worker  compute      16       -      170     85.9
worker  idle         12       -       22     11.1
main    start         1       -        2        1
main    store        16       -        5      2.5
main    commit        4       -      0.5      0.3
main    schedule      0       -      0.5      0.3
main    send         32  102480      0.3      0.2
main    receive      32  102480     0.49      0.2
main    poll       1700       -     1.85      0.9
main    wait       1700       -   187.36     94.6

each rank, percent of its seconds
rank  host  seconds  attempts  compute  idle  start  store  commit  schedule  send  receive  poll  wait
   0  n1        100         8       80    15      2      5     0.5       0.5   0.3      0.4     1  90.4
   1  n2         98         8     91.8   7.1      0      0       0         0   0.1      0.1   0.9    99

messages and reductions by size in bytes
activity  up_to  calls   bytes  seconds  mean_us
send         64     20     480     0.01      500
send        256     10    2000     0.25    25000
send      65536      2  100000     0.04    20000
receive      64     20     480     0.25    12500
receive     256     10    2000      0.1    10000
receive   65536      2  100000     0.14    70000"

# json PYTHON: print a Python expression of d, the JSON on standard input
json() { python3 -c "import json, sys; d = json.load(sys.stdin); print($1)"; }
is "json: an object of sections" "$("$ESPALIER" profile --session 2 --format json | json '" ".join(d), d["session"]')" \
    "session activities ranks gangs sizes counters {'session': 2, 'outcome': 'finished', 'command': 'espalier run a.ini -n 3', 'ranks': 3, 'counted': 2, 'seconds': 100, 'messages': 32, 'bytes': 102480, 'received': 32}"
is "csv: the session" "$("$ESPALIER" profile --format csv 2>.err)" "session,outcome,command,ranks,counted,seconds,messages,bytes,received
3,finished,espalier run b.ini,1,1,4,0,0,0"
is "no rank trained together with others" "$("$ESPALIER" profile -q --session 2 --section gangs --format csv)" \
    "rank,host,trials_s,calls,bytes,sum,share,agree,members"
help=$("$ESPALIER" help profile | tr -s ' \n' ' ')
for column in trials_s sum share agree members; do
    like "help explains $column" "$help" "[ .:,]$column[ ,]"
done
is "a section" "$("$ESPALIER" profile --session 2 --section counters --format csv | sed -n '1p;7,10p')" \
    "rank,host,activity,size,calls,bytes,seconds,percent
0,n1,schedule,0,0,0,0.5,0.5
0,n1,send,256,10,2000,0.25,0.3
0,n1,receive,64,20,480,0.25,0.3
0,n1,receive,65536,2,100000,0.14,0.1"
is "no messages: a header alone" "$("$ESPALIER" profile -q --section sizes --format csv)" "activity,up_to,calls,bytes,seconds,mean_us"

fails "a session without counters" 1 "$ESPALIER" profile --session 1
is "the message" "$(cat .err)" "espalier: results.db: session 1 has no counters: it ended before its first commit, or an earlier espalier ran it"
fails "a session that is not there" 1 "$ESPALIER" profile --session 5
is "the message names it" "$(cat .err)" "espalier: results.db: no session 5 in it"
fails "session 0" 2 "$ESPALIER" profile --session 0
is "nothing was written" "$(cksum results.db)" "$before"

sqlite3 empty.db <"$SRCDIR/db/schema.sql"
fails "no session at all" 1 "$ESPALIER" profile empty.db
is "the message says what to do" "$(cat .err)" "espalier: empty.db: no session in it: 'espalier run' records one"
fails "no such file" 1 "$ESPALIER" profile none.db

# Rank 3 is killed and rank 4 begins late: messages that they sent are not counted.
sqlite3 results.db "
insert into session (session_id, command, version, host, pid, ranks, started, finished, outcome)
    values (5, 'espalier run', '0.2', 'n1', 5, 9, 5000, 5010, 'finished');
insert into traffic values (5, 0, 'n1', 'compute', 0, 2, 0, 5), (5, 0, 'n1', 'wait', 0, 9, 0, 10),
    (5, 0, 'n1', 'receive', 64, 3, 90, 0), (5, 3, 'n1', 'compute', 0, 1, 0, 1), (5, 3, 'n1', 'wait', 0, 9, 0, 2),
    (5, 3, 'n1', 'send', 64, 2, 60, 0), (5, 4, 'n1', 'wait', 0, 9, 0, 8);
insert into sweep (sweep_id, name, objective, direction, task, file, ini, data_digest, samples, features, classes, created, updated)
    values (1, 's', 'val_loss', 'min', 'regression', '', '', '', 1, 1, 0, 0, 0);
insert into config (config_id, sweep_id, ordinal, key, params) values (1, 1, 0, 'k', '{}');
insert into trial (trial_id, config_id, replicate, fold, key) values (1, 1, 0, 0, 'k');
insert into attempt (trial_id, session_id, rank, host, pid, started, finished, outcome)
    values (1, 5, 3, 'n1', 1, 5001, 5003, 'crashed'), (1, 5, 3, 'n1', 1, 5001, 5003, 'crashed'),
    (1, 5, 6, 'n1', 1, 5001, 5003, 'crashed');"
is "which ranks are missing, and why messages differ" "$("$ESPALIER" profile | sed '/^$/,$d')" "session 5: finished, 9 ranks, 10 s counted
2 messages sent, 60 bytes; 3 received: the last counters of some ranks are missing
ranks 1, 2, 5 to 8 reported no counters: not counted
rank 3 lost: counted up to the last report"
is "percent of the time that was counted" "$("$ESPALIER" profile --section activities --format csv | cut -d, -f2,6)" "activity,percent
compute,30
send,0
receive,0
wait,100"
is "percent of the time of each rank" "$("$ESPALIER" profile --section ranks --format csv | cut -d, -f1,3,5)" "rank,seconds,compute
0,10,50
3,2,50
4,8,0"

# Ranks 0 and 2 train together, which rank 0 leads; rank 1 runs trials alone.
sqlite3 results.db "vacuum into 'gang.db'"
sqlite3 gang.db "
insert into session (session_id, command, version, host, pid, ranks, started, finished, outcome)
    values (7, 'espalier run', '0.2', 'n1', 5, 3, 7000, 7010, 'finished');
insert into traffic values
    (7, 0, 'n1', 'compute', 0, 2, 0, 8), (7, 0, 'n1', 'sum', 256, 10, 1000, 0.5), (7, 0, 'n1', 'sum', 65536, 20, 800000, 1.5),
    (7, 0, 'n1', 'share', 1024, 5, 4000, 0.4), (7, 0, 'n1', 'agree', 64, 4, 192, 0.08), (7, 0, 'n1', 'members', 0, 41, 0, 1),
    (7, 0, 'n1', 'wait', 0, 1, 0, 10), (7, 1, 'n1', 'compute', 0, 3, 0, 5), (7, 1, 'n1', 'wait', 0, 1, 0, 10),
    (7, 2, 'n2', 'compute', 0, 2, 0, 7.5), (7, 2, 'n2', 'sum', 65536, 20, 800000, 3), (7, 2, 'n2', 'members', 0, 21, 0, 0.75),
    (7, 2, 'n2', 'wait', 0, 1, 0, 10);
delete from attempt;
insert into attempt (trial_id, session_id, rank, host, pid, started, finished, outcome) values
    (1, 7, 0, 'n1', 1, 7000, 7008, 'done'), (1, 7, 1, 'n1', 1, 7000, 7005, 'failed');
insert into member values (1, 0, 'n1'), (1, 2, 'n2');"
is "ranks that train together" "$("$ESPALIER" profile gang.db | sed -n '/^both/,/^$/p; /^ranks that train/,$p')" \
    "both threads of all ranks together, percent of the time counted
thread  activity  calls    bytes  seconds  percent
worker  compute       7        -     20.5     68.3
worker  sum          50  1601000        5     16.7
worker  share         5     4000      0.4      1.3
worker  agree         4      192     0.08      0.3
worker  members      62        -     1.75      5.8
main    wait          3        -       30      100

ranks that train together, percent of their seconds in trials
rank  host  trials_s  calls   bytes  sum  share  agree  members
   0  n1           8     39  805192   25      5      1     12.5
   2  n2         7.5     20  800000   40      0      0       10

messages and reductions by size in bytes
activity  up_to  calls    bytes  seconds    mean_us
sum         256     10     1000      0.5      50000
sum       65536     40  1600000      4.5  1.125e+05
share      1024      5     4000      0.4      80000
agree        64      4      192     0.08      20000"
is "the ranks were busy in all trials" "$("$ESPALIER" status gang.db --section ranks --format csv | cut -d, -f1,3,4)" "rank,trials,busy_s
0,1,8
1,1,5
2,0,8"
like "their share of the time" "$("$ESPALIER" status gang.db)" "ranks were busy 87.5 % of the time; the trials took no longer than the 8 s of the longest trial"
ok "the trace" "$ESPALIER" trace gang.db -o gang.json
is "has what each of the two spent" "$(python3 -c 'import json
for e in json.load(open("gang.json"))["traceEvents"]:
    if e["name"] == "in gangs": print(e["tid"], e["ts"], e["dur"], e["args"])')" \
    "0 6000000000.0 10000000.0 {'session': 7, 'host': 'n1', 'compute_s': 8.0, 'members_s': 1.0, 'sum': {'up to 256 bytes': {'calls': 10, 'bytes': 1000, 'seconds': 0.5}, 'up to 65536 bytes': {'calls': 20, 'bytes': 800000, 'seconds': 1.5}}, 'share': {'up to 1024 bytes': {'calls': 5, 'bytes': 4000, 'seconds': 0.4}}, 'agree': {'up to 64 bytes': {'calls': 4, 'bytes': 192, 'seconds': 0.08}}}
2 6000000000.0 10000000.0 {'session': 7, 'host': 'n2', 'compute_s': 7.5, 'members_s': 0.75, 'sum': {'up to 65536 bytes': {'calls': 20, 'bytes': 800000, 'seconds': 3.0}}}"

is "and a bar on each of their ranks" "$(python3 -c 'import json
for e in json.load(open("gang.json"))["traceEvents"]:
    if e.get("args", {}).get("trial"): print(e["tid"], e["name"], e["dur"], e["args"])')" \
    "0 t1 c1 8000000.0 {'trial': 1, 'config': 1, 'replicate': 0, 'fold': 0, 'attempt': 1, 'attempt_id': 1, 'session': 7, 'pid': 1, 'ranks': 2, 'leader': 0, 'sweep': 's', 'outcome': 'done'}
1 t1 c1 5000000.0 {'trial': 1, 'config': 1, 'replicate': 0, 'fold': 0, 'attempt': 2, 'attempt_id': 2, 'session': 7, 'pid': 1, 'sweep': 's', 'outcome': 'failed'}
2 t1 c1 8000000.0 {'trial': 1, 'config': 1, 'replicate': 0, 'fold': 0, 'attempt': 1, 'attempt_id': 1, 'session': 7, 'ranks': 2, 'leader': 0, 'sweep': 's', 'outcome': 'done'}"

# A newer session of an espalier that does not count.
sqlite3 results.db "insert into session (session_id, command, version, host, pid, ranks, started, finished, outcome)
    values (6, 'espalier run', '0.1', 'n1', 5, 9, 6000, 6010, 'finished')"
ok "the last session has no counters" "$ESPALIER" profile --format csv
is "the message says which is shown" "$(cat .err)" "espalier: session 6, the last one, has no counters: this is session 5"
sqlite3 results.db "delete from traffic where activity = 'compute' or session_id = 5"
is "of sessions without trials, the last one with counters" "$("$ESPALIER" profile -q --format csv | tail -n 1 | cut -d, -f1)" 4

# Counters of another program.
damaged() { # NAME SQL WANTED: the row of session 2 is refused
    cp results.db x.db
    sqlite3 x.db "$2"
    fails "$1" 1 "$ESPALIER" profile x.db --session 2
    is "the message names table and column" "$(cat .err)" "espalier: x.db: table 'traffic', session 2, rank ${4:-0}: $3; the file is damaged, or another program changed it"
}
row="where session_id = 2 and rank = 0 and activity = 'wait'"
damaged "a rank that is not in the session" "update traffic set rank = 2000000000 $row" \
    "rank = 2000000000: must be a rank of the session" 2000000000
damaged "negative seconds" "update traffic set seconds = -1 $row" "seconds = -1.0: must be from 0 to 1e9"
damaged "seconds beyond all time" "update traffic set seconds = 1e308 $row" "seconds = 1.0e+308: must be from 0 to 1e9"
damaged "negative calls" "update traffic set calls = -5 $row" "calls = -5: must be from 0 to 1e15"
damaged "calls whose sum overflows" "update traffic set calls = 9223372036854775807 $row" \
    "calls = 9223372036854775807: must be from 0 to 1e15"
damaged "bytes whose sum overflows" "update traffic set bytes = 9223372036854775807 $row" \
    "bytes = 9223372036854775807: must be from 0 to 1e15"
damaged "an unknown activity" "update traffic set activity = x'1b' || '[31m' $row" "activity = '?[31m': must be an activity"
damaged "a size of messages for another activity" "update traffic set size = 64 $row" "size = 64: must be a size of this activity"
sqlite3 x.db "update session set ranks = 9223372036854775807; update traffic set rank = 9000000000000000000 $row"
ok "as many ranks as there are numbers" "$ESPALIER" profile x.db --session 3
done_testing
