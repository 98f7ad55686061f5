#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A sweep in one Slurm allocation, started with srun: for sites where mpirun is not wanted. Open MPI
# must know Slurm's PMIx (`srun --mpi=list` names pmix; else each rank would believe to be alone).
#
#     sbatch jobs/slurm-srun.sh GRID.ini [DATABASE]
#
# Prefer slurm-mpirun.sh where you can choose: when a rank dies, Slurm ends all ranks of an srun, and
# this script starts them again; under mpirun the others never stop.
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
# Two minutes before the walltime Slurm sends USR2 to this script ("B:" means: not to the ranks).
#SBATCH --signal=B:USR2@120
# When a node fails, Slurm puts the job back into the queue.
#SBATCH --requeue
# One log for each job: its name and number. A job that runs again adds to it.
#SBATCH --output=%x-%j.log
#SBATCH --open-mode=append

# Put the job back into the queue also when it was stopped early, until all is done? yes or no.
requeue=${REQUEUE:-no}

# The sweep file, and the database that takes the results. Put it on a filesystem all nodes share;
# only rank 0 writes to it. ESPALIER is the program where it is not on PATH.
grid=${1:?"usage: sbatch $0 GRID.ini [DATABASE]"}
database=${2:-results.db}
espalier=${ESPALIER:-espalier}

# One thread for each product of matrices: the ranks are the parallelism.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# How many trials the database holds the end of.
finished() {
    "$espalier" export "$database" 2>/dev/null | grep -c -e ',done,' -e ',diverged,' -e ',failed,'
}
before=$(finished)

# It runs beside this script, which could not act on a signal while waiting in the foreground. srun
# hands USR2 on to all ranks. --kill-on-bad-exit=0, --wait=0: ranks that end, 75 included, do not
# take those along that are still writing. --grace: trials under way were begun to end half a minute
# before the walltime, let them.
start() {
    srun --mpi=pmix --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" --kill-on-bad-exit=0 --wait=0 \
        "$espalier" run "$grid" --db "$database" --grace 90s --progress plain &
    pid=$!
    trap 'asked=yes; kill -USR2 "$pid"' USR1 USR2
    # scancel: all is killed soon. A second signal, a second later, waits for no trial.
    trap 'asked=yes; kill -USR2 "$pid"; sleep 1; kill -USR2 "$pid" 2>/dev/null' TERM
    # `wait` ends early at each signal; the true exit status is that of the last one.
    wait "$pid"
    status=$?
    while kill -0 "$pid" 2>/dev/null; do
        wait "$pid"
        status=$?
    done
}

# Above 128 without being asked: a rank died, and Slurm ended the others. Once more, as long as that
# gets further.
asked=no
start
at=$before
while [ "$status" -gt 128 ] && [ "$asked" = no ] && [ "$(finished)" -gt "$at" ]; do
    at=$(finished)
    echo "a rank died: starting again, with $at trials finished"
    start
done

# 0: all trials are finished. 3: finished, some trials failed. 75: stopped early, to be continued;
# by itself only if a trial came to its end, lest it go on for ever where none does.
if [ "$status" -eq 75 ] && [ "$requeue" = yes ] && [ "$(finished)" -gt "$before" ]; then
    exec scontrol requeue "$SLURM_JOB_ID"
fi
[ "$status" -ne 75 ] || echo "not finished: submit the same line again, or scontrol requeue $SLURM_JOB_ID"
exit "$status"
