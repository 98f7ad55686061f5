#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Sweeps with [program]: what is refused, values with every character, stopping and resuming, and the
# other commands on such a sweep.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1
run() { timeout 300 "$ESPALIER" run "$@" --progress none </dev/null; }
sql() { sqlite3 "$1" "$2"; }

cat >ok.sh <<'SH'
#!/bin/sh
echo "log of $*"
echo "model $*" >"$ESPALIER_DIR/model.txt"
echo "{\"epoch\": 0, \"val\": 0, \"size\": 3}" >>"$ESPALIER_RESULTS"
echo "{\"epoch\": 1, \"val\": $1, \"size\": 2}" >>"$ESPALIER_RESULTS"
SH
chmod +x ok.sh

# ---- refused ----

# refused NAME MESSAGE <<FILE: the first message, without "espalier: s.ini"
refused() {
    { printf '[sweep]\nobjective = val\ndirection = max\n' && cat; } >s.ini
    run s.ini --db s.db >out 2>err
    status=$?
    is "$1" "$(sed -n '1,3s/^espalier: s[.]ini//p' err)" "$2"
    [ "$status" -eq 1 ] || [ "$status" -eq 2 ] || fail "$1: status" "$status"
    [ ! -e s.db ] || fail "$1: nothing is written" "$(ls s.db*)"
}
refused_key() { # refused_key KEY VALUE MESSAGE: in [program]
    refused "$1 = $2" ":6: $3" <<INI
[program]
command = ./ok.sh {n}
$1 = $2
[grid]
n = 1
INI
}
refused "data beside a program" ":6: [data] cannot stand beside [program], which reads its own data and trains its own model: remove one of the two" <<'INI'
[program]
command = ./ok.sh {n}
[data]
format = simulated
[grid]
n = 1
INI
refused "an unknown place" ":5: command: {m} at byte 13 is unknown: must be an axis of [grid], a key of [program], or a name of espalier such as {seed}; for braces write {{m}}" <<'INI'
[program]
command = ./ok.sh {n} {m}
[grid]
n = 1
INI
refused "an unused axis" ":8: 'm' is not used: write {m} in command or env, or set values = environment if the program reads ESPALIER_PARAM_m" <<'INI'
[program]
command = ./ok.sh {n}
[grid]
n = 1
m = 1
INI
refused "a name in a comment behind the command" ":8: 'what' is not used: ' ;' begins a comment in line 5, so the command lacks '; ./ok.sh {what}': for another command write ';' without a blank before it, or &&" <<'INI'
[program]
command = cd td ; ./ok.sh {what}
shell = yes
[grid]
what = 1
INI
refused "an unused axis with a name like a setting of models" ":7: 'lr' is not used: write {lr} in command or env, or set values = environment if the program reads ESPALIER_PARAM_lr" <<'INI'
[program]
command = ./ok.sh
[grid]
lr = 1
INI
refused "a name twice" ":8: n is an axis here and fixed in line 6: keep one" <<'INI'
[program]
command = ./ok.sh {n}
n = 2
[grid]
n = 1
INI
refused "a value twice" ":7: n: 0.001 comes twice" <<'INI'
[program]
command = ./ok.sh {n}
[grid]
n = 1e-3, 0.001
INI
gang_env() { # gang_env VARIABLE RANKS
    refused "$1 in env of a gang, ranks = $2" ":6: env: $1: with ranks above 1 espalier sets this variable for each process of a trial: remove it" <<INI
[program]
command = ./ok.sh {n}
env = A=1 $1=0 RANKS=2
[grid]
n = 1
ranks = $2
INI
}
for name in RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE GROUP_RANK GROUP_WORLD_SIZE ROLE_RANK ROLE_WORLD_SIZE MASTER_ADDR MASTER_PORT; do
    gang_env $name 2
