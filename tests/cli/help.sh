#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# --help of every command.
. "$SRCDIR/tests/lib.sh"

commands="init inspect params plan simulate run status watch profile doctor merge best show report predict export trace verify help completion"
listed() { awk '/^[A-Z].*:$/ { in_group = !/^Examples/ } in_group && /^  [a-z]/ { printf "%s ", $1 }'; }

ok "--help" "$ESPALIER" --help
is "names every command, by group" "$("$ESPALIER" --help | listed)" "$commands "
is "help is --help" "$("$ESPALIER" help)" "$("$ESPALIER" --help)"
like "--version" "$("$ESPALIER" --version)" '^espalier [0-9]+\.[0-9]+\.[0-9]+$'
is "-V is --version" "$("$ESPALIER" -V)" "$("$ESPALIER" --version)"
refuses "no command" 2 '^usage: espalier COMMAND' "$ESPALIER"
for command in $commands; do
    ok "$command --help" "$ESPALIER" "$command" --help
    text=$("$ESPALIER" "$command" --help)
    like "$command --help begins with its usage" "$text" "^usage: espalier $command"
    is "help $command is $command --help" "$("$ESPALIER" help "$command")" "$text"
    is "$command: examples come before options" \
        "$(printf '%s\n' "$text" | grep -nE '^(Examples|(Common o|O)ptions):' | head -n 1 | cut -d: -f2)" Examples
    is "$command: texts of options begin with a capital" \
        "$(printf '%s\n' "$text" | sed -nE 's/^ +(-., )?--[a-z-]+( [^ ]+)?  +//p' | grep -v '^[A-Z]')" ""
    fails "$command refuses an unknown option" 2 "$ESPALIER" "$command" --no-such-option
    is "and says so in one line, with a hint" "$(sed 's/; did you mean.*//' "$T/.err")" \
        "espalier: $command: unknown option '--no-such-option'
espalier: see 'espalier $command --help'"
done
like "defaults are those of the program" "$("$ESPALIER" best --help)" '--number N .*\[10\]'
widest() { COLUMNS=$1 "$ESPALIER" help run | awk '!/^  (espalier|srun) / && length > n { n = length } END { print n }'; }
is "help fits 60 columns" "$(($(widest 60) <= 60))" 1
is "it uses up to 100 columns" "$(($(widest 100) > 80 && $(widest 100) <= 100))" 1
is "it never uses more" "$(widest 1000)" "$(widest 100)"
is "80 without a terminal" "$(widest '')" "$(widest 80)"

# Every example is a line that its command accepts: --help ends it before it does anything.
for command in $commands; do
    "$ESPALIER" help "$command" | sed -n '/^Examples/,/ptions:$/s/^  \([a-z].*\)/\1/p' | grep '^espalier ' |
        grep -v '^espalier help' | sed 's/ >.*//' >"$T/examples"
    wrong=
    while IFS= read -r line; do
        eval "set -- $line"
        shift
        "$ESPALIER" "$@" --help >/dev/null 2>&1 || wrong="$wrong $line;"
    done <"$T/examples"
    is "$command: its examples are right" "$wrong" ""
done

# Of several ranks the first alone answers, and none of them opens MPI for it.
as_rank() { rank=$1; shift; OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=$rank "$ESPALIER" "$@"; }
is "rank 0 prints help" "$(as_rank 0 run --help | head -n 1)" "usage: espalier run [OPTIONS] GRID.ini [DB]"
ok "rank 1 does not" as_rank 1 run --help
is "it prints nothing" "$(cat "$T/.out" "$T/.err")" ""
fails "rank 0 reports a wrong line" 2 as_rank 0 run --wrong
ok "rank 1 leaves without an error" as_rank 1 run --wrong
is "nor anything of that" "$(cat "$T/.out" "$T/.err")" ""

# The message proposes a word close to the wrong one.
said() { "$ESPALIER" "$@" 2>&1 | head -n 1; }
is "a command" "$(said bset)" "espalier: 'bset' is not a command; did you mean 'best'?"
is "a command for help" "$(said help stauts)" "espalier: 'stauts' is not a command; did you mean 'status'?"
is "a word unlike any command" "$(said xyzzy)" "espalier: 'xyzzy' is not a command; 'espalier help' lists the commands"
is "an option" "$(said best --fromat csv)" "espalier: best: unknown option '--fromat'; did you mean '--format'?"
is "a setting" "$(said run x.ini --replicates 5)" "espalier: run: unknown option '--replicates'; did you mean '--set replicates=VALUE'?"
is "one with other dashes" "$(said plan x.ini --learning-rat=0.1)" "espalier: plan: unknown option '--learning-rat'; did you mean '--set learning_rate=VALUE'?"
is "a setting where there is no --set" "$(said best --replicates 5)" "espalier: best: unknown option '--replicates'"
is "a choice" "$(said best --format jsn)" "espalier: --format jsn: must be one of table|csv|json|markdown|latex|ini; did you mean 'json'?"

