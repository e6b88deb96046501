/* The one dispatcher of all operations. What is native at once is a function of its own before the others, and a jump:
 * that takes a few ns less. */
#include "coll/call/operations.h"

#include "coll/call/call.h"
#include "coll/call/native_cache.h"
#include "job/native.h"

#define OPERATION(name, Name, NAME, number, communication, waits, count, kinds, record) \
    static __attribute__((noinline)) int dispatch_##name(const struct topo_algorithm *forced, \
                                                         TOPO_PARAMETERS(count, kinds)) \
    { \
        int code = MPI_SUCCESS; \
        struct topo_call call = topo_call_of(TOPO_OPERATION_##name, forced, a##count); \
        bool valid = topo_##name##_examine(&call, TOPO_ARGUMENTS(count, kinds)); \
        if (valid && topo_native_cache_has(&call)) \
            return topo_native.name(TOPO_ARGUMENTS(count, kinds)); \
        if (topo_call_begin(&call, valid, &code)) \
            code = topo_call_ran(&call, topo_##name##_run(&call, TOPO_ARGUMENTS(count, kinds))); \
        if (code == MPI_SUCCESS && topo_call_is_native(&call)) { \
            topo_native_cache_add(&call); \
            code = topo_native.name(TOPO_ARGUMENTS(count, kinds)); \
        } \
        topo_call_end(&call); \
        return code; \
    } \
    int topo_##name(const struct topo_algorithm *forced, TOPO_PARAMETERS(count, kinds)) \
    { \
        if (!forced && topo_native_at_once(TOPO_OPERATION_##name, a##count)) \
            return topo_native.name(TOPO_ARGUMENTS(count, kinds)); \
        return dispatch_##name(forced, TOPO_ARGUMENTS(count, kinds)); \
    }
#include "catalog/operations.def"
