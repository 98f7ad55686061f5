/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdbool.h>
#include <strings.h>

#include "data/core/builder.h"
#include "data/genotype/recode.h"
#include "scratch.h"
#include "sites.h"
#include "unit.h"

/* Random files against a reference that counts letters: a marker's value is the number of times its
 * second allele occurs in a call, whatever REF and ALT of the file. */

#define K 48 /* markers of the data */
#define N 7  /* samples of the data */
#define ROUNDS 20

/* ---- the data ---- */

struct marker_text {
    const char *chrom, *there; /* in the data, in the file */
    int pos;
    char ref, alt;
    bool is_known;
    bool is_long; /* its name contains the alleles */
};

static struct marker_text marker[K];

struct naming {
    const char *data[3], *file[3];
    bool is_mixed; /* prefixes count: 1 and chr1 differ */
};

static const struct naming namings[] = {
    {{"1", "2", "X"}, {"1", "2", "X"}, false},
    {{"1", "2", "X"}, {"chr1", "2", "ChrX"}, false},
    {{"Chr1", "Chr2", "X"}, {"1", "chr2", "CHRX"}, false},
    {{"1", "chr1", "X"}, {"chr1", "1", "X"}, true},
    {{"chr", "2", "X"}, {"chrchr", "Chr2", "X"}, false},
};
#define N_NAMINGS (uint32_t)(sizeof namings / sizeof *namings)

static const char *text_of(int j, bool is_name)
{
    static char text[2][K][40];
    const struct marker_text *m = &marker[j];
    const char *apart = is_name ? "_" : "\t";
    char *out = text[is_name][j];

    sprintf(out, "%s%s%d", m->chrom, apart, m->pos);
    if (m->is_long || !is_name)
        sprintf(out + strlen(out), "%s%s%s%s", apart, sites_spell(m->ref), apart,
                sites_spell(m->alt));
    return m->is_known || is_name ? out : "";
}

enum known { ALL, SOME, NONE };

/* Every fifth marker is the second alternative allele of the one before. */
static void make_markers(const struct naming *naming, const char *letters, enum known known)
{
    uint32_t n = (uint32_t)strlen(letters);

    for (int j = 0; j < K; j++) {
        struct marker_text *m = &marker[j];

        m->chrom = naming->data[3 * j / K];
        m->there = naming->file[3 * j / K];
        m->pos = 100 * j + 1;
        m->ref = letters[draw(n)];
        m->is_known = known == ALL || (known == SOME && draw(2));
        m->is_long = false;
        do
            m->alt = letters[draw(n)];
        while (m->alt == m->ref);
        if (j % 5 == 4) {
            *m = m[-1];
            m->is_long = m[-1].is_long = true;
            while (m->alt == m->ref || m->alt == m[-1].alt)
                m->alt = letters[draw(n)];
        }
    }
}

/* Whole numbers with missing values, or fractions. */
static void make_data(struct dataset *d, bool is_whole)
{
    static const char *ids[N] = {"d0", "d1", "d2", "d3", "d4", "d5", "d6"};
    static const float target[N] = {1, 2, 3, 4, 5, 6, 7};
    static const char *names[K], *alleles[K];
    static int8_t dosage[N * K];
    static float features[N * K];
    struct draft draft = {.n_samples = N,
                          .n_features = K,
                          .ploidy = 2,
                          .ids = ids,
                          .target = target,
                          .feature_names = names,
                          .alleles = alleles};
    struct err err;

    for (int j = 0; j < K; j++) {
        names[j] = text_of(j, true);
        alleles[j] = text_of(j, false);
    }
    for (int i = 0; i < N * K; i++) {
        features[i] = (float)draw(1000) / 500;
        dosage[i] = i >= K && draw(6) == 0 ? DOSAGE_MISSING : (int8_t)draw(3);
    }
    if (is_whole)
        draft.dosage = dosage;
    else
        draft.features = features;
    if (draft_build(d, &draft, &err) != 0)
        fail_msg("%s", err.text);
}

/* ---- the file ---- */

struct form {
    const char *name;
    void (*write)(const char *path, const struct sites *sites);
    const char *letters;
    bool is_biallelic;
    bool is_diploid;
};

