/* One simulated job: times of calls in simulated microseconds, by ours and by others.
 *
 *   sim OPERATION BYTES[,BYTES...] NAME[,NAME...]...
 *
 * BYTES: of each rank's block (allgather), of the longest (allgatherv, whose every other one has half), or of the
 * vector. NAME: `others` (others.h), one of them, `auto`, `ours` (auto and all of our rows that run), or one of our
 * rows as ours:ROW. A line each: operation, bytes, name, microseconds, what ran, whether the result was right ("-": not
 * looked at, as memory is folded, world.h); with level parameters in a file that SIM_LEVELS names, the time that the
 * model gives for a row of ours. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <simgrid/actor.h>

#include "coll/allreduce/allreduce.h"
#include "coll/call/operations.h"
#include "coll/library.h"
#include "coll/reduce/reduce.h"
#include "base/file.h"
#include "base/processors.h"
#include "job/job.h"
#include "job/native.h"
#include "model/cost.h"
#include "select/tuning.h"
#include "select/by_model.h"
#include "sim/others.h"
#include "sim/waiting.h"
#include "sim/world.h"

static int rank, ranks;
static MPI_Comm everybody; /* whose communicators of nodes others have made once */

/* A call that prepares a timed one, whose result nobody looks at: what the native library would do is left out, which
 * for a reduce of 256 KiB on 1,024 ranks is a quarter of a million messages. */
static bool prepares;

/* What ours leaves to the native library is done as Open MPI selects; the library's own small collectives are
 * SimGrid's, as that selection takes a barrier of n steps. */
static int run_native(const struct sim_call *call)
{
    return prepares ? MPI_SUCCESS : other_run("ompi", call);
}

static int native_allgather(const void *own, int count, MPI_Datatype type, void *all, int each, MPI_Datatype all_type,
                            MPI_Comm comm)
{
    (void)type, (void)each, (void)all_type, (void)comm;
    return run_native(&(struct sim_call){SIM_ALLGATHER, own, all, count, everybody});
}

static int native_allreduce(const void *own, void *sum, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    (void)type, (void)op, (void)comm;
    return run_native(&(struct sim_call){SIM_ALLREDUCE, own, sum, count, everybody});
}

static int native_bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    (void)type, (void)root, (void)comm;
    return run_native(&(struct sim_call){SIM_BCAST, NULL, data, count, everybody});
}

static int native_reduce(const void *own, void *sum, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    (void)type, (void)op, (void)root, (void)comm;
    return run_native(&(struct sim_call){SIM_REDUCE, own, sum, count, everybody});
}

static int native_allgatherv(const void *own, int count, MPI_Datatype type, void *all, const int *counts,
                             const int *starts, MPI_Datatype all_type, MPI_Comm comm)
{
    (void)type, (void)all_type, (void)comm;
    return run_native(&(struct sim_call){SIM_ALLGATHERV, own, all, count, everybody, counts, starts});
}

static void set_natives(void)
{
    topo_native.allgatherv = native_allgatherv;
    topo_native.allgather = native_allgather;
    topo_native.allreduce = native_allreduce;
    topo_native.bcast = native_bcast;
    topo_native.reduce = native_reduce;
}

/* The rest of a call's name is that of a row of ours; NULL: none, or auto. */
static const struct topo_algorithm *row_of(enum sim_operation operation, const char *name)
{
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *row = topo_algorithm((enum topo_algorithm_id)id);
        if (!strcmp(topo_operation_name(row->operation), sim_operations[operation]) && !strcmp(row->name, name))
            return row;
    }
    return NULL;
}

static int run_ours(const struct topo_algorithm *row, const struct sim_call *call)
{
    switch (call->operation) {
    case SIM_ALLGATHER:
        return topo_allgather(row, call->own, call->count, MPI_INT, call->result, call->count, MPI_INT, call->comm);
    case SIM_ALLREDUCE: return topo_allreduce(row, call->own, call->result, call->count, MPI_INT, MPI_SUM, call->comm);
    case SIM_ALLGATHERV:
        return topo_allgatherv(row, call->own, call->count, MPI_INT, call->result, call->counts, call->starts, MPI_INT,
                               call->comm);
    case SIM_BCAST: return topo_bcast(row, call->result, call->count, MPI_INT, 0, call->comm);
    default: return topo_reduce(row, call->own, call->result, call->count, MPI_INT, MPI_SUM, 0, call->comm);
    }
}

static int run(const char *name, const struct sim_call *call)
{
    if (!strcmp(name, "auto"))
        return run_ours(NULL, call);
    if (!strncmp(name, "ours:", 5))
        return run_ours(row_of(call->operation, name + 5), call);
    return other_run(name, call);
}

