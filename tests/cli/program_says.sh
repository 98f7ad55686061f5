#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run, plan and status tell a user of [program]: warnings and refusals before anything runs, the
# reasons of failures, checkpoints, and what is left to do.
# shellcheck disable=SC2016 # a $ for the shell of the program
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1
run() { # run OPTIONS: the messages are in err, without the advice to add replicates
    timeout 300 "$ESPALIER" run "$@" --progress none </dev/null 2>all
    set -- $?
    sed '/adds* replicates/d' all >err
    return "$1"
}
sweep() { # sweep COMMAND [LINE ...]: a sweep over n = 1, 2 with further lines of [program]
    printf '[sweep]\nobjective = val\ndirection = max\n[program]\ncommand = %s\n' "$1"
    shift
    printf '%s\n' "$@" '[grid]' 'n = 1, 2'
}
cat >ok.sh <<'END'
#!/bin/sh
echo "$*" >>arguments
echo '{"val": 1}' >>"$ESPALIER_RESULTS"
END
chmod +x ok.sh
said() { sed 's/^espalier: //' err; }

# ---- words of a shell ----

as() { echo "warning: s.ini: command: the program gets $1 as written, since no shell reads the command: set shell = yes, or quote what is meant so; a comment begins with ' ;'"; }
for word in '|' '>log.txt'; do
    sweep "./ok.sh {n} $word tee" >s.ini
    run s.ini --db s.db -q
    is "$word alone" "$? $(said)" "0 $(as "'$word'")"
    is "the program gets it" "$(grep '^2' arguments)" "2 $word tee"
    rm -rf s.db* arguments
done
sweep './ok.sh {n} > a.log && cat b | c' >s.ini
"$ESPALIER" plan s.ini -q >out 2>err
is "plan warns, too" "$? $(said)" "0 $(as "'>', '&&' and '|'")"
"$ESPALIER" plan s.ini --commands -q >out 2>err
is "and with --commands" "$? $(said)" "0 $(as "'>', '&&' and '|'")"
sweep "./ok.sh {n} '|' \"&&\" \\> a|b x>y" >s.ini
run s.ini --db s.db -q
is "a word in quotes is meant" "$? $(cat err)" "0 "
rm -rf s.db*
sweep './ok.sh {n} > /dev/null 2>&1 && true' 'shell = yes' >s.ini
run s.ini --db s.db -q
is "a shell reads them" "$? $(cat err)" "0 "
rm -rf s.db*
sweep './ok.sh {n} && exec ./crash.sh | sed s/a/b/' 'shell = yes' >s.ini
printf '#!/bin/sh\necho bad luck >&2\nexit 9\n' >crash.sh
chmod +x crash.sh
run s.ini --db s.db -q
is "a crash in front of a pipe is a failure" "$? $(sqlite3 s.db 'select state, count(*), error from trial')" \
    "3 failed|2|exit status 9: bad luck"
rm -rf s.db*
sweep './ok.sh {n} && yes | head -n 1' 'shell = yes' >s.ini
run s.ini --db s.db -q
is "so is one that head has cut off" "$? $(sqlite3 s.db 'select distinct error from trial')" \
    "3 exit status 141 (SIGPIPE: what is behind a pipe, such as head, stopped reading): y"
rm -rf s.db*
sweep 'cd data && ./ok.sh {n}' >s.ini
run s.ini --db s.db
is "cd" "$? $(said | head -n 1)" "2 $(as "'cd' and '&&'")"
ok "nothing is written" test ! -e s.db

cut() { # cut PROGRAM REST: what the shell gets, and what it does not
    echo "warning: s.ini: command: ' ;' begins a comment, so the shell gets '$1' without '$2': for another command write ';' without a blank before it, or &&; move a comment to a line of its own"
}
sweep './ok.sh {n} ; false' 'shell = yes' >s.ini
"$ESPALIER" plan s.ini -q >out 2>err
is "plan warns of a comment in a command for the shell" "$? $(said)" "0 $(cut './ok.sh {n}' '; false')"
run s.ini --db s.db -q
is "run, too" "$? $(said)" "0 $(cut './ok.sh {n}' '; false')"
rm -rf s.db*
sweep './ok.sh {n} && \
    true   ; false ' 'shell = yes' >s.ini
