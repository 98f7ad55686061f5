/* SPDX-License-Identifier: BSD-3-Clause */
/* Seconds of a sum over two ranks for many sizes: constants of the cost model (doc/decisions/0057).
 * usage: links                    two ranks of this host (fork), shared memory
 *        links ADDRESS RANK       one of two, each on a host of its own, by TCP
 * The first rank prints a line for each size: bytes, seconds of a sum, processor seconds of a sum, the
 * least of many short turns. Both include the time to write the addends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "gang/gang.h"

enum { PORT = 47392, MOST = 4 << 20 };

static double processor_seconds(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static void measure(struct crew *crew, float *total, float *parts, const float *addend,
                    size_t count)
{
    double wall_s = 1e9, processor_s = 1e9;
    int times = count < 1 << 14 ? 20 : 1, turns = count < 1 << 14 ? 500 : 100;

    for (int i = 0; i < turns; i++) {
        double begun_s = clock_now(&clock_system), used_s = processor_seconds();

        for (int t = 0; t < times; t++) {
            memcpy(parts + (size_t)crew->first * count, addend, count * sizeof *parts);
            crew->calls->sum(crew, total, parts, count, 0, count);
        }
        wall_s = least(wall_s, (clock_now(&clock_system) - begun_s) / times);
        processor_s = least(processor_s, (processor_seconds() - used_s) / times);
    }
    if (crew->first == 0)
        printf("%zu %.9f %.9f\n", count * sizeof *parts, wall_s, processor_s);
}

static int run(const struct gang_place *place)
{
    struct gang_options options = {.n_workers = 2, .build = "", .processor = ""};
    float *total = calloc(MOST, sizeof *total), *addend = calloc(MOST, sizeof *addend);
    struct gang_failure failure;
    struct gang_member *gang;
    struct err err;

    if (!total || !addend || gang_open(&gang, place, &options, &failure)) {
        fprintf(stderr, "links: %s\n", total && addend ? failure.why.text : "out of memory");
        return 1;
    }
    for (size_t count = 1; count <= MOST && !gang_crew(gang)->has_failed; count *= 4) {
        float *parts = gang_crew(gang)->calls->take_parts(gang_crew(gang), count, &err);

        if (parts)
            measure(gang_crew(gang), total, parts, addend, count);
    }
    if (gang_crew(gang)->has_failed) {
        fprintf(stderr, "links: %s\n", gang_failure(gang)->why.text);
        return 1;
    }
    gang_close(gang);
    free(total);
    free(addend);
    return 0;
}

static int run_local(void)
{
    struct gang_place place = {.size = 2, .local_size = 2, .n_hosts = 1, .host_name = "localhost"};
    char token[64];
    int other, own;
    pid_t pid;

    snprintf(token, sizeof token, "links %d", (int)getpid());
    place.token = token;
    pid = fork();
    place.rank = place.local_rank = pid ? 0 : 1;
    own = run(&place);
    if (pid == 0)
        exit(own);
    return own || waitpid(pid, &other, 0) != pid || other ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct gang_place place = {
        .size = 2, .local_size = 1, .n_hosts = 2, .port = PORT, .token = "links"};

    if (argc < 3)
        return run_local();
    place.address = place.host_name = argv[1];
    place.rank = place.host = atoi(argv[2]);
    return run(&place);
}
