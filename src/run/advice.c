/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/advice.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

/* A rule applies if its fact is above or below the limit. */
struct rule_row {
    enum { ABOVE, BELOW } side;
    double limit;
    const char *sentence, *remedy;
};

static const struct rule_row rules[RULES] = {
    /* more different numbers are probably amounts */
    [RULE_CLASSES] = {ABOVE, 10,
                      "the target has {} different whole numbers, which are used as classes",
                      "set [data] task = regression if they are amounts, task = classification if "
                      "they are classes"},
    [RULE_SINGLES] = {ABOVE, 0,
                      "{} one sample each, which cannot be both in training and in a part that "
                      "scores",
                      "leave these samples out, or join classes"},
    /* a feature whose standard deviation is so many times smaller has almost no effect */
    [RULE_SPREAD] = {ABOVE, 100,
                     "scale = none, but standard deviations of features differ by a factor of more "
                     "than 100: {}",
                     "set [data] scale = {}"},
    [RULE_TARGET] = {ABOVE, 0, "{} likely the target itself, with |r| above {}: {}",
                     "a model can copy it, so its scores say nothing about new samples: remove the "
                     "column unless it is known before the target"},
    [RULE_TWINS] = {ABOVE, 0,
                    "{} of samples with the same {} on both sides of a split{}, which makes the "
                    "scores too optimistic",
                    "'espalier inspect {} --duplicates dup.csv' lists them; {}"},
    [RULE_UNMET] = {ABOVE, 0,
                    "axes without a value, since their conditions hold for no configuration", "{}"},
    [RULE_IDLE] = {ABOVE, 0, "{} has no effect in {} of the {} configurations",
                   "they differ from others only by chance"},
    [RULE_NO_BASELINE] = {ABOVE, 0, "no configuration has the fixed effects alone",
                          "add {} to [grid] type, the baseline that shows what the features add"},
    /* the correlation of two samples is 1 or -1 */
    [RULE_TINY_PART] = {BELOW, 3, "{} only {}, for which {} means nothing",
                        "use {}, or objective = val_rmse"},
    [RULE_SMALL_PART] = {BELOW, ADVICE_FEW, "{} only {}, so {} much on chance", "use {}"},
    [RULE_MIXED_TYPES] = {ABOVE, 0,
                          "the validation part chooses the epoch of gcn and mlp and also scores "
                          "them, which favours them over ridge",
                          "set [split] stop = 0.1 for a fair comparison"},
    [RULE_REPEATED] = {ABOVE, 0, "all replicates are validated on the same samples",
                       "se, * and the intervals measure the variation between trained models, not "
                       "between samples{}"},

    [RULE_SHELL_WORDS] = {ABOVE, 0,
                          "command: the program gets {} as written, since no shell reads the "
                          "command",
                          "set shell = yes, or quote what is meant so; a comment begins with ' ;'"},
    [RULE_SHELL_COMMENT] = {ABOVE, 0,
                            "command: ' ;' begins a comment, so the shell gets '{}' without '{}'",
                            "for another command write ';' without a blank before it, or &&; move "
                            "a comment to a line of its own"},
    [RULE_ENV] = {ABOVE, 0, "env: the program gets {} as written, since no shell reads env",
                  "write values, separated by blanks alone, or set variables in a command with "
                  "shell = yes"},
    [RULE_ONE_TEXT] = {ABOVE, 0, "{} = {}: this is one text", "{}"},
    [RULE_SAME_REPEATS] = {ABOVE, 0, "{} = {}, but the command has neither {{}} nor {seed}",
                           "all {} of a configuration are the same, unless the program reads {}"},

    [RULE_IDLE_RANKS] = {ABOVE, 0,
                         "the {} to run can use at most {} of the {} ranks at a time: {} will have "
                         "nothing to do",
                         "start with -n {}, which takes as long{}"},
    /* If a machine overcommits memory, the kernel kills a process without a message. */
    [RULE_MEMORY] = {ABOVE, 1,
                     "a rank needs about {} GB of memory, but this process may use only {} GB",
                     "'espalier plan' shows what needs it"},
    [RULE_KILLED] = {ABOVE, 0,
                     "programs of {}, such as t{}, were killed (SIGKILL) {} and started again: "
                     "often the system kills programs that need too much memory",
                     "use fewer ranks a host, or set [resources] memory"},
    [RULE_MISSING] = {ABOVE, 0, "{} did not write '{}', which keep_files names",
                      "'espalier show {} t{} --log'"},

    [RULE_UNDEFINED] = {ABOVE, 0, "no {} in {} of {} trials, which do not count", "{}"},

    [RULE_EARLY_TEST] = {ABOVE, 0,
                         "these test scores are too early: {} of {} trials are left, so the rule "
                         "may still choose another configuration",
                         "test scores that were seen before the choice was final are no longer an "
                         "independent estimate"},
    [RULE_NO_SCORE] = {ABOVE, 0, "{}", "'espalier status' lists the reasons"},
    [RULE_LOST] = {ABOVE, 0, "{}", "'espalier status' lists the reasons"},
    [RULE_R2] =
        {BELOW, 0,
         "c{} has a mean validation R2 of {}: it predicts worse than the mean of the target", "{}"},
    [RULE_ONLY_FIXED] = {ABOVE, 0, "c{}, the fixed effects alone, is the best",
                         "the features add nothing to its predictions"},
    [RULE_LIKE_FIXED] = {ABOVE, 0,
                         "c{} does not beat c{}, the fixed effects alone (the 95 % interval of the "
                         "paired difference contains 0)",
                         "nothing shows that the features add to them"},
    [RULE_HIDDEN] = {ABOVE, 0, "c{} has a better mean ({}), but only {} of {} trials", "{}"},
    [RULE_EDGE] = {ABOVE, 0, "{}: c{} has {}, the {} of {} values, so a better one may lie beyond",
                   "try {} (--set grid.{}={} adds them to the sweep)"},
    [RULE_COPIES] = {ABOVE, 0,
                     "all trials of each configuration have the same score, so the program does "
                     "not seem to use the fold or the seed: se and the intervals show nothing, and "
                     "further replicates would be copies",
                     "let the program use {seed} or {fold} (ESPALIER_SEED, ESPALIER_FOLD)"},
    [RULE_ONE_TRIAL] = {ABOVE, 0,
                        "the score of a single trial has no interval, so nobody knows how much of "
                        "it is chance",
                        "--set replicates=5 adds replicates{}"},
    [RULE_ONE_TRIAL_EACH] = {ABOVE, 0,
                             "with one trial for each configuration, no difference can be told "
                             "from chance",
                             "--set replicates=5 adds replicates{}, which give intervals"},
    /* two trials give one degree of freedom: Student's t is then 12.7 */
    [RULE_TWO_TRIALS] = {ABOVE, 0,
                         "two trials for each configuration give intervals so wide that they show "
                         "almost nothing",
                         "use at least 5 folds, or add replicates{} with --set replicates=5"},
    [RULE_ALIKE] = {ABOVE, 0,
                    "{} cannot be told apart from it (the 95 % interval of the difference contains "
                    "0)",
                    "more replicates or folds narrow the intervals, and 'best --rule 1se' chooses "
                    "the cheapest configuration that is nearly as good"},

    [RULE_LEFT] = {ABOVE, 0, "{} of {} trials are left to run", "the leaderboard may change"},
    [RULE_SHARDS] = {ABOVE, 0, "the database has {} of the {} trials of the grid",
                     "the others belong to shards that have not been merged into it"},
    [RULE_FLATTERED] = {ABOVE, 0,
                        "there is no stop part: the validation part chose the epoch of each trial "
                        "and also scores it, so the scores are too good",
                        "[split] stop = 0.1 sets samples aside for the epoch"},
};

