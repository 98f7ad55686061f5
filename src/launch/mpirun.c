/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch/mpirun.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/batch.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/process.h"
#include "base/terminal.h"
#include "base/words.h"
#include "launch/environment.h"
#include "launch/host.h"
#include "launch/launch_report.h"
#include "launch/stop.h"
#include "sched/world.h"

#define LOOK_MS 100
/* usually seconds; minutes on an overloaded filesystem */
#define COME_UP_S 600.0
#define LATE_S 30.0
/* to end by itself, and after each signal */
#define END_S 3.0
/* before the ranks have started */
#define STOP_EARLY_S 10.0

/* ---- the end of mpirun ---- */

static volatile sig_atomic_t child_pid, was_asked_to_stop;

struct launch_watch {
    int status;        /* reported by rank 0, or -1 */
    int mpirun_status; /* exit status, or 128 + the signal that ended it */
    bool has_come_up;
    const char *reason; /* why this process ended mpirun, or NULL */

    pid_t pid;        /* of mpirun, leader of a process group */
    struct buf line;  /* incomplete */
    double due_s;     /* end of patience */
    const char *then; /* the reason then */
    double late_s;    /* when to warn of late ranks */
    double heartbeat_s;
    double told_s;         /* of the last signal to stop the ranks */
    struct process leader; /* rank 0; pid -1: not known yet */
    bool is_elsewhere;     /* rank 0 is on another host */
    bool is_leader_gone;
    int n_asked;
    bool has_ended;
};

static double now_s(void)
{
    return clock_now(&clock_system);
}

static void take_sign_of_life(struct launch_watch *w)
{
    double silence_s = w->is_elsewhere ? w->heartbeat_s : 60 + 2 * w->heartbeat_s;

    if (w->is_leader_gone)
        return; /* this one was under way */
    w->due_s = now_s() + silence_s + 2 * ALIVE_S;
    w->then = "rank 0 no longer responds";
}

static void tell_to_stop(struct launch_watch *w)
{
    if (!w->told_s) {
        w->due_s = fmin(w->due_s, now_s() + STOP_EARLY_S);
        w->then = NULL;
    }
    kill(w->pid, SIGUSR1);
    w->told_s = now_s();
}

static void take_line(struct launch_watch *w, const char *line)
{
    if (!strncmp(line, REPORT_UP, sizeof REPORT_UP - 1)) {
        long long pid = -1, start = 0;

        if (was_asked_to_stop)
            tell_to_stop(w);
        w->has_come_up = true;
        w->late_s = INFINITY;
        w->is_elsewhere = sscanf(line + sizeof REPORT_UP - 1, "%lld %lld %64s %63[^\n]", &pid,
                                 &start, w->leader.host, w->leader.realm) >= 3 &&
                          !process_is_here(&w->leader);
        w->leader.pid = pid;
        w->leader.start = start;
        take_sign_of_life(w);
    } else if (!strcmp(line, REPORT_ALIVE)) {
        take_sign_of_life(w);
    } else if (!strncmp(line, REPORT_STATUS, sizeof REPORT_STATUS - 1)) {
        w->status = atoi(line + sizeof REPORT_STATUS - 1);
        w->due_s = now_s() + END_S;
        w->then = NULL;
    } else {
        puts(line);
        fflush(stdout);
    }
}

/* False: the output has ended. */
static bool read_report(struct launch_watch *w, int fd, int wait_ms)
{
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    char bytes[4096];
    ssize_t n;

    if (poll(&wanted, 1, wait_ms) <= 0)
        return wait_ms > 0;
    n = read(fd, bytes, sizeof bytes);
    for (ssize_t i = 0; i < n; i++) {
        if (bytes[i] != '\n') {
            buf_putc(&w->line, bytes[i]);
            continue;
        }
        take_line(w, buf_text(&w->line));
        buf_clear(&w->line);
    }
    return n > 0 || (n < 0 && errno == EINTR);
}

/* The other ranks leave, those on other hosts after heartbeat_limit, and mpirun may wait forever for a
 * daemon there. Nothing that they compute would be stored. */
static void see_end_of_leader(struct launch_watch *w)
{
    if (w->is_leader_gone || w->leader.pid <= 0 || w->is_elsewhere || process_is_alive(&w->leader))
        return;
    w->is_leader_gone = true;
    if (now_s() + END_S < w->due_s) {
        w->due_s = now_s() + END_S;
        w->then = "rank 0 was lost";
    }
}

