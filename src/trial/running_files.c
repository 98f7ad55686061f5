/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "program/attempt_file.h"
#include "program/beneath.h"
#include "program/disk.h"
#include "program/folder.h"
#include "trial/running.h"

static int make_folder(const char *path, struct err *err)
{
    return beneath_mkdir(path) ? err_set(err, "%s: %s", path, beneath_reason()) : 0;
}

int running_name_paths(struct running *t, struct err *err)
{
    const char *files = t->self->place->files;
    bool failed;

    buf_printf(&t->folder, "%s/t%lld", files, (long long)t->trial.id);
    snprintf(t->own, sizeof t->own, FOLDER_SCRATCH "%d.",
             t->trial.gang ? (int)t->trial.gang->rank : 0);
    buf_printf(&t->scratch, "%s/%s%d", buf_text(&t->folder), t->own, (int)getpid());
    buf_printf(&t->results, "%s/" FOLDER_RESULTS, buf_text(&t->scratch));
    buf_printf(&t->checkpoint, "%s/" FOLDER_CHECKPOINT, buf_text(&t->folder));
    buf_printf(&t->curve, "%s/" FOLDER_CURVE, buf_text(&t->folder));
    failed = buf_failed(&t->folder) || buf_failed(&t->scratch) || buf_failed(&t->results) ||
             buf_failed(&t->checkpoint) || buf_failed(&t->curve);
    t->trial.dir = buf_text(&t->scratch);
    t->trial.results = buf_text(&t->results);
    t->trial.checkpoint = buf_text(&t->checkpoint);
    return failed ? err_nomem(err, "paths", t->folder.size) : 0;
}

static int make_file(const char *path, struct err *err)
{
    int file = beneath_create(path);

    if (file < 0)
        return err_set(err, "%s: %s", path, beneath_reason());
    close(file);
    return 0;
}

struct running_progress running_progress(const struct running *t)
{
    struct stat curve;

    return (struct running_progress){
        .saved = folder_newest(buf_text(&t->checkpoint)),
        .curve_bytes = beneath_stat(buf_text(&t->curve), &curve) ? 0 : curve.st_size};
}

static void save_attempt(const struct running *t, const char *over)
{
    struct attempt_file file = {.n = t->trial.attempt, .n_idle = t->n_idle};

    snprintf(file.over, sizeof file.over, "%s", over);
    attempt_file_write(buf_text(&t->folder), file);
}

void running_save_attempt(const struct running *t)
{
    save_attempt(t, "");
}

enum { END_TEXT = TRIAL_TOKEN + 12 };

static void put_end(char out[END_TEXT], const struct running *t, int status)
{
    snprintf(out, END_TEXT, "%d.%s", status, t->trial.gang->token);
}

void running_save_end(const struct running *t, int status)
{
    char over[END_TEXT];

    _Static_assert((int)END_TEXT <= (int)ATTEMPT_FILE_TOKEN, "a token cut short equals no other");
    put_end(over, t, status);
    save_attempt(t, over);
}

bool running_first_is_over(const struct running *t, int status)
{
    struct attempt_file file = attempt_file_read(buf_text(&t->folder));
    char over[END_TEXT];

    put_end(over, t, status);
    return !strcmp(file.over, over);
}

bool running_is_disk_full(const struct running *t)
{
    int fd = beneath_open(buf_text(&t->folder), O_RDONLY | O_DIRECTORY);
    bool is_full;

    if (fd < 0) /* there was no room for it */
        fd = beneath_open(t->self->place->files, O_RDONLY | O_DIRECTORY);
    is_full = fd >= 0 && disk_is_full(fd);
    if (fd >= 0)
        close(fd);
    return is_full;
}

int running_make_files(struct running *t, struct err *err)
{
    if (make_folder(t->self->place->files, err) || make_folder(buf_text(&t->folder), err) ||
        make_folder(buf_text(&t->checkpoint), err))
        return -1;
    if (folder_remove(buf_text(&t->scratch), err) || make_folder(buf_text(&t->scratch), err))
        return -1;
    if (make_file(buf_text(&t->results), err))
        return -1;
    if (running_is_first(t) && running_has_others(t)) {
        running_save_attempt(t);
        t->progress = running_progress(t);
    }
    return 0;
}

