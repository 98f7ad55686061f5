#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# share/espalier/espalier.R by itself: what an R script reads and reports, and how it stops.
. "$SRCDIR/tests/lib.sh"
command -v Rscript >/dev/null || skip_all "no R"
cd "$T" || exit 1
export ESPALIER_SHARE="$SRCDIR/share/espalier"

# Run a script as a trial: in_trial SCRIPT [NAME=VALUE...].
in_trial() {
    script=$1
    shift
    env ESPALIER_TRIAL=345 ESPALIER_SEED=2147483647 ESPALIER_FOLD=2 ESPALIER_FOLDS=5 ESPALIER_REPLICATE=1 \
        ESPALIER_THREADS=4 ESPALIER_DIR="$T/files/scratch" ESPALIER_CHECKPOINT="$T/files/checkpoint" \
        ESPALIER_RESULTS="$T/results.jsonl" "$@" Rscript "$script"
}

cat >values.R <<'R'
source(file.path(Sys.getenv("ESPALIER_SHARE"), "espalier.R"))
p <- espalier$params(rate = 0.1, norm = TRUE, name = "none", absent = 3)
for (name in sort(names(p))) cat(name, "=", class(p[[name]]), format(p[[name]]), "\n")
cat(espalier$trial(), espalier$seed(), espalier$fold(), espalier$folds(), espalier$replicate(), espalier$threads(), "\n")
R
is "values have the types of their defaults, others are numbers or texts" "$(in_trial values.R \
    ESPALIER_PARAM_rate=1 ESPALIER_PARAM_norm=no ESPALIER_PARAM_name=7 ESPALIER_PARAM_text="a 'b' \$c;" ESPALIER_PARAM_real=1e-05 ESPALIER_PARAM_zeros=007)" \
    "absent = numeric 3 
name = character 7 
norm = logical FALSE 
rate = numeric 1 
real = numeric 1e-05 
text = character a 'b' \$c; 
zeros = character 007 
345 2147483647 2 5 1 4 "
is "by hand all have their defaults" "$(Rscript values.R)" "absent = numeric 3 
name = character none 
norm = logical TRUE 
rate = numeric 0.1 
0 1 0 0 0 1 "
cat >floats.R <<'R'
source(file.path(Sys.getenv("ESPALIER_SHARE"), "espalier.R"))
p <- espalier$params(a = 0.1, b = 0.1, c = 0.1, d = "x")
cat(p$a, p$b, p$c, class(p$d), class(p$e), "\n")
R
is "nan and inf for a number, else texts" "$(in_trial floats.R ESPALIER_PARAM_a=nan ESPALIER_PARAM_b=INF ESPALIER_PARAM_c=-inf \
    ESPALIER_PARAM_d=inf ESPALIER_PARAM_e=inf)" "NaN Inf -Inf character character "
like "not a number" "$(in_trial values.R ESPALIER_PARAM_rate=adam 2>&1)" "rate = adam: must be a number, like the default 0.1"
like "not yes or no" "$(in_trial values.R ESPALIER_PARAM_norm=2 2>&1)" "norm = 2: must be yes or no, like the default TRUE"

