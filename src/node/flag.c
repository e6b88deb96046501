#include "node/flag.h"

#include <sched.h>

#include "family/family.h"
#include "job/recovery.h"

/* A rank waits in two stages and never sleeps: nothing would wake it for a message or an access of another rank, and
 * to find these it must look as often as MPI does in its own waiting (docs/SEMANTICS.md, Waiting and progress). */
enum {
    /* Looks at the counter, some 20 ns each: as long as a hand-over between two
     * running ranks may take; when oversubscribed the other one is likely not running. */
    SPINS = 1000,
    SPINS_OVERSUBSCRIBED = 20,
    /* Then gives its processor away between two looks. In so many first iterations MPI makes progress only now and
     * then: a short call on oversubscribed processors is over by then, and the processor's time is what it takes. */
    ITERATIONS_FEW = 16,
    PROGRESS_EVERY = 4
};

static void pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

uint32_t topo_flag_add(struct topo_flag *flag, uint32_t add)
{
    return atomic_fetch_add(&flag->value, add) + add;
}

void topo_flag_set(struct topo_flag *flag, uint32_t value)
{
    atomic_store(&flag->value, value);
}

/* Function pointers out of dlsym(), without a cast that ISO C does not know. */
static int (*function(const char *name))(void)
{
    union {
        void *object;
        int (*call)(void);
    } symbol;
    symbol.object = topo_family_symbol(name);
    return symbol.call;
}

struct topo_wait_policy topo_wait_policy_of(const struct topo_channel *channel, int self, bool oversubscribed)
{
    struct topo_wait_policy wait_policy = {.channel = channel, .self = self, .oversubscribed = oversubscribed};
    wait_policy.progress = function(TOPO_MPI_PROGRESS);
    wait_policy.mpi_yields = topo_family_symbol(TOPO_MPI_YIELDS);
    return wait_policy;
}

/* Open MPI's own function where it is to be found: MPI_Iprobe does more, and who waits has less time for other ranks'
 * requests when ranks are oversubscribed (docs/measurements/progress.md). */
static void progress(const struct topo_wait_policy *wait_policy)
{
    int found;
    if (wait_policy->progress)
        wait_policy->progress();
    else /* no rank sends to itself there: only the look matters */
        PMPI_Iprobe(topo_channel_peer(wait_policy->channel, wait_policy->self), wait_policy->channel->tag,
                    wait_policy->channel->comm, &found, MPI_STATUS_IGNORE);
}

static bool yields(const struct topo_wait_policy *wait_policy)
{
    return wait_policy->progress && wait_policy->mpi_yields && *wait_policy->mpi_yields;
}

void topo_flag_progress(const struct topo_wait_policy *wait_policy)
{
    /* Other threads may be here as well: each puts back what it changed, so the last one leaves Open MPI's setting as
     * it was. Meanwhile nothing but a yield of theirs can be missing. */
    bool yielding = wait_policy->mpi_yields && __atomic_load_n(wait_policy->mpi_yields, __ATOMIC_RELAXED);
    if (yielding)
        __atomic_store_n(wait_policy->mpi_yields, false, __ATOMIC_RELAXED);
    progress(wait_policy);
    if (yielding)
        __atomic_store_n(wait_policy->mpi_yields, true, __ATOMIC_RELAXED);
}

/* Gives the processor away once, and before that lets MPI make progress where `ask`. */
static void yield(int iteration, bool ask, const struct topo_wait_policy *wait_policy)
{
    topo_recovery_poll();
    bool asks = ask && (iteration >= ITERATIONS_FEW || iteration % PROGRESS_EVERY == PROGRESS_EVERY - 1);
    if (asks)
        progress(wait_policy);
    if (!asks || !yields(wait_policy))
        sched_yield();
}

/* Looks that this thread spends before it gives its processor away: fewer after each
 * time they were in vain, as where ranks of other nodes or other programs run on
 * the same processors, which nobody tells us. */
static _Thread_local int spins_worth = SPINS;

static bool spin(const struct topo_flag *flag, uint32_t target, const struct topo_wait_policy *wait_policy)
{
    int spins = wait_policy->oversubscribed ? SPINS_OVERSUBSCRIBED : spins_worth;
    for (int i = 0; i < spins; i++) {
        if (topo_flag_reached(flag, target)) {
            if (i > 0) /* a counter that was there already says nothing about what waiting is worth */
                spins_worth = 2 * spins_worth < SPINS ? 2 * spins_worth : SPINS;
            return true;
        }
        pause_cpu();
    }
    spins_worth = spins_worth / 2 > SPINS_OVERSUBSCRIBED ? spins_worth / 2 : SPINS_OVERSUBSCRIBED;
    return false;
}

void topo_flag_wait(struct topo_flag *flag, uint32_t target, const struct topo_wait_policy *wait_policy)
{
    if (spin(flag, target, wait_policy))
        return;
    for (int iteration = 0; !topo_flag_reached(flag, target); iteration += iteration < ITERATIONS_FEW)
        yield(iteration, true, wait_policy);
}

void topo_idle(int *iterations, bool ask, const struct topo_wait_policy *wait_policy)
{
    int pauses = wait_policy->oversubscribed ? SPINS_OVERSUBSCRIBED / 10 : spins_worth / 10;
    if (*iterations < pauses) {
        if (ask && *iterations % PROGRESS_EVERY == PROGRESS_EVERY - 1)
            progress(wait_policy);
        pause_cpu();
    } else {
        yield(*iterations - pauses, ask, wait_policy);
    }
    *iterations += *iterations < pauses + ITERATIONS_FEW;
}
