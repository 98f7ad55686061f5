#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A sweep in one Cobalt job, started with mpirun.
#
#     qsub -A PROJECT jobs/cobalt-mpirun.sh GRID.ini [DATABASE]
#
# The same line again goes on where this one stopped: finished trials are never run twice. Lines
# that begin with #COBALT are for Cobalt; what is given to qsub itself wins over them. This file must
# be executable.

#COBALT -n 2
# Walltime in minutes. It need not be enough for the whole sweep.
#COBALT -t 240
#COBALT -O espalier

# Ranks on a node: as many as its cores, divided by `threads` in the sweep file. Each trains one
# trial at a time, so more ranks than trials are of no use.
ranks_per_node=${RANKS_PER_NODE:-16}

# The sweep file, and the database that takes the results. Put it on a filesystem all nodes share;
# only rank 0 writes to it. ESPALIER is the program where it is not on PATH.
grid=${1:?"usage: qsub $0 GRID.ini [DATABASE]"}
database=${2:-results.db}
espalier=${ESPALIER:-espalier}

# One thread for each product of matrices: the ranks are the parallelism.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# Cobalt lists the nodes, Open MPI wants to know how many ranks each takes, version 4 and version 5.
hosts=$(mktemp) || exit
trap 'rm -f "$hosts"' EXIT
sed "s/\$/ slots=$ranks_per_node/" "$COBALT_NODEFILE" >"$hosts"
export OMPI_MCA_orte_default_hostfile="$hosts" PRTE_MCA_prte_default_hostfile="$hosts"
ranks=$(($(wc -l <"$hosts") * ranks_per_node))

# espalier asks Slurm, LSF and PBS for the time that is left; of Cobalt it must be told.
left=$((COBALT_ENDTIME - $(date +%s)))

# espalier starts mpirun, so that a rank that dies does not end the sweep. It runs beside this
# script, which could not act on a signal while waiting in the foreground.
"$espalier" run "$grid" --db "$database" -n "$ranks" --time-limit "${left}s" --progress plain &
pid=$!
trap 'kill -USR2 "$pid"' USR1 USR2
# qdel: all is killed soon. A second signal, a second later, waits for no trial.
trap 'kill -USR2 "$pid"; sleep 1; kill -USR2 "$pid" 2>/dev/null' TERM

# `wait` ends early at each signal; the true exit status is that of the last one.
wait "$pid"
status=$?
while kill -0 "$pid" 2>/dev/null; do
    wait "$pid"
    status=$?
done

# 0: all trials are finished. 3: finished, some trials failed. 75: stopped early, to be continued.
[ "$status" -ne 75 ] || echo "not finished: submit the same line again"
exit "$status"
