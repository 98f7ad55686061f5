/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/graph/smiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/words.h"
#include "data/core/data_report.h"
#include "data/core/membership.h"
#include "data/core/reader.h"
#include "data/core/target.h"
#include "data/graph/molecule.h"
#include "data/text/examples.h"
#include "data/text/file_names.h"
#include "data/text/stream.h"
#include "data/text/textline.h"

enum { HEAD_BYTES = 1 << 14 };

/* ---- which files are SMILES files ---- */

static char *skip_mark(char *text)
{
    return text + stream_mark_bytes(text, strlen(text));
}

/* Cut off the next line with content, in place, and step behind it; "" if there is none. */
static char *next_line(char **at)
{
    char *text = *at;

    while (*text == '\n' || *text == '\r' || *text == '#')
        text += *text == '#' ? strcspn(text, "\r\n") : 1;
    *at = text + strcspn(text, "\r\n");
    *at += **at != '\0';
    text[strcspn(text, "\r\n")] = '\0';
    return text;
}

/* Returns how many cells the line has if one is `name`, else 0. */
static int find_cell(const char *line, const char *name, const char *separators,
                     int (*compare)(const char *, const char *, size_t))
{
    size_t n = strlen(name);
    bool is_found = false;
    int n_cells = 0;

    while (*line) {
        size_t length = strcspn(line, separators);
        bool is_quoted = length > 1 && *line == '"' && line[length - 1] == '"';

        is_found = is_found || (length - 2 * is_quoted == n && !compare(line + is_quoted, name, n));
        n_cells += length > 0;
        line += length;
        line += *line != '\0';
    }
    return is_found ? n_cells : 0;
}

/* "SMILES Name" is the title of a SMILES file, and "SMILES name y" the header of a table. */
static bool is_header(const char *line, const char *column)
{
    static const char *const separators[] = {"\t,;", "\t,; "};
    bool is = false;

    for (int i = 0; i < 2; i++)
        is = is || find_cell(line, column, separators[i], strncmp) ||
             find_cell(line, column, separators[i], strncasecmp) > 2;
    return is;
}

static bool begins_with_molecule(struct molecules *m, char *line)
{
    line[strcspn(line, " \t")] = '\0';
    return *line && molecules_add(m, line, NULL) > 0;
}

/* A header may be a molecule by chance ("CN"), so two lines must be. */
static bool holds_molecules(char *line, char *rest)
{
    struct molecules m;
    bool holds = molecule_is_readable();

    if (!holds)
        return false;
    molecules_init(&m);
    holds = begins_with_molecule(&m, line) && begins_with_molecule(&m, next_line(&rest));
    molecules_release(&m);
    return holds;
}

bool smiles_is_bare(const char *path, const char *column)
{
    bool is_named = file_names_end_like(path, ".smi") || file_names_end_like(path, ".smi.gz");
    char head[HEAD_BYTES], *at = head, *line;

    stream_peek(head, sizeof head, path);
    at = skip_mark(head);
    line = next_line(&at);
    return *line && !is_header(line, column) && (is_named || holds_molecules(line, at));
}

bool smiles_is_structures(const char *path)
{
    char head[HEAD_BYTES], *line = head;

    if (file_names_end_like(path, ".sdf") || file_names_end_like(path, ".mol"))
        return true;
    stream_peek(head, sizeof head, path);
    for (int i = 1; i < 4; i++) {
        line += strcspn(line, "\n");
        line += *line != '\0';
    }
    line[strcspn(line, "\r\n")] = '\0';
    return file_names_end_like(line, " V2000") || file_names_end_like(line, " V3000");
}

/* ---- SMILES files ---- */

enum { SMI_SMILES, SMI_NAME, SMI_CELLS };

struct smi {
    struct textline line;
    bool is_begun;
    char *cell[SMI_CELLS]; /* "" where absent; valid until the next call */
};

/* An extension |...| (CXSMILES) belongs to the molecule. */
static char *find_name(char *text)
{
    char *name = text + strcspn(text, " \t"), *bar = name + strspn(name, " \t");
    char *end = *bar == '|' ? strchr(bar + 1, '|') : NULL;

    return end ? end + 1 + strcspn(end + 1, " \t") : name;
}

