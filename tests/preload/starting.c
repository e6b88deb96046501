/* What it costs that the library is there: MPI_Init, the first use of a communicator, a mapping, and the end of both.
 *
 *   mpirun -np N -x LD_PRELOAD=src/.libs/libtopompi.so tests/preload/starting [all|copies]
 *
 * Rank 0 prints how many collective calls of its own the library makes in MPI_Init, the most of any rank, and the
 * longest time on a rank from its first of them to the end of MPI_Init:
 *
 *   3 Allreduce, 5 Bcast, 1 Comm_dup: 9 calls, 3.1 ms
 *
 * With `all`, then how long MPI_Init took as a whole, and a table, a row a step: collective calls, the most of any
 * rank; messages of its own and their bytes, of all ranks together, and the most messages that a rank sends; memory
 * that the library keeps after the step, the most of any rank, as malloc() gave it; memory that a node shares, and
 * milliseconds on the slowest rank. Without the library it prints how long MPI_Init took, alone. All-reduces take the
 * form `leader` and all-gathers `bruck_reorder`, whose mapping every rank keeps, unless the environment of rank 0 says
 * otherwise.
 *
 * With `copies`, also without the library: milliseconds of the first two all-reduces of 8 bytes on copies of
 * MPI_COMM_WORLD, on the slowest rank, the least of nine copies, by `auto`; of integers, then of floating-point
 * numbers, whose sum takes one form from the first call on.
 *
 * Calls and messages are counted below the library, by starting_tool.c. The functions here stand before those of the C
 * library, as the program's own do; what is the library's is told by the address that it is called from. */
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <mpi.h>

#include "common/native.h"
#include "preload/starting.h"

#define NAME(name, parameters, arguments) #name,
static const char *const names[KINDS] = {CALLS(NAME)};

/* Bytes that there are. */
static struct {
    long kept, shared;
} own;

/* -- memory ----------------------------------------------------------------- */

static struct {
    uintptr_t from, to;
} library; /* its code and data; nothing before it is loaded */

static int find_library(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    if (!strstr(info->dlpi_name, "/libtopompi-core-"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;
        if (part->p_type != PT_LOAD)
            continue;
        library.from = library.from && library.from < from ? library.from : from;
        library.to = library.to > to ? library.to : to;
    }
    return 1;
}

/* The library is loaded at the program's first MPI call. */
#define EXPORTED __attribute__((visibility("default")))
EXPORTED void *dlopen(const char *path, int mode)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    void *opened = next(path, mode);
    if (!library.from)
        dl_iterate_phdr(find_library, NULL);
    return opened;
}

static bool is_library(const void *caller)
{
    return (uintptr_t)caller >= library.from && (uintptr_t)caller < library.to;
}

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);

static void *keep(void *block, const void *caller)
{
    if (is_library(caller))
        own.kept += (long)malloc_usable_size(block);
    return block;
}

EXPORTED void *malloc(size_t bytes)
{
    return keep(__libc_malloc(bytes), __builtin_return_address(0));
}

EXPORTED void *calloc(size_t count_, size_t bytes)
{
    return keep(__libc_calloc(count_, bytes), __builtin_return_address(0));
}

EXPORTED void *realloc(void *block, size_t bytes)
{
    const void *caller = __builtin_return_address(0);
    long before = (long)malloc_usable_size(block);
    void *grown = __libc_realloc(block, bytes);
    if (grown && is_library(caller))
        own.kept -= before;
    return grown ? keep(grown, caller) : NULL;
}

EXPORTED void free(void *block)
{
    if (is_library(__builtin_return_address(0)))
        own.kept -= (long)malloc_usable_size(block);
    __libc_free(block);
}

