#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# init turns files of every kind into a sweep file that plan and run accept. It overwrites nothing.
. "${SRCDIR:-.}/tests/lib.sh"

cd "$T" || exit 1
"$ESPALIER" simulate sim --samples 60 --markers 40 --causal 5 >/dev/null || exit 1
init() { "$ESPALIER" init --budget 1s "$@"; }

# Print the value of a key in a sweep file.
value() { sed -n "s/^$2 *= *\(.*[^ ]\)  *;.*/\1/p; s/^$2 *= *\([^;]*\)\$/\1/p" "$1"; }

# Write NAME.ini for files, and plan it.
works() {
    stem=$1
    shift
    ok "$stem" init "$@" -o "$stem.ini"
    out=$(cat .out)
    ok "$stem: plan accepts it" "$ESPALIER" plan "$stem.ini"
}

# ---- genotypes ----

works panel sim/genotypes.csv sim/phenotypes.csv
like "reports what it joined" "$out" '^phenotypes +60 with a value, 60 joined by id, 0 without genotype dropped$'
like "names the trait" "$out" '^trait +trait .column to predict.$'
like "prints the next step" "$out" '^next +espalier inspect panel.ini$'
is "regression" "$(value panel.ini task)" regression
is "baselines are proposed" "$(value panel.ini type)" "gcn, mlp, ridge"
like "small panels repeat more" "$(init sim/genotypes.csv sim/phenotypes.csv --budget 10h -o - 2>/dev/null)" '^replicates +=  *10 '
is "every line has a comment or needs none" \
    "$(grep '=' panel.ini | grep -v ' ;' | grep -v '^;' | sed 's/ *=.*//' | tr '\n' ' ')" "format "
ok "run accepts it" "$ESPALIER" run panel.ini --progress none --db panel.db
like "and best chooses" "$("$ESPALIER" best panel.db --rule best 2>&1)" '^chosen: c'

# The same panel as HapMap and PLINK, where samples are columns, and as VCF.
awk -F, '{ for (j = 1; j <= NF; j++) cell[NR, j] = $j }
    END {
        m = split("A C G T", base, " ")
        printf "rs#\talleles\tchrom\tpos\tstrand\tassembly#\tcenter\tprotLSID\tassayLSID\tpanelLSID\tQCcode" >"p.hmp.txt"
        for (i = 2; i <= NR; i++) {
            printf "\t%s", cell[i, 1] >"p.hmp.txt"
            printf "%s %s 0 0 0 %g\n", cell[i, 1], cell[i, 1], i * 1.5 >"p.fam"
        }
        for (j = 2; j <= NF; j++) {
            printf "\nm%d\tA/C\t1\t%d\t+\tNA\tNA\tNA\tNA\tNA\tNA", j, j >"p.hmp.txt"
            printf "1 m%d 0 %d C A\n", j, j >"p.bim"
            for (i = 2; i <= NR; i++) {
                d = cell[i, j]
                printf "\t%s", d == 2 ? "CC" : d == 1 ? "AC" : "AA" >"p.hmp.txt"
            }
        }
        printf "\n" >"p.hmp.txt"
        # 60 samples of 2 bits: 15 bytes a marker, as octal escapes for printf(1)
        printf "\\154\\033\\001" >"bed.txt"
        for (j = 2; j <= NF; j++)
            for (i = 2; i <= NR; i += 4) {
                b = 0
                for (k = 3; k >= 0; k--) {
                    d = cell[i + k, j]
                    b = b * 4 + (d == 2 ? 0 : d == 1 ? 2 : 3)
                }
                printf "\\%03o", b >"bed.txt"
            }
    }' sim/genotypes.csv
# shellcheck disable=SC2059 # octal escapes
printf "$(cat bed.txt)" >p.bed
cp sim/genotypes.vcf p.vcf
gzip -kf p.vcf
for file in p.vcf p.vcf.gz p.hmp.txt p.bed p.bim; do
    works "of_$file" "$file" sim/phenotypes.csv
