/* The description of a machine for predictions: a tuning file (select/tuning.h), as
 * `topo-bench levels --params` writes it, with up to two more lines:
 *
 *   machine switch:2 node:4 core:4 by:slot      (machine/synthetic.h)
 *   speed 1.5                                   of its cores, relative to the traced ones
 */
#ifndef TOPO_PREDICT_MPI_MACHINE_FILE_H
#define TOPO_PREDICT_MPI_MACHINE_FILE_H

#include "machine/tree.h"
#include "select/tuning.h"

struct topo_machine_file {
    struct topo_tree *tree; /* NULL: no machine line */
    double speed;           /* 1 without a line */
    struct topo_tuning tuning;
};

/* Parses `text`; `name` is the file's for messages. Free with topo_machine_file_free()
 * in every case. Errors: TOPO_PARSE with name:line and what is allowed, TOPO_NOMEM. */
enum topo_status topo_machine_file_parse(const char *text, const char *name, struct topo_machine_file *file,
                                         struct topo_error *error);
void topo_machine_file_free(struct topo_machine_file *file);

/* A speed: a number of 1e-6 to 1e6. False when `text` is not exactly one. */
bool topo_machine_speed(const char *text, double *speed);

#endif