static void cut(struct smi *s, char *text)
{
    char *name = find_name(text);
    bool is_tab = *name == '\t';
    size_t n;

    s->cell[SMI_SMILES] = text;
    if (*name)
        *name++ = '\0';
    name += strspn(name, is_tab ? " " : " \t");
    n = strcspn(name, "\t");
    while (n && name[n - 1] == ' ')
        n--;
    name[n] = '\0';
    s->cell[SMI_NAME] = name;
}

/* Like textline_next(). */
static int smi_next(struct smi *s, struct err *err)
{
    bool is_title = true;
    int status = 1;

    while (is_title && (status = textline_next(&s->line, err)) > 0) {
        char *text = s->line.text.data;

        text = s->line.number == 1 ? skip_mark(text) : text;
        for (size_t n = strlen(text); n && strchr(" \t", text[n - 1]); n--)
            text[n - 1] = '\0';
        if (!*text || *text == '#')
            continue;
        cut(s, text + strspn(text, " "));
        is_title = !s->is_begun && !strcasecmp(s->cell[SMI_SMILES], "SMILES");
        s->is_begun = true;
    }
    return status;
}

/* ---- tables of molecules ---- */

/* Reads a table with a molecule in each row, or a SMILES file as a table of two columns. For a
 * model they are read in pieces: ids cover all rows so far, the rest only the piece. */

struct smiles {
    const struct data_spec *spec; /* borrowed */
    struct table table;           /* without text for a SMILES file */
    bool is_bare;                 /* a SMILES file */
    struct smi smi;
    int32_t smiles, id, trait; /* columns; -1: none */
    bool needs_trait;          /* several columns qualify */
    int64_t n_rows;
    struct examples skipped; /* rows */
    int64_t skipped_line;    /* of the first */
    int32_t n_repeated;      /* names of a SMILES file that came before */
    char repeated[160];      /* the first of them */
    struct examples noted[MOLECULE_NOTES];
    struct names ids;
    int32_t first; /* in the piece, among ids */
    struct molecules molecules;
    int64_t *graph_start; /* [molecules of the piece + 1] */
    size_t capacity;
    struct names missing; /* codes of data.missing */
    struct target_cells cells;
    struct membership_cells division; /* of split.part and split.group */
    struct target target;
    struct membership membership;
};

static void smiles_release(struct smiles *s)
{
    membership_release(&s->membership);
    target_release(&s->target);
    membership_cells_release(&s->division);
    target_cells_release(&s->cells);
    free(s->graph_start);
    molecules_release(&s->molecules);
    names_release(&s->missing);
    names_release(&s->ids);
    textline_close(&s->smi.line);
    table_close(&s->table);
}

/* ---- columns ---- */

static const char *smiles_name(const struct data_spec *spec)
{
    return spec->smiles && *spec->smiles ? spec->smiles : "smiles";
}

/* setting: "data.trait" */
static int find_column(int32_t *out, const struct smiles *s, const char *name, const char *setting,
                       struct err *err)
{
    *out = reader_column(&s->table, name, -1, setting,
                         s->spec->like ? ": rename the column in the header" : "", err);
    return *out < 0 ? -1 : 0;
}

static int find_trait(struct smiles *s, const char *name, struct err *err)
{
    const struct table *t = &s->table;
    int32_t n_left = 0;

    if (name && *name)
        return find_column(&s->trait, s, name, "data.trait", err);
    for (int32_t j = 0; j < t->n_cols; j++)
        if (j != s->smiles && j != s->id && !membership_cells_have(&s->division, j)) {
            s->trait = j;
            n_left++;
        }
    if (n_left == 1)
        return 0;
    s->needs_trait = n_left > 1;
    return err_set(err, "%s: %d columns could be predicted: data.trait must name one", t->path,
                   n_left);
}

