#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run a sweep as a Slurm job array, with a second job that merges the results. Use this where many
# small jobs start sooner than one large job, or where nodes have no MPI between them.
#
# Usage: jobs/slurm-array.sh GRID.ini [ELEMENTS [DATABASE]] [OPTION...]   submits both jobs
#   GRID.ini   the sweep file
#   ELEMENTS   the number of elements (default: 20). Use far fewer elements than trials, because a
#              trial's key decides which element runs it.
#   DATABASE   of the whole sweep (default: results.db). Element K of N writes results.KofN.db, so no
#              two jobs write to the same file.
#   OPTION     of `espalier run`, for all elements, for example --set epochs=200
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
# For a sweep with gpus = 1 in [resources], add the line "#SBATCH --gres=gpu:1".
# Memory: 100 MB plus about three times the size of the features as 4-byte numbers.
#SBATCH --mem-per-cpu=1G
# Walltime of an element. The element need not finish its part in this time.
# No trial starts in the last two minutes (--signal), so ask for at least ten.
#SBATCH --time=04:00:00
# Slurm sends signal USR2 to this script two minutes before the walltime ends ("B:": only to it).
#SBATCH --signal=B:USR2@120
# If a node fails, Slurm puts its elements back into the queue.
#SBATCH --requeue
# An element that runs again appends to its log.
#SBATCH --open-mode=append

usage() {
    echo "usage: jobs/slurm-array.sh GRID.ini [ELEMENTS [DATABASE]] [OPTION...]" >&2
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
requeue=${REQUEUE:-no}
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

# Called by hand: submit the array, of which at most 50 elements run at a time, and the merge.
# afterany: merge even if some elements failed.
if [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
    case $0 in
    */slurm_script)
        echo "call this script without sbatch: it submits the array and the merge by itself" >&2
        usage
        ;;
    esac
    # Errors of the sweep file and the options now, and not in each element.
    "$espalier" run "$grid" --db "$database" --dry-run "$@" >/dev/null || exit
    array=$(sbatch --parsable --array="1-$elements%50" --output=%x-%A_%a.log \
        "$0" "$grid" "$elements" "$database" "$@") || exit
    array=${array%%;*}
    merge=$(sbatch --parsable --dependency="afterany:$array" --output=%x-merge-%j.log \
        "$0" "$grid" "$elements" "$database" merge "$@") || exit
    merge=${merge%%;*}
    cat <<END
Submitted batch job $array: an array of $elements elements
Submitted batch job $merge: merges their results into $database when all have ended
To cancel both:               scancel $array $merge
To cancel one element:        scancel ${array}_1
To put it back in the queue:  scontrol requeue ${array}_1
END
    exit
fi

# Print how far this element is: the number of finished trials, and the checkpoints of others.
part=$stem.${SLURM_ARRAY_TASK_ID}of$elements$extension
progress() {
    "$espalier" export "$part" 2>/dev/null | grep -c -e ',done,' -e ',diverged,' -e ',failed,'
    "$espalier" status "$part" --section checkpoints --format csv 2>/dev/null | sed 1d
}
before=$(progress)

# espalier runs in the background, so that this script can react to signals. --shard K/N and not
# `auto`: an array of only some elements does not know N. --grace: let running trials finish; they
# are expected to end half a minute before the walltime.
"$espalier" run "$grid" --db "$database" --shard "$SLURM_ARRAY_TASK_ID/$elements" --grace 90s \
    --progress plain "$@" &
pid=$!
# --signal sends USR2; so may you, with scancel --batch --signal=USR2.
trap 'echo "USR2 has come (#SBATCH --signal): no new trials start"; kill -USR2 "$pid"' USR1 USR2
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
# early. The element is requeued only if there was progress; otherwise it might be requeued forever.
element=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
if [ "$status" -eq 75 ] && [ "$requeue" = yes ] && [ "$(progress)" != "$before" ]; then
    exec scontrol requeue "$element"
fi
[ "$status" -ne 75 ] || echo "not finished: submit the same command again, or scontrol requeue $element"
exit "$status"
