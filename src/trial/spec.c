#include "trial/spec.h"

#include <string.h>

/* Choices stand in the parameter table in the order of the enums they become; those that begin
 * with `auto` are one ahead. tests/unit/spec.c compares every name. */
#define AFTER_AUTO 1

void spec_data(struct data_spec *out, const struct settings *s)
{
    const union value *v = s->v;

    memset(out, 0, sizeof *out);
    out->format = (enum data_format)v[P_FORMAT].i;
    out->task = (enum data_task)v[P_TASK].i;
    out->genotypes = v[P_GENOTYPES].s;
    out->subset = (enum data_subset)v[P_SUBSET].i;
    out->filter = (struct data_filter){
        .dosage = (enum data_dosage)v[P_DOSAGE].i,
        .region = v[P_REGION].s,
        .multiallelic = (enum data_multiallelic)v[P_MULTIALLELIC].i,
        .call_rate = 1 - v[P_MAX_MISSING].f,
        .maf = v[P_MAF].f,
        .variants = v[P_VARIANTS].s,
    };
    out->phenotypes = v[P_PHENOTYPES].s;
    out->trait = v[P_TRAIT].s;
    out->covariates = v[P_COVARIATES].s;
    out->missing = v[P_MISSING].s;
    out->missing_genotype = v[P_MISSING_GENOTYPE].s;
    out->edges = v[P_EDGES].s;
    out->features = v[P_FEATURES].s;
    out->labels = v[P_LABELS].s;
    out->split = v[P_SPLIT_FILE].s;
    out->folder = v[P_FOLDER].s;
    out->molecules = v[P_MOLECULES].s;
    out->smiles = v[P_SMILES].s;
    out->id = v[P_ID].s;
    out->skip_invalid = v[P_SKIP_INVALID].i == param_choice(P_SKIP_INVALID, "yes");
    out->images = v[P_IMAGES].s;
    out->first_images = (int32_t)v[P_FIRST_IMAGES].i;
    out->group = v[P_GROUP].s;
    out->simulate = (struct simulate_spec){
        .samples = (int32_t)v[P_SAMPLES].i,
        .markers = (int32_t)v[P_MARKERS].i,
        .populations = (int32_t)v[P_POPULATIONS].i,
        .fst = v[P_FST].f,
        .causal = (int32_t)v[P_CAUSAL].i,
        .heritability = v[P_HERITABILITY].f,
        .seed = v[P_SIMULATION_SEED].i,
    };
}

void spec_graph(struct graph_spec *out, const struct settings *s)
{
    /* Zeroed first: caches compare these bytes. */
    memset(out, 0, sizeof *out);
    out->build = (enum graph_build)(s->v[P_BUILD].i - AFTER_AUTO);
    out->metric = (enum graph_metric)s->v[P_METRIC].i;
    out->weights = (enum graph_weights)s->v[P_WEIGHTS].i;
    out->k = (int32_t)s->v[P_K].i;
    out->threshold = s->v[P_THRESHOLD].f;
}

void spec_split(struct split_spec *out, const struct settings *s, int32_t replicate, int32_t fold)
{
    memset(out, 0, sizeof *out);
    out->test = s->v[P_TEST].f;
    out->val = s->v[P_VAL].f;
    out->stop = s->v[P_STOP].f;
    out->trains_on_stop = !settings_has(s, P_STOP);
    out->folds = (int32_t)s->v[P_FOLDS].i;
    out->seed = s->v[P_SEED].i;
    out->replicate = replicate;
    out->fold = fold;
}

void spec_inputs(struct gcn_inputs_spec *out, const struct settings *s)
{
    memset(out, 0, sizeof *out);
    out->scale = (enum feature_scale)(s->v[P_SCALE].i - AFTER_AUTO);
    out->drops_inputs = settings_has(s, P_INPUT_DROPOUT) && s->v[P_INPUT_DROPOUT].f > 0;
    if (settings_has(s, P_REDUCE))
        out->reduce = (int32_t)s->v[P_REDUCE].i; /* the codes are the same */
}

enum metric spec_objective(const struct settings *s)
{
    return (enum metric)(s->v[P_OBJECTIVE].i - AFTER_AUTO);
}

bool spec_maximize(const struct settings *s)
{
    enum { AUTO, MAX, MIN };

    if (s->v[P_DIRECTION].i == AUTO)
        return metric_is_larger_better(spec_objective(s));
    return s->v[P_DIRECTION].i == MAX;
}

void spec_gcn(struct gcn_spec *out, const struct settings *s)
{
    const union value *v = s->v;

    if (!settings_has(s, P_LAYERS)) {
        *out = (struct gcn_spec){.layers = 1};
        return;
    }
    *out = (struct gcn_spec){
        .layers = (int32_t)v[P_LAYERS].i,
        .hidden_size = (int32_t)v[P_HIDDEN_SIZE].i,
        .activation = (enum activation)v[P_ACTIVATION].i,
        .pool = settings_pool(s) ? (enum pool)v[P_POOL].i : POOL_NONE,
        .residual = v[P_RESIDUAL].i,
        .batch_norm = v[P_BATCH_NORM].i - AFTER_AUTO,
        .dropout = v[P_DROPOUT].f,
        .input_dropout = v[P_INPUT_DROPOUT].f,
        .epochs = (int32_t)v[P_EPOCHS].i,
        .optimizer = (enum optimizer)v[P_OPTIMIZER].i,
        .learning_rate = v[P_LEARNING_RATE].f,
        .schedule = (enum schedule)v[P_SCHEDULE].i,
        .step_size = (int32_t)v[P_STEP_SIZE].i,
        .step_gamma = v[P_STEP_GAMMA].f,
        .warmup_epochs = (int32_t)v[P_WARMUP_EPOCHS].i,
        .clip_norm = v[P_CLIP_NORM].f,
        .weight_decay = v[P_WEIGHT_DECAY].f,
        .decay_scope = (enum decay_scope)v[P_DECAY_LAYERS].i,
        .momentum = v[P_MOMENTUM].f,
        .beta1 = v[P_BETA1].f,
        .beta2 = v[P_BETA2].f,
        .epsilon = v[P_EPSILON].f,
        .batch_size = (int32_t)v[P_BATCH_SIZE].i,
        .choose_epoch = (enum choose_epoch)v[P_CHOOSE_EPOCH].i,
        .patience = (int32_t)v[P_PATIENCE].i,
        .class_weights = (enum class_weights)v[P_CLASS_WEIGHTS].i,
        .objective = spec_objective(s),
        .maximize = spec_maximize(s),
    };
}
