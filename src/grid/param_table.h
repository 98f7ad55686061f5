/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of a sweep file, one row each: the only place where a setting is declared.
 *
 * INI checks, --set, "did you mean", `espalier params`, the trial key and the columns of the views
 * all read this table. Row order is the order of the canonical text that is hashed into a trial's
 * key: adding an IDENTITY row that is not LATER changes the keys of every trial, so it comes with a
 * new KEY_VERSION (settings.h).
 *
 * X(id, section, key, type, min, max, choices, default, unit, flags, models, target, help)
 *   key      no two rows have the same, in whatever section: it is a column of the views
 *   type     INT REAL CHOICE TEXT PATH DURATION COUNT (an INT, or the word `full`)
 *            REDUCTION (none, exact, or pca: and an INT)  FOLDS (an INT, or the word `groups`)
 *   min,max  of INT, REAL, COUNT, REDUCTION, FOLDS and DURATION; see the flags for open ends
 *   choices  of CHOICE, separated by |
 *   flags    AXIS      may stand in [grid]
 *            IDENTITY  part of a trial's key
 *            LATER     left out of the key where the trial does what trials did before this row
 *                      existed: with its default, or its value in PARAM_BEFORE_TABLE
 *            SWEPT     part of the key only when it is an axis
 *            MAIN      a column of the views where it does not vary, too
 *            OPEN_MIN, OPEN_MAX  the bound itself is not allowed
 *            REQUIRED  a sweep file must give it; the default is that of stored sweeps which were
 *                      written before it had to be given
 *   models   model types that have the setting. For the others it has one value, whatever is asked
 *            for (settings_trim), and is no part of their JSON. noop has all that networks have,
 *            since the size of its grid is what it is there for. Which data formats have a setting
 *            of [data] is said by the rows of those
 *   target   the member of a struct that the value is copied to (trial/spec.c):
 *            INTO(struct, member)
 *            AFTER_AUTO(struct, member)  of CHOICE: less one, since `auto` is none of the member's
 *            NOWHERE */
#ifndef GRID_PARAM_TABLE_H
#define GRID_PARAM_TABLE_H

#include "data/core/data_format.h"

/* The model types: the rows model_NAME of trial/model_type.h, in the order of the choices of
 * model.type. OR stands between two of them. */
#define MODEL_TYPES(X, OR) \
    X(gcn) OR X(mlp)       \
    OR X(ridge)            \
    OR X(noop)
#define MODEL_TYPE_NAME(name) #name
#define MODEL_TYPE_CHOICES MODEL_TYPES(MODEL_TYPE_NAME, "|")

/* Those that have a setting. */
#define MODELS_ALL MODEL_TYPE_CHOICES
#define MODELS_NETWORK "gcn|mlp|noop"
#define MODELS_EPOCHS "gcn|mlp"
#define MODELS_GRAPH "gcn|noop"
#define MODELS_RIDGE "ridge|noop"

/* Those whose outputs for classes are scores and not probabilities, so that they have no log_loss. */
#define MODELS_SCORES "ridge"

#define PARAM_METRICS                                                                  \
    "auto|val_pearson|val_r2|val_rmse|val_mae|val_spearman|val_accuracy|val_macro_f1|" \
    "val_roc_auc|val_log_loss"

