/* topo-dump mapping --random and --matrix: a graph that is no algorithm's. */
#include "base/memory.h"
#include "common/cli.h"
#include "schedule/matrix_file.h"
#include "schedule/random.h"
#include "topo-dump/commands.h"
#include "topo-dump/view.h"

enum topo_status dump_graph_of(const struct topo_matrix *matrix, struct topo_graph **graph, struct topo_error *error)
{
    TOPO_SCOPED_BY(topo_graph_end) struct topo_graph *made = topo_calloc(1, sizeof *made);
    int n = matrix->senders;
    int64_t at = 0;
    *graph = NULL;
    if (matrix->senders != matrix->receivers)
        return topo_fail(error, TOPO_INVALID, "%d senders and %d receivers; ranks send and receive", n,
                         matrix->receivers);
    if (made) {
        made->vertices = made->numbers = n;
        made->row = topo_calloc((size_t)n + 1, sizeof *made->row);
        made->neighbour = topo_alloc(2 * (size_t)matrix->messages, sizeof *made->neighbour);
        made->weight = topo_alloc(2 * (size_t)matrix->messages, sizeof *made->weight);
    }
    if (!made || !made->row || !made->neighbour || !made->weight)
        return topo_fail(error, TOPO_NOMEM, "out of memory for a graph of %d vertices", n);
    for (int v = 0; v < n; v++) {
        /* Whom v sends to and who sends to v, both ascending, merged. */
        int64_t out = matrix->row[v], in = matrix->column[v];
        while (out < matrix->row[v + 1] || in < matrix->column[v + 1]) {
            int to = out < matrix->row[v + 1] ? matrix->receiver[out] : n;
            int from = in < matrix->column[v + 1] ? matrix->sender[matrix->incoming[in]] : n;
            int other = to < from ? to : from;
            int64_t weight = to == other ? matrix->weight[out++] : 0;
            if (from == other)
                weight += matrix->weight[matrix->incoming[in++]];
            if (other == v)
                continue;
            made->neighbour[at] = other;
            made->weight[at++] = weight;
        }
        made->row[v + 1] = at;
    }
    *graph = TOPO_KEPT(made);
    return TOPO_OK;
}

int dump_given_graph(const struct dump_request *request, struct topo_graph **graph)
{
    TOPO_SCOPED_BY(topo_matrix_end) struct topo_matrix *matrix = NULL;
    struct topo_random_spec spec;
    struct topo_error error = {""};
    const char *option = request->matrix ? "--matrix: " : "--random: ";
    enum topo_status status;
    if (request->matrix) {
        status = topo_matrix_read(request->matrix, &matrix, &error);
        if (status != TOPO_OK) /* what is in a file is not an argument */
            return cli_fail(DUMP_TOOL, CLI_FAILED, "%s", error.text);
    } else {
        status = topo_random_parse(request->random, &spec, &error);
        if (status == TOPO_OK)
            status = topo_matrix_random(&spec, &matrix, &error);
    }
    if (status == TOPO_OK)
        status = dump_graph_of(matrix, graph, &error);
    return status == TOPO_OK
               ? CLI_OK
               : cli_fail(DUMP_TOOL, status == TOPO_NOMEM ? CLI_FAILED : CLI_USAGE, "%s%s", option, error.text);
}
