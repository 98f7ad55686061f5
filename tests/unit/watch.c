/* SPDX-License-Identifier: BSD-3-Clause */
/* The view of `watch`: exact frames, and every frame at many sizes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text_width.h"
#include "report/watch_frame.h"

/* A running sweep of four ranks, of which one is lost. */
static void fill(struct watch_facts *f, struct watch_rank *ranks, int32_t n_ranks)
{
    *f = (struct watch_facts){
        .sweep = "small",
        .objective = "val_pearson",
        .trials = 1000,
        .done = 507,
        .diverged = 1,
        .failed = 3,
        .running = 2,
        .pending = 487,
        .session = 1,
        .is_running = true,
        .outcome = "running",
        .seconds = 600,
        .ran = 511,
        .left_s = 580,
        .limit_s = (double)NAN,
        .ranks = ranks,
        .n_ranks = n_ranks,
        .top = {{12, 5, 0.8123, 0, (double)NAN, (double)NAN},
                {7, 5, 0.8011, -0.0112, -0.0301, 0.0077},
                {112, 4, 0.85, 0.0377, (double)NAN, (double)NAN}},
        .n_top = 3,
        .axes = {{"hidden_size", {"8", "16", "4"}}, {"dropout", {"0.2", "0.2", "0.5"}}},
        .n_axes = 2,
        .reasons = {{3, "failed", "out of memory"}, {1, "diverged", "loss is nan at epoch 2"}},
        .n_reasons = 2,
    };
    for (int b = 0; b < WATCH_BINS; b++)
        f->bins[b] = b < 30 ? b : 8;
    for (int32_t r = 0; r < n_ranks; r++)
        ranks[r] = (struct watch_rank){WATCH_RUNS, 100 + r, 20 + r, 12.3, "node1"};
    if (n_ranks > 3) {
        ranks[1].work = WATCH_LOST;
        ranks[2].work = WATCH_IDLE;
        ranks[3].work = WATCH_SHORT;
    }
}

static const struct watch_style plain = {
    .columns = 80, .bold = "", .plain = "", .error = "", .warning = ""};

static void assert_frame(const struct watch_facts *f, const struct watch_style *style,
                         const char *wanted)
{
    struct buf out = {0};

    watch_frame(&out, f, style);
    assert_string_equal(buf_text(&out), wanted);
    buf_release(&out);
}

static void test_running(void **state)
{
    struct watch_rank ranks[4];
    struct watch_facts f;

    (void)state;
    fill(&f, ranks, 4);
    assert_frame(
        &f, &plain,
        "small  running for 10 min\n"
        "[###########################x>...........................] 51 %  511/1000 trials\n"
        "# 507 done, x 3 failed, x 1 diverged, > 2 running, . 487 pending\n"
        "about 9 min 40 s left, 51.1/min\n"
        "throughput  ...:::--====+++**####@@@------------------------ up to 174/min\n"
        "\n"
        "   best  val_pearson    trials     diff  95 % interval       hidden_si.  dropout\n"
        "1  c12        0.8123         5                                        8      0.2\n"
        "2  c7         0.8011         5  -0.0112  -0.0301 to +0.0077          16      0.2\n"
        "3  c112         0.85  only 4/5  +0.0377                               4      0.5\n"
        "\n"
        "ranks: 2 busy, 1 idle, 1 LOST (1)\n"
        "0 t100 c20 12 s       1 LOST t101 on node1  2 idle\n"
        "3 short trials\n"
        "\n"
        "failures\n"
        "     3 failed    out of memory\n"
        "     1 diverged  loss is nan at epoch 2\n");
}

static void test_over(void **state)
{
    struct watch_rank ranks[2];
    struct watch_facts f;

    (void)state;
    fill(&f, ranks, 2);
    f.is_running = false;
    strcpy(f.outcome, "lost");
    strcpy(f.why, "no such process");
    f.n_top = f.n_reasons = 0;
    f.ran = 0;
    assert_frame(&f, &plain,
                 "small  lost (no such process)\n"
                 "[###########################x>...........................] 51 %  511/1000 "
                 "trials\n"
                 "# 507 done, x 3 failed, x 1 diverged, > 2 running, . 487 pending\n"
                 "0 trials in 10 min, 0/s, the same command continues\n"
                 "\n"
                 "ranks: 2\n");
    strcpy(f.outcome, "cut off");
    strcpy(f.why, "it was copied");
    f.is_elsewhere = true;
    assert_frame(&f, &plain,
                 "small  cut off (it was copied)\n"
                 "[###########################x>...........................] 51 %  511/1000 "
                 "trials\n"
                 "# 507 done, x 3 failed, x 1 diverged, > 2 running, . 487 pending\n"
                 "0 trials in 10 min, 0/s\n"
                 "\n"
                 "ranks: 2\n");
}

