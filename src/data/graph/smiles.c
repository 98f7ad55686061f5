/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/graph/smiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "data/core/data_report.h"
#include "data/core/membership.h"
#include "data/core/reader.h"
#include "data/core/target.h"
#include "data/graph/molecule.h"
#include "data/text/file_names.h"
#include "data/text/lines.h"
#include "data/text/stream.h"

/* Bytes that suffice to examine the first line. */
enum { HEAD_BYTES = 1 << 14 };

/* ---- which files are SMILES files ---- */

static char *skip_mark(char *text)
{
    return text + stream_mark_bytes(text, strlen(text));
}

/* Cut off the first line with content, in place; "" if there is none. */
static char *first_line(char *text)
{
    text = skip_mark(text);
    while (*text == '\n' || *text == '\r' || *text == '#')
        text += *text == '#' ? strcspn(text, "\r\n") : 1;
    text[strcspn(text, "\r\n")] = '\0';
    return text;
}

static bool has_cell(const char *line, const char *name, const char *separators)
{
    size_t n = strlen(name);

    while (*line) {
        size_t length = strcspn(line, separators);
        bool is_quoted = length > 1 && *line == '"' && line[length - 1] == '"';

        if (length - 2 * is_quoted == n && !strncmp(line + is_quoted, name, n))
            return true;
        line += length;
        line += *line != '\0';
    }
    return false;
}

bool smiles_is_bare(const char *path, const char *column)
{
    char head[HEAD_BYTES];
    const char *line;

    if (!file_names_end_like(path, ".smi") && !file_names_end_like(path, ".smi.gz"))
        return false;
    stream_peek(head, sizeof head, path);
    line = first_line(head);
    return *line && !has_cell(line, column, "\t,;") && !has_cell(line, column, "\t,; ");
}

/* ---- SMILES files ---- */

enum { SMI_SMILES, SMI_NAME, SMI_CELLS };

struct smi {
    struct lines lines; /* only path and line are used */
    bool is_begun;
    char *cell[SMI_CELLS]; /* of the current line, "" where absent; valid until the next call */
};

/* Pair with smi_close() after success. -1 and err like lines_open(). */
static int smi_open(struct smi *s, const char *path, struct err *err)
{
    memset(s, 0, sizeof *s);
    return lines_open(&s->lines, path, err);
}

static void smi_close(struct smi *s)
{
    if (s)
        lines_close(&s->lines);
}

