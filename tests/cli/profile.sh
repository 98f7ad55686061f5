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
           ('espalier run b.ini', '0.2', 'n1', 3, 1, 3000, 3004, 'finished');
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
    (3, 0, 'n1', 'compute', 0, 4, 0, 3), (3, 0, 'n1', 'wait', 0, 40, 0, 4);"
before=$(cksum results.db)

is "the last session has one process" "$("$ESPALIER" profile 2>&1)" "session 3: finished, 1 rank, 4 s counted
one process: no messages were sent

both threads of all ranks together, percent of the session
thread  activity  calls  bytes  seconds  percent
worker  compute       4      -        3       75
main    wait         40      -        4      100

each rank, percent of the session
rank  host  trials  compute  idle  start  store  commit  schedule  send  receive  poll  wait
   0  n1         4       75     0      0      0       0         0     0        0     0   100"

is "an earlier session, of which one rank is missing" "$("$ESPALIER" profile --session 2 2>&1)" \
    "session 2: finished, 3 ranks, 1 min 40 s counted
32 messages, 102 kB
1 of 3 ranks has reported no counters

both threads of all ranks together, percent of the session
thread  activity  calls   bytes  seconds  percent
worker  compute      16       -      170     56.7
worker  idle         12       -       22      7.3
main    start         1       -        2      0.7
main    store        16       -        5      1.7
main    commit        4       -      0.5      0.2
main    schedule      0       -      0.5      0.2
main    send         32  102480      0.3      0.1
main    receive      32  102480     0.49      0.2
main    poll       1700       -     1.85      0.6
main    wait       1700       -   187.36     62.5

each rank, percent of the session
rank  host  trials  compute  idle  start  store  commit  schedule  send  receive  poll  wait
   0  n1         8       80    15      2      5     0.5       0.5   0.3      0.4     1  90.4
   1  n2         8       90     7      0      0       0         0   0.1      0.1   0.9    97

messages by size in bytes
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
    "session activities ranks sizes counters {'session': 2, 'outcome': 'finished', 'command': 'espalier run a.ini -n 3', 'ranks': 3, 'counted': 2, 'seconds': 100, 'messages': 32, 'bytes': 102480}"
is "csv: the session" "$("$ESPALIER" profile --format csv)" "session,outcome,command,ranks,counted,seconds,messages,bytes
3,finished,espalier run b.ini,1,1,4,0,0"
is "a section" "$("$ESPALIER" profile --session 2 --section counters --format csv | sed -n '1p;7,10p')" \
    "rank,host,activity,size,calls,bytes,seconds,percent
0,n1,schedule,0,0,0,0.5,0.5
0,n1,send,256,10,2000,0.25,0.3
0,n1,receive,64,20,480,0.25,0.3
0,n1,receive,65536,2,100000,0.14,0.1"
is "no messages: a header alone" "$("$ESPALIER" profile --section sizes --format csv)" "activity,up_to,calls,bytes,seconds,mean_us"

fails "a session without counters" 1 "$ESPALIER" profile --session 1
is "the message" "$(cat .err)" "espalier: results.db: session 1 has no counters: it ended before its first commit, or an earlier espalier ran it"
fails "a session that is not there" 1 "$ESPALIER" profile --session 4
is "the message names it" "$(cat .err)" "espalier: results.db: no session 4 in it"
fails "session 0" 2 "$ESPALIER" profile --session 0
is "nothing was written" "$(cksum results.db)" "$before"

sqlite3 empty.db <"$SRCDIR/db/schema.sql"
fails "no session at all" 1 "$ESPALIER" profile empty.db
is "the message says what to do" "$(cat .err)" "espalier: empty.db: no session in it: 'espalier run' records one"
sqlite3 old.db <"$SRCDIR/db/schema-3.sql"
sqlite3 old.db "insert into session (command, version, host, pid, ranks, started, finished, outcome)
    values ('espalier run', '0.1', 'n1', 1, 2, 1000, 1010, 'finished')"
fails "an older schema has no counters" 1 "$ESPALIER" profile old.db
like "the message says so" "$(cat .err)" "session 1 has no counters"
fails "no such file" 1 "$ESPALIER" profile none.db

# Counters of another program.
sqlite3 results.db "insert into traffic values (3, -1, x'1b' || '[31m', 'compute', -5, -1, 9e18, 1e308),
    (3, 7, 'n1', 'nothing', 3, 0, 0, -2)"
ok "strange counters" "$ESPALIER" profile
is "are shown without control characters" "$("$ESPALIER" profile | tr -d '\n -~' | wc -c)" 0
done_testing
