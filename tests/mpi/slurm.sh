#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The scripts of jobs/ for Slurm, under a private Slurm on this machine: mpirun, srun, an array, and
# their failures. In all cases the rows equal those of a plain run.
. "${SRCDIR:-.}/tests/lib.sh"
. "$SRCDIR/tests/mpi/slurmlib.sh"
jobs=$SRCDIR/jobs
cd "$T" || exit 1

cat >quick.ini <<'END'
[sweep]
replicates = 2
[data]
format = simulated
samples = 60
markers = 80
[train]
epochs = 5
[grid]
hidden_size = 4, 8
learning_rate = 0.01, 0.1
END
# A trial of about half a second, and an endless one.
sed 's/^epochs.*/epochs = 18000/' quick.ini >slow.ini
sed 's/^epochs.*/epochs = 10000000/' quick.ini >endless.ini
sed 's/^replicates.*/replicates = 8/; s/^epochs.*/epochs = 10000/' quick.ini >many.ini

rows() {
    sqlite3 "$1" "select config, replicate, fold, state, quote(value), quote(test_pearson) from trials
        order by 1, 2, 3"
}
finished() { sqlite3 "$1" "select count(*) from trials where state = 'done'" 2>/dev/null || echo 0; }
job_of() { sed -n "s/^Submitted batch job \([0-9]*\): $2.*/\1/p" "$1"; }
has_finished() { [ "$(finished "$1")" -ge "$2" ]; }
# The rank processes of the sweep into database $1.
ranks_of() { pgrep -f "^$ESPALIER run .*--db $1 "; }

ok "a plain run of the quick sweep" "$ESPALIER" run quick.ini --db quick.db --progress none
ok "a plain run of the slow sweep" "$ESPALIER" run slow.ini -n 2 --db slow.db --progress none
ok "a plain run of the sweep of many trials" "$ESPALIER" run many.ini -n 2 --db many.db --progress none

ok "sbatch jobs/slurm-mpirun.sh" batch -n 2 -o mpirun.log "$jobs/slurm-mpirun.sh" quick.ini mpirun.db
is "the rows equal those of a plain run" "$(rows mpirun.db)" "$(rows quick.db)"
is "on two ranks" "$(sqlite3 mpirun.db 'select ranks from session')" 2

ok "sbatch jobs/slurm-srun.sh" batch -n 2 -o srun.log "$jobs/slurm-srun.sh" quick.ini srun.db
is "the rows equal those of a plain run" "$(rows srun.db)" "$(rows quick.db)"
is "on two ranks" "$(sqlite3 srun.db 'select ranks from session')" 2

ok "sbatch jobs/slurm-gpu.sh" batch --ntasks-per-node=2 --cpus-per-task=1 --mem-per-cpu=0 -o gpu.log \
    "$jobs/slurm-gpu.sh" quick.ini gpu.db
is "the rows equal those of a plain run" "$(rows gpu.db)" "$(rows quick.db)"
is "on two ranks" "$(sqlite3 gpu.db 'select ranks from session')" 2

fails "more ranks than tasks" 1 salloc -n 1 "$ESPALIER" run quick.ini -n 2 --db few.db
like "the message says what to ask for" "$(cat .err)" \
    "^espalier: -n 2, but Slurm job [0-9]+ has 1 task: ask for --ntasks=2, or use -n 1; no trial was run"
fails "more threads than cores" 1 salloc -n 2 "$ESPALIER" run quick.ini -n 2 --set threads=2 --db few.db
like "the message says how to see the reason" "$(cat .err)" "; 'mpirun -n 2 --map-by slot:PE=2 hostname' prints the reason"

# The scripts ask for this signal with --signal=B:USR2@120.
for script in mpirun srun; do
    submit -n 2 -o warned.$script.log "$jobs/slurm-$script.sh" endless.ini warned.$script.db
    until_ok grep "to run on 2 ranks" warned.$script.log
    scancel --batch --signal=USR2 "$job"
    ended "$job"
    is "slurm-$script.sh that is sent USR2 ends with 75" $? 75
    like "the message says how to continue" "$(cat warned.$script.log)" "submit the same command again"
done

