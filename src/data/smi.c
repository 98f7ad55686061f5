#include "data/smi.h"

#include <string.h>
#include <strings.h>

#include "data/reader.h"
#include "data/stream.h"

static const char mark[] = "\xEF\xBB\xBF";
enum { MARK_BYTES = sizeof mark - 1 };

/* What stands on the first line can be told from so much of it. */
enum { HEAD_BYTES = 1 << 14 };

/* ---- which ---- */

static char *skip_mark(char *text)
{
    return strncmp(text, mark, MARK_BYTES) != 0 ? text : text + MARK_BYTES;
}

/* The first line that says anything, cut off in place; "" where there is none. */
static char *first_line(char *text)
{
    text = skip_mark(text);
    while (*text == '\n' || *text == '\r' || *text == '#')
        text += *text == '#' ? strcspn(text, "\r\n") : 1;
    text[strcspn(text, "\r\n")] = '\0';
    return text;
}

static bool has_cell(const char *line, const char *name, const char *separators)
{
    size_t n = strlen(name);

    while (*line) {
        size_t length = strcspn(line, separators);
        bool is_quoted = length > 1 && *line == '"' && line[length - 1] == '"';

        if (length - 2 * is_quoted == n && !strncmp(line + is_quoted, name, n))
            return true;
        line += length;
        line += *line != '\0';
    }
    return false;
}

bool smi_is_bare(const char *path, const char *column)
{
    char head[HEAD_BYTES];
    const char *line;

    if (!reader_ends_in(path, ".smi") && !reader_ends_in(path, ".smi.gz"))
        return false;
    stream_peek(head, sizeof head, path);
    line = first_line(head);
    return *line && !has_cell(line, column, "\t,;") && !has_cell(line, column, "\t,; ");
}

/* ---- reading ---- */

int smi_open(struct smi *s, const char *path, struct err *err)
{
    memset(s, 0, sizeof *s);
    return lines_open(&s->lines, path, err);
}

void smi_close(struct smi *s)
{
    if (s)
        lines_close(&s->lines);
}

static void cut(struct smi *s, char *text)
{
    char *name = text + strcspn(text, " \t");
    bool is_tab = *name == '\t';
    size_t n;

    s->cell[SMI_SMILES] = text;
    if (*name)
        *name++ = '\0';
    name += strspn(name, is_tab ? " " : " \t");
    n = strcspn(name, "\t");
    while (n && name[n - 1] == ' ')
        n--;
    name[n] = '\0';
    s->cell[SMI_NAME] = name;
}

int smi_next(struct smi *s, struct err *err)
{
    struct lines *l = &s->lines;
    bool is_title = true;
    int status = 1;

    while (is_title && (status = lines_next_whole(l, err)) > 0) {
        char *text = l->line == 1 ? skip_mark(l->cell[0]) : l->cell[0];

        if (strchr(text, '\r'))
            return lines_fault(err, l, "a carriage return inside the line: must end in LF or CRLF");
        if (!*text || *text == '#')
            continue;
        cut(s, text);
        is_title = !s->is_begun && !strcasecmp(s->cell[SMI_SMILES], "SMILES");
        s->is_begun = true;
    }
    return status;
}
