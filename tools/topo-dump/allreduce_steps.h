/* What an all-reduce on a grid (or in stripes) does, for `topo-dump mapping --operation allreduce`. */
#ifndef TOPO_DUMP_ALLREDUCE_STEPS_H
#define TOPO_DUMP_ALLREDUCE_STEPS_H

#include "model/allreduce_shape.h"
#include "topo-dump/picture.h"

/* The vector consists of doubles. */
enum { DUMP_ELEMENT = 8 };

struct dump_allreduce_steps_view {
    struct dump_view view; /* its mapping is NULL but for a renumbered algorithm */
    struct topo_allreduce_shape shape;
    bool chosen;    /* by cost; else by hand, or by the algorithm */
    double seconds; /* of the shape in the model; negative: not worked out */
    struct topo_stripes stripes;
    struct topo_rank_group group;
    const int *number; /* [ranks] the number that each rank plays; NULL: its own */
    int *position;     /* [ranks] place of each rank in tree order */
    struct topo_block whole;
    /* Index z, 0..levels, is topo_tree_shared_levels() of sender and receiver. */
    int64_t bytes[TOPO_LEVELS_MAX + 1], messages[TOPO_LEVELS_MAX + 1];
    int64_t *out, *in;      /* [nodes] bytes through the link of each node */
    struct picture picture; /* its cells; traffic in `before` */
};

/* True when the algorithm is shown by its steps. */
bool dump_has_moves(const struct topo_algorithm *algorithm);

/* Builds everything for the request's tree and writes it out; CLI_... */
int dump_allreduce_steps_show(const struct dump_request *request, const char *source, const struct topo_tree *tree);

void dump_allreduce_steps_text(const struct dump_allreduce_steps_view *steps, struct topo_text *out);
void dump_allreduce_steps_json(const struct dump_allreduce_steps_view *steps, struct topo_text *out);
void dump_allreduce_steps_svg(const struct dump_allreduce_steps_view *steps, struct topo_text *out);

/* The number that a rank plays, its place on the grid (-1: it hands its vector over and waits). */
int dump_allreduce_steps_number(const struct dump_allreduce_steps_view *steps, int rank);
int dump_allreduce_steps_place(const struct dump_allreduce_steps_view *steps, int rank);

/* The rank `step` further along a dimension from a place. */
int dump_allreduce_steps_neighbour(const struct dump_allreduce_steps_view *steps, int place, int dim, int step);

/* Elements that the ranks start a dimension with, and its longest block. */
void dump_allreduce_steps_lengths(const struct dump_allreduce_steps_view *steps, int dim, size_t *part, size_t *block);

/* Levels that the messages of a dimension cross, in words. */
void dump_allreduce_steps_crossing(const struct dump_allreduce_steps_view *steps, int dim, struct topo_text *out);

/* "ring", "direct", "exchange". */
const char *dump_dim_kind(enum topo_dim_kind kind);

/* Bytes that the link of every node carries at least in each direction. */
int64_t dump_allreduce_steps_bound(const struct dump_allreduce_steps_view *steps);

#endif
