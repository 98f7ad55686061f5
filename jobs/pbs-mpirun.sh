#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run a sweep in one job of PBS (OpenPBS, PBS Professional, Torque), with mpirun.
#
# Usage: qsub -v GRID=grid.ini[,DATABASE=results.db][,ESPALIER=/path/to/espalier] jobs/pbs-mpirun.sh
#   GRID       the sweep file
#   DATABASE   for the results, on a filesystem that all hosts share (default: results.db)
#   ESPALIER   if espalier is not in PATH
#   OPTIONS    for `espalier run`, separated by blanks. A comma would end it in -v, so export it:
#              export OPTIONS="--set grid.lambda=0.1,1"; qsub -v GRID=grid.ini,OPTIONS ...
#
# To continue a sweep that stopped, submit the same command again: finished trials never run twice.
# Lines that begin with #PBS are options for PBS. Options of the qsub command override them.

#PBS -N espalier
# Two chunks of 16 cores, with a rank on each core. Each rank trains one trial at a time, so more
# ranks than trials are useless. They may run on any number of hosts, of any kind. Memory: the ranks on
# a host share one copy of the data, with a byte for each genotype. Plenty: 100 MB for each rank plus 4
# bytes for each genotype on each host. With Torque: -l nodes=2:ppn=16
#PBS -l select=2:ncpus=16:mpiprocs=16:mem=16gb
# Walltime. The sweep need not finish in this time: espalier asks PBS (qstat) how much is left and
# starts only trials that can finish.
#PBS -l walltime=04:00:00
# If a host fails, PBS puts the job back into the queue.
#PBS -r y
# One log for each job, named after its number, for stdout and stderr.
#PBS -j oe

if [ -z "${GRID:-}" ] || [ -z "${PBS_NODEFILE:-}" ]; then
    echo "usage: qsub -v GRID=grid.ini jobs/pbs-mpirun.sh" >&2
    exit 2
fi
cd "$PBS_O_WORKDIR" || exit
grid=$GRID
database=${DATABASE:-results.db} # only rank 0 writes to it
espalier=${ESPALIER:-espalier}
if ! command -v "$espalier" >/dev/null; then
    echo "$espalier is not in PATH; set ESPALIER=/path/to/espalier" >&2
    exit 1
fi

# One thread for each matrix product, since the ranks run in parallel.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# PBS_NODEFILE has a line for each rank. An Open MPI built for PBS gets the hosts from PBS. For any
# other, these variables (for versions 4 and 5) name the list of hosts; it also needs ssh between hosts.
ranks=$(wc -l <"$PBS_NODEFILE")
export OMPI_MCA_orte_default_hostfile="$PBS_NODEFILE" PRTE_MCA_prte_default_hostfile="$PBS_NODEFILE"

# espalier starts mpirun. If a rank dies, the others continue. It runs in the background, so that this
# script can react to signals.
# shellcheck disable=SC2086
"$espalier" run "$grid" --db "$database" -n "$ranks" --progress plain ${OPTIONS:-} &
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
