/* Costs of the exchanges that are put together or put in order: node_aware and the scheduled forms. */
#include "base/memory.h"
#include "patterns/levels.h"
#include "model/cost_parts.h"
#include "schedule/balance.h"
#include "schedule/css.h"
#include "schedule/ggp.h"

enum { MOST = 16384, HEAVY_MAX = 128 }; /* as coll/alltoallv has them */

/* Bytes of the blocks up to MOST between two nodes; longer ones become messages of their own in this step. */
static double aggregate(const struct topo_cost_input *in, const struct topo_levels *levels, int from, int to)
{
    double together = 0;
    for (int i = levels->start[from]; i < levels->start[from + 1]; i++)
        for (int k = levels->start[to]; k < levels->start[to + 1]; k++) {
            int sender = in->tree->order[i], receiver = in->tree->order[k];
            double bytes = topo_cost_bytes(in, sender, receiver);
            if (bytes <= MOST && i != k)
                together += bytes;
            else
                topo_load_message(in->load, sender, receiver, bytes);
        }
    return together;
}

double topo_cost_long_share(int ranks, const int64_t *matrix)
{
    double all = 0, longer = 0;
    for (size_t i = 0; i < (size_t)ranks * (size_t)ranks; i++) {
        all += (double)matrix[i];
        longer += matrix[i] > MOST ? (double)matrix[i] : 0;
    }
    return all > 0 ? longer / all : 0;
}

/* Every rank copies the short blocks that it sends, or receives. */
static void copies(const struct topo_cost_input *in, bool sent)
{
    int n = in->tree->ranks;
    for (int rank = 0; rank < n; rank++) {
        double bytes = 0;
        for (int other = 0; other < n; other++) {
            double block = sent ? topo_cost_bytes(in, rank, other) : topo_cost_bytes(in, other, rank);
            bytes += block <= MOST ? block : 0;
        }
        topo_load_rank_work(in->load, rank, bytes * in->params->copy, false);
    }
}

double topo_cost_alltoallv_node_aware(const struct topo_cost_input *in)
{
    struct topo_levels *levels = NULL;
    double seconds = -1;
    if (topo_levels_new(in->tree, 0, &levels) != TOPO_OK)
        return seconds;
    topo_cost_hand_over(in, levels, true);
    copies(in, true);
    seconds = topo_load_step(in->load);
    for (int from = 0; from < levels->nodes; from++)
        for (int to = 0; to < levels->nodes; to++) {
            double bytes = aggregate(in, levels, from, to);
            if (from != to)
                topo_load_message(in->load, in->tree->order[levels->start[from]], in->tree->order[levels->start[to]],
                                  bytes);
        }
    seconds += topo_load_step(in->load);
    topo_cost_hand_over(in, levels, false);
    copies(in, false);
    seconds += topo_load_step(in->load);
    topo_levels_free(levels);
    return seconds;
}

double topo_cost_alltoall_node_aware(const struct topo_cost_input *in)
{
    return topo_cost_alltoallv_node_aware(in);
}

/* The matrix of the call, without what ranks have for themselves. */
static struct topo_matrix *matrix_of(const struct topo_cost_input *in)
{
    int n = in->tree->ranks;
    struct topo_matrix *matrix = NULL;
    int64_t *weights = topo_calloc((size_t)n * (size_t)n, sizeof *weights);
    for (int from = 0; weights && from < n; from++)
        for (int to = 0; to < n; to++)
            if (from != to)
                weights[(size_t)from * (size_t)n + (size_t)to] = (int64_t)topo_cost_bytes(in, from, to);
    if (weights)
        topo_matrix_dense(n, n, weights, &matrix, NULL);
    topo_free(weights);
    return matrix;
}

typedef enum topo_status make_schedule(const struct topo_cost_input *in, const struct topo_matrix *matrix,
                                       struct topo_schedule **schedule);

/* The steps one after the other. Equal messages between all need no scheduler: any gives n - 1 steps of a permutation.
 */
static double steps(const struct topo_cost_input *in, make_schedule *make)
{
    struct topo_schedule *schedule = NULL;
    struct topo_matrix *matrix = NULL;
    double seconds = -1;
    if (!in->call->matrix)
        return topo_cost_pairwise(in);
    matrix = matrix_of(in);
    if (matrix && make(in, matrix, &schedule) == TOPO_OK &&
        topo_schedule_seconds(schedule, in->tree, in->params, &seconds, NULL) != TOPO_OK)
        seconds = -1;
    topo_schedule_free(schedule);
    topo_matrix_free(matrix);
    return seconds;
}

static enum topo_status drc(const struct topo_cost_input *in, const struct topo_matrix *matrix,
                            struct topo_schedule **schedule)
{
    (void)in;
    return topo_schedule_drc(matrix, schedule, NULL);
}

static enum topo_status sdrc(const struct topo_cost_input *in, const struct topo_matrix *matrix,
                             struct topo_schedule **schedule)
{
    (void)in;
    return topo_schedule_sdrc(matrix, schedule, NULL);
}

static enum topo_status css(const struct topo_cost_input *in, const struct topo_matrix *matrix,
                            struct topo_schedule **schedule)
{
    (void)in;
    return topo_schedule_css(matrix, NULL, schedule, NULL, NULL);
}

static enum topo_status ggp(const struct topo_cost_input *in, const struct topo_matrix *matrix,
                            struct topo_schedule **schedule)
{
    const struct topo_link *link = &in->params->link[TOPO_LEVEL_NODE];
    double unit = link->beta > 0 ? link->alpha / link->beta : 1;
    struct topo_ggp request = {.k = matrix->senders, .unit = 1, .heavy = matrix->senders <= HEAVY_MAX};
    if (unit > 1 && unit < (double)INT64_MAX / 2)
        request.unit = (int64_t)unit;
    return topo_schedule_ggp(matrix, &request, schedule, NULL, NULL);
}

static enum topo_status balanced(const struct topo_cost_input *in, const struct topo_matrix *matrix,
                                 struct topo_schedule **schedule)
{
    return topo_schedule_balanced(matrix, in->tree, schedule, NULL);
}

double topo_cost_alltoallv_drc(const struct topo_cost_input *in)
{
    return steps(in, drc);
}

double topo_cost_alltoallv_sdrc(const struct topo_cost_input *in)
{
    return steps(in, sdrc);
}

double topo_cost_alltoallv_css(const struct topo_cost_input *in)
{
    return steps(in, css);
}

double topo_cost_alltoallv_ggp(const struct topo_cost_input *in)
{
    return steps(in, ggp);
}

double topo_cost_alltoallv_balanced(const struct topo_cost_input *in)
{
    return steps(in, balanced);
}
