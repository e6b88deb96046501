/* What the MPI tests share: start, the machines to pretend, checks that all ranks agree on, the closing line.
 * A test links the library's MPI part and calls the algorithms beside PMPI_*; the
 * preload tests show that interception leads there. */
#ifndef TOPO_TESTS_MPI_HARNESS_H
#define TOPO_TESTS_MPI_HARNESS_H

#include <stdbool.h>

#include <mpi.h>

/* MPICH's own calls have defects that Open MPI's have not; where a test compares with them it leaves those out. */
#ifdef MPICH_VERSION
enum { HARNESS_MPICH = 1 };
#else
enum { HARNESS_MPICH = 0 };
#endif

/* MPI_Init and the first line of output. Operations of a user's may be applied to parts of a vector, so that all forms
 * run them, where a test says no more (TOPOMPI_USER_OPS). The environment's TEST_MACHINES, words joined
 * by commas, keeps the machines that hold one of them. */
void harness_start(int *argc, char ***argv);

/* Every rank of MPI_COMM_WORLD calls it: one check, passed when `good` is true on each. Ranks exchange what they found
 * every 64 checks and at the end, so that a check is no barrier: some get ahead. Rank 0 prints failures then, with the
 * text made of `format`. */
void harness_check(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* MPI_Finalize, "N passed, N failed", exit status. */
int harness_finish(void);

/* True where nothing may be left out: with TEST_COUNTS=all, as tests/run --all, and with machines asked for. */
bool harness_everything(void);

/* Machines for the ranks of this run, as TOPOMPI_MACHINE values: real, one node,
 * one rank a node, two nodes, uneven nodes, switches, each by slot and by node.
 * With 16 ranks those that fewer have not: racks of two nodes of several, packages of several, nodes of 7, 5, 3 and 1,
 * uneven racks; one node and 16. TEST_COUNTS=all, and TEST_MACHINES: all of them. NULL after the last one. */
const char *harness_machine(int index);

/* Restarts the library's job on machine `spec` (collective). False (a failed
 * check) when it did not become active. Communicators made before keep what they knew. */
bool harness_use_machine(const char *spec);

/* As harness_use_machine(), which does so on every fourth one alone: each rank has a processor, as far as is known. */
bool harness_use_processors(const char *spec);

/* Calls `work` on a duplicate of MPI_COMM_WORLD on every machine: with the usual shared memory, `thorough` on the first
 * machine and where ranks are dealt round; then with none, and with so `little` that forms must do with less. With more
 * than 4 ranks a machine has one of these two, the next one the other; TEST_COUNTS=all, and TEST_MACHINES: both. */
typedef void harness_work(MPI_Comm comm, const char *machine, const char *node, bool thorough, const void *context);
void harness_on_machines(harness_work *work, const char *little, const void *context);

/* This rank's lines on standard error while `work` runs, until the next call. */
char *harness_said(void (*work)(void));

/* Sets an environment variable for the next harness_use_machine(). */
void harness_option(const char *name, const char *value);

#endif
