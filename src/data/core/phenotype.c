/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/phenotype.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "data/core/reader.h"
#include "data/core/target.h"
#include "data/text/file_names.h"

struct reading {
    struct phenotype *p;
    struct table table;
    struct names missing;
    int32_t id, trait; /* -1: not read */
    int32_t *fixed;    /* [n_fixed] */
    const struct names *ids;
    const struct joined_ids *source;
    struct names listed; /* ids of the table */
    struct id_join join;
    bool *has_row;     /* [ids->n] */
    struct names left; /* ids with a value and without genotypes */
    struct phenotype_report *report;
};

/* ---- which columns ---- */

static bool is_free(const void *reading, int32_t col)
{
    const struct reading *r = reading;

    return col != r->id && (col > 0 || !reader_has_family(&r->table));
}

/* A number among the names indicates a missing header. */
static const char *hint(const struct reading *r, const char *name)
{
    const struct table *t = &r->table;
    double v;

    if (name && r->id >= 0 && equality_pick((const char *const *)&t->name[r->id], 1, -1, name) == 0)
        return "; this one was taken for the ids: set data.id (--set id=NAME) to the column of ids";

    for (int32_t j = 0; j < t->n_cols; j++)
        if (table_parse_number(&v, t->name[j]))
            return "; is this line a sample? A header must come first, such as FID IID TRAIT";
    return "";
}

/* Always -1. */
static int no_column(const struct reading *r, const char *what, const char *name,
                     const char *setting, struct err *err)
{
    struct buf columns = {0};

    table_put_columns(&columns, &r->table, name, is_free, r);
    table_fault(err, &r->table, "no %s \"%.80s\": %s must be one of %s%s", what, name, setting,
                buf_text(&columns), hint(r, name));
    buf_release(&columns);
    return -1;
}

static int32_t find_trait(const struct reading *r, const char *trait, struct err *err)
{
    const struct table *t = &r->table;
    struct buf columns = {0};
    int32_t found = TABLE_NO_COLUMN, n_free = 0;

    for (int32_t j = 0; j < t->n_cols; j++)
        if (is_free(r, j)) {
            found = j;
            n_free++;
        }
    if (n_free == 0)
        return table_fault(err, t, "%s: must be an id and at least one trait",
                           t->n_cols == 1 ? "one column" : "two columns, FID and IID");
    if (trait && *trait) {
        found = table_column(t, trait, r->id, err);
        return found == TABLE_NO_COLUMN ? no_column(r, "trait", trait, "data.trait", err) : found;
    }
    if (n_free == 1 && *hint(r, NULL))
        return table_fault(err, t, "the only trait is \"%.80s\"%s (or set data.trait to it)",
                           t->name[found], hint(r, NULL));
    if (n_free == 1)
        return found;
    r->report->unset = "trait";
    table_put_columns(&columns, t, NULL, is_free, r);
    table_fault(err, t, "several traits: set data.trait to one of %s%s", buf_text(&columns),
                hint(r, NULL));
    buf_release(&columns);
    return -1;
}

char *phenotype_strip_factor(char *text, bool *is_factor)
{
    size_t n = strlen(text), open = strlen("factor(");

    *is_factor = n > open && !strncmp(text, "factor(", open) && text[n - 1] == ')';
    if (!*is_factor)
        return text;
    text[n - 1] = '\0';
    names_unquote(text + open);
    return text + open;
}

static int find_fixed(struct reading *r, int32_t k, const char *listed, struct err *err)
{
    const struct table *t = &r->table;
    char *copy = strdup(listed);
    const char *name = copy ? phenotype_strip_factor(copy, &r->p->is_factor[k]) : NULL;
    int rc = -1;

    if (!copy)
        return err_nomem(err, "fixed effects", strlen(listed) + 1);
    /* R's model.frame() names a column factor(site). */
    r->fixed[k] = table_column(t, listed, r->id, err);
    if (r->fixed[k] != TABLE_NO_COLUMN)
        name = listed;
    else if (r->p->is_factor[k])
        r->fixed[k] = table_column(t, name, r->id, err);
    if (r->fixed[k] == TABLE_NO_COLUMN)
        no_column(r, "column", name, "each of data.fixed", err);
    else if (r->fixed[k] == r->trait)
        table_fault(err, t, "data.fixed: \"%.80s\" is the trait itself", name);
    else if (r->fixed[k] >= 0)
        rc = target_cells_init(&r->p->fixed[k], r->ids->n, t->path, name, err);
    free(copy);
    return rc;
}

