/* A job that measures its machine's levels: what is measured next, what that may take, and what it found. The probes
 * are short, each can be left out, and none begins that the budget cannot afford:
 *
 *   - all together at most TOPO_MEASURING_MOST seconds, and never more than TOPO_MEASURING_SHARE of the time that the
 *     job has run, and none in its first TOPO_MEASURING_LEAST seconds: a job that is over soon would pay for nothing;
 *   - rank 0's clock decides, everything else here is equal on all ranks.
 *
 * Pure arithmetic: no messages, no clock. src/measure/ does what is planned here. */
#ifndef TOPO_SELECT_MEASURING_H
#define TOPO_SELECT_MEASURING_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/tree.h"
#include "model/findings.h"

#define TOPO_MEASURING_MOST 0.05
#define TOPO_MEASURING_SHARE 0.01
#define TOPO_MEASURING_LEAST 2.0

/* Who exchanges messages with whom where all pairs that share exactly `shared` levels are at it: units of one parent
 * two by two in tree order, their ranks one with one; inside the innermost unit neighbours. */
struct topo_pairing {
    int pairs;
    int of_unit;       /* most of them with a rank in one unit of level `shared` */
    int of_parent;     /* and in one unit around it */
    int first, second; /* one of the pairs, for what two ranks measure alone; -1: there is none */
};
struct topo_pairing topo_pairing_of(const struct topo_tree *tree, int shared);

/* The rank that `rank` exchanges with; -1: none. Takes a time that grows with the ranks, as does topo_pairing_of(). */
int topo_pairing_partner(const struct topo_tree *tree, int shared, int rank);

enum topo_probe_kind {
    TOPO_PROBE_PING,  /* there and back between two ranks, for `limit` seconds or `times` times */
    TOPO_PROBE_CROWD, /* all pairs: one exchange, and `times` in each of TOPO_PROBE_BATCHES batches */
    TOPO_PROBE_LOCAL, /* copies and sums of rank 0, short messages of two ranks of a node */
    TOPO_PROBE_LOOKS  /* all ranks: `times` looks for messages */
};

/* What a probe gives: the largest of all ranks of each, 0 where a rank has none.
 *   PING     the shortest time one way
 *   CROWD    the mean of an exchange in each batch
 *   LOCAL    seconds to copy a byte, to add one, of a message
 *   LOOKS    seconds of a look */
enum { TOPO_PROBE_BATCHES = 4, TOPO_PROBE_VALUES = TOPO_PROBE_BATCHES, TOPO_PROBE_MESSAGES = 8 };

struct topo_probe {
    enum topo_probe_kind kind;
    int shared;   /* PING, CROWD: levels that the pairs share */
    int messages; /* CROWD: at a time each way, at most TOPO_PROBE_MESSAGES */
    size_t bytes; /* of each, at most TOPO_CROWD_LONG */
    int times;
    double limit;    /* seconds that it is expected to take at most; who runs it ends it soon after twice that */
    double *into[3]; /* the findings that come of it */
};

struct topo_measuring {
    int at;                     /* probes that are through or were left out */
    struct topo_findings found; /* who shares processors is known from the start */
};

/* What comes next; false: everything was measured. Probes that would take too long, by what is known, are passed over.
 */
bool topo_measuring_probe(struct topo_measuring *measuring, const struct topo_tree *tree, struct topo_probe *probe);

/* What the probe gave, and it is through. */
void topo_measuring_add(struct topo_measuring *measuring, const struct topo_tree *tree, const struct topo_probe *probe,
                        const double values[TOPO_PROBE_VALUES]);

enum topo_measuring_word {
    TOPO_MEASURING_WAITS,    /* until the job has run longer */
    TOPO_MEASURING_MEASURES, /* the next probe can be afforded now */
    TOPO_MEASURING_ENDS      /* it is through, or what is left would be too much */
};
/* Rank 0's word: the job has run for `elapsed` seconds and measured for `spent` of them. */
enum topo_measuring_word topo_measuring_says(struct topo_measuring *measuring, const struct topo_tree *tree,
                                             double elapsed, double spent);

/* True when latency and rate between nodes were found, without which the rest says nothing. */
bool topo_measuring_suffices(const struct topo_measuring *measuring, const struct topo_tree *tree);

/* When the ranks ask for rank 0's word, in calls of one communicator: at the 8th, and each time half as many later, so
 * that asking costs ever less. */
struct topo_measuring_pace {
    unsigned long calls, next;
};
bool topo_measuring_asks(struct topo_measuring_pace *pace);

#endif
