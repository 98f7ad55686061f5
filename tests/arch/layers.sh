#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The laws of the source tree (see tests/arch/law.awk), first on small trees that break them.
. "${SRCDIR:-.}/tests/lib.sh"

law=$SRCDIR/tests/arch/law.awk
licence='/* SPDX-License-Identifier: BSD-3-Clause */'

# List the breaches in the tree at DIRECTORY.
breaches() {
    (cd "$1" && find src tests -name '*.[ch]' | sort | xargs awk -f "$law")
}

# One broken file in an otherwise correct tree must give exactly one breach: of that rule, in that
# file.
is_caught() {
    rule=$1
    file=$2
    rm -rf "$T/tree"
    mkdir -p "$T/tree/src/base" "$T/tree/tests" "$T/tree/${file%/*}"
    mkdir -p "$T/tree/src/grid"
    printf '%s\n#ifndef GRID_PARAM_TABLE_H\n#define GRID_PARAM_TABLE_H\n#define MODEL_TYPES(X, OR) \\\n    X(oak) OR \\\n    X(elm)\n#endif\n' \
        "$licence" >"$T/tree/src/grid/param_table.h"
    printf '%s\n#ifndef BASE_OK_H\n#define BASE_OK_H\nstruct ok {\n    int x;\n};\n#endif\n' "$licence" \
        >"$T/tree/src/base/ok.h"
    { [ "$rule" = licence ] || echo "$licence"; cat; } >"$T/tree/$file"
    found=$(breaches "$T/tree")
    case $found in
    *"
"*) fail "$rule: one breach in $file" "$found" ;;
    "$rule $file:"*) pass "$rule is noticed in $file" ;;
    *) fail "$rule: a breach in $file" "found: $found" ;;
    esac
}

is_caught direction src/base/up.c <<'END'
#include "tensor/mat.h"
END
is_caught direction src/grid/up.h <<'END'
#ifndef GRID_UP_H
#define GRID_UP_H
#include "store/store.h"
#endif
END
is_caught direction src/extra/new.c <<'END'
int new_layer;
END
is_caught direction src/gcn/local.c <<'END'
#include "train.h"
END
is_caught direction src/data/core/up.c <<'END'
#include "data/genotype/variants.h"
END
is_caught direction src/data/graph/aside.c <<'END'
#include "data/genotype/variants.h"
END
is_caught tag src/grid/twice.h <<'END'
#ifndef GRID_TWICE_H
#define GRID_TWICE_H
struct ok {
    int x;
};
#endif
END
for header in mpi.h ini.h cblas.h sqlite3.h; do
    is_caught user src/cli/user.c <<END
#include <$header>
END
done
is_caught user src/sched/ledger.c <<'END'
# include <mpi.h>
END
is_caught talk src/store/loud.c <<'END'
/* printf() in a comment and "stderr" in a text are fine. */
const char *text = "printf(stderr)";
static void loud(void) { printf("x"); }
END
is_caught talk src/gcn/fatal.c <<'END'
static void fatal(void) { exit(1); }
END
awk 'BEGIN { for (i = 1; i <= 1001; i++) print "" }' >"$T/long"
is_caught length src/base/long.c <"$T/long"
awk 'BEGIN { print "int f(void)\n{"; for (i = 1; i <= 61; i++) print "    ;"; print "}" }' >"$T/function"
is_caught length src/base/function.c <"$T/function"
is_caught guard src/base/bare.h <<'END'
int bare;
END
is_caught guard src/base/open.h <<'END'
int open;
#define OPEN 1
END
is_caught kind src/run/asks.c <<'END'
/* model_oak in a comment is fine, and so is text about oak. */
static const char *text = "the oak";
static bool is_oak(const struct model_type *type) { return type == &model_oak; }
END
is_caught kind src/run/enum.c <<'END'
static bool is_elm(int type) { return type == MODEL_ELM; }
END
is_caught kind src/cli/name.c <<'END'
static bool is_oak(const char *name) { return !strcmp(name, "oak"); }
END
is_caught kind src/cli/list.c <<'END'
static const char *types = "elm oak";
END
is_caught kind src/store/sql.c <<'END'
static const char sql[] = "SELECT 1 FROM config WHERE params ->> 'type' = 'oak'";
END
is_caught opening src/base/first.c <<'END'
/* Of two words, the first is ours. */
END
is_caught opening src/base/later.c <<'END'
/* "That is" within a sentence is fine, and so are That's and Whether.
 * This line ends. Such
 * a sentence begins on it. */
const char *text = "Of course. What a text";
END
is_caught opening tests/line.c <<'END'
int x; // it is 3: Whatever the caller says
END
todo=TO
todo=${todo}DO
is_caught word src/base/later.c <<END
/* ${todo}: later */
END
is_caught word tests/typedef.c <<'END'
typedef struct { int x; } hidden;
END

is_caught licence src/base/unlicensed.c <<'END'
int unlicensed;
END

# The first line of a script may name its interpreter.
unlicensed() {
    (cd "$SRCDIR" && find src tests jobs db bootstrap \( -name '*.sh' -o -name '*.py' -o -name '*.sql' -o \
        -name '*.awk' -o -name bootstrap \) -exec awk 'FNR == 1 { n = 0 }
            FNR <= 2 && /SPDX-License-Identifier: BSD-3-Clause$/ { n++ }
            FNR == 2 && !n { print FILENAME }' {} +)
}
is "scripts and queries without a licence" "$(unlicensed)" ""

# If the list of kinds were not found, the law about kinds would hold trivially.
is "the list of model types" "$(grep -c '^#define MODEL_TYPES(X, OR)' "$SRCDIR/src/grid/param_table.h")" 1

# Without any user, the law about users would hold trivially.
users() {
    (cd "$SRCDIR" && grep -rlE --include="*.[ch]" "include <$1>" src | tr '\n' ' ')
}
is "the user of mpi.h" "$(users mpi.h)" "src/sched/world.c "
is "the user of ini.h" "$(users ini.h)" "src/grid/inifile.c "
is "the user of cblas.h" "$(users cblas.h)" "src/tensor/gemm.c "
like "the users of sqlite3.h" "$(users sqlite3.h)" "^(src/store/(query/)?[a-z_]*\.[ch] )+$"

breaches "$SRCDIR" >"$T/found"
is "the whole tree was read" $? 0
for rule in direction user talk length guard kind opening word tag room licence; do
    is "$rule: no breach" "$(grep "^$rule " "$T/found")" ""
done
done_testing
