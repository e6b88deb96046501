#include "comm/renumbering.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "renumber/mapping.h"

struct topo_plan {
    struct topo_plan *next;
    int users;
    enum topo_graph_kind graph;
    int ranks;
    int *pi, *pi_inverse; /* one block: pi, then pi_inverse */
    int *key;             /* the tree it was built for, packed */
    size_t key_ints;
};

enum { KEPT_UNUSED = 16 };

/* Most recently used first. The lock is held for look-ups only, never across a message. */
static struct topo_plan *plans;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

const int *topo_plan_pi(const struct topo_plan *plan)
{
    return plan->pi;
}

const int *topo_plan_pi_inverse(const struct topo_plan *plan)
{
    return plan->pi_inverse;
}

static void free_plan(struct topo_plan *plan)
{
    topo_free(plan->key);
    topo_free(plan->pi);
    topo_free(plan);
}

/* A plan for `tree` with room for pi, one user, not yet in the list; NULL when memory is out. */
static struct topo_plan *new_plan(const struct topo_tree *tree, enum topo_graph_kind graph)
{
    struct topo_plan *plan = topo_calloc(1, sizeof *plan);
    if (!plan)
        return NULL;
    plan->users = 1;
    plan->graph = graph;
    plan->ranks = tree->ranks;
    plan->pi = topo_alloc(2 * (size_t)tree->ranks, sizeof *plan->pi);
    plan->key_ints = topo_tree_packed_ints(tree);
    plan->key = topo_alloc(plan->key_ints, sizeof *plan->key);
    if (!plan->pi || !plan->key) {
        free_plan(plan);
        return NULL;
    }
    plan->pi_inverse = plan->pi + tree->ranks;
    topo_tree_pack(tree, plan->key);
    return plan;
}

/* True when both were made for the same graph and tree and, if `with_pi`, hold the same numbers. */
static bool equal(const struct topo_plan *a, const struct topo_plan *b, bool with_pi)
{
    return a->graph == b->graph && a->key_ints == b->key_ints &&
           !memcmp(a->key, b->key, a->key_ints * sizeof *a->key) &&
           (!with_pi || !memcmp(a->pi, b->pi, (size_t)a->ranks * sizeof *a->pi));
}

/* The remembered plan equal to `plan`, with one user more and moved to the front; NULL when there is none. */
static struct topo_plan *find(const struct topo_plan *plan, bool with_pi)
{
    struct topo_plan *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct topo_plan **at = &plans; *at; at = &(*at)->next) {
        if (!equal(*at, plan, with_pi))
            continue;
        found = *at;
        *at = found->next;
        found->next = plans;
        plans = found;
        found->users++;
        break;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void remember(struct topo_plan *plan)
{
    pthread_mutex_lock(&lock);
    plan->next = plans;
    plans = plan;
    pthread_mutex_unlock(&lock);
}

void topo_plan_release(struct topo_plan *plan)
{
    int unused = 0;
    if (!plan)
        return;
    pthread_mutex_lock(&lock);
    plan->users--;
    for (struct topo_plan **at = &plans; *at;) {
        struct topo_plan *here = *at;
        if (here->users == 0 && ++unused > KEPT_UNUSED) {
            *at = here->next;
            free_plan(here);
        } else {
            at = &here->next;
        }
    }
    pthread_mutex_unlock(&lock);
}

/* Rank 0: fills plan->pi, from a remembered plan or by building the mapping. */
static enum topo_status fill(struct topo_plan *plan, const struct topo_tree *tree)
{
    struct topo_mapping *mapping = NULL;
    struct topo_plan *known = find(plan, false);
    size_t bytes = (size_t)plan->ranks * sizeof *plan->pi;
    if (known) {
        memcpy(plan->pi, known->pi, bytes);
        topo_plan_release(known);
        return TOPO_OK;
    }
    enum topo_status status = topo_mapping_build(tree, plan->graph, &mapping, NULL);
    if (status == TOPO_OK)
        memcpy(plan->pi, mapping->pi, bytes);
    topo_mapping_free(mapping);
    return status;
}

enum topo_status topo_plan_get(MPI_Comm comm, const struct topo_tree *tree, enum topo_graph_kind graph,
                               struct topo_plan **out)
{
    struct topo_plan *plan = new_plan(tree, graph);
    int rank, worst, status = plan ? TOPO_OK : TOPO_NOMEM;
    *out = NULL;
    if (PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS)
        status = TOPO_MPI;
    if (rank == 0 && status == TOPO_OK)
        status = fill(plan, tree);
    /* One failure anywhere, rank 0's mapping included, is everyone's. */
    if (PMPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS)
        worst = TOPO_MPI;
    if (worst == TOPO_OK && PMPI_Bcast(plan->pi, tree->ranks, MPI_INT, 0, comm) != MPI_SUCCESS)
        worst = TOPO_MPI;
    if (worst != TOPO_OK) {
        if (plan)
            free_plan(plan);
        return worst;
    }
    struct topo_plan *known = find(plan, true);
    if (known) {
        free_plan(plan);
        *out = known;
        return TOPO_OK;
    }
    for (int i = 0; i < plan->ranks; i++)
        plan->pi_inverse[plan->pi[i]] = i;
    remember(plan);
    *out = plan;
    return TOPO_OK;
}