"$ESPALIER" plan s.ini -q >out 2>err
is "in the second line" "$? $(said)" "0 $(cut './ok.sh {n} && true' '; false')"
sweep './ok.sh {n}; true && echo " ; a"' 'shell = yes ; a comment' >s.ini
"$ESPALIER" plan s.ini -q >out 2>err
is "no comment" "$? $(said)" "0 "
sweep './ok.sh {n} ; a comment' >s.ini
"$ESPALIER" plan s.ini -q >out 2>err
is "a comment that no shell would read" "$? $(said)" "0 "

sweep "./ok.sh {n} '\$HOME' \$HOME ~/x" >s.ini
"$ESPALIER" plan s.ini -q >out 2>err
is "a variable and a home" "$? $(said)" "0 $(as "'\$HOME' and '~/x'")"
literal() { # literal WORD: of env
    echo "warning: s.ini: env: the program gets '$1' as written, since no shell reads env: write values, separated by blanks alone, or set variables in a command with shell = yes"
}
for word in 'A=$HOME' 'A=~/x' 'A=/a:$PATH'; do
    for shell in no yes; do
        sweep './ok.sh {n}' "env = B=1 $word" "shell = $shell" >s.ini
        "$ESPALIER" plan s.ini -q >out 2>err
        is "$word in env, shell = $shell" "$? $(said)" "0 $(literal "$word")"
    done
done
for env in 'A=1, B=2' 'A=1; B=2'; do
    sweep './ok.sh {n}' "env = $env" >s.ini
    "$ESPALIER" plan s.ini -q >out 2>err
    is "env = $env" "$? $(said)" "0 $(literal "${env%% B*}")"
done
sweep './ok.sh {n}' "env = A='1,' B='\$HOME' C=a,b D= E={n} F=1," >s.ini
"$ESPALIER" plan s.ini -q >out 2>err
is "values of env that are meant" "$? $(said)" "0 "
for value in '[0.1 0.2]' '0.1 0.2' '0.1;0.2' '[.5], [.6]' '(-1'; do
    sweep './ok.sh {n}' | sed "s/^n = .*/n = $value/" >s.ini
    "$ESPALIER" plan s.ini -q >out 2>err
    is "$value is no list" "$? $(said)" "0 warning: s.ini: n = ${value%,*}: this is one text: separate values by commas, without brackets"
done
for value in '[32, 64], [64, 64]' '[32, 64], [128, 16]' '[32, 64]' '[32' '32, 64]'; do
    sweep './ok.sh {n}' | sed "s/^n = .*/n = $value/" >s.ini
    fails "n = $value" 2 "$ESPALIER" plan s.ini -q
    part=${value%%,*}
    [ "$part" != 32 ] || part='64]'
    is "n = $value, the message" "$(cat .err)" "espalier: s.ini:7: n: value '$part' has only one of [ and ], since commas separate values: quote a value that contains commas, such as '[32, 64]', or remove the brackets"
done
sweep './ok.sh {n}' | sed "s/^n = .*/n = '[32, 64]', \"[64, 64]\", '[', a[0], [b], x[1, '[1 2]', '1 2', 'lin(0,1)', '2 # a'/" >s.ini
"$ESPALIER" plan s.ini -q >out 2>err
is "brackets that are meant" "$? $(said)" "0 "
for line in 'n = 1, 2 # layers, and more' 'n = a # b' 'n = 2 #'; do
    sweep './ok.sh {n}' | sed "s/^n = .*/$line/" >s.ini
    "$ESPALIER" plan s.ini -q >out 2>err
    like "$line is no comment" "$? $(said)" "^0 warning: s.ini: n = [^:]*#[^:]*: this is one text: a comment after a value begins with ' ;'$"
