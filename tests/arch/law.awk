# SPDX-License-Identifier: BSD-3-Clause
# The laws of the source tree. Prints one line for each breach, "RULE FILE:LINE: what".
# usage: awk -f law.awk FILE ...    with FILE as src/FOLDER/NAME.[ch] or tests/.../NAME.[ch]; a
# folder is a layer, or a part of the layer data (src/data/text)
#
# In src/:
# direction  a file includes headers of its own folder or a lower one; data/genotype and data/graph
#            include neither of each other
# user       each library is used only by the files listed here
# talk       only cli/, the log, the live line and the files that start mpirun print; only cli/ and
#            launch/ end the process
# guard      header src/X/Y.h begins with the guard X_Y_H
# length     a file has at most 1,000 lines
# tag        a struct, union or enum is defined once in the whole tree
# room       a folder has at most 25 .c files
# kind       model types (MODEL_TYPES in src/grid/param_table.h) are named only by their rows,
#            src/trial/model_*.c, by their own src/gcn/TYPE.c and by the parameter table; src/data
#            knows none, but settings of the same name. Other
#            files may not name them as a text, in a list of names, between quotes in SQL, or by
#            their rows
# Everywhere:
# licence    the first line is the SPDX line
# length     a function has at most 60 lines in src/, 80 in tests/
# opening    no sentence of a comment opens with a word that puts its subject last ("Of these, ...")
# word       no word marks work left for later, and no typedef hides a struct

BEGIN {
    n = split("base program tensor data/text data/core data/genotype data/graph data gcn gang grid trial sched search store " \
              "store/query predict launch run report report/sweep report/page cli/command cli/print cli/init cli", names)
    for (i = 1; i <= n; i++)
        level[names[i]] = i
    level["data/graph"] = level["data/genotype"]

    user["mpi.h"] = "^src/sched/world\\.c$"
    user["ini.h"] = "^src/grid/inifile\\.c$"
    user["cblas.h"] = "^src/tensor/gemm\\.c$"
    user["sqlite3.h"] = "^src/store/"
    user["xxhash.h"] = "^src/base/hash\\.[ch]$"
    user["Random123/philox.h"] = "^src/base/rng\\.[ch]$"
    user["json-c/json.h"] = "^src/program/record_json\\.c$"
    user["pcre2.h"] = "^src/program/capture_pattern\\.c$"
    user["zlib.h"] = "^src/data/text/stream\\.c$"
    user["indigo.h"] = "^src/data/graph/molecule\\.c$"

    talkers = "^src/(cli/|base/log\\.c$|launch/mpirun\\.c$|run/progress_line\\.c$)"
    # world_abort() never returns; the files in program/ end processes that they fork
    enders = "^src/(cli/|launch/|program/(exec|spawner)\\.c$|sched/world\\.c$)"
    types = kinds_of("MODEL_TYPES", "src/grid/param_table.h")
    type_rows = "^src/(trial/model_[a-z]+\\.c|gcn/(" types ")\\.c|grid/param_table\\.h)$"
    generated = "/(schema_sql|page_assets)\\.c$"
    later = "TO" "DO|FIX" "ME|X" "XX"
    openings = "(^|[.:;?!] )(Of|What|So many|That|Whatever|Such|Whether|Lest) "
}

function breach(rule, what)
{
    printf "%s %s:%d: %s\n", rule, FILENAME, FNR, what
}

# Return the names in "#define NAME(X, OR) X(one) OR X(two)" of a file as "one|two", or "".
function kinds_of(name, file,    line, goes_on, inside, out)
{
    while ((getline line < file) > 0) {
        inside = goes_on || index(line, "#define " name "(")
        goes_on = inside && line ~ /\\$/
        while (inside && match(line, /X\([a-z0-9_]+\)/)) {
            out = out (out == "" ? "" : "|") substr(line, RSTART + 2, RLENGTH - 3)
            line = substr(line, RSTART + RLENGTH)
        }
    }
    close(file)
    return out
}

# True if the code or texts of a line name one of the kinds "one|two", whose rows are PREFIX_one and
# PREFIX_two.
function names_kind(kinds, prefix,    one)
{
    one = "(" kinds ")"
    return kinds != "" && (code ~ "(^|[^A-Za-z0-9_])" prefix "_" one "([^A-Za-z0-9_]|$)" || \
                           code ~ "(^|[^A-Za-z0-9_])" toupper(prefix "_" one) "([^A-Za-z0-9_]|$)" || \
                           texts ~ "\n" one "([ ,|]+" one ")*\n" || texts ~ "'" one "'")
}

# comment: the text of a whole comment, its lines joined by blanks.
function check_opening(comment)
{
    sub(/^[* \t]+/, "", comment)
    if (match(comment, openings))
        breach("opening", substr(comment, RSTART, 60))
}