/* Early in a sweep, when even the first configuration has trials to come. */
static void test_early(void **state)
{
    struct watch_rank ranks[1];
    struct watch_facts f;
    struct buf out = {0};

    (void)state;
    fill(&f, ranks, 1);
    f.n_top = 1;
    f.config_trials = 10;
    watch_frame(&out, &f, &plain);
    assert_non_null(strstr(buf_text(&out), "\n1  c12        0.8123  5 of 10"));
    f.done = f.trials - 4;
    f.diverged = 1;
    f.failed = 2;
    f.running = 1;
    buf_clear(&out);
    watch_frame(&out, &f, &plain);
    watch_line(&out, &f);
    assert_non_null(strstr(buf_text(&out), "] 99 %  999/1000 trials\n"));
    assert_non_null(strstr(buf_text(&out), ", 999/1000 trials (99 %), "));
    buf_release(&out);
}

static void test_another_sweep_ran_later(void **state)
{
    struct watch_facts f = {.sweep = "old", .trials = 2, .done = 2, .is_earlier = true};

    (void)state;
    assert_frame(
        &f, &plain,
        "old  another sweep ran later\n"
        "[############################################################] 100 %  2/2 trials\n"
        "# 2 done, x 0 failed, x 0 diverged, > 0 running, . 0 pending\n");
}

static void test_time_limit(void **state)
{
    struct watch_rank ranks[1];
    struct watch_facts f;
    struct buf out = {0};

    (void)state;
    fill(&f, ranks, 1);
    f.limit_s = 3600;
    watch_frame(&out, &f, &plain);
    assert_non_null(
        strstr(buf_text(&out), "\nabout 9 min 40 s left, time limit in 1 h, 51.1/min\n"));
    f.limit_s = 300;
    buf_clear(&out);
    watch_frame(&out, &f, &plain);
    assert_non_null(strstr(buf_text(&out), ", time limit in 5 min: too short for all trials, "));
    f.limit_s = -3;
    buf_clear(&out);
    watch_frame(&out, &f, &plain);
    assert_non_null(strstr(buf_text(&out), ", the time limit is over, "));
    buf_release(&out);
}

/* Marks stand for ranks that have no room for cells; lost ones are named. */
static void test_many_ranks(void **state)
{
    struct watch_rank *ranks = calloc(300, sizeof *ranks);
    struct watch_style style = plain;
    struct watch_facts f;
    struct buf out = {0};

    (void)state;
    assert_non_null(ranks);
    fill(&f, ranks, 300);
    style.rows = 24;
    style.note = "results.db  (q quits)";
    watch_frame(&out, &f, &style);
    assert_non_null(
        strstr(buf_text(&out),
               "\nranks: 298 busy, 1 idle, 1 LOST, # busy . idle X LOST - no trial yet (1)\n"
               "     0 #X.####### ########## ########## ########## ########## ##########\n"
               "    60 ########## ########## ########## ########## ########## ##########\n"));
    assert_non_null(strstr(buf_text(&out), "\n   240 ########## "));
    style.rows = 14;
    buf_clear(&out);
    watch_frame(&out, &f, &style);
    assert_non_null(strstr(buf_text(&out), "\n     0 ... and 299 more\n"));
    style.rows = 60;
    style.columns = 200;
    buf_clear(&out);
    watch_frame(&out, &f, &style);
    assert_non_null(strstr(buf_text(&out), "\n  0 t100 c20 12 s         1 LOST t101 on node1  "));
    buf_release(&out);
    free(ranks);
}

static int count_lines(const char *text)
{
    int n = 0;

    for (; (text = strchr(text, '\n')); text++)
        n++;
    return n;
}

static void assert_fits(const struct buf *out, const struct watch_style *style)
{
    char line[4096];

    assert_false(buf_failed(out));
    assert_int_equal(count_lines(buf_text(out)), style->rows);
    for (const char *at = buf_text(out); *at; at += strlen(line) + 1) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        assert_true(text_width(line) <= style->columns);
        for (const char *c = line; *c; c++)
            assert_true((unsigned char)*c >= ' ' && *c != '\177');
    }
}

