/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/graph/molecule.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "config.h"

#ifdef HAVE_INDIGO
#include <indigo.h>
#endif

static const struct element {
    int number;
    const char *symbol;
} elements[] = {
    {6, "C"},   {7, "N"},   {8, "O"},   {16, "S"},  {9, "F"},   {14, "Si"}, {15, "P"},  {17, "Cl"},
    {35, "Br"}, {12, "Mg"}, {11, "Na"}, {20, "Ca"}, {26, "Fe"}, {33, "As"}, {13, "Al"}, {53, "I"},
    {5, "B"},   {23, "V"},  {19, "K"},  {81, "Tl"}, {70, "Yb"}, {51, "Sb"}, {50, "Sn"}, {47, "Ag"},
    {46, "Pd"}, {27, "Co"}, {34, "Se"}, {22, "Ti"}, {30, "Zn"}, {1, "H"},   {3, "Li"},  {32, "Ge"},
    {29, "Cu"}, {79, "Au"}, {28, "Ni"}, {48, "Cd"}, {49, "In"}, {25, "Mn"}, {40, "Zr"}, {24, "Cr"},
    {78, "Pt"}, {80, "Hg"}, {82, "Pb"},
};

/* First column of each group. */
enum {
    N_ELEMENTS = sizeof elements / sizeof *elements,
    OTHER = N_ELEMENTS,
    DEGREE,
    MOST_DEGREE = 6,
    HYDROGENS = DEGREE + MOST_DEGREE + 1,
    MOST_HYDROGENS = 4,
    CHARGE = HYDROGENS + MOST_HYDROGENS + 1,
    RADICALS,
    AROMATIC,
    RING,
    DOUBLE,
    TRIPLE,
    N_FEATURES,
};

_Static_assert(N_FEATURES == MOLECULE_FEATURES, "the count in the header is another one");

const char *molecule_feature_name(int32_t feature)
{
    static const char *const rest[] = {
        "other",       "degree=0",    "degree=1",     "degree=2",     "degree=3",
        "degree=4",    "degree=5",    "degree>=6",    "hydrogens=0",  "hydrogens=1",
        "hydrogens=2", "hydrogens=3", "hydrogens>=4", "charge",       "radicals",
        "aromatic",    "ring",        "double_bonds", "triple_bonds",
    };

    _Static_assert(OTHER + sizeof rest / sizeof *rest == N_FEATURES, "a column without a name");
    return feature < N_ELEMENTS ? elements[feature].symbol : rest[feature - N_ELEMENTS];
}

void molecules_release(struct molecules *m)
{
    if (!m)
        return;
#ifdef HAVE_INDIGO
    if (m->session) {
        indigoSetSessionId(m->session);
        indigoFreeAllObjects();
        indigoReleaseSessionId(m->session);
    }
#endif
    free(m->feature);
    edges_release(&m->bonds);
    memset(m, 0, sizeof *m);
}

#ifndef HAVE_INDIGO

bool molecule_is_readable(void)
{
    return false;
}

void molecules_init(struct molecules *m)
{
    memset(m, 0, sizeof *m);
}

int molecules_add(struct molecules *m, const char *smiles, struct err *err)
{
    (void)m;
    return err_set(err, "\"%.80s\" cannot be read: this program was built without Indigo", smiles);
}

#else

bool molecule_is_readable(void)
{
    return true;
}

void molecules_init(struct molecules *m)
{
    memset(m, 0, sizeof *m);
    m->session = indigoAllocSessionId();
    indigoSetSessionId(m->session);
    /* Stereochemistry does not change the graph. */
    indigoSetOptionBool("ignore-stereochemistry-errors", 1);
    /* As in Daylight and RDKit, a ring with an exocyclic double bond may be aromatic. */
    indigoSetOption("aromaticity-model", "generic");
    /* RDKit also writes rings in lower case that are not aromatic by Indigo's rule. */
    indigoSetOptionBool("dearomatize-verification", 0);
}

/* ---- one molecule ---- */

struct atom {
    int element; /* atomic number, 0: none */
    int charge;
    int radicals;
    int hydrogens;
    int degree;
    int doubles;
    int triples;
    bool is_aromatic;
    bool is_in_ring;
};