static const struct form forms[] = {
    {"new.vcf", sites_vcf, "ACGTI", false, false},
    {"new.vcf.gz", sites_bgzf, "ACGTI", false, false},
    {"new.bcf", sites_bcf, "ACGTI", false, false},
    {"new.bed", sites_plink, "ACGTI", true, true},
    {"new.hmp.txt", sites_hapmap, "ACGT", false, true},
};
#define N_FORMS (int)(sizeof forms / sizeof *forms)

static void add(struct sites *out, const struct form *form, int j, const char *allele)
{
    char letters[5] = "";

    strncat(letters, allele, form->is_biallelic ? 2 : 4);
    sites_add(out, marker[j].there, marker[j].pos, letters, form->is_diploid ? 2 : (int)draw(4));
}

static void add_place(struct sites *out, const struct form *form, int j)
{
    char r = marker[j].ref, a = marker[j].alt, other = r;
    const char *all = form->letters;

    while (other == r || other == a)
        other = all[draw((uint32_t)strlen(all))];
    switch (draw(13)) {
    case 0: /* absent */
        break;
    case 1:
    case 2:
        add(out, form, j, (char[]){a, r, 0});
        break;
    case 3:
        add(out, form, j, (char[]){r, other, 0});
        break;
    case 4:
        add(out, form, j, (char[]){other, a, 0});
        break;
    case 5:
        add(out, form, j, (char[]){r, 0});
        break;
    case 6:
        add(out, form, j, (char[]){a, 0});
        break;
    case 7:
        add(out, form, j, (char[]){other, 0});
        break;
    case 8:
        add(out, form, j, (char[]){r, other, a, 0});
        break;
    case 9:
        add(out, form, j, (char[]){a, r, other, 0});
        break;
    case 10: /* twice: the first counts */
        add(out, form, j, (char[]){a, r, 0});
        add(out, form, j, (char[]){r, a, 0});
        break;
    default:
        add(out, form, j, (char[]){r, a, 0});
    }
}

static void make_file(struct sites *out, const struct form *form)
{
    out->n = 0;
    for (int j = 0; j < K; j++) {
        add_place(out, form, j);
        if (draw(4) == 0) /* a site without a marker */
            sites_add(out, marker[j].there, marker[j].pos + 7, "AC", 2);
        if (draw(8) == 0)
            sites_add(out, "un", marker[j].pos, "AC", 2);
    }
}

/* ---- the reference ---- */

enum match { DIFFERENT, SAME, TURNED, BY_NAME, OTHER };

static bool is_mixed;

static bool is_same_chrom(const char *a, const char *b)
{
    char bare[2][16];

    if (is_mixed || !strcmp(a, b))
        return !strcmp(a, b);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? a : b;

        strcpy(bare[i], !strncasecmp(name, "chr", 3) && name[3] ? name + 3 : name);
    }
    return !strcmp(bare[0], bare[1]);
}

static enum match match(const struct letters *s, char alt, const struct marker_text *m)
{
    char ref = s->allele[0];
    bool is_same = ref == m->ref && alt == m->alt;

    if (!is_same_chrom(s->chrom, m->chrom) || s->pos != m->pos)
        return DIFFERENT;
    if (!m->is_known)
        return !m->is_long || is_same ? BY_NAME : DIFFERENT;
    if (is_same)
        return SAME;
    if (!s->allele[2] && alt && ref == m->alt && alt == m->ref)
        return TURNED;
    if (m->is_long)
        return DIFFERENT;
    if (!alt && (ref == m->ref || ref == m->alt))
        return ref == m->ref ? SAME : TURNED;
    return OTHER;
}

static void take(float x[][K], struct recode_report *report, const struct letters *s, int j,
                 char allele, const int32_t *sample, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        const char *call = s->call[sample[i]];

        report->n_missing += !*call;
        if (*call)
            x[i][j] = (float)(2 * sites_count(call, allele)) / (float)strlen(call);
    }
    report->n_found++;
}