/* clang-format off */
#define PARAM_TABLE(X) \
    X(SWEEP_NAME, "sweep", "name", TEXT, 0, 0, "", "", "", 0, \
      MODELS_ALL, NOWHERE, \
      "identity of the sweep inside the database; default: the file's name without .ini") \
    X(OBJECTIVE, "sweep", "objective", CHOICE, 0, 0, PARAM_METRICS, "auto", "", IDENTITY, \
      MODELS_ALL, AFTER_AUTO(gcn_spec, objective), \
      "validation metric that ranks configurations; auto: val_pearson for regression, val_accuracy for classification") \
    X(DIRECTION, "sweep", "direction", CHOICE, 0, 0, "auto|max|min", "auto", "", IDENTITY, \
      MODELS_ALL, NOWHERE, \
      "whether a larger or a smaller objective is better; auto: as the metric says") \
    X(SEED, "sweep", "seed", INT, 0, 9007199254740992.0, "", "1", "", IDENTITY, \
      MODELS_ALL, INTO(split_spec, seed), \
      "all random numbers of the sweep follow from it") \
    X(REPLICATES, "sweep", "replicates", INT, 1, 100000, "", "1", "", 0, \
      MODELS_ALL, NOWHERE, \
      "independent repeats of every configuration (weights, dropout, folds)") \
    X(FOLDS, "sweep", "folds", FOLDS, 0, 10000, "", "0", "", IDENTITY, \
      MODELS_ALL, INTO(split_spec, folds), \
      "cross-validation folds outside the test part; 0: one holdout split; groups: as many as split.group has there, each validated on a group that is left out") \
    X(WHERE, "sweep", "where", TEXT, 0, 0, "", "", "", 0, \
      MODELS_ALL, NOWHERE, \
      "SQL expression over the axes; points where it is false or NULL are left out; batch_size = full is the text 'full'") \
    X(KEEP, "sweep", "keep", CHOICE, 0, 0, "best|all|none", "best", "", 0, \
      MODELS_ALL, NOWHERE, \
      "models whose weights stay in the database: those of the best configuration and of the one that best --rule 1se chooses (and of those that are not complete yet), all, or none") \
    \
    X(FORMAT, "data", "format", CHOICE, 0, 0, DATA_FORMAT_CHOICES, "simulated", "", REQUIRED, \
      MODELS_ALL, NOWHERE, \
      "what kind of data: genotypes, a given graph, a simulated panel; samples that are graphs: a TUDataset folder, molecules, images") \
    X(TASK, "data", "task", CHOICE, 0, 0, "auto|regression|classification", "auto", "", 0, \
      MODELS_ALL, INTO(data_spec, task), \
      "auto: genotype: regression if the trait is numeric; others: classification if labels are integers or words") \
    X(GENOTYPES, "data", "genotypes", PATH, 0, 0, "", "", "", 0, \
      MODELS_ALL, INTO(data_spec, genotypes), \
      "genotype: VCF, BCF, PLINK 1 (.bed), HapMap, or a table of samples x markers, first column the id; plain or gzip") \
    X(SUBSET, "data", "subset", CHOICE, 0, 0, "all|phenotyped", "all", "", 0, \
      MODELS_ALL, INTO(data_spec, subset), \
      "genotype: samples that are taken; phenotyped: those with a value of the trait alone, in the order of the phenotype table") \
    X(DOSAGE, "data", "dosage", CHOICE, 0, 0, "GT|DS", "GT", "", 0, \
      MODELS_ALL, INTO(data_spec, filter.dosage), \
      "VCF, BCF: what a marker's value is; GT: number of ALT alleles called; DS: the estimate of it after imputation") \
    X(REGION, "data", "region", TEXT, 0, 0, "", "", "", 0, \
      MODELS_ALL, INTO(data_spec, filter.region), \
      "VCF, BCF, PLINK, HapMap: CHROM, CHROM:POS, CHROM:FROM-TO or CHROM:FROM-, or several, apart by commas; as bcftools -r with what reaches into it; empty: everywhere") \
    X(MULTIALLELIC, "data", "multiallelic", CHOICE, 0, 0, "split|skip", "split", "", 0, \
      MODELS_ALL, INTO(data_spec, filter.multiallelic), \
      "VCF, BCF, HapMap: sites with several ALT alleles; split: a marker for each of them") \
    X(MAX_MISSING, "data", "max_missing", REAL, 0, 1, "", "1", "fraction", 0, \
      MODELS_ALL, NOWHERE, \
      "genotype: markers are dropped where more of the calls are missing (PLINK's --geno)") \
    X(MAF, "data", "maf", REAL, 0, 0.5, "", "0", "fraction", 0, \
      MODELS_ALL, INTO(data_spec, filter.maf), \
      "genotype: markers are dropped whose rarer allele is less frequent") \
    X(VARIANTS, "data", "variants", TEXT, 0, 0, "", "all", "", 0, \
      MODELS_ALL, INTO(data_spec, filter.variants), \
      "genotype: of the markers that are left: all | first:N | thin:N (N of them, evenly spaced in the file)") \
    X(PHENOTYPES, "data", "phenotypes", PATH, 0, 0, "", "", "", 0, \
      MODELS_ALL, INTO(data_spec, phenotypes), \
      "genotype: table of traits, with its ids in the first column (of FID IID in the second) or in that of id; with PLINK it may be left out: column 6 of the .fam") \
    X(TRAIT, "data", "trait", TEXT, 0, 0, "", "", "", 0, \
      MODELS_ALL, INTO(data_spec, trait), \
      "genotype, smiles: column of the table; tu: number of a column; may be left out if there is only one") \
    X(COVARIATES, "data", "covariates", TEXT, 0, 0, "", "", "", 0, \
      MODELS_ALL, INTO(data_spec, covariates), \
      "genotype: columns of the phenotype table that are features too, separated by commas, in quotes where they hold one; numbers as they are, words one feature each, as are the numbers of factor(COLUMN)") \
    X(MISSING, "data", "missing", TEXT, 0, 0, "", "", "", 0, \
      MODELS_ALL, INTO(data_spec, missing), \
      "genotype: what stands for a missing value in the phenotype table beside an empty cell, NA, NaN, nan and a point; separated by commas: -9, unknown") \
    X(MISSING_GENOTYPE, "data", "missing_genotype", TEXT, 0, 0, "", "", "", 0, \
      MODELS_ALL, INTO(data_spec, missing_genotype), \
      "genotype: what stands for a missing call in a table beside an empty cell, NA, NaN, nan and a point; separated by commas: -9, N; none: every number is a dosage") \
    X(EDGES, "data", "edges", PATH, 0, 0, "", "", "", 0, \
      MODELS_ALL, INTO(data_spec, edges), \
      "graph: table of source, target and optionally weight") \
    X(FEATURES, "data", "features", PATH, 0, 0, "", "", "", 0, \
      MODELS_ALL, INTO(data_spec, features), \
      "graph: sparse (node, feature[, value]) or dense (node, f1, f2, ...) table") \
    X(LABELS, "data", "labels", PATH, 0, 0, "", "", "", 0, \
      MODELS_ALL, INTO(data_spec, labels), \
      "graph: table of node and label; lists every node, an empty label is a missing one; idx: file of labels, plain or gzip") \
    X(FOLDER, "data", "folder", PATH, 0, 0, "", "", "", 0, \
      MODELS_ALL, INTO(data_spec, folder), \
      "tu: folder with DS_A.txt, DS_graph_indicator.txt, DS_graph_labels.txt ...; trait: number of a column of the labels or attributes of graphs") \
    X(MOLECULES, "data", "molecules", PATH, 0, 0, "", "", "", 0, \
      MODELS_ALL, INTO(data_spec, molecules), \
      "smiles: table with a molecule in each row") \
    X(SMILES, "data", "smiles", TEXT, 0, 0, "", "smiles", "", 0, \
      MODELS_ALL, INTO(data_spec, smiles), \
      "smiles: column of the SMILES") \
    X(ID, "data", "id", TEXT, 0, 0, "", "", "", 0, \
      MODELS_ALL, INTO(data_spec, id), \
      "genotype: column of ids of the phenotype table; default: IID after FID, else the first; smiles: column of ids; default: rows are numbered from 1") \
    X(SKIP_INVALID, "data", "skip_invalid", CHOICE, 0, 0, "no|yes", "no", "", 0, \
      MODELS_ALL, INTO(data_spec, skip_invalid), \
      "smiles: whether molecules that cannot be read are left out and counted; no: they are an error") \
    X(IMAGES, "data", "images", PATH, 0, 0, "", "", "", 0, \
      MODELS_ALL, INTO(data_spec, images), \
      "idx: file of images, plain or gzip; their classes: labels") \
    X(FIRST_IMAGES, "data", "first_images", INT, 0, 2147483647, "", "0", "", 0, \
      MODELS_ALL, INTO(data_spec, first_images), \
      "idx: so many images from the beginning of the file; 0: all") \
    X(SCALE, "data", "scale", CHOICE, 0, 0, "auto|none|standardize|row", "auto", "", IDENTITY, \
      MODELS_ALL, AFTER_AUTO(gcn_inputs_spec, scale), \
      "features: none; standardize: mean 0, sd 1; row: divide by the row's sum; auto: standardize for genotypes, simulated, and dense features of a graph or tu folder with values beside 0 and 1; none for others") \
    X(SAMPLES, "data", "samples", INT, 10, 1000000, "", "383", "", 0, \
      MODELS_ALL, INTO(data_spec, simulate.samples), \
      "simulated: number of accessions") \
    X(MARKERS, "data", "markers", INT, 2, 10000000, "", "1000", "", 0, \
      MODELS_ALL, INTO(data_spec, simulate.markers), \
      "simulated: number of SNPs") \
    X(POPULATIONS, "data", "populations", INT, 1, 1000, "", "8", "", 0, \
      MODELS_ALL, INTO(data_spec, simulate.populations), \
      "simulated: number of subpopulations") \
    X(FST, "data", "fst", REAL, 0, 1, "", "0.2", "", OPEN_MIN | OPEN_MAX, \
      MODELS_ALL, INTO(data_spec, simulate.fst), \
      "simulated: differentiation of the subpopulations") \
    X(CAUSAL, "data", "causal", INT, 1, 10000000, "", "50", "", 0, \
      MODELS_ALL, INTO(data_spec, simulate.causal), \
      "simulated: markers that affect the trait") \
    X(HERITABILITY, "data", "heritability", REAL, 0, 1, "", "0.6", "", 0, \
      MODELS_ALL, INTO(data_spec, simulate.heritability), \
      "simulated: share of the trait's variance that is genetic") \
    X(SIMULATION_SEED, "data", "simulation_seed", INT, 0, 9007199254740992.0, "", "1", "", 0, \
      MODELS_ALL, INTO(data_spec, simulate.seed), \
      "simulated: seed of the panel") \
    \
    X(BUILD, "graph", "build", CHOICE, 0, 0, "auto|knn|threshold|file|none", "auto", "", AXIS | IDENTITY, \
      MODELS_GRAPH, AFTER_AUTO(graph_spec, build), \
      "how samples are joined: k nearest neighbours, least similarity, given edges, not at all; auto: file for given graphs, knn otherwise; samples that are graphs: file or none, of their nodes") \
    X(K, "graph", "k", INT, 1, 1000000, "", "10", "", AXIS | IDENTITY, \
      MODELS_GRAPH, INTO(graph_spec, k), \
      "knn: neighbours of each sample") \
    X(METRIC, "graph", "metric", CHOICE, 0, 0, "cosine|correlation|kinship", "cosine", "", AXIS | IDENTITY, \
      MODELS_GRAPH, INTO(graph_spec, metric), \
      "knn, threshold: similarity of two samples' features; cosine is of the calls as they are (0, 1, 2) and depends on which allele is counted, kinship (VanRaden 2008; features 0, 1, 2 or -1, 0, 1) does not") \
    X(THRESHOLD, "graph", "threshold", REAL, -1e6, 1e6, "", "0.5", "", AXIS | IDENTITY, \
      MODELS_GRAPH, INTO(graph_spec, threshold), \
      "threshold: least similarity of an edge") \
    X(WEIGHTS, "graph", "weights", CHOICE, 0, 0, "binary|similarity", "binary", "", AXIS | IDENTITY, \
      MODELS_GRAPH, INTO(graph_spec, weights), \
      "knn, threshold: weight of an edge") \
    \
    X(TEST, "split", "test", REAL, 0, 1, "", "0.2", "fraction", AXIS | IDENTITY | OPEN_MAX, \
      MODELS_ALL, INTO(split_spec, test), \
      "labelled samples never trained on nor selected by") \
    X(VAL, "split", "val", REAL, 0, 1, "", "0.2", "fraction", AXIS | IDENTITY | OPEN_MIN | OPEN_MAX, \
      MODELS_ALL, INTO(split_spec, val), \
      "labelled samples that select, when folds = 0") \
    X(SPLIT_FILE, "split", "file", PATH, 0, 0, "", "", "", 0, \
      MODELS_ALL, INTO(data_spec, split), \
      "table of id and part (train, val, test, stop) instead of fractions, or of id and group, or of all") \
    X(GROUP, "split", "group", TEXT, 0, 0, "", "", "", 0, \
      MODELS_ALL, INTO(data_spec, group), \
      "column (family, environment, year) of the split file or of the phenotype table: no group stands on two sides of test, val and train, nor in two folds") \
    X(STOP, "split", "stop", REAL, 0, 1, "", "0", "fraction", AXIS | IDENTITY | LATER | OPEN_MAX, \
      MODELS_NETWORK, INTO(split_spec, stop), \
      "of what would train: samples that pick the best epoch of gcn and mlp, so that the validation part only scores; 0: the validation part picks it, and flatters; ridge has no epochs and trains on them") \
    \
    X(TYPE, "model", "type", CHOICE, 0, 0, MODEL_TYPE_CHOICES, "gcn", "", AXIS | IDENTITY | MAIN, \
      MODELS_ALL, NOWHERE, \
      "gcn; mlp: the same network without a graph; ridge: exact ridge regression, the same as GBLUP; noop trains nothing and measures what scheduling and storing cost") \
    X(LAYERS, "model", "layers", INT, 1, 8, "", "2", "", AXIS | IDENTITY | MAIN, \
      MODELS_NETWORK, INTO(gcn_spec, layers), \
      "graph convolutions; where samples are graphs each has hidden_size units, and pool follows") \
    X(HIDDEN_SIZE, "model", "hidden_size", INT, 1, 65536, "", "64", "units", AXIS | IDENTITY | MAIN, \
      MODELS_NETWORK, INTO(gcn_spec, hidden_size), \
      "width of every layer but the last; where samples are graphs: of every convolution") \
    X(ACTIVATION, "model", "activation", CHOICE, 0, 0, "relu|tanh|elu|gelu", "relu", "", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_spec, activation), \
      "after every layer but the last; gelu: the exact form, by erf") \
    X(RESIDUAL, "model", "residual", CHOICE, 0, 0, "no|yes", "no", "", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_spec, residual), \
      "skip connections: a hidden layer's input is added to its output, from the second layer to the last but one") \
    X(BATCH_NORM, "model", "batch_norm", CHOICE, 0, 0, "auto|no|yes", "auto", "", AXIS | IDENTITY, \
      MODELS_NETWORK, AFTER_AUTO(gcn_spec, batch_norm), \
      "batch normalisation of hidden units before their activation; the norm's shift takes the place of the bias; auto: yes where samples are graphs (tu, smiles, idx), no for others") \
    X(DROPOUT, "model", "dropout", REAL, 0, 1, "", "0.5", "", AXIS | IDENTITY | MAIN | OPEN_MAX, \
      MODELS_NETWORK, INTO(gcn_spec, dropout), \
      "hidden units set to zero in training") \
    X(INPUT_DROPOUT, "model", "input_dropout", REAL, 0, 1, "", "0", "", AXIS | IDENTITY | OPEN_MAX, \
      MODELS_NETWORK, INTO(gcn_spec, input_dropout), \
      "features set to zero in training") \
    X(REDUCE, "model", "reduce", REDUCTION, 1, 1000000000, "", "none", "", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_inputs_spec, reduce), \
      "what layer 1 sees in place of the features, where they outnumber the samples; exact: their coordinates in a basis of their row space, the same model in fewer columns; pca:K: the K leading ones") \
    X(LAMBDA, "model", "lambda", REAL, 0, 1e12, "", "1", "", AXIS | IDENTITY | MAIN | OPEN_MIN, \
      MODELS_RIDGE, INTO(ridge_spec, lambda), \
      "ridge: shrinkage; with standardized markers the residual over the genetic variance, (1 - h2) / h2 for a heritability h2 (Hoerl & Kennard 1970; VanRaden 2008; Habier et al. 2007)") \
    X(POOL, "model", "pool", CHOICE, 0, 0, "auto|mean|sum|max", "auto", "", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_spec, pool), \
      "tu, smiles, idx: what stands for a graph, from its nodes after the last convolution; a linear layer follows; auto: sum for tu and smiles, mean for idx") \
    \
    X(EPOCHS, "train", "epochs", INT, 0, 10000000, "", "100", "", AXIS | IDENTITY | MAIN, \
      MODELS_NETWORK, INTO(gcn_spec, epochs), \
      "passes over the training samples") \
    X(OPTIMIZER, "train", "optimizer", CHOICE, 0, 0, "adam|adamw|sgd", "adam", "", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_spec, optimizer), \
      "weight decay is L2 in adam and sgd, decoupled in adamw") \
    X(LEARNING_RATE, "train", "learning_rate", REAL, 0, 1000, "", "0.01", "", AXIS | IDENTITY | MAIN | OPEN_MIN, \
      MODELS_NETWORK, INTO(gcn_spec, learning_rate), \
      "step size") \
    X(SCHEDULE, "train", "schedule", CHOICE, 0, 0, "constant|cosine|step", "constant", "", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_spec, schedule), \
      "learning rate after the warm-up: constant; cosine: down to almost 0 in the last epoch; step: times step_gamma every step_size epochs") \
    X(STEP_SIZE, "train", "step_size", INT, 1, 10000000, "", "30", "epochs", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_spec, step_size), \
      "schedule = step: epochs at one learning rate") \
    X(STEP_GAMMA, "train", "step_gamma", REAL, 0, 1, "", "0.1", "", AXIS | IDENTITY | OPEN_MIN, \
      MODELS_NETWORK, INTO(gcn_spec, step_gamma), \
      "schedule = step: factor from one learning rate to the next") \
    X(WARMUP_EPOCHS, "train", "warmup_epochs", INT, 0, 10000000, "", "0", "epochs", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_spec, warmup_epochs), \
      "at first, over which the learning rate grows linearly; the one after them has all of it") \
    X(CLIP_NORM, "train", "clip_norm", REAL, 0, 1e9, "", "0", "", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_spec, clip_norm), \
      "a longer gradient (Euclidean norm over all weights together) is shortened to it; 0: never") \
    X(WEIGHT_DECAY, "train", "weight_decay", REAL, 0, 1000, "", "5e-4", "", AXIS | IDENTITY | MAIN, \
      MODELS_NETWORK, INTO(gcn_spec, weight_decay), \
      "of weights, never of biases") \
    X(DECAY_LAYERS, "train", "decay_layers", CHOICE, 0, 0, "all|first", "all", "", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_spec, decay_scope), \
      "layers with weight decay; first: as in Kipf & Welling 2017") \
    X(MOMENTUM, "train", "momentum", REAL, 0, 1, "", "0.9", "", AXIS | IDENTITY | OPEN_MAX, \
      MODELS_NETWORK, INTO(gcn_spec, momentum), \
      "sgd: share of the last step in the next") \
    X(BETA1, "train", "beta1", REAL, 0, 1, "", "0.9", "", AXIS | IDENTITY | OPEN_MAX, \
      MODELS_NETWORK, INTO(gcn_spec, beta1), \
      "adam, adamw: decay of the mean gradient") \
    X(BETA2, "train", "beta2", REAL, 0, 1, "", "0.999", "", AXIS | IDENTITY | OPEN_MAX, \
      MODELS_NETWORK, INTO(gcn_spec, beta2), \
      "adam, adamw: decay of the squared gradient") \
    X(EPSILON, "train", "epsilon", REAL, 0, 1, "", "1e-8", "", AXIS | IDENTITY | OPEN_MIN, \
      MODELS_NETWORK, INTO(gcn_spec, epsilon), \
      "adam, adamw: added to the denominator") \
    X(BATCH_SIZE, "train", "batch_size", COUNT, 1, 1000000000, "", "full", "samples", AXIS | IDENTITY | MAIN, \
      MODELS_NETWORK, INTO(gcn_spec, batch_size), \
      "training samples in a step, nodes or graphs; full: all") \
    X(CHOOSE_EPOCH, "train", "choose_epoch", CHOICE, 0, 0, "loss|objective", "loss", "", AXIS | IDENTITY | LATER, \
      MODELS_EPOCHS, INTO(gcn_spec, choose_epoch), \
      "what chooses the best epoch, on the stop part, or on the validation part where there is no stop part; loss: the smallest loss; objective: the best value of [sweep] objective") \
    X(PATIENCE, "train", "patience", INT, 0, 10000000, "", "0", "epochs", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_spec, patience), \
      "epochs without a better one, by choose_epoch, after which training stops; 0: never") \
    X(CLASS_WEIGHTS, "train", "class_weights", CHOICE, 0, 0, "none|balanced", "none", "", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_spec, class_weights), \
      "of classes in the loss; balanced: inversely proportional to their number of training nodes") \
    \
    X(THREADS, "resources", "threads", INT, 1, 1024, "", "1", "", AXIS | SWEPT, \
      MODELS_ALL, NOWHERE, \
      "cores of one trial") \
    X(TRIAL_TIMEOUT, "resources", "trial_timeout", DURATION, 0, 1e9, "", "0", "seconds", 0, \
      MODELS_ALL, NOWHERE, \
      "a trial that runs longer has failed; 0: no limit") \
    X(CRASH_LIMIT, "resources", "crash_limit", INT, 1, 1000, "", "2", "attempts", 0, \
      MODELS_ALL, NOWHERE, \
      "attempts that may take their rank down before the trial has failed") \
    X(HEARTBEAT_LIMIT, "resources", "heartbeat_limit", DURATION, 1, 86400, "", "60", "seconds", 0, \
      MODELS_ALL, NOWHERE, \
      "a rank that nothing was heard of for so long is lost, and its trials are run by others")

