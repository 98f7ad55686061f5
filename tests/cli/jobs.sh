#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The scripts of jobs/ for LSF, PBS and Cobalt. Stand-ins submit them: they run a job at once, with
# the environment of the real systems. tests/mpi/slurm.sh runs those for Slurm under a real Slurm.
. "${SRCDIR:-.}/tests/lib.sh"
command -v mpirun >/dev/null || skip_all "mpirun is not installed"
cd "$T" || exit 1
export ESPALIER
unset LSB_JOBINDEX LSB_JOBID
jobs=$SRCDIR/jobs

cat >quick.ini <<'INI'
[sweep]
replicates = 2
[data]
format = simulated
samples = 60
markers = 40
causal = 5
[train]
epochs = 3
[grid]
hidden_size = 4, 8
dropout = 0:0.4:0.2
INI
# A trial of about a second, and an endless one.
sed 's/^epochs.*/epochs = 30000/' quick.ini >slow.ini
sed 's/^epochs.*/epochs = 10000000/' quick.ini >endless.ini

# The view `trials` without columns that depend on when and where trials ran.
rows() {
    sqlite3 "$1" "select trial, config, hidden_size, dropout, replicate, fold, state, quote(value),
        quote(val_r2), quote(test_pearson) from trials order by hidden_size, dropout, replicate, fold"
}
ranks() { sqlite3 "$1" "select group_concat(ranks, ' ') from session"; }
ok "a plain run of the quick sweep" "$ESPALIER" run quick.ini --db quick.db --progress none
ok "a plain run of the slow sweep" "$ESPALIER" run slow.ini -n 2 --db slow.db --progress none

for script in "$jobs"/*.sh; do
    ok "sh reads ${script##*/}" sh -n "$script"
    is "it is executable" "$(test -x "$script" && echo yes)" yes
done

# Called wrongly, or where espalier is missing, a script says what to do.
for script in "$jobs"/*.sh; do
    file=${script##*/}
    fails "$file without arguments" 2 "$script"
    like "prints its usage" "$(cat .err)" "^usage: .*jobs/$file"
    like "which stands at its top, too" "$(sed -n 1,12p "$script")" "^# Usage: .*jobs/$file"
done
missing="espalier is not in PATH; set ESPALIER=/path/to/espalier"
for script in "$jobs"/*.sh; do
    set -- quick.ini
    [ "${script##*/}" != lsf-docker.sh ] || set --
    fails "${script##*/} without espalier" 1 env -u ESPALIER PATH=/usr/bin:/bin GRID=quick.ini DATABASE=none.db SLURM_NTASKS=2 \
        LSB_DJOB_NUMPROC=2 PBS_NODEFILE=quick.ini PBS_O_WORKDIR="$T" COBALT_NODEFILE=quick.ini "$script" "$@"
    is "says so" "$(cat .err)" "$missing"
done

# ---- stand-ins ---------------------------------------------------------------------------------------
mkdir bin
PATH=$T/bin:$PATH

