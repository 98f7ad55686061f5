#!/bin/sh
# The leaderboard, and the sweep file of the best configuration.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

cat >small.ini <<'INI'
[sweep]
name = small
replicates = 2
[data]
samples = 60
markers = 40
causal = 5
[graph]
k = 4
[train]
epochs = 3
[grid]
hidden_size = 4, 8
dropout = 0:0.4:0.2
batch_size = 8, full
INI
best() { "$ESPALIER" best "$@" 2>"$T/chatter"; }

fails "no database" 1 "$ESPALIER" best
is "says what to do" "$(cat .err)" "espalier: results.db: no such file; run 'espalier run' first"
is "and makes none" "$(ls results.db* 2>/dev/null)" ""
fails "more operands than one" 2 "$ESPALIER" best a.db b.db
fails "a format that is none" 2 "$ESPALIER" best --format xml

ok "a sweep" "$ESPALIER" run small.ini --progress none
is "the header" "$(best | head -n 1 | tr -s ' ')" \
    "place config hidden_size dropout batch_size trials mean sd se seconds"
is "ten rows unless told otherwise" "$(best | wc -l)" 11
is "-n" "$(best -n 3 | wc -l)" 4
is "-n 0: all" "$(best -n 0 | wc -l)" 13
like "what mean is of" "$(cat chatter)" '^espalier: small: mean of val_pearson'
is "csv has the view's order" "$(best --format csv -n 0 | cut -d, -f2)" \
    "config
$(sqlite3 results.db 'select config from leaderboard order by place')"
best --format json -n 5 >best.json
is "json is json" "$(sqlite3 :memory: "select count(*), min(value ->> 'place'),
    max(value ->> 'trials') from json_each(readfile('best.json'))")" "5|1|2"
is "--where keeps the places" "$(best --where "hidden_size = 4 and batch_size = 'full'" -n 0 --format csv | cut -d, -f1)" \
    "place
$(sqlite3 results.db "select place from leaderboard where hidden_size = 4 and batch_size = 'full' order by place")"
fails "--where with an unknown column" 1 "$ESPALIER" best --where 'hiden_size = 4'
is "names it" "$(cat .err)" \
    "espalier: where hiden_size = 4: results.db: no such column: hiden_size"
fails "--where with a second statement" 1 "$ESPALIER" best --where '1); delete from trial; --'

# The best configuration as a sweep file: its trials are those that are there already.
best --format ini >best.ini
keys() {
    sqlite3 "$1" "select key from trial where config_id = (select config from leaderboard
        where place = 1) order by key"
}
ok "the sweep file of the best runs" "$ESPALIER" run best.ini --db again.db --progress none
is "one configuration" "$(sqlite3 again.db 'select count(*) from config')" 1
is "the same keys" "$(keys again.db)" "$(keys results.db)"
is "the same numbers" "$(sqlite3 again.db "select quote(value) from trial order by key")" \
    "$(sqlite3 results.db "select quote(value) from trial where config_id = (select config
        from leaderboard where place = 1) order by key")"
ok "in the same database" "$ESPALIER" run best.ini --progress none
is "there is nothing to do" "$(sqlite3 results.db 'select count(*) from attempt')" 24
best --format ini --where 'hidden_size = 8' >best8.ini
like "--where chooses" "$(cat best8.ini)" '^hidden_size = 8$'
fails "--where that leaves none" 1 "$ESPALIER" best --format ini --where 0

# Two sweeps in a file.
sed -e 's/= small/= other/' -e 's/^dropout.*/layers = 1, 2/' small.ini >other.ini
ok "another sweep" "$ESPALIER" run other.ini --progress none
like "the last one counts" "$(best; cat chatter)" "^espalier: sweep 'other', the last of 2"
is "with its own axes" "$(best --format csv | head -n 1)" \
    "place,config,hidden_size,layers,batch_size,trials,mean,sd,se,seconds"
is "--sweep" "$(best --sweep small --format csv -n 0 | wc -l)" 13
fails "a sweep that is not there" 1 "$ESPALIER" best --sweep none
is "says which are" "$(cat .err)" \
    "espalier: results.db: no sweep 'none' in it; there is: small, other"
to_full_disk() { "$ESPALIER" best >/dev/full; }
fails "a full disk behind stdout" 1 to_full_disk
done_testing
