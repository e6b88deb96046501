/* The one dispatcher of all operations. What is native at once, or by what is remembered of the same call, is found in
 * functions before the others that end with a jump: a native call may take no more than 0.1 us. */
#include "coll/call/operations.h"

#include "base/clock.h"
#include "coll/call/call.h"
#include "coll/call/first_call.h"
#include "coll/call/guard.h"
#include "coll/call/remembered.h"
#include "job/native.h"
#include "job/recovery.h"

#define KEY_IS_SAME(kind, k) same = same && row->key[k - 1] == TOPO_KEY_##kind(a##k)
#define KEEP_KEY(kind, k) row->key[k - 1] = TOPO_KEY_##kind(a##k)
#define ADD_PLACE(kind, k) place += TOPO_PLACE_##kind(a##k)

/* What says of a call whether it is short, and what it adds up; the last count and type are what ranks get. */
#define LOOK_AT(kind, k) LOOK_AT_##kind(a##k)
#define LOOK_AT_IN(a) (void)(first.in_place |= (a) == MPI_IN_PLACE)
#define LOOK_AT_OUT LOOK_AT_IN
#define LOOK_AT_INT(a) (void)(first.count = (a))
#define LOOK_AT_ROOT(a) (void)0
#define LOOK_AT_ROOTS_INT(a) (void)(first.is_rooted = true)
#define LOOK_AT_INTS(a) (void)0
#define LOOK_AT_COUNTS(a) (void)(first.varies = true)
#define LOOK_AT_OWN_COUNTS LOOK_AT_COUNTS
#define LOOK_AT_TYPE(a) (void)(first.type = (a), first.has_type = true)
#define LOOK_AT_ROOTS_COUNTS LOOK_AT_COUNTS
#define LOOK_AT_ROOTS_TYPE(a) (void)0
#define LOOK_AT_OP(a) (void)(first.op = (a), first.has_op = true)
#define LOOK_AT_COMM(a) (void)0