done
sweep './ok.sh {n} {m}' 'm = 3 # fixed' >s.ini
"$ESPALIER" plan s.ini -q >out 2>err
is "nor is one after a fixed value" "$? $(said)" "0 warning: s.ini: m = 3 # fixed: this is one text: a comment after a value begins with ' ;'"
sweep './ok.sh {n} # my comment' >s.ini
"$ESPALIER" plan s.ini -q >out 2>err
is "nor after the command" "$? $(said)" "0 $(as "'#'")"
sweep "./ok.sh {n} '#' a#b" "m = a#b" 'values = environment' >s.ini
"$ESPALIER" plan s.ini -q >out 2>err
is "a number sign that is meant" "$? $(said)" "0 "
sweep './ok.sh {n} # a comment of the shell' 'shell = yes' >s.ini
"$ESPALIER" plan s.ini -q >out 2>err
is "a comment of the shell" "$? $(said)" "0 "
for value in 'lin(0,1,5)' 'linspace(0, 1, 5)' 'log10(1e-3,1,4)'; do
    sweep './ok.sh {n}' | sed "s/^n = .*/n = $value/" >s.ini
    "$ESPALIER" plan s.ini -q >out 2>err
    is "$value is no range" "$? $(said)" "0 warning: s.ini: n = $value: this is one text: a range is lo:hi:step or log(lo, hi, n)"
done
sweep './ok.sh {n}' | sed "s/^n = .*/n = 12:30/" >s.ini
fails "a time is no range" 2 "$ESPALIER" plan s.ini -q
like "the message says how to write a text" "$(cat .err)" "n = 12:30: a range is lo:hi:step, three numbers; quote a text: '12:30'$"
sweep './ok.sh {n}' | sed "s/^n = .*/n = '12:30', relu(x), relu(1), f(g,1)/" >s.ini
"$ESPALIER" plan s.ini -q >out 2>err
is "texts with colons and brackets" "$? $(said)" "0 "
sweep './ok.sh {n}' | sed "s/^n = .*/n = 007, 3d, 2x2, [a], -x 1, 5;/" >s.ini
"$ESPALIER" plan s.ini -q >out 2>err
is "texts" "$? $(said)" "0 "
sweep "./ok.sh {n} 2>err || < & \$5 a\$(b)" >s.ini
"$ESPALIER" plan s.ini -q >out 2>err
is "other words of a shell" "$? $(said)" "0 $(as "'2>err', '||', '<' and '&'")"
sweep './ok.sh $HOME' 'shell = yes' 'values = environment' >s.ini
"$ESPALIER" plan s.ini -q --set grid.threads=1,2 >out 2>err
is "a shell expands a variable, and settings are no texts" "$? $(said)" "0 "

# ---- repeats ----

sweep './ok.sh {n} {seed}' >s.ini
"$ESPALIER" plan s.ini -q --set replicates=2 --set folds=2 >out 2>err
is "the seed tells repeats apart" "$? $(said)" "0 "

# ---- programs that are missing ----

refused() { # refused NAME MESSAGE: of the sweep s.ini
    rm -f arguments
    run s.ini --db s.db -q
    is "$1" "$? $(said)" "2 s.ini:5: command: cannot start $2"
    is "nothing runs" "$(ls arguments s.db* 2>/dev/null)" ""
}
script() { printf '%b' "$1" >script && chmod +x script && sweep './script {n}' >s.ini; }
sweep 'A_1=2 ./ok.sh {n}' >s.ini
refused "a variable in front" "'A_1=2': it sets a variable, which is for [program] env or a command with shell = yes"
sweep '=2 ./ok.sh {n}' >s.ini
refused "no variable" "'=2': no such program in PATH"
script '#!/usr/bin/nosuch -x\n'
refused "a missing interpreter" "'./script': its interpreter '/usr/bin/nosuch' does not exist"
script '#!/bin/sh\r\n'
refused "line ends of Windows" "'./script': its lines end as on Windows; convert them (dos2unix)"
mkdir bin && printf '#!/usr/bin/nosuch\n' >bin/one && chmod +x bin/one && sweep 'one {n}' >s.ini
path=$PATH
PATH=$T/bin:$PATH
refused "in PATH" "'$T/bin/one': its interpreter '/usr/bin/nosuch' does not exist"
PATH=$path
script '#! /bin/sh -e\nexec ./ok.sh\n'
run s.ini --db s.db -q
is "an interpreter with an option" "$? $(cat err)" "0 "
rm -rf s.db*
mkdir own && cp ok.sh own/mine && sweep 'mine {n}' "env = PATH=$T/own:/usr/bin:/bin" >s.ini
run s.ini --db s.db -q
is "a program in the PATH of env" "$? $(cat err)" "0 "
rm -rf s.db*
sweep 'nosuch {n}' >s.ini
refused "no such program" "'nosuch': no such program in PATH"
for command in plan 'plan --commands' 'run --dry-run'; do
    # shellcheck disable=SC2086 # several words
    "$ESPALIER" $command s.ini --db s.db -q >out 2>err
    is "$command warns" "$? $(said)" "0 warning: s.ini:5: command: cannot start 'nosuch': no such program in PATH: 'run' refuses to start where this is so"
