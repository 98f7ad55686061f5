#include "trial/checkpoint.h"

#include <math.h>
#include <string.h>

bool trial_checkpoint_is_valid(const struct trial_checkpoint *c)
{
    return c->epoch >= 1 && c->left >= 0 && c->left < 1 && c->seconds >= 0 && isfinite(c->seconds);
}

void trial_checkpoint_pack(struct buf *out, const struct trial_checkpoint *c)
{
    buf_put_i64(out, c->trial);
    buf_put_u32(out, (uint32_t)c->epoch);
    buf_put_f64(out, c->left);
    buf_put_f64(out, c->seconds);
    buf_put_i64(out, (int64_t)c->bytes);
    buf_add(out, c->state, c->bytes);
}

int trial_checkpoint_unpack(struct trial_checkpoint *c, struct cursor *in)
{
    memset(c, 0, sizeof *c);
    c->trial = cursor_i64(in);
    c->epoch = (int32_t)cursor_u32(in);
    c->left = cursor_f64(in);
    c->seconds = cursor_f64(in);
    c->bytes = (size_t)cursor_i64(in);
    c->state = cursor_bytes(in, c->bytes);
    return in->failed || !trial_checkpoint_is_valid(c) ? -1 : 0;
}
