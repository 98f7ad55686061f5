#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The trace: attempts, phases, lost ranks, restarts and sessions, as another JSON reader sees them.
. "$SRCDIR/tests/lib.sh"
python=${PYTHON:-/usr/bin/python3}
cd "$T" || exit 1
check() { "$python" "$SRCDIR/tests/cli/trace_check.py" "$1" "$2" 2>&1; }

fails "no database" 1 "$ESPALIER" trace
is "no file is made" "$(ls trace.json 2>/dev/null)" ""

{
    small_head
    cat <<'INI'
folds = 5
[train]
epochs = 1000
[resources]
crash_limit = 5
[grid]
hidden_size = 64
dropout = 0:0.9:0.01
INI
} | sed '/^folds/d; s/^replicates.*/&\nfolds = 5/' >long.ini

# ---- a rank is killed, then the whole run; another run goes on and is stopped ----

# wait_for OUTCOME CONDITION: wait for an attempt, and note its process in $found.
wait_for() {
    for _ in $(seq 6000); do
        found=$(sqlite3 results.db "select pid from attempt where outcome = '$1' and $2 limit 1" 2>/dev/null)
        [ -z "$found" ] || return
        sleep 0.05
    done
}
"$ESPALIER" run long.ini -n 3 --progress none >out 2>err </dev/null &
run=$!
wait_for running "rank = 2"
kill -KILL "$found"
wait_for crashed "rank = 2"
wait_for running "rank = 0"
kill -KILL "$found"
wait $run
"$ESPALIER" run long.ini -n 2 --progress none >out 2>err </dev/null &
run=$!
wait_for 'done' "session_id = 2"
kill -TERM $run
wait $run
is "the second run was stopped" $? 75
ok "trace" "$ESPALIER" trace
crashed=$(sqlite3 results.db "select count(*) from attempt where outcome = 'crashed'")
lost=$(sqlite3 results.db "select count(*) from attempt where outcome = 'lost'")
is "a rank was lost, and a run" "$((crashed > 0 && lost > 0))" 1
is "the trace has every attempt, in time and place" "$(check trace.json results.db)" \
    "$(sqlite3 results.db "select (select count(*) from attempt) || ' attempts, ' ||
        (select count(*) from timing where phase <> 'waiting' and seconds > 0) || ' phases, ' || (select count(*) from (select distinct session_id, rank, finished from attempt
            where outcome in ('crashed', 'lost'))) || ' lost, ' ||
        (select count(*) from attempt a where exists
            (select 1 from attempt b where b.trial_id = a.trial_id and b.attempt_id < a.attempt_id)) || ' again, ' ||
        (1 + (select count(distinct rank) from attempt)) || ' threads'")"
is "sessions follow each other" "$("$python" -c 'import json
print(*[e["name"] for e in json.load(open("trace.json"))["traceEvents"] if e.get("s") == "g"], sep="\n")')" "session 1 begins
session 1: lost
session 2 begins
session 2: stopped"
is "- is stdout" "$("$ESPALIER" trace -o - | cksum)" "$(cksum <trace.json)"

# ---- texts, times and files ----

cp results.db odd.db
ended=$(sqlite3 odd.db "select max(attempt_id) from attempt where outcome = 'done'")
sqlite3 odd.db "update attempt set host = 'a\"b\\c' || char(10) || cast(x'ff' as text) || '</script>' where rank = 0;
    update attempt set outcome = 'failed', error = '\"}]' || char(9, 8238) where attempt_id = $ended;
    update session set command = '\"' || cast(x'c3' as text);
    update attempt set started = 1e300 where attempt_id = 5; update attempt set finished = -1e300 where attempt_id = 7"
ok "hostile texts and times" "$ESPALIER" trace odd.db -o odd.json
sqlite3 results.db "vacuum into 'never.db'"
sqlite3 never.db "update session set started = -9e999; update attempt set started = 9e999 where attempt_id = 5;
    update attempt set started = -9e999, finished = 9e999 where attempt_id = 7"
ok "infinite times" "$ESPALIER" trace never.db -o never.json
is "stay out of the file" "$("$python" -c 'import json
def refuse(word):
    raise ValueError(word)
print(len(json.load(open("never.json"), parse_constant=refuse)["traceEvents"]) > 5)' 2>&1)" True
# Two attempts that end at the same moment because their rank was lost.
sqlite3 results.db "vacuum into 'twice.db'"
sqlite3 twice.db "insert into attempt (trial_id, session_id, rank, host, pid, started, finished, outcome)
    select trial_id, session_id, rank, host, pid, finished, finished, outcome from attempt where outcome = 'crashed' limit 1"
