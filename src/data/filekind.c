#include "data/filekind.h"

#include <stdbool.h>
#include <string.h>

/* Where the name stands in a local file header of a zip archive (PKWARE APPNOTE 6.3.10, 4.3.7). */
enum { ZIP_NAME = 30 };

#define RDS                                                             \
    {                                                                   \
        "R data (.rds)", "in R: write.csv(readRDS(FILE), \"data.csv\")" \
    }
#define RDATA                                                                      \
    {                                                                              \
        "R data (.RData)", "in R: load(FILE), then write.csv(TABLE, \"data.csv\")" \
    }

static const struct filekind excel = {"an Excel workbook", "save the sheet as CSV"};
static const struct filekind open_document = {"an OpenDocument file", "save the sheet as CSV"};
static const struct filekind zip = {"a zip archive", "unpack it (unzip FILE) and name the file"};

static const struct {
    const char *magic;
    size_t n;
    struct filekind kind;
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

/* Whether the name of a member begins so. */
static bool begins(const unsigned char *name, size_t n, const char *wanted)
{
    return n >= strlen(wanted) && !memcmp(name, wanted, strlen(wanted));
}

static bool contains(const unsigned char *head, size_t n, const char *wanted)
{
    return memmem(head, n, wanted, strlen(wanted)) != NULL;
}

/* By the name of the first member. Word and PowerPoint files begin like workbooks; they hold no
 * table, and are archives here. */
static const struct filekind *find_zip(const unsigned char *head, size_t n)
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

const struct filekind *filekind_find(const void *head, size_t n)
{
    if (n >= 4 && !memcmp(head, "PK\3\4", 4))
        return find_zip(head, n);
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (n >= magics[i].n && !memcmp(head, magics[i].magic, magics[i].n))
            return &magics[i].kind;
    return NULL;
}

int filekind_check(const char *path, const void *head, size_t n, struct err *err)
{
    const struct filekind *kind = filekind_find(head, n);

    return kind ? err_set(err, "%s: is %s: %s", path, kind->name, kind->remedy) : 0;
}
