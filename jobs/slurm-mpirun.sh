#!/bin/sh
# A sweep in one Slurm allocation, started with mpirun.
#
#     sbatch jobs/slurm-mpirun.sh GRID.ini [DATABASE]
#
# The same line again goes on where this one stopped: finished trials are never run twice. Lines
# that begin with #SBATCH are for Slurm; what is given to sbatch itself wins over them.

#SBATCH --job-name=espalier
# Ranks. Each trains one trial at a time, so more ranks than trials are of no use; they may lie on
# any number of nodes, of any kind.
#SBATCH --ntasks=32
# Cores of a rank: as many as `threads` in the sweep file, which is 1 unless it says otherwise.
#SBATCH --cpus-per-task=1
# Memory of a core. Ranks of a node share one copy of the data, a byte for each genotype; 100 MB for
# each rank and 4 bytes for each genotype and node are plenty (with reduce = exact much less).
#SBATCH --mem-per-cpu=1G
# Walltime. It need not be enough for the whole sweep.
#SBATCH --time=04:00:00
# Two minutes before the walltime Slurm sends USR1 to this script ("B:" means: not to the ranks).
#SBATCH --signal=B:USR1@120
# One log for each job: its name and number. A job that runs again adds to it.
#SBATCH --output=%x-%j.log
#SBATCH --open-mode=append

# The sweep file, and the database that takes the results. Put it on a filesystem all nodes share;
# only rank 0 writes to it.
grid=${1:?"usage: sbatch $0 GRID.ini [DATABASE]"}
database=${2:-results.db}

# One thread for each product of matrices: the ranks are the parallelism.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# mpirun learns the hosts and the number of ranks from Slurm. It runs beside this script, which
# could not act on a signal while waiting for it in the foreground.
# ESPALIER is the program where it is not on PATH: sbatch --export=ALL,ESPALIER=$PWD/espalier ...
mpirun --map-by "slot:PE=${SLURM_CPUS_PER_TASK:-1}" --bind-to core \
    "${ESPALIER:-espalier}" run "$grid" --db "$database" --progress plain &
pid=$!

# USR1 asks the ranks to stop. mpirun hands it on to all of them (TERM would make it kill them).
trap 'kill -USR1 "$pid"' USR1

# `wait` ends early at each signal; the true exit status is that of the last one.
wait "$pid"
status=$?
while kill -0 "$pid" 2>/dev/null; do
    wait "$pid"
    status=$?
done

# 0: all trials are finished. 3: finished, some trials failed. 75: stopped early, to be continued.
# To go on, submit the same line again, or give this very job back to the queue:
#     scontrol requeue JOBID
[ "$status" -ne 75 ] || echo "not finished: submit the same line again, or scontrol requeue $SLURM_JOB_ID"
exit "$status"