marks() { "$ESPALIER" trace "$1" -o - | grep -c 'rank [0-9]* lost"'; }
is "a rank is lost once" "$(marks twice.db)" "$(marks results.db)"
is "are data" "$("$python" -c 'import json
events = json.load(open("odd.json", encoding="utf-8"))["traceEvents"]
print(*{e["args"]["name"] for e in events if e["name"] == "process_name"} - {"sessions", "'"$(sqlite3 results.db 'select host from session limit 1')"'"}, sep="\n")
print({e["args"]["error"] for e in events if e.get("args", {}).get("attempt_id") == '"$ended"'})
print(min(e.get("ts", 0) for e in events) >= 0, min(e.get("dur", 0) for e in events) >= 0)' | LC_ALL=C sort)" "True True
a\"b\\c
{'\"}]\\t\\u202e'}
�</script>"
# Two files whose sessions ran side by side on one host.
sed 's/0:0.9:0.01/0.25/; s/^epochs.*/epochs = 20/; s/^replicates.*/replicates = 1/' long.ini >short.ini
for name in one two; do
    "$ESPALIER" run short.ini --set name=$name --db $name.db --progress none 2>/dev/null
done
sqlite3 two.db "attach 'one.db' as one; update session set started = (select started from one.session);
    update attempt set started = started - d, finished = finished - d from
    (select session.started - one.session.started as d from session, one.session)" 2>/dev/null
cp one.db many.db
sqlite3 many.db "delete from traffic; delete from member; delete from attempt; delete from session;
    with n (i) as (select 1 union all select i + 1 from n where i < 200)
    insert into session (command, version, host, pid, ranks, started, finished, outcome)
        select 'c', 'v', 'h', i, 1, 1000 + i, 1000 + i + 1 + i * i * 7919 % 97, 'finished' from n;
    insert into attempt (trial_id, session_id, rank, host, pid, started, finished, outcome)
        select 1, session_id, h % 2, 'h' || (h / 2), pid, started, finished, 'stopped'
            from session, (select 0 as h union select 1 union select 2 union select 3)"
ok "sessions that overlap" "$ESPALIER" trace many.db -o many.json
is "have the first lane that is free, on each rank of each host" "$("$python" -c 'import json
lanes, seen = [], {}
events = json.load(open("many.json"))["traceEvents"]
for e in sorted((e for e in events if e["ph"] == "X" and e["pid"] == 1), key=lambda e: e["ts"]):
    free = next((i for i, end in enumerate(lanes) if end <= e["ts"]), len(lanes))
    assert free == e["tid"], e
    lanes[free:free + 1] = [e["ts"] + e["dur"]]
    seen["session " + str(e["name"].split()[1])] = free
for e in events:
    if e["ph"] == "X" and e["pid"] > 1:
        assert e["tid"] // 1000000 == seen["session " + str(e["args"]["session"])], e
named = [(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name" and e["pid"] > 1]
print(len(lanes) > 20, len(named) == len(set(named)) == 4 * len(lanes))')" "True True"
ok "merge" "$ESPALIER" merge both.db one.db two.db
ok "its trace" "$ESPALIER" trace both.db -o both.json
like "has a thread for each of both" "$(check both.json both.db)" "^10 attempts, .* 4 threads$"

fails "an existing file" 1 "$ESPALIER" trace -o odd.json
is "the message" "$(cat .err)" "espalier: odd.json: exists already; --force replaces it"
ok "--force" "$ESPALIER" trace -o odd.json --force
is "replaces it" "$(cksum <odd.json)" "$(cksum <trace.json)"
fails "the database itself" 1 "$ESPALIER" trace -o results.db --force
is "is not replaced" "$(cat .err)" "espalier: results.db: is the input results.db: will not be overwritten"
fails "a full disk" 1 sh -c 'ulimit -f 1; exec "$@"' sh "$ESPALIER" trace -o full.json
is "the message about it" "$(cat .err)" "espalier: full.json: cannot write: File too large: 'ulimit -f' or the filesystem limits its size"
is "leaves nothing" "$(ls full* .espalier* 2>/dev/null)" ""
sqlite3 both.db 'delete from attempt; delete from session'
fails "a database without sessions" 1 "$ESPALIER" trace both.db -o none.json
is "the message about that" "$(cat .err)" "espalier: both.db: no session in it yet; run 'espalier run' first"
is "makes no file" "$(ls none.json 2>/dev/null)" ""
done_testing
