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
is "and keeps the text" "$(sqlite3 :memory: "select json_extract(cast(readfile('all.json') as text), '\$[0].host')")" "$evil"
"$ESPALIER" export >all.csv
host=$(head -n 1 all.csv | tr , "\n" | grep -nx host | cut -d: -f1)
is "CSV keeps the bytes" "$(tail -n 1 all.csv | cut -d, -f"$host" | cksum)" "$(echo "$evil" | cksum)"
script -qec "'$ESPALIER' export" /dev/null </dev/null >shown 2>&1
is "but on a terminal no control bytes" "$(tr -d '\r' <shown | harm)" 0
like "only the rest" "$(cat shown)" 'x\?\]52;c;eA==\?\?31m\?y'

# Colour: on a terminal, unless it is unwanted. `script` is a terminal.
escapes() { LC_ALL=C grep -c "$(printf '\033\\[')"; }
in_terminal() { script -qec "$1" /dev/null </dev/null 2>&1 | tr -d '\r'; }
is "help has colour on a terminal" "$(($(TERM=xterm in_terminal "'$ESPALIER' help" | escapes) > 5))" 1
is "and so have errors" "$(TERM=xterm in_terminal "'$ESPALIER' bset" | escapes)" 1
is "and warnings" "$(TERM=xterm in_terminal "'$ESPALIER' best results.db --where 'trials > 1000'" | grep 'true of no' | escapes)" 1
is "none in a pipe" "$("$ESPALIER" help 2>&1 | escapes)" 0
is "none with NO_COLOR" "$(NO_COLOR=1 TERM=xterm in_terminal "'$ESPALIER' help" | escapes)" 0
is "an empty NO_COLOR does not count" "$(($(NO_COLOR='' TERM=xterm in_terminal "'$ESPALIER' help" | escapes) > 5))" 1
is "none with TERM=dumb" "$(TERM=dumb in_terminal "'$ESPALIER' help" | escapes)" 0
is "none with --color never" "$(TERM=xterm in_terminal "'$ESPALIER' help run --color never" | escapes)" 0
is "in a pipe with --color always" "$(($("$ESPALIER" help run --color always | escapes) > 5))" 1
is "even with NO_COLOR" "$(($(NO_COLOR=1 "$ESPALIER" help run --color always | escapes) > 5))" 1
is "the same text" "$("$ESPALIER" help run --color always | sed "s/$(printf '\033')\\[[0-9;]*m//g")" "$("$ESPALIER" help run)"

# Messages are wrapped at the width of the terminal, at words; in pipes they stay one line each.
printf '[data]\nformat = simulated\nsamples = 60\nmarkers = 40\n[grid]\nlearning_rate = 0.01, 0.1\nepochs = 1\n' >warns.ini
narrow() { in_terminal "stty cols 40; '$ESPALIER' $1"; }
"$ESPALIER" run warns.ini --db pipe.db >/dev/null 2>pipe.err
is "a message in a pipe is one line" "$(grep -cv '^espalier: ' pipe.err)" 0
for launch in "" "-n 2"; do
    narrow "run warns.ini --db wrap$(echo "$launch" | tr -d ' -').db --progress none --color never $launch" >shown
    is "no line is wider than the terminal ($launch)" "$(awk 'length > 40' shown)" ""
    like "a message continues on indented lines ($launch)" "$(grep -c '^    [^ ]' shown)" '^[1-9]'
done
is "an error wraps" "$(narrow 'best nowhere.db --color never')" "espalier: nowhere.db: no such file; run
    'espalier run' first"
is "with colour, too" "$(TERM=xterm narrow 'best nowhere.db' | sed "s/$(printf '\033')\[[0-9;]*m//g")" \
    "$(narrow 'best nowhere.db --color never')"
is "words are not lost" "$(narrow 'best nowhere.db --color never' | tr -s '\n ' ' ')" "$("$ESPALIER" best nowhere.db 2>&1) "

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
