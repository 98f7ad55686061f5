/* SPDX-License-Identifier: BSD-3-Clause */
/* Trainings with workers = 2, by one rank and by the two ranks of a gang (fork), in turn. Prints CSV
 * lines "case,value,unit,beside,target" from the shortest of ROUNDS runs each; of the 1.05 of the
 * first line, less is better.
 * usage: workers [ROUNDS]
 *        workers time TASK RANKS           2 workers on 1 or 2 ranks; TASK is nodes or graphs
 *        workers host TASK ADDRESS RANK    rank 0 or 1 of two hosts, by TCP
 *        workers dump TASK FILE            write the peer's data there (dump.h), and FILE.start:
 *                int32 hidden, epochs, batch, weights; initial weights (float); int32 order of the
 *                training samples in each epoch, if there are batches
 * time and host print the seconds of a training from the end of its first epoch to that of its last
 * one; dump prints the losses of a training without dropout, a line for each epoch. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/toy.h"
#include "base/clock.h"
#include "base/rng.h"
#include "dump.h"
#include "gang/gang.h"
#include "gcn/train.h"

enum { MOST_EPOCHS = 30, PORT = 47391 };

struct problem {
    struct dataset data;
    struct csr adjacency;
    struct gcn_inputs inputs;
    struct split split;
    struct gcn_spec spec;
};

/* A rank leaves this behind in memory that the processes share. */
struct run {
    double seconds;           /* of all epochs */
    double processor_seconds; /* likewise */
    double loss;
    double losses[MOST_EPOCHS]; /* of training */
    int status;                 /* enum gcn_status */
};

static struct rng rng;
static uint32_t n_drawn;

static double draw(void)
{
    return rng_uniform(&rng, 0, n_drawn++);
}

static void *take(size_t n, size_t size)
{
    void *taken = calloc(n, size);

    if (!taken) {
        fprintf(stderr, "workers: out of memory\n");
        exit(1);
    }
    return taken;
}

static void fail_on(int rc, const struct err *err)
{
    if (!rc)
        return;
    fprintf(stderr, "workers: %s\n", err->text);
    exit(1);
}

/* ---- two problems ---- */

/* n edges in both directions between nodes begin ... end - 1; returns the triplets. */
static int64_t connect(struct triplet *t, int32_t begin, int32_t end, int64_t n)
{
    int64_t at = 0;

    for (int64_t e = 0; e < n && end - begin > 1; e++) {
        int32_t a = begin + (int32_t)(draw() * (end - begin));
        int32_t b = begin + (int32_t)(draw() * (end - begin));

        if (a == b)
            b = a + 1 < end ? a + 1 : begin;
        t[at++] = (struct triplet){a, b, 1};
        t[at++] = (struct triplet){b, a, 1};
    }
    return at;
}

static void finish(struct problem *p, struct triplet *t, int64_t n)
{
    struct dataset *data = &p->data;
    int32_t *label = take((size_t)data->n_samples, sizeof *label);
    int32_t *samples = take((size_t)data->n_samples, sizeof *samples);
    struct csr *adjacency = &p->adjacency;
    struct err err;

    fail_on(mat_init(&data->features, data->n_nodes, data->n_features, &err), &err);
    for (int64_t i = 0; i < mat_size(&data->features); i++)
        data->features.v[i] = (float)(2 * draw() - 1);
    for (int32_t i = 0; i < data->n_samples; i++) {
        label[i] = (int32_t)(draw() * data->n_classes);
        samples[i] = i;
    }
    data->label = label;
    data->task = TASK_CLASSIFICATION;
    fail_on(csr_from_triplets(adjacency, data->n_nodes, data->n_nodes, t, n, &err), &err);
    for (int64_t e = 0; e < csr_nnz(adjacency); e++)
        adjacency->val[e] = 1;
    fail_on(toy_make_inputs(&p->inputs, data, adjacency, &(struct gcn_inputs_spec){0}, &err), &err);
    p->split.n_train = data->n_samples * 6 / 10;
    p->split.n_val = p->split.n_test = data->n_samples / 5;
    p->split.train = samples;
    p->split.val = samples + p->split.n_train;
    p->split.test = p->split.val + p->split.n_val;
    free(t);
}

static struct gcn_spec make_spec(int32_t hidden_size, int32_t epochs)
{
    return (struct gcn_spec){.layers = 3,
                             .hidden_size = hidden_size,
                             .dropout = 0.3,
                             .epochs = epochs,
                             .learning_rate = 0.01,
                             .objective = METRIC_ACCURACY,
                             .maximize = true};
}

/* 50,000 nodes with 64 features, a million directed edges without any locality. */
static void make_nodes(struct problem *p)
{
    enum { NODES = 50000, EDGES = 500000 };
    struct triplet *t = take(2 * EDGES, sizeof *t);

    *p = (struct problem){.spec = make_spec(64, 12)};
    p->data.n_samples = p->data.n_nodes = NODES;
    p->data.n_features = 64;
    p->data.n_classes = 7;
    finish(p, t, connect(t, 0, NODES, EDGES));
}

