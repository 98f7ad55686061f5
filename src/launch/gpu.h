/* SPDX-License-Identifier: BSD-3-Clause */
/* The GPUs that this process may use: those that the environment names (batch system, user), else
 * those that nvidia-smi or rocm-smi lists, else those in /dev.
 *
 * Sources: CUDA C++ Programming Guide, "CUDA Environment Variables"; NVIDIA MIG User Guide; AMD
 * ROCm, "GPU isolation techniques"; Slurm 22.05, gres.html and src/plugins/gres/common; IBM
 * Spectrum LSF 10.1, "GPU access enforcement". */
#ifndef LAUNCH_GPU_H
#define LAUNCH_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "program/gpu_amount.h"

enum gpu_vendor { GPU_NVIDIA, GPU_AMD };

/* Where a list comes from; gpu_sources of gpu.c has the names. */
enum gpu_source {
    GPU_OF_NOTHING, /* no GPU was found */
    GPU_OF_CUDA,    /* CUDA_VISIBLE_DEVICES */
    GPU_OF_ROCR,
    GPU_OF_HIP,
    GPU_OF_SLURM_STEP,
    GPU_OF_SLURM_JOB,
    GPU_OF_ORDINAL,
    GPU_OF_LSF,
    GPU_OF_SETTING, /* gpus_per_host */
    GPU_OF_LISTING, /* nvidia-smi or rocm-smi */
    GPU_OF_DEV
};

enum { GPU_NAME = 64 };

/* Where cgroups hide devices, each process counts those that it sees from 0. So two tasks of Slurm
 * may both have a GPU with the name "0", and only the ids show that these are two GPUs. */
struct gpu {
    char name[GPU_NAME]; /* for CUDA_VISIBLE_DEVICES: "0", "GPU-...", "MIG-..." */
    char id[GPU_NAME];   /* within the host: UUID, "nvidia2" of /dev, or the name */
};

struct gpu_list {
    enum gpu_vendor vendor;
    enum gpu_source source;
    int32_t n;
    struct gpu gpus[GPU_MAX];
};

/* "CUDA_VISIBLE_DEVICES", "nvidia-smi", "/dev" and so on; "" for GPU_OF_NOTHING. */
const char *gpu_source_name(const struct gpu_list *list);

/* Append the names, separated by commas. */
void gpu_list_format(struct buf *out, const struct gpu_list *list);

struct gpu_inputs {
    char *(*env)(const char *name); /* getenv() */
    const char *dev;                /* "/dev" */
    const char *listing; /* of `nvidia-smi -L` or `rocm-smi --showuniqueid`; NULL: none */
};

/* False if a listing would not change the result. */
bool gpu_wants_listing(const struct gpu_inputs *in);

void gpu_find(struct gpu_list *list, const struct gpu_inputs *in);

/* The same for this process. May run nvidia-smi or rocm-smi (posix_spawn()) for GPU_LISTING_S. */
#define GPU_LISTING_S 20.0
void gpu_look(struct gpu_list *list);

/* Apply [resources] gpus_per_host: if the list is from a variable of a GPU's vendor, keep its first
 * per_host GPUs; else replace it by 0 to per_host - 1. */
void gpu_state(struct gpu_list *list, int32_t per_host);

#endif
