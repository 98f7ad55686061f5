/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/program_command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "program/gang_variables.h"

/* Names that espalier gives. A program finds the first ones as ESPALIER_NAME, too. */
enum { NUMBER = 24, TEXTS = 4, NUMBERS = 10, GIVEN = TEXTS + NUMBERS + 1, VARIABLES = GIVEN - 4 };

struct own_name {
    const char *name, *value;
};

struct values {
    const struct program_trial *trial;
    struct own_name given[GIVEN];
    char number[NUMBERS][NUMBER], key[HASH_HEX_SIZE];
};

/* The seed of a replicate and fold, below 2^31: equal for all configurations. */
static int32_t seed_of(const struct settings *s, struct plan_trial where)
{
    char text[96];

    snprintf(text, sizeof text, "espalier-seed %lld %d %d", (long long)s->v[P_SEED].i,
             (int)where.replicate, (int)where.fold);
    return (int32_t)(hash_text(text).low & INT32_MAX);
}

static void set_values(struct values *v, const struct program_trial *trial)
{
    const struct settings *s = trial->settings;
    const int64_t epochs = settings_epochs(s), until = settings_rung_epochs(s, trial->rung);
    const struct {
        const char *name;
        int64_t value;
    } numbers[NUMBERS] = {{"trial", trial->id},
                          {"seed", seed_of(s, trial->where)},
                          {"fold", trial->where.fold},
                          {"folds", s->v[P_FOLDS].i},
                          {"replicate", trial->where.replicate},
                          {"threads", s->v[P_THREADS].i},
                          {"attempt", trial->attempt},
                          {"rank", trial->gang ? trial->gang->rank : 0},
                          {"ranks", s->v[P_RANKS].i},
                          {"until", until < epochs ? until : epochs}};
    const struct own_name texts[TEXTS] = {{"key", hash_hex(trial->key, v->key)},
                                          {"dir", trial->dir},
                                          {"results", trial->results},
                                          {"checkpoint", trial->checkpoint}};

    v->trial = trial;
    memcpy(v->given, texts, sizeof texts);
    for (int i = 0; i < NUMBERS; i++) {
        snprintf(v->number[i], NUMBER, "%lld", (long long)numbers[i].value);
        v->given[TEXTS + i] = (struct own_name){numbers[i].name, v->number[i]};
    }
    v->given[GIVEN - 1] = (struct own_name){"gpus", trial->gpus ? trial->gpus : ""};
}

static const char *value_of(void *source, const char *name)
{
    const struct values *v = source;
    int id = free_names_find(v->trial->settings->names, name);

    if (id < P_MAX)
        return v->trial->settings->v[id].s;
    for (int i = 0; i < GIVEN; i++)
        if (!strcmp(v->given[i].name, name))
            return v->given[i].value;
    return NULL;
}

static bool has_place(const struct template *t, const char *name)
{
    const struct template_piece *place;
    bool has = false;

    for (size_t i = 0; !has && (place = template_place(t, i)); i++)
        has = !strcmp(template_name(t, place), name);
    return has;
}

bool program_command_has_until(const struct program_command *c)
{
    return has_place(&c->command, "until") || has_place(&c->env, "until");
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

/* Words NAME=value, each with its NUL. */
struct word_list {
    struct buf text;
    size_t n;
};

/* The first of equal names counts. `known`: the bytes of the list that may have this one. */
static void add_unless(struct word_list *list, size_t known, const char *name, size_t n,
                       const char *value)
{
    const char *at = buf_text(&list->text), *end = at + known;

    for (; at < end; at += strlen(at) + 1)
        if (!strncmp(at, name, n) && (at[n] == '=' || !at[n]))
            return;
    buf_add(&list->text, name, n);
    if (value)
        buf_putc(&list->text, '=');
    buf_add(&list->text, value ? value : name + n, strlen(value ? value : name + n) + 1);
    list->n++;
}

static void add(struct word_list *list, const char *name, const char *value)
{
    add_unless(list, list->text.size, name, strlen(name), value);
}

/* word: "NAME=value" */
static void add_word(struct word_list *list, size_t known, const char *word)
{
    add_unless(list, known, word, strcspn(word, "="), NULL);
}

static void add_given(struct word_list *list, const struct values *v)
{
    static const char *const threads[] = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
                                          "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"};

    for (int i = 0; i < VARIABLES; i++) {
        char name[32];

        snprintf(name, sizeof name, "ESPALIER_%s", v->given[i].name);
        for (char *c = name; *c; c++)
            *c = (char)toupper((unsigned char)*c);
        add(list, name, v->given[i].value);
    }
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        char number[NUMBER];

        snprintf(number, sizeof number, "%lld", (long long)v->trial->settings->v[P_THREADS].i);
        add(list, threads[i], number);
    }
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

