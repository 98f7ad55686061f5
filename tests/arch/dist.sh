#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A tarball contains every tracked file: documents, queries, grids, job scripts, tests. Only files
# that are useless outside a git checkout are left out.
. "$SRCDIR/tests/lib.sh"
[ -f "$PWD/Makefile" ] || skip_all "no Makefile in $PWD"
git -C "$SRCDIR" ls-files >"$T/tracked" 2>"$T/.err"
grep -q '^Makefile.am$' "$T/tracked" || skip_all "$SRCDIR is not a git checkout, or git is not installed"

ok "make distdir" env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s distdir distdir="$T/dist"
(cd "$T/dist" && find . -type f) | sed 's,^\./,,' | sort >"$T/distributed"
is "every tracked file is distributed" \
    "$(grep -v -x -e '\.ci/run' -e '\.editorconfig' -e '\.gitignore' "$T/tracked" | sort | comm -23 - "$T/distributed")" ""
done_testing
