/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/rank_states.h"

#include <stdio.h>
#include <stdlib.h>

int rank_states_init(struct rank_states *states, const struct world *world, double now_s,
                     struct err *err)
{
    size_t n = (size_t)world->size;

    *states = (struct rank_states){.n = world->size, .processes = world->processes};
    states->of = calloc(n, sizeof *states->of);
    states->traffic = calloc(n, sizeof *states->traffic);
    if (!states->of || !states->traffic) {
        rank_states_release(states);
        return err_nomem(err, "workers", n * (sizeof *states->of + sizeof *states->traffic));
    }
    process_self(&states->self);
    for (int32_t i = 0; i < states->n; i++)
        states->of[i] = (struct rank_state){
            .heard_s = now_s,
            .told_s = now_s,
            .running = -1,
            .is_here = process_is_beside(rank_states_process(states, i), &states->self)};
    return 0;
}

void rank_states_release(struct rank_states *states)
{
    free(states->of);
    free(states->traffic);
    states->of = NULL;
    states->traffic = NULL;
}

const struct process *rank_states_process(const struct rank_states *states, int32_t rank)
{
    return states->processes ? &states->processes[rank] : &states->self;
}

int rank_states_members(struct trial_member **out, const struct rank_states *states,
                        const int32_t *ranks, int32_t n, struct err *err)
{
    struct trial_member *members = calloc((size_t)n, sizeof *members);

    if (!members)
        return err_nomem(err, "gang", (size_t)n * sizeof *members);
    for (int32_t i = 0; i < n; i++)
        members[i] = (struct trial_member){ranks[i], rank_states_process(states, ranks[i])->host};
    *out = members;
    return 0;
}

void rank_states_hear(struct rank_states *states, int32_t rank, double now_s)
{
    states->of[rank].heard_s = now_s;
}

void rank_states_discount(struct rank_states *states, double seconds)
{
    for (int32_t i = 0; i < states->n; i++)
        states->of[i].heard_s += seconds;
}

static void forget_running(struct rank_states *states, struct rank_state *state)
{
    if (state->running >= 0 && !state->is_named)
        states->n_unnamed--;
    state->running = -1;
}

static bool is_lost(const struct rank_state *state)
{
    return state->presence == RANK_SILENT || state->presence == RANK_DEAD;
}

void rank_states_set(struct rank_states *states, int32_t rank, enum rank_presence presence)
{
    struct rank_state *state = &states->of[rank];

    states->n_left -= state->presence == RANK_LEFT;
    states->n_lost -= is_lost(state);
    state->presence = presence;
    states->n_left += state->presence == RANK_LEFT;
    states->n_lost += is_lost(state);
    if (presence != RANK_PRESENT)
        forget_running(states, state);
}

void rank_states_start(struct rank_states *states, int32_t rank, int64_t trial, double started,
                       double now_s)
{
    struct rank_state *state = &states->of[rank];

    forget_running(states, state);
    state->running = trial;
    state->is_doubtful = false;
    state->started = started;
    state->began_s = now_s;
    state->is_named = false;
    if (!states->n_unnamed++)
        states->unnamed_s = now_s;
}

void rank_states_finish(struct rank_states *states, int32_t rank, int64_t trial)
{
    if (states->of[rank].running == trial)
        forget_running(states, &states->of[rank]);
}

bool rank_states_name(struct rank_states *states, int32_t rank)
{
    struct rank_state *state = &states->of[rank];

    if (state->running < 0 || state->is_named)
        return false;
    state->is_named = true;
    states->n_unnamed--;
    return true;
}

void rank_states_count(struct rank_states *states, int32_t rank, const struct traffic *traffic)
{
    states->traffic[rank] = *traffic;
    states->of[rank].has_counted = true;
}

const struct traffic *rank_states_counted(struct rank_states *states, int32_t rank)
{
    if (!states->of[rank].has_counted)
        return NULL;
    states->of[rank].has_counted = false;
    return &states->traffic[rank];
}

enum rank_presence rank_states_watch(struct rank_states *states, int32_t rank, double now_s,
                                     double silence_s, char *why, size_t size)
{
    struct rank_state *state = &states->of[rank];

    if (state->presence == RANK_LEFT || state->presence == RANK_DEAD)
        return state->presence;
    if (state->is_gone) {
        snprintf(why, size, "its process is gone");
        return RANK_DEAD;
    }
    state->is_gone = state->is_here && !process_is_alive(rank_states_process(states, rank));
    if (state->presence == RANK_PRESENT && now_s - state->heard_s > silence_s) {
        snprintf(why, size, "no message for %.0f s", silence_s);
        return RANK_SILENT;
    }
    return state->presence;
}
