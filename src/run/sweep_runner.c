/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/sweep_runner.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

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

/* Like torchrun, the members of a gang on one host see the GPUs of all of them. */
static void put_gpus(struct buf *devices, struct buf *variables, const void *gpus,
                     const struct trial_gang *gang)
{
    const struct gpu_shares *shares = gpus;
    bool is_whole = gang && gang->n_local == gang->local_size;
    struct gpu_share joined;
    struct buf value = {0};
    const char *name;

    gpu_shares_join(&joined, shares, is_whole ? gang->local_ranks : NULL,
                    is_whole ? gang->n_local : 0);
    buf_puts(devices, joined.devices);
    for (int32_t i = 0; (name = gpu_share_variable(&value, &joined, i)); i++) {
        buf_printf(variables, "%s=%s", name, buf_text(&value));
        buf_putc(variables, '\0');
        buf_clear(&value);
    }
    variables->failed |= buf_failed(&value);
    buf_release(&value);
}

int sweep_runner_open(struct sweep_runner *runner, struct plan *plan, const struct dataset *data,
                      struct prepared *prepared, const struct sweep_place *place, struct err *err)
{
    runner->plan = plan;
    if (sweep_is_program(plan->sweep)) {
        runner->place = (struct program_place){.spawner = place->spawner,
                                               .files = place->files,
                                               .modules = find_modules(&runner->modules),
                                               .put_gpus = place->gpus->of ? put_gpus : NULL,
                                               .gpus = place->gpus};
        runner->program =
            program_runner_create(plan, data->digest, &runner->place, &clock_system, err);
        return runner->program ? 0 : -1;
    }
    spawner_stop(place->spawner);
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

static void run(void *self, struct trial_result *r, int64_t number, const struct trial_watch *watch)
{
    struct sweep_runner *runner = self;

    runner->inner.run(runner->inner.self, r, number, watch);
}

static const char *unable(const void *self)
{
    const struct sweep_runner *runner = self;

    return runner->inner.unable ? runner->inner.unable(runner->inner.self) : "";
}

static int take_rows(void *self, struct cursor *in)
{
    return plan_take_rows(((struct sweep_runner *)self)->plan, in);
}

struct runner sweep_runner_interface(struct sweep_runner *runner)
{
    runner->inner = runner->program ? program_runner_interface(runner->program)
                                    : model_runner_interface(runner->model);
    return (struct runner){.run = run,
                           .isolates = runner->inner.isolates,
                           .unable = unable,
                           .rows = take_rows,
                           .self = runner};
}
