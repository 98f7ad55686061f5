#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The forecast of a sweep, its actual cost, and the error of the forecast.
# shellcheck disable=SC2086 # options are several words
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

cat >small.ini <<'INI'
[sweep]
name = small
replicates = 3
[data]
format = simulated
samples = 120
markers = 200
[train]
epochs = 20
[grid]
hidden_size = 4, 64
batch_size = 8, full
INI

# column NAME < rows: the columns of a row of plan.csv by name
column() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }'; }

"$ESPALIER" plan small.ini --format csv >before.csv 2>before
is "every trial is listed" "$(column state <before.csv | sort | uniq -c | tr -s ' ')" " 12 pending"
is "with its expected seconds" "$(column seconds <before.csv | awk '$1 > 0' | wc -l)" 12
is "and no measured seconds" "$(column measured <before.csv | sort -u)" ""
like "the total names the source of its speed" "$(cat before)" \
    '; 12 to run: about [0-9.e-]+ s on 1 rank \((assuming a usual processor: no configuration was tried, since the sweep is so short or each takes more than 1 GB|by the speed of [0-9]+ configurations? tried here)\), [0-9.e-]+ GFLOP$'
like "a line gives the memory of a rank" "$(cat before)" \
    'memory for one rank: about [0-9.]+ MB \([0-9.]+ MB of the program, [0-9.]+ kB of data and [0-9.]+ kB derived from them, once for all ranks of a host, and up to [0-9.]+ [kM]B for a trial\)$'

ok "a run" "$ESPALIER" run small.ini --progress none
like "reports how busy its ranks were" "$(cat "$T/.err")" \
    '^espalier: ranks were busy [0-9.]+ % of the time; the trials took (no longer than|[0-9.]+ (% longer than|times)) the [0-9.e-]+ s of all trials spread evenly over 1 rank$'
is "every prediction is kept" "$(sqlite3 results.db 'select count(*) from trial where predicted > 0')" 12
is "and is beside the measured seconds" "$(sqlite3 results.db "select name from pragma_table_info('trials')
    where name in ('seconds', 'predicted', 'rank')" | tr '\n' ' ')" "seconds predicted rank "
"$ESPALIER" plan small.ini --format csv >after.csv 2>after
is "plan shows the old prediction" "$(column seconds <after.csv | awk '{ printf "%.9g ", $1 }')" \
    "$(sqlite3 results.db 'select predicted from trial' | awk '{ printf "%.9g ", $1 }')"
is "and the measured seconds" "$(column measured <after.csv | awk '$1 > 0' | wc -l)" 12
like "and the error of the prediction" "$(cat after)" \
    '12 finished trials were expected to take [0-9.e-]+ s and took [0-9.e-]+ s; the predicted time of a trial was off by a median of [0-9.]+ % \(in 90 % of them by [0-9]+ % or less\)$'
like "and plan says that all are finished" "$(cat after)" '= 12 trials; all are finished$'

# As if the trials had taken ten times as long as predicted.
sqlite3 results.db ".backup grown.db"
sqlite3 grown.db "update trial set seconds = 10 * predicted"
"$ESPALIER" plan small.ini --set grid.hidden_size=4,64,65 --db grown.db --format csv >grown.csv 2>grown
is "new points have only a prediction" "$(column measured <grown.csv | grep -c .)" 12
like "like that of their neighbours" "$(awk -F, '
    $3 == 64 && $4 == "full" { near = $NF }
    $3 == 65 && $4 == "full" { predicted = $(NF - 1) }
    END { print (predicted > near / 4 && predicted < 4 * near ? "near" : predicted " " near) }' grown.csv)" near