static void read_marker(float x[][K], struct recode_report *report, const struct sites *sites,
                        int j, const int32_t *sample, int32_t n)
{
    bool is_other = false;

    for (int k = 0; k < sites->n; k++) {
        const struct letters *s = &sites->site[k];
        int n_alts = (int)strlen(s->allele) - 1;

        for (int a = 1; a <= n_alts || a == 1; a++) {
            enum match what = match(s, s->allele[a], &marker[j]);

            is_other = is_other || what == OTHER;
            if (what == DIFFERENT || what == OTHER)
                continue;
            take(x, report, s, j, what == BY_NAME ? s->allele[a] : marker[j].alt, sample, n);
            report->n_flipped += what == TURNED;
            report->n_by_name += what == BY_NAME;
            report->n_respelled += strcmp(s->chrom, marker[j].chrom) != 0;
            return;
        }
    }
    report->n_other += is_other;
}

static void fill_means(float *fill, const struct dataset *d)
{
    struct mat row = mat_view(fill, 1, K);

    if (d->fill) {
        memcpy(fill, d->fill, K * sizeof *fill);
        return;
    }
    for (int j = 0; j < K; j++) {
        double sum = 0;

        for (int i = 0; i < N; i++) {
            float x[K];

            row.v = x;
            dataset_decode(&row, d, i, 0);
            sum += (double)x[j];
        }
        fill[j] = (float)(sum / N);
    }
}

/* ---- tests ---- */

static void check_read(struct recode *r, const struct sites *sites, const float *fill,
                       const int32_t *sample, int32_t n)
{
    static float wanted[SITES_SAMPLES][K], found[SITES_SAMPLES][K];
    struct mat x = mat_view(&found[0][0], n, K);
    struct recode_report want = {0}, report;
    struct err err;

    for (int32_t i = 0; i < n; i++)
        memcpy(wanted[i], fill, sizeof wanted[i]);
    for (int j = 0; j < K; j++)
        read_marker(wanted, &want, sites, j, sample, n);
    if (recode_read(&x, &report, r, sample, n, &err) != 0)
        fail_msg("%s", err.text);
    for (int32_t i = 0; i < n; i++)
        for (int j = 0; j < K; j++)
            if (found[i][j] != wanted[i][j])
                fail_msg("%s, sample %d, marker %s %c/%c: %g, not %g", r->path, sample[i],
                         text_of(j, true), marker[j].ref, marker[j].alt, (double)found[i][j],
                         (double)wanted[i][j]);
    assert_int_equal(report.n_found, want.n_found);
    assert_int_equal(report.n_flipped, want.n_flipped);
    assert_int_equal(report.n_by_name, want.n_by_name);
    assert_int_equal(report.n_other, want.n_other);
    assert_int_equal(report.n_respelled, want.n_respelled);
    assert_int_equal(report.n_missing, want.n_missing);
}

static int32_t choose(int32_t *sample)
{
    for (int32_t i = 0; i < SITES_SAMPLES; i++) {
        int32_t k = (int32_t)draw((uint32_t)i + 1);

        sample[i] = sample[k];
        sample[k] = i;
    }
    return 1 + (int32_t)draw(SITES_SAMPLES);
}

