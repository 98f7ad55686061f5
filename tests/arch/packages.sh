#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The packages agree with the project in versions, lists of files and lists of libraries.
. "$SRCDIR/tests/lib.sh"
[ -f "$PWD/Makefile" ] || skip_all "no Makefile in $PWD"
cd "$SRCDIR/packaging" || exit 1
build=$OLDPWD

# version FILE PATTERN: the group of PATTERN in its first match must be the wanted version.
version() {
    is "version in $1" "$(sed -n "s/$2/\\1/p" "$SRCDIR/$1" | head -n 1)" "$wanted"
}
wanted=$(sed -n 's/^AC_INIT(\[espalier\], \[\([^]]*\)\].*/\1/p' "$SRCDIR/configure.ac")
like "version in configure.ac" "$wanted" '^[0-9]+\.[0-9]+\.[0-9]+$'
is "the program's version" "$("$ESPALIER" --version | awk '{ print $NF }')" "$wanted"
version CITATION.cff '^version: *\(.*\)'
version CHANGELOG.md '^## \([0-9][0-9.]*\).*'
version packaging/debian/changelog '^espalier (\(.*\)-[0-9]*).*'
version packaging/spack/packages/espalier/package.py '^ *version("\([^"]*\)".*'
version packaging/conda/espalier/meta.yaml '^{% set version = "\([^"]*\)".*'
is "version in the commands for Spack" "$(sed -n 's/.*espalier@\([0-9.]*\).*/\1/p' spack/repo.yaml | sort -u)" "$wanted"

# Each file that make install installs belongs to exactly one Debian package.
in_root() {
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$build" "$@" DESTDIR="$T/root" prefix=/usr exec_prefix=/usr \
        bindir=/usr/bin datarootdir=/usr/share datadir=/usr/share mandir=/usr/share/man \
        docdir=/usr/share/doc/espalier
}
ok "make install" in_root install
cd "$T/root" || exit 1
find . ! -type d | sed 's,^\./,,' | sort >"$T/installed"
like "something was installed" "$(cat "$T/installed")" '^usr/bin/espalier$'
for package in espalier espalier-doc; do
    while read -r pattern; do
        # shellcheck disable=SC2086 # a pattern
        found=$(find $pattern ! -type d 2>/dev/null) || found=
        echo "$found" | sed '/^$/d' >>"$T/packaged"
        is "$package: $pattern matches an installed file" "${found:+yes}" yes
    done <"$SRCDIR/packaging/debian/$package.install"
done
is "each installed file is in one package" "$(sort "$T/packaged" | diff - "$T/installed")" ""
while read -r file; do
    ok "left out, but installed: $file" test -f "$file"
done <"$SRCDIR/packaging/debian/not-installed"
for part in bin/espalier share/man/man1/espalier.1 share/espalier/grids/demo.ini share/doc/espalier/db/schema.sql share/doc/espalier/README.md; do
    ok "installed: $part" test -f "usr/$part"
done

# Links of installed documents work. A link that leads nowhere is noticed.
pages=$(find usr/share/doc -name '*.md')
like "documents are installed" "$pages" 'doc/manual/index.md'
# shellcheck disable=SC2086 # one word a page
is "their links lead to installed files" "$(dead_links $pages)" ""
echo 'See [this](nowhere.md).' >link.md
is "a dead link is noticed" "$(dead_links link.md)" "link.md: nowhere.md"
rm link.md

# The manual as HTML has a folder of its own. A stand-in for Sphinx makes one page.
# shellcheck disable=SC2016 # expanded by the stand-in
printf '#!/bin/sh\nfor to; do :; done\nmkdir -p "$to/manual" && echo page >"$to/manual/index.html"\n' >"$T/sphinx"
chmod +x "$T/sphinx"
ok "make install-html" in_root install-html SPHINX="$T/sphinx" HTML="$T/html"
ok "installs the pages" test -f usr/share/doc/espalier/html/manual/index.html
ok "make uninstall" in_root uninstall
is "removes all that was installed" "$(find . ! -type d)" ""
is "and the folders of its own" "$(find . -type d -name espalier)" ""

# A prefix with a blank. Unquoted, the folder before the blank would be removed.
blank() {
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$build" "$@" SPHINX="$T/sphinx" HTML="$T/html" \
        DESTDIR="$T/a root" prefix="/my soft" exec_prefix="/my soft" bindir="/my soft/bin" datarootdir="/my soft/share" \
        datadir="/my soft/share" mandir="/my soft/share/man" docdir="/my soft/doc/espalier"
}
mkdir "$T/a" "$T/a root" && touch "$T/a/file" "$T/a root/file" || exit 1
ok "make install with a blank in prefix and DESTDIR" blank install install-html
ok "installs the pages there" test -f "$T/a root/my soft/doc/espalier/html/manual/index.html"
ok "make uninstall" blank uninstall
is "removes its own files only" "$(find "$T/a" "$T/a root" ! -type d)" "$T/a/file
$T/a root/file"

# Build-Depends contains every library that ./bootstrap installs to build.
cd "$SRCDIR/packaging" || exit 1
sed -n "/^needed_to_build='/,/^'/p; /^wanted_to_build='/,/^'/p" ../bootstrap |
    awk 'NF == 6 { print $3 } NF == 5 { print $3 }' | grep -v build-essential | sort -u >"$T/needed"
like "bootstrap lists libraries" "$(cat "$T/needed")" '^zlib1g-dev$'
sed -n '/^Build-Depends:/,/^Standards/p' debian/control | tr -d ' ,' | sed 's/^Build-Depends://; s/[<(].*//' |
    sort -u >"$T/build-depends"
is "the Debian package needs what bootstrap installs" "$(comm -23 "$T/needed" "$T/build-depends")" ""

# Both containers install the same packages to run.
libraries() {
    sed -n '/no-install-recommends install/,/rm -rf/p' "$1" | grep -o '[a-z][a-z0-9.-]*[a-z0-9]' |
        grep -E '^lib.|^openmpi|^openssh|^sqlite3$|^zlib' | sort
}
cd "$SRCDIR/containers" || exit 1
like "the container installs libraries" "$(libraries Dockerfile)" '^libhts3$'
is "both containers install the same" "$(libraries Dockerfile)" "$(libraries espalier.def)"

cd "$SRCDIR/packaging" || exit 1
if command -v python3 >/dev/null; then
    for recipe in spack/packages/*/package.py; do
        ok "$recipe compiles" env PYTHONPYCACHEPREFIX="$T/cache" python3 -m py_compile "$recipe"
    done
fi
for script in check-tarball build-deb debian/rules debian/tests/demo ../containers/build; do
    ok "$script is executable" test -x "$script"
done
done_testing