# Options of every command may stand before it.
is "version is --version" "$("$ESPALIER" version)" "$("$ESPALIER" --version)"
is "-q before the command" "$(said -q status a.db)" "$(said status a.db)"
is "--color with its value" "$(said --color always -v help run)" "$(said help run --color always -v)"
is "-q and -v on both sides" "$(said -q best -v)" "espalier: best: --quiet and --verbose: give one of them"
is "--help behind them" "$(said -q --help)" "$(said --help)"
refuses "an option alone" 2 '^usage: espalier COMMAND' "$ESPALIER" -q
is "another option" "$(said --db a.db best)" \
    "espalier: '--db' must stand after the command; only -q, -v and --color may stand before it"

# The forms of an option.
is "a value is missing" "$(said best --where)" "espalier: best: --where needs a value: --where SQL"
is "an operand is missing" "$(said show)" "espalier: show: an argument is missing: espalier show [DB] ID"
is "a value too many" "$(said plan x.ini --list=1)" "espalier: plan: --list takes no value"
is "an unknown letter" "$(said best -x)" "espalier: best: unknown option '-x'"
is "a letter that shares its dash" "$(said best -qnx)" "espalier: --number x: must be an integer in [0, 1000000000]"
is "an integer with an exponent" "$(said plan none.ini --ranks 1e1)" "$(said plan none.ini --ranks 10)"
is "is read before it is compared with the limits" "$(said best --number 1e10)" \
    "espalier: --number 1e10: must be an integer in [0, 1000000000]"
is "a beginning of one option" "$(said best --form=x)" "$(said best --format x)"
is "a beginning of several" "$(said predict --f x)" \
    "espalier: predict: '--f' is the beginning of several options: --few-markers, --features, --force, --format"
is "its own options come first" "$(said best --w 1 --rule x)" "$(said best --rule x)"
is "-- ends the options" "$(said status -- --db)" "espalier: --db: no such file; run 'espalier run' first"
is "two options that exclude each other" "$(said best -q -v)" "espalier: best: --quiet and --verbose: give one of them"

# The database: an operand, --db, ESPALIER_DB or results.db, in this order.
cd "$T" || exit 1
missing() { echo "espalier: $1: no such file; run 'espalier run' first"; }
for line in status best 'show c1' predict export verify; do
    # shellcheck disable=SC2086 # words
    set -- $line
    command=$1
    shift
    is "$command: results.db" "$(said "$command" "$@")" "$(missing results.db)"
    is "$command: \$ESPALIER_DB" "$(ESPALIER_DB=b.db said "$command" "$@")" "$(missing b.db)"
    is "$command: an empty one counts as unset" "$(ESPALIER_DB='' said "$command" "$@")" "$(missing results.db)"
    is "$command: --db" "$(ESPALIER_DB=b.db said "$command" "$@" --db a.db)" "$(missing a.db)"
    is "$command: DB" "$(ESPALIER_DB=b.db said "$command" a.db "$@")" "$(missing a.db)"
    is "$command: both" "$(said "$command" a.db "$@" --db a.db)" "$(missing a.db)"
    is "$command: two" "$(said "$command" a.db "$@" --db b.db)" \
        "espalier: $command: two databases are given, 'a.db' and --db 'b.db'; give one of them"
done
small_sweep >small.ini
for database in "--db=a.db" b.db; do
    ok "run with $database" "$ESPALIER" run small.ini "$database" --progress none
    ok "plan with it" "$ESPALIER" plan small.ini "$database"
    is "finds its trials" "$(grep -c ' done ' "$T/.out")" 4
done
ESPALIER_DB=c.db
export ESPALIER_DB
ok "run with \$ESPALIER_DB" "$ESPALIER" run small.ini --progress none
unset ESPALIER_DB
is "merge needs an input" "$(said merge m.db)" "espalier: merge: at least one input is needed: espalier merge OUT IN..."
ok "merge into --db" "$ESPALIER" merge --db m.db a.db
is "gives the same as OUT" "$("$ESPALIER" merge m.db a.db 2>"$T/.err2")" "$(cat "$T/.out")"
rm m.db*
is "makes each" "$(echo ./*.db)" "./a.db ./b.db ./c.db"
is "a second sweep file is refused" "$(said run small.ini other.ini)" \
    "espalier: run: 'other.ini' is one argument too many: espalier run takes one sweep file"

# Every command fails if the disk is full.
printf '[model]\nlayers = 2\n[data]\nformat = simulated\n' >"$T/x.ini"
to_full_disk() { "$ESPALIER" "$@" >/dev/full; }
for line in --help --version help "best --help" "inspect --help" params "inspect $T/x.ini" "plan $T/x.ini"; do
    # shellcheck disable=SC2086 # words
    fails "${line%% "$T"*} onto a full disk" 1 to_full_disk $line
    is "${line%% "$T"*} says so, once" "$(cat "$T/.err")" 'espalier: cannot write: No space left on device'
done
done_testing
