#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tutorials of the manual, each run as it stands (tests/doc/tutorial.py says how).
. "$SRCDIR/tests/lib.sh"
python=${PYTHON:-/usr/bin/python3}
command -v "$python" >/dev/null || skip_all "no python3"
ln -s "$ESPALIER" "$T/espalier"
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
    "$python" "$SRCDIR/tests/doc/tutorial.py" "$manual/$1.md" >"$T/tap" 2>"$T/.err"
    while IFS= read -r line; do
        case $line in
        "ok "*) pass "$1: ${line#* - }" ;;
        "not ok "*) fail "$1: ${line#* - }" ;;
        "# "*) echo "$line" ;;
        esac
    done <"$T/tap"
    like "$1: all of it ran" "$(tail -n 1 "$T/tap") $(cat "$T/.err")" '^1\.\.[1-9][0-9]* $'
    cd "$T" || exit 1
}

tutorial start/first-sweep
tutorial tutorials/vcf-to-predictions
tutorial tutorials/smiles-to-predictions "test -f '${ESPALIER_DATA:-}/bbbp/BBBP.csv'"
tutorial tutorials/gcn-or-gblup
tutorial tutorials/leave-one-environment-out
tutorial tutorials/results-in-r "Rscript -e 'library(RSQLite); library(ggplot2)'"
tutorial tutorials/results-in-python "'$python' -c 'import pandas'"

for page in "$manual"/tutorials/*.md; do
    name=$(basename "$page" .md)
    ok "$name is in the list above" grep -q "^tutorial tutorials/$name\b" "$SRCDIR/tests/doc/tutorials.sh"
done
done_testing