done
like "the message names VCF" "$(init p.vcf sim/phenotypes.csv -o - 2>&1 >/dev/null)" '^genotypes +p.vcf: VCF$'
works prefix p sim/phenotypes.csv
# Tetraploids, and dosages of imputation.
awk -F'\t' -v OFS='\t' '/^#CHROM/ { print "##FORMAT=<ID=DS,Number=A,Type=Float,Description=\"D\">" }
    !/^#/ { $9 = "GT:DS"; for (i = 10; i <= NF; i++) { n = gsub(1, 1, $i); $i = $i "/" $i ":" 2 * n } } { print }' p.vcf >four_ds.vcf
sed '/ID=DS/d; s/GT:DS/GT/; s/:[024]//g' four_ds.vcf >four.vcf
sed '/ID=DS/d; s/GT:DS/DS/; s,[01][/|][01|/]*:,,g' four_ds.vcf >ds_only.vcf
for file in four four_ds ds_only; do
    works "$file" "$file.vcf" sim/phenotypes.csv
    is "$file: kinship is for any ploidy" "$(value $file.ini metric)" kinship
    ok "$file: run accepts it" "$ESPALIER" run $file.ini --progress none --db $file.db \
        --set epochs=2 --set replicates=1 --set grid.k=3 --set grid.lambda=1 --set grid.dropout=0.2
done
is "called alleles" "$(value four.ini dosage)" ""
is "dosages are proposed" "$(value four_ds.ini dosage)" DS
is "and without a line of the header" "$(value ds_only.ini dosage)" DS
works three p.bed p.bim p.fam sim/phenotypes.csv
works fam p.bed
is "the phenotypes of the .fam" "$(value fam.ini phenotypes)" ""
head -21 sim/phenotypes.csv >few.csv
works few p.vcf few.csv
is "few of the samples have a value" "$(value few.ini subset)" phenotyped
like "a comment names the choice" "$(cat few.ini)" '^subset .*; only samples with a value; all: the others join the graph too$'
like "the models and why" "$(cat few.ini)" '^type .*; baselines: mlp is the same network without a graph, ridge is GBLUP$'
like "the stop part and why" "$(cat few.ini)" '^stop .*; share of the training samples that chooses the epoch; fair beside ridge$'

# ---- columns of the phenotypes ----

awk -F, -v OFS=, 'NR == 1 { print "row", "line", "yield", "country", "plot" }
    NR > 1 { print NR, $1, $2, "c" NR % 12, "p" NR % 7 }' sim/phenotypes.csv >field.csv
works field sim/genotypes.csv field.csv
is "ids in another column" "$(value field.ini id)" line
is "the only trait" "$(value field.ini trait)" yield
is "a country is no group by itself" "$(value field.ini group)" ""
like "but a comment" "$(cat field.ini)" '^; group +=  *country  *; switch on to leave whole groups out, which is harder$'
like "factors of the design are a comment" "$(cat field.ini)" '^; fixed +=  *plot +; factors'
awk -F, -v OFS=, 'NR == 1 { print "id", "\"days, to \"\"flower\"\"\"", "b", "country" }
    NR > 1 { print $1, $2, NR * 1.5, "c" NR % 4 }' sim/phenotypes.csv >two.csv
refuses "several traits" 2 '^espalier: two.csv: several traits: name one with --trait: "days, to "flower"": 60 numbers; "b": 60 numbers; "country": 60 words$' \
    init sim/genotypes.csv two.csv -o two.ini
ok "and no file is written" test ! -e two.ini
works two sim/genotypes.csv two.csv --trait 'days, to "flower"'
is "a name with a comma and quotes" "$(value two.ini trait)" 'days, to "flower"'
is "few groups are a comment" "$(value two.ini group)" ""
like "to switch on" "$(cat two.ini)" '^; group +=  *country '
works words sim/genotypes.csv two.csv --trait country
is "words are classes" "$(value words.ini task)" classification
refuses "an unknown trait" 2 'no trait "nope": --trait must be one of "days' init sim/genotypes.csv two.csv --trait nope
awk -F, -v OFS=, 'NR > 1 && NR % 9 == 0 { $3 = -9 } 1' sim/genotypes.csv >coded.csv
works coded coded.csv sim/phenotypes.csv
is "a code for missing calls" "$(value coded.ini missing_genotype)" -9
awk -F, -v OFS=, 'NR > 1 { for (j = 2; j <= NF; j++) $j -= 1 } 1' sim/genotypes.csv >signed.csv
works signed signed.csv sim/phenotypes.csv
is "features that are not counts" "$(value signed.ini metric)" correlation
tr , ';' <sim/phenotypes.csv | tr . , >comma.csv
works decimal sim/genotypes.csv comma.csv

