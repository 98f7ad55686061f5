/* SPDX-License-Identifier: BSD-3-Clause */
/* No samples, only the content of the files that a program reads. Each file is a feature, named
 * by its path and hash. */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdio.h>
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

struct inputs_scan {
    const char *folder;
    /* Append what tells a file from what it was. */
    int (*put)(struct buf *out, const struct inputs_scan *inputs, const char *path,
               struct err *err);
    char **names; /* [n] owned: path, and what put() appended */
    size_t n;
    size_t n_listed; /* the first ones, in inputs */
    const struct errlist *written;
};

static void release(struct inputs_scan *inputs)
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

static int put_hash(struct buf *out, const struct inputs_scan *inputs, const char *path,
                    struct err *err)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc;
    char hex[HASH_HEX_SIZE];
    struct hash hash;

    (void)inputs;
    if (file < 0)
        return err_set(err, "inputs: %s: %s", path, strerror(errno));
    rc = hash_mapped(&hash, file, path, err);
    close(file);
    if (!rc)
        buf_puts(out, hash_hex(hash, hex));
    return rc;
}

static int put_state(struct buf *out, const struct inputs_scan *inputs, const char *path,
                     struct err *err)
{
    int file = inputs->n < OPENED ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    struct stat info;
    int rc = file >= 0 ? fstat(file, &info) : stat(path, &info);

    if (file >= 0)
        close(file);
    if (rc)
        return err_set(err, "inputs: %s: %s", path, strerror(errno));
    buf_printf(out, "%lld:%lld:%lld.%09ld:%lld.%09ld", (long long)info.st_ino,
               (long long)info.st_size, (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
               (long long)info.st_ctim.tv_sec, info.st_ctim.tv_nsec);
    return 0;
}

/* The name that the sweep file would use, so that a moved folder keeps its keys. */
static int add_file(struct inputs_scan *inputs, const char *path, struct err *err)
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

static int add_pattern(struct inputs_scan *inputs, const char *pattern, struct err *err)
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

/* ---- files that the command names ---- */

const char *inputs_split(char path[PATH_MAX], const char *name)
{
    const char *end = strrchr(name, ' ');

    snprintf(path, PATH_MAX, "%.*s", (int)(end ? end - name : 0), name);
    return end ? end + 1 : "";
}

bool inputs_is_name(const char *name, const char *path)
{
    size_t n = strlen(path);

    return !strncmp(name, path, n) && name[n] == ' ' && !strchr(name + n + 1, ' ');
}

/* A word of the command: a regular file below the folder, or relative to it. */
static int add_word(struct inputs_scan *inputs, const char *word, size_t n, struct err *err)
{
    static const char system[] = "/usr/";
    size_t n_folder = strlen(inputs->folder);
    struct buf path = {0};
    char *real = NULL;
    struct stat info;
    int rc = 0;

    while (n > 2 && !strncmp(word, "./", 2)) {
        word += 2;
        n -= 2;
    }
    if (!n || (*word == '/' && (n <= n_folder || strncmp(word, inputs->folder, n_folder) != 0)))
        return 0;
    buf_printf(&path, "%s%.*s", *word == '/' ? "" : inputs->folder, (int)n, word);
    if (!buf_failed(&path) && !stat(buf_text(&path), &info) && S_ISREG(info.st_mode)) {
        const char *shown = buf_text(&path) + n_folder;
        bool is_known = inputs->written && errlist_has(inputs->written, shown);

        /* Programs of the system, to which python in a virtual environment is a link, are none. */
        real = realpath(buf_text(&path), NULL);
        for (size_t i = 0; i < inputs->n; i++)
            is_known |= inputs_is_name(inputs->names[i], shown);
        if (!is_known && !(real && !strncmp(real, system, sizeof system - 1)))
            rc = add_file(inputs, buf_text(&path), err);
    }
    free(real);
    buf_release(&path);
    return rc;
}

/* Words end at blanks, quotes and signs of the shell; all between two quotes is a word, too. A file behind
 * > is an output. */
static int add_words(struct inputs_scan *inputs, const char *text, struct err *err)
{
    static const char ends[] = " \t\n\"'|&;<>()`";
    bool is_output = false;
    int rc = 0;

    while (!rc && *text) {
        size_t n = strcspn(text, ends);
        const char *close = *text == '"' || *text == '\'' ? strchr(text + 1, *text) : NULL;

        if (n && !is_output)
            rc = add_word(inputs, text, n, err);
        if (!rc && close && !is_output)
            rc = add_word(inputs, text + 1, (size_t)(close - text - 1), err);
        is_output = n ? false : *text == '>' || (is_output && strchr(" \t&", *text));
        text += n ? n : 1;
    }
    return rc;
}

static int add_all(struct inputs_scan *inputs, const struct data_spec *spec, struct err *err)
{
    struct names patterns = {0};
    int rc = names_split(&patterns, spec->inputs, "inputs", err);

    for (int32_t i = 0; !rc && i < patterns.n; i++)
        rc = add_pattern(inputs, patterns.text[i], err);
    names_release(&patterns);
    inputs->n_listed = inputs->n;
    return rc || !spec->command ? rc : add_words(inputs, spec->command, err);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct inputs_scan inputs_of(const struct data_spec *spec)
{
    return (struct inputs_scan){.folder = spec->inputs_folder ? spec->inputs_folder : "",
                                .written = spec->written};
}

int inputs_state(struct hash *out, const struct data_spec *spec, struct err *err)
{
    struct inputs_scan inputs = inputs_of(spec);
    struct buf text = {0};
    int rc;

    inputs.put = put_state;
    rc = add_all(&inputs, spec, err);
    for (size_t i = 0; !rc && i < inputs.n; i++)
        buf_printf(&text, "%s\n", inputs.names[i]);
    if (!rc && buf_failed(&text))
        rc = err_nomem(err, "inputs", text.size);
    *out = rc ? (struct hash){0} : hash_text(buf_text(&text));
    buf_release(&text);
    release(&inputs);
    return rc;
}

enum inputs_role inputs_role(const struct data_spec *spec, const char *path)
{
    static const char *const endings[] = {".py", ".R", ".r",  ".sh",  ".jl",
                                          ".pl", ".m", ".js", ".lua", ".rb"};
    struct inputs_scan inputs = inputs_of(spec);
    size_t n_folder = strlen(inputs.folder);
    const char *ending = strrchr(path, '.');
    struct names patterns = {0};
    struct buf whole = {0};
    bool is_listed = false, is_script = false;
    struct err err;

    if (!names_split(&patterns, spec->inputs, "inputs", &err))
        for (int32_t i = 0; i < patterns.n; i++) {
            const char *pattern = patterns.text[i];

            pattern += strncmp(pattern, inputs.folder, n_folder) ? 0 : n_folder;
            is_listed |= !fnmatch(pattern, path, FNM_PATHNAME | FNM_PERIOD);
        }
    names_release(&patterns);
    if (is_listed)
        return INPUTS_LISTED;
    for (size_t i = 0; ending && i < sizeof endings / sizeof *endings; i++)
        is_script |= !strcmp(ending, endings[i]);
    buf_printf(&whole, "%s%s", inputs.folder, path);
    is_script |= !access(buf_text(&whole), X_OK);
    buf_release(&whole);
    return is_script ? INPUTS_SCRIPT : INPUTS_NAMED;
}

static int load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
                struct err *err)
{
    struct inputs_scan inputs = inputs_of(spec);
    int rc;

    inputs.put = put_hash;
    rc = add_all(&inputs, spec, err);
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
