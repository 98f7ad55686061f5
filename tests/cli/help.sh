#!/bin/sh
# --help of every command, and the man page that must know every command and option.
. "$SRCDIR/tests/lib.sh"

commands="run plan params status best show export simulate inspect doctor"
man=$SRCDIR/doc/espalier.1

ok "--help" "$ESPALIER" --help
is "names every command" "$("$ESPALIER" --help | awk '/^  [a-z]/ { print $1 }' | tr '\n' ' ')" "$commands "
like "--version" "$("$ESPALIER" --version)" '^espalier [0-9]+\.[0-9]+\.[0-9]+$'
for command in $commands; do
    ok "$command --help" "$ESPALIER" "$command" --help
    text=$("$ESPALIER" "$command" --help)
    like "$command --help begins with its usage" "$text" "^usage: espalier $command"
    ok "the man page has $command" grep -q "^\.It Nm.*$command\|^\.It Cm $command\|^\.Ss $command" "$man"
    missing=
    for option in $(printf '%s\n' "$text" | grep -o -e '--[a-z-]*' | sort -u | sed 's/^--//'); do
        grep -q "Fl *-\? *-$option\b\|Fl Fl $option\b\|Fl -$option\b" "$man" || missing="$missing --$option"
    done
    is "the man page has every option of $command" "$missing" ""
    fails "$command refuses an unknown option" 2 "$ESPALIER" "$command" --no-such-option
done
like "defaults are live" "$("$ESPALIER" run --help)" '--db FILE .*\[results.db\]'
done_testing