/* The ids of new molecules: the column of the training data's, or one with such a name. */
static int32_t find_new_id(const struct smiles *s)
{
    const char *const names[] = {s->spec->id, "id", "name", "compound_id", "molecule_id", "cid"};
    int32_t found = TABLE_NO_COLUMN;

    for (size_t i = 0; i < sizeof names / sizeof *names && found < 0; i++)
        if (names[i] && *names[i])
            found = i ? equality_pick((const char *const *)s->table.name, s->table.n_cols,
                                      s->smiles, names[i])
                      : table_column(&s->table, names[i], s->smiles, NULL);
    return found < 0 ? -1 : found;
}

/* A table without a header would lose its first molecule. */
static int check_header(struct smiles *s, struct err *err)
{
    const struct table *t = &s->table;
    bool is_row = molecules_add(&s->molecules, t->name[s->smiles], NULL) > 0;

    molecules_release(&s->molecules);
    molecules_init(&s->molecules);
    if (!is_row)
        return 0;
    return err_set(err,
                   "%s: the first line is no header, because \"%.80s\" is a molecule: write a line "
                   "before it that names the columns, such as smiles,y",
                   t->path, t->name[s->smiles]);
}

static int find_columns(struct smiles *s, struct err *err)
{
    const struct data_spec *spec = s->spec;
    const struct table *t = &s->table;
    bool has_id = !spec->like && spec->id && *spec->id;

    s->id = s->trait = -1;
    if (find_column(&s->smiles, s, smiles_name(spec), "data.smiles", err) ||
        (has_id && find_column(&s->id, s, spec->id, "data.id", err)) || check_header(s, err) ||
        (!spec->like && (membership_cells_find(&s->division, t, spec, -1, 0, err) ||
                         find_trait(s, spec->trait, err))))
        return -1;
    if (spec->like)
        s->id = find_new_id(s);
    if (s->smiles == s->trait || s->smiles == s->id || (s->trait >= 0 && s->trait == s->id))
        return err_set(err,
                       "%s: column \"%.80s\" is used for more than one of smiles, trait and id",
                       t->path, t->name[s->smiles == s->trait ? s->smiles : s->id]);
    return 0;
}

/* ---- rows ---- */

/* Rows without ids have their number, and new molecules their SMILES. */
static const char *id_of(const struct smiles *s, char number[24])
{
    const char *cell = s->id >= 0 ? s->table.cell[s->id] : "";

    if (s->spec->like && !s->is_bare)
        return *cell ? cell : s->table.cell[s->smiles];
    if (s->id >= 0 && (*cell || !s->is_bare))
        return cell;
    snprintf(number, 24, "%lld", (long long)s->n_rows);
    return number;
}

static int add_id(struct smiles *s, struct err *err)
{
    const struct table *t = &s->table;
    char number[24];
    const char *id = id_of(s, number);
    int32_t known;

    if (!*id)
        return table_fault(err, t, "the id in column \"%.80s\" is empty", t->name[s->id]);
    known = names_find(&s->ids, id);
    if (known >= 0 && s->spec->like) {
        if (!s->n_repeated++)
            snprintf(s->repeated, sizeof s->repeated, "\"%.80s\" on lines %lld and %lld", id,
                     (long long)names_line(&s->ids, known), (long long)t->line);
        return names_add_repeated(&s->ids, id, t->line, err) < 0 ? -1 : 0;
    }
    if (known >= 0)
        return table_fault(err, t, "id \"%.80s\" occurs twice, first on line %lld", id,
                           (long long)names_line(&s->ids, known));
    return names_add(&s->ids, id, t->line, err) < 0 ? -1 : 0;
}

static int end_graph(struct smiles *s, struct err *err)
{
    int32_t n = s->ids.n - s->first;

    if (array_extend(&s->graph_start, &s->capacity, (size_t)n, sizeof *s->graph_start, "molecules",
                     err))
        return -1;
    s->graph_start[0] = 0;
    s->graph_start[n] = s->molecules.n_atoms;
    return 0;
}

static void skip(struct smiles *s, const struct err *why)
{
    const struct table *t = &s->table;
    char number[24];

    if (!s->skipped.n)
        s->skipped_line = t->line;
    examples_add(&s->skipped, "; ", "line %lld, id \"%.30s\": \"%.60s\": %.110s",
                 (long long)t->line, id_of(s, number), t->cell[s->smiles], why->text);
}