awk -F, -v OFS=, 'NR == 1 { print "line", "yield", "kg", "family", "year", "tray", "height" }
    NR > 1 { print $1, $2, 1 - 2.2 * $2, "c" NR % 12, 2010 + NR % 4, NR % 3 - 1, NR * 1.5 }' sim/phenotypes.csv >wide.csv
works wide sim/genotypes.csv wide.csv --trait yield
is "another column is the group" "$(value wide.ini group)" family
like "the report says what this means" "$out" '^group +family .whole groups are left out, which is harder; delete it for random folds.$'
like "other traits are no fixed effects, levels are factors" "$(cat wide.ini)" \
    '^; fixed +=  *factor.year., factor.tray. +; '
sed 's/^; fixed/fixed/' wide.ini >factors.ini
ok "and can be switched on" "$ESPALIER" plan factors.ini
is "amounts are no classes" "$(value wide.ini task)" regression

# Mice: sexes, cages and litters, and a date. A split file with more columns, and parts in the table.
"$ESPALIER" simulate barn --samples 120 --markers 30 --causal 5 >/dev/null
awk -F, -v OFS=, 'NR == 1 { print $1, "sex", "cage", "litter", $2, "date", "season", "set" }
    NR > 1 { print $1, NR % 2 ? "F" : "M", "c" int(NR / 3), "l" int(NR / 4), $2, "2004-05-" 1 + NR % 28,
                 NR % 3 ? "dry" : "wet", NR % 5 == 0 ? "Test" : NR % 5 == 1 ? "Valid" : "Train" }' \
    barn/phenotypes.csv >all.csv
cut -d, -f1-7 all.csv >mice.csv
works mice barn/genotypes.csv mice.csv
is "neither sex nor season is the trait" "$(value mice.ini trait)" trait
is "a litter is a group" "$(value mice.ini group)" litter
like "sex and season may be modelled" "$(cat mice.ini)" '^; fixed +=  *sex, season +; factors'
works parts barn/genotypes.csv all.csv
is "a column of parts" "$(value parts.ini part) $(value parts.ini phenotypes)" "set all.csv"
is "they are one fold" "$(value parts.ini folds)$(value parts.ini test)$(value parts.ini val)" 0
ok "run accepts the parts" "$ESPALIER" run parts.ini --set epochs=2 --progress none --db parts.db
is "without a warning of the proposal" "$(grep -c 'parts have\|replicates are\|favours' .err)" 0
ok "predict reads the stored parts" "$ESPALIER" predict parts.db --all
cut -d, -f1,4,8 all.csv >division.csv
works divided barn/genotypes.csv mice.csv division.csv
is "a table beside the phenotypes" "$(value divided.ini file) $(value divided.ini part)" "division.csv set"

# ---- warnings match the file that was written ----

# The last warnings about NAME.ini that init printed, and those of inspect.
warnings() { grep -a '^espalier: warning: ' "$1" | sort; }
"$ESPALIER" simulate mid --samples 200 --markers 40 --causal 5 >/dev/null
for budget in 1s 1m; do
    ok "200 samples, $budget" "$ESPALIER" init mid/genotypes.csv mid/phenotypes.csv --budget $budget -o mid.ini
    is "$budget: no warning about parts" "$(grep -c 'parts have fewer' .err)" 0
    rm mid.ini
