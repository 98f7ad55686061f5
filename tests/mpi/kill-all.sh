#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tests/mpi/kill.sh with all its cases.
KILL=all
# shellcheck source=tests/mpi/kill.sh
. "$SRCDIR/tests/mpi/kill.sh"
