#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run every reading command on databases with changed values (tests/fuzz/database_mutate): each ends
# with an answer or a message. `make check` tries a few; `make soak` tries many, with sanitizers.
# HOSTILE_ROUNDS: number of databases [4]; HOSTILE_SEED: number of the first [1].
. "$SRCDIR/tests/lib.sh"
rounds=${HOSTILE_ROUNDS:-4}
seed=${HOSTILE_SEED:-1}
mutate=$PWD/tests/fuzz/database_mutate
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:hard_rss_limit_mb=4000
export UBSAN_OPTIONS=halt_on_error=1
cd "$T" || exit 1

small_sweep >small.ini
echo "batch_size = 8, full" >>small.ini
ok "a sweep" "$ESPALIER" run small.ini --db base.db --progress none
cp base.db other.db

# Status 124 is a time-out: a changed setting may lengthen a trial that verify runs again.
try() {
    timeout 300 "$ESPALIER" "$@" >out 2>err
    status=$?
    case $status in
    0 | 1 | 2 | 3) ;;
    124) [ "$1" = verify ] || bad="$bad; $* does not end" ;;
    *) bad="$bad; $* exits with $status" ;;
    esac
    if grep -Eq 'AddressSanitizer|runtime error' err; then
        bad="$bad; $*: $(grep -E 'AddressSanitizer|runtime error' err | head -n 1)"
    fi
}

bad=
last=$((seed + rounds - 1))
while [ "$seed" -le "$last" ]; do
    before=$bad
    cp base.db x.db
    "$mutate" x.db "$seed" || bad="$bad; seed $seed makes none"
    rm -rf merged.db* p.csv m.safetensors
    try status x.db
    try best x.db -n 0
    try best x.db --format ini
    try best x.db --rule 1se --where 'mean > 0'
    try show x.db c1
    try show x.db t1
    try show x.db t1 --model m.safetensors
    try report x.db -o p.html --force
    try export x.db --format csv
    try export x.db --format json
    try trace x.db -o t.json --force
    try best x.db --format latex
    try predict x.db --all -o p.csv
    try verify x.db
    try plan small.ini --db x.db
    try merge merged.db x.db
    try merge other.db x.db
    [ "$bad" = "$before" ] || bad="$bad (seed $seed)"
    seed=$((seed + 1))
done
is "every command on $rounds databases" "$bad" ""
ok "no other file was written" [ ! -e pwned ]
done_testing
