#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A database from an attacker: opening it runs none of its code, and each fault is reported.
. "$SRCDIR/tests/lib.sh"
command -v sqlite3 >/dev/null || skip_all "no sqlite3 shell"
cd "$T" || exit 1

small_sweep >small.ini
ok "a sweep" "$ESPALIER" run small.ini --db base.db --progress none

# Run each command that opens a database and print their exit statuses.
all() {
    for command in "status x.db" "best x.db" "best x.db --where 1" "best x.db --format ini" "show x.db c1" "report x.db -o p.html --force" \
        "show x.db t1" "export x.db" "predict x.db --all -o p.csv" "verify x.db" "plan small.ini --db x.db" \
        "merge merged.db x.db" "merge x.db base.db" "run small.ini --db x.db --progress none"; do
        rm -f merged.db p.csv
        cp "$1" x.db
        # shellcheck disable=SC2086 # words
        timeout 300 "$ESPALIER" $command >out 2>err
        echo "$?"
        cat err >>errors
    done | sort | uniq -c | sed 's/^ *//' | tr '\n' ' '
}

# NAME SQL MESSAGE: every command refuses a database changed by SQL.
refused() {
    cp base.db hostile.db
    sqlite3 hostile.db "$2" || fail "$1: not made"
    rm -f errors
    is "$1" "$(all hostile.db)" "14 1 "
    like "$1: the message" "$(cat errors)" "$3"
    ok "$1: wrote nothing" [ ! -e pwned ]
}

# NAME SQL: a database changed by SQL is read and written as usual.
tolerated() {
    cp base.db hostile.db
    sqlite3 hostile.db "$2" || fail "$1: not made"
    is "$1" "$(all hostile.db)" "14 0 "
    ok "$1: wrote nothing" [ ! -e pwned ]
}

refused "SQL as the name of an axis" \
    "update axis set name = 'a'' AS b FROM config; VACUUM INTO ''pwned''; --'" \
    "its axis 'a' AS b FROM config; VACUUM INTO 'pwned'; --' is not a setting"
refused "a quote in the name of an axis" "update axis set name = 'x\", (select 1) as \"y'" 'is not a setting'
cp base.db lines.db
sqlite3 lines.db "update sweep set name = name || char(10) || '[program]' || char(10) || 'command = touch pwned'"
refuses "line feeds in the name of a sweep" 1 "lines.db: the stored name of a sweep '[a-z]*.\[program\].command = touch pwned' contains the control character 0x0a" \
    "$ESPALIER" best lines.db --format ini
is "and nothing is printed" "$(cat .out)" ""
cp base.db lines.db
sqlite3 lines.db "update config set params = json_set(params, '$.objective', 'val_loss' || char(10) || 'x = 1')"
fails "line feeds in a stored text" 1 "$ESPALIER" best lines.db --format ini
is "are refused, too" "$(cat .out)" ""
refused "SQL as the name of a column" \
    "pragma writable_schema = on; update sqlite_schema set sql = replace(sql, 'error      TEXT',
    'error TEXT, \"x\"\" FROM main.trial; VACUUM INTO ''pwned''; --\" TEXT') where name = 'trial';
    insert into session (command, version, host, pid, ranks, started) values ('c', 'v', 'gone', 1, 1, 1)" \
    "table 'trial' differs from what espalier creates"
refused "a trigger that changes scores" \
    "create trigger better after insert on attempt begin update trial set value = 99; end" \
    "trigger 'better' is defined on a table of espalier"
refused "a table that is a view" "alter table timing rename to t; create view timing as select * from t" \
    "view 'timing' differs from what espalier creates"
refused "a generated column" "alter table trial add column g integer generated always as (1)" \
    "table 'trial' differs from what espalier creates"
refused "a table without constraints" "pragma writable_schema = on; update sqlite_schema
    set sql = replace(replace(sql, ' NOT NULL', ''), 'STRICT', '') where name = 'session'" \
    "table 'session' differs from what espalier creates"
refused "a name reserved by SQLite" "create view json_each as select 1 as key" "view 'json_each' has the name of an SQLite function"

tolerated "endless views" "drop view trials; drop view leaderboard; create view trials as
    with recursive c (n) as (select 1 union all select n + 1 from c) select n as trial, 'small' as sweep from c;
    create view leaderboard as
    with recursive c (n) as (select 1 union all select n + 1 from c) select n as place, 'small' as sweep from c"
