/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/program_lines.h"

#include <stdlib.h>
#include <string.h>

#include "program/exec.h"
#include "store/trial_files.h"

int program_lines_open(struct program_lines *lines, const struct job *job, const char *db,
                       struct err *err)
{
    *lines = (struct program_lines){.job = job};
    trial_files_put_absolute(&lines->files, db);
    if (buf_failed(&lines->files))
        return err_nomem(err, "path", lines->files.size);
    return program_command_init(&lines->command, &job->sweep, err);
}

void program_lines_close(struct program_lines *lines)
{
    program_command_release(&lines->command);
    buf_release(&lines->files);
    buf_release(&lines->text);
}

struct expansion {
    struct template_words argv, variables;
};

static void release(struct expansion *expansion)
{
    template_words_release(&expansion->argv);
    template_words_release(&expansion->variables);
}

/* has_all: the whole environment, not only the trial's values. Pair with release(). */
static int expand(struct expansion *out, bool has_all, struct program_lines *lines, int64_t trial,
                  int64_t id, struct err *err)
{
    const struct plan *plan = &lines->job->plan;
    const char *files = buf_text(&lines->files);
    struct buf dir = {0}, results = {0}, checkpoint = {0};
    struct settings settings;
    struct program_trial t = {
        .settings = &settings, .where = plan_trial(plan, trial), .id = id, .attempt = 1};
    int rc;

    plan_settings(plan, t.where.config, &settings);
    t.key = settings_key(&settings, plan->sweep->swept, lines->job->data.digest, t.where.replicate,
                         t.where.fold, &lines->text);
    buf_printf(&dir, "%s/t%lld/scratch", files, (long long)id);
    buf_printf(&results, "%s/results.jsonl", buf_text(&dir));
    buf_printf(&checkpoint, "%s/t%lld/checkpoint", files, (long long)id);
    t.dir = buf_text(&dir);
    t.results = buf_text(&results);
    t.checkpoint = buf_text(&checkpoint);
    *out = (struct expansion){{NULL, 0}, {NULL, 0}};
    rc = program_command_argv(&out->argv, &lines->command, &t, err) ||
                 (has_all ? program_command_env : program_command_values)(&out->variables,
                                                                          &lines->command, &t, err)
             ? -1
             : 0;
    if (rc)
        release(out);
    buf_release(&dir);
    buf_release(&results);
    buf_release(&checkpoint);
    return rc;
}

int program_lines_put(struct buf *out, struct program_lines *lines, int64_t trial, int64_t id,
                      struct err *err)
{
    struct expansion expansion;

    if (expand(&expansion, false, lines, trial, id, err))
        return -1;
    if (expansion.variables.n) {
        buf_puts(out, "env ");
        template_put_command(out, &expansion.variables);
        buf_putc(out, ' ');
    }
    template_put_command(out, &expansion.argv);
    release(&expansion);
    return 0;
}

/* ---- whether the program exists ---- */

static int check_one(struct program_lines *lines, int32_t config, struct err *err)
{
    const struct plan *plan = &lines->job->plan;
    int64_t each = (int64_t)plan->replicates * plan->folds;
    struct expansion expansion;
    struct exec_program program;
    int rc;

    if (expand(&expansion, true, lines, config * each, config * each + 1, err))
        return -1;
    program = (struct exec_program){.words = expansion.argv.word,
                                    .variables = expansion.variables.word,
                                    .folder = lines->job->sweep.folder};
    rc = exec_check(&program, err);
    release(&expansion);
    return rc;
}

int program_lines_check(const struct job *job, const char *db, struct err *err)
{
    struct program_lines lines;
    int rc = program_lines_open(&lines, job, db, err);
    const struct template *t = &lines.command.command;
    int32_t n = rc || t->is_shell ? 0 : 1;

    /* If the first word contains a place, it may differ between configurations. */
    for (size_t i = 0; n && i < t->n && !(i && t->pieces[i].begins_word); i++)
        if (t->pieces[i].is_place)
            n = job->plan.n_configs;
    for (int32_t config = 0; config < n && !rc; config++)
        if (check_one(&lines, config, err)) {
            struct buf place = {0};

            sweep_put_place(&place, &job->sweep, P_COMMAND);
            rc = err_wrap(err, "%s: command", buf_text(&place));
            buf_release(&place);
        }
    program_lines_close(&lines);
    return rc;
}