static int value(int of, int at)
{
    return of * 7 + at * 3 + 1;
}

static void fill(const struct sim_call *call, int *own, size_t all)
{
    for (int i = 0; i < call->count; i++)
        own[i] = value(rank, i);
    memset(call->result, 0, all);
    for (int i = 0; i < call->count && call->operation == SIM_BCAST && rank == 0; i++)
        call->result[i] = value(0, i);
}

static bool is_right(const struct sim_call *call)
{
    int sum = 7 * (ranks * (ranks - 1) / 2), count = call->count;
    bool good = true;
    for (int of = 0; of < ranks && call->operation == SIM_ALLGATHER; of++)
        for (int i = 0; i < count; i++)
            good &= call->result[of * count + i] == value(of, i);
    for (int of = 0; of < ranks && call->operation == SIM_ALLGATHERV; of++)
        for (int i = 0; i < call->counts[of]; i++)
            good &= call->result[call->starts[of] + i] == value(of, i);
    for (int i = 0; i < count && call->operation == SIM_BCAST; i++)
        good &= call->result[i] == value(0, i);
    for (int i = 0; i < count && (call->operation == SIM_ALLREDUCE || (call->operation == SIM_REDUCE && rank == 0));
         i++)
        good &= call->result[i] == sum + ranks * (3 * i + 1);
    return good;
}

