#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The manual page lists exactly the commands and options of the program.
. "${SRCDIR:-.}/tests/lib.sh"

manual=$SRCDIR/doc/espalier.1

# "COMMAND" and "COMMAND --OPTION", one a line, sorted: of the program, and of the page.
of_program() {
    "$ESPALIER" --help | awk '/^  [a-z]/ { print $1 }' | while read -r command; do
        echo "$command"
        "$ESPALIER" "$command" --help | grep -oE '^  (-., |    )--[a-z-]+' | sed "s/.*--/$command --/"
    done | grep -v -e '--help$' | sort
}

of_manual() {
    sed 's/-\\-/--/g' "$manual" | awk '
        /^\.It Nm Cm / { command = $4; print command }
        /^\.Sh/ { command = "" }
        command && /^\.It Fl/ {
            for (i = 2; i <= NF; i++)
                if ($i ~ /^-/)
                    print command " -" $i
        }' | sort
}

is "commands and options of the manual are those of the program" "$(of_manual)" "$(of_program)"
if command -v mandoc >/dev/null; then
    # Ignore references to pages of programs that are not installed here.
    is "mandoc gives no warning" "$(mandoc -Tlint -Wwarning "$manual" 2>&1)" ""
fi
done_testing
