/* SPDX-License-Identifier: BSD-3-Clause */
/* inih gets its lines from read_piece(), one at a time:
 *
 * - Comments and blank lines are left out. Any other line for which inih does not call the handler
 *   is a fault, and its number is known.
 * - A line that exceeds inih's buffer is cut into pieces. The later pieces are indented, which
 *   makes them continuations. A MARK on both sides of each cut keeps blanks and `;` there, and lets
 *   the handler join the pieces. A line is also cut before a `;` in quotes, which is no comment.
 * - A key `?` follows each [section], for which inih does not call the handler. */
#include "grid/inifile.h"

#include <ini.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "grid/param.h"

#define MARK '\1'
#define MARK_TEXT "\1"
#define PROBE "?"
#define MAX_SECTION 49 /* inih cuts off longer names */
#define MAX_SHOWN 60   /* of a faulty line in a message */

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* passed to inih last */
enum piece { PIECE_NONE, PIECE_SECTION, PIECE_PROBE, PIECE_KEY, PIECE_MORE };

struct reader {
    struct inifile *out;
    const char *path;
    struct errlist *errors;
    const char *next;     /* of the text */
    const char *at, *end; /* the rest of the current line */
    const char *start;    /* of the current line, after its indentation */
    const char *comment;  /* of the current line, to comment_end; NULL: none */
    const char *comment_end;
    int line;
    enum piece piece;
    bool is_unanswered; /* inih did not call the handler */
    bool has_key;       /* an indented line is a continuation */
    bool is_lost;       /* inside a faulty section */
    bool is_out_of_memory;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* After the quoted text that begins at c; c itself if none does. A quote inside a word is an apostrophe. */
static const char *skip_quoted(const char *c, const char *end)
{
    const char *close = c;

    if ((*c != '"' && *c != '\'') || !strchr(" \t=,", c[-1]))
        return c;
    for (close++; close < end && *close != *c; close++)
        close += *close == '\\' && *c == '"';
    return close < end ? close : c;
}

static const char *before_blanks(const char *line, const char *end)
{
    while (end > line && is_blank(end[-1]))
        end--;
    return end;
}

/* By inih's rule a comment begins with a `;` after a blank. */
static void find_line_end(struct reader *r, const char *end)
{
    r->comment = NULL;
    for (const char *c = r->at + 1; c < end; c++) {
        c = skip_quoted(c, end);
        if (*c == ';' && is_blank(c[-1])) {
            r->comment = c;
            r->comment_end = before_blanks(c, end);
            end = c;
            break;
        }
    }
    r->end = before_blanks(r->at, end);
}

/* what: the faulty part of the line */
static int complain(struct reader *r, const char *what, const char *what_end, const char *why)
{
    int n = (int)(what_end - what > MAX_SHOWN ? MAX_SHOWN : what_end - what);

    errlist_add(r->errors, "%s:%d: '%.*s': %s", r->path, r->line, n, what, why);
    return -1;
}

static int check_section(struct reader *r)
{
    const char *bracket = memchr(r->start, ']', (size_t)(r->end - r->start));

    if (!bracket)
        return complain(r, r->start, r->end, "']' is missing");
    if (bracket + 1 != r->end)
        return complain(r, bracket + 1, r->end, "unexpected text after ']'");
    if (bracket - r->start >= MAX_SECTION)
        return complain(r, r->start, r->end, "the section name is too long");
    return 0;
}

/* An indented `key =` or `[section]` would silently become part of the value above. */
static int check_continuation(struct reader *r)
{
    const char *name_end = r->start;
    enum param_id above = param_find_name(r->out->entries[r->out->n - 1].key);
    char name[64];

    if (above < P_COUNT && param_table[above].type == PARAM_TEXT)
        return 0;
    while (name_end < r->end && *name_end != '=' && *name_end != ':')
        name_end++;
    if (*r->start != '[') {
        if (name_end == r->end || name_end - r->start >= (ptrdiff_t)sizeof name)
            return 0;
        while (name_end > r->start && is_blank(name_end[-1]))
            name_end--;
        memcpy(name, r->start, (size_t)(name_end - r->start));
        name[name_end - r->start] = '\0';
        if (param_find_name(name) == P_COUNT)
            return 0;
    }
    return complain(r, r->start, name_end,
                    "an indented line continues the value above: remove the indentation");
}

static int check_characters(struct reader *r)
{
    for (const char *c = r->at; c < r->end; c++) {
        if ((unsigned char)*c >= ' ' || *c == '\t')
            continue;
        errlist_add(r->errors, "%s:%d: control character 0x%02x", r->path, r->line,
                    (unsigned)(unsigned char)*c);
        return -1;
    }
    return 0;
}

/* inih does not see lines of PIECE_NONE. */
static enum piece classify(struct reader *r)
{
    bool is_continuation = r->start > r->at && r->has_key;

