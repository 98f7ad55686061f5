/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "trial/result.h"
#include "unit.h"

/* At most, of a packed result without curve and texts, beside its three arrays. */
enum { PACKED_BYTES = 180 };

static void fill(struct trial_result *r)
{
    trial_result_init(r, 41);
    r->state = TRIAL_DIVERGED;
    strcpy(r->error, "train loss is inf in epoch 3");
    r->value = 0.25;
    r->epochs_run = 3;
    r->best_epoch = 2;
    r->seconds = 1.5;
    r->flops = 1e12;
    r->peak_bytes = 1 << 20;
    r->metrics[PART_TEST][METRIC_LOG_LOSS] = 0.5;
    r->losses[PART_VAL] = 0.75;
    r->timing[PHASE_WAITING] = 0.125;
    r->rank = 7;
    r->pid = 4242;
    strcpy(r->host, "node17");
    r->started = 1e9;
    r->finished = 1e9 + 2;
    r->n_curve = 3;
    r->curve = calloc(3, sizeof *r->curve);
    for (int i = 0; i < 3; i++)
        r->curve[i].val_loss = i;
    r->model_bytes = 5;
    r->model = malloc(5);
    memcpy(r->model, "model", 5);
}

/* Adds all that only programs report. */
static void fill_report(struct trial_result *r)
{
    static const struct program_metric reported[] = {{"val_accuracy", 0.5}, {"loss", 0.25}};
    static const struct program_point points[] = {{0, 1, 0.5}, {4, 0, 1.5}, {4, 1, 2.5}};
    static const int32_t epochs[] = {0, 4, 9};

    r->n_reported = 2;
    r->reported = malloc(sizeof reported);
    memcpy(r->reported, reported, sizeof reported);
    r->epochs = malloc(sizeof epochs);
    memcpy(r->epochs, epochs, sizeof epochs);
    r->n_curve_names = 2;
    r->curve_names = calloc(2, sizeof *r->curve_names);
    strcpy(r->curve_names[0], "lr");
    strcpy(r->curve_names[1], "grad/norm");
    r->n_points = 3;
    r->points = malloc(sizeof points);
    memcpy(r->points, points, sizeof points);
    r->log = malloc(4);
    memcpy(r->log, "a\0b\n", 4);
    r->log_bytes = 4;
    r->log_total = 70000;
    r->restarts = calloc(1, sizeof *r->restarts);
    r->restarts[0] = (struct trial_restart){100, 101, 1};
    r->n_restarts = 1;
    r->drops_checkpoint = true;
    r->n_files = 1;
    r->files = calloc(1, sizeof *r->files);
    r->files[0] = strdup("model.pt");
    r->files_bytes = calloc(1, sizeof *r->files_bytes);
    r->files_bytes[0] = 123456789012;
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(trial_state_name(TRIAL_DIVERGED), "diverged");
    assert_int_equal(trial_state_parse("failed"), TRIAL_FAILED);
    assert_int_equal(trial_state_parse("fail"), -1);
    assert_string_equal(trial_phase_name(PHASE_WAITING), "waiting");
    for (int i = 0; i < TRIAL_STATE_COUNT; i++)
        assert_int_equal(trial_state_parse(trial_state_name(i)), i);
}

static void test_init(void **state)
{
    struct trial_result r;

    (void)state;
    trial_result_init(&r, 5);
    assert_int_equal(r.trial, 5);
    assert_int_equal(r.state, TRIAL_FAILED);
    assert_true(isnan(r.value) && isnan(r.losses[3]) && isnan(r.metrics[3][METRIC_COUNT - 1]));
    assert_null(r.curve);
    trial_result_release(&r);
    trial_result_release(NULL);
}

