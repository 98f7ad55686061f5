#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tutorials of the manual, each run as it stands (tests/doc/tutorial.py says how).
. "$SRCDIR/tests/lib.sh"
python=${PYTHON:-/usr/bin/python3}
command -v "$python" >/dev/null || skip_all "no python3"
# Few epochs: samples are compared by their words and shapes, not by their numbers.
cat >"$T/espalier" <<END
#!/bin/sh
[ "\$1" = run ] && grep -q '^\[data\]' "\$2" && set -- "\$@" --set epochs=8
exec "$ESPALIER" "\$@"
END
chmod +x "$T/espalier"
PATH=$T:$PATH
manual=$SRCDIR/doc/manual

# The download of a tutorial, from the real data.
cat >"$T/curl" <<END
#!/bin/sh
exec cp "${ESPALIER_DATA:-}/bbbp/BBBP.csv" .
END
chmod +x "$T/curl"

# tutorial NAME [LINE]: LINE is what it asks for; a tutorial that lacks this is skipped.
tutorial() {
    if ! sh -c "${2:-:}" >/dev/null 2>&1; then
        pass "$1 # SKIP $2 fails"
        return
    fi
    mkdir -p "$T/$1" && cd "$T/$1" || exit 1
    cp "$SRCDIR/grids/demo.ini" .
    ln -s "$SRCDIR/grids" "$SRCDIR/db" .
    blocks "$1" "$manual/$1.md"
    cd "$T" || exit 1
}

# blocks NAME PAGE [LANGUAGE]: run the blocks of a page here.
blocks() {
    name=$1
    shift
    "$python" "$SRCDIR/tests/doc/tutorial.py" "$@" >"$T/tap" 2>"$T/.err"
    while IFS= read -r line; do
        case $line in
        "ok "*) pass "$name: ${line#* - }" ;;
        "not ok "*) fail "$name: ${line#* - }" ;;
        "# "*) echo "$line" ;;
        esac
    done <"$T/tap"
    like "$name: all of it ran" "$(tail -n 1 "$T/tap") $(cat "$T/.err")" '^1\.\.[1-9][0-9]* $'
}

# checks SAMPLE: what tutorial.py says of a page whose commands print a table, and that shows this sample.
cat >"$T/printed" <<'END'
place  config  mean
    1      13  0.38088

test     mean
pearson  0.37507
END
checks() {
    { echo '```sh' && echo "cat '$T/printed'" && echo '```' && echo '```text' && cat && echo '```'; } >"$T/page.md"
    "$python" "$SRCDIR/tests/doc/tutorial.py" "$T/page.md" | sed -n 's/^\(.*ok\) .* - line .*: sample: / \1: /p'
}
is "a sample with other numbers is fine" "$(sed 's/13/7/; s/0.38088/-0.4/' "$T/printed" | checks)" \
    " ok: place  config  mean
 ok: test     mean"
is "one with another name of a column is not" "$(sed 's/mean$/average/; s/^pearson/r/' "$T/printed" | checks)" \
    " not ok: place  config  average
 not ok: test     average"
is "nor one with another name of a row" "$(sed 's/^pearson/r/' "$T/printed" | checks)" \
    " ok: place  config  mean
 not ok: test     mean"
is "nor one with other rows" "$(sed '/pearson/d; s/^    1.*/&\n&/' "$T/printed" | checks)" \
    " not ok: place  config  mean
 not ok: test     mean"
is "unless the sample says that it is cut" "$(sed 's/^pearson.*/.../' "$T/printed" | checks)" \
    " ok: place  config  mean
 ok: test     mean"

tutorial start/first-sweep
cd "$T/start/first-sweep" && cp results.db demo.db && blocks README.md "$SRCDIR/README.md" console
cd "$T" || exit 1
tutorial tutorials/first-program
tutorial tutorials/vcf-to-predictions
tutorial tutorials/smiles-to-predictions "test -f '${ESPALIER_DATA:-}/bbbp/BBBP.csv'"
tutorial tutorials/gcn-or-gblup
tutorial tutorials/leave-one-environment-out
tutorial tutorials/results-in-r "Rscript -e 'library(RSQLite); library(ggplot2)'"
# The sweep of the next page is the same.
mkdir tutorials/results-in-python && cp tutorials/results-in-r/results.db tutorials/results-in-python 2>/dev/null
tutorial tutorials/results-in-python "'$python' -c 'import pandas, scipy.stats, matplotlib'"

for page in "$manual"/tutorials/*.md; do
    name=$(basename "$page" .md)
    ok "$name is in the list above" grep -q "^tutorial tutorials/$name\b" "$SRCDIR/tests/doc/tutorials.sh"
done
done_testing
