/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/program_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "program/gang_variables.h"

enum { NUMBER = 24 };

/* The values of the names that espalier gives. */
struct values {
    const struct program_trial *trial;
    char id[NUMBER], key[HASH_HEX_SIZE], seed[NUMBER], fold[NUMBER], folds[NUMBER];
    char replicate[NUMBER], threads[NUMBER], rank[NUMBER], ranks[NUMBER], attempt[NUMBER];
};

static void put_number(char out[NUMBER], int64_t number)
{
    snprintf(out, NUMBER, "%lld", (long long)number);
}

int32_t program_seed(const struct settings *s, struct plan_trial where)
{
    char text[96];

    snprintf(text, sizeof text, "espalier-seed %lld %d %d", (long long)s->v[P_SEED].i,
             (int)where.replicate, (int)where.fold);
    return (int32_t)(hash_text(text).low & INT32_MAX);
}

static void set_values(struct values *v, const struct program_trial *trial)
{
    const struct settings *s = trial->settings;

    v->trial = trial;
    hash_hex(trial->key, v->key);
    put_number(v->id, trial->id);
    put_number(v->seed, program_seed(s, trial->where));
    put_number(v->fold, trial->where.fold);
    put_number(v->folds, s->v[P_FOLDS].i);
    put_number(v->replicate, trial->where.replicate);
    put_number(v->threads, s->v[P_THREADS].i);
    put_number(v->rank, trial->gang ? trial->gang->rank : 0);
    put_number(v->ranks, s->v[P_RANKS].i);
    put_number(v->attempt, trial->attempt);
}

static const char *value_of(void *source, const char *name)
{
    const struct values *v = source;
    const struct program_trial *t = v->trial;
    const struct {
        const char *name, *value;
    } given[] = {{"trial", v->id},
                 {"key", v->key},
                 {"seed", v->seed},
                 {"fold", v->fold},
                 {"folds", v->folds},
                 {"replicate", v->replicate},
                 {"threads", v->threads},
                 {"dir", t->dir},
                 {"results", t->results},
                 {"checkpoint", t->checkpoint},
                 {"gpus", t->gpus ? t->gpus : ""},
                 {"rank", v->rank},
                 {"ranks", v->ranks}};
    int id = free_names_find(t->settings->names, name);

    if (id < P_MAX)
        return t->settings->v[id].s;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (!strcmp(given[i].name, name))
            return given[i].value;
    return NULL;
}

/* ---- the environment ---- */

static bool begins_with_one(const char *variable, const char *const *beginnings, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strncmp(variable, beginnings[i], strlen(beginnings[i])))
            return true;
    return false;
}

/* Parameters of MPI that people set. mpirun itself sets those of the second list, and its options those of
 * the third. */
static bool is_of_user(const char *variable)
{
    static const char *const users[] = {"OMPI_MCA_", "PMIX_MCA_", "PRTE_MCA_",
                                        "OMPI_ALLOW_RUN_AS_ROOT"};
    static const char *const launchers[] = {"OMPI_MCA_orte_",
                                            "OMPI_MCA_ess",
                                            "OMPI_MCA_pmix=",
                                            "OMPI_MCA_initial_wdir=",
                                            "OMPI_MCA_mpi_oversubscribe=",
                                            "OMPI_MCA_shmem_RUNTIME_QUERY_hint=",
                                            "PRTE_MCA_ess",
                                            "PMIX_MCA_mca_base_component_show_load_errors="};

    static const char *const options[] = {"OMPI_MCA_hwloc_base_binding_policy=", "OMPI_MCA_rmaps_"};
    bool is_below_mpirun = getenv("OMPI_COMM_WORLD_SIZE") != NULL;

    return begins_with_one(variable, users, sizeof users / sizeof *users) &&
           !begins_with_one(variable, launchers, sizeof launchers / sizeof *launchers) &&
           !(is_below_mpirun &&
             begins_with_one(variable, options, sizeof options / sizeof *options));
}

