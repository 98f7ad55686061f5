# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# shellcheck disable=SC2016,SC2034 # texts for inner shells; variables for the scripts
# Sourced by the scripts of this folder: a clean Debian in a folder, and commands in it.
#   say TEXT                print TEXT after the name of the script
#   step TEXT COMMAND...    run COMMAND quietly, print TEXT and its seconds; if it fails, print the end
#                           of its output and exit
#   find_tarball [FILE]     tarball = FILE, or what `make dist` makes in this folder; version = its version
#   clean_debian            root = a clean Debian with the user builder; each call makes another one. All
#                           are removed at exit unless KEEP=yes
#   inside COMMAND...       run COMMAND as root in the clean Debian
#   as_builder COMMAND...   run COMMAND as the user builder, in its home folder
#   run_demo COMMAND...     run the installed program on the installed demo grid; COMMAND is inside or as_builder
# Environment: SUITE [bookworm], MIRROR [http://deb.debian.org/debian], WORK: where the folder is made
# [/var/tmp], BASE: a folder that debootstrap has filled, which is copied instead of a new one.
SUITE=${SUITE:-bookworm}
MIRROR=${MIRROR:-http://deb.debian.org/debian}
WORK=${WORK:-/var/tmp}
here=$(cd "$(dirname "$0")" && pwd)
name=${0##*/}

say() {
    echo "$name: $*"
}

die() {
    echo "$name: $*" >&2
    exit 1
}

step() {
    what=$1
    shift
    begin=$(date +%s)
    if ! "$@" >"$log" 2>&1; then
        tail -n 60 "$log" >&2
        die "failed: $what"
    fi
    say "$what ($(($(date +%s) - begin)) s)"
}

find_tarball() {
    tarball=${1:-}
    if [ -z "$tarball" ]; then
        [ -f Makefile ] || die "no Makefile here: run ./bootstrap build first, or give a tarball"
        rm -f espalier-*.tar.xz
        step "make dist" make -s dist
        tarball=$(echo espalier-*.tar.xz)
    fi
    [ -f "$tarball" ] || die "$tarball: no such file"
    version=${tarball##*/}
    version=${version#espalier-}
    version=${version%.tar.xz}
}

clean_up() {
    if [ "${KEEP:-}" = yes ]; then
        say "kept: $work"
    else
        rm -rf --one-file-system "$work"
    fi
}

clean_debian() {
    if [ -z "${BASE:-}" ]; then
        BASE=$work/$SUITE
        step "debootstrap $SUITE" debootstrap --variant=minbase "$SUITE" "$BASE" "$MIRROR"
    fi
    n_debians=$((n_debians + 1))
    root=$work/debian$n_debians
    step "clean Debian $n_debians" cp -a "$BASE" "$root"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    step "package lists" inside apt-get -q update
    inside useradd --create-home builder
}

# The mounts belong to a mount namespace, so they end with the command.
inside() {
    unshare --mount --pid --fork --kill-child sh -ec '
        root=$1
        shift
        mount -t proc proc "$root/proc"
        mount --rbind /sys "$root/sys"
        mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
        mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$root/dev/pts"
        exec chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"' sh "$root" "$@"
}

as_builder() {
    inside runuser -u builder -- sh -c 'cd && HOME=$PWD exec "$@"' sh "$@"
}

install_packages() {
    inside apt-get -q -y --no-install-recommends install "$@"
}

run_demo() {
    "$@" sh -c '
        db=$(mktemp -d)/demo.db
        grid=$(ls /usr/local/share/espalier/grids/demo.ini /usr/share/espalier/grids/demo.ini 2>/dev/null)
        espalier --version && espalier run "$grid" -n 2 --db "$db" && espalier best "$db" -n 3'
}

[ "$(id -u)" -eq 0 ] || die "needs root: it makes a Debian in a folder and mounts /proc in it"
n_debians=0
work=$(mktemp -d "$WORK/espalier.XXXXXX")
chmod 755 "$work"
log=$work/log
trap clean_up EXIT
trap 'exit 1' HUP INT TERM
