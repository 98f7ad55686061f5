/* SPDX-License-Identifier: BSD-3-Clause */
/* SMILES files of chemistry programs, plain or gzip, without a header. Each line has a molecule
 * and, after a blank or tab, optionally an extension |...| (CXSMILES), and its name, which ends at a
 * tab and may contain blanks (OpenBabel). Empty lines and lines that begin with # are skipped. A
 * first line whose first word is SMILES, in any case, is a title (RDKit) if at most one word
 * follows. */
#ifndef DATA_GRAPH_SMILES_H
#define DATA_GRAPH_SMILES_H

#include <stdbool.h>

/* True for a SMILES file: its name ends in .smi or .smi.gz, or its first two lines begin with
 * molecules, and no cell of its first line is `column` (of three or more cells, in any case). Without Indigo only the name counts. */
bool smiles_is_bare(const char *path, const char *column);

/* True for an SDF or MOL file: by its name, or by its fourth line, which ends in V2000 or V3000. */
bool smiles_is_structures(const char *path);

#endif
