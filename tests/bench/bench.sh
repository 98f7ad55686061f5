#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# All benchmarks as one table, and as bench.csv in the working directory with machine and commit.
# tests/bench/results.csv keeps the figures that the README quotes. If a program fails, its row has the
# reason in place of a ratio, and the exit status is 1.
# usage: bench.sh ESPALIER PROGRAM_DIRECTORY SOURCE_DIRECTORY
# Environment:
#   ESPALIER_DATA  real data; rows that lack them say so
#   PYTHON         the Python with the peers; default /usr/bin/python3
#   ROUNDS         number of times that the programs run in turn; default 5, for whole sweeps 3
#   PARTS          some of: load training reduce workers ddp sweep noop spawner program digits gang gpu commit loss resume
#                  million large simulate memory accuracy regret; default all
#   KEEP_OPENBLAS  1: keep OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE
espalier=$(realpath "$1") || exit 1
programs=$(realpath "$2") || exit 1
src=$(realpath "$3") || exit 1
here=$src/tests/bench
# A kernel pinned for all programs may be half as fast as the one that OpenBLAS would choose, and
# slows its users unequally: PyTorch more than espalier. So OpenBLAS chooses for both sides.
[ -n "${KEEP_OPENBLAS:-}" ] || unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
# On a processor that OpenBLAS does not know, espalier chooses a kernel. The peers get it, too.
OPENBLAS_CORETYPE=$("$espalier" doctor | sed -n 's/^blas .*, kernel //p')
export OPENBLAS_CORETYPE
if [ -n "${ESPALIER_DATA:-}" ]; then
    ESPALIER_DATA=$(cd "$ESPALIER_DATA" && pwd) || exit 1
    export ESPALIER_DATA
fi

machine() {
    "$espalier" doctor | awk '
        /^cpu / { sub(/^cpu */, ""); cpu = $0 }
        /^cores / { cores = $2 }
        /^blas / { sub(/.*kernel /, ""); kernel = $0 }
        END { printf "%s; %s cores; OpenBLAS kernel %s", cpu, cores, kernel }'
    env | grep -E '^OPENBLAS_(CORETYPE|L2_SIZE)=' | sort | awk '{ printf "; %s", $0 }'
}

part() {
    case $1 in
    load | training | reduce | ddp) sh "$here/$1.sh" "$programs" "$src" ;;
    sweep | noop | digits | gang | gpu | loss | resume | million | large | accuracy) sh "$here/$1.sh" "$espalier" "$src" ;;
    workers)
        is_there "$programs/workers" "ranks that train together" || return 0
        "$programs/workers"
        ;;
    simulate)
        is_there "$programs/simulate" "10,000 simulated ranks" || return 0
        "$programs/simulate"
        ;;
    spawner)
        is_there "$programs/spawner" "start and end of a program" || return 0
        "$programs/spawner"
        ;;
    regret)
        is_there "$programs/regret" "regret of searches" || return 0
        sh "$here/regret.sh" "$espalier" "$programs" "$src"
        ;;
    program)
        is_there "$programs/starts" "programs that report one number" || return 0
        sh "$here/program.sh" "$espalier" "$src" "$programs"
        ;;
    commit)
        is_there "$programs/../cli/fault.so" "commits" || return 0
        sh "$here/commit.sh" "$espalier" "$src" "$programs/../cli/fault.so"
        ;;
    memory)
        is_there "$here/memory.sh" "8 ranks on one host" || return 0
        sh "$here/memory.sh" "$espalier" "$src"
        ;;
    esac
}

is_there() {
    [ -e "$1" ] && return
    echo "\"$2\",-,,$1 is not there,"
    return 1
}

place="$(date +%F),$(git -C "$src" rev-parse --short HEAD 2>/dev/null || echo release),\"$(machine)\""
# One process for each row: awk reads a pipe in blocks, and a row may take minutes.
show() {
    printf '%s\n' "$1" | awk -f "$here/table.awk"
}

case ${ROUNDS:-1} in
'' | *[!0-9]* | 0)
    echo "bench.sh: ROUNDS = $ROUNDS: must be a whole number from 1 on" >&2
    exit 2
    ;;
esac
parts=${PARTS:-load training reduce workers ddp sweep noop spawner program digits gang gpu commit loss resume million large simulate memory accuracy regret}
for name in $parts; do
    case $name in
    load | training | reduce | workers | ddp | sweep | noop | spawner | program | digits | gang | gpu | commit | loss | resume | million | large | \
        simulate | memory | accuracy | regret) ;;
    *)
        echo "bench.sh: PARTS: no part '$name': allowed are load training reduce workers ddp sweep noop spawner program digits gang gpu commit loss resume million large simulate memory accuracy regret" >&2
        exit 2
        ;;
    esac
done

columns=case,value,unit,beside,target
echo "date,commit,machine,$columns" >bench.csv
show "$columns"
for name in $parts; do
    part "$name" || echo "part $name,-,,failed: ended with status $?,"
done | {
    n_failed=0
    while IFS= read -r line; do
        printf '%s,%s\n' "$place" "$line" >>bench.csv
        show "$line"
        case $line in *failed:\ *) n_failed=$((n_failed + 1)) ;; esac
    done
    [ $n_failed = 0 ] && exit
    echo "bench.sh: $n_failed of the rows above failed" >&2
    exit 1
}
