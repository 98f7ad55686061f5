#include "data/format.h"

#include <assert.h>
#include <string.h>

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