cat >report.R <<'R'
source(file.path(Sys.getenv("ESPALIER_SHARE"), "espalier.R"))
line <- espalier$report(epoch = 1, val_rmse = 1 / 3, "a/b-c" = TRUE)
line$epoch <- 2
do.call(espalier$report, line)
espalier$report(n = 2, up = Inf, down = -Inf, not_one = NaN)
line <- espalier$report(epoch = 4, val_rmse = NA, val_loss = 1, note = NULL, text = NA_character_)
line$epoch <- 5
do.call(espalier$report, line)
espalier$report(epoch = 6, note = NA)    # no epoch without a number
espalier$report(note = NULL)
if (nzchar(Sys.getenv("RANK"))) quit()
error <- function(expression) tryCatch(expression, error = function(e) cat(conditionMessage(e), "\n"))
error(espalier$report(epoch = 6, a = 1))
error(espalier$report(epoch = 2.5, a = 1))
error(espalier$report(a = "1"))
error(espalier$report(a = 1:2))
error(espalier$report("1st" = NA))
error(espalier$report(3))
error(espalier$report(epoch = 7))
error(espalier$report("1st" = 2))
cat(basename(espalier$checkpoint_dir()), basename(espalier$scratch_dir()), "\n")
R
lines='{"epoch": 1, "val_rmse": 0.33333333333333331, "a/b-c": 1}
{"epoch": 2, "val_rmse": 0.33333333333333331, "a/b-c": 1}
{"n": 2, "up": Infinity, "down": -Infinity, "not_one": NaN}
{"epoch": 4, "val_rmse": null, "val_loss": 1, "note": null, "text": null}
{"epoch": 5, "val_rmse": null, "val_loss": 1, "note": null, "text": null}
{"note": null}
{"note": null}'
refused="epoch 6 was reported after epoch 6: epochs must increase 
epoch = 2.5: must be an integer from 0 on 
a = 1: must be one number 
a = 1 2: must be one number 
'1st' is not a name of a metric: use at most 63 letters, digits and _ . / -, first a letter or _ 
report() needs a number with a name, for example report(val_rmse = 0.3) 
report() needs a number with a name, for example report(val_rmse = 0.3) 
'1st' is not a name of a metric: use at most 63 letters, digits and _ . / -, first a letter or _ 
checkpoint scratch "
is "by hand lines go to the standard output" "$(Rscript report.R)" "$lines
$refused"
is "in a trial they do not" "$(in_trial report.R)" "$refused"
in_trial report.R RANK=1
is "but to ESPALIER_RESULTS, by rank 0" "$(cat results.jsonl)" "$lines"
ok "the folders are there" test -d files/checkpoint -a -d files/scratch

page=$SRCDIR/doc/manual/tasks/programs.md
is "the manual has all functions" "$(Rscript -e 'source(file.path(Sys.getenv("ESPALIER_SHARE"), "espalier.R"))
for (name in names(espalier)) cat(name, "\n")' | while read -r name; do
    grep -q "^| .*\`espalier[$]$name(.*\`espalier[.]$name(" "$page" || echo "$name"
done)" ""

cat >stop.R <<'R'
source(file.path(Sys.getenv("ESPALIER_SHARE"), "espalier.R"))
if (nzchar(Sys.getenv("LISTEN"))) espalier$should_stop()
tools::pskill(Sys.getpid(), tools::SIGINT)
for (i in 1:100) {
  Sys.sleep(0.01)
  if (nzchar(Sys.getenv("LISTEN")) && espalier$should_stop()) espalier$exit_for_restart()
}
R
if Rscript -e 'quit(status = getRversion() < "4.0.0")'; then
    fails "SIGINT is noted" 75 in_trial stop.R LISTEN=1
else
    pass "SIGINT is noted # SKIP R before 4.0"
fi
fails "a script that never asked ends at the signal" 1 Rscript stop.R
is "as R does" "$(cat .err)" "
Execution halted"

# ---- the reason of a failure ----

cat >fail.R <<'R'
load_the_training_table <- function(path, columns) {
  x <- log(-1)
  stop("no column '", columns, "' in the training table ", path)
}
main <- function(columns) load_the_training_table("a/rather/long/path/of/a/table.csv", columns)
switch(commandArgs(TRUE), yield = , height = , weight = main(commandArgs(TRUE)),
       file = read.csv("nosuch.csv"), matrix = solve(matrix(0, 3, 3)), none = stop("no call", call. = FALSE))
R
printf '[sweep]\nobjective = loss\n[program]\ncommand = Rscript fail.R {how}\n[grid]\nhow = yield, height, weight, file, matrix, none\n' >fail.ini
LANGUAGE=en "$ESPALIER" run fail.ini --db fail.db --progress none >out 2>&1
is "the reason is the error, without calls and warnings" "$? $(sqlite3 fail.db 'select error from trial order by trial_id')" \
    "3 exit status 1: Error in load_the_training_table(\"a/rather/long/path/of/a/table.csv\",  : no column 'yield' in the training table a/rather/long/path/of/a/table.csv
exit status 1: Error in load_the_training_table(\"a/rather/long/path/of/a/table.csv\",  : no column 'height' in the training table a/rather/long/path/of/a/table.csv
exit status 1: Error in load_the_training_table(\"a/rather/long/path/of/a/table.csv\",  : no column 'weight' in the training table a/rather/long/path/of/a/table.csv
exit status 1: Error in file(file, \"rt\") : cannot open the connection | In file(file, \"rt\") : cannot open file 'nosuch.csv': No such file or directory
exit status 1: Error in solve.default(matrix(0, 3, 3)) : Lapack routine dgesv: system is exactly singular: U[1,1] = 0
exit status 1: Error: no call"
done_testing
