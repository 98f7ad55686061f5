/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/duration.h"

/* ---- output of another program ---- */

enum { MOST_BYTES = 1 << 20 };
#define LOOK_S 0.005  /* seconds between checks for the end of a program */
#define GIVE_UP_S 1.0 /* seconds for a killed program to end; a hanging filesystem can keep it */

/* Exit status of a child without a program, where posix_spawn() does not report this (some C
 * libraries, valgrind). */
enum { NOT_FOUND = 127 };

/* Some MPI libraries do not allow fork(). A process group is killed with its children. */
static int spawn(pid_t *pid, int out, const char *const *argv)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    int rc;

    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDERR_FILENO);
    rc = posix_spawnp(pid, argv[0], &files, &attributes, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return rc ? -1 : 0;
}

static int read_all(struct buf *out, int fd, double until_s)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    size_t begin = out->size;
    char piece[4096];

    for (;;) {
        double left_s = until_s - clock_now(&clock_system);
        ssize_t n;

        if (left_s <= 0 || out->size - begin > MOST_BYTES)
            return -1;
        if (poll(&poll_fd, 1, (int)ceil(1000 * left_s)) <= 0)
            continue;
        n = read(fd, piece, sizeof piece);
        if (n == 0)
            return buf_failed(out) ? -1 : 0;
        if (n > 0)
            buf_add(out, piece, (size_t)n);
        else if (errno != EINTR)
            return -1;
    }
}

static bool wait_until(pid_t pid, int *status, double until_s)
{
    for (;;) {
        pid_t got = waitpid(pid, status, WNOHANG);

        if (got == pid)
            return true;
        if ((got < 0 && errno != EINTR) || clock_now(&clock_system) >= until_s)
            return false;
        clock_sleep(LOOK_S);
    }
}

int batch_command_read(struct buf *out, const char *const *argv, double limit_s)
{
    double until_s = clock_now(&clock_system) + limit_s;
    int ends[2], status = 0;
    pid_t pid;
    int rc;

    if (pipe2(ends, O_CLOEXEC))
        return -1;
    rc = spawn(&pid, ends[1], argv);
    close(ends[1]);
    if (!rc) {
        rc = read_all(out, ends[0], until_s);
        if (rc || !wait_until(pid, &status, until_s)) {
            kill(-pid, SIGKILL);
            wait_until(pid, &status, clock_now(&clock_system) + GIVE_UP_S);
            rc = -1;
        }
    }
    close(ends[0]);
    if (rc || !WIFEXITED(status) || WEXITSTATUS(status) == NOT_FOUND)
        return -1;
    return WEXITSTATUS(status);
}

/* ---- the job of this process ---- */

/* Slurm reports an end one year after the start for a job without a time limit. */
#define NO_LIMIT_S (360.0 * 86400)

enum { LINE_SIZE = 256 };

