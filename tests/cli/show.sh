#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One configuration or trial in full.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

{
    small_head
    cat <<'INI'
[train]
epochs = 3
[grid]
hidden_size = 4, 8
INI
} >small.ini
ok "a sweep" "$ESPALIER" run small.ini --progress none
show() { "$ESPALIER" show "$@" | sed 's/^ *//; s/ *$//' | tr -s ' '; }

page=$(show c2)
is "a plain number is a configuration" "$(show 2)" "$page"
is "with a database" "$(show results.db c2)" "$page"
like "configuration: its place" "$page" '^place [12]$'
like "configuration: its mean" "$page" '^mean '
like "configuration: an axis" "$page" '^hidden_size 8 axis$'
like "configuration: a fixed setting" "$page" '^epochs 3$'
like "configuration: its trials" "$page" '^3 0 0 done '
is "configuration: only its trials" "$(printf '%s\n' "$page" | grep -c ' done ')" 2

page=$(show t3)
like "trial: its configuration" "$page" '^config 2$'
like "trial: its key" "$page" "^key $(sqlite3 results.db 'select key from trial where trial_id = 3')$"
like "trial: metrics of all parts" "$page" '^pearson( -?[0-9.e-]+){3}$'
like "trial: timing" "$page" '^forward [0-9.e-]+ [0-9.]+$'
like "trial: attempts" "$page" "^[0-9]+ 1 0 $(hostname) [0-9]+ 20[0-9-]+ [0-9:]+ [0-9.e-]+ done$"
like "trial: the curve" "$page" '^3( [0-9.e-]+){2} -?[0-9.e-]+ [0-9.e-]+$'

refuses "a missing configuration" 1 "^espalier: results.db: no configuration c99 in it$" "$ESPALIER" show c99
fails "a missing trial" 1 "$ESPALIER" show t99
fails "an invalid id" 2 "$ESPALIER" show x9
is "the message explains ids" "$(cat .err)" \
    "espalier: 'x9' is not an id: must be c12 (a configuration) or t345 (a trial); a database comes before it"
fails "no id" 2 "$ESPALIER" show

# A program's trial, made by hand.
refuses "a model has no log" 1 "^espalier: results.db: t3 has no log: it trains a model of espalier, and only programs have logs$" \
    "$ESPALIER" show t3 --log
sqlite3 results.db "UPDATE sweep SET task = 'none', objective = 'val_accuracy';
    DELETE FROM metric; DELETE FROM curve WHERE trial_id = 3;
    INSERT INTO metric VALUES (3, 'val', 'accuracy', 0.5), (3, '', 'loss', 0.25), (3, '', 'odd \"x\"', 2);
    INSERT INTO curve VALUES (3, 0, NULL, 1.5, 0.25, 1), (3, 4, NULL, NULL, 0.5, 2);
    INSERT INTO curve_metric VALUES (3, 0, 'lr', 0.125), (3, 4, 'lr', 0.0625), (3, 4, 'epoch', 9);
    INSERT INTO log VALUES (3, 70000, CAST(x'61096209410d0a1b5b316d00' AS BLOB));
    INSERT INTO file VALUES (3, 'model.pt', 12), (3, 'out/a b.csv', 5)"
page=$(show t3)
is "a program's metrics" "$(printf '%s\n' "$page" | sed -n '/^metrics that/,/^$/p' | sed '$d')" \
    "metrics that the program reported
metric value
val_accuracy 0.5
loss 0.25
odd \"x\" 2"
like "the page names the log" "$page" '^70000 12$'
is "kept files with their paths" "$(show t3 --section files --format csv)" \
    "path,bytes
results.db.files/t3/model.pt,12
results.db.files/t3/out/a b.csv,5"
is "the curve has what it reported" "$(show t3 --section curve --format csv)" \
    "epoch,val_accuracy,val_loss,metric_epoch,lr,seconds
0,0.25,1.5,,0.125,1
4,0.5,,9,0.0625,2"
sqlite3 results.db "UPDATE sweep SET objective = 'val_loss'; UPDATE curve SET val_loss = NULL, seconds = 0"
is "an objective with the name of a loss, and no seconds" "$(show t3 --section curve --format csv)" \
    "epoch,val_loss,metric_epoch,lr
0,0.25,,0.125
4,0.5,9,0.0625"
sqlite3 results.db "UPDATE sweep SET objective = 'val_accuracy'; UPDATE curve SET val_loss = 1.5, seconds = 1 WHERE epoch = 0"
"$ESPALIER" show t3 --log >log 2>err
is "the log to a file stays as it is" "$(od -An -tx1 log)" " 61 09 62 09 41 0d 0a 1b 5b 31 6d 00"
is "how much was printed is said" "$(cat err)" \
    "espalier: the last 12 of 70000 bytes that the program printed"
