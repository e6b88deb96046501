/* Communication matrices from files. */
#include "readers/readers.h"

#include "schedule/matrix_file.h"

/* The matrix as a list, read again. */
static void check_again(const struct topo_matrix *matrix)
{
    struct topo_text list = {0};
    struct topo_matrix *again = NULL;
    struct topo_error error = {""};
    topo_text_add(&list, "sender,receiver,bytes\n");
    for (int64_t e = 0; e < matrix->messages; e++)
        topo_text_addf(&list, "%d,%d,%lld\n", matrix->sender[e], matrix->receiver[e], (long long)matrix->weight[e]);
    topo_text_addf(&list, "%d,%d,0\n", matrix->senders - 1, matrix->receivers - 1);
    MUST(topo_matrix_parse(list.text, "again", &again, &error) == TOPO_OK, "%s", error.text);
    MUST(again->messages == matrix->messages, "%lld messages, then %lld", (long long)matrix->messages,
         (long long)again->messages);
    MUST(matrix->senders != matrix->receivers || topo_matrix_equal(matrix, again), "another matrix");
    topo_matrix_free(again);
    topo_text_free(&list);
}

static void check_matrix(const struct topo_matrix *matrix)
{
    struct topo_error error = {""};
    struct topo_matrix *turned = NULL, *back = NULL;
    struct topo_matrix_facts facts;
    MUST(topo_matrix_check(matrix, &error) == TOPO_OK, "%s", error.text);
    MUST(topo_matrix_transpose(matrix, &turned, &error) == TOPO_OK, "%s", error.text);
    MUST(topo_matrix_check(turned, &error) == TOPO_OK, "%s", error.text);
    MUST(topo_matrix_transpose(turned, &back, &error) == TOPO_OK, "%s", error.text);
    MUST(topo_matrix_equal(matrix, back), "transposed twice it is another one");
    topo_matrix_facts(matrix, &facts);
    MUST(facts.total >= facts.heaviest && facts.heaviest >= facts.largest && facts.degree <= matrix->messages,
         "%lld %lld %lld %d", (long long)facts.total, (long long)facts.heaviest, (long long)facts.largest,
         facts.degree);
    topo_matrix_free(turned);
    topo_matrix_free(back);
    check_again(matrix);
}

READER(matrix)
{
    char *text = reader_text(data, size);
    struct topo_matrix *matrix = NULL;
    struct topo_error error = {""};
    enum topo_status status = topo_matrix_parse(text, "f", &matrix, &error);
    reader_status(status, &error);
    MUST((status == TOPO_OK) == (matrix != NULL), "%s", topo_status_text(status));
    if (matrix)
        check_matrix(matrix);
    topo_matrix_free(matrix);
    reader_scarce(data, size);
    topo_matrix_parse(text, "f", &matrix, &error);
    reader_plenty();
    topo_matrix_free(matrix);
    free(text);
    return 0;
}
