# Sourced by the benchmarks.
# shellcheck shell=sh

# Median of the numbers on stdin.
median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
