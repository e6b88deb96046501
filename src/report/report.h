/* What is counted of a job's calls, by rank and together: the report of TOPOMPI_STATS. A rank counts into a sheet,
 * which may be a part of a file, so that it outlives the rank; sheets and reports are added up to one report, in any
 * order, by whoever has them: the ranks along a tree in MPI_Finalize, or topo-dump stats from what a job left. */
#ifndef TOPO_REPORT_REPORT_H
#define TOPO_REPORT_REPORT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "catalog/algorithm.h"
#include "catalog/function.h"

enum { TOPO_REPORT_VERSION = 2, TOPO_REPORT_COMMS = 32, TOPO_REPORT_ROWS = 896 };

/* The first communicator of a sheet stands for all that found no room, and the last rows are for its calls alone: so a
 * job of many communicators loses their names, and no call. */
enum { TOPO_REPORT_OTHERS = 0, TOPO_REPORT_ROWS_OF_OTHERS = 384 };

/* In words, as rank 0 or any other says them; zero bytes behind each. */
struct topo_report_job {
    int32_t ranks, nodes;
    uint64_t number;  /* of the job, equal on all ranks */
    int32_t off;      /* every call native, by TOPOMPI=off */
    int32_t modelled; /* the model is of this machine */
    int32_t shares;   /* ranks share processors */
    int32_t spare;    /* 0 */
    char about[256], libraries[512], mpi[64], machine[256];
};

struct topo_report_rank {
    int32_t rank, node;
    char host[32];
    int32_t ended;                    /* it came to MPI_Finalize */
    int32_t spare;                    /* 0 */
    double run;                       /* s from MPI_Init to MPI_Finalize, or to the end of its last call */
    double processor;                 /* s of processors, all its threads; below 0: not known */
    double memory;                    /* bytes at most; below 0: not known */
    double inside;                    /* s in its calls of operations */
    double mpi;                       /* s in all its calls of MPI; 0: they were not counted */
    double waited;                    /* s of these in which it waited for late ranks, for certain */
    double open;                      /* s of calls of which it is not known how much more of them was waiting */
    float late[TOPO_OPERATION_COUNT]; /* s that ranks of its node waited for it, altogether */
};

/* Communicators of one name and size. */
struct topo_report_comm {
    char name[60]; /* empty: it has none */
    int32_t ranks; /* 0: all others */
};

/* Calls of one size class in such communicators by one algorithm. */
struct topo_report_row {
    int32_t comm, algorithm, size_class;
    int32_t ranks; /* that made some */
    int64_t calls;
    double bytes, seconds;
    double least, most; /* s of the rank that took least and most for all its calls */
    int32_t least_rank, most_rank;
    double waited, open;        /* of `seconds`, as in struct topo_report_rank */
    int64_t modelled, measured; /* those calls whose native time the model knows, or was measured */
    double modelled_native, measured_native;
    double measured_ours; /* of the measured ones: what is compared with that */
    double saved_squares; /* the squares of what each of them saved, added up */
};

/* Calls of one of MPI's functions. */
struct topo_report_function {
    int32_t function, ranks; /* ranks that made some */
    int32_t most_rank, spare;
    int64_t calls;
    double bytes, seconds, most; /* as in a row */
};

/* What one rank counts. The first bytes say what it is. */
struct topo_report_sheet {
    char magic[8];
    uint32_t bytes, version;
    struct topo_report_job job;
    struct topo_report_rank rank;
    int32_t comms, rows;
    int64_t unlisted; /* calls that found no row */
    struct topo_report_comm comm[TOPO_REPORT_COMMS];
    struct topo_report_row row[TOPO_REPORT_ROWS];
    struct topo_functions functions;
};

/* Several of them together. Start with {0}; free with topo_report_free(). */
struct topo_report {
    struct topo_report_job job;
    int ranks, comms, rows, functions;
    int64_t unlisted;
    struct topo_report_rank *rank;
    struct topo_report_comm *comm;
    struct topo_report_row *row;
    struct topo_report_function *function;
};

