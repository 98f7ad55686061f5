# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# shellcheck disable=SC2034 # used by scripts that source it
# Sourced after tests/lib.sh by the tests that kill: a short sweep, and checks of its database.
# Variables: FAULTY (the program with tests/mpi/faults.c), problems (text, "" if none)
FAULTY=$(dirname "$ESPALIER")/tests/mpi/espalier_faults
[ -x "$FAULTY" ] || skip_all "tests/mpi/espalier_faults is not built"
# shellcheck disable=SC3045 # known to dash, bash and busybox
ulimit -c 0 # killed processes leave no core files
cd "$T" || exit 1

# 24 trials of about 20 ms.
cat >sweep.ini <<'INI'
[sweep]
name = kill
folds = 3
[data]
format = simulated
samples = 120
markers = 200
[train]
epochs = 600
[grid]
hidden_size = 8, 16
dropout = 0, 0.5
learning_rate = 0.01, 0.1
INI

# model_sweep EPOCHS [HEARTBEAT_LIMIT]: replace it by 4 trials with four workers. Sums of 64 x 50
# weights go in stripes.
model_sweep() {
    cat >sweep.ini <<INI
[sweep]
name = kill
folds = 2
keep = all
[data]
format = simulated
samples = 120
markers = 50
[model]
hidden_size = 64
[train]
epochs = $1
batch_size = 7
workers = 4
[resources]
crash_limit = 1000
heartbeat_limit = ${2:-60}
[grid]
dropout = 0, 0.5
INI
}

# The points of the protocol of gangs (src/base/fault.h).
gang_points() {
    find "$SRCDIR/src" -name '*.c' | sort | xargs sed -n 's/^.*FAULT("\(gang: [^"]*\)".*/\1/p'
}

# Everything of this sweep except times and places, as text that shows every bit of a number:
# quote().
rows() {
    sqlite3 "$1" "select t.key, t.state, quote(t.value), t.epochs_run, t.best_epoch, replicate, fold, t.error,
            (select group_concat(split || name || quote(value)) from
                (select * from metric m where m.trial_id = t.trial_id order by split, name)),
            (select group_concat(quote(train_loss) || quote(val_loss) || quote(val_value)) from
                (select * from curve c where c.trial_id = t.trial_id order by epoch)),
            (select hex(safetensors) from model where model.trial_id = t.trial_id),
            (select group_concat(sample || quote(observed) || quote(p.predicted)) from prediction p where p.trial_id = t.trial_id)
        from trial t join config using (config_id) join sweep using (sweep_id)
        where sweep.name = 'kill' order by t.key" 2>&1 | cksum
}

# The part of each attempt that must never change: who tried what, and how it ended.
attempts() {
    sqlite3 "$1" "select attempt_id, trial_id, session_id, rank, pid, started,
            iif(outcome in ('running', 'lost'), '-', outcome) from attempt order by 1" 2>/dev/null
}

problem() { problems="$problems; $1"; }

# keep FOLDER DB: copy the database files, and check the copy. Adds to problems.
keep() {
    rm -rf "$1"
    mkdir "$1"
    for kept in "$2" "$2-wal" "$2-journal"; do
        [ ! -e "$kept" ] || cp "$kept" "$1"
    done
    kept=$1/${2##*/}
    [ -s "$kept" ] || [ -s "$kept-journal" ] || return 0
    [ "$(sqlite3 "$kept" 'pragma integrity_check' 2>&1)" = ok ] || problem "what is left is damaged"
}

# remembers DB BEFORE: DB contains each attempt of the earlier copy BEFORE. An open attempt may have
# ended with a result. Adds to problems.
remembers() {
    attempts "$1" >.now
    attempts "$2" >.before
    lost=$(awk -F'|' 'NR == FNR { now[$1] = $0; next }
        { was = $0; is = now[$1]; if ($7 == "-") { sub(/[^|]*$/, "", was); sub(/[^|]*$/, "", is) } if (was != is) print $1 }' \
        .now .before | wc -l)
    [ "$lost" -eq 0 ] || problem "$lost attempts are lost from the records"
}

# settled DB ROWS FOLDER: DB is complete, has these ROWS and nothing open, and lacks no attempt of
# FOLDER. Adds to problems.
settled() {
    [ "$(rows "$1")" = "$2" ] || problem "other rows: $(sqlite3 "$1" 'select state, count(*) from trial group by 1' | tr '\n' ' ')"
    [ "$(sqlite3 "$1" 'pragma integrity_check')" = ok ] || problem "damaged"
    open=$(sqlite3 "$1" "select (select count(*) from trial where state = 'running') +
        (select count(*) from attempt where outcome = 'running') + (select count(*) from session where outcome = 'running')")
    [ "$open" = 0 ] || problem "$open zombies"
    stored=$(sqlite3 "$1" "select count(*) from (select 1 from attempt where outcome = 'done' group by trial_id having count(*) > 1)")
    [ "$stored" = 0 ] || problem "$stored trials were stored twice"
    [ "$(sqlite3 "$1" 'select count(*) from trial where attempts <> (select count(*) from attempt a where a.trial_id = trial.trial_id)')" = 0 ] ||
        problem "attempts are miscounted"
    remembers "$1" "$3/${1##*/}"
    [ ! -e "$1.lock" ] || problem "the lock file is left"
}

# Kill processes of this test's scratch folder that are left after half a minute. Adds to problems.
# (An mpirun whose parent dies during the start takes some seconds, more on a slow machine.)
left_behind() {
    for _ in $(seq 60); do
        left=$(pgrep -f "$T/.*[.]db")
        [ -n "$left" ] || return 0
        sleep 0.5
    done
    problem "left behind: $(ps -o pid=,args= -p "$(echo "$left" | tr '\n' ',' | sed 's/,$//')" | cut -c1-120 | tr '\n' ' ')"
    for pid in $left; do
        kill -KILL "$pid" 2>/dev/null
    done
}
