/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/text/stream.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/err.h"

/* ---- files of other kinds ---- */

enum { FOREIGN_HEAD_BYTES = 4096 };

/* Files passed by mistake: workbooks, R data, archives. The first row that matches decides. Word and
 * PowerPoint files count as archives. */
/* clang-format off */
static const struct {
    const char *magic;
    size_t n;
    const char *inside; /* a text after it, or NULL */
    const char *name, *remedy;
} foreign[] = {
    {"PK\3\4", 4, "application/vnd.oasis.opendocument", "an OpenDocument file", "save the sheet as CSV"},
    {"PK\3\4", 4, "word/", "a zip archive", "unpack it (unzip FILE) and name the file"},
    {"PK\3\4", 4, "ppt/", "a zip archive", "unpack it (unzip FILE) and name the file"},
    {"PK\3\4", 4, "[Content_Types].xml", "an Excel workbook", "save the sheet as CSV"},
    {"PK\3\4", 4, "docProps/", "an Excel workbook", "save the sheet as CSV"},
    {"PK\3\4", 4, "xl/", "an Excel workbook", "save the sheet as CSV"},
    {"PK\3\4", 4, NULL, "a zip archive", "unpack it (unzip FILE) and name the file"},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8, NULL, "an Excel 97 workbook", "save the sheet as CSV"},
    {"X\n\0\0\0", 5, NULL, "R data (.rds)", "in R: write.csv(readRDS(FILE), \"data.csv\")"},
    {"A\n2\n26", 6, NULL, "R data (.rds)", "in R: write.csv(readRDS(FILE), \"data.csv\")"},
    {"A\n3\n26", 6, NULL, "R data (.rds)", "in R: write.csv(readRDS(FILE), \"data.csv\")"},
    {"RDX2\n", 5, NULL, "R data (.RData)", "in R: load(FILE), then write.csv(TABLE, \"data.csv\")"},
    {"RDX3\n", 5, NULL, "R data (.RData)", "in R: load(FILE), then write.csv(TABLE, \"data.csv\")"},
    {"RDA2\n", 5, NULL, "R data (.RData)", "in R: load(FILE), then write.csv(TABLE, \"data.csv\")"},
    {"RDA3\n", 5, NULL, "R data (.RData)", "in R: load(FILE), then write.csv(TABLE, \"data.csv\")"},
    {"\xfd" "7zXZ", 6, NULL, "packed with xz", "unpack it (xz -d FILE); R data: write.csv() in R"},
    {"BZh91AY&SY", 10, NULL, "packed with bzip2", "unpack it (bzip2 -d FILE); R data: write.csv() in R"},
    {"\x28\xb5\x2f\xfd", 4, NULL, "packed with zstd", "unpack it (zstd -d FILE)"},
    {"7z\xbc\xaf\x27\x1c", 6, NULL, "a 7z archive", "unpack it and name the file"},
    {"Rar!\x1a\x07", 6, NULL, "a rar archive", "unpack it and name the file"},
    {"PAR1\x15", 5, NULL, "a Parquet file", "save it as CSV"},
    {"\x89HDF\r\n\x1a\n", 8, NULL, "an HDF5 file", "save the table as CSV"},
    {"\x93NUMPY", 6, NULL, "a NumPy array", "save it as CSV with a header (pandas: to_csv)"},
    {"%PDF-", 5, NULL, "a PDF", "save the table as CSV"},
};
/* clang-format on */

static int check_foreign(const char *path, const char *head, size_t n, struct err *err)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (n >= foreign[i].n && !memcmp(head, foreign[i].magic, foreign[i].n) &&
            (!foreign[i].inside || memmem(head, n, foreign[i].inside, strlen(foreign[i].inside))))
            return err_set(err, "%s: is %s: %s", path, foreign[i].name, foreign[i].remedy);
    return 0;
}

size_t stream_mark_bytes(const void *head, size_t n)
{
    size_t mark = strlen(STREAM_MARK);

    return n >= mark && !memcmp(head, STREAM_MARK, mark) ? mark : 0;
}

/* ---- streams ---- */

/* gzread() would take bytes after a member that begin no new one for the end of the file: one
 * flipped bit would silently drop rows. inflate() does not. */

#define CHUNK_BYTES ((size_t)1 << 18)
#define MOST_AT_ONCE ((size_t)1 << 30) /* zlib counts in 32 bits */
#define WINDOW_BITS (15 + 16)          /* the largest window, gzip only */

struct stream_source {
    FILE *file;
    bool is_gzip;
    bool is_between; /* between members: the file may end here */
    z_stream z;
    unsigned char packed[CHUNK_BYTES];
};

