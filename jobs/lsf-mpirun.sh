#!/bin/sh
# A sweep in one LSF job, started with mpirun.
#
#     bsub < jobs/lsf-mpirun.sh                        with GRID and DATABASE edited below, or
#     GRID=grids/ft10.ini bsub < jobs/lsf-mpirun.sh    from the environment, which LSF hands on
#
# The same line again goes on where this one stopped: finished trials are never run twice. Lines
# that begin with #BSUB are for LSF; what is given to bsub itself wins over them.

#BSUB -J espalier
# Ranks. Each trains one trial at a time, so more ranks than trials are of no use; they may lie on
# any number of hosts, of any kind.
#BSUB -n 32
# Memory of a rank, in the unit of your site, mostly MB. Ranks of a host share one copy of the data,
# a byte for each genotype; 100 MB for each rank and 4 bytes for each genotype and host are plenty.
#BSUB -R "rusage[mem=1000]"
# Walltime, hours:minutes. It need not be enough for the whole sweep.
#BSUB -W 4:00
# Two minutes before the walltime LSF sends USR1.
#BSUB -wa USR1
#BSUB -wt 2
# One log for each job: its name and number. A job that runs again adds to it.
#BSUB -o %J.log

# The sweep file, and the database that takes the results. Put it on a filesystem all hosts share;
# only rank 0 writes to it.
grid=${GRID:?"set GRID to the sweep file"}
database=${DATABASE:-results.db}

# One thread for each product of matrices: the ranks are the parallelism.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# An Open MPI built for LSF learns the hosts from it; -n is for one that was not. mpirun runs beside
# this script, which could not act on a signal while waiting for it in the foreground.
mpirun -n "${LSB_DJOB_NUMPROC:-1}" --bind-to core \
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
#     brequeue -e JOBID
[ "$status" -ne 75 ] || echo "not finished: submit the same line again, or brequeue -e $LSB_JOBID"
exit "$status"
