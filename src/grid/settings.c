/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/settings.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/escape.h"
#include "data/format.h"
#include "gcn/metric.h"
#include "grid/free_value.h"

#define AUTO 0 /* always the first choice */

int settings_end(const struct settings *s)
{
    return P_COUNT + (s->names ? s->names->n : 0);
}

int settings_find(const struct free_names *names, const char *key)
{
    int id = free_names_find(names, key); /* P_COUNT: the first one */
    enum param_id setting = param_find(NULL, key);

    if (id == P_MAX && setting != P_COUNT)
        id = (int)setting;
    return id;
}

const struct param *settings_row(const struct settings *s, int id)
{
    assert(id < settings_end(s));
    return id < P_COUNT ? &param_table[id] : &s->names->row[id - P_COUNT];
}

void settings_defaults(struct given *given)
{
    given->names = NULL;
    for (int id = 0; id < P_COUNT; id++)
        given->v[id] = param_default((enum param_id)id);
}

void settings_before(struct given *given)
{
    given->names = NULL;
    for (int id = 0; id < P_COUNT; id++)
        given->v[id] = param_before((enum param_id)id);
}

bool settings_pool(const struct settings *s)
{
    return data_format_at(s->v[P_FORMAT].i)->samples == DATA_GRAPHS;
}

/* ---- which type of model has which settings ---- */

static const char *const type_names[] = {
#define TYPE_NAME(name) #name,
    MODEL_TYPES(TYPE_NAME, )
#undef TYPE_NAME
};

enum { N_TYPES = sizeof type_names / sizeof *type_names };

const char *settings_type_name(union value type)
{
    return type_names[type.i];
}

/* Filled once: plans ask for each setting of each configuration. */
static struct {
    pthread_once_t once;
    bool has[N_TYPES][P_COUNT];
    union value trimmed[P_COUNT]; /* of settings that a type lacks */
} types = {.once = PTHREAD_ONCE_INIT};

static void fill_types(void)
{
    for (int id = 0; id < P_COUNT; id++) {
        types.trimmed[id] = id == P_BUILD ? (union value){.i = param_choice(P_BUILD, "none")}
                                          : param_before((enum param_id)id);
        for (int type = 0; type < N_TYPES; type++)
            types.has[type][id] = param_is_among(param_table[id].models, type_names[type]);
    }
}

static const bool *settings_of(int64_t type)
{
    assert(type >= 0 && type < N_TYPES);
    pthread_once(&types.once, fill_types);
    return types.has[type];
}

bool settings_has(const struct settings *s, enum param_id id)
{
    return id < P_COUNT ? settings_type_has(s->v[P_TYPE], id)
                        : (int)id < settings_end(s) && s->v[id].s != NULL;
}

bool settings_type_has(union value type, enum param_id id)
{
    return settings_of(type.i)[id];
}

void settings_trim(struct settings *s)
{
    const bool *has = settings_of(s->v[P_TYPE].i);

    for (int id = 0; id < P_COUNT; id++)
        if (!has[id])
            s->v[id] = types.trimmed[id];
}

int64_t settings_epochs(const struct settings *s)
{
    if (settings_has(s, P_EPOCHS))
        return s->v[P_EPOCHS].i;
    return settings_has(s, P_MAX_EPOCHS) ? s->v[P_MAX_EPOCHS].i : 0;
}

int64_t settings_rung_epochs(const struct settings *s, int32_t rung)
{
    int64_t epochs = settings_epochs(s);

    if (rung == SETTINGS_LAST_RUNG || !epochs)
        return INT64_MAX;
    for (; rung < s->v[P_RUNGS].i; rung++)
        epochs /= s->v[P_ETA].i;
    return epochs;
}

static void put_metrics(struct buf *out, enum task task)
{
    const char *gap = "";

    for (int m = 0; m < METRIC_COUNT; m++) {
        if (metric_rows[m].task != task)
            continue;
        buf_printf(out, "%sval_%s", gap, metric_rows[m].name);
        gap = " | ";
    }
}

