/* A plan as bytes, so that every rank expands the same one without reading the sweep file, the
 * environment or the `where` expression again. */
#ifndef GRID_PLAN_WIRE_H
#define GRID_PLAN_WIRE_H

#include "base/buf.h"
#include "grid/plan.h"

void plan_pack(struct buf *out, const struct plan *plan);

/* Fills both; plan borrows sweep. PATH settings are not sent (they come back empty): the data
 * travel as a block. Texts are, since kept models name some (trial/kept.h). -1 and err for a
 * message of another version or a truncated one. Pair with plan_release() and sweep_release(). */
int plan_unpack(struct plan *plan, struct sweep *sweep, struct cursor *in, struct err *err);

#endif