struct scratch {
    struct atom *atom; /* [n] */
    int32_t n;
    int32_t *place; /* [n_indices] position in atom of Indigo's indices, which have gaps; or -1 */
    int32_t n_indices;
};

/* for (int at = indigoIterateAtoms(molecule), item = step(at, 0); item; item = step(at, item)) */
static int step(int iterator, int item)
{
    if (item)
        indigoFree(item);
    item = iterator > 0 ? indigoNext(iterator) : 0;
    if (item <= 0)
        indigoFree(iterator);
    return item > 0 ? item : 0;
}

static int column_of(int number)
{
    int column = 0;

    while (column < N_ELEMENTS && elements[column].number != number)
        column++;
    return column;
}

static void read_atom(struct atom *out, struct molecules *m, int item)
{
    *out = (struct atom){0};
    if (indigoIsPseudoatom(item) > 0 || indigoIsRSite(item) > 0) {
        m->is_noted[MOLECULE_WILDCARDS] = true;
        return;
    }
    out->element = indigoAtomicNumber(item);
    if (indigoGetCharge(item, &out->charge) <= 0)
        out->charge = 0;
    if (indigoGetRadicalElectrons(item, &out->radicals) <= 0)
        out->radicals = 0;
    if (indigoCountHydrogens(item, &out->hydrogens) <= 0) {
        out->hydrogens = 0;
        m->is_noted[MOLECULE_VALENCES] = true;
    }
    if (column_of(out->element) == OTHER && !m->is_noted[MOLECULE_ELEMENTS]) {
        m->is_noted[MOLECULE_ELEMENTS] = true;
        snprintf(m->element, sizeof m->element, "%s", indigoSymbol(item));
    }
}

static int read_atoms(struct scratch *s, struct molecules *m, int molecule, struct err *err)
{
    size_t n = (size_t)s->n_indices + 1;

    s->atom = malloc(n * sizeof *s->atom);
    s->place = malloc(n * sizeof *s->place);
    if (!s->atom || !s->place)
        return err_nomem(err, "atoms", n * sizeof *s->atom);
    memset(s->place, -1, n * sizeof *s->place);
    for (int at = indigoIterateAtoms(molecule), item = step(at, 0); item; item = step(at, item)) {
        read_atom(&s->atom[s->n], m, item);
        assert(indigoIndex(item) < s->n_indices);
        s->place[indigoIndex(item)] = s->n++;
    }
    return 0;
}

static int32_t place_of(const struct scratch *s, int atom)
{
    int index = indigoIndex(atom);
    int32_t place = index >= 0 && index < s->n_indices ? s->place[index] : -1;

    indigoFree(atom);
    return place;
}

enum { AROMATIC_ORDER = 4 };

static void count_bond(struct atom *atom, int order, int topology)
{
    atom->degree++;
    atom->doubles += order == 2;
    atom->triples += order == 3;
    atom->is_aromatic = atom->is_aromatic || order == AROMATIC_ORDER;
    atom->is_in_ring = atom->is_in_ring || topology == INDIGO_RING;
}

static int read_bond(struct scratch *s, struct molecules *m, int bond, struct err *err)
{
    int32_t a = place_of(s, indigoSource(bond)), b = place_of(s, indigoDestination(bond));
    int order = indigoBondOrder(bond), topology = indigoTopology(bond);

    if (a < 0 || b < 0)
        return 0;
    count_bond(&s->atom[a], order, topology);
    count_bond(&s->atom[b], order, topology);
    return edges_add(&m->bonds, m->n_atoms + a, m->n_atoms + b, err);
}

/* ---- as features ---- */

static int8_t clamp(int v)
{
    return (int8_t)(v > DOSAGE_MAX ? DOSAGE_MAX : v < -DOSAGE_MAX ? -DOSAGE_MAX : v);
}

static int at_most(int v, int most)
{
    return v < most ? v : most;
}

static void encode(int8_t *row, const struct atom *atom)
{
    memset(row, 0, MOLECULE_FEATURES);
    row[column_of(atom->element)] = 1;
    row[DEGREE + at_most(atom->degree, MOST_DEGREE)] = 1;
    row[HYDROGENS + at_most(atom->hydrogens, MOST_HYDROGENS)] = 1;
    row[CHARGE] = clamp(atom->charge);
    row[RADICALS] = clamp(atom->radicals);
    row[AROMATIC] = atom->is_aromatic;
    row[RING] = atom->is_in_ring;
    row[DOUBLE] = clamp(atom->doubles);
    row[TRIPLE] = clamp(atom->triples);
}

