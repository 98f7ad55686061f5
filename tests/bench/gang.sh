#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A gang of two that trains by DistributedDataParallel (examples/bbbp_rnn.py), and the same script
# under torchrun with two processes, in turn. CSV lines "case,value,unit,beside,target" on stdout.
# usage: gang.sh ESPALIER SOURCE_DIRECTORY
# Both get the same parameters and seed, one training of six epochs a round. The two take turns in
# being the first of a round.
espalier=$1
src=$2
# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"
rounds=${ROUNDS:-3}
name="RNN on BBBP, a gang of 2 under DDP"
torch=$(torch_is)
if [ -z "$torch" ] || ! has_data bbbp; then
    row "$name" - "% slower" "${torch:+$no_data}${torch:-PyTorch is not there}" "at most 3"
    exit 0
fi
name_python

# Both start the script by this: it notes when each process starts and ends.
cat >"$T/noted.sh" <<'END'
begun=$(date +%s.%N)
"$@" || exit
echo "$begun $(date +%s.%N)" >>"$NOTED"
END
export NOTED="$T/noted"

# trained: from noted starts and ends, seconds of a training: first start to last end.
trained() {
    awk '{ if (!n++ || $1 < from) from = $1; if ($2 > to) to = $2 }
        END { printf "%.3f\n", to - from }' "$NOTED"
    rm -f "$NOTED"
}

# settings SEED: options of the one trial of a round.
settings() {
    echo "--set cell=gru --set hidden=32 --set learning_rate=0.001 --set seed=$1"
}

# Each pair of numbers is seconds of a training, and of the whole command.
ours() {
    rm -rf "$T/gang.db"*
    begun=$(date +%s.%N)
    # shellcheck disable=SC2046 # words
    espalier_run "$src/grids/bbbp_rnn.ini" -n 2 --db "$T/gang.db" $(settings "$1") \
        --set "program.command=sh $T/noted.sh python3 ../examples/bbbp_rnn.py"
    whole=$(echo "$begun $(date +%s.%N)" | awk '{ print $2 - $1 }')
    [ "$(sqlite3 "$T/gang.db" "select count(*) from trial where state = 'done'")" = 1 ] || exit 1
    echo "$(trained) $whole"
}

# -r and -t: without them PyTorch 1.13 fails under Python 3.11, where its flag of value 0 is no
# member any more.
torchrun() {
    rm -rf "$T/peer"
    mkdir -p "$T/peer/checkpoint"
    begun=$(date +%s.%N)
    PYTHONPATH=$src/share/espalier ESPALIER_THREADS=1 ESPALIER_PARAM_cell=gru \
        ESPALIER_PARAM_hidden=32 ESPALIER_PARAM_learning_rate=0.001 ESPALIER_PARAM_epochs=6 \
        ESPALIER_SEED=$1 ESPALIER_REPLICATE=0 ESPALIER_RESULTS=$T/peer/results.jsonl \
        ESPALIER_CHECKPOINT=$T/peer/checkpoint ESPALIER_DIR=$T/peer \
        "$python" -W ignore -m torch.distributed.run --nproc_per_node 2 -r 0:1 -t 0:1 --log_dir "$T/log" \
        --no_python sh "$T/noted.sh" python3 "$src/examples/bbbp_rnn.py" >"$T/err" 2>&1 ||
        { cat "$T/err" >&2; return 1; }
    whole=$(echo "$begun $(date +%s.%N)" | awk '{ print $2 - $1 }')
    echo "$(trained) $whole"
}

i=0
while [ $i -lt "$rounds" ]; do
    [ $((i % 2)) = 1 ] || ours $((i + 1)) >>"$T/ours" || exit 1
    # shellcheck disable=SC2046 # words
    peer "$T/torchrun" torchrun "$(seed_of "$src/grids/bbbp_rnn.ini" --ranks 2 $(settings $((i + 1))))"
    [ $((i % 2)) = 0 ] || ours $((i + 1)) >>"$T/ours" || exit 1
    i=$((i + 1))
done
# slower COLUMN WORDS TARGET
slower() {
    cut -d' ' -f"$1" "$T/ours" >"$T/a"
    cut -d' ' -f"$1" "$T/torchrun" >"$T/b"
    ours=$(median <"$T/a")
    theirs=$(median <"$T/b")
    ratios "$T/a" "$T/b" | awk '{ printf "%.1f\n", 100 * ($1 - 1) }' >"$T/slower"
    peer_row "$T/torchrun" "$name: $2" "$(median <"$T/slower")" "% slower" \
        "$torch, torchrun --nproc_per_node 2 ($theirs s; ours $ours s; rounds $(head -n 1 "$T/slower") to $(tail -n 1 "$T/slower"))" "$3"
}
slower 1 "from the first process's start to the last's end" "at most 3"
slower 2 "the whole command" ""
