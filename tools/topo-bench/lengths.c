#include "topo-bench/lengths.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <mpi.h>

#include "base/memory.h"
#include "schedule/array.h"
#include "schedule/matrix_file.h"
#include "schedule/random.h"
#include "topo-bench/irregular.h"

enum { ELEMENT = 8 }; /* bytes of an element of an array */

/* The file's matrix, and the one of the size that was asked for last. */
static struct {
    struct topo_matrix *matrix;
    int64_t total;
} given;
static struct {
    struct topo_matrix *matrix;
    size_t mean;
    int ranks, seed;
} made;

/* The messages of rank 0's matrix on all ranks. */
static enum topo_status share(struct topo_matrix **matrix, struct topo_error *error)
{
    int64_t head[3] = {0};
    TOPO_SCOPED struct topo_message *message = NULL;
    if (*matrix)
        memcpy(head, (int64_t[]){(*matrix)->senders, (*matrix)->receivers, (*matrix)->messages}, sizeof head);
    PMPI_Bcast(head, 3, MPI_INT64_T, 0, MPI_COMM_WORLD);
    message = topo_alloc((size_t)head[2], sizeof *message);
    if (!message)
        PMPI_Abort(MPI_COMM_WORLD, 1);
    for (int64_t e = 0; *matrix && e < head[2]; e++)
        message[e] = (struct topo_message){(*matrix)->sender[e], (*matrix)->receiver[e], (*matrix)->weight[e]};
    /* In parts that MPI can count. */
    for (int64_t at = 0, part; at < head[2]; at += part) {
        part = head[2] - at < 1 << 20 ? head[2] - at : 1 << 20;
        PMPI_Bcast(message + at, (int)(part * (int64_t)sizeof *message), MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    topo_matrix_free(*matrix);
    return topo_matrix_new((int)head[0], (int)head[1], message, head[2], matrix, error);
}

enum topo_status bench_lengths_start(struct bench_request *request, int rank, int ranks, struct topo_error *error)
{
    struct topo_matrix_facts facts;
    struct topo_array array;
    int code = TOPO_OK, most = ranks / request->split;
    if (request->redistribute && topo_array_parse(request->redistribute, &array, error) == TOPO_OK &&
        (array.senders > most || array.receivers > most))
        return topo_fail(error, TOPO_PARSE, "--redistribute: from %d to %d processes; here are %d ranks", array.senders,
                         array.receivers, most);
    if (!request->matrix_file)
        return TOPO_OK;
    if (rank == 0)
        code = (int)topo_matrix_read(request->matrix_file, &given.matrix, error);
    PMPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    PMPI_Bcast(error->text, (int)sizeof error->text, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (code == TOPO_OK)
        code = (int)share(&given.matrix, error);
    if (code != TOPO_OK)
        return (enum topo_status)code;
    if (given.matrix->senders > most || given.matrix->receivers > most)
        return topo_fail(error, TOPO_PARSE, "--matrix %s: %d senders and %d receivers; here are %d ranks",
                         request->matrix_file, given.matrix->senders, given.matrix->receivers, most);
    topo_matrix_facts(given.matrix, &facts);
    given.total = facts.total;
    if (request->sizes_given)
        return TOPO_OK;
    char mean[32];
    snprintf(mean, sizeof mean, "%lld", (long long)((facts.total + most * (int64_t)most - 1) / most / most));
    bench_sizes_free(&request->sizes);
    return bench_sizes_read(mean, &request->sizes, error);
}

void bench_lengths_describe(const struct bench_request *request, struct topo_text *out)
{
    if (request->graphs > 1)
        topo_text_addf(out, "%ld random graphs of %s messages, ", request->graphs, request->graph);
    else if (request->graph)
        topo_text_addf(out, "random graph of %s messages, ", request->graph);
    else if (request->redistribute)
        topo_text_addf(out, "%s, elements of %d bytes, ", request->redistribute, ELEMENT);
    else if (request->matrix_file)
        topo_text_addf(out, "matrix %s%s, ", request->matrix_file, request->sizes_given ? ", scaled" : "");
    else
        topo_text_add(out, "irregular, ");
    topo_text_add(out, request->gaps ? "elements with gaps" : "contiguous");
}

/* An array of as many elements as all ranks' messages together are long, of equal extents. */
static enum topo_status array_matrix(const char *text, int64_t total, struct topo_matrix **matrix)
{
    struct topo_array array;
    struct topo_error error;
    enum topo_status status = topo_array_parse(text, &array, &error);
    for (int d = 0; d < array.dimensions && status == TOPO_OK; d++) {
        double extent = pow((double)(total / ELEMENT), 1.0 / array.dimensions);
        array.dimension[d].length = array.dimensions == 1 ? total / ELEMENT : (int64_t)extent;
        if (array.dimension[d].length < 1)
            return TOPO_INVALID;
    }
    if (status == TOPO_OK)
        status = topo_array_resolve(&array, &error);
    return status == TOPO_OK ? topo_array_matrix(&array, matrix, &error) : status;
}

static const struct topo_matrix *matrix_of(const struct bench_request *request, int ranks, size_t mean)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text text = {0};
    struct topo_random_spec spec;
    int64_t total = (int64_t)mean * ranks * ranks;
    if (request->matrix_file)
        return given.matrix;
    if (made.matrix && made.mean == mean && made.ranks == ranks && made.seed == request->seed)
        return made.matrix;
    topo_matrix_free(made.matrix);
    made.matrix = NULL;
    made.mean = mean;
    made.ranks = ranks;
    made.seed = request->seed;
    if (request->redistribute) {
        array_matrix(request->redistribute, total, &made.matrix);
        return made.matrix;
    }
    topo_text_addf(&text, "N=%d,E=%s,seed=%d,total=%lld", ranks, request->graph, request->seed + 1, (long long)total);
    if (!text.failed && topo_random_parse(text.text, &spec, NULL) == TOPO_OK)
        topo_matrix_random(&spec, &made.matrix, NULL);
    return made.matrix;
}

static bool has_matrix(const struct bench_request *request)
{
    return request->graph || request->redistribute || request->matrix_file;
}

bool bench_lengths_ready(const struct bench_request *request, int ranks, size_t mean)
{
    return !has_matrix(request) || matrix_of(request, ranks, mean);
}

size_t bench_length(const struct bench_request *request, int ranks, int from, int to, size_t mean)
{
    const struct topo_matrix *matrix;
    int64_t weight;
    if (!has_matrix(request))
        return bench_irregular_length(request, from, to, mean);
    matrix = matrix_of(request, ranks, mean);
    if (!matrix || from >= matrix->senders || to >= matrix->receivers)
        return 0;
    weight = topo_matrix_at(matrix, from, to);
    if (request->redistribute)
        weight *= ELEMENT;
    else if (request->matrix_file && request->sizes_given && given.total > 0)
        weight = (int64_t)((__int128)weight * (int64_t)mean * ranks * ranks / given.total);
    return bench_whole_elements(request, (size_t)weight);
}
