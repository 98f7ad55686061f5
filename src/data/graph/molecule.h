/* SPDX-License-Identifier: BSD-3-Clause */
/* Molecules as graphs, from SMILES, read by Indigo: the only user of indigo.h. */
#ifndef DATA_GRAPH_MOLECULE_H
#define DATA_GRAPH_MOLECULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/graph/edges.h"

/* Features of an atom, in this order; hydrogens are counted, not nodes:
 *   element    43 columns and "other", one-hot: those of the canonical featuriser of DeepChem and
 *              DGL-LifeSci, in its order
 *   degree     one-hot 0 to 5, 6 or more: neighbours that are not hydrogen
 *   hydrogens  one-hot 0 to 3, 4 or more
 *   charge     formal
 *   radicals   unpaired electrons
 *   aromatic, ring
 *   double, triple   how many such bonds: they stand for the hybridisation, which Indigo does not
 *              tell, and for the orders of bonds, which edges do not have. Aromatic bonds are none
 */
#define MOLECULE_FEATURES 62

const char *molecule_feature_name(int32_t feature);

/* Whether this program was built with Indigo; nothing below may be called where not. */
bool molecule_is_readable(void);

/* The atoms and bonds of molecules one after another. */
struct molecules {
    int8_t *feature; /* (n_atoms, MOLECULE_FEATURES) owned */
    int32_t n_atoms;
    int32_t capacity;
    struct pairs bonds;    /* of atoms, numbered through */
    uint64_t session;      /* of Indigo */
    int32_t n_bad_valence; /* atoms whose hydrogens cannot be told: they count as none */
};

/* Pair with molecules_release(). */
void molecules_init(struct molecules *m);
void molecules_release(struct molecules *m); /* takes a zeroed one */

/* Append a molecule, salts and mixtures as one graph of several components. 1; 0 and why not in
 * err, where Indigo cannot read it or it has no atoms: nothing is appended. -1 and err when memory
 * is short. */
int molecules_add(struct molecules *m, const char *smiles, struct err *err);

#endif