done
awk -F, -v OFS=, '{ print $0, NR == 1 ? "family" : "c" int(sqrt(NR)) }' mid/phenotypes.csv | head -100 >uneven.csv
ok "uneven groups" init mid/genotypes.csv uneven.csv -o uneven.ini
cp .err of_init
is "groups are a setting" "$(value uneven.ini group)" family
"$ESPALIER" inspect uneven.ini >/dev/null 2>of_inspect
like "no warning of parts that no setting makes larger" "$(grep -c 'parts have fewer' of_init)" '^0$'
is "the warning equals that of inspect" "$(warnings of_init)" "$(warnings of_inspect)"
awk -F, -v OFS=, 'NR % 2 == 0 { line = $0 } NR > 1 && NR % 2 { $0 = line; $1 = "t" NR } 1' mid/genotypes.csv >twins.csv
awk -F, -v OFS=, 'NR > 1 && NR % 2 { $1 = "t" NR } 1' mid/phenotypes.csv >pairs.csv
ok "samples with the same markers" init twins.csv pairs.csv --budget 1s -o twins.ini
like "init names the command that lists them" "$(cat .err)" "makes the scores too optimistic: 'espalier inspect [^ ]* --duplicates dup.csv' lists them; \[split\] group keeps samples together$"
"$ESPALIER" inspect twins.ini >/dev/null 2>.err
like "inspect lists some of them" "$(cat .err)" "'espalier inspect [^ ]* --duplicates dup.csv' lists them"
like "a single replicate is counted as one" "$("$ESPALIER" plan twins.ini --set allocate=all --set replicates=1 --set folds=0 --set val=0.2 2>&1)" \
    'configurations x 1 replicate x 1 fold = '
head -13 mid/phenotypes.csv >dozen.csv
ok "a dozen samples" init mid/genotypes.csv dozen.csv -o dozen.ini
is "give no warning about correlations" "$(grep -c 'means nothing\|at random' .err)" 0
is "the objective is an error" "$(value dozen.ini objective)" val_rmse
awk -F, -v OFS=, 'NR == 1 { print "node", "label" } NR > 1 { print $1, NR % 3 }' mid/phenotypes.csv >kinds.csv
awk -F, -v OFS=, 'NR == 1 { print "node", "feature", "value" }
    NR > 1 { for (j = 2; j <= NF; j++) if ($j > 0) print $1, j, (j == 3 ? 5000 : 1) * $j }' mid/genotypes.csv >amounts.csv
ok "features of different spread" init amounts.csv kinds.csv mid/edges.csv -o amounts.ini
is "are scaled" "$(value amounts.ini scale)" row
is "and give no warning" "$(grep -c 'scale = none' .err)" 0

# ---- cells that are not numbers ----

# Replace the trait by WITH in some rows.
spoil() { awk -F, -v OFS=, -v with="$1" 'NR % 12 == 3 { $2 = with } 1' sim/phenotypes.csv; }
for cell in - n.d. '*' '#N/A' '"1,116.3"' '83.25 d'; do
    spoil "$cell" >spoilt.csv
    for trait in "" "--trait=trait"; do
        # shellcheck disable=SC2086 # no option
        refuses "a trait with $cell $trait" 1 '^espalier: spoilt.csv:3: column "trait" = .*: a word among numbers: .* name it in data.missing' \
            init sim/genotypes.csv spoilt.csv $trait -o no.ini
    done
done
spoil '>5.50' >spoilt.csv
refuses "a trait with bounds" 1 '^espalier: spoilt.csv:3: column "trait" = ">5.50": 5 of 60 values are bounds or estimates: ' \
    init sim/genotypes.csv spoilt.csv -o no.ini
spoil - | awk -F, -v OFS=, '{ print $0, NR == 1 ? "height" : NR * 1.5 }' >two.csv
refuses "a trait beside another with such cells" 2 '"trait": 55 numbers and 5 words; "height": 60 numbers$' init sim/genotypes.csv two.csv -o no.ini
awk -F, -v OFS=, 'NR > 1 { $2 = $2 "%" } 1' sim/phenotypes.csv >percent.csv
awk -F, -v OFS=, 'NR > 1 { $2 = 5 } 1' sim/phenotypes.csv >constant.csv
refuses "a trait without differences" 1 '^espalier: constant.csv: column "trait": every value is "5", there is nothing to predict$' \
    init sim/genotypes.csv constant.csv -o no.ini
refuses "nothing but words cannot be a trait" 1 'percent.csv:2: column "trait" = ".*%": 60 of 60 values are a number followed by "%": remove the unit, or set task = classification' \
    init sim/genotypes.csv percent.csv -o no.ini
