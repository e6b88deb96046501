/* The schedulers of MPI_Alltoallv's scheduled forms: what a rank runs and what the model is asked about are the same.
 */
#ifndef TOPO_SCHEDULE_SCHEDULER_H
#define TOPO_SCHEDULE_SCHEDULER_H

#include <stdint.h>

#include "catalog/algorithm.h"
#include "machine/tree.h"
#include "model/params.h"
#include "schedule/css.h"
#include "schedule/schedule.h"

/* Each has a row in catalog/algorithms.def. */
#define TOPO_SCHEDULER_MAP(X) X(drc) X(sdrc) X(ggp) X(css)

enum topo_scheduler {
#define X(name) TOPO_SCHEDULER_##name,
    TOPO_SCHEDULER_MAP(X)
#undef X
        TOPO_SCHEDULERS
};

/* The matchings that ggp takes, in the order of the words of TOPOMPI_ALLTOALLV_GGP: the first ones found, the heaviest
 * ones, or the heaviest ones without the steps that do not pay for their start (topo_schedule_merge_steps()); auto:
 * heavy ones where finding them takes less time than it saves. */
enum topo_ggp_form { TOPO_GGP_AUTO, TOPO_GGP_FIRST, TOPO_GGP_HEAVY, TOPO_GGP_MERGED };

/* "first", ...; static. */
const char *topo_ggp_form_text(enum topo_ggp_form form);

/* What is to be scheduled, and how. */
struct topo_scheduler_request {
    enum topo_scheduler scheduler;
    const struct topo_matrix *matrix; /* bytes, with what ranks have for themselves */
    const struct topo_tree *tree;     /* of the matrix's ranks */
    const struct topo_params *params;
    enum topo_ggp_form form; /* ggp */
    int k;                   /* ggp: at most so many messages at a time; 0: as many as there are ranks */
    int64_t unit; /* ggp: bytes of which parts are multiples; 0: what a link between nodes carries in the time
                   * of a start, so that no part costs more to start than to carry */
    bool own;     /* what a sender has for the receiver of its number is sent as all else: they are not the
                   * same process */
};

/* What was done. */
struct topo_scheduler_result {
    enum topo_scheduler ran;    /* drc where css was asked for and drc is shorter, else what was asked for */
    struct topo_css_result css; /* of css: the form, also where it is drc */
    enum topo_ggp_form form;    /* of ggp: the one that auto stands for */
    int64_t unit;               /* of ggp: the one that 0 stands for */
};

/* The scheduler of an algorithm, or TOPO_SCHEDULERS: it has none; and the other way round. */
enum topo_scheduler topo_scheduler_of(enum topo_algorithm_id id);
enum topo_algorithm_id topo_scheduler_algorithm(enum topo_scheduler scheduler);

/* Reads TOPOMPI_ALLTOALLV_GGP_K (`name`): "auto", which is 0, or a number. Errors: TOPO_PARSE. */
enum topo_status topo_scheduler_option_k(const char *name, const char *text, int *k, struct topo_error *error);

/* Makes the schedule. What a rank has for itself uses no link, and is in no step but css's: there it stands where the
 * recurrence puts it, without it the table would have none. The tree is for merged, the parameters are for
 * ggp. Free *schedule with topo_schedule_free(). *result may be NULL. Errors: TOPO_INVALID (sizes differ, too small a
 * unit for such weights), TOPO_NOMEM. */
enum topo_status topo_scheduler_run(const struct topo_scheduler_request *request, struct topo_schedule **schedule,
                                    struct topo_scheduler_result *result, struct topo_error *error);

/* The matrix without what ranks have for themselves. Free with topo_matrix_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_scheduler_others(const struct topo_matrix *matrix, struct topo_matrix **others,
                                       struct topo_error *error);

/* Seconds of its steps one after the other, bytes[from * ranks + to]. Negative when memory is out. */
double topo_scheduler_seconds(enum topo_scheduler scheduler, const struct topo_tree *tree,
                              const struct topo_params *params, const int64_t *bytes);

#endif
