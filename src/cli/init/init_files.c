/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/init/init_files.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/outfile.h"
#include "data/graph/smiles.h"
#include "data/text/file_names.h"

/* More columns of numbers are markers, not traits. */
#define MANY_COLUMNS 30
/* 0, 1, 2 or letters, and other values for missing calls */
#define MOST_DOSAGES 8

struct init_file *init_files_find(const struct init_files *files, enum param_id role)
{
    for (int32_t i = 0; i < files->n; i++)
        if (files->file[i].role == role)
            return &files->file[i];
    return NULL;
}

void init_files_release(struct init_files *files)
{
    if (!files)
        return;
    for (int32_t i = 0; files->file && i < files->n; i++)
        profile_release(&files->file[i].profile);
    free(files->file);
    memset(files, 0, sizeof *files);
}

/* ---- one file ---- */

static int read_file(struct init_files *files, int32_t i, struct err *err)
{
    struct init_file *file = &files->file[i];

    for (int32_t k = 0; k < i; k++)
        if (!strcmp(files->file[k].path, file->path) ||
            outfile_is_same(files->file[k].path, file->path))
            return err_set(err, "%s: is the same file as %s: give it once", file->path,
                           files->file[k].path);
    if (file_names_end_like(file->path, ".mol2") || smiles_is_structures(file->path))
        return err_set(err,
                       "%s: holds structures: make a table with a header, one column with the "
                       "SMILES and one with the trait; obabel FILE.sdf -O FILE.smi writes the "
                       "SMILES",
                       file->path);
    if (recognize(&file->kind, &file->variants, file->path, err) != 0)
        return -1;
    return file->kind == KIND_TABLE ? profile_read(&file->profile, file->path, NULL, 0, err) : 0;
}

/* ---- what a table may be ---- */

int32_t init_files_part_column(const struct profile *p)
{
    for (int32_t j = 1; j < p->n; j++) {
        const struct names *seen = &p->col[j].seen;
        bool is_train = false, is_other = false, is_all = true;

        for (int32_t i = 0; i < seen->n && is_all; i++) {
            enum part part = part_of_word(seen->text[i]);

            is_train = is_train || part == PART_TRAIN;
            is_other = is_other || part == PART_VAL || part == PART_TEST;
            is_all = part != PART_COUNT;
        }
        if (is_all && is_train && is_other)
            return j;
    }
    return -1;
}

static bool is_listed_features(const struct profile *p)
{
    return (p->n_cols == 2 || p->n_cols == 3) && !strcmp(p->col[1].name, "feature");
}

/* True for two columns named as those of edges, or of ids of the same nodes that occur several
 * times. */
static bool is_edges(const struct profile *p)
{
    static const char *const pairs[][2] = {
        {"source", "target"}, {"src", "dst"},     {"from", "to"},       {"id_1", "id_2"},
        {"id1", "id2"},       {"node1", "node2"}, {"node_1", "node_2"}, {"head", "tail"}};
    int32_t least;

    if ((p->n_cols != 2 && p->n_cols != 3) || p->has_family || is_listed_features(p))
        return false;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (!strcasecmp(p->col[0].name, pairs[i][0]) && !strcasecmp(p->col[1].name, pairs[i][1]))
            return true;
    if (profile_is_unique(&p->col[0]) || profile_is_unique(&p->col[1]))
        return false;
    least = p->col[0].seen.n < p->col[1].seen.n ? p->col[0].seen.n : p->col[1].seen.n;
    return 2 * profile_known(&p->col[1], &p->col[0].seen) > least;
}

/* The column named smiles, else one with it in its name and structures in its cells, else one with
 * either; -1: none. */
static int32_t smiles_column(const struct profile *p)
{
    int32_t found = -1, best = 0;

    for (int32_t j = 0; j < p->n; j++) {
        const struct profile_column *c = &p->col[j];
        int rank = 4 * !strcasecmp(c->name, "smiles") +
                   2 * (strcasestr(c->name, "smiles") != NULL) + profile_is_structural(c);

        if (c->n_numbers == 0 && rank > best) {
            found = j;
            best = rank;
        }
    }
    return found;
}

