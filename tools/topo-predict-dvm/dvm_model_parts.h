/* Between the files of the model: its state, the rules of time, the objects of
 * the program, and one function for each call that does more than take time. */
#ifndef TOPO_PREDICT_DVM_DVM_MODEL_PARTS_H
#define TOPO_PREDICT_DVM_DVM_MODEL_PARTS_H

#include "topo-predict-dvm/dvm_map.h"
#include "topo-predict-dvm/dvm_traffic.h"
#include "topo-predict-dvm/dvm_model.h"

enum topo_dvm_kind {
    TOPO_DVM_GRID,         /* processor system (PSRef) */
    TOPO_DVM_AM,           /* abstract machine (AMRef): the grid it is mapped to */
    TOPO_DVM_VIEW,         /* AMViewRef */
    TOPO_DVM_ARRAY,        /* ArrayHandlePtr */
    TOPO_DVM_REDVAR,       /* RedRef: bytes */
    TOPO_DVM_GROUP,        /* RedGroupRef: bytes; started operation */
    TOPO_DVM_EDGES,        /* ShadowGroupRef: traffic; started operation */
    TOPO_DVM_COPY,         /* CopyFlagPtr: started operation */
    TOPO_DVM_BUFFER,       /* BufferHeader: traffic; started operation */
    TOPO_DVM_BUFFER_GROUP, /* RegularAccessGroupRef: traffic; started operation */
};

/* One object of the program, by its handle in the trace. */
struct topo_dvm_object {
    enum topo_dvm_kind kind;
    long handle;
    struct topo_dvm_grid grid;          /* GRID */
    const struct topo_dvm_grid *mapped; /* AM; NULL: not mapped */
    struct topo_dvm_view view;
    struct topo_dvm_array array;
    int64_t bytes; /* REDVAR, GROUP */
    struct topo_dvm_traffic traffic;
    bool started; /* GROUP, EDGES, COPY, BUFFER, BUFFER_GROUP */
    bool loaded;  /* BUFFER, BUFFER_GROUP: at least once */
    double start, end;
    struct topo_dvm_object *next;
};

struct topo_dvm_model {
    const struct topo_dvm_trace *trace;
    struct topo_transfer_machine machine;
    double power;
    struct topo_notes *notes;
    struct topo_intervals *intervals;
    int processors;
    double *clock; /* [processors] */
    struct topo_dvm_object *objects;
    struct topo_dvm_grid root, *current; /* current processor system */
    struct {
        struct topo_dvm_grid *grid;
    } stack[64]; /* systems outside the current one (runam_) */
    int depth;
    struct {
        bool created, mapped, by_view;
        int rank;
        struct topo_dvm_array space; /* the iterations as an array; size[] 0 when there are none */
        long first[TOPO_DVM_DIMENSIONS_MAX],
            step[TOPO_DVM_DIMENSIONS_MAX]; /* the variable of iteration k: first + step k */
        int64_t iterations;
        /* For each processor of the pattern's system, made by the first dopl_ after
         * mappl_: its iterations and how many processors have the same ones. */
        int64_t *count;
        int *equal;
    } loop;        /* the last parallel loop */
    bool io_block; /* between biof_ and eiof_ */
    bool out_of_memory, stopped;
    const char *warned[64]; /* what was warned of */
    int warned_count;
};

/* -- dvm_model.c: the rules of time. Processors are those of the current system. -- */

/* Adds to one processor of the whole machine: its clock, Execution_time, and *part of its times. */
void topo_dvm_model_add(struct topo_dvm_model *model, int processor, double seconds, double *part);

/* Times of a processor in the current interval. */
struct topo_times *topo_dvm_model_times(struct topo_dvm_model *model, int processor);

/* The main rule: call time as CPU_time, return time as SYS_time of every processor. */
void topo_dvm_model_main(struct topo_dvm_model *model, double call_time, double return_time);

/* Brings all clocks to the largest, or to `not_before` if that is later (0: never);
 * what is added is synchronization of `kind`. Returns the common time. */
double topo_dvm_model_synchronize(struct topo_dvm_model *model, enum topo_comm_kind kind, double not_before);

/* A blocking operation: synchronizes, then all communicate for `seconds`. */
void topo_dvm_model_communicate(struct topo_dvm_model *model, enum topo_comm_kind kind, double not_before,
                                double seconds);

