#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `scale`: a trial on threads x ranks. Times differ, so their columns are checked for sense.
. "${SRCDIR:-.}/tests/lib.sh"
cd "$T" || exit 1
mkdir below
export TMPDIR="$T/below"

# The cores of this machine decide the combinations, so the tests name them.
[ "$(nproc)" -ge 2 ] || skip_all "one core"

small_sweep >grid.ini
sed 's/^epochs = 2/epochs = 40\nbatch_size = 8\nworkers = 2\npatience = 3\nwarmup_epochs = 2/' grid.ini >wide.ini

cores=$(nproc)

"$ESPALIER" scale wide.ini --threads 1 --ranks 1,2 --epochs 3 >out 2>err
is "exit status" $? 0
is "the table" "$(sed -E 's/^( +[0-9]+ +[0-9]+ +[0-9]+) .*/\1/; s/  +/ /g; s/(threads|ranks) = [12]/\1 = N/g
    s/ \(no clear gain: threads = N, ranks = N is 1[.0-9]* times as fast, and up to 1\.05 may be chance\)//
    s/: [0-9]+ trials? at once( \(run -n [0-9]+\))?/: N at once/' out)" \
    "configuration 2 of 2 (hidden_size = 8), the most expensive
3 of 40 epochs, median of 3 trials, $cores cores

threads ranks cores seconds speedup efficiency communication at_once throughput
 1 1 1
 1 2 2

One trial is fastest with threads = N, ranks = N. A sweep of many trials finishes first with threads = N, ranks = N: N at once."
is "only ranks of one trial communicate" \
    "$(awk '$1 == 1 { print $2, ($7 > 0), ($7 < 1) }' out)" "1 0 1
2 1 1"
is "measured numbers have three digits" "$(awk '$1 == 1 { for (i = 4; i <= 9; i++) print $i }' out |
    awk '{ n++; sub(/e.*/, ""); gsub(/[.]/, ""); sub(/^0+/, ""); bad += length() > 3 } END { print n, bad }')" "12 0"
is "a line for each combination" \
    "$(sed -nE 's/^espalier: (threads = 1, ranks = [12]): [0-9.e-]+ s a trial$/\1/p' err)" \
    "threads = 1, ranks = 1
threads = 1, ranks = 2"

"$ESPALIER" scale wide.ini --threads "$cores" --ranks 1,2 --epochs 2 --repeats 1 -q --format csv >out.csv 2>err
is "1 x 1 is measured, too many cores are not, and figures follow from the seconds" \
    "$(awk -F, -v cores="$cores" 'NR == 1 { print; next }
    NR == 2 { first = $4 }
    { near = ($5 - first / $4) ^ 2 < 1e-9 && ($6 - $5 / $3) ^ 2 < 1e-9 && $7 == 0 && $8 == int(cores / $3) && ($9 - $8 * $5) ^ 2 < 1e-9
      print $1, $2, $3, ($4 > 0), near }' out.csv)" \
    "threads,ranks,cores,seconds,speedup,efficiency,communication,at_once,throughput
1 1 1 1 1
$cores 1 $cores 1 1"
is "-q prints warnings only" "$(grep -v '^espalier: warning: ' err)" ""
"$ESPALIER" scale wide.ini --threads 1,1024 --ranks 1 --epochs 2 --repeats 1 >out 2>err
is "too many cores are left out of a list, too" "$? $(grep 'left out' err)" \
    "0 espalier: left out 1 of 2 combinations: threads x ranks is more than the $cores cores here"

"$ESPALIER" scale grid.ini --threads 1 --where "hidden_size = 4" --repeats 1 --format json >out.json 2>err
is "json, a chosen configuration, workers = 1" "$(python3 - out.json "$(nproc)" <<'PY'
import json, sys
answer = json.load(open(sys.argv[1]))
row = answer["combinations"][0]
print(list(answer), len(answer["combinations"]), row["threads"], row["ranks"], row["speedup"])
print(answer["recommendation"])
configuration = answer["configuration"]
print(configuration.pop("cores") == int(sys.argv[2]), configuration)
PY
)" "['combinations', 'recommendation', 'configuration'] 1 1 1 1
[{'purpose': 'one trial', 'threads': 1, 'ranks': 1}, {'purpose': 'many trials', 'threads': 1, 'ranks': 1}]
True {'configuration': 1, 'configurations': 1, 'axes': 'hidden_size = 4', 'workers': 1, 'epochs': 2, 'all_epochs': 2, 'trials': 1}"
"$ESPALIER" scale grid.ini --threads 1 --epochs 1 --repeats 1 --set type=ridge --section recommendation >out 2>/dev/null
is "one section, and a model without epochs" "$(sed 's/  */ /g' out)" "purpose threads ranks
one trial 1 1
many trials 1 1"
is "workers = 1: why there are no ranks" "$("$ESPALIER" scale grid.ini --threads 1 --epochs 1 --repeats 1 -q | tail -n 1)" \
    "A trial with workers = 1 runs on one rank. More ranks need [train] workers = 2 or more, which changes its numbers."