/* No field is lost or moved. */
static void test_round_trip(void **state)
{
    struct trial_result r, again;
    struct buf first = {0}, second = {0};
    struct cursor in;

    (void)state;
    fill(&r);
    trial_result_pack(&first, &r);
    in = (struct cursor){.data = first.data, .size = first.size};
    assert_int_equal(trial_result_unpack(&again, &in), 0);
    assert_int_equal(in.at, first.size);
    trial_result_pack(&second, &again);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    assert_string_equal(again.error, r.error);
    assert_string_equal(again.host, "node17");
    assert_true(again.curve[2].val_loss == 2);
    assert_int_equal(again.model_bytes, 5);
    assert_memory_equal(again.model, "model", 5);
    assert_true(again.metrics[PART_TEST][METRIC_LOG_LOSS] == 0.5);
    assert_int_equal(again.pid, 4242);
    trial_result_release(&r);
    trial_result_release(&again);
    buf_release(&first);
    buf_release(&second);
}

static void test_report_round_trip(void **state)
{
    struct trial_result r, again;
    struct buf first = {0}, second = {0};
    struct cursor in;

    (void)state;
    fill(&r);
    fill_report(&r);
    trial_result_pack(&first, &r);
    in = (struct cursor){.data = first.data, .size = first.size};
    assert_int_equal(trial_result_unpack(&again, &in), 0);
    assert_int_equal(in.at, first.size);
    trial_result_pack(&second, &again);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    assert_string_equal(again.reported[1].name, "loss");
    assert_true(again.reported[1].value == 0.25);
    assert_int_equal(again.epochs[2], 9);
    assert_string_equal(again.curve_names[again.points[2].name], "grad/norm");
    assert_true(again.points[2].value == 2.5 && again.points[2].epoch == 4);
    assert_memory_equal(again.log, "a\0b\n", 4);
    assert_int_equal(again.log_total, 70000);
    assert_string_equal(again.files[0], "model.pt");
    assert_true(again.files_bytes[0] == 123456789012);
    assert_int_equal(again.n_restarts, 1);
    assert_true(again.drops_checkpoint);
    assert_true(again.restarts[0].started == 100 && again.restarts[0].finished == 101 &&
                again.restarts[0].was_killed);
    trial_result_release(&r);
    trial_result_release(&again);
    buf_release(&first);
    buf_release(&second);
}

/* A program that printed nothing has an empty log; a model has none. */
static void test_empty_log(void **state)
{
    struct trial_result r, again;
    struct buf packed = {0};
    struct cursor in;

    (void)state;
    trial_result_init(&r, 1);
    r.log = calloc(1, 1);
    trial_result_pack(&packed, &r);
    in = (struct cursor){.data = packed.data, .size = packed.size};
    assert_int_equal(trial_result_unpack(&again, &in), 0);
    assert_non_null(again.log);
    assert_int_equal(again.log_bytes, 0);
    trial_result_release(&r);
    trial_result_release(&again);
    buf_release(&packed);
}

/* A result of a model pays nothing for what programs report: 150,000 of them are sent a second. */
static void test_size(void **state)
{
    struct trial_result r;
    struct buf packed = {0};

    (void)state;
    trial_result_init(&r, 1);
    trial_result_pack(&packed, &r);
    assert_true(packed.size - sizeof r.metrics - sizeof r.losses - sizeof r.timing <= PACKED_BYTES);
    buf_release(&packed);
}

static void test_impossible_reports(void **state)
{
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        struct trial_result r, got;
        struct buf packed = {0};
        struct cursor in;

        fill(&r);
        fill_report(&r);
        if (kind == 0)
            r.points[1].name = 2;
        else if (kind == 1)
            r.points[1].name = -1;
        else if (kind == 2)
            r.epochs[1] = 0; /* not after the one before */
        else if (kind == 3)
            r.epochs[0] = -1;
        else if (kind == 4)
            r.log_total = 3; /* less than there is */
        else
            r.files_bytes[0] = -1;
        trial_result_pack(&packed, &r);
        in = (struct cursor){.data = packed.data, .size = packed.size};
        assert_int_equal(trial_result_unpack(&got, &in), -1);
        assert_null(got.reported);
        assert_null(got.files);
        trial_result_release(&r);
        buf_release(&packed);
    }
}

