#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Shell completion: the candidates, and their use by bash, zsh and fish.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

small_sweep >grid.ini
cp grid.ini 'my sweep.ini'
mkdir sub && cp grid.ini sub/inner.ini
echo id >samples.csv
"$ESPALIER" run grid.ini --progress none >/dev/null 2>&1
before=$(find . -type f -newer samples.csv ! -name '.*' | sort | xargs cksum)

# candidates WORD...: print the candidates for the last WORD in a line, after the way to insert
# them.
candidates() { "$ESPALIER" __complete "$@" 2>&1 | cut -f1 | tr '\n' ' '; }
is "commands" "$(candidates s)" "words simulate status show "
is "no hidden commands" "$(candidates __)" "words "
is "a command behind options" "$(candidates -q --color always sim)" "words simulate "
is "its options" "$(candidates -q best --w)" "words --where --wide "
is "options" "$(candidates best --w)" "words --where --wide "
is "with a description" "$("$ESPALIER" __complete best --num)" "words
--number	Show N configurations (0 = all)"
is "choices" "$(candidates best --format '')" "words table csv json markdown latex ini "
is "choices behind =" "$(candidates best --format=t)" "words --format=table "
is "the value of a letter" "$(candidates best -n '')" "words "
is "sweep files and folders" "$(candidates run '')" "files grid.ini my sweep.ini sub/ "
is "in a folder" "$(candidates run sub/)" "files sub/inner.ini "
is "any file, if there is no sweep file" "$(candidates run sam)" "files samples.csv "
is "databases" "$(candidates best '')" "files results.db sub/ "
is "also behind the sweep file" "$(candidates run grid.ini r)" "files results.db "
is "only one database" "$(candidates best results.db '')" "words "
is "folders" "$(candidates simulate '')" "files sub/ "
is "any file" "$(candidates init sa)" "files samples.csv "
# shellcheck disable=SC2088 # the program expands it
is "in the home folder" "$(HOME=$T candidates init '~/sa')" "files ~/samples.csv "
is "settings" "$(candidates run --set train.learn)" "open train.learning_rate= "
is "by their keys" "$(candidates run --set learn)" "open learning_rate= "
is "axes" "$(candidates run --set grid.learn)" "open grid.learning_rate= "
is "choices of a setting" "$(candidates run --set model.pool=m)" "words model.pool=mean model.pool=max "
is "defaults of others" "$(candidates run --set dropout=)" "words dropout=0.5 "
is "more values of an axis" "$(candidates run --set grid.optimizer=adam,s)" "words grid.optimizer=adam,sgd "
is "files of a setting" "$(candidates run --set genotypes=sam)" "files genotypes=samples.csv "
is "columns" "$(candidates best --where hidden)" "open hidden_size = hidden_size < hidden_size > "
is "several columns" "$(candidates best --where diff_)" "open diff_se diff_low diff_high "
is "columns within a condition" "$(candidates best --where 'mean > 0.5 and diff_l')" "open mean > 0.5 and diff_low = mean > 0.5 and diff_low < mean > 0.5 and diff_low > "
is "no columns within a text" "$(candidates best --where "sweep = 'me")" "open "
is "sweeps" "$(candidates best --sweep '')" "words small "
cp results.db other.sqlite
is "sweeps of the database on the line" "$(rm -f nothing; candidates best other.sqlite --sweep '')" "words small "
rm other.sqlite
is "sweeps of ESPALIER_DB" "$(ESPALIER_DB=none.db candidates best --sweep '')" "words "
is "settings of params" "$(candidates params dropo)" "words dropout "
is "commands of help" "$(candidates help pre)" "words predict "
is "shells" "$(candidates completion '')" "words bash zsh fish "
is "nothing for an unknown command" "$(candidates nonsense '')" "words "
is "without a word it does not crash" "$("$ESPALIER" __complete >/dev/null 2>&1; echo $?)" 2
is "no file is made or changed" "$(find . -type f -newer samples.csv ! -name '.*' | sort | xargs cksum)" "$before"
cp results.db evil.db
sqlite3 evil.db "update sweep set name = 'a' || char(27) || ']52;c;eA==' || char(7)"
is "a name that controls a terminal is not offered" "$(candidates best evil.db --sweep '')" "words "
rm evil.db
touch "$(printf 'evil\033]52;c;eA==\007.ini')"
is "nor a file with such a name" "$(candidates run ev)" "files "
rm evil*

fails "an unknown shell" 2 "$ESPALIER" completion bsh
is "the message says so" "$(head -n 1 .err)" "espalier: completion bsh: must be one of bash|zsh|fish; did you mean 'bash'?"

# ---- in the shells ----

mkdir bin home home/zsh home/fish home/fish/completions
cat >bin/espalier <<END
#!/bin/sh
case \$1 in
__complete)
    "$ESPALIER" "\$@"
    echo . >>"$T/asked"
    ;;
completion) "$ESPALIER" "\$@" ;;
*)
    for word; do printf '<%s>' "\$word"; done >>"$T/called"
    echo >>"$T/called"
    ;;
esac
END
chmod +x bin/espalier
PATH=$T/bin:$PATH
export PATH
cat >typed <<'END'
espalier stat<TAB>
espalier best --form<TAB>csv
espalier best --format=j<TAB>
espalier run gr<TAB>
espalier run my<TAB>
espalier run su<TAB>inn<TAB>
espalier plan grid.ini --set model.po<TAB>me<TAB>
espalier best --where 'mean > 0 and hidden_s<TAB>> 4'
espalier best results<TAB> --sweep sm<TAB>
espalier inspect grid.ini --splits=samp<TAB>
espalier help predi<TAB>
END
cat >wanted <<'END'
<ready>
<status>
<best><--format><csv>
<best><--format=json>
<run><grid.ini>
<run><my sweep.ini>
<run><sub/inner.ini>
<plan><grid.ini><--set><model.pool=mean>
<best><--where><mean > 0 and hidden_size > 4>
<best><results.db><--sweep><small>
<inspect><grid.ini><--splits=samples.csv>
<help><predict>
END
in_shell() { # NAME SHELL ARGUMENT...
    name=$1
    shift
    if ! command -v "$1" >/dev/null; then
        pass "$name # SKIP there is no $1"
        return
    fi
    rm -f called asked
    is "$name" "$(HOME=$T/home ZDOTDIR=$T/home/zsh XDG_CONFIG_HOME=$T/home TERM=xterm \
        python3 "$SRCDIR/tests/cli/complete_in_shell.py" "$T" "$@" <typed)" "$(cat wanted)"
}
"$ESPALIER" completion bash >home/espalier.bash
echo ". $T/home/espalier.bash" >home/.bashrc
in_shell "bash" bash -i
"$ESPALIER" completion zsh >home/zsh/_espalier
echo "fpath=($T/home/zsh \$fpath); autoload -U compinit; compinit -u -D" >home/zsh/.zshrc
in_shell "zsh, from its folder of functions" zsh -i
rm home/zsh/_espalier
# shellcheck disable=SC2016 # zsh expands it
echo 'autoload -U compinit; compinit -u -D; source <(espalier completion zsh)' >home/zsh/.zshrc
in_shell "zsh, sourced" zsh -i
"$ESPALIER" completion fish >home/fish/completions/espalier.fish
echo 'function fish_prompt; echo "> "; end' >home/fish/config.fish
in_shell "fish" fish -i
done_testing