const char *settings_usual_direction(const char *objective)
{
    for (const char *end = objective; end; end = strpbrk(end, "_/.-")) {
        int metric;

        end += end > objective;
        metric = metric_parse(end);
        if (metric >= 0)
            return metric_rows[metric].is_larger_better ? "max" : "min";
        if (!strcmp(end, "loss") || !strcmp(end, "error"))
            return "min";
        if (!strcmp(end, "auc") || !strcmp(end, "acc") || !strcmp(end, "f1"))
            return "max";
    }
    return NULL;
}

static int resolve_direction(struct settings *s, struct err *err)
{
    const char *direction;

    if (s->v[P_DIRECTION].i != AUTO)
        return 0;
    direction = settings_usual_direction(s->v[P_OBJECTIVE].s);
    if (!direction)
        return err_set(err,
                       "objective = %s: whether larger is better is not known: set [sweep] "
                       "direction = max or min",
                       s->v[P_OBJECTIVE].s);
    s->v[P_DIRECTION].i = param_choice(P_DIRECTION, direction);
    return 0;
}

static int resolve_objective(struct settings *s, enum task task, struct err *err)
{
    struct buf allowed = {0};
    int metric, rc;

    if (!strcmp(s->v[P_OBJECTIVE].s, "auto"))
        s->v[P_OBJECTIVE].s = task == TASK_REGRESSION ? "val_pearson" : "val_accuracy";
    metric = metric_parse(s->v[P_OBJECTIVE].s + strlen("val_"));
    if (metric_rows[metric].task == task)
        return resolve_direction(s, err);
    put_metrics(&allowed, task);
    rc = err_set(err, "objective = %s: not a metric for %s: must be %s", s->v[P_OBJECTIVE].s,
                 task_name(task), buf_text(&allowed));
    buf_release(&allowed);
    return rc;
}

void settings_stored(struct settings *out, const struct given *given)
{
    memcpy(out->v, given->v, sizeof out->v);
    out->names = given->names;
}

int settings_resolve(struct settings *s, const struct given *given, enum task task, struct err *err)
{
    bool is_made = data_format_at(given->v[P_FORMAT].i)->samples == DATA_ROWS;

    settings_stored(s, given);

    if (task == TASK_NONE)
        return resolve_direction(s, err);
    if (s->v[P_BUILD].i == AUTO)
        s->v[P_BUILD].i = param_choice(P_BUILD, is_made ? "knn" : "file");
    if (s->v[P_SCALE].i == AUTO)
        s->v[P_SCALE].i = param_choice(P_SCALE, is_made ? "standardize" : "none");
    if (s->v[P_POOL].i == AUTO)
        s->v[P_POOL].i = param_choice(P_POOL, settings_pool(s) ? "sum" : "mean");
    if (s->v[P_BATCH_NORM].i == AUTO)
        s->v[P_BATCH_NORM].i = param_choice(P_BATCH_NORM, settings_pool(s) ? "yes" : "no");
    s->v[P_TASK].i = param_choice(P_TASK, task_name(task));
    return resolve_objective(s, task, err);
}

static bool is_in_key(enum param_id id, union value v, bool is_swept)
{
    int flags = param_row(id)->flags;

    if (flags & PARAM_LATER && param_equal(id, v, param_before(id)))
        return false;
    return flags & PARAM_IDENTITY || (flags & PARAM_SWEPT && is_swept);
}

/* One line for any value. */
static void put_one_line(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\n' || *text == '\\')
            buf_putc(out, '\\');
        buf_putc(out, *text == '\n' ? 'n' : *text);
    }
}

static const struct {
    enum param_id before;
    const char *section, *key, *value;
} gone[] = {
#define GONE_ROW(id, section, key, value) {P_##id, section, key, value},
    PARAM_GONE_TABLE(GONE_ROW)
#undef GONE_ROW
};

enum { N_GONE = sizeof gone / sizeof *gone };

