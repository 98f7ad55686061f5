#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A sweep as an LSF job array, and the job that joins its parts: for sites where many small jobs
# start sooner than one large one, or without MPI between hosts.
#
#     jobs/lsf-array.sh GRID.ini [ELEMENTS [DATABASE]]         submits both
#
# The same line again goes on where the sweep stopped: finished trials are never run twice. To run
# some elements again, the 3rd and 7th of 20 say: brequeue -e "JOBID[3]", or
#     bsub -J "espalier[3,7]" jobs/lsf-array.sh GRID.ini 20
#     espalier merge results.db results.*of20.db               when they have ended

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

# Not an element: submit the array and the merge. Of the array:
#   [1-N]%20   at most 20 elements at a time
#   -n 1       one core and one process; for more add `-n "$LSB_DJOB_NUMPROC"` to the espalier below
#   -W         walltime, hours:minutes; it need not be enough for an element's part
#   -wa, -wt   two minutes before it LSF sends USR2 to the job, this script included
#   -Q 75      an element that says 75, stopped early, goes back into the queue
#   -r         so does one whose host fails
# ended(): the merge waits for all elements, also for those that failed.
if [ "${LSB_JOBINDEX:-0}" -eq 0 ]; then
    name=espalier-$$
    bsub -J "${name}[1-$elements]%20" -n 1 -R "rusage[mem=1000] affinity[core(1)]" -W 4:00 \
        -wa USR2 -wt 2 -Q 75 -r -o %J-%I.log "$0" "$grid" "$elements" "$database" || exit
    exec bsub -J "$name-merge" -w "ended($name)" -n 1 -W 1:00 -o %J.log \
        "$0" "$grid" "$elements" "$database" merge
fi

# How many trials the database of this element holds the end of.
part=${database%.db}.${LSB_JOBINDEX}of$elements.db
finished() {
    "$espalier" export "$part" 2>/dev/null | grep -c -e ',done,' -e ',diverged,' -e ',failed,'
}
before=$(finished)

# It runs beside this script, which could not act on a signal while waiting in the foreground.
# `--shard auto` would ask LSF for N, which an array of some elements only does not know.
# --grace: trials under way were begun to end half a minute before the walltime, let them.
"$espalier" run "$grid" --db "$database" --shard "$LSB_JOBINDEX/$elements" --grace 90s --progress plain &
pid=$!
trap 'kill -USR2 "$pid"' USR1 USR2
# bkill: all is killed soon. A second signal, a second later, waits for no trial.
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
if [ "$status" -eq 75 ] && [ "$(finished)" -le "$before" ]; then
    echo "stopped before a single trial came to its end: not queued again; submit the same line again"
    exit 1
fi
exit "$status"
