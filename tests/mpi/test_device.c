/* Device memory: when a driver is seen, which pointers are its, and staging. test_device.sh makes the driver. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "coll/stage.h"
#include "comm/device.h"
#include "mpi/harness.h"

static char *(*stub_memory)(int readable);
static char *(*stub_alias)(const char *at);

static bool load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    *(void **)&stub_memory = dlsym(library, "stub_memory");
    *(void **)&stub_alias = dlsym(library, "stub_alias");
    return stub_memory && stub_alias;
}

static void pointers(void)
{
    char *memory = stub_memory(0), here;
    char *heap = malloc(64);
    harness_check(topo_device_pointer(memory) && topo_device_pointer(memory + 4096), "memory of the device");
    harness_check(!topo_device_pointer(&here) && !topo_device_pointer(heap), "memory of the processor");
    harness_check(!topo_device_pointer(NULL) && !topo_device_pointer((void *)1), "no memory");
    free(heap);
}

/* The buffer of `count` elements starts `start` bytes into the device's memory: what is read, and after 'x' were
 * written over all its elements, which bytes changed on the device. */
static void staged(const char *name, int start, int count, MPI_Datatype type, bool gaps)
{
    enum { BYTES = 4096 };
    /* The library leaves gaps to an MPI library that knows devices; this one here does not. */
    char *memory = stub_memory(gaps), *seen = stub_alias(memory), before[BYTES], packed[BYTES], expected[BYTES];
    struct topo_stage stage;
    int in = 0, out = 0;
    for (int i = 0; i < BYTES; i++)
        before[i] = (char)(i * 7 + i / 256);
    memcpy(seen, before, BYTES);
    harness_check(topo_stage_open(&stage, memory + start, count, type, true, MPI_COMM_SELF) == MPI_SUCCESS &&
                      stage.host != memory + start,
                  "%s: is staged", name);
    memset(packed, 0, BYTES);
    memset(expected, 0, BYTES);
    PMPI_Pack(stage.host, count, type, packed, BYTES, &in, MPI_COMM_SELF);
    PMPI_Pack(before + start, count, type, expected, BYTES, &out, MPI_COMM_SELF);
    harness_check(in == out && !memcmp(packed, expected, BYTES), "%s: what is read", name);
    memset(packed, 'x', BYTES);
    out = 0;
    PMPI_Unpack(packed, in, &out, stage.host, count, type, MPI_COMM_SELF);
    /* Somebody writes in the gaps meanwhile. */
    for (int i = 0; i < BYTES && gaps; i++)
        seen[i] = before[i] = (char)(before[i] + 1);
    harness_check(topo_stage_close(&stage, true) == MPI_SUCCESS, "%s: goes back", name);
    out = 0;
    PMPI_Unpack(packed, in, &out, before + start, count, type, MPI_COMM_SELF);
    harness_check(!memcmp(seen, before, BYTES), "%s: the elements alone are written", name);

    memcpy(before, seen, BYTES);
    harness_check(topo_stage_open(&stage, memory + start, count, type, false, MPI_COMM_SELF) == MPI_SUCCESS &&
                      topo_stage_close(&stage, false) == MPI_SUCCESS && !memcmp(seen, before, BYTES),
                  "%s: nothing is written unless asked for", name);
}

static void types(void)
{
    MPI_Datatype column, backward, lower, contiguous;
    MPI_Type_vector(3, 2, 5, MPI_SHORT, &column);
    MPI_Type_commit(&column);
    MPI_Type_create_resized(MPI_INT, 0, -8, &backward);
    MPI_Type_commit(&backward);
    MPI_Type_create_indexed_block(2, 1, (int[]){-7, 3}, MPI_INT, &lower);
    MPI_Type_commit(&lower);
    MPI_Type_contiguous(3, MPI_DOUBLE, &contiguous);
    MPI_Type_commit(&contiguous);
    staged("bytes", 100, 1000, MPI_BYTE, false);
    staged("doubles", 8, 200, MPI_DOUBLE, false);
    staged("a contiguous type", 0, 7, contiguous, false);
    staged("a vector", 64, 5, column, true);
    staged("elements that run backwards", 2000, 9, backward, true);
    staged("a negative lower bound", 1000, 4, lower, true);
    MPI_Type_free(&column);
    MPI_Type_free(&backward);
    MPI_Type_free(&lower);
    MPI_Type_free(&contiguous);
}

static void absolute(void)
{
    char *memory = stub_memory(0);
    int length = 16;
    MPI_Aint place = (MPI_Aint)(memory + 256);
    MPI_Datatype type;
    struct topo_stage stage;
    MPI_Type_create_hindexed(1, &length, &place, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    memset(stub_alias(memory), 'a', 4096);
    harness_check(topo_stage_open(&stage, MPI_BOTTOM, 1, type, true, MPI_COMM_SELF) == MPI_SUCCESS &&
                      !memcmp((char *)stage.host + place, "aaaaaaaaaaaaaaaa", 16),
                  "an address in the type: what is read");
    memset((char *)stage.host + place, 'b', 16);
    harness_check(topo_stage_close(&stage, true) == MPI_SUCCESS &&
                      !memcmp(stub_alias(memory) + 255, "abbbbbbbbbbbbbbbba", 18),
                  "an address in the type: what is written");
    MPI_Type_free(&type);
}

static void not_staged(const char *name)
{
    int here[4];
    struct topo_stage stage;
    harness_check(topo_stage_open(&stage, here, 4, MPI_INT, true, MPI_COMM_SELF) == MPI_SUCCESS && stage.host == here &&
                      topo_stage_close(&stage, true) == MPI_SUCCESS,
                  "%s: the processor's memory is taken as it is", name);
    harness_check(topo_stage_open(&stage, MPI_IN_PLACE, 4, MPI_INT, true, MPI_COMM_SELF) == MPI_SUCCESS &&
                      stage.host == MPI_IN_PLACE && topo_stage_close(&stage, true) == MPI_SUCCESS,
                  "%s: so is MPI_IN_PLACE", name);
}

int main(int argc, char **argv)
{
    harness_start(&argc, &argv);
    harness_check(!topo_device_loaded() && !topo_device_loaded(), "no driver at first");
    harness_check(!topo_device_pointer(&argc), "no driver, no device memory");
    not_staged("without a driver");
    for (int i = 1; i < argc; i++) {
        harness_check(load(argv[i]), "%s: %s", argv[i], dlerror());
        harness_check(topo_device_loaded(), "a driver that was loaded is seen");
        pointers();
        not_staged("with a driver");
        types();
        absolute();
    }
    return harness_finish();
}
