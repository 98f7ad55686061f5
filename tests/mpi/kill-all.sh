#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# All cases of tests/mpi/kill.sh.
KILL=all
# shellcheck source=tests/mpi/kill.sh
. "$SRCDIR/tests/mpi/kill.sh"
