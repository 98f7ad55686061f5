#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# --help of every command.
. "$SRCDIR/tests/lib.sh"

commands="init run plan params status best show predict merge verify export simulate inspect doctor"

ok "--help" "$ESPALIER" --help
is "names every command" "$("$ESPALIER" --help | awk '/^  [a-z]/ { print $1 }' | tr '\n' ' ')" "$commands "
like "--version" "$("$ESPALIER" --version)" '^espalier [0-9]+\.[0-9]+\.[0-9]+$'
for command in $commands; do
    ok "$command --help" "$ESPALIER" "$command" --help
    text=$("$ESPALIER" "$command" --help)
    like "$command --help begins with its usage" "$text" "^usage: espalier $command"
    fails "$command refuses an unknown option" 2 "$ESPALIER" "$command" --no-such-option
done
like "defaults are those of the program" "$("$ESPALIER" run --help)" '--db FILE .*\[results.db\]'

# Every command fails if the disk is full.
printf '[model]\nlayers = 2\n[data]\nformat = simulated\n' >"$T/x.ini"
to_full_disk() { "$ESPALIER" "$@" >/dev/full; }
for line in --help --version 'best --help' 'inspect --help' params "inspect $T/x.ini" "plan $T/x.ini"; do
    # shellcheck disable=SC2086 # words
    fails "${line%% "$T"*} onto a full disk" 1 to_full_disk $line
    is "${line%% "$T"*} says so, once" "$(cat "$T/.err")" 'espalier: cannot write: No space left on device'
done
done_testing