done
# ---- names beyond the limit ----

cat >many.sh <<'END'
for i in $(seq $(($1 - 1))); do echo "m$i=1"; done
echo "val=$2"
END
for n in 256 300; do
    sweep "sh many.sh $n {n}" 'capture = stdout' >many.ini
    run many.ini --db many$n.db
    is "$n names: the objective is stored" "$? $(sqlite3 many$n.db "select group_concat(state || value) from trial")" "0 done1.0,done2.0"
done
is "256 names need no note" "$("$ESPALIER" show t1 --log --db many256.db | tail -n 1)" "val=1"
is "the log names the first of more" "$("$ESPALIER" show t1 --log --db many300.db | tail -n 1)" \
    "espalier: stdout line 256: m256 and the new names after it are not stored: a trial has at most 256 names"

# ---- a dry run ----

cat >some.sh <<'END'
#!/bin/sh
case $1 in
2) exit 3 ;;
3) echo '{"val": "nan"}' ;;
*) echo '{"val": 1}' ;;
esac >>"$ESPALIER_RESULTS"
END
chmod +x some.sh
sweep './some.sh {n}' >dry.ini
dry() { # dry NAME LINES TOTALS [OPTION ...]
    name=$1 lines=$2 totals=$3
    shift 3
    run dry.ini --db dry.db --dry-run "$@" >out
    is "dry run: $name" "$? $(tr '\n' ' ' <out)" "0 $lines"
    like "dry run: $name, the totals" "$(said)" "$totals"
}
dry "without a database" "./some.sh 1 ./some.sh 2 " '= 2 trials; 2 to run'
run dry.ini --db dry.db --set grid.n=1,2,3 >/dev/null
dry "the rest of a grid that has grown" "./some.sh 4 " '; 1 to run' --set grid.n=1,2,3,4
dry "nothing is left" "" '; all are finished, 1 of them failed' --set grid.n=1,2,3
dry "failed trials, not diverged ones" "./some.sh 2 " '; 1 to run' --retry failed --set grid.n=1,2,3
all="--set grid.n=1,4,5,6,7,8"
# shellcheck disable=SC2086 # two words
is "dry run: shards divide the trials" "$(for k in 1 2; do "$ESPALIER" run dry.ini --db new.db --dry-run --shard $k/2 $all 2>/dev/null; done | sort | tr '\n' ' ')" \
    "$(for n in 1 4 5 6 7 8; do printf './some.sh %s ' $n; done)"
is "plan --commands has all" "$("$ESPALIER" plan dry.ini --db dry.db --commands 2>/dev/null | tr '\n' ' ')" "./some.sh 1 ./some.sh 2 "

sweep 'nosuch {n}' >s.ini
"$ESPALIER" doctor s.ini s.db >out 2>err
is "doctor finds it" "$? $(grep -A 1 refuse out)" "2 run would refuse: s.ini:5: command: cannot start 'nosuch': no such program in PATH
    fix: correct the command, or load what the program needs"
sweep './ok.sh {n}' 'inputs = nosuch.csv' >s.ini
"$ESPALIER" doctor s.ini s.db >out 2>err
like "and a missing input file" "$? $(grep refuse out)" '^2 run would refuse: s.ini:6: inputs: no file '

# ---- failures ----