/* All wait for an operation that runs from start to end: wait, overlap, variation. */
void topo_dvm_model_wait(struct topo_dvm_model *model, enum topo_comm_kind kind, double start, double end);

/* Warns that a call, or something in it, is not modelled, once for each `name` (static or of the trace). */
void topo_dvm_model_warn(struct topo_dvm_model *model, const struct topo_dvm_call *call, const char *name,
                         const char *what);

/* Notes an error at the call; always false. */
bool topo_dvm_model_error(struct topo_dvm_model *model, const struct topo_dvm_call *call, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* -- dvm_model_objects.c -- */

struct topo_dvm_object *topo_dvm_model_find(struct topo_dvm_model *model, enum topo_dvm_kind kind, long handle);

/* A new object; one of the same kind and handle is replaced. NULL when out of memory. */
struct topo_dvm_object *topo_dvm_model_create(struct topo_dvm_model *model, enum topo_dvm_kind kind, long handle);
void topo_dvm_model_delete(struct topo_dvm_model *model, struct topo_dvm_object *object);

/* The same, its handle being what the call returns as parameter `name`; NULL after an error, too. */
struct topo_dvm_object *topo_dvm_model_returned(struct topo_dvm_model *model, const struct topo_dvm_call *call,
                                                enum topo_dvm_kind kind, const char *name);

/* The object whose handle is parameter `name` of the call; an error and NULL when there is none. */
struct topo_dvm_object *topo_dvm_model_object(struct topo_dvm_model *model, const struct topo_dvm_call *call,
                                              enum topo_dvm_kind kind, const char *name);

/* A parameter that must be there; an error and false when it is not. */
bool topo_dvm_model_number(struct topo_dvm_model *model, const struct topo_dvm_call *call, enum topo_dvm_side side,
                           const char *name, int base, long *value);

/* Exactly `count` entries of an array parameter, else an error and false. */
bool topo_dvm_model_numbers(struct topo_dvm_model *model, const struct topo_dvm_call *call, const char *name, int count,
                            long *values);

/* The system of parameter PSRef, 0 being the current one; an error and NULL when there is none. */
struct topo_dvm_grid *topo_dvm_model_grid(struct topo_dvm_model *model, const struct topo_dvm_call *call);

/* Distributes a template over `grid` by AxisArray; false: noted. */
bool topo_dvm_model_distribute(struct topo_dvm_model *model, const struct topo_dvm_call *call,
                               struct topo_dvm_view *view, const struct topo_dvm_grid *grid);

/* AxisArray, CoeffArray, ConstArray and the pattern they refer to, either one NULL. */
struct topo_dvm_pattern {
    struct topo_dvm_align align;
    const struct topo_dvm_view *view;
    const struct topo_dvm_array *array;
};
bool topo_dvm_model_pattern(struct topo_dvm_model *model, const struct topo_dvm_call *call,
                            struct topo_dvm_pattern *pattern);
bool topo_dvm_model_align(struct topo_dvm_model *model, const struct topo_dvm_call *call, struct topo_dvm_array *array,
                          const struct topo_dvm_pattern *pattern);

/* -- One function a call. False: noted, not modelled. -- */
typedef bool topo_dvm_function(struct topo_dvm_model *model, const struct topo_dvm_call *call);

#define MAIN(call) extern topo_dvm_function topo_dvm_##call;
#define OWN(call) MAIN(call)
#include "topo-predict-dvm/dvm_calls.def"

/* dvm_collective.c: starts an asynchronous operation of the object that takes `seconds`, after all clocks are the same;
 * waits for that of the object which parameter `name` gives (an error and false where none was started). */
void topo_dvm_start(struct topo_dvm_model *model, const struct topo_dvm_call *call, struct topo_dvm_object *group,
                    enum topo_comm_kind kind, double seconds);
bool topo_dvm_finish(struct topo_dvm_model *model, const struct topo_dvm_call *call, enum topo_dvm_kind object_kind,
                     const char *name, enum topo_comm_kind kind);

/* dvm_loop.c: forgets how the loop was divided. */
void topo_dvm_model_drop_shares(struct topo_dvm_model *model);

/* dvm_calls.c: models one call of depth 0. */
void topo_dvm_call(struct topo_dvm_model *model, const struct topo_dvm_call *call);

#endif
