/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/print/figures.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/leftover.h"

enum { PATH_SIZE = 4096 };

/* The script adds each chart to the document as an element that begins so (page/script/files.js). */
#define MARK "<script type=\"image/svg+xml\" id=\"figure-"

/* Names of the file in the folder of one call. */
struct figure_place {
    char *folder; /* owned by base/leftover.h */
    char page[PATH_SIZE], dom[PATH_SIZE], messages[PATH_SIZE], profile[PATH_SIZE];
};

static int place_init(struct figure_place *place, struct err *err)
{
    const char *below = getenv("TMPDIR");
    char path[PATH_SIZE];

    snprintf(path, sizeof path, "%s/figures", below && *below ? below : "/tmp");
    place->folder = leftover_name(path);
    if (!place->folder)
        return err_nomem(err, "the name of a folder", 0);
    if (mkdir(place->folder, 0700))
        return err_set(err, "%s: %s; set TMPDIR to a folder that you can write to", place->folder,
                       strerror(errno));
    snprintf(place->page, sizeof place->page, "%s/page.html", place->folder);
    snprintf(place->dom, sizeof place->dom, "%s/dom", place->folder);
    snprintf(place->messages, sizeof place->messages, "%s/messages", place->folder);
    snprintf(place->profile, sizeof place->profile, "--user-data-dir=%s/profile", place->folder);
    return 0;
}

static int read_file(struct buf *out, const char *path, struct err *err)
{
    FILE *file = fopen(path, "rb");
    char block[65536];
    size_t n;

    if (!file)
        return err_set(err, "%s: %s", path, strerror(errno));
    while ((n = fread(block, 1, sizeof block, file)) > 0)
        buf_add(out, block, n);
    fclose(file);
    return buf_failed(out) ? err_nomem(err, path, out->size) : 0;
}

/* ---- other programs ---- */

static int open_output(const char *path, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);

    if (fd < 0)
        err_set(err, "%s: %s", path, strerror(errno));
    return fd;
}

static void become(const char *const *words, int output, int messages)
{
    int null = open("/dev/null", O_RDONLY);

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(messages, STDERR_FILENO);
    execvp(words[0], (char *const *)(uintptr_t)words);
    _exit(127);
}

