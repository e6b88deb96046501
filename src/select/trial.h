/* Learning which algorithm is best, for one operation, size class and
 * communicator: candidates take turns, the medians decide
 * (TOPOMPI_TUNING=learn:PATH). */
#ifndef TOPO_SELECT_TRIAL_H
#define TOPO_SELECT_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "select/select.h"
#include "select/tuning.h"

/* Each candidate runs once unmeasured, to warm up, and then this often. */
enum { TOPO_TRIAL_ROUNDS = 5 };

struct topo_trial;

/* A trial with every algorithm of `operation` that applies to `ranks` as
 * candidate. NULL when memory is out. Free with topo_trial_free(). */
struct topo_trial *topo_trial_new(enum topo_operation operation, int size_class, int ranks);
void topo_trial_free(struct topo_trial *trial);

/* True when the trial is for these calls. */
bool topo_trial_is(const struct topo_trial *trial, enum topo_operation operation, int size_class);

/* The algorithm for the next call: the candidate whose turn it is, or what was decided. */
const struct topo_algorithm *topo_trial_next(const struct topo_trial *trial);

/* The call that topo_trial_next() named took `seconds` on this rank. */
void topo_trial_record(struct topo_trial *trial, double seconds);

/* True when every candidate has run often enough and nothing is decided yet. */
bool topo_trial_is_complete(const struct topo_trial *trial);

/* The median of every candidate on this rank; the array has topo_trial_candidates() entries. */
int topo_trial_candidates(const struct topo_trial *trial);
void topo_trial_medians(const struct topo_trial *trial, double *medians);

/* Decides for the smallest of the medians that all ranks agreed on; native when they are equal. */
void topo_trial_decide(struct topo_trial *trial, const double *medians);

/* Why, as a comment line of a tuning file, appended to `out`: the medians that decided, fastest first. */
void topo_trial_evidence(const struct topo_trial *trial, const double *medians, struct topo_text *out);

/* What was decided, as a rule for communicators of this very layout. */
struct topo_rule topo_trial_rule(const struct topo_trial *trial, const struct topo_layout *layout);

#endif