static void check_file(const struct dataset *d, const char *path, const struct sites *sites)
{
    int32_t sample[SITES_SAMPLES];
    float fill[K];
    struct recode r;
    struct err err;

    fill_means(fill, d);
    if (recode_open(&r, d, path, DATA_DOSAGE_GT, NULL, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(recode_ids(&r)->n, SITES_SAMPLES);
    assert_string_equal(recode_ids(&r)->text[10], "s10");
    for (int32_t i = 0; i < SITES_SAMPLES; i++)
        sample[i] = i;
    check_read(&r, sites, fill, sample, SITES_SAMPLES);
    for (int again = 0; again < 3; again++) {
        int32_t n = choose(sample);

        check_read(&r, sites, fill, sample, n);
    }
    recode_close(&r);
}

static void test_variants(void **state)
{
    static struct sites sites;

    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (int f = 0; f < N_FORMS; f++) {
            const char *path = scratch_path(forms[f].name);
            struct dataset d;

            draw_from(round * 10 + (uint32_t)f);
            is_mixed = namings[round % N_NAMINGS].is_mixed;
            make_markers(&namings[round % N_NAMINGS], forms[f].letters,
                         round % 4 == 3 ? NONE
                         : round % 2    ? SOME
                                        : ALL);
            make_data(&d, round % 3 != 2);
            make_file(&sites, &forms[f]);
            forms[f].write(path, &sites);
            check_file(&d, path, &sites);
            dataset_release(&d);
        }
}

/* A table has names only, even if the data have alleles. */
static void test_table(void **state)
{
    static struct sites sites;
    bool is_long[SITES_MOST];

    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const char *path = scratch_path("new.csv");
        struct dataset d;

        draw_from(1000 + round);
        make_markers(&namings[0], "ACGTI", (enum known)(round % 3));
        make_data(&d, round % 2);
        sites.n = 0;
        for (int j = 0; j < K; j++) {
            is_long[sites.n] = marker[j].is_long;
            if (draw(3))
                sites_add(&sites, marker[j].chrom, marker[j].pos,
                          (char[]){marker[j].ref, marker[j].alt, 0}, 2);
            else if (!marker[j].is_long)
                sites_add(&sites, marker[j].chrom, marker[j].pos + 7, "AC", 2);
        }
        sites_table(path, &sites, is_long);
        for (int j = 0; j < K; j++)
            marker[j].is_known = false;
        check_file(&d, path, &sites);
        dataset_release(&d);
    }
}

static void check_value(const char *path, enum data_dosage dosage, const struct dataset *d,
                        const float *wanted, int32_t n)
{
    int32_t sample[SITES_SAMPLES] = {0, 1, 2, 3};
    float found[SITES_SAMPLES];
    struct mat x = mat_view(found, n, d->n_features);
    struct recode_report report;
    struct recode r;
    struct err err;

    if (recode_open(&r, d, path, dosage, NULL, &err) != 0 ||
        recode_read(&x, &report, &r, sample, n, &err) != 0)
        fail_msg("%s", err.text);
    for (int32_t i = 0; i < n * d->n_features; i++)
        assert_true(fabsf(found[i] - wanted[i]) < 1e-6f);
    recode_close(&r);
}

static struct recode_report report_of(const char *path, const struct dataset *d, int32_t n)
{
    int32_t sample[SITES_SAMPLES] = {0, 1, 2, 3};
    float found[SITES_SAMPLES];
    struct mat x = mat_view(found, n, d->n_features);
    struct recode_report report;
    struct recode r;
    struct err err;

    if (recode_open(&r, d, path, DATA_DOSAGE_GT, NULL, &err) != 0 ||
        recode_read(&x, &report, &r, sample, n, &err) != 0)
        fail_msg("%s", err.text);
    recode_close(&r);
    return report;
}

/* The means are 0.5 and 1. */
static void make_pair(struct dataset *d)
{
    struct draft draft = {.n_samples = 2,
                          .n_features = 2,
                          .ploidy = 2,
                          .ids = (const char *[]){"a", "b"},
                          .target = (const float[]){1, 2},
                          .feature_names = (const char *[]){"1_10", "1_20"},
                          .alleles = (const char *[]){"1\t10\tA\tC", "1\t20\tA\tC"},
                          .features = (const float[]){0.25f, 0, 0.75f, 2}};

    assert_int_equal(draft_build(d, &draft, NULL), 0);
}

/* DS has no information for a site without ALT. A call without DS counts GT. */
static void test_imputed(void **state)
{
    struct dataset d;

    (void)state;
    make_pair(&d);
    check_value(scratch_text("ds.vcf", "##fileformat=VCFv4.2\n"
                                       "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb"
                                       "\n1\t10\t.\tC\tA\t.\t.\t.\tGT:DS\t0/1:1.25\t1/1:.\n"
                                       "1\t20\t.\tA\t.\t.\t.\t.\tGT\t0/0\t0/0\n"),
                DATA_DOSAGE_DS, &d, (float[]){0.75f, 1, 0, 1}, 2);
    dataset_release(&d);
}

/* Unknown alleles, 0 and 0, are none: matched by name. */
static void test_unknown_alleles(void **state)
{
    static const char vcf[] =
        "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\t"
        "FORMAT\ta\tb\n1\t10\t.\tC\tA\t.\t.\t.\tGT\t0/1\t1/1\n"
        "1\t20\t.\tC\tT\t.\t.\t.\tGT\t0/1\t0/0\n";
    struct draft draft = {.n_samples = 2,
                          .n_features = 2,
                          .ploidy = 2,
                          .ids = (const char *[]){"p", "q"},
                          .target = (const float[]){1, 2},
                          .feature_names = (const char *[]){"1_10", "1_20"},
                          .alleles = (const char *[]){"1\t10\t0\t0", "1\t20\tA\tC"},
                          .features = (const float[]){0.25f, 0, 0.75f, 2}};
    struct recode_report report;
    struct dataset d;

    (void)state;
    assert_int_equal(draft_build(&d, &draft, NULL), 0);
    check_value(scratch_text("unknown.vcf", vcf), DATA_DOSAGE_GT, &d, (float[]){1, 1, 2, 1}, 2);
    report = report_of(scratch_text("unknown.vcf", vcf), &d, 2);
    assert_true(report.n_by_name == 1 && report.n_other == 1);
    dataset_release(&d);
}

static void test_fractions(void **state)
{
    struct dataset d;

    (void)state;
    make_pair(&d);
    check_value(scratch_text("frac.csv", "id,1_20,1_9,1_10\na,0.5,1,NA\nb,,2,1.75\n"),
                DATA_DOSAGE_GT, &d, (float[]){0.5f, 0.5f, 1.75f, 1}, 2);
    dataset_release(&d);
}

#define CHROMS(a, b)                                                                       \
    "##fileformat=VCFv4.2\n"                                                               \
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n"                        \
    "5\t10\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\n" a "\t10\t.\tA\tC\t.\t.\t.\tGT\t0/1\t1/1\n" b \
    "\t20\t.\tA\tC\t.\t.\t.\tGT\t./.\t1/1\n"

#define SMALL                                                       \
    "##fileformat=VCFv4.2\n"                                        \
    "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n" \
    "1\t10\t.\ta\tc\t.\t.\t.\tGT\t0/1\t1/1\n"

/* The report names chromosomes that were matched by another spelling. Alleles may be small
 * letters. */
static void test_chroms(void **state)
{
    struct recode_report report;
    struct dataset d;
    struct recode r;
    struct err err;
    float found[4];
    struct mat x = mat_view(found, 2, 2);
    int32_t sample[] = {0, 1};

    (void)state;
    make_pair(&d);
    assert_int_equal(recode_open(&r, &d, scratch_text("chr.vcf", CHROMS("chr01", "Chr1")),
                                 DATA_DOSAGE_GT, NULL, &err),
                     0);
    assert_int_equal(recode_read(&x, &report, &r, sample, 2, &err), 0);
    assert_true(found[0] == 1 && found[1] == 1 && found[2] == 2 && found[3] == 2);
    assert_int_equal(report.n_found, 2);
    assert_int_equal(report.n_respelled, 2);
    assert_int_equal(report.n_elsewhere, 1);
    assert_string_equal(report.chrom[0], "chr01");
    assert_string_equal(report.chrom[1], "1");
    recode_close(&r);
    assert_int_equal(
        recode_open(&r, &d, scratch_text("small.vcf", SMALL), DATA_DOSAGE_GT, NULL, &err), 0);
    assert_int_equal(recode_read(&x, &report, &r, sample, 2, &err), 0);
    assert_int_equal(report.n_found, 1);
    assert_int_equal(report.n_other, 0);
    recode_close(&r);
    assert_int_equal(recode_open(&r, &d, scratch_text("chr.vcf", CHROMS("chr02", "I")),
                                 DATA_DOSAGE_GT, NULL, &err),
                     0);
    assert_int_equal(recode_read(&x, &report, &r, sample, 2, &err), -1);
    assert_non_null(strstr(err.text, "chr.vcf: none of its chromosomes is in the training data: "
                                     "the first is \"5\", that of the training data is \"1\""));
    recode_close(&r);
    dataset_release(&d);
}

/* Without a place, sites are matched by id, and without an id by a number that stands for a place. */
static void test_unplaced(void **state)
{
    struct draft draft = {.n_samples = 2,
                          .n_features = 2,
                          .ploidy = 2,
                          .ids = (const char *[]){"p", "q"},
                          .target = (const float[]){1, 2},
                          .feature_names = (const char *[]){"0_10", "m"},
                          .alleles = (const char *[]){"0\t10\tA\tC", "0\t20\tA\tC"},
                          .marker_ids = (const char *[]){"", "m"},
                          .features = (const float[]){0.25f, 0, 0.75f, 2}};
    struct dataset d;

    (void)state;
    assert_int_equal(draft_build(&d, &draft, NULL), 0);
    check_value(scratch_text("zero.vcf", "##fileformat=VCFv4.2\n"
                                         "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta"
                                         "\tb\n0\t20\t.\tA\tC\t.\t.\t.\tGT\t1/1\t1/1\n"
                                         "0\t10\tother\tA\tC\t.\t.\t.\tGT\t1/1\t1/1\n"
                                         "0\t77\tm\tA\tC\t.\t.\t.\tGT\t0/1\t0/0\n"
                                         "0\t10\t.\tC\tA\t.\t.\t.\tGT\t0/1\t0/0\n"),
                DATA_DOSAGE_GT, &d, (float[]){1, 1, 2, 0}, 2);
    dataset_release(&d);
}

/* Tables and variants get the coding of the data, in both directions; without an own coding that
 * fits, the means of markers decide. */
static void test_codings(void **state)
{
    static const float dosages[] = {0, 1, 2, 2, 1, 0, 2, 0}; /* (4, 2) */
    static const struct {
        float base, scale; /* of the data */
        const char *table; /* the dosages of a and b in another coding */
        float found[4];
    } cases[] = {
        {0, 1, "id,1_10,1_20\na,-1,0\nb,1,1\n", {0, 1, 2, 2}},
        {-1, 1, "id,1_10,1_20\na,0,1\nb,2,2\n", {-1, 0, 1, 1}},
        {0, 0.5f, "id,1_10,1_20\na,0,1\nb,2,2\n", {0, 0.5f, 1, 1}},
        {0, 0.5f, "id,1_10,1_20\na,-1,0\nb,1,1\n", {0, 0.5f, 1, 1}},
        {0, 1, "id,1_10,1_20\na,0,0\nb,0,1\nc,1,1\nd,1,0\n", {0, 0, 0, 2}},
        {0, 1, "id,1_10,1_20\na,0,1\nb,1,1\n", {0, 1, 1, 1}},
        {-1, 1, "id,1_10,1_20\na,-1,0\nb,1,1\n", {-1, 0, 1, 1}},
    };
    static const char vcf[] =
        "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\t"
        "FORMAT\ta\tb\n1\t10\t.\tC\tA\t.\t.\t.\tGT\t0/1\t1/1\n";

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float values[8], turned[] = {1 * cases[i].scale + cases[i].base, 0, cases[i].base, 0};
        struct draft draft = {.n_samples = 4,
                              .n_features = 2,
                              .ploidy = cases[i].scale == 0.5f ? 1 : 2,
                              .base = (int)cases[i].base,
                              .ids = (const char *[]){"p", "q", "r", "s"},
                              .target = (const float[]){1, 2, 3, 4},
                              .feature_names = (const char *[]){"1_10", "1_20"},
                              .alleles = (const char *[]){"1\t10\tA\tC", "1\t20\tA\tC"},
                              .features = values};
        struct dataset d;

        for (int k = 0; k < 8; k++)
            values[k] = dosages[k] * cases[i].scale + cases[i].base;
        turned[1] = turned[3] = 0.75f * cases[i].scale + cases[i].base; /* the mean */
        assert_int_equal(draft_build(&d, &draft, NULL), 0);
        check_value(scratch_text("coded.csv", cases[i].table), DATA_DOSAGE_GT, &d, cases[i].found,
                    2);
        check_value(scratch_text("coded.vcf", vcf), DATA_DOSAGE_GT, &d, turned, 2);
        dataset_release(&d);
    }
}

