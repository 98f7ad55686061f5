#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# [train] workers in whole sweeps, and what bad values get.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

small_head >head.ini
cat head.ini - >workers.ini <<'INI'
[model]
hidden_size = 8
[train]
epochs = 6
batch_size = 4
[grid]
workers = 1, 2, 5
INI

run() {
    "$ESPALIER" run "$@" --progress none
}

ok "a sweep" run workers.ini --db all.db
is "every trial is done" "$(sqlite3 all.db "select state || count(*) from trial group by state")" done6
is "each number of workers has scores of its own" \
    "$(sqlite3 all.db "select count(distinct value) from trials")" 6
ok "trials run again" "$ESPALIER" verify all.db
like "give the same bits" "$(cat .out)" "done trials run again: [56] equal to the bit, 0 not"
like "show lists the workers" "$("$ESPALIER" show --db all.db 1)" "^workers +[125] +axis"
ok "a kept model predicts" "$ESPALIER" predict --db all.db --part val --out p.csv
ok "a report" "$ESPALIER" report --db all.db --out r.html
like "names them in its methods" "$(cat r.html)" "workers \(1, 2, 5\)"

# One worker is how it always was: the same keys and models as in a file without the setting.
ok "one worker" run workers.ini --db one.db --set workers=1
sed '/workers/d' workers.ini >none.ini
ok "and none" run none.ini --db none.db
scores="select group_concat(key || value) from trial"
is "are equal" "$(sqlite3 one.db "$scores")" "$(sqlite3 none.db "$scores")"
is "also in a sweep of several numbers" "$(sqlite3 none.db "$scores")" \
    "$(sqlite3 all.db "$scores where config_id = 1")"
is "kept models, too" "$(sqlite3 one.db "select hash from model")" \
    "$(sqlite3 none.db "select hash from model")"

"$ESPALIER" report --db one.db --out one.html 2>.err
is "no page names a single worker" "$(grep -c 'workers 1' one.html)" 0
ok "two workers" run workers.ini --db two.db --set workers=2
"$ESPALIER" report --db two.db --out two.html 2>.err
like "stand among the fixed settings" "$(cat two.html)" "batch_size 4, workers 2"

# In full batch, workers divide one batch.
ok "full batch" run workers.ini --db full.db --set batch_size=full --set batch_norm=yes
is "every trial of full batch is done" \
    "$(sqlite3 full.db "select state || count(*) from trial group by state")" done6
ok "trials of full batch run again" "$ESPALIER" verify full.db
like "give the same bits again" "$(cat .out)" "done trials run again: [56] equal to the bit, 0 not"

# Random numbers do not depend on the workers, so a full batch gives equal scores up to rounding.
# near DB: "trials with several workers that equal the one with one worker|all of them|keys"
near() {
    sqlite3 "$1" "select sum(abs(t.value - one.value) <= 1e-4 * abs(one.value)
            and abs(t.test_loss - one.test_loss) <= 1e-4 * one.test_loss
            and abs(t.val_loss - one.val_loss) <= 1e-4 * one.val_loss), count(*),
            (select count(distinct key) from trial)
        from trials t join trials one using (replicate, fold, hidden_size, dropout)
        where t.workers > 1 and one.workers = 1"
}
mkdir many
awk -v into=many -v nodes=600 -v edges=1200 -v features=4 -v classes=2 -v graphs=60 -f "$SRCDIR/tests/make_graph.awk"
cat >graphs.ini <<'INI'
[data]
format = tu
folder = many
INI
printf '[model]\nbatch_norm = yes\n[train]\nepochs = 5\n[grid]\nworkers = 1, 2, 4\nhidden_size = 8, 16\ndropout = 0, 0.3\n' >pairs.ini
cat pairs.ini >>graphs.ini
cat head.ini pairs.ini >nodes.ini
for task in nodes graphs; do
    ok "$task: full batch of one to four workers" run $task.ini --db $task.db
done
is "nodes: equal scores, other keys" "$(near nodes.db)" "16|16|24"
is "graphs: equal scores, other keys" "$(near graphs.db)" "8|8|12"
ok "initial weights" run nodes.ini --db first.db --set epochs=0 --set batch_size=4
is "are equal in mini-batches, too" "$(near first.db)" "16|16|24"
ok "an epoch of mini-batches" run nodes.ini --db second.db --set epochs=1 --set batch_size=4
like "gives other scores" "$(near second.db)" "^0\|16\|24"

ok "where names a setting that --set has fixed" "$ESPALIER" plan workers.ini --set where="workers > 1 or dropout = 0" \
    --set grid.dropout=0,0.5 --set workers=2
like "and all configurations have its value" "$(cat .err)" "2 configurations x"

ok "ridge on one rank" run workers.ini --db ranks.db --set type=ridge --set ranks=2
is "although ranks = 2" "$(sqlite3 ranks.db "select state || count(*) from trial group by state")" done2

ok "graphs and all options" run workers.ini --db mlp.db --set grid.type=gcn,mlp --set batch_norm=yes \
    --set residual=yes --set layers=3 --set input_dropout=0.2 --set optimizer=sgd
is "of networks" "$(sqlite3 mlp.db "select state || count(*) from trial group by state")" done12

refused() { # NAME MESSAGE OPTION...
    name=$1 message=$2
    shift 2
    fails "$name" 2 "$ESPALIER" run workers.ini --db no.db "$@"
    is "$name: message" "$(grep -v warning .err)" "espalier: $message"
}

refused "more workers than samples" "--set workers: workers = 37: a training part has only 36 \
samples, and each worker needs one: must be at most 36" --set workers=37
refused "more workers than samples of one fold" "--set workers: workers = 40: a training part has only 39 \
samples, and each worker needs one: must be at most 39" --set workers=40 --set samples=61 --set folds=5
refused "more workers than samples of one configuration" "--set workers: workers = 30: a training part has only \
18 samples, and each worker needs one: must be at most 18" --set workers=30 --set grid.stop=0,0.5
refused "more ranks than workers, as axes" "--set grid.ranks: ranks = 2: a trial runs on at most as many ranks as it has workers, \
here 1: set [sweep] where = ranks <= workers, or [train] workers to at least 2" --set grid.ranks=1,2
ok "the condition of the message" "$ESPALIER" plan workers.ini --set grid.ranks=1,2 --set where="ranks <= workers"
like "keeps the others" "$(cat .err)" "5 configurations x"
refused "a number with an exponent is compared with the limits" "--set workers=1e9: must be in [1, 1024]" --set workers=1e9
refused "the key as it was typed" "--set grid.train.workers: workers = 1000: a training part has only 36 \
samples, and each worker needs one: must be at most 36" --set grid.train.workers=1000
refused "no worker" "--set workers=0: must be in [1, 1024]" --set workers=0
ok "no database is left" test ! -e no.db
ok "ridge has no workers" "$ESPALIER" plan workers.ini --set type=ridge --set workers=50 \
    --set batch_size=full
done_testing