/* Variables of launchers, which a program with MPI would take for its own, and of this launch. */
static bool is_dropped(const char *variable)
{
    static const char *const beginnings[] = {"OMPI_",
                                             "PMIX_",
                                             "PMI_",
                                             "PRTE_",
                                             "ORTE_",
                                             "ESPALIER_BEGUN=",
                                             "ESPALIER_WIDTH=",
                                             "ESPALIER_REPORT=",
                                             "ESPALIER_COMMAND="};

    return begins_with_one(variable, beginnings, sizeof beginnings / sizeof *beginnings) &&
           !is_of_user(variable);
}

struct word {
    size_t start, name_size; /* of "NAME=value" in the text; name_size with "=" */
};

/* Words in one growing text. */
struct word_list {
    struct buf text;
    struct buf words; /* struct word */
    size_t n;
};

static struct word word_at(const struct word_list *list, size_t i)
{
    struct word word;

    memcpy(&word, list->words.data + i * sizeof word, sizeof word);
    return word;
}

/* name_size: with the `=`. */
static bool has_name(const struct word_list *list, const char *name, size_t name_size)
{
    const char *text = buf_text(&list->text);

    for (size_t i = 0; i < list->n; i++) {
        struct word word = word_at(list, i);

        if (word.name_size == name_size && !strncmp(text + word.start, name, name_size - 1))
            return true;
    }
    return false;
}

/* The first of equal names counts. value NULL: `name` is "NAME=value". */
static void add(struct word_list *list, const char *name, const char *value)
{
    struct word word = {.start = list->text.size,
                        .name_size = (value ? strlen(name) : strcspn(name, "=")) + 1};

    if (buf_failed(&list->text) || buf_failed(&list->words) || has_name(list, name, word.name_size))
        return;
    buf_add(&list->words, &word, sizeof word);
    buf_puts(&list->text, name);
    if (value)
        buf_putc(&list->text, '=');
    buf_puts(&list->text, value ? value : "");
    buf_putc(&list->text, '\0');
    list->n++;
}

/* Releases the list. */
static int finish(struct template_words *out, struct word_list *list, struct err *err)
{
    size_t table = (list->n + 1) * sizeof(char *);
    bool failed = buf_failed(&list->text) || buf_failed(&list->words);
    char *block = failed ? NULL : malloc(table + list->text.size + 1);
    int rc = block ? 0 : err_nomem(err, "environment", list->text.size);

    *out = (struct template_words){0};
    if (block) {
        out->word = (char **)(void *)block;
        out->n = list->n;
        memcpy(block + table, buf_text(&list->text), list->text.size);
        for (size_t i = 0; i < list->n; i++)
            out->word[i] = block + table + word_at(list, i).start;
        out->word[list->n] = NULL;
    }
    buf_release(&list->text);
    buf_release(&list->words);
    return rc;
}

static void add_given(struct word_list *list, const struct values *v)
{
    static const char *const threads[] = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                          "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"};
    const struct program_trial *t = v->trial;

    add(list, "ESPALIER_TRIAL", v->id);
    add(list, "ESPALIER_KEY", v->key);
    add(list, "ESPALIER_SEED", v->seed);
    add(list, "ESPALIER_FOLD", v->fold);
    add(list, "ESPALIER_FOLDS", v->folds);
    add(list, "ESPALIER_REPLICATE", v->replicate);
    add(list, "ESPALIER_THREADS", v->threads);
    add(list, "ESPALIER_ATTEMPT", v->attempt);
    add(list, "ESPALIER_DIR", t->dir);
    add(list, "ESPALIER_RESULTS", t->results);
    add(list, "ESPALIER_CHECKPOINT", t->checkpoint);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        add(list, threads[i], v->threads);
}

static void add_values(struct word_list *list, const struct settings *s)
{
    char name[FREE_NAME_SIZE + 16];

    for (int id = P_COUNT; id < settings_end(s); id++) {
        snprintf(name, sizeof name, "ESPALIER_PARAM_%s", settings_row(s, id)->key);
        if (s->v[id].s)
            add(list, name, s->v[id].s);
    }
}

static void add_gpus(struct word_list *list, const char *variables)
{
    for (const char *word = variables; word && *word; word += strlen(word) + 1)
        add(list, word, NULL);
}