/* One inbred line in a table of 0 and 1: beside data of 0 and 2, or -1 and 1, 1 is the homozygote. Six
 * markers with means of 0.2 to 1.8 do not decide for a line that is unlike them. */
static void test_one_line(void **state)
{
    enum { MARKERS = 6 };
    static const float mean[MARKERS] = {0.2f, 0.4f, 0.6f, 1.4f, 1.6f, 1.8f};
    static const struct {
        const char *line;
        float found; /* dosage of m6 in the coding 0 to 2 */
        bool is_unsure;
    } cases[] = {{"0,0,1,0,1,1", 2, false}, {"1,0,1,0,0,1", 0, true}};
    struct recode_report report;
    struct recode r;
    struct err err;
    float found[MARKERS];
    struct mat x = mat_view(found, 1, MARKERS);
    int32_t sample[] = {0};

    (void)state;
    for (int base = -1; base <= 0; base++) {
        float values[2 * MARKERS];
        struct draft draft = {.n_samples = 2,
                              .n_features = MARKERS,
                              .ploidy = 2,
                              .base = base,
                              .ids = (const char *[]){"p", "q"},
                              .target = (const float[]){1, 2},
                              .feature_names = (const char *[]){"m1", "m2", "m3", "m4", "m5", "m6"},
                              .features = values};
        struct dataset d;

        for (int k = 0; k < 2 * MARKERS; k++)
            values[k] = mean[k % MARKERS] + (float)base;
        assert_int_equal(draft_build(&d, &draft, NULL), 0);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            char text[80];

            snprintf(text, sizeof text, "id,m1,m2,m3,m4,m5,m6\na,%s\n", cases[i].line);
            assert_int_equal(
                recode_open(&r, &d, scratch_text("one.csv", text), DATA_DOSAGE_GT, NULL, &err), 0);
            assert_int_equal(recode_read(&x, &report, &r, sample, 1, &err), 0);
            assert_true(r.is_unsure == cases[i].is_unsure);
            if (!cases[i].is_unsure)
                assert_true(fabsf(found[5] - cases[i].found - (float)base) < 1e-6f);
            recode_close(&r);
        }
        dataset_release(&d);
    }
}

