#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Sums over two ranks (tests/bench/reduce.c), in shared memory and by TCP. CSV lines
# "case,value,unit,beside,target" on stdout.
# usage: reduce.sh PROGRAM_DIRECTORY SOURCE_DIRECTORY
programs=$1
src=$2
# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"
if ! [ -e "$programs/reduce" ]; then
    row "sums over 2 ranks" - "" "$programs/reduce is not there" ""
    exit 0
fi
mpirun -n 2 --oversubscribe "$programs/reduce" || exit 1
mpirun -n 2 --oversubscribe --mca btl tcp,self "$programs/reduce" hosts || exit 1