int stream_check(const char *path, const char *wanted, struct err *err)
{
    struct stat status;

    if (stat(path, &status))
        return err_set(err, "%s: cannot open: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return err_set(err, "%s: is a directory: must be %s", path, wanted);
    if (!S_ISREG(status.st_mode))
        return err_set(err,
                       "%s: is a pipe or a device: must be a regular file, because it may be read "
                       "twice; save the data to a file first",
                       path);
    return 0;
}

static int cannot_read(const struct stream *s, struct err *err)
{
    return err_set(err, "%s: cannot read: %s", s->path, strerror(errno));
}

/* ---- opening ---- */

/* A member of BGZF has a field BC (SAM specification, 4.1). */
static bool is_bgzf(const unsigned char *head, size_t n)
{
    enum { HAS_FIELDS = 4 };

    return n >= 16 && head[2] == 8 && head[3] & HAS_FIELDS && !memcmp(head + 10, "\6\0BC\2\0", 6);
}

/* If a BGZF file is cut off between two blocks, only its end marker is missing. */
static int check_mark(struct stream *s, struct err *err)
{
    static const unsigned char mark[] = {0x1f, 0x8b, 8,  4, 0, 0, 0, 0, 0, 0xff, 6, 0, 'B', 'C',
                                         2,    0,    27, 0, 3, 0, 0, 0, 0, 0,    0, 0, 0,   0};
    unsigned char last[sizeof mark];

    if (!fseek(s->source->file, -(long)sizeof mark, SEEK_END) &&
        fread(last, 1, sizeof last, s->source->file) == sizeof last &&
        !memcmp(last, mark, sizeof mark))
        return 0;
    return err_set(err, "%s: truncated: the end marker of a BGZF file is missing", s->path);
}

static int find_kind(struct stream *s, struct err *err)
{
    struct stream_source *source = s->source;
    size_t n = fread(source->packed, 1, 16, source->file);

    if (ferror(source->file))
        return cannot_read(s, err);
    source->is_gzip = n >= 2 && source->packed[0] == 0x1f && source->packed[1] == 0x8b;
    if (source->is_gzip && is_bgzf(source->packed, n) && check_mark(s, err))
        return -1;
    rewind(source->file);
    if (source->is_gzip && inflateInit2(&source->z, WINDOW_BITS) != Z_OK)
        return err_nomem(err, s->path, sizeof source->z);
    source->is_between = true;
    return 0;
}

/* R packs with gzip, so the unpacked bytes are examined. Errors of the disk or of gzip appear again
 * when the caller reads. */
static int refuse_foreign(struct stream *s, struct err *err)
{
    char head[FOREIGN_HEAD_BYTES];
    size_t n = 0;

    stream_read(head, &n, s, sizeof head, NULL);
    if (check_foreign(s->path, head, n, err))
        return -1;
    rewind(s->source->file);
    if (s->source->is_gzip)
        inflateReset(&s->source->z);
    s->source->z.avail_in = 0;
    s->source->is_between = true;
    return 0;
}

int stream_open(struct stream *s, const char *path, const char *wanted, struct err *err)
{
    *s = (struct stream){.path = path};
    if (stream_check(path, wanted, err))
        return -1;
    s->source = calloc(1, sizeof *s->source);
    if (!s->source)
        return err_nomem(err, path, sizeof *s->source);
    s->source->file = fopen(path, "rbe");
    if (!s->source->file)
        err_set(err, "%s: cannot open: %s", path, strerror(errno));
    else if (!find_kind(s, err) && !refuse_foreign(s, err))
        return 0;
    stream_close(s);
    return -1;
}

void stream_close(struct stream *s)
{
    if (!s || !s->source)
        return;
    inflateEnd(&s->source->z);
    if (s->source->file)
        fclose(s->source->file);
    free(s->source);
    s->source = NULL;
}

/* ---- reading ---- */

static int unpack(struct stream *s, struct err *err)
{
    struct stream_source *source = s->source;
    bool is_first = source->is_between;
    int status;

    if (source->z.avail_in == 0) {
        source->z.next_in = source->packed;
        source->z.avail_in = (uInt)fread(source->packed, 1, CHUNK_BYTES, source->file);
        if (ferror(source->file))
            return cannot_read(s, err);
    }
    if (source->z.avail_in == 0)
        return source->is_between
                   ? 0
                   : err_set(err, "%s: cannot read: the gzip stream ends too early", s->path);
    status = inflate(&source->z, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR)
        return err_nomem(err, s->path, CHUNK_BYTES);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        return err_set(err, "%s: cannot read: the gzip stream is damaged (%s%s)", s->path,
                       is_first ? "where a member begins: " : "",
                       source->z.msg ? source->z.msg : "it needs a dictionary");
    source->is_between = status == Z_STREAM_END;
    if (source->is_between)
        inflateReset(&source->z);
    return 1;
}

static int read_gzip(void *out, size_t *got, struct stream *s, size_t n, struct err *err)
{
    z_stream *z = &s->source->z;
    int status = 1;

    while (*got < n && status > 0) {
        size_t wanted = n - *got < MOST_AT_ONCE ? n - *got : MOST_AT_ONCE;

        z->next_out = (Bytef *)out + *got;
        z->avail_out = (uInt)wanted;
        status = unpack(s, err);
        *got += wanted - z->avail_out;
    }
    return status < 0 ? -1 : 0;
}

int stream_read(void *out, size_t *got, struct stream *s, size_t n, struct err *err)
{
    *got = 0;
    if (s->source->is_gzip)
        return read_gzip(out, got, s, n, err);
    *got = fread(out, 1, n, s->source->file);
    return ferror(s->source->file) ? cannot_read(s, err) : 0;
}

size_t stream_peek(char *head, size_t size, const char *path)
{
    struct stream s;
    size_t n = 0;

    if (!stream_open(&s, path, "", NULL)) {
        stream_read(head, &n, &s, size - 1, NULL);
        stream_close(&s);
    }
    head[n] = '\0';
    return n;
}
