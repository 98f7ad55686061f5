#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Output formats: sections as CSV and JSON, and tables that fit the terminal.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

{
    small_head
    cat <<'INI'
[train]
epochs = 3
[grid]
hidden_size = 4, 8
dropout = 0.1, 0.2
learning_rate = 0.01, 0.02
weight_decay = 0.0001, 0.0002
INI
} >small.ini
ok "a sweep" "$ESPALIER" run small.ini --progress none

# ---- sections ----

# json PYTHON: print a Python expression of d, the JSON on standard input
json() { python3 -c "import json, sys; d = json.load(sys.stdin); print($1)"; }

answer() { "$ESPALIER" "$@" 2>/dev/null; }
is "status: an object of sections" "$(answer status --format json | json '" ".join(d)')" \
    "sweeps session ranks running checkpoints failures lost sessions"
is "a record is an object" "$(answer status --format json | json 'd["session"]["outcome"], d["session"]["trials"]')" "finished 32"
is "a table is an array, which may be empty" \
    "$(answer status --format json | json 'd["failures"], len(d["sweeps"]), d["sweeps"][0]["done"]')" "[] 1 32"
is "csv is the first section" "$(answer status --format csv)" "sweep,configs,trials,done,diverged,failed,running,pending
small,16,32,32,0,0,0,0"
is "or the requested section" "$(answer status --format csv --section ranks | head -n 1)" "rank,host,trials,busy_s,diverged,failed"
is "without rows its header" "$(answer status --format csv --section running | wc -l)" 1
is "json too" "$(answer status --format json --section session | json 'd["ranks"]')" 1
is "and the table" "$(answer status --section sweeps | tr -s ' ')" "sweep configs trials done diverged failed running pending
small 16 32 32 0 0 0 0"
refuses "an unknown section" 2 "did you mean 'sweeps'" "$ESPALIER" status --section sweps

is "show: a configuration" "$(answer show c2 --format json | json '" ".join(d), d["configuration"]["config"], len(d["trials"])')" \
    "configuration settings trials models 2 2"
is "show: a trial" "$(answer show t3 --format json | json '" ".join(d), len(d["curve"])')" \
    "trial metrics timing attempts members model checkpoint log files curve 3"
is "show: its curve" "$(answer show t3 --section curve --format csv | wc -l)" 4
refuses "show: a section that a trial lacks" 2 "settings: a trial has no such section" "$ESPALIER" show t3 --section settings
is "best: one table is an array" "$(answer best --format json -n 2 | json 'len(d), d[0]["place"]')" "2 1"
is "best: the test part" "$(answer best --rule best --section test --format csv | cut -d, -f1 | tr '\n' ' ')" \
    "test mae pearson r2 rmse spearman "
fails "best: --section test needs --rule" 2 "$ESPALIER" best --section test
is "plan: what it costs" "$(answer plan small.ini --db none.db --ranks 4 --section cost --format json | json 'd["trials"], d["to_run"], d["ranks"], d["seconds"] > 0, d["memory_bytes"] > 0')" \
    "32 32 4 True True"
is "plan: all trials" "$(answer plan small.ini --format json | json 'len(d)')" 32
is "inspect" "$(answer inspect small.ini --format json | json '" ".join(d), d["data"]["samples"], d["graph"]["build"], d["splits"][0]["fold"]')" \
    "data classes graph reductions splits notes 60 knn by cosine 0"
is "doctor" "$(answer doctor --format json | json '" ".join(d), d["machine"]["ranks"], len(d["ranks"])')" "machine ranks findings 1 1"
is "predict as a table" "$(answer predict --all --format table | head -n 1 | tr -s ' ')" "id prediction sd models sample"
is "verify" "$(answer verify -k 3 --format json | json 'd["summary"], [t["equal"] for t in d["trials"]]')" \
    "{'trials': 3, 'equal': 3, 'different': 0, 'decisions': 0, 'decisions_different': 0} [1, 1, 1]"
