/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/recognize.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/graph/smiles.h"
#include "data/text/file_names.h"
#include "data/text/stream.h"

#define KINDS_READ                                                                           \
    "genotypes (" VARIANTS_NAMES "), a table of text with a header (genotypes, phenotypes, " \
    "edges, features, labels, SMILES), or a TUDataset folder"

enum { HEAD_BYTES = 1 << 16 };

static int recognize_folder(enum data_kind *out, const char *path, struct err *err)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    bool is_tu = false;

    if (!dir)
        return err_set(err, "%s: cannot open the folder: %s", path, strerror(errno));
    while (!is_tu && (entry = readdir(dir)))
        is_tu = file_names_end_like(entry->d_name, FILE_NAMES_TU_INDICATOR);
    closedir(dir);
    *out = KIND_TU;
    return is_tu ? 0
                 : err_set(err,
                           "%s: is a folder without a file ending in " FILE_NAMES_TU_INDICATOR
                           ", so it is not a TUDataset: name its files one by one",
                           path);
}

/* A file of a TUDataset has no header. */
static int refuse_part(const char *path, struct err *err)
{
    static const char *const endings[] = {FILE_NAMES_TU_INDICATOR, "_A.txt",
                                          "_graph_labels.txt",     "_graph_attributes.txt",
                                          "_node_labels.txt",      "_edge_labels.txt",
                                          "_node_attributes.txt",  "_edge_attributes.txt"};
    char indicator[4096];

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        int n = (int)strlen(path) - (int)strlen(endings[i]);

        if (file_names_end_like(path, endings[i]) &&
            (size_t)snprintf(indicator, sizeof indicator, "%.*s" FILE_NAMES_TU_INDICATOR, n, path) <
                sizeof indicator &&
            !access(indicator, F_OK))
            return err_set(err, "%s: is one of the files of a TUDataset: name their folder instead",
                           path);
    }
    return 0;
}

int recognize(enum data_kind *out, const struct variants_kind **variants, const char *path,
              struct err *err)
{
    char head[HEAD_BYTES];
    bool is_binary = false;
    struct stream stream;
    struct stat status;
    size_t n;

    *variants = NULL;
    if (!stat(path, &status) && S_ISDIR(status.st_mode))
        return recognize_folder(out, path, err);
    *variants = variants_detect(path);
    if (*variants) {
        *out = KIND_GENOTYPES;
        return 0;
    }
    if (stream_check(path, "a file", err) || refuse_part(path, err))
        return -1;
    n = stream_peek(head, sizeof head, path);
    if (n == 0) { /* the stream reports what is wrong with a packed file */
        if (stream_open(&stream, path, "a file", err))
            return -1;
        stream_close(&stream);
        return err_set(err, "%s: is empty or cannot be unpacked: must be " KINDS_READ, path);
    }
    for (size_t i = 0; i < n; i++)
        is_binary |= (unsigned char)head[i] < ' ' && !strchr("\t\n\r\f\v", head[i]);
    if (is_binary || memchr(head, 0, n))
        return err_set(err, "%s: is binary and of an unknown kind: must be " KINDS_READ, path);
    *out = smiles_is_bare(path, "smiles") ? KIND_SMI : KIND_TABLE;
    return 0;
}
