#!/bin/sh
# Training runs beside PyTorch, in turn, one core each: CSV lines "case,value,unit,peer,target".
# usage: training.sh TRAIN SOURCE_DIRECTORY; real data are found through $ESPALIER_DATA, PyTorch
# through $PYTHON (default: Debian's /usr/bin/python3 with python3-torch). ROUNDS of each, default 5.
train=$1
src=$2
data=${ESPALIER_DATA:-}
python=${PYTHON:-/usr/bin/python3}
rounds=${ROUNDS:-5}
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT

if [ ! -d "$data/cora" ]; then
    echo "training.sh: no data at ESPALIER_DATA = '$data': no figures of training" >&2
    exit 0
fi
version=$("$python" -c 'import torch; print(torch.__version__)' 2>/dev/null)

# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"

# compare CASE TARGET OURS PEER SETTINGS...: one run of each in every round.
compare() {
    name=$1 target=$2 ours=$3 peer=$4
    shift 4
    [ -n "$version" ] || { echo "$name,-,times faster,PyTorch is not there,$target"; return; }
    : >"$T/ours"
    : >"$T/peer"
    i=0
    while [ $i -lt "$rounds" ]; do
        "$train" "$ours" "$data" "$@" | cut -d' ' -f1 >>"$T/ours"
        "$python" "$src/tests/bench/peer_torch.py" "$peer" "$data" "$@" | cut -d' ' -f1 >>"$T/peer"
        i=$((i + 1))
    done
    echo "$(median <"$T/ours") $(median <"$T/peer")" | awk -v name="$name" -v target="$target" \
        -v peer="PyTorch $version" \
        '{ printf "%s,%.1f,times faster,%s (%.3f s; ours %.4f s),%s\n", name, $2 / $1, peer, $2, $1, target }'
}

compare "Cora: 16 hidden 100 epochs" 4 cora cora 16 100 0
compare "FT10: 64 hidden 100 epochs" 4 ft10 ft10 64 100 0
compare "FT10: the same and A^X made once by both" "" ft10 ft10-ax 64 100 0
compare "FT10: 64 hidden batches of 64; 10 epochs" "" ft10 ft10 64 10 64
"$train" ft10 "$data" 256 20 0 |
    awk '{ printf "FT10: 256 hidden; peak resident memory,%.0f,MiB,,120\n", $2 }'
