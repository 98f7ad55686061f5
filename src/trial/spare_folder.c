/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/spare_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int spare_folder_init(struct spare_folder *s, const char *files, struct err *err)
{
    *s = (struct spare_folder){.is_there = false};
    buf_printf(&s->path, "%s/" SPARE_FOLDER "%d", files, (int)getpid());
    return buf_failed(&s->path) ? err_nomem(err, "path", s->path.size) : 0;
}

void spare_folder_release(struct spare_folder *s)
{
    struct err ignored;

    if (!s)
        return;
    if (s->is_there)
        (void)!folder_remove(buf_text(&s->path), &ignored); /* the next session does */
    buf_release(&s->path);
    memset(s, 0, sizeof *s);
}

bool spare_folder_take(struct spare_folder *s, const char *folder)
{
    if (!s->is_there || rename(buf_text(&s->path), folder))
        return false;
    s->is_there = false;
    return true;
}

void spare_folder_note(struct spare_folder *s, const struct trial_paths *paths)
{
    struct stat st;

    if (s->knows || lstat(paths->results, &st) || folder_look(&s->scratch, paths->scratch) ||
        folder_look(&s->checkpoint, paths->checkpoint))
        return;
    s->file_mode = st.st_mode;
    s->knows = s->scratch.n == 1 && s->checkpoint.n == 0;
}

static bool looks_so(const char *path, const struct folder_look *wanted)
{
    struct folder_look now;

    return !folder_look(&now, path) && now.n == wanted->n && now.mode == wanted->mode &&
           now.user == wanted->user && now.group == wanted->group && now.bytes == wanted->bytes;
}

/* Not a file with a second name, which would lose its bytes, too. */
static bool empty_file(const char *path, uint32_t mode)
{
    int fd = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    bool is_empty = fd >= 0 && !fstat(fd, &st) && st.st_mode == mode && S_ISREG(mode) &&
                    st.st_nlink == 1 && (!st.st_size || !ftruncate(fd, 0));

    /* ext4 writes the next bytes to disk at once, unless the file that is truncated is closed. */
    if (fd >= 0)
        close(fd);
    return is_empty;
}

bool spare_folder_keep(struct spare_folder *s, const struct trial_paths *paths)
{
    struct folder_look outer;

    if (s->is_there || !s->knows || !looks_so(paths->scratch, &s->scratch) ||
        !looks_so(paths->checkpoint, &s->checkpoint) || folder_look(&outer, paths->folder) ||
        outer.n != 2 || outer.mode != s->scratch.mode || !empty_file(paths->results, s->file_mode))
        return false;
    s->is_there = !rename(paths->folder, buf_text(&s->path));
    return s->is_there;
}
