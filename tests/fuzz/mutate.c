/* SPDX-License-Identifier: BSD-3-Clause */
/* Run variants_fuzz.c on thousands of genotype files: those of the corpus and of
 * tests/unit/sites.c, damaged at random, but the same in each run.
 * usage: mutate [CASES [FIRST]]      with both, each case is named before it runs */
#include <dirent.h>
#include <htslib/bgzf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/sites.h"
#include "../unit/stride.h"
#include "memfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define HEAD 3 /* bytes of an input before its first file */
#define MOST_BYTES (1 << 16)
#define MOST_BASES 200

struct input {
    uint8_t bytes[MOST_BYTES];
    size_t n;
};

static struct input base[MOST_BASES];
static int n_bases;

/* ---- inputs ---- */

static void append(struct input *in, const char *path, const char *between)
{
    FILE *file = fopen(path, "rb");

    if (!file)
        abort();
    in->n += fread(in->bytes + in->n, 1, MOST_BYTES - in->n, file);
    fclose(file);
    memcpy(in->bytes + in->n, between, strlen(between));
    in->n += strlen(between);
}

static struct input *begin(char kind)
{
    struct input *in = &base[n_bases++];

    memcpy(in->bytes, (char[HEAD]){kind, '0', '\n'}, HEAD);
    in->n = HEAD;
    return in;
}

static void make_sites(struct sites *sites, bool is_simple)
{
    static const char *const alleles[] = {"AC", "CA", "AG", "A", "GT", "ACG"};

    sites->n = 0;
    for (int j = 0; j < 8; j++)
        sites_add(sites, j < 5 ? "1" : "2", 10 * j + 10, alleles[draw(is_simple ? 5 : 6)],
                  is_simple ? 2 : (int)draw(4));
}

static void make_bases(const char *folder)
{
    static struct sites sites;
    static void (*const write[])(const char *, const struct sites *) = {
        sites_vcf, sites_bgzf, sites_bcf, sites_hapmap, sites_plink};
    char path[4096];

    for (int i = 0; i < 20; i++) {
        struct input *in = begin(i % 5 == 4 ? 'p' : 'v');

        draw_from((uint32_t)i);
        make_sites(&sites, i % 5 > 2);
        snprintf(path, sizeof path, "%s/base.bed", folder);
        write[i % 5](path, &sites);
        append(in, path, i % 5 == 4 ? "%%\n" : "");
        if (i % 5 == 4) {
            snprintf(path, sizeof path, "%s/base.bim", folder);
            append(in, path, "%%\n");
            snprintf(path, sizeof path, "%s/base.fam", folder);
            append(in, path, "");
        }
    }
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void read_corpus(void)
{
    struct dirent **entries;
    char folder[2048], path[4096];
    int n;

    snprintf(folder, sizeof folder, "%s/tests/fuzz/variants",
             getenv("SRCDIR") ? getenv("SRCDIR") : ".");
    n = scandir(folder, &entries, is_visible, alphasort);
    if (n <= 0) {
        fprintf(stderr, "%s: no corpus\n", folder);
        exit(1);
    }
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (n_bases < MOST_BASES && base[n_bases].n == 0) {
            append(&base[n_bases], path, "");
            n_bases += base[n_bases].n > HEAD;
        }
        free(entries[i]);
    }
    free(entries);
}

/* ---- changes ---- */

static uint32_t place(const struct input *in)
{
    return HEAD + draw((uint32_t)(in->n - HEAD));
}

/* Replace `gone` bytes at `at` with n others. */
static void replace(struct input *in, size_t at, size_t gone, const void *bytes, size_t n)
{
    if (gone > in->n - at)
        gone = in->n - at;
    if (in->n - gone + n > MOST_BYTES)
        return;
    memmove(in->bytes + at + n, in->bytes + at + gone, in->n - at - gone);
    memcpy(in->bytes + at, bytes, n);
    in->n += n - gone;
}

static void put_word(struct input *in)
{
    static const char *const words[] = {"\t",    "\n",         "\r\n",
                                        ",",     ":",          "/",
                                        "|",     ".",          "0",
                                        "-1",    "1e999",      "nan",
                                        "128",   "4294967297", "99999999999999999999",
                                        "\"",    "\xff\xfe",   "chr",
                                        "GT",    "DS",         "<DEL>",
                                        "*",     "##",         "#CHROM\t",
                                        "%%\n",  "\t\t\t",     "0/0/0/0/0/0/0",
                                        "1|.|1", "N"};
    const char *word = words[draw(sizeof words / sizeof *words)];

    replace(in, place(in), draw(2) * draw(4), word, strlen(word));
}