static int append(struct molecules *m, const struct scratch *s, struct err *err)
{
    for (int32_t i = 0; i < s->n; i++) {
        if (m->n_atoms == INT32_MAX)
            return err_set(err, "more than %d atoms", m->n_atoms);
        if (array_extend(&m->feature, &m->capacity, (size_t)m->n_atoms, MOLECULE_FEATURES, "atoms",
                         err))
            return -1;
        encode(m->feature + (int64_t)m->n_atoms++ * MOLECULE_FEATURES, &s->atom[i]);
    }
    return 0;
}

static const char *atoms_fault(const struct scratch *s)
{
    enum { MOST_CHARGE = 15 }; /* OpenSMILES 3.1.5 */

    for (int32_t i = 0; i < s->n; i++)
        if (s->atom[i].charge > MOST_CHARGE || s->atom[i].charge < -MOST_CHARGE)
            return "a charge beyond 15";
    return s->n ? NULL : "it has no atoms";
}

/* ---- one form ---- */

enum { HYDROGEN = 1, CARBON = 6, NITROGEN = 7, OXYGEN = 8, PHOSPHORUS = 15, CHLORINE = 17 };
enum { BROMINE = 35, IODINE = 53 };

struct atom_neighbours {
    int n, n_oxygens;
    int orders;    /* sum */
    int oxygen;    /* the last =O without charge: its place among them, or -1 */
    int nitrogen;  /* #N without charge */
    int is_double; /* to a C or N with further neighbours */
};

static int charge_of(int atom)
{
    int charge;

    return indigoGetCharge(atom, &charge) > 0 ? charge : 0;
}

static void look_at(struct atom_neighbours *seen, int neighbour)
{
    int bond = indigoBond(neighbour), order = indigoBondOrder(bond);
    int number = indigoAtomicNumber(neighbour), charge = charge_of(neighbour);

    if (number == OXYGEN && !charge && order == 2)
        seen->oxygen = seen->n;
    if (number == NITROGEN && !charge && order == 3)
        seen->nitrogen = seen->n;
    if ((number == CARBON || number == NITROGEN) && order == 2)
        seen->is_double += indigoDegree(neighbour) > 1;
    seen->n_oxygens += number == OXYGEN;
    seen->orders += order;
    seen->n++;
    indigoFree(bond);
}

/* Lower the order of the bond to neighbour `place` and move one electron there; -1: of all =O. */
static void separate(int atom, int place)
{
    int charge = charge_of(atom), k = 0;

    for (int at = indigoIterateNeighbors(atom), item = step(at, 0); item; item = step(at, item)) {
        int bond = indigoBond(item), order = indigoBondOrder(bond);

        if (k++ == place || (place < 0 && order == 2)) {
            indigoSetBondOrder(bond, order - 1);
            indigoSetCharge(item, charge_of(item) - 1);
            charge++;
        }
        indigoFree(bond);
    }
    indigoSetCharge(atom, charge);
}

/* The rules of RDKit's MolOps::cleanUp(). The last of several =O gets the charge, as in the usual
 * spelling of a nitro group. */
static bool place_charges(int atom)
{
    int number = indigoAtomicNumber(atom);
    struct atom_neighbours seen = {.oxygen = -1, .nitrogen = -1};

    if ((number != NITROGEN && number != PHOSPHORUS && number != CHLORINE && number != BROMINE &&
         number != IODINE) ||
        charge_of(atom))
        return false;
    for (int at = indigoIterateNeighbors(atom), item = step(at, 0); item; item = step(at, item))
        look_at(&seen, item);
    if (number == NITROGEN && seen.orders == 5 && (seen.oxygen >= 0 || seen.nitrogen >= 0))
        separate(atom, seen.oxygen >= 0 ? seen.oxygen : seen.nitrogen);
    else if (number == PHOSPHORUS && seen.orders == 5 && seen.n == 3 && seen.oxygen >= 0 &&
             seen.is_double)
        separate(atom, seen.oxygen);
    else if (number >= CHLORINE && seen.n_oxygens == seen.n && seen.oxygen >= 0 &&
             seen.orders % 2 == 1)
        separate(atom, -1);
    else
        return false;
    return true;
}

