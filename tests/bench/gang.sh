#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A gang of two that trains by DistributedDataParallel (examples/bbbp_rnn.py), and the same script
# under torchrun with two processes, in turn. CSV lines "case,value,unit,beside,target" on stdout.
# usage: gang.sh ESPALIER SOURCE_DIRECTORY
# Both get the same parameters and seeds, four trainings of six epochs a round.
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
# The grid says python3.
mkdir "$T/bin"
ln -s "$python" "$T/bin/python3"
PATH=$T/bin:$PATH

# Seconds of a trial: the span of all, from the first start to the last finish.
ours() {
    rm -rf "$T/gang.db"*
    espalier_run "$src/grids/bbbp_rnn.ini" -n 2 --db "$T/gang.db" --set cell=gru --set hidden=32 \
        --set learning_rate=0.001 --set replicates=4
    sqlite3 "$T/gang.db" "select round((max(finished) - min(started)) / 4, 3) from attempt
        having sum(outcome = 'done') = 4"
}

# Seconds of a training: the command from start to end. -r and -t: without them PyTorch 1.13 fails
# under Python 3.11, where its flag of value 0 is no member any more.
torchrun() {
    begun=$(date +%s.%N)
    for replicate in 0 1 2 3; do
        rm -rf "$T/peer"
        mkdir -p "$T/peer/checkpoint"
        PYTHONPATH=$src/share/espalier ESPALIER_THREADS=1 ESPALIER_PARAM_cell=gru \
            ESPALIER_PARAM_hidden=32 ESPALIER_PARAM_learning_rate=0.001 ESPALIER_PARAM_epochs=6 \
            ESPALIER_REPLICATE=$replicate ESPALIER_RESULTS=$T/peer/results.jsonl \
            ESPALIER_CHECKPOINT=$T/peer/checkpoint ESPALIER_DIR=$T/peer \
            "$python" -W ignore -m torch.distributed.run --nproc_per_node 2 -r 0:1 -t 0:1 --log_dir "$T/log" \
            "$src/examples/bbbp_rnn.py" >"$T/err" 2>&1 || { cat "$T/err" >&2; exit 1; }
    done
    echo "$begun $(date +%s.%N)" | awk '{ printf "%.3f\n", ($2 - $1) / 4 }'
}

i=0
while [ $i -lt "$rounds" ]; do
    ours >>"$T/ours" || exit 1
    torchrun >>"$T/torchrun"
    i=$((i + 1))
done
ours=$(median <"$T/ours")
peer=$(median <"$T/torchrun")
row "$name" "$(awk -v a="$ours" -v b="$peer" 'BEGIN { printf "%.1f", 100 * (a / b - 1) }')" "% slower" \
    "$torch, torchrun --nproc_per_node 2 ($peer s; ours $ours s)" "at most 3"
