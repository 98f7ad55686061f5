/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of a sweep file, one row each. No other place declares a setting.
 *
 * The order is that of the canonical text, which is hashed into a trial's key. A new IDENTITY row
 * that is not LATER changes the keys of all trials and needs a new KEY_VERSION (settings.h).
 *
 * X(id, section, key, type, min, max, choices, default, unit, flags, models, target, help)
 *   key      unique in the whole table: it names a column of the views
 *   type     INT REAL CHOICE TEXT PATH DURATION COUNT (an INT, or the word `full`)
 *            REDUCTION (none, exact, or pca: and an INT)  FOLDS (an INT, or the word `groups`)
 *            METRIC (a name; one of the choices unless a program reports it)
 *   min,max  of numbers; flags open the ends
 *   choices  of CHOICE, separated by |; the last of model.type and of
 *            data.format is implied by the section [program]
 *   flags    AXIS      may stand in [grid]
 *            IDENTITY  part of a trial's key
 *            LATER     omitted from the key if the value is param_before()
 *            SWEPT     part of the key only as an axis, and never of the seed of random numbers
 *            PAIRED    part of the key, but not of the seed (settings_seed())
 *            MAIN      a column of the views even if it does not vary
 *            OPEN_MIN, OPEN_MAX  the bound itself is not allowed
 *            REQUIRED  a sweep file must set it; the default is for older stored sweeps
 *   models   model types that have the setting. noop has those of the networks, because it
 *            measures grids of their size. Data formats list their own settings.
 *   target   the struct member that trial/spec.c copies the value to:
 *            INTO(struct, member)
 *            AFTER_AUTO(struct, member)  of CHOICE: minus one, as the member has no `auto`
 *            NOWHERE */
#ifndef GRID_PARAM_TABLE_H
#define GRID_PARAM_TABLE_H

#include "data/core/data_format.h"
#include "gcn/spec.h"

/* Each is a row model_NAME of trial/model_type.h. OR stands between two of them. */
#define MODEL_TYPES(X, OR) \
    X(gcn) OR X(mlp)       \
    OR X(ridge)            \
    OR X(fixed)            \
    OR X(noop)             \
    OR X(external)
#define MODEL_TYPE_NAME(name) #name
#define MODEL_TYPE_CHOICES MODEL_TYPES(MODEL_TYPE_NAME, "|")

/* Other names by which users call a model type, in lower case, for "did you mean". X(type, name) */
#define MODEL_TYPE_SYNONYMS(X) \
    X(gcn, gnn)                \
    X(mlp, nn)                 \
    X(mlp, ann)                \
    X(mlp, dnn)                \
    X(mlp, fnn) X(ridge, gblup) X(ridge, rrblup) X(ridge, blup) X(fixed, lm) X(fixed, ols)

/* Lists for the column `models`. */
#define MODELS_ALL MODEL_TYPE_CHOICES
#define MODELS_DATA "gcn|mlp|ridge|fixed|noop"
/* Implied by a section [program] for model.type and data.format. */
#define PROGRAM_SECTION "program"
#define MODELS_GANG "external|gcn|mlp"
#define MODELS_PROGRAM "external"
#define FORMAT_PROGRAM "inputs"
#define MODELS_NETWORK "gcn|mlp|noop"
#define MODELS_EPOCHS "gcn|mlp"
#define MODELS_GRAPH "gcn|noop"
#define MODELS_RIDGE "ridge|noop"

/* Model types that only have fixed effects. */
#define MODELS_FIXED "fixed"

/* Model types whose class scores are not probabilities: they have no log_loss. */
#define MODELS_SCORES "ridge"

#define PARAM_METRICS                                                                  \
    "auto|val_pearson|val_r2|val_rmse|val_mae|val_spearman|val_accuracy|val_macro_f1|" \
    "val_roc_auc|val_log_loss"

/* How configurations are proposed, and how epochs and folds are given to them: each is a row in src/search. */
#define SEARCH_PROPOSERS(X, OR) X(grid) OR X(points) OR X(random) OR X(sobol) OR X(model)
#define SEARCH_ALLOCATORS(X, OR) X(all) OR X(halving) OR X(race)
#define SEARCH_CHOICE(name) #name