/* Always -1. */
static int refuse_skipped(const struct smiles *s, struct err *err)
{
    bool is_all = s->skipped.n == s->n_rows;
    struct buf rows = {0};

    buf_puts(&rows, s->skipped.text);
    if (!is_all)
        buf_printf(&rows, "; %s skips such rows",
                   s->spec->like ? "--set skip_invalid=yes" : "data.skip_invalid = yes");
    if (s->is_bare && s->skipped_line == 1)
        buf_printf(&rows, "; a header would have a column \"%.80s\" (data.smiles)",
                   smiles_name(s->spec));
    err_set(err,
            is_all ? "%s:%lld: no molecules: %lld of %lld rows cannot be parsed as molecules: %s"
                   : "%s:%lld: %lld of %lld rows cannot be parsed as molecules: %s",
            s->table.path, (long long)s->skipped_line, (long long)s->skipped.n,
            (long long)s->n_rows, buf_text(&rows));
    buf_release(&rows);
    return -1;
}

/* After a row that skip_invalid does not permit, the rest is only searched for more. */
static bool is_refused(const struct smiles *s)
{
    return s->skipped.n && !s->spec->skip_invalid;
}

static void note(struct smiles *s)
{
    const struct molecules *m = &s->molecules;
    char number[24];

    for (int k = 0; k < MOLECULE_NOTES; k++)
        if (m->is_noted[k])
            examples_add(&s->noted[k], "; ", "line %lld, id \"%.30s\"%s%s",
                         (long long)s->table.line, id_of(s, number),
                         k == MOLECULE_ELEMENTS ? ": " : "",
                         k == MOLECULE_ELEMENTS ? m->element : "");
}

static int read_row(struct smiles *s, struct err *err)
{
    const struct table *t = &s->table;
    struct err why = {""};
    int32_t i = s->ids.n;
    int status = molecules_add(&s->molecules, t->cell[s->smiles], &why);

    s->n_rows++;
    if (status < 0) {
        *err = why;
        return err_wrap(err, "%s", t->path);
    }
    if (!status)
        skip(s, &why);
    if (!status || is_refused(s))
        return 0;
    note(s);
    return add_id(s, err) || end_graph(s, err) ||
                   (s->trait >= 0 &&
                    reader_keep_cell(&s->cells, i, t, s->trait, &s->missing, err)) ||
                   membership_cells_read(&s->division, i, t, &s->missing, err)
               ? -1
               : 0;
}

static int read_rows(struct smiles *s, int32_t most, struct err *err)
{
    int status = 0;

    while (s->ids.n - s->first < most) {
        status = s->is_bare ? smi_next(&s->smi, err) : table_next(&s->table, err);
        if (status <= 0)
            break;
        if (s->is_bare)
            s->table.line = s->smi.line.number;
        if (read_row(s, err))
            return -1;
    }
    if (status < 0)
        return -1;
    if (is_refused(s) || (!status && s->n_rows && s->ids.n == 0))
        return refuse_skipped(s, err);
    if (!status && s->ids.n == 0)
        return err_set(err, s->is_bare ? "%s: no molecules" : "%s: no molecules after the header",
                       s->table.path);
    return 0;
}

/* ---- together ---- */

static int build(struct dataset *out, const struct smiles *s, struct err *err)
{
    const char *name[MOLECULE_FEATURES];
    struct draft draft = {
        .n_samples = s->ids.n - s->first,
        .n_nodes = s->molecules.n_atoms,
        .n_features = MOLECULE_FEATURES,
        .dosage = s->molecules.feature,
        .graph_start = s->graph_start,
        .ids = s->ids.text + s->first,
        .feature_names = name,
    };

    for (int32_t j = 0; j < MOLECULE_FEATURES; j++)
        name[j] = molecule_feature_name(j);
    edges_into(&draft, &s->molecules.bonds);
    target_into(&draft, &s->target);
    membership_into(&draft, &s->membership);
    return draft_build(out, &draft, err);
}