/* As PROTEINS: 1,113 graphs of 39 nodes on average, with 3.7 edges each and 3 features. */
static void make_graphs(struct problem *p)
{
    enum { GRAPHS = 1113, MOST_NODES = 74 };
    struct triplet *t = take((size_t)GRAPHS * MOST_NODES * 4, sizeof *t);
    int64_t *start = take(GRAPHS + 1, sizeof *start);
    int64_t n = 0;

    *p = (struct problem){.spec = make_spec(128, MOST_EPOCHS / 2)};
    for (int32_t g = 0; g < GRAPHS; g++) {
        int32_t size = 4 + (int32_t)(draw() * (MOST_NODES - 4));

        start[g + 1] = start[g] + size;
        n += connect(t + n, (int32_t)start[g], (int32_t)start[g + 1], size * 37 / 20);
    }
    p->data.n_samples = GRAPHS;
    p->data.n_nodes = (int32_t)start[GRAPHS];
    p->data.graph_start = start;
    p->data.n_features = 3;
    p->data.n_classes = 2;
    p->spec.pool = POOL_MEAN;
    p->spec.batch_size = 64;
    finish(p, t, n);
}

/* ---- runs ---- */

static double processor_seconds(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Processor time of the epochs, without the inputs and the last scores. */
struct watch {
    double first_processor, last_processor;
};

static bool epoch_done(void *arg, const struct gcn_outcome *so_far, const struct gcn_run *run)
{
    struct watch *watch = arg;

    (void)run;
    watch->last_processor = processor_seconds();
    if (so_far->epochs_run == 1)
        watch->first_processor = watch->last_processor;
    return true;
}

static void train(struct run *out, const struct problem *p, int32_t workers, struct crew *crew)
{
    struct gcn_epoch curve[MOST_EPOCHS];
    struct gcn_outcome outcome = {.curve = curve};
    struct gcn_spec spec = p->spec;
    struct arena scratch = {0};
    struct watch watch;
    struct gcn_observer observer = {.epoch_done = epoch_done, .arg = &watch};
    struct err err;

    spec.workers = workers;
    fail_on(gcn_train(&outcome,
                      &(struct gcn_training){.spec = &spec,
                                             .inputs = &p->inputs,
                                             .split = &p->split,
                                             .key = hash_text("bench"),
                                             .threads = 1,
                                             .scratch = &scratch,
                                             .clock = &clock_system,
                                             .observer = &observer,
                                             .crew = crew},
                      &err),
            &err);
    *out = (struct run){.seconds = curve[spec.epochs - 1].seconds - curve[0].seconds,
                        .processor_seconds = watch.last_processor - watch.first_processor,
                        .loss = outcome.losses[PART_TEST],
                        .status = outcome.status};
    for (int32_t i = 0; i < spec.epochs; i++)
        out->losses[i] = curve[i].train_loss;
    arena_release(&scratch);
}

static struct run run_place(const struct problem *p, int32_t workers,
                            const struct gang_place *place)
{
    struct gang_options options = {.n_workers = workers, .build = "", .processor = ""};
    struct gang_failure failure;
    struct gang_member *gang;
    struct run run;

    if (place->size == 1) {
        train(&run, p, workers, NULL);
        return run;
    }
    fail_on(gang_open(&gang, place, &options, &failure), &failure.why);
    train(&run, p, workers, gang_crew(gang));
    gang_close(gang);
    return run;
}

/* Returns the first rank's run. */
static struct run run_ranks(const struct problem *p, int32_t workers, int32_t n_ranks)
{
    static struct run *out;
    static int n_runs;
    char token[64];
    int status;

    if (!out)
        out = mmap(NULL, sizeof *out, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    snprintf(token, sizeof token, "workers %d of process %d", n_runs++, (int)getpid());
    fflush(NULL);
    for (int32_t rank = 0; rank < n_ranks; rank++)
        if (fork() == 0) {
            struct gang_place place = {.rank = rank,
                                       .size = n_ranks,
                                       .local_rank = rank,
                                       .local_size = n_ranks,
                                       .n_hosts = 1,
                                       .host_name = "localhost",
                                       .token = token};
            struct run own = run_place(p, workers, &place);

            if (rank == 0)
                *out = own;
            exit(0);
        }
    for (int32_t rank = 0; rank < n_ranks; rank++)
        if (wait(&status) < 0 || status || out->status != GCN_DONE) {
            fprintf(stderr, "workers: a rank failed\n");
            exit(1);
        }
    return *out;
}

static void keep_shortest(struct run *best, struct run run)
{
    if (best->seconds > 0 && run.loss != best->loss) {
        fprintf(stderr, "workers: losses differ: %.17g and %.17g\n", best->loss, run.loss);
        exit(1);
    }
    if (!(best->seconds > 0))
        *best = run;
    best->seconds = fmin(best->seconds, run.seconds);
    best->processor_seconds = fmin(best->processor_seconds, run.processor_seconds);
}

static void compare(const struct problem *p, const char *name, bool is_full, double target,
                    int rounds)
{
    struct run one = {0}, two = {0}, divided = {0};

    for (int i = 0; i < rounds; i++) {
        if (is_full)
            keep_shortest(&one, run_ranks(p, 1, 1));
        keep_shortest(&two, run_ranks(p, 2, 1));
        keep_shortest(&divided, run_ranks(p, 2, 2));
    }
    if (is_full)
        printf("%s: 2 workers of one rank,%.3f,of the processor time,1 worker (%.2f s; 2: %.2f "
               "s),1.05\n",
               name, two.processor_seconds / one.processor_seconds, one.processor_seconds,
               two.processor_seconds);
    printf("%s: 2 workers of 2 ranks,%.2f,times faster,"
           "1 rank (%.2f s; 2: %.2f s; processor time of a rank %.2f s and %.2f s),%.2f\n",
           name, two.seconds / divided.seconds, two.seconds, divided.seconds, two.processor_seconds,
           divided.processor_seconds, target);
    fflush(stdout);
    if (two.loss != divided.loss) {
        fprintf(stderr, "workers: 2 ranks have other losses than 1\n");
        exit(1);
    }
}

/* ---- for a peer, and on two hosts ---- */

static FILE *put_start(const char *path, const struct problem *p)
{
    struct gcn_epoch curve[1];
    struct gcn_outcome outcome = {.curve = curve};
    struct gcn_spec spec = p->spec;
    struct arena scratch = {0};
    FILE *file = fopen(path, "wb");
    struct err err;

    fail_on(file ? 0 : err_set(&err, "cannot write %s", path), &err);
    spec.epochs = 0;
    fail_on(gcn_train(&outcome,
                      &(struct gcn_training){.spec = &spec,
                                             .inputs = &p->inputs,
                                             .split = &p->split,
                                             .key = hash_text("bench"),
                                             .threads = 1,
                                             .scratch = &scratch,
                                             .clock = &clock_system},
                      &err),
            &err);
    dump_put(file,
             (const int32_t[]){spec.hidden_size, p->spec.epochs, spec.batch_size,
                               (int32_t)outcome.n_weights},
             4);
    fwrite(outcome.weights, sizeof *outcome.weights, (size_t)outcome.n_weights, file);
    arena_release(&scratch);
    return file;
}

/* As gcn/train shuffles. */
static void put_orders(FILE *file, const struct problem *p)
{
    size_t n = (size_t)p->split.n_train;
    int32_t *order = take(n, sizeof *order);
    struct rng batches;

    rng_init(&batches, hash_text("bench"), RNG_BATCH);
    for (int32_t epoch = 1; p->spec.batch_size && epoch <= p->spec.epochs; epoch++) {
        memcpy(order, p->split.train, n * sizeof *order);
        rng_shuffle(order, n, &batches, (uint32_t)epoch);
        dump_put(file, order, n);
    }
    free(order);
}

static void dump(struct problem *p, const char *path)
{
    char start[4096];
    struct run run;
    struct err err;
    FILE *file;

    fail_on(dump_data(path, &p->data, &p->adjacency, &p->split, &err), &err);
    snprintf(start, sizeof start, "%s.start", path);
    file = put_start(start, p);
    put_orders(file, p);
    fail_on(fclose(file) ? err_set(&err, "cannot write %s", start) : 0, &err);
    p->spec.dropout = 0;
    run = run_ranks(p, 2, 2);
    for (int32_t i = 0; i < p->spec.epochs; i++)
        printf("%.9g\n", run.losses[i]);
}

static void run_host(const struct problem *p, const char *address, int32_t rank)
{
    struct gang_place place = {.rank = rank,
                               .size = 2,
                               .local_size = 1,
                               .host = rank,
                               .n_hosts = 2,
                               .host_name = address,
                               .address = address,
                               .port = PORT,
                               .token = "workers"};
    struct run run = run_place(p, 2, &place);

    if (rank == 0)
        printf("%.5f\n", run.seconds);
}

static int use_task(char **argv, int argc)
{
    struct problem p;

    if (strcmp(argv[1], "nodes") == 0)
        make_nodes(&p);
    else
        make_graphs(&p);
    if (strcmp(argv[0], "dump") == 0 && argc == 3)
        dump(&p, argv[2]);
    else if (strcmp(argv[0], "time") == 0 && argc == 3)
        printf("%.5f\n", run_ranks(&p, 2, atoi(argv[2])).seconds);
    else if (strcmp(argv[0], "host") == 0 && argc == 4)
        run_host(&p, argv[2], atoi(argv[3]));
    else
        return 2;
    return 0;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 5;
    struct problem p;

    rng_init(&rng, hash_text("workers"), RNG_SIMULATE);
    if (argc > 2)
        return use_task(argv + 1, argc - 1);
    make_nodes(&p);
    compare(&p, "full batch of 50000 nodes", true, 1.7, rounds);
    make_graphs(&p);
    compare(&p, "batches of 64 graphs", false, 1.85, rounds);
    return 0;
}
