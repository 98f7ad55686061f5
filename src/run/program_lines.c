/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/program_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
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

/* values: out, NULL: not wanted. */
static int expand(struct template_words *argv, struct template_words *values,
                  struct program_lines *lines, int64_t trial, int64_t id, struct err *err)
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
    rc = program_command_argv(argv, &lines->command, &t, err);
    if (!rc && values && program_command_values(values, &lines->command, &t, err)) {
        template_words_release(argv);
        rc = -1;
    }
    buf_release(&dir);
    buf_release(&results);
    buf_release(&checkpoint);
    return rc;
}

int program_lines_put(struct buf *out, struct program_lines *lines, int64_t trial, int64_t id,
                      struct err *err)
{
    struct template_words argv, values;

    if (expand(&argv, &values, lines, trial, id, err))
        return -1;
    if (values.n) {
        buf_puts(out, "env ");
        template_put_command(out, &values);
        buf_putc(out, ' ');
    }
    template_put_command(out, &argv);
    template_words_release(&values);
    template_words_release(&argv);
    return 0;
}

/* ---- repeats that the command cannot tell apart ---- */

static bool uses(const struct program_lines *lines, const char *name)
{
    const struct template *const templates[] = {&lines->command.command, &lines->command.env};
    const char *place;

    for (int i = 0; i < 2; i++)
        for (size_t p = 0; (place = template_place(templates[i], p, NULL)); p++)
            if (!strcmp(place, name))
                return true;
    return false;
}

void program_lines_warn(const struct program_lines *lines)
{
    const struct sweep *sweep = &lines->job->sweep;
    int64_t folds = sweep->fixed.v[P_FOLDS].i, replicates = sweep->fixed.v[P_REPLICATES].i;

    if (sweep->fixed.v[P_VALUES].i == param_choice(P_VALUES, "environment") || uses(lines, "seed"))
        return;
    if (folds > 1 && !uses(lines, "fold"))
        log_warn("%s: folds = %lld, but the command has neither {fold} nor {seed}: all folds of a "
                 "configuration are the same, unless the program reads ESPALIER_FOLD",
                 sweep->path, (long long)folds);
    if (replicates > 1 && !uses(lines, "replicate"))
        log_warn("%s: replicates = %lld, but the command has neither {replicate} nor {seed}: all "
                 "replicates of a configuration are the same, unless the program reads "
                 "ESPALIER_SEED",
                 sweep->path, (long long)replicates);
}

/* ---- whether the program exists ---- */

/* errno of execve(), as far as the file tells; 0: it can be executed. */
static int ask(struct buf *path, const char *folder, size_t n, const char *program)
{
    struct stat info;

    buf_clear(path);
    buf_printf(path, "%.*s%s%s", (int)n, folder, n && folder[n - 1] != '/' ? "/" : "", program);
    if (stat(buf_text(path), &info))
        return errno;
    return S_ISDIR(info.st_mode) || access(buf_text(path), X_OK) ? EACCES : 0;
}

/* As execvp() in the folder where programs run. */
static int find(struct program_lines *lines, const char *program)
{
    const char *folder = lines->job->sweep.folder, *path = getenv("PATH");
    int found = ENOENT;

    if (strchr(program, '/'))
        return ask(&lines->text, folder, *program == '/' ? 0 : strlen(folder), program);
    for (path = path ? path : "/bin:/usr/bin"; found && *path; path += strspn(path, ":")) {
        size_t n = strcspn(path, ":");
        int code = ask(&lines->text, path, n, program);

        if (!code || code == EACCES)
            found = code;
        path += n;
    }
    return found;
}

static int check_one(struct program_lines *lines, int32_t config, struct err *err)
{
    const struct plan *plan = &lines->job->plan;
    int64_t each = (int64_t)plan->replicates * plan->folds;
    struct exec_failure failure = {0};
    struct template_words argv;
    int rc = 0;

    if (expand(&argv, NULL, lines, config * each, config * each + 1, err))
        return -1;
    failure.code = find(lines, argv.word[0]);
    if (failure.code) {
        const struct exec_program program = {.words = argv.word,
                                             .variables = lines->command.inherited.word,
                                             .folder = lines->job->sweep.folder};

        rc = exec_explain(&program, &failure, err);
    }
    template_words_release(&argv);
    return rc;
}

/* True if the first word contains a place, so that it may differ between configurations. */
static bool has_many(const struct template *t)
{
    for (size_t i = 0; i < t->n && !(i && t->pieces[i].begins_word); i++)
        if (t->pieces[i].is_place)
            return true;
    return false;
}

int program_lines_check(struct program_lines *lines, struct err *err)
{
    int32_t n = has_many(&lines->command.command) ? lines->job->plan.n_configs : 1;

    for (int32_t config = 0; config < n; config++)
        if (check_one(lines, config, err)) {
            struct buf place = {0};

            if (lines->job->sweep.line[P_COMMAND] > 0)
                buf_printf(&place, "%s:%d: ", lines->job->sweep.path,
                           lines->job->sweep.line[P_COMMAND]);
            err_wrap(err, "%scommand", buf_text(&place));
            buf_release(&place);
            return -1;
        }
    return 0;
}
