#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run a sweep as a Slurm job array, with a second job that merges the results. Use this where many
# small jobs start sooner than one large job, or where nodes have no MPI between them.
#
# Usage: jobs/slurm-array.sh GRID.ini [ELEMENTS [DATABASE]]         submits both jobs
#   GRID.ini   the sweep file
#   ELEMENTS   the number of elements (default: 20). Use far fewer elements than trials, because a
#              trial's key decides which element runs it.
#   DATABASE   of the whole sweep (default: results.db). Element K of N writes results.KofN.db, so no
#              two jobs write to the same file.
#   ESPALIER=/path/to/espalier   in the environment, if espalier is not in PATH
#   REQUEUE=yes   in the environment: requeue an element that stopped early, until its part is done
#
# To continue a sweep that stopped, run the same command again: finished trials never run twice. To
# run only some elements again, for example the 3rd and 7th of 20: scontrol requeue JOBID_3, or
#     sbatch --array=3,7 jobs/slurm-array.sh GRID.ini 20
#     espalier merge results.db results.*of20.db                 after they have ended
#
# Lines that begin with #SBATCH are options for Slurm. Options of the sbatch command override them.

#SBATCH --job-name=espalier
# Each element is one process on one core. For more ranks, set --ntasks and add `-n "$SLURM_NTASKS"`
# to the `espalier run` command below.
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
# Memory: 100 MB plus about three times the size of the features as 4-byte numbers.
#SBATCH --mem-per-cpu=1G
# Walltime of an element. The element need not finish its part in this time.
#SBATCH --time=04:00:00
# Slurm sends signal USR2 to this script two minutes before the walltime ends ("B:": only to it).
#SBATCH --signal=B:USR2@120
# If a node fails, Slurm puts its elements back into the queue.
#SBATCH --requeue
# One log for each element, named after job and index. An element that runs again appends to it.
#SBATCH --output=%x-%A_%a.log
#SBATCH --open-mode=append

if [ $# -eq 0 ]; then
    echo "usage: jobs/slurm-array.sh GRID.ini [ELEMENTS [DATABASE]]" >&2
    exit 2
fi
grid=$1
elements=${2:-20}
database=${3:-results.db}
requeue=${REQUEUE:-no}
espalier=${ESPALIER:-espalier}
if ! command -v "$espalier" >/dev/null; then
    echo "$espalier is not in PATH; set ESPALIER=/path/to/espalier" >&2
    exit 1
fi

# One thread for each matrix product, since the elements run in parallel.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# The second job: merge the databases of the elements.
if [ "${4:-}" = merge ]; then
    "$espalier" merge "$database" "${database%.db}".*of"$elements.db" || exit
    # Count the lines of unfinished trials, plus one for the header.
    lines=$("$espalier" plan "$grid" --db "$database" --format csv |
        grep -vc -e ',done,' -e ',diverged,' -e ',failed,')
    [ "$lines" -eq 1 ] && exit
    echo "$((lines - 1)) trials are not finished: run the same command again"
    exit 75
fi

# Called by hand: submit the array, of which at most 50 elements run at a time, and the merge.
# afterany: merge even if some elements failed.
if [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
    array=$(sbatch --parsable --array="1-$elements%50" "$0" "$grid" "$elements" "$database") || exit
    exec sbatch --dependency="afterany:${array%%;*}" --output=%x-merge-%j.log \
        "$0" "$grid" "$elements" "$database" merge
fi

# Count the finished trials in the database of this element.
part=${database%.db}.${SLURM_ARRAY_TASK_ID}of$elements.db
finished() {
    "$espalier" export "$part" 2>/dev/null | grep -c -e ',done,' -e ',diverged,' -e ',failed,'
}
before=$(finished)

# espalier runs in the background, so that this script can react to signals. --shard K/N and not
# `auto`: an array of only some elements does not know N. --grace: let running trials finish; they
# are expected to end half a minute before the walltime.
"$espalier" run "$grid" --db "$database" --shard "$SLURM_ARRAY_TASK_ID/$elements" --grace 90s --progress plain &
pid=$!
trap 'kill -USR2 "$pid"' USR1 USR2
# scancel kills the job soon, so send a second signal after a second: it ends running trials at once.
trap 'kill -USR2 "$pid"; sleep 1; kill -USR2 "$pid" 2>/dev/null' TERM

# `wait` returns early at each signal; the last `wait` gives the true exit status.
wait "$pid"
status=$?
while kill -0 "$pid" 2>/dev/null; do
    wait "$pid"
    status=$?
done

# Exit status 0: all trials of the part are finished. 3: finished, some trials failed. 75: stopped
# early. The element is requeued only if a trial finished; otherwise it might be requeued forever.
element=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
if [ "$status" -eq 75 ] && [ "$requeue" = yes ] && [ "$(finished)" -gt "$before" ]; then
    exec scontrol requeue "$element"
fi
[ "$status" -ne 75 ] || echo "not finished: submit the same command again, or scontrol requeue $element"
exit "$status"
