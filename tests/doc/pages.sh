#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# README and manual: length of lines, links, generated pages, messages, and Sphinx.
. "$SRCDIR/tests/lib.sh"
python=${PYTHON:-/usr/bin/python3}
cd "$SRCDIR" || exit 1
pages=$(find README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md doc db packaging -name '*.md' ! -path 'doc/html/*')

is "README.md has at most 180 lines" "$(awk 'END { print NR <= 180 ? "yes" : NR }' README.md)" yes
# Long lines may be those of tables, messages, programs' output, images, and pages that espalier prints.
long_lines() {
    # shellcheck disable=SC2086 # one word a page
    awk 'FNR == 1 { is_code = 0 }
        /^ *```/ { is_code = !is_code }
        length > 125 && !is_code && !/^[|!]/ && !/^(\* )?`.*`( \(.*\))?$/ && FILENAME !~ /reference\/(commands|settings).md$/ {
            print FILENAME ":" FNR
        }' $pages
}
is "other lines are not too long" "$(long_lines)" ""

# shellcheck disable=SC2086 # one word a page
is "links lead to files" "$(dead_links $pages)" ""

for topic in commands settings; do
    "$ESPALIER" help --format markdown $topic >"$T/$topic.md" 2>&1
    is "$topic.md is what 'espalier help --format markdown $topic' prints" \
        "$(diff "$T/$topic.md" doc/manual/reference/$topic.md | head -n 5)" ""
done

if command -v "$python" >/dev/null; then
    is "each message that is explained exists" "$("$python" tests/doc/messages.py . 2>&1 | head -n 20)" ""
    # A breach is noticed.
    mkdir -p "$T/tree/src" "$T/tree/doc/manual/reference"
    printf 'err_set(err, "%%s: 100 %%%% odd" " here%%s", a, b);\n/* "a comment" */\n' >"$T/tree/src/a.c"
    printf '`...: 100 %% odd here(s)`\n: There.\n\n* `a comment`\n' >"$T/tree/doc/manual/reference/messages.md"
    is "what is not is noticed" "$("$python" tests/doc/messages.py "$T/tree")" "no such message: a comment"
else
    pass "messages # SKIP no python3"
fi

if command -v sphinx-build >/dev/null && "$python" -c 'import furo, myst_parser' 2>/dev/null; then
    ok "Sphinx makes the manual without a warning" sphinx-build -q -W --keep-going -b html doc "$T/html"
    is "its index.html leads to the first page" \
        "$(test -f "$T/html/$(sed -n 's/.*href="\(.*\)".*/\1/p' "$T/html/index.html")" && echo yes)" yes
    ok "with a search that works offline" test -s "$T/html/searchindex.js"
    is "and loads nothing from the network" \
        "$(grep -rhoE '<(script|link|img)[^>]*(src|href)="https?://[^"]*"' "$T/html" --include='*.html' | sort -u | head -n 3)" ""
else
    pass "Sphinx # SKIP no sphinx-build with furo and myst_parser"
fi
done_testing
