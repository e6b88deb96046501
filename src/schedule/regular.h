/* GGP's graph J: a communication matrix made regular by weight. Internal to schedule/. */
#ifndef TOPO_SCHEDULE_REGULAR_H
#define TOPO_SCHEDULE_REGULAR_H

#include "base/memory.h"
#include "schedule/matrix.h"

/* A bipartite graph whose every vertex has weight phi (docs/REFERENCES.md, Schedule 4): the
 * messages, dummy edges that bring the total to phi * k, and fillers. Every
 * perfect matching of it has at most k messages. Senders and receivers without a
 * message are not in it. */
struct topo_regular {
    int k;        /* messages at a time, at most the smaller side */
    int side;     /* vertices of each side */
    int64_t phi;  /* max(W, ceil(P / k)) in units */
    int64_t *row; /* [side + 1]: edges row[l] .. row[l+1]-1 of left vertex l, by decreasing weight */
    int *right;
    int64_t *weight;  /* > 0, in units */
    int64_t *message; /* index in the matrix; -1 dummy or filler */
};

/* Weights are rounded up to whole units. k >= 1, unit >= 1. Free with
 * topo_regular_free(). Errors: TOPO_INVALID (weights so large that phi * k
 * overflows), TOPO_NOMEM. The matrix must have a message. */
enum topo_status topo_regular_new(const struct topo_matrix *matrix, int k, int64_t unit, struct topo_regular **graph,
                                  struct topo_error *error);

/* NULL is harmless. */
void topo_regular_free(struct topo_regular *graph);
TOPO_SCOPED_TYPE(topo_regular)

#endif