# An axis given by --set counts like one of the file.
ok "an axis of --set" "$ESPALIER" run small.ini --set grid.hidden_size=4,64,65 --set grid.dropout=0.1,0.5 --progress none
like "continues the sweep" "$(cat "$T/.err")" ': 36 trials, 24 to run on 1 rank$'
sed 's/^hidden_size = .*/hidden_size = 4, 64, 65\ndropout = 0.1, 0.5/' small.ini >axis.ini
ok "the same axes in the file" "$ESPALIER" run axis.ini --set sweep.name=small --progress none
like "leave nothing to run" "$(cat "$T/.err")" ': 36 trials, 0 to run on 1 rank$'
is "and each type has its own settings" "$("$ESPALIER" plan small.ini --set grid.type=mlp,gcn,ridge --set grid.k=2,3 --set grid.hidden_size=4 \
    --set replicates=1 --set grid.batch_size=8 --format csv --db none.db 2>"$T/.err" | cut -d, -f3-6)" "hidden_size,batch_size,type,k
4,8,mlp,
4,8,gcn,2
4,8,gcn,3
,,ridge,"
# By default plan prints a summary. Its lines equal those of the whole list, which has one line a
# trial.
wide="--set grid.hidden_size=1:30:1 --set grid.batch_size=full --set replicates=2 --set model.type=noop --db none.db"
"$ESPALIER" plan small.ini $wide --list >all 2>all.err
"$ESPALIER" plan small.ini $wide >short 2>short.err
is "--list has every trial and a header" "$(wc -l <all)" 61
is "the table without it the first ten, the last ten, and a gap" "$(wc -l <short)" 22
squeeze() { tr -s ' ' | sed 's/^ //'; }
is "the same first ten" "$(head -n 11 short | squeeze)" "$(head -n 11 all | squeeze)"
is "then the gap" "$(sed -n 12p short)" "..."
is "the same last ten" "$(tail -n 10 short | squeeze)" "$(tail -n 10 all | squeeze)"
like "a line says how to see all" "$(cat short.err)" \
    'small: the first 10 and the last 10 of 60 trials; plan --list shows all$'
is "--list does not print that line" "$(grep -c -- --list all.err)" 0
is "totals cover all trials" "$(grep -c '30 configurations x 2 replicates x 1 fold = 60 trials' short.err)" 1
is "csv has all without --list" "$("$ESPALIER" plan small.ini $wide --format csv 2>/dev/null | wc -l)" 61
"$ESPALIER" plan small.ini --set grid.hidden_size=1:10:1 --set grid.batch_size=full --set replicates=2 \
    --set model.type=noop --db none.db >twenty 2>twenty.err
is "20 trials are all shown" "$(wc -l <twenty) $(grep -c -- --list twenty.err)" "21 0"
"$ESPALIER" plan small.ini $wide --set grid.hidden_size=1:60:1 --shard 1/2 >part 2>/dev/null
"$ESPALIER" plan small.ini $wide --set grid.hidden_size=1:60:1 --shard 1/2 --list >part.all 2>/dev/null
is "a shard shows its own first ten" "$(head -n 11 part | squeeze)" "$(head -n 11 part.all | squeeze)"
is "and its own last ten" "$(tail -n 10 part | squeeze)" "$(tail -n 10 part.all | squeeze)"

# A trial on several ranks takes the seconds that the scheduler expects of it: of a usual processor, since
# the sweep is too short for a measurement.
gang() {
    "$ESPALIER" plan small.ini --set grid.hidden_size=64 --set grid.batch_size=8 --set replicates=1 --set epochs=500 \
        --set workers=4 --db none.db --format csv "$@" 2>/dev/null
}
gang --set grid.ranks=1,2,4 -n 4 >gang.csv
is "a trial on two and four ranks is faster" "$(column seconds <gang.csv | awk 'NR == 1 { one = $1 } NR == 2 || NR == 3 {
    print (one / $1 > 0.7 * NR && one / $1 <= 4 ? "faster" : one / $1) }')" "faster
