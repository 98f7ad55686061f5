#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Genotype formats: FT10 from the VCF equals FT10 from the table, to the bit.
. "$SRCDIR/tests/lib.sh"

line() {
    printf '%s\n' "$2" | sed -n "s/^$1  *//p"
}

cd "$T" || exit 1

# ---- a small VCF ----

cat >small.vcf <<'END'
##fileformat=VCFv4.2
#CHROM	POS	ID	REF	ALT	QUAL	FILTER	INFO	FORMAT	a	b	c	d	e	f
1	10	.	A	C	.	.	.	GT	0/0	0/1	1/1	./.	0/0	0/0
1	20	.	A	C,G	.	.	.	GT	0/0	0/1	1/2	2/2	0/0	0/0
1	30	.	A	C	.	.	.	GT	0/0	0/0	0/0	0/0	0/0	0/1
2	10	.	A	C	.	.	.	GT	0/0	0/1	1/1	0/0	0/0	1/1
END
cat >small.csv <<'END'
id,y
a,1
b,2
c,3.5
d,3
e,1
f,2
END
cat >small.ini <<'END'
[data]
format = genotype
genotypes = small.vcf
phenotypes = small.csv
[graph]
k = 2
[split]
test = 0
val = 0.4
END
all=$("$ESPALIER" inspect small.ini)
is "a VCF is read" "$(line genotypes "$all")" \
    "6 samples, 5 markers read, 0 monomorphic dropped, 1 missing call set to the marker mean"
is "and split sites are reported" "$(line sites "$all")" \
    "0 outside the region and 0 multi-allelic dropped, 1 split"
some=$("$ESPALIER" inspect small.ini --set multiallelic=skip --set region=1 --set maf=0.1)
is "dropped sites are reported" "$(line sites "$some")" \
    "1 outside the region and 1 multi-allelic dropped, 0 split"
is "and dropped markers" "$(line filters "$some")" \
    "0 markers with too many missing calls, 1 rare and 0 by thinning dropped"
"$ESPALIER" inspect small.ini --set ploidy=4 >/dev/null 2>.ploidy
like "ploidy is set" "$(cat .ploidy)" \
    'small.vcf: 29 calls have another number of alleles than 4 and are scaled to it$'
fails "an invalid region" 2 "$ESPALIER" inspect small.ini --set region=1:x
is "the message names it" "$(cat "$T/.err")" "espalier: --set region: region = 1:x: must be CHROM, CHROM:POS, \
CHROM:FROM-TO or CHROM:FROM-, or several of these separated by commas"
fails "an invalid choice of variants" 2 "$ESPALIER" inspect small.ini --set variants=10
like "the message names it, too" "$(cat "$T/.err")" 'variants = 10: must be all \| first:N \| thin:N'
fails "a VCF of another length" 1 sh -c "sed '5s/.0\/1\$//' small.vcf >cut.vcf &&
    '$ESPALIER' inspect small.ini --set genotypes=$T/cut.vcf"
like "is refused, with the line" "$(cat "$T/.err")" 'cut\.vcf:5: 5 samples: the header has 6$'

# ---- HapMap as it is ----

cat >tutorial.hmp.txt <<'END'
rs#	alleles	chrom	pos	strand	assembly#	center	protLSID	assayLSID	panelLSID	QCcode	a	b	c	d	e	f
PZB00859.1	A/C	1	157104	+	AGPv1	Panzea	NA	NA	maize282	NA	CC	AA	AC	NN	CC	AA
PZA01271.1	C/G	1	1947984	+	AGPv1	Panzea	NA	NA	maize282	NA	CC	TT	CC	CT	NN	TT
PZA03613.2	G/T	1	2914066	+	AGPv1	Panzea	NA	NA	maize282	NA	GG	TT	AA	GG	TT	GG
PZA03613.1	A/T	1	2914171	+	AGPv1	Panzea	NA	NA	maize282	NA	T	W	A	N	T	A
PZA03614.2	A/G	1	2915078	+	AGPv1	Panzea	NA	NA	maize282	NA	++	--	+-	NN	++	--
END
hapmap=$("$ESPALIER" inspect small.ini --set genotypes=tutorial.hmp.txt 2>.err)
is "sites whose calls contradict their alleles are read or dropped" "$(line genotypes "$hapmap")" \
    "6 samples, 3 markers read, 0 monomorphic dropped, 3 missing calls set to the marker mean"
is "in one note" "$(sed -n 1p .err)" "espalier: warning: tutorial.hmp.txt: 3 sites have calls that \
contradict their column alleles (\"PZA01271.1\", \"PZA03613.2\", \"PZA03614.2\"): alleles taken from the \
calls: 1, dropped because their calls do not have two letters: 2"
ok "a model of them" "$ESPALIER" run small.ini --progress none --set genotypes=tutorial.hmp.txt --set epochs=2 \
    --set type=mlp --set batch_size=full --db hapmap.db
sed '1s/a	b/p	q/' tutorial.hmp.txt >new.hmp.txt
ok "predicts new samples of such a file" "$ESPALIER" predict hapmap.db --genotypes new.hmp.txt
like "with the same rule" "$(cat "$T/.err")" 'new.hmp.txt: 3 sites have calls that contradict their column alleles .*: their calls are matched by letter'
like "and finds all markers" "$(cat "$T/.err")" 'new.hmp.txt: 3 of 3 markers found'

# ---- real data ----

folder=${ESPALIER_DATA:-}/arabidopsis
if [ ! -e "$folder/ft10_geno.csv" ]; then
    echo "# no data at ESPALIER_DATA = '${ESPALIER_DATA:-}': FT10 is skipped"
    done_testing
    exit
fi
plain=$("$ESPALIER" inspect "$SRCDIR/grids/ft10.ini")
vcf=$("$ESPALIER" inspect "$SRCDIR/grids/ft10-vcf.ini")
is "FT10 from the VCF has the digest of FT10 from the table" "$(line digest "$vcf")" \
    "$(line digest "$plain")"
is "with 2029 accessions" "$(line genotypes "$vcf")" \
    "2029 samples, 984 markers read, 0 monomorphic dropped, 0 missing calls set to the marker mean"
is "maf keeps the right number of markers" \
    "$(line features "$("$ESPALIER" inspect "$SRCDIR/grids/ft10-vcf.ini" --set maf=0.05)")" \
    "405, small integers, 428 kB"

scores() {
    "$ESPALIER" run "$SRCDIR/grids/$1.ini" --db "$1.db" --progress none --set epochs=5 \
        --set grid.hidden_size=16 --set grid.learning_rate=0.01 --set grid.dropout=0.2 \
        --set grid.batch_size=full,64 >"$1.log" 2>&1 || cat "$1.log"
    sqlite3 "$1.db" "select t.key, m.split, m.name, printf('%.17g', m.value)
        from trial t join metric m using (trial_id) order by 1, 2, 3"
}

from_table=$(scores ft10)
is "and the same keys and bits" "$(scores ft10-vcf)" "$from_table"
like "there are some" "$from_table" 'val.pearson.0\.'
done_testing
