/* SPDX-License-Identifier: BSD-3-Clause */
/* The view of `watch`: exact frames, and every frame at many sizes. */
#include <math.h>

#include "base/text_width.h"
#include "report/watch.h"
#include "unit.h"

#define N(value)                           \
    {                                      \
        .type = CELL_INTEGER, .i = (value) \
    }
#define R(value)                        \
    {                                   \
        .type = CELL_REAL, .f = (value) \
    }
#define S(value)                        \
    {                                   \
        .type = CELL_TEXT, .s = (value) \
    }

static char hidden[] = "hidden_size", place[] = "place", config[] = "config", trials[] = "trials",
            mean[] = "mean", diff[] = "diff", trial[] = "trial", rank[] = "rank", host[] = "host",
            seconds[] = "seconds", failed[] = "state", reason[] = "reason";
static char *top_names[] = {place, config, hidden, trials, mean, diff};
static char *running_names[] = {trial, config, rank, host, seconds};
static char *reason_names[] = {failed, trials, reason};
static const char hostile[] = "\033]52;c;eA==\007 \302\233"
                              "31m \342\200\256 \344\270\255\346\226\207 \377";

static struct cell top_cells[] = {
    N(1), N(12), N(8),  N(5), R(0.8123), R(0), /**/
    N(2), N(7),  N(16), N(5), R(0.8011), R(-0.0112), N(3), N(112), N(4), N(4), R(0.85), R(0.0377),
};
static struct cell running_cells[] = {
    N(100), N(20), N(0), S("node1"), R(12.3), /**/
    N(104), N(24), N(4), S(hostile), R(2),
};
static struct cell reason_cells[] = {S("failed"),   N(3), S("out of memory"), /**/
                                     S("diverged"), N(1), S("loss is nan at epoch 2")};

static struct progress_rank ranks[300];
static struct watch_facts f;

/* A running sweep, of which rank 1 is lost. */
static void fill(int32_t n_ranks)
{
    f = (struct watch_facts){
        .progress =
            {
                .sweep = {.name = "small", .objective = "val_pearson"},
                .is_last = true,
                .counts = {1000, 507, 1, 3, 2, 487, 1000},
                .session =
                    {
                        .id = 1,
                        .life = SESSION_LIFE_RUNNING,
                        .is_running = true,
                        .outcome = "running",
                        .seconds = 600,
                        .results = 511,
                        .rate = 511 / 600.0,
                        .ranks = ranks,
                        .n_ranks = n_ranks,
                    },
                .left_s = 580,
            },
        .limit_s = (double)NAN,
        .top = {top_names, 6, 3, top_cells},
        .running = {running_names, 5, 2, running_cells},
        .reasons = {reason_names, 3, 2, reason_cells},
    };
    for (int b = 0; b < PROGRESS_BINS; b++)
        f.progress.session.bins[b] = b < 30 ? b : 8;
    for (int32_t r = 0; r < n_ranks; r++)
        ranks[r] = (struct progress_rank){
            .work = PROGRESS_RUNS, .attempt = 1 + r, .trial = 100 + r, .host = "node1"};
    if (n_ranks > 3) {
        ranks[1].work = PROGRESS_LOST;
        ranks[2].work = PROGRESS_IDLE;
        ranks[3].work = PROGRESS_IDLE;
    }
}

static const struct watch_style plain = {
    .columns = 80, .bold = "", .plain = "", .error = "", .warning = ""};

static void assert_frame(const struct watch_style *style, const char *wanted)
{
    struct buf out = {0};

    watch_frame(&out, &f, style);
    assert_string_equal(buf_text(&out), wanted);
    buf_release(&out);
}

static void assert_has(const struct watch_style *style, const char *wanted)
{
    struct buf out = {0};

    watch_frame(&out, &f, style);
    watch_line(&out, &f);
    if (!strstr(buf_text(&out), wanted))
        fail_msg("%s", buf_text(&out));
    buf_release(&out);
}

static void test_running(void **state)
{
    (void)state;
    fill(5);
    f.running.n_rows = 1;
    assert_frame(
        &plain, "small  running for 10 min\n"
                "[###########################x>...........................] 51 %  511/1000 trials\n"
                "# 507 done, x 3 failed, x 1 diverged, > 2 running, . 487 pending\n"
                "about 9 min 40 s left, 51.1/min\n"
                "throughput  ...:::--====+++**####@@@------------------------ up to 174/min\n"
                "\n"
                "best configurations by val_pearson\n"
                "place  config  hidden_size  trials    mean     diff\n"
                "    1      12            8       5  0.8123        0\n"
                "    2       7           16       5  0.8011  -0.0112\n"
                "    3     112            4       4    0.85   0.0377\n"
                "\n"
                "ranks: 2 busy, 1 LOST (1: t101 on node1), 2 idle (2, 3)\n"
                "\n"
                "running trials, longest first\n"
                "trial  config  rank  host   seconds\n"
                "  100      20     0  node1     12.3\n"
                "\n"
                "trials that failed or diverged\n"
                "state     trials  reason\n"
                "failed         3  out of memory\n"
                "diverged       1  loss is nan at epoch 2\n");
}

static void test_over(void **state)
{
    (void)state;
    fill(2);
    f.progress.session.is_running = false;
    f.progress.session.life = SESSION_LIFE_GONE;
    f.progress.session.outcome = "lost";
    strcpy(f.progress.session.why, "no such process");
    f.top.n_rows = f.reasons.n_rows = f.running.n_rows = 0;
    f.progress.session.results = 0;
    f.progress.session.rate = 0;
    assert_frame(&plain,
                 "small  lost (no such process)\n"
                 "[###########################x>...........................] 51 %  511/1000 "
                 "trials\n"
                 "# 507 done, x 3 failed, x 1 diverged, > 2 running, . 487 pending\n"
                 "0 trials in 10 min, 0/s, the same command continues\n"
                 "\n"
                 "ranks: 2\n");
    f.progress.session.life = SESSION_LIFE_ELSEWHERE;
    assert_has(&plain, "0 trials in 10 min, 0/s\n");
}