/* A SMILES file contains no target. */
static int open_bare(struct smiles *s, struct err *err)
{
    static char *name[SMI_CELLS] = {"smiles", "name"};
    const char *path = s->spec->molecules;

    if (!s->spec->like)
        return err_set(err,
                       "%s: no column \"%.80s\" (data.smiles) on the first line: a SMILES file "
                       "without a header has nothing to predict; the first line must name the "
                       "columns, including the target's",
                       path, smiles_name(s->spec));
    if (textline_open(&s->smi.line, path, "a file of text", err))
        return -1;
    s->is_bare = true;
    s->table = (struct table){.path = path, .n_cols = SMI_CELLS, .name = name, .cell = s->smi.cell};
    s->smiles = SMI_SMILES;
    s->id = SMI_NAME;
    s->trait = -1;
    molecules_init(&s->molecules);
    return 0;
}

static int open_table(struct smiles *s, const struct data_spec *spec, struct err *err)
{
    *s = (struct smiles){.spec = spec};
    if (!molecule_is_readable())
        return err_set(err, "data.format = smiles: this espalier was built without Indigo; install "
                            "it (Debian: libindigo-dev), then configure and build again");
    if (reader_need_path(spec, spec->molecules, "molecules", err))
        return -1;
    if (smiles_is_structures(spec->molecules))
        return err_set(err, "%s: must be a table with a column of SMILES%s", spec->molecules,
                       spec->like
                           ? ", or a SMILES file: convert it with obabel FILE.sdf -O FILE.smi"
                           : ": convert it with obabel FILE.sdf -O FILE.smi and put a line "
                             "\"smiles id\" before "
                             "the first");
    if (smiles_is_bare(spec->molecules, smiles_name(spec)))
        return open_bare(s, err);
    if (table_open(&s->table, spec->molecules, err))
        return -1;
    molecules_init(&s->molecules);
    return find_columns(s, err);
}

static void report_molecules(struct data_report *report, const struct smiles *s,
                             enum data_note_kind kind)
{
    static const struct {
        const char *label, *what;
    } about[MOLECULE_NOTES] = {
        [MOLECULE_TEXT] = {"cut", "with text behind the SMILES, which is not used"},
        [MOLECULE_HYDROGENS] = {"hydrogens", "with hydrogens written as atoms, which are counted"},
        [MOLECULE_CHARGES] = {"charges", "with charges placed (nitro, N-oxide, azide, ClO4)"},
        [MOLECULE_VALENCES] = {"valences", "with an atom outside brackets that has too many bonds, "
                                           "used without hydrogens"},
        [MOLECULE_WILDCARDS] = {"wildcards", "with an atom of no element (* or a group R), used as "
                                             "\"other\""},
        [MOLECULE_ELEMENTS] = {"elements", "with an element that is no feature, used as "
                                           "\"other\""},
    };

    for (int k = 0; k < MOLECULE_NOTES; k++)
        if (s->noted[k].n)
            data_report_add(report, kind, about[k].label, "%lld molecule%s %s: %s",
                            (long long)s->noted[k].n, plural(s->noted[k].n), about[k].what,
                            s->noted[k].text);
}

static void report_facts(struct data_report *report, const struct smiles *s)
{
    int32_t n_empty = 0;

    for (int32_t i = 0; i < s->cells.n; i++)
        n_empty += !s->cells.text[i];
    if (s->skipped.n)
        data_report_add(report, DATA_NOTE_WARNING, "skipped",
                        "%s: %lld of %lld rows cannot be parsed as molecules and are left out: %s",
                        s->table.path, (long long)s->skipped.n, (long long)s->n_rows,
                        s->skipped.text);
    report_molecules(report, s, DATA_NOTE_FACT);
    reader_report_columns(report, table_spelled(&s->table), s->table.path);
    target_report_spelled(report, &s->target.spelled, "classes");
    if (n_empty)
        data_report_add(report, DATA_NOTE_WARNING, "empty",
                        "%s: %d of %d molecules have no value in column \"%.80s\" and belong to no "
                        "part",
                        s->table.path, n_empty, s->ids.n, s->cells.column);
}

