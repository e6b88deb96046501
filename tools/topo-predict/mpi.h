/* Predictions from the traces of an MPI program. */
#ifndef TOPO_PREDICT_MPI_H
#define TOPO_PREDICT_MPI_H

#include "common/options.h"
#include "predict/mpi/machine_file.h"
#include "predict/mpi/replay.h"
#include "topo-predict/progress.h"
#include "topo-predict/report.h"

enum { MPI_MACHINES_MAX = 64, MPI_RULES_MAX = 32 };

/* One prediction of the command line, with what was said before it. */
struct mpi_machine {
    struct topo_tree *tree;
    int file; /* of its parameters, -1: the defaults */
    double speed;
    struct topo_replay_choice choice[TOPO_OPERATION_COUNT];
    bool chosen[TOPO_OPERATION_COUNT], every[TOPO_OPERATION_COUNT]; /* said by the user; each algorithm in turn */
    struct replay_scaling_rule rules[MPI_RULES_MAX];
    int rule_count;
    enum replay_scaling otherwise;
    char label[300];
    bool traced; /* no prediction: the traced run itself */
};

/* Start with {0} and mpi_request_start(). */
struct mpi_request {
    struct mpi_machine list[MPI_MACHINES_MAX], next;
    struct topo_machine_file files[MPI_MACHINES_MAX];
    int count, file_count;
    const char *unused; /* the last option that no machine has followed; NULL: none */
};

void mpi_request_start(struct mpi_request *request);
void mpi_request_free(struct mpi_request *request);

/* Readers of the options that are for traces of MPI programs; the request they get begins with a struct mpi_request.
 * mpi_choice() is of every option that has an operation's name, mpi_algorithm() of any operation. */
cli_reader mpi_machine_text, mpi_machine_file, mpi_traced, mpi_params, mpi_choice, mpi_algorithm, mpi_scaling,
    mpi_speed;

bool mpi_is_folder(const char *path);

/* Reads the folder and predicts for every machine; returns how many were made. */
int mpi_predict(struct mpi_request *request, const char *folder, struct prediction *predictions, int most,
                struct predict_progress *progress, struct topo_notes *notes);

#endif
