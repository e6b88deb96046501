/* Counts and times the calls of MPI's functions, where the report wants them; of calls inside of others, as ROMIO's and
 * those of MPICH's Fortran procedures are, the outermost. */
#ifndef TOPO_PRELOAD_COUNTING_H
#define TOPO_PRELOAD_COUNTING_H

#include <stdatomic.h>
#include <stddef.h>

#include "base/ticks.h"
#include "catalog/function.h"

/* What this thread is in. */
struct topo_counting {
    uintptr_t outermost; /* the frame of that call; 0: none */
    int thread;          /* its place in struct topo_functions, and 1; 0: not asked for yet */
};
extern _Thread_local struct topo_counting topo_counting
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Where calls are counted: here, or in a file of the core's. */
extern struct topo_functions *_Atomic topo_counting_place __attribute__((visibility("hidden")));
extern bool topo_counting_has_counter __attribute__((visibility("hidden")));

/* Once, before any call is counted. */
void topo_counting_start(void);

int topo_counting_thread_new(void);
uint64_t topo_counting_slow_ticks(void);

static inline struct topo_function_calls *topo_counting_of(struct topo_functions *place, enum topo_function function)
{
    const int thread = topo_counting.thread ? topo_counting.thread : topo_counting_thread_new();
    return &place->of[thread - 1][function];
}

enum { TOPO_COUNTING_NESTED, TOPO_COUNTING_UNTIMED };

/* Before a call, from its own frame: its time, or one of the above. Frames of nested calls lie below: where a call was
 * left by longjmp(), the next one that is not deeper in the program is the outermost again. */
static inline __attribute__((always_inline)) uint64_t topo_counting_begin(enum topo_function function, bool sampled)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (here < topo_counting.outermost)
        return TOPO_COUNTING_NESTED;
    topo_counting.outermost = here;
    if (sampled && topo_counting_of(topo_counting_place, function)->calls % TOPO_FUNCTION_EACH)
        return TOPO_COUNTING_UNTIMED;
    return __builtin_expect(topo_counting_has_counter, 1) ? topo_ticks(true) : topo_counting_slow_ticks();
}

/* After it. */
void topo_counting_end(enum topo_function function, uint64_t begun);

/* The same of one that hands over bytes: if it was successful, `count` of a type, which is Fortran's INTEGER's address
 * or C's handle. */
void topo_counting_end_sent(enum topo_function function, uint64_t begun, int code, int count, void *type, bool fortran);

#endif
