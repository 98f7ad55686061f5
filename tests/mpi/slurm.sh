#!/bin/sh
# A sweep under Slurm: jobs/slurm-mpirun.sh with sbatch, srun --mpi=pmix, and the signal before the
# walltime. Starts a private Slurm of this one machine, which only root can.
. "${SRCDIR:-.}/tests/lib.sh"
. "$SRCDIR/tests/mpi/slurmlib.sh"

finished() {
    sqlite3 "$1" "select count(*) from trials where state = 'done'"
}

cat >"$T/quick.ini" <<'END'
[sweep]
replicates = 2
[data]
samples = 60
markers = 80
[train]
epochs = 5
[grid]
hidden_size = 4, 8
learning_rate = 0.01, 0.1
END
cd "$T" || exit 1

ok "sbatch runs the job script" sbatch --wait -n 2 -o batch.log "$SRCDIR/jobs/slurm-mpirun.sh" quick.ini batch.db
is "sbatch: all trials are done" "$(finished batch.db)" 8
is "sbatch: two ranks worked" "$(sqlite3 batch.db 'select ranks from session')" 2

ok "srun --mpi=pmix runs the same sweep" srun --mpi=pmix -n 2 "$ESPALIER" run quick.ini --db srun.db --progress none
is "srun: all trials are done" "$(finished srun.db)" 8
bits="select config, replicate, fold, state, quote(value) from trials order by 1, 2, 3"
is "srun and sbatch give the same bits" "$(sqlite3 srun.db "$bits")" "$(sqlite3 batch.db "$bits")"

sed 's/^epochs.*/epochs = 1000000/' quick.ini >slow.ini
sbatch --wait -n 2 -J slow -o slow.log "$SRCDIR/jobs/slurm-mpirun.sh" slow.ini slow.db >slow.id &
pid=$!
for _ in $(seq 100); do
    grep -qs "to run on 2 ranks" slow.log && break
    sleep 0.1
done
# What --signal=B:USR1@120 in the script does before the walltime.
scancel --batch --signal=USR1 "$(sed 's/[^0-9]//g' slow.id)"
wait $pid
is "a job that is sent USR1 ends with 75" $? 75
like "it says how to go on" "$(cat slow.log)" "submit the same line again"

# An array of 4, one element of it cancelled, run again by itself, and merged.
job_of() {
    sed -n "s/.*batch job \([0-9]*\).*/\1/p" "$1"
}
wait_for_job() {
    for _ in $(seq 300); do
        [ -z "$(squeue -h -j "$1" 2>/dev/null)" ] && return 0
        sleep 0.2
    done
    return 1
}
ok "jobs/slurm-array.sh submits an array and its merge" "$SRCDIR/jobs/slurm-array.sh" quick.ini 4 array.db
cp "$T/.out" array.id
scancel "$(($(job_of array.id) - 1))_2"
wait_for_job "$(job_of array.id)"
is "the merge ends" $? 0
is "each of the others wrote its own" "$(echo array.[134]of4.db)" "array.1of4.db array.3of4.db array.4of4.db"
ok "the element that was cancelled, by itself" \
    env SHARD=2/4 sbatch --wait --array=2 "$SRCDIR/jobs/slurm-array.sh" quick.ini 4 array.db
ok "and merged" "$ESPALIER" merge array.db array.1of4.db array.2of4.db array.3of4.db array.4of4.db
is "array and mpirun give the same rows" "$(sqlite3 array.db "$bits")" "$(sqlite3 batch.db "$bits")"
done_testing
