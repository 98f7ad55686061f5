#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# 13 trials of grids/digits_cnn.ini with 2000 images, on one GPU that 1, 2, 4 and 8 ranks share. CSV lines
# "case,value,unit,beside,target" on stdout.
# usage: gpu.sh ESPALIER SOURCE_DIRECTORY
espalier=$1
src=$2
# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"
name="CNN on digits, ranks that share one GPU"
gpu=$("$python" -W ignore -c "import torch
if torch.cuda.is_available():
    print('PyTorch', torch.__version__.split('+')[0] + ',', torch.cuda.get_device_name())" 2>/dev/null)
if [ -z "$gpu" ] || ! has_data digits; then
    row "$name" - "trials an hour" "${gpu:+$no_data}${gpu:-PyTorch sees no GPU}" ""
    exit 0
fi
name_python

ini=$src/grids/digits_cnn.ini
half=$(sed -n 's/^where *= *\(.*\)% 120 =/\1% 240 =/p' "$ini")
first=
for ranks in 1 2 4 8; do
    share=$(echo "$ranks" | awk '{ print 1 / $1 }')
    begun=$(date +%s.%N)
    espalier_run "$ini" -n "$ranks" --set gpus="$share" --set images=2000 \
        --set "where=$half" --db "$T/$ranks.db"
    seconds=$(echo "$begun $(date +%s.%N)" | awk '{ print $2 - $1 }')
    n=$("$espalier" export --db "$T/$ranks.db" | grep -c ",done,")
    [ "$n" = 13 ] || { echo "gpu.sh: $n of 13 trials are done" >&2; exit 1; }
    rate=$(echo "$seconds" | awk '{ printf "%.0f", 13 * 3600 / $1 }')
    first=${first:-$rate}
    row "$name: gpus = $share" "$rate" "trials an hour" \
        "$gpu; $(ratio "$rate" "$first") times the rate of gpus = 1" ""
done