# Return the line without comments and quoted text. The quoted text goes into `texts`, with a line
# feed before and after each.
function code_of(line,    out, c, next_two, i, quote)
{
    out = quote = texts = ""
    if (in_comment && line !~ /^[ \t]*\*\//) {
        sub(/^[ \t]*\*?[ \t]*/, "", line)
        comment = comment " "
    }
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        next_two = substr(line, i, 2)
        if (in_comment) {
            if (next_two == "*/") {
                check_opening(comment)
                in_comment = 0
                i++
            } else {
                comment = comment c
            }
        } else if (quote != "") {
            if (c == quote) {
                texts = texts "\n"
                quote = ""
            } else {
                texts = texts c
                i += c == "\\"
            }
        } else if (next_two == "/*") {
            in_comment = 1
            comment = ""
            i++
        } else if (next_two == "//") {
            check_opening(substr(line, i + 2))
            break
        } else {
            out = out c
            if (c == "\"" || c == "'") {
                texts = texts "\n"
                quote = c
            }
        }
    }
    return out
}

function check_include(line,    name, layer)
{
    name = line
    sub(/^[ \t]*#[ \t]*include[ \t]*[<"]/, "", name)
    sub(/[>"].*/, "", name)
    if (!own)
        return
    if ((name in user) && FILENAME !~ user[name])
        breach("user", name " belongs to " user[name])
    if (line !~ /"/ || name == "config.h")
        return
    layer = name
    sub(/\/?[^\/]*$/, "", layer)
    if (!(layer in level))
        breach("direction", "\"" name "\" names no layer")
    else if (layer != own && level[layer] >= level[own])
        breach("direction", own " must not know " layer)
}

# A definition at the start of a line: "struct NAME {".
function check_tag(line,    name)
{
    name = line
    sub(/[ \t]*{.*/, "", name)
    if (name in tag && tag[name] != FILENAME)
        breach("tag", name " is also defined in " tag[name])
    else
        tag[name] = FILENAME
}

function guard_of(file)
{
    sub(/^src\//, "", file)
    gsub(/[^A-Za-z0-9]/, "_", file)
    return toupper(file)
}

function check_guard()
{
    if (own && last_file ~ /\.h$/ && guarded < 2)
        printf "guard %s:1: wanted %s\n", last_file, guard_of(last_file)
}

FNR == 1 {
    check_guard()
    last_file = FILENAME
    own = ""
    if (FILENAME ~ /^src\//) {
        own = FILENAME
        sub(/^src\//, "", own)
        sub(/\/[^\/]*$/, "", own)
        if (!(own in level))
            breach("direction", own " is no layer")
        if (FILENAME ~ /\.c$/ && FILENAME !~ generated && ++room[own] == 26)
            breach("room", own " has more than 25 .c files")
    }
    in_comment = opened = guarded = 0
    if ($0 != "/* SPDX-License-Identifier: BSD-3-Clause */" && FILENAME !~ generated)
        breach("licence", "the first line must be /* SPDX-License-Identifier: BSD-3-Clause */")
}

{
    code = code_of($0)
}

own && FILENAME !~ type_rows && FILENAME !~ "^src/data/" && names_kind(types, "model") {
    breach("kind", "names a model type: " $0)
}

/^[ \t]*#[ \t]*include/ {
    check_include($0)
}

own && code ~ /(^|[^A-Za-z0-9_])((v?printf|puts|putchar|perror)[ \t]*\(|(stdout|stderr)([^A-Za-z0-9_]|$))/ && FILENAME !~ talkers {
    breach("talk", "prints: " code)
}

own && code ~ /(^|[^A-Za-z0-9_])(exit|_exit|_Exit|quick_exit|abort)[ \t]*\(/ && FILENAME !~ enders {
    breach("talk", "ends the process: " code)
}

own && code ~ /^(struct|union|enum) [a-z_0-9]+ {/ {
    check_tag(code)
}

code ~ /^{/ {
    opened = FNR
}

code ~ /^}/ {
    if (opened && FNR - opened > (own ? 61 : 81))
        breach("length", "a function of " (FNR - opened - 1) " lines")
    opened = 0
}

own && FNR == 1001 && FILENAME !~ generated {
    breach("length", "a file of more than 1,000 lines")
}

own && FILENAME ~ /\.h$/ && /^#/ && guarded < 2 {
    guarded++
    if ($0 != (guarded == 1 ? "#ifndef " : "#define ") guard_of(FILENAME)) {
        breach("guard", "wanted " guard_of(FILENAME))
        guarded = 2
    }
}

$0 ~ "(^|[^A-Za-z])(" later ")([^A-Za-z]|$)" {
    breach("word", "left for later: " $0)
}

code ~ /(^|[^A-Za-z0-9_])typedef[ \t]+struct/ {
    breach("word", "a struct behind a typedef: " code)
}

END {
    check_guard()
}
