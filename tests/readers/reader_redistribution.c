/* Redistributions of arrays: "cyclic(3)@5 -> cyclic(4)@5", on the next lines the access function and the length. */
#include "readers/readers.h"

#include "schedule/redistribute.h"

enum { SLOW = 100000, MANY = 1 << 24 };

static void check_matrix(const struct topo_redistribution *array)
{
    struct topo_error error = {""};
    struct topo_redistribution_facts facts;
    struct topo_matrix *matrix = NULL;
    struct topo_matrix_facts sums;
    int64_t pairs = (int64_t)array->np * array->nq;
    /* Millions of pairs are counted well, but slowly. */
    if (pairs > SLOW && pairs <= MANY)
        return;
    enum topo_status status = topo_redistribution_matrix(array, &matrix, &error);
    MUST((status == TOPO_OK) == (matrix != NULL), "%s", topo_status_text(status));
    if (status != TOPO_OK) {
        reader_status(status, &error);
        return;
    }
    MUST(topo_matrix_check(matrix, &error) == TOPO_OK, "%s", error.text);
    topo_matrix_facts(matrix, &sums);
    if (topo_redistribution_facts(array, &facts, &error) == TOPO_OK) {
        int64_t all = array->length ? array->length : facts.iterations;
        MUST(sums.total == all, "%lld elements of %lld", (long long)sums.total, (long long)all);
        topo_redistribution_shift(array, &facts);
    }
    topo_matrix_free(matrix);
}

READER(redistribution)
{
    char *text = reader_text(data, size), *rest = text, *line = reader_line(&rest);
    struct topo_redistribution array;
    struct topo_error error = {""};
    long length;
    enum topo_status status = topo_redistribution_parse(line, &array, &error);
    reader_status(status, &error);
    if (status == TOPO_OK) {
        line = reader_line(&rest);
        if (line)
            reader_status(topo_redistribution_access(line, &array, &error), &error);
        error.text[0] = '\0';
        line = reader_line(&rest);
        if (line && topo_parse_long(line, 0, INT64_MAX, &length))
            array.length = length;
        check_matrix(&array);
    }
    free(text);
    return 0;
}
