/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/spare_folder.h"

#include <stdio.h>
#include <string.h>
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

void spare_folder_note(struct spare_folder *s, const char *inner)
{
    if (!s->knows)
        s->knows = !folder_look(&s->new, inner) && !s->new.n;
}

static bool is_as_new(const struct spare_folder *s, const char *inner)
{
    struct folder_look now;

    return !folder_look(&now, inner) && !now.n &&
           now.mode == s->new.mode &&now.user == s->new.user &&now.group ==
               s->new.group &&now.bytes == s->new.bytes;
}

bool spare_folder_keep(struct spare_folder *s, const char *folder, const char *first,
                       const char *second)
{
    struct folder_look outer;

    if (s->is_there || !s->knows || !is_as_new(s, first) || !is_as_new(s, second) ||
        folder_look(&outer, folder) || outer.n != 2 || outer.mode != s->new.mode)
        return false;
    s->is_there = !rename(folder, buf_text(&s->path));
    return s->is_there;
}