static void test_percent(void **state)
{
    (void)state;
    fill(1);
    f.progress.counts = (struct progress_counts){1000, 996, 1, 2, 1, 0, 1000, 0, 0};
    assert_has(&plain, "] 99 %  999/1000 trials\n");
    assert_has(&plain, ", 999/1000 trials (99 %), ");
}

static void test_another_sweep_ran_later(void **state)
{
    (void)state;
    f = (struct watch_facts){
        .progress = {.sweep = {.name = "old"}, .counts = {.trials = 2, .done = 2, .planned = 2}}};
    assert_frame(
        &plain, "old  another sweep ran later\n"
                "[############################################################] 100 %  2/2 trials\n"
                "# 2 done, x 0 failed, x 0 diverged, > 0 running, . 0 pending\n");
}

static void test_time_limit(void **state)
{
    (void)state;
    fill(1);
    f.limit_s = 3600;
    assert_has(&plain, "\nabout 9 min 40 s left, time limit in 1 h, 51.1/min\n");
    f.limit_s = 300;
    assert_has(&plain, ", time limit in 5 min: too short for all trials, ");
    f.limit_s = -3;
    assert_has(&plain, ", the time limit is over, ");
}

static void test_many_ranks(void **state)
{
    (void)state;
    fill(300);
    assert_has(&plain, "\nranks: 297 busy, 1 LOST (1: t101 on node1), 2 idle (2, 3)\n");
    ranks[299].work = PROGRESS_LOST;
    ranks[298].work = PROGRESS_IDLE;
    assert_has(
        &plain,
        "\nranks: 295 busy, 2 LOST (1: t101 on node1, 299: t399 on node1), 3 idle (2, 3,...\n");
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
    static const int32_t n_ranks[] = {1, 5, 300};
    struct watch_style style = plain;
    struct buf out = {0};

    (void)state;
    style.note = "results.db  (q quits)";
    for (size_t i = 0; i < sizeof n_ranks / sizeof *n_ranks; i++) {
        fill(n_ranks[i]);
        strcpy(f.progress.sweep.name, hostile);
        strcpy(ranks[0].host, hostile);
        ranks[0].work = PROGRESS_LOST;
        for (style.rows = 1; style.rows <= 60; style.rows += 1 + style.rows / 8)
            for (style.columns = 1; style.columns <= 200; style.columns += style.rows % 7 + 3) {
                style.is_utf8 = style.columns % 2;
                buf_clear(&out);
                watch_frame(&out, &f, &style);
                assert_fits(&out, &style);
            }
    }
    buf_release(&out);
}

/* The lines that stay when there is little room. */
static void test_small(void **state)
{
    struct watch_style style = plain;

    (void)state;
    fill(5);
    style.rows = 13;
    style.columns = 40;
    style.note = "results.db  (q quits)";
    assert_frame(&style, "small  running for 10 min\n"
                         "[#######x>.......] 51 %  511/1000 trials\n"
                         "# 507 done, x 3 failed, x 1 diverged\n"
                         "about 9 min 40 s left, 51.1/min\n"
                         "throughput .=*@#---- up to 135/min\n"
                         "best configurations by val_pearson\n"
                         "place  config  hidden_size    mean  diff\n"
                         "    1      12            8  0.8123     0\n"
                         "ranks: 2 busy, 1 LOST (1: t101 on node1)\n"
                         "trials that failed or diverged\n"
                         "state   trials  reason\n"
                         "failed       3  out of memory\n"
                         "results.db  (q quits)\n");
}

/* A style stands around whole texts, and takes no room. */
static void test_styles(void **state)
{
    struct watch_style style = plain;

    (void)state;
    fill(5);
    style.bold = "\033[1m";
    style.plain = "\033[0m";
    style.error = "\033[1;31m";
    style.warning = "\033[33m";
    assert_has(&style, "\033[1msmall\033[0m  running");
    assert_has(&style, "\033[1;31m1 LOST\033[0m (1: t101 on node1)");
}

static void test_line(void **state)
{
    struct buf out = {0};

    (void)state;
    fill(5);
    watch_line(&out, &f);
    assert_string_equal(buf_text(&out),
                        "small: running for 10 min, 511/1000 trials (51 %), 3 failed, 1 diverged, "
                        "51.1/min, about 9 min 40 s left, best val_pearson 0.8123 (c12), 2/5 ranks "
                        "busy, 1 LOST\n");
    f.progress.counts.planned = 1500;
    assert_has(&plain, ", 500 of the grid's 1500 trials not in this file, 51.1/min");
    f.progress.counts.planned = 1000;
    buf_clear(&out);
    strcpy(f.progress.sweep.name, "a\n\033[2Jb");
    watch_line(&out, &f);
    assert_int_equal(count_lines(buf_text(&out)), 1);
    assert_memory_equal(buf_text(&out), "a??[2Jb: ", 9);
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_running),    cmocka_unit_test(test_over),
        cmocka_unit_test(test_percent),    cmocka_unit_test(test_another_sweep_ran_later),
        cmocka_unit_test(test_time_limit), cmocka_unit_test(test_many_ranks),
        cmocka_unit_test(test_sizes),      cmocka_unit_test(test_small),
        cmocka_unit_test(test_styles),     cmocka_unit_test(test_line),
    };

    return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
