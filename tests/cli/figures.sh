#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# espalier report --figures: files, well-formed SVG, PDF, hostile names, bad folders, --force.
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
ok "report with figures" "$ESPALIER" report r.db -o page.html --figures figures
figures="axis cost curves forest folds pair parallel run types"
is "one SVG each" "$(cd figures && for f in $figures; do ls "$f.svg"; done 2>&1)" \
    "$(for f in $figures; do echo "$f.svg"; done)"

# Each SVG is XML without markup from names, and its text is inside.
if command -v "$python" >/dev/null; then
    cat >check.py <<'END'
import sys, xml.etree.ElementTree as tree
for path in sys.argv[1:]:
    root = tree.parse(path).getroot()
    names = {e.tag.split("}")[1] for e in root.iter()}
    assert names <= {"svg", "title", "path", "rect", "circle", "text"}, names
    assert root[0].text and root.get("role") == "img"
    assert not any("style" in e.attrib for e in root.iter())
    w, h = map(float, root.get("viewBox").split()[2:])
    for e in root.iter("{http://www.w3.org/2000/svg}text"):
        x, y = float(e.get("x", 0)), float(e.get("y", 0))
        assert 0 <= x <= w and 0 <= y <= h, (path, e.text)
print("ok")
END
    is "each SVG is well-formed" "$("$python" check.py figures/*.svg 2>&1 | tail -n 1)" ok
else
    pass "SVG is well-formed # SKIP no python3"
fi
like "the forest plot has its text" "$(cat figures/forest.svg)" '>Difference in val_pearson to the best</text>'

# Without cairo the program reports that it wrote SVG only.
if ls figures/*.pdf >/dev/null 2>&1; then
    is "one PDF each" "$(cd figures && echo ./*.pdf)" "$(cd figures && echo ./*.svg | sed 's/\.svg/.pdf/g')"
    is "each begins as PDF" "$(for f in figures/*.pdf; do head -c 5 "$f"; echo; done | sort -u)" "%PDF-"
    if command -v pdftotext >/dev/null; then
        like "the PDF has its text" "$(pdftotext figures/forest.pdf -)" 'Difference in val_pearson'
    else
        pass "text of the PDF # SKIP no pdftotext"
    fi
else
    like "only SVG is announced" "$("$ESPALIER" report r.db -o - --figures other 2>&1 >/dev/null)" 'without cairo'
fi

# The page contains the same figures.
is "the page contains the forest plot" \
    "$(tr -d '\n' <page.html | grep -cF "$(tr -d '\n' <figures/forest.svg)")" 1

# Existing files stay, unless --force is given; nothing is written beside them.
echo mine >figures/pair.svg
rm figures/axis.svg
fails "a figure exists" 1 "$ESPALIER" report r.db -o other.html --figures figures
like "the message names it" "$(cat "$T/.err")" 'figures/forest\.svg: exists already; --force replaces it'
is "nothing was written" "$(ls figures/axis.svg other.html figures/.*tmp 2>/dev/null; cat figures/pair.svg)" mine
ok "--force replaces them" "$ESPALIER" report r.db -o other.html --figures figures --force
like "the figure is new" "$(cat figures/pair.svg)" '^<svg '

echo text >text
fails "the folder is a file" 1 "$ESPALIER" report r.db -o new.html --figures text
like "the message" "$(cat "$T/.err")" 'text: is not a folder: must be one for figures, or a new name'
fails "no folder above" 1 "$ESPALIER" report r.db -o new.html --figures no/such
like "the message" "$(cat "$T/.err")" 'no/such: cannot make the folder: No such file or directory'
is "no page was written" "$(ls new.html 2>/dev/null)" ""

# The small figures fit, and the large ones do not.
fails "a full disk" 1 sh -c 'ulimit -f 20; exec "$@"' sh "$ESPALIER" report r.db -o - --figures full
like "its message has the reason" "$(cat "$T/.err")" '^espalier: full/[a-z]*\.(svg|pdf): cannot write: File too large'
is "leaves no figure" "$(ls -A full 2>/dev/null)" ""
done_testing