awk -F, -v OFS=, 'NR == 7 { $5 = "-" } 1' sim/genotypes.csv >dash.csv
awk -F, -v OFS=, 'NR > 1 { for (j = 2; j <= NF; j++) $j = $j == 0 ? "AA" : $j == 1 ? "AC" : "CC" } 1' \
    sim/genotypes.csv >letters.csv
awk -F, '{ for (j = 1; j <= NF; j++) line[j] = line[j] (NR > 1 ? "," : "") $j }
    END { for (j = 1; j <= NF; j++) print line[j] }' sim/genotypes.csv >transposed.csv
fails "a genotype that is not a dosage" 1 init dash.csv sim/phenotypes.csv -o no.ini
is "the message gives its place" "$(cat .err)" \
    'espalier: dash.csv:7: column "1_4" = "-": must be a number, or empty or NA where missing: set [data] missing_genotype = - if it is a missing call'
ok "genotypes of letters" init letters.csv sim/phenotypes.csv -o letters.ini
refuses "a transposed table" 1 'are columns of transposed.csv .*: that table is transposed; it must have a row for each sample' \
    init transposed.csv sim/phenotypes.csv -o no.ini
ok "and no file is written" test ! -e no.ini

# ---- graphs and molecules ----

works nodes sim/edges.csv sim/phenotypes.csv sim/genotypes.csv
is "a graph of nodes" "$(value nodes.ini format) $(value nodes.ini build)" "graph file"
awk -F, -v OFS=, 'NR == 1 { print "node", "label" } NR > 1 { print $1, NR % 3 }' sim/phenotypes.csv >labels.csv
awk -F, -v OFS=, 'NR == 1 { print "node", "feature" }
    NR > 1 { for (j = 2; j <= NF; j++) if ($j > 0) print $1, j }' sim/genotypes.csv >features.csv
awk -F, -v OFS=, 'NR == 1 { print "node", "part" }
    NR > 1 { print $1, NR % 3 == 0 ? "test" : NR % 3 == 1 ? "val" : "train" }' sim/phenotypes.csv >split.csv
works sparse features.csv labels.csv sim/edges.csv split.csv
is "classes of nodes" "$(value sparse.ini task)" classification
like "a comment says that whole numbers may be amounts" "$(cat sparse.ini)" '^task .*; the trait has few different values; or: regression$'
is "parts of a file" "$(value sparse.ini file)" split.csv
is "no other parts are proposed" "$(value sparse.ini test)$(value sparse.ini stop)" ""

mkdir tu
for g in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    printf '%d\n%d\n' "$g" "$g" >>tu/S_graph_indicator.txt
    printf '%d\n' $((g % 2)) >>tu/S_graph_labels.txt
    printf '%d, %d\n%d, %d\n' $((2 * g - 1)) $((2 * g)) $((2 * g)) $((2 * g - 1)) >>tu/S_A.txt
    printf '%d\n%d\n' $((g % 2)) $((g % 3)) >>tu/S_node_labels.txt
done
works folder tu
is "graphs" "$(value folder.ini format) $(value folder.ini batch_norm)" "tu yes"
ok "graphs train" "$ESPALIER" run folder.ini --progress none --db folder.db
fails "a trait that the folder lacks" 1 init tu --trait 7 -o no.ini

{
    echo "name,smiles,active"
    for i in 1 2 3 4 5 6 7 8; do
        printf 'a%d,CCO,0\nb%d,CC(=O)O,1\nc%d,c1ccccc1O,0\nd%d,CCN,1\n' $i $i $i $i
    done
} >drugs.csv
if init drugs.csv -o drugs.ini >.out 2>.err; then
    is "molecules" "$(value drugs.ini format) $(value drugs.ini trait) $(value drugs.ini id)" "smiles active name"
    like "graphs are summed up first" "$(value drugs.ini pool)" "^sum"
    like "and then averaged" "$(init drugs.csv --budget 10h -o - 2>/dev/null)" '^pool +=  *sum, mean '
    sed 's/^name,smiles,active/smiles_id,smiles,active/' drugs.csv >named.csv
    works named named.csv
    is "a name that is exact" "$(value named.ini smiles) $(value named.ini id)" "smiles smiles_id"
    (echo "SMILES name y" && tail -n +2 drugs.csv | awk -F, '{ print $2, $1, NR * 1.5 }') >titled.smi
    works titled titled.smi
    is "a header in another case" "$(value titled.ini smiles)" SMILES
    ok "plan takes them" "$ESPALIER" plan drugs.ini
    echo "e,C(,1" >>drugs.csv
    init drugs.csv -o bad.ini >.out 2>.err
    is "the default is not written" "$(value bad.ini skip_invalid)" ""
    like "a molecule that cannot be parsed is counted" "$(cat .err)" 'drugs.csv: 1 of 33 rows cannot be parsed as molecules'
