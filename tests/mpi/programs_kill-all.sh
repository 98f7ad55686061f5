#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# 30 random kills and all points of tests/mpi/programs_kill.sh.
KILLS=30
SEED=${SEED:-$(date +%s)}
# shellcheck source=tests/mpi/programs_kill.sh
. "$SRCDIR/tests/mpi/programs_kill.sh"
