#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# db/queries run by the plain sqlite3 shell, on a sweep with known answers.
. "$SRCDIR/tests/lib.sh"
command -v sqlite3 >/dev/null || skip_all "no sqlite3 shell"
cd "$T" || exit 1

small_sweep >small.ini
echo "batch_size = 8, full" >>small.ini
echo "threads = 1, 2" >>small.ini
ok "a sweep" "$ESPALIER" run small.ini --progress none
# Invented numbers from here on: configuration c scores c / 100 in c / 10 seconds, except that 8 is
# bad and slow. Two threads are 1.6 times as fast as one.
sqlite3 results.db "update trial set value = config_id / 100.0, seconds = config_id / 10.0;
    update trial set value = 0, seconds = 0.85 where config_id = 8"
query() { sqlite3 results.db <"$SRCDIR/db/queries/$1.sql"; }

is "best" "$(query best | cut -d'|' -f1-6,14,15)" "small|1|7|8|full|1|2|0.07
small|2|6|8|8|2|2|0.06
small|3|5|8|8|1|2|0.05
small|4|4|4|full|2|2|0.04
small|5|3|4|full|1|2|0.03
small|6|2|4|8|2|2|0.02
small|7|1|4|8|1|2|0.01
small|8|8|8|full|2|2|0.0"
is "marginal" "$(query marginal)" "small|hidden_size|4|4|8|0.025|0.04
small|hidden_size|8|4|8|0.045|0.07
small|batch_size|8|4|8|0.035|0.06
small|batch_size|full|4|8|0.035|0.07
small|threads|1|4|8|0.04|0.07
small|threads|2|4|8|0.03|0.06"
is "accuracy against seconds" "$(query accuracy-against-seconds | cut -d'|' -f1-4)" "small|1|0.1|0.01
small|2|0.2|0.02
small|3|0.3|0.03
small|4|0.4|0.04
small|5|0.5|0.05
small|6|0.6|0.06
small|7|0.7|0.07"
is "slowest" "$(query slowest | cut -d'|' -f1,2,6 | sed -n '1,3p;$p')" "15|8|0.85
16|8|0.85
13|7|0.7
2|1|0.1"
like "slowest: where the time went" "$(query slowest)" 'forward [0-9]+'
sqlite3 results.db "update trial set seconds = iif((select params ->> 'threads' from config
    where config.config_id = trial.config_id) = 1, 0.8, 0.5)"
is "threads" "$(query threads)" "small|1|1|1|4|8|0.8|0.8|1.0|1.0
small|2|1|2|4|8|0.5|0.5|1.6|0.8"

# The sweep that measures threads and ranks.
if [ -d "${ESPALIER_DATA:-}/arabidopsis" ]; then
    rm results.db
    for n in 1 2; do
        ok "grids/threads.ini on $n ranks" "$ESPALIER" run "$SRCDIR/grids/threads.ini" -n $n --progress none \
            --set epochs=2 --set grid.ranks=$n --set "grid.threads=$([ $n = 2 ] || echo 1,)$((3 - n))"
    done
    is "ranks change no score" "$(sqlite3 results.db "select count(*), count(distinct value) from trials where threads = 1")" "6|3"
    sqlite3 results.db "update trial set seconds = 1.0 / config_id"
    is "threads and ranks" "$(query threads)" "threads|1|1|1|1|3|1.0|1.0|1.0|1.0
threads|2|1|2|1|3|0.5|0.5|2.0|1.0
threads|1|2|2|1|3|0.333333|0.333333|3.0|1.5"
else
    pass "grids/threads.ini # SKIP no data at ESPALIER_DATA"
fi

for file in "$SRCDIR"/db/queries/*.sql; do
    name=$(basename "$file" .sql)
    like "$name begins with its purpose" "$(sed -n 2p "$file")" '^-- '
    ok "$name is in the list above" grep -q "query $name" "$SRCDIR/tests/cli/queries.sh"
done
done_testing