/* The id becomes a word of a command. */
static bool is_id(const char *id)
{
    size_t n = strlen(id);

    return n > 0 && n < sizeof((struct batch_job *)0)->id && !strchr("._[]@-", *id) &&
           strspn(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._[]@-") ==
               n &&
           strcmp(id, "0") != 0;
}

static bool is_set(const char *variable, const char **value)
{
    *value = getenv(variable);
    return *value && is_id(*value);
}

/* Store the id of the job-array element if it fits. */
static void set_job(struct batch_job *job, enum batch_system system, const char *id,
                    const char *element)
{
    job->system = system;
    strcpy(job->id, is_id(element) ? element : id);
}

void batch_job_here(struct batch_job *job)
{
    char element[2 * sizeof job->id + 3] = "";
    const char *id, *array, *index;

    *job = (struct batch_job){.system = BATCH_NONE};
    if (is_set("SLURM_JOB_ID", &id)) {
        index = getenv("SLURM_ARRAY_TASK_ID");
        if (is_set("SLURM_ARRAY_JOB_ID", &array) && index)
            snprintf(element, sizeof element, "%s_%s", array, index);
        set_job(job, BATCH_SLURM, id, element);
    } else if (is_set("LSB_JOBID", &id)) {
        if (is_set("LSB_JOBINDEX", &index))
            snprintf(element, sizeof element, "%s[%s]", id, index);
        set_job(job, BATCH_LSF, id, element);
    } else if (is_set("PBS_JOBID", &id)) {
        set_job(job, BATCH_PBS, id, element);
    }
}

const char *batch_slurm_end(double *end)
{
    const char *text = getenv("SLURM_JOB_END_TIME");
    bool is_number = text && *text && text[strspn(text, "0123456789")] == '\0';

    *end = is_number ? strtod(text, NULL) : (double)NAN;
    return text;
}

int batch_slurm_tasks(void)
{
    const char *text = getenv("SLURM_TASKS_PER_NODE");
    int sum = 0, tasks, nodes, used;

    while (text && *text) {
        nodes = 1;
        used = 0;
        if (sscanf(text, "%6d%n", &tasks, &used) != 1 || tasks < 1)
            return 0;
        text += used;
        used = 0;
        if (*text == '(' && (sscanf(text, "(x%6d)%n", &nodes, &used) != 1 || !used || nodes < 1))
            return 0;
        text += used;
        if (*text && *text++ != ',')
            return 0;
        sum += tasks * nodes;
    }
    return sum;
}

/* ---- parsing: lines without the blanks around them ---- */

static bool next_line(char line[LINE_SIZE], const char **text)
{
    size_t n = strcspn(*text, "\n"), first = strspn(*text, " \t\r"), last = n;

    if (!**text)
        return false;
    while (last > first && strchr(" \t\r", (*text)[last - 1]))
        last--;
    snprintf(line, LINE_SIZE, "%.*s", (int)(last > first ? last - first : 0), *text + first);
    *text += n + ((*text)[n] == '\n');
    return true;
}

/* Find the value of "name = value". */
static bool field(char value[LINE_SIZE], const char *text, const char *name)
{
    char line[LINE_SIZE];
    size_t n = strlen(name);

    while (next_line(line, &text))
        if (!strncmp(line, name, n) && !strncmp(line + n, " = ", 3)) {
            memmove(value, line + n + 3, strlen(line + n + 3) + 1);
            return true;
        }
    return false;
}

/* ---- time left ---- */

static double not_negative(double seconds)
{
    return seconds < 0 ? 0 : seconds;
}

/* Parse "1-02:03:04", "2:03:04" or "3:04". INVALID is squeue's word for a negative rest. */
static double squeue_left(const char *text)
{
    double seconds = (double)NAN;
    char line[LINE_SIZE];

    while (next_line(line, &text))
        if (!strcmp(line, "INVALID"))
            seconds = 0;
        else if (!strcmp(line, "UNLIMITED"))
            seconds = (double)INFINITY;
        else if (strchr(line, ':') && duration_parse(&seconds, line, NULL))
            continue;
    return seconds;
}

/* Parse "run_time;runtimelimit". The run time is "62 second(s)" or "00:01:02"; the limit is "90.0"
 * in minutes, "01:30:00", or "-" for none, maybe before "/HOST". */
static double bjobs_left(const char *text)
{
    double seconds = (double)NAN, run_s, limit_min;
    char line[LINE_SIZE], run[32], limit[32];

    while (next_line(line, &text)) {
        if (sscanf(line, "%31[^;];%31[^/;]", run, limit) != 2)
            continue;
        if (strchr(run, ':') ? duration_parse(&run_s, run, NULL) != 0
                             : sscanf(run, "%lf second", &run_s) != 1)
            continue;
        if (strchr(limit, ':') && !duration_parse(&limit_min, limit, NULL))
            seconds = not_negative(limit_min - run_s);
        else if (!strchr(limit, ':') && sscanf(limit, "%lf", &limit_min) == 1)
            seconds = not_negative(60 * limit_min - run_s);
    }
    return seconds;
}

/* Seconds since "Sat Nov 21 10:05:17 2026" in local time; NaN: no start found. */
static double since(const char *text)
{
    static const char *const names[] = {"stime", "start_time"};
    char value[LINE_SIZE];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct tm tm = {.tm_isdst = -1};

        if (field(value, text, names[i]) && strptime(value, "%a %b %d %H:%M:%S %Y", &tm))
            return clock_unix() - (double)mktime(&tm);
    }
    return (double)NAN;
}

/* PBS's used time is minutes old, and the clock ignores a suspension. The larger is safe. */
static double qstat_left(const char *text)
{
    double limit_s, used_s = (double)NAN, since_s = since(text);
    char value[LINE_SIZE];

    if (!field(value, text, "Resource_List.walltime") || duration_parse(&limit_s, value, NULL))
        return (double)NAN;
    if (field(value, text, "resources_used.walltime") && duration_parse(&used_s, value, NULL))
        used_s = (double)NAN;
    used_s = fmax(used_s, since_s); /* fmax() ignores a NaN */
    return isnan(used_s) ? used_s : not_negative(limit_s - used_s);
}

/* ---- the batch systems ---- */

/* Stands for the id of a job in a command. */
#define JOB "JOB"

