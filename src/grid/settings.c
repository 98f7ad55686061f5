#include "grid/settings.h"

#include <assert.h>
#include <string.h>

#include "gcn/metric.h"

#define AUTO 0 /* the first choice wherever there is one */

void settings_defaults(struct settings *s)
{
    for (int id = 0; id < P_COUNT; id++)
        s->v[id] = param_default((enum param_id)id);
}

static bool is_type(const struct settings *s, const char *name)
{
    return s->v[P_TYPE].i == param_choice(P_TYPE, name);
}

bool settings_pool(const struct settings *s)
{
    int64_t format = s->v[P_FORMAT].i;

    return format == param_choice(P_FORMAT, "tu") || format == param_choice(P_FORMAT, "smiles") ||
           format == param_choice(P_FORMAT, "idx");
}

bool settings_has(const struct settings *s, enum param_id id)
{
    const char *section = param_table[id].section;

    if (id == P_TYPE || is_type(s, "noop"))
        return true;
    if (id == P_LAMBDA)
        return is_type(s, "ridge");
    if (id == P_STOP)
        return !is_type(s, "ridge");
    if (!strcmp(section, "graph"))
        return is_type(s, "gcn");
    return !is_type(s, "ridge") || (strcmp(section, "model") != 0 && strcmp(section, "train") != 0);
}

void settings_trim(struct settings *s)
{
    for (int id = 0; id < P_COUNT; id++)
        if (!settings_has(s, (enum param_id)id))
            s->v[id] = id == P_BUILD ? (union value){.i = param_choice(P_BUILD, "none")}
                                     : param_default((enum param_id)id);
}

/* The metrics of a task as "val_a | val_b". */
static void put_metrics(struct buf *out, enum task task)
{
    const char *gap = "";

    for (int m = 0; m < METRIC_COUNT; m++) {
        if (metric_task((enum metric)m) != task)
            continue;
        buf_printf(out, "%sval_%s", gap, metric_name((enum metric)m));
        gap = " | ";
    }
}

static int resolve_objective(struct settings *s, enum task task, struct err *err)
{
    struct buf name = {0}, allowed = {0};
    int metric, rc = 0;

    if (s->v[P_OBJECTIVE].i == AUTO)
        s->v[P_OBJECTIVE].i =
            param_choice(P_OBJECTIVE, task == TASK_REGRESSION ? "val_pearson" : "val_accuracy");
    param_format(&name, P_OBJECTIVE, s->v[P_OBJECTIVE]);
    metric = metric_parse(buf_text(&name) + strlen("val_"));
    if (metric_task((enum metric)metric) != task) {
        put_metrics(&allowed, task);
        rc = err_set(err, "objective = %s: not a metric of %s, must be %s", buf_text(&name),
                     task_name(task), buf_text(&allowed));
    } else if (s->v[P_DIRECTION].i == AUTO) {
        s->v[P_DIRECTION].i =
            param_choice(P_DIRECTION, metric_is_larger_better((enum metric)metric) ? "max" : "min");
    }
    buf_release(&name);
    buf_release(&allowed);
    return rc;
}

int settings_resolve(struct settings *s, enum task task, struct err *err)
{
    bool is_made = s->v[P_FORMAT].i == param_choice(P_FORMAT, "genotype") ||
                   s->v[P_FORMAT].i == param_choice(P_FORMAT, "simulated");

    if (s->v[P_BUILD].i == AUTO)
        s->v[P_BUILD].i = param_choice(P_BUILD, is_made ? "knn" : "file");
    if (s->v[P_SCALE].i == AUTO)
        s->v[P_SCALE].i = param_choice(P_SCALE, is_made ? "standardize" : "none");
    s->v[P_TASK].i = param_choice(P_TASK, task_name(task));
    return resolve_objective(s, task, err);
}

/* Whether a setting can tell two keys apart. */
static bool is_in_key(enum param_id id, union value v, bool is_swept)
{
    int flags = param_table[id].flags;

    if (flags & PARAM_LATER && param_equal(id, v, param_default(id)))
        return false;
    return flags & PARAM_IDENTITY || (flags & PARAM_SWEPT && is_swept);
}

void settings_canonical(struct buf *out, const struct settings *s, const bool swept[P_COUNT],
                        struct hash digest, int32_t replicate, int32_t fold)
{
    char hex[HASH_HEX_SIZE];

    buf_printf(out, "%s\ndata=%s\n", KEY_VERSION, hash_hex(digest, hex));
    for (int id = 0; id < P_COUNT; id++) {
        const struct param *p = &param_table[id];

        if (!is_in_key((enum param_id)id, s->v[id], swept[id]))
            continue;
        buf_printf(out, "%s.%s=", p->section, p->key);
        param_format(out, (enum param_id)id, s->v[id]);
        buf_putc(out, '\n');
    }
    if (replicate >= 0)
        buf_printf(out, "replicate=%d\n", (int)replicate);
    if (fold >= 0)
        buf_printf(out, "fold=%d\n", (int)fold);
}

struct hash settings_key(const struct settings *s, const bool swept[P_COUNT], struct hash digest,
                         int32_t replicate, int32_t fold, struct buf *scratch)
{
    buf_clear(scratch);
    settings_canonical(scratch, s, swept, digest, replicate, fold);
    return hash_bytes(scratch->data, scratch->size);
}

static bool is_number(enum param_id id, union value v)
{
    enum param_type type = param_table[id].type;

    return type == PARAM_INT || type == PARAM_REAL || (type == PARAM_COUNT && v.i != 0) ||
           (type == PARAM_FOLDS && v.i != FOLDS_GROUPS);
}

void settings_json(struct buf *out, const struct settings *s)
{
    const char *gap = "{";

    for (int id = 0; id < P_COUNT; id++) {
        const struct param *p = &param_table[id];
        const char *quote = is_number((enum param_id)id, s->v[id]) ? "" : "\"";

        if (!(p->flags & (PARAM_AXIS | PARAM_IDENTITY | PARAM_SWEPT)) ||
            !settings_has(s, (enum param_id)id))
            continue;
        /* Such a setting is never free text: nothing in it needs escaping. */
        assert(p->type != PARAM_TEXT && p->type != PARAM_PATH);
        buf_printf(out, "%s\"%s\": %s", gap, p->key, quote);
        param_format(out, (enum param_id)id, s->v[id]);
        buf_puts(out, quote);
        gap = ", ";
    }
    buf_putc(out, '}');
}
