#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Export every trial as CSV and JSON.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

cat >small.ini <<'INI'
[sweep]
name = small, "but" mine
folds = 2
[data]
format = simulated
samples = 60
markers = 40
causal = 5
[train]
epochs = 3
[grid]
hidden_size = 4, 8
batch_size = 8, full
INI
ok "a sweep" "$ESPALIER" run small.ini --progress none
ok "export" "$ESPALIER" export -o all.csv
is "csv to stdout is the same" "$("$ESPALIER" export | cksum)" "$(cksum <all.csv)"
is "a row for each trial" "$(wc -l <all.csv)" 9
is "the view's columns" "$(head -n 1 all.csv)" \
    "$(sqlite3 results.db "select group_concat(name) from pragma_table_info('trials')")"
# Another CSV reader gets the same values as the view.
sqlite3 read.db '.mode csv' '.import all.csv t'
is "csv reads back as the view" \
    "$(sqlite3 read.db "select sweep, trial, batch_size, fold, state, host from t")" \
    "$(sqlite3 results.db "select sweep, trial, batch_size, fold, state, host from trials")"
sqlite3 read.db "attach 'results.db' as r" "select t.trial from t join r.trials v on v.trial = t.trial
    where cast(t.value as real) is not v.value or cast(t.test_rmse as real) is not v.test_rmse" >differ
is "with every bit of its numbers" "$(cat differ)" ""

is "- is stdout" "$("$ESPALIER" export -o - | cksum)" "$(cksum <all.csv)"
is "and makes no file" "$(ls ./- 2>/dev/null)" ""
ok "export --format json" "$ESPALIER" export --format json -o all.json
is "json reads back" "$(sqlite3 results.db "select count(*), sum(j.value ->> 'value' = v.value),
    max(j.value ->> 'sweep') from json_each(readfile('all.json')) j join trials v
    on v.trial = j.value ->> 'trial'")" '8|8|small, "but" mine'
ok "export --format jsonl" "$ESPALIER" export --format jsonl -o all.jsonl
is "jsonl is the same objects, one a line" \
    "$(python3 -c 'import json; print([json.loads(l) for l in open("all.jsonl")] == json.load(open("all.json")))')" True
is "and nothing else" "$(wc -l <all.jsonl)" 8
is "jsonl to stdout is the same" "$("$ESPALIER" export --format jsonl | cksum)" "$(cksum <all.jsonl)"
is "a sweep alone" "$("$ESPALIER" export --sweep 'small, "but" mine' --format jsonl | cksum)" "$(cksum <all.jsonl)"
# Rows leave memory while later ones are read.
sqlite3 results.db '.backup many.db'
sqlite3 many.db "insert into trial (config_id, replicate, fold, key, state, value)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 50000)
    select 1, i, 0, hex(i), 'done', i / 3.0 from n"
