#include <stdlib.h>

#include "base/log.h"
#include "cli/cli.h"
#include "cli/stop.h"
#include "cli/sweep_run.h"
#include "cli/sweep_share.h"
#include "grid/plan_wire.h"
#include "sched/master.h"
#include "trial/gcn_runner.h"

/* Rank 0 is gone: there is nobody to give a result to, and the next run does it again. */
static void leave_alone(const struct err *err) __attribute__((noreturn));
static void leave_alone(const struct err *err)
{
    log_warn("%s: this rank leaves", err->text);
    world_leave(EXIT_ERROR);
}

static int serve(const struct world *world, const struct plan *plan, const struct dataset *data,
                 struct prepared *prepared, struct err *err)
{
    struct gcn_runner *gcn = gcn_runner_create(plan, data, prepared, &clock_system, err);
    struct worker_options options = {.silence_s = plan->sweep->fixed.v[P_HEARTBEAT_LIMIT].f,
                                     .cut_off = leave_alone};
    struct runner runner;
    int rc = -1;

    if (gcn) {
        runner = gcn_runner_interface(gcn);
        world_settle();
        rc = worker_serve(world, &runner, &options, &clock_system, err);
    }
    gcn_runner_destroy(gcn);
    return rc;
}

static int follow(const struct world *world, const void *plan_bytes, size_t plan_n, struct err *err)
{
    struct cursor in = {.data = plan_bytes, .size = plan_n};
    struct prepared *prepared = NULL;
    struct sweep_share share = {.n = 0};
    struct dataset data = {0};
    struct sweep sweep;
    struct plan plan;
    int rc;

    if (plan_unpack(&plan, &sweep, &in, err))
        return -1;
    world_expect(sweep_share_patience(&sweep));
    rc = sweep_share_take(&share, world, &data, &prepared, &plan, err);
    if (!rc)
        rc = serve(world, &plan, &data, prepared, err);
    prepared_destroy(prepared);
    dataset_release(&data);
    sweep_share_release(&share);
    plan_release(&plan);
    sweep_release(&sweep);
    return rc;
}

int sweep_follow(const struct world *world)
{
    void *plan = NULL;
    size_t plan_n = 0;
    struct err err;
    int rc = world_broadcast(world, &plan, &plan_n, &err);

    if (!rc && plan_n) {
        stop_heed();
        rc = follow(world, plan, plan_n, &err);
    }
    free(plan);
    if (!rc)
        return EXIT_OK;
    err_wrap(&err, "rank %d", world->rank);
    cli_fail(&err, EXIT_ERROR);
    world_abort(world, EXIT_ERROR);
}
