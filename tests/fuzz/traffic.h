/* What a program does while it is in a collective: pending collectives, messages, one-sided work, delays. */
#ifndef TOPO_TESTS_FUZZ_TRAFFIC_H
#define TOPO_TESTS_FUZZ_TRAFFIC_H

#include "fuzz/job.h"

enum { FUZZ_PENDING_MOST = 3, FUZZ_MESSAGE_MOST = 32768 };

struct fuzz_pending {
    int kind;
    struct fuzz_comm *comm;
    MPI_Request request;
    int in, out, expected;
    MPI_Comm made;
};

struct fuzz_messages {
    int kind; /* 0: none */
    struct fuzz_comm *comm;
    int count, token;
    MPI_Request request;
    MPI_Message message;
    int *in, *out;
};

struct fuzz_traffic {
    int pendings;
    struct fuzz_pending pending[FUZZ_PENDING_MOST];
    struct fuzz_messages messages;
    char what[100];
};

/* Around a case: begin, the case, end. `busy` is the case's communicator. */
void fuzz_traffic_begin(struct fuzz_traffic *traffic, struct fuzz_worker *worker, struct fuzz_comm *busy);
void fuzz_traffic_end(struct fuzz_traffic *traffic, struct fuzz_worker *worker);

/* The window: made by all ranks; one rank works on another one's counter; closed, counters checked. */
void fuzz_window_open(void);
void fuzz_window_work(struct fuzz_worker *worker, const struct fuzz_comm *busy);
void fuzz_window_close(struct fuzz_worker *worker);

#endif
