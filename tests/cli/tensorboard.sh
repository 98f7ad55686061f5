#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The log folder for TensorBoard, read by another library, and what happens to existing folders.
. "$SRCDIR/tests/lib.sh"
python=${PYTHON:-/usr/bin/python3}
cd "$T" || exit 1
board() { "$ESPALIER" export --format tensorboard "$@"; }
check() { "$python" "$SRCDIR/tests/cli/tensorboard_read.py" "$@" 2>&1; }

{
    small_head | sed 's/^name.*/name = "a b" <c>/'
    cat <<'INI'
folds = 3
[split]
test = 0.2
stop = 0.2
[train]
epochs = 4
[grid]
type = gcn, ridge
batch_size = 8, full
learning_rate = 0.00001, 0.01 ; gcn
INI
} | sed '/^folds/d; s/^replicates.*/&\nfolds = 3/' >small.ini
ok "a sweep" "$ESPALIER" run small.ini --progress none

if ! board -o board >out 2>err; then
    is "the message says why it is not written" "$(cat err)" "espalier: --format tensorboard: this espalier was built without protobuf-c; install it (Debian: libprotobuf-c-dev protobuf-c-compiler), then configure and build again"
    is "nothing is made" "$(ls -d board 2>/dev/null)" ""
    done_testing
    exit
fi
is "a run for each trial" "$(find board -type f | wc -l)" "$(sqlite3 results.db 'select count(*) from trial')"
has_protobuf=$("$python" -c 'import google.protobuf' 2>/dev/null && echo yes)
if [ "$has_protobuf" ]; then
    is "framing, CRCs, scalars and hyperparameters are those of the database" \
        "$(check board results.db '"a b" <c>')" \
        "$(sqlite3 results.db "select count(*) || ' runs, ' || ((select count(*) from metric where split <> 'test') +
            (select count(train_loss) + count(val_loss) + count(val_value) from curve)) || ' scalars, ' ||
            (select count(*) from config) || ' groups' from trial")"
    cp -r board broken
    file=$(find broken -type f | sort | head -n 1)
    printf x | dd of="$file" bs=1 seek=40 conv=notrunc 2>/dev/null
    like "a changed byte is noticed" "$(check broken results.db '"a b" <c>')" 'the CRC of a (length|message) is wrong'
else
    pass "the events as Python reads them # SKIP no python3-protobuf"
fi
is "no score of the test part" "$(grep -rl 'test_' board)" ""

# ---- many values, and metrics of a program ----

if [ "$has_protobuf" ]; then
    cp results.db many.db
    ok "more configurations and metrics" sqlite3 many.db "update config set params = json_set(params, '\$.seed', config_id * 1.5, '\$.word', 'w' || config_id);
        with n (i) as (select 1 union all select i + 1 from n where i < 30)
        insert into config (sweep_id, ordinal, key, params) select sweep_id, 1000 + i, 'k' || i, json_set(params, '\$.seed', i + 100.5, '\$.word', 'v' || i)
            from n, (select * from config where config_id = 1);
        with n (i) as (select 1 union all select i + 1 from n where i < 2000)
        insert into metric (trial_id, split, name, value) select trial_id, '', 'm' || i, i from n, trial where state = 'done'"
    ok "30 values of a setting, 2,000 metrics" board many.db -o many
    like "are ranges, no long lists; each metric has its value" "$(check many many.db '"a b" <c>')" "^$(sqlite3 many.db 'select count(*) from trial') runs, "
fi

# ---- other states, and hostile texts ----

cp results.db odd.db
sqlite3 odd.db "update trial set state = 'failed', error = 'x' where trial_id = 1; delete from metric where trial_id = 1;
    delete from curve where trial_id = 1; update trial set state = 'pending' where trial_id = 2;
    update attempt set outcome = 'failed', error = 'x' where trial_id = 1"
