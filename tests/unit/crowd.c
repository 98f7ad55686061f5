/* SPDX-License-Identifier: BSD-3-Clause */
#include "crowd.h"
#include "unit.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "program/port.h"

static char token[64];

int32_t crowd_host(const struct crowd *crowd, int32_t rank)
{
    return rank * crowd->n_hosts / crowd->size;
}

void crowd_place(struct gang_place *place, const struct crowd *crowd, int32_t rank)
{
    static char name[16];

    *place = (struct gang_place){.rank = rank,
                                 .size = crowd->size,
                                 .host = crowd_host(crowd, rank),
                                 .n_hosts = crowd->n_hosts,
                                 .host_name = name,
                                 .address = "127.0.0.1",
                                 .port = crowd->port,
                                 .token = token};
    for (int32_t r = 0; r < crowd->size; r++) {
        bool is_beside = crowd_host(crowd, r) == place->host;

        place->local_size += is_beside;
        place->local_rank += is_beside && r < rank;
    }
    snprintf(name, sizeof name, "node%d", place->host);
}

void crowd_check(struct crowd_report *report, bool is_right, const char *what)
{
    if (!is_right && !*report->wrong)
        snprintf(report->wrong, sizeof report->wrong, "%s", what);
}

static int open_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int n = 0;

    while (folder && readdir(folder))
        n++;
    if (folder)
        closedir(folder);
    return n;
}

/* True if a file of /proc has a line with this text. */
static bool has_line(const char *path, const char *text)
{
    FILE *file = fopen(path, "r");
    char line[512];
    bool found = false;

    while (file && fgets(line, sizeof line, file))
        found |= strstr(line, text) != NULL;
    if (file)
        fclose(file);
    return found;
}

static void live(const struct crowd *crowd, int32_t rank)
{
    struct crowd_report *report = &crowd->reports[rank];
    struct gang_options options = {.n_workers = crowd->n_workers,
                                   .build = "espalier 1.0 (aaaa)",
                                   .processor = "AVX2 kernels",
                                   .meet_s = crowd->meet_s,
                                   .silent_s = crowd->silent_s};
    int n_open = open_descriptors();
    struct gang_failure failure;
    struct gang_place place;
    struct gang_member *gang;

    crowd_place(&place, crowd, rank);
    if (crowd->dress)
        crowd->dress(&place, &options);
    if (!gang_open(&gang, &place, &options, &failure)) {
        report->has_begun = true;
        crowd->act(crowd, gang, report);
        failure = *gang_failure(gang);
        crowd_check(report, gang_crew(gang)->has_failed == (failure.trouble != GANG_FINE),
                    "has_failed");
    }
    report->ended_s = clock_now(&clock_system);
    report->trouble = failure.trouble;
    snprintf(report->why, sizeof report->why, "%.511s", failure.why.text);
    gang_close(gang);
    crowd_check(report, open_descriptors() == n_open, "left a descriptor open");
    crowd_check(report, !has_line("/proc/self/maps", "espalier-gang"), "left memory mapped");
}

void crowd_run(struct crowd *crowd)
{
    static struct crowd_report *reports;
    static int n_runs;
    pid_t pids[CROWD_MOST];
    char hex[HASH_HEX_SIZE];

    if (!reports)
        reports = mmap(NULL, CROWD_MOST * sizeof *reports, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(reports, MAP_FAILED);
    memset(reports, 0, CROWD_MOST * sizeof *reports);
    crowd->reports = reports;
    crowd->port = port_find(0, 1, n_runs++);
    snprintf(token, sizeof token, "crowd %d of process %d", n_runs, (int)getpid());
    fflush(NULL);
    for (int32_t rank = 0; rank < crowd->size; rank++) {
        pids[rank] = fork();
        assert_true(pids[rank] >= 0);
        if (pids[rank])
            continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        live(crowd, rank);
        exit(0);
    }
    if (crowd->meddle)
        crowd->meddle(crowd, pids);
    for (int32_t rank = 0; rank < crowd->size; rank++)
        assert_int_equal(waitpid(pids[rank], &reports[rank].status, 0), pids[rank]);
    for (int32_t rank = 0; rank < crowd->size; rank++)
        assert_string_equal(reports[rank].wrong, "");
    assert_false(has_line("/proc/net/unix", hash_hex(hash_text(token), hex)));
}
