#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Time to read genotypes on one core: the published VCF of FT10 compared with bcftools, and a PLINK
# set of 2,000 x 500,000. CSV lines "case,value,unit,beside,target" on stdout.
# usage: load.sh PROGRAM_DIRECTORY SOURCE_DIRECTORY
programs=$1
src=$2
# shellcheck source=tests/bench/lib.sh
. "$src/tests/bench/lib.sh"

# seconds COMMAND...: time of the whole process, from start to exit.
seconds() {
    from=$(date +%s%N)
    "$@" >/dev/null 2>"$T/err" || { cat "$T/err" >&2; exit 1; }
    echo "$from $(date +%s%N)" | awk '{ print ($2 - $1) / 1e9 }'
}

# shellcheck disable=SC2086 # one_core is several words
vcf() {
    name="VCF of 984 x 2,029: read and coded"
    file=$ESPALIER_DATA/arabidopsis/Arabidopsis_2029_Maf001_Filter80.1000lines.vcf.gz
    if ! has_data arabidopsis; then
        row "$name" - "times faster" "$no_data" 1
        return
    elif ! command -v bcftools >/dev/null; then
        row "$name" - "times faster" "bcftools is not there" 1
        return
    fi
    i=0
    while [ $i -lt "$rounds" ]; do
        seconds $one_core "$programs/load" 1 "$file" "$ESPALIER_DATA/arabidopsis/ft10_pheno.csv" >>"$T/ours"
        seconds $one_core bcftools query -f '[%GT ]\n' "$file" >>"$T/peer"
        i=$((i + 1))
    done
    ours=$(median <"$T/ours") peer=$(median <"$T/peer")
    row "$name" "$(ratio "$peer" "$ours")" "times faster" \
        "$(bcftools --version | head -n 1) query -f '[%GT ]' ($peer s; ours $ours s)" 1
}

# shellcheck disable=SC2086 # one_core is several words
plink() {
    name="PLINK set of 2,000 x 500,000"
    if ! "$python" "$src/tests/bench/make_plink.py" 2000 500000 "$T/panel" 2>/dev/null; then
        row "$name: loaded" - s "$python has no numpy to make it" 5
        return
    fi
    cat "$T"/panel.* >/dev/null
    $one_core "$programs/load" 1 "$T/panel.bed" >"$T/loaded" || exit 1
    read -r wall processor peak n f <"$T/loaded"
    row "$name: loaded" "$(printf %.2f "$wall")" s "none ($(printf %.2f "$processor") s of processor)" 5
    row "$name: peak of memory" "$(echo "$peak $n $f" | awk '{ printf "%.2f", $1 / $2 / $3 }')" \
        "bytes/genotype" none 1.2
}

vcf
plink