cat >bad.sh <<'END'
[ "$1" != fine ] || exec ./ok.sh
echo "$1" >&2
exit 3
END
bad() { # bad VALUES ...: a run with -q
    printf '[sweep]\nobjective = val\ndirection = max\n[program]\ncommand = sh bad.sh {how}\n[grid]\nhow = %s\n' "$1" >s.ini
    shift
    run s.ini --db s.db "$@"
}
bad "luck 1, luck 2" -q
is "all failed, -q" "$? $(cat err)" "3 espalier: 2 trials failed, such as t1: exit status 3: luck 1"
run s.ini --db s.db
is "a run with nothing to do prints the reasons again" "$? $(sed -n '/failed[,:]/p' err)" "3 espalier: 2 trials failed, such as t1: exit status 3: luck 1"
like "plan counts them" "$("$ESPALIER" plan s.ini s.db 2>&1)" '; all are finished, 2 of them failed \(run --retry failed runs them again\)$'
is "status has no busy ranks" "$("$ESPALIER" status s.db | grep -c busy)" 0
rm -rf s.db*
bad "luck" -q
is "one failed" "$? $(cat err)" "3 espalier: t1 failed: exit status 3: luck"
like "plan" "$("$ESPALIER" plan s.ini s.db 2>&1)" '; all are finished, 1 of them failed \(run --retry failed runs it again\)$'
rm -rf s.db*
bad "fine, one, two 1, two 2, two 3, three, four, $(head -c 300 /dev/zero | tr '\0' x)"
is "reasons beside a success" "$? $(said | sed -n '/busy/d; s/^warning: //p')" "3 3 trials failed, such as t3: exit status 3: two 1
t2 failed: exit status 3: one
t6 failed: exit status 3: three
2 more trials failed for other reasons"
like "and the next step" "$(tail -n 1 err)" '^espalier: next: espalier status s.db shows why trials failed; run --retry failed runs them again$'
is "ranks were busy" "$(grep -c 'ranks were busy' err)" 1
rm -rf s.db*
bad luck -q
sqlite3 s.db "update trial set error = printf('%0300d', 0)"
run s.ini --db s.db -q
is "a long reason is cut" "$(cat err)" "$(printf 'espalier: t1 failed: %0200d...' 0)"
rm -rf s.db*
bad "luck, other"
is "no word about busy ranks if all failed" "$(grep -c busy err)" 0
rm -rf s.db*

# ---- checkpoints ----

cat >train.sh <<'END'
trap 'echo x >"$ESPALIER_CHECKPOINT/state"; exit 75' TERM
for epoch in 1 2 3; do echo "{\"epoch\": $epoch, \"val\": 0.5}" >>"$ESPALIER_RESULTS"; done
while :; do sleep 0.05; done
END
sweep 'sh train.sh {n}' 'stop_grace = 5s' >s.ini
run s.ini --db s.db --time-limit 2s
is "a time limit counts checkpoints" "$? $(said | grep 'stopped by')" "75 stopped by the time limit; 2 trials are left, 1 with a checkpoint: the same command continues"
is "status lists them" "$("$ESPALIER" status s.db --section checkpoints --format csv |
    sed -E 's/^[12],[12],/ID,/; s/,[0-9]+\.[0-9]{1,3}$/,S/')" "trial,config,state,after_epoch,percent,seconds
ID,pending,3,,S"
like "also for people" "$("$ESPALIER" status s.db)" '^trials with a checkpoint'
mkdir -p s.db.files/t99/checkpoint s.db.files/t1/checkpoint s.db.files/t2/checkpoint && : >s.db.files/t99/checkpoint/x
is "no empty folder, no trial of another database" "$("$ESPALIER" status s.db --section checkpoints --format csv | wc -l)" 2
rm -f s.db.files/t*/curve.jsonl s.db.files/t*/attempts
is "without its files, only the checkpoint is known" "$("$ESPALIER" status s.db --section checkpoints --format csv |
    sed '1d; s/^[12],[12],/ID,/')" "ID,pending,,,"
rm -rf s.db*

# Each trial takes longer than a run: 20 epochs of 0.05 s. The number of epochs is the checkpoint.
cat >parts.sh <<'END'
trap 'stop=yes' TERM
epoch=$(cat "$ESPALIER_CHECKPOINT/epoch" 2>/dev/null)
epoch=${epoch:-0}
while [ "$epoch" -lt 20 ]; do
    [ -z "$stop" ] || exit 75
    sleep 0.05
    epoch=$((epoch + 1))
    echo "{\"epoch\": $epoch, \"val\": $epoch}" >>"$ESPALIER_RESULTS"
    echo "$epoch" >"$ESPALIER_CHECKPOINT/epoch"