static int load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
                struct err *err)
{
    struct smiles s;
    const struct membership_source source = {.spec = spec,
                                             .ids = &s.ids,
                                             .path = spec->molecules,
                                             .cells = &s.division,
                                             .target = &s.target,
                                             .report = report};
    int rc = open_table(&s, spec, err) ||
             target_cells_init(&s.cells, 0, s.table.path, s.table.name[s.trait], err) ||
             names_split(&s.missing, spec->missing, "data.missing", err) ||
             read_rows(&s, INT32_MAX, err) ||
             target_read_decimal(&s.cells, s.table.separator, err) ||
             edges_finish(&s.molecules.bonds, err) ||
             target_make(&s.target, &s.cells, spec->task, true, err) ||
             membership_read(&s.membership, &source, err) || build(out, &s, err);

    report->unset = s.needs_trait ? "trait" : NULL;
    report->n_skipped = (int32_t)s.skipped.n;
    if (!rc)
        report_facts(report, &s);
    smiles_release(&s);
    return rc ? -1 : 0;
}

/* ---- new molecules for a model ---- */

static int open_pieces(void **out, const struct data_spec *spec, struct err *err)
{
    struct smiles *s = malloc(sizeof *s);

    *out = s;
    if (!s)
        return err_nomem(err, "molecules", sizeof *s);
    return open_table(s, spec, err);
}

static void close_pieces(void *state)
{
    if (state)
        smiles_release(state);
    free(state);
}

static void report_new(struct data_report *report, const struct smiles *s)
{
    int64_t n = s->skipped.n;

    if (n)
        data_report_add(report, DATA_NOTE_WARNING, "skipped",
                        "%lld molecule%s cannot be parsed and %s no prediction: %s", (long long)n,
                        plural(n), n == 1 ? "has" : "have", s->skipped.text);
    if (s->n_repeated)
        data_report_add(report, DATA_NOTE_WARNING, "names",
                        "%d molecule%s the name of an earlier one: each has a row of its own; the "
                        "first is %s",
                        s->n_repeated, s->n_repeated == 1 ? " has" : "s have", s->repeated);
    report_molecules(report, s, DATA_NOTE_INFO);
    if (!s->is_bare)
        reader_report_columns(report, table_spelled(&s->table), s->table.path);
}

static int next_piece(struct dataset *out, void *state, int32_t most, struct data_report *report,
                      struct err *err)
{
    struct smiles *s = state;

    s->first = s->ids.n;
    s->molecules.n_atoms = 0;
    edges_release(&s->molecules.bonds);
    target_release(&s->target);
    if (read_rows(s, most, err))
        return -1;
    report->n_skipped = (int32_t)s->skipped.n;
    if (s->ids.n == s->first) {
        report_new(report, s);
        return 0;
    }
    if (edges_finish(&s->molecules.bonds, err) ||
        target_absent(&s->target, s->ids.n - s->first, err) || build(out, s, err))
        return -1;
    return 1;
}

static void set_new_path(struct data_spec *spec, const char *path)
{
    spec->molecules = path;
}

static const struct data_pieces pieces = {open_pieces, next_piece, close_pieces};

const struct data_format smiles_format = {
    .name = "smiles",
    .sample_word = "molecules",
    .feature_word = "features of atoms and bonds",
    .samples = DATA_GRAPHS,
    .has_groups = true,
    .same = "features of atoms and neighbours (without stereo and isotopes)",
    .settings = {{"molecules", true, "a table with a molecule in each row"},
                 {.key = "smiles", .is_required = true},
                 {.key = "id"},
                 {.key = "trait"},
                 {.key = "missing"},
                 {.key = "skip_invalid"}},
    .load = load,
    .new_option = "graphs",
    .set_new_path = set_new_path,
    .pieces = &pieces,
    .files = {{.first = "molecules"}},
    .trait_table = "molecules",
    .proposal = {.learning_rate = "0.003 0.01",
                 .dropout = "0.2",
                 .layers = "3 5",
                 .pool = "sum mean",
                 .hidden_size = "64"},
};