static int wait_for(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Run a command and wait for its end. words: the program, which is looked up in PATH, its arguments, and
 * NULL. Its standard output goes to the file `output`. status out: its exit status, 127 if there is no
 * such program, or 128 + the signal that ended it. -1 and err: it was not started. */
static int run(int *status, const char *const *words, const char *output,
               const struct figure_place *place, struct err *err)
{
    int out = open_output(output, err);
    int messages = out < 0 ? -1 : open_output(place->messages, err);
    pid_t pid = messages < 0 ? -1 : fork();

    if (!pid)
        become(words, out, messages);
    if (pid > 0)
        *status = wait_for(pid);
    else if (messages >= 0)
        err_set(err, "fork: %s", strerror(errno));
    if (messages >= 0)
        close(messages);
    if (out >= 0)
        close(out);
    return pid > 0 ? 0 : -1;
}

/* ---- the browser ---- */

/* The script sees the address #figures. status out: of the browser, 127 if there is none. */
static int run_browser(int *status, const struct figure_place *place, struct err *err)
{
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome", "chrome"};
    char address[PATH_SIZE + 32];
    const char *words[] = {NULL, "--headless", "--disable-gpu", "--disable-dev-shm-usage",
                           "--no-first-run", "--window-size=1280,900",
                           "--virtual-time-budget=60000", place->profile, "--dump-dom", address,
                           /* Its sandbox refuses root. */
                           geteuid() ? NULL : "--no-sandbox", NULL};

    snprintf(address, sizeof address, "file://%s#figures", place->page);
    *status = 127;
    for (size_t i = 0; i < sizeof names / sizeof *names && *status == 127; i++) {
        words[0] = names[i];
        if (run(status, words, place->dom, place, err))
            return -1;
    }
    return 0;
}

/* Copy the element that `at` points to. Return its end; NULL: there is none. */
static const char *take_one(struct figure *f, const char *at)
{
    const char *name = at + strlen(MARK), *begin = strchr(name, '>');
    const char *end = begin ? strstr(begin, "</script>") : NULL;
    size_t n = strcspn(name, "\"");

    if (!end || n >= sizeof f->name || strcspn(name, "/") < n)
        return NULL;
    memcpy(f->name, name, n);
    buf_add(&f->svg, begin + 1, (size_t)(end - begin - 1));
    return end;
}

static int take_all(struct figures *figures, const char *dom, struct err *err)
{
    const char *at = dom;

    while (figures->n < FIGURES_MOST && (at = strstr(at, MARK))) {
        at = take_one(&figures->of[figures->n++], at);
        if (!at || buf_failed(&figures->of[figures->n - 1].svg))
            return err_set(err, "--figures: the page's script wrote what cannot be read");
    }
    return figures->n ? 0
                      : err_set(err, "--figures: Chromium did not draw the page: open the page, "
                                     "and save each chart with its button SVG");
}

static int read_dom(struct figures *figures, const char *path, struct err *err)
{
    struct buf dom = {0};
    int rc = read_file(&dom, path, err) || take_all(figures, buf_text(&dom), err) ? -1 : 0;

    buf_release(&dom);
    return rc;
}

/* ---- PDF ---- */

static int make_pdf(int *status, struct figure *f, const struct figure_place *place,
                    struct err *err)
{
    char svg[PATH_SIZE + 32], pdf[PATH_SIZE + 32];
    const char *const words[] = {"rsvg-convert", "-f", "pdf", svg, NULL};

    snprintf(svg, sizeof svg, "%s/%s.svg", place->folder, f->name);
    snprintf(pdf, sizeof pdf, "%s/%s.pdf", place->folder, f->name);
    if (outfile_save(svg, OUTFILE_NEW, f->svg.data, f->svg.size, err) ||
        run(status, words, pdf, place, err))
        return -1;
    return *status ? 0 : read_file(&f->pdf, pdf, err);
}

static int make_pdfs(struct figures *figures, const struct figure_place *place, struct err *err)
{
    int status = 0;

    for (int32_t i = 0; i < figures->n && !status; i++)
        if (make_pdf(&status, &figures->of[i], place, err))
            return -1;
    return status && status != 127
               ? err_set(err, "--figures: rsvg-convert ended with status %d", status)
               : 0;
}

static int draw(struct figures *figures, const struct buf *page, const struct figure_place *place,
                struct err *err)
{
    int status;

    if (outfile_save(place->page, OUTFILE_NEW, page->data, page->size, err) ||
        run_browser(&status, place, err))
        return -1;
    if (status == 127)
        return err_set(err, "--figures: Chromium draws them and is not installed: open the page in "
                            "any browser, and save each chart with its button SVG");
    return read_dom(figures, place->dom, err) || make_pdfs(figures, place, err) ? -1 : 0;
}

int figures_draw(struct figures *figures, const struct buf *page, struct err *err)
{
    struct figure_place place;
    int rc;

    *figures = (struct figures){0};
    rc = place_init(&place, err) || draw(figures, page, &place, err) ? -1 : 0;
    leftover_remove(place.folder);
    return rc;
}

/* ---- files ---- */

static int make_folder(bool *is_new, const char *dir, struct err *err)
{
    struct stat st;

    *is_new = !mkdir(dir, 0777);
    if (*is_new || (errno == EEXIST && !stat(dir, &st) && S_ISDIR(st.st_mode)))
        return 0;
    if (errno == EEXIST)
        return err_set(err, "%s: is not a folder: must be one for figures, or a new name", dir);
    return err_set(err, "%s: cannot make the folder: %s", dir, strerror(errno));
}

/* The name stays unused until the commit. */
static int write_file(struct outfile *out, const char *name, const struct buf *bytes,
                      enum outfile_mode mode, struct err *err)
{
    struct stat st;

    if (mode == OUTFILE_NEW && !lstat(name, &st))
        return err_set(err, "%s: exists already; --force replaces it", name);
    return outfile_open(out, name, mode, err) ||
                   outfile_write(out, bytes->data, bytes->size, err) || outfile_flush(out, err)
               ? -1
               : 0;
}

static int write_figure(struct figure *f, const char *dir, enum outfile_mode mode, struct err *err)
{
    const struct buf *const bytes[] = {&f->svg, &f->pdf};
    static const char *const endings[] = {"svg", "pdf"};
    char name[PATH_SIZE];

    for (int k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "%s/%s.%s", dir, f->name, endings[k]);
        if (bytes[k]->size && write_file(&f->out[k], name, bytes[k], mode, err))
            return -1;
    }
    return 0;
}

static int write_all(struct figures *figures, const char *dir, enum outfile_mode mode,
                     struct err *err)
{
    for (int32_t i = 0; i < figures->n; i++)
        if (write_figure(&figures->of[i], dir, mode, err))
            return -1;
    for (int32_t i = 0; i < 2 * figures->n; i++) {
        struct outfile *out = &figures->of[i / 2].out[i % 2];

        if (out->file && outfile_commit(out, err))
            return -1;
    }
    return 0;
}

int figures_save(struct figures *figures, const char *dir, enum outfile_mode mode, struct err *err)
{
    bool is_new = false;
    int rc = make_folder(&is_new, dir, err) || write_all(figures, dir, mode, err) ? -1 : 0;

    for (int32_t i = 0; i < 2 * figures->n; i++)
        outfile_discard(&figures->of[i / 2].out[i % 2]);
    if (rc && is_new)
        rmdir(dir);
    return rc;
}

void figures_release(struct figures *figures)
{
    for (int32_t i = 0; i < figures->n; i++) {
        buf_release(&figures->of[i].svg);
        buf_release(&figures->of[i].pdf);
    }
}