done
END
sweep 'sh parts.sh {n}' 'stop_grace = 1s' >s.ini
for _ in $(seq 20); do
    run s.ini --db s.db --time-limit 1s
    status=$?
    [ $status = 75 ] || break
done
is "trials longer than a run are finished in parts" "$status $(sqlite3 s.db 'select group_concat(state) from trial')" "0 done,done"
rm -rf s.db*

sweep 'sh -c "sleep 9" sh {n}' 'stop_grace = 1s' >s.ini
run s.ini --db s.db --time-limit 3s
is "a run in vain" "$? $(said | tail -n 1)" "1 warning: no trial was finished and no checkpoint saved in the whole time: raise the time limit, save checkpoints more often, or drop trials that never end"
run s.ini --db s.db --time-limit 3s
is "the next run begins with the other trial" "$? $(sqlite3 s.db 'select count(*), count(distinct trial_id) from attempt')" "1 2|2"
rm -rf s.db*

# Runs in a row finish all but the two trials that never end, and then say that they cannot.
cat >kinds.sh <<'END'
case $1 in
short*) sleep 0.2; echo '{"val": 1}' >"$ESPALIER_RESULTS" ;;
parts*) . ./parts.sh ;;
*) sleep 60 ;;
esac
END
sweep 'sh kinds.sh {kind}' 'stop_grace = 0.4s' | sed 's/^n = .*/kind = endless1, parts1, short1, endless2, parts2, short2/' >s.ini
run s.ini --db s.db --time-limit 30s --set grid.kind=short1
for _ in $(seq 20); do
    run s.ini --db s.db --time-limit 3s
    status=$?
    [ $status = 75 ] || break
done
is "endless trials keep no others from their end" "$status $(sqlite3 s.db "select group_concat(kind || ' ' || state, ', ')
    from (select kind, state from trials where kind not like 'endless%' order by kind)")" \
    "1 parts1 done, parts2 done, short1 done, short2 done"
like "the last run says that it was in vain" "$(said)" "no trial was finished and no checkpoint saved in the whole time"
for _ in 1 2 3; do run s.ini --db s.db --time-limit 1s; done
like "and names one of them" "$(said | tail -n 1)" "t[0-9]+ saves no checkpoint, and [3-9] runs have ended before it"
rm -rf s.db*

# ---- plan ----

sweep './ok.sh {n}' >s.ini
printf '[resources]\nranks = 2\n' >>s.ini
"$ESPALIER" plan s.ini -q >out 2>err
is "plan on too few ranks" "$? $(said)" "0 warning: ranks = 2: a trial needs 2 ranks, but this plan is for 1: run needs at least 2 (-n 2)"
"$ESPALIER" plan s.ini -q -n 2 >out 2>err
is "plan on enough" "$? $(said)" "0 "
is "without the column gflop" "$(head -n 1 out | tr -s ' ')" "trial config n replicate fold state seconds measured"
for format in csv json; do
    "$ESPALIER" plan s.ini -n 2 --section trials --format $format >out 2>err
    is "likewise as $format" "$? $(grep -c gflop out) $(grep -c measured out | sed 's/[1-9]/some/')" "0 0 some"
done
away="x/y.db: cannot be created: the folder x does not exist; create it (mkdir -p), or give another --db"
for command in "plan s.ini -n 2" "run s.ini -n 2"; do
    # shellcheck disable=SC2086 # several words
    "$ESPALIER" $command --db x/y.db >out 2>err
    is "$command without the folder" "$? $(said)" "1 $away"
done
sed -i 's/^\[program\]/[programm]/' s.ini
for command in plan run; do
    "$ESPALIER" $command s.ini >out 2>err
    is "$command: a misspelled section" "$? $(said)" "2 s.ini:4: unknown section [programm]; did you mean [program]?"
done

# ---- how far scores can be trusted ----