/* The coding is that of the file, even if all means are in [0, 1]. A table in none is refused. */
static void test_base(void **state)
{
    static const float values[] = {0.5f, 0.75f, 1, 1}; /* (2, 2) */
    struct draft draft = {.n_samples = 2,
                          .n_features = 2,
                          .ploidy = 2,
                          .base = -1,
                          .ids = (const char *[]){"p", "q"},
                          .target = (const float[]){1, 2},
                          .feature_names = (const char *[]){"a", "b"},
                          .features = values};
    struct dataset d;
    struct recode r;
    struct err err;

    (void)state;
    assert_int_equal(draft_build(&d, &draft, NULL), 0);
    check_value(scratch_text("base.csv", "id,a,b\nx,2,1\ny,2,2\n"), DATA_DOSAGE_GT, &d,
                (float[]){1, 0, 1, 1}, 2);
    dataset_release(&d);
    draft.base = 0;
    assert_int_equal(draft_build(&d, &draft, NULL), 0);
    assert_int_equal(recode_open(&r, &d, scratch_text("base.csv", "id,a,b\nx,-2,1.5\ny,2,2\n"),
                                 DATA_DOSAGE_GT, NULL, &err),
                     -1);
    assert_non_null(strstr(err.text, "base.csv: calls from -2 to 2 are in no coding of dosages: "
                                     "those of the training data are from 0 to 2"));
    recode_close(&r);
    dataset_release(&d);
}

