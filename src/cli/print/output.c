/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/output.h"

#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/terminal.h"
#include "cli/print/cli.h"

void output_begin(struct answer *answer, const struct common_options *common,
                  enum output_shape shape)
{
    struct answer_style style = {
        .kind = report_kind_parse(common->format),
        .section = common->section,
        .is_document = shape == OUTPUT_DOCUMENT,
        .width = common->is_wide || !isatty(STDOUT_FILENO) ? 0 : terminal_width(STDOUT_FILENO),
        .bold = terminal_style(STDOUT_FILENO, TERMINAL_HEADING),
        .plain = terminal_style(STDOUT_FILENO, TERMINAL_PLAIN),
    };

    answer_init(answer, &style);
}

int output_end(int rc, struct answer *answer, struct err *err)
{
    enum cli_text kind = answer->style.kind == REPORT_TABLE ? CLI_STYLED : CLI_DATA;

    if (!rc && !answer_end(answer))
        rc = err_set(err, "this answer has no section '%s'", answer->style.section);
    if (!rc)
        rc = cli_print(&answer->out, kind, err);
    if (!rc && answer->left_out.size && !buf_failed(&answer->left_out))
        log_info("not shown: %s (--wide shows all columns)", buf_text(&answer->left_out));
    answer_release(answer);
    return rc ? cli_fail(err) : EXIT_OK;
}

int output_stream_open(struct output_stream *stream, struct answer *answer, const char *path,
                       const struct inputs *inputs, struct err *err)
{
    *stream = (struct output_stream){.answer = answer, .err = err};
    if (path) {
        answer->style.width = 0;
        answer->style.bold = NULL;
        answer->style.plain = NULL;
    }
    if (!path || !strcmp(path, "-"))
        return 0;
    stream->is_file = true;
    return inputs_check(inputs, path, err) ||
                   outfile_open(&stream->file, path, OUTFILE_REPLACE, err)
               ? -1
               : 0;
}

static void write_text(struct output_stream *stream)
{
    struct buf *text = &stream->answer->out;

    if (stream->rc)
        ;
    else if (!stream->is_file)
        stream->rc = cli_print(text, CLI_DATA, stream->err);
    else if (buf_failed(text))
        stream->rc = err_nomem(stream->err, "answer", text->size);
    else
        stream->rc = outfile_write(&stream->file, text->data, text->size, stream->err);
    buf_clear(text);
}

void output_stream_write(struct output_stream *stream)
{
    enum { CHUNK = 64 << 10 };

    if (stream->answer->style.kind != REPORT_TABLE && stream->answer->out.size >= CHUNK)
        write_text(stream);
}

int output_stream_close(struct output_stream *stream, int rc)
{
    if (!rc && stream->is_file) {
        answer_end(stream->answer);
        write_text(stream);
        stream->answer->style.kind = REPORT_TABLE; /* whose end is no text */
    }
    if (!rc)
        rc = stream->rc;
    if (!rc && stream->is_file)
        return outfile_commit(&stream->file, stream->err);
    outfile_discard(&stream->file);
    return rc;
}

int output_database(const struct common_options *common, enum output_shape shape,
                    int (*fill)(struct answer *answer, struct store *store, const void *arg,
                                struct err *err),
                    const void *arg)
{
    struct store *store = NULL;
    struct answer answer;
    struct err err;
    int rc;

    cli_log_database(common->db);
    rc = store_open_reader(&store, common->db, &err);
    output_begin(&answer, common, shape);
    if (!rc)
        rc = fill(&answer, store, arg, &err);
    store_close(store);
    return output_end(rc, &answer, &err);
}
