#include "comm/device.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* As the drivers' headers declare them, which need not be here: handles are pointers, device addresses 64-bit numbers.
 */
struct cuda {
    int (*attribute)(void *value, int attribute, uint64_t pointer);
    int (*push)(void *context);
    int (*pop)(void **context);
    int (*copy)(uint64_t to, uint64_t from, size_t bytes);
    int (*synchronize)(void *stream);
};
enum { CUDA_CONTEXT = 1, CUDA_MEMORY_TYPE = 2 }; /* CUpointer_attribute */
enum { CUDA_MEMORY_DEVICE = 2 };                 /* CUmemorytype; managed memory is of it, too */
enum { HIP_COPY_DEFAULT = 4 };                   /* hipMemcpyKind: by the addresses */

/* hipPointerAttribute_t. The numbers of its memory types differ between ROCm 5 and 6; the addresses tell as much. */
struct hip_attributes {
    int type, device;
    void *on_device, *on_host;
    int managed;
    unsigned flags;
    char later_versions[256];
};
struct hip {
    int (*attributes)(struct hip_attributes *attributes, const void *pointer);
    int (*copy)(void *to, const void *from, size_t bytes, int kind);
    int (*synchronize)(void *stream);
};

/* The drivers, written before they are published; never taken back, as a handle keeps the library. */
static struct cuda cuda;
static struct hip hip;
static _Atomic(const struct cuda *) cuda_loaded;
static _Atomic(const struct hip *) hip_loaded;
static _Atomic bool both_loaded;

static const struct cuda *cuda_driver(void)
{
    return atomic_load_explicit(&cuda_loaded, memory_order_acquire);
}

static const struct hip *hip_driver(void)
{
    return atomic_load_explicit(&hip_loaded, memory_order_acquire);
}

/* -- is there one? -- */

static void find_cuda(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return;
    *(void **)&cuda.attribute = dlsym(library, "cuPointerGetAttribute");
    *(void **)&cuda.push = dlsym(library, "cuCtxPushCurrent_v2");
    *(void **)&cuda.pop = dlsym(library, "cuCtxPopCurrent_v2");
    *(void **)&cuda.copy = dlsym(library, "cuMemcpy");
    *(void **)&cuda.synchronize = dlsym(library, "cuStreamSynchronize");
    if (cuda.attribute)
        atomic_store_explicit(&cuda_loaded, &cuda, memory_order_release);
    else
        dlclose(library);
}

static void find_hip(void)
{
    static const char *const names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so.4",
                                        "libamdhip64.so"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return;
    *(void **)&hip.attributes = dlsym(library, "hipPointerGetAttributes");
    *(void **)&hip.copy = dlsym(library, "hipMemcpy");
    *(void **)&hip.synchronize = dlsym(library, "hipStreamSynchronize");
    if (hip.attributes)
        atomic_store_explicit(&hip_loaded, &hip, memory_order_release);
    else
        dlclose(library);
}

static int count_loaded(struct dl_phdr_info *info, size_t size, void *count)
{
    (void)size;
    *(unsigned long long *)count = info->dlpi_adds;
    return 1; /* every object tells the same */
}

/* Looks for the drivers that are missing when libraries were loaded since the last time. */
static void look(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static _Atomic unsigned long long seen;
    unsigned long long loaded = 0;
    dl_iterate_phdr(count_loaded, &loaded);
    if (loaded == atomic_load_explicit(&seen, memory_order_acquire))
        return;
    pthread_mutex_lock(&lock);
    if (!cuda_driver())
        find_cuda();
    if (!hip_driver())
        find_hip();
    both_loaded = cuda_driver() && hip_driver();
    atomic_store_explicit(&seen, loaded, memory_order_release);
    pthread_mutex_unlock(&lock);
}

bool topo_device_loaded(void)
{
    if (cuda_driver() || hip_driver())
        return true;
    look();
    return cuda_driver() || hip_driver();
}

/* -- pointers -- */

static bool is_cudas(const void *pointer)
{
    unsigned type = 0;
    const struct cuda *driver = cuda_driver();
    return driver && driver->attribute(&type, CUDA_MEMORY_TYPE, (uintptr_t)pointer) == 0 && type == CUDA_MEMORY_DEVICE;
}

static bool is_hips(const void *pointer)
{
    struct hip_attributes attributes = {0};
    const struct hip *driver = hip_driver();
    return driver && driver->attributes(&attributes, pointer) == 0 &&
           (attributes.managed || (attributes.on_device && !attributes.on_host));
}

bool topo_device_pointer(const void *pointer)
{
    if (!pointer)
        return false;
    if (!both_loaded)
        look();
    return is_cudas(pointer) || is_hips(pointer);
}

/* In the context that the memory belongs to, which need not be this thread's. Copies from memory of the processor may
 * return early. */
static bool copy_by_cuda(const struct cuda *driver, void *to, const void *from, size_t bytes, const void *on_device)
{
    void *context = NULL, *popped;
    if (!driver->copy)
        return false;
    if (driver->attribute(&context, CUDA_CONTEXT, (uintptr_t)on_device) != 0 || !driver->push || !driver->pop ||
        (context && driver->push(context) != 0))
        context = NULL;
    bool done = driver->copy((uintptr_t)to, (uintptr_t)from, bytes) == 0 &&
                (!driver->synchronize || driver->synchronize(NULL) == 0);
    if (context)
        driver->pop(&popped);
    return done;
}

bool topo_device_copy(void *to, const void *from, size_t bytes)
{
    const struct cuda *cudas = cuda_driver();
    const struct hip *hips = hip_driver();
    if (bytes == 0)
        return true;
    if (is_cudas(from))
        return copy_by_cuda(cudas, to, from, bytes, from);
    if (is_cudas(to))
        return copy_by_cuda(cudas, to, from, bytes, to);
    return hips && hips->copy && hips->copy(to, from, bytes, HIP_COPY_DEFAULT) == 0 &&
           (!hips->synchronize || hips->synchronize(NULL) == 0);
}