/* Any byte may differ: counts and lengths are checked against the message before memory is taken. */
static void test_damaged_report(void **state)
{
    struct trial_result r, got;
    struct buf packed = {0};

    (void)state;
    fill(&r);
    fill_report(&r);
    trial_result_pack(&packed, &r);
    trial_result_release(&r);
    for (size_t i = 0; i < packed.size; i++)
        for (int bit = 0; bit < 8; bit += 7) {
            struct cursor in = {.data = packed.data, .size = packed.size};

            packed.data[i] ^= (char)(1 << bit);
            if (!trial_result_unpack(&got, &in))
                trial_result_release(&got);
            packed.data[i] ^= (char)(1 << bit);
        }
    buf_release(&packed);
}

static void test_truncated(void **state)
{
    struct trial_result r;
    struct buf packed = {0};

    (void)state;
    fill(&r);
    fill_report(&r);
    trial_result_pack(&packed, &r);
    trial_result_release(&r);
    for (size_t n = 0; n < packed.size; n++) {
        char *cut = malloc(n + !n);
        struct cursor in = {.data = cut, .size = n};

        if (n)
            memcpy(cut, packed.data, n);
        assert_int_equal(trial_result_unpack(&r, &in), -1);
        assert_null(r.curve);
        assert_null(r.model);
        assert_null(r.points);
        assert_null(r.files);
        free(cut);
    }
    buf_release(&packed);
}

static void test_foreign(void **state)
{
    struct trial_result r;
    struct buf packed = {0};
    struct cursor in;

    (void)state;
    fill(&r);
    trial_result_pack(&packed, &r);
    trial_result_release(&r);
    packed.data[0] ^= 1; /* another version */
    in = (struct cursor){.data = packed.data, .size = packed.size};
    assert_int_equal(trial_result_unpack(&r, &in), -1);
    packed.data[0] ^= 1;
    packed.data[12] = 99; /* not a state */
    in = (struct cursor){.data = packed.data, .size = packed.size};
    assert_int_equal(trial_result_unpack(&r, &in), -1);
    assert_null(r.curve);
    buf_release(&packed);
}

static void test_checkpoint(void **state)
{
    struct trial_checkpoint c = {41, 7, 0.25, 12.5, 5, "bytes"}, got;
    struct buf wire = {0};
    struct cursor in;

    (void)state;
    trial_checkpoint_pack(&wire, &c);
    for (size_t n = 0; n < wire.size; n++) {
        in = (struct cursor){.data = wire.data, .size = n};
        assert_int_equal(trial_checkpoint_unpack(&got, &in), -1);
    }
    in = (struct cursor){.data = wire.data, .size = wire.size};
    assert_int_equal(trial_checkpoint_unpack(&got, &in), 0);
    assert_int_equal(in.at, in.size);
    assert_int_equal(got.trial, 41);
    assert_int_equal(got.epoch, 7);
    assert_true(got.left == 0.25 && got.seconds == 12.5);
    assert_int_equal(got.bytes, 5);
    assert_memory_equal(got.state, "bytes", 5);
    buf_release(&wire);
}

static void test_impossible_checkpoints(void **state)
{
    static const struct trial_checkpoint bad[] = {
        {1, 0, 0.5, 1, 0, ""},         {1, 1, 1, 1, 0, ""},    {1, 1, -0.5, 1, 0, ""},
        {1, 1, (double)NAN, 1, 0, ""}, {1, 1, 0.5, -1, 0, ""}, {1, 1, 0.5, (double)NAN, 0, ""}};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct trial_checkpoint got;
        struct buf wire = {0};
        struct cursor in;

        trial_checkpoint_pack(&wire, &bad[i]);
        in = (struct cursor){.data = wire.data, .size = wire.size};
        assert_int_equal(trial_checkpoint_unpack(&got, &in), -1);
        buf_release(&wire);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_init),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_report_round_trip),
        cmocka_unit_test(test_empty_log),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_impossible_reports),
        cmocka_unit_test(test_damaged_report),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_checkpoint),
        cmocka_unit_test(test_impossible_checkpoints),
    };

    return cmocka_run_group_tests_name("result", tests, NULL, NULL);
}
