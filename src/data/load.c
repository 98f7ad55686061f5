#include "data/core/load.h"

#include <string.h>

#include "data/core/reader.h"

int data_load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
              struct err *err)
{
    memset(out, 0, sizeof *out);
    memset(report, 0, sizeof *report);
    switch (spec->format) {
    case DATA_GENOTYPE:
        return genotype_load(out, spec, report, err);
    case DATA_GRAPH:
        return graphdata_load(out, spec, report, err);
    case DATA_SIMULATED:
        return simulated_load(out, spec, report, err);
    case DATA_TU:
        return tu_load(out, spec, report, err);
    case DATA_SMILES:
        return smiles_load(out, spec, report, err);
    case DATA_IDX:
        return idx_load(out, spec, report, err);
    }
    return err_set(err, "data.format %d is none that is known", (int)spec->format);
}