advice() { # advice LINE...: of best about a sweep over n = 1, 2, 3 with these lines of [sweep] and [program]
    printf '%s\n' '[sweep]' 'name = s' 'objective = v' 'direction = max' "$@" 'capture = stdout' '[grid]' 'n = 1, 2, 3' >s.ini
    rm -rf s.db*
    "$ESPALIER" run s.ini --db s.db --progress none -q 2>/dev/null
    "$ESPALIER" best s.db 2>&1 >/dev/null | sed -n 's/^espalier: warning: //p'
}
edge='n: c3 has 3, the largest of 3 values, so a better one may lie beyond: try 4 and 5 (--set grid.n=4,5 adds them to the sweep)'
one='with one trial for each configuration, no difference can be told from chance: --set replicates=5 adds replicates (the program must use {seed} or ESPALIER_SEED), which give intervals'
copies='all trials of each configuration have the same score, so the program does not seem to use the fold or the seed: se and the intervals show nothing, and further replicates would be copies: let the program use {seed} or {fold} (ESPALIER_SEED, ESPALIER_FOLD)'
is "one trial each" "$(advice '[program]' 'command = echo v: {n}')" "$edge
$one"
is "equal folds" "$(advice 'folds = 3' '[program]' 'command = echo v: {n}')" "$edge
$copies"
like "the plan warned of it" "$(sqlite3 s.db "select value from data_fact where topic = 'advice'")" '^folds = 3, but the command has neither .fold. nor .seed.: all folds'
like "folds that differ" "$(advice 'folds = 3' '[program]' 'command = echo v: {fold}{n}')" "^n: c3 has 3, .*sweep\)$"
is "no edge with a tie" "$(advice '[program]' 'command = printf "v: %.0s0.5" {n}')" "$one"

# ---- a better mean of fewer trials ----

rm -f d.db* d.ini
printf '[sweep]\nobjective = score\ndirection = max\n[program]\ncommand = echo score={x}.{seed}\ncapture = stdout\n[grid]\nx = 1,2\n' >d.ini
run d.ini --db d.db --set replicates=3 -q
run d.ini --db d.db --set grid.x=2,9 --set replicates=2
hidden() { sed -n 's/^espalier: warning: \(c3 has a better mean\) ([0-9.]*)/\1/p' "$1"; }
"$ESPALIER" best d.db >out 2>err
is "best" "$(hidden err)" "c3 has a better mean, but only 2 of 3 trials: run with --set replicates=3 completes it"
"$ESPALIER" best d.db --rule best >out 2>err
is "best --rule" "$(hidden err | wc -l)" 1
"$ESPALIER" best d.db --where x=1 >out 2>err
is "best of others" "$(hidden err)" ""
run d.ini --db d.db --set grid.x=2,9 --set replicates=3
"$ESPALIER" best d.db >out 2>err
is "then it is the best" "$(hidden err)" ""

# A trial of c1 failed, and the least mean is best.
rm -f d.db*
printf '[ "$1$ESPALIER_REPLICATE" != 11 ] && echo "score=$1"\n' >d.sh
printf '[sweep]\nobjective = score\ndirection = min\nreplicates = 2\n[program]\ncommand = sh d.sh {x}\ncapture = stdout\n[grid]\nx = 1,2\n' >d.ini
run d.ini --db d.db --max-fails 1000
"$ESPALIER" best d.db 2>&1 >/dev/null | grep 'better mean' >out
is "a failed one" "$(cat out)" "espalier: warning: c1 has a better mean (1), but only 1 of 2 trials: run with --retry failed runs the others again"

# ---- numbers that a double does not hold ----

printf '[sweep]\nobjective = v\ndirection = max\n[program]\ncommand = echo v=1 {x} {big}\nbig = 9007199254740993\ncapture = stdout\n[grid]\nx = 9007199254740993, 1000000000000000, 1e-320, 0\n' >n.ini
is "they reach the program as written" "$("$ESPALIER" plan n.ini --commands 2>err | grep -o 'v=1.*'; cat err)" "v=1 9007199254740993 9007199254740993
v=1 1000000000000000 9007199254740993
v=1 1e-320 9007199254740993
v=1 0 9007199254740993"
done_testing
