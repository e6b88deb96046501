/* Preloaded before the library, it makes the library's own requests for memory fail, on rank FAIL_RANK of the job:
 * after FAIL_AFTER of them the next FAIL_TIMES (default: all). Every other request is left alone. The library, its core
 * or what FAIL_LIBRARY names, is known by its file's name, from when the core is loaded on; a request by where it
 * returns to. */
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t bytes);
/* AddressSanitizer's, where it is there: what it is to free must be its own. */
__attribute__((weak)) void *__interceptor_malloc(size_t bytes);
__attribute__((weak)) void *__interceptor_calloc(size_t count, size_t size);
__attribute__((weak)) void *__interceptor_realloc(void *block, size_t bytes);

static uintptr_t from, to; /* the library's code; to == 0: nothing is to fail */
static _Atomic long asked;
static long after, times;
static int chosen_rank;

static int find_library(struct dl_phdr_info *info, size_t size, void *unused)
{
    const char *library = getenv("FAIL_LIBRARY");
    (void)size, (void)unused;
    if (!strstr(info->dlpi_name, library ? library : "libtopompi-core"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X))
            continue;
        from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        to = from + info->dlpi_phdr[i].p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void start(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *chosen = getenv("FAIL_RANK"), *first = getenv("FAIL_AFTER");
    const char *many = getenv("FAIL_TIMES");
    if (!rank || !chosen || strcmp(rank, chosen) != 0)
        return;
    after = first ? strtol(first, NULL, 10) : 0;
    times = many ? strtol(many, NULL, 10) : INT32_MAX;
    chosen_rank = 1;
}

__attribute__((visibility("default"))) void *dlopen(const char *file, int mode)
{
    static void *(*next)(const char *, int);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
    void *object = next(file, mode);
    if (chosen_rank && !to)
        dl_iterate_phdr(find_library, NULL);
    return object;
}

/* FAIL_COUNT: how many requests there were. */
__attribute__((destructor)) static void finish(void)
{
    if (to && getenv("FAIL_COUNT"))
        fprintf(stderr, "requests %ld\n", (long)asked);
}

static int fails(const void *caller)
{
    if ((uintptr_t)caller < from || (uintptr_t)caller >= to)
        return 0;
    long number = asked++;
    return number >= after && number - after < times;
}

__attribute__((visibility("default"))) void *malloc(size_t bytes)
{
    if (fails(__builtin_return_address(0)))
        return NULL;
    return __interceptor_malloc ? __interceptor_malloc(bytes) : __libc_malloc(bytes);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    if (fails(__builtin_return_address(0)))
        return NULL;
    return __interceptor_calloc ? __interceptor_calloc(count, size) : __libc_calloc(count, size);
}

__attribute__((visibility("default"))) void *realloc(void *block, size_t bytes)
{
    if (fails(__builtin_return_address(0)))
        return NULL;
    return __interceptor_realloc ? __interceptor_realloc(block, bytes) : __libc_realloc(block, bytes);
}