/* How much a table resembles genotypes: nearly all its columns have few different values, or there
 * are many columns. 0: not at all. Cells need not be numbers: the reader reports those that are
 * not. */
static int32_t likeness(const struct profile *p)
{
    int32_t n_few = 0;

    for (int32_t j = 1; j < p->n; j++)
        n_few += p->col[j].seen.n <= MOST_DOSAGES;
    if (p->n_cols <= 3 || (p->n_cols <= MANY_COLUMNS && 10 * n_few < 9 * (p->n - 1)))
        return 0;
    return n_few + p->n_cols / 10;
}

/* ---- roles ---- */

static const char *role_name(enum param_id role)
{
    return role == P_SPLIT_FILE ? "split.file" : param_table[role].key;
}

/* A column of parts makes the split file of one of two tables with the same role. */
static int give(struct init_files *files, struct init_file *file, enum param_id role,
                struct err *err)
{
    struct init_file *other = init_files_find(files, role);
    struct init_file *const both[] = {file, other};

    file->role = role;
    for (int i = 0; other && i < 2; i++) {
        int32_t part = both[i]->kind == KIND_TABLE ? init_files_part_column(&both[i]->profile) : -1;

        if (part > 0 && !init_files_find(files, P_SPLIT_FILE)) {
            both[i]->role = P_SPLIT_FILE;
            both[i]->column = part;
            return 0;
        }
    }
    return other ? err_set(err,
                           "%s and %s: both are read as %s: give one of them, or join them first",
                           other->path, file->path, role_name(role))
                 : 0;
}

/* Give a role to a table that needs no other file. */
static int give_table(struct init_files *files, struct init_file *file, struct err *err)
{
    bool has_genotypes = init_files_find(files, P_GENOTYPES) != NULL;

    file->column = init_files_part_column(&file->profile);
    if (file->column > 0 && file->profile.n_cols == 2 + file->profile.has_family)
        return give(files, file, P_SPLIT_FILE, err);
    if (has_genotypes)
        return give(files, file, P_PHENOTYPES, err);
    file->column = smiles_column(&file->profile);
    if (file->column >= 0)
        return give(files, file, P_MOLECULES, err);
    if (is_listed_features(&file->profile))
        return give(files, file, P_FEATURES, err);
    return is_edges(&file->profile) ? give(files, file, P_EDGES, err) : 0;
}

static bool is_open(const struct init_file *file)
{
    return file->kind == KIND_TABLE && file->role == P_COUNT;
}

/* The table that resembles genotypes most has them. Two with many markers are an error. */
static int give_genotypes(struct init_files *files, struct err *err)
{
    struct init_file *best = NULL;
    int32_t most = 0;

    for (int32_t i = 0; i < files->n; i++) {
        struct init_file *file = &files->file[i];
        int32_t like = is_open(file) ? likeness(&file->profile) : 0;

        if (like > MANY_COLUMNS && most > MANY_COLUMNS)
            return err_set(err,
                           "%s and %s: both look like tables of genotypes: give one of them, or "
                           "join them first",
                           best->path, file->path);
        best = like > most ? file : best;
        most = like > most ? like : most;
    }
    return best ? give(files, best, P_GENOTYPES, err) : 0;
}

/* Give roles to tables that need the other files. A second table of the samples is their split
 * file. */
