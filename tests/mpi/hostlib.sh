# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by tests/mpi/hosts*.sh: hosts n0, n1, n2 for a test. Each has its own network, name,
# processes and shared memory; a bridge joins them. Open MPI reaches them through an agent that
# stands in for ssh. Everything is in namespaces that end with the test.
#   hosts N            make n0 ... n(N-1)
#   on HOST COMMAND... run a command there
#   slots HOST:N ...   where ranks start, in this order
#   ranks_on HOST      pids of the ranks there, as seen from here
#   left_on HOST       number of processes of Open MPI and espalier there
#   cut_link HOST, join_link HOST    cut or restore the link; returns when it works again
#   lose HOST          the host vanishes with all its processes and closes no connection
#   kill_host HOST     kill its processes; the kernel closes their connections
#   revive HOST        make a new host of that name
#   begin DB N, mpirun_begin DB N    start the sweep on N ranks; wait until each has a result
#   finish             wait for it; sets $status and $seconds; its messages are in $T/err
#   completes NAME     finish, and the sweep must equal an undisturbed one

hosts_inside() {
    if [ "$(id -u)" -eq 0 ] && unshare -mnpu --fork --kill-child --mount-proc true 2>/dev/null; then
        exec unshare -mnpu --fork --kill-child --mount-proc sh "$0"
    fi
    unshare -rmnpu --fork --kill-child --mount-proc true 2>/dev/null &&
        exec unshare -rmnpu --fork --kill-child --mount-proc sh "$0"
    echo "1..0 # SKIP namespaces cannot be made here (unshare)"
    exit 0
}

PATH=$PATH:/usr/sbin:/sbin
for tool in mpirun unshare nsenter ip pgrep; do
    command -v $tool >/dev/null || { echo "1..0 # SKIP $tool is not here" && exit 0; }
done
[ "${ESPALIER_HOSTS:-}" ] || ESPALIER_HOSTS=inside hosts_inside
. "$SRCDIR/tests/lib.sh"
NET=$T/net
export TMPDIR="$T" # of Open MPI: hosts of two tests have equal names and pids
mkdir "$NET"

on() {
    host=$1
    shift
    # shellcheck disable=SC2016 # for the inner shell
    nsenter -t "$(cat "$NET/$host.pid")" -n -u -p -m sh -c 'cd "$0" && exec "$@"' "$PWD" "$@"
}

make_host() {
    unshare -mnpu --fork --kill-child --mount-proc sh -c "hostname $1 && ip link set lo up &&
        mount -t tmpfs none /dev/shm && mount --bind '$NET/names' /etc/hosts && : >'$NET/$1.up' || exit
        while :; do sleep 60 & wait; done" &
    maker=$!
    for _ in $(seq 1200); do
        [ -e "$NET/$1.up" ] && break
        sleep 0.02
    done
    pgrep -P "$maker" >"$NET/$1.pid"
    ip link add name "$1" type veth peer name eth0 netns "$(cat "$NET/$1.pid")" &&
        ip link set dev "$1" master lan && ip link set dev "$1" up &&
        on "$1" ip addr add "$2/24" dev eth0 && on "$1" ip link set dev eth0 up && await_link "$1"
}

# True if a connection gets from one host to another, where it is refused.
reaches() {
    on "$1" env LC_ALL=C bash -c ": <>/dev/tcp/$2/9" 2>&1 | grep -q refused
}

# For seconds after a cut, connections may fail at once. A daemon that starts then exits without a
# message, and its mpirun waits forever.
await_link() {
    for other in "$NET"/n*.up; do
        other=$(basename "$other" .up)
        for _ in $(seq 100); do
            reaches "$1" "$other" && reaches "$other" "$1" && continue 2
            sleep 0.1
        done
        return 1
    done
}

# Serve the requests of the agents. A daemon sees the files and variables of the test.
serve_agents() {
    while read -r id command; do
        (
            on "${id%%.*}" sh -c "$command" </dev/null >>"$NET/daemons.log" 2>&1
            echo $? >"$NET/end.$id"
        ) &
    done <>"$NET/asked"
}

hosts() {
    last=$(($1 - 1))
    ip link set dev lo up && ip link add name lan type bridge && ip link set dev lan up || return 1
    cat /etc/hosts >"$NET/names"
    for i in $(seq 0 $last); do echo "10.99.0.1$i n$i" >>"$NET/names"; done
    for i in $(seq 0 $last); do make_host "n$i" "10.99.0.1$i" || return 1; done
    mkfifo "$NET/asked"
    cat >"$NET/agent" <<AGENT
#!/bin/sh
# ssh HOST COMMAND: stays until the command ends
id=\$1.\$\$
shift
mkfifo "$NET/end.\$id" && echo "\$id \$*" >"$NET/asked" && read -r status <"$NET/end.\$id"
exit "\${status:-255}"
AGENT
    chmod +x "$NET/agent"
    serve_agents &
    export OMPI_MCA_plm=rsh OMPI_MCA_plm_rsh_agent="$NET/agent" OMPI_MCA_oob_tcp_if_include=eth0
    export OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_orte_default_hostfile="$NET/slots"
}