static int find_all_fixed(struct reading *r, const char *listed, struct err *err)
{
    struct names list = {0};
    int rc = names_split(&list, listed, "data.fixed", err);
    size_t n = (size_t)list.n;

    if (!rc && n) {
        r->p->fixed = calloc(n, sizeof *r->p->fixed);
        r->p->is_factor = calloc(n, sizeof *r->p->is_factor);
        r->fixed = calloc(n, sizeof *r->fixed);
        if (!r->p->fixed || !r->p->is_factor || !r->fixed)
            rc = err_nomem(err, "fixed effects", n * sizeof *r->p->fixed);
        else
            r->p->n_fixed = list.n;
    }
    for (int32_t k = 0; !rc && k < list.n; k++)
        rc = find_fixed(r, k, list.text[k], err);
    names_release(&list);
    return rc;
}

/* ---- a missing header ---- */

/* Always -1. found: why the first line is none. */
static int no_header(const struct table *t, const char *found, const struct names *ids,
                     struct err *err)
{
    bool has_family =
        t->n_cols > 2 && (!strcmp(t->name[0], t->name[1]) || names_find(ids, t->name[1]) >= 0);
    const char plain[] = {t->separator, '\0'};
    const char *apart = t->separator == '\t' ? "<TAB>" : plain;
    struct buf header = {0};

    buf_printf(&header, has_family ? "FID%sIID" : "id", apart);
    for (int32_t j = 1 + has_family, k = 1; j < t->n_cols && k <= 3; j++, k++)
        buf_printf(&header, t->n_cols == 2 + has_family ? "%strait" : "%strait%d", apart, k);
    table_fault(err, t,
                "%s: the first line must be a header that names the columns: put a line \"%s\"%s "
                "before it",
                found, buf_text(&header), t->n_cols > 4 + has_family ? " and so on" : "");
    buf_release(&header);
    return -1;
}

/* -1 and err if the header is a sample: it has an id, or a value (63.04, -9, NA) instead of a name. */
static int check_header(const struct table *t, int32_t id, const struct names *ids, struct err *err)
{
    char found[160];
    double v;

    if (reader_has_family(t))
        return 0;
    if (file_names_end_in(t->path, ".fam"))
        return table_fault(err, t,
                           "a .fam file has no header: leave out data.phenotypes to predict column "
                           "6 of the .fam beside the .bed, or put a line \"FID IID PAT MAT SEX "
                           "TRAIT\" before a copy of it");
    for (int32_t j = 0; j < t->n_cols; j++) {
        const char *name = t->name[j];
        bool is_number = table_parse_number(&v, name);
        bool can_be_id = j == id || (j == 1 && t->n_cols > 2 && !is_number);

        if (can_be_id && *name && equality_pick(ids->text, ids->n, -1, name) >= 0)
            snprintf(found, sizeof found, "\"%.80s\" is the id of a sample", name);
        else if (j != id && ((*name && table_is_missing(name)) ||
                             (is_number && (v < 0 || v != floor(v))))) /* years may be names */
            snprintf(found, sizeof found, "\"%.80s\" is a value", name);
        else
            continue;
        return no_header(t, found, ids, err);
    }
    return 0;
}

