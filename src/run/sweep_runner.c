/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/sweep_runner.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void sweep_runner_put_files(struct buf *out, const char *db)
{
    char *here = *db == '/' ? NULL : getcwd(NULL, 0);

    if (here)
        buf_printf(out, "%s/", here);
    buf_printf(out, "%s.files", db);
    free(here);
}

static bool try_modules(struct buf *out, const char *program, const char *below)
{
    const char *slash = strrchr(program, '/');

    buf_clear(out);
    buf_printf(out, "%.*s%s", slash ? (int)(slash - program) : 0, program, below);
    return slash && !buf_failed(out) && !access(buf_text(out), R_OK);
}

/* Beside this build, in a moved installation, or as installed. */
static const char *find_modules(struct buf *out)
{
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);

    program[n > 0 ? n : 0] = '\0';
    if (!try_modules(out, program, "/share/espalier") &&
        !try_modules(out, program, "/../share/espalier")) {
        buf_clear(out);
        buf_puts(out, PKGDATADIR);
    }
    return buf_failed(out) ? NULL : buf_text(out);
}

static int open_program(struct sweep_runner *runner, const struct plan *plan,
                        const struct dataset *data, const char *files, struct spawner *spawner,
                        struct err *err)
{
    runner->place.spawner = spawner;
    runner->place.files = files;
    runner->place.modules = find_modules(&runner->modules);
    runner->program = program_runner_create(plan, data->digest, &runner->place, &clock_system, err);
    return runner->program ? 0 : -1;
}

int sweep_runner_open(struct sweep_runner *runner, const struct plan *plan,
                      const struct dataset *data, struct prepared *prepared, const char *files,
                      struct spawner *spawner, struct err *err)
{
    if (sweep_is_program(plan->sweep))
        return open_program(runner, plan, data, files, spawner, err);
    spawner_stop(spawner);
    runner->model = model_runner_create(plan, data, prepared, &clock_system, err);
    return runner->model ? 0 : -1;
}

void sweep_runner_close(struct sweep_runner *runner)
{
    model_runner_destroy(runner->model);
    program_runner_destroy(runner->program);
    buf_release(&runner->modules);
    memset(runner, 0, sizeof *runner);
}

struct runner sweep_runner_interface(const struct sweep_runner *runner)
{
    return runner->program ? program_runner_interface(runner->program)
                           : model_runner_interface(runner->model);
}
