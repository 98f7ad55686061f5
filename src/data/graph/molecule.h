/* SPDX-License-Identifier: BSD-3-Clause */
/* Converts SMILES to graphs with Indigo. */
#ifndef DATA_GRAPH_MOLECULE_H
#define DATA_GRAPH_MOLECULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "data/graph/edges.h"

/* Every molecule first gets one form, so that its spelling does not matter:
 *   - Text after the first blank is cut (names, CXSMILES).
 *   - Hydrogens bonded to one other atom, also isotopes ([2H], [D], [3H], [T]), become counts. H2 and
 *     bridges stay, like a molecule of nothing but hydrogen.
 *   - Neutral N with five bonds (N(=O)=O, N=N#N, n(=O)), P with C=P=O, and Cl, Br, I with double bonds
 *     to O alone get the charges of [N+](=O)[O-], as in RDKit's cleanUp. Other charges stay as they are:
 *     sulfoxides, phosphates, salts, zwitterions and tautomers have more than one form.
 *   - Aromaticity is found anew by one rule.
 * Example: `C1=CC=CC=C1N(=O)=O nitrobenzene` and `[O-][N+](=O)c1ccccc1` become the same nine nodes.
 *
 * Features of an atom, in this order. Hydrogens are counted; they are not nodes.
 *   element    43 columns and "other", one-hot: those of the canonical featuriser of DeepChem and
 *              DGL-LifeSci, in its order
 *   degree     one-hot 0 to 5, 6 or more: neighbours that are not hydrogen
 *   hydrogens  one-hot 0 to 3, 4 or more
 *   charge     formal
 *   radicals   unpaired electrons
 *   aromatic, ring
 *   double, triple   number of such bonds, aromatic ones excluded, in place of hybridisation, which
 *              Indigo does not report, and bond orders, which edges do not have */
#define MOLECULE_FEATURES 62

const char *molecule_feature_name(int32_t feature);

/* If built without Indigo, no function below may be called. */
bool molecule_is_readable(void);

enum molecule_note {
    MOLECULE_TEXT,      /* text after the SMILES was cut */
    MOLECULE_HYDROGENS, /* hydrogen atoms became counts */
    MOLECULE_CHARGES,   /* charges were placed */
    MOLECULE_VALENCES,  /* an atom has unknown hydrogens, which count as none */
    MOLECULE_WILDCARDS, /* an atom is of no element (*, R groups), which is "other" */
    MOLECULE_ELEMENTS,  /* an atom's element is "other" */
    MOLECULE_NOTES,
};

struct molecules {
    int8_t *feature; /* (n_atoms, MOLECULE_FEATURES) owned */
    int32_t n_atoms;
    size_t capacity;
    struct edges bonds;            /* between atoms of all molecules */
    uint64_t session;              /* of Indigo */
    bool is_noted[MOLECULE_NOTES]; /* of the last molecule */
    char element[4];               /* its first one that is "other" */
};

/* Pair with molecules_release(). */
void molecules_init(struct molecules *m);
void molecules_release(struct molecules *m);

/* Append a molecule; a mixture becomes one graph of several components. Returns 1, or 0 with the
 * reason in err if Indigo cannot parse it or it has no atoms; then nothing is appended. */
int molecules_add(struct molecules *m, const char *smiles, struct err *err);

#endif
