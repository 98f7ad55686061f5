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

done_testing
