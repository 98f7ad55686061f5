#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# How a sweep file asks for configurations, and the messages about faulty ones.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

cat >s.ini <<'INI'
[sweep]
name = s
[data]
format = simulated
samples = 60
markers = 60
[model]
type = mlp
[train]
epochs = 3
[search]
propose = sobol
configs = 6
[grid]
hidden_size = logint(4, 64)
dropout = uniform(0, 0.5)
batch_size = 16, full
INI
plan() { "$ESPALIER" plan s.ini "$@" 2>&1; }
says() { # name, pattern, arguments of plan
    name=$1 pattern=$2
    shift 2
    like "$name" "$(plan "$@")" "$pattern"
}

like "plan: the method" "$(plan)" 's: 6 configurations by sobol'
like "plan: batches, of a grid" \
    "$(plan --set propose=model --set search.configs=9 --set grid.dropout=0,0.1,0.2 --set grid.hidden_size=4,8)" \
    's: 9 configurations by model, batches of 8, of a grid of 12'
says "ranges with grid" 's.ini:15: hidden_size = logint\(4, 64\): a grid needs lists of values: list them, or set \[search\] propose' \
    --set propose=grid
says "no number" 'the range of .* has no last point: set \[search\] configs' --set search.configs=all
says "too few for the model" 'configs = 6: propose = model chooses none of them, since the first 8 ' --set propose=model
says "where leaves nothing" "'where' leaves none of" --set 'where=dropout > 1'
says "start: no axis" "start: 'k' is not an axis" --set 'start=k = 3'
says "start: not in the list" 'start: batch_size = 8: must be one of the values of the axis: 16, full' --set 'start=batch_size = 8'
says "start: dropped" 'drops this configuration' --set 'start=dropout = 0.4' --set 'where=dropout < 0.4'
says "unused settings" '\[search\] eta does nothing with propose = sobol and allocate = all' --set eta=4
says "a limit of the setting" 'dropout = uniform\(0, 2\): 2: must be in \[0, 1\)' --set 'grid.dropout=uniform(0, 2)'
says "whole numbers" 'takes whole numbers: write int' --set 'grid.hidden_size=uniform(4, 8)'
says "a range is the whole axis" 'a range is the whole axis' --set 'grid.dropout=uniform(0, 0.5), 0.1'

points() { printf '%s\n' "$@" >p.csv; }
points dropout,hidden_size,batch_size 0.1,8,16 0.25,32,full
is "points: in order" "$(plan --set propose=points --set points=p.csv --set search.configs=all --format csv 2>/dev/null | sed -n 's/^[0-9]*,\([0-9]*,[^,]*,[^,]*,[^,]*\),.*/\1/p')" \
    '1,8,0.1,16
2,32,0.25,full'
bad() { # name, pattern
    says "points: $1" "$2" --set propose=points --set points=p.csv --set search.configs=all
}
points dropout,hidden_size 0.1,8
bad "missing column" 'p.csv:1: no column for the axis batch_size'
points dropout,hidden_size,batch_size,k 0.1,8,16,1
bad "unknown column" "p.csv:1: column 4, 'k', is not an axis"
points dropout,hidden_size,batch_size 0.1,8,16 0.7,8,16
bad "out of range" 'p.csv:3: column 1: dropout = 0.7: must be in the range of the axis: uniform\(0, 0.5\)'
points dropout,hidden_size,batch_size 0.1,8,16 0.2,8,16 0.1,8,16
bad "repeated" 'p.csv:4: repeats the configuration of line 2'

done_testing
