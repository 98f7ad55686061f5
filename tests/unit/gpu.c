/* SPDX-License-Identifier: BSD-3-Clause */
#include <sys/stat.h>
#include <unistd.h>

#include "launch/gpu.h"
#include "scratch.h"
#include "unit.h"

/* The environment of a test: NAME, value, ..., NULL. */
static const char *const *environment;

static char *env(const char *name)
{
    for (int i = 0; environment && environment[i]; i += 2)
        if (!strcmp(environment[i], name))
            return (char *)environment[i + 1];
    return NULL;
}

#define ENV(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char four[] = "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-aaaa-0)\n"
                           "GPU 1: NVIDIA A100-SXM4-80GB (UUID: GPU-bbbb-1)\n"
                           "GPU 2: NVIDIA A100-SXM4-80GB (UUID: GPU-cccc-2)\n"
                           "GPU 3: NVIDIA A100-SXM4-80GB (UUID: GPU-dddd-3)\n";

static struct gpu_list found;

/* dev: below the scratch folder. The result is "names source ids vendor". */
static void assert_found(const char *const *variables, const char *dev, const char *listing,
                         const char *expected)
{
    struct gpu_inputs in = {.env = env, .dev = scratch_path(dev), .listing = listing};
    struct buf text = {0};

    environment = variables;
    gpu_find(&found, &in);
    gpu_list_format(&text, &found);
    buf_printf(&text, " %s ", gpu_source_name(&found));
    for (int32_t i = 0; i < found.n; i++)
        buf_printf(&text, "%s%s", i ? "," : "", found.gpus[i].id);
    buf_puts(&text, found.vendor == GPU_AMD ? " amd" : "");
    assert_string_equal(buf_text(&text), expected);
    buf_release(&text);
}

static void touch(const char *name)
{
    FILE *file = fopen(scratch_path(name), "w");

    assert_non_null(file);
    fclose(file);
    assert_int_equal(chmod(scratch_path(name), 0666), 0);
}