/* clang-format off */
#define PARAM_TABLE(X) \
    X(SWEEP_NAME, "sweep", "name", TEXT, 0, 0, "", "", "", 0, \
      MODELS_ALL, NOWHERE, \
      "Name of the sweep in the database; default: the file's name without .ini") \
    X(OBJECTIVE, "sweep", "objective", METRIC, 0, 0, PARAM_METRICS, "auto", "", IDENTITY, \
      MODELS_ALL, NOWHERE, \
      "Validation metric that ranks configurations; auto: val_pearson for regression, val_accuracy for classification; with [program] any number that the program reports") \
    X(DIRECTION, "sweep", "direction", CHOICE, 0, 0, "auto|max|min", "auto", "", IDENTITY, \
      MODELS_ALL, NOWHERE, \
      "Direction in which the objective improves; auto: the direction of the metric, if its name ends with one of those above, or with loss or error") \
    X(SEED, "sweep", "seed", INT, 0, 9007199254740992.0, "", "1", "", IDENTITY, \
      MODELS_ALL, INTO(split_spec, seed), \
      "Seed of all random numbers of the sweep") \
    X(REPLICATES, "sweep", "replicates", INT, 1, 100000, "", "1", "", 0, \
      MODELS_ALL, NOWHERE, \
      "Number of repeats of each configuration with other random numbers (weights, dropout, folds)") \
    X(FOLDS, "sweep", "folds", FOLDS, 0, 10000, "groups", "0", "", IDENTITY, \
      MODELS_ALL, INTO(split_spec, folds), \
      "Number of cross-validation folds outside the test part; 0: one holdout split; groups: one fold for each group of [split] group outside the test part, which is validated on that group") \
    X(WHERE, "sweep", "where", TEXT, 0, 0, "", "", "", 0, \
      MODELS_ALL, NOWHERE, \
      "SQL expression over the axes, and over given settings that could be axes, that selects points of the grid; points where it is false or NULL are dropped; batch_size = full is the text 'full'") \
    X(KEEP, "sweep", "keep", CHOICE, 0, 0, "best|all|none", "best", "", 0, \
      MODELS_ALL, NOWHERE, \
      "Models whose weights stay in the database, and trials of programs whose keep_files stay beside it; best: those of the best configuration, of the configuration that best --rule 1se chooses, and of configurations with trials left to run; all: every one; none: none") \
    \
    X(PROPOSE, "search", "propose", CHOICE, 0, 0, SEARCH_PROPOSERS(SEARCH_CHOICE, "|"), "grid", "", 0, \
      MODELS_ALL, NOWHERE, \
      "Which configurations are tried; grid: every point; points: the rows of a table; random: drawn evenly; sobol: spread evenly, better than random; model: a Gaussian process of the results so far chooses the next batch") \
    X(ALLOCATE, "search", "allocate", CHOICE, 0, 0, SEARCH_ALLOCATORS(SEARCH_CHOICE, "|"), "all", "", 0, \
      MODELS_ALL, NOWHERE, \
      "How much of each configuration runs; all: every epoch and fold; halving: few epochs first, and more for the best third; race: fold after fold, without those that are worse beyond doubt") \
    X(CONFIGS, "search", "configs", COUNT, 1, 10000000, "all", "all", "configurations", 0, \
      MODELS_ALL, NOWHERE, \
      "Number of configurations that are proposed; all: every point (of lists of values, or of the table)") \
    X(POINTS, "search", "points", PATH, 0, 0, "", "", "", 0, \
      MODELS_ALL, NOWHERE, \
      "CSV table for propose = points: a column for each axis, a configuration in each line") \
    X(START, "search", "start", TEXT, 0, 0, "", "", "", 0, \
      MODELS_ALL, NOWHERE, \
      "Values of axes that are configuration 1, such as hidden_size = 64, dropout = 0.2; an axis that is not named is at its first value, or in the middle of its range") \
    X(BUDGET, "search", "budget", DURATION, 0, 1e10, "", "0", "s", 0, \
      MODELS_ALL, NOWHERE, \
      "Core-hours (20h) after which nothing more is proposed, by the measured time of the trials so far; 0: no limit") \
    X(BATCH, "search", "batch", INT, 1, 1000, "", "8", "configurations", 0, \
      MODELS_ALL, NOWHERE, \
      "Configurations that are proposed at a time (propose = model, or with a budget)") \
    X(INITIAL, "search", "initial", COUNT, 2, 100000, "auto", "auto", "configurations", 0, \
      MODELS_ALL, NOWHERE, \
      "Configurations of the Sobol sequence before the model proposes; auto: twice the number of axes plus one") \
    X(ETA, "search", "eta", INT, 2, 100, "", "3", "", 0, \
      MODELS_ALL, NOWHERE, \
      "Halving keeps the best 1 / eta at each rung and trains them eta times as long") \
    X(RUNGS, "search", "rungs", INT, 2, 10, "", "3", "", 0, \
      MODELS_ALL, NOWHERE, \
      "Number of decision points of halving, the end of training among them") \
    X(SLACK, "search", "slack", REAL, 0, 100, "", "0.5", "standard errors", 0, \
      MODELS_ALL, NOWHERE, \
      "Halving also keeps all whose paired difference over the folds to the last one kept is at most this many standard errors of that difference; 0: only ties") \
    X(MAX_EPOCHS, "search", "max_epochs", INT, 0, 1000000000, "", "0", "epochs", 0, \
      MODELS_PROGRAM, NOWHERE, \
      "Epochs that a full trial of the program reports, which halving divides") \
    X(FIRST, "search", "first", COUNT, 2, 10000, "auto", "auto", "folds", 0, \
      MODELS_ALL, NOWHERE, \
      "Folds of each configuration before the race drops any; auto: 2, or 3 from 8 folds on") \
    X(ALPHA, "search", "alpha", REAL, 0, 0.5, "", "0.05", "", OPEN_MIN, \
      MODELS_ALL, NOWHERE, \
      "Probability of the race to drop a configuration that is as good as the best, over all its looks") \
    \
    X(FORMAT, "data", "format", CHOICE, 0, 0, DATA_FORMAT_CHOICES, "simulated", "", REQUIRED, \
      MODELS_ALL, NOWHERE, \
      "Kind of data; genotype: accessions with markers; graph: nodes of a given graph; simulated: a simulated panel; tu, smiles: graphs (a TUDataset folder, molecules)") \
    X(TASK, "data", "task", CHOICE, 0, 0, "auto|regression|classification", "auto", "", 0, \
      MODELS_DATA, INTO(data_spec, task), \
      "Kind of prediction; auto: for genotype regression if the trait is numeric; for other formats classification if labels are integers or words") \
    X(GENOTYPES, "data", "genotypes", PATH, 0, 0, "", "", "", 0, \
      MODELS_DATA, INTO(data_spec, genotypes), \
      "Genotype file, such as VCF or PLINK 1, or a table of samples x markers with ids in the first column; plain or gzip (format = genotype)") \
    X(SUBSET, "data", "subset", CHOICE, 0, 0, "all|phenotyped", "all", "", 0, \
      MODELS_DATA, INTO(data_spec, subset), \
      "Samples that are used; phenotyped: only samples with a value of the trait, in the order of the phenotype table (format = genotype)") \
    X(DOSAGE, "data", "dosage", CHOICE, 0, 0, "GT|DS|GP|HDS", "GT", "", 0, \
      MODELS_DATA, INTO(data_spec, filter.dosage), \
      "Value of a marker; GT: number of ALT alleles called; DS, GP, HDS: their number estimated by imputation (a dosage, genotype probabilities, haplotype dosages), and GT for calls without that field (VCF, BCF)") \
    X(PLOIDY, "data", "ploidy", COUNT, 1, 127, "auto", "auto", "alleles", IDENTITY | LATER, \
      MODELS_DATA, INTO(data_spec, ploidy), \
      "Number of alleles of a call; auto: the most that a call of the file has, or its largest dosage; calls with fewer are scaled to it (format = genotype)") \
    X(REGION, "data", "region", TEXT, 0, 0, "", "", "", 0, \
      MODELS_DATA, INTO(data_spec, filter.region), \
      "Genome regions to read, separated by commas: CHROM, CHROM:POS, CHROM:FROM-TO or CHROM:FROM-; variants that reach into a region count, as with bcftools -r; empty: whole genome (not for tables)") \
    X(MULTIALLELIC, "data", "multiallelic", CHOICE, 0, 0, "split|skip", "split", "", 0, \
      MODELS_DATA, INTO(data_spec, filter.multiallelic), \
      "Treatment of sites with several ALT alleles; split: one marker for each ALT allele; skip: no marker (not for tables)") \
    X(MAX_MISSING, "data", "max_missing", REAL, 0, 1, "", "1", "fraction", 0, \
      MODELS_DATA, NOWHERE, \
      "Largest fraction of missing calls; markers with more are dropped, as with PLINK's --geno (format = genotype)") \
    X(MAF, "data", "maf", REAL, 0, 0.5, "", "0", "fraction", 0, \
      MODELS_DATA, INTO(data_spec, filter.maf), \
      "Smallest minor allele frequency; rarer markers are dropped (format = genotype)") \
    X(VARIANTS, "data", "variants", TEXT, 0, 0, "", "all", "", 0, \
      MODELS_DATA, INTO(data_spec, filter.variants), \
      "Markers that are used after the other filters; all; first:N: the first N; thin:N: N of them, evenly spaced in the file (format = genotype)") \
    X(PHENOTYPES, "data", "phenotypes", PATH, 0, 0, "", "", "", 0, \
      MODELS_DATA, INTO(data_spec, phenotypes), \
      "Table of traits (format = genotype); its ids are in column id, or in the second column after FID IID, or in the first; optional with PLINK, where column 6 of the .fam file is the default") \
    X(TRAIT, "data", "trait", TEXT, 0, 0, "", "", "", 0, \
      MODELS_DATA, INTO(data_spec, trait), \
      "Column of the trait (genotype, smiles) or its number (tu); optional if there is only one") \
    X(FIXED, "data", "fixed", TEXT, 0, 0, "", "", "", 0, \
      MODELS_DATA, INTO(data_spec, fixed), \
      "Fixed effects: columns of the phenotype table that every model fits without a penalty, separated by commas, in quotes if a name contains a comma; a column of words, or factor(COLUMN), is a factor with an effect for each level (format = genotype)") \
    X(MISSING, "data", "missing", TEXT, 0, 0, "", "", "", 0, \
      MODELS_DATA, INTO(data_spec, missing), \
      "Texts that mean a missing value of the trait, separated by commas, such as -9, unknown; an empty cell, NA, NaN, nan and a point always do (format = genotype, graph or smiles)") \
    X(MISSING_GENOTYPE, "data", "missing_genotype", TEXT, 0, 0, "", "", "", 0, \
      MODELS_DATA, INTO(data_spec, missing_genotype), \
      "Texts that mean a missing call in a table of genotypes, separated by commas, such as -9, N; an empty cell, NA, NaN, nan and a point always do; none: every number is a dosage (format = genotype)") \
    X(EDGES, "data", "edges", PATH, 0, 0, "", "", "", 0, \
      MODELS_DATA, INTO(data_spec, edges), \
      "Table of edges: source, target and optional weight (format = graph)") \
    X(FEATURES, "data", "features", PATH, 0, 0, "", "", "", 0, \
      MODELS_DATA, INTO(data_spec, features), \
      "Table of node features: sparse (node, feature[, value]) or dense (node, f1, f2, ...) (format = graph)") \
    X(LABELS, "data", "labels", PATH, 0, 0, "", "", "", 0, \
      MODELS_DATA, INTO(data_spec, labels), \
      "Table of node and label that lists every node, with an empty cell for a missing label (format = graph)") \
    X(FOLDER, "data", "folder", PATH, 0, 0, "", "", "", 0, \
      MODELS_DATA, INTO(data_spec, folder), \
      "Folder with DS_A.txt, DS_graph_indicator.txt, DS_graph_labels.txt and others; trait is the number of a column of the graphs' labels or attributes (format = tu)") \
    X(MOLECULES, "data", "molecules", PATH, 0, 0, "", "", "", 0, \
      MODELS_DATA, INTO(data_spec, molecules), \
      "Table with one molecule in each row (format = smiles)") \
    X(SMILES, "data", "smiles", TEXT, 0, 0, "", "smiles", "", 0, \
      MODELS_DATA, INTO(data_spec, smiles), \
      "Column of the SMILES strings (format = smiles)") \
    X(ID, "data", "id", TEXT, 0, 0, "", "", "", 0, \
      MODELS_DATA, INTO(data_spec, id), \
      "Column of ids; genotype: in the phenotype table, default: IID after FID, otherwise the first; smiles: default: row numbers from 1") \
    X(SKIP_INVALID, "data", "skip_invalid", CHOICE, 0, 0, "no|yes", "yes", "", 0, \
      MODELS_DATA, INTO(data_spec, skip_invalid), \
      "Treatment of molecules that cannot be parsed; yes: dropped and counted; no: an error (format = smiles)") \
    X(SCALE, "data", "scale", CHOICE, 0, 0, "auto|none|standardize|row", "auto", "", IDENTITY, \
      MODELS_DATA, AFTER_AUTO(gcn_inputs_spec, scale), \
      "Scaling of features; standardize: mean 0, standard deviation 1; row: division by the row's sum; auto: standardize for genotype, for simulated, and for dense features of graph or tu with values other than 0 and 1, otherwise none") \
    X(SAMPLES, "data", "samples", INT, 10, 1000000, "", "383", "", 0, \
      MODELS_DATA, INTO(data_spec, simulate.samples), \
      "Number of simulated accessions") \
    X(MARKERS, "data", "markers", INT, 2, 10000000, "", "1000", "", 0, \
      MODELS_DATA, INTO(data_spec, simulate.markers), \
      "Number of simulated SNPs") \
    X(POPULATIONS, "data", "populations", INT, 1, 1000, "", "8", "", 0, \
      MODELS_DATA, INTO(data_spec, simulate.populations), \
      "Number of simulated subpopulations") \
    X(FST, "data", "fst", REAL, 0, 1, "", "0.2", "", OPEN_MIN | OPEN_MAX, \
      MODELS_DATA, INTO(data_spec, simulate.fst), \
      "Differentiation of the simulated subpopulations") \
    X(CAUSAL, "data", "causal", INT, 1, 10000000, "", "50", "", 0, \
      MODELS_DATA, INTO(data_spec, simulate.causal), \
      "Number of simulated markers that affect the trait") \
    X(HERITABILITY, "data", "heritability", REAL, 0, 1, "", "0.6", "", 0, \
      MODELS_DATA, INTO(data_spec, simulate.heritability), \
      "Genetic share of the simulated trait's variance") \
    X(SIMULATION_SEED, "data", "simulation_seed", INT, 0, 9007199254740992.0, "", "1", "", 0, \
      MODELS_DATA, INTO(data_spec, simulate.seed), \
      "Seed of the simulated panel") \
    \
    X(BUILD, "graph", "build", CHOICE, 0, 0, "auto|knn|threshold|file|none", "auto", "", AXIS | IDENTITY, \
      MODELS_GRAPH, AFTER_AUTO(graph_spec, build), \
      "Edges between samples; knn: to the nearest neighbours; threshold: between similar samples; file: given edges; none: no edges; auto: file for given graphs, otherwise knn; samples that are graphs allow file or none, for their nodes") \
    X(K, "graph", "k", INT, 1, 1000000, "", "10", "", AXIS | IDENTITY, \
      MODELS_GRAPH, INTO(graph_spec, k), \
      "Number of neighbours of each sample (build = knn)") \
    X(METRIC, "graph", "metric", CHOICE, 0, 0, "cosine|correlation|kinship", "cosine", "", AXIS | IDENTITY, \
      MODELS_GRAPH, INTO(graph_spec, metric), \
      "Similarity of two samples (build = knn or threshold); cosine uses calls as they are (0, 1, 2) and depends on which allele is counted; kinship (VanRaden 2008; features 0, 1, 2 or -1, 0, 1) does not") \
    X(THRESHOLD, "graph", "threshold", REAL, -1e6, 1e6, "", "0.5", "", AXIS | IDENTITY, \
      MODELS_GRAPH, INTO(graph_spec, threshold), \
      "Smallest similarity that makes an edge (build = threshold)") \
    X(WEIGHTS, "graph", "weights", CHOICE, 0, 0, "binary|similarity", "binary", "", AXIS | IDENTITY, \
      MODELS_GRAPH, INTO(graph_spec, weights), \
      "Weight of an edge; binary: 1; similarity: the samples' similarity (build = knn or threshold)") \
    \
    X(TEST, "split", "test", REAL, 0, 1, "", "0.2", "fraction", AXIS | IDENTITY | OPEN_MAX, \
      MODELS_DATA, INTO(split_spec, test), \
      "Fraction of labelled samples in the test part, which is never used for training or selection") \
    X(VAL, "split", "val", REAL, 0, 1, "", "0.2", "fraction", AXIS | IDENTITY | OPEN_MIN | OPEN_MAX, \
      MODELS_DATA, INTO(split_spec, val), \
      "Fraction of labelled samples in the validation part, which selects configurations if folds = 0") \
    X(SPLIT_FILE, "split", "file", PATH, 0, 0, "", "", "", 0, \
      MODELS_DATA, INTO(data_spec, split), \
      "Table of id and part (train, val, test, stop) in place of the fractions, of id and group, or of all three") \
    X(PART, "split", "part", TEXT, 0, 0, "", "", "", 0, \
      MODELS_DATA, INTO(data_spec, part), \
      "Column of parts (train, val or valid, test) in the phenotype table, the table of molecules or labels, or the split file, in place of the fractions; with folds, the samples of train and val are divided into the folds") \
    X(GROUP, "split", "group", TEXT, 0, 0, "", "", "", 0, \
      MODELS_DATA, INTO(data_spec, group), \
      "Column of groups (family, environment, scaffold) in the split file, the phenotype table, or the table of molecules or labels; the test, validation and training parts share no group, nor do folds") \
    X(STOP, "split", "stop", REAL, 0, 1, "", "0", "fraction", AXIS | IDENTITY | LATER | OPEN_MAX, \
      MODELS_NETWORK, INTO(split_spec, stop), \
      "Fraction of the training samples that chooses the best epoch of gcn and mlp, so that the validation part only scores; 0: the validation part chooses it, which makes scores optimistic; ridge and fixed have no epochs and train on these samples") \
    \
    X(TYPE, "model", "type", CHOICE, 0, 0, MODEL_TYPE_CHOICES, "gcn", "", AXIS | IDENTITY | MAIN, \
      MODELS_ALL, NOWHERE, \
      "Model type; gcn: graph convolutional network; mlp: the same network without a graph; ridge: exact ridge regression, the same as GBLUP; fixed: the fixed effects alone, a baseline; noop: no training, to measure the cost of scheduling and storing") \
    X(LAYERS, "model", "layers", INT, 1, 8, "", "2", "", AXIS | IDENTITY | MAIN, \
      MODELS_NETWORK, INTO(gcn_spec, layers), \
      "Number of graph convolutions; if samples are graphs, each has hidden_size units, and pool follows") \
    X(HIDDEN_SIZE, "model", "hidden_size", INT, 1, 65536, "", "64", "units", AXIS | IDENTITY | MAIN, \
      MODELS_NETWORK, INTO(gcn_spec, hidden_size), \
      "Width of every layer but the last; if samples are graphs, of every convolution") \
    X(ACTIVATION, "model", "activation", CHOICE, 0, 0, "relu|tanh|elu|gelu", "relu", "", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_spec, activation), \
      "Activation after every layer but the last; gelu: the exact form, by erf") \
    X(RESIDUAL, "model", "residual", CHOICE, 0, 0, "no|yes", "no", "", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_spec, residual), \
      "Skip connections, which add a hidden layer's input to its output, from the second layer to the last but one") \
    X(BATCH_NORM, "model", "batch_norm", CHOICE, 0, 0, "auto|no|yes", "auto", "", AXIS | IDENTITY, \
      MODELS_NETWORK, AFTER_AUTO(gcn_spec, batch_norm), \
      "Batch normalisation of hidden units before the activation, with a shift in place of the bias; auto: yes if samples are graphs (tu, smiles), otherwise no") \
    X(DROPOUT, "model", "dropout", REAL, 0, 1, "", "0.5", "", AXIS | IDENTITY | MAIN | OPEN_MAX, \
      MODELS_NETWORK, INTO(gcn_spec, dropout), \
      "Fraction of hidden units set to zero in training") \
    X(INPUT_DROPOUT, "model", "input_dropout", REAL, 0, 1, "", "0", "", AXIS | IDENTITY | OPEN_MAX, \
      MODELS_NETWORK, INTO(gcn_spec, input_dropout), \
      "Fraction of features set to zero in training") \
    X(REDUCE, "model", "reduce", REDUCTION, 1, 1000000000, "", "none", "", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_inputs_spec, reduce), \
      "Replacement of the features where they outnumber the samples; exact: their coordinates in a basis of their row space, the same model with fewer columns; pca:K: the K leading coordinates") \
    X(LAMBDA, "model", "lambda", REAL, 0, 1e12, "", "1", "", AXIS | IDENTITY | MAIN | OPEN_MIN, \
      MODELS_RIDGE, INTO(ridge_spec, lambda), \
      "Shrinkage (type = ridge); with standardized markers the ratio of residual to genetic variance, (1 - h2) / h2 for heritability h2 (Hoerl & Kennard 1970; VanRaden 2008; Habier et al. 2007)") \
    X(POOL, "model", "pool", CHOICE, 0, 0, "auto|mean|sum|max", "auto", "", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_spec, pool), \
      "Summary of a graph's nodes after the last convolution, before a linear layer (tu, smiles); auto: sum") \
    \
    X(EPOCHS, "train", "epochs", INT, 0, 10000000, "", "100", "", AXIS | IDENTITY | MAIN, \
      MODELS_NETWORK, INTO(gcn_spec, epochs), \
      "Number of passes over the training samples") \
    X(OPTIMIZER, "train", "optimizer", CHOICE, 0, 0, OPTIMIZER_CHOICES, "adam", "", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_spec, optimizer), \
      "Optimizer; weight decay is L2, decoupled in adamw") \
    X(LEARNING_RATE, "train", "learning_rate", REAL, 0, 1000, "", "0.01", "", AXIS | IDENTITY | MAIN | OPEN_MIN, \
      MODELS_NETWORK, INTO(gcn_spec, learning_rate), \
      "Step size of the optimizer") \
    X(SCHEDULE, "train", "schedule", CHOICE, 0, 0, "constant|cosine", "constant", "", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_spec, schedule), \
      "Learning rate in each epoch; constant: learning_rate; cosine: falls from it to almost 0 in the last epoch") \
    X(WEIGHT_DECAY, "train", "weight_decay", REAL, 0, 1000, "", "5e-4", "", AXIS | IDENTITY | MAIN, \
      MODELS_NETWORK, INTO(gcn_spec, weight_decay), \
      "Decay of weights, never of biases") \
    X(DECAY_LAYERS, "train", "decay_layers", CHOICE, 0, 0, "all|first", "all", "", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_spec, decay_scope), \
      "Layers with weight decay; first: as in Kipf & Welling 2017") \
    X(MOMENTUM, "train", "momentum", REAL, 0, 1, "", "0.9", "", AXIS | IDENTITY | OPEN_MAX, \
      MODELS_NETWORK, INTO(gcn_spec, momentum), \
      "Share of the last step in the next (optimizer = " OPTIMIZERS_MOMENTUM ")") \
    X(BATCH_SIZE, "train", "batch_size", COUNT, 1, 1000000000, "full", "full", "samples", AXIS | IDENTITY | MAIN, \
      MODELS_NETWORK, INTO(gcn_spec, batch_size), \
      "Number of training samples in a step, nodes or graphs; full: all") \
    X(WORKERS, "train", "workers", INT, 1, 1024, "", "1", "", AXIS | IDENTITY | LATER | PAIRED, \
      MODELS_EPOCHS, INTO(gcn_spec, workers), \
      "Number of virtual workers, which share the training samples; a step averages the gradients of one batch of batch_size samples from each, as in PyTorch's DistributedDataParallel; in full batch they divide one batch") \
    X(CHOOSE_EPOCH, "train", "choose_epoch", CHOICE, 0, 0, "loss|objective", "loss", "", AXIS | IDENTITY | LATER, \
      MODELS_EPOCHS, INTO(gcn_spec, choose_epoch), \
      "Criterion of the best epoch, on the stop part, or on the validation part if there is no stop part; loss: the smallest loss; objective: the best value of [sweep] objective") \
    X(PATIENCE, "train", "patience", INT, 0, 10000000, "", "0", "epochs", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_spec, patience), \
      "Number of epochs without improvement, by choose_epoch, after which training stops; 0: never") \
    X(CLASS_WEIGHTS, "train", "class_weights", CHOICE, 0, 0, "none|balanced", "none", "", AXIS | IDENTITY, \
      MODELS_NETWORK, INTO(gcn_spec, class_weights), \
      "Weights of classes in the loss; balanced: inversely proportional to the classes' numbers of training samples") \
    \
    X(COMMAND, "program", "command", TEXT, 0, 0, "", "", "", IDENTITY | LATER, \
      MODELS_PROGRAM, INTO(data_spec, command), \
      "Command line of a trial, split into words without a shell; {NAME} is the value of an axis or of a name in [program], or one of trial, key, seed, fold, folds, replicate, threads, dir, results, checkpoint, gpus, rank, ranks; {{ is a brace") \
    X(SHELL, "program", "shell", CHOICE, 0, 0, "no|yes", "no", "", IDENTITY | LATER, \
      MODELS_PROGRAM, NOWHERE, \
      "Interpreter of the command; yes: bash with pipefail, with every {NAME} quoted; no: none") \
    X(ENV, "program", "env", TEXT, 0, 0, "", "", "", IDENTITY | LATER, \
      MODELS_PROGRAM, NOWHERE, \
      "Environment variables of the program, NAME=text, separated by blanks; with {NAME} and quotes as in command") \
    X(VALUES, "program", "values", CHOICE, 0, 0, "command|environment", "command", "", 0, \
      MODELS_PROGRAM, NOWHERE, \
      "Way in which values reach the program; command: each name must stand in command or env; environment: the program reads the variables ESPALIER_PARAM_NAME, which are always set") \
    X(INPUTS, "program", "inputs", TEXT, 0, 0, "", "", "", 0, \
      MODELS_PROGRAM, INTO(data_spec, inputs), \
      "Files and patterns such as digits/*.gz, separated by commas, relative to the folder of the sweep file; their names and contents, and those of files that the command names, are part of every key, so results of other files are never mixed") \
    X(START_FOLDER, "program", "start_folder", PATH, 0, 0, "", "", "", 0, \
      MODELS_PROGRAM, NOWHERE, \
      "Folder in which the program starts and to which inputs are relative; default: the folder of the sweep file") \
    X(CAPTURE, "program", "capture", CHOICE, 0, 0, "none|stdout", "none", "", IDENTITY | LATER, \
      MODELS_PROGRAM, NOWHERE, \
      "Further source of results; stdout: name: 0.93 or name=0.93 in lines that the program prints") \
    X(CAPTURE_PATTERN, "program", "capture_pattern", TEXT, 0, 0, "", "", "", IDENTITY | LATER, \
      MODELS_PROGRAM, NOWHERE, \
      "Regular expression (PCRE2) for lines of the standard output, whose named groups are metrics or the epoch; implies capture = stdout") \
    X(KEEP_FILES, "program", "keep_files", TEXT, 0, 0, "", "", "", 0, \
      MODELS_PROGRAM, NOWHERE, \
      "Names of files and folders in {dir} that are kept, separated by commas, for the configurations that [sweep] keep chooses") \
    X(STOP_SIGNAL, "program", "stop_signal", CHOICE, 0, 0, "TERM|INT|USR1|USR2", "TERM", "", 0, \
      MODELS_PROGRAM, NOWHERE, \
      "Signal that asks the program to stop") \
    X(STOP_GRACE, "program", "stop_grace", DURATION, 0, 86400, "", "30s", "seconds", 0, \
      MODELS_PROGRAM, NOWHERE, \
      "Time between stop_signal and the end by SIGKILL, for a checkpoint") \
    \
    X(THREADS, "resources", "threads", INT, 1, 1024, "", "1", "", AXIS | SWEPT, \
      MODELS_ALL, NOWHERE, \
      "Number of cores of one trial") \
    X(TRIAL_TIMEOUT, "resources", "trial_timeout", DURATION, 0, 1e9, "", "0", "seconds", 0, \
      MODELS_ALL, NOWHERE, \
      "Longest duration of a trial; a trial that runs longer fails; 0: no limit") \
    X(CRASH_LIMIT, "resources", "crash_limit", INT, 1, 1000, "", "2", "attempts", 0, \
      MODELS_ALL, NOWHERE, \
      "Number of attempts that may crash their rank before the trial fails") \
    X(HEARTBEAT_LIMIT, "resources", "heartbeat_limit", DURATION, 1, 86400, "", "60", "seconds", 0, \
      MODELS_ALL, NOWHERE, \
      "Longest silence of a rank; a rank silent for longer is lost, and other ranks run its trials") \
    X(RANKS, "resources", "ranks", INT, 1, 100000, "", "1", "", AXIS | SWEPT | LATER, \
      MODELS_GANG, NOWHERE, \
      "Number of ranks that run one trial together (a gang): programs as with torchrun; models share their workers, with equal results for each number") \
    X(GPUS, "resources", "gpus", REAL, 0, 128, "", "0", "", 0, \
      MODELS_PROGRAM, NOWHERE, \
      "GPUs of each rank: a whole number, or a share such as 0.5 or 0.25 of one GPU") \
    X(GPUS_PER_HOST, "resources", "gpus_per_host", INT, 0, 128, "", "0", "", 0, \
      MODELS_PROGRAM, NOWHERE, \
      "Number of GPUs of each host that the ranks share; 0: as found") \
    X(MEMORY, "resources", "memory", REAL, 0, 1e6, "", "0", "GB", 0, \
      MODELS_PROGRAM, NOWHERE, \
      "Largest memory of all processes of a program on a rank; a trial that uses more fails; 0: no limit; models have no limit")

