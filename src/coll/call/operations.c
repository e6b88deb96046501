/* The one dispatcher of all operations. What is native at once, or by what is remembered of the same call, is found in
 * functions before the others that end with a jump: a native call may take no more than 0.1 us. */
#include "coll/call/operations.h"

#include "coll/call/call.h"
#include "coll/call/native_cache.h"
#include "job/native.h"

#define KEY_IS_SAME(kind, k) same = same && row->key[k - 1] == TOPO_KEY_##kind(a##k)
#define KEEP_KEY(kind, k) row->key[k - 1] = TOPO_KEY_##kind(a##k)
#define ADD_PLACE(kind, k) place += TOPO_PLACE_##kind(a##k)

#define OPERATION(name, Name, NAME, number, communication, waits, count, kinds, record) \
    /* True when this call is remembered and that still holds; counts it. */ \
    static inline bool is_native_##name(TOPO_PARAMETERS(count, kinds)) \
    { \
        const struct topo_comm *state = topo_comm_of_last(a##count); \
        const void *send = NULL; \
        unsigned place = TOPO_OPERATION_##name; \
        if (!state || state->native) \
            return false; \
        TOPO_EACH(count, ADD_PLACE, TOPO_BARE kinds); \
        const struct topo_native_cache_row *row = topo_native_cache_row(state, place); \
        bool same = row->operation == TOPO_OPERATION_##name; \
        TOPO_EACH(count, KEY_IS_SAME, TOPO_BARE kinds); \
        (void)send; \
        return same && topo_native_cache_holds(row, TOPO_OPERATION_##name, state); \
    } \
    static void remember_##name(const struct topo_call *call, TOPO_PARAMETERS(count, kinds)) \
    { \
        const struct topo_comm *state = call->state; \
        const void *send = NULL; \
        unsigned place = TOPO_OPERATION_##name; \
        TOPO_EACH(count, ADD_PLACE, TOPO_BARE kinds); \
        struct topo_native_cache_row *row = state ? topo_native_cache_row(state, place) : NULL; \
        if (row && topo_native_cache_add(call, row)) \
            TOPO_EACH(count, KEEP_KEY, TOPO_BARE kinds); \
        (void)send; \
    } \
    static __attribute__((noinline)) int dispatch_##name(const struct topo_algorithm *forced, \
                                                         TOPO_PARAMETERS(count, kinds)) \
    { \
        int code = MPI_SUCCESS; \
        struct topo_call call = topo_call_of(TOPO_OPERATION_##name, forced, a##count); \
        bool valid = topo_##name##_examine(&call, TOPO_ARGUMENTS(count, kinds)); \
        if (topo_call_begin(&call, valid, &code)) \
            code = topo_call_ran(&call, topo_##name##_run(&call, TOPO_ARGUMENTS(count, kinds))); \
        if (code == MPI_SUCCESS && topo_call_is_native(&call)) { \
            remember_##name(&call, TOPO_ARGUMENTS(count, kinds)); \
            code = topo_native.name(TOPO_ARGUMENTS(count, kinds)); \
        } \
        topo_call_end(&call); \
        return code; \
    } \
    static __attribute__((noinline)) int look_at_##name(TOPO_PARAMETERS(count, kinds)) \
    { \
        if (topo_native_at_once(TOPO_OPERATION_##name, a##count)) \
            return topo_native.name(TOPO_ARGUMENTS(count, kinds)); \
        return dispatch_##name(NULL, TOPO_ARGUMENTS(count, kinds)); \
    } \
    int topo_auto_##name(TOPO_PARAMETERS(count, kinds)) \
    { \
        if (is_native_##name(TOPO_ARGUMENTS(count, kinds))) \
            return topo_native.name(TOPO_ARGUMENTS(count, kinds)); \
        return look_at_##name(TOPO_ARGUMENTS(count, kinds)); \
    } \
    int topo_##name(const struct topo_algorithm *forced, TOPO_PARAMETERS(count, kinds)) \
    { \
        return forced ? dispatch_##name(forced, TOPO_ARGUMENTS(count, kinds)) \
                      : topo_auto_##name(TOPO_ARGUMENTS(count, kinds)); \
    }
#include "catalog/operations.def"
