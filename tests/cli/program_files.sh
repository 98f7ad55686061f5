#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Input files of a program, and the files that are kept.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

cat >train.sh <<'END'
echo "model $1" >"$ESPALIER_DIR/model"
echo "{\"loss\": $1}" >>"$ESPALIER_RESULTS"
END
cat >sweep.ini <<'INI'
[sweep]
objective = loss
[program]
command = sh train.sh {rate}
inputs = train.sh, ${DATA}/*.csv
keep_files = model
[grid]
rate = 1, 2, 3
INI
mkdir data
echo 1 >data/a.csv
export DATA="$T/data"

is "inspect lists the inputs" "$("$ESPALIER" inspect sweep.ini | sed -E 's/ [0-9a-f]{32}$//')" \
    "program     reads its own data; inputs: 2 files
input       data/a.csv
input       train.sh
digest     "
fails "it has no samples" 1 "$ESPALIER" inspect sweep.ini --splits parts.csv
is "which is reported" "$(cat "$T/.err")" \
    "espalier: sweep.ini: a program reads and divides its own data: no samples to list"

# Inputs that change during a run: the second trial only touches one, the third changes it.
mkdir other && cat >other/try.sh <<'END'
sleep 0.6
[ "$1" != 2 ] || touch other/a.csv
[ "$1" != 3 ] || echo 2 >>other/a.csv
echo '{"loss": 1}' >>"$ESPALIER_RESULTS"
END
echo 1 >other/a.csv
sed 's/^command.*/command = sh other\/try.sh {rate}/; s/^inputs.*/inputs = other\/*/; /^keep/d' sweep.ini >change.ini
fails "a change of the inputs stops the run" 1 "$ESPALIER" run change.ini --db change.db -q --progress none
is "with the message of the next run" "$(sed -n 's/[0-9a-f]\{32\}/HASH/g; s/^espalier: //; 1,6p' "$T/.err")" \
    "change.db: sweep 'change' is stored with other settings (stored -> now):
  the files of program.inputs differ (digest HASH -> HASH)
  other/a.csv has changed (digest HASH -> HASH)
add --accept-inputs to go on with the changed files, and keep the results of the earlier ones beside the new ones
change [sweep] name, or add --new-sweep to start again under this name and keep the stored sweep as 'change#1' (or the next free number)
the run stops, without the results of the last moments: the files of program.inputs changed"
like "the last line does not promise that the same command continues" "$(tail -n 1 "$T/.err")" \
    '^espalier: warning: 1 trial is missing [(].espalier status. shows which[)]; undo the change, then the same command continues; or add --new-sweep$'
like "status says how the session ended" "$("$ESPALIER" status change.db)" \
    '^inputs changed [(]a file of \[program\] inputs changed during the run: undo the change, then the same command continues; or add --new-sweep[)], 1 rank'
is "and stores no trial of other inputs" "$(sqlite3 change.db 'select group_concat(trial_id) from trial where value is not null')" "1,2"

# Files that the command names are inputs, too, but not one that trials write.
mkdir named && cd named || exit 1
printf 'echo "$1" >>out.csv\necho "loss: $1"\n' >fit.sh
echo old >out.csv
cp "$(command -v sh)" mysh && ln -s "$(command -v sh)" link
for line in 'sh ./fit.sh {n} out.csv' './mysh fit.sh {n}' '/bin/sh "fit.sh" {n} --out=out.csv' "$PWD/fit.sh {n}" \
    'link fit.sh {n} > out.csv' 'sh -c "sh fit.sh {n}"'; do
    printf '[sweep]\nobjective = loss\n[program]\ncommand = %s\nshell = yes\n[grid]\nn = 1\n' "$line" >n.ini
    "$ESPALIER" inspect n.ini | sed -n 's/^input *\([^ ]*\).*/\1/p' | tr '\n' ' '
    echo
done >found 2>&1
is "files that the command names" "$(cat found)" "fit.sh out.csv 
fit.sh mysh 
fit.sh 
fit.sh 
fit.sh 
fit.sh "
goes_on() {
    "$ESPALIER" run n.ini --db n.db --progress none --set "grid.n=$1" $2 2>err
    echo "$? $(sed -n 's/[0-9a-f]\{32\}/HASH/g; s/^espalier: //; /HASH\|out.csv/p' err)"
}
printf '[sweep]\nobjective = loss\n[program]\ncommand = sh ./fit.sh {n} out.csv\ncapture = stdout\n[grid]\nn = 1\n' >n.ini
is "a file that trials write does not stop them" "$(goes_on 1)" "0 warning: out.csv, which the command names, changed while trials ran: it is taken for a file that they write, and not compared; list it in [program] inputs if they read it"
is "nor their continuation" "$(goes_on 1,2 | cut -c1-20)" "0 warning: out.csv, "
echo '# mended' >>fit.sh
is "a changed script does" "$(goes_on 1,2,3)" "2   the files of program.inputs differ (digest HASH -> HASH)
  fit.sh has changed (digest HASH -> HASH)"
