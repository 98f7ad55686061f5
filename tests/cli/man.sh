#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The man page and the reference pages of the manual contain every command, option and setting.
. "${SRCDIR:-.}/tests/lib.sh"

page=${ESPALIER%/*}/doc/espalier.1
commands=$("$ESPALIER" help | awk '/^[A-Z].*:$/ { in_group = !/^Examples/ } in_group && /^  [a-z]/ { print $1 }')

# "COMMAND" and "COMMAND --OPTION", one a line, sorted. Options of all commands appear once.
of_program() {
    for command in $commands; do
        echo "$command"
        "$ESPALIER" "$command" --help | sed -nE "s/^ +(-., )?--([a-z-]+)( .*)?$/$command --\2/p"
    done | grep -vE -e ' --(help|quiet|verbose|color)$' | sort
}

of_page() {
    awk '
        /^\.It Nm Cm / { command = $4; print command }
        /^\.Sh/ { command = "" }
        /^Shared options:/ { is_shared = 1; next }
        is_shared && /^\.Fl / { print command " -" $2; is_shared = !/\.$/; next }
        command && /^\.It Fl/ {
            for (i = 2; i <= NF; i++)
                if ($i ~ /^-/)
                    print command " -" $i
        }' "$page" | sort
}

is "commands and options of the page are those of the program" "$(of_page)" "$(of_program)"
is "the template names every command" \
    "$(sed -n 's/^@\([a-z]*\)@$/\1/p' "$SRCDIR/doc/espalier.1.in" | grep -v -e common -e settings | tr '\n' ' ')" \
    "$(echo "$commands" | tr '\n' ' ')"
is "no placeholder of the template is left" "$(grep -c '^@' "$page")" 0
is "every setting is on the page" "$(sed -n '/^.Sh SETTINGS/,/^.Sh ENV/s/^.It Li //p' "$page")" \
    "$("$ESPALIER" params --format csv | tail -n +2 | cut -d, -f2)"
is "the common options are on the page" \
    "$(sed -n '/^.Sh COMMON/,/^.Sh COMMANDS/s/^.It .*Fl -\([a-z]*\).*/\1/p' "$page" | sort | tr '\n' ' ')" "color db format help quiet verbose wide "
if command -v mandoc >/dev/null; then
    # Ignore references to pages of programs that are not installed here.
    is "mandoc finds no fault" "$(mandoc -Tlint "$page" 2>/dev/null | grep -vE 'referenced manual not found|longer than 80 bytes')" ""
fi

# The pages of the manual.
"$ESPALIER" help --format markdown commands >"$T/commands.md"
"$ESPALIER" help --format markdown settings >"$T/settings.md"
is "commands.md has every command" "$(sed -n 's/^### espalier //p' "$T/commands.md")" "$commands"
# shellcheck disable=SC2016 # of sed
is "settings.md has every setting" "$(sed -n 's/^| `\([a-z_0-9]*\)` .*/\1/p' "$T/settings.md")" \
    "$("$ESPALIER" params --format csv | tail -n +2 | cut -d, -f2)"
for page in commands settings; do
    is "each table of $page.md has rows of equal length" "$(sed 's/\\|//g' "$T/$page.md" |
        awk -F'|' '/^\|---/ { n = NF } /^\|/ && n && NF != n { print } !/^\|/ { n = 0 }')" ""
    is "no blanks at the end of a line of $page.md" "$(grep -n ' $' "$T/$page.md")" ""
done
fails "an unknown topic" 2 "$ESPALIER" help --format man nothing
done_testing
