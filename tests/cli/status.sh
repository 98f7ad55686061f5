#!/bin/sh
# How far a sweep is, from outside.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

cat >small.ini <<'INI'
[sweep]
name = small
[data]
samples = 60
markers = 40
causal = 5
[train]
optimizer = sgd
epochs = 60
[grid]
learning_rate = 0.001, 1000
hidden_size = 4, 8
INI
fails "no database" 1 "$ESPALIER" status
"$ESPALIER" run --progress none small.ini 2>/dev/null
before=$(cksum <results.db)
ok "status" "$ESPALIER" status
is "does not touch the file" "$(cksum <results.db; ls results.db*)" "$before
results.db"
status=$("$ESPALIER" status | tr -s ' ')
like "counts" "$status" '^small 4 4 2 2 0 0$'
like "the command" "$status" '^last session: espalier run --progress none small.ini$'
like "how it ended" "$status" "^finished, 1 rank, pid [0-9]+ on $(hostname)$"
like "how fast it was" "$status" '^4 trials in 0:0[0-9], [0-9.]+ a second$'
like "how well the ranks were used" "$status" \
    '^ranks were busy [0-9.]+ % of the time; [0-9.]+ (% above|times) the lower bound of [0-9.e-]+ s \(total / 1 rank\)$'
like "who did it" "$status" "^ *0 $(hostname) 4 [0-9.e-]+ 2 0$"
like "why trials diverged" "$status" '^small diverged [12] [0-9]+ .* epoch '

# While a run is writing.
cat >long.ini <<'INI'
[train]
epochs = 100
[grid]
hidden_size = 256
layers = 3
dropout = 0:0.9:0.01
INI
"$ESPALIER" run long.ini --db long.db --progress none 2>/dev/null &
pid=$!
for _ in $(seq 200); do
    n=$(sqlite3 long.db "select count(*) from trial where state = 'done'" 2>/dev/null)
    [ "${n:-0}" -gt 1 ] && break
    sleep 0.05
done
live=$("$ESPALIER" status long.db | tr -s ' ')
like "a live run is running" "$live" "^running, 1 rank, pid [0-9]+ on"
like "and tells what is left" "$live" '^about [0-9:]+ left for [0-9]+ trials$'
fails "a second writer is refused" 1 "$ESPALIER" run long.ini --db long.db --progress none
like "and told who is writing" "$(cat .err)" "another run is writing to it: pid [0-9]+ on $(hostname), since "
kill -KILL $pid
wait $pid 2>/dev/null
like "a killed run is lost" "$("$ESPALIER" status long.db)" "^lost \(its process is gone"
is "and loses nothing that was committed" "$(sqlite3 long.db 'pragma integrity_check')" ok
done_testing
