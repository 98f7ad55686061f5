/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "program/report.h"
#include "scratch.h"
#include "stride.h"

enum source { RESULTS, STDOUT };

static bool captures;
static const char *objective = "acc", *pattern = "";

static void begin(struct program_report *r)
{
    struct err err = {""};

    assert_int_equal(program_report_init(r, objective, true, captures, pattern, &err), 0);
}

static void add(struct program_report *r, enum source source, const char *text)
{
    if (source == RESULTS)
        program_report_add(r, text, strlen(text));
    else
        program_report_add_stdout(r, text, strlen(text));
}

static void put_value(struct buf *out, double value)
{
    buf_printf(out, "%g", value);
}

/* The results as "acc 0.9, loss 0.1 at 3 of 1 2 3; 1 acc 0.5, ...", and release the report. */
static const char *summary(struct program_report *r)
{
    static struct buf out;

    buf_clear(&out);
    if (program_report_finish(r)) {
        assert_string_not_equal(r->reason.text, "");
        assert_true(strlen(r->reason.text) < 256);
        buf_puts(&out, r->reason.text);
        program_report_release(r);
        return buf_text(&out);
    }
    for (int32_t i = 0; i < r->n_metrics; i++) {
        buf_printf(&out, "%s%s ", i ? ", " : "", r->metrics[i].name);
        put_value(&out, r->metrics[i].value);
        if (!strcmp(r->metrics[i].name, "acc"))
            assert_memory_equal(&r->objective, &r->metrics[i].value, sizeof r->objective);
    }
    if (r->best >= 0)
        buf_printf(&out, " at %d", r->epochs[r->best]);
    assert_int_equal(r->best < 0, r->n_epochs == 0);
    for (int32_t i = 0, k = 0; i < r->n_epochs; i++) {
        buf_printf(&out, "; %d", r->epochs[i]);
        for (; k < r->n_points && r->points[k].epoch == r->epochs[i]; k++) {
            buf_printf(&out, " %s ", r->names[r->points[k].name]);
            put_value(&out, r->points[k].value);
        }
    }
    program_report_release(r);
    return buf_text(&out);
}

static const char *result_of(enum source source, const char *text)
{
    struct program_report r;

    begin(&r);
    add(&r, source, text);
    program_report_end_attempt(&r, false);
    return summary(&r);
}

