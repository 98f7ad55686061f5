#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The disk fails, fills up, or is a network filesystem. What was committed stays, missing trials are
# listed, nothing hangs, and the same command continues.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1
fault=$(dirname "$ESPALIER")/tests/cli/fault.so
[ -f "$fault" ] || skip_all "tests/cli/fault.so is not built"
LD_PRELOAD=$fault "$ESPALIER" --version >/dev/null 2>&1 ||
    skip_all "the program does not run with a library before it (a sanitizer's comes first)"
local=0xef53
nfs=0x6969

cat >small.ini <<'INI'
[sweep]
name = small
replicates = 3
[data]
format = simulated
samples = 60
markers = 40
causal = 5
[train]
epochs = 4
[grid]
hidden_size = 4, 8
dropout = 0:0.4:0.2
INI
# This sweep takes some seconds, so several commits happen during it.
cat >long.ini <<'INI'
[sweep]
name = long
replicates = 30
[data]
format = simulated
samples = 60
markers = 40
causal = 5
[train]
epochs = 2500
[grid]
hidden_size = 8, 16
INI

rows() { sqlite3 "$1" 'select config, replicate, fold, state, value, val_loss, test_pearson from trials order by 1, 2, 3'; }
done_in() { sqlite3 "$1" "select count(*) from trial where state = 'done'"; }

# broken FILE_PART CALL AT ARGUMENT...: run with a disk that fails from then on; sets $status,
# messages are in err
broken() {
    part=$1 call=$2 at=$3
    shift 3
    FAULT_FILE=$part FAULT_CALL=$call FAULT_AT=$at LD_PRELOAD=$fault \
        timeout 300 "$ESPALIER" run --progress none "$@" >out 2>err
    status=$?
}

"$ESPALIER" run small.ini --db whole.db --progress none 2>/dev/null
wanted=$(rows whole.db)
is "the reference run is complete" "$(done_in whole.db)" 18

# Every kind of call fails at several points, the last beyond the end of the run.
for magic in $local $nfs; do
    [ "$magic" = $local ] && log=wal || log=journal
    export FAULT_MAGIC="$magic"
    for where in ":write" "-$log:write" ":sync" "-$log:sync" ":lock" ".lock:lock"; do
        faults=0 problems=
        for at in 1 2 5 13 34 233; do
            rm -f x.db*
            broken "x.db${where%:*}" "${where#*:}" $at small.ini --db x.db
            case $status in
            0) [ "$(rows x.db)" = "$wanted" ] || problems="$problems $at:rows" ;;
            1)
                faults=$((faults + 1))
                grep -q '^espalier: x.db: ' err || problems="$problems $at:$(tail -n 1 err)"
                ;;
            *) problems="$problems $at:status-$status" ;;
            esac
            "$ESPALIER" run small.ini --db x.db --progress none >/dev/null 2>err2 || problems="$problems $at:$(cat err2)"
            [ "$(rows x.db)" = "$wanted" ] || problems="$problems $at:resumed"
            [ "$(sqlite3 x.db 'pragma integrity_check')" = ok ] || problems="$problems $at:integrity"
        done
        is "$log, x.db${where%:*}: ${where#*:} fails ($faults runs stopped)" "$problems" ""
    done
done

# In the middle of a sweep, the message gives what is safe and what is missing.
missing_is_named() {
    safe=$(sed -n "s/.*$1: all committed results are safe: \([0-9]*\) of 60 trials$/\1/p" err)
    is "$2: the file contains the safe trials" "$(done_in "$1")" "$safe"
    like "$2: the message counts the missing trials" "$(cat err)" "$((60 - safe)) trials are missing \('espalier status' shows which\); fix the cause; the same command continues$"
}
export FAULT_MAGIC=$local
broken mid.db-wal sync 6 long.ini --db mid.db
is "a failing fsync in mid sweep ends it with 1" $status 1
like "the message says what failed and why" "$(cat err)" '^espalier: mid.db: cannot flush to disk \(fsync\): Input/output error$'
missing_is_named mid.db "fsync"
ok "the same command continues" "$ESPALIER" run long.ini --db mid.db --progress none
is "and completes the sweep" "$(done_in mid.db)" 60
export FAULT_MAGIC=$nfs FAULT_ERRNO=122
broken ranks.db-journal write 60 long.ini --db ranks.db -n 2
unset FAULT_ERRNO
is "a full quota under run -n 2 ends all ranks with 75" $status 75
like "the message says so" "$(cat err)" '^espalier: ranks.db: the disk or a quota is full'
missing_is_named ranks.db "two ranks"
ok "they continue" "$ESPALIER" run long.ini --db ranks.db --progress none -n 2
is "its rows are equal" "$(rows ranks.db)" "$(rows mid.db)"

# The same with a rollback journal, as on a network filesystem.
export FAULT_MAGIC=$nfs LD_PRELOAD="$fault"
ok "a sweep with a rollback journal" "$ESPALIER" run small.ini --db nfs.db
is "has the same rows" "$(rows nfs.db)" "$wanted"
"$ESPALIER" run long.ini --db killed.db --progress none >/dev/null 2>&1 &
pid=$!
for _ in $(seq 6000); do
    [ "$("$ESPALIER" export killed.db 2>/dev/null | grep -c ',done,')" -gt 0 ] && break
    sleep 0.1
