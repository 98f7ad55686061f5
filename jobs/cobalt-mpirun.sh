#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run a sweep in one Cobalt job, with mpirun.
#
# Usage: qsub -A PROJECT jobs/cobalt-mpirun.sh GRID.ini [DATABASE] [OPTION...]
#   GRID.ini   the sweep file
#   DATABASE   for the results, on a filesystem that all nodes share (default: results.db)
#   OPTION     of `espalier run`, for example --set epochs=200
#   ESPALIER=/path/to/espalier   in the environment (qsub --env), if espalier is not in PATH
#
# To continue a sweep that stopped, submit the same command again: finished trials never run twice.
# Lines that begin with #COBALT are options for Cobalt. Options of the qsub command override them. This
# file must be executable.

#COBALT -n 2
# Walltime in minutes. The sweep need not finish in this time.
#COBALT -t 240
#COBALT -O espalier

# Ranks on a node: its number of cores, divided by `threads` of the sweep file. Each rank trains one
# trial at a time, so more ranks than trials are useless.
ranks_per_node=${RANKS_PER_NODE:-16}

if [ $# -eq 0 ] || [ -z "${COBALT_NODEFILE:-}" ]; then
    echo "usage: qsub -A PROJECT jobs/cobalt-mpirun.sh GRID.ini [DATABASE] [OPTION...]" >&2
    exit 2
fi
# A word that is no option names the database, and so does --db. The options go to `run`.
grid=$1 database=results.db # only rank 0 writes to it
shift
case ${1:--} in
-*) ;;
*)
    database=$1
    shift
    ;;
esac
previous=''
for word; do
    case $previous,$word in
    --db,*) database=$word ;;
    *,--db=*) database=${word#--db=} ;;
    esac
    previous=$word
done
espalier=${ESPALIER:-espalier}
if ! command -v "$espalier" >/dev/null; then
    echo "$espalier is not in PATH; set ESPALIER=/path/to/espalier" >&2
    exit 1
fi

# One thread for each matrix product, since the ranks run in parallel.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# Cobalt lists the nodes. Open MPI also needs the number of ranks on each (variables for versions 4, 5).
hosts=$(mktemp) || exit
trap 'rm -f "$hosts"' EXIT
sed "s/\$/ slots=$ranks_per_node/" "$COBALT_NODEFILE" >"$hosts"
export OMPI_MCA_orte_default_hostfile="$hosts" PRTE_MCA_prte_default_hostfile="$hosts"
ranks=$(($(wc -l <"$hosts") * ranks_per_node))

# espalier asks Slurm, LSF and PBS for the time left, but not Cobalt, so compute it here.
left=$((COBALT_ENDTIME - $(date +%s)))

# espalier starts mpirun. If a rank dies, the others continue. It runs in the background, so that this
# script can react to signals.
"$espalier" run "$grid" --db "$database" -n "$ranks" --time-limit "${left}s" --progress plain "$@" &
pid=$!
trap 'kill -USR2 "$pid"' USR1 USR2
# qdel kills the job soon, so send a second signal after a second: it ends running trials at once.
trap 'kill -USR2 "$pid"; sleep 1; kill -USR2 "$pid" 2>/dev/null' TERM

# `wait` returns early at each signal; the last `wait` gives the true exit status.
wait "$pid"
status=$?
while kill -0 "$pid" 2>/dev/null; do
    wait "$pid"
    status=$?
done

# Exit status 0: all trials are finished. 3: finished, some trials failed. 75: stopped early.
[ "$status" -ne 75 ] || echo "not finished: submit the same command again"
exit "$status"