static int make_dev(void **state)
{
    static const char *const files[] = {
        "four/nvidia0",        "four/nvidia1",   "four/nvidia2",
        "four/nvidia3",        "four/nvidiactl", "four/nvidia-uvm",
        "four/nvidia7x",       "bound/nvidia10", "bound/nvidia9",
        "bound/nvidia1234567", "amd/kfd",        "amd/dri/renderD128",
        "amd/dri/renderD129",  "amd/dri/card0",  "intel/dri/renderD128"};
    static const char *const folders[] = {"none",    "four",  "bound",    "amd",
                                          "amd/dri", "intel", "intel/dri"};

    if (scratch_make(state) || chmod(scratch_folder, 0755))
        return -1;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_int_equal(mkdir(scratch_path(folders[i]), 0700), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        touch(files[i]);
    return 0;
}

static void test_nothing(void **state)
{
    (void)state;
    assert_found(NULL, "none", NULL, "  ");
    assert_found(NULL, "missing", "", "  ");
    assert_found(NULL, "missing", "No devices found.\n", "  ");
    /* a graphics card without AMD's compute driver */
    assert_found(NULL, "intel", NULL, "  ");
}

static void test_cuda(void **state)
{
    (void)state;
    assert_found(ENV("CUDA_VISIBLE_DEVICES", "0,1"), "none", NULL, "0,1 CUDA_VISIBLE_DEVICES 0,1");
    assert_found(ENV("CUDA_VISIBLE_DEVICES", " 3 , 1,3"), "four", NULL,
                 "3,1 CUDA_VISIBLE_DEVICES nvidia3,nvidia1");
    assert_found(ENV("CUDA_VISIBLE_DEVICES", "2,0"), "four", four,
                 "2,0 CUDA_VISIBLE_DEVICES GPU-cccc-2,GPU-aaaa-0");
    /* an index that does not exist */
    assert_found(ENV("CUDA_VISIBLE_DEVICES", "4,99999999999"), "four", four,
                 "4,99999999999 CUDA_VISIBLE_DEVICES 4,99999999999");
    /* UUIDs, also their beginnings */
    assert_found(ENV("CUDA_VISIBLE_DEVICES", "GPU-bb,GPU-0000"), "none", four,
                 "GPU-bb,GPU-0000 CUDA_VISIBLE_DEVICES GPU-bbbb-1,GPU-0000");
    assert_found(ENV("CUDA_VISIBLE_DEVICES", "MIG-GPU-9de3/2/0"), "none", NULL,
                 "MIG-GPU-9de3/2/0 CUDA_VISIBLE_DEVICES MIG-GPU-9de3/2/0");
}

static void test_hidden(void **state)
{
    static const char *const values[] = {"", "-1", "NoDevFiles", "none", " ", ",0", "-1,0,1"};

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_found(ENV("CUDA_VISIBLE_DEVICES", values[i], "SLURM_JOB_GPUS", "0"), "four", four,
                     " CUDA_VISIBLE_DEVICES ");
    assert_found(ENV("CUDA_VISIBLE_DEVICES", "0,-1,1"), "none", NULL, "0 CUDA_VISIBLE_DEVICES 0");
    assert_found(ENV("CUDA_VISIBLE_DEVICES", "0,\x1b[31m"), "none", NULL,
                 "0 CUDA_VISIBLE_DEVICES 0");
    assert_found(ENV("CUDA_VISIBLE_DEVICES",
                     "0,GPU-0123456789012345678901234567890123456789012345678901234567890123"),
                 "none", NULL, "0 CUDA_VISIBLE_DEVICES 0");
    assert_found(ENV("ROCR_VISIBLE_DEVICES", ""), "amd", NULL, " ROCR_VISIBLE_DEVICES  amd");
    /* the batch system's own variables hide nothing */
    assert_found(ENV("SLURM_STEP_GPUS", "", "GPU_DEVICE_ORDINAL", ""), "none", four,
                 "0,1,2,3 nvidia-smi GPU-aaaa-0,GPU-bbbb-1,GPU-cccc-2,GPU-dddd-3");
}

/* Variables as Slurm 22.05 sets them. */
static void test_slurm(void **state)
{
    static const char second[] = "GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-bbbb-1)\n";

    (void)state;
    /* --gres=gpu:2, without cgroups: the host's numbers */
    assert_found(ENV("CUDA_VISIBLE_DEVICES", "2,3", "SLURM_STEP_GPUS", "2,3"), "four", four,
                 "2,3 CUDA_VISIBLE_DEVICES GPU-cccc-2,GPU-dddd-3");
    /* --gpus-per-task=1 with ConstrainDevices: each task counts from 0, and SLURM_STEP_GPUS is the
     * same in all */
    assert_found(ENV("CUDA_VISIBLE_DEVICES", "0", "SLURM_STEP_GPUS", "0"), "bound", second,
                 "0 CUDA_VISIBLE_DEVICES GPU-bbbb-1");
    assert_found(ENV("CUDA_VISIBLE_DEVICES", "0", "SLURM_STEP_GPUS", "0"), "bound", NULL,
                 "0 CUDA_VISIBLE_DEVICES nvidia9");
    /* gres.conf without the variables of a vendor */
    assert_found(ENV("SLURM_JOB_GPUS", "0", "SLURM_STEP_GPUS", "2,3"), "four", four,
                 "2,3 SLURM_STEP_GPUS GPU-cccc-2,GPU-dddd-3");
    assert_found(ENV("SLURM_STEP_GPUS", "9,10"), "bound", NULL,
                 "0,1 SLURM_STEP_GPUS nvidia9,nvidia10");
    assert_found(ENV("SLURM_JOB_GPUS", "1"), "none", NULL, "1 SLURM_JOB_GPUS 1");
    assert_found(ENV("GPU_DEVICE_ORDINAL", "0,1"), "amd", NULL,
                 "0,1 GPU_DEVICE_ORDINAL renderD128,renderD129 amd");
    /* gres.conf without flags: the variables of all vendors */
    assert_found(
        ENV("CUDA_VISIBLE_DEVICES", "0", "ROCR_VISIBLE_DEVICES", "0", "GPU_DEVICE_ORDINAL", "0"),
        "amd", NULL, "0 ROCR_VISIBLE_DEVICES renderD128 amd");
    assert_found(
        ENV("CUDA_VISIBLE_DEVICES", "0", "ROCR_VISIBLE_DEVICES", "0", "GPU_DEVICE_ORDINAL", "0"),
        "four", four, "0 CUDA_VISIBLE_DEVICES GPU-aaaa-0");
}

static void test_lsf(void **state)
{
    (void)state;
    assert_found(ENV("CUDA_VISIBLE_DEVICES_ORIG", "1,2", "CUDA_VISIBLE_DEVICES", "0,1"), "none",
                 NULL, "0,1 CUDA_VISIBLE_DEVICES 0,1");
    /* mps=yes,nocvd */
    assert_found(ENV("CUDA_VISIBLE_DEVICES_ORIG", "1,2"), "four", NULL,
                 "1,2 CUDA_VISIBLE_DEVICES_ORIG nvidia1,nvidia2");
    assert_found(ENV("CUDA_VISIBLE_DEVICES_ORIG", "9,10"), "bound", NULL,
                 "0,1 CUDA_VISIBLE_DEVICES_ORIG nvidia9,nvidia10");
}

static void test_amd(void **state)
{
    static const char two[] = "======= ROCm System Management Interface =======\n"
                              "GPU[0]\t\t: Unique ID: 0x18f68e602b8a790f\n"
                              "GPU[1]\t\t: Unique ID: 0x2a3b\n";

    (void)state;
    assert_found(ENV("ROCR_VISIBLE_DEVICES", "1"), "amd", NULL,
                 "1 ROCR_VISIBLE_DEVICES renderD129 amd");
    assert_found(ENV("HIP_VISIBLE_DEVICES", "1,0"), "none", two,
                 "1,0 HIP_VISIBLE_DEVICES 0x2a3b,0x18f68e602b8a790f amd");
    assert_found(NULL, "none", two, "0,1 rocm-smi 0x18f68e602b8a790f,0x2a3b amd");
    /* AMD's runtime reads this variable, too */
    assert_found(ENV("CUDA_VISIBLE_DEVICES", "1"), "amd", NULL,
                 "1 CUDA_VISIBLE_DEVICES renderD129 amd");
}

static void test_listing(void **state)
{
    (void)state;
    assert_found(NULL, "none", four,
                 "0,1,2,3 nvidia-smi GPU-aaaa-0,GPU-bbbb-1,GPU-cccc-2,GPU-dddd-3");
    /* the second GPU is split */
    assert_found(NULL, "none",
                 "GPU 0: NVIDIA A100 (UUID: GPU-aaaa-0)\n"
                 "GPU 1: NVIDIA A100 (UUID: GPU-bbbb-1)\n"
                 "  MIG 3g.40gb     Device  0: (UUID: MIG-1111)\n"
                 "  MIG 1g.10gb     Device  1: (UUID: MIG-2222)\n"
                 "GPU 2: NVIDIA A100 (UUID: GPU-cccc-2)",
                 "0,MIG-1111,MIG-2222,2 nvidia-smi GPU-aaaa-0,MIG-1111,MIG-2222,GPU-cccc-2");
    assert_found(ENV("CUDA_VISIBLE_DEVICES", "MIG-2"), "none",
                 "GPU 0: NVIDIA A100 (UUID: GPU-aaaa-0)\n"
                 "  MIG 3g.40gb Device 0: (UUID: MIG-1111)\n"
                 "  MIG 1g.10gb Device 1: (UUID: MIG-2222)\n",
                 "MIG-2 CUDA_VISIBLE_DEVICES MIG-2222");
    /* nonsense, and a listing that failed */
    assert_found(NULL, "none",
                 "\n\nGPU\nGPU 0: (UUID: )\nGPU 1: (UUID: a b)\n  MIG x (UUID: MIG-1)\nGPU[0",
                 "  ");
    assert_found(NULL, "four", "Failed to initialize NVML: Driver/library version mismatch\n",
                 "0,1,2,3 /dev nvidia0,nvidia1,nvidia2,nvidia3");
}

static void test_dev(void **state)
{
    (void)state;
    assert_found(NULL, "four", NULL, "0,1,2,3 /dev nvidia0,nvidia1,nvidia2,nvidia3");
    /* not by name: 9 comes before 10 */
    assert_found(NULL, "bound", NULL, "0,1 /dev nvidia9,nvidia10");
    assert_found(NULL, "amd", NULL, "0,1 /dev renderD128,renderD129 amd");
}

/* As in a cgroup that forbids a device. Root may open everything, so it continues as nobody. */
static void test_forbidden(void **state)
{
    bool is_root = !geteuid();

    (void)state;
    assert_int_equal(chmod(scratch_path("four"), 0755), 0);
    assert_int_equal(chmod(scratch_path("four/nvidia0"), 0), 0);
    assert_int_equal(is_root ? setresuid(65534, 65534, 0) : 0, 0);
    assert_found(NULL, "four", NULL, "0,1,2 /dev nvidia1,nvidia2,nvidia3");
    assert_int_equal(is_root ? setresuid(0, 0, 0) : 0, 0);
    assert_int_equal(chmod(scratch_path("four/nvidia0"), 0666), 0);
}

static void test_many(void **state)
{
    struct buf listing = {0}, names = {0};
    struct gpu_inputs in = {.env = env, .dev = scratch_path("none")};

    (void)state;
    for (int i = 0; i < GPU_MAX + 10; i++) {
        buf_printf(&listing, "GPU %d: X (UUID: GPU-%d)\n", i, i);
        buf_printf(&names, "%d,", i);
    }
    in.listing = buf_text(&listing);
    environment = NULL;
    gpu_find(&found, &in);
    assert_int_equal(found.n, GPU_MAX);
    environment = ENV("CUDA_VISIBLE_DEVICES", buf_text(&names));
    gpu_find(&found, &in);
    assert_int_equal(found.n, GPU_MAX);
    buf_release(&listing);
    buf_release(&names);
}

static void assert_wants(const char *const *variables, bool expected)
{
    struct gpu_inputs in = {.env = env};

    environment = variables;
    assert_int_equal(gpu_wants_listing(&in), expected);
}

static void test_wants(void **state)
{
    (void)state;
    assert_wants(NULL, true);
    assert_wants(ENV("CUDA_VISIBLE_DEVICES", " 0,1"), true);
    assert_wants(ENV("CUDA_VISIBLE_DEVICES", ""), false);
    assert_wants(ENV("CUDA_VISIBLE_DEVICES", "GPU-aaaa,GPU-bbbb"), false);
    assert_wants(ENV("SLURM_STEP_GPUS", "1"), true);
}

static void assert_stated(const char *const *variables, const char *dev, int32_t per_host,
                          const char *expected)
{
    struct gpu_inputs in = {.env = env, .dev = scratch_path(dev)};
    struct buf text = {0};

    environment = variables;
    gpu_find(&found, &in);
    gpu_state(&found, per_host);
    gpu_list_format(&text, &found);
    buf_printf(&text, " %s%s", gpu_source_name(&found), found.vendor == GPU_AMD ? " amd" : "");
    assert_string_equal(buf_text(&text), expected);
    buf_release(&text);
}

static void test_stated(void **state)
{
    (void)state;
    assert_stated(NULL, "none", 3, "0,1,2 gpus_per_host");
    assert_stated(NULL, "four", 2, "0,1 gpus_per_host");
    assert_stated(NULL, "amd", 1, "0 gpus_per_host amd");
    assert_stated(ENV("SLURM_STEP_GPUS", "3"), "four", 2, "0,1 gpus_per_host");
    assert_stated(ENV("CUDA_VISIBLE_DEVICES", "3,2,1"), "four", 2, "3,2 CUDA_VISIBLE_DEVICES");
    assert_stated(ENV("CUDA_VISIBLE_DEVICES", "3"), "four", 2, "3 CUDA_VISIBLE_DEVICES");
    assert_stated(ENV("CUDA_VISIBLE_DEVICES", ""), "four", 2, " CUDA_VISIBLE_DEVICES");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),   cmocka_unit_test(test_cuda),
        cmocka_unit_test(test_hidden),    cmocka_unit_test(test_slurm),
        cmocka_unit_test(test_lsf),       cmocka_unit_test(test_amd),
        cmocka_unit_test(test_listing),   cmocka_unit_test(test_dev),
        cmocka_unit_test(test_forbidden), cmocka_unit_test(test_many),
        cmocka_unit_test(test_wants),     cmocka_unit_test(test_stated),
    };

    return cmocka_run_group_tests(tests, make_dev, scratch_remove);
}