    if (r->start == r->end || *r->start == ';' || *r->start == '#' || check_characters(r))
        return PIECE_NONE;
    if (*r->start == '[' && !is_continuation) {
        r->has_key = false;
        r->is_lost = check_section(r) != 0;
        return r->is_lost ? PIECE_NONE : PIECE_SECTION;
    }
    if (r->is_lost || (is_continuation && check_continuation(r)))
        return PIECE_NONE;
    return is_continuation ? PIECE_MORE : PIECE_KEY;
}

/* False at the end of the text. */
static bool next_line(struct reader *r)
{
    do {
        const char *end = r->next + strcspn(r->next, "\n");

        if (!*r->next)
            return false;
        r->line++;
        r->at = r->next;
        find_line_end(r, end);
        r->start = r->at;
        while (r->start < r->end && is_blank(*r->start))
            r->start++;
        r->next = *end ? end + 1 : end;
        r->piece = classify(r);
    } while (r->piece == PIECE_NONE);
    return true;
}

/* Report the last piece if inih did not call the handler, and skip its line. */
static void settle(struct reader *r)
{
    if (!r->is_unanswered)
        return;
    r->is_unanswered = false;
    r->at = r->end;
    complain(r, r->start, r->end, "must be 'key = value' or '[section]'");
}

/* Before a `;` that inih would take for the start of a comment. */
static size_t piece_bytes(const struct reader *r, size_t room)
{
    size_t left = (size_t)(r->end - r->at), n = left < room ? left : room;

    for (size_t i = 1; i < n; i++)
        if (r->at[i] == ';' && is_blank(r->at[i - 1]))
            return i;
    return n;
}

/* Like fgets(): one piece of at most size - 1 bytes. */
static char *read_piece(char *out, int size, void *arg)
{
    struct reader *r = arg;
    const size_t room = (size_t)size - 5; /* tab, two marks, newline, NUL */
    size_t n, left;
    char *to = out;

    settle(r);
    if (r->piece == PIECE_SECTION) {
        r->piece = PIECE_PROBE;
        return strcpy(out, PROBE "=\n");
    }
    if (r->at < r->end) {
        r->piece = PIECE_MORE;
        to = stpcpy(to, "\t" MARK_TEXT);
    } else if (next_line(r)) {
        r->at = r->start;
        to = stpcpy(to, r->piece == PIECE_MORE ? "\t" : "");
    } else {
        return NULL;
    }
    left = (size_t)(r->end - r->at);
    n = piece_bytes(r, room);
    to = mempcpy(to, r->at, n);
    r->at += n;
    if (n < left)
        *to++ = MARK;
    strcpy(to, "\n");
    r->is_unanswered = r->piece != PIECE_SECTION;
    return out;
}

static int add_entry(struct inifile *out, const char *section, const char *key, int line)
{
    struct inifile_entry *grown = realloc(out->entries, (out->n + 1) * sizeof *grown);
    struct inifile_entry entry = {.line = line};

    if (!grown)
        return -1;
    out->entries = grown;
    entry.section = strdup(section);
    entry.key = key ? strdup(key) : NULL;
    if (!entry.section || (key && !entry.key)) {
        free(entry.section);
        free(entry.key);
        return -1;
    }
    grown[out->n++] = entry;
    return 0;
}

/* Keep only the first comment of a value in several lines. */
static void keep_comment(struct reader *r, struct inifile_entry *entry)
{
    if (!r->comment || entry->comment)
        return;
    entry->comment = strndup(r->comment, (size_t)(r->comment_end - r->comment));
    entry->comment_line = r->line;
    r->is_out_of_memory |= !entry->comment;
}

/* A backslash at the end of a line joins it to the next one, as in a shell. */
static void cut_backslash(struct buf *value)
{
    const char *text = buf_text(value);
    size_t n = value->size;

    if (!n || text[n - 1] != '\\' || (n > 1 && text[n - 2] == '\\'))
        return;
    while (--n && is_blank(text[n - 1]))
        continue;
    buf_cut(value, n);
}

static int handle(void *arg, const char *section, const char *name, const char *value)
{
    struct reader *r = arg;
    struct buf *to;
    size_t n = strlen(value);
    bool is_joined = *value == MARK;

    r->is_unanswered = false;
    if (r->piece != PIECE_MORE &&
        add_entry(r->out, section, r->piece == PIECE_PROBE ? NULL : name, r->line)) {
        r->is_out_of_memory = true;
        r->next += strlen(r->next);
        r->at = r->end;
        return 1;
    }
    if (r->piece == PIECE_PROBE)
        return 1;
    r->has_key = *name;
    keep_comment(r, &r->out->entries[r->out->n - 1]);
    to = &r->out->entries[r->out->n - 1].value;
    if (r->piece == PIECE_MORE && !is_joined) {
        cut_backslash(to);
        buf_putc(to, ' ');
    }
    buf_add(to, value + is_joined, n - is_joined - (n > is_joined && value[n - 1] == MARK));
    return 1;
}

static void trim(struct buf *text)
{
    const char *data = buf_text(text);
    size_t lead = strspn(data, " \t");

    while (text->size > lead && is_blank(data[text->size - 1]))
        text->size--;
    if (!text->data)
        return;
    text->size -= lead;
    memmove(text->data, text->data + lead, text->size);
    text->data[text->size] = '\0';
}

static const char *first_line(const char *text)
{
    text += strspn(text, " \t\r\n");
    while (*text == ';' || *text == '#') {
        text += strcspn(text, "\n");
        text += strspn(text, " \t\r\n");
    }
    return text;
}

/* Names of settings contain none of the characters that separate cells. */
bool inifile_is_table(const char *text)
{
    const char *line = first_line(strncmp(text, BYTE_ORDER_MARK, 3) ? text : text + 3);

    line += strcspn(line, "[=:,;\t\n");
    return *line == ',' || *line == ';' ||
           (*line == '\t' && !strchr("=:", line[strspn(line, " \t")]));
}

int inifile_parse(struct inifile *out, const char *path, const char *text, struct errlist *errors)
{
    const size_t n_before = errors->n + errors->n_lost;
    struct reader r = {.out = out, .path = path, .errors = errors, .next = text};

    *out = (struct inifile){0};
    if (!strncmp(text, BYTE_ORDER_MARK, 3))
        r.next += 3;
    if (ini_parse_stream(read_piece, &r, handle, &r) == -2)
        r.is_out_of_memory = true;
    for (size_t i = 0; i < out->n; i++) {
        trim(&out->entries[i].value);
        r.is_out_of_memory |= buf_failed(&out->entries[i].value);
    }
    if (r.is_out_of_memory)
        errlist_add(errors, "%s: out of memory", path);
    return errors->n + errors->n_lost > n_before ? -1 : 0;
}

void inifile_release(struct inifile *file)
{
    if (!file)
        return;
    for (size_t i = 0; i < file->n; i++) {
        free(file->entries[i].section);
        free(file->entries[i].key);
        free(file->entries[i].comment);
        buf_release(&file->entries[i].value);
    }
    free(file->entries);
    *file = (struct inifile){0};
}
