/* Random matrices by their description. */
#include "readers/readers.h"

#include "schedule/random.h"

enum { SLOW = 100000, MANY = 1 << 24 };

READER(random)
{
    char *text = reader_text(data, size);
    struct topo_random_spec spec;
    struct topo_matrix *matrix = NULL;
    struct topo_error error = {""};
    struct topo_matrix_facts facts;
    enum topo_status status = topo_random_parse(text, &spec, &error);
    reader_status(status, &error);
    /* Millions of messages are made well, but slowly. */
    if (status == TOPO_OK && (spec.messages < SLOW || spec.messages > MANY)) {
        status = topo_matrix_random(&spec, &matrix, &error);
        reader_status(status, &error);
        MUST((status == TOPO_OK) == (matrix != NULL), "%s", topo_status_text(status));
    }
    if (matrix) {
        MUST(topo_matrix_check(matrix, &error) == TOPO_OK, "%s", error.text);
        topo_matrix_facts(matrix, &facts);
        MUST(facts.total == spec.total && matrix->messages == spec.messages, "%lld bytes in %lld messages",
             (long long)facts.total, (long long)matrix->messages);
    }
    topo_matrix_free(matrix);
    reader_scarce(data, size);
    topo_random_parse(text, &spec, &error);
    reader_plenty();
    free(text);
    return 0;
}
