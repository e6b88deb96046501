/* What `topo-dump mapping` was asked for and what it shows. */
#ifndef TOPO_DUMP_VIEW_H
#define TOPO_DUMP_VIEW_H

#include <stdbool.h>

#include "base/text.h"
#include "machine/synthetic.h"
#include "machine/tree.h"
#include "model/params.h"
#include "patterns/grid.h"
#include "renumber/mapping.h"
#include "schedule/matrix.h"
#include "catalog/algorithm.h"

struct dump_view;
struct dump_allreduce_steps_view;

/* The forms a mapping, or the steps of an all-reduce (allreduce_steps.h), can be shown in. */
struct dump_format {
    const char *name;
    void (*print)(const struct dump_view *view, struct topo_text *out);
    void (*print_moves)(const struct dump_allreduce_steps_view *steps,
                        struct topo_text *out); /* NULL: not in this form */
};

struct dump_request {
    const char *synthetic, *machine; /* NULL: this machine, or the job that the tool is part of */
    long ranks;                      /* 0: as many as the machine offers */
    const char *placed;              /* --placement as it was given, or NULL */
    enum topo_placement placement;
    enum topo_operation operation;
    const char *algorithm;
    const char *random, *matrix; /* a graph that is no algorithm's; NULL both: the algorithm's */
    const struct topo_algorithm *row;
    enum topo_graph_kind graph; /* NONE: its moves are shown */
    int partitioner;            /* enum topo_partitioner */
    size_t bytes;               /* steps: of the vector */
    struct topo_grid grid;      /* steps: of no dimension for the cheapest */
    const char *tuning;         /* file with the machine's parameters, or NULL */
    bool summary;               /* text without what grows with the ranks */
    int form;                   /* number of the format */
    const struct dump_format *format;
    const char *output;
};

struct dump_view {
    const struct dump_request *request;
    const struct topo_tree *tree;
    const struct topo_mapping *mapping;
    const char *source; /* where the tree comes from, for people */
    /* T(x) of docs/REFERENCES.md, Mapping 1, at one byte a rank: seconds. */
    double seconds_before, seconds_after;
    int nodes;
    int *order;      /* [ranks] the ranks in tree order; owns node[], too */
    const int *node; /* [ranks] node of each rank */
};

/* Fills these three from the tree; false: memory is out. Free view->order with topo_free(). */
bool dump_view_tree(struct dump_view *view);

/* Reads the arguments. CLI_OK, CLI_DONE (it was --help or --version), or CLI_USAGE after one line on what is wrong. */
int dump_request_read(int argc, char **argv, struct dump_request *request);

/* The machine's parameters: the tuning file's, or the defaults. CLI_... */
int dump_params(const struct dump_request *request, struct topo_params *params);

/* The tree of a request that no job is needed for: synthetic, a machine file, or
 * this machine. Free with topo_tree_free(). CLI_OK, or CLI_USAGE (what the user
 * gave is wrong) or CLI_FAILED after saying so. */
int dump_offline_tree(const struct dump_request *request, struct topo_tree **tree);

/* The graph of --random or --matrix. Free with topo_graph_free(). CLI_... after saying what is wrong. */
int dump_given_graph(const struct dump_request *request, struct topo_graph **graph);

/* Each pair that exchanges anything is one edge with the bytes of both directions; what is for oneself is none. Free
 * with topo_graph_free(). Errors: TOPO_INVALID (other receivers than senders), TOPO_NOMEM. */
enum topo_status dump_graph_of(const struct topo_matrix *matrix, struct topo_graph **graph, struct topo_error *error);

/* T(x): each byte at the bandwidth of the level it crosses. bytes[levels + 1] as in struct topo_mapping. */
double dump_transfer_seconds(const struct topo_tree *tree, const struct topo_params *params, const int64_t *bytes);

void dump_mapping_text(const struct dump_view *view, struct topo_text *out);
void dump_mapping_json(const struct dump_view *view, struct topo_text *out);
void dump_mapping_dot(const struct dump_view *view, struct topo_text *out);
void dump_mapping_svg(const struct dump_view *view, struct topo_text *out);

/* The tree as text: kinds, units, ranks of each. */
void dump_tree_text(const struct dump_view *view, struct topo_text *out);

/* "between switches", "between nodes of one switch", ..., "inside one core": what
 * it means that blocks cross level z (0..levels) of the tree. */
void dump_level_label(const struct topo_tree *tree, int z, struct topo_text *out);

/* A row of a table of levels: that name and two columns. */
void dump_level_row(const struct topo_tree *tree, int z, const char *left, const char *right, struct topo_text *out);

/* Blocks that rank i sends rank j: matrix[cell(i) * cells + cell(j)], cells =
 * 1 + the largest cell[]. `rank_of`: who plays each virtual number, NULL for
 * rank v itself. False when out of memory; free *matrix with topo_free(). */
bool dump_traffic(const struct dump_view *view, const int *rank_of, const int *cell, int cells, int64_t **matrix);

/* Whole number with commas, 1234567 -> "1,234,567", in `out`. */
const char *dump_number(int64_t number, char out[32]);

/* A number of at least 0 in at most five characters, 1234567 -> "1.23M", in `out`. */
const char *dump_short_number(int64_t number, char out[32]);

#endif