done
is "it has no log" "$(ls killed.db-wal 2>/dev/null)" ""
ok "status beside it" "$ESPALIER" status killed.db
like "finds it running" "$(cat "$T/.out")" "^running, 1 rank"
ok "best beside it" "$ESPALIER" best killed.db
kill -9 $pid
wait $pid 2>/dev/null
ok "status after kill -9" "$ESPALIER" status killed.db
ok "the same command continues after kill -9" "$ESPALIER" run long.ini --db killed.db --progress none
is "and its rows equal the others" "$(rows killed.db)" "$(rows mid.db)"
unset FAULT_MAGIC LD_PRELOAD

# Another process leaves a transaction open. With a rollback journal, a reading one blocks the run.
FAULT_MAGIC=$nfs LD_PRELOAD=$fault "$ESPALIER" run long.ini --db held.db --progress none >out 2>err &
pid=$!
for _ in $(seq 6000); do
    [ "$(done_in held.db 2>/dev/null || echo 0)" -gt 0 ] && break
    sleep 0.1
done
{ printf 'pragma busy_timeout = 5000;\nbegin;\nselect count(*) from trial;\n'; sleep 5; } | sqlite3 held.db >/dev/null
wait $pid
is "a run waits for a transaction that was left open" $? 0
like "the message names the holder" "$(cat err)" 'held.db: cannot write: blocked by pid [0-9]+ \(sqlite3\); waiting up to 10 minutes'
like "and the end of the wait" "$(cat err)" 'held.db: can be written again'
is "and no result is missing" "$(rows held.db)" "$(rows mid.db)"

# Another process removes the file.
"$ESPALIER" run long.ini --db gone.db --progress none >out 2>err &
pid=$!
for _ in $(seq 6000); do
    [ "$(done_in gone.db 2>/dev/null || echo 0)" -gt 0 ] && break
    sleep 0.1
done
rm gone.db
echo older >gone.db.saved
wait $pid
is "a run whose database is removed ends with 1" $? 1
is "an older saved copy is kept" "$(cat gone.db.saved)" older
like "and the message names the saved copy" "$(cat err)" 'gone.db: was removed, .* all that was committed is in gone.db.saved.2: move that file back into place, then repeat the command$'
is "the message has two lines" "$(grep -vc "long.ini: " err)" 2
is "there is one copy, without a log" "$(echo gone.db*)" "gone.db.saved gone.db.saved.2"
mv gone.db.saved.2 gone.db
is "the copy is sound" "$(sqlite3 gone.db 'pragma integrity_check')" ok
ok "and a run continues it" "$ESPALIER" run long.ini --db gone.db --progress none
is "its rows are equal" "$(rows gone.db)" "$(rows mid.db)"

# Another process truncates the file, or its log.
for part in cut.db cut.db-wal; do
    rm -f cut.db*
    "$ESPALIER" run long.ini --db cut.db --progress none >out 2>err &
    pid=$!
    for _ in $(seq 6000); do
        [ "$(done_in cut.db 2>/dev/null || echo 0)" -gt 0 ] && break
        sleep 0.1
    done
    truncate -s 0 $part
    wait $pid
    is "a run whose $part is cut off ends with 1" $? 1
    like "the message says so" "$(cat err)" "^espalier: cut.db: $part was truncated or removed during the run: 0 of [0-9]+ bytes are left"
    is "the message does not call it safe" "$(grep -c safe err)" 0
done

# A database that cannot be repaired in place.
cp mid.db bad.db
dd if=/dev/urandom of=bad.db bs=4096 seek=3 count=1 conv=notrunc 2>/dev/null
before=$(cksum <bad.db)
fails "a damaged database is refused" 1 "$ESPALIER" run long.ini --db bad.db
like "the message says what to do" "$(cat "$T/.err")" '^espalier: bad.db: damaged \(.*\); use an older copy, or recover the readable part with .sqlite3 bad.db .recover'
is "and left unchanged" "$(cksum <bad.db)" "$before"
is "no file is left beside it" "$(ls bad.db*)" bad.db
if sqlite3 whole.db .recover 2>/dev/null | grep -q INSERT; then
    sqlite3 bad.db .recover 2>/dev/null | sqlite3 new.db >/dev/null 2>&1
    ok "a run continues the recovered part" "$ESPALIER" run long.ini --db new.db --progress none
    is "and its rows equal the others" "$(rows new.db)" "$(rows mid.db)"
else
    pass "a run continues the recovered part # SKIP this sqlite3 has no .recover"
fi

# A small disk fills up.
cat >"$T/fill.sh" <<'END'
mkdir -p disk && mount -t tmpfs -o size=8m none disk || exit 99
"$ESPALIER" run long.ini --db disk/f.db --progress none >out 2>err
echo $? >status
sqlite3 disk/f.db "select count(*) from trial where state = 'done'" >safe
sqlite3 disk/f.db 'pragma integrity_check' >integrity
mount -o remount,size=200m disk
"$ESPALIER" run long.ini --db disk/f.db --progress none >/dev/null 2>err2
echo $? >status2
cp disk/f.db filled.db
umount disk
END
export ESPALIER
if unshare -rm sh fill.sh 2>/dev/null; then
    is "a disk that fills ends the run with 75" "$(cat status)" 75
    like "the message says so" "$(cat err)" '^espalier: (warning: )?disk/f.db: the disk or a quota is full: make room'
    # The last results may fit when the run ends.
    like "and what is safe is reported" "$(cat err)" \
        "disk/f.db: all committed results are safe: $(cat safe) of 60 trials|make room .*; all results are stored"
    is "the file is sound" "$(cat integrity)" ok
    is "with free space the same command continues" "$(cat status2)" 0
    is "its rows are equal" "$(rows filled.db)" "$(rows mid.db)"
else
    pass "a disk that fills # SKIP no permission to mount a small one"
fi

done_testing