/* After SIGTERM, mpirun ends processes on other hosts; kill those here only if this fails. */
static void lose_patience(struct launch_watch *w)
{
    if (!w->n_asked)
        w->reason = w->then;
    if (w->n_asked++)
        kill(-w->pid, SIGKILL);
    else
        kill(w->pid, SIGTERM);
    w->due_s = now_s() + END_S;
}

/* report_fd: the standard output of mpirun. */
static void watch(struct launch_watch *w, int report_fd)
{
    struct backoff backoff = {0};
    bool is_open = true;

    while (!w->has_ended) {
        int status;

        if (is_open)
            is_open = read_report(w, report_fd, LOOK_MS);
        else
            clock_sleep(backoff_next(&backoff));
        /* mpirun loses a signal that arrives before its ranks listen, so it is sent until they have
         * started, and once more, however short ago the last was. */
        if (!w->has_come_up && was_asked_to_stop && now_s() >= w->told_s + STOP_AGAIN_S)
            tell_to_stop(w);
        /* A daemon of Open MPI that cannot reach mpirun ends without a message, and mpirun waits for
         * it forever. */
        if (now_s() >= w->late_s) {
            w->late_s = INFINITY;
            log_warn(
                "not all ranks have started after %.0f s: programs load slowly, or a host of the "
                "launch cannot reach this one (a firewall, or the wrong network: "
                "OMPI_MCA_oob_tcp_if_include selects one); run gives up after %.0f min",
                LATE_S, COME_UP_S / 60);
        }
        if (waitpid(w->pid, &status, WNOHANG) == w->pid) {
            w->has_ended = true;
            w->mpirun_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        see_end_of_leader(w);
        if (!w->has_ended && now_s() > w->due_s)
            lose_patience(w);
    }
    while (is_open && read_report(w, report_fd, 0))
        continue;
    buf_release(&w->line);
}

/* ---- its beginning ---- */

int mpirun_check_ranks(long ranks, struct err *err)
{
    const long each = 16;
    int cores = host_cores();
    struct rlimit limit;
    struct batch_job job;
    long needed;

    batch_job_here(&job);
    if (ranks > each * cores && job.system == BATCH_NONE)
        return err_set(err, "--ranks %ld: must be at most %ld, %ld for each of the %d cores here",
                       ranks, each * cores, each, cores);
    /* With fewer, mpirun of Open MPI 4 never starts the ranks: 2 ranks start with 40 but not with 32, 4
     * with 48 but not with 40. In a batch job most may be on other hosts. */
    needed = 32 + 4 * (job.system == BATCH_NONE ? ranks : 1);
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= (rlim_t)needed)
        return 0;
    return err_set(
        err,
        "ulimit -n is %ld here: mpirun needs %ld open files for %ld ranks; raise it with "
        "ulimit -n %ld",
        (long)limit.rlim_cur, needed, ranks, needed);
}

double mpirun_begun(void)
{
    const char *begun = getenv(LAUNCH_BEGUN);
    double passed_s = begun ? clock_unix() - strtod(begun, NULL) : 0;

    return clock_now(&clock_system) - fmax(passed_s, 0);
}

static void forward(int signal_number)
{
    (void)signal_number;
    was_asked_to_stop = 1;
    if (child_pid > 0)
        kill((pid_t)child_pid, SIGUSR1);
}

/* Hide -n, and options that the ranks get otherwise. */
static int words_to_drop(const char *word)
{
    if (!strcmp(word, "-n") || !strcmp(word, "--ranks") || !strcmp(word, "--progress"))
        return 2;
    if (!strncmp(word, "-n", 2) || !strncmp(word, "--ranks=", 8) ||
        !strncmp(word, "--progress=", 11))
        return 1;
    return 0;
}

enum { MAX_WORDS = 48 }; /* before the program */

struct launch_words {
    const char **at;
    size_t n;
};

/* more: ends with NULL. */
static void add(struct launch_words *words, const char *const *more)
{
    while (*more)
        words->at[words->n++] = *more++;
}

#define ADD(words, ...) add(words, (const char *const[]){__VA_ARGS__, NULL})

