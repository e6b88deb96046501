/* The vertices of an information graph along one distance of their numbers, and
 * partitions made of pieces of such chains. Used by partition.c alone. */
#ifndef TOPO_RENUMBER_CHAINS_H
#define TOPO_RENUMBER_CHAINS_H

#include "base/status.h"
#include "renumber/graph.h"

/* v, v + step, v + 2 step, ... modulo graph->numbers, each as far as the graph has
 * these numbers. Chains that begin where the number before is missing come first,
 * cycles after them, both in the order of their first numbers. */
struct topo_chains {
    int count;
    int *first;  /* [count + 1] chain c is vertex[first[c]] .. vertex[first[c + 1] - 1] */
    int *vertex; /* [vertices] */
    int *order;  /* [count] 0 .. count-1 by ascending bit-reversed number */
};

/* The ways to cut chains into parts. Steps of Bruck's algorithm differ by factors of
 * two, so a piece of a chain holds the edges of its step and of the steps above. */
enum topo_chain_form {
    TOPO_CHAINS_CUT,     /* chains one after the other, bit-reversed, cut where a part is full */
    TOPO_CHAINS_WHOLE,   /* parts first get pieces of one chain, or whole chains, bit-reversed; what is left
                            over goes into the gaps, chain by chain */
    TOPO_CHAINS_NATURAL, /* the same, chains in their own order */
    TOPO_CHAINS_REPAIR,  /* the same, what is left over goes where it has most edges */
    TOPO_CHAIN_FORMS
};

/* Room for the chains of `graph`. Free with topo_chains_free(). TOPO_NOMEM. */
enum topo_status topo_chains_new(const struct topo_graph *graph, struct topo_chains *chains);
void topo_chains_free(struct topo_chains *chains);

/* Fills chains with those of `step`, 0 < step < graph->numbers. */
void topo_chains_fill(const struct topo_graph *graph, int step, struct topo_chains *chains);

/* Fills part[] so that part p holds sizes[p] vertices; by_size[]: the parts by
 * descending size. need[parts + 1] is scratch. TOPO_NOMEM. */
enum topo_status topo_chains_place(const struct topo_graph *graph, const struct topo_chains *chains,
                                   enum topo_chain_form form, int parts, const int *sizes, const int *by_size,
                                   int *need, int *part);

#endif
