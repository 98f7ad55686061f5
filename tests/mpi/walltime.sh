#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The walltime of a real Slurm, which is at least a minute: jobs that are warned before it and
# requeue themselves, and jobs that Slurm ends. Takes about six minutes.
. "${SRCDIR:-.}/tests/lib.sh"
. "$SRCDIR/tests/mpi/slurmlib.sh"
jobs=$SRCDIR/jobs
cd "$T" || exit 1

rows() {
    sqlite3 "$1" "select config, replicate, state, quote(value), quote(test_pearson) from trials order by 1, 2"
}
finished() { sqlite3 "$1" "select count(*) from trials where state = 'done'"; }
sessions() { sqlite3 "$1" 'select count(*) from session'; }
state_of() { scontrol show job "$1" | sed -n 's/.*JobState=\([A-Z]*\).*/\1/p'; }
# Wait up to ten minutes until a job is in a final state.
wait_for() {
    for _ in $(seq 6000); do
        case $(state_of "$1") in
        COMPLETED | FAILED | TIMEOUT | CANCELLED) break ;;
        esac
        sleep 1
    done
}

# 90 trials of about 2 seconds of processor time: 90 s on two ranks.
sweep() { # LEARNING_RATES REPLICATES EPOCHS
    printf '[sweep]\nreplicates = %s\n[data]\nformat = simulated\nsamples = 60\nmarkers = 80\n[train]\nepochs = %s\n' "$2" "$3"
    printf '[grid]\nlearning_rate = %s\n' "$1"
}
sweep 0.01 2 100000 >probe.ini
# shellcheck disable=SC2016 # for the inner shell, which has no other child
cpu=$(sh -c '"$0" run probe.ini -n 1 --db probe.db --progress none 2>/dev/null; times' "$ESPALIER" |
    awk 'NR == 2 { split($1, at, "[ms]"); print 60 * at[1] + at[2] }')
epochs=$(awk "BEGIN { print int(2 * 2 * 100000 / $cpu) }")
sweep "0.001, 0.01, 0.1" 30 "$epochs" >grid.ini
ok "a plain run" "$ESPALIER" run grid.ini -n 2 --db plain.db --progress none

# Warned 20 seconds before the end, or up to half a minute earlier: Slurm checks no more often.
job=$(REQUEUE=yes sbatch --parsable --time=1 --signal=B:USR2@20 -n 2 -o warned.log \
    "$jobs/slurm-mpirun.sh" grid.ini warned.db)
wait_for "$job"
is "a job that is warned is completed in the end" "$(state_of "$job")" COMPLETED
like "in several runs of the same job" "$(sessions warned.db)" '^([2-9]|1[0-9])$'
is "with messages that say so" "$(grep -c 'stopped early' warned.log)" "$(($(sessions warned.db) - 1))"
is "the rows equal those of a plain run" "$(rows warned.db)" "$(rows plain.db)"

# Without a warning, and unable to ask for the remaining time: Slurm ends the job.
mkdir blind
for program in mpirun orted sh env; do
    ln -s "$(command -v $program)" blind/$program
done
cat >unaware <<SH
#!/bin/sh
unset SLURM_JOB_END_TIME
PATH=$T/blind exec "$ESPALIER" "\$@"
SH
chmod +x unaware
job=$(ESPALIER=$T/unaware sbatch --parsable --time=1 --signal=B:CONT@50 -n 1 -o ended.log \
    "$jobs/slurm-mpirun.sh" grid.ini ended.db)
wait_for "$job"
is "a job that is not warned is ended" "$(state_of "$job")" TIMEOUT
like "with some trials finished" "$(finished ended.db)" '^[1-8]?[0-9]$'
for _ in $(seq 12); do
    [ "$(state_of "$job")" = COMPLETED ] && break
    scontrol requeue "$job"
    sleep 2
    wait_for "$job"
done
is "back in the queue it is completed" "$(state_of "$job")" COMPLETED
is "the rows equal those of a plain run" "$(rows ended.db)" "$(rows plain.db)"
done_testing
