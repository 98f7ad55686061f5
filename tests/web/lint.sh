#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The scripts of a page share one scope, so eslint reads them as the page has them: in one file.
. "$SRCDIR/tests/lib.sh"
command -v eslint >/dev/null || skip_all "no eslint"
script=$PWD/src/report/page/page.js
[ -f "$script" ] || skip_all "no $script"
export NODE_PATH=/usr/share/nodejs # Debian's eslint, also with another node
cd "$T" && cp "$script" page.js || exit 1 # eslint reads files of its own folder only

lint() {
    eslint --no-eslintrc --format unix --env browser,es2020 --parser-options ecmaVersion:2020 --global d3 \
        --rule 'no-redeclare: 2, no-undef: 2, no-unused-vars: 2' "$1"
}
# rule RULE LINE: eslint notices the line by the rule.
rule() {
    printf '%s\n' "$2" >broken.js
    like "$1 is noticed" "$(lint broken.js)" "/$1\]"
}
rule no-redeclare 'function f() {} function f() {} f();'
rule no-undef 'f();'
rule no-unused-vars '(function () { function f() {} }());'
ok "the scripts of a page" lint page.js
done_testing
