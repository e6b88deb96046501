#include "schedule/matrix.h"

#include <string.h>

#include "base/memory.h"
#include "base/search.h"
#include "schedule/sort.h"

void topo_matrix_free(struct topo_matrix *matrix)
{
    if (!matrix)
        return;
    topo_free_all(matrix->row, matrix->sender, matrix->receiver, matrix->weight, matrix->column, matrix->incoming,
                  matrix);
}

static enum topo_status inspect(int senders, int receivers, const struct topo_message *messages, int64_t count,
                                struct topo_error *error)
{
    int64_t total = 0;
    if (senders < 1 || receivers < 1)
        return topo_fail(error, TOPO_INVALID, "a matrix of %d x %d: at least one sender and one receiver are needed",
                         senders, receivers);
    for (int64_t e = 0; e < count; e++) {
        const struct topo_message *message = &messages[e];
        if (message->sender < 0 || message->sender >= senders || message->receiver < 0 ||
            message->receiver >= receivers)
            return topo_fail(error, TOPO_INVALID, "a message from %d to %d in a matrix of %d x %d", message->sender,
                             message->receiver, senders, receivers);
        if (message->weight < 0)
            return topo_fail(error, TOPO_INVALID, "a message of %lld bytes from %d to %d; 0 or more are allowed",
                             (long long)message->weight, message->sender, message->receiver);
        if (__builtin_add_overflow(total, message->weight, &total))
            return topo_fail(error, TOPO_INVALID, "the messages add up to more than %lld bytes", (long long)INT64_MAX);
    }
    return TOPO_OK;
}

/* The views: sender of each message, and the columns. */
static void fill_columns(struct topo_matrix *matrix)
{
    for (int i = 0; i < matrix->senders; i++)
        for (int64_t e = matrix->row[i]; e < matrix->row[i + 1]; e++) {
            matrix->sender[e] = i;
            matrix->column[matrix->receiver[e] + 1]++;
        }
    for (int j = 0; j < matrix->receivers; j++)
        matrix->column[j + 1] += matrix->column[j];
    for (int64_t e = 0; e < matrix->messages; e++)
        matrix->incoming[matrix->column[matrix->receiver[e]]++] = e;
    memmove(matrix->column + 1, matrix->column, (size_t)matrix->receivers * sizeof *matrix->column);
    matrix->column[0] = 0;
}

static struct topo_matrix *allocate(int senders, int receivers, int64_t messages)
{
    struct topo_matrix *matrix = topo_calloc(1, sizeof *matrix);
    if (!matrix)
        return NULL;
    matrix->senders = senders;
    matrix->receivers = receivers;
    matrix->messages = messages;
    matrix->row = topo_calloc((size_t)senders + 1, sizeof *matrix->row);
    matrix->sender = topo_alloc((size_t)messages, sizeof *matrix->sender);
    matrix->receiver = topo_alloc((size_t)messages, sizeof *matrix->receiver);
    matrix->weight = topo_alloc((size_t)messages, sizeof *matrix->weight);
    matrix->column = topo_calloc((size_t)receivers + 1, sizeof *matrix->column);
    matrix->incoming = topo_alloc((size_t)messages, sizeof *matrix->incoming);
    if (!matrix->row || !matrix->sender || !matrix->receiver || !matrix->weight || !matrix->column ||
        !matrix->incoming) {
        topo_matrix_free(matrix);
        return NULL;
    }
    return matrix;
}

static int64_t sender_of(const void *messages, int64_t e)
{
    return ((const struct topo_message *)messages)[e].sender;
}

static int64_t receiver_of(const void *messages, int64_t e)
{
    return ((const struct topo_message *)messages)[e].receiver;
}

enum topo_status topo_matrix_new(int senders, int receivers, const struct topo_message *messages, int64_t count,
                                 struct topo_matrix **matrix, struct topo_error *error)
{
    struct topo_matrix *result = NULL;
    TOPO_SCOPED int64_t *by_sender = topo_alloc((size_t)count, sizeof *by_sender);
    int64_t kept = 0;
    enum topo_status status = inspect(senders, receivers, messages, count, error);
    *matrix = NULL;
    if (status != TOPO_OK)
        return status;
    if (!by_sender || !topo_sort(messages, count, sender_of, senders, receiver_of, receivers, by_sender))
        goto nomem;
    const struct topo_message *last = NULL;
    for (int64_t e = 0; e < count; e++) {
        const struct topo_message *message = &messages[by_sender[e]];
        if (!message->weight)
            continue;
        kept += !last || last->sender != message->sender || last->receiver != message->receiver;
        last = message;
    }
    result = allocate(senders, receivers, kept);
    if (!result)
        goto nomem;
    kept = 0;
    last = NULL;
    for (int64_t e = 0; e < count; e++) {
        const struct topo_message *message = &messages[by_sender[e]];
        if (!message->weight)
            continue;
        if (last && last->sender == message->sender && last->receiver == message->receiver) {
            result->weight[kept - 1] += message->weight;
        } else {
            result->receiver[kept] = message->receiver;
            result->weight[kept++] = message->weight;
            result->row[message->sender + 1]++;
        }
        last = message;
    }
    topo_sort_starts(result->row, senders);
    fill_columns(result);
    *matrix = result;
    return status;
nomem:
    return topo_fail(error, TOPO_NOMEM, "out of memory for a matrix of %lld messages", (long long)count);
}

