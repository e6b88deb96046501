/* Predictions from the traces of an MPI program. */
#ifndef TOPO_PREDICT_MPI_H
#define TOPO_PREDICT_MPI_H

#include "predict/replay.h"
#include "topo-predict/report.h"

enum { MPI_MACHINES_MAX = 32 };

/* One machine of the command line, with what was said before it. */
struct mpi_machine {
    struct topo_tree *tree;
    struct topo_params params;
    enum topo_algorithm_id allgather;
    double speed;
    char label[300];
};

/* Start with {0}. */
struct mpi_request {
    struct mpi_machine list[MPI_MACHINES_MAX], next;
    int count;
    bool started;
};

/* Option m, a, P or s with its value. A CLI status. */
int mpi_option(struct mpi_request *request, int letter, const char *value);
bool mpi_is_folder(const char *path);

/* Reads the folder and predicts for every machine; returns how many were made. */
int mpi_predict(struct mpi_request *request, const char *folder, struct prediction *predictions, int most,
                struct topo_notes *notes);
void mpi_request_free(struct mpi_request *request);

#endif