is "unless it is accepted" "$(goes_on 1,2,3 --accept-inputs | head -n 1)" \
    "0 fit.sh: the change is accepted, and earlier results stay (digest HASH -> HASH)"
is "once" "$(goes_on 1,2,3,4 | grep -c HASH)" "0"
is "both digests stay in the database" "$(sqlite3 n.db "select name, value like '% -> %' from data_fact where topic = 'accepted'")" "fit.sh|1"
is "and all results" "$(sqlite3 n.db 'select count(value), count(distinct config_id) from trial')" "4|4"
cd .. || exit 1

printf '[sweep]\nobjective = loss\n[program]\ncommand = sh -c "exit 4" {n}\n[grid]\nn = 1\n' >mute.ini
"$ESPALIER" run mute.ini --db mute.db -q --progress none 2>.err
is "a program that failed without a word" "$("$ESPALIER" show mute.db t1 --log 2>&1)" "espalier: t1 has printed nothing; it failed: exit status 4"

"$ESPALIER" show mute.db t1 --section curve --format csv >curve 2>.err
is "it has no curve, and none of the columns of models" "$(cat curve .err)" "epoch
espalier: t1 failed: no curve is stored; a program reports one by lines with epoch, which are stored with the result"

# kept KEEP: the kept files after a run.
kept() {
    "$ESPALIER" run sweep.ini --set "keep=$1" --db "$1.db" -q 2>.err
    find "$1.db.files" -type f 2>/dev/null | sort | tr '\n' ' '
}
is "best keeps the files of the best configuration" "$(kept best)" "best.db.files/t1/model "
is "all keeps all" "$(kept all)" "all.db.files/t1/model all.db.files/t2/model all.db.files/t3/model "
is "none keeps none" "$(kept none)" ""
is "show names them" "$("$ESPALIER" show best.db t1 --section files --format csv | tail -n 1)" "best.db.files/t1/model,8"

# The output so far of a trial that runs, that was stopped, and that has ended.
cat >slow.sh <<'END'
echo "step $1"
[ ! -e go ] || { echo '{"loss": 1}' >>"$ESPALIER_RESULTS"; exit; }
while :; do sleep 0.1; done
END
printf '[sweep]\nobjective = loss\n[program]\ncommand = sh slow.sh {n}\n[grid]\nn = 1\n' >slow.ini
so_far() { "$ESPALIER" show slow.db t1 --log 2>&1; }
"$ESPALIER" run slow.ini --db slow.db --progress none </dev/null 2>.err &
pid=$!
for _ in $(seq 6000); do
    [ ! -e slow.db.files/t1/log ] || break
    sleep 0.05
done
is "the output of a running trial" "$(so_far)" "step 1
espalier: t1 is running: this is its output so far"
kill -INT $pid
wait $pid
is "the output of a stopped trial" "$(so_far)" "step 1
espalier: t1 is pending: this is its output so far"
touch go
ok "the sweep goes on" "$ESPALIER" run slow.ini --db slow.db --progress none
is "the log of a finished trial, also of an attempt that was stopped" "$(so_far)" "step 1
espalier: the program starts again
step 1"
is "its file is gone" "$(find slow.db.files -name 'log*')" ""
sed -i 's/^command.*/&\nkeep_files = log/' slow.ini
fails "log is a name of espalier" 2 "$ESPALIER" run slow.ini --db slow.db
is "the message" "$(cat .err)" "espalier: slow.ini:5: keep_files: 'log' is a name of espalier: choose another"

echo 2 >data/a.csv
fails "other inputs are another sweep" 2 "$ESPALIER" run sweep.ini --db best.db
ok "which --new-sweep begins" "$ESPALIER" run sweep.ini --db best.db --new-sweep -q

# The file of the best configuration starts the same program from any folder.
mkdir A B
printf 'echo score=1\n' >A/s.sh
printf 'echo score=7\n' >B/s.sh
printf '[sweep]\nobjective = score\ndirection = max\n[program]\ncommand = sh s.sh {n}\ninputs = s.sh\ncapture = stdout\n[grid]\nn = 1\n' >A/s.ini
(cd A && "$ESPALIER" run s.ini -q && "$ESPALIER" best --format ini >../B/best.ini 2>/dev/null)
is "best names the folder" "$(grep start_folder B/best.ini)" "start_folder = $(realpath A)/"
ok "it runs elsewhere" "$ESPALIER" run B/best.ini --db B/again.db -q
is "the same program" "$(sqlite3 B/again.db 'SELECT value FROM trial')" "1.0"
is "with the same keys" "$(sqlite3 B/again.db 'SELECT key FROM trial')" "$(sqlite3 A/results.db 'SELECT key FROM trial')"
mv A A.moved
fails "not if the folder is gone: another s.sh would run" 2 "$ESPALIER" run B/best.ini --db B/third.db -q
like "the message" "$(cat .err)" "best.ini:[0-9]*: start_folder: there is no folder '$(pwd -P)/A/': correct the path"
fails "nor does a relative one, which the file's folder contains" 2 "$ESPALIER" run A.moved/s.ini --db B/third.db --set start_folder=A
like "doctor says so" "$("$ESPALIER" doctor B/best.ini 2>&1)" "start_folder: there is no folder"
mv A.moved A
cp -r A C
rm -f C/results.db*
(cd C && "$ESPALIER" run s.ini -q) 2>/dev/null
is "a project that was copied has them, too" "$(sqlite3 C/results.db 'SELECT key FROM trial')" "$(sqlite3 A/results.db 'SELECT key FROM trial')"

