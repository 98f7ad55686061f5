#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `espalier params`: the settings of a sweep file.
. "${SRCDIR:-.}/tests/lib.sh"

is "some settings, exactly" "$("$ESPALIER" params model.dropout class_weights batch_size file)" \
"[split]
file              path
                  Table of id and part (train, val, test, stop) in place of the fractions, of id and
                  group, or of all three

[model]
dropout           number in [0, 1); default 0.5; axis
                  Fraction of hidden units set to zero in training

[train]
batch_size        integer in [1, 1000000000], or full, samples; default full; axis
                  Number of training samples in a step, nodes or graphs; full: all
class_weights     none | balanced; default none; axis
                  Weights of classes in the loss; balanced: inversely proportional to the classes'
                  numbers of training samples"

"$ESPALIER" params >"$T/all"
is "every section has its place" "$(grep '^\[' "$T/all" | tr '\n' ' ')" \
    "[sweep] [search] [data] [graph] [split] [model] [train] [program] [resources] "
is "no line is wider than 100 characters" "$(awk 'length > 100' "$T/all")" ""
is "no blanks at the end of a line" "$(grep ' $' "$T/all")" ""

is "csv" "$("$ESPALIER" params k dropout --format csv)" \
'section,key,type,allowed,default,unit,axis,meaning
graph,k,integer,"integer in [1, 1000000]",10,,1,Number of neighbours of each sample (build = knn)
model,dropout,real,"number in [0, 1)",0.5,,1,Fraction of hidden units set to zero in training'
is "json" "$("$ESPALIER" params resources.threads --format json)" \
'[{"section": "resources", "key": "threads", "type": "integer", "allowed": "integer in [1, 1024]", "default": "1", "unit": "", "axis": 1, "meaning": "Number of cores of one trial"}]'

# The page and the CSV table have the same keys, and each default is allowed.
"$ESPALIER" params --format csv >"$T/all.csv"
is "as many settings on the page as in the csv" \
    "$(grep '^[a-z]' "$T/all" | sed '/^A setting/,$d' | wc -l)" \
    "$(($(wc -l <"$T/all.csv") - 1))"

fails "an unknown key" 2 "$ESPALIER" params lr
is "the message proposes a key" "$("$ESPALIER" params lr 2>&1)" \
    "espalier: 'lr' is neither a section nor a key; did you mean [train] learning_rate?"
fails "an unknown format" 2 "$ESPALIER" params --format xml
ok "help" "$ESPALIER" params --help

done_testing