static int add_molecule(struct molecules *m, int molecule, struct err *err)
{
    struct scratch s = {.n_indices = indigoCountAtoms(molecule)};
    const char *fault;
    int rc;

    /* For many aromatic nitrogens the number of hydrogens is known only after double bonds are
     * placed. Bonds are therefore dearomatised, and then made aromatic by one rule. */
    for (int at = indigoIterateAtoms(molecule), item = step(at, 0); item; item = step(at, item))
        if (indigoAtomicNumber(item) == HYDROGEN && indigoIsotope(item) > 0)
            indigoResetIsotope(item);
    if (indigoCountHeavyAtoms(molecule) > 0)
        indigoFoldHydrogens(molecule);
    m->is_noted[MOLECULE_HYDROGENS] = indigoCountAtoms(molecule) < s.n_indices;
    indigoDearomatize(molecule);
    for (int at = indigoIterateAtoms(molecule), item = step(at, 0); item; item = step(at, item))
        if (place_charges(item))
            m->is_noted[MOLECULE_CHARGES] = true;
    rc = read_atoms(&s, m, molecule, err);
    indigoAromatize(molecule);
    fault = rc ? NULL : atoms_fault(&s);
    if (fault)
        err_set(err, "%s", fault);
    if (!rc && !fault) {
        for (int at = indigoIterateBonds(molecule), item = step(at, 0); item; item = step(at, item))
            rc = rc ? rc : read_bond(&s, m, item, err);
        rc = rc || append(m, &s, err) ? -1 : 1;
    }
    free(s.atom);
    free(s.place);
    return rc;
}

/* ---- input that Indigo accepts but that is not SMILES ---- */

enum { MOST_ISOTOPE_DIGITS = 3 }; /* OpenSMILES 3.1.4 */

/* Indigo's time grows with the square of the atoms: 10,000 letters take three seconds. The largest
 * molecules of PubChem have a few thousand. */
enum { MOST_LETTERS = 10000 };

static bool is_bond(char c)
{
    return c && strchr("-=#:/\\", c);
}

static const char *fault_at(const char *smiles, size_t at)
{
    char last = at ? smiles[at - 1] : '\0', next = smiles[at + 1];

    if (smiles[at] == '.' && (!last || last == '.' || last == '(' || !next || next == ')'))
        return "a '.' with nothing on one side";
    if (smiles[at] == '(' && next == ')')
        return "nothing between '(' and ')'";
    if (is_bond(smiles[at]) && is_bond(next))
        return "two bonds in a row";
    if (smiles[at] == '[' && strspn(smiles + at + 1, "0123456789") > MOST_ISOTOPE_DIGITS)
        return "an isotope beyond 999";
    return NULL;
}

