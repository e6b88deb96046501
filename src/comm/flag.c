#include "comm/flag.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The waiting of one rank goes through three stages. */
enum {
    /* Looks at the counter, some 20 ns each: as long as a hand-over between two
     * running ranks may take; when crowded the other one is likely not running. */
    SPINS = 1000,
    SPINS_CROWDED = 20,
    /* Then gives its processor away between two looks, for longer than a short collective takes: where ranks of
     * other sessions yield on the same core, Linux leaves one that slept without it for long (docs/LEVELS.md). */
    YIELDS = 1000,
    PROGRESS_EVERY = 4,
    /* Then sleeps for at most this long, doubled each time: nothing wakes a rank
     * for a message that has to be moved on. */
    SLEEP_MIN_US = 100,
    SLEEP_MAX_US = 1000
};

static void pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* The pair "raise, then look for sleepers" here and "count as a sleeper, then look
 * at the counter" in doze() are sequentially consistent, so one of the two sees
 * the other: no sleeper is missed. The word lies in memory that several processes
 * share, so the private futex operations would not find it. */
static void wake(struct topo_flag *flag)
{
    if (atomic_load(&flag->sleepers) > 0)
        syscall(SYS_futex, &flag->value, FUTEX_WAKE, 1 << 30, NULL, NULL, 0);
}

uint32_t topo_flag_add(struct topo_flag *flag, uint32_t add, uint32_t wake_at)
{
    uint32_t value = atomic_fetch_add(&flag->value, add) + add;
    if (value == wake_at)
        wake(flag);
    return value;
}

void topo_flag_set(struct topo_flag *flag, uint32_t value)
{
    atomic_store(&flag->value, value);
    wake(flag);
}

/* Sleeps until the counter is raised or the time is over. */
static void doze(struct topo_flag *flag, uint32_t target, long microseconds)
{
    struct timespec limit = {.tv_nsec = microseconds * 1000};
    atomic_fetch_add(&flag->sleepers, 1);
    uint32_t seen = atomic_load(&flag->value);
    if ((int32_t)(seen - target) < 0)
        syscall(SYS_futex, &flag->value, FUTEX_WAIT, seen, &limit, NULL, 0);
    atomic_fetch_sub(&flag->sleepers, 1);
}

void topo_progress(const struct topo_patience *patience)
{
    int found;
    /* No rank sends to itself there: only the look matters. */
    PMPI_Iprobe(topo_channel_peer(patience->channel, patience->self), patience->channel->tag, patience->channel->comm,
                &found, MPI_STATUS_IGNORE);
}

/* Looks that this thread spends before it gives its processor away: fewer after each
 * time they were in vain, as where ranks of other nodes or other programs run on
 * the same processors, which nobody tells us. */
static _Thread_local int spins_worth = SPINS;

static bool spin(const struct topo_flag *flag, uint32_t target, const struct topo_patience *patience)
{
    int spins = patience->crowded ? SPINS_CROWDED : spins_worth;
    for (int i = 0; i < spins; i++) {
        if (topo_flag_reached(flag, target)) {
            spins_worth = 2 * spins_worth < SPINS ? 2 * spins_worth : SPINS;
            return true;
        }
        pause_cpu();
    }
    spins_worth = spins_worth / 2 > SPINS_CROWDED ? spins_worth / 2 : SPINS_CROWDED;
    return false;
}

void topo_flag_wait(struct topo_flag *flag, uint32_t target, const struct topo_patience *patience)
{
    if (spin(flag, target, patience))
        return;
    for (int i = 0; i < YIELDS; i++) {
        if (i % PROGRESS_EVERY == PROGRESS_EVERY - 1)
            topo_progress(patience);
        if (topo_flag_reached(flag, target))
            return;
        sched_yield();
    }
    for (long sleep = SLEEP_MIN_US; !topo_flag_reached(flag, target);) {
        topo_progress(patience);
        doze(flag, target, sleep);
        sleep = 2 * sleep < SLEEP_MAX_US ? 2 * sleep : SLEEP_MAX_US;
    }
}

void topo_idle(int *turns, const struct topo_patience *patience)
{
    if (++*turns < (patience->crowded ? 2 : SPINS / 10))
        pause_cpu();
    else
        sched_yield();
}
