#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A sweep in one job of PBS (OpenPBS, PBS Professional, Torque), started with mpirun.
#
#     qsub -v GRID=grids/ft10.ini jobs/pbs-mpirun.sh       or -v GRID=...,DATABASE=...
#
# The same line again goes on where this one stopped: finished trials are never run twice. Lines
# that begin with #PBS are for PBS; what is given to qsub itself wins over them.

#PBS -N espalier
# Two pieces of 16 cores, a rank on each core. Each rank trains one trial at a time, so more ranks
# than trials are of no use; they may lie on any number of hosts, of any kind. Ranks of a host share
# one copy of the data, a byte for each genotype; 100 MB for each rank and 4 bytes for each genotype
# and host are plenty. In Torque: -l nodes=2:ppn=16
#PBS -l select=2:ncpus=16:mpiprocs=16:mem=16gb
# Walltime. It need not be enough for the whole sweep: espalier asks PBS (qstat) how much is left and
# begins no trial that would not end in time.
#PBS -l walltime=04:00:00
# When a host fails, PBS puts the job back into the queue.
#PBS -r y
# One log for each job, its number in its name, with what goes to stderr in it.
#PBS -j oe

# The sweep file, and the database that takes the results. Put it on a filesystem all hosts share;
# only rank 0 writes to it. ESPALIER is the program where it is not on PATH.
cd "$PBS_O_WORKDIR" || exit
grid=${GRID:?"set GRID to the sweep file: qsub -v GRID=..."}
database=${DATABASE:-results.db}
espalier=${ESPALIER:-espalier}

# One thread for each product of matrices: the ranks are the parallelism.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# A line for each rank. An Open MPI that was built for PBS learns the hosts from it; another one,
# of version 4 and 5, is told here, and needs ssh from host to host.
ranks=$(wc -l <"$PBS_NODEFILE")
export OMPI_MCA_orte_default_hostfile="$PBS_NODEFILE" PRTE_MCA_prte_default_hostfile="$PBS_NODEFILE"

# espalier starts mpirun, so that a rank that dies does not end the sweep. It runs beside this
# script, which could not act on a signal while waiting in the foreground.
"$espalier" run "$grid" --db "$database" -n "$ranks" --progress plain &
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
