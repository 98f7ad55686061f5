# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the benchmarks, with src (the source tree) and espalier (the program) set. Variables:
#   T         scratch folder, removed on exit
#   python    the Python with the peers: $PYTHON or Debian's
#   rounds    $ROUNDS: number of times that the programs run in turn
#   one_core  runs a command bound to the first core of this process, if there is a taskset
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # set there, or used there

T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
trap 'exit 1' HUP INT TERM
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
python=${PYTHON:-/usr/bin/python3}
rounds=${ROUNDS:-5}
one_core=
if command -v taskset >/dev/null 2>&1; then
    one_core="taskset -c $(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')"
fi

# name_python: let python3, which the grids start, be $python. A link would leave a virtual environment.
name_python() {
    mkdir "$T/bin"
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$python" >"$T/bin/python3"
    chmod +x "$T/bin/python3"
    PATH=$T/bin:$PATH
}

# Median of the numbers on stdin.
median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# row CASE VALUE UNIT BESIDE TARGET: print one CSV line. Fields with commas are quoted.
row() {
    printf '%s\n' "$@" | awk '{
        gsub(/"/, "\"\"")
        line = line sep ($0 ~ /[",]/ ? "\"" $0 "\"" : $0)
        sep = ","
    } END { print line }'
}

# peer FILE COMMAND...: append to FILE what a program prints that espalier is compared with. If it fails or
# prints nothing, FILE.failed gets its name and its last line, and it is not started again.
peer() {
    peer_file=$1
    shift
    : >>"$peer_file"
    [ ! -e "$peer_file.failed" ] || return 0
    "$@" >"$T/printed" 2>"$T/complaint"
    peer_status=$?
    cat "$T/printed" >>"$peer_file"
    [ $peer_status != 0 ] || [ ! -s "$T/printed" ] || return 0
    cat "$T/complaint" >&2
    peer_name=$(printf '%s\n' "$@" | sed -n 's|.*/\(peer_[a-z]*\.py\)$|\1|p' | head -n 1)
    # mpirun and torchrun print more below Python's error.
    printf 'failed: %s: %s\n' "${peer_name:-$*}" \
        "$(grep -E '^[A-Za-z_.]+(Error|Exception)' "$T/complaint" | tail -n 1 | grep . ||
            grep -h '[A-Za-z0-9]' "$T/complaint" "$T/printed" | tail -n 1 | grep . ||
            echo "status $peer_status")" >"$peer_file.failed"
}

# peer_row FILE CASE VALUE UNIT BESIDE TARGET: as row; if the peer of FILE failed, the reason and no value.
peer_row() {
    if [ -e "$1.failed" ]; then
        row "$2" - "$4" "$(cat "$1.failed")" "$6"
    else
        shift
        row "$@"
    fi
}

# ratio A B: A / B with one decimal, two below 10; "-" if B is 0.
ratio() { echo "$1 $2" | awk '{ if (!$2) { print "-"; exit } r = $1 / $2; printf r < 10 ? "%.2f" : "%.1f", r }'; }

# ratios A B: the ratios of the lines of two files, one pair a round, from small to large: the speed
# of a machine may drift from round to round.
ratios() { paste "$1" "$2" | awk '{ print $1 / $2 }' | sort -g; }

# version_of MODULE: version of a Python package, or nothing.
version_of() {
    "$python" -c "import importlib.metadata as m, $1; print(m.version('$1').split('+')[0])" 2>/dev/null
}

# torch_is: PyTorch's version and BLAS, or nothing.
torch_is() { "$python" -W ignore "$src/tests/bench/peer_torch.py" --version 2>/dev/null; }

# has_data FILE: true if $ESPALIER_DATA contains it.
has_data() { [ -n "${ESPALIER_DATA:-}" ] && [ -e "$ESPALIER_DATA/$1" ]; }
no_data="no data at ESPALIER_DATA = '${ESPALIER_DATA:-}'"

# espalier_run OPTION...: run `espalier run`; print its messages only if it fails.
espalier_run() {
    "$espalier" run "$@" --progress none 2>"$T/err" || { cat "$T/err" >&2; exit 1; }
}

# seed_of INI OPTION...: ESPALIER_SEED of the first trial.
seed_of() {
    "$espalier" plan "$@" --commands --set "command=true {seed}" |
        sed -n 's/^.*true \([0-9]*\)$/\1/p' | head -n 1
}

# Seconds of the sweep itself: from the first start to the last finish of an attempt.
span() { sqlite3 "$1" 'select round(max(finished) - min(started), 3) from attempt'; }