void running_remove_files(struct running *t, bool is_over, bool drops_checkpoint)
{
    const char *folder = buf_text(&t->folder), *checkpoint = buf_text(&t->checkpoint);
    bool is_left; /* to the store */
    struct err err;

    if (folder_remove_some(folder, t->own, &err))
        running_note(t, "%s", err.text);
    is_left = drops_checkpoint && running_has_others(t);
    if (is_over && !is_left)
        log_file_remove(&t->log_file);
    else
        log_file_write(&t->log_file, &t->self->log);
    FAULT("worker: a program's results were removed");
    if (is_left)
        return;
    if (running_is_first(t) && is_over)
        attempt_file_remove(folder);
    else if (running_is_first(t))
        running_save_attempt(t);
    if (is_over && running_is_first(t) && !folder_has_files(checkpoint)) {
        beneath_unlink(buf_text(&t->curve));
        time_file_remove(&t->time_file);
        beneath_rmdir(checkpoint);
    }
    if (is_over)
        beneath_rmdir(folder); /* fails if files are kept */
}

/* Replaces the file as a whole: this rank may be killed. */
static void save_curve(struct running *t)
{
    struct buf text = {0}, fresh = {0};
    FILE *file;
    int fd;

    buf_printf(&fresh, "%s.new", buf_text(&t->curve));
    program_report_put_curve(&text, &t->report);
    fd = text.size && !buf_failed(&fresh) ? beneath_create(buf_text(&fresh)) : -1;
    file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file && fd >= 0)
        close(fd);
    if (file) {
        bool is_whole = fwrite(buf_text(&text), 1, text.size, file) == text.size;

        if (fclose(file) || !is_whole || beneath_rename(buf_text(&fresh), FOLDER_CURVE))
            beneath_unlink(buf_text(&fresh));
    }
    buf_release(&text);
    buf_release(&fresh);
}

void running_save_progress(struct running *t)
{
    save_curve(t);
    if (running_is_first(t))
        time_file_write(&t->time_file, running_spent_s(t));
}

/* Keep the results of an attempt whose rank was killed, and remove its scratch folder. */
static int salvage(struct running *t, const char *name, bool has_checkpoint, struct err *err)
{
    struct buf path = {0};
    int rc;

    if (has_checkpoint && running_is_first(t)) {
        buf_printf(&path, "%s/%s/" FOLDER_RESULTS, buf_text(&t->folder), name);
        program_report_read(&t->report, buf_text(&path));
        program_report_end_attempt(&t->report, true);
        save_curve(t);
    }
    buf_clear(&path);
    buf_printf(&path, "%s/%s", buf_text(&t->folder), name);
    rc =
        buf_failed(&path) ? err_nomem(err, "path", path.size) : folder_remove(buf_text(&path), err);
    buf_release(&path);
    return rc;
}

int running_read_progress(struct running *t, struct err *err)
{
    bool has_checkpoint = folder_has_files(buf_text(&t->checkpoint));
    DIR *folder = beneath_list(buf_text(&t->folder));
    struct attempt_file file;
    struct dirent *entry;
    int rc = 0, n_lost = 0;

    file = attempt_file_read(buf_text(&t->folder));
    t->trial.attempt = file.n;
    t->n_idle = file.n_idle;
    if (has_checkpoint) {
        program_report_read(&t->report, buf_text(&t->curve));
        program_report_end_attempt(&t->report, true);
        t->earlier_s = time_file_read(&t->time_file);
    } else if (folder && running_is_first(t)) {
        beneath_unlink(buf_text(&t->curve));
        time_file_remove(&t->time_file);
    }
    while (folder && !rc && (entry = readdir(folder)))
        if (!strncmp(entry->d_name, t->own, strlen(t->own))) {
            rc = salvage(t, entry->d_name, has_checkpoint, err);
            n_lost++;
        }
    if (folder)
        closedir(folder);
    /* Without a gang, a rank that was killed has not counted its last attempt, whose folder stayed. */
    if (n_lost && !running_has_others(t)) {
        t->trial.attempt += n_lost;
        running_save_attempt(t);
    }
    return rc;
}