else
    like "without Indigo molecules are refused" "$(cat .err)" 'built without Indigo'
fi
printf 'CCO a\nCCN b\n' >bare.smi
refuses "molecules without a trait" 1 'bare.smi: holds molecules and no trait' init bare.smi
printf 'x\n\n\n  1  0 V2000\nM  END\n$$$$\n' >x.sdf
refuses "structures" 1 'x.sdf: holds structures: make a table .* obabel FILE.sdf -O FILE.smi writes the SMILES$' init x.sdf
printf 'x\r\n\r\n\r\n  1  0 V2000\r\nM  END\r\n$$$$\r\n' >pasted.csv
refuses "structures in a file with another ending" 1 'pasted.csv: holds structures: make a table' init pasted.csv
printf 'smiles\nCCO\nCCN\nCCC\n' >only.csv
awk 'BEGIN { srand(1); print "smiles,canonical,mp,pic,no"; s = "=O"
    for (i = 1; i <= 40; i++) { s = "C" s; print s "," s "," 7 * i "," rand() "," i } }' >points.csv
if "$ESPALIER" doctor 2>/dev/null | grep -q 'Indigo'; then
    ok "a trait of different whole numbers" init points.csv --trait mp -o points.ini
    is "is not the id" "$(value points.ini trait) $(value points.ini id)" "mp no"
    cut -d, -f1-3 points.csv >melting.csv
    ok "a second column of SMILES and whole numbers alone" init melting.csv -o melting.ini
    awk -F, -v OFS=, 'NR == 4 { $3 = "inf" } NR == 6 { $3 = "n.d." } 1' melting.csv >spoilt.csv
    refuses "an infinite cell" 1 '^espalier: spoilt.csv:4: column "mp" = "inf": a number beyond the range of floats' init spoilt.csv -o no.ini
    sed 's/^molecules .*/molecules = spoilt.csv/' melting.ini >coded.ini
    like "missing lists codes of molecules" "$("$ESPALIER" inspect coded.ini --set 'missing=inf, n.d.' 2>&1)" '^target +38 values'
    is "the numbers are the trait, and rows are numbered" "$(value melting.ini trait)$(value melting.ini id)" mp
    awk -F, 'NR == 1 { print "Smiles;Standard Type;Standard Relation;Standard Value;Standard Units;pChEMBL Value" }
        NR > 1 { bound = NR % 9 == 3
            printf "%s;IC50;\"\047%s\047\";%s;nM;%s\n", $1, bound ? ">" : "=", NR * 1.5, bound ? "" : NR / 7 }' points.csv >chembl.csv
    ok "a table of ChEMBL" init chembl.csv --trait 'Standard Value' -o chembl.ini
    like "a comment names what the values depend on" "$(cat chembl.ini)" \
        '^trait += Standard Value *; column to predict; some may be bounds .Standard Relation.$'
    ok "with values that are no bounds" init chembl.csv --trait 'pChEMBL Value' -o pchembl.ini
    is "gives none" "$(grep -c 'may be bounds' pchembl.ini)" 0
    awk -F, -v OFS=, '{ print $1, NR == 1 ? "ic50" : exp(NR / 4) }' points.csv >ic50.csv
    ok "a trait from 2 to 28,000" init ic50.csv -o ic50.ini
    like "a comment advises the logarithm" "$(cat ic50.ini)" '^task .*; the largest values decide the fit: better predict their logarithm$'
    is "not for other traits" "$(grep -c logarithm chembl.ini)" 0
