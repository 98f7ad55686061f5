#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The decisions of a search, and all its trials, are equal for 1, 2 and 3 ranks, in gangs, after kills, and after
# a full grid of the same sweep; its finalists have the bits of the full grid.
# KILLS: number of kills of each search (6).
. "$SRCDIR/tests/lib.sh"

cd "$T" || exit 1
cat >full.ini <<'END'
[sweep]
name = s
folds = 5
[data]
format = simulated
samples = 300
markers = 400
[train]
epochs = 90
[grid]
hidden_size = 8, 16, 32
learning_rate = 0.003, 0.01, 3
dropout = 0, 0.3
END
for method in halving race; do
    { cat full.ini; printf '[search]\nallocate = %s\n' $method; } >$method.ini
done

run() { # FILE DATABASE RANKS
    "$ESPALIER" run "$1" --progress none --db "$2" -n "$3" >out 2>err
}
decisions() {
    sqlite3 "$1" "select * from decision"
}
trials() {
    sqlite3 "$1" "select key, state, value, epochs_run from trial order by key"
}

ok "a full grid" run full.ini full.db 2
for method in halving race; do
    ok "$method on one rank" run $method.ini $method.db 1
    wanted=$(decisions $method.db)
    rows=$(trials $method.db)
    like "$method: configurations were stopped" "$wanted" 'stop'
    is "$method: no trial waits" "$(sqlite3 $method.db "select count(*) from trial
        where state not in ('done', 'diverged', 'stopped')")" 0
    for ranks in 2 3; do
        ok "$method on $ranks ranks" run $method.ini r.db $ranks
        is "$method: decisions on $ranks ranks" "$(decisions r.db)" "$wanted"
        is "$method: trials on $ranks ranks" "$(trials r.db)" "$rows"
        rm -f r.db*
    done
    is "$method: finalists have the bits of the full grid" "$(sqlite3 $method.db "attach 'full.db' as f;
        select sum(t.value is not o.value or t.state <> o.state) from main.trial t join f.trial o using (key)
        where t.state in ('done', 'diverged')")" 0
    cp full.db after.db
    ok "$method after the full grid" run $method.ini after.db 1
    is "$method: decisions after the full grid" "$(decisions after.db)" "$wanted"
    is "$method: nothing ran" "$(sqlite3 after.db "select count(*) from attempt")" \
        "$(sqlite3 full.db "select count(*) from attempt")"
    cp $method.db before.db
    ok "a full grid after $method" run full.ini before.db 2
    is "$method: the grid took the finalists as done" "$(trials before.db)" "$(trials full.db)"
    is "$method: and ran the others" "$(sqlite3 before.db "select count(*) from trial where attempts = 0")" 0

    # Killed at moments that divide the run, then to the end.
    kills=${KILLS:-6}
    i=0
    while [ $i -lt "$kills" ]; do
        i=$((i + 1))
        "$ESPALIER" run $method.ini --progress none --db "$T/k.db" -n 2 >out 2>err &
        sleep "$(awk -v i=$i 'BEGIN { print 0.3 + i % 4 * 0.25 }')"
        while pkill -KILL -f "$T/k.db"; do :; done # all ranks, and the launcher
        wait
    done
    ok "$method after $kills kills" run $method.ini "$T/k.db" 2
    is "$method: decisions after kills" "$(decisions k.db)" "$wanted"
    is "$method: trials after kills" "$(trials k.db)" "$rows"
    rm -f k.db*
done

# A model of the results proposes: the ranks learn of its rows as they are made.
{ sed -n '/^\[grid/q;p' full.ini; cat <<'END'; } >model.ini
[grid]
hidden_size = logint(4, 64)
learning_rate = loguniform(1e-4, 1e-1)
dropout = 0, 0.3
[search]
propose = model
allocate = halving
configs = 20
batch = 4
END
ok "a model on one rank" run model.ini model.db 1
wanted=$(decisions model.db)
rows=$(trials model.db)
is "model: steps" "$(sqlite3 model.db "select count(distinct step) from decision")" 6
for ranks in 2 3; do
    ok "a model on $ranks ranks" run model.ini r.db $ranks
    is "model: decisions on $ranks ranks" "$(decisions r.db)" "$wanted"
    is "model: trials on $ranks ranks" "$(trials r.db)" "$rows"
    rm -f r.db*
done
i=0
while [ $i -lt "${KILLS:-6}" ]; do
    i=$((i + 1))
    "$ESPALIER" run model.ini --progress none --db "$T/k.db" -n 2 >out 2>err &
    sleep "$(awk -v i=$i 'BEGIN { print 0.3 + i % 4 * 0.25 }')"
    while pkill -KILL -f "$T/k.db"; do :; done
    wait
done
ok "a model after kills" run model.ini "$T/k.db" 2
is "model: decisions after kills" "$(decisions k.db)" "$wanted"
is "model: trials after kills" "$(trials k.db)" "$rows"
ok "a larger number of configurations" "$ESPALIER" run model.ini --set configs=24 --progress none --db model.db
is "model: the first 20 proposals stay" "$(sqlite3 model.db "select config_id, step, value from decision
    where action = 'propose' and config_id <= 20")" "$(sqlite3 k.db "select config_id, step, value from decision
    where action = 'propose'")"

# Gangs of two ranks: the same decisions on 2 and on 3 ranks.
{ sed 's/^epochs.*/&\nworkers = 2\n[resources]\nranks = 2/' full.ini; printf '[search]\nallocate = halving\n'; } >gang.ini
ok "gangs on 2 ranks" run gang.ini gang.db 2
ok "gangs on 3 ranks" run gang.ini gang3.db 3
is "gangs: decisions" "$(decisions gang3.db)" "$(decisions gang.db)"
is "gangs: trials" "$(trials gang3.db)" "$(trials gang.db)"
done_testing