done
gang_env RANK 1,2
printf '[sweep]\nobjective = val\ndirection = max\n[program]\ncommand = ./ok.sh {n}\nenv = RANK=0 WORLD_SIZE=1\n[grid]\nn = 1\n' >n.ini
ok "env of a trial on one rank may set RANK" "$ESPALIER" plan n.ini
refused "names that SQL would not find" ":7: 'Config' is a column of the leaderboard or of the trials: choose another name for the axis, such as my_Config
:8: 'group' is a word of SQL: choose another name for the axis, such as my_group
:10: 'lr' and 'LR' differ only in case, which SQL ignores: choose another name for the axis, such as my_lr" <<'INI'
[program]
command = ./ok.sh {Config} {group} {LR} {lr}
[grid]
Config = a, b
group = 1
LR = 1
lr = 1
INI
refused "reserved and bad names" ":8: 'fold' is a name of espalier: choose another, such as my_fold
:9: 'dir' is a name of espalier: choose another, such as my_dir
:10: 'a b' is not a name: must be letters, digits and _, at most 63, and not begin with a digit" <<'INI'
[program]
command = ./ok.sh {n}
[grid]
n = 1
fold = 1
dir = 1
a b = 1
INI
refused "a line that cannot be read makes no name unknown" ":7: n = \"a: the quote \" is not closed" <<'INI'
[program]
command = ./ok.sh {n} {m}
[grid]
n = "a
INI
refused_key folds 3 "unknown key 'folds' in [program]; did you mean [sweep] folds?"
refused_key workers 2 "'workers' is not used: write {workers} in command or env, or set values = environment if the program reads ESPALIER_PARAM_workers"
printf '[sweep]\nobjective = val\n[program]\ncommand = ./ok.sh {n}\n[grid]\nn = 1\n' >n.ini
fails "a setting of models" 2 "$ESPALIER" plan n.ini --set workers=2
like "has no place" "$(cat "$T/.err")" "--set workers=2: workers is a setting of models, and this sweep runs a program"
refused_key keep_files ../x "keep_files = ../x: must be names of files and folders in {dir}, separated by commas"
refused_key keep_files checkpoint/x "keep_files: 'checkpoint/x' is a name of espalier: choose another"
refused_key stop_signal KILL "stop_signal = KILL: must be TERM | INT | USR1 | USR2"
refused_key env 'A={x}' "env: {x} at byte 3 is unknown: must be an axis of [grid], a key of [program], or a name of espalier such as {seed}; for braces write {{x}}"
refused "a setting of another section" ":7: trial_timeout is a setting of [resources]: move it there, or choose another name" <<'INI'
[program]
command = ./ok.sh
values = environment
trial_timeout = 2h
[grid]
n = 1
INI
refused "65 names" ":72: 'x65' is one name too many: at most 64 are allowed" <<INI
[program]
command = ./ok.sh
values = environment
$(echo '[grid]'; seq 64 | sed 's/.*/x& = 1/'; echo 'x65 = 1')
INI
sed -i '/^x65/d; s/^command.*/command = .\/ok.sh {x1}/' s.ini
ok "64 names" run s.ini --db s.db
rm -rf s.db*
for missing in './none|no such file' 'none_such|no such program in PATH' './folder|it is a folder' './plain|not executable (chmod +x)'; do
    mkdir -p folder
    : >plain
    refused "${missing#*|}" ":5: command: cannot start '${missing%|*}': ${missing#*|}" <<INI
[program]
command = ${missing%|*} {n}
[grid]
n = 1
INI
done
simple() { printf '[sweep]\nobjective = val\ndirection = max\nfolds = 3\n[program]\ncommand = ./ok.sh {n} {f}\nkeep_files = model.txt\n%s\n[grid]\nn = 1, 2, 3\nf = a, "b\\nc"\n' "$1"; }
simple "inputs = none*.csv" >s.ini
run s.ini --db s.db 2>err
is "inputs that match nothing" "$? $(cat err)" "2 espalier: s.ini:8: inputs: no file $(pwd -P)/none*.csv: patterns such as data/*.csv start at the folder of the sweep file"
simple "inputs = /dev/zero" >s.ini
run s.ini --db s.db 2>err
is "inputs that are a device" "$? $(cat err)" "2 espalier: s.ini:8: inputs: /dev/zero is not a regular file"
run s.ini --db s.db --set grid.fold=1 2>err
is "a reserved name by --set" "$(head -n 1 err)" "espalier: --set grid.fold=1: 'fold' is a name of espalier: choose another, such as my_fold"
# ---- values ----