static void cut(struct smi *s, char *text)
{
    char *name = text + strcspn(text, " \t");
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

/* Step to the next molecule: 1, or 0 at the end. -1 and err for a carriage return inside a line, or
 * like lines_next_whole(). */
static int smi_next(struct smi *s, struct err *err)
{
    struct lines *l = &s->lines;
    bool is_title = true;
    int status = 1;

    while (is_title && (status = lines_next_whole(l, err)) > 0) {
        char *text = l->line == 1 ? skip_mark(l->cell[0]) : l->cell[0];

        if (strchr(text, '\r'))
            return lines_fault(err, l, "a carriage return inside the line: must end in LF or CRLF");
        if (!*text || *text == '#')
            continue;
        cut(s, text);
        is_title = !s->is_begun && !strcasecmp(s->cell[SMI_SMILES], "SMILES");
        s->is_begun = true;
    }
    return status;
}

/* ---- tables of molecules ---- */

/* Reads a table with a molecule in each row, or a SMILES file as a table of two columns. Molecules
 * for a model are read in pieces: ids cover all rows so far, the rest only the piece. */

/* Most skipped rows that are named. */
enum { MOST_SKIPPED = 8 };

struct smiles {
    const struct data_spec *spec; /* borrowed */
    struct table table;           /* for a SMILES file only names and the row */
    bool is_bare;                 /* the input is a SMILES file */
    struct smi smi;
    int32_t smiles, id, trait; /* columns; id -1: rows are numbered; trait -1: not read */
    bool needs_trait;          /* trait is not set and several columns qualify */
    int64_t n_rows;
    int32_t n_skipped;                  /* rows that could not be parsed */
    int64_t skipped_line[MOST_SKIPPED]; /* lines of the first of these */
    struct names ids;
    int32_t first; /* first molecule of the piece, among ids */
    struct molecules molecules;
    int64_t *graph_start; /* [molecules of the piece + 1] */
    int32_t capacity;
    struct target_cells cells;
    struct target target;
    struct membership membership;
};

static void smiles_release(struct smiles *s)
{
    membership_release(&s->membership);
    target_release(&s->target);
    target_cells_release(&s->cells);
    free(s->graph_start);
    molecules_release(&s->molecules);
    names_release(&s->ids);
    smi_close(&s->smi);
    table_close(&s->table);
}

/* ---- columns ---- */

static const char *smiles_name(const struct data_spec *spec)
{
    return spec->smiles && *spec->smiles ? spec->smiles : "smiles";
}

static int find_column(int32_t *out, const struct table *t, const char *name, const char *key,
                       struct err *err)
{
    for (int32_t j = 0; j < t->n_cols; j++)
        if (strcmp(t->name[j], name) == 0) {
            *out = j;
            return 0;
        }
    return err_set(err, "%s: no column \"%.80s\" (data.%s): the first column is \"%.80s\"", t->path,
                   name, key, t->name[0]);
}

/* Find the trait. Without a name it is the only remaining column. */
static int find_trait(struct smiles *s, const char *name, struct err *err)
{
    const struct table *t = &s->table;
    int32_t n_left = 0;

    if (name && *name)
        return find_column(&s->trait, t, name, "trait", err);
    for (int32_t j = 0; j < t->n_cols; j++)
        if (j != s->smiles && j != s->id) {
            s->trait = j;
            n_left++;
        }
    if (n_left == 1)
        return 0;
    s->needs_trait = n_left > 1;
    return err_set(err, "%s: %d columns could be predicted: data.trait must name one", t->path,
                   n_left);
}

static int find_columns(struct smiles *s, struct err *err)
{
    const struct data_spec *spec = s->spec;
    const struct table *t = &s->table;
    bool has_id = spec->id && *spec->id;

    s->id = s->trait = -1;
    if (find_column(&s->smiles, t, smiles_name(spec), "smiles", err) ||
        (has_id && find_column(&s->id, t, spec->id, "id", err)) ||
        (!spec->like && find_trait(s, spec->trait, err)))
        return -1;
    if (s->smiles == s->trait || s->smiles == s->id || (s->trait >= 0 && s->trait == s->id))
        return err_set(err,
                       "%s: column \"%.80s\" is used for more than one of smiles, trait and id",
                       t->path, t->name[s->smiles == s->trait ? s->smiles : s->id]);
    return 0;
}

/* ---- rows ---- */

static int add_id(struct smiles *s, struct err *err)
{
    const struct table *t = &s->table;
    char number[24];
    const char *id = number;
    int32_t known;

    snprintf(number, sizeof number, "%lld", (long long)s->n_rows);
    if (s->id >= 0 && (*t->cell[s->id] || !s->is_bare))
        id = t->cell[s->id];
    if (!*id)
        return table_fault(err, t, "the id in column \"%.80s\" is empty", t->name[s->id]);
    known = names_find(&s->ids, id);
    if (known >= 0)
        return table_fault(err, t, "id \"%.80s\" occurs twice, first on line %lld", id,
                           (long long)names_line(&s->ids, known));
    return names_add(&s->ids, id, t->line, err) < 0 ? -1 : 0;
}

static int end_graph(struct smiles *s, struct err *err)
{
    int32_t n = s->ids.n - s->first;

    if (n >= s->capacity) {
        int32_t capacity = 2 * s->capacity + 1024;
        int64_t *grown = realloc(s->graph_start, ((size_t)capacity + 1) * sizeof *grown);

        if (!grown)
            return err_nomem(err, "molecules", (size_t)capacity * sizeof *grown);
        grown[0] = 0;
        s->graph_start = grown;
        s->capacity = capacity;
    }
    s->graph_start[n] = s->molecules.n_atoms;
    return 0;
}

/* Count the row if this is allowed, and keep the first ones for the report. */
static int skip(struct smiles *s, const struct err *why, struct err *err)
{
    const struct table *t = &s->table;
    char hint[160] = "";

    if (s->is_bare && s->n_rows == 1)
        snprintf(hint, sizeof hint, "; a header would have a column \"%.80s\" (data.smiles)",
                 smiles_name(s->spec));
    if (!s->spec->skip_invalid)
        return table_fault(
            err, t,
            "row %lld: \"%.80s\" cannot be parsed as a molecule: %.300s; %s skips such rows%s",
            (long long)s->n_rows, t->cell[s->smiles], why->text,
            s->spec->like ? "--set skip_invalid=yes" : "data.skip_invalid = yes", hint);
    if (s->n_skipped < MOST_SKIPPED)
        s->skipped_line[s->n_skipped] = t->line;
    s->n_skipped++;
    return 0;
}

static int read_row(struct smiles *s, struct err *err)
{
    const struct table *t = &s->table;
    struct err why = {""};
    int status = molecules_add(&s->molecules, t->cell[s->smiles], &why);

    s->n_rows++;
    if (status < 0) {
        *err = why;
        return err_wrap(err, "%s", t->path);
    }
    if (!status)
        return skip(s, &why, err);
    if (add_id(s, err) || end_graph(s, err))
        return -1;
    if (s->trait < 0)
        return 0;
    return target_cells_set(&s->cells, s->ids.n - 1, t->cell[s->trait], t->line, err);
}

static int next_row(struct smiles *s, struct err *err)
{
    int status = s->is_bare ? smi_next(&s->smi, err) : table_next(&s->table, err);

    if (s->is_bare)
        s->table.line = s->smi.lines.line;
    return status;
}

static int read_rows(struct smiles *s, int32_t most, struct err *err)
{
    int status = 0;

    while (s->ids.n - s->first < most && (status = next_row(s, err)) > 0)
        if (read_row(s, err))
            return -1;
    if (!status && s->ids.n == 0)
        return err_set(err, "%s: no molecules%s; %d cannot be parsed", s->table.path,
                       s->is_bare ? "" : " after the header", s->n_skipped);
    return status < 0 ? -1 : 0;
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
    pairs_into(&draft, &s->molecules.bonds);
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
    if (smi_open(&s->smi, path, err))
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
    if (file_names_end_like(spec->molecules, ".sdf") ||
        file_names_end_like(spec->molecules, ".mol"))
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

static void report_facts(struct data_report *report, const struct smiles *s)
{
    char first[40] = "";

    if (s->n_skipped)
        snprintf(first, sizeof first, ", the first on line %lld", (long long)s->skipped_line[0]);
    data_report_add(report, DATA_NOTE_FACT, "skipped", "%d molecule%s that cannot be parsed%s",
                    s->n_skipped, s->n_skipped == 1 ? "" : "s", first);
    data_report_add(report, DATA_NOTE_FACT, "valences",
                    "%d atom%s with an impossible valence, counted without hydrogens",
                    s->molecules.n_bad_valence, s->molecules.n_bad_valence == 1 ? "" : "s");
}

static int load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
                struct err *err)
{
    struct smiles s;
    int rc =
        open_table(&s, spec, err) ||
        target_cells_init(&s.cells, 0, s.table.path, s.table.name[s.trait], err) ||
        read_rows(&s, INT32_MAX, err) || target_read_decimal(&s.cells, s.table.separator, err) ||
        pairs_finish(&s.molecules.bonds, err) ||
        target_make(&s.target, &s.cells, spec->task, true, err) ||
        membership_read(&s.membership, spec, &s.ids, spec->molecules, NULL, NULL, &s.target, err) ||
        build(out, &s, err);

    report->unset = s.needs_trait ? "trait" : NULL;
    report->n_skipped = s.n_skipped;
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

static void forget_piece(struct smiles *s)
{
    s->first = s->ids.n;
    s->molecules.n_atoms = 0;
    pairs_release(&s->molecules.bonds);
    target_release(&s->target);
}

static void report_new(struct data_report *report, const struct smiles *s)
{
    struct buf lines = {0};

    for (int32_t i = 0; i < s->n_skipped && i < MOST_SKIPPED; i++)
        buf_printf(&lines, "%s%lld", i ? ", " : "", (long long)s->skipped_line[i]);
    if (s->n_skipped)
        data_report_add(report, DATA_NOTE_WARNING, "skipped",
                        "%d molecule%s cannot be parsed and %s no prediction: line %s%s",
                        s->n_skipped, s->n_skipped == 1 ? "" : "s",
                        s->n_skipped == 1 ? "has" : "have", buf_text(&lines),
                        s->n_skipped > MOST_SKIPPED ? " ..." : "");
    if (s->molecules.n_bad_valence)
        data_report_add(report, DATA_NOTE_INFO, "valences",
                        "%d atom%s with an impossible valence, counted without hydrogens",
                        s->molecules.n_bad_valence, s->molecules.n_bad_valence == 1 ? "" : "s");
    buf_release(&lines);
}

static int next_piece(struct dataset *out, void *state, int32_t most, struct data_report *report,
                      struct err *err)
{
    struct smiles *s = state;

    forget_piece(s);
    if (read_rows(s, most, err))
        return -1;
    report->n_skipped = s->n_skipped;
    if (s->ids.n == s->first) {
        report_new(report, s);
        return 0;
    }
    if (pairs_finish(&s->molecules.bonds, err) ||
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
    .samples = DATA_GRAPHS,
    .settings = {{"molecules", true, "a table with a molecule in each row"},
                 {.key = "smiles", .is_required = true},
                 {.key = "id"},
                 {.key = "trait"},
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
