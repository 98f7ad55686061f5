/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of tensorboard.c in a build without protobuf-c. */
#include "report/tensorboard.h"

bool tensorboard_is_available(void)
{
    return false;
}

bool tensorboard_is_own(const char *name)
{
    (void)name;
    return false;
}

int tensorboard_write(struct outfolder *out, struct store *store, const struct query_sweep *sweep,
                      struct err *err)
{
    (void)out;
    (void)store;
    (void)sweep;
    return err_set(err, "--format tensorboard: this espalier was built without protobuf-c; install "
                        "it (Debian: libprotobuf-c-dev protobuf-c-compiler), then configure and "
                        "build again");
}