cat >see.sh <<'SH'
hex() { printf %s "$1" | od -An -v -tx1 | tr -d ' \n'; echo; }
for text; do hex "$text"; done >>"$ESPALIER_DIR/../../../seen"
hex "$MINE" >>"$ESPALIER_DIR/../../../seen"
hex "$ESPALIER_PARAM_n" >>"$ESPALIER_DIR/../../../seen"
echo '{"val": 1}' >>"$ESPALIER_RESULTS"
SH
long=$(head -c 30000 /dev/zero | tr '\0' x) # a shell's line is one argument, of at most 128 KiB
list="plain, two words, ' leading', \"trailing \", '', '''', '\"', 'a''b\"c;d', 'x ; y', '\$(touch pwned)', '\`touch pwned\`', '\${HOME}', '\\', \"a\\\\nb\", \"new\\nline\\n\", \"tab\\tx\", '{', '{{n}}', é日本, -rf, --help, *, ~, '#c', 'a,b', '1:2:3', 007, %s%n, x=y, '&&', $long"
for shell in no yes; do
    rm -rf seen v.db*
    printf '[sweep]\nobjective = val\ndirection = max\n[program]\ncommand = sh see.sh {n} --a={n} "{n}" '"'{n}'"'\nenv = MINE={n}\nshell = %s\n[grid]\nn = %s\n' $shell "$list" >v.ini
    run v.ini --db v.db 2>err
    is "values, shell = $shell" "$(sql v.db 'select state, count(*) from trial group by 1')" "done|31"
    is "reach the program as they are in six ways, shell = $shell" \
        "$(sed 's/^2d2d613d//' seen | uniq -c | awk '{ print $1 }' | sort | uniq -c | tr -s ' ')" " 31 6"
    is "and unchanged, shell = $shell" "$(sed -n '1~6p' seen | sort | cksum)" \
        "$(sql v.db "select lower(hex(params ->> 'n')) from config" | sort | cksum)"
    is "no shell ran them, shell = $shell" "$(ls pwned 2>&1)" "ls: cannot access 'pwned': No such file or directory"
done
rm -rf seen v.db*
run v.ini --db v.db --set 'grid.n="a\nb", --x, '"'"'$(touch pwned)'"'"', "q\"uo"' 2>err
is "values by --set" "$(sed -n '1~6p' seen | sort | tr '\n' ' ')" "2428746f7563682070776e656429 2d2d78 610a62 7122756f "
rm -rf v.db* && printf '[sweep]\nobjective = val\ndirection = max\n[program]\ncommand = ./ok.sh 1 {n}\n[grid]\nn = %s\n' "$long$long$long$long$long" >v.ini
run v.ini --db v.db 2>err
is "a value that is too long for the system" "$(sql v.db 'select error from trial')" "cannot start './ok.sh': command and environment are too long for this system"

# ---- changes ----

simple "inputs = in*.txt" >c.ini
echo 1 >in1.txt
ok "a sweep with inputs" run c.ini --db c.db
ok "goes on" run c.ini --db c.db
change() { # change NAME LINE
    run c.ini --db c.db 2>err
    is "$1" "$(sed -n 's/[0-9a-f]\{32\}/HASH/g; /^espalier:   /p' err)" "espalier:   $2"
}
echo 2 >in1.txt
change "a changed input" "the files of program.inputs differ (digest HASH -> HASH)
espalier:   in1.txt has changed (digest HASH -> HASH)"
ok "--new-sweep accepts it" run c.ini --db c.db --new-sweep
echo 1 >in2.txt
change "one more input" "the files of program.inputs differ (digest HASH -> HASH)
espalier:   in2.txt has changed (digest none -> HASH)"
rm in2.txt
sed -i 's/{n} {f}/{n} x {f}/' c.ini
change "a changed command" "program.command: ./ok.sh {n} {f} -> ./ok.sh {n} x {f}"
is "each sweep keeps its files" "$(sql c.db 'select trial_id from file' | sed 's/^/t/' | sort | tr '\n' ' ')" \
    "$(ls c.db.files | sort | tr '\n' ' ')"

# ---- other commands ----

