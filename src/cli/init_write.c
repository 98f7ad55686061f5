#include "cli/init_write.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_COLUMN = 13, COMMENT_COLUMN = 36 };

void init_lines_release(struct init_lines *lines)
{
    if (!lines)
        return;
    for (int32_t i = 0; i < lines->n; i++) {
        free(lines->line[i].value);
        free(lines->line[i].comment);
    }
    free(lines->line);
    memset(lines, 0, sizeof *lines);
}

/* As grid/inifile.h reads it back. */
static const char *unfit(const char *value)
{
    size_t n = strlen(value);

    for (const char *c = value; *c; c++) {
        if ((unsigned char)*c < ' ')
            return "a control character";
        if (*c == ';' && c > value && c[-1] == ' ')
            return "' ;', which begins a comment";
        if (c[0] == '$' && c[1] == '{')
            return "'${', which names a variable of the environment";
    }
    if (n == 0 || value[0] == ' ' || value[n - 1] == ' ')
        return "a blank at its end";
    return NULL;
}

static int append(struct init_lines *lines, struct init_line line, struct err *err)
{
    struct init_line *grown = realloc(lines->line, (size_t)(lines->n + 1) * sizeof *grown);

    if (!grown || !line.value || !line.comment) {
        free(line.value);
        free(line.comment);
        lines->line = grown ? grown : lines->line;
        return err_nomem(err, "sweep file", (size_t)(lines->n + 1) * sizeof *grown);
    }
    lines->line = grown;
    lines->line[lines->n++] = line;
    return 0;
}

int init_lines_add(struct init_lines *lines, enum param_id id, const char *value,
                   const char *comment, const char *what, struct err *err)
{
    const char *why = unfit(value);

    if (why)
        return err_set(err, "%s \"%.80s\" contains %s: a sweep file cannot name it: rename it",
                       what, value, why);
    return append(lines, (struct init_line){id, false, strdup(value), strdup(comment)}, err);
}

int init_lines_add_off(struct init_lines *lines, enum param_id id, const char *value,
                       const char *comment, struct err *err)
{
    if (unfit(value))
        return 0;
    return append(lines, (struct init_line){id, true, strdup(value), strdup(comment)}, err);
}

void init_lines_remove(struct init_lines *lines, enum param_id id)
{
    for (int32_t i = 0; i < lines->n; i++) {
        if (lines->line[i].id != id)
            continue;
        free(lines->line[i].value);
        free(lines->line[i].comment);
        memmove(&lines->line[i], &lines->line[i + 1],
                (size_t)(--lines->n - i) * sizeof *lines->line);
        return;
    }
}

/* ---- paths ---- */

/* The folder of a path, as realpath() gives it; owned; NULL: memory is short, or it is gone. */
static char *real_folder(const char *path, size_t *name)
{
    size_t n = strlen(path);
    char *folder, *real;

    while (n > 1 && path[n - 1] == '/')
        n--;
    while (n > 0 && path[n - 1] != '/')
        n--;
    *name = n;
    folder = n ? strndup(path, n) : strdup(".");
    real = folder ? realpath(folder, NULL) : NULL;
    free(folder);
    return real;
}

/* `to` seen from the folder `from`, both absolute. */
static void put_relative(struct buf *out, const char *from, const char *to)
{
    size_t same = 0, i = 0;

    while (from[i] && from[i] == to[i]) {
        i++;
        if ((!from[i] || from[i] == '/') && (!to[i] || to[i] == '/'))
            same = i;
    }
    for (const char *at = from + same; *at; at += strcspn(at, "/")) {
        at += strspn(at, "/");
        if (*at)
            buf_puts(out, "../");
    }
    to += same + strspn(to + same, "/");
    buf_puts(out, to);
    if (*to)
        buf_putc(out, '/');
}

int init_path(struct buf *out, const char *output, const char *path, struct err *err)
{
    size_t at, unused;
    char *from, *to;

    if (*path == '/' || !strchr(output, '/')) {
        buf_puts(out, path);
        return 0;
    }
    from = real_folder(output, &unused);
    to = real_folder(path, &at);
    if (from && to) {
        put_relative(out, from, to);
        buf_puts(out, path + at);
    }
    free(from);
    free(to);
    return from && to ? 0 : err_set(err, "%s: cannot find its path from %s", path, output);
}

/* ---- text ---- */

static void put_line(struct buf *out, bool is_off, const char *key, const char *value,
                     const char *comment)
{
    size_t start = out->size;

    buf_printf(out, "%s%-*s =%s%s", is_off ? "; " : "", is_off ? KEY_COLUMN - 2 : KEY_COLUMN, key,
               *value == ';' ? "" : " ", value);
    if (*comment) {
        buf_putc(out, ' ');
        while (!buf_failed(out) && out->size - start < COMMENT_COLUMN)
            buf_putc(out, ' ');
        buf_printf(out, " ; %s", comment);
    }
    buf_putc(out, '\n');
}

/* Numbers from small to large; words as they stand. */
static int by_number(const void *a, const void *b)
{
    double x = strtod(*(const char *const *)a, NULL), y = strtod(*(const char *const *)b, NULL);

    return (x > y) - (x < y);
}

static void put_setting(struct buf *out, const struct proposal_setting *s)
{
    const char *value[PROPOSAL_VALUES];
    const struct param *p = &param_table[s->id];
    struct buf text = {0};

    for (int32_t i = 0; i < s->n; i++)
        value[i] = s->value[i];
    if (p->type == PARAM_INT || p->type == PARAM_REAL)
        qsort(value, (size_t)s->n, sizeof *value, by_number);
    for (int32_t i = 0; i < s->n; i++)
        buf_printf(&text, "%s%s", i ? ", " : "", value[i]);
    put_line(out, false, p->key, buf_text(&text), s->comment);
    buf_release(&text);
}

/* The header of a section, before its first line. */
static void open_section(struct buf *out, bool *is_open, const char *section)
{
    if (!*is_open)
        buf_printf(out, "\n[%s]\n", section);
    *is_open = true;
}

static void put_section(struct buf *out, const char *section, const struct init_lines *lines,
                        const struct proposal *p)
{
    bool is_grid = !strcmp(section, "grid"), is_open = false;

    for (int32_t i = 0; i < lines->n; i++) {
        const struct init_line *line = &lines->line[i];

        if (is_grid || strcmp(param_table[line->id].section, section) != 0)
            continue;
        open_section(out, &is_open, section);
        put_line(out, line->is_off, param_table[line->id].key, line->value, line->comment);
    }
    for (int32_t i = 0; p && i < p->n; i++) {
        const struct proposal_setting *s = &p->setting[i];

        if (s->is_axis != is_grid || (!is_grid && strcmp(param_table[s->id].section, section) != 0))
            continue;
        open_section(out, &is_open, section);
        put_setting(out, s);
    }
}

void init_write(struct buf *out, const char *title, const struct init_lines *lines,
                const struct proposal *proposal)
{
    static const char *const sections[] = {"sweep", "data",  "graph", "split",
                                           "model", "train", "grid"};

    for (const char *at = title; *at; at += *at == '\n') {
        size_t n = strcspn(at, "\n");

        buf_printf(out, ";%s%.*s\n", n ? " " : "", (int)n, at);
        at += n;
    }
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        put_section(out, sections[i], lines, proposal);
}