const char *settings_gone_value(const char *key)
{
    for (size_t i = 0; i < N_GONE; i++)
        if (!strcmp(gone[i].key, key))
            return gone[i].value;
    return NULL;
}

static void put_line(struct buf *out, const struct param *row, enum param_id id, union value v,
                     bool is_swept)
{
    if ((row->type == PARAM_VALUE && !v.s) || !is_in_key(id, v, is_swept))
        return;
    for (size_t i = 0; i < N_GONE && id < P_COUNT; i++)
        if (gone[i].before == id)
            buf_printf(out, "%s.%s=%s\n", gone[i].section, gone[i].key, gone[i].value);
    buf_puts(out, row->section);
    buf_putc(out, '.');
    buf_puts(out, row->key);
    buf_putc(out, '=');
    if (row->type == PARAM_VALUE || row->type == PARAM_TEXT)
        put_one_line(out, v.s);
    else
        param_format(out, id, v);
    buf_putc(out, '\n');
}

static void put_head(struct buf *out, struct hash digest)
{
    char hex[HASH_HEX_SIZE];

    buf_printf(out, "%s\ndata=%s\n", KEY_VERSION, hash_hex(digest, hex));
}

static void put_place(struct buf *out, int32_t replicate, int32_t fold)
{
    if (replicate >= 0) {
        buf_puts(out, "replicate=");
        buf_put_decimal(out, replicate);
        buf_putc(out, '\n');
    }
    if (fold >= 0) {
        buf_puts(out, "fold=");
        buf_put_decimal(out, fold);
        buf_putc(out, '\n');
    }
}

static void put_revision(struct buf *out, int32_t revision)
{
    if (revision > 1)
        buf_printf(out, "revision=%d\n", (int)revision);
}

int32_t settings_revision(const struct settings *s)
{
    static const struct {
        const char *type;
        int32_t revision;
    } revisions[] = {
#define REVISION_ROW(type, revision) {type, revision},
        PARAM_REVISION_TABLE(REVISION_ROW)
#undef REVISION_ROW
    };

    for (size_t i = 0; i < sizeof revisions / sizeof *revisions; i++)
        if (!strcmp(settings_type_name(s->v[P_TYPE]), revisions[i].type))
            return revisions[i].revision;
    return 1;
}

void settings_canonical(struct buf *out, const struct settings *s, const bool swept[P_MAX],
                        struct hash digest, int32_t replicate, int32_t fold)
{
    put_head(out, digest);
    for (int id = 0; id < settings_end(s); id++)
        put_line(out, settings_row(s, id), (enum param_id)id, s->v[id], swept[id]);
    put_revision(out, settings_revision(s));
    put_place(out, replicate, fold);
}

struct hash settings_key(const struct settings *s, const bool swept[P_MAX], struct hash digest,
                         int32_t replicate, int32_t fold, struct buf *scratch)
{
    buf_clear(scratch);
    settings_canonical(scratch, s, swept, digest, replicate, fold);
    return hash_bytes(scratch->data, scratch->size);
}

struct hash settings_seed(const struct settings *s, struct hash digest, int32_t replicate,
                          int32_t fold, struct buf *scratch)
{
    static const bool none_swept[P_MAX];
    struct settings twin = *s;

    for (int id = 0; id < P_COUNT; id++)
        if (param_table[id].flags & PARAM_PAIRED)
            twin.v[id] = param_before((enum param_id)id);
    return settings_key(&twin, none_swept, digest, replicate, fold, scratch);
}

static bool is_in_json(const struct param *row)
{
    return row->flags & (PARAM_AXIS | PARAM_IDENTITY | PARAM_SWEPT) && row->type != PARAM_TEXT &&
           row->type != PARAM_PATH;
}

