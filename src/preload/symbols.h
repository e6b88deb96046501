/* What the definitions of the symbols share. */
#ifndef TOPO_PRELOAD_SYMBOLS_H
#define TOPO_PRELOAD_SYMBOLS_H

#include "base/export.h"
#include "preload/program.h"

/* The core's function `symbol`, or NULL. */
#define KNOWN_CORE(call, symbol) \
    static topo_symbol *_Atomic known_core_; \
    topo_symbol *call = atomic_load_explicit(&known_core_, memory_order_acquire); \
    if (!call) { \
        call = topo_program_core(symbol); \
        atomic_store_explicit(&known_core_, call, memory_order_release); \
    }

/* The other spellings that compilers give Fortran's procedure small_. */
#define FORTRAN_ALIASES(CAPITALS, small) \
    TOPO_EXPORT extern __typeof__(small##_) small __attribute__((alias(#small "_"))); \
    TOPO_EXPORT extern __typeof__(small##_) small##__ __attribute__((alias(#small "_"))); \
    TOPO_EXPORT extern __typeof__(small##_) CAPITALS __attribute__((alias(#small "_")));

#endif
