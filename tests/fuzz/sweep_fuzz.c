/* SPDX-License-Identifier: BSD-3-Clause */
/* A sweep file of any bytes. If it is accepted, the file that sweep_write() writes for a point of
 * the grid must train the same configuration. A form feed separates a --set. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "grid/sweep.h"
#include "grid/sweep_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void last_point(const struct sweep *sweep, struct settings *out)
{
    struct given given = sweep->fixed;

    for (size_t i = 0; i < sweep->n_axes; i++)
        given.v[sweep->axes[i].id] = sweep->axes[i].values[sweep->axes[i].n - 1];
    if (settings_resolve(out, &given, TASK_REGRESSION, NULL))
        settings_resolve(out, &given, TASK_CLASSIFICATION, NULL);
}

static void check_written(const struct sweep *sweep)
{
    const struct hash digest = {1, 2};
    struct errlist errors = {0};
    struct buf text = {0}, a = {0}, b = {0};
    struct settings point, again;
    struct sweep reread;

    last_point(sweep, &point);
    sweep_write(&text, sweep, point.v);
    if (sweep_parse(&reread, "dir/written.ini", buf_text(&text), NULL, 0, &errors))
        abort();
    last_point(&reread, &again);
    settings_canonical(&a, &point, sweep->swept, digest, 0, 0);
    settings_canonical(&b, &again, reread.swept, digest, 0, 0);
    if (strcmp(buf_text(&a), buf_text(&b)) != 0 ||
        strcmp(point.v[P_SWEEP_NAME].s, again.v[P_SWEEP_NAME].s) != 0 ||
        strcmp(point.v[P_TRAIT].s, again.v[P_TRAIT].s) != 0)
        abort();
    sweep_release(&reread);
    errlist_release(&errors);
    buf_release(&text);
    buf_release(&a);
    buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct errlist errors = {0};
    struct sweep sweep;
    char *text = malloc(size + 1);
    char *set;
    const char *override;

    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    set = strchr(text, '\f');
    if (set)
        *set++ = '\0';
    override = set;
    if (sweep_parse(&sweep, "x.ini", text, &override, set != NULL, &errors) == 0)
        check_written(&sweep);
    sweep_release(&sweep);
    errlist_release(&errors);
    free(text);
    return 0;
}
