#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One configuration or trial in full.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

{
    small_head
    cat <<'INI'
[train]
epochs = 3
[grid]
hidden_size = 4, 8
INI
} >small.ini
ok "a sweep" "$ESPALIER" run small.ini --progress none
show() { "$ESPALIER" show "$@" | sed 's/^ *//; s/ *$//' | tr -s ' '; }

page=$(show c2)
is "a plain number is a configuration" "$(show 2)" "$page"
is "with a database" "$(show results.db c2)" "$page"
like "configuration: its place" "$page" '^place [12]$'
like "configuration: its mean" "$page" '^mean '
like "configuration: an axis" "$page" '^hidden_size 8 axis$'
like "configuration: a fixed setting" "$page" '^epochs 3$'
like "configuration: its trials" "$page" '^3 0 0 done '
is "configuration: only its trials" "$(printf '%s\n' "$page" | grep -c ' done ')" 2

page=$(show t3)
like "trial: its configuration" "$page" '^config 2$'
like "trial: its key" "$page" "^key $(sqlite3 results.db 'select key from trial where trial_id = 3')$"
like "trial: metrics of all parts" "$page" '^pearson( -?[0-9.e-]+){3}$'
like "trial: timing" "$page" '^forward [0-9.e-]+ [0-9.]+$'
like "trial: attempts" "$page" "^[0-9]+ 1 0 $(hostname) [0-9]+ 20[0-9-]+ [0-9:]+ [0-9.e-]+ done$"
like "trial: the curve" "$page" '^3( [0-9.e-]+){2} -?[0-9.e-]+ [0-9.e-]+$'

fails "a missing configuration" 1 "$ESPALIER" show c99
is "the message names it" "$(cat .err)" "espalier: results.db: no configuration c99 in it"
fails "a missing trial" 1 "$ESPALIER" show t99
fails "an invalid id" 2 "$ESPALIER" show x9
is "the message explains ids" "$(cat .err)" \
    "espalier: 'x9' is not an id: must be c12 (a configuration) or t345 (a trial)"
fails "no id" 2 "$ESPALIER" show
done_testing