static void test_json(void **state)
{
    static const struct {
        const char *text, *result;
    } cases[] = {
        {"{\"acc\": 0.5}", "acc 0.5"},
        {"{\"acc\": 0.5}\n", "acc 0.5"},
        {"\n  \n\r\n{\"acc\": 0.5}\r\n \t\n", "acc 0.5"},
        {"{\"loss\": 1, \"acc\": 0.5}\n{\"acc\": 0.4, \"n\": 3}\n", "loss 1, acc 0.4, n 3"},
        {"{}\n{\"acc\": 1}\n", "acc 1"},
        {"\xef\xbb\xbf{\"acc\": 1}\n", "acc 1"},
        {"\xef\xbb\xbf\n{\"acc\": 1}\n", "acc 1"},
        {"{'acc': 0.5, 'loss': nan}\n", "acc 0.5, loss nan"},
        {"{\"acc\": Infinity, \"a\": -Infinity, \"b\": NaN, \"c\": 1e400}\n",
         "acc inf, a -inf, b nan, c inf"},
        {"{\"acc\": \"0.5\", \"a\": \"NaN\", \"b\": \"-inf\"}\n", "acc 0.5, a nan, b -inf"},
        {"{\"acc\": 1, \"acc\": 2}\n", "acc 2"},
        {"{\"acc\": 1, \"a\": null}\n{\"acc\": null}\n", "acc 1"},
        {"{\"acc\": 1, \"epoch\": null}\n", "acc 1"},
        {"{\"val/acc-1.b_2\": 3, \"acc\": 1}\n", "val/acc-1.b_2 3, acc 1"},
        /* The first of the best epochs. */
        {"{\"epoch\": 0, \"acc\": 0.5}\n{\"epoch\": 2.0, \"acc\": 0.7}\n{\"epoch\": 5, \"acc\": "
         "0.7}\n",
         "acc 0.7 at 2; 0 acc 0.5; 2 acc 0.7; 5 acc 0.7"},
        /* Its values only, then those of lines without an epoch. */
        {"{\"epoch\": 1, \"acc\": 0.7, \"loss\": 2, \"lr\": 1}\n{\"test\": 4, \"loss\": 3}\n"
         "{\"epoch\": 2, \"acc\": 0.6, \"best\": 1}\n",
         "acc 0.7, loss 3, lr 1, test 4 at 1; 1 acc 0.7 loss 2 lr 1; 2 acc 0.6 best 1"},
        {"{\"epoch\": 1, \"acc\": 0.7}\n{\"acc\": 0.1}\n", "acc 0.1 at 1; 1 acc 0.7"},
        /* An epoch in several records, and one without values. */
        {"{\"epoch\": 1, \"acc\": 0.7}\n{\"epoch\": 1, \"loss\": 3}\n{\"epoch\": 2}\n",
         "acc 0.7, loss 3 at 1; 1 acc 0.7 loss 3; 2"},
        /* NaN is never best, unless there is nothing else. */
        {"{\"epoch\": 1, \"acc\": NaN}\n{\"epoch\": 2, \"acc\": 0.1}\n{\"epoch\": 3, \"acc\": "
         "Infinity}\n",
         "acc 0.1 at 2; 1 acc nan; 2 acc 0.1; 3 acc inf"},
        {"{\"epoch\": 1, \"acc\": NaN}\n{\"epoch\": 2, \"acc\": NaN}\n{\"epoch\": 3, \"loss\": "
         "1}\n",
         "acc nan at 2; 1 acc nan; 2 acc nan; 3 loss 1"},
        /* The curve lacks the objective: the last epoch. */
        {"{\"epoch\": 1, \"loss\": 3}\n{\"epoch\": 2, \"loss\": 2}\n{\"acc\": 0.9}\n",
         "loss 2, acc 0.9 at 2; 1 loss 3; 2 loss 2"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(result_of(RESULTS, cases[i].text), cases[i].result);
}

#define NAME_60 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

#define NO_NUMBER ": must be a number; report each number under a name of its own"

static void test_json_refused(void **state)
{
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"\n{\"acc\": 1}\n{\"acc\": \"high\"}", "results line 3: acc is \"high\"" NO_NUMBER},
        {"{\"acc\": \"0,5\"}", "results line 1: acc is \"0,5\"" NO_NUMBER},
        {"{\"acc\": \"0x10\"}", "results line 1: acc is \"0x10\"" NO_NUMBER},
        {"{\"acc\": true}", "results line 1: acc is true" NO_NUMBER},
        {"{\"acc\": [1]}", "results line 1: acc is [1]" NO_NUMBER},
        {"{\"val\": {\"acc\": 1}}", "results line 1: val is {\"acc\":1}" NO_NUMBER},
        {"{\"acc\": 99999999999999999999}",
         "results line 1: acc is an integer beyond 64 bits: write it with an exponent, as 1e20"},
        {"{\"acc\": -99999999999999999999}",
         "results line 1: acc is an integer beyond 64 bits: write it with an exponent, as 1e20"},
        {"{\"epoch\": 0.5, \"acc\": 1}",
         "results line 1: epoch is 0.5: must be an integer from 0 to 2147483647"},
        {"{\"epoch\": -1}", "results line 1: epoch is -1: must be an integer from 0 to 2147483647"},
        {"{\"epoch\": 2147483648}",
         "results line 1: epoch is 2147483648: must be an integer from 0 to 2147483647"},
        {"{\"epoch\": NaN}",
         "results line 1: epoch is nan: must be an integer from 0 to 2147483647"},
        {"{\"epoch\": \"x\"}", "results line 1: epoch is \"x\"" NO_NUMBER},
        {"{\"epoch\": 2}\n{\"epoch\": 1}",
         "results line 2: epoch 1 after epoch 2: epochs must increase"},
        {"{\"epoch\": 2, \"acc\": 1}\n{\"epoch\": 2, \"acc\": 1}",
         "results line 2: epoch 2 reports acc twice: epochs must increase"},
        {"{\"val acc\": 1}",
         "results line 1: 'val acc' is no name: must consist of letters, digits and _ . / -, begin "
         "with a letter or _, and have at most 63 bytes"},
        {"{\"" NAME_60 "aaaa\": 1}",
         "results line 1: '" NAME_60 "aaaa' is no name: must consist of letters, digits and _ . / "
         "-, begin with a letter or _, and have at most 63 bytes"},
        {"{\"\": 1}", "results line 1: '' is no name: must consist of letters, digits and _ . / -, "
                      "begin with a letter or _, and have at most 63 bytes"},
        {"acc: 1\n",
         "results line 1: must be a JSON object, such as {\"epoch\": 3, \"loss\": 0.2}"},
        {"[1]\n", "results line 1: must be a JSON object, such as {\"epoch\": 3, \"loss\": 0.2}"},
        {"3\n", "results line 1: must be a JSON object, such as {\"epoch\": 3, \"loss\": 0.2}"},
        {"{\"acc\": 1}\n\xef\xbb\xbf{\"acc\": 2}\n",
         "results line 2: must be a JSON object, such as {\"epoch\": 3, \"loss\": 0.2}"},
        {"{\"acc\": 1}{\"acc\": 2}\n",
         "results line 1: byte 11: more text after the end of the JSON "
         "object: must be one object a line"},
        {"{\n\"acc\": 1}\n", "results line 1: the JSON object does not end in this line"},
        {"{\"acc\": 1", "results line 1: the JSON object does not end in this line"},
        {"{\"loss\": 1, \"n\": 2}",
         "no acc among the results: loss, n; [sweep] objective must be one "
         "of them"},
        {"{\"acc\": null, \"loss\": 1}", "acc is 'null' in line 1 of results: must be a number"},
        {"", "no results: the program must append a line such as {\"acc\": 0.5} to the file that "
             "ESPALIER_RESULTS names, or print acc=0.5 with [program] capture = stdout"},
    };
    struct program_report r;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(result_of(RESULTS, cases[i].text), cases[i].reason);
    begin(&r);
    program_report_add(&r, "{\"acc\": 1}\n\0\n", 13);
    program_report_end_attempt(&r, false);
    assert_string_equal(summary(&r), "results line 2: byte 1 is NUL: must be text");
}

/* In a line with results. */
static void test_wrong_epochs(void **state)
{
    static const struct {
        const char *text, *epoch;
    } cases[] = {{"epoch=-3 acc=0.5\n", "-3"},
                 {"epoch=99999999999999999999 acc=0.5\n", "99999999999999999999"},
                 {"epoch=nan loss=1\nacc=0.5\n", "nan"},
                 {"3/3 - acc: 0.5 - epoch: -1\n", "-1"}};
    char reason[256];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(reason, sizeof reason,
                 "stdout line 1: epoch is %s: must be an integer from 0 to 2147483647",
                 cases[i].epoch);
        assert_string_equal(result_of(STDOUT, cases[i].text), reason);
    }
}