/* Settings whose default is not what earlier versions did. The value is what they did: it stands
 * for the setting where a stored sweep lacks it, and for model types that do not have it.
 *
 * X(id, value) */
#define PARAM_BEFORE_TABLE(X) \
    X(BATCH_NORM, "no") \
    X(POOL, "mean") \
    X(CHOOSE_EPOCH, "objective")

/* Settings that do nothing unless another has one of these choices.
 *
 * X(id, other, choices) */
#define PARAM_BESIDE_TABLE(X) \
    X(K, BUILD, "knn") \
    X(METRIC, BUILD, "knn|threshold") \
    X(WEIGHTS, BUILD, "knn|threshold") \
    X(THRESHOLD, BUILD, "threshold") \
    X(MOMENTUM, OPTIMIZER, "sgd") \
    X(BETA1, OPTIMIZER, "adam|adamw") \
    X(BETA2, OPTIMIZER, "adam|adamw") \
    X(EPSILON, OPTIMIZER, "adam|adamw") \
    X(CLASS_WEIGHTS, TASK, "classification")

/* Model types that gave other numbers for the same settings: the keys of a later revision differ.
 *
 * X(type, revision, before, now) */
#define PARAM_REVISION_TABLE(X) \
    X("ridge", 2, "the intercept was the mean of the training samples", \
      "the intercept is fitted without a penalty")
/* clang-format on */

#endif