static const struct system {
    const char *name, *title;
    const char *state[9], *left[7]; /* commands, which end with NULL */
    const char *alive, *gone;       /* states, with a blank before and after each */
    const char *forgotten[2];       /* output for jobs that the system no longer knows */
    double (*parse_left)(const char *text);
} systems[] = {
    [BATCH_NONE] = {.name = "", .title = ""},
    [BATCH_SLURM] = {.name = "slurm",
                     .title = "Slurm",
                     .state = {"squeue", "-h", "-t", "all", "-j", JOB, "-o", "%T"},
                     .left = {"squeue", "-h", "-j", JOB, "-o", "%L"},
                     .alive = " RUNNING COMPLETING SUSPENDED STOPPED SIGNALING STAGE_OUT "
                              "CONFIGURING RESIZING REQUEUED ",
                     .gone = " COMPLETED CANCELLED FAILED TIMEOUT NODE_FAIL PREEMPTED BOOT_FAIL "
                             "DEADLINE OUT_OF_MEMORY REVOKED PENDING REQUEUE_FED REQUEUE_HOLD "
                             "RESV_DEL_HOLD SPECIAL_EXIT ",
                     .forgotten = {"Invalid job id", "Invalid job id"},
                     .parse_left = squeue_left},
    /* UNKWN and ZOMBI (the host does not answer) are neither. */
    [BATCH_LSF] = {.name = "lsf",
                   .title = "LSF",
                   .state = {"bjobs", "-noheader", "-o", "stat", JOB},
                   .left = {"bjobs", "-noheader", "-o", "run_time runtimelimit delimiter=';'", JOB},
                   .alive = " RUN USUSP SSUSP PROV ",
                   .gone = " DONE EXIT PEND PSUSP WAIT FWD_PEND ",
                   .forgotten = {"is not found", "is not found"},
                   .parse_left = bjobs_left},
    [BATCH_PBS] = {.name = "pbs",
                   .title = "PBS",
                   .state = {"qstat", "-f", JOB},
                   .left = {"qstat", "-f", JOB},
                   .alive = " R E S U B ",
                   .gone = " C F X M Q H W T ",
                   .forgotten = {"Unknown Job Id", "Job has finished"},
                   .parse_left = qstat_left},
};

const char *batch_system_name(enum batch_system system)
{
    return systems[system].name;
}

const char *batch_system_title(enum batch_system system)
{
    return systems[system].title;
}

/* Append the output of a command about a job. Returns the exit status; -1: unknown. */
static int ask(struct buf *out, const struct batch_job *job, const char *const *command)
{
    const char *argv[9] = {NULL};

    if (job->system == BATCH_NONE || !is_id(job->id))
        return -1;
    for (int i = 0; command[i]; i++)
        argv[i] = strcmp(command[i], JOB) ? command[i] : job->id;
    return batch_command_read(out, argv, BATCH_LIMIT_S);
}

static bool is_in(const char *words, const char *word)
{
    char padded[LINE_SIZE + 2];

    snprintf(padded, sizeof padded, " %s ", word);
    return *word && !strchr(word, ' ') && strstr(words, padded);
}

static enum batch_answer answer_of(const struct system *system, int status, const char *text)
{
    enum batch_answer answer = BATCH_UNKNOWN;
    char line[LINE_SIZE];

    if (status)
        return strstr(text, system->forgotten[0]) || strstr(text, system->forgotten[1])
                   ? BATCH_GONE
                   : BATCH_UNKNOWN;
    /* squeue prints nothing for a finished job that Slurm still remembers. */
    if (system == &systems[BATCH_SLURM] && !*text)
        return BATCH_GONE;
    while (next_line(line, &text)) {
        const char *state = line;

        if (system == &systems[BATCH_PBS] && !strncmp(line, "job_state = ", 12))
            state += 12;
        if (is_in(system->alive, state))
            return BATCH_ALIVE;
        if (is_in(system->gone, state))
            answer = BATCH_GONE;
    }
    return answer;
}

enum batch_answer batch_ask(const struct batch_job *job)
{
    const struct system *system = &systems[job->system];
    struct buf out = {0};
    int status = ask(&out, job, system->state);
    enum batch_answer answer =
        status < 0 ? BATCH_UNKNOWN : answer_of(system, status, buf_text(&out));

    buf_release(&out);
    return answer;
}

/* INFINITY: no limit. */
static double ask_left(const struct batch_job *job)
{
    const struct system *system = &systems[job->system];
    struct buf out = {0};
    double left_s = ask(&out, job, system->left) ? (double)NAN : system->parse_left(buf_text(&out));

    buf_release(&out);
    return left_s;
}

double batch_job_seconds_left(const struct batch_job *job)
{
    double left_s = ask_left(job);

    return left_s > NO_LIMIT_S ? (double)NAN : left_s;
}

double batch_seconds_left(void)
{
    double left_s = (double)NAN, asked_s;
    struct batch_job job;

    batch_job_here(&job);
    if (job.system == BATCH_SLURM) {
        batch_slurm_end(&left_s);
        left_s -= clock_unix();
    }
    if (!(left_s > 0)) { /* The time limit may have been extended. */
        asked_s = ask_left(&job);
        left_s = asked_s > 0 ? asked_s : fmin(asked_s, left_s); /* fmin() ignores a NaN */
    }
    return left_s > NO_LIMIT_S ? (double)NAN : left_s;
}

bool batch_job_parse(struct batch_job *job, const char *text)
{
    const char *id = text ? strrchr(text, ' ') : NULL;

    *job = (struct batch_job){.system = BATCH_NONE};
    for (int s = BATCH_SLURM; id && s <= BATCH_PBS; s++) {
        size_t n = strlen(systems[s].name);

        if (strncmp(text, systems[s].name, n) != 0 || text[n] != ' ')
            continue;
        job->system = (enum batch_system)s;
        snprintf(job->id, sizeof job->id, "%s", id + 1);
    }
    return job->system != BATCH_NONE && *job->id;
}