static void add_gang(struct word_list *list, const struct trial_gang *gang)
{
    char number[NUMBER];

    if (!gang)
        return;
#define ADD(name, member)                                             \
    snprintf(number, sizeof number, "%lld", (long long)gang->member); \
    add(list, #name, number);
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

/* [program] env */
static int add_own(struct word_list *list, const struct program_command *c, struct values *v,
                   struct err *err)
{
    struct template_words own;

    if (template_expand(&own, &c->env, value_of, v, err))
        return -1;
    for (size_t i = 0; i < own.n; i++)
        add_word(list, list->text.size, own.word[i]);
    template_words_release(&own);
    return 0;
}

/* [program] env, then what espalier gives, then what is inherited. */
int program_command_env(struct template_words *out, const struct program_command *c,
                        const struct program_trial *trial, struct err *err)
{
    const char *gpu = trial->gpu_variables;
    struct word_list list = {.n = 0};
    struct values v;
    size_t known;

    set_values(&v, trial);
    if (add_own(&list, c, &v, err))
        return -1;
    add_given(&list, &v);
    add_values(&list, trial->settings);
    for (; gpu && *gpu; gpu += strlen(gpu) + 1)
        add_word(&list, list.text.size, gpu);
    add_gang(&list, trial->gang);
    add_modules(&list, trial->modules);
    known = list.text.size; /* the inherited ones differ */
    for (size_t i = 0; i < c->inherited.n; i++)
        add_word(&list, known, c->inherited.word[i]);
    /* Else mpirun binds the processes of every trial to the first cores: it knows no other trials. */
    add(&list, "OMPI_MCA_hwloc_base_binding_policy", "none");
    add(&list, "PRTE_MCA_hwloc_default_binding_policy", "none");
    add(&list, "PYTHONUNBUFFERED", "1"); /* so that the log of a running trial is up to date */
    return template_words_take(out, &list.text, list.n, err);
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
    return template_words_take(out, &list.text, list.n, err);
}

/* ---- the command ---- */

int program_command_argv(struct template_words *out, const struct program_command *c,
                         const struct program_trial *trial, struct err *err)
{
    struct values v;

    set_values(&v, trial);
    return template_expand(out, &c->command, value_of, &v, err);
}

int program_command_init(struct program_command *c, const struct sweep *sweep, struct err *err)
{
    const union value *v = sweep->fixed.v;
    bool has_shell = v[P_SHELL].i == param_choice(P_SHELL, "yes");
    struct word_list list = {.n = 0};

    memset(c, 0, sizeof *c);
    if ((has_shell ? template_parse_shell : template_parse)(&c->command, v[P_COMMAND].s, err) ||
        template_parse_env(&c->env, v[P_ENV].s, err))
        return -1;
    for (char **variable = environ; *variable; variable++)
        if (!is_dropped(*variable) && strncmp(*variable, "ESPALIER_PARAM_", 15) != 0)
            add_word(&list, list.text.size, *variable);
    return template_words_take(&c->inherited, &list.text, list.n, err) ? -1 : 0;
}

void program_command_release(struct program_command *c)
{
    template_release(&c->command);
    template_release(&c->env);
    template_words_release(&c->inherited);
}