static int find_columns(struct reading *r, const struct data_spec *spec, struct err *err)
{
    const struct table *t = &r->table;

    r->id = reader_id_column(t, spec->id, err);
    if (r->id < 0 || check_header(t, r->id, r->ids, err))
        return -1;
    if (spec->like)
        return find_all_fixed(r, spec->fixed, err);
    r->trait = find_trait(r, spec->trait, err);
    if (r->trait < 0 || target_cells_init(&r->p->trait, r->ids->n, t->path, t->name[r->trait], err))
        return -1;
    if (find_all_fixed(r, spec->fixed, err) ||
        membership_cells_find(&r->p->cells, t, spec, r->id, r->ids->n, err))
        return -1;
    if (r->p->cells.part.column && r->p->cells.part_col == r->trait)
        return table_fault(
            err, t, "split.part: column \"%.80s\" is the trait and cannot divide the samples",
            spec->part);
    return 0;
}

/* ---- rows ---- */

static int keep_row(const struct reading *r, int32_t i, struct err *err)
{
    const struct table *t = &r->table;
    struct phenotype *p = r->p;

    if (r->trait >= 0 && reader_keep_cell(&p->trait, i, t, r->trait, &r->missing, err))
        return -1;
    for (int32_t k = 0; k < p->n_fixed; k++)
        if (reader_keep_cell(&p->fixed[k], i, t, r->fixed[k], &r->missing, err))
            return -1;
    return membership_cells_read(&p->cells, i, t, &r->missing, err);
}

/* New samples (spec->like) have no values. */
static int leave_row(struct reading *r, bool has_value, struct err *err)
{
    struct phenotype_report *report = r->report;
    const char *id = r->table.cell[r->id];

    if (has_value) {
        if (report->n_left < DATA_EXAMPLES)
            snprintf(report->left[report->n_left], sizeof *report->left, "%s", id);
        report->is_foreign_id = report->is_foreign_id || escape_find_invalid(id);
        report->n_left++;
    } else if (r->trait >= 0) {
        return 0;
    }
    return names_add(&r->left, id, r->table.line, err) < 0 ? -1 : 0;
}

static int read_rows(struct reading *r, struct err *err)
{
    struct table *t = &r->table;
    bool is_any_known = false;
    struct buf why = {0};
    int status, rc;

    while ((status = table_next(t, err)) > 0) {
        const char *trait = r->trait >= 0 ? t->cell[r->trait] : "";
        bool has_value = !table_is_missing(trait) && !reader_is_listed(&r->missing, trait);
        const char *id = t->cell[r->id];
        int32_t known = names_find(&r->listed, id), i;

        if (known >= 0)
            return table_fault(
                err, t,
                "id \"%.80s\" occurs twice, first on line %lld; a phenotype table "
                "needs one row for each id: instead of several (environments, years, "
                "replicates), give the mean of each id or the rows of one environment",
                id, (long long)names_line(&r->listed, known));
        if (reader_new_id(&r->listed, t, r->id, err) < 0 || id_join_find(&i, &r->join, id, err) ||
            (i >= 0 ? keep_row(r, i, err) : leave_row(r, has_value, err)))
            return -1;
        if (i >= 0)
            is_any_known = r->has_row[i] = true;
        r->report->n_valued += has_value;
        r->report->n_joined += has_value && i >= 0;
    }
    if (status)
        return -1;
    /* The values of rows that did not join are lost, even if they are few. */
    rc = resemblance_explain(&why, &r->left, t->path, r->source, err);
    if (!rc && !is_any_known)
        rc = err_set(
            err, "%s and %s have no id in common (the first are \"%.80s\" and \"%.80s\")%s%s%s",
            r->source->path, t->path, r->ids->text[0], r->listed.n ? r->listed.text[0] : "",
            t->has_row_names && r->id == 0 && !why.size
                ? ": these ids are row names written by R; set data.id to use another column"
                : "",
            why.size ? ": " : "", buf_text(&why));
    if (!*r->report->unjoined) /* a later reading lacks samples without a value */
        snprintf(r->report->unjoined, sizeof r->report->unjoined, "%s", buf_text(&why));
    buf_release(&why);
    return rc;
}

static int list_unmatched(struct data_unmatched *out, struct reading *r, struct err *err)
{
    if (!out)
        return 0;
    data_unmatched_release(out);
    out->phenotypes = r->left;
    r->left = (struct names){0};
    for (int32_t i = 0; i < r->ids->n; i++)
        if (!r->has_row[i] && names_add(&out->genotypes, r->ids->text[i], 1, err) < 0)
            return -1;
    return 0;
}