static void test_sizes(void **state)
{
    static const int32_t n_ranks[] = {1, 4, 300};
    struct watch_rank *ranks = calloc(300, sizeof *ranks);
    struct watch_style style = plain;
    struct watch_facts f;
    struct buf out = {0};

    (void)state;
    assert_non_null(ranks);
    style.note = "results.db  (q quits)";
    for (size_t i = 0; i < sizeof n_ranks / sizeof *n_ranks; i++) {
        fill(&f, ranks, n_ranks[i]);
        f.n_reasons = WATCH_REASONS;
        strcpy(f.sweep, "\033]52;c;eA==\007 \302\233"
                        "31m \342\200\256 \344\270\255\346\226\207 \377");
        strcpy(f.axes[0].values[0], "\303\244\033[2J");
        strcpy(f.reasons[1].reason, f.sweep);
        strcpy(ranks[0].host, f.sweep);
        ranks[0].work = WATCH_LOST;
        for (style.rows = 1; style.rows <= 60; style.rows += 1 + style.rows / 8)
            for (style.columns = 1; style.columns <= 200; style.columns += style.rows % 7 + 3) {
                style.is_utf8 = style.columns % 2;
                buf_clear(&out);
                watch_frame(&out, &f, &style);
                assert_fits(&out, &style);
            }
    }
    buf_release(&out);
    free(ranks);
}

/* The lines that stay when there is little room. */
static void test_small(void **state)
{
    struct watch_rank ranks[4];
    struct watch_style style = plain;
    struct watch_facts f;

    (void)state;
    fill(&f, ranks, 4);
    style.rows = 10;
    style.columns = 40;
    style.note = "results.db  (q quits)";
    assert_frame(&f, &style,
                 "small  running for 10 min\n"
                 "[#######x>.......] 51 %  511/1000 trials\n"
                 "# 507 done, x 3 failed, x 1 diverged\n"
                 "about 9 min 40 s left, 51.1/min\n"
                 "   best  val_pearson  hidden_s.  dropout\n"
                 "1  c12        0.8123          8      0.2\n"
                 "ranks: 2 busy, 1 idle, 1 LOST (1)\n"
                 "failures\n"
                 "     3 failed    out of memory\n"
                 "results.db  (q quits)\n");
}

/* Axes that do not fit are left out. */
static void test_axes(void **state)
{
    struct watch_style style = plain;
    struct watch_facts f;
    struct buf out = {0};

    (void)state;
    fill(&f, NULL, 0);
    f.n_axes = WATCH_AXES;
    for (int a = 2; a < WATCH_AXES; a++)
        f.axes[a] = (struct watch_axis){"some_axis", {"1", "2", "3"}};
    watch_frame(&out, &f, &style);
    assert_non_null(strstr(buf_text(&out), "  hid.  dro.  som.\n"));
    style.columns = 200;
    buf_clear(&out);
    watch_frame(&out, &f, &style);
    assert_non_null(strstr(buf_text(&out), "  hidden_size  dropout  some_axis  some_axis  "));
    buf_release(&out);
}

/* A style stands around whole texts, and takes no room. */
static void test_styles(void **state)
{
    struct watch_style style = plain;
    struct watch_rank ranks[4];
    struct watch_facts f;
    struct buf out = {0};

    (void)state;
    fill(&f, ranks, 4);
    style.bold = "\033[1m";
    style.plain = "\033[0m";
    style.error = "\033[1;31m";
    style.warning = "\033[33m";
    watch_frame(&out, &f, &style);
    assert_non_null(strstr(buf_text(&out), "\033[1msmall\033[0m  running"));
    assert_non_null(strstr(buf_text(&out), "  \033[1;31m1 LOST t101 on node1\033[0m  2 idle"));
    assert_null(strstr(buf_text(&out), "\033[33m"));
    buf_release(&out);
}

static void test_line(void **state)
{
    struct watch_rank ranks[4];
    struct watch_facts f;
    struct buf out = {0};

    (void)state;
    fill(&f, ranks, 4);
    watch_line(&out, &f);
    assert_string_equal(buf_text(&out),
                        "small: running for 10 min, 511/1000 trials (51 %), 3 failed, 1 diverged, "
                        "51.1/min, about 9 min 40 s left, best val_pearson 0.8123 (c12), 2/4 ranks "
                        "busy, 1 LOST\n");
    buf_clear(&out);
    f.missing = 500;
    watch_line(&out, &f);
    assert_non_null(strstr(buf_text(&out), "511/1000 trials (51 %), 500 of the grid's 1500 trials "
                                           "not in this file, 3 failed"));
    f.missing = 0;
    buf_clear(&out);
    strcpy(f.sweep, "a\n\033[2Jb");
    watch_line(&out, &f);
    assert_int_equal(count_lines(buf_text(&out)), 1);
    assert_memory_equal(buf_text(&out), "a??[2Jb: ", 9);
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_running),    cmocka_unit_test(test_over),
        cmocka_unit_test(test_early),      cmocka_unit_test(test_another_sweep_ran_later),
        cmocka_unit_test(test_time_limit), cmocka_unit_test(test_many_ranks),
        cmocka_unit_test(test_sizes),      cmocka_unit_test(test_small),
        cmocka_unit_test(test_axes),       cmocka_unit_test(test_styles),
        cmocka_unit_test(test_line),
    };

    return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
