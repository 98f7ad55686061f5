# SPDX-License-Identifier: BSD-3-Clause
# Print CSV lines (case,value,unit,beside,target) as rows of a table.
# usage: awk -f table.awk

# Split a CSV line into fields; quoted fields may contain commas and doubled quotes.
function fields(line, out,    n, i, c, is_quoted)
{
    n = 1
    out[1] = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\"") {
            if (is_quoted && substr(line, i + 1, 1) == "\"")
                out[n] = out[n] substr(line, ++i, 1)
            else
                is_quoted = !is_quoted
        } else if (c == "," && !is_quoted) {
            out[++n] = ""
        } else {
            out[n] = out[n] c
        }
    }
    return n
}

{
    split("", f)
    fields($0, f)
    printf "%-68s %9s %-14s %-15s %s\n", f[1], f[2], f[3], f[5], f[4]
}
