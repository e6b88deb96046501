/* Predictions from the traces of an MPI program. */
#ifndef TOPO_PREDICT_MPI_H
#define TOPO_PREDICT_MPI_H

#include "predict/mpi/machine_file.h"
#include "predict/mpi/replay.h"
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

/* Start with {0}. */
struct mpi_request {
    struct mpi_machine list[MPI_MACHINES_MAX], next;
    struct topo_machine_file files[MPI_MACHINES_MAX];
    int count, file_count;
    bool started;
};

/* The short options that are for traces of MPI programs, for getopt, and whether a letter is one of them. */
#define MPI_OPTIONS "Tm:M:P:a:A:V:B:b:r:g:l:R:K:s:c:"
bool mpi_takes(int letter);

/* One of them with its value. A CLI status. */
int mpi_option(struct mpi_request *request, int letter, const char *value);
bool mpi_is_folder(const char *path);

/* Reads the folder and predicts for every machine; returns how many were made. */
int mpi_predict(struct mpi_request *request, const char *folder, struct prediction *predictions, int most,
                struct topo_notes *notes);
void mpi_request_free(struct mpi_request *request);

#endif
