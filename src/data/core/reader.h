/* What the readers of the formats share; and the readers themselves, for data_load() alone. */
#ifndef DATA_CORE_READER_H
#define DATA_CORE_READER_H

#include "data/core/builder.h"
#include "data/core/load.h"
#include "data/text/names.h"
#include "data/text/table.h"

/* -1 and err unless the setting data.KEY holds a path. */
int reader_need_path(const char *path, const char *key, const char *format, struct err *err);

/* Whether a path ends so, in any letters, with a name before it. */
bool reader_ends_in(const char *path, const char *ending);

/* Whether the header begins FID IID, as PLINK's tables do. */
bool reader_has_family(const struct table *t);
/* The column of the ids: of that name, where one is given (NULL or "": none is); IID after FID; the
 * first. -1 and err: no such column. */
int32_t reader_id_column(const struct table *t, const char *name, struct err *err);

/* The cell of the row in a column as a new id: its number. -1 and err: empty, or there already. */
int32_t reader_new_id(struct names *ids, const struct table *t, int32_t col, struct err *err);

/* The number of the id in a column. -1 and err: not among ids, which come from the file `source`.
 */
int32_t reader_known_id(const struct names *ids, const struct table *t, int32_t col,
                        const char *source, struct err *err);

/* Whether a cell is one of the words, or one of the numbers among them written otherwise. */
bool reader_is_listed(const struct names *words, const char *cell);

/* As data_load(), of one format; report is zeroed. */
int genotype_load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
                  struct err *err);
int graphdata_load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
                   struct err *err);
int simulated_load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
                   struct err *err);
int tu_load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
            struct err *err);
int smiles_load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
                struct err *err);
int idx_load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
             struct err *err);

/* Molecules for a model (spec->like), at most so many at a time; for newgraphs.h alone. next: 1, or
 * 0 after the last; report is of all that was read so far. Pair with smiles_close(), also after a
 * failure; spec is borrowed until then. */
struct smiles;
int smiles_open(struct smiles **out, const struct data_spec *spec, struct err *err);
int smiles_next(struct dataset *out, struct smiles *s, int32_t most, struct data_report *report,
                struct err *err);
void smiles_close(struct smiles *s); /* takes NULL */

#endif
