#include "base/shell.h"

#include <stdbool.h>
#include <string.h>

/* Beyond ASCII are letters, of whatever alphabet. */
static bool is_plain(const char *path)
{
    for (; *path; path++)
        if (!((unsigned char)*path >= 0x80 || (*path >= '0' && *path <= '9') ||
              (*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z') ||
              strchr("_-./,:=@%+", *path)))
            return false;
    return true;
}

const char *shell_path(struct buf *out, const char *path)
{
    bool is_bare = *path && is_plain(path);

    buf_clear(out);
    buf_puts(out, is_bare ? "" : "'");
    buf_puts(out, *path == '-' ? "./" : "");
    for (const char *at = path; *at; at++)
        if (*at == '\'')
            buf_puts(out, "'\\''");
        else
            buf_putc(out, *at);
    buf_puts(out, is_bare ? "" : "'");
    return buf_failed(out) ? path : buf_text(out);
}