/* ---- codes for missing values ---- */

/* The smallest number is suspect if it is a common code and the other values are not negative. */
static void find_suspect(struct phenotype_report *report, const struct target_cells *cells)
{
    static const double codes[] = {-9, -99, -999, -9999};
    struct phenotype_suspect found = {.value = INFINITY};
    bool has_words = false, is_code = false;
    double next = INFINITY;

    for (int32_t i = 0; i < cells->n; i++) {
        double v;

        if (!cells->text[i])
            continue;
        if (!table_parse_number(&v, cells->text[i])) {
            has_words = true;
        } else if (v < found.value) {
            next = found.value;
            found.value = v;
            found.n = 1;
        } else if (v == found.value) {
            found.n++;
        } else {
            next = fmin(next, v);
        }
    }
    for (size_t c = 0; c < sizeof codes / sizeof *codes; c++)
        is_code = is_code || found.value == codes[c];
    if (is_code && next >= 0 && (has_words || isfinite(next)) &&
        report->n_suspects < DATA_EXAMPLES) {
        snprintf(found.column, sizeof found.column, "%s", cells->column);
        report->suspects[report->n_suspects++] = found;
    }
}

/* ---- together ---- */

int phenotype_read(struct phenotype *p, const struct joined_ids *source,
                   const struct data_spec *spec, struct phenotype_report *report, struct err *err)
{
    struct reading r = {
        .p = p, .ids = source->ids, .source = source, .report = report, .trait = TABLE_NO_COLUMN};
    bool is_noted = report->n_absent > 0; /* by an earlier reading */
    int rc = -1;

    memset(p, 0, sizeof *p);
    report->n_valued = report->n_joined = report->n_left = 0;
    report->is_foreign_id = false;
    r.has_row = calloc((size_t)source->ids->n + 1, sizeof *r.has_row);
    if (!r.has_row)
        return err_nomem(err, "ids", (size_t)source->ids->n);
    if (table_open(&r.table, spec->phenotypes, err)) {
        free(r.has_row);
        return -1;
    }
    if (!names_split(&r.missing, spec->missing, "data.missing", err) &&
        !find_columns(&r, spec, err)) {
        r.join = (struct id_join){.ids = r.ids, .path = spec->phenotypes, .col = r.id, .n_cols = 1};
        rc = read_rows(&r, err);
        report->columns = *table_spelled(&r.table);
        if (r.join.count.n)
            report->loose = r.join.count;
        for (int32_t i = 0; i < r.ids->n && !is_noted; i++)
            if (!r.has_row[i] && report->n_absent++ < DATA_EXAMPLES)
                snprintf(report->absent[report->n_absent - 1], sizeof *report->absent, "%s",
                         r.ids->text[i]);
        if (list_unmatched(spec->unmatched, &r, rc ? NULL : err))
            rc = -1;
        if (!rc)
            rc = target_read_decimal(&p->trait, r.table.separator, err);
        for (int32_t k = 0; !rc && k < p->n_fixed; k++)
            if (!p->is_factor[k]) /* factors are words */
                rc = target_read_decimal(&p->fixed[k], r.table.separator, err);
    }
    if (!rc && !report->n_suspects) {
        find_suspect(report, &p->trait);
        for (int32_t k = 0; k < p->n_fixed; k++)
            find_suspect(report, &p->fixed[k]);
    }
    names_release(&r.missing);
    names_release(&r.listed);
    names_release(&r.left);
    id_join_release(&r.join);
    free(r.has_row);
    free(r.fixed);
    table_close(&r.table);
    return rc;
}

void phenotype_release(struct phenotype *p)
{
    if (!p)
        return;
    for (int32_t k = 0; k < p->n_fixed; k++)
        target_cells_release(&p->fixed[k]);
    free(p->fixed);
    free(p->is_factor);
    target_cells_release(&p->trait);
    membership_cells_release(&p->cells);
    memset(p, 0, sizeof *p);
}
