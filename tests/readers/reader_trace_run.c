/* The traces of all ranks of a run, one behind the other, and what is predicted from them. */
#include "readers/readers.h"

#include "machine/synthetic.h"
#include "predict/mpi/replay.h"
#include "predict/mpi/traced.h"

enum { FILES_MAX = 8 };

/* Every file begins with the magic; the k-th is rank k's. */
static void write_files(const uint8_t *data, size_t size)
{
    char name[40];
    size_t begin = 0;
    for (int rank = 0; rank < FILES_MAX; rank++) {
        const uint8_t *next = size - begin > 1
                                  ? memmem(data + begin + 1, size - begin - 1, TOPO_TRACE_MAGIC, TOPO_TRACE_MAGIC_BYTES)
                                  : NULL;
        size_t end = next ? (size_t)(next - data) : size;
        snprintf(name, sizeof name, TOPO_TRACE_FILE, rank);
        reader_file(name, data + begin, end - begin);
        if (!next)
            return;
        begin = end;
    }
}

static void predict(const struct topo_trace_run *run, const char *machine_text, enum topo_replay_how how)
{
    struct topo_params params;
    struct topo_notes notes = {0};
    struct topo_intervals intervals = {0};
    struct topo_tree *tree = NULL;
    struct topo_replay_machine machine = {.params = &params, .speed = 2};
    MUST(topo_synthetic_tree(machine_text, 0, &tree, NULL) == TOPO_OK, "%s", machine_text);
    topo_params_default(&params);
    params.cores = 1;
    params.cores_kind = TOPO_LEVEL_NODE;
    machine.tree = tree;
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
        machine.choice[operation].how = how;
    enum topo_status status = topo_replay(run, &machine, &intervals, &notes);
    MUST(status == TOPO_OK || notes.errors, "%s without a word", topo_status_text(status));
    reader_notes(status, &notes);
    if (status == TOPO_OK)
        reader_interval(intervals.root);
    topo_intervals_free(&intervals);
    topo_tree_free(tree);
}

static void show_traced(const struct topo_trace_run *run)
{
    struct topo_notes notes = {0};
    struct topo_intervals intervals;
    enum topo_status status = topo_traced(run, &intervals, &notes);
    reader_notes(status, &notes);
    if (status == TOPO_OK)
        reader_interval(intervals.root);
    topo_intervals_free(&intervals);
}

READER(trace_run)
{
    struct topo_trace_run run;
    struct topo_notes notes = {0};
    write_files(data, size);
    enum topo_status status = topo_trace_read(reader_folder(), &run, NULL, &notes);
    reader_notes(status, &notes);
    if (run.ranks && !run.missing) {
        show_traced(&run);
        predict(&run, "node:2 core:2", TOPO_REPLAY_AUTO);
        predict(&run, "node:4 core:2", TOPO_REPLAY_TRACED);
    }
    topo_trace_run_free(&run);
    reader_scarce(data, size);
    topo_trace_read(reader_folder(), &run, NULL, &notes);
    reader_plenty();
    topo_trace_run_free(&run);
    topo_notes_free(&notes);
    reader_remove();
    return 0;
}
