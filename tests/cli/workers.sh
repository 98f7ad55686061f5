#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# [train] workers and lr_scaling in whole sweeps, and what bad values get.
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
ok "two workers" run workers.ini --db two.db --set workers=2 --set lr_scaling=sqrt
"$ESPALIER" report --db two.db --out two.html 2>.err
like "stand among the fixed settings" "$(cat two.html)" "batch_size 4, workers 2, lr_scaling sqrt"

# In full batch, workers divide one batch.
ok "full batch" run workers.ini --db full.db --set batch_size=full --set batch_norm=yes
is "every trial of full batch is done" \
    "$(sqlite3 full.db "select state || count(*) from trial group by state")" done6
ok "trials of full batch run again" "$ESPALIER" verify full.db
like "give the same bits again" "$(cat .out)" "done trials run again: [56] equal to the bit, 0 not"

ok "scaling without workers" "$ESPALIER" plan workers.ini --set grid.lr_scaling=none,sqrt
like "has no effect" "$(cat .err)" "lr_scaling has no effect in 2 of the 6 configurations"

ok "graphs and all options" run workers.ini --db mlp.db --set grid.type=gcn,mlp --set batch_norm=yes \
    --set residual=yes --set layers=3 --set input_dropout=0.2 --set optimizer=sgd --set clip_norm=1
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
refused "no worker" "--set workers=0: must be in [1, 1024]" --set workers=0
refused "an unknown scaling" "--set lr_scaling=square: must be none | linear | sqrt" \
    --set lr_scaling=square
ok "no database is left" test ! -e no.db
ok "ridge has no workers" "$ESPALIER" plan workers.ini --set type=ridge --set workers=50 \
    --set batch_size=full
done_testing
