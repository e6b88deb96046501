/* Perfect matchings of a regular graph, one after the other. Internal to schedule/. */
#ifndef TOPO_SCHEDULE_MATCHING_H
#define TOPO_SCHEDULE_MATCHING_H

#include "schedule/regular.h"

/* The graph as it is decomposed: edges of weight 0 leave their row, and the matching
 * of one step is the start for the next one. */
struct topo_matching {
    struct topo_regular *graph; /* weights are changed */
    int64_t *end;               /* [side]: row l is row[l] .. end[l]-1 now */
    int64_t *edge_of_left;      /* [side] matched edge, -1 none */
    int *left_of_right;         /* [side] */
    int *reached_from;          /* [side] left vertex from which the search came to a right one */
    int64_t *reached_by;        /* [side] and by which edge */
    int *queue;                 /* [side] */
    int *seen, stamp;           /* [side] right vertices of the current search */
};

/* False when memory is out; topo_matching_free() in every case. */
bool topo_matching_start(struct topo_matching *matching, struct topo_regular *graph);
void topo_matching_free(struct topo_matching *matching);

/* Finds a perfect matching (`heavy`: one whose lightest edge is as heavy as can
 * be); edge_of_left[] tells it. Returns the lightest weight, 0 when the graph is
 * empty, -1 when there is none (the graph was not regular). */
int64_t topo_matching_find(struct topo_matching *matching, bool heavy);

/* Takes `weight` from every edge of the matching and drops the empty ones. */
void topo_matching_take(struct topo_matching *matching, int64_t weight);

#endif