is "plan --commands" "$("$ESPALIER" plan c.ini --commands 2>/dev/null | sed -n '1p;4,5p')" "./ok.sh 1 x a
./ok.sh 1 x 'b
c'"
sed 's/^objective/name = other\nobjective/; s/^command.*/command = .\/ok.sh {trial} {n} {f}/' c.ini >other.ini
last=$(sql c.db 'select max(trial_id) from trial')
sqlite3 c.db ".backup other.db"
"$ESPALIER" plan other.ini --db other.db --commands >lines 2>/dev/null
is "trials of a new sweep have no ids of another" "$(sed -n '1s/\(sh [0-9]*\) .*/\1/p' lines)" "./ok.sh $((last + 1))"
run other.ini --db other.db 2>err
is "but those that they get" "$("$ESPALIER" plan other.ini --db other.db --commands 2>/dev/null)" "$(cat lines)"
printf '[sweep]\nobjective = val\n[program]\ncommand = sh mpi.sh {n}\ncapture = stdout\n[grid]\nn = 1\n' >mpi.ini
printf 'env | grep "^OMPI_MCA_[^p]\\|^PRTE_MCA" | sort | tr "\\n" " "; echo; echo loss=1 val_loss=1\n' >mpi.sh
sed -i 's/^objective = val/objective = val_loss/' mpi.ini
mpi() { # mpi [VARIABLE...]: those that a program gets
    rm -rf mpi.db*
    env "$@" "$ESPALIER" run mpi.ini --db mpi.db -q --progress none 2>err
    "$ESPALIER" show mpi.db t1 --log 2>&1 | head -n 1
}
is "parameters of MPI that people set reach a program, those of a launch do not" \
    "$(mpi OMPI_MCA_btl=self OMPI_MCA_orte_app_num=0 OMPI_MCA_ess_base_vpid=0 OMPI_MCA_initial_wdir=/)" \
    "OMPI_MCA_btl=self OMPI_MCA_hwloc_base_binding_policy=none PRTE_MCA_hwloc_default_binding_policy=none "
is "a binding that they set, too" "$(mpi OMPI_MCA_hwloc_base_binding_policy=core | cut -d' ' -f1)" "OMPI_MCA_hwloc_base_binding_policy=core"
# Lines of a gang are those of rank 0.
cat >gang.ini <<'INI'
[sweep]
objective = n
direction = min
[program]
command = ./ok.sh {rank} {ranks} {x}
[grid]
x = 1
ranks = 1, 2
INI
gang_note="espalier: gang: ranks = 2: these are the lines of rank 0, without RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT, which 'run' sets for each process of a gang"
is "plan --commands of a gang" "$("$ESPALIER" plan gang.ini -n 2 --commands 2>err; grep gang: err)" "./ok.sh 0 1 1
./ok.sh 0 2 1
$gang_note"
is "without gangs there is no such note" "$("$ESPALIER" plan gang.ini --set grid.ranks=1 --commands 2>&1)" "./ok.sh 0 1 1"
"$ESPALIER" best c.db >out 2>&1
is "best escapes" "$(grep -c 'b?c' out)" 3
"$ESPALIER" best c.db --format ini >best.ini 2>err
ok "best --format ini" run best.ini --db again.db
is "gives the same numbers" "$(sql again.db 'select value, count(*) from trial group by 1')" "3.0|3"
"$ESPALIER" verify c.db >out 2>&1
is "verify" "$(tail -n 1 out)" "espalier: sweep 'c': c.db: its trials are programs, which are not run again here, because many give other numbers each time; to compare, repeat the best configuration: 'espalier best c.db --format ini > best.ini', and 'espalier run best.ini --db again.db'"
"$ESPALIER" predict c.db >out 2>&1
is "predict" "$(tail -n 1 out)" "espalier: sweep 'c' runs a program, whose models espalier cannot apply: the program itself must predict; with [program] keep_files = model.pt, 'espalier show c.db t1' prints where its models are"
for command in status "show c.db t1" "show c.db c1" "watch --once" profile "export --format csv" "export --format json" "export --format jsonl" \
    "report -o r.html" "trace -o t.json" "best --format latex" "best --format json" "best --rule 1se"; do
    # shellcheck disable=SC2086 # several words
    case $command in
    show*) "$ESPALIER" $command >out 2>err ;;
    *) "$ESPALIER" $command --db c.db >out 2>err ;;
    esac
    is "$command" "$? $(grep -i 'unknown\|cannot be read\|damaged' err)" "0 "