# WARN=DATABASE:N: when DATABASE has N finished trials and espalier runs, send the signal of -wa to
# every process of the job. This happens in the first run only; N = 0: in every run. A job that ends
# with the status of -Q runs again. Options on the command line override #BSUB lines.
cat >bin/bsub <<'SH'
#!/bin/sh
name='' n='' requeue='' warning=''
options() {
    while [ "${1#-}" != "$1" ]; do
        echo "$1 $2" >>bsub.options
        case $1 in
        -J) name=${name:-$2} ;;
        -n) n=${n:-$2} ;;
        -Q) requeue=${requeue:-$2} ;;
        -wa) warning=${warning:-$2} ;;
        -r) set -- -r "$@" ;;
        esac
        shift 2
    done
    rest=$#
}
warn() {
    until [ "$(sqlite3 "${WARN%:*}" "select count(*) >= ${WARN#*:} and exists (select 1 from session where
        outcome = 'running') from trial where state = 'done'")" = 1 ]; do
        kill -0 "$1" || return
        sleep 0.1
    done 2>/dev/null
    ps -o pid= -s "$1" | while read -r p; do kill -s "$warning" "$p"; done
}
job() {
    LSB_JOBID=77 LSB_JOBNAME=$name LSB_QUEUE=normal LSB_JOBINDEX=$index LSB_JOBINDEX_END=$last \
        LSB_JOBINDEX_STEP=1 LSB_DJOB_NUMPROC=$n LSB_DJOB_HOSTFILE=$PWD/lsf.hosts LS_SUBCWD=$PWD \
        LSB_HOSTS=$(tr '\n' ' ' <lsf.hosts) LSB_MCPU_HOSTS="$(hostname) $n" setsid "$@" &
    pid=$!
    [ -z "${WARN:-}" ] || { [ "$runs" -gt 1 ] && [ "${WARN#*:}" -gt 0 ]; } || warn $pid
    wait $pid
}
options "$@"
shift $(($# - rest))
if [ $# -eq 0 ]; then
    cat >lsf.job
    eval "$(sed -n 's/^#BSUB/options/p' lsf.job)"
    set -- sh ./lsf.job
fi
first=0 last=0
case $name in
*\[1-*) first=1 last=${name##*-} last=${last%%]*} ;;
*\[*) first=${name##*\[} first=${first%]} last=$first ;;
esac
for _ in $(seq "$n"); do hostname; done >lsf.hosts
for index in $(seq $first "$last"); do
    runs=0 status=${requeue:-0}
    while [ $runs -eq 0 ] || { [ "$status" -eq "${requeue:-0}" ] && [ $runs -lt 4 ]; }; do
        runs=$((runs + 1))
        job "$@"
        status=$?
        [ "$status" -ne 0 ] || break
    done
    echo "$index: $runs runs, status $status" >>bsub.runs
done
exit $status
SH

# LSF's command to start a process on another host of the job.
cat >bin/blaunch <<'SH'
#!/bin/sh
shift
exec sh -c "$*"
SH

# PBS starts a job in the home folder, Cobalt where it was submitted.
cat >bin/qsub <<'SH'
#!/bin/sh
system=PBS n=2
while [ "${1#-}" != "$1" ]; do
    case $1 in
    -v) eval "export $(echo "$2" | tr , ' ')" ;;
    -A) system=COBALT ;;
    esac
    shift 2
done
if [ $system = COBALT ]; then
    hostname >cobalt.hosts
    now=$(date +%s)
    export COBALT_JOBID=12 COBALT_NODEFILE="$PWD/cobalt.hosts" COBALT_JOBSIZE=1 COBALT_PARTSIZE=1 \
        COBALT_STARTTIME="$now" COBALT_ENDTIME="$((now + 3600))"
    exec "$@"
fi
for _ in $(seq $n); do hostname; done >pbs.hosts
cp "$1" pbs.job
export PBS_JOBID=12.server PBS_JOBNAME=espalier PBS_ENVIRONMENT=PBS_BATCH PBS_QUEUE=workq \
    PBS_NODEFILE="$PWD/pbs.hosts" PBS_O_WORKDIR="$PWD" PBS_O_HOST=login PBS_NODENUM=0 NCPUS=2
job=$PWD/pbs.job
cd / && exec sh "$job"
SH
chmod +x bin/*

# ---- LSF ---------------------------------------------------------------------------------------------

ok "jobs/lsf-mpirun.sh" env GRID=quick.ini DATABASE=lsf.db bsub -n 2 <"$jobs/lsf-mpirun.sh"
is "the rows equal those of a plain run" "$(rows lsf.db)" "$(rows quick.db)"
is "on two ranks" "$(ranks lsf.db)" 2
like "it asks for ranks on each host" "$(cat bsub.options)" '^-R span\[ptile=16\]$'
like "and for one core for each" "$(cat bsub.options)" '^-R affinity\[core\(1\)\]$'

ok "jobs/lsf-gpu.sh" env GRID=quick.ini DATABASE=gpu.db bsub -n 2 <"$jobs/lsf-gpu.sh"
is "the rows equal those of a plain run" "$(rows gpu.db)" "$(rows quick.db)"
is "on two ranks" "$(ranks gpu.db)" 2
like "it asks for GPUs" "$(cat bsub.options)" '^-gpu num=4:mode=shared:j_exclusive=yes$'

rm -f bsub.runs
ok "warned before the walltime" \
    env WARN=warned.db:3 GRID=slow.ini DATABASE=warned.db bsub -n 2 <"$jobs/lsf-mpirun.sh"
is "it goes back into the queue, once" "$(cat bsub.runs)" "0: 2 runs, status 0"
is "and completes with the rows of a plain run" "$(rows warned.db)" "$(rows slow.db)"

rm -f bsub.runs
fails "a job that never finishes a trial" 1 \
    env WARN=endless.db:0 GRID=endless.ini DATABASE=endless.db bsub -n 2 <"$jobs/lsf-mpirun.sh"
is "does not go back into the queue" "$(cat bsub.runs)" "0: 1 runs, status 1"
like "and the message gives the reason" "$(cat "$T/.out")" "without progress: not requeued"

# A training that needs three jobs.
cat >parts.sh <<'END'
part=$(cat "$ESPALIER_CHECKPOINT/part" 2>/dev/null)
part=${part:-1}
[ "$part" -lt 3 ] || { echo '{"val": 1}' >>"$ESPALIER_RESULTS" && exit 0; }
trap 'echo $((part + 1)) >"$ESPALIER_CHECKPOINT/part"; exit 75' TERM
while :; do sleep 0.05; done
END
cat >parts.ini <<'INI'
[sweep]
objective = val
direction = max
[program]
command = sh parts.sh
INI
rm -f bsub.runs
ok "a job that only saves a checkpoint" \
    env WARN=parts.db:0 GRID=parts.ini DATABASE=parts.db bsub -n 1 <"$jobs/lsf-mpirun.sh"
is "goes back into the queue until the trial is finished" "$(cat bsub.runs)" "0: 3 runs, status 0"

ok "jobs/lsf-array.sh" "$jobs/lsf-array.sh" quick.ini 3 array.db
is "the rows equal those of a plain run" "$(rows array.db)" "$(rows quick.db)"
is "from three parts" "$(echo array.*of3.db)" "array.1of3.db array.2of3.db array.3of3.db"
like "the merge waits for the array" "$(cat bsub.options)" '^-w ended\(espalier-[0-9]+\)$'
rm array.db array.2of3.db
ok "one element alone" bsub -n 1 -J 'espalier[2]' "$jobs/lsf-array.sh" quick.ini 3 array.db
rm -f bsub.runs
fails "an array with an option that does not exist" 2 "$jobs/lsf-array.sh" quick.ini 3 --nonsense
is "is not submitted" "$(cat bsub.runs 2>/dev/null)" ""
ok "an array with options, and a database without an extension" \
    "$jobs/lsf-array.sh" quick.ini 2 parts --set grid.dropout=0.2 --set epochs=2
is "which reach all elements" "$(sqlite3 parts 'select count(*), min(dropout), max(dropout), min(epochs), max(epochs) from trials')" "4|0.2|0.2|2|2"
is "from two parts" "$(echo parts.*of2)" "parts.1of2 parts.2of2"
ok "and merged by hand" "$ESPALIER" merge array.db array.1of3.db array.2of3.db array.3of3.db
is "the rows are equal again" "$(rows array.db)" "$(rows quick.db)"

# There is no container here: check the options passed to the site's bsub, and the job itself.
rm -f bsub.options
cat >bin/n2 <<'SH'
#!/bin/sh
env | grep '^LSF_DOCKER' >docker.environment
exec bsub.real -n 2 "$@"
SH
mv bin/bsub bin/bsub.real && mv bin/n2 bin/bsub && chmod +x bin/bsub
ok "jobs/lsf-docker.sh" "$jobs/lsf-docker.sh" somebody/espalier quick.ini docker.db
is "the rows equal those of a plain run" "$(rows docker.db)" "$(rows quick.db)"
is "on two ranks" "$(ranks docker.db)" 2
ok "with an option" "$jobs/lsf-docker.sh" somebody/espalier quick.ini docker.set.db --set epochs=2
is "used it" "$(sqlite3 docker.set.db 'select max(epochs) from trials')" 2
like "it asks for the image" "$(cat bsub.options)" '^-a docker\(somebody/espalier\)$'
is "and for the network, the IPC and this folder of the host" "$(sort docker.environment)" \
    "LSF_DOCKER_IPC=host
LSF_DOCKER_NETWORK=host
LSF_DOCKER_VOLUMES=$T:$T"
mv bin/bsub.real bin/bsub

# ---- PBS, Cobalt -------------------------------------------------------------------------------------

ok "jobs/pbs-mpirun.sh" qsub -v GRID=quick.ini,DATABASE=pbs.db "$jobs/pbs-mpirun.sh"
is "the rows equal those of a plain run" "$(rows pbs.db)" "$(rows quick.db)"
is "on two ranks" "$(ranks pbs.db)" 2

ok "PBS with options" env OPTIONS="--set grid.dropout=0,0.2 --set epochs=2" qsub -v GRID=quick.ini,DATABASE=pbs.set.db,OPTIONS \
    "$jobs/pbs-mpirun.sh"
is "used them" "$(sqlite3 pbs.set.db 'select count(*), max(dropout), max(epochs) from trials')" "8|0.2|2"
ok "Cobalt with options and no database" env RANKS_PER_NODE=2 qsub -A project "$jobs/cobalt-mpirun.sh" quick.ini --set epochs=2
is "used them" "$(sqlite3 results.db 'select max(epochs) from trials')" 2
ok "jobs/cobalt-mpirun.sh" env RANKS_PER_NODE=2 qsub -A project "$jobs/cobalt-mpirun.sh" quick.ini cobalt.db
is "the rows equal those of a plain run" "$(rows cobalt.db)" "$(rows quick.db)"
is "on two ranks" "$(ranks cobalt.db)" 2
done_testing
