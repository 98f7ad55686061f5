#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The test harness: time limits in tests/run-one, and the total of tests/summary.
. "$SRCDIR/tests/lib.sh"
run_one() { "$SRCDIR/tests/run-one" "$@"; }

out=$(TEST_CPU=1 run_one sh -c 'while :; do :; done' 2>/dev/null)
is "a test that computes for too long is ended by SIGXCPU" "$? $out" "152 # ended after 1 s of processor time (TEST_CPU)"
out=$(TEST_CPU=1 TEST_WALL=60 run_one sh -c 'sleep 1.5; echo ok 1')
is "one that only waits is not" "$? $out" "0 ok 1"
out=$(TEST_WALL=1 run_one sleep 30)
is "but it has a limit, too" "$? $out" "124 # ended after 1 s (TEST_WALL)"
is "cmocka's skipped case is a skipped one" "$(run_one echo 'not ok 2 # SKIP no data')" 'ok 2 # SKIP no data'
# shellcheck disable=SC2016 # for the inner shell
folder=$(run_one sh -c 'touch "$TMPDIR/left" && echo "$TMPDIR"')
fails "its scratch folder is removed" 1 test -e "$folder"

cd "$T" || exit 1
printf ':test-result: PASS a\n:test-result: PASS b\n' >good.trs
printf ':test-result: PASS a\n:test-result: SKIP b\n' >skip.trs
printf ':test-result: PASS a\n:test-result: FAIL b\n:test-result: ERROR c\n' >bad.trs
total() { "$SRCDIR/tests/summary" "$@" | tail -n 1; }
is "passed cases are counted" "$(total 0 good.trs)" "2 passed, 0 failed, 0 skipped"
is "skipped cases, too" "$(total 0 good.trs skip.trs)" "3 passed, 0 failed, 1 skipped"
is "a crash is a failure" "$(total 1 good.trs bad.trs)" "3 passed, 2 failed, 0 skipped"
is "a test that did not run is a failure" "$(total 1 good.trs none.trs)" "2 passed, 1 failed, 0 skipped"
is "a make that failed without a test is a failure" "$(total 2 good.trs)" "2 passed, 1 failed, 0 skipped"
ok "status of success" "$SRCDIR/tests/summary" 0 good.trs skip.trs
fails "and of a failure" 1 "$SRCDIR/tests/summary" 1 bad.trs
done_testing