peak_kb() { python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"; }
least=$(peak_kb "$ESPALIER" export --format json -o few.json)
for format in csv json jsonl; do
    more=$(($(peak_kb "$ESPALIER" export many.db --format $format -o many.$format) - least))
    is "50,008 rows as $format need no more memory than 8" "$((more < 4000))" 1
done
is "and none is lost" "$(wc -l <many.jsonl) $(wc -l <many.csv)" "50008 50009"
is "json is whole" "$(sqlite3 :memory: "select json_array_length(readfile('many.json'))")" 50008
refuses "a full disk halfway" 1 "^espalier: full.jsonl: cannot write: File too large: 'ulimit -f' or the filesystem limits its size$" \
    sh -c 'ulimit -f 500; exec "$@"' sh "$ESPALIER" export many.db --format jsonl -o full.jsonl
is "leaves no file" "$(ls full* .espalier* 2>/dev/null)" ""
refuses "a full stdout" 1 "espalier: cannot write: No space left on device" sh -c '"$@" >/dev/full' sh "$ESPALIER" export many.db --format jsonl
fails "a missing sweep" 1 "$ESPALIER" export --sweep none
refuses "a missing folder" 1 "^espalier: none/all.csv: cannot make a file in its folder: No such file or directory$" \
    "$ESPALIER" export -o none/all.csv
fails "no database" 1 "$ESPALIER" export none.db
before=$(cksum <results.db)
fails "export over the database" 1 "$ESPALIER" export -o results.db
is "leaves it unchanged" "$(cksum <results.db)" "$before"
# R and others give a column the type of its first value.
types() { sqlite3 types.db "select distinct typeof(batch_size), typeof(hidden_size) from $1"; }
cat >types.ini <<'INI'
[data]
format = simulated
samples = 60
markers = 60
[train]
epochs = 2
[grid]
batch_size = 8, full
dropout = 0, 0.5
INI
ok "an axis of numbers and words" "$ESPALIER" run types.ini --db types.db --progress none
for view in trials leaderboard; do
    is "has one type in all rows of $view" "$(types $view)" "text|integer"
done
is "a number finds it in SQL" "$(sqlite3 types.db 'select count(*) from trials where batch_size = 8')" 2
is "and compares as a number in --where" \
    "$("$ESPALIER" best types.db -q --where 'batch_size < 16 and dropout < 0.3' --format csv | cut -d, -f3,4)" "batch_size,dropout
8,0"
rm types.db
ok "an axis of numbers" "$ESPALIER" run types.ini --set grid.batch_size=8,16 --db types.db --progress none
is "is numbers" "$(types trials)" "integer|integer"
ok "until another sweep has the word" "$ESPALIER" run types.ini --set name=other --set grid.batch_size=full --db types.db --progress none
is "then all rows are text" "$(types leaderboard)" "text|integer"

# ---- a program ----

program_sweep
fails "a sweep of a program, one trial fails" 3 "$ESPALIER" run program.ini --db program.db --progress none
is "has its axes and numbers, and no settings of models" "$("$ESPALIER" export program.db | sed -n '1p; 12p' | sed 's/[^,]*,[^,]*,\([^,]*,\)[^,]*,\([^,]*\)$/\1\2/')" \
    'sweep,trial,config,size,kind,replicate,fold,state,value,score,train_loss,test_score,lr,rank,attempts
program,11,4,8,b,0,1,done,0.589,0.589,0.9,0.5,0.1,0,1'

# ---- metrics of a program ----

cat >names.sh <<'SH'
{ printf '{"loss": 1, "Loss": 2, "LOSS": 3'
for i in $(seq "$1"); do printf ', "m%d": 0' "$i"; done
echo '}'; } >>"$ESPALIER_RESULTS"
SH
for n in 197 198; do
    printf '[sweep]\nobjective = loss\n[program]\ncommand = sh names.sh {n}\n[grid]\nn = %d\n' $n >names.ini
    ok "$((n + 3)) metrics" "$ESPALIER" run names.ini --db names$n.db --progress none
    "$ESPALIER" export names$n.db -o names$n.csv 2>err$n
done
is "names that differ only in case" "$(sqlite3 :memory: '.import --csv names197.csv t' 'select loss, metric_LOSS, metric2_Loss from t')" "1|3|2"
is "200 metrics have columns" "$(head -n 1 names197.csv | tr ',' '\n' | grep -c '^m[0-9]') $(cat err197)" "197 "
is "export warns of more" "$(cat err198)" "espalier: warning: 1 of the 201 metrics that programs reported have no column: there are at most 200 such columns; the table 'metric' of the database has all"

# ---- a database without a sweep ----

sqlite3 types.db "delete from attempt; delete from metric; delete from curve; delete from trial; delete from config; delete from sweep"
for format in table csv json jsonl; do
    refuses "$format: no sweep" 1 "^espalier: types.db: no sweep in it yet; run 'espalier run' first" "$ESPALIER" export types.db --format "$format"
done

done_testing
