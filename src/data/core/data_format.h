/* SPDX-License-Identifier: BSD-3-Clause */
/* The data formats: one row for each choice of data.format, defined in the format's file. Other
 * code asks for a property of the row (data/format.h), never which row it is. */
#ifndef DATA_CORE_DATA_FORMAT_H
#define DATA_CORE_DATA_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct data_report;
struct data_spec;
struct dataset;

/* clang-format off */
/* In the order of the choices of data.format, separated by OR. */
#define DATA_FORMATS(X, OR) \
    X(genotype) OR X(graph) OR X(simulated) OR X(tu) OR X(smiles) OR \
    X(inputs)
/* clang-format on */

/* "genotype|graph|..." */
#define DATA_FORMAT_NAME(name) #name
#define DATA_FORMAT_CHOICES DATA_FORMATS(DATA_FORMAT_NAME, "|")

enum data_samples {
    DATA_ROWS,   /* rows of features, joined by similarity */
    DATA_NODES,  /* nodes of a given graph */
    DATA_GRAPHS, /* graphs */
};

/* A setting of [data] that the format has. */
struct data_setting {
    const char *key;
    bool is_required;
    const char *comment; /* which `init` writes beside it, or NULL */
};

/* Reads a file of new graphs for a model (spec->like) in pieces. */
struct data_pieces {
    /* Pair with close(), also after a failure. spec is borrowed until then. */
    int (*open)(void **out, const struct data_spec *spec, struct err *err);
    /* Read at most `most` graphs. Returns 1, or 0 after the last. report covers everything so
     * far. */
    int (*next)(struct dataset *out, void *state, int32_t most, struct data_report *report,
                struct err *err);
    void (*close)(void *state);
};

/* The files by which `init` recognises the format, as keys of settings. */
struct data_files {
    const char *first;
    const char *second;  /* NULL: none */
    const char *missing; /* message without the second */
};

/* The proposal of `init`; blanks separate values of an axis. */
struct data_proposal {
    int32_t epochs;     /* 0: depends on the samples */
    int32_t batch_size; /* 0: depends on the samples */
    int32_t one_part;   /* no folds from this many labelled samples on; 0: 20000 */
    const char *patience;
    const char *learning_rate;
    const char *dropout;
    const char *layers;
    const char *pool;
    const char *hidden_size;
};

enum { DATA_SETTINGS = 20, DATA_FILES = 3 };

struct data_format {
    const char *name;
    const char *sample_word, *feature_word; /* plurals for people: "molecules", "markers" */

    enum data_samples samples;
    bool has_genotypes; /* features are dosages of alleles */
    bool is_simulated;
    bool has_no_samples; /* programs read their own data */
    bool has_attributes; /* may be amounts, words or both: scale = auto examines them */
    bool has_groups;     /* the trait's table may have columns of groups and of parts */
    const char *same;    /* "markers": what samples share that no model can tell apart; NULL:
                               samples may be equal by nature */

    struct data_setting settings[DATA_SETTINGS]; /* ends with a NULL key */

    /* report is zeroed. -1 and err: file:line, what was found, what is allowed. */
    int (*load)(struct dataset *out, const struct data_spec *spec, struct data_report *report,
                struct err *err);

    const char *new_option; /* of `predict`: genotypes, features or graphs */
    void (*set_new_path)(struct data_spec *spec, const char *path); /* for graphs; else NULL */
    const struct data_pieces *pieces;                               /* NULL: read at once */

    struct data_files files[DATA_FILES];
    const char *trait_table; /* setting of the table with the trait, or NULL */
    bool has_trait_number;
    struct data_proposal proposal;
};

#define DATA_FORMAT_DECLARE(name) extern const struct data_format name##_format;
DATA_FORMATS(DATA_FORMAT_DECLARE, )

#endif