/* All ranks begin at the same simulated time; gives the time until the last one is through. */
static double time_of(const char *name, const struct sim_call *call, int *code)
{
    double now = PMPI_Wtime(), start, end, last;
    PMPI_Allreduce(&now, &start, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    start += 1e-3;
    sg_actor_sleep_until(start);
    *code = run(name, call);
    end = PMPI_Wtime();
    PMPI_Allreduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return last - start;
}

/* What a first call needs, tags and memory, is there when one of ours is timed: a bcast or reduce gets it in the next
 * call that all ranks take part in. So are the communicators of nodes that the selections of others make in the first
 * call of any of them. SIM_FIRST ints prepare forms whose memory does not grow with the vector. */
static int settle(const char *name, const struct sim_call *call)
{
    static int own, sum, settled;
    const char *first = getenv("SIM_FIRST"); /* tests/sim/run has looked at it */
    const long count = first && *first ? strtol(first, NULL, 10) : INT_MAX;
    struct sim_call prepared = *call;
    if (call->operation != SIM_ALLGATHERV)
        prepared.count = count < call->count ? (int)count : call->count;
    const struct sim_call small = {SIM_ALLREDUCE, &own, &sum, 1, call->comm};
    if (!settled++)
        other_run("mvapich2_two_level", &(struct sim_call){SIM_ALLREDUCE, &own, &sum, 1, everybody});
    if (strcmp(name, "auto") && strncmp(name, "ours:", 5))
        return MPI_SUCCESS;
    prepares = true;
    int code = run_ours(row_of(SIM_ALLREDUCE, "leader"), &small);
    if (code == MPI_SUCCESS)
        code = run(name, &prepared);
    if (code == MPI_SUCCESS)
        code = run_ours(row_of(SIM_ALLREDUCE, "leader"), &small);
    prepares = false;
    return code;
}

/* The row that `auto` takes; "" for others. */
static const char *runs_as(const char *name, const struct sim_call *call, size_t bytes)
{
    struct topo_comm *state = NULL;
    const struct topo_algorithm *native = row_of(call->operation, "native"), *runs;
    if (strcmp(name, "auto"))
        return "-";
    if (topo_comm_of(call->comm, &state) != MPI_SUCCESS || !state || state->native)
        return native->name;
    runs = topo_select_on(&topo_job.tuning, native->operation, state->tree, &state->layout, bytes);
    return runs ? runs->name : "-";
}

/* The parameters that SIM_LEVELS names; NULL: none. */
static const struct topo_params *given_params(void)
{
    static struct topo_tuning tuning;
    static bool looked;
    const char *path = getenv("SIM_LEVELS");
    char *text = NULL;
    struct topo_error error = {""};
    if (path && !looked &&
        (topo_read_file(path, &text, NULL, &error) != TOPO_OK ||
         topo_tuning_parse(text, path, &tuning, &error) != TOPO_OK)) {
        fprintf(stderr, "sim: %s\n", error.text);
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    looked = true;
    free(text);
    return path ? &tuning.params : NULL;
}

/* The model's microseconds for a row of ours; negative: it has none. */
static double model_of(const char *name, const struct sim_call *call, size_t bytes)
{
    const struct topo_params *params = given_params();
    struct topo_comm *state = NULL;
    if (!params || strncmp(name, "ours:", 5) || topo_comm_of(call->comm, &state) != MPI_SUCCESS || !state)
        return -1;
    const struct topo_cost_call cost = {.bytes = bytes};
    return 1e6 * topo_cost(row_of(call->operation, name + 5)->id, state->tree, params, &cost);
}

/* The blocks of an allgatherv, every other one half as long as the longest. */
static void lay_out(int longest, int *counts, int *starts)
{
    for (int of = 0, next = 0; of < ranks; next += counts[of++]) {
        counts[of] = of % 2 ? longest / 2 : longest;
        starts[of] = next;
    }
}

/* On a communicator of its own, where it is ours: what earlier ones left there, memory above all, decides nothing. */
static void measure(enum sim_operation operation, size_t bytes, const char *name, MPI_Comm comm)
{
    bool ours = !strcmp(name, "auto") || !strncmp(name, "ours:", 5);
    int count = (int)(bytes / sizeof(int)), code, all_codes, good, all_good;
    size_t all = bytes * (operation == SIM_ALLGATHER || operation == SIM_ALLGATHERV ? (size_t)ranks : 1);
    int *own = sim_fold(bytes), *blocks = malloc(2 * (size_t)ranks * sizeof *blocks);
    struct sim_call call = {operation, own, sim_fold(all), count, comm, blocks, blocks + ranks};
    bool looked_at = !sim_folds();
    if (!own || !call.result || !blocks)
        PMPI_Abort(MPI_COMM_WORLD, 1);
    if (operation == SIM_ALLGATHERV) {
        lay_out(count, blocks, blocks + ranks);
        call.count = blocks[rank];
        bytes = (size_t)(blocks[2 * ranks - 1] + blocks[ranks - 1]) * sizeof(int) / (size_t)ranks;
    }
    if (ours)
        PMPI_Comm_dup(comm, &call.comm);
    code = settle(name, &call);
    if (looked_at)
        fill(&call, own, all);
    double seconds = code == MPI_SUCCESS ? time_of(name, &call, &code) : 0;
    good = !looked_at || is_right(&call);
    PMPI_Allreduce(&code, &all_codes, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    PMPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%s %zu %s %.3f %s %s", sim_operations[operation], count * sizeof(int), name, seconds * 1e6,
               runs_as(name, &call, bytes),
               all_codes != MPI_SUCCESS ? "failed"
               : !looked_at             ? "-"
               : all_good               ? "right"
                                        : "wrong");
        if (given_params())
            printf(" %.3f", model_of(name, &call, bytes));
        printf("\n");
        fflush(stdout);
    }
    if (ours)
        PMPI_Comm_free(&call.comm);
    sim_unfold(own);
    sim_unfold(call.result);
    free(blocks);
}

static void measure_names(enum sim_operation operation, size_t bytes, const char *name, MPI_Comm comm)
{
    if (!strcmp(name, "others")) {
        for (const char *const *other = other_names(operation); *other; other++)
            measure(operation, bytes, *other, comm);
    } else if (!strcmp(name, "ours")) {
        measure(operation, bytes, "auto", comm);
        for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
            const struct topo_algorithm *row = topo_algorithm((enum topo_algorithm_id)id);
            char words[64];
            snprintf(words, sizeof words, "ours:%s", row->name);
            if (!strcmp(topo_operation_name(row->operation), sim_operations[operation]) &&
                strcmp(row->name, "native") && topo_algorithm_applies(row, ranks, NULL))
                measure(operation, bytes, words, comm);
        }
    } else {
        measure(operation, bytes, name, comm);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    sim_waiting_start();
    set_natives();
    topo_processors_pretended = ranks; /* a simulated node has one for each rank, whatever this one has */
    topo_library_start(true);
    if (!topo_job.active || argc < 4) {
        fprintf(stderr, "usage: sim OPERATION BYTES,... NAME,...\n");
        PMPI_Abort(MPI_COMM_WORLD, 2);
    }
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    everybody = comm;
    for (int at = 1; at + 2 < argc; at += 3) {
        int operation = 0;
        while (operation < SIM_OPERATIONS && strcmp(sim_operations[operation], argv[at]))
            operation++;
        if (operation == SIM_OPERATIONS)
            PMPI_Abort(MPI_COMM_WORLD, 2);
        for (char *next = argv[at + 1]; *next;) {
            size_t bytes = strtoul(next, &next, 10);
            char names[512], *state = NULL;
            next += *next == ',';
            snprintf(names, sizeof names, "%s", argv[at + 2]);
            for (char *name = strtok_r(names, ",", &state); name; name = strtok_r(NULL, ",", &state))
                measure_names((enum sim_operation)operation, bytes, name, comm);
        }
    }
    PMPI_Comm_free(&comm);
    topo_library_stop();
    MPI_Finalize();
    return 0;
}
