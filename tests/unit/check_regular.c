#include "schedule.h"

#include "schedule/regular.h"

/* Every vertex weighs phi, messages are there once with their units, rows are sorted. */
static void sound(const struct topo_regular *graph, const struct topo_matrix *matrix, int k, int64_t unit, int seed)
{
    int64_t *left = calloc((size_t)graph->side, sizeof *left), *right = calloc((size_t)graph->side, sizeof *right);
    int64_t *units = calloc((size_t)matrix->messages, sizeof *units), total = 0, most = 0;
    int senders = 0, receivers = 0;
    for (int i = 0; i < matrix->senders; i++)
        senders += matrix->row[i + 1] > matrix->row[i];
    for (int j = 0; j < matrix->receivers; j++)
        receivers += matrix->column[j + 1] > matrix->column[j];
    for (int l = 0; l < graph->side; l++)
        for (int64_t e = graph->row[l]; e < graph->row[l + 1]; e++) {
            ck_assert(graph->weight[e] > 0 && graph->right[e] >= 0 && graph->right[e] < graph->side);
            ck_assert_msg(e == graph->row[l] || graph->weight[e] <= graph->weight[e - 1], "seed %d: sorted", seed);
            left[l] += graph->weight[e];
            right[graph->right[e]] += graph->weight[e];
            if (graph->message[e] >= 0)
                units[graph->message[e]] += graph->weight[e];
        }
    for (int v = 0; v < graph->side; v++)
        ck_assert_msg(left[v] == graph->phi && right[v] == graph->phi, "seed %d: vertex %d weighs phi", seed, v);
    for (int64_t e = 0; e < matrix->messages; e++) {
        ck_assert_msg(units[e] == (matrix->weight[e] + unit - 1) / unit, "seed %d: message %d", seed, (int)e);
        total += units[e];
    }
    for (int i = 0; i < matrix->senders; i++) {
        int64_t load = 0;
        for (int64_t e = matrix->row[i]; e < matrix->row[i + 1]; e++)
            load += units[e];
        most = load > most ? load : most;
    }
    for (int j = 0; j < matrix->receivers; j++) {
        int64_t load = 0;
        for (int64_t e = matrix->column[j]; e < matrix->column[j + 1]; e++)
            load += units[matrix->incoming[e]];
        most = load > most ? load : most;
    }
    int least = senders < receivers ? senders : receivers;
    ck_assert_int_eq(graph->k, k < least ? k : least);
    ck_assert_msg(graph->phi == (most > (total + graph->k - 1) / graph->k ? most : (total + graph->k - 1) / graph->k),
                  "seed %d: phi = max(W, P / k)", seed);
    free(left);
    free(right);
    free(units);
}

START_TEST(is_regular)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        struct topo_matrix *matrix = seeded_matrix((uint64_t)seed);
        struct topo_regular *graph = NULL;
        int k = 1 + seed % 9;
        int64_t unit = seed % 4 ? 1 : 1 + seed % 100;
        if (matrix->messages) {
            ck_assert_int_eq(topo_regular_new(matrix, k, unit, &graph, NULL), TOPO_OK);
            sound(graph, matrix, k, unit, seed);
        }
        topo_regular_free(graph);
        topo_matrix_free(matrix);
    }
}
END_TEST

START_TEST(too_much_to_count)
{
    static const int64_t weights[] = {INT64_MAX / 2, 0, 0, INT64_MAX / 2};
    struct topo_matrix *matrix = dense_matrix(2, 2, weights);
    struct topo_regular *graph = NULL;
    struct topo_error error = {""};
    ck_assert_int_eq(topo_regular_new(matrix, 2, 1, &graph, &error), TOPO_OK);
    topo_regular_free(graph);
    topo_matrix_free(matrix);
    int64_t many[25] = {0};
    for (int i = 0; i < 5; i++)
        many[6 * i] = i ? 1 : INT64_MAX / 2;
    matrix = dense_matrix(5, 5, many);
    ck_assert_int_eq(topo_regular_new(matrix, 5, 1, &graph, &error), TOPO_INVALID);
    ck_assert(!graph && strstr(error.text, "a larger unit is needed"));
    topo_matrix_free(matrix);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_matrix *matrix = seeded_matrix(34);
    struct topo_regular *graph = NULL;
    UNIT_OUT_OF_MEMORY(topo_regular_new(matrix, 3, 1, &graph, NULL), ck_assert((status == TOPO_OK) == (graph != NULL)));
    topo_regular_free(graph);
    topo_regular_free(NULL);
    topo_matrix_free(matrix);
}
END_TEST

UNIT_MAIN("regular", {is_regular}, {too_much_to_count}, {out_of_memory})
