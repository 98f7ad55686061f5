#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# reduce: an axis with words, its columns, and refused values.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

cat >r.ini <<'INI'
[data]
format = simulated
samples = 60
markers = 300
causal = 5
[train]
epochs = 3
[grid]
k = 4, 8
reduce = none, exact, pca:20, pca:5
INI

ok "a sweep over reduce" "$ESPALIER" run r.ini --db r.db
is "values are words in the views" \
    "$(sqlite3 r.db "select group_concat(reduce, ' ') from (select reduce from trials order by trial)")" \
    "none exact pca:20 pca:5 none exact pca:20 pca:5"
is "and can be used in --where" "$(sqlite3 r.db "select count(*) from leaderboard where reduce = 'pca:20'")" 2
like "best shows them" "$("$ESPALIER" best r.db)" 'pca:20'
like "plan shows them" "$("$ESPALIER" plan r.ini --db none.db 2>/dev/null)" 'pca:20'
is "fewer columns, less to compute" "$(sqlite3 r.db "select group_concat(reduce, ' ') from
    (select params ->> 'reduce' as reduce from config where params ->> 'k' = 4 and reduce != 'none'
        order by flops desc)")" "exact pca:20 pca:5"
"$ESPALIER" best r.db --where "reduce = 'pca:20'" --format ini >best.ini
like "the best of a value as a sweep file" "$(cat best.ini)" 'reduce = pca:20'
ok "the file can be read" "$ESPALIER" plan best.ini --db none.db
like "inspect counts columns" "$("$ESPALIER" inspect r.ini)" \
    'reduced     exact: 60 samples x 300 features to 59 columns'
is "for each value" "$("$ESPALIER" inspect r.ini | grep -c '^reduced')" 3
is "and without reduction" "$("$ESPALIER" inspect r.ini --set grid.reduce=none | grep -c '^reduced')" 0

cat >where.ini <<'INI'
[sweep]
where = reduce = 'none' or input_dropout = 0
[data]
format = simulated
samples = 60
markers = 300
causal = 5
[train]
epochs = 1
[grid]
reduce = none, exact
input_dropout = 0, 0.5
INI
ok "where keeps reduce and input_dropout apart" "$ESPALIER" run where.ini --db where.db
is "and leaves three points" "$(sqlite3 where.db 'select count(*) from config')" 3
fails "without it" 2 "$ESPALIER" run where.ini --set sweep.where=
like "the message gives the line" "$(cat "$T/.err")" 'where.ini:11: reduce = exact leaves no features for input_dropout = 0.5'
fails "a where that leaves them together" 1 "$ESPALIER" run where.ini --set 'sweep.where=input_dropout >= 0'
like "is found before anything is run" "$(cat "$T/.err")" 'where.ini: reduce and input_dropout exclude each other'

fails "more directions than samples" 2 "$ESPALIER" run r.ini --set grid.reduce=none,pca:61
is "the message gives the maximum" "$(cat "$T/.err")" \
    "espalier: --set grid.reduce: reduce = pca:61: must be at most pca:60, the smaller of 60 samples and 300 features"
sed 's/pca:20/pca:70/' r.ini >x.ini
fails "the same in a file" 2 "$ESPALIER" run x.ini
like "the message gives the line" "$(cat "$T/.err")" '^espalier: x.ini:10: reduce = pca:70: must be at most pca:60'
fails "a value that is not a number" 2 "$ESPALIER" run r.ini --set grid.reduce=pca:many
like "the message says what is allowed" "$(cat "$T/.err")" 'reduce = pca:many: must be none | exact | pca:K'

ok "more samples than features" "$ESPALIER" run r.ini --db tall.db --set markers=30

# A sparse graph whose matrix of sample pairs exceeds the memory of any machine.
awk 'BEGIN {
    print "node,label" >"l.csv"; print "node,feature" >"f.csv"; print "source,target" >"e.csv"
    for (i = 0; i < 400000; i++) {
        print "n" i "," i % 2 >"l.csv"; print "n" i ",f" i >"f.csv"
    }
    print "n0,more" >"f.csv"; print "n0,n1" >"e.csv"
}'
printf '[data]\nformat = graph\nedges = e.csv\nfeatures = f.csv\nlabels = l.csv\ntask = classification\n' >g.ini
printf '[model]\nreduce = exact\n' >>g.ini
fails "a reduction larger than memory" 1 "$ESPALIER" run g.ini
like "the message gives both numbers and what to do" "$(cat "$T/.err")" \
    'reduce = exact: needs [0-9.]+ GB for .* the 400000 samples, but this process may use [0-9.]+ GB: set reduce = none'

done_testing
