#include "gcn/inputs_pack.h"

#include <string.h>

#include "base/hash.h"

#define MAGIC "esp-gcni"
#define VERSION 2
#define ALIGNMENT 64

/* A member was added to struct gcn_inputs: if it is a pointer, or holds some, walk() must know
 * them; then the size here follows. */
#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(struct gcn_inputs) == 272, "walk() must know every array of gcn_inputs");
#endif

struct header {
    char magic[8];
    uint32_t version;
    uint32_t here; /* bit i: the i-th array is there */
    uint64_t bytes;
    uint64_t digest_high;
    uint64_t digest_low;
    /* All that follows is digested. */
    struct gcn_inputs inputs;
};

/* One pass over the arrays of `inputs`, a copy of the struct. */
struct walk {
    /* COUNT bytes, COPY arrays into the block, CLEAR where they were, POINT into the block. */
    enum { COUNT, COPY, CLEAR, POINT } what;
    char *block;
    size_t size; /* POINT: of the block */
    size_t at;
    uint32_t here;
    int i; /* arrays passed in this walk */
    bool failed;
};

static size_t aligned(size_t n)
{
    return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void point(struct walk *w, void **array, size_t bytes)
{
    *array = NULL;
    if (w->failed || bytes > w->size - w->at) {
        w->failed = true;
        return;
    }
    *array = w->block + w->at;
}

static void walk_array(struct walk *w, void **array, size_t bytes)
{
    uint32_t bit = (uint32_t)1 << w->i++;

    if (w->what == POINT ? !(w->here & bit) : !*array) {
        *array = NULL;
        return;
    }
    w->here |= bit;
    if (w->what == COPY && bytes) {
        memcpy(w->block + w->at, *array, bytes);
        memset(w->block + w->at + bytes, 0, aligned(bytes) - bytes); /* it is digested too */
    }
    if (w->what == CLEAR)
        *array = NULL;
    if (w->what == POINT)
        point(w, array, bytes);
    if (!w->failed)
        w->at += aligned(bytes);
}

#define WALK(w, member, n)                                        \
    do {                                                          \
        void *array_ = (member);                                  \
        walk_array((w), &array_, (size_t)(n) * sizeof *(member)); \
        (member) = array_;                                        \
    } while (0)

static void walk_mat(struct walk *w, struct mat *m)
{
    WALK(w, m->v, mat_size(m));
}

static void walk_csr(struct walk *w, struct csr *a)
{
    int64_t nnz;

    WALK(w, a->row_start, a->n_rows + 1);
    nnz = a->row_start ? csr_nnz(a) : 0;
    WALK(w, a->col, nnz);
    WALK(w, a->val, nnz);
}

static void walk_coded(struct walk *w, struct coded *c)
{
    WALK(w, c->column, c->n_groups + 1);
    WALK(w, c->entry, c->n_groups + 1);
    WALK(w, c->base, c->n_cols);
    WALK(w, c->parent, c->n_entries);
    WALK(w, c->item, c->n_entries + 1);
    WALK(w, c->item_column, c->n_items);
    WALK(w, c->item_delta, c->n_items);
    WALK(w, c->code, coded_code_bytes(c));
    WALK(w, c->run_start, c->n_entries + 1);
    WALK(w, c->run, (size_t)c->n_groups * (size_t)c->n_rows);
}

static void walk(struct walk *w, struct gcn_inputs *inputs)
{
    w->at = aligned(sizeof(struct header));
    w->i = 0;
    walk_csr(w, &inputs->a_hat);
    walk_mat(w, &inputs->x);
    walk_csr(w, &inputs->x_sparse);
    walk_mat(w, &inputs->ax);
    walk_csr(w, &inputs->ax_sparse);
    walk_coded(w, &inputs->coded);
    WALK(w, inputs->kernel, (size_t)inputs->n_kernel * (size_t)inputs->n_kernel);
}

size_t gcn_inputs_packed_bytes(const struct gcn_inputs *inputs)
{
    struct walk w = {.what = COUNT};
    struct gcn_inputs copy = *inputs;

    walk(&w, &copy);
    return w.at;
}

static struct hash digest_of(const void *block, size_t bytes)
{
    size_t skip = offsetof(struct header, inputs);

    return hash_bytes((const char *)block + skip, bytes - skip);
}

void gcn_inputs_pack(void *block, const struct gcn_inputs *inputs)
{
    struct header *header = block;
    struct walk w = {.what = COPY, .block = block};
    struct hash digest;

    memset(block, 0, aligned(sizeof *header));
    memcpy(header->magic, MAGIC, sizeof header->magic);
    header->version = VERSION;
    header->inputs = *inputs;
    walk(&w, &header->inputs);
    header->here = w.here;
    header->bytes = w.at;
    w.what = CLEAR;
    walk(&w, &header->inputs);
    header->inputs.data = NULL;
    header->inputs.is_view = false;
    digest = digest_of(block, header->bytes);
    header->digest_high = digest.high;
    header->digest_low = digest.low;
}

static int check_header(const struct header *header, size_t bytes, struct err *err)
{
    if (bytes < aligned(sizeof *header) || memcmp(header->magic, MAGIC, sizeof header->magic) != 0)
        return err_set(err, "inputs block: does not begin with a header");
    if (header->version != VERSION)
        return err_set(err, "inputs block: version %u: this program reads version %d",
                       header->version, VERSION);
    if (header->bytes != bytes)
        return err_set(err, "inputs block: %zu bytes: its header says %llu", bytes,
                       (unsigned long long)header->bytes);
    if (!hash_equal(digest_of(header, bytes),
                    (struct hash){header->digest_high, header->digest_low}))
        return err_set(err, "inputs block: damaged, its digest does not match");
    return 0;
}

int gcn_inputs_view(struct gcn_inputs *inputs, const struct dataset *data, const void *block,
                    size_t bytes, struct err *err)
{
    const struct header *header = block;
    /* struct gcn_inputs has no read-only form; nobody writes to inputs. */
    struct walk w = {.what = POINT, .block = (char *)(uintptr_t)block, .size = bytes};

    if (check_header(header, bytes, err))
        return -1;
    *inputs = header->inputs;
    inputs->data = data;
    inputs->is_view = true;
    w.here = header->here;
    walk(&w, inputs);
    if (!w.failed && w.at == bytes)
        return 0;
    *inputs = (struct gcn_inputs){0};
    return err_set(err, "inputs block: %zu bytes do not hold its arrays", bytes);
}