/* Insert or overwrite a number as BCF and BGZF store lengths. */
static void put_number(struct input *in)
{
    static const uint32_t numbers[] = {0,          1,          2,         3,       0x7f,
                                       0x80,       0xff,       0x7fff,    0x8000,  0xffff,
                                       0x10000,    0xffffff,   1 << 28,   1 << 30, 0x7fffffff,
                                       0x80000000, 0x80000001, 0xffffffff};
    uint32_t number = numbers[draw(sizeof numbers / sizeof *numbers)];
    size_t size = (size_t)1 << draw(3);

    if (draw(3) == 0) {
        size_t at = place(in);

        memcpy(&number, in->bytes + at, in->n - at < sizeof number ? in->n - at : sizeof number);
        number += draw(2) ? 1 : (uint32_t)-1;
        replace(in, at, size, &number, size);
        return;
    }
    replace(in, place(in), size, &number, size);
}

static void put_run(struct input *in)
{
    static uint8_t run[5000];
    size_t n = (size_t)1 << draw(13);

    memset(run, "A\t0,:/\0\n"[draw(8)], sizeof run);
    replace(in, place(in), 0, run, n < sizeof run ? n : sizeof run);
}

static void splice(struct input *in)
{
    const struct input *other = &base[draw((uint32_t)n_bases)];
    uint32_t from = place(other), n = draw((uint32_t)other->n - from) + 1;

    replace(in, place(in), draw(2) ? n : 0, other->bytes + from, n < 300 ? n : 300);
}

/* Move or copy a line or block: the bytes between two equal ones. */
static void move(struct input *in)
{
    static uint8_t part[MOST_BYTES];
    uint32_t from = place(in);
    const uint8_t *end = memchr(in->bytes + from + 1, in->bytes[from], in->n - from - 1);
    size_t n = end ? (size_t)(end - in->bytes) - from : 1;

    memcpy(part, in->bytes + from, n);
    if (draw(2))
        replace(in, from, n, "", 0);
    if (in->n > HEAD)
        replace(in, place(in), 0, part, n);
}

static void change(struct input *in)
{
    size_t at = place(in);

    switch (draw(10)) {
    case 0:
        in->bytes[at] ^= (uint8_t)(1 << draw(8));
        break;
    case 1:
        in->bytes[at] = (uint8_t)draw(256);
        break;
    case 2:
        replace(in, at, 1 + draw(30), "", 0);
        break;
    case 3:
        in->n = draw(4) ? in->n : at + 1;
        break;
    case 4:
        put_run(in);
        break;
    case 5:
        splice(in);
        break;
    case 6:
        move(in);
        break;
    case 7:
    case 8:
        put_number(in);
        break;
    default:
        put_word(in);
    }
}

static void wrap(struct input *in)
{
    struct memfile file;
    size_t at = HEAD, block = 1 + draw(600);
    BGZF *out;
    ssize_t n;

    memfile_open(&file, "", 0);
    out = bgzf_open(file.path, "w");
    if (!out)
        abort();
    for (; at < in->n; at += block)
        if (bgzf_write(out, in->bytes + at, in->n - at < block ? in->n - at : block) < 0 ||
            bgzf_flush(out) != 0)
            abort();
    bgzf_close(out);
    n = pread(file.fd, in->bytes + HEAD, MOST_BYTES - HEAD, 0);
    in->n = HEAD + (size_t)(n > 0 ? n : 0);
    memfile_close(&file);
}

static bool is_plain(const struct input *in)
{
    return in->bytes[0] == 'v' && in->n > HEAD &&
           (in->bytes[HEAD] == '#' || in->bytes[HEAD] == 'B');
}

static void run_case(uint32_t number)
{
    static struct input in;
    uint8_t *exact;

    draw_from(1000 + number);
    in = base[draw((uint32_t)n_bases)];
    if (draw(3) == 0)
        in.bytes[1] = (uint8_t)('0' + draw(8));
    for (uint32_t left = 1 + draw(4); left > 0 && in.n > HEAD; left--)
        change(&in);
    if (is_plain(&in) && draw(4) == 0) {
        wrap(&in);
        if (draw(2))
            change(&in);
    }
    exact = malloc(in.n); /* exact size, so that a read past the end is detected */
    if (!exact)
        abort();
    memcpy(exact, in.bytes, in.n);
    LLVMFuzzerTestOneInput(exact, in.n);
    free(exact);
}

int main(int argc, char **argv)
{
    uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) : 10000 / (uint32_t)test_stride();
    uint32_t first = argc > 2 ? (uint32_t)atoi(argv[2]) : 0;
    char folder[] = "/tmp/espalier-mutate-XXXXXX", command[64];

    if (!mkdtemp(folder))
        abort();
    make_bases(folder);
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0)
        abort();
    read_corpus();
    printf("1..1\n");
    for (uint32_t i = first; i < first + n; i++) {
        if (argc > 2)
            fprintf(stderr, "%u\n", i);
        run_case(i);
    }
    printf("ok 1 - %u files with faults, made of %d\n", n, n_bases);
    return 0;
}
