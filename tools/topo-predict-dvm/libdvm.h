/* Reader of Lib-DVM text traces (docs/REFERENCES.md, Predictor 4):
 *
 *   call_NAME TIME=0.000005 LINE=31 FILE=GAUSS_C.CDV
 *   Key=Value; Array[0]=1; Array[1]=2;
 *   ret_NAME TIME=0.000002 LINE=31 FILE=GAUSS_C.CDV
 *   Res=4;
 *
 * The time of a call line is what the program computed since the last return
 * (call time), that of a ret line what the call itself took (return time). */
#ifndef TOPO_PREDICT_DVM_LIBDVM_H
#define TOPO_PREDICT_DVM_LIBDVM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/notes.h"

/* One Key=Value or Key[index]=Value (index -1: none). A remark such as
 * "(AMView)" is a parameter of that name, brackets included, with value "". */
struct topo_dvm_param {
    const char *name, *value;
    long index;
    int line; /* in the trace */
};

struct topo_dvm_call {
    const char *name;              /* without call_, e.g. "crtda_" */
    double call_time, return_time; /* seconds; a call's nested calls are part of its return time */
    const char *file;              /* of the program */
    long line;
    int trace_line;
    int depth; /* 0; nested calls follow the call that makes them */
    bool returned;
    size_t in, in_count, out, out_count; /* into params: of the call, of the return */
};

struct topo_dvm_trace {
    char *name, *text; /* the file's name, its content (everything points into it) */
    struct topo_dvm_call *calls;
    size_t count;
    struct topo_dvm_param *params;
    size_t param_count;
    /* The virtual processor system of the traced run (VPSSize, else PSSize); 0 dimensions: not told. */
    int dimensions;
    int size[8];
};

/* Parses `text` (copied). What is wrong is noted with name:line and left out, the
 * rest is kept: *trace is valid unless the result is TOPO_NOMEM, and TOPO_PARSE
 * means that some error was noted. Free with topo_dvm_trace_free() in every case. */
enum topo_status topo_dvm_parse(const char *text, size_t length, const char *name, struct topo_dvm_trace *trace,
                                struct topo_notes *notes);

/* The same from a file; TOPO_IO when it cannot be read (noted). */
enum topo_status topo_dvm_read(const char *path, struct topo_dvm_trace *trace, struct topo_notes *notes);
void topo_dvm_trace_free(struct topo_dvm_trace *trace);

enum topo_dvm_side { TOPO_DVM_IN, TOPO_DVM_OUT };

/* The value of parameter `name` as text, or NULL. */
const char *topo_dvm_text(const struct topo_dvm_trace *trace, const struct topo_dvm_call *call, enum topo_dvm_side side,
                          const char *name);

/* The same as a whole number of `base` (10; 16 for handles). False when it is missing or no number. */
bool topo_dvm_number(const struct topo_dvm_trace *trace, const struct topo_dvm_call *call, enum topo_dvm_side side,
                     const char *name, int base, long *value);

/* name[0], name[1], ... into values[]; returns how many there are, at most
 * `most`; -1 when one is no number. */
int topo_dvm_numbers(const struct topo_dvm_trace *trace, const struct topo_dvm_call *call, const char *name, int most,
                     long *values);

#endif
