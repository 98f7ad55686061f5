#!/bin/sh
# A sweep as an LSF job array, and the job that joins its parts: for sites where many small jobs
# start sooner than one large one, or without MPI between hosts.
#
#     jobs/lsf-array.sh GRID.ini [ELEMENTS [DATABASE]]         submits both
#
# The same line again goes on where the sweep stopped: finished trials are never run twice. To run
# one element again, the 3rd of 20 say: brequeue -e "JOBID[3]", or, since LSF does not tell an
# element which others there are,
#     SHARD=3/20 bsub jobs/lsf-array.sh GRID.ini 20
#     espalier merge results.db results.*of20.db               when it has ended

# The sweep file; the elements, far fewer than trials, since a trial's key decides where it goes; the
# database of the whole. Element K of N writes results.KofN.db: no two jobs write to one file.
grid=${1:?"usage: $0 GRID.ini [ELEMENTS [DATABASE.db]]"}
elements=${2:-20}
database=${3:-results.db}
espalier=${ESPALIER:-espalier}

# One thread for each product of matrices: the elements are the parallelism.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# The job that merges.
if [ "${4:-}" = merge ]; then
    "$espalier" merge "$database" "${database%.db}".*of"$elements.db" || exit
    left=$("$espalier" plan "$grid" --db "$database" --format csv | grep -c ',pending,')
    [ "$left" -eq 0 ] && exit
    echo "$left trials are not finished: submit the same line again"
    exit 75
fi

# Not an element: submit the array and the merge. Of the array:
#   [1-N]%50   at most 50 elements at a time; the first index must be 1, as LSF does not tell it
#   -n 1       one core and one process; more ranks are possible (`mpirun -n` before espalier below)
#   -W         walltime, hours:minutes; it need not be enough for an element's part
#   -wa, -wt   two minutes before it LSF sends USR1 to the job, this script included
#   -Q 75      an element that says 75, stopped early, is queued again by itself
# ended(): the merge waits for all elements, also for those that failed.
if [ "${LSB_JOBINDEX:-0}" -eq 0 ] && [ -z "${SHARD:-}" ]; then
    name=espalier-$$
    bsub -J "${name}[1-$elements]%50" -n 1 -R "rusage[mem=1000]" -W 4:00 -wa USR1 -wt 2 -Q 75 \
        -o %J-%I.log "$0" "$grid" "$elements" "$database" || exit
    exec bsub -J "$name-merge" -w "ended($name)" -n 1 -W 1:00 -o %J.log \
        "$0" "$grid" "$elements" "$database" merge
fi

# It runs beside this script, which could not act on a signal while waiting in the foreground.
"$espalier" run "$grid" --db "$database" --shard "${SHARD:-auto}" --progress plain &
pid=$!
trap 'kill -USR1 "$pid"' USR1

# `wait` ends early at each signal; the true exit status is that of the last one.
wait "$pid"
status=$?
while kill -0 "$pid" 2>/dev/null; do
    wait "$pid"
    status=$?
done

# 0: all trials of the part are finished. 3: finished, some trials failed. 75: stopped early.
exit "$status"