# A rank that dies ends its srun, and the script starts another; under mpirun the other ranks
# continue.
for script in mpirun srun; do
    submit -n 2 -o killed.$script.log "$jobs/slurm-$script.sh" slow.ini killed.$script.db
    until_ok has_finished killed.$script.db 2
    kill -9 "$(ranks_of killed.$script.db | tail -n 1)"
    ended "$job"
    is "slurm-$script.sh ends with 0 though a rank was killed" $? 0
    is "the rows equal those of a plain run" "$(rows killed.$script.db)" "$(rows slow.db)"
done
is "mpirun: in one session" "$(sqlite3 killed.mpirun.db 'select count(*) from session')" 1
like "srun: in another one" "$(cat killed.srun.log)" "^a rank died: starting again$"

# scancel in the middle, then the same line again.
submit -n 2 -o cancelled.log "$jobs/slurm-mpirun.sh" slow.ini cancelled.db
until_ok has_finished cancelled.db 2
scancel "$job"
until_ok is_gone "$job"
is "a job that is cancelled ends" $? 0
like "with some trials finished" "$(finished cancelled.db)" "^[2-7]$"
like "the log has the number of trials that are left" "$(cat cancelled.log)" \
    "^espalier: stopped early; [1-6] trials? (is|are) left.*: the same command continues"
ok "the same line again" batch -n 2 -o cancelled.log "$jobs/slurm-mpirun.sh" slow.ini cancelled.db
is "the rows equal those of a plain run" "$(rows cancelled.db)" "$(rows slow.db)"

# An array of 4. One element is cancelled while it runs, then run again alone; then all are merged.
ok "jobs/slurm-array.sh submits an array and its merge" "$jobs/slurm-array.sh" many.ini 4 array.db
array=$(job_of "$T/.out" "an array of 4 elements")
merge=$(job_of "$T/.out" "merges their results into array.db")
like "the output says how to cancel" "$(cat .out)" "scancel $array $merge"
until_ok grep "to run on" "espalier-${array}_2.log"
scancel "${array}_2"
until_ok is_gone "$merge"
is "the merge ends" $? 0
like "the element that was cancelled has not finished" "$("$ESPALIER" status array.2of4.db)" "[1-9] *$"
like "the merge reports what is missing" "$(cat "espalier-merge-$merge.log")" "trials are not finished"
ok "the element alone" batch --array=2 "$jobs/slurm-array.sh" many.ini 4 array.db
ok "and merged" "$ESPALIER" merge array.db array.1of4.db array.2of4.db array.3of4.db array.4of4.db
is "the rows equal those of a plain run" "$(rows array.db)" "$(rows many.db)"

# Options of run reach all elements and the merge; a database needs no extension.
ok "an array with options" "$jobs/slurm-array.sh" quick.ini 2 parts --set grid.hidden_size=8 --set epochs=4
merge=$(job_of "$T/.out" "merges")
ended "$merge"
is "the merge finds the parts and all trials done" $? 0
is "of the grid that the options describe" "$(sqlite3 parts "select distinct hidden_size, epochs from trials")" "8|4"
ok "a job with an option and no database" batch -n 2 -o set.log "$jobs/slurm-mpirun.sh" quick.ini --set grid.hidden_size=8
is "used it" "$(sqlite3 results.db "select distinct hidden_size from trials")" 8
ok "--db names the database" batch -n 2 -o set.log "$jobs/slurm-srun.sh" quick.ini --set epochs=4 --db option.db
is "too" "$(sqlite3 option.db "select distinct epochs from trials")" 4
fails "an array of a sweep file that is wrong" 2 "$jobs/slurm-array.sh" none.ini
is "is not submitted" "$(cat .out)" ""
submit -o sbatch.log "$jobs/slurm-array.sh" quick.ini 2
ended "$job"
is "sbatch slurm-array.sh is refused" $? 2
like "with the right call" "$(cat sbatch.log)" "call this script without sbatch"

ok "--shard auto in an array of 2" batch --array=1-2 --wrap "'$ESPALIER' run quick.ini --db auto.db --shard auto"
ok "wrote both" "$ESPALIER" merge auto.db auto.1of2.db auto.2of2.db
is "the rows equal those of a plain run" "$(rows auto.db)" "$(rows quick.db)"
done_testing
