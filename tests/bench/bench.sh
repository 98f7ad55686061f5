#!/bin/sh
# Every figure as one table, and as bench.csv in the working directory with machine and commit; the
# figures that the README quotes are kept in tests/bench/results.csv.
# usage: bench.sh ESPALIER TRAIN SOURCE_DIRECTORY
here=$3/tests/bench
cpu=$("$1" doctor | sed -n 's/^cpu *//p')
kernel=$("$1" doctor | sed -n 's/^blas.*kernel /OpenBLAS kernel /p')
commit=$(git -C "$3" rev-parse --short HEAD 2>/dev/null || echo release)
echo "date,commit,machine,case,value,unit,beside,target" >bench.csv
{
    sh "$here/training.sh" "$2" "$3"
    sh "$here/sweep.sh" "$1" "$3"
} | while IFS= read -r line; do
    echo "$(date +%F),$commit,$cpu; $kernel,$line" >>bench.csv
    printf '%s\n' "$line"
done | awk -F, '
    BEGIN { form = "%-46s %10s %-13s %7s  %s\n"; printf form, "case", "value", "unit", "target", "beside" }
    { printf form, $1, $2, $3, $5, $4; fflush() }'
