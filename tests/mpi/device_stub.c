/* A driver without a device, CUDA's or, with -DHIP, ROCm's, under its own name (the linker's -soname). Memory of its
 * "device" is mapped twice: where the program knows it, unreadable for the processor unless that is asked for, and
 * where the driver copies. */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 1 << 20, WRONG = 1 };

static char *device, *ours;
static int contexts; /* pushed */

/* Memory on the device; `readable`: by the processor, too. */
char *stub_memory(int readable)
{
    int file = memfd_create("device", 0);
    if (device)
        munmap(device, BYTES);
    if (file < 0 || ftruncate(file, BYTES) != 0)
        return NULL;
    ours = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    device = mmap(NULL, BYTES, readable ? PROT_READ | PROT_WRITE : PROT_NONE, MAP_SHARED, file, 0);
    close(file);
    return device;
}

/* What the device has there, for the test to look at. */
char *stub_alias(const char *at)
{
    return ours + (at - device);
}

static int is_on_device(uintptr_t at)
{
    return device && at >= (uintptr_t)device && at < (uintptr_t)device + BYTES;
}

static void *reachable(uintptr_t at)
{
    return is_on_device(at) ? ours + (at - (uintptr_t)device) : (char *)at;
}

#ifndef HIP
int cuPointerGetAttribute(void *value, int attribute, uint64_t at)
{
    if (!is_on_device(at))
        return WRONG;
    if (attribute == 1)
        *(void **)value = &contexts;
    else
        *(int *)value = 2;
    return attribute == 1 || attribute == 2 ? 0 : WRONG;
}

int cuCtxPushCurrent_v2(void *context)
{
    contexts++;
    return context == &contexts ? 0 : WRONG;
}

int cuCtxPopCurrent_v2(void **context)
{
    contexts--;
    *context = &contexts;
    return 0;
}

int cuMemcpy(uint64_t to, uint64_t from, size_t bytes)
{
    if (contexts != 1)
        return WRONG;
    memcpy(reachable(to), reachable(from), bytes);
    return 0;
}

int cuStreamSynchronize(void *stream)
{
    return contexts == 1 && !stream ? 0 : WRONG;
}
#else
struct attributes {
    int type, device;
    void *on_device, *on_host;
    int managed;
    unsigned flags;
};

int hipPointerGetAttributes(struct attributes *attributes, const void *at)
{
    memset(attributes, 0, sizeof *attributes);
    if (is_on_device((uintptr_t)at))
        attributes->on_device = (void *)(uintptr_t)at;
    return 0;
}

int hipMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    memcpy(reachable((uintptr_t)to), reachable((uintptr_t)from), bytes);
    return kind == 4 ? 0 : WRONG;
}
#endif