fi
head -6 sim/phenotypes.csv >six.csv
refuses "five samples" 1 "^espalier: sim/genotypes.csv: 5 samples with a value, too few: a sweep needs at least 7$" \
    init sim/genotypes.csv six.csv -o no.ini
refuses "a table of molecules alone" 2 "^espalier: only.csv: no column can be predicted: a trait must have different numbers, or 2 to 20 different words$" \
    init only.csv

# ---- the output ----

refuses "an output that exists" 1 "^espalier: panel.ini: exists already: will not be overwritten$" \
    init sim/genotypes.csv sim/phenotypes.csv -o panel.ini
ln -s nowhere dangling.ini
fails "a link to nowhere" 1 init sim/genotypes.csv sim/phenotypes.csv -o dangling.ini
ok "the link is not followed" test ! -e nowhere
ok "the default is grid.ini" init sim/genotypes.csv sim/phenotypes.csv
ok "the default file exists" test -s grid.ini
fails "and is not overwritten" 1 init sim/genotypes.csv sim/phenotypes.csv
init sim/genotypes.csv sim/phenotypes.csv -o - >stdout.ini 2>said
ok "on stdout it is a sweep file" "$ESPALIER" plan stdout.ini
like "and the rest is on stderr" "$(cat said)" '^next +espalier inspect grid.ini$'
mkdir -p deep/er
ok "in another folder" init sim/genotypes.csv sim/phenotypes.csv -o deep/er/x.ini
is "paths are relative to that folder" "$(value deep/er/x.ini genotypes)" "../../sim/genotypes.csv"
ok "and lead to the data" "$ESPALIER" plan deep/er/x.ini
refuses "a missing folder" 1 'nowhere/x.ini: cannot make a file in its folder: No such file' \
    init sim/genotypes.csv sim/phenotypes.csv -o nowhere/x.ini
fails "an invalid budget" 2 init sim/genotypes.csv sim/phenotypes.csv --budget soon -o no.ini
fails "a budget without a unit" 2 init sim/genotypes.csv sim/phenotypes.csv --budget 10 -o no.ini

# ---- a table where a sweep file is wanted ----

printf '\357\273\277id;trait\ns1;2\n' >marked.csv
printf '#a\nid\ttrait\ns1\t2\n' >tabs.tsv
for file in sim/phenotypes.csv marked.csv tabs.tsv; do
    for command in inspect plan run; do
        fails "$command $file" 2 "$ESPALIER" $command $file
        is "$command $file: one message" "$(cat .err)" \
            "espalier: $file: is a table, not a sweep file: 'espalier init' writes a sweep file from data tables"
    done
done

# ---- unreadable files ----

: >empty
mkdir folder
mkfifo pipe
head -c 300 "$ESPALIER" >binary
sed 's/^/x/' sim/phenotypes.csv >strangers.csv
sed 1d sim/phenotypes.csv >headless.csv
cp sim/genotypes.csv again.csv
no() {
    what=$1
    message=$2
    shift 2
    refuses "$what" 1 "$message" init "$@" -o no.ini
}
no "a file of a TUDataset" '^espalier: tu/S_A.txt: is one of the files of a TUDataset: name their folder instead$' tu/S_A.txt
no "no such file" '^espalier: missing.csv: cannot open: No such file or directory$' missing.csv
no "an empty file" '^espalier: empty: is empty or cannot be unpacked: must be genotypes' empty
no "a folder" '^espalier: folder: is a folder without a file ending in _graph_indicator.txt' folder
# The first bytes of a workbook, of R data (plain and gzip), and of an archive.
{
    printf 'PK\3\4%026d[Content_Types].xml' 0 >p.xlsx
    printf '\320\317\021\340\241\261\032\341' >p.xls
    printf 'PK\3\4%026dmimetypeapplication/vnd.oasis.opendocument' 0 >p.ods
    printf 'PK\3\4%026dp.csv' 0 >p.zip
    printf 'X\n\0\0\0' | gzip >p.rds
    printf 'RDX3\nX\n' >p.RData
}
no "a workbook" '^espalier: p.xlsx: is an Excel workbook: save the sheet as CSV$' sim/genotypes.csv p.xlsx
no "an old workbook" '^espalier: p.xls: is an Excel 97 workbook: save the sheet as CSV$' sim/genotypes.csv p.xls
no "an OpenDocument file" '^espalier: p.ods: is an OpenDocument file: save the sheet as CSV$' sim/genotypes.csv p.ods
no "an archive" '^espalier: p.zip: is a zip archive: unpack it' sim/genotypes.csv p.zip
no "R data" '^espalier: p.rds: is R data .*write.csv' sim/genotypes.csv p.rds
no "an R workspace" '^espalier: p.RData: is R data .*load' sim/genotypes.csv p.RData
no "a pipe" '^espalier: pipe: is a pipe or a device' pipe
no "a program" '^espalier: binary: is binary and of an unknown kind: must be genotypes .VCF, ' binary
no "a file twice" '^espalier: ./sim/genotypes.csv: is the same file as sim/genotypes.csv: give it once$' \
    sim/genotypes.csv ./sim/genotypes.csv
