#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The programs of each rank get GPUs of their own, or a share. The GPUs are stated, so none is
# needed here.
. "$SRCDIR/tests/lib.sh"
command -v mpirun >/dev/null || skip_all "mpirun is not here"
cd "$T" || exit 1
unset CUDA_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES GPU_DEVICE_ORDINAL

# Notes the GPUs of the rank that starts it, and reports them as a number: 0,1 is 101. It waits until
# all RANKS ranks have started one.
cat >show.sh <<'SH'
#!/bin/sh
rank=${ESPALIER_DIR##*.}
gpus=${CUDA_VISIBLE_DEVICES-none}
[ "$1" = "$gpus" ] || gpus="$gpus, but {gpus} is $1"
mkdir -p seen
echo "$gpus" >"seen/$rank"
for i in $(seq 100); do
    [ "$(ls seen | wc -l)" -ge "$RANKS" ] && break
    sleep 0.05
done
echo "val_gpus: 1$(echo "$gpus" | tr -cd 0-9)"
SH
chmod +x show.sh
cat >gpus.ini <<'INI'
[sweep]
objective = val_gpus
direction = max
replicates = 4
[program]
command = ./show.sh {gpus}
capture = stdout
[resources]
gpus = 1
gpus_per_host = 4
INI

# Run on N ranks: what their programs saw, in ascending order, one word for each rank.
seen() {
    export RANKS="$1"
    shift
    rm -rf seen r.db*
    "$ESPALIER" run gpus.ini --db r.db -n "$RANKS" --progress none "$@" 2>.log || cat .log
    sort seen/* | tr '\n' ' '
}
reported() {
    sqlite3 r.db 'SELECT DISTINCT CAST(value AS INTEGER) FROM metric ORDER BY 1' | tr '\n' ' '
}

is "one process has the first GPU" "$(seen 1)" "0 "
is "two ranks have one each" "$(seen 2)" "0 1 "
is "four ranks have one each" "$(seen 4)" "0 1 2 3 "
is "their results show it" "$(reported)" "10 11 12 13 "
is "two GPUs each" "$(seen 2 --set gpus=2)" "0,1 2,3 "
is "as the results show" "$(reported)" "101 123 "
is "two ranks share a GPU" "$(seen 4 --set gpus=0.5)" "0 0 1 1 "
is "GPUs of the launch" "$(CUDA_VISIBLE_DEVICES=2,3 seen 2 --set gpus_per_host=0)" "2 3 "
is "without gpus they are left alone" "$(CUDA_VISIBLE_DEVICES=2,3 seen 1 --set gpus=0 --set command=./show.sh\ 2,3)" "2,3 "
is "an element of a job array has those of its job" "$(CUDA_VISIBLE_DEVICES=3 SLURM_ARRAY_TASK_ID=1 seen 1 --set gpus_per_host=0 --shard 1/2)" "3 "
is "[program] env is stronger" "$(seen 1 --set env=CUDA_VISIBLE_DEVICES=7 --set command=./show.sh\ 7)" "7 "

# As under torchrun, cuda:LOCAL_RANK is the own GPU of each process of a gang.
gang() {
    seen 2 --set ranks=2 "$@"
    reported
}
is "a gang sees the GPUs of all its ranks" "$(gang)" "0,1 0,1 101 "
is "two GPUs for each rank" "$(gang --set gpus=2)" "0,1,2,3 0,1,2,3 10123 "
is "a GPU that they share is there once" "$(gang --set gpus=0.5)" "0 0 10 "
is "single trials beside gangs have their own" "$(seen 2 --set grid.ranks=1,2 >/dev/null; reported)" "10 11 101 "

# Each rank sees a GPU of its own, as under srun --gpus-per-task.
cat >own.sh <<'SH'
CUDA_VISIBLE_DEVICES=GPU-$OMPI_COMM_WORLD_RANK exec "$@"
SH
sed 's/^gpus_per_host.*/ranks = 2/' gpus.ini >own.ini
own() {
    RANKS=2 ESPALIER_CHECKS=on mpirun --oversubscribe -n 2 sh own.sh "$ESPALIER" "$@" 2>&1
}
rm -rf seen r.db*
warning='warning: ranks 0 and 1 on .* see different GPUs, so each process of a gang sees only the GPUs of its own rank, counted from 0'
like "run warns if the ranks of a gang see different GPUs" "$(own run own.ini --db r.db --progress none)" "^espalier: $warning; let all ranks"
is "they keep their own" "$(sort seen/* | tr '\n' ' ')" "GPU-0 GPU-1 "
like "doctor warns, too" "$(own doctor own.ini)" "^$warning"

# AMD's runtime counts the devices of ROCR_VISIBLE_DEVICES from 0.
cat >amd.sh <<'SH'
#!/bin/sh
echo "$ROCR_VISIBLE_DEVICES $HIP_VISIBLE_DEVICES $GPU_DEVICE_ORDINAL"
SH
chmod +x amd.sh
is "AMD" "$(ROCR_VISIBLE_DEVICES=4,5 seen 1 --set gpus=2 --set gpus_per_host=2 --set shell=yes \
    --set 'command=echo {gpus} >amd; ./amd.sh >>amd; ./show.sh 0,1') $(tr '\n' ' ' <amd)" "0,1  4,5 4,5 0,1 0,1 "

# Too few are refused on rank 0, before any file is made.
rm -rf seen r.db*
host=$(hostname)
refused="espalier: $host: 3 ranks with gpus = 2 need 6 GPUs, but there are 4 (gpus_per_host); start at most 2 ranks there (mpirun --map-by ppr:2:node, srun --ntasks-per-node=2), or set gpus = 1"
fails "too few GPUs" 2 "$ESPALIER" run gpus.ini --db r.db -n 3 --set gpus=2
is "the message has the numbers" "$(cat .err)" "$refused"
fails "also under mpirun" 2 mpirun --oversubscribe -n 3 "$ESPALIER" run gpus.ini --db r.db --set gpus=2
is "only one rank says so" "$(grep -c 'ranks with gpus' .err)" 1
fails "too few for one process" 2 env CUDA_VISIBLE_DEVICES=3 "$ESPALIER" run gpus.ini --db r.db --set gpus=2
like "the message says so" "$(cat .err)" "needs 2 GPUs, but there is 1 \(CUDA_VISIBLE_DEVICES, which overrides gpus_per_host\);"
fails "no GPU" 2 env CUDA_VISIBLE_DEVICES= "$ESPALIER" run gpus.ini --db r.db --set gpus_per_host=0
like "the message says so" "$(cat .err)" "needs 1 GPU, but there are 0 \(CUDA_VISIBLE_DEVICES\); ask the batch system"
is "no file was made" "$(ls -d seen r.db* 2>/dev/null)" ""
ok "--dry-run needs no GPU" env CUDA_VISIBLE_DEVICES= "$ESPALIER" run gpus.ini --db r.db --dry-run
fails "an amount that cannot be shared" 2 "$ESPALIER" run gpus.ini --db r.db --set gpus=0.3
like "the message has the allowed ones" "$(cat .err)" "gpus = 0.3: must be 0, a whole number up to 128, or a part of one GPU"

plan() {
    "$ESPALIER" plan gpus.ini --db none.db "$@" 2>&1 | grep GPU
}
is "plan: GPUs of a rank" "$(plan --set gpus=2)" "espalier: gpus: each rank gets 2 GPUs; a host with 4 GPUs has room for 2 ranks"
is "plan: a share" "$(plan --set gpus=0.25 --set gpus_per_host=0)" "espalier: gpus: 4 ranks share a GPU"
is "plan: no GPUs" "$(plan --set gpus=0)" ""
done_testing
