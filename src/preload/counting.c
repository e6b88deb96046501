#include "preload/counting.h"

#include <dlfcn.h>

#include "preload/program.h"

_Thread_local struct topo_counting topo_counting __attribute__((tls_model("initial-exec"), visibility("hidden")));

static struct topo_functions here;
struct topo_functions *_Atomic topo_counting_place = &here;
bool topo_counting_has_counter;

/* MPI's own; NULL where the program has no such Fortran. */
static int (*size_of)(void *type, int *size);
static void (*fortran_size_of)(void *type, int *size, int *ierror);

void topo_counting_start(void)
{
    here.counter = topo_counting_has_counter = topo_ticks_have_counter();
    here.begun_ns = topo_clock_ns();
    here.begun = topo_ticks(here.counter);
    size_of = (int (*)(void *, int *))topo_program_look_up("PMPI_Type_size");
    fortran_size_of = (void (*)(void *, int *, int *))topo_program_look_up("pmpi_type_size_");
    dlerror(); /* or the program would find what failed in here */
}

int topo_counting_thread_new(void)
{
    static atomic_int threads;
    const int thread = atomic_fetch_add(&threads, 1) + 1;
    return topo_counting.thread = thread < TOPO_FUNCTION_THREADS ? thread : TOPO_FUNCTION_THREADS;
}

uint64_t topo_counting_slow_ticks(void)
{
    return topo_ticks(false);
}

/* This thread's place is its own, and needs no lock. */
static void add(uint64_t *to, uint64_t value, bool shared)
{
    if (shared)
        __atomic_fetch_add(to, value, __ATOMIC_RELAXED);
    else
        *to += value;
}

static void end(enum topo_function function, uint64_t begun, uint64_t ended, uint64_t bytes)
{
    struct topo_functions *place = topo_counting_place;
    struct topo_function_calls *calls = topo_counting_of(place, function);
    const bool shared = topo_counting.thread == TOPO_FUNCTION_THREADS;
    topo_counting.outermost = 0;
    add(&calls->calls, 1, shared);
    if (bytes)
        add(&calls->bytes, bytes, shared);
    if (begun == TOPO_COUNTING_UNTIMED)
        return;
    place->last[topo_counting.thread - 1] = ended;
    if (ended > begun) /* else this processor's counter is behind that of the one where it began */
        add(&calls->ticks, ended - begun, shared);
}

void topo_counting_end(enum topo_function function, uint64_t begun)
{
    end(function, begun, begun == TOPO_COUNTING_UNTIMED ? begun : topo_ticks(topo_counting_has_counter), 0);
}

void topo_counting_end_sent(enum topo_function function, uint64_t begun, int code, int count, void *type, bool fortran)
{
    const uint64_t ended = topo_ticks(topo_counting_has_counter);
    int size = 0, ierror;
    if (!code && count > 0 && fortran && fortran_size_of)
        fortran_size_of(type, &size, &ierror);
    else if (!code && count > 0 && !fortran && size_of)
        size_of(type, &size);
    end(function, begun, ended, size > 0 ? (uint64_t)count * (uint64_t)size : 0);
}