static void put_member(struct buf *out, const struct param *row, enum param_id id, union value v)
{
    const enum param_type type = row->type;
    const bool is_number = type == PARAM_INT || type == PARAM_REAL ||
                           (type == PARAM_COUNT && v.i != 0) ||
                           (type == PARAM_FOLDS && v.i != FOLDS_GROUPS) ||
                           (type == PARAM_VALUE && free_value_is_number(v.s));
    const char *quote = is_number ? "" : "\"";

    buf_putc(out, '"');
    buf_puts(out, row->key);
    buf_puts(out, "\": ");
    if (row->type == PARAM_VALUE && *quote) {
        escape_json(out, v.s);
        return;
    }
    buf_puts(out, quote);
    param_format(out, id, v);
    buf_puts(out, quote);
}

/* `stop` is older than kept models, which all have it. `ranks` change no number of a model. */
static bool is_left_out(enum param_id id, union value v)
{
    return id == P_RANKS || (param_row(id)->flags & PARAM_LATER &&
                             param_equal(id, v, param_before(id)) && id != P_STOP);
}

static void put_json(struct buf *out, const struct settings *s, bool of_model)
{
    const char *gap = "{";

    for (int i = 0; i < settings_end(s); i++) {
        const struct param *row = settings_row(s, i);
        enum param_id id = (enum param_id)i;

        if (!is_in_json(row) || !settings_has(s, id) || (of_model && is_left_out(id, s->v[id])))
            continue;
        buf_puts(out, gap);
        put_member(out, row, id, s->v[id]);
        gap = ", ";
    }
    buf_putc(out, '}');
}

bool settings_json_has(enum param_id id)
{
    return is_in_json(param_row(id));
}

void settings_json(struct buf *out, const struct settings *s)
{
    put_json(out, s, false);
}

void settings_json_kept(struct buf *out, const struct settings *s)
{
    put_json(out, s, true);
}

/* ---- the texts of many points ---- */

void settings_texts_init(struct settings_texts *texts, const bool swept[P_MAX], struct hash digest)
{
    memset(texts, 0, sizeof *texts);
    memcpy(texts->swept, swept, sizeof texts->swept);
    texts->digest = digest;
}

void settings_texts_release(struct settings_texts *texts)
{
    for (int id = 0; id < P_MAX; id++) {
        buf_release(&texts->of[id].line);
        buf_release(&texts->of[id].member);
    }
    buf_release(&texts->canonical);
    buf_release(&texts->json);
}

/* Format one setting, unless its value is that of the previous point. */
static void update_text(struct settings_texts *texts, const struct param *row, enum param_id id,
                        union value v)
{
    struct setting_text *text = &texts->of[id];

    if (text->is_set && param_equal(id, text->value, v))
        return;
    text->value = v;
    text->is_set = true;
    texts->n_formatted++;
    buf_clear(&text->line);
    put_line(&text->line, row, id, v, texts->swept[id]);
    buf_clear(&text->member);
    if (is_in_json(row) && (row->type != PARAM_VALUE || v.s))
        put_member(&text->member, row, id, v);
}

void settings_texts_set(struct settings_texts *texts, const struct settings *s)
{
    const char *gap = "{";

    buf_clear(&texts->canonical);
    buf_clear(&texts->json);
    put_head(&texts->canonical, texts->digest);
    for (int id = 0; id < settings_end(s); id++) {
        const struct setting_text *text = &texts->of[id];

        update_text(texts, settings_row(s, id), (enum param_id)id, s->v[id]);
        buf_add(&texts->canonical, text->line.data, text->line.size);
        if (!text->member.size || !settings_has(s, (enum param_id)id))
            continue;
        buf_puts(&texts->json, gap);
        buf_add(&texts->json, text->member.data, text->member.size);
        gap = ", ";
    }
    buf_putc(&texts->json, '}');
    put_revision(&texts->canonical, settings_revision(s));
    texts->config_bytes = texts->canonical.size;
}

struct hash settings_texts_key(struct settings_texts *texts, int32_t replicate, int32_t fold)
{
    buf_cut(&texts->canonical, texts->config_bytes);
    put_place(&texts->canonical, replicate, fold);
    return hash_bytes(texts->canonical.data, texts->canonical.size);
}
