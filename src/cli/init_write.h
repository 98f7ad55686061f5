/* The text of the sweep file that `init` writes: a line and a comment for each setting. */
#ifndef CLI_INIT_WRITE_H
#define CLI_INIT_WRITE_H

#include "base/buf.h"
#include "cli/init_propose.h"

/* Settings that name things, in the order of writing. Zero-initialise to begin. */
struct init_lines {
    struct init_line {
        enum param_id id;
        bool is_off; /* written as a comment, for the reader to switch on */
        char *value, *comment;
    } * line; /* [n] owned */
    int32_t n;
};

/* -1 and err: memory is short, or the value cannot stand in a sweep file: `what` names it. A line
 * that is off is left out instead. */
int init_lines_add(struct init_lines *lines, enum param_id id, const char *value,
                   const char *comment, const char *what, struct err *err);
int init_lines_add_off(struct init_lines *lines, enum param_id id, const char *value,
                       const char *comment, struct err *err);
void init_lines_remove(struct init_lines *lines, enum param_id id);
void init_lines_release(struct init_lines *lines); /* takes a zeroed one */

/* The path of a file as the sweep file at `output` names it: relative to its folder. "-" is in the
 * working directory. -1 and err: memory is short. */
int init_path(struct buf *out, const char *output, const char *path, struct err *err);

/* Append the sweep file. proposal may be NULL: only the lines. title: the first lines, without
 * their semicolons. */
void init_write(struct buf *out, const char *title, const struct init_lines *lines,
                const struct proposal *proposal);

#endif