static void test_stdout(void **state)
{
    static const struct {
        const char *text, *result;
    } cases[] = {
        {"acc: 0.5\n", "acc 0.5"},
        {"acc=0.5", "acc 0.5"},
        {"  acc : 0.5\r\n", "acc 0.5"},
        {"acc = 5e-1\n", "acc 0.5"},
        {"epoch=3 val_loss=0.2, acc=0.9\n", "val_loss 0.2, acc 0.9 at 3; 3 val_loss 0.2 acc 0.9"},
        {"epoch: 1; acc: .5 | loss: 2\nEpoch: 2, acc: 0.4\n",
         "acc 0.5, loss 2 at 1; 1 acc 0.5 loss 2; 2 acc 0.4"},
        {"Epoch: 3/10\nacc: 1\n", "acc 1"},
        {"Epoch [2/10], Loss: 0.5, acc: 0.9\n", "Loss 0.5, acc 0.9 at 2; 2 Loss 0.5 acc 0.9"},
        {"Epoch 2: acc=0.9 loss=1 - lr=2\n", "acc 0.9, loss 1, lr 2 at 2; 2 acc 0.9 loss 1 lr 2"},
        {"epoch 2.0: acc=1\nacc=0\n", "acc 0 at 2; 2 acc 1"},
        {"epoch: 2.0 acc=1\n", "acc 1 at 2; 2 acc 1"},
        {"acc=1 epoch=2\n", "acc 1 at 2; 2 acc 1"},
        {"acc=1\nepochs: 3\nepoch: -1\nepoch: 99999999999\nepoch: 10%| | 1/10\n",
         "acc 1, epochs 3"},
        {"acc: nan loss: inf x: -Infinity\n", "acc nan, loss inf, x -inf"},
        /* Text is no result. */
        {"acc\nacc:\nacc: 3/10\nacc: 0x10\nacc: 1e\n3: 4\n: 3\n=3\nhttp://acc:3\nacc== "
         "3\n/acc=3/x\n"
         "--acc=3\nacc.py:12: acc in\n",
         "acc is '1e' in line 5 of stdout: must be a number"},
        {"acc: 1\0", "acc 1"},
        /* A record of the same epoch again, and names of different lines. */
        {"epoch=1 acc=0.1\repoch=1 acc=0.2\repoch=1 acc=0.3 loss=1\nepoch=1 loss=2\n",
         "acc 0.3, loss 2 at 1; 1 acc 0.3 loss 2"},
        {"\033[1macc\033[0m: \033[32m0.5\033[0m\n", "acc 0.5"},
        {"\b\b\b3/3 - acc: 0.5\n", "acc 0.5"},
        {"1/3 - \xe2\x94\x81\b\b\b\b\b\b\b3/3 - acc: 0.5\b\b\n", "acc 0.5"},
        {"acc: 0.512\b\b\b\b\b0.4\n", "acc 0.4"},
        {"acc:\xc2\xa0"
         "0.5\xc2\xa0(best)\n",
         "acc 0.5"},
        {"acc: 1e400, a=-1e400\n", "acc inf, a -inf"},
        {"a: 1e400.5, b: 0x1p9999, acc: 1\n", "acc 1"},
        {"\033\033[\033[1\n\033[1m\nacc=1\033[", "acc 1"},
        /* Keras, verbose=2 and verbose=1; evaluate() at the end has other steps. */
        {"Epoch 1/2\n375/375 - 1s - 3ms/step - acc: 0.5 - loss: 2.5e-01\nEpoch 2/2\n"
         "375/375 - 1s - 3ms/step - acc: 0.4 - loss: 0.2\n",
         "acc 0.5, loss 0.25 at 1; 1 acc 0.5 loss 0.25; 2 acc 0.4 loss 0.2"},
        {"Epoch 1/2\n  1/375 [.....] - ETA: 5s - acc: 0.1\n\n375/375 [=====] - ETA: 0s - acc: 0.6\n"
         "\033[1m375/375\033[0m \xe2\x94\x81\xe2\x94\x81 1s 2ms/step - acc: 0.7 - val_acc: 0.4\n"
         "32/32 - 0s - acc: 0.9\n",
         "acc 0.9, val_acc 0.4 at 1; 1 acc 0.7 val_acc 0.4"},
        {"375/375 - 1s\n375/374 - acc: 3\n375/375\n375/ - acc: 3\n375/375- acc: 3\nacc: 1\n",
         "acc 1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(result_of(STDOUT, cases[i].text), cases[i].result);
    assert_string_equal(result_of(STDOUT, "epoch=2 acc=1\n\nepoch=1 acc=1\n"),
                        "stdout line 3: epoch 1 after epoch 2: epochs must increase");
    assert_string_equal(result_of(STDOUT, "bad\n"),
                        "no results: the program must append a line such as {\"acc\": 0.5} to the "
                        "file that ESPALIER_RESULTS names, or print acc=0.5 with [program] capture "
                        "= stdout");
}

/* Lines of the tools that people use; the objective is val_acc. */
static const struct {
    const char *text, *result;
} tools[] = {
    /* Keras 2 and 3 */
    {"Epoch 3/10\n120/375 [====>...] - ETA: 1s - loss: 0.5 - accuracy: 0.8\n"
     "375/375 [=====] - 1s 3ms/step - loss: 0.4 - val_acc: 0.9\n32/32 - 0s - loss: 0.3\n",
     "loss 0.3, val_acc 0.9 at 3; 3 loss 0.4 val_acc 0.9"},
    {"Epoch 1/2\n\033[1m9/9\033[0m \033[32m\xe2\x94\x81\xe2\x94\x81\033[0m\033[37m\033[0m \033[1m2s"
     "\033[0m 4ms/step - loss: 0.1 - val_acc: 0.91\n"
     "Epoch 1: val_acc improved from 0.50 to 0.91, saving model to a=1/best.h5\n",
     "loss 0.1, val_acc 0.91 at 1; 1 loss 0.1 val_acc 0.91"},
    /* Lightning */
    {"Epoch 3:  50%|##  | 2/4 [00:02<00:02, 8.5it/s, v_num=0, val_acc=0.1]\r"
     "Epoch 3: 100%|####| 4/4 [00:05<00:00, 8.5it/s, v_num=0, val_acc=0.9]\n"
     "Epoch 3, global step 18: 'val_acc' reached 0.9 (best 0.9), saving model to "
     "'/x/epoch=3-val_acc=0.31.ckpt' as top 1\n",
     "v_num 0, val_acc 0.9 at 3; 3 v_num 0 val_acc 0.9"},
    {"\xe2\x94\x83  Test metric  \xe2\x94\x83  DataLoader 0  \xe2\x94\x83\n"
     "\xe2\x94\x82    val_acc    \xe2\x94\x82     0.91      \xe2\x94\x82\n",
     "val_acc 0.91"},
    {"        val_acc            0.9123\n", "val_acc 0.9123"},
    {"| val_acc | 0.31 |\n", "val_acc 0.31"},
    /* Hugging Face: an epoch 2.4 is in epoch 3 */
    {"{'loss': 0.5, 'learning_rate': 1.3e-05, 'epoch': 2.4}\n"
     "{'eval_loss': 0.3, 'val_acc': np.float64(0.9), 'epoch': 3.0}\n",
     "loss 0.5, learning_rate 1.3e-05, eval_loss 0.3, val_acc 0.9 at 3; 3 loss 0.5 "
     "learning_rate 1.3e-05 eval_loss 0.3 val_acc 0.9"},
    {"  epoch   =        3.0\n  val_acc =     0.9123\n", "val_acc 0.9123"},
    /* fastai, R's data frames and named vectors, YOLO */
    {"epoch     train_loss  val_acc  time    \n0         0.43        0.91     00:12   \n"
     "1         0.33        0.93     00:12   \n",
     "train_loss 0.33, val_acc 0.93 at 1; 0 train_loss 0.43 val_acc 0.91; 1 train_loss 0.33 "
     "val_acc 0.93"},
    {"  epoch val_acc\n1     1    0.31\n2     2    0.28\n",
     "val_acc 0.31 at 1; 1 val_acc 0.31; 2 val_acc 0.28"},
    {"  val_acc  Rsquared \n0.5123 0.8123 \n", "val_acc 0.5123, Rsquared 0.8123"},
    {"      Epoch    GPU_mem   box_loss    val_acc   Size\n"
     "      1/100      2.24G      1.25       0.5    640: 100%|####| 5/5 [00:10<00:00]\n",
     "box_loss 1.25, val_acc 0.5, Size 640 at 1; 1 box_loss 1.25 val_acc 0.5 Size 640"},
    /* boosters; each of several trainings begins anew */
    {"[0]\ttrain-acc:0.5\tval-acc:0.6\n[1]\ttrain-acc:0.5\tval-acc:0.7\n"
     "[0]\ttrain-acc:0.5\tval-acc:0.4\n",
     "train-acc 0.5, val_acc 0.4 at 0; 0 train-acc 0.5 val_acc 0.4"},
    {"[100]\tvalid_0's l2: 0.25\tvalid_0's val_acc: 0.9\n",
     "valid_0_l2 0.25, val_acc 0.9 at 100; 100 valid_0_l2 0.25 val_acc 0.9"},
    {"0:\tlearn: 0.5\tval_acc: 0.6\tbest: 0.6 (0)\ttotal: 50.2ms\tremaining: 1m 2s\n",
     "learn 0.5, val_acc 0.6, best 0.6 at 0; 0 learn 0.5 val_acc 0.6 best 0.6"},
    /* loggers, JSON */
    {"[INFO 2026-01-01 12:00:00] root: val_acc=0.3\n", "val_acc 0.3"},
    {"2026-01-01 12:00:00.123 | INFO     | __main__:train:42 - val_acc: 0.3\n", "val_acc 0.3"},
    {"2026-01-01 12:00:00,123 INFO train.py:57 val_acc: 0.3\n", "val_acc 0.3"},
    {"INFO:__main__:Epoch 3 - val loss: 0.25 - val acc: 0.5\n",
     "val_loss 0.25, val_acc 0.5 at 3; 3 val_loss 0.25 val_acc 0.5"},
    {"{\"epoch\": 3, \"val\": {\"loss\": 0.25, \"acc\": 0.5}, \"lr\": 1, \"at\": "
     "\"2026-01-01T12\"}\n",
     "val_loss 0.25, val_acc 0.5, lr 1 at 3; 3 val_loss 0.25 val_acc 0.5 lr 1"},
    {"{\"level\": \"info\", \"msg\": \"val_acc: 0.5\"}\n", "val_acc 0.5"},
    {"wandb:      val_acc 0.5\nwandb: View run at https://x.y:80/?loss=0.3\n", "val_acc 0.5"},
    /* prints */
    {"Epoch 08/8 | train loss 0.25 | val acc 96.33%\n",
     "train_loss 0.25, val_acc 96.33 at 8; 8 train_loss 0.25 val_acc 96.33"},
    {"Final val_acc: 0.96\n", "val_acc 0.96"},
    {"Val Acc: 93.2 %, Loss (val): 0.5\n", "val_acc 93.2, Loss_val 0.5"},
    {"[1] \"val_acc: 0.3\"\n[1] 0.5\n", "val_acc 0.3"},
    {"val_acc = 0.91 \xc2\xb1 0.02\nR\xc2\xb2: 0.5\n", "val_acc 0.91, R2 0.5"},
    {"loss nan\nval acc: 1.2e-3\n", "loss nan, val_acc 0.0012"},
    {"The val acc is 0.93.\n", "val_acc 0.93"},
    {"Train Epoch: 3 [0/60000 (0%)]\tLoss: 2.5\nTest set: Average loss: 0.5, val acc: "
     "9891/10000 (98.9%)\n",
     "Loss 2.5, Average_loss 0.5, val_acc 98.9 at 3; 3 Loss 2.5"},
    {"Epoch [3/10], Step [100/600], val_acc: 0.25\n", "val_acc 0.25 at 3; 3 val_acc 0.25"},
    {"[3/10] val_acc: 0.25\n", "val_acc 0.25 at 3; 3 val_acc 0.25"},
    {"| end of epoch   3 | time: 12.34s | valid loss  5.5 | val acc  0.5\n",
     "valid_loss 5.5, val_acc 0.5 at 3; 3 valid_loss 5.5 val_acc 0.5"},
    {"Train: 3 [ 100/625 ( 16%)]  Loss: 4.5 (4.3)\nval: loss=0.5 acc=0.25\n",
     "Train 3, Loss 4.5, val_loss 0.5, val_acc 0.25"},
    {"[01/01 12:00:00 d2]:  eta: 0:01:23  iter: 19  val_acc: 0.5  max_mem: 2100M\n",
     "iter 19, val_acc 0.5"},
    {" * Acc@1 76.5 val_acc 92.5\n", "Acc_1 76.5, val_acc 92.5"},
    {"Validation auc = 0.5\nModel 0 best val acc = 0.25 on epoch 13\n",
     "Validation_auc 0.5, val_acc 0.25"},
    /* a mean after folds or classes; other words, and numbers of another kind */
    {"Fold 1: val_acc: 0.9\n[Fold 2] val_acc=0.5\nclass 3 val_acc 0.1\nMean val acc: 0.7\n",
     "val_acc 0.7"},
    {"Fold 1 val_acc: 0.9\nFold: 2, val_acc: 0.5\n", "val_acc 0.5, Fold 2"},
    {"Overall val acc: 0.9\nClass A val acc: 0.5\n", "val_acc 0.9"},
    {"[0]\ttrain-acc:0.50000+0.01000\tval-acc:0.60000+0.02000\n",
     "train-acc 0.5, val_acc 0.6 at 0; 0 train-acc 0.5 val_acc 0.6"},
    {"Val Acc: 0.9\nBalanced Val Acc: 0.5\nTotal: 3, Final val acc: 0.1\n", "val_acc 0.9, Total 3"},
    {"Mean val acc: 0.9, std val acc: 0.1\nInitial val acc: 0.2\n",
     "val_acc 0.9, std_val_acc 0.1, Initial_val_acc 0.2"},
    {"val_acc: 0.9\nval_acc 95% CI: 0.75-0.85\n", "val_acc 0.9"},
    /* skorch: a line of dashes below the head */
    {"  epoch    train_loss    val_acc     dur\n-------  ------------  ---------  ------\n"
     "      1        0.5        0.25  0.0500\n      2        0.4        0.5  0.0475\n",
     "train_loss 0.4, val_acc 0.5, dur 0.0475 at 2; 1 train_loss 0.5 val_acc 0.25 dur 0.05; 2 "
     "train_loss 0.4 val_acc 0.5 dur 0.0475"},
    /* Text that looks like results does not replace them. */
    {"epoch=7 val_acc=0.5\nBest epoch: 3, loss: 1\nEarly stopping at epoch 3\n"
     "Baseline val_acc: 0.1\nNamespace(epoch=100, lr=0.5)\n/x/val_acc=0.3/y\nVAL_ACC: 0.2\n",
     "val_acc 0.5, Best_epoch 3, loss 1, Baseline_val_acc 0.1, lr 0.5 at 7; 7 val_acc 0.5"},
    {"epoch=9 lr=1\nepoch=1 val_acc=0.5\n", "val_acc 0.5 at 1; 1 val_acc 0.5"},
    {"Best val_acc: 0.9\nepoch=1 val_acc=0.5\n", "val_acc 0.5 at 1; 1 val_acc 0.5"},
    {"On localhost:8080, device: cuda:0, took 3.2s at 12:00:00, loaded 50 samples, 100%|###| 1/1\n"
     "torch 2.1, error 404\nval_acc 1\n",
     "val_acc 1"},
    {"[val]\nval_acc 0.9 train_acc 0.5\ntrain val_acc: 0.5\n", "val_acc 0.9, train_acc 0.5"},
};

static void test_tools(void **state)
{
    (void)state;
    objective = "val_acc";
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        assert_string_equal(result_of(STDOUT, tools[i].text), tools[i].result);
    objective = "acc";
}

static void test_pattern(void **state)
{
    static const struct {
        const char *pattern, *text, *result;
    } cases[] = {
        {"AUC so far (?<acc>\\S+)", "AUC so far 0.9\nacc: 3\nloss: 2\nAUC so far 91%\n",
         "acc 91, loss 2"},
        {"round (?<epoch>\\d+).*? (?P<acc>[\\d.]+)/(?<loss>\\S+)",
         "round 1: 0.5/3\nepoch=9 lr=1\n\033[1mround\033[0m 2: 0.7/2\n",
         "acc 0.7, loss 2, lr 1 at 2; 1 acc 0.5 loss 3; 2 acc 0.7 loss 2"},
        {"a(?<acc>\\d)|b(?<acc>\\d)|(?<x>z?)", "b3 a2 \xc3\xa4 \xff\n", "acc 2"},
        {"now (?<acc>[\\d.]+).*, (?<loss>\\d+)", "now 1.2e-05, 0.25\n", "acc 1.2e-05, loss 0.25"},
        {"(?<Acc>\\S+)$", "0,5\n", "acc is '0,5' in line 1 of stdout: must be a number"},
        {"(?<acc>(a+)+)b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\na: 1\n",
         "no acc among the results: a; [sweep] objective must be one of them"},
    };

    (void)state;
    captures = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pattern = cases[i].pattern;
        assert_string_equal(result_of(STDOUT, cases[i].text), cases[i].result);
    }
    pattern = "";
    captures = false;
}

static void test_stdout_values(void **state)
{
    static const struct {
        const char *text, *result;
    } cases[] = {
        /* Where a value ends; what follows it is ignored. */
        {"loss=2,acc=0.93,n=3\n", "loss 2, acc 0.93, n 3"},
        {"acc: 0.93 (best)\n", "acc 0.93"},
        {"acc: 0.93 +/- 0.02, loss: 1\n", "acc 0.93, loss 1"},
        {"acc: 12 min\n", "acc 12"},
        {"acc: 0.93 0.95\n", "acc 0.93"},
        {"acc: 0.93,\n", "acc 0.93"},
        {"acc: 0.93;loss: 0.3|x: 1\n", "acc 0.93, loss 0.3, x 1"},
        {"loss: 0.3 - acc: 0.9\n", "loss 0.3, acc 0.9"},
        /* A later number counts, a later text takes back; in the curve it is no value. */
        {"acc: NA\nacc: 0.5\nloss: 1\nloss: 0,2\n", "acc 0.5"},
        {"epoch=1 acc=0.5\nepoch=2 acc=NA\n", "acc 0.5 at 1; 1 acc 0.5"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(result_of(STDOUT, cases[i].text), cases[i].result);
}

static void test_stdout_refused(void **state)
{
    static const struct {
        const char *text, *result;
    } failures[] = {
        {"acc: 0,93\n", "acc is '0,93' in line 1 of stdout: must be a number"},
        {"acc: 1,234.5\n", "acc is '1,234.5' in line 1 of stdout: must be a number"},
        {"acc: 5,000\n", "acc is '5,000' in line 1 of stdout: must be a number"},
        {"acc: 0,93, loss: 0,2\n", "acc is '0,93' in line 1 of stdout: must be a number"},
        {"acc: 0.5\nx\nacc: NA\n", "acc is 'NA' in line 3 of stdout: must be a number"},
        {"epoch=1 acc=0.5\nacc: NA\n", "acc is 'NA' in line 2 of stdout: must be a number"},
        {"loss: 3\nval acc: 0.93\n",
         "no acc among the results: loss, val_acc; [sweep] objective must be one of them"},
        {"one acc: 0.9, two acc: 0.5\n",
         "acc may be two_acc or another number in line 1 of stdout: "
         "one of their names must be the objective"},
        {"bad\n", "no results: no line of stdout has acc: or acc= and a number, such as acc: 0.5 "
                  "(stderr is not read), "
                  "and nothing is in the file that ESPALIER_RESULTS names"},
    };

    (void)state;
    captures = true;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        assert_string_equal(result_of(STDOUT, failures[i].text), failures[i].result);
    captures = false;
}

/* Pieces of any size give the same. */
static void test_pieces(void **state)
{
    static const char *const text[] = {
        "{\"epoch\": 1, \"acc\": 0.5}\n\n{\"epoch\": 2, \"acc\": 0.7}\r\n{\"test\": 3}",
        "epoch=1 acc=0.5\r\n\repoch=2 acc=0.7\nEpoch 3/3\n3/3 - acc: 0.1\n\ntest=3"};
    char whole[256];

    (void)state;
    for (int source = RESULTS; source <= STDOUT; source++) {
        snprintf(whole, sizeof whole, "%s", result_of((enum source)source, text[source]));
        assert_non_null(strstr(whole, "test 3"));
        for (size_t step = 1; step < 40; step++) {
            struct program_report r;

            begin(&r);
            for (size_t at = 0; at < strlen(text[source]); at += step) {
                char piece[64];

                snprintf(piece, step + 1, "%s", text[source] + at);
                add(&r, (enum source)source, piece);
            }
            program_report_end_attempt(&r, false);
            assert_string_equal(summary(&r), whole);
        }
    }
}

static void test_both_sources(void **state)
{
    struct program_report r;

    (void)state;
    begin(&r);
    add(&r, STDOUT, "acc: NA\n");
    add(&r, RESULTS, "{\"acc\": 0.5}\n");
    program_report_end_attempt(&r, false);
    assert_string_equal(summary(&r), "acc 0.5");
    begin(&r);
    add(&r, STDOUT, "epoch=1 acc=0.1 loss=5\nepoch=3 acc=0.9\ntest=1\nn=2\n");
    add(&r, RESULTS, "{\"epoch\": 1, \"acc\": 0.5}\n{\"epoch\": 2, \"acc\": 0.4}\n{\"test\": 8}\n");
    program_report_end_attempt(&r, false);
    assert_string_equal(summary(&r),
                        "acc 0.9, test 8, n 2 at 3; 1 acc 0.5 loss 5; 2 acc 0.4; 3 acc 0.9");
}

static const char *killed_after(enum source source, const char *text)
{
    struct program_report r;

    begin(&r);
    add(&r, source, text);
    program_report_end_attempt(&r, true);
    return summary(&r);
}

static void test_killed(void **state)
{
    struct program_report r;

    (void)state;
    assert_string_equal(killed_after(RESULTS, "{\"acc\": 1}\n{\"ac"), "acc 1");
    assert_string_equal(killed_after(RESULTS, "{\"acc\": 1}\n{\"acc\": 2}"), "acc 2");
    assert_string_equal(killed_after(RESULTS, "{\"acc\": 1}\n{\"acc\": x\n"),
                        "results line 2: byte 9: no JSON: unexpected character");
    assert_string_equal(killed_after(STDOUT, "acc: 1\nacc: 0.2"), "acc 1");
    begin(&r);
    program_report_add(&r, "{\"acc\": 1}\n\0\0", 13);
    program_report_end_attempt(&r, true);
    assert_string_equal(summary(&r), "acc 1");
}

static void test_last_epoch(void **state)
{
    static const struct {
        const char *text;
        int32_t epoch;
    } files[] = {{"", -1},
                 {"{\"epoch\": 0, \"acc\": 1}\n", 0},
                 {"{\"epoch\": 7}\n{\"epoch\": 12}\n", 12},
                 {"{\"epoch\": 7}\n{\"epoch\": 12}", -1},
                 {"{\"epoch\": 99999999999}\n", -1},
                 {"{\"epoch\": -3}\n", -1},
                 {"{\"epoch\": 7}\nnonsense\n", -1},
                 {"\n", -1}};
    struct buf text = {0};

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_int_equal(program_report_last_epoch(scratch_text("some.jsonl", files[i].text)),
                         files[i].epoch);
    for (int epoch = 1; epoch <= 10000; epoch++)
        buf_printf(&text, "{\"epoch\": %d}\n", epoch);
    assert_int_equal(program_report_last_epoch(scratch_text("some.jsonl", buf_text(&text))), 10000);
    assert_int_equal(program_report_last_epoch(scratch_path("none.jsonl")), -1);
    buf_release(&text);
}

/* A second attempt goes on after a checkpoint. */
static void test_attempts(void **state)
{
    const char *path = scratch_path("kept.jsonl");
    struct program_report r;
    struct buf kept = {0};

    (void)state;
    begin(&r);
    add(&r, RESULTS,
        "{\"epoch\": 1, \"acc\": 0.5, \"loss\": NaN}\n{\"epoch\": 2, \"acc\": 0.9}\n"
        "{\"acc\": 7}\n{\"epoch\": 3, \"acc\": 0.1, \"x\": -Infinity}\n{\"epo");
    add(&r, STDOUT, "epoch=2 loss=0.1\n");
    program_report_end_attempt(&r, true);
    program_report_put_curve(&kept, &r);
    program_report_release(&r);
    assert_string_equal(buf_text(&kept), "{\"epoch\": 1, \"acc\": 0.5, \"loss\": NaN}\n"
                                         "{\"epoch\": 2, \"acc\": 0.9, \"loss\": 0.1}\n"
                                         "{\"epoch\": 3, \"acc\": 0.1, \"x\": -Infinity}\n");
    scratch_text("kept.jsonl", buf_text(&kept));
    assert_int_equal(program_report_last_epoch(path), 3);

    begin(&r);
    program_report_read(&r, path);
    program_report_end_attempt(&r, true);
    add(&r, RESULTS, "{\"epoch\": 3, \"acc\": 0.2}\n{\"epoch\": 4, \"acc\": 0.3}\n");
    program_report_end_attempt(&r, false);
    assert_string_equal(summary(&r), "acc 0.9, loss 0.1 at 2; 1 acc 0.5 loss nan; 2 acc 0.9 loss "
                                     "0.1; 3 acc 0.2; 4 acc 0.3");

    begin(&r);
    program_report_read(&r, path);
    program_report_end_attempt(&r, true);
    add(&r, STDOUT, "epoch=0 acc=0.2\n");
    program_report_end_attempt(&r, false);
    assert_string_equal(summary(&r), "acc 0.2 at 0; 0 acc 0.2");

    begin(&r);
    program_report_read(&r, path);
    program_report_end_attempt(&r, true);
    program_report_end_attempt(&r, false);
    assert_string_equal(summary(&r), "acc 0.9, loss 0.1 at 2; 1 acc 0.5 loss nan; 2 acc 0.9 loss "
                                     "0.1; 3 acc 0.1 x -inf");
    buf_release(&kept);
}

static const char *result_of_file(const char *path)
{
    struct program_report r;

    begin(&r);
    program_report_read(&r, path);
    program_report_end_attempt(&r, false);
    return summary(&r);
}

static void test_read(void **state)
{
    const char *fifo = scratch_path("fifo"), *link = scratch_path("link");

    (void)state;
    assert_string_equal(result_of_file(scratch_text("ok", "{\"acc\": 1}\n")), "acc 1");
    assert_non_null(strstr(result_of_file(scratch_path("none")), "no results: "));
    assert_string_equal(result_of_file(scratch_folder), "the results file is no regular file");
    assert_string_equal(result_of_file("/dev/zero"), "the results file is no regular file");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_string_equal(result_of_file(fifo), "the results file is no regular file");
    assert_int_equal(symlink("/dev/zero", link), 0);
    assert_string_equal(result_of_file(link), "the results file is a link: must be a regular file");
    assert_string_equal(result_of_file("/dev/null/x"),
                        "the results file cannot be read: Not a directory");
}

static void add_names(struct program_report *r, enum source source, int32_t from, int32_t n)
{
    char line[64];

    for (int32_t i = from; i < from + n; i++) {
        snprintf(line, sizeof line, source == RESULTS ? "{\"n%d\": 1}\n" : "n%d=1\n", i);
        add(r, source, line);
    }
}

/* Results of a program that runs: whole lines of both sources, behind earlier attempts. */
static void test_so_far(void **state)
{
    const char *path =
        scratch_text("results.jsonl", "{\"epoch\": 2, \"acc\": 5}\n{\"epoch\": 3, \"a");
    struct program_report r, now;

    (void)state;
    begin(&r);
    add(&r, RESULTS, "{\"epoch\": 1, \"acc\": 1}\n{\"epoch\": 2, \"acc\": 2}\n");
    program_report_end_attempt(&r, true);
    add(&r, STDOUT, "epoch=2 loss=0.5\nsize=4\nepoch=3 lo");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(program_report_so_far(&now, &r, path), 0);
        assert_int_equal(now.n_epochs, 2);
        assert_int_equal(now.epochs[1], 2);
        assert_int_equal(now.n_points, 3);
        assert_int_equal(now.n_metrics, 3);
        assert_string_equal(now.metrics[0].name, "acc");
        assert_true(now.metrics[0].value == 5);
        program_report_release(&now);
    }
    /* The file may be written anew. */
    scratch_text("results.jsonl", "{\"epoch\": 2, \"acc\": 6}\n");
    add(&r, STDOUT, "ss=0.4\n");
    program_report_read(&r, path);
    program_report_end_attempt(&r, false);
    assert_int_equal(program_report_finish(&r), 0);
    assert_int_equal(r.n_epochs, 3);
    assert_true(r.objective == 6);
    program_report_release(&r);
    scratch_text("results.jsonl", "no JSON\n");
    begin(&r);
    assert_int_equal(program_report_so_far(&now, &r, path), -1);
    program_report_release(&now);
    program_report_release(&r);
}

static void test_names_limit(void **state)
{
    struct program_report r;

    (void)state;
    begin(&r);
    add_names(&r, RESULTS, 0, 255);
    add(&r, RESULTS, "{\"acc\": 3}\n");
    program_report_end_attempt(&r, false);
    assert_int_equal(program_report_finish(&r), 0);
    assert_int_equal(r.n_metrics, 256);
    assert_int_equal(r.objective, 3);
    assert_string_equal(r.dropped.text, "");
    program_report_release(&r);
    begin(&r);
    add_names(&r, RESULTS, 0, 257);
    program_report_end_attempt(&r, false);
    assert_string_equal(summary(&r), "results line 257: n256 is one name too many: at most 256 may "
                                     "be reported");
    begin(&r);
    add_names(&r, STDOUT, 0, 300);
    add(&r, STDOUT, "acc=3\n");
    program_report_end_attempt(&r, false);
    assert_int_equal(program_report_finish(&r), 0);
    assert_int_equal(r.n_metrics, 256);
    assert_int_equal(r.objective, 3);
    assert_string_equal(r.dropped.text, "stdout line 256: n255 and the new names after it are not "
                                        "stored: a trial has at most 256 names");
    program_report_release(&r);
    begin(&r);
    add_names(&r, RESULTS, 0, 250);
    program_report_end_attempt(&r, false);
    assert_string_equal(summary(&r),
                        "no acc among the results: n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, "
                        "n11, n12, n13, n14, n15, n16, n17 and 232 more; [sweep] objective must be "
                        "one of them");
}

/* A line of n bytes with a result at its start. */
static const char *long_line(enum source source, size_t n)
{
    static const char *const start[] = {"{\"acc\": 1}", "acc=1"};
    struct program_report r;
    char *line = malloc(n + 2);
    const char *result;

    assert_non_null(line);
    memset(line, ' ', n);
    memcpy(line, start[source], strlen(start[source]));
    memcpy(line + n, "\n", 2);
    begin(&r);
    add(&r, STDOUT, "x=1\n");
    add(&r, source, line);
    program_report_end_attempt(&r, false);
    result = summary(&r);
    free(line);
    return result;
}

static void test_line_limit(void **state)
{
    (void)state;
    assert_string_equal(long_line(RESULTS, 1 << 20), "x 1, acc 1");
    assert_string_equal(long_line(RESULTS, (1 << 20) + 1),
                        "results line 1: longer than 1048576 bytes: this is the limit");
    assert_string_equal(long_line(STDOUT, 64 << 10), "x 1, acc 1");
    assert_non_null(strstr(long_line(STDOUT, (64 << 10) + 1), "no acc among"));
}

/* All epochs that fit, each in a line of its own, through the front door. */
static void test_epoch_limit(void **state)
{
    struct program_report r;
    struct buf lines = {0};

    (void)state;
    if (test_stride() > 1)
        skip();
    for (int32_t i = 0; i < 1000000; i++)
        buf_printf(&lines, "epoch=%d acc=0.5\n", i);
    begin(&r);
    add(&r, STDOUT, buf_text(&lines));
    program_report_end_attempt(&r, true);
    assert_string_equal(r.reason.text, "");
    add(&r, RESULTS, "{\"epoch\": 1000000}\n");
    program_report_end_attempt(&r, false);
    assert_string_equal(summary(&r), "more than 1000000 epochs in all attempts: this is the limit");
    begin(&r);
    add(&r, STDOUT, buf_text(&lines));
    add(&r, STDOUT, "epoch=1000000 acc=1\n");
    program_report_end_attempt(&r, false);
    assert_string_equal(summary(&r), "more than 1000000 epochs in all attempts: this is the limit");
    buf_release(&lines);
}

/* Text without results takes no memory, with lines or without. */
static void test_much_text(void **state)
{
    static char text[1 << 20];
    struct program_report r;

    (void)state;
    for (int with_lines = 0; with_lines < 2; with_lines++) {
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = with_lines && i % 60 == 59 ? '\n' : "all work and no play "[i % 21];
        begin(&r);
        for (int i = 0; i < 100 / test_stride(); i++)
            program_report_add_stdout(&r, text, sizeof text);
        add(&r, STDOUT, "\nacc=1\n");
        program_report_end_attempt(&r, false);
        assert_string_equal(summary(&r), "acc 1");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),          cmocka_unit_test(test_json_refused),
        cmocka_unit_test(test_stdout),        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_stdout_values), cmocka_unit_test(test_stdout_refused),
        cmocka_unit_test(test_tools),         cmocka_unit_test(test_pattern),
        cmocka_unit_test(test_both_sources),  cmocka_unit_test(test_killed),
        cmocka_unit_test(test_last_epoch),    cmocka_unit_test(test_attempts),
        cmocka_unit_test(test_read),          cmocka_unit_test(test_names_limit),
        cmocka_unit_test(test_wrong_epochs),  cmocka_unit_test(test_line_limit),
        cmocka_unit_test(test_epoch_limit),   cmocka_unit_test(test_much_text),
        cmocka_unit_test(test_so_far),
    };

    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
