#include "data/graph/newgraphs.h"

#include <stdlib.h>
#include <string.h>

#include "data/core/reader.h"

static int set_path(struct data_spec *spec, const char *path, struct err *err)
{
    switch (spec->format) {
    case DATA_SMILES:
        spec->molecules = path;
        return 0;
    case DATA_TU:
        spec->folder = path;
        return 0;
    case DATA_IDX:
        spec->images = path;
        spec->first_images = 0;
        return 0;
    default:
        return err_set(err,
                       "--graphs: the samples of the sweep are no graphs of their own "
                       "(data.format): new ones are given with --%s",
                       spec->format == DATA_GRAPH ? "features" : "genotypes");
    }
}

int newgraphs_open(struct newgraphs *n, const struct dataset *data, const struct data_spec *spec,
                   const char *path, struct err *err)
{
    *n = (struct newgraphs){.spec = *spec};
    n->spec.like = data;
    if (set_path(&n->spec, path, err))
        return -1;
    return spec->format == DATA_SMILES ? smiles_open(&n->molecules, &n->spec, err) : 0;
}

void newgraphs_close(struct newgraphs *n)
{
    if (!n)
        return;
    smiles_close(n->molecules);
    memset(n, 0, sizeof *n);
}

int newgraphs_next(struct dataset *out, struct newgraphs *n, int32_t most, struct err *err)
{
    if (n->molecules)
        return smiles_next(out, n->molecules, most, &n->report, err);
    if (n->is_read)
        return 0;
    n->is_read = true;
    return data_load(out, &n->spec, &n->report, err) ? -1 : 1;
}
