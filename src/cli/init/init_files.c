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
/* 0, 1, 2, and another value for a missing call */
#define MOST_DOSAGES 4

static struct init_file *find_role(const struct init_files *files, enum param_id role)
{
    for (int32_t i = 0; i < files->n; i++)
        if (files->file[i].role == role)
            return &files->file[i];
    return NULL;
}

const struct init_file *init_files_find(const struct init_files *files, enum param_id role)
{
    return find_role(files, role);
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

static bool is_twice(const struct init_files *files, int32_t i, int32_t *first)
{
    for (*first = 0; *first < i; ++*first)
        if (!strcmp(files->file[*first].path, files->file[i].path) ||
            outfile_is_same(files->file[*first].path, files->file[i].path))
            return true;
    return false;
}

/* PLINK's three files are one data set. */
static bool is_plink_again(const struct init_files *files, int32_t i)
{
    const struct init_file *file = &files->file[i];
    size_t n = file_names_plink_stem(file->path);

    for (int32_t k = 0; k < i && file->variants; k++)
        if (files->file[k].variants == file->variants &&
            file_names_plink_stem(files->file[k].path) == n &&
            !strncmp(files->file[k].path, file->path, n))
            return true;
    return false;
}

static bool is_structures(const char *path)
{
    return file_names_end_like(path, ".mol2") || smiles_is_structures(path);
}

static int read_file(struct init_files *files, int32_t i, struct err *err)
{
    struct init_file *file = &files->file[i];
    int32_t first;

    if (is_twice(files, i, &first))
        return err_set(err, "%s: is the same file as %s: give it once", file->path,
                       files->file[first].path);
    if (is_structures(file->path))
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

static bool is_table(const struct init_file *file)
{
    return file->kind == KIND_TABLE;
}

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

/* Its only columns are the ids and the parts. */
static bool is_only_parts(const struct profile *p)
{
    return p->n_cols == 2 + p->has_family && init_files_part_column(p) > 0;
}

static bool is_listed_features(const struct profile *p)
{
    return (p->n_cols == 2 || p->n_cols == 3) && !strcmp(p->col[1].name, "feature");
}

static bool has_edge_names(const struct profile *p)
{
    static const char *const pairs[][2] = {
        {"source", "target"}, {"src", "dst"},     {"from", "to"},       {"id_1", "id_2"},
        {"id1", "id2"},       {"node1", "node2"}, {"node_1", "node_2"}, {"head", "tail"}};

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (!strcasecmp(p->col[0].name, pairs[i][0]) && !strcasecmp(p->col[1].name, pairs[i][1]))
            return true;
    return false;
}

/* True for two columns of ids of the same nodes, in which ids occur several times. */
static bool is_edges(const struct profile *p)
{
    int32_t least;

    if ((p->n_cols != 2 && p->n_cols != 3) || p->has_family || is_listed_features(p))
        return false;
    if (has_edge_names(p))
        return true;
    if (profile_is_unique(&p->col[0]) || profile_is_unique(&p->col[1]))
        return false;
    least = p->col[0].seen.n < p->col[1].seen.n ? p->col[0].seen.n : p->col[1].seen.n;
    return 2 * profile_known(&p->col[1], &p->col[0].seen) > least;
}

static bool is_named_smiles(const struct profile_column *c)
{
    return c->n_numbers == 0 && strcasestr(c->name, "smiles");
}

/* Most cells have characters that only SMILES have. */
static bool is_structural(const struct profile_column *c)
{
    bool has_blank = false;

    for (int32_t i = 0; i < c->seen.n && !has_blank; i++)
        has_blank = strchr(c->seen.text[i], ' ') != NULL;
    return c->n > 0 && c->n_numbers == 0 && !has_blank && 2 * c->n_structures > c->n;
}

/* The column named smiles, else one with it in its name and structures in its cells, else one with
 * either; -1: none. */
static int32_t smiles_column(const struct profile *p)
{
    int32_t found = -1, best = 0;

    for (int32_t j = 0; j < p->n; j++) {
        const struct profile_column *c = &p->col[j];
        bool is_named = is_named_smiles(c), is_exact = !strcasecmp(c->name, "smiles");
        int32_t rank = 4 * (is_named && is_exact) + 2 * is_named + is_structural(c);

        if (rank > best) {
            found = j;
            best = rank;
        }
    }
    return found;
}

struct likeness {
    int32_t n;       /* columns that may be markers, or 0 */
    bool is_dosages; /* nearly all columns have few different values */
};

static struct likeness likeness(const struct profile *p)
{
    struct likeness like = {0};
    int32_t n_numeric = 0, n_dosages = 0;

    for (int32_t j = 1; j < p->n; j++) {
        const struct profile_column *c = &p->col[j];
        bool is_numeric = c->n == 0 || profile_is_numeric(c);

        n_numeric += is_numeric;
        n_dosages += is_numeric && c->seen.n <= MOST_DOSAGES;
    }
    like.is_dosages = 10 * n_dosages >= 9 * (p->n - 1);
    if (n_numeric == p->n - 1 && (like.is_dosages || p->n_cols > MANY_COLUMNS))
        like.n = p->n_cols - 1;
    return like;
}

/* ---- roles ---- */

static const char *role_name(enum param_id role)
{
    return role == P_SPLIT_FILE ? "split.file" : param_table[role].key;
}

static bool may_be_split(const struct init_files *files, const struct init_file *file)
{
    return file->kind == KIND_TABLE && init_files_part_column(&file->profile) > 0 &&
           !find_role(files, P_SPLIT_FILE);
}

/* A column of parts makes the split file of one of two tables with the same role. */
static int give(struct init_files *files, struct init_file *file, enum param_id role,
                struct err *err)
{
    struct init_file *other = find_role(files, role);
    struct init_file *split = other && may_be_split(files, file)    ? file
                              : other && may_be_split(files, other) ? other
                                                                    : NULL;

    if (other && !split)
        return err_set(err, "%s and %s: both are read as %s: give one of them, or join them first",
                       other->path, file->path, role_name(role));
    file->role = role;
    if (split) {
        split->role = P_SPLIT_FILE;
        split->column = init_files_part_column(&split->profile);
    }
    return 0;
}

static int give_kind(struct init_files *files, struct init_file *file, struct err *err)
{
    switch (file->kind) {
    case KIND_TABLE:
        return 0;
    case KIND_GENOTYPES:
        return give(files, file, P_GENOTYPES, err);
    case KIND_TU:
        return give(files, file, P_FOLDER, err);
    case KIND_SMI:
        break;
    }
    return err_set(err,
                   "%s: holds molecules and no trait to train on: give a table with a header, one "
                   "column with the SMILES and one with the trait",
                   file->path);
}

/* Give a role to a table that needs no other file. */
static int give_table(struct init_files *files, struct init_file *file, struct err *err)
{
    bool has_genotypes = init_files_find(files, P_GENOTYPES) != NULL;

    file->column = init_files_part_column(&file->profile);
    if (is_only_parts(&file->profile))
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
    return is_table(file) && file->role == P_COUNT;
}

/* True if the table may have genotypes although not all cells are dosages. */
static bool is_nearly_genotypes(const struct profile *p)
{
    int32_t n_few = 0;

    for (int32_t j = 1; j < p->n; j++)
        n_few += p->col[j].seen.n <= 2 * MOST_DOSAGES;
    return p->n_cols > MANY_COLUMNS || (p->n_cols > 3 && 10 * n_few >= 9 * (p->n - 1));
}

/* Find the table that was probably meant for the genotypes, so that the reader reports its faults.
 * NULL: none, or several. */
static struct init_file *find_nearly_genotypes(struct init_files *files)
{
    struct init_file *found = NULL;
    int n = 0;

    for (int32_t i = 0; i < files->n; i++)
        if (is_open(&files->file[i]) && is_nearly_genotypes(&files->file[i].profile)) {
            found = &files->file[i];
            n++;
        }
    return n == 1 ? found : NULL;
}

/* The table with most markers has the genotypes. Two such tables are an error. */
static int give_genotypes(struct init_files *files, struct err *err)
{
    struct init_file *best = NULL;
    struct likeness most = {0};

    for (int32_t i = 0; i < files->n; i++) {
        struct init_file *file = &files->file[i];
        struct likeness like = is_open(file) ? likeness(&file->profile) : (struct likeness){0};

        if (like.is_dosages == most.is_dosages && like.n > MANY_COLUMNS && most.n > MANY_COLUMNS)
            return err_set(err,
                           "%s and %s: both look like tables of genotypes: give one of them, or "
                           "join them first",
                           best->path, file->path);
        if (like.is_dosages > most.is_dosages
                ? like.n > 0
                : like.is_dosages == most.is_dosages && like.n > most.n) {
            best = file;
            most = like;
        }
    }
    best = best ? best : find_nearly_genotypes(files);
    return best ? give(files, best, P_GENOTYPES, err) : 0;
}

static int count_open(const struct init_files *files)
{
    int n = 0;

    for (int32_t i = 0; i < files->n; i++)
        n += is_open(&files->file[i]);
    return n;
}

/* Returns -1. */
static int refuse_alone(const struct init_file *file, struct err *err)
{
    if (likeness(&file->profile).n)
        return err_set(err,
                       "%s: looks like genotypes or features: give the table of phenotypes, with "
                       "ids and traits, beside it",
                       file->path);
    return err_set(
        err,
        "%s: a table that needs other files beside it: phenotypes need genotypes, labels of "
        "nodes need features and edges, and molecules a column of SMILES",
        file->path);
}

/* Give roles to tables that need the other files. */
static int give_rest(struct init_files *files, struct err *err)
{
    bool is_graph = init_files_find(files, P_EDGES) || init_files_find(files, P_FEATURES);
    bool has_samples = init_files_find(files, P_FOLDER) || init_files_find(files, P_LABELS) ||
                       init_files_find(files, P_MOLECULES);

    if (!is_graph && !has_samples && count_open(files) > 1 && give_genotypes(files, err) != 0)
        return -1;
    for (int32_t i = 0; i < files->n; i++) {
        struct init_file *file = &files->file[i];
        bool has_parts = is_open(file) && init_files_part_column(&file->profile) > 0;
        enum param_id role = !is_graph                               ? P_PHENOTYPES
                             : file->profile.n_cols == 2 + has_parts ? P_LABELS
                                                                     : P_FEATURES;

        if (!is_open(file))
            continue;
        if (has_samples && may_be_split(files, file)) {
            file->column = init_files_part_column(&file->profile);
            file->role = P_SPLIT_FILE;
            continue;
        }
        if (!is_graph && !init_files_find(files, P_GENOTYPES))
            return refuse_alone(file, err);
        if (give(files, file, role, err) != 0)
            return -1;
    }
    return 0;
}

/* ---- the format ---- */

static bool belongs(const struct data_format *format, enum param_id role)
{
    return role == P_SPLIT_FILE || data_format_setting(format, param_table[role].key);
}

static int check_roles(const struct init_files *files, const struct init_file *first,
                       struct err *err)
{
    for (int32_t i = 0; i < files->n; i++)
        if (!belongs(files->format, files->file[i].role))
            return err_set(err,
                           "%s (%s) and %s (%s) do not belong to the same data: give one of them",
                           first->path, role_name(first->role), files->file[i].path,
                           role_name(files->file[i].role));
    return 0;
}

static const struct init_file *find_key(const struct init_files *files, const char *key)
{
    return key ? init_files_find(files, (enum param_id)param_find("data", key)) : NULL;
}

/* Return the first file that shows the format; NULL: it is another. rc is -1, with err, if a file
 * that belongs to it is missing. */
static const struct init_file *recognize_format(int *rc, const struct init_files *files,
                                                const struct data_format *format, struct err *err)
{
    const struct init_file *found = NULL;

    for (size_t i = 0; !*rc && i < DATA_FILES && format->files[i].first; i++) {
        const struct data_files *wanted = &format->files[i];
        const struct init_file *first = find_key(files, wanted->first);

        if (first && wanted->second && !(first->variants && first->variants->phenotypes) &&
            !find_key(files, wanted->second))
            *rc = err_set(err, "%s: %s", first->path, wanted->missing);
        found = first ? first : found;
    }
    return found;
}

/* Formats of graphs come first: no other format has their files. */
static int find_format(struct init_files *files, struct err *err)
{
    const struct init_file *found = NULL;
    const struct data_format *format;
    int rc = 0;

    for (int is_graphs = 1; is_graphs >= 0 && !found; is_graphs--)
        for (size_t i = 0; !found && (format = data_format_next(i)); i++)
            if ((format->samples == DATA_GRAPHS) == is_graphs) {
                found = recognize_format(&rc, files, format, err);
                files->format = format;
            }
    if (rc)
        return -1;
    if (found)
        return check_roles(files, found, err);
    return err_set(err,
                   "%s: nothing to train on: give genotypes and phenotypes, edges, features and "
                   "labels, a TUDataset folder, or a table of SMILES",
                   files->file[0].path);
}

int init_files_read(struct init_files *out, const char *const *paths, int32_t n, struct err *err)
{
    int status = 0;

    *out = (struct init_files){.file = calloc((size_t)n, sizeof *out->file)};
    if (!out->file)
        return err_nomem(err, "files", (size_t)n * sizeof *out->file);
    for (int32_t i = 0; i < n && status == 0; i++) {
        out->file[out->n] = (struct init_file){.path = paths[i], .role = P_COUNT};
        status = read_file(out, out->n, err);
        out->n += !is_plink_again(out, out->n);
    }
    for (int32_t i = 0; i < out->n && status == 0; i++)
        status = give_kind(out, &out->file[i], err);
    for (int32_t i = 0; i < out->n && status == 0; i++)
        if (is_table(&out->file[i]))
            status = give_table(out, &out->file[i], err);
    if (status == 0)
        status = give_rest(out, err);
    return status == 0 ? find_format(out, err) : -1;
}