/* Texts that other programs write into such a column. */
static const char *kind_of(const char *text)
{
    static const char key[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    if (!strncmp(text, "InChI=", strlen("InChI=")))
        return "it is an InChI: convert it with obabel -iinchi -osmi";
    if (strspn(text, key) == 14 && text[14] == '-' && strspn(text + 15, key) == 10)
        return "it is an InChIKey, which does not contain the molecule: look up its SMILES";
    if (strstr(text, "->") || strstr(text, "<-"))
        return "it has a dative bond (-> or <-), which SMILES does not have: write - for it";
    if (strchr(text, '>'))
        return "it is a reaction: write one molecule of it, such as the product";
    return NULL;
}

/* Indigo accepts truncated rows and several lines. */
static const char *fault_of(const char *smiles)
{
    bool is_in_bracket = false;
    int64_t depth = 0;

    if (!*smiles)
        return "it is empty";
    if (strlen(smiles) > MOST_LETTERS)
        return "it has more than 10000 letters";
    for (size_t i = 0; smiles[i]; i++) {
        const char *fault = is_in_bracket ? NULL : fault_at(smiles, i);

        if ((unsigned char)smiles[i] < ' ')
            return "it has several lines";
        if (fault)
            return fault;
        is_in_bracket = smiles[i] == '[' || (is_in_bracket && smiles[i] != ']');
        depth += is_in_bracket ? 0 : (smiles[i] == '(') - (smiles[i] == ')');
    }
    return depth > 0 ? "'(' without a ')'" : NULL;
}

/* Copy the text up to a blank, with [2H] for [D] and [3H] for [T], which ChemDraw writes. */
static void copy_smiles(struct buf *out, const char *text)
{
    for (; *text && *text != ' ' && *text != '\t'; text++) {
        bool is_isotope = (*text == 'D' || *text == 'T') && out->size &&
                          out->data[out->size - 1] == '[' && !islower((unsigned char)text[1]);

        if (is_isotope)
            buf_puts(out, *text == 'D' ? "2H" : "3H");
        else
            buf_putc(out, *text);
    }
}

/* ---- aromatic rings around a single bond ---- */

/* RDKit writes azulene as c1ccc2cccc-2cc1: only the ring around the bond is aromatic. Indigo looks at
 * the small rings, finds none without a single bond, and reads saturated rings. Without the '-' it
 * finds them. */

static int count_lower(const char *smiles)
{
    int n = 0;

    for (; *smiles; smiles++) {
        bool is_bracket = *smiles == '[';

        smiles += is_bracket ? 1 + strspn(smiles + 1, "0123456789") : 0;
        n += *smiles && strchr(is_bracket ? "abcnopst" : "bcnops", *smiles);
        smiles += is_bracket ? strcspn(smiles, "]") : 0;
        if (!*smiles)
            break;
    }
    return n;
}

static int count_aromatic(int molecule)
{
    int n = 0;

    for (int at = indigoIterateAtoms(molecule), atom = step(at, 0); atom; atom = step(at, atom)) {
        bool is = false;

        for (int to = indigoIterateNeighbors(atom), item = step(to, 0); item;
             item = step(to, item)) {
            int bond = indigoBond(item);

            is = is || indigoBondOrder(bond) == AROMATIC_ORDER;
            indigoFree(bond);
        }
        n += is;
    }
    return n;
}

/* out: [MOST_LETTERS + 1] the text without '-' outside brackets. Returns whether there was one. */
static bool drop_single_bonds(char *out, const char *smiles)
{
    bool is_in_bracket = false, is_dropped = false;

    for (; *smiles; smiles++) {
        is_in_bracket = *smiles == '[' || (is_in_bracket && *smiles != ']');
        if (*smiles == '-' && !is_in_bracket)
            is_dropped = true;
        else
            *out++ = *smiles;
    }
    *out = '\0';
    return is_dropped;
}

/* Like indigoLoadMoleculeFromString(). */
static int load_molecule(const char *smiles)
{
    int molecule = indigoLoadMoleculeFromString(smiles), other;
    char text[MOST_LETTERS + 1];
    int n_lower = count_lower(smiles);

    if (molecule < 0 || !n_lower || !drop_single_bonds(text, smiles) ||
        count_aromatic(molecule) >= n_lower)
        return molecule;
    other = indigoLoadMoleculeFromString(text);
    if (other < 0)
        return molecule;
    if (count_aromatic(other) < n_lower) {
        indigoFree(other);
        return molecule;
    }
    indigoFree(molecule);
    return other;
}

static int add_smiles(struct molecules *m, const char *smiles, struct err *err)
{
    const char *fault = kind_of(smiles);
    int molecule, rc;

    fault = fault ? fault : fault_of(smiles);
    if (fault) {
        err_set(err, "%s", fault);
        return 0;
    }
    indigoSetSessionId(m->session);
    molecule = load_molecule(smiles);
    if (molecule < 0) {
        err_set(err, "%s", indigoGetLastError());
        return 0;
    }
    rc = add_molecule(m, molecule, err);
    indigoFree(molecule);
    return rc;
}

int molecules_add(struct molecules *m, const char *smiles, struct err *err)
{
    struct buf text = {0};
    int rc;

    memset(m->is_noted, 0, sizeof m->is_noted);
    smiles += strspn(smiles, " ");
    m->is_noted[MOLECULE_TEXT] = strpbrk(smiles, " \t");
    copy_smiles(&text, smiles);
    rc = buf_failed(&text) ? err_nomem(err, "SMILES", text.size)
                           : add_smiles(m, buf_text(&text), err);
    buf_release(&text);
    return rc;
}

#endif
