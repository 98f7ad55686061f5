# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Sourced by every test script: TAP, a scratch folder, and shared functions.
#   ok NAME COMMAND...      the command must succeed
#   fails NAME STATUS COMMAND...   it must exit with exactly STATUS
#   refuses NAME STATUS PATTERN COMMAND...   the same, and a line of its output must match
#   is NAME GOT WANTED      two texts must be equal
#   like NAME TEXT PATTERN  an extended regular expression must match
#   same FILE <CSV          "same N" or "different N": compares id and prediction of two tables
#                           within rounding
#   small_sweep             prints a sweep file of simulated plants that ends in its [grid]
#   dead_links PAGE...      prints "PAGE: LINK" of each link in a Markdown page to a file that is not there
#   skip_all REASON         skips the whole script
#   done_testing            last line of a script
# Variables: ESPALIER (the program), SRCDIR (the source tree), T (scratch folder, removed on exit).

n_tests=0
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
ESPALIER=${ESPALIER:-$PWD/espalier}
SRCDIR=${SRCDIR:-$PWD}
# Tests run side by side and on more ranks than cores, so the launch checks would warn.
export ESPALIER_CHECKS=off
unset ESPALIER_DB
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

pass() {
    n_tests=$((n_tests + 1))
    echo "ok $n_tests - $1"
}

fail() {
    n_tests=$((n_tests + 1))
    echo "not ok $n_tests - $1"
    shift
    for line in "$@"; do
        printf '%s\n' "$line" | sed 's/^/# /'
    done
}

ok() {
    name=$1
    shift
    if "$@" >"$T/.out" 2>"$T/.err"; then
        pass "$name"
    else
        fail "$name" "exit status $? of: $*" "$(tail -n 20 "$T/.out")" "$(tail -n 20 "$T/.err")"
    fi
}

fails() {
    name=$1
    wanted=$2
    shift 2
    "$@" >"$T/.out" 2>"$T/.err"
    status=$?
    if [ "$status" -eq "$wanted" ]; then
        pass "$name"
    else
        fail "$name" "exit status $status, wanted $wanted: $*" "$(tail -n 20 "$T/.err")"
    fi
}

refuses() {
    pattern=$3
    name=$1
    wanted=$2
    shift 3
    fails "$name" "$wanted" "$@"
    like "$name: the message" "$(cat "$T/.out" "$T/.err")" "$pattern"
}

is() {
    if [ "$2" = "$3" ]; then
        pass "$1"
    else
        fail "$1" "got:" "$2" "wanted:" "$3"
    fi
}

like() {
    if printf '%s\n' "$2" | grep -Eq -e "$3"; then
        pass "$1"
    else
        fail "$1" "nothing matches $3 in:" "$2"
    fi
}

same() {
    awk -F, 'NR == FNR { a[$1] = $2; next }
        FNR > 1 { d = a[$1] - $2; n++; bad += !($1 in a) || d * d > 1e-8 }
        END { print (bad ? "different" : "same"), n }' "$1" -
}

# Print the head of a small sweep of simulated plants. The caller adds sections.
small_head() {
    cat <<'INI'
[sweep]
name = small
replicates = 2
[data]
format = simulated
samples = 60
markers = 40
causal = 5
INI
}

small_sweep() {
    small_head
    cat <<'INI'
[train]
epochs = 2
[grid]
hidden_size = 4, 8
INI
}

# A sweep of a program, program.ini, with curves from epoch 0, words as values and a failed trial.
program_sweep() {
    cat >program.sh <<'END'
[ "$1$2$ESPALIER_FOLD" = 8b2 ] && echo "no memory" >&2 && exit 1
for epoch in 0 2 5; do
    echo "{\"epoch\": $epoch, \"train_loss\": 0.$((90 - epoch)), \"score\": 0.$((500 + $1 * 10 + ${#2} + ESPALIER_FOLD * $1 - epoch)), \"lr\": 0.1}"
done >>"$ESPALIER_RESULTS"
echo "{\"test_score\": 0.5}" >>"$ESPALIER_RESULTS"
END
    cat >program.ini <<'END'
[sweep]
name = program
folds = 3
objective = score
direction = max
[program]
command = sh program.sh {size} {kind} {rest}
inputs = program.sh
rest = 7
[grid]
size = 4, 8
kind = "a, b", b
END
}

dead_links() {
    for page in "$@"; do
        sed 's/`[^`]*`//g' "$page" | grep -o '](\([^)#:]*\)[)#]' | sed 's/^](//; s/[)#]$//' | while read -r link; do
            [ -z "$link" ] || [ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
        done
    done
}

# Processor seconds of a command, whose output is dropped. A busy machine does not change them.
cpu_seconds() {
    ("$@" >/dev/null 2>&1; times) | awk 'END { split($1, t, /[ms]/); print 60 * t[1] + t[2] }'
}

skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

done_testing() {
    echo "1..$n_tests"
}
