#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "data/markers.h"

/* Half a million names are compared by sorted hashes: a hash table of texts would take as much
 * memory as the names again, several times. */

struct hashed {
    uint64_t hash;
    int32_t marker;
};

static int compare(const void *a, const void *b)
{
    const struct hashed *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->marker > y->marker) - (x->marker < y->marker);
}

static void put_name(struct buf *out, const char *allele, bool is_long)
{
    int n_tabs = 0;

    for (; *allele; allele++) {
        bool is_tab = *allele == '\t';

        n_tabs += is_tab;
        if (n_tabs == 2 && !is_long)
            break;
        buf_putc(out, is_tab ? '_' : *allele);
    }
    buf_putc(out, '\0');
}

static int put_names(struct markers *m, const uint8_t *is_long, struct err *err)
{
    const char *at;

    buf_clear(&m->name_text);
    for (int32_t j = 0; j < m->n; j++)
        put_name(&m->name_text, m->allele[j], is_long[j]);
    if (buf_failed(&m->name_text))
        return err_nomem(err, "names of variants", m->name_text.size);
    at = m->name_text.data;
    for (int32_t j = 0; j < m->n; j++, at += strlen(at) + 1)
        m->name[j] = at;
    return 0;
}

static int alike(const struct markers *m, int32_t i, const char *path, struct err *err)
{
    char text[200];
    size_t n = strnlen(m->allele[i], sizeof text - 1);

    memcpy(text, m->allele[i], n);
    text[n] = '\0';
    for (char *c = text; *c; c++)
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    return err_set(
        err,
        "%s: variant \"%s\" (chromosome, position, alleles) is there twice: must be there "
        "once (`bcftools norm --rm-dup exact` leaves one)",
        path, text);
}

/* Those of equal names get long ones: how many, 0 when all differ. sorted: scratch, [n]. */
static int32_t lengthen(uint8_t *is_long, struct hashed *sorted, const struct markers *m,
                        const char *path, struct err *err)
{
    int32_t n_new = 0;

    for (int32_t j = 0; j < m->n; j++)
        sorted[j] = (struct hashed){hash_text(m->name[j]).low, j};
    qsort(sorted, (size_t)m->n, sizeof *sorted, compare);
    for (int32_t k = 1; k < m->n; k++) {
        int32_t a = sorted[k - 1].marker, b = sorted[k].marker;

        if (sorted[k - 1].hash != sorted[k].hash || strcmp(m->name[a], m->name[b]) != 0)
            continue;
        if (!strcmp(m->allele[a], m->allele[b]))
            return alike(m, a, path, err);
        n_new += !is_long[a] + !is_long[b];
        is_long[a] = is_long[b] = 1;
    }
    return n_new;
}

int markers_name(struct markers *m, const char *path, struct err *err)
{
    size_t n = (size_t)m->n;
    uint8_t *is_long = calloc(n, 1);
    struct hashed *sorted = malloc(n * sizeof *sorted);
    int32_t n_new = -1;

    m->name = malloc(n * sizeof *m->name);
    m->allele = malloc(n * sizeof *m->allele);
    m->id = malloc(n * sizeof *m->id);
    if (!is_long || !sorted || !m->name || !m->allele || !m->id) {
        err_nomem(err, "names of variants", n * sizeof *sorted);
        goto done;
    }
    for (int32_t j = 0; j < m->n; j++) {
        m->allele[j] = m->text.data + m->list[j].text;
        m->id[j] = m->allele[j] + strlen(m->allele[j]) + 1;
    }
    do {
        n_new = put_names(m, is_long, err);
        if (n_new == 0)
            n_new = lengthen(is_long, sorted, m, path, err);
    } while (n_new > 0);
done:
    free(is_long);
    free(sorted);
    return n_new;
}
