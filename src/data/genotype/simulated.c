#include <stdio.h>
#include <stdlib.h>

#include "data/core/membership.h"
#include "data/core/reader.h"

/* A simulated panel as a dataset: samples are s1, s2 ..., markers CHROMOSOME_NUMBER. */

#define NAME_SIZE 24

struct simulated {
    int8_t *genotypes; /* (samples, markers) */
    float *trait;
    const char **id;     /* [samples] */
    const char **marker; /* [markers] */
    char (*text)[NAME_SIZE];
    struct membership membership;
};

static void release(struct simulated *p)
{
    membership_release(&p->membership);
    free(p->genotypes);
    free(p->trait);
    free(p->id);
    free(p->text);
}

static int name_all(struct simulated *p, const struct simulate_spec *s, struct err *err)
{
    size_t n = (size_t)s->samples + (size_t)s->markers;

    p->text = malloc(n * sizeof *p->text);
    p->id = malloc(n * sizeof *p->id);
    p->marker = p->id + s->samples;
    if (!p->text || !p->id)
        return err_nomem(err, "names", n * sizeof *p->text);
    for (size_t i = 0; i < n; i++)
        p->id[i] = p->text[i];
    for (int32_t i = 0; i < s->samples; i++)
        snprintf(p->text[i], NAME_SIZE, "s%d", i + 1);
    for (int32_t j = 0; j < s->markers; j++)
        snprintf(p->text[s->samples + j], NAME_SIZE, "%d_%d", simulate_chromosome(j, s->markers),
                 j + 1);
    return 0;
}

static int make_panel(struct simulated *p, const struct simulate_spec *s, struct err *err)
{
    if (s->samples < 1 || s->markers < 1)
        return err_set(err, "data.samples = %d, data.markers = %d: must be at least 1", s->samples,
                       s->markers);
    p->genotypes = malloc((size_t)s->samples * (size_t)s->markers);
    p->trait = malloc((size_t)s->samples * sizeof *p->trait);
    if (!p->genotypes || !p->trait)
        return err_nomem(err, "simulated panel", (size_t)s->samples * (size_t)s->markers);
    if (simulate_panel(p->genotypes, p->trait, s, err) != 0)
        return -1;
    return name_all(p, s, err);
}

/* A split file may say who is where, as for data that are read. */
static int read_membership(struct simulated *p, const struct data_spec *spec, struct err *err)
{
    const struct target target = {.value = p->trait};
    struct names ids = {0};
    int status = 0;

    for (int32_t i = 0; status == 0 && i < spec->simulate.samples; i++)
        status = names_add(&ids, p->id[i], 0, err) < 0 ? -1 : 0;
    if (status == 0)
        status = membership_read(&p->membership, spec, &ids, "the simulated panel", NULL, NULL,
                                 &target, err);
    names_release(&ids);
    return status;
}

int simulated_load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
                   struct err *err)
{
    const struct simulate_spec *s = &spec->simulate;
    struct simulated p = {0};
    int status = make_panel(&p, s, err);

    if (status == 0 && spec->split && *spec->split)
        status = read_membership(&p, spec, err);

    if (status == 0) {
        struct draft draft = {
            .n_samples = s->samples,
            .n_features = s->markers,
            .dosage = p.genotypes,
            .target = p.trait,
            .ids = p.id,
            .feature_names = p.marker,
        };

        membership_into(&draft, &p.membership);
        report->n_genotyped = report->n_phenotyped = report->n_joined = s->samples;
        report->n_markers_read = s->markers;
        status = draft_build(out, &draft, err);
    }
    release(&p);
    return status;
}