/* Data that are no dosages are matched with numbers, however these lie. */
static void test_numbers(void **state)
{
    static const float values[] = {-0.5f, 0.25f, 1, -1};
    static const char *const refused[] = {"id,a,b\nx,0,2\ny,1,1\n", "id,a,b\nx,AA,AG\ny,GG,AG\n",
                                          "rs#\talleles\tchrom\tpos\tx\ty\na\tA/G\t1\t5\tAA\tAG\n"};
    struct draft draft = {.n_samples = 2,
                          .n_features = 2,
                          .ids = (const char *[]){"p", "q"},
                          .target = (const float[]){1, 2},
                          .feature_names = (const char *[]){"a", "b"},
                          .features = values};
    struct dataset d;
    struct recode r;
    struct err err;

    (void)state;
    assert_int_equal(draft_build(&d, &draft, NULL), 0);
    check_value(scratch_text("numbers.csv", "id,a,b\nx,0,2\ny,1,-3.5\n"), DATA_DOSAGE_GT, &d,
                (float[]){0, 2, 1, -3.5f}, 2);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(recode_open(&r, &d, scratch_text("numbers.txt", refused[i]),
                                     DATA_DOSAGE_GT, NULL, &err),
                         -1);
        assert_non_null(strstr(err.text, "the training data are numbers that are no dosages"));
        recode_close(&r);
    }
    dataset_release(&d);
}

/* New samples may have only one of the two alleles, or another one, which is missing. Numbers are
 * dosages. */
