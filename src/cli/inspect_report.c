#include "cli/inspect_report.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/inputs.h"
#include "data/core/data_report.h"
#include "data/core/resemblance.h"
#include "run/job.h"

void inspect_put_cell(struct buf *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        buf_puts(out, text);
        return;
    }
    buf_putc(out, '"');
    for (; *text; text++)
        buf_printf(out, *text == '"' ? "\"\"" : "%c", *text);
    buf_putc(out, '"');
}

static int put_ids(struct buf *out, const struct names *ids, const char *file,
                   const struct names *others, struct err *err)
{
    struct resemblance r;
    int rc = resemblance_init(&r, others, err);

    for (int32_t i = 0; !rc && i < ids->n; i++) {
        const char *like = resemblance_find(&r, ids->text[i]);

        inspect_put_cell(out, ids->text[i]);
        buf_putc(out, ',');
        inspect_put_cell(out, file);
        buf_putc(out, ',');
        inspect_put_cell(out, like ? like : "");
        buf_putc(out, '\n');
    }
    resemblance_release(&r);
    return rc;
}

int inspect_unmatched(const char *path, const struct data_unmatched *unmatched,
                      const struct settings *settings, const struct inputs *inputs, struct err *err)
{
    const char *genotypes = settings->v[P_GENOTYPES].s;
    const char *phenotypes = settings->v[P_PHENOTYPES].s;
    struct buf text = {0};
    int rc;

    buf_puts(&text, "id,file,resembles\n");
    rc = put_ids(&text, &unmatched->genotypes, genotypes, &unmatched->phenotypes, err);
    if (!rc)
        rc = put_ids(&text, &unmatched->phenotypes, phenotypes, &unmatched->genotypes, err);
    if (!rc)
        rc = cli_save(path, &text, inputs, err);
    buf_release(&text);
    return rc;
}

/* Counts of every graph; NULL arrays where memory is short, and nothing is said. */
struct counts {
    int64_t *nodes; /* [n] */
    int64_t *edges; /* [n] */
    int32_t n;
    int32_t n_disconnected;
    int32_t n_edgeless; /* of more than one node */
};

/* ---- components ---- */

static int32_t root_of(int32_t *parent, int32_t node)
{
    while (parent[node] != node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

/* parent: scratch of as many as the graph has nodes. */
static int32_t count_components(int32_t *parent, const struct dataset_graph *g)
{
    int32_t n = g->n_nodes;

    for (int32_t i = 0; i < g->n_nodes; i++)
        parent[i] = i;
    for (int64_t e = 0; e < g->n_edges; e++) {
        int32_t a = root_of(parent, g->source[e] - g->edge_base);
        int32_t b = root_of(parent, g->target[e] - g->edge_base);

        n -= a != b;
        parent[a] = b;
    }
    return n;
}

/* ---- counts ---- */

static bool count_all(struct counts *c, const struct dataset *d)
{
    int32_t *parent, n_components = 0;

    *c = (struct counts){.n = d->n_samples};
    c->nodes = malloc((size_t)c->n * sizeof *c->nodes);
    c->edges = malloc((size_t)c->n * sizeof *c->edges);
    parent = malloc((size_t)d->n_nodes * sizeof *parent);
    for (int32_t i = 0; c->nodes && c->edges && parent && i < c->n; i++) {
        struct dataset_graph g = dataset_graph(d, i);

        if (i == 0 || !d->is_alike)
            n_components = count_components(parent, &g);
        c->nodes[i] = g.n_nodes;
        c->edges[i] = g.n_edges;
        c->n_disconnected += n_components > 1;
        c->n_edgeless += g.n_nodes > 1 && g.n_edges == 0;
    }
    free(parent);
    return c->nodes && c->edges && parent;
}

static int compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

/* Sorts them. */
static void print_range(const char *what, int64_t *count, int32_t n)
{
    int64_t sum = 0;

    qsort(count, (size_t)n, sizeof *count, compare);
    for (int32_t i = 0; i < n; i++)
        sum += count[i];
    cli_printf("%-11s %lld, in a graph %lld to %lld, median %g", what, (long long)sum,
               (long long)count[0], (long long)count[n - 1],
               0.5 * (double)(count[n / 2] + count[(n - 1) / 2]));
}

static void print_counts(struct counts *c, const struct data_report *r)
{
    print_range("nodes", c->nodes, c->n);
    cli_printf("\n");
    print_range("edges", c->edges, c->n);
    cli_printf("; %lld duplicates and %lld self loops dropped\n", (long long)r->n_duplicate_edges,
               (long long)r->n_self_loops);
    cli_printf("components  %d graph%s with more than one, %d of them without an edge\n",
               c->n_disconnected, c->n_disconnected == 1 ? "" : "s", c->n_edgeless);
}

/* ---- what was read ---- */

/* The memory is that of every process. */
static void print_features(const struct dataset *d)
{
    double rows = d->n_nodes, width = d->n_markers;
    double bytes = rows * width * (d->dosage || d->code ? 1 : sizeof(float));
    const char *form = d->dosage ? "small integers" : d->code ? "bytes" : "floats";

    cli_printf("features    %d of a node, %s", d->n_features, form);
    if (d->n_markers < d->n_features)
        cli_printf(" (%d of them by place, held once)", d->n_features - d->n_markers);
    cli_printf(", %.1f MB\n", bytes / 1e6);
}

void inspect_graphs(const struct job *job)
{
    struct counts counts;

    print_features(&job->data);
    if (count_all(&counts, &job->data))
        print_counts(&counts, &job->report);
    free(counts.nodes);
    free(counts.edges);
}
