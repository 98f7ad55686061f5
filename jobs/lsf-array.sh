#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run a sweep as an LSF job array, with a second job that merges the results. Use this where many
# small jobs start sooner than one large job, or where hosts have no MPI between them.
#
# Usage: jobs/lsf-array.sh GRID.ini [ELEMENTS [DATABASE]] [OPTION...]   submits both jobs
#   GRID.ini   the sweep file
#   ELEMENTS   the number of elements (default: 20). Use far fewer elements than trials, because a
#              trial's key decides which element runs it.
#   DATABASE   of the whole sweep (default: results.db). Element K of N writes results.KofN.db, so no
#              two jobs write to the same file.
#   OPTION     of `espalier run`, for all elements, for example --set epochs=200
#   ESPALIER=/path/to/espalier   in the environment, if espalier is not in PATH
#
# To continue a sweep that stopped, run the same command again: finished trials never run twice. To
# run only some elements again, for example the 3rd and 7th of 20: brequeue -e "JOBID[3]", or
#     bsub -J "espalier[3,7]" jobs/lsf-array.sh GRID.ini 20
#     espalier merge results.db results.*of20.db               after they have ended

usage() {
    echo "usage: jobs/lsf-array.sh GRID.ini [ELEMENTS [DATABASE]] [OPTION...]" >&2
    exit 2
}
[ $# -gt 0 ] || usage
grid=$1 elements=20 database=results.db mode=''
shift
# The words before the first option. The merge job gets the word `merge` as the last.
for name in elements database mode; do
    case ${1:--} in
    -*) break ;;
    esac
    eval "$name=\$1"
    shift
done
# --db names the database, too. The other options go to `run`.
previous=''
for word; do
    case $previous,$word in
    --db,*) database=$word ;;
    *,--db=*) database=${word#--db=} ;;
    esac
    previous=$word
done
case $elements in
*[!0-9]*) usage ;;
esac
case $mode in
'' | merge) ;;
*) usage ;;
esac

# `run --shard` makes results.1of20.db from results.db.
case ${database##*/} in
?*.*) stem=${database%.*} extension=.${database##*.} ;;
*) stem=$database extension='' ;;
esac
espalier=${ESPALIER:-espalier}
if ! command -v "$espalier" >/dev/null; then
    echo "$espalier is not in PATH; set ESPALIER=/path/to/espalier" >&2
    exit 1
fi

# One thread for each matrix product, since the elements run in parallel.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# Count the lines of unfinished trials, plus one for the header. `plan` takes no option but --set.
lines() {
    previous=''
    for word; do
        shift
        case $previous,$word in
        --set,* | *,--set | *,--set=*) set -- "$@" "$word" ;;
        esac
        previous=$word
    done
    "$espalier" plan "$grid" --db "$database" --format csv "$@" |
        grep -vc -e ',done,' -e ',diverged,' -e ',failed,'
}

# The second job: merge the databases of the elements.
if [ "$mode" = merge ]; then
    "$espalier" merge "$database" "$stem".*of"$elements$extension" || exit
    left=$(($(lines "$@") - 1))
    [ "$left" -ge 0 ] || exit 1 # `plan` has printed the reason
    [ "$left" -gt 0 ] || exit 0
    echo "$left trials are not finished: run the same command again"
    exit 75
fi

# Called by hand: submit the array and the merge. Options of the array:
#   [1-N]%20   at most 20 elements run at a time
#   -n 1       one core and one process; for more add `-n "$LSB_DJOB_NUMPROC"` to `espalier run` below
#   -W         walltime, hours:minutes; an element need not finish its part in this time
#   -wa, -wt   LSF sends USR2 to all processes of the job two minutes before the walltime ends
#   -Q 75      LSF puts an element with exit status 75 (stopped early) back into the queue
#   -r         and an element whose host fails
# For a sweep with gpus = 1 in [resources], add -gpu "num=1" to the first bsub.
# ended(): the merge waits for all elements, including those that failed.
if [ "${LSB_JOBINDEX:-0}" -eq 0 ]; then
    # Errors of the sweep file and the options now, and not in each element.
    "$espalier" run "$grid" --db "$database" --dry-run "$@" >/dev/null || exit
    name=espalier-$$
    bsub -J "${name}[1-$elements]%20" -n 1 -R "rusage[mem=1000] affinity[core(1)]" -W 4:00 \
        -wa USR2 -wt 2 -Q 75 -r -o %J-%I.log "$0" "$grid" "$elements" "$database" "$@" || exit
    exec bsub -J "$name-merge" -w "ended($name)" -n 1 -W 1:00 -o %J.log \
        "$0" "$grid" "$elements" "$database" merge "$@"
fi

# Print how far this element is: the number of finished trials, and the checkpoints of others.
part=$stem.${LSB_JOBINDEX}of$elements$extension
progress() {
    "$espalier" export "$part" 2>/dev/null | grep -c -e ',done,' -e ',diverged,' -e ',failed,'
    "$espalier" status "$part" --section checkpoints --format csv 2>/dev/null | sed 1d
}
before=$(progress)

# espalier runs in the background, so that this script can react to signals. --shard K/N and not
# `auto`: an array of only some elements does not know N. --grace: let running trials finish; they
# are expected to end half a minute before the walltime.
"$espalier" run "$grid" --db "$database" --shard "$LSB_JOBINDEX/$elements" --grace 90s \
    --progress plain "$@" &
pid=$!
trap 'kill -USR2 "$pid"' USR1 USR2
# bkill kills the job soon, so send a second signal after a second: it ends running trials at once.
trap 'kill -USR2 "$pid"; sleep 1; kill -USR2 "$pid" 2>/dev/null' TERM

# `wait` returns early at each signal; the last `wait` gives the true exit status.
wait "$pid"
status=$?
while kill -0 "$pid" 2>/dev/null; do
    wait "$pid"
    status=$?
done

# Exit status 0: all trials of the part are finished. 3: finished, some trials failed. 75: stopped
# early. The element is requeued only if there was progress; otherwise it might be requeued forever.
if [ "$status" -eq 75 ] && [ "$(progress)" = "$before" ]; then
    echo "stopped without progress: not requeued; submit the same command again"
    exit 1
fi
exit "$status"
