#!/bin/sh
# tests/mpi/kill.sh with all its cases.
KILL=all
# shellcheck source=tests/mpi/kill.sh
. "$SRCDIR/tests/mpi/kill.sh"