/* `form`: nothing, or _c. What is remembered serves both: equal numbers are equal calls. */
#define FORM(name, form, count, kinds) \
    /* What is remembered of such a call and still holds; counts it. NULL: nothing. */ \
    static inline const struct topo_remembered *known_##name##form(struct topo_comm *state, \
                                                                   TOPO_PARAMETERS##form(count, kinds)) \
    { \
        const void *send = NULL; \
        uint64_t total = 0; \
        unsigned place = TOPO_OPERATION_##name; \
        TOPO_EACH(count, ADD_PLACE, TOPO_BARE kinds); \
        const struct topo_remembered *row = topo_remembered_of(state, place); \
        bool same = row->operation == TOPO_OPERATION_##name; \
        TOPO_EACH(count, KEY_IS_SAME, TOPO_BARE kinds); \
        (void)send; \
        (void)total; \
        if (!same || !topo_remembered_holds(row, TOPO_OPERATION_##name, state)) \
            return NULL; \
        topo_comm_called(state); \
        return row; \
    } \
    static void remember_##name##form(const struct topo_call *call, TOPO_PARAMETERS##form(count, kinds)) \
    { \
        const struct topo_comm *state = call->state; \
        const void *send = NULL; \
        uint64_t total = 0; \
        unsigned place = TOPO_OPERATION_##name; \
        if (!state) \
            return; \
        TOPO_EACH(count, ADD_PLACE, TOPO_BARE kinds); \
        struct topo_remembered *row = topo_remembered_of(state, place); \
        if (topo_remembered_add(call, total, row)) \
            TOPO_EACH(count, KEEP_KEY, TOPO_BARE kinds); \
        (void)send; \
    } \
    static __attribute__((noinline)) int dispatch_##name##form(const struct topo_algorithm *forced, \
                                                               TOPO_PARAMETERS##form(count, kinds)) \
    { \
        int code = MPI_SUCCESS; \
        struct topo_call call = topo_call_of(TOPO_OPERATION_##name, forced, a##count); \
        const struct topo_comm *state = topo_comm_of_last(a##count); \
        if (state && topo_guard_is_timing(state)) \
            call.guard.start = topo_clock_ns(); \
        bool valid = topo_##name##_examine(&call, TOPO_ANY_ARGUMENTS(count, kinds)); \
        if (topo_recovers && valid) \
            code = leavable_##name(&call, TOPO_ANY_ARGUMENTS(count, kinds)); \
        else if (topo_call_begin(&call, valid, &code)) \
            code = topo_call_ran(&call, topo_##name##_run(&call, TOPO_ANY_ARGUMENTS(count, kinds))); \
        if (code == MPI_SUCCESS) { \
            remember_##name##form(&call, TOPO_ARGUMENTS(count, kinds)); \
            if (topo_call_is_native(&call)) \
                code = topo_native.name##form(TOPO_ARGUMENTS(count, kinds)); \
        } \
        topo_call_end(&call); \
        return code; \
    } \
    /* Known, but not as native: its communicator is the one that this thread asked for last. */ \
    static __attribute__((noinline)) int again_##name##form(TOPO_PARAMETERS##form(count, kinds)) \
    { \
        int code = MPI_SUCCESS; \
        struct topo_call call = topo_call_of(TOPO_OPERATION_##name, NULL, a##count); \
        if (topo_call_again(&call)) \
            code = topo_recovers ? leavable_##name(&call, TOPO_ANY_ARGUMENTS(count, kinds)) \
                                 : topo_call_ran(&call, topo_##name##_run(&call, TOPO_ANY_ARGUMENTS(count, kinds))); \
        else if (call.guard.place >= 0) \
            call.guard.start = topo_clock_ns(); \
        if (code == MPI_SUCCESS && topo_call_is_native(&call)) \
            code = topo_native.name##form(TOPO_ARGUMENTS(count, kinds)); \
        topo_guard_end(&call); \
        return code; \
    } \
    static inline int count_##name##form(struct topo_early *early, TOPO_PARAMETERS##form(count, kinds)) \
    { \
        int code = topo_native.name##form(TOPO_ARGUMENTS(count, kinds)); \
        early->kept.calls += code == MPI_SUCCESS; \
        topo_idle_calls++; \
        return code; \
    } \
    /* Early, of another kind than the latest: a function of its own, as what it calls costs the others registers. */ \
    static __attribute__((noinline)) int other_kind_##name##form(TOPO_PARAMETERS##form(count, kinds)) \
    { \
        struct topo_early *early = topo_early_of(a##count); \
        struct topo_first_call first = {0}; \
        TOPO_EACH(count, LOOK_AT, TOPO_BARE kinds); \
        if (topo_first_call_look(&first, early->ranks)) \
            return count_##name##form(early, TOPO_ARGUMENTS(count, kinds)); \
        return dispatch_##name##form(NULL, TOPO_ARGUMENTS(count, kinds)); \
    } \
    static __attribute__((noinline)) int look_at_##name##form(TOPO_PARAMETERS##form(count, kinds)) \
    { \
        if (topo_native_at_once(TOPO_OPERATION_##name, a##count)) \
            return topo_native.name##form(TOPO_ARGUMENTS(count, kinds)); \
        struct topo_early *early = topo_early_of(a##count); \
        struct topo_first_call first = {0}; \
        TOPO_EACH(count, LOOK_AT, TOPO_BARE kinds); \
        if (early && early->kept.calls < topo_early_most && !(topo_first_call_told >> TOPO_OPERATION_##name & 1) && \
            topo_first_call_may_be_native(&first)) { \
            if (!topo_first_call_is_like_last(&first)) \
                return other_kind_##name##form(TOPO_ARGUMENTS(count, kinds)); \
            if (topo_first_call_is_native(&first, early->ranks)) \
                return count_##name##form(early, TOPO_ARGUMENTS(count, kinds)); \
        } \
        return dispatch_##name##form(NULL, TOPO_ARGUMENTS(count, kinds)); \
    } \
    /* The communicator is the one that this thread asked for last, and not native altogether. */ \
    static __attribute__((noinline)) int same_comm_##name##form(TOPO_PARAMETERS##form(count, kinds)) \
    { \
        const struct topo_remembered *row = known_##name##form(topo_comm_last.state, TOPO_ARGUMENTS(count, kinds)); \
        if (!row) \
            return look_at_##name##form(TOPO_ARGUMENTS(count, kinds)); \
        if (topo_remembered_is_native(row)) \
            return topo_native.name##form(TOPO_ARGUMENTS(count, kinds)); \
        topo_coll_of(topo_comm_last.state)->again = row; \
        return again_##name##form(TOPO_ARGUMENTS(count, kinds)); \
    } \
    int topo_auto_##name##form(TOPO_PARAMETERS##form(count, kinds)) \
    { \
        const struct topo_comm *state = topo_comm_of_last(a##count); \
        return state && !state->native ? same_comm_##name##form(TOPO_ARGUMENTS(count, kinds)) \
                                       : look_at_##name##form(TOPO_ARGUMENTS(count, kinds)); \
    } \
    int topo_##name##form(const struct topo_algorithm *forced, TOPO_PARAMETERS##form(count, kinds)) \
    { \
        return forced ? dispatch_##name##form(forced, TOPO_ARGUMENTS(count, kinds)) \
                      : topo_auto_##name##form(TOPO_ARGUMENTS(count, kinds)); \
    }

/* What waits of a call, where it may be left (job/recovery.h): then the native call, which follows, says why. It is no
 * part of this, as the program's error handler may leave it. */
#define LEAVABLE(name, count, kinds) \
    static __attribute__((noinline)) int leavable_##name(struct topo_call *call, TOPO_ANY_PARAMETERS(count, kinds)) \
    { \
        struct topo_recovery_point point; \
        int code = MPI_SUCCESS; \
        if (call->comm == MPI_COMM_NULL || topo_recovery_is_lost(call->comm)) \
            return topo_call_left(call, MPI_SUCCESS); \
        topo_recovery_begin(&point, call->comm); \
        if (setjmp(point.left) != 0) \
            return topo_call_left(call, point.code); \
        if (call->known || topo_call_begin(call, true, &code)) \
            code = topo_call_ran(call, topo_##name##_run(call, TOPO_ARGUMENTS(count, kinds))); \
        topo_recovery_end(&point); \
        return code; \
    }

#define OPERATION(name, Name, NAME, number, communication, waits, count, kinds, record) \
    LEAVABLE(name, count, kinds) \
    FORM(name, , count, kinds) \
    TOPO_IF_COUNTS(count, FORM(name, _c, count, kinds))
#include "catalog/operations.def"