done
cat >test.ini <<'INI'
[sweep]
objective = val_loss
folds = 2
[program]
command = printf 'val_loss: %%s\ntest_loss: 0.%%s\n' {n} {fold}
capture = stdout
[grid]
n = 1, 2
INI
sed -i 's/%%/%/g' test.ini
run test.ini --db test.db 2>err
"$ESPALIER" best test.db --rule 1se --section test --format csv >out 2>err
is "best shows the loss on the test part" "$? $(cut -d, -f1-3 out | tr '\n' ' ')$(grep -c 'no test metrics' err)" "0 test,trials,mean loss,2,0.05 0"
simple >m.ini
run m.ini --shard 1/2 2>err && run m.ini --shard 2/2 2>err
ok "merge of two shards" "$ESPALIER" merge all.db results.1of2.db results.2of2.db
is "takes the trials and their files" "$(sql all.db 'select count(*), sum(value) from trial; select count(*) from file' | tr '\n' ' ') $(find all.db.files -name model.txt | wc -l)" \
    "18|36.0 $(sql all.db 'select count(*) from file')  $(sql all.db 'select count(*) from file')"

# ---- stopping ----

cat >train.sh <<'SH'
stop() { echo "${1:-}" >"$ESPALIER_CHECKPOINT/epoch"; exit 75; }
trap 'asked=1' TERM
from=0
[ ! -e "$ESPALIER_CHECKPOINT/epoch" ] || read -r from <"$ESPALIER_CHECKPOINT/epoch"
for epoch in $(seq $((from + 1)) 12); do
    sleep 0.1
    echo "{\"epoch\": $epoch, \"val\": $epoch, \"from\": $from}" >>"$ESPALIER_RESULTS"
    [ -z "${asked:-}" ] || stop $epoch
done
SH
printf '[sweep]\nobjective = val\ndirection = max\n[program]\ncommand = sh train.sh {n}\n[grid]\nn = 1, 2\n' >stop.ini
for signal in TERM USR1; do
    rm -rf stop.db*
    "$ESPALIER" run stop.ini --db stop.db --progress none </dev/null 2>err &
    pid=$!
    while [ ! -s "$(find stop.db.files -name results.jsonl 2>/dev/null | head -n 1)" ]; do sleep 0.05; done
    kill -$signal $pid
    wait $pid
    is "SIG$signal: the run can be resumed" $? 75
    like "and leaves a checkpoint" "$(grep left err)" '^espalier: stopped early; 2 trials are left, 1 with a checkpoint: the same command continues$'
done
ok "the same command continues" run stop.ini --db stop.db
is "with the curve whole" "$(sql stop.db 'select trial_id, count(*), min(epoch), max(epoch), sum(val_value) from curve group by 1' | tr '\n' ' ')" "1|12|1|12|78.0 2|12|1|12|78.0 "
is "from the checkpoint" "$(sql stop.db "select count(distinct value) from curve_metric where name = 'from' group by trial_id" | sort | tr '\n' ' ')" "1 2 "

# ---- flags, lists, and axes with a condition ----

cat >words.sh <<'SH'
echo "$* ${ESPALIER_PARAM_m-none}" >>words
echo "val: 0.$#"
SH
optional() { # optional COMMAND SHELL AXIS ...: a sweep over o = sgd, adam
    printf '[sweep]\nobjective = val\ndirection = min\n[program]\ncommand = sh words.sh %s\nshell = %s\nvalues = environment\ncapture = stdout\n[grid]\no = sgd, adam\n' "$1" "$2" >o.ini
    shift 2
    printf '%s\n' "$@" >>o.ini
}
wanted='--opt adam 16 none
--opt adam 64 32 none
--opt sgd --m 0.5 16 0.5
--opt sgd --m 0.5 64 32 0.5
--opt sgd --m 0.9 --fast 16 0.9
--opt sgd --m 0.9 --fast 64 32 0.9
--opt sgd --m 0.9 16 0.9
--opt sgd --m 0.9 64 32 0.9'
for shell in no yes; do
    rm -rf o.db* words
    optional '--opt {o} [--m {m}] {f:--fast} {l...}' $shell "m = 0.5, 0.9 if o = 'sgd'" 'f = yes, no if m > 0.6' "l = '64 32', 16"
    is "only these configurations run, shell = $shell" "$(run o.ini -n 2 --db o.db -q 2>&1 | grep -v replicates; sort words)" "$wanted"
