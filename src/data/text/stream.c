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

/* Offset of the name in a local file header of a zip archive (PKWARE APPNOTE 6.3.10, 4.3.7). */
enum { ZIP_NAME = 30 };

#define RDS                                                             \
    {                                                                   \
        "R data (.rds)", "in R: write.csv(readRDS(FILE), \"data.csv\")" \
    }
#define RDATA                                                                      \
    {                                                                              \
        "R data (.RData)", "in R: load(FILE), then write.csv(TABLE, \"data.csv\")" \
    }

static const struct foreign_file excel = {"an Excel workbook", "save the sheet as CSV"};
static const struct foreign_file open_document = {"an OpenDocument file", "save the sheet as CSV"};
static const struct foreign_file zip = {"a zip archive",
                                        "unpack it (unzip FILE) and name the file"};

static const struct {
    const char *magic;
    size_t n;
    struct foreign_file kind;
} magics[] = {
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8, {"an Excel 97 workbook", "save the sheet as CSV"}},
    {"X\n\0\0\0", 5, RDS},
    {"A\n2\n26", 6, RDS},
    {"A\n3\n26", 6, RDS},
    {"RDX2\n", 5, RDATA},
    {"RDX3\n", 5, RDATA},
    {"RDA2\n", 5, RDATA},
    {"RDA3\n", 5, RDATA},
    {"\xfd"
     "7zXZ",
     6,
     {"packed with xz", "unpack it (xz -d FILE); R data: write.csv() in R"}},
    {"BZh91AY&SY",
     10,
     {"packed with bzip2", "unpack it (bzip2 -d FILE); R data: write.csv() in R"}},
    {"\x28\xb5\x2f\xfd", 4, {"packed with zstd", "unpack it (zstd -d FILE)"}},
    {"7z\xbc\xaf\x27\x1c", 6, {"a 7z archive", "unpack it and name the file"}},
    {"Rar!\x1a\x07", 6, {"a rar archive", "unpack it and name the file"}},
    {"PAR1\x15", 5, {"a Parquet file", "save it as CSV"}},
    {"\x89HDF\r\n\x1a\n", 8, {"an HDF5 file", "save the table as CSV"}},
    {"\x93NUMPY", 6, {"a NumPy array", "save it as CSV with a header (pandas: to_csv)"}},
    {"%PDF-", 5, {"a PDF", "save the table as CSV"}},
};

static bool begins(const unsigned char *name, size_t n, const char *wanted)
{
    return n >= strlen(wanted) && !memcmp(name, wanted, strlen(wanted));
}

static bool contains(const unsigned char *head, size_t n, const char *wanted)
{
    return memmem(head, n, wanted, strlen(wanted)) != NULL;
}

/* The first member decides. Word and PowerPoint files count as archives. */
static const struct foreign_file *find_zip(const unsigned char *head, size_t n)
{
    static const char *const office[] = {"[Content_Types].xml", "_rels/", "docProps/", "xl/"};
    size_t rest;

    if (n <= ZIP_NAME)
        return &zip;
    rest = n - ZIP_NAME;
    if (begins(head + ZIP_NAME, rest, "mimetype") &&
        contains(head, n, "application/vnd.oasis.opendocument"))
        return &open_document;
    if (contains(head, n, "word/") || contains(head, n, "ppt/"))
        return &zip;
    for (size_t i = 0; i < sizeof office / sizeof *office; i++)
        if (begins(head + ZIP_NAME, rest, office[i]))
            return &excel;
    return &zip;
}

const struct foreign_file *stream_foreign(const void *head, size_t n)
{
    if (n >= 4 && !memcmp(head, "PK\3\4", 4))
        return find_zip(head, n);
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (n >= magics[i].n && !memcmp(head, magics[i].magic, magics[i].n))
            return &magics[i].kind;
    return NULL;
}

static int check_foreign(const char *path, const void *head, size_t n, struct err *err)
{
    const struct foreign_file *kind = stream_foreign(head, n);

    return kind ? err_set(err, "%s: is %s: %s", path, kind->name, kind->remedy) : 0;
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

static void restart(struct stream_source *source)
{
    rewind(source->file);
    if (source->is_gzip)
        inflateReset(&source->z);
    source->z.avail_in = 0;
    source->is_between = true;
}

/* R packs with gzip, so the unpacked bytes are examined. Errors of the disk or of gzip appear again
 * when the caller reads. */
static int refuse_foreign(struct stream *s, struct err *err)
{
    unsigned char head[FOREIGN_HEAD_BYTES];
    size_t n = 0;

    stream_read(head, &n, s, sizeof head, NULL);
    if (check_foreign(s->path, head, n, err))
        return -1;
    restart(s->source);
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

static int read_packed(struct stream *s, struct err *err)
{
    struct stream_source *source = s->source;

    source->z.next_in = source->packed;
    source->z.avail_in = (uInt)fread(source->packed, 1, CHUNK_BYTES, source->file);
    return ferror(source->file) ? cannot_read(s, err) : 0;
}

static int unpack(struct stream *s, struct err *err)
{
    struct stream_source *source = s->source;
    bool is_first = source->is_between;
    int status;

    if (source->z.avail_in == 0 && read_packed(s, err))
        return -1;
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
