/* SPDX-License-Identifier: BSD-3-Clause */
/* No samples, only the content of the files that a program reads. Each file is a feature, named
 * by its path and hash. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "data/core/builder.h"
#include "data/core/data_format.h"
#include "data/core/data_report.h"
#include "data/core/data_spec.h"
#include "data/inputs.h"
#include "data/text/names.h"

/* The number of files that inputs_state() opens, so that a network file system asks its server. */
enum { OPENED = 100 };

struct inputs {
    const char *folder;
    /* Append what tells a file from what it was. */
    int (*put)(struct buf *out, const struct inputs *inputs, const char *path, struct err *err);
    char **names; /* [n] owned: path, and what put() appended */
    size_t n;
};

static void release(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->n; i++)
        free(inputs->names[i]);
    free(inputs->names);
}

static int hash_mapped(struct hash *out, int file, const char *path, struct err *err)
{
    struct stat info;
    void *bytes = NULL;

    if (fstat(file, &info))
        return err_set(err, "inputs: %s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return err_set(err, "inputs: %s is a folder: name files, such as %s/*", path, path);
    if (!S_ISREG(info.st_mode))
        return err_set(err, "inputs: %s is not a regular file", path);
    if (info.st_size)
        bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED)
        return err_set(err, "inputs: %s: %s", path, strerror(errno));
    *out = hash_bytes(bytes ? bytes : "", (size_t)info.st_size);
    if (bytes)
        munmap(bytes, (size_t)info.st_size);
    return 0;
}

static int hash_file(struct hash *out, const char *path, struct err *err)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int rc;

    if (file < 0)
        return err_set(err, "inputs: %s: %s", path, strerror(errno));
    rc = hash_mapped(out, file, path, err);
    close(file);
    return rc;
}

static int put_hash(struct buf *out, const struct inputs *inputs, const char *path, struct err *err)
{
    char hex[HASH_HEX_SIZE];
    struct hash hash;

    (void)inputs;
    if (hash_file(&hash, path, err))
        return -1;
    buf_puts(out, hash_hex(hash, hex));
    return 0;
}

static int put_state(struct buf *out, const struct inputs *inputs, const char *path,
                     struct err *err)
{
    int file = inputs->n < OPENED ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    struct stat info;
    int rc = file >= 0 ? fstat(file, &info) : stat(path, &info);

    if (file >= 0)
        close(file);
    if (rc)
        return err_set(err, "inputs: %s: %s", path, strerror(errno));
    buf_printf(out, "%lld %lld %lld.%09ld %lld.%09ld", (long long)info.st_ino,
               (long long)info.st_size, (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
               (long long)info.st_ctim.tv_sec, info.st_ctim.tv_nsec);
    return 0;
}

/* The name that the sweep file would use, so that a moved folder keeps its keys. */
static int add_file(struct inputs *inputs, const char *path, struct err *err)
{
    size_t n = strlen(inputs->folder);
    const char *shown = !strncmp(path, inputs->folder, n) ? path + n : path;
    char **grown = realloc(inputs->names, (inputs->n + 1) * sizeof *grown);
    struct buf name = {0};

    if (!grown)
        return err_nomem(err, "inputs", inputs->n);
    inputs->names = grown;
    buf_printf(&name, "%s ", shown);
    if (inputs->put(&name, inputs, path, err) || buf_failed(&name)) {
        int rc = buf_failed(&name) ? err_nomem(err, "inputs", name.size) : -1;

        buf_release(&name);
        return rc;
    }
    inputs->names[inputs->n++] = name.data;
    return 0;
}

static int add_pattern(struct inputs *inputs, const char *pattern, struct err *err)
{
    struct buf path = {0};
    glob_t found = {0};
    int rc = 0, code;

    if (*pattern != '/')
        buf_puts(&path, inputs->folder);
    buf_puts(&path, pattern);
    code = buf_failed(&path) ? GLOB_NOSPACE : glob(buf_text(&path), 0, NULL, &found);
    if (code == GLOB_NOMATCH)
        rc = err_set(err,
                     "inputs: no file %s: patterns such as data/*.csv start at the folder of "
                     "the sweep file",
                     buf_text(&path));
    else if (code)
        rc = err_set(err, "inputs: %s: cannot be read", buf_text(&path));
    for (size_t i = 0; !rc && i < found.gl_pathc; i++)
        rc = add_file(inputs, found.gl_pathv[i], err);
    globfree(&found);
    buf_release(&path);
    return rc;
}

static int add_all(struct inputs *inputs, const char *list, struct err *err)
{
    struct names patterns = {0};
    int rc = names_split(&patterns, list, "inputs", err);

    for (int32_t i = 0; !rc && i < patterns.n; i++)
        rc = add_pattern(inputs, patterns.text[i], err);
    names_release(&patterns);
    return rc;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct inputs inputs_of(const struct data_spec *spec)
{
    return (struct inputs){.folder = spec->inputs_folder ? spec->inputs_folder : ""};
}

int inputs_state(struct hash *out, const struct data_spec *spec, struct err *err)
{
    struct inputs inputs = inputs_of(spec);
    struct buf text = {0};
    int rc;

    inputs.put = put_state;
    rc = add_all(&inputs, spec->inputs, err);
    for (size_t i = 0; !rc && i < inputs.n; i++)
        buf_printf(&text, "%s\n", inputs.names[i]);
    if (!rc && buf_failed(&text))
        rc = err_nomem(err, "inputs", text.size);
    *out = rc ? (struct hash){0} : hash_text(buf_text(&text));
    buf_release(&text);
    release(&inputs);
    return rc;
}

static int load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
                struct err *err)
{
    struct inputs inputs = inputs_of(spec);
    int rc;

    inputs.put = put_hash;
    rc = add_all(&inputs, spec->inputs, err);
    if (!rc) {
        struct draft draft = {.n_features = (int32_t)inputs.n,
                              .feature_names = (const char *const *)inputs.names};

        if (inputs.n)
            qsort(inputs.names, inputs.n, sizeof *inputs.names, compare);
        report->n_features = draft.n_features;
        rc = draft_build(out, &draft, err);
    }
    release(&inputs);
    return rc;
}

const struct data_format inputs_format = {
    .name = "inputs",
    .sample_word = "samples",
    .feature_word = "input files",
    .samples = DATA_ROWS,
    .has_no_samples = true,
    .settings = {{.key = NULL}},
    .load = load,
    .new_option = "genotypes",
};
