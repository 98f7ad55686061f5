#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The manual names every command and every option that the program has, and no others.
. "${SRCDIR:-.}/tests/lib.sh"

manual=$SRCDIR/doc/espalier.1

# "COMMAND" and "COMMAND --OPTION", one a line, sorted: of the program, and of the manual.
of_program() {
    "$ESPALIER" --help | awk '/^[A-Z].*:$/ { in_group = !/^Examples/ }
        in_group && /^  [a-z]/ && $1 != "help" { print $1 }' | while read -r command; do
        echo "$command"
        "$ESPALIER" "$command" --help | grep -oE '^  (-., |    )--[a-z-]+' | sed "s/.*--/$command --/"
    done | grep -vE -e '--(help|quiet|verbose|color|wide|db)$' | sort
}

of_manual() {
    sed 's/-\\-/--/g' "$manual" | awk '
        /^\.It Nm Cm / { command = $4; print command }
        /^\.Sh/ { command = "" }
        command && /^\.It Fl/ {
            for (i = 2; i <= NF; i++)
                if ($i ~ /^-/ && $i != "-db")
                    print command " -" $i
        }' | sort
}

is "commands and options of the manual are those of the program" "$(of_manual)" "$(of_program)"
if command -v mandoc >/dev/null; then
    # Pages of other programs that are not installed here are none of its business.
    is "mandoc has nothing to say" "$(mandoc -Tlint -Wwarning "$manual" 2>&1)" ""
fi
done_testing
