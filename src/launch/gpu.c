/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch/gpu.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/batch.h"
#include "launch/host.h"

/* The GPUs that this process sees without its environment. */
struct machine {
    struct gpu_list whole; /* by index */
    struct gpu_list parts; /* the same, with the MIG devices of a GPU in its place */
};

static void add(struct gpu_list *list, const char *name, const char *id)
{
    if (list->n == GPU_MAX)
        return;
    snprintf(list->gpus[list->n].name, GPU_NAME, "%s", name);
    snprintf(list->gpus[list->n++].id, GPU_NAME, "%s", id);
}

static void add_index(struct gpu_list *list, int32_t index, const char *id)
{
    char name[16];

    snprintf(name, sizeof name, "%d", index);
    add(list, name, id ? id : name);
}

static bool is_index(const char *name)
{
    return *name && !name[strspn(name, "0123456789")];
}

/* ---- listings ---- */

/* A name of a GPU has neither blanks nor commas. */
static bool is_name(const char *name)
{
    size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:");

    return *name && !name[n] && n < GPU_NAME;
}

/* "GPU 0: NVIDIA A100 (UUID: GPU-...)", below it "  MIG 1g.5gb     Device  0: (UUID: MIG-...)". */
static void read_nvidia_line(struct machine *m, const char *line)
{
    const char *uuid = strstr(line, "(UUID: ");
    char id[GPU_NAME];
    bool is_part = strstr(line, "MIG ") == line + strspn(line, " \t") && m->whole.n;

    if (!uuid || sscanf(uuid, "(UUID: %63[^)]", id) != 1 || !is_name(id))
        return;
    if (!strncmp(line, "GPU ", 4)) {
        add_index(&m->whole, m->whole.n, id);
        add_index(&m->parts, m->whole.n - 1, id);
    } else if (is_part) {
        if (m->parts.n &&
            !strcmp(m->parts.gpus[m->parts.n - 1].id, m->whole.gpus[m->whole.n - 1].id))
            m->parts.n--;
        add(&m->parts, id, id);
    }
}

/* "GPU[0]		: Unique ID: 0x7f3a..." */
static void read_amd_line(struct machine *m, const char *line)
{
    char id[GPU_NAME];
    int index;

    if (sscanf(line, "GPU[%d] : Unique ID: %63s", &index, id) != 2 || !is_name(id))
        return;
    m->parts.vendor = GPU_AMD;
    add_index(&m->whole, index, id);
    add_index(&m->parts, index, id);
}

static void read_listing(struct machine *m, const char *listing)
{
    size_t n;

    for (const char *at = listing; *at; at += n + (at[n] == '\n')) {
        char line[256];

        n = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", n < sizeof line ? (int)n : (int)sizeof line, at);
        read_nvidia_line(m, line);
        read_amd_line(m, line);
    }
    if (m->whole.n)
        m->parts.source = GPU_OF_LISTING;
}

/* ---- /dev ---- */

static int compare_numbers(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* The numbers N of the files PREFIXN that this process may open, in ascending order. cgroups also
 * forbid access(). */
static int32_t scan(int *numbers, const char *folder, const char *prefix)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int32_t n = 0;

    while (dir && (entry = readdir(dir)) && n < GPU_MAX) {
        const char *number = entry->d_name + strlen(prefix);
        char path[PATH_MAX];

        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 || !is_index(number) ||
            strlen(number) > 6)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (!access(path, R_OK | W_OK))
            numbers[n++] = (int)strtol(number, NULL, 10);
    }
    if (dir)
        closedir(dir);
    qsort(numbers, (size_t)n, sizeof *numbers, compare_numbers);
    return n;
}

static void read_dev(struct machine *m, const char *dev)
{
    const char *prefix = "nvidia";
    int numbers[GPU_MAX];
    char folder[PATH_MAX];
    int32_t n = scan(numbers, dev, prefix);

    snprintf(folder, sizeof folder, "%s/kfd", dev);
    if (!n && !access(folder, R_OK | W_OK)) {
        m->parts.vendor = GPU_AMD;
        prefix = "renderD";
        snprintf(folder, sizeof folder, "%s/dri", dev);
        n = scan(numbers, folder, prefix);
    }
    for (int32_t i = 0; i < n; i++) {
        char id[GPU_NAME];

        snprintf(id, sizeof id, "%s%d", prefix, numbers[i]);
        add_index(&m->whole, i, id);
        add_index(&m->parts, i, id);
    }
    if (n)
        m->parts.source = GPU_OF_DEV;
}

/* ---- the environment ---- */

struct variable {
    const char *name;
    enum gpu_source source;
    /* Numbers of the host, which are no names where cgroups hide GPUs. */
    bool is_global;
};

static const struct variable variables[] = {
    {"CUDA_VISIBLE_DEVICES", GPU_OF_CUDA, false},
    {"ROCR_VISIBLE_DEVICES", GPU_OF_ROCR, false},
    {"HIP_VISIBLE_DEVICES", GPU_OF_HIP, false},
    {"SLURM_STEP_GPUS", GPU_OF_SLURM_STEP, true},
    /* under srun those of the first node */
    {"SLURM_JOB_GPUS", GPU_OF_SLURM_JOB, true},
    {"GPU_DEVICE_ORDINAL", GPU_OF_ORDINAL, false},
    {"CUDA_VISIBLE_DEVICES_ORIG", GPU_OF_LSF, true},
};

