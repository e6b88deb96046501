/* What ranks publish of themselves by their launcher, for job/presence.c: presence_pmix.c, presence_pmi.c,
 * presence_relay.c. Nothing here waits for a rank without the library. */
#ifndef TOPO_FAMILY_PRESENCE_EXCHANGE_H
#define TOPO_FAMILY_PRESENCE_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>

enum topo_presence_state {
    TOPO_PRESENCE_UNUSED, /* the MPI library of this job uses another exchange, or none */
    TOPO_PRESENCE_FAILED, /* it uses this one; this rank has published nothing */
    TOPO_PRESENCE_PUBLISHED
};

enum topo_presence_answer {
    TOPO_PRESENCE_HAS,   /* this very version */
    TOPO_PRESENCE_OTHER, /* another one */
    TOPO_PRESENCE_LACKS
};

struct topo_presence_exchange {
    /* Before PMPI_Init(): publishes this rank's version, or prepares that, where the environment shows such a launcher.
     */
    void (*publish)(void);
    /* After PMPI_Init(), once; ends what publish() began. The same on all ranks of a job but for FAILED. */
    enum topo_presence_state (*published)(void);
    /* Where it was PUBLISHED: what `rank` of MPI_COMM_WORLD published; final. */
    enum topo_presence_answer (*of)(int rank);
};

/* Of a rank that published this version. */
enum topo_presence_answer topo_presence_answer_of(const char *version);

extern const struct topo_presence_exchange topo_presence_pmix, topo_presence_pmi, topo_presence_relay;

/* Asks the launcher over a descriptor of PMI, in the protocol that MPI talks. `word` gets what is behind `name`, as
 * " port=", in its answer; false when there is none that fits. */
bool topo_presence_ask(int fd, const char *question, const char *name, char *word, size_t size);

/* Asks; was it done? */
bool topo_presence_done(int fd, const char *question);

/* Before each PMIx_Commit() of the process, `commit`. */
void topo_presence_commit(void (*commit)(void));

#endif
