#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# simulate writes a panel, and inspect shows its contents and its form in memory.
. "$SRCDIR/tests/lib.sh"
cd "$T" || exit 1

sum() {
    cksum <"$1"
}

line() {
    printf '%s\n' "$2" | sed -n "s/^$1  *//p"
}

ok "a simulated panel" "$ESPALIER" simulate panel --samples 60 --markers 300
is "its genotypes are those of version 0.1.0" "$(sum panel/genotypes.csv)" "1569754275 37926"
is "and so is its graph" "$(sum panel/edges.csv)" "4176577668 3190"

read_back=$("$ESPALIER" inspect panel/sweep.ini)
is "genotypes are small integers" "$(line features "$read_back")" "300, small integers, 18 kB"
is "all samples are joined" "$(line genotypes "$read_back")" \
    "60 samples, 300 markers read, 0 monomorphic dropped, 0 missing calls set to the marker mean"

printf '[data]\nformat = simulated\nsamples = 60\nmarkers = 300\n' >made.ini
is "generated and read data are the same" "$(line digest "$("$ESPALIER" inspect made.ini)")" \
    "$(line digest "$read_back")"

ok "a panel with populations" "$ESPALIER" simulate groups --samples 60 --markers 300 --with-populations
is "has a column that names them" "$(sed -n '1p;9,10p' groups/phenotypes.csv | cut -d, -f1,3)" "id,population
s8,p8
s9,p1"
is "and is the same otherwise" "$(cut -d, -f1,2 groups/phenotypes.csv | cksum)" "$(cksum <panel/phenotypes.csv)"
sed 's/genotypes.csv/genotypes.vcf/' panel/sweep.ini >panel/vcf.ini
is "the VCF holds the same data" "$(line digest "$("$ESPALIER" inspect panel/vcf.ini)")" \
    "$(line digest "$read_back")"
ok "samples without a trait" "$ESPALIER" simulate some --samples 60 --markers 300 --unphenotyped 7
is "are as many as asked for" "$(grep -c '^s[0-9]*,$' some/phenotypes.csv)" 7
is "and nothing else differs" "$(sum some/genotypes.csv)" "$(sum panel/genotypes.csv)"
fails "too many of them" 2 "$ESPALIER" simulate none --samples 60 --markers 300 --unphenotyped 58
like "are refused" "$(cat "$T/.err")" '--unphenotyped 58: must be at most 57'

sed '2s/,[02],/,NA,/; 3s/,[02],/,0.5,/' panel/genotypes.csv >imputed.csv
imputed=$("$ESPALIER" inspect panel/sweep.ini --set "data.genotypes=$T/imputed.csv")
is "one fraction makes all features floats" "$(line features "$imputed")" "300, floats, 72 kB"
like "missing values are counted" "$(line genotypes "$imputed")" ' 1 missing call'

# ---- tables that are not what they seem ----

table() { # NAME [OPTION...]: the last line about genotypes in a table
    name=$1
    shift
    "$ESPALIER" inspect seem.ini --set data.genotypes="$name" "$@" 2>&1 | grep '^espalier' | tail -n 1
}
awk 'BEGIN { print "id,y"; for (i = 1; i <= 40; i++) print i "," i % 7 }' >seem_y.csv
printf '[data]\nformat = genotype\nphenotypes = seem_y.csv\ntrait = y\n[model]\ntype = ridge\n' >seem.ini
# markers MOST BEYOND: dosages from 0 to MOST, and one call of BEYOND
markers() {
    awk -v most="$1" -v beyond="$2" 'BEGIN {
        state = 7
        for (j = 1; j <= 30; j++) line = line ",X" j
        print "id" line
        for (i = 1; i <= 40; i++) {
            line = i
            for (j = 1; j <= 30; j++) {
                state = state * 16807 % 2147483647
                line = line "," (i == 3 && j == 5 ? beyond : int(state / 2147483647 * (most + 1)))
            }
            print line
        }
    }'
}
markers 4 4 >tetraploid.csv
is "a ploidy that the dosages contradict" "$(table tetraploid.csv --set data.ploidy=2)" \
    "espalier: tetraploid.csv: ploidy = 2, but the largest dosage is 4: correct [data] ploidy, or the cell"
is "the right one" "$(table tetraploid.csv --set data.ploidy=4)" ""
markers 2 3 >typo.csv
like "one call of three alleles" "$(table typo.csv)" 'typo.csv: the largest dosage makes 3 alleles in a call, but only 1 call is above 2: correct it'
awk 'NR == 1 { print; next } { n = split($0, c, ","); for (i = 2; i <= n; i++) c[i] = substr("ACG", c[i] % 3 + 1, 1) "A"; $0 = c[1]
    for (i = 2; i <= n; i++) $0 = $0 "," c[i]; print }' typo.csv >letters.csv
like "letters are diploid" "$(table letters.csv --set data.ploidy=4)" 'ploidy = 4: letters are calls of two alleles'
# R names the columns of a matrix of 40 samples X1 to X40.
awk 'BEGIN { for (j = 1; j <= 40; j++) line = line ",X" j; print "id" line
    for (i = 1; i <= 40; i++) { line = i; for (j = 1; j <= 40; j++) line = line "," (i == j ? 1.1 : sin(i + j) / 3 + sin(i * j) / 4); print line } }' >grm.csv
like "a relationship matrix with the names of R" "$(table grm.csv)" 'grm.csv: a relationship matrix, not genotypes'
sed 31q grm.csv >part.csv
like "some of its rows" "$(table part.csv)" 'part.csv: a relationship matrix, not genotypes'
markers 2 2 >plain.csv
is "markers with such names are markers" "$(table plain.csv)" ""
printf '"1" "2"\n' >quoted.txt
awk 'NR > 1 { split($0, c, ","); print "\"" c[1] "\" " c[2] " 3" }' seem_y.csv >>quoted.txt
like "names of columns that are numbers" "$("$ESPALIER" inspect seem.ini --set data.genotypes=plain.csv --set data.phenotypes=quoted.txt --set data.trait=1 2>&1 | grep ^phenotypes)" '40 with a value, 40 joined'

awk -F, 'NR > 1 { print "F", $1, 0, 0, 1, $2 }' seem_y.csv >panel.fam
like "a .fam as phenotypes" "$("$ESPALIER" inspect seem.ini --set data.genotypes=plain.csv --set data.phenotypes=panel.fam 2>&1)" \
    'panel.fam:1: a .fam file has no header: leave out data.phenotypes to predict column 6'

done_testing
