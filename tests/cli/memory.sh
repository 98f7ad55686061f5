#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The memory that `plan` prints is within 20 % of the peak of the run, on made graphs.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1
! grep -q __asan_init "$ESPALIER" || skip_all "a sanitizer multiplies the memory"

mkdir one many
awk -v into=one -v nodes=20000 -v edges=60000 -v features=8 -f "$SRCDIR/tests/make_graph.awk"
awk -v into=many -v nodes=20000 -v edges=40000 -v features=4 -v classes=2 -v graphs=500 -f "$SRCDIR/tests/make_graph.awk"
cat >one.ini <<'INI'
[data]
format = graph
features = one/features.csv
labels = one/labels.csv
edges = one/edges.csv
[model]
layers = 3
hidden_size = 64
[train]
epochs = 1
INI
cat >many.ini <<'INI'
[data]
format = tu
folder = many
[model]
layers = 3
hidden_size = 64
[train]
epochs = 1
INI

# MB that a run takes at its peak.
peak() { python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6)' \
    "$ESPALIER" run "$@" --db x.db --progress none 2>"$T/.err"; rm -f x.db*; }

# plan OPTION...: write plan's cost to cost.csv.
plan() { "$ESPALIER" plan "$@" --db none.db --section cost --format csv >cost.csv 2>"$T/.err"; }

# MB in a column of cost.csv.
said() { awk -F, -v name="$1" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at / 1e6 }' cost.csv; }

# near NAME INI OPTION...
near() {
    name=$1
    shift
    plan "$@"
    echo "$(said memory_bytes) $(peak "$@")" >figures
    is "$name" "$(awk '{ r = $2 > 0 ? $1 / $2 : 0; print (r > 1 / 1.2 && r < 1.2 ? "near" : "plan: " $1 " MB, run: " $2 " MB") }' figures)" near
}

near "one graph, three layers" one.ini
trial=$(said memory_bytes) shared=$(echo "$(said data_bytes) $(said inputs_bytes)" | awk '{ print $1 + $2 }')
near "one layer" one.ini --set layers=1
is "takes much less" "$(echo "$trial $(said memory_bytes)" | awk '{ print ($1 > 1.4 * $2) }')" 1
near "all options" one.ini --set hidden_size=128 --set batch_norm=yes --set residual=yes \
    --set dropout=0.5 --set activation=gelu
near "mini-batches" one.ini --set batch_size=256 --set layers=2 --set hidden_size=512
near "without the graph" one.ini --set type=mlp --set hidden_size=128
near "trials of several sizes" one.ini --set grid.hidden_size=64,96,128
near "graphs in one batch" many.ini --set batch_size=full --set hidden_size=128
near "graphs in batches" many.ini --set batch_size=64 --set hidden_size=128
near "graphs in pieces" many.ini --set batch_size=full --set hidden_size=128 --set batch_norm=no
near "a full batch of four workers" many.ini --set batch_size=full --set hidden_size=128 --set workers=4
near "small batches of 16 workers" many.ini --set batch_size=64 --set hidden_size=128 --set workers=16
near "a rank of two that divide a batch" many.ini --set batch_size=full --set hidden_size=128 \
    --set workers=4 --set ranks=2 -n 2

plan one.ini
one=$(said host_bytes)
plan one.ini -n 2
two=$(said host_bytes)
plan one.ini -n 3
is "ranks of a host share data and inputs" "$(echo "$(said host_bytes) $(said memory_bytes) $shared" |
    awk '{ d = $1 - 3 * ($2 - $3) - $3; print (d < 0.1 && d > -0.1) }')" 1
is "one rank needs no MPI" "$(echo "$one $two $shared" | awk '{ print ($1 < ($2 + $3) / 2) }')" 1
messages=$("$ESPALIER" plan one.ini -n 3 --set layers=1 2>&1)
like "a line for a host" "$messages" 'memory for 3 ranks on one host: about [0-9]+ MB$'
like "rank 0 may need more while it prepares" "$messages" 'memory for rank 0: about [0-9]+ MB before trials begin$'
messages=$("$ESPALIER" plan one.ini --set replicates=100 --set hidden_size=512 2>&1)
like "models wait for the database" "$messages" \
    'memory for rank 0: about 67 MB more, for models on their way to the database$'
done_testing