static void add_number(struct word_list *list, const char *name, int64_t number)
{
    char text[NUMBER];

    put_number(text, number);
    add(list, name, text);
}

static void add_gang(struct word_list *list, const struct trial_gang *gang)
{
    if (!gang)
        return;
#define ADD(name, member) add_number(list, #name, gang->member);
    GANG_NUMBERS(ADD)
#undef ADD
    add(list, GANG_ADDRESS, gang->address);
}

/* `import espalier` finds the helper. */
static void add_modules(struct word_list *list, const char *folder)
{
    const char *before = getenv("PYTHONPATH");
    struct buf path = {0};

    if (!folder)
        return;
    buf_printf(&path, "%s%s%s", folder, before && *before ? ":" : "", before ? before : "");
    add(list, "PYTHONPATH", buf_text(&path));
    add(list, "ESPALIER_SHARE", folder);
    list->text.failed |= buf_failed(&path);
    buf_release(&path);
}

static void add_words(struct word_list *list, const struct template_words *words)
{
    for (size_t i = 0; i < words->n; i++)
        add(list, words->word[i], NULL);
}

/* [program] env */
static int add_own(struct word_list *list, const struct program_command *c, struct values *v,
                   struct err *err)
{
    struct template_words own;

    if (template_expand(&own, &c->env, value_of, v, err))
        return -1;
    add_words(list, &own);
    template_words_release(&own);
    return 0;
}

/* [program] env, then what espalier gives, then what is inherited. */
int program_command_env(struct template_words *out, const struct program_command *c,
                        const struct program_trial *trial, struct err *err)
{
    struct word_list list = {.n = 0};
    struct values v;

    set_values(&v, trial);
    if (add_own(&list, c, &v, err))
        return -1;
    add_given(&list, &v);
    add_values(&list, trial->settings);
    add_gpus(&list, trial->gpu_variables);
    add_gang(&list, trial->gang);
    add_modules(&list, trial->modules);
    add_words(&list, &c->inherited);
    /* Else mpirun binds the processes of every trial to the first cores: it knows no other trials. */
    add(&list, "OMPI_MCA_hwloc_base_binding_policy", "none");
    add(&list, "PRTE_MCA_hwloc_default_binding_policy", "none");
    add(&list, "PYTHONUNBUFFERED", "1"); /* so that the log of a running trial is up to date */
    return finish(out, &list, err);
}

int program_command_values(struct template_words *out, const struct program_command *c,
                           const struct program_trial *trial, struct err *err)
{
    struct word_list list = {.n = 0};
    struct values v;

    set_values(&v, trial);
    if (add_own(&list, c, &v, err))
        return -1;
    if (trial->settings->v[P_VALUES].i == param_choice(P_VALUES, "environment"))
        add_values(&list, trial->settings);
    return finish(out, &list, err);
}

/* ---- the command ---- */

int program_command_argv(struct template_words *out, const struct program_command *c,
                         const struct program_trial *trial, struct err *err)
{
    struct values v;

    set_values(&v, trial);
    return template_expand(out, &c->command, value_of, &v, err);
}

static int inherit(struct template_words *out, struct err *err)
{
    struct word_list list = {.n = 0};

    for (char **variable = environ; *variable; variable++)
        if (!is_dropped(*variable) && strncmp(*variable, "ESPALIER_PARAM_", 15) != 0)
            add(&list, *variable, NULL);
    return finish(out, &list, err);
}

int program_command_init(struct program_command *c, const struct sweep *sweep, struct err *err)
{
    const union value *v = sweep->fixed.v;
    bool has_shell = v[P_SHELL].i == param_choice(P_SHELL, "yes");

    memset(c, 0, sizeof *c);
    return (has_shell ? template_parse_shell : template_parse)(&c->command, v[P_COMMAND].s, err) ||
                   template_parse_env(&c->env, v[P_ENV].s, err) || inherit(&c->inherited, err)
               ? -1
               : 0;
}

void program_command_release(struct program_command *c)
{
    template_release(&c->command);
    template_release(&c->env);
    template_words_release(&c->inherited);
}