/* Values of earlier versions, if not the default: for stored sweeps without the setting, and for
 * model types that lack it.
 *
 * X(id, value) */
#define PARAM_BEFORE_TABLE(X) \
    X(BATCH_NORM, "no") \
    X(POOL, "mean") \
    X(CHOOSE_EPOCH, "objective")

/* Earlier names of settings, in sweep files and stored sweeps.
 *
 * X(id, key) */
#define PARAM_OLD_NAMES(X) \
    X(FIXED, "covariates")

/* Settings that are gone, and the value that all trials now have. Its line stays in the canonical
 * text, before that of setting `id`, which is IDENTITY and not LATER: keys do not change. COUNT: it
 * never had a line. Stored configurations may have them.
 *
 * X(id, section, key, value) */
#define PARAM_GONE_TABLE(X) \
    X(WEIGHT_DECAY, "train", "step_size", "30") \
    X(WEIGHT_DECAY, "train", "step_gamma", "0.1") \
    X(WEIGHT_DECAY, "train", "warmup_epochs", "0") \
    X(WEIGHT_DECAY, "train", "clip_norm", "0") \
    X(BATCH_SIZE, "train", "beta1", "0.9") \
    X(BATCH_SIZE, "train", "beta2", "0.999") \
    X(BATCH_SIZE, "train", "epsilon", "1e-08") \
    X(COUNT, "train", "lr_scaling", "none")

/* Settings without effect unless another setting has one of these choices.
 *
 * X(id, other, choices) */
#define PARAM_BESIDE_TABLE(X) \
    X(K, BUILD, "knn") \
    X(METRIC, BUILD, "knn|threshold") \
    X(WEIGHTS, BUILD, "knn|threshold") \
    X(THRESHOLD, BUILD, "threshold") \
    X(MOMENTUM, OPTIMIZER, OPTIMIZERS_MOMENTUM) \
    X(POINTS, PROPOSE, "points") \
    X(INITIAL, PROPOSE, "model") \
    X(ETA, ALLOCATE, "halving") \
    X(RUNGS, ALLOCATE, "halving") \
    X(SLACK, ALLOCATE, "halving") \
    X(MAX_EPOCHS, ALLOCATE, "halving") \
    X(FIRST, ALLOCATE, "race") \
    X(ALPHA, ALLOCATE, "race") \
    X(CLASS_WEIGHTS, TASK, "classification")

/* Model types that once gave other numbers for the same settings: a new revision is another key.
 *
 * X(type, revision) */
#define PARAM_REVISION_TABLE(X) \
    X("ridge", 2)
/* clang-format on */

#endif
