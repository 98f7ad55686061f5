#!/bin/sh
# What a sweep will take, what it took, and how far the one was from the other.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

cat >small.ini <<'INI'
[sweep]
name = small
replicates = 3
[data]
samples = 120
markers = 200
[train]
epochs = 20
[grid]
hidden_size = 4, 64
batch_size = 8, full
INI

# The columns of a row of plan.csv, by name: column NAME < rows
column() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }'; }

"$ESPALIER" plan small.ini --format csv >before.csv 2>before
is "every trial is there" "$(column state <before.csv | sort | uniq -c | tr -s ' ')" " 12 pending"
is "with what it is expected to take" "$(column seconds <before.csv | awk '$1 > 0' | wc -l)" 12
is "and nothing measured" "$(column measured <before.csv | sort -u)" ""
like "the total says where its speed is from" "$(cat before)" \
    'about [0-9.e-]+ core-seconds \(speed of (a usual core: none was tried|[0-9]+ configurations?, tried here)\)$'
like "and the last line what memory a rank takes" "$(tail -n 1 before)" \
    'memory: about [0-9]\.[0-9] MB for a rank: 0\.0 MB of data and 0\.[0-9] MB derived from them, once for all ranks of a host, and up to 0\.[0-9] MB of its own$'

ok "a run" "$ESPALIER" run small.ini --progress none
like "says how well it used its ranks" "$(cat "$T/.err")" \
    '^espalier: ranks were busy [0-9.]+ % of the time; [0-9.]+ (% above|times) the lower bound of [0-9.e-]+ s \(total / 1 rank\)$'
is "every prediction is kept" "$(sqlite3 results.db 'select count(*) from trial where predicted > 0')" 12
is "and stands beside what was measured" "$(sqlite3 results.db "select name from pragma_table_info('trials')
    where name in ('seconds', 'predicted', 'rank')" | tr '\n' ' ')" "seconds predicted rank "
"$ESPALIER" plan small.ini --format csv >after.csv 2>after
is "plan shows what was predicted then" "$(column seconds <after.csv | awk '{ printf "%.9g ", $1 }')" \
    "$(sqlite3 results.db 'select predicted from trial' | awk '{ printf "%.9g ", $1 }')"
is "and what it took" "$(column measured <after.csv | awk '$1 > 0' | wc -l)" 12
like "and how far that was off" "$(cat after)" \
    'about 0 core-seconds \(speed of 12 finished trials\); the 12 finished ones were expected to take [0-9.e-]+ s and took [0-9.e-]+ s, prediction off by a median of [0-9.]+ % \(90 % of trials within [0-9]+ %\)$'

"$ESPALIER" plan small.ini --set grid.hidden_size=4,64,65 --format csv >grown.csv 2>grown
is "new points have a prediction alone" "$(column measured <grown.csv | grep -c .)" 12
mean() { awk -F, -v wide="$1" '$3 == wide && $4 == "full" { sum += $NF == "" ? $(NF - 1) : $NF; n++ } END { print sum / n }'; }
like "like that of their neighbours" "$(echo "$(mean 64 <grown.csv) $(mean 65 <grown.csv)" |
    awk '{ print ($2 / $1 > 0.5 && $2 / $1 < 2) ? "near" : $0 }')" near

command -v mpirun >/dev/null || { done_testing; exit 0; }
few() {
    timeout 120 mpirun --oversubscribe --bind-to none --mca btl_vader_single_copy_mechanism none -n "$1" \
        "$ESPALIER" run small.ini --set grid.hidden_size=4 --set grid.batch_size=full --set replicates="$2" \
        --db few"$1".db --progress none </dev/null
}
ok "more ranks than trials" few 4 1
like "are named with both numbers" "$(cat "$T/.err")" \
    '4 ranks are more than the 1 trial to run: 3 ranks will have nothing to do'
is "and what there is is run" "$(sqlite3 few4.db "select count(*) from trial where state = 'done'")" 1
ok "as many ranks as trials" few 2 2
is "are not" "$(grep -c 'ranks are more' "$T/.err")" 0

done_testing
