#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs that fail in every way, and values with every character: a failed trial with its reason, and
# nothing else suffers.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1
mkdir cases

head_of() { # head_of NAME: a sweep file up to the keys of [program]
    cat <<INI
[sweep]
name = $1
objective = val
direction = max
INI
}
# program CASE <<BODY: a program, whose first line is '# ', the wanted state and the reason.
program() { cat >"cases/$1.sh"; }
run() { timeout 300 "$ESPALIER" run "$@" --progress none </dev/null; }
outcomes() { # outcomes DB: program, state and reason of each trial
    sqlite3 "$1" "select params ->> 'which', state || iif(error is null, '', ': ' || error)
        from trial join config using (config_id) order by 1"
}
cases_file() { # cases_file NAME SETTING: a sweep over all cases
    {
        head_of "$1"
        printf '[resources]\n%s\n' "$2"
        printf '[program]\nshell = no\ncommand = sh cases/{which}.sh\nstop_grace = 0.3s\n[grid]\nwhich = '
        find cases -name '*.sh' | sed 's|.*/||; s/[.]sh$//' | sort | paste -sd, -
    } >"$1.ini"
}
# Run all cases at once, and compare.
try_cases() { # try_cases NAME SETTING
    name=$1
    cases_file "$1" "$2"
    # Three failures alike would stop a sweep in which nothing has succeeded.
    run "$name.ini" --db "$name.db" --set grid.which=fine >out 2>err
    run "$name.ini" --db "$name.db" >out 2>err
    is "$name: the sweep goes on" $? 3
    for file in cases/*.sh; do
        file=${file#cases/}
        echo "${file%.sh}|$(sed -n '1s/^# //p' "cases/$file")"
    done | sort >wanted
    outcomes "$name.db" | sort >got
    is "$name: each trial has its reason" "$(diff wanted got)" ""
    is "$name: no file is left" "$(find "$name.db.files" 2>/dev/null)" ""
    rm -f cases/*
}

# ---- at once ----

none='failed: no results: the program must append a line such as {"val": 0.5} to the file that ESPALIER_RESULTS names, or print val=0.5 with [program] capture = stdout'
program fine <<'SH'
# done
echo '{"val": 1}' >>"$ESPALIER_RESULTS"
SH
program none <<SH
# $none
SH
program nan <<'SH'
# diverged: val is NaN
echo '{"val": NaN}' >>"$ESPALIER_RESULTS"
SH
program infinite <<'SH'
# diverged: val is infinite
echo '{"val": -Infinity}' >>"$ESPALIER_RESULTS"
SH
program text <<'SH'
# failed: results line 1: val is "good": must be a number; report each number under a name of its own
echo '{"val": "good"}' >>"$ESPALIER_RESULTS"
SH
program link <<'SH'
# failed: the results file is a link: must be a regular file
echo '{"val": 1}' >"$ESPALIER_DIR/x"
ln -sf x "$ESPALIER_RESULTS"
SH
program huge <<'SH'
# failed: the results file is larger than 1 GiB: this is the limit
truncate -s 2G "$ESPALIER_RESULTS"
SH
program lines <<'SH'
# done
seq 1000000
seq 1000000 >&2
echo '{"val": 1}' >>"$ESPALIER_RESULTS"
SH
program daemon <<'SH'
# done
setsid sleep 3177 &
setsid sh -c 'sleep 3177 & sleep 3177' &
echo '{"val": 1}' >>"$ESPALIER_RESULTS"
SH
program pipes <<'SH'
# done
exec 1>&- 2>&-
sleep 0.1
echo '{"val": 1}' >>"$ESPALIER_RESULTS"
SH
program scratch <<SH
# $none
rm -rf "\$ESPALIER_DIR"
SH
program files <<SH
# $none
rm -rf "\$(dirname "\$ESPALIER_DIR")"
SH
program unreadable <<'SH'
# done
mkdir -p "$ESPALIER_DIR/a/b"
touch "$ESPALIER_DIR/a/b/c"
chmod 0 "$ESPALIER_DIR/a/b" "$ESPALIER_DIR/a"
echo '{"val": 1}' >>"$ESPALIER_RESULTS"
SH
program others <<'SH'
# done
for other in "$(dirname "$ESPALIER_DIR")"/../*/scratch.*; do
    echo '{"val": 2}' >"$other/results.jsonl"
done
echo '{"val": 1}' >>"$ESPALIER_RESULTS"
SH
program stops <<'SH'
# failed: exit status 75 means a checkpoint in ESPALIER_CHECKPOINT, and none is there
exit 75
SH
program idles <<'SH'
# failed: exited with 75 again and again without progress: 3 attempts changed nothing in ESPALIER_CHECKPOINT and reported no new epoch
[ "$ESPALIER_ATTEMPT" != 1 ] || echo 1 >"$ESPALIER_CHECKPOINT/n"
[ "$ESPALIER_ATTEMPT" -lt 6 ] || echo '{"val": 1}' >>"$ESPALIER_RESULTS"
echo '{"epoch": 1, "val": 1}' >>"$ESPALIER_RESULTS"
[ "$ESPALIER_ATTEMPT" = 6 ] || exit 75
SH
program continues <<'SH'
# done
n=$(cat "$ESPALIER_CHECKPOINT/n" 2>/dev/null)
n=$((n + 1))
echo $n >"$ESPALIER_CHECKPOINT/n"
echo "{\"epoch\": $n, \"val\": $n}" >>"$ESPALIER_RESULTS"
[ $n = 3 ] || exit 75
SH
program status <<'SH'
# failed: exit status 3: first | bad luck
printf 'first\nbad \033[31mluck\033[0m\n' >&2
exit 3
SH
program crash <<'SH'
# failed: ended by signal 11 (Segmentation fault): oh no
echo oh no >&2
ulimit -c 0
kill -SEGV $$
SH
try_cases fast
is "no daemon is left" "$(pgrep -f 'sleep 3177')" ""
is "epochs of all attempts are the curve" "$(sqlite3 fast.db "select group_concat(epoch || ':' || val_value) from curve join trial using (trial_id)
    join config using (config_id) where params ->> 'which' = 'continues'")" 1:1.0,2:2.0,3:3.0
is "the log keeps the end" "$(sqlite3 fast.db "select log.bytes, length(tail) <= 65536, length(tail) > 60000 from log join trial using (trial_id)
    join config using (config_id) where params ->> 'which' = 'lines'")" "13777792|1|1"

# ---- limits ----

late='failed: ran longer than trial_timeout = 0.5 s'
program never <<SH
# $late
sleep 3177
SH
program ignores <<SH
# $late
trap '' TERM
while :; do sleep 0.1; done
SH
program sleeps <<SH
# $late
kill -STOP \$\$
SH
program floods <<SH
# $late
yes
SH
program fine <<'SH'
# done
echo '{"val": 1}' >>"$ESPALIER_RESULTS"
SH
try_cases late 'trial_timeout = 0.5s'

program once <<'SH'
# done
[ "$ESPALIER_ATTEMPT" != 1 ] || kill -9 $$
echo '{"val": 1}' >>"$ESPALIER_RESULTS"
SH
program always <<'SH'
# failed: ended by signal 9 (Killed) in 2 attempts (crash_limit)
kill -9 $$
SH
program memory <<'SH'
exec python3 -c 'import time; a = bytearray(400000000); time.sleep(30)'
SH
cases_file killed 'memory = 0.2'
run killed.ini --db killed.db >out 2>err
like "a killed program starts again" "$(outcomes killed.db)" '^once[|]done$'
is "but not forever" "$(outcomes killed.db | sed -n 's/^always|//p')" "failed: ended by signal 9 (Killed) in 2 attempts (crash_limit)"
like "too much memory" "$(outcomes killed.db)" '^memory[|]failed: its processes used 0[.][2-4][0-9] GB of memory: memory = 0[.]20 GB is the limit$'

# A disk that is full: of the files of the trials, and then of the database, too. Nothing is failed, and
# the same command continues.
if mkdir full && mount -t tmpfs -o size=1m none full 2>/dev/null; then
    program fills <<'SH'
# failed
[ ! -e one ] || [ -e enough ] || head -c 3000000 /dev/zero >"$ESPALIER_DIR/big" || exit
touch one
echo '{"val": 1}' >>"$ESPALIER_RESULTS"
SH
    states() { sqlite3 "$1" "select group_concat(state, ' ') from (select state from trial order by state)"; }
    { head_of full && printf '[program]\ncommand = sh cases/fills.sh {n}\n[grid]\nn = 1:3:1\n'; } >full.ini
    mkdir full.db.files && mount --bind full full.db.files
    run full.ini --db full.db >out 2>err
    is "a full disk of scratch files ends the run with 75" $? 75
    like "the message says which disk" "$(cat err)" "gives its trials back and leaves: $PWD/full.db.files: the disk or a quota is full: make room \(df, quota\)$"
    is "results are stored, and no trial has failed" "$(states full.db)" "done pending pending"
    touch enough
    run full.ini --db full.db >out 2>err
    is "the same command continues" "$? $(states full.db)" "0 done done done"
    umount full.db.files
    # No inode is left for the second names of kept files.
    rm enough
    mount -o remount,nr_inodes=30 full
    program keeps <<'SH'
# failed
mkdir "$ESPALIER_DIR/out"
for file in $(seq 100); do [ -e enough ] || : >"$ESPALIER_DIR/out/$file"; done
: >"$ESPALIER_DIR/out/model"
echo '{"val": 1}' >>"$ESPALIER_RESULTS"
SH
    { head_of kept && printf '[program]\ncommand = sh cases/keeps.sh {n}\nkeep_files = out\n[grid]\nn = 1\n'; } >kept.ini
    mkdir kept.db.files && mount --bind full kept.db.files
    run kept.ini --db kept.db >out 2>err
    is "kept files on a full disk end the run with 75" "$? $(states kept.db)" "75 pending"
    touch enough
    run kept.ini --db kept.db >out 2>err
    is "and the same command keeps them" "$? $(states kept.db) $(ls kept.db.files/t1/out)" "0 done model"
    umount kept.db.files full
    rm enough
    # The disk of the database, under a program that does not end.
    mount -t tmpfs -o size=6m none full
    program fills_all <<'SH'
# failed
echo "{\"val\": $1}" >>"$ESPALIER_RESULTS"
[ "$1" = 3 ] && [ ! -e enough ] || exit 0
head -c 30000000 /dev/zero >"$ESPALIER_DIR/big"
sleep 600
SH
    { head_of full && printf '[program]\ncommand = sh cases/fills_all.sh {n}\n[grid]\nn = 1:4:1\n'; } >fill.ini
    run fill.ini --db full/fill.db -n 2 >out 2>err
    is "a full disk of the database ends the run with 75" $? 75
    like "the message says so" "$(cat err)" "full/fill.db: the disk or a quota is full \(df, quota\): the run stops$"
    is "all finished results are stored" "$(states full/fill.db)" "done done done pending"
    touch enough
    run fill.ini --db full/fill.db -n 2 >out 2>err
    is "with room the same command continues" "$? $(states full/fill.db)" "0 done done done done"
    umount full
else
    pass "a full disk ends the run with 75 # SKIP no tmpfs"
fi

done_testing