/* An empty sheet of rank `rank`. */
void topo_report_begin(struct topo_report_sheet *sheet, int rank);

/* False: these bytes, of a file say, are no whole sheet of this version. */
bool topo_report_is_sheet(const struct topo_report_sheet *sheet, size_t bytes);

/* The number of a communicator in the sheet; where there is no room, TOPO_REPORT_OTHERS. */
int topo_report_comm_of(struct topo_report_sheet *sheet, const char *name, int ranks);

/* A new row of the sheet, or NULL: there is no room. */
struct topo_report_row *topo_report_row_new(struct topo_report_sheet *sheet, int comm, int algorithm, int size_class);

/* Adds a sheet. TOPO_NOMEM: some of it is missing. */
enum topo_status topo_report_add_sheet(struct topo_report *report, const struct topo_report_sheet *sheet);

/* A report as bytes of this machine's kind, to be sent; but for its job. *bytes: free with topo_free(); NULL: memory is
 * out. topo_report_add_packed() adds them; TOPO_PARSE: they are none. */
void topo_report_pack(const struct topo_report *report, char **bytes, size_t *count);
enum topo_status topo_report_add_packed(struct topo_report *report, const char *bytes, size_t count);

/* Of one of MPI's functions, what a sheet counted, and by its number "MPI_Send" and its part of the report. */
struct topo_report_function topo_report_function_of(const struct topo_report_sheet *sheet, int function);
const char *topo_report_function_name(int function);
enum topo_function_group topo_report_function_group(int function);
const char *topo_report_group_name(enum topo_function_group group);

/* Is it a collective that is not taken over? */
bool topo_report_is_passed(int function);

/* Ranks in order, rows and functions by their time, most first. */
void topo_report_sort(struct topo_report *report);

void topo_report_free(struct topo_report *report);

/* s of a rank outside of MPI. */
static inline double topo_report_outside(const struct topo_report_rank *rank)
{
    return fmax(0, rank->run - fmax(rank->inside, rank->mpi));
}

/* What the report says as a whole. */
struct topo_report_total {
    double calls, ours, seconds, waited, open;    /* of all ranks */
    double run, run_most;                         /* of all ranks; the longest */
    double mpi;                                   /* s in MPI: of all ranks */
    double outside, outside_most;                 /* s outside of MPI: of all ranks, the most */
    double processor, memory_most;                /* below 0: not known of some */
    int memory_rank;                              /* places in report->rank[] */
    double measured_ours, measured_native, error; /* saved, and twice its standard error, s */
    int ended;                                    /* ranks that came to MPI_Finalize */
};
void topo_report_total(const struct topo_report *report, struct topo_report_total *total);

/* How certain it is that rows of ours saved anything: their times differ by more than chance makes them. */
static inline bool topo_report_saved_is_certain(const struct topo_report_total *total)
{
    const double saved = total->measured_native - total->measured_ours;
    return total->measured_native > 0 && (saved > total->error || -saved > total->error);
}

/* The lines of the report, without "topompi: " before each; sorted before. */
void topo_report_text(const struct topo_report *report, struct topo_text *out);

/* Sentences that follow from the figures, and of ranks that are missing or did not come to MPI_Finalize, a line each;
 * nothing where there are none. */
void topo_report_sentences(const struct topo_report *report, struct topo_text *out);

/* One JSON value: the job, `first`, that of one rank alone (NULL: leave it out), with what that one called of
 * collectives that are not taken over, and all of `report`. Times are whole nanoseconds: no locale writes them in
 * another way. */
void topo_report_json(const struct topo_report *report, const struct topo_report *first, struct topo_text *out);

/* Makes of a report that is JSON the HTML page that shows it and has it inside; it needs no other file. */
void topo_report_page(struct topo_text *report);

/* A JSON string; bytes that are no ASCII stay as they are, since names of files are UTF-8 nearly everywhere. */
void topo_report_json_string(const char *value, struct topo_text *out);

#endif