done
run o.ini -n 2 --db o.db >out 2>err
like "the same sweep is finished" "$(head -n 1 err)" ' 8 trials, 0 to run '
run o.ini --db o.db --set grid.m=0.5,0.9,0.99 >out 2>err
like "more values keep the condition" "$(head -n 1 err)" ' 12 trials, 4 to run '
is "no value is empty in the answers" "$("$ESPALIER" export o.db | cut -d , -f 4-7 | sort -u)" "adam,,,16
adam,,,64 32
o,m,f,l
sgd,0.5,,16
sgd,0.5,,64 32
sgd,0.9,no,16
sgd,0.9,no,64 32
sgd,0.9,yes,16
sgd,0.9,yes,64 32
sgd,0.99,no,16
sgd,0.99,no,64 32
sgd,0.99,yes,16
sgd,0.99,yes,64 32"
is "and null in conditions" "$("$ESPALIER" best o.db --where 'm is null and f is null' --format csv 2>/dev/null | cut -d , -f 3-6)" "o,m,f,l
adam,,,16
adam,,,64 32"
"$ESPALIER" best o.db --format ini >b.ini 2>err
rm -f words
is "the best one runs alone" "$(run b.ini --db b.db -q 2>&1 | grep -v replicates; cat words)" "--opt adam 16 none"
is "with the key that it had" "$(sql b.db 'select key from trial')" "$(sql o.db "select key from trial where config_id = (select config_id from config where params like '%adam%' and params like '%\"l\": 16%')")"
optional '{o} [{m}]' no "m = 1: 5: 2, 'a, if b' if o in ('sgd', 'x')"
sed -i "s/^direction.*/&\nwhere = m is null or m > 1/" o.ini
is "where sees no value as null" "$("$ESPALIER" plan o.ini --commands -q 2>&1 | sed 's/.*words.sh //')" "sgd 3
sgd 5
sgd 'a, if b'
adam"
optional '{o} \
    --last' no 'm = 1' && sed -i '/^m = 1/d' o.ini
is "a backslash joins lines" "$("$ESPALIER" plan o.ini --commands -q 2>&1 | sed -n 's/.*words.sh //p' | head -n 1)" 'sgd --last'
wrong() { # wrong NAME MESSAGE COMMAND AXIS
    optional "$3" no "$4"
    is "$1" "$("$ESPALIER" plan o.ini -q 2>&1)" "espalier: o.ini:$2"
}
optional '{o} [{m}]' no "m = 1 if o = 'SGD'"
is "a condition that never holds" "$("$ESPALIER" plan o.ini --commands -q 2>&1 | grep warning)" \
    "espalier: warning: o.ini: axes without a value, since their conditions hold for no configuration: m, if o = 'SGD'"
wrong "a name that may have no value" "5: command: {m} at byte 21 may have no value: put the words that need it into brackets, as in [--m {m}]" '{o} --m {m}' "m = 1 if o = 'sgd'"
wrong "brackets for nothing" "5: command: brackets around names leave out words if a name has no value, and here all have one: for the characters [ and ] put them in quotes" '[{m},{o}]' 'm = 1'
wrong "a word that is no flag" "5: command: {m:--m} at byte 17: m = maybe: must be yes, true or 1, or no, false or 0" '{o} {m:--m}' 'm = yes, maybe'
wrong "a condition on no axis" "11: if p = 'sgd': no such column: p; the axes are: o, m; put text in quotes" '{o} [{m}]' "m = 1 if p = 'sgd'"
wrong "a text without quotes" "11: if o = sgd: no such column: sgd; the axes are: o, m; put text in quotes" '{o} [{m}]' "m = 1 if o = sgd"
wrong "no condition" "11: m: no condition follows 'if'" '{o} [{m}]' 'm = 1 if'
wrong "a condition on a setting" "11: threads: only axes of a program's own names may have a condition: exclude points by [sweep] where" '{o}' "threads = 1, 2 if o = 'sgd'"
sed -i '/^threads/d' o.ini
is "a wrong pattern" "$("$ESPALIER" plan o.ini -q --set 'capture_pattern=a(?<x' 2>&1)" "espalier: --set capture_pattern: capture_pattern: byte 6: syntax error in subpattern name (missing terminator?)"

done_testing
