/* Communication matrices from files. */
#ifndef TOPO_SCHEDULE_MATRIX_FILE_H
#define TOPO_SCHEDULE_MATRIX_FILE_H

#include "schedule/matrix.h"

/* Reads a matrix from text; `name` stands for the file in messages. Three forms:
 *   - MatrixMarket, when the first line starts with %%MatrixMarket: matrix
 *     coordinate or array, integer, real or pattern (weight 1), general or
 *     symmetric; rows send, columns receive; real weights are rounded up;
 *   - a CSV list, when the first line is "sender,receiver,bytes": one message a
 *     line, numbered from 0;
 *   - a full CSV table else: row i is what sender i has for each receiver.
 * In CSV a weight may have a suffix K, M, G; '#' starts a comment, empty lines are
 * skipped. Free with topo_matrix_free(). Errors: TOPO_PARSE with name:line and
 * what is allowed, TOPO_NOMEM. */
enum topo_status topo_matrix_parse(const char *text, const char *name, struct topo_matrix **matrix,
                                   struct topo_error *error);

/* The same from a file. Errors also: TOPO_IO. */
enum topo_status topo_matrix_read(const char *path, struct topo_matrix **matrix, struct topo_error *error);

#endif