static const char **make_args(const struct mpirun *launch, int argc, char **argv,
                              const char *program, const char *ranks, const char *cores)
{
    /* mpirun passes to other hosts only the variables of -x */
    static const char *const names[] = {PROCESS_COMMAND, LAUNCH_REPORT, LAUNCH_BEGUN, LAUNCH_WIDTH,
                                        SHARED_VARIABLE, LAUNCH_CHECKS, LAUNCH_DB};
    struct launch_words words = {.at = calloc((size_t)argc + MAX_WORDS, sizeof *words.at)};
    struct batch_job job;
    int major = 0;

    if (!words.at)
        return NULL;
    ADD(&words, "mpirun", "-q", "-n", ranks);
    if (geteuid() == 0)
        ADD(&words, "--allow-run-as-root");
    /* Other ranks continue when one dies: an option up to Open MPI 4, a runtime option of PRRTE from 5
     * on. */
    if (sscanf(world_library(), "Open MPI v%d", &major) == 1 && major >= 5)
        ADD(&words, "--runtime-options", "recoverable");
    else
        ADD(&words, "--enable-recovery");
    /* On a shared machine nothing is bound: a rank bound to a busy core waited for seconds. */
    batch_job_here(&job);
    if (job.system == BATCH_NONE)
        ADD(&words, "--oversubscribe", "--bind-to", "none");
    else
        ADD(&words, "--map-by", cores, "--bind-to", "core");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            ADD(&words, "-x", names[i]);
    ADD(&words, program, launch->verb);
    if (launch->progress)
        ADD(&words, "--progress", launch->progress);
    ADD(&words, "--color", launch->color);
    for (int i = 1; i < argc; i++) {
        int skip = words_to_drop(argv[i]);

        if (skip)
            i += skip - 1;
        else
            ADD(&words, argv[i]);
    }
    return words.at;
}

/* The user's settings take precedence. */
static void set_options(const struct mpirun *launch)
{
    struct batch_job job;
    char seconds[16];

    /* Up to this many daemons talk to mpirun directly, not through another host. */
    setenv("OMPI_MCA_routed_radix", "1024", 0);
    /* A daemon that mpirun cannot reach ends its ranks and itself after 3 times this. */
    snprintf(seconds, sizeof seconds, "%.0f", fmax(launch->heartbeat_s, 1));
    setenv("OMPI_MCA_oob_tcp_keepalive_time", seconds, 0);
    snprintf(seconds, sizeof seconds, "%.0f", fmax(launch->heartbeat_s / 3, 1));
    setenv("OMPI_MCA_oob_tcp_keepalive_intvl", seconds, 0);
    setenv("OMPI_MCA_oob_tcp_keepalive_probes", "6", 0);
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    batch_job_here(&job);
    if (job.system != BATCH_NONE)
        return;
    /* The daemon detaches from the ssh that started it, since a broken ssh would end the launch. A
     * batch system that starts daemons itself must keep hold of them. */
    setenv("OMPI_MCA_plm_rsh_no_tree_spawn", "1", 0);
    /* On one host shared memory is enough, and networks take 0.2 s to open. */
    if (!getenv("OMPI_MCA_orte_default_hostfile"))
        setenv("OMPI_MCA_pml", "ob1", 0);
}

static void become_mpirun(const struct mpirun *launch, const char **args, int failure, int report)
{
    int null = open("/dev/null", O_RDONLY);

    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    /* Ctrl-C must reach only this process's parent. */
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    dup2(report, STDOUT_FILENO);
    set_options(launch);
    execvp(args[0], (char *const *)args);
    if (write(failure, &errno, sizeof errno) < 0)
        _exit(126);
    _exit(127);
}

static int start(struct launch_watch *w, const struct mpirun *launch, const char **args,
                 struct err *err)
{
    int failure[2], report[2], code = 0, rc = 0;
    ssize_t got;
    pid_t pid;