EXPORTED void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t from)
{
    void *(*next)(void *, size_t, int, int, int, off_t) =
        (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
    if (is_library(__builtin_return_address(0)) && flags & MAP_SHARED)
        own.shared += (long)bytes;
    return next(at, bytes, protection, flags, file, from);
}

EXPORTED int munmap(void *at, size_t bytes)
{
    int (*next)(void *, size_t) = (int (*)(void *, size_t))dlsym(RTLD_NEXT, "munmap");
    if (is_library(__builtin_return_address(0)))
        own.shared -= (long)bytes;
    return next(at, bytes);
}

/* -- steps ------------------------------------------------------------------ */

static int rank;
static double start;

static void begin_step(void)
{
    NATIVE(Barrier)(MPI_COMM_WORLD);
    starting_counts = (struct starting_counts){.counting = true};
    start = seconds();
}

static void print_calls(const int *most)
{
    const char *comma = "";
    for (int i = 0; i < KINDS; i++)
        if (most[i]) {
            printf("%s%d %s", comma, most[i], names[i]);
            comma = ", ";
        }
}

/* The row of a step that took so long here. */
static void tell(const char *step, double took)
{
    int most[KINDS + 1];
    long here[] = {starting_counts.messages, starting_counts.bytes}, all[2],
         mine[] = {starting_counts.messages, own.kept, own.shared}, highest[3];
    double longest;
    starting_counts.counting = false;
    NATIVE(Reduce)(starting_counts.calls, most, KINDS + 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    NATIVE(Reduce)(here, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    NATIVE(Reduce)(mine, highest, 3, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    NATIVE(Reduce)(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("| %s | ", step);
        print_calls(most);
        printf(" | %ld | %ld | %ld | %.1f | %.1f | %.2f |\n", all[0], highest[0], all[1], (double)highest[1] / 1024,
               (double)highest[2] / 1024, longest * 1e3);
    }
}

static void end_step(const char *step)
{
    tell(step, seconds() - start);
}

static void reduce(MPI_Comm comm, const char *step)
{
    int one = 1, sum;
    begin_step();
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    end_step(step);
}

static void gather(MPI_Comm comm, int *blocks, const char *step)
{
    begin_step();
    MPI_Allgather(&rank, 1, MPI_INT, blocks, 1, MPI_INT, comm);
    end_step(step);
}

/* All that follows MPI_Init. */
static void tell_all(double init)
{
    MPI_Comm copy, half;
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int *blocks = __libc_malloc((size_t)ranks * sizeof *blocks);
    if (!blocks)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0)
        printf("| step | collective calls of a rank | messages | of a rank | bytes | memory of a rank, KiB | "
               "of a node, shared, KiB | ms |\n|---|---|---:|---:|---:|---:|---:|---:|\n");
    tell("MPI_Init", init);
    reduce(MPI_COMM_WORLD, "first call, MPI_COMM_WORLD");
    reduce(MPI_COMM_WORLD, "second");
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    reduce(copy, "first call, a copy");
    reduce(copy, "second");
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    reduce(half, "first call, every other rank");
    reduce(half, "second");
    gather(copy, blocks, "a mapping: first all-gather");
    gather(copy, blocks, "second");
    begin_step();
    MPI_Comm_free(&half);
    end_step("MPI_Comm_free, every other rank");
    begin_step();
    MPI_Comm_free(&copy);
    end_step("MPI_Comm_free, the copy");
    __libc_free(blocks);
}

static void tell_copies(MPI_Datatype type)
{
    enum { COPIES = 9, CALLS = 2 };
    double least[CALLS] = {1e9, 1e9};
    for (int copy = 0; copy < COPIES; copy++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int call = 0; call < CALLS; call++) {
            char in[8] = "", out[8];
            double took, longest;
            NATIVE(Barrier)(MPI_COMM_WORLD);
            start = seconds();
            MPI_Allreduce(in, out, 1, type, MPI_SUM, comm);
            took = seconds() - start;
            NATIVE(Allreduce)(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            least[call] = longest < least[call] ? longest : least[call];
        }
        MPI_Comm_free(&comm);
    }
    if (rank == 0)
        printf("%s: first %.2f ms, second %.2f ms\n", type == MPI_DOUBLE ? "floating point" : "integers",
               least[0] * 1e3, least[1] * 1e3);
}

int main(int argc, char **argv)
{
    int most[KINDS + 1];
    const bool copies = argc > 1 && !strcmp(argv[1], "copies");
    double longest, whole;
    setenv("TOPOMPI_ALLREDUCE", copies ? "auto" : "leader", 0);
    setenv("TOPOMPI_ALLGATHER", "bruck_reorder", 0);
    start = seconds();
    MPI_Init(&argc, &argv);
    double end = seconds(), took = starting_counts.calls[KINDS] ? end - starting_counts.begun : 0, init = end - start;
    starting_counts.counting = false;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    NATIVE(Reduce)(starting_counts.calls, most, KINDS + 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    NATIVE(Reduce)(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    NATIVE(Reduce)(&init, &whole, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        print_calls(most);
        printf("%s%d calls, %.1f ms, MPI_Init %.1f ms\n", most[KINDS] ? ": " : "", most[KINDS], longest * 1e3,
               whole * 1e3);
    }
    if (argc > 1 && !strcmp(argv[1], "all") && library.from)
        tell_all(took);
    if (copies) {
        tell_copies(MPI_INT64_T);
        tell_copies(MPI_DOUBLE);
    }
    MPI_Finalize();
    return 0;
}
