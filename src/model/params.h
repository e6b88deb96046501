/* What messages and arithmetic cost on a machine: per kind of level (Hockney's
 * alpha + beta m, docs/REFERENCES.md, Methods 1, with shared links), defaults, and their text form in the tuning
 * file. Selection, grids, schedules and prediction all use these. */
#ifndef TOPO_MODEL_PARAMS_H
#define TOPO_MODEL_PARAMS_H

#include <stdbool.h>

#include "machine/link.h"
#include "machine/tree.h"

/* Messages between two ranks whose innermost shared unit is one level outside
 * units of this kind: they leave the link of one such unit and enter another's. */
struct topo_link {
    double alpha; /* seconds per message, one way */
    double beta;  /* seconds per byte through the link of one unit, each direction by itself */
    /* Seconds per byte through the medium that all units inside one parent share
     * (a bus, a node's memory); 0: none, as in a switch that does not block. Inside a node
     * what ranks copy or add up in shared memory goes through it as messages do. */
    double shared;
    double overhead; /* seconds of CPU for one such message at each end; 0: that of all (topo_params.overhead) */
    double cpu;      /* seconds of CPU per byte of it at each end; 0: that of a copy (topo_params.copy) */
    /* Seconds of CPU, somewhere on its node, for each end of a message of `from` bytes or more: packets that wait
     * for their link cost more than those that pass. Shorter ones lie between overhead and this; 0: as overhead. */
    double packet, from;
    double wait; /* seconds of CPU of a rank that has such messages in a step, however many */
};

/* Index TOPO_LEVEL_KINDS stands for ranks inside one innermost unit. */
struct topo_params {
    struct topo_link link[TOPO_LEVEL_KINDS + 1];
    double overhead; /* seconds of CPU for one message at each end, where its level says nothing else */
    double gamma;    /* seconds to reduce one byte (sum of doubles) into another, of a rank that does so alone */
    double copy;     /* seconds to copy one byte within memory, likewise */
    double turn;     /* seconds of CPU for one poll of a rank that then yields its core */
    /* CPU cores for all the ranks inside one unit of `cores_kind` (TOPO_LEVEL_KINDS:
     * the whole machine), for jobs with more ranks than cores; 0: as many as ranks. */
    int cores;
    enum topo_level_kind cores_kind;
};

/* Whether ranks share processors, where there are so many and `most` on the largest node. */
static inline bool topo_params_oversubscribed(const struct topo_params *params, int ranks, int most)
{
    return params->cores > 0 && (params->cores_kind == TOPO_LEVEL_KINDS ? ranks : most) > params->cores;
}

/* model/levels.conf, which is also the first part of the tuning file that is installed. */
extern const char topo_levels_text[];

/* Sound values for a cluster nothing is known of: those of topo_levels_text. */
void topo_params_default(struct topo_params *params);

/* Nodes and switches with links of `rate` bits a second, as topo_link_read() gives it. Their latency stays, which is
 * that of TCP over Ethernet in the shipped levels; over InfiniBand it is shorter, but longer than that of the cards
 * alone: the shipped levels inside nodes are slower than such a machine's as well, and the ratio of both is what forms
 * are chosen by (docs/measurements/measuring.md). */
void topo_params_set_links(struct topo_params *params, double rate, enum topo_link_kind kind);

/* The link crossed by messages between ranks that share `shared` outer levels
 * (topo_tree_shared_levels()). */
const struct topo_link *topo_params_link(const struct topo_params *params, const struct topo_tree *tree, int shared);

/* Reads one line of text into *params:
 *   level switch|node|package|numa|l3|core|memory alpha=SECONDS beta=SECONDS_PER_BYTE
 *         [shared=SECONDS_PER_BYTE] [overhead=SECONDS] [cpu=SECONDS_PER_BYTE] [packet=SECONDS from=BYTES]
 *         [wait=SECONDS]
 *   overhead SECONDS | gamma SECONDS_PER_BYTE | copy SECONDS_PER_BYTE | turn SECONDS
 *   cores COUNT per machine|switch|node|package|numa|l3|core
 * `memory` is the inside of the innermost unit. False with *why (static) when it is
 * neither; values are numbers of 0 to 1e15. */
bool topo_params_read_line(struct topo_params *params, const char *line, const char **why);

/* Appends "link: 25 Gbit/s, 10 us, from FROM"; NULL: as shipped. */
void topo_params_tell_link(const struct topo_params *params, const char *from, struct topo_text *out);

/* Appends all values in that form. */
void topo_params_write(const struct topo_params *params, struct topo_text *out);

#endif