    if (pipe2(failure, O_CLOEXEC) || pipe2(report, O_CLOEXEC))
        return err_set(err, "pipe: %s", strerror(errno));
    pid = fork();
    if (pid < 0)
        return err_set(err, "fork: %s", strerror(errno));
    if (!pid)
        become_mpirun(launch, args, failure[1], report[1]);
    child_pid = (sig_atomic_t)pid;
    stop_install(forward, 0);
    close(failure[1]);
    close(report[1]);
    while ((got = read(failure[0], &code, sizeof code)) < 0 && errno == EINTR)
        continue;
    if (got > 0) {
        waitpid(pid, NULL, 0);
        rc = err_set(err, "cannot start mpirun: %s; is Open MPI in the PATH?", strerror(code));
    }
    *w = (struct launch_watch){.status = -1,
                               .pid = pid,
                               .due_s = now_s() + COME_UP_S,
                               .then = "not all ranks have started",
                               .late_s = now_s() + LATE_S,
                               .heartbeat_s = launch->heartbeat_s,
                               .leader = {.pid = -1}};
    if (!rc)
        watch(w, report[0]);
    close(failure[0]);
    close(report[0]);
    return rc;
}

/* `mpirun -q` hides its reason. Without -q it would also print pages about each rank that dies. */
static int explain_no_start(const struct mpirun *launch, int mpirun_status, struct err *err)
{
    struct batch_job job;
    int tasks = batch_slurm_tasks();
    char placement[48] = "--oversubscribe";

    batch_job_here(&job);
    if (job.system != BATCH_NONE)
        snprintf(placement, sizeof placement, "--map-by slot:PE=%d", launch->threads);
    if (tasks > 0 && tasks < launch->ranks)
        return err_set(err,
                       "-n %d, but Slurm job %s has %d task%s: ask for --ntasks=%d, or use -n %d; "
                       "no trial was run",
                       launch->ranks, job.id, tasks, plural(tasks), launch->ranks, tasks);
    return err_set(err,
                   "mpirun ended with status %d before the ranks had started: no trial was run; "
                   "'mpirun -n %d %s hostname' prints the reason",
                   mpirun_status, launch->ranks, placement);
}

static int end_status(enum exit_status *status, const struct launch_watch *end, struct err *err)
{
    *status = EXIT_RESUMABLE;
    /* Nothing had begun. A rank that exits from its signal handler is lost to others, which may
     * have reported that. */
    if (was_asked_to_stop && !end->has_come_up) {
        log_info(STOP_BEFORE);
        return 0;
    }
    if (end->status >= 0)
        *status = (enum exit_status)end->status;
    if (end->status >= 0 || (was_asked_to_stop && !end->reason))
        return 0;
    if (end->reason)
        return err_set(err,
                       "%s: mpirun was ended; all committed results are safe; the same command "
                       "continues",
                       end->reason);
    return err_set(err,
                   "rank 0 was lost (mpirun ended with status %d); all results up to half a second "
                   "before are in the database; the same command continues",
                   end->mpirun_status);
}

int mpirun_run(enum exit_status *status, bool *is_cut, const struct mpirun *launch, int argc,
               char **argv, struct err *err)
{
    char program[4096], ranks[16], cores[32], text[32];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    struct launch_watch end;
    const char **args;
    int rc;

    if (n < 0)
        return err_set(err, "/proc/self/exe: %s", strerror(errno));
    program[n] = '\0';
    snprintf(ranks, sizeof ranks, "%d", launch->ranks);
    snprintf(cores, sizeof cores, "slot:PE=%d", launch->threads);
    setenv(PROCESS_COMMAND, launch->command, 1);
    setenv(LAUNCH_REPORT, "1", 1);
    snprintf(text, sizeof text, "%.3f", clock_unix() - (now_s() - launch->begun_s));
    setenv(LAUNCH_BEGUN, text, 1);
    /* the ranks write to pipes, but a terminal may show what they write */
    snprintf(text, sizeof text, "%d", isatty(STDERR_FILENO) ? terminal_width(STDERR_FILENO) : 0);
    setenv(LAUNCH_WIDTH, text, 1);
    args = make_args(launch, argc, argv, program, ranks, cores);
    if (!args)
        return err_nomem(err, "arguments", (size_t)argc * sizeof *args);
    rc = start(&end, launch, args, err);
    free(args);
    if (rc)
        return rc;
    if (!end.has_come_up && !end.reason && end.status < 0 && !was_asked_to_stop)
        return explain_no_start(launch, end.mpirun_status, err);
    *is_cut = was_asked_to_stop && end.has_come_up && end.status < 0 && !end.reason;
    return end_status(status, &end, err);
}