static int give_rest(struct init_files *files, struct err *err)
{
    static const enum param_id samples[] = {P_FOLDER, P_MOLECULES};
    bool is_graph = init_files_find(files, P_EDGES) || init_files_find(files, P_FEATURES);
    enum param_id role = P_PHENOTYPES;
    int n_open = 0;

    for (int32_t i = 0; i < files->n; i++)
        n_open += is_open(&files->file[i]);
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++)
        role = init_files_find(files, samples[k]) ? samples[k] : role;
    if (!is_graph && role == P_PHENOTYPES && n_open > 1 && give_genotypes(files, err))
        return -1;
    for (int32_t i = 0; i < files->n; i++) {
        struct init_file *file = &files->file[i];
        bool has_parts = init_files_part_column(&file->profile) > 0;

        if (!is_open(file))
            continue;
        if (is_graph)
            role = file->profile.n_cols == 2 + has_parts ? P_LABELS : P_FEATURES;
        else if (role == P_PHENOTYPES ? !init_files_find(files, P_GENOTYPES) : !has_parts)
            return err_set(err, "%s: %s", file->path,
                           likeness(&file->profile)
                               ? "looks like genotypes or features: give the table of phenotypes, "
                                 "with ids and traits, beside it"
                               : "a table that needs other files beside it: phenotypes need "
                                 "genotypes, labels of nodes need features and edges, and "
                                 "molecules a column of SMILES");
        if (give(files, file, role, err))
            return -1;
    }
    return 0;
}

/* ---- the format ---- */

/* Formats of graphs come first: no other format has their files. */
static int find_format(struct init_files *files, struct err *err)
{
    const struct init_file *found = NULL;
    size_t n = 0;

    while (data_format_next(n))
        n++;
    while (!found && n-- > 0) {
        const struct data_files *wanted = data_format_next(n)->files;

        files->format = data_format_next(n);
        for (size_t k = 0; k < DATA_FILES && wanted[k].first; k++) {
            const char *second = wanted[k].second;
            const struct init_file *first =
                init_files_find(files, param_find("data", wanted[k].first));

            if (first && second && !(first->variants && first->variants->phenotypes) &&
                !init_files_find(files, param_find("data", second)))
                return err_set(err, "%s: %s", first->path, wanted[k].missing);
            found = first ? first : found;
        }
    }
    if (!found)
        return err_set(err,
                       "%s: nothing to train on: give genotypes and phenotypes, edges, features "
                       "and labels, a TUDataset folder, or a table of SMILES",
                       files->file[0].path);
    for (int32_t i = 0; i < files->n; i++)
        if (files->file[i].role != P_SPLIT_FILE &&
            !data_format_setting(files->format, param_table[files->file[i].role].key))
            return err_set(err,
                           "%s (%s) and %s (%s) do not belong to the same data: give one of them",
                           found->path, role_name(found->role), files->file[i].path,
                           role_name(files->file[i].role));
    return 0;
}

int init_files_read(struct init_files *out, const char *const *paths, int32_t n, struct err *err)
{
    *out = (struct init_files){.file = calloc((size_t)n, sizeof *out->file)};
    if (!out->file)
        return err_nomem(err, "files", (size_t)n * sizeof *out->file);
    for (int32_t i = 0; i < n; i++) {
        struct init_file *file = &out->file[out->n];
        size_t stem = file_names_plink_stem(paths[i]);
        bool is_again = false;

        *file = (struct init_file){.path = paths[i], .role = P_COUNT};
        if (read_file(out, out->n, err))
            return -1;
        /* PLINK's three files are one data set. */
        for (int32_t k = 0; k < out->n && file->variants; k++)
            is_again = is_again || (out->file[k].variants == file->variants &&
                                    file_names_plink_stem(out->file[k].path) == stem &&
                                    !strncmp(out->file[k].path, paths[i], stem));
        out->n += !is_again;
    }
    for (int32_t i = 0; i < out->n; i++) {
        struct init_file *file = &out->file[i];

        if (file->kind == KIND_SMI)
            return err_set(err,
                           "%s: holds molecules and no trait to train on: give a table with a "
                           "header, one column with the SMILES and one with the trait",
                           file->path);
        if (file->kind != KIND_TABLE &&
            give(out, file, file->kind == KIND_TU ? P_FOLDER : P_GENOTYPES, err))
            return -1;
    }
    for (int32_t i = 0; i < out->n; i++)
        if (out->file[i].kind == KIND_TABLE && give_table(out, &out->file[i], err))
            return -1;
    return give_rest(out, err) || find_format(out, err) ? -1 : 0;
}