enum { N_VARIABLES = sizeof variables / sizeof *variables };

/* Slurm sets the variables of all vendors unless gres.conf says otherwise. An empty value of the
 * vendors' own variables hides all GPUs. NULL: none is set; value out: "". */
static const struct variable *find_variable(const char **value, const struct gpu_inputs *in,
                                            bool is_amd)
{
    bool skips_cuda = is_amd && in->env("ROCR_VISIBLE_DEVICES");

    for (int32_t i = skips_cuda; i < N_VARIABLES; i++) {
        *value = in->env(variables[i].name);
        if (*value && (**value || variables[i].source <= GPU_OF_HIP))
            return &variables[i];
    }
    *value = "";
    return NULL;
}

static bool has_name(const struct gpu_list *list, const char *name)
{
    for (int32_t i = 0; i < list->n; i++)
        if (!strcmp(list->gpus[i].name, name))
            return true;
    return false;
}

/* As CUDA does, read up to the first word that is no GPU, such as -1 or NoDevFiles. */
static void read_names(struct gpu_list *list, const char *value)
{
    size_t n;

    for (const char *at = value + strspn(value, " "); *at; at += n + strspn(at + n, ", ")) {
        char word[GPU_NAME];

        n = strcspn(at, ", ");
        snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : 0, at);
        if (!is_name(word) ||
            (!is_index(word) && strncmp(word, "GPU-", 4) != 0 && strncmp(word, "MIG-", 4) != 0))
            return;
        if (!has_name(list, word))
            add(list, word, word);
    }
}

/* CUDA accepts the beginning of a UUID. */
static void find_ids(struct gpu_list *list, const struct machine *m)
{
    for (int32_t i = 0; i < list->n; i++) {
        struct gpu *gpu = &list->gpus[i];
        size_t size = strlen(gpu->name);
        int index = is_index(gpu->name) && size < 6 ? (int)strtol(gpu->name, NULL, 10) : GPU_MAX;

        if (index < m->whole.n)
            memcpy(gpu->id, m->whole.gpus[index].id, GPU_NAME);
        for (int32_t k = 0; k < m->parts.n && !is_index(gpu->name); k++)
            if (!strncmp(m->parts.gpus[k].id, gpu->name, size))
                memcpy(gpu->id, m->parts.gpus[k].id, GPU_NAME);
    }
}

void gpu_find(struct gpu_list *list, const struct gpu_inputs *in)
{
    struct machine m = {.parts = {.vendor = GPU_NVIDIA}};
    const struct variable *v;
    const char *value;

    if (in->listing)
        read_listing(&m, in->listing);
    if (!m.whole.n)
        read_dev(&m, in->dev);
    v = find_variable(&value, in, m.parts.vendor == GPU_AMD);
    *list = m.parts;
    if (!v)
        return;
    *list = (struct gpu_list){.vendor = m.parts.vendor, .source = v->source};
    if (v->source == GPU_OF_ROCR || v->source == GPU_OF_HIP)
        list->vendor = GPU_AMD;
    read_names(list, value);
    if (v->is_global && list->n && list->n == m.whole.n)
        memcpy(list->gpus, m.whole.gpus, sizeof list->gpus);
    find_ids(list, &m);
}

bool gpu_wants_listing(const struct gpu_inputs *in)
{
    const char *value;

    return !find_variable(&value, in, false) || isdigit((unsigned char)value[strspn(value, " ")]);
}

void gpu_look(struct gpu_list *list)
{
    static const char *const nvidia[] = {"nvidia-smi", "-L", NULL};
    static const char *const amd[] = {"rocm-smi", "--showuniqueid", NULL};
    const char *const *program = host_has_program(nvidia[0]) ? nvidia : amd;
    struct gpu_inputs in = {.env = getenv, .dev = "/dev"};
    struct buf listing = {0};

    if (gpu_wants_listing(&in) && host_has_program(program[0]) &&
        !batch_command_read(&listing, program, GPU_LISTING_S))
        in.listing = buf_text(&listing);
    gpu_find(list, &in);
    buf_release(&listing);
}

void gpu_state(struct gpu_list *list, int32_t per_host)
{
    if (list->source >= GPU_OF_CUDA && list->source <= GPU_OF_HIP) {
        list->n = list->n < per_host ? list->n : per_host;
        return;
    }
    list->source = GPU_OF_SETTING;
    list->n = 0;
    for (int32_t i = 0; i < per_host; i++)
        add_index(list, i, NULL);
}

/* ---- lists ---- */

const char *gpu_source_name(const struct gpu_list *list)
{
    for (int32_t i = 0; i < N_VARIABLES; i++)
        if (variables[i].source == list->source)
            return variables[i].name;
    switch (list->source) {
    case GPU_OF_SETTING:
        return "gpus_per_host";
    case GPU_OF_LISTING:
        return list->vendor == GPU_AMD ? "rocm-smi" : "nvidia-smi";
    case GPU_OF_DEV:
        return "/dev";
    default:
        return "";
    }
}

void gpu_list_format(struct buf *out, const struct gpu_list *list)
{
    for (int32_t i = 0; i < list->n; i++)
        buf_printf(out, "%s%s", i ? "," : "", list->gpus[i].name);
}