sqlite3 results.db 'update trial set value = 2 where trial_id = 3'
fails "verify: another number" 1 "$ESPALIER" verify --trial t3 --format csv
is "is in the output, too" "$(sed -n 2p .out | cut -d, -f1,5)" "3,0"
is "merge" "$(answer merge both.db results.db --format json | json 'd[0]["done"]')" 32
is "export as a table" "$(answer export --format table | wc -l)" 33

# ---- on a terminal ----

# COLUMNS COMMAND...: print the output of a command on a terminal of this width; its messages, which
# would be wrapped there, go to the file "messages"
on_terminal() {
    columns=$1
    shift
    script -qec "stty cols $columns; $* 2>messages" /dev/null </dev/null 2>/dev/null | tr -d '\r'
}
widest() { python3 -c 'import sys; print(max(len(line.rstrip("\n")) for line in sys.stdin))'; }
unset COLUMNS
export LC_ALL=C.UTF-8 NO_COLOR=1 TERM=xterm

is "a wide terminal has all columns" "$(on_terminal 220 "'$ESPALIER' best -n 3" | head -n 1)" "$(answer best -n 3 | head -n 1)"
for width in 60 80 100 130; do
    on_terminal $width "'$ESPALIER' best -n 3" >shown
    is "$width columns: no line of the table is wider" "$(($(widest <shown) <= width))" 1
    is "$width columns: place, configuration and mean stay" \
        "$(head -n 1 shown | tr -s ' ' '\n' | grep -cxE 'place|config|mean')" 3
    like "$width columns: dropped columns are listed" "$(grep 'not shown' messages)" '^espalier: not shown: .*\(--wide shows all columns\)$'
    is "$width columns: no column is lost" \
        "$({ head -n 1 shown; sed -n 's/^espalier: not shown: \(.*\) (--wide.*/\1/p' messages; } | tr -s ', ' '\n' | grep -c .)" 16
done
is "axes stay longer than other columns" "$(on_terminal 88 "'$ESPALIER' best -n 0" | head -n 1 | tr -s ' ')" \
    "place config hidden_size dropout learning_rate weight_decay mean within_se"
is "--wide has all columns" "$(on_terminal 60 "'$ESPALIER' best -n 3 --wide" | head -n 1)" "$(answer best -n 3 | head -n 1)"
is "and lists none as dropped" "$(grep -c 'not shown' messages)" 0
is "a pipe has all columns" "$(COLUMNS=40 "$ESPALIER" best -n 3 2>/dev/null | head -n 1)" "$(answer best -n 3 | head -n 1)"
for command in status "show c2" "show t3" "plan small.ini"; do
    is "$command fits 70 columns" "$(($(on_terminal 70 "'$ESPALIER' $command" | grep -vE '^(espalier|last session|ranks were)' | widest) <= 70))" 1
done
sqlite3 results.db "update trial set state = 'failed', error = 'the reason is a long text about something that happened on the node' where trial_id = 2"
like "long texts are cut" "$(on_terminal 60 "'$ESPALIER' status --section failures")" 'the reason is a .*…$'
like "with dots where the locale is not UTF-8" "$(LC_ALL=C on_terminal 60 "'$ESPALIER' status --section failures")" 'the reason is a .*\.\.\.$'
like "a pipe has all of it" "$(answer status --section failures)" 'happened on the node$'

# ---- the live line ----

cat >long.ini <<'INI'
[sweep]
objective = val_pearson
direction = max
[program]
command = sh -c 'sleep 0.05; echo val_pearson=0.{x}'
capture = stdout
[grid]
x = 1011:1041:1
INI
# Each update begins with a carriage return and "erase the line".
drawn() {
    script -qec "stty cols $1; '$ESPALIER' run long.ini --db line$1.db" /dev/null </dev/null 2>/dev/null |
        tr '\r' '\n' | sed -n "s/^$(printf '\033')\[K\([0-9].*\)/\1/p" | sed 's/espalier: .*//'
}
for width in 30 60 120; do
    drawn $width >lines
    is "the live line is there on $width columns" "$(grep -c '/31 trials' lines | sed 's/[1-9][0-9]*/some/')" some
    is "and never wider" "$(($(widest <lines) < width))" 1
done
done_testing
