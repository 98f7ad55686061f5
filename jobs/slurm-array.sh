#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A sweep as a Slurm job array, and the job that joins its parts: for sites where many small jobs
# start sooner than one large one, or without MPI between nodes.
#
#     jobs/slurm-array.sh GRID.ini [ELEMENTS [DATABASE]]         submits both
#
# The same line again goes on where the sweep stopped: finished trials are never run twice. To run
# some elements again, the 3rd and 7th of 20 say: scontrol requeue JOBID_3, or
#     sbatch --array=3,7 jobs/slurm-array.sh GRID.ini 20
#     espalier merge results.db results.*of20.db                 when they have ended
#
# Lines that begin with #SBATCH are for Slurm; what is given to sbatch itself wins over them.

#SBATCH --job-name=espalier
# One core and one process for each element. More ranks are possible: set --ntasks and add
# `-n "$SLURM_NTASKS"` to the espalier that runs below.
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
# Memory: about three times the size of the features as 4-byte numbers, and 100 MB.
#SBATCH --mem-per-cpu=1G
# Walltime of an element. It need not be enough for its part.
#SBATCH --time=04:00:00
# Two minutes before the walltime Slurm sends USR2 to this script ("B:" means: not to the others).
#SBATCH --signal=B:USR2@120
# When a node fails, Slurm puts its elements back into the queue.
#SBATCH --requeue
# One log for each element: name, job, index. A job that runs again adds to it.
#SBATCH --output=%x-%A_%a.log
#SBATCH --open-mode=append

# Put an element back into the queue also when it was stopped early, until all is done? yes or no.
requeue=${REQUEUE:-no}

# The sweep file; the elements, far fewer than trials, since a trial's key decides where it goes; the
# database of the whole. Element K of N writes results.KofN.db: no two jobs write to one file.
# ESPALIER is the program where it is not on PATH.
grid=${1:?"usage: $0 GRID.ini [ELEMENTS [DATABASE.db]]"}
elements=${2:-20}
database=${3:-results.db}
espalier=${ESPALIER:-espalier}

# One thread for each product of matrices: the elements are the parallelism.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# The job that merges.
if [ "${4:-}" = merge ]; then
    "$espalier" merge "$database" "${database%.db}".*of"$elements.db" || exit
    # Lines of trials that are not finished, and that of the names.
    lines=$("$espalier" plan "$grid" --db "$database" --format csv |
        grep -vc -e ',done,' -e ',diverged,' -e ',failed,')
    [ "$lines" -eq 1 ] && exit
    echo "$((lines - 1)) trials are not finished: submit the same line again"
    exit 75
fi

# Not an element: submit the array, at most 50 elements at a time, and the merge. afterany: what is
# there is merged also when elements failed.
if [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
    array=$(sbatch --parsable --array="1-$elements%50" "$0" "$grid" "$elements" "$database") || exit
    exec sbatch --dependency="afterany:${array%%;*}" --output=%x-merge-%j.log \
        "$0" "$grid" "$elements" "$database" merge
fi

# How many trials the database of this element holds the end of.
part=${database%.db}.${SLURM_ARRAY_TASK_ID}of$elements.db
finished() {
    "$espalier" export "$part" 2>/dev/null | grep -c -e ',done,' -e ',diverged,' -e ',failed,'
}
before=$(finished)

# It runs beside this script, which could not act on a signal while waiting in the foreground.
# `--shard auto` would ask Slurm for N, which an array of some elements only does not know.
# --grace: trials under way were begun to end half a minute before the walltime, let them.
"$espalier" run "$grid" --db "$database" --shard "$SLURM_ARRAY_TASK_ID/$elements" --grace 90s --progress plain &
pid=$!
trap 'kill -USR2 "$pid"' USR1 USR2
# scancel: all is killed soon. A second signal, a second later, waits for no trial.
trap 'kill -USR2 "$pid"; sleep 1; kill -USR2 "$pid" 2>/dev/null' TERM

# `wait` ends early at each signal; the true exit status is that of the last one.
wait "$pid"
status=$?
while kill -0 "$pid" 2>/dev/null; do
    wait "$pid"
    status=$?
done

# 0: all trials of the part are finished. 3: finished, some trials failed. 75: stopped early, to be
# continued; by itself only if a trial came to its end, lest it go on for ever where none does.
element=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
if [ "$status" -eq 75 ] && [ "$requeue" = yes ] && [ "$(finished)" -gt "$before" ]; then
    exec scontrol requeue "$element"
fi
[ "$status" -ne 75 ] || echo "not finished: submit the same line again, or scontrol requeue $element"
exit "$status"