no "genotypes alone" '^espalier: sim/genotypes.csv: looks like genotypes or features: give the table of phenotypes' \
    sim/genotypes.csv
no "a VCF alone" '^espalier: p.vcf: genotypes: the phenotype table is missing' p.vcf
no "phenotypes alone" '^espalier: sim/phenotypes.csv: a table that needs other files beside it' sim/phenotypes.csv
no "two tables of genotypes" '^espalier: sim/genotypes.csv and again.csv: both look like tables of genotypes' \
    sim/genotypes.csv again.csv
no "two files of genotypes" '^espalier: p.vcf and p.hmp.txt: both are read as genotypes: give one of them' p.vcf p.hmp.txt
no "two tables of phenotypes" '^espalier: few.csv and field.csv: both are read as phenotypes' p.vcf few.csv field.csv
no "ids of other samples" \
    '^espalier: sim/genotypes.csv and strangers.csv have no id in common .the first are "s1" and "xs1"' \
    sim/genotypes.csv strangers.csv
no "no header" '^espalier: headless.csv:1: "s1" is the id of a sample: the first line must be a header' \
    sim/genotypes.csv headless.csv
no "features without edges" '^espalier: features.csv: features of nodes: the table of edges is missing' features.csv labels.csv
no "edges without features" '^espalier: sim/edges.csv: edges: the table of features is missing' sim/edges.csv labels.csv
no "a graph and a folder" 'do not belong to the same data' tu sim/edges.csv
ok "and nothing was written" test ! -e no.ini

# ---- real data ----

if [ -n "${ESPALIER_DATA:-}" ] && [ -d "$ESPALIER_DATA/arabidopsis" ]; then
    d=$ESPALIER_DATA
    a=$d/arabidopsis
    vcf=$a/Arabidopsis_2029_Maf001_Filter80.1000lines.vcf.gz
    works ft10 "$a/ft10_geno.csv" "$a/ft10_pheno.csv"
    works ft10vcf "$vcf" "$a/FT10.pheno"
    works ft16 "$a/ft16_chr5_geno.csv.gz" "$a/ft16_chr5_pheno.csv" --trait FT16
    is "FT16 has many markers" "$(value ft16.ini reduce)" exact
like "FT16 has countries" "$(cat ft16.ini)" '^; group +=  *country '
    works ld "$a/LD_FT_DATA.tsv" "$vcf"
    works sdv "$vcf" "$a/SDV_FT_DATA.tsv"
    works mutag "$d/tu/MUTAG"
    works proteins "$d/tu/PROTEINS"
    works cora "$d/cora/edges.csv" "$d/cora/features.csv" "$d/cora/labels.csv" "$d/cora/split.csv"
    if [ -e drugs.ini ]; then
        works bbbp "$d/bbbp/BBBP.csv"
        is "a rare kind of atom gives no warning of scale" "$(grep -c 'scale = none' .err)" 0
        fails "two columns of bbbp_clean may be the trait" 2 init "$d/bbbp/bbbp_clean.csv" -o clean.ini
        works clean "$d/bbbp/bbbp_clean.csv" --trait p_np
        is "classes of unequal size" "$(value clean.ini objective)" val_roc_auc
    fi
else
    echo "# no ESPALIER_DATA: real data are left out"
fi
done_testing