is "ridge: why there are no ranks" "$("$ESPALIER" scale grid.ini --threads 1 --repeats 1 -q --set type=ridge | tail -n 1)" \
    "A trial of type = ridge has no gradient steps that ranks could share, so it runs on one rank. To use more cores, run several trials at once."
is "nothing is left behind" "$(ls -A below) $(ls)" " below
err
grid.ini
out
out.csv
out.json
wide.ini"

# Stopped: the runs end with it.
"$ESPALIER" scale wide.ini --threads 1 --ranks 2 --epochs 1000000 2>err &
pid=$!
i=0
while [ -z "$(find below -name '*.db')" ] && [ $i -lt 100 ]; do
    sleep 0.1
    i=$((i + 1))
done
sleep 0.3
is "a run trains all epochs, and keeps nothing" \
    "$(find below -name scale.ini -exec sed -nE '/^(keep|patience|warmup_epochs|where) /p' {} +)" "keep = none"
kill -INT $pid
wait $pid
is "stopped" "$? $(tail -n 1 err)" "75 espalier: stopped; nothing was kept"
is "nothing is left behind then" "$(ls -A below)" ""

refused() {
    name=$1
    message=$2
    shift 2
    fails "$name" 2 "$ESPALIER" scale "$@"
    is "$name: the message" "$(tail -n 1 "$T/.err")" "espalier: $message"
}
refused "no such file" "none.ini: No such file or directory" none.ini
refused "too many threads" "--threads 100000: must be at most 1024, like [resources] threads" grid.ini --threads 100000
refused "no combination fits" "--threads: threads x ranks must be at most $(nproc), the number of cores here, in at least one combination" \
    grid.ini --threads 1024
refused "no number" "--threads 1,x: must be a number, or several such as 1,2,4" grid.ini --threads 1,x
refused "no thread" "--threads 0: must be at least 1" grid.ini --threads 0
refused "something behind a number" "--threads 1;2: must be a number, or several such as 1,2,4" grid.ini --threads '1;2'
refused "more ranks than cores" "--ranks: threads x ranks must be at most $(nproc), the number of cores here, in at least one combination" \
    grid.ini --set workers=1024 --set samples=2000 --ranks 1024
refused "both conditions count" "grid.ini: 'where' leaves none of the grid's 2 points" grid.ini --where "hidden_size = 4" --set "where=hidden_size = 8"
refused "too many ranks" "--ranks 2: must be at most 1, [train] workers of this configuration: the ranks of a trial share its workers" \
    grid.ini --ranks 2
refused "ranks of ridge" "--ranks 2: must be at most 1, because the ranks of a trial share its gradient steps, and this type of model has none" \
    grid.ini --ranks 2 --set type=ridge
refused "no such axis" "where = colour = 1: no such column: colour; the axes are: hidden_size" \
    grid.ini --where "colour = 1"
program_sweep
refused "a program" "program.ini: scale measures the models of espalier, not programs: make threads an axis, run the sweep with --set grid.threads=1,2,4, and compare the seconds in 'espalier best'" \
    program.ini
OMPI_COMM_WORLD_SIZE=1 refused "under mpirun" "scale starts the ranks that it measures itself: call it without mpirun or srun" grid.ini
fails "a diverging trial" 1 "$ESPALIER" scale grid.ini --threads 1 --set learning_rate=1000 --set optimizer=sgd --epochs 50
like "a diverging trial: the message" "$(tail -n 1 "$T/.err")" "a trial of the configuration diverged, so its time says nothing: choose another"
TMPDIR=$T/none fails "no folder for temporary files" 1 "$ESPALIER" scale grid.ini
like "no folder: the message" "$(tail -n 1 "$T/.err")" "set TMPDIR to a folder that you can write to"
done_testing