enum topo_status topo_matrix_dense(int senders, int receivers, const int64_t *weights, struct topo_matrix **matrix,
                                   struct topo_error *error)
{
    TOPO_SCOPED struct topo_message *messages = NULL;
    int64_t count = 0, cells = senders > 0 && receivers > 0 ? (int64_t)senders * receivers : 0;
    *matrix = NULL;
    for (int64_t cell = 0; cell < cells; cell++)
        count += weights[cell] != 0;
    messages = topo_alloc((size_t)count, sizeof *messages);
    if (!messages)
        return topo_fail(error, TOPO_NOMEM, "out of memory for a matrix of %lld messages", (long long)count);
    count = 0;
    for (int64_t cell = 0; cell < cells; cell++)
        if (weights[cell] != 0)
            messages[count++] = (struct topo_message){(int)(cell / receivers), (int)(cell % receivers), weights[cell]};
    return topo_matrix_new(senders, receivers, messages, count, matrix, error);
}

int64_t topo_matrix_find(const struct topo_matrix *matrix, int i, int j)
{
    return topo_search(matrix->receiver, matrix->row[i], matrix->row[i + 1], j);
}

int64_t topo_matrix_at(const struct topo_matrix *matrix, int i, int j)
{
    int64_t e = topo_matrix_find(matrix, i, j);
    return e < 0 ? 0 : matrix->weight[e];
}

void topo_matrix_facts(const struct topo_matrix *matrix, struct topo_matrix_facts *facts)
{
    *facts = (struct topo_matrix_facts){0};
    for (int i = 0; i < matrix->senders; i++) {
        int64_t sum = 0;
        for (int64_t e = matrix->row[i]; e < matrix->row[i + 1]; e++) {
            sum += matrix->weight[e];
            if (matrix->weight[e] > facts->largest)
                facts->largest = matrix->weight[e];
        }
        facts->total += sum;
        if (sum > facts->heaviest)
            facts->heaviest = sum;
        if (matrix->row[i + 1] - matrix->row[i] > facts->degree)
            facts->degree = (int)(matrix->row[i + 1] - matrix->row[i]);
    }
    for (int j = 0; j < matrix->receivers; j++) {
        int64_t sum = 0;
        for (int64_t k = matrix->column[j]; k < matrix->column[j + 1]; k++)
            sum += matrix->weight[matrix->incoming[k]];
        if (sum > facts->heaviest)
            facts->heaviest = sum;
        if (matrix->column[j + 1] - matrix->column[j] > facts->degree)
            facts->degree = (int)(matrix->column[j + 1] - matrix->column[j]);
    }
}

enum topo_status topo_matrix_transpose(const struct topo_matrix *matrix, struct topo_matrix **transposed,
                                       struct topo_error *error)
{
    struct topo_matrix *result = allocate(matrix->receivers, matrix->senders, matrix->messages);
    *transposed = result;
    if (!result)
        return topo_fail(error, TOPO_NOMEM, "out of memory for a matrix of %lld messages", (long long)matrix->messages);
    memcpy(result->row, matrix->column, ((size_t)matrix->receivers + 1) * sizeof *result->row);
    for (int64_t k = 0; k < matrix->messages; k++) {
        result->receiver[k] = matrix->sender[matrix->incoming[k]];
        result->weight[k] = matrix->weight[matrix->incoming[k]];
    }
    fill_columns(result);
    return TOPO_OK;
}

bool topo_matrix_equal(const struct topo_matrix *a, const struct topo_matrix *b)
{
    return a->senders == b->senders && a->receivers == b->receivers && a->messages == b->messages &&
           !memcmp(a->row, b->row, ((size_t)a->senders + 1) * sizeof *a->row) &&
           !memcmp(a->receiver, b->receiver, (size_t)a->messages * sizeof *a->receiver) &&
           !memcmp(a->weight, b->weight, (size_t)a->messages * sizeof *a->weight);
}

enum topo_status topo_matrix_check(const struct topo_matrix *matrix, struct topo_error *error)
{
    int64_t total = 0;
    if (matrix->senders < 1 || matrix->receivers < 1)
        return topo_fail(error, TOPO_INTERNAL, "a matrix of %d x %d", matrix->senders, matrix->receivers);
    if (matrix->row[0] || matrix->row[matrix->senders] != matrix->messages || matrix->column[0] ||
        matrix->column[matrix->receivers] != matrix->messages)
        return topo_fail(error, TOPO_INTERNAL, "rows or columns do not span the %lld messages",
                         (long long)matrix->messages);
    for (int i = 0; i < matrix->senders; i++)
        for (int64_t e = matrix->row[i]; e < matrix->row[i + 1]; e++) {
            if (matrix->sender[e] != i || matrix->receiver[e] < 0 || matrix->receiver[e] >= matrix->receivers)
                return topo_fail(error, TOPO_INTERNAL, "message %lld of row %d goes from %d to %d", (long long)e, i,
                                 matrix->sender[e], matrix->receiver[e]);
            if (e > matrix->row[i] && matrix->receiver[e] <= matrix->receiver[e - 1])
                return topo_fail(error, TOPO_INTERNAL, "the receivers of row %d do not ascend", i);
            if (matrix->weight[e] <= 0 || __builtin_add_overflow(total, matrix->weight[e], &total))
                return topo_fail(error, TOPO_INTERNAL, "weight %lld in row %d", (long long)matrix->weight[e], i);
        }
    for (int j = 0; j < matrix->receivers; j++)
        for (int64_t k = matrix->column[j]; k < matrix->column[j + 1]; k++) {
            int64_t e = matrix->incoming[k];
            if (e < 0 || e >= matrix->messages || matrix->receiver[e] != j ||
                (k > matrix->column[j] && e <= matrix->incoming[k - 1]))
                return topo_fail(error, TOPO_INTERNAL, "column %d does not list its messages by sender", j);
        }
    return TOPO_OK;
}