faster"
gang --set ranks=4 -n 4 --section cost >four.csv
is "the time counts for all four" "$(paste -d ' ' - - <<EOF | awk '{ print ($1 > 3.99 * $2 && $1 < 4.01 * $2) }'
$(column rank_seconds <four.csv)
$(column seconds <four.csv)
EOF
)" 1

command -v mpirun >/dev/null || { done_testing; exit 0; }
few() { # RANKS REPLICATES OPTION...
    n=$1 replicates=$2
    shift 2
    mpirun --oversubscribe --bind-to none --mca btl_vader_single_copy_mechanism none -n "$n" \
        "$ESPALIER" run small.ini --set grid.hidden_size=4 --set grid.batch_size=full --set replicates="$replicates" \
        --db few"$n".db --progress none "$@" </dev/null
}
ok "more ranks than trials" few 4 1
like "a warning gives both numbers" "$(cat "$T/.err")" \
    'the 1 trial to run can use at most 1 of the 4 ranks at a time: 3 ranks will have nothing to do: start with -n 1, which takes as long$'
is "and all trials run" "$(sqlite3 few4.db "select count(*) from trial where state = 'done'")" 1
ok "as many ranks as trials" few 2 2
is "give no warning" "$(grep -c 'nothing to do' "$T/.err")" 0
ok "a trial for each two ranks" few 4 2 --set workers=2 --set ranks=2 --new-sweep
is "needs no warning" "$(grep -c 'nothing to do' "$T/.err")" 0
ok "a trial on two ranks" few 4 1 --set workers=4 --set ranks=2 --new-sweep
like "leaves the others without work" "$(cat "$T/.err")" \
    'the 1 trial to run can use at most 2 of the 4 ranks at a time: 2 ranks will have nothing to do: start with -n 2, which takes as long$'

# ---- gangs that do not fill the launch ----

cat >gangs.ini <<'INI'
[sweep]
objective = loss
[program]
command = sh -c 'sleep 0.2; echo loss={x}'
capture = stdout
[resources]
ranks = 2
[grid]
x = 1, 2, 3
INI
ok "gangs of 2" "$ESPALIER" run gangs.ini --db gangs.db -n 3
like "a warning suggests numbers of ranks" "$(cat "$T/.err")" \
    'the 3 trials to run can use at most 2 of the 3 ranks at a time: 1 rank will have nothing to do: start with -n 2, which takes as long, or -n 4$'
like "the run is compared with gangs one after another" "$(cat "$T/.err")" \
    's of the trials of 2 or more ranks, of which 3 ranks hold 1 at a time$'
like "and so in status" "$("$ESPALIER" status gangs.db)" 's of the trials of 2 or more ranks, of which 3 ranks hold 1 at a time$'
is "busy is that of the ranks" "$("$ESPALIER" status gangs.db --format json | python3 -c "
import json, sys
status = json.load(sys.stdin)
session = status['session'][0] if isinstance(status['session'], list) else status['session']
print(abs(session['total_s'] - sum(r['busy_s'] or 0 for r in status['ranks'])) < 1e-6, abs(2 * session['bound_s'] - session['total_s']) < 1e-6)")" "True True"
gangs() {
    "$ESPALIER" plan gangs.ini --db gangs.db --set grid.x=1,2,3,4,5,6,7 "$@"
}
for n in 2 3 4; do
    gangs -n $n --section cost --format csv 2>gangs$n.err | column seconds >gangs$n
done
is "plan: 3 ranks need as long as 2" "$(cat gangs3)" "$(cat gangs2)"
is "and 4 half of it" "$(paste gangs2 gangs4 | awk '{ print ($1 > 1.999 * $2 && $1 < 2.001 * $2) }')" 1
is "plan warns as run does" "$(cat gangs2.err gangs3.err gangs4.err)" \
    "espalier: warning: gangs.ini: the 4 trials to run can use at most 2 of the 3 ranks at a time: 1 rank will have nothing to do: start with -n 2, which takes as long, or -n 4"
done_testing
