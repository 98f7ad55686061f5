/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/format.h"

#include <assert.h>
#include <string.h>

#include "data/core/data_format.h"
#include "data/core/data_report.h"
#include "data/core/data_spec.h"
#include "data/core/dataset.h"

const char *data_format_same(const struct data_format *format)
{
    return format && format->same ? format->same : "features";
}

int data_format_refuse(const struct data_format *format, const char *option, const char *kind,
                       struct err *err)
{
    return err_set(err,
                   "--%s: the samples of the sweep are not %s (data.format = %s): use --%s FILE "
                   "for new samples",
                   option, kind, format->name, format->new_option);
}

int new_graphs_open(struct new_graphs *n, const struct dataset *data, const struct data_spec *spec,
                    const char *path, struct err *err)
{
    const struct data_format *format = spec->format;

    *n = (struct new_graphs){.spec = *spec};
    n->spec.like = data;
    if (!format->set_new_path)
        return data_format_refuse(format, "graphs", "graphs", err);
    format->set_new_path(&n->spec, path);
    return format->pieces ? format->pieces->open(&n->pieces, &n->spec, err) : 0;
}

void new_graphs_close(struct new_graphs *n)
{
    if (!n)
        return;
    if (n->pieces)
        n->spec.format->pieces->close(n->pieces);
    memset(n, 0, sizeof *n);
}

int new_graphs_next(struct dataset *out, struct new_graphs *n, int32_t most, struct err *err)
{
    if (n->pieces)
        return n->spec.format->pieces->next(out, n->pieces, most, &n->report, err);
    if (n->is_read)
        return 0;
    n->is_read = true;
    return data_load(out, &n->spec, &n->report, err) ? -1 : 1;
}

#define ROW(name) &name##_format,
static const struct data_format *const formats[] = {DATA_FORMATS(ROW, )};
enum { N_FORMATS = sizeof formats / sizeof *formats };

const struct data_format *data_format_at(int64_t choice)
{
    assert(choice >= 0 && choice < N_FORMATS);
    return formats[choice];
}

const struct data_format *data_format_next(size_t i)
{
    return i < N_FORMATS ? formats[i] : NULL;
}

const struct data_setting *data_format_setting(const struct data_format *format, const char *key)
{
    for (const struct data_setting *s = format->settings; s->key; s++)
        if (!strcmp(s->key, key))
            return s;
    return NULL;
}

int data_load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
              struct err *err)
{
    memset(out, 0, sizeof *out);
    memset(report, 0, sizeof *report);
    return spec->format->load(out, spec, report, err);
}
