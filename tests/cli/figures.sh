#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# espalier report --figures: files, well-formed SVG, PDF, hostile names, bad folders, --force, no browser.
. "${SRCDIR:-.}/tests/lib.sh"
cd "$T" || exit 1
python=${PYTHON:-/usr/bin/python3}

small_head | sed 's/^name = .*/name = <script>\&"]]>/; s/^replicates.*/folds = 3/' >sweep.ini
cat >>sweep.ini <<'INI'
[train]
epochs = 3
[grid]
type = gcn, mlp
hidden_size = 4, 8
learning_rate = 1e-2, 1e-3
INI
ok "run" "$ESPALIER" run sweep.ini --db r.db -n 1

# Programs that a PATH without a browser has.
mkdir bin
fails "without a browser" 1 env PATH="$T/bin" "$ESPALIER" report r.db -o alone.html --figures none
like "the message says what to do" "$(tail -n 1 "$T/.err")" \
    '^espalier: --figures: Chromium draws them and is not installed: open the page in any browser'
is "the page is there, and no folder" "$(ls -d alone.html none 2>/dev/null)" alone.html
printf '#!/bin/sh\necho "<html></html>"\n' >bin/chromium
chmod +x bin/chromium
fails "a browser that draws nothing" 1 env PATH="$T/bin" "$ESPALIER" report r.db -o alone.html --figures none --force
like "the message" "$(tail -n 1 "$T/.err")" '^espalier: --figures: Chromium did not draw the page: open the page'

command -v chromium >/dev/null || command -v google-chrome >/dev/null || {
    pass "figures # SKIP no chromium"
    done_testing
    exit
}
ok "report with figures" "$ESPALIER" report r.db -o page.html --figures figures
figures="axis cost curves data folds forest pair parallel run types"
is "one SVG each" "$(cd figures && for f in $figures; do ls "$f.svg"; done 2>&1)" \
    "$(for f in $figures; do echo "$f.svg"; done)"
is "nothing is left behind" "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'figures*')" ""

# Each SVG is XML without markup from names, and stands alone.
if command -v "$python" >/dev/null; then
    cat >check.py <<'END'
import sys, xml.etree.ElementTree as tree
for path in sys.argv[1:]:
    root = tree.parse(path).getroot()
    names = {e.tag.split("}")[1] for e in root.iter()}
    assert names <= {"svg", "title", "g", "path", "rect", "circle", "line", "text", "tspan", "clipPath", "defs"}, names
    assert not any(key in e.attrib for e in root.iter() for key in ("style", "class", "href"))
print("ok")
END
    is "each SVG is well-formed" "$("$python" check.py figures/*.svg 2>&1 | tail -n 1)" ok
else
    pass "SVG is well-formed # SKIP no python3"
fi
like "the forest plot has its text" "$(cat figures/forest.svg)" 'difference to the best, pearson<'

if command -v rsvg-convert >/dev/null; then
    is "one PDF each" "$(cd figures && echo ./*.pdf)" "$(cd figures && echo ./*.svg | sed 's/\.svg/.pdf/g')"
    is "each begins as PDF" "$(for f in figures/*.pdf; do head -c 5 "$f"; echo; done | sort -u)" "%PDF-"
    if command -v pdftotext >/dev/null; then
        like "the PDF has its text" "$(pdftotext figures/forest.pdf -)" 'difference to the best'
    else
        pass "text of the PDF # SKIP no pdftotext"
    fi
else
    pass "PDF # SKIP no rsvg-convert"
fi

# Existing files stay, unless --force is given; nothing is written beside them.
echo mine >figures/pair.svg
rm figures/axis.svg
fails "a figure exists" 1 "$ESPALIER" report r.db -o other.html --figures figures
like "the message names it" "$(cat "$T/.err")" 'figures/[a-z]*\.(svg|pdf): exists already; --force replaces it'
is "nothing was written" "$(ls figures/axis.svg other.html figures/.*tmp 2>/dev/null; cat figures/pair.svg)" mine
ok "--force replaces them" "$ESPALIER" report r.db -o other.html --figures figures --force
like "the figure is new" "$(cat figures/pair.svg)" '^<svg '

echo text >text
fails "the folder is a file" 1 "$ESPALIER" report r.db -o new.html --figures text
like "the message" "$(cat "$T/.err")" 'text: is not a folder: must be one for figures, or a new name'
fails "no folder above" 1 "$ESPALIER" report r.db -o new.html --figures no/such
like "the message" "$(cat "$T/.err")" 'no/such: cannot make the folder: No such file or directory'
is "no page was written" "$(ls new.html 2>/dev/null)" ""
done_testing
