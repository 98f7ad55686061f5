#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Large graphs on one core: one graph of 70,000 nodes and 1.4 million directed edges as tables,
# compared with pandas and SciPy; 5,000 graphs with 200,000 nodes as a TUDataset; and the memory of
# runs compared with that which `plan` prints. CSV lines "case,value,unit,beside,target" on stdout.
# usage: large.sh ESPALIER SOURCE_DIRECTORY
# Needs /usr/bin/time (package time).
espalier=$1
src=$2
# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"
rounds=${ROUNDS:-3}

mkdir "$T/one" "$T/many"
awk -v into="$T/one" -v nodes=70000 -v edges=700000 -f "$src/tests/make_graph.awk"
awk -v into="$T/many" -v nodes=200000 -v edges=400000 -v features=16 -v classes=2 -v graphs=5000 \
    -f "$src/tests/make_graph.awk"
cat >"$T/one.ini" <<'INI'
[data]
format = graph
features = one/features.csv
labels = one/labels.csv
edges = one/edges.csv
[model]
layers = 3
hidden_size = 64
[train]
epochs = 5
INI
cat >"$T/many.ini" <<'INI'
[data]
format = tu
folder = many
[model]
layers = 3
hidden_size = 64
[train]
epochs = 3
INI

# measured NAME COMMAND...: append seconds, processor seconds and peak kB to files NAME.s, .cpu, .kb.
# shellcheck disable=SC2086 # one_core is several words
measured() {
    name=$1
    shift
    /usr/bin/time -o "$T/time" -f '%e %U %S %M' $one_core "$@" >"$T/answer" 2>"$T/err" || { cat "$T/err" >&2; exit 1; }
    read -r wall user system kb <"$T/time"
    echo "$wall" >>"$T/$name.s"
    echo "$user $system" | awk '{ print $1 + $2 }' >>"$T/$name.cpu"
    echo "$kb" >>"$T/$name.kb"
}

fact() { # COLUMN: of the answer's only row
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' "$T/answer"
}

# Seconds of the trial's preparation: graph, A^ and A^X.
load_s() { sqlite3 "$1" "select sum(seconds) from timing where phase = 'load'"; }

run() { # NAME OPTION...
    name=$1
    shift
    rm -f "$T/x.db"*
    measured "$name" "$espalier" run "$T/${name%%_*}.ini" --db "$T/x.db" --progress none "$@"
}

peer=$("$python" -W ignore "$src/tests/bench/peer_tables.py" --version 2>/dev/null)
i=0
while [ $i -lt "$rounds" ]; do
    measured inspect "$espalier" inspect "$T/one.ini" --section data --format csv
    fact read_s >>"$T/read"
    run one
    load_s "$T/x.db" >>"$T/ready"
    if [ -n "$peer" ]; then
        # shellcheck disable=SC2086 # one_core is several words
        peer "$T/tables" $one_core "$python" -W ignore "$src/tests/bench/peer_tables.py" "$T/one"
        awk '{ print $1 }' "$T/tables" >"$T/peer_read"
        awk '{ print $2 }' "$T/tables" >"$T/peer_ready"
        awk '{ print $1 + $3 }' "$T/tables" >"$T/peer_inspect"
    fi
    measured plan "$espalier" plan "$T/one.ini" --db "$T/none.db"
    measured inspect_many "$espalier" inspect "$T/many.ini"
    i=$((i + 1))
done

beside() { # NAME OURS PEER TARGET
    ours=$(median <"$T/$2" | awk '{ printf "%.3f", $1 }')
    if [ -z "$peer" ]; then
        row "$1" - "times faster" "pandas or SciPy is not there (ours $ours s)" "$4"
        return
    fi
    theirs=$(median <"$T/$3" | awk '{ printf "%.3f", $1 }')
    peer_row "$T/tables" "$1" "$(ratio "$theirs" "$ours")" "times faster" "$peer ($theirs s; ours $ours s)" "$4"
}

seconds() { # NAME FILE
    row "$1" "$(median <"$T/$2.s")" s "none ($(median <"$T/$2.cpu") s of processor)" 3
}

# memory NAME INI OPTION...: plan's figure and the largest resident size of the run.
memory() {
    case=$1
    ini=$2
    shift 2
    "$espalier" plan "$T/$ini.ini" --db "$T/none.db" --section cost --format csv "$@" >"$T/answer" 2>"$T/err" || { cat "$T/err" >&2; exit 1; }
    said=$(fact memory_bytes)
    rm -f "$T/${ini}_memory".*
    run "${ini}_memory" "$@"
    peak=$(awk '{ print $1 * 1024 }' "$T/${ini}_memory.kb")
    row "memory that plan prints: $case" "$(ratio "$said" "$peak")" "of the run's peak" \
        "$(echo "$peak $said" | awk '{ printf "%.0f MB resident; plan: %.0f MB", $1 / 1e6, $2 / 1e6 }')" "0.8 to 1.2"
}

graph="70,000 nodes, 1.4 million directed edges"
beside "$graph: tables read and joined" read peer_read 1
beside "$graph: graph normalized, A^X" ready peer_ready 1
seconds "$graph: inspect" inspect
seconds "$graph: plan" plan
seconds "5,000 graphs, 200,000 nodes: inspect" inspect_many
memory "$graph, 1 layer" one --set layers=1
memory "$graph, 3 layers, 64 hidden" one
memory "$graph, 3 layers, 256 hidden, batch norm, residual" one --set hidden_size=256 --set batch_norm=yes --set residual=yes
memory "$graph, batches of 4,096" one --set batch_size=4096 --set epochs=1
memory "5,000 graphs, batches of 64" many --set batch_size=64
memory "5,000 graphs, full batch" many --set batch_size=full
