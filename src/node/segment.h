/* A segment: one piece of memory that ranks of a node share, in /dev/shm or, where that can be had, in no file system.
 *
 * At its end is a counter of the ranks that hold it, changed without a lock. A segment that nobody holds is idle: the
 * process that made it may claim it for the same ranks again, and any that has it mapped may end it. The last one that
 * leaves a segment which was ended gives its pages back, though others may still have it mapped. A rank that dies
 * leaves the counter raised, and the segment what it is until the job ends. */
#ifndef TOPO_NODE_SEGMENT_H
#define TOPO_NODE_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/shm_name.h"

/* One segment as this process has it. */
struct topo_segment {
    struct topo_segment *next;
    uint64_t id;                    /* the same in all processes of the job; 0: memory of this process alone */
    char *base;                     /* NULL: not mapped */
    size_t length;                  /* bytes, with the counter */
    size_t share;                   /* this rank's part in TOPOMPI_SHARED while it holds it */
    bool held;                      /* by a region of this process */
    bool used;                      /* an earlier communicator wrote there */
    int descriptor;                 /* -1: none; until all have agreed on the segment */
    char name[TOPO_SHM_NAME_BYTES]; /* in /dev/shm; "": none */
    int ranks;                      /* that use it */
    int members[];                  /* [ranks] these, in the process that made it */
};

/* What the rank that made a segment tells the others. */
struct topo_segment_offer {
    uint64_t id;                    /* 0: there is no segment */
    uint64_t secret;                /* by which its descriptor is received; 0: it has a name or is mapped there */
    char name[TOPO_SHM_NAME_BYTES]; /* "": none */
};

/* Bytes of one for a region of `bytes`, whole pages; how many more than that these are at most. */
size_t topo_segment_length(size_t bytes);
size_t topo_segment_beside(void);

/* Maps a new one of segment->length bytes for `ranks` ranks of the job, of which members[0] is this one, and sends it
 * to the others, who take it by *offer. Without a name where `passes`, in which it is told whether that is worth trying
 * again; else in /dev/shm, of which this rank has `charged` bytes (node/room.h). 0, or an errno: topo_segment_settle()
 * and topo_segment_close() free what there is. */
int topo_segment_create(struct topo_segment *segment, const int *members, int ranks, bool *passes, uint64_t charged,
                        struct topo_segment_offer *offer);

/* Maps the one of segment->length bytes that is offered. 0, or an errno, as above. */
int topo_segment_open(struct topo_segment *segment, const struct topo_segment_offer *offer);

/* Takes the pages of part `part` of `parts` of a new one, so that no access to them can fail later; all bytes are zero.
 * They lie in the memory of who does it. 0, or an errno: there is not so much memory. */
int topo_segment_prepare(const struct topo_segment *segment, int part, int parts);

/* Closes what is only needed until all ranks have it. */
void topo_segment_settle(struct topo_segment *segment, bool unlinks);

/* Unmaps it here, whoever holds it. */
void topo_segment_close(struct topo_segment *segment);

/* The counter: of an idle segment to `ranks`; one less. Ended: as soon as nobody holds it, or only if it is idle. */
bool topo_segment_claim(const struct topo_segment *segment, int ranks);
void topo_segment_leave(const struct topo_segment *segment);
void topo_segment_end(const struct topo_segment *segment);
bool topo_segment_end_idle(const struct topo_segment *segment);
bool topo_segment_is_idle(const struct topo_segment *segment);
bool topo_segment_is_ended(const struct topo_segment *segment);

#endif