ok "failed and pending trials" board odd.db -o odd
[ ! "$has_protobuf" ] || like "are a failure, and no run" "$(check odd odd.db '"a b" <c>')" "^$(($(sqlite3 odd.db 'select count(*) from trial') - 1)) runs, "
cp results.db wild.db
sqlite3 wild.db "update trial set state = 'diverged', value = null where trial_id = 3"
file=$(sqlite3 wild.db "select 'c' || config_id || '/r' || replicate || '-fold' || fold from trial where trial_id = 3")
metrics() { grep -ao 'final/[a-z_0-9]*' "$1/$file"/* | sort -u | wc -l; }
ok "a diverged trial" board wild.db -o wild
is "its metrics have values if it is done" "$(metrics board)" \
    "$(sqlite3 results.db "select count(*) from metric where trial_id = 3 and split <> 'test'")"
is "and none if it diverged" "$(metrics wild)" 0
sqlite3 odd.db "update config set params = replace(params, '\"gcn\"', '\"' || cast(x'ff' as text) || '/../x\"');
    update metric set name = cast(x'c3' as text) || '\"' where name = 'mae'"
ok "texts that are not UTF-8" board odd.db -o odd --force
is "stay in the folder" "$(find . -name '*espalier' | grep -cv '^./\(board\|odd\|wild\|broken\|many\)/c[0-9]*/r[01]-fold[012]/events')" 0

# ---- the folder ----

sums() { find "$1" -type f | sort | xargs cksum; }
before=$(sums board)
fails "a folder with files" 1 board -o board
is "the message" "$(cat .err)" "espalier: board: is not empty; --force replaces it"
is "is not touched" "$(sums board)" "$before"
touch board/old.txt
fails "a folder with other files, and --force" 1 board -o board --force
is "the message names one" "$(cat .err)" "espalier: board/old.txt: will not be removed with its folder: is not a file that this command writes"
rm board/old.txt
mkdir board/c999
echo old >board/c999/events.out.tfevents.1.x
ok "--force" board -o board/ --force
is "replaces a folder of event files" "$(sums board)" "$before"
mkdir empty
ok "an empty folder" board -o empty
is "is used" "$(find empty -type f | wc -l)" "$(find board -type f | wc -l)"
fails "a file" 1 board -o small.ini --force
is "the message about it" "$(cat .err)" "espalier: small.ini: is the input small.ini: will not be overwritten"
echo text >text
fails "another file" 1 board -o text --force
is "the message about that file" "$(cat .err)" "espalier: text: is not a folder: must be a folder to write"
ln -s empty link
fails "a link" 1 board -o link --force
fails "a missing folder above" 1 board -o none/board
like "the message names it" "$(cat .err)" "^espalier: none/board: cannot make a folder beside it: No such file or directory$"
fails "a full disk" 1 sh -c 'ulimit -f 1; exec "$@"' sh "$ESPALIER" export --format tensorboard -o full
like "the message says so" "$(cat .err)" "^espalier: full/c[0-9]*/.*: cannot write: File too large"
is "leaves nothing" "$(ls -d full .espalier* 2>/dev/null)" ""
cp odd.db split.db
sqlite3 split.db "pragma ignore_check_constraints = on; update metric set split = 'tes' where split = 'val'"
fails "metrics of an unknown part" 1 board split.db -o none
like "the message names the part" "$(cat .err)" "a row has 'tes' in the column 'split': must be train, val, test, stop or empty"
fails "without -o" 2 board
is "the message asks for it" "$(cat .err)" "espalier: --format tensorboard needs -o DIR, the folder to write"
fails "a missing sweep" 1 board --sweep none -o none
sqlite3 odd.db "update trial set state = 'pending'"
fails "no trial that has begun" 1 board odd.db -o none
is "the message about that" "$(cat .err)" "espalier: odd.db: sweep '\"a b\" <c>' has no trial that is running or has ended"
is "makes nothing" "$(ls -d none .espalier* 2>/dev/null)" ""
done_testing
