/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static const int ignored[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2,
                              SIGPIPE, SIGALRM, SIGTSTP, SIGTTIN, SIGTTOU};

static void set_ignored(void (*handler)(int number))
{
    struct sigaction action = {.sa_handler = handler};

    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        sigaction(ignored[i], &action, NULL);
}

void exec_ignore_signals(void)
{
    set_ignored(SIG_IGN);
}

/* After vfork(): memory is that of the parent, so only system calls are allowed. */
static void become(const struct exec_program *program, pid_t parent, struct exec_failure *failure)
    __attribute__((noreturn));
static void become(const struct exec_program *program, pid_t parent, struct exec_failure *failure)
{
    sigset_t none;

    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    set_ignored(SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (*program->folder && chdir(program->folder)) {
        failure->is_folder = true;
    } else if (dup2(program->output, STDOUT_FILENO) >= 0 &&
               dup2(program->error, STDERR_FILENO) >= 0) {
        execvpe(program->words[0], program->words, program->variables);
    }
    failure->code = errno;
    _exit(127);
}

pid_t exec_start(const struct exec_program *program, struct exec_failure *failure)
{
    char **own = environ;
    pid_t parent = getpid(), pid;

    *failure = (struct exec_failure){0};
    environ = (char **)program->variables; /* execvpe() reads PATH here */
    /* posix_spawn() does the same, but cannot call prctl(). */
    pid = vfork(); // NOLINT(clang-analyzer-security.insecureAPI.vfork)
    if (!pid)
        become(program, parent, failure); // NOLINT(clang-analyzer-unix.Vfork)
    environ = own;
    return pid;
}

/* ---- reasons ---- */

/* Return an open folder to which the program's path is relative. */
static int open_folder(const struct exec_program *program)
{
    return open(*program->folder ? program->folder : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static const char *find_variable(const struct exec_program *program, const char *name)
{
    size_t n = strlen(name);

    for (char *const *v = program->variables; *v; v++)
        if (!strncmp(*v, name, n) && (*v)[n] == '=')
            return *v + n + 1;
    return NULL;
}

/* Write the interpreter of a script, such as "/usr/bin/env"; "": it is none. */
static void read_interpreter(char *out, size_t size, int folder, const char *path)
{
    int fd = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? 0 : read(fd, out, size - 1);
    const char *begin;

    if (fd >= 0)
        close(fd);
    out[n > 0 ? n : 0] = '\0';
    begin = strncmp(out, "#!", 2) ? "" : out + 2 + strspn(out + 2, " \t");
    n = (ssize_t)strcspn(begin, " \t\n");
    memmove(out, begin, (size_t)n);
    out[n] = '\0';
}

/* errno of execve(), as far as the file tells; 0: it can be executed. */
static int ask(int folder, const char *path)
{
    char interpreter[256];
    struct stat status;

    if (fstatat(folder, path, &status, 0))
        return errno;
    if (S_ISDIR(status.st_mode) || faccessat(folder, path, X_OK, AT_EACCESS))
        return EACCES;
    read_interpreter(interpreter, sizeof interpreter, folder, path);
    return *interpreter && faccessat(folder, interpreter, F_OK, 0) ? ENOENT : 0;
}

/* Find the file that execvpe() executes. Returns its errno, or 0. out: the file, or the first that
 * cannot be executed; "": there is none. */
static int find_file(char *out, size_t size, int folder, const struct exec_program *program)
{
    const char *name = program->words[0];
    const char *path = find_variable(program, "PATH");
    int found = ENOENT;

    *out = '\0';
    if (strchr(name, '/')) {
        if (!faccessat(folder, name, F_OK, 0))
            snprintf(out, size, "%s", name);
        return ask(folder, name);
    }
    for (path = path ? path : "/bin:/usr/bin"; *name; path++) { /* as execvpe() */
        size_t n = strcspn(path, ":");
        char file[4096];
        int code;

        snprintf(file, sizeof file, "%.*s%s%s", (int)n, path, n ? "/" : "", name);
        code = ask(folder, file);
        if (!code || (!*out && !faccessat(folder, file, F_OK, 0)))
            snprintf(out, size, "%s", file);
        if (!code || code == EACCES)
            found = code;
        path += n;
        if (!code || !*path)
            break;
    }
    return found;
}

static int explain_missing(int folder, const struct exec_program *program, struct err *err)
{
    const char *name = program->words[0];
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    char path[4096], interpreter[256];

    find_file(path, sizeof path, folder, program);
    if (!*path && n && name[n] == '=')
        return err_set(err,
                       "cannot start '%s': it sets a variable, which is for [program] env or a "
                       "command with shell = yes",
                       name);
    if (!*path)
        return err_set(err, "cannot start '%s': no such %s", name,
                       strchr(name, '/') ? "file" : "program in PATH");
    read_interpreter(interpreter, sizeof interpreter, folder, path);
    if (!*interpreter)
        return err_set(err, "cannot start '%s': its loader is missing; is it made for this system?",
                       path);
    if (interpreter[strlen(interpreter) - 1] == '\r')
        return err_set(
            err, "cannot start '%s': its lines end as on Windows; convert them (dos2unix)", path);
    return err_set(err, "cannot start '%s': its interpreter '%s' does not exist", path,
                   interpreter);
}

static int explain_refused(int folder, const struct exec_program *program, struct err *err)
{
    char path[4096];
    struct stat status;

    find_file(path, sizeof path, folder, program);
    if (!*path || fstatat(folder, path, &status, 0))
        return err_set(err, "cannot start '%s': %s", program->words[0], strerror(EACCES));
    if (S_ISDIR(status.st_mode))
        return err_set(err, "cannot start '%s': it is a folder", path);
    return err_set(err, "cannot start '%s': not executable (chmod +x)", path);
}

int exec_explain(const struct exec_program *program, const struct exec_failure *failure,
                 struct err *err)
{
    int folder, rc;

    if (failure->is_folder)
        return err_set(err, "working directory '%s': %s", program->folder, strerror(failure->code));
    folder = open_folder(program);
    if (failure->code == ENOENT)
        rc = explain_missing(folder, program, err);
    else if (failure->code == EACCES)
        rc = explain_refused(folder, program, err);
    else if (failure->code == E2BIG)
        rc = err_set(err, "cannot start '%s': command and environment are too long for this system",
                     program->words[0]);
    else
        rc = err_set(err, "cannot start '%s': %s", program->words[0], strerror(failure->code));
    if (folder >= 0)
        close(folder);
    return rc;
}

int exec_check(const struct exec_program *program, struct err *err)
{
    int folder = open_folder(program);
    struct exec_failure failure = {.is_folder = folder < 0, .code = errno};
    char path[4096];

    if (folder >= 0) {
        failure.code = find_file(path, sizeof path, folder, program);
        close(folder);
    }
    return failure.code ? exec_explain(program, &failure, err) : 0;
}
