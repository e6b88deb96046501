/* The communication matrix of an irregular exchange: who sends how much to whom. */
#ifndef TOPO_SCHEDULE_MATRIX_H
#define TOPO_SCHEDULE_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/status.h"

/* One message before it is in a matrix. */
struct topo_message {
    int sender, receiver;
    int64_t weight;
};

/* The weighted bipartite digraph G = (A, B, E) of docs/REFERENCES.md,
 * Schedule 1, and the table COM(i, j) of Redistribution 1. A weight is a positive
 * number of bytes, or of elements in a COM table; pairs that exchange nothing are
 * not stored. Message e, 0 <= e < messages, is counted row by row, receivers
 * ascending (CSR); `incoming` gives the same messages column by column, senders
 * ascending (CSC). The sum of all weights fits into int64_t. */
struct topo_matrix {
    int senders, receivers; /* > 0 */
    int64_t messages;
    int64_t *row;      /* [senders + 1]: messages row[i] .. row[i+1]-1 leave sender i */
    int *sender;       /* [messages] */
    int *receiver;     /* [messages] */
    int64_t *weight;   /* [messages] */
    int64_t *column;   /* [receivers + 1] */
    int64_t *incoming; /* [messages]: messages incoming[column[j] .. column[j+1]-1] arrive at receiver j */
};

/* What is asked of a matrix again and again. */
struct topo_matrix_facts {
    int64_t total;    /* P(G), sum of the weights */
    int64_t heaviest; /* W(G), largest vertex weight: no schedule is shorter */
    int64_t largest;  /* largest message */
    int degree;       /* deg(G), most messages of one sender or receiver: no schedule has fewer steps */
};

/* Builds the matrix of `count` messages in any order; several of one pair are
 * added up, empty ones dropped. Free with topo_matrix_free(). Errors:
 * TOPO_INVALID (no sender or receiver, an index out of range, a negative weight,
 * a total above INT64_MAX), TOPO_NOMEM. */
enum topo_status topo_matrix_new(int senders, int receivers, const struct topo_message *messages, int64_t count,
                                 struct topo_matrix **matrix, struct topo_error *error);

/* The same from a full table, weights[i * receivers + j]. */
enum topo_status topo_matrix_dense(int senders, int receivers, const int64_t *weights, struct topo_matrix **matrix,
                                   struct topo_error *error);

/* NULL is harmless. */
void topo_matrix_free(struct topo_matrix *matrix);
TOPO_SCOPED_TYPE(topo_matrix)

/* Index of the message from i to j, or -1. O(log of the row). */
int64_t topo_matrix_find(const struct topo_matrix *matrix, int i, int j);

/* COM(i, j); 0 when i sends nothing to j. */
int64_t topo_matrix_at(const struct topo_matrix *matrix, int i, int j);

/* Fills *facts; O(messages). */
void topo_matrix_facts(const struct topo_matrix *matrix, struct topo_matrix_facts *facts);

/* Senders and receivers exchanged. Free with topo_matrix_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_matrix_transpose(const struct topo_matrix *matrix, struct topo_matrix **transposed,
                                       struct topo_error *error);

/* Same size and same weights. */
bool topo_matrix_equal(const struct topo_matrix *a, const struct topo_matrix *b);

/* Whole-object check for tests: every property stated above. */
enum topo_status topo_matrix_check(const struct topo_matrix *matrix, struct topo_error *error);

#endif