is "the log on a terminal is harmless" \
    "$(script -qec "'$ESPALIER' show t3 --log 2>/dev/null" /dev/null </dev/null | od -An -c | tr -d ' \n')" \
    'abA\r\n?[1m?'
# Output so far: files in the folder of a trial without a result.
mkdir -p results.db.files/t4
sqlite3 results.db "UPDATE trial SET state = 'running' WHERE trial_id = 4"
"$ESPALIER" show t4 --log >log 2>err
is "a trial that has printed nothing" "$(cat log err)" "espalier: t4 has printed nothing; it is running"
is "the type that [program] implies is no setting" "$("$ESPALIER" show c1 --section settings | grep -c '^type')" 0
echo 'epoch 1' >results.db.files/t4/log
"$ESPALIER" show t4 --log >log 2>err
is "the output so far" "$(cat log err)" "epoch 1
espalier: t4 is running: this is its output so far"
printf 'loss 3' >results.db.files/t4/log.rank2
printf 'loss 4' >results.db.files/t4/log.rank10
ln -s /etc/passwd results.db.files/t4/log.rank1
sqlite3 results.db "UPDATE trial SET state = 'pending' WHERE trial_id = 4"
"$ESPALIER" show t4 --log >log 2>err
is "of the ranks of a gang" "$(cat log err)" "rank 0:
epoch 1
rank 2:
loss 3
rank 10:
loss 4espalier: t4 is pending: this is its output so far"
sqlite3 results.db "UPDATE trial SET state = 'done' WHERE trial_id = 4"
"$ESPALIER" show t4 --log >log 2>err
is "not of a trial with a result" "$(cat log err)" "espalier: t4 has printed nothing; it is done"
rm -r results.db.files/t4
fails "the log of a configuration" 2 "$ESPALIER" show c1 --log
is "the message asks for a trial" "$(cat .err | head -1)" \
    "espalier: --log: must follow the id of a trial, such as t345"
is "export has its metrics" \
    "$("$ESPALIER" export --format jsonl | sed -n '3s/, "curve".*//; 3s/.*"value": *[^,]*, *\(.*\), *"seconds".*/\1/p')" \
    '"val_accuracy": 0.5, "loss": 0.25, "odd \"x\"": 2'
is "and its curve" "$("$ESPALIER" export --format jsonl | sed -n '3s/.*"curve": //p')" \
    '[{"epoch": 0, "val_accuracy": 0.25, "val_loss": 1.5, "metric_epoch": null, "lr": 0.125, "seconds": 1}, {"epoch": 4, "val_accuracy": 0.5, "val_loss": null, "metric_epoch": 9, "lr": 0.0625, "seconds": null}]}'
is "JSON Lines stay one object a line" \
    "$("$ESPALIER" export --format jsonl | python3 -c 'import json, sys; print([json.loads(l)["trial"] for l in sys.stdin])')" \
    "[1, 2, 3, 4]"
sqlite3 results.db "INSERT INTO log VALUES (99, 1, x'61'); INSERT INTO log VALUES (4, 1, x'6161');
    INSERT INTO file VALUES (4, '../x', 1), (98, 'x', 1); INSERT INTO curve_metric VALUES (3, 7, 'lr', 1)"
sqlite3 results.db "INSERT INTO attempt SELECT 90, trial_id, session_id, 2, 'n1', 7, started, finished, outcome, error
        FROM attempt WHERE trial_id = 3;
    INSERT INTO member VALUES (90, 2, 'n1'), (90, 1, 'n1'), (90, 11, 'n2'), (91, 0, 'n1')"
is "the ranks of an attempt that ran on several" "$(show t3 | sed -n '/^ranks of/,/^$/p' | sed '$d')" \
    "ranks of attempts that ran on several
attempt ranks host members
2 3 n1 1, 2
2 3 n2 11"
is "as JSON" "$("$ESPALIER" show t3 --section members --format json)" \
    '[{"attempt": 2, "ranks": 3, "host": "n1", "members": "1, 2"},
 {"attempt": 2, "ranks": 3, "host": "n2", "members": "11"}]'
is "none of an attempt on one rank" "$("$ESPALIER" show t4 --section members --format csv)" "attempt,ranks,host,members"
"$ESPALIER" verify --format csv --section tables -k 1 >tables 2>err
is "verify finds members that no attempt or session has" "$(grep '^member,' tables)" \
    'member,4,4,"attempt 90, rank 1: rank = 1: must be a rank of the session"'
is "verify checks the tables of programs" "$(grep -E '^(log|file|curve_metric),' tables)" \
    'log,3,2,t4: bytes = 1: must be at least the bytes that are kept
file,4,2,t4: name = '"'../x'"': must be the name of a file in the folder of the trial
curve_metric,4,1,"t3, epoch 7: epoch = 7: must be an epoch of the curve"'
done_testing
