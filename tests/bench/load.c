/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of reading a data set: prints "seconds processor_seconds peak_bytes n_samples n_features" of
 * the fastest of TIMES repetitions.
 * usage: load TIMES GENOTYPES [PHENOTYPES [phenotyped]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "data/format.h"

static double processor_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

int main(int argc, char **argv)
{
    struct data_spec spec = {.format = &genotype_format};
    double best = 1e9, best_processor = 1e9;
    struct rusage usage;
    struct dataset d = {0};

    if (argc < 3)
        return 2;
    spec.genotypes = argv[2];
    spec.phenotypes = argc > 3 ? argv[3] : NULL;
    spec.subset = argc > 4 ? DATA_SUBSET_PHENOTYPED : DATA_SUBSET_ALL;
    for (int i = 0; i < atoi(argv[1]); i++) {
        double wall = clock_now(&clock_system), processor = processor_s();
        struct data_report report;
        struct err err;

        dataset_release(&d);
        if (data_load(&d, &spec, &report, &err)) {
            fprintf(stderr, "load: %s\n", err.text);
            return 1;
        }
        wall = clock_now(&clock_system) - wall;
        processor = processor_s() - processor;
        best = wall < best ? wall : best;
        best_processor = processor < best_processor ? processor : best_processor;
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("%.4f %.4f %.0f %d %d\n", best, best_processor, (double)usage.ru_maxrss * 1024,
           d.n_samples, d.n_features);
    dataset_release(&d);
    return 0;
}