# Names in keep_files.
for pattern in '*.txt' 'a?' 'm[12]' 'a"b' "it's"; do
    fails "$pattern is a pattern" 2 "$ESPALIER" run A/s.ini --db k.db --set "keep_files=$pattern"
    is "the message on $pattern" "$(cat "$T/.err")" "espalier: --set keep_files: keep_files: '$pattern': patterns and quotes have no meaning here: write the name of each file"
done
"$ESPALIER" run A/s.ini --db k.db --set 'keep_files=typo.pt, b.pt' --set grid.n=1,2 --progress none 2>err
is "files that no trial wrote" "$(grep 'did not write' err)" "espalier: warning: 2 trials did not write 'typo.pt', which keep_files names: 'espalier show k.db t1 --log'
espalier: warning: 2 trials did not write 'b.pt', which keep_files names: 'espalier show k.db t1 --log'"
printf '[ "$1" = 1 ] && echo score=1\n' >A/s.sh
"$ESPALIER" run A/s.ini --db f.db --set keep_files=b.pt --set grid.n=1,2 --max-fails 1000 --progress none 2>err
is "one that failed does not count" "$(grep 'did not write' err)" "espalier: warning: 1 trial did not write 'b.pt', which keep_files names: 'espalier show f.db t1 --log'"

# A folder is kept with all files in it; links are not, and an empty one is missed.
cat >A/s.sh <<'END'
mkdir -p "$ESPALIER_DIR/model/deep/er" "$ESPALIER_DIR/empty"
echo 1 >"$ESPALIER_DIR/model/a.bin"
echo 22 >"$ESPALIER_DIR/model/deep/er/log"
ln -s /etc/passwd "$ESPALIER_DIR/model/link"
ln -s /etc "$ESPALIER_DIR/model/deep/etc"
echo score=1
END
"$ESPALIER" run A/s.ini --db d.db --set 'keep_files=model, empty' --set grid.n=1 --progress none 2>err
is "files of a folder" "$(sqlite3 d.db 'select name, bytes from file order by 1')" "model/a.bin|2
model/deep/er/log|3"
is "are kept" "$(cd d.db.files/t1 && find . ! -type d | sort | xargs cat)" "1
22"
is "a folder without files is missed" "$(grep 'did not write' err)" \
    "espalier: warning: 1 trial did not write 'empty', which keep_files names: 'espalier show d.db t1 --log'"

# The checkpoint of a trial that failed at trial_timeout.
printf 'echo 1 >"$ESPALIER_CHECKPOINT/x"\nsleep 60\n' >A/s.sh
"$ESPALIER" run A/s.ini --db t.db --set trial_timeout=1s --set stop_grace=1s -q 2>/dev/null
is "status lists its checkpoint" "$("$ESPALIER" status t.db --section checkpoints --format csv | cut -d, -f1,3)" "trial,state
1,failed"
is "show does" "$("$ESPALIER" show t.db t1 --section checkpoint --format csv | wc -l)" 2

# Somebody whom espalier did not start writes to the results of a trial that is over.
cat >late.sh <<'END'
if mkdir first 2>/dev/null; then
    echo "$ESPALIER_RESULTS" >names
    until [ -e held ]; do sleep 0.02; done
else
    : >go
    until [ -e written ]; do sleep 0.02; done
fi
echo "{\"val\": $1}" >>"$ESPALIER_RESULTS"
END
printf '[sweep]\nobjective = val\ndirection = max\n[program]\ncommand = sh late.sh {n}\n[grid]\nn = 1, 2\n' >late.ini
mkfifo names
(
    read -r path <names
    exec 3>>"$path"
    : >held
    until [ -e go ]; do sleep 0.02; done
    echo '{"val": 99}' >&3
    : >written
) &
"$ESPALIER" run late.ini --db late.db --progress none >out 2>err
wait
is "a late writer does not reach the next trial" "$(sqlite3 late.db 'select n, value from trials order by 1')" "1|1.0
2|2.0"


# ---- a folder that others share ----

printf '[sweep]\nobjective = v\ndirection = max\n[program]\ncommand = echo v=1\ncapture = stdout\n' >link.ini
mkdir elsewhere && echo private >elsewhere/file && ln -s elsewhere link.db.files
fails "a folder of files that is a link" 3 "$ESPALIER" run link.ini --db link.db --progress none
is "is the reason of each trial" "$(sqlite3 link.db 'select distinct error from trial' | sed "s|.*link.db.files|link.db.files|")" \
    "link.db.files: it or its folder is a link, which espalier does not follow: remove the link"
is "and nothing is made or removed behind it" "$(find elsewhere)" "elsewhere
elsewhere/file"
done_testing
