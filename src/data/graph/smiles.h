/* SPDX-License-Identifier: BSD-3-Clause */
/* SMILES files as chemistry programs write them (.smi): no header; on each line a molecule, and
 * behind a blank or a tab its name, plain or gzip. The name ends at a tab or with the line and may
 * have blanks in it (OpenBabel), and may be absent. Empty lines and those that begin with # are
 * none. A first line whose first word is SMILES, in any letters (RDKit), is a title.
 *
 * smiles_format (data/core/data_format.h) reads them, and tables of molecules. */
#ifndef DATA_GRAPH_SMILES_H
#define DATA_GRAPH_SMILES_H

#include <stdbool.h>

/* Whether a file is to be read so: its name ends in .smi or .smi.gz, and none of the cells of its
 * first line, apart by tabs, commas, semicolons or blanks, is the column of that name. False where
 * it cannot be read, too. */
bool smiles_is_bare(const char *path, const char *column);

#endif