slots() {
    printf '%s\n' "$@" | sed 's/:/ slots=/' >"$NET/slots"
}

ranks_on() {
    for pid in $(pgrep --ns "$(cat "$NET/$1.pid")" --nslist pid -f "espalier[_a-z]* run"); do
        tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -q ^OMPI_COMM_WORLD_RANK= && echo "$pid"
    done
}

left_on() {
    pgrep --ns "$(cat "$NET/$1.pid")" --nslist pid -c -f '^orted|^mpirun|espalier[_a-z]* run|net/agent'
}

cut_link() {
    ip link set dev "$1" down
}

join_link() {
    ip link set dev "$1" up && await_link "$1"
}

kill_host() {
    kill -9 "$(cat "$NET/$1.pid")"
}

lose() {
    cut_link "$1" && kill_host "$1"
}

revive() {
    ip link del dev "$1" 2>/dev/null
    rm "$NET/$1.up"
    make_host "$1" "10.99.0.1${1#n}"
}

# ---- the sweep ----

cat >"$T/sweep.ini" <<'INI'
[sweep]
name = hosts
folds = 3
[data]
format = simulated
samples = 120
markers = 200
[train]
epochs = 15000
[resources]
heartbeat_limit = 3
[grid]
k = 3, 5
hidden_size = 16, 32
dropout = 0, 0.5
INI

rows() {
    sqlite3 "$1" "select key, state, quote(value), epochs_run, best_epoch,
        (select group_concat(quote(value)) from (select value from metric m
            where m.trial_id = t.trial_id order by split, name)) from trial t order by key" | cksum
}

# launch DB N COMMAND...: run in the background and wait for the results of N ranks (0: do not
# wait). The time limit makes a launch that hangs a failure.
launch() {
    db=$1
    n=$2
    shift 2
    on n0 timeout -k 2 "${LIMIT:-100}" "$@" sweep.ini --db "$db" --progress none >"$T/out" 2>"$T/err" &
    launched=$!
    [ "$n" = 0 ] && return
    for _ in $(seq 600); do
        [ "$(sqlite3 "$db" "select count(distinct rank) from attempt where outcome = 'done'" 2>/dev/null)" = "$n" ] &&
            break
        kill -0 $launched 2>/dev/null || break
        sleep 0.05
    done
}

begin() {
    launch "$1" "$2" "$ESPALIER" run -n "$2"
}

mpirun_begin() {
    launch "$1" "$2" mpirun --enable-recovery --oversubscribe --bind-to none \
        --mca plm_rsh_no_tree_spawn 1 -n "$2" "$ESPALIER" run
}

# A sweep of a second, for launches that end before it begins.
cat >"$T/short.ini" <<'INI'
[sweep]
folds = 2
[data]
format = simulated
samples = 300
markers = 100
[model]
hidden_size = 4
[train]
epochs = 2
[resources]
heartbeat_limit = 3
[grid]
dropout = 0:0.95:0.05
INI

# Launch, and return when rank 0 has stopped itself before it shares the data.
launch_held() { # launch_held DB RANKS
    export ESPALIER_FAULT='any: before something is shared:0:1:stop' ESPALIER_FAULT_SECONDS=60
    launch "$1" 0 "$(dirname "$ESPALIER")/tests/mpi/espalier_faults" run -n "$2"
    unset ESPALIER_FAULT
    for _ in $(seq 300); do
        # Its children have the same command line.
        for held in $(ranks_on n0); do
            [ "$(awk '{ print $3 }' "/proc/$held/stat" 2>/dev/null)" = T ] && return
        done
        sleep 0.1
    done
}

release_rank_0() {
    kill -CONT "$held"
}

finish() {
    waited=$(date +%s)
    wait "$launched"
    status=$?
    # shellcheck disable=SC2034 # for the scripts
    seconds=$(($(date +%s) - waited))
}

completes() {
    finish
    is "$1: the run returns with 0" "$status $([ "$status" = 0 ] || tail -n 5 "$T/err")" "0 "
    is "$1: complete, and equal to the undisturbed run" "$(rows "$db")" "$wanted"
    is "$1: the database is sound" "$(sqlite3 "$db" "pragma integrity_check")" ok
}

kill_ranks() {
    for pid in $(ranks_on "$1"); do
        kill -9 "$pid"
    done
}

# Wait at most $2 seconds until no process of Open MPI or espalier is left on host $1.
empties() {
    for _ in $(seq $(($2 * 5))); do
        [ "$(left_on "$1")" = 0 ] && return
        sleep 0.2
    done
    left_on "$1"
}
