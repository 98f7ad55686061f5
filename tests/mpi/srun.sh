#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Mistakes with srun, under a private Slurm: tasks without MPI between them are refused.
# shellcheck disable=SC2016 # single quotes are for the shells of tasks and jobs
. "${SRCDIR:-.}/tests/lib.sh"
. "$SRCDIR/tests/mpi/slurmlib.sh"
unset ESPALIER_CHECKS

cat >"$T/quick.ini" <<'END'
[data]
format = simulated
samples = 60
markers = 80
[train]
epochs = 2
[grid]
hidden_size = 4, 8
END
cd "$T" || exit 1

fails "srun without PMIx is refused" 2 srun -n 2 "$ESPALIER" run quick.ini --db none.db
is "by each task" "$(grep -c 'srun started 2 tasks, but no MPI connects them.*; srun --mpi=pmix' .err)" 2
is "before any file is made" "$(ls none.db* 2>/dev/null)" ""
like "doctor reports it" "$(srun -n 2 "$ESPALIER" doctor)" "^run would refuse: srun started 2 tasks"
ok "the printed fix" srun --mpi=pmix -n 2 "$ESPALIER" run quick.ini --db pmix.db --progress none
is "runs on two ranks" "$(sqlite3 pmix.db 'select ranks from session')" 2
# With one core, another warning is right: two ranks share it.
is "without a warning" "$(grep '^espalier:.*\(srun\|recovery\)' .err | grep -vc 'srun --cpus-per-task')" 0
ok "a step of one task" srun -n 1 "$ESPALIER" run quick.ini --db one.db --progress none
ok "a shard for each task" srun -n 2 sh -c '"$ESPALIER" run quick.ini --db s.db --shard $((SLURM_PROCID + 1))/2'

# GPUs: --gres shows all of them to each task, --gpus-per-task and --gpu-bind only its own.
gpus() {
    srun --mpi=pmix -n 2 "$@" "$ESPALIER" doctor --gpus 1 --section ranks --format csv --db gpus.db | cut -d, -f1,4-
}
is "GPUs for the node" "$(gpus --gres=gpu:2)" 'rank,gpus,gpu_source,trial_gpus
0,"0,1",CUDA_VISIBLE_DEVICES,0
1,"0,1",CUDA_VISIBLE_DEVICES,1'
is "GPUs for each task" "$(gpus --gpus-per-task=1)" 'rank,gpus,gpu_source,trial_gpus
0,0,CUDA_VISIBLE_DEVICES,0
1,1,CUDA_VISIBLE_DEVICES,1'
is "GPUs bound to tasks" "$(gpus --gres=gpu:4 --gpu-bind=map_gpu:3,2)" 'rank,gpus,gpu_source,trial_gpus
0,3,CUDA_VISIBLE_DEVICES,3
1,2,CUDA_VISIBLE_DEVICES,2'
is "without the variables of vendors" "$(gpus --gres=gpu:2 env -u CUDA_VISIBLE_DEVICES -u ROCR_VISIBLE_DEVICES)" 'rank,gpus,gpu_source,trial_gpus
0,"0,1",SLURM_STEP_GPUS,0
1,"0,1",SLURM_STEP_GPUS,1'
like "no GPUs" "$(srun --mpi=pmix -n 2 env -u CUDA_VISIBLE_DEVICES PATH=/usr/bin:/bin "$ESPALIER" doctor --gpus 1 --gpus-per-host 1 2>/dev/null)" \
    "^run would refuse: .*: 2 ranks with gpus = 1 need 2 GPUs, but there is 1 \(gpus_per_host\)"

# Gangs see the GPUs of all their ranks, unless Slurm hides them.
cp "$SRCDIR/tests/mpi/meet.py" .
cat >gang.ini <<'END'
[sweep]
objective = val_ranks
direction = max
[program]
command = python3 meet.py
[resources]
ranks = 2
gpus = 1
END
gang() {
    rm -f gang.db*
    srun --mpi=pmix -n 2 "$@" "$ESPALIER" run gang.ini --db gang.db --progress none 2>gang.err || cat gang.err
    sqlite3 gang.db 'select state, value, gpus from trials'
}
is "a gang" "$(gang --gres=gpu:2)" "done|1.0|1.0"
is "a gang whose ranks see only their own GPUs" "$(gang --gpus-per-task=1 env MEET=first)" "done|1.0|1.0"

# In the batch script, outside a step.
job() {
    printf '#!/bin/sh\n%s\n' "$1" >job.sh
    batch -n 2 -o job.log job.sh
}
job '"$ESPALIER" run quick.ini --db batch.db --progress none'
is "one process in a job of two tasks runs" $? 0
like "and says that only one core is used" "$(cat job.log)" "warning: the batch job has room for 2 tasks, but this is one process.*; espalier run -n 2"
job '"$ESPALIER" run quick.ini -n 2 --db batch2.db --progress none'
is "with -n it uses both" "$(sqlite3 batch2.db 'select ranks from session')" 2
is "without a message" "$(grep -c 'room for' job.log)" 0
job '"$ESPALIER" doctor'
like "doctor names the job" "$(cat job.log)" "^batch_job +[0-9]+"
done_testing
