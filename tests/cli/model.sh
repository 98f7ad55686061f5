#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Options of models in whole sweeps: skip connections, normalisation, activations, schedules, class
# weights.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

cat >deep.ini <<'INI'
[sweep]
name = deep
[data]
format = simulated
samples = 60
markers = 40
causal = 5
[graph]
k = 4
[model]
hidden_size = 8
[train]
epochs = 4
schedule = cosine
[grid]
layers = 2, 8
activation = relu, tanh, elu, gelu
residual = no, yes
batch_norm = no, yes
INI

ok "a sweep of models" "$ESPALIER" run deep.ini
is "every trial is done" "$(sqlite3 results.db "select state || count(*) from trial group by state")" done32
like "a warning names an axis that does nothing with two layers" "$(cat .err)" \
    "residual has no effect in 16 of the 32 configurations"
is "all models of eight layers differ" "$(sqlite3 results.db "select count(distinct value)
    from trials where layers = 8")" 16
is "residual is part of the key even if it does nothing" "$(sqlite3 results.db \
    "select count(distinct key) from trial")" 32
ok "nothing is left to do" "$ESPALIER" run deep.ini
is "nothing was run again" "$(sqlite3 results.db "select count(*) from attempt")" 32

"$ESPALIER" best --format ini >best.ini
ok "the best one alone" "$ESPALIER" run best.ini --db best.db
is "has the same score" "$(sqlite3 best.db "select value from trial")" \
    "$(sqlite3 results.db "select max(value) from trial")"

fails "class weights without classes" 2 "$ESPALIER" run deep.ini --db no.db --set class_weights=balanced
like "and a message says so" "$(cat .err)" \
    "--set class_weights: .* the task is regression, which has no classes: must be none$"
printf '[data]\nformat = simulated\nsamples = 60\nmarkers = 40\ncausal = 5\n[train]\nclass_weights = balanced\n' >weights.ini
fails "also in a file" 2 "$ESPALIER" run weights.ini --db no.db
like "with its line" "$(cat .err)" "^espalier: weights.ini:7: class_weights = balanced"
ok "no database is left" test ! -e no.db

printf 'node,label\n' >l.csv
printf 'node,x,y\n' >f.csv
printf 'source,target\n' >e.csv
i=0
while [ $i -lt 40 ]; do
    printf 'n%d,%s\n' $i "$([ $((i % 5)) = 0 ] && echo rare || echo common)" >>l.csv
    printf 'n%d,%d,%d\n' $i $((i % 3)) $((i % 7)) >>f.csv
    printf 'n%d,n%d\n' $i $(((i + 1) % 40)) >>e.csv
    i=$((i + 1))
done
cat >graph.ini <<'INI'
[data]
format = graph
edges = e.csv
features = f.csv
labels = l.csv
[train]
epochs = 5
[grid]
class_weights = none, balanced
INI
ok "classes as an axis" "$ESPALIER" run graph.ini --db graph.db
is "change the loss" "$(sqlite3 graph.db "select count(distinct train_loss) from curve where epoch = 5")" 2
fails "an unknown activation" 2 "$ESPALIER" run graph.ini --db no.db --set activation=selu
like "the message lists the activations" "$(cat .err)" "relu \| tanh \| elu \| gelu"
done_testing