tolerated "a view that sets a tokenizer" "drop view leaderboard; create view leaderboard as
    select fts3_tokenizer('simple', x'4141414141414141') as sweep"
tolerated "tables, views, triggers and statistics of users" "create table notes (a); create view mine as
    select * from trials; create index i on notes (a);
    create trigger t after insert on notes begin delete from trial; end; analyze"

# Ranges that no table constraint checks.
cp base.db hostile.db
sqlite3 hostile.db "update trial set fold = -3 where trial_id = 1; update trial set replicate = -7 where trial_id = 2;
    update trial set replicate = 2000000000 where trial_id = 3"
for trial in 1 2 3; do
    fails "verify of a trial out of range, t$trial" 1 "$ESPALIER" verify hostile.db --trial t$trial
    like "is refused, t$trial" "$(tail -n 1 "$T/.err")" "(fold|replicate).*(must be|less than)"
done
refuses "merge of such trials" 1 'hostile.db: t1: fold = -3: must be from 0 to 2147483647' "$ESPALIER" merge merged.db hostile.db
ok "no output is left" [ ! -e merged.db ]

# A setting that is NULL in a configuration.
cp base.db hostile.db
sqlite3 hostile.db "update config set params = json_set(params, '$.hidden_size', null)"
refuses "best --format ini of a NULL" 1 'hidden_size = null: must be an integer' "$ESPALIER" best hostile.db --format ini

# Another program deleted rows that others refer to: their numbers must not be given again.
gone() { # NAME SQL MESSAGE
    cp base.db hostile.db
    sqlite3 hostile.db "$2"
    before=$(sqlite3 hostile.db .dump | cksum)
    refuses "run with $1" 1 "^espalier: hostile.db: there are $3, which is missing: another program deleted it; use an older copy" \
        "$ESPALIER" run small.ini --db hostile.db --progress none
    is "and changes nothing, $1" "$(sqlite3 hostile.db .dump | cksum)" "$before"
}
gone "trials without their configuration" "delete from config where config_id = 2" "trials of configuration 2"
gone "only trials" "delete from config; delete from axis; delete from sweep" "trials of configuration 1"
gone "configurations without their sweep" "delete from sweep" "configurations of sweep 1"

# A text in a column of numbers, which CSV would show, and an error of 20 MB.
cp base.db hostile.db
sqlite3 hostile.db "create table kept as select sql from sqlite_schema where name = 'attempt'; pragma writable_schema = on;
    update sqlite_schema set sql = replace(sql, 'STRICT', '') where name = 'attempt'"
sqlite3 hostile.db "update attempt set rank = 'evil' where trial_id = 2; pragma writable_schema = on;
    update sqlite_schema set sql = (select sql from kept) where name = 'attempt'; drop table kept"
refuses "export of a text as a rank" 1 "'evil' in the column 'rank'" "$ESPALIER" export hostile.db
cp base.db hostile.db
sqlite3 hostile.db "update trial set state = 'failed', error = replace(hex(zeroblob(10000000)), '00', 'xy') where trial_id = 2"
for command in "status hostile.db" "show hostile.db t2" "show hostile.db c1"; do
    # shellcheck disable=SC2086 # words
    is "an endless error is cut: $command" "$(sh -c 'ulimit -v 4000000; exec "$@"' sh "$ESPALIER" $command 2>&1 | wc -c | awk '{ print ($1 > 300 && $1 < 9000) }')" 1
done

# The largest possible trial number.
cp base.db hostile.db
sqlite3 hostile.db "update trial set trial_id = 9223372036854775807 where trial_id = 4"
is "the largest number is exported" "$("$ESPALIER" export hostile.db | tail -n 1 | cut -d, -f2)" 9223372036854775807

# Endless conditions.
endless='1 < (with recursive c (n) as (select 1 union all select n + 1 from c) select max(n) from c)'
refuses "an endless --where" 1 'takes too long and was stopped; simplify the condition' timeout 300 "$ESPALIER" best base.db --where "$endless"
ten='(values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))'
{
    cat small.ini
    echo "[sweep]"
    echo "where = hidden_size < (select count(*) from $ten, $ten, $ten, $ten, $ten, $ten, $ten, $ten, $ten)"
} >endless.ini
refuses "an endless where" 2 'takes more than 1000000 steps for one point; simplify it' timeout 300 "$ESPALIER" plan endless.ini
done_testing
