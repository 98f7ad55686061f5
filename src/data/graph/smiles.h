/* SPDX-License-Identifier: BSD-3-Clause */
/* SMILES files as written by chemistry programs (.smi), plain or gzip. There is no header. Each
 * line has a molecule and, after a blank or tab, optionally its name. The name ends at a tab or the
 * line end and may contain blanks (OpenBabel). Empty lines and lines that begin with # are skipped.
 * A first line whose first word is SMILES, in any case, is a title (RDKit).
 *
 * smiles_format (data/core/data_format.h) reads these files, and tables of molecules. */
#ifndef DATA_GRAPH_SMILES_H
#define DATA_GRAPH_SMILES_H

#include <stdbool.h>

/* True if a file must be read as a SMILES file: its name ends in .smi or .smi.gz, and no cell of
 * its first line is `column`, with cells separated by tabs, commas, semicolons or blanks. False if
 * the file cannot be read. */
bool smiles_is_bare(const char *path, const char *column);

#endif
