#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# No database or data file can control a terminal: by ESC, by C1, or by marks that reorder text.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

# ESC ] 52 sets the clipboard, U+009B begins a command like ESC [, and U+202E reverses text.
evil="x$(printf '\033')]52;c;eA==$(printf '\007\302\233')31m$(printf '\342\200\256')y"
tame='x?]52;c;eA==??31m?y'
harm() { LC_ALL=C grep -c "$(printf '[\001-\010\013-\037\177]\\|\302[\200-\237]\\|\342\200\256')" "$@"; }
is "the test sees them" "$(printf '%s\n%s\n' "$evil" "$tame" | harm)" 1

# ---- a database ----

cat >small.ini <<'INI'
[data]
format = simulated
samples = 60
markers = 40
causal = 5
[train]
epochs = 2
[grid]
learning_rate = 0.001, 1000
INI
"$ESPALIER" run small.ini --progress none >/dev/null 2>&1
evil_sql=$(printf "%s" "$evil" | od -An -v -tx1 | tr -d ' \n')
sqlite3 results.db "update session set command = cast(x'$evil_sql' as text), host = cast(x'$evil_sql' as text);
    update trial set state = 'failed', error = cast(x'$evil_sql' as text) where trial_id = 2;
    update attempt set host = cast(x'$evil_sql' as text), error = cast(x'$evil_sql' as text)"
for command in status "show c1" "show t2" best; do
    # shellcheck disable=SC2086
    "$ESPALIER" $command >"$T/shown" 2>&1
    is "$command prints nothing that controls a terminal" "$(harm shown)" 0
done
"$ESPALIER" status >shown
like "status shows the harmless rest" "$(cat shown)" "^last session: x\?\]52;c;eA==\?\?31m\?y$"
like "in tables too" "$(cat shown)" " failed +1 +2 +x\?\]52;c;eA==\?\?31m\?y$"
"$ESPALIER" export --format json >all.json
is "JSON escapes" "$(harm all.json)" 0
is "and keeps the text" "$(python3 -c 'import json, sys; print(json.load(open("all.json"))[0]["host"])')" "$evil"
"$ESPALIER" export >all.csv
host=$(head -n 1 all.csv | tr , "\n" | grep -nx host | cut -d: -f1)
is "CSV keeps the bytes" "$(tail -n 1 all.csv | cut -d, -f"$host" | cksum)" "$(echo "$evil" | cksum)"
script -qec "'$ESPALIER' export" /dev/null </dev/null >shown 2>&1
is "but on a terminal no control bytes" "$(tr -d '\r' <shown | harm)" 0
like "only the rest" "$(cat shown)" 'x\?\]52;c;eA==\?\?31m\?y'

# ---- data files ----

awk 'BEGIN { print "id,m1,m2,m3"; for (i = 1; i <= 24; i++) print "s" i "," i % 3 "," int(i / 3) % 3 "," i % 2 }' >g.csv
awk -v evil="$evil" 'BEGIN { print "id,kind," evil; for (i = 1; i <= 24; i++) print "s" i "," (i % 2 ? evil : "plain") "," i % 4;
    print evil ",plain,1" }' >p.csv
cat >classes.ini <<'INI'
[data]
format = genotype
genotypes = g.csv
phenotypes = p.csv
task = classification
trait = kind
INI
"$ESPALIER" inspect classes.ini >shown 2>&1
like "inspect shows a class" "$(cat shown)" "^class +x\?\]52;c;eA==\?\?31m\?y: 12$"
like "and an id" "$(cat shown)" '^unmatched +"x\?\]52;c;eA==\?\?31m\?y"$'
is "without control bytes" "$(harm shown)" 0
"$ESPALIER" inspect classes.ini --set trait=none >shown 2>&1
is "errors contain none either" "$(grep -c . shown) $(harm shown)" "1 0"
"$ESPALIER" run classes.ini --set "sweep.name=$evil" --progress none >shown 2>&1
# shellcheck disable=SC2129 # one a line
"$ESPALIER" plan classes.ini --db "$evil" >>shown 2>&1
"$ESPALIER" "$evil" >>shown 2>&1
"$ESPALIER" run classes.ini --progress "$evil" >>shown 2>&1
is "and neither do words of the command line" "$(harm shown)" 0

# A marker that equals the trait and has a hostile name.
awk -v evil="$evil" 'BEGIN { print "id,m1," evil; for (i = 1; i <= 24; i++) print "s" i "," i % 3 "," i * 1.5 }' >copy.csv
awk 'BEGIN { print "id,y"; for (i = 1; i <= 24; i++) print "s" i "," i }' >y.csv
printf '[data]\nformat = genotype\ngenotypes = copy.csv\nphenotypes = y.csv\n[grid]\ntype = ridge\n' >copy.ini
"$ESPALIER" inspect copy.ini >shown 2>&1
is "inspect names a leaking feature without control bytes" "$(harm shown)" 0
like "by the rest of its name" "$(cat shown)" '^leaks .*"x\?\]52;c;eA==\?\?31m\?y"'

done_testing
