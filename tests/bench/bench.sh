#!/bin/sh
# Every figure as one table. usage: bench.sh ESPALIER TRAIN SOURCE_DIRECTORY
here=$3/tests/bench
{
    sh "$here/training.sh" "$2" "$3"
    sh "$here/sweep.sh" "$1" "$3"
} | awk -F, '
    BEGIN { form = "%-46s %10s %-13s %7s  %s\n"; printf form, "case", "value", "unit", "target", "beside" }
    { printf form, $1, $2, $3, $5, $4; fflush() }'