/* Append text with the next word in place of each {}. Returns the words that are left. */
static const char *put_filled(struct buf *out, const char *text, const char *words)
{
    const char *place;

    for (; (place = strstr(text, "{}")); text = place + 2) {
        size_t n = strcspn(words, AND);

        buf_add(out, text, (size_t)(place - text));
        buf_add(out, words, n);
        words += n + (words[n] != '\0');
    }
    buf_puts(out, text);
    return words;
}

void advise(struct errlist *out, enum rule rule, double fact, const char *words, ...)
{
    const struct rule_row *row = &rules[rule];
    char filled[8192]; /* a path and more */
    struct buf text = {0};
    va_list list;

    if (row->side == ABOVE ? !(fact > row->limit) : !(fact < row->limit))
        return;
    va_start(list, words);
    vsnprintf(filled, sizeof filled, words, list);
    va_end(list);
    words = put_filled(&text, row->sentence, filled);
    buf_puts(&text, ": ");
    put_filled(&text, row->remedy, words);
    errlist_add(out, "%s", buf_text(&text));
    buf_release(&text);
}

void advice_print(struct errlist *advice, const char *path)
{
    for (size_t i = 0; i < advice->n; i++)
        log_warn("%s%s%s", path ? path : "", path ? ": " : "", advice->text[i]);
    errlist_release(advice);
}
