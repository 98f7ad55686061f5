/* SMILES files as chemistry programs write them (.smi): no header; on each line a molecule, and
 * behind a blank or a tab its name, plain or gzip. The name ends at a tab or with the line and may
 * have blanks in it (OpenBabel), and may be absent. Empty lines and those that begin with # are
 * none. A first line whose first word is SMILES, in any letters (RDKit), is a title. */
#ifndef DATA_SMI_H
#define DATA_SMI_H

#include "data/lines.h"

enum { SMI_SMILES, SMI_NAME, SMI_CELLS };

struct smi {
    struct lines lines; /* path and line are there */
    bool is_begun;
    char *cell[SMI_CELLS]; /* of the current line, "" where absent; valid until the next call */
};

/* Whether a file is to be read so: its name ends in .smi or .smi.gz, and none of the cells of its
 * first line, apart by tabs, commas, semicolons or blanks, is the column of that name. False where
 * it cannot be read, too. */
bool smi_is_bare(const char *path, const char *column);

/* -1 and err: as lines_open(). Pair with smi_close() after success. */
int smi_open(struct smi *s, const char *path, struct err *err);
void smi_close(struct smi *s); /* takes a zeroed one */

/* Step to the next molecule: 1, or 0 at the end. -1 and err: a carriage return inside a line; as
 * lines_next_whole(). */
int smi_next(struct smi *s, struct err *err);

#endif