static void test_letters(void **state)
{
    static const struct {
        const char *table;
        float found[4];
    } cases[] = {
        {"id,a,b\nx,AA,TT\ny,AG,TC\n", {0, 2, 1, 1}},
        {"id,a,b\nx,GG,T/T\ny,G/G,T\n", {2, 2, 2, 2}},
        {"id,a,b\nx,G,N\ny,R,C\n", {2, 0.5f, 1, 0}},
        {"id,a,b\nx,AC,TT\ny,CC,AA\n", {1.25f, 2, 1.25f, 0.5f}},
        {"id,a,b\nx,0,2\ny,1,1\n", {0, 2, 1, 1}},
        {"id,a,b\nx,1/1,0/1\ny,0/0,0/0\n", {2, 1, 0, 0}},
    };
    static const int8_t dosage[] = {0, 0, 1, 0, 2, 0, 2, 2};
    struct recode_report report;
    struct draft draft = {.n_samples = 4,
                          .n_features = 2,
                          .ploidy = 2,
                          .ids = (const char *[]){"p", "q", "r", "s"},
                          .target = (const float[]){1, 2, 3, 4},
                          .feature_names = (const char *[]){"a", "b"},
                          .alleles = (const char *[]){"\t0\tA\tG", "\t0\tC\tT"},
                          .dosage = dosage};
    struct dataset d;

    (void)state;
    assert_int_equal(draft_build(&d, &draft, NULL), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_value(scratch_text("letters.csv", cases[i].table), DATA_DOSAGE_GT, &d, cases[i].found,
                    2);
    /* The ids of a file with places are the names of a table. */
    check_value(scratch_text("letters.hmp.txt", "rs#\talleles\tchrom\tpos\tx\ty\n"
                                                "a\tA/G\t1\t5\tAA\tAG\nb\tT/C\t1\t9\tTT\tCT\n"),
                DATA_DOSAGE_GT, &d, cases[0].found, 2);
    /* Column a has only other letters. */
    report = report_of(scratch_text("letters.csv", cases[3].table), &d, 2);
    assert_true(report.n_found == 1 && report.n_other == 1 && report.n_missing == 1);
    dataset_release(&d);
    /* Numbers may count either allele. */
    draft.alleles = NULL;
    assert_int_equal(draft_build(&d, &draft, NULL), 0);
    report = report_of(scratch_text("letters.csv", cases[0].table), &d, 2);
    assert_true(report.n_found == 0 && report.n_other == 2);
    dataset_release(&d);
}

static void test_faulty(void **state)
{
    struct recode_report report;
    struct dataset d;
    struct recode r;
    struct err err;
    float found[4];
    struct mat x = mat_view(found, 2, 2);
    const char *path =
        scratch_text("bad.vcf", "##fileformat=VCFv4.2\n"
                                "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\n"
                                "1\t10\t.\tC\tA\t.\t.\t.\tGT\t0/1\t0/2\n");

    (void)state;
    make_pair(&d);
    assert_int_equal(recode_open(&r, &d, path, DATA_DOSAGE_GT, NULL, &err), 0);
    for (int again = 0; again < 2; again++) { /* counted anew */
        assert_int_equal(recode_read(&x, &report, &r, (int32_t[]){1, 0}, 2, &err), 0);
        assert_int_equal(report.n_missing, 1);
        assert_int_equal(r.variants.doubts.n_malformed, 1);
        assert_string_equal(r.variants.doubts.malformed, "line 3, sample \"b\": \"0/2\"");
    }
    recode_close(&r);
    path = scratch_path("nowhere.vcf");
    assert_int_equal(recode_open(&r, &d, path, DATA_DOSAGE_GT, NULL, &err), -1);
    assert_non_null(strstr(err.text, "nowhere.vcf: cannot open: No such file or directory"));
    recode_close(&r);
    recode_close(&r);
    dataset_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variants),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_imputed),
        cmocka_unit_test(test_fractions),
        cmocka_unit_test(test_chroms),
        cmocka_unit_test(test_codings),
        cmocka_unit_test(test_letters),
        cmocka_unit_test(test_faulty),
        cmocka_unit_test(test_unplaced),
        cmocka_unit_test(test_one_line),
        cmocka_unit_test(test_base),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_unknown_alleles),
    };

    return cmocka_run_group_tests_name("recode", tests, scratch_make, scratch_remove);
}
