/* What communicators found out, for those that come after them (coll/call/history.h). Times are not taken from a clock
 * here: what ranks measured in a round is replaced by what a form is said to take, before they agree on it. */
#include <string.h>

#include "coll/call/first_call.h"
#include "coll/call/kinds.h"
#include "coll/call/operations.h"
#include "coll/call/state.h"
#include "coll/prepare.h"
#include "comm/comm.h"
#include "comm/early.h"
#include "comm/refusals.h"
#include "mpi/harness.h"

enum { RANKS = 4, COUNT = 16, MOST = 400 };
static const uint64_t quick = 100000000, slow = 1000000000; /* ns: an opening costs little beside that */

static int rank;

static struct topo_comm *state_of(MPI_Comm comm)
{
    struct topo_comm *state = NULL;
    topo_comm_of(comm, &state);
    return state;
}

static bool is_open(MPI_Comm comm)
{
    return state_of(comm)->ready;
}

/* Calls are all-gathers, which ranks of odd numbers make with a type of their own: these look at each call, the others
 * remember it (coll/call/remembered.h). */
static bool types_differ;

static bool gather(MPI_Comm comm, int own, int ranks)
{
    int send[COUNT], receive[RANKS * COUNT];
    bool good = true;
    MPI_Datatype row;
    MPI_Type_contiguous(COUNT, MPI_INT, &row);
    MPI_Type_commit(&row);
    for (int i = 0; i < COUNT; i++)
        send[i] = own * COUNT + i;
    if (own % 2)
        topo_auto_allgather(send, 1, row, receive, 1, row, comm);
    else
        topo_auto_allgather(send, COUNT, MPI_INT, receive, COUNT, MPI_INT, comm);
    for (int i = 0; i < ranks * COUNT; i++)
        good &= receive[i] == i;
    MPI_Type_free(&row);
    return good;
}

/* One all-reduce; what it gave is right. */
static bool call(MPI_Comm comm)
{
    int send[COUNT], receive[COUNT], ranks, own;
    bool good = true;
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &own);
    if (types_differ)
        return gather(comm, own, ranks);
    for (int i = 0; i < COUNT; i++)
        send[i] = own + i;
    topo_auto_allreduce(send, receive, COUNT, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < COUNT; i++)
        good &= receive[i] == ranks * (ranks - 1) / 2 + ranks * i;
    return good;
}

/* The only kind of call there is; NULL: none. */
static struct topo_kind *kind_of(MPI_Comm comm)
{
    struct topo_guards *guards = topo_coll_of(state_of(comm))->guards;
    return guards && guards->count == 1 ? guards->kind : NULL;
}

/* Calls, until the channel is open, or `most` of them: how many. */
static int calls_until_open(MPI_Comm comm, int most)
{
    int calls = 0;
    while (calls < most && !is_open(comm)) {
        call(comm);
        calls++;
    }
    return calls;
}

/* The first two forms met. */
static bool knows(const struct topo_kind *kind)
{
    uint64_t saved;
    return kind && kind->contest.quiet && topo_contest_verdict(&kind->contest, &saved) >= 0;
}

/* Until it is certain which form is the fastest: the native one takes so long, the others so long. */
static bool settle(MPI_Comm comm, uint64_t native, uint64_t others)
{
    bool good = true;
    for (int calls = 0; calls < MOST; calls++) {
        struct topo_kind *kind = kind_of(comm);
        if (kind && topo_contest_is_due(&kind->contest)) {
            struct topo_contest *contest = &kind->contest;
            for (int block = 0; block < TOPO_CONTEST_BLOCKS; block++) {
                const int arm = block % 2 ? contest->challenger : contest->champion;
                contest->taken[block] = (arm ? others : native) * (uint64_t)topo_contest_timed(contest);
            }
        }
        if (knows(kind))
            return good;
        good &= call(comm);
    }
    return false;
}

/* The form that was found; NULL: none yet. */
static const struct topo_algorithm *form_of(MPI_Comm comm)
{
    const struct topo_kind *kind = kind_of(comm);
    return kind ? kind->form[kind->contest.champion] : NULL;
}

static uint64_t hash_of(const struct topo_kind *kind)
{
    return kind ? topo_contest_hash(&kind->contest, 1) : 0;
}

/* The ranks of a list, in its order; MPI_COMM_NULL on others. */
static MPI_Comm members(int a, int b)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, rank == a || rank == b ? 0 : MPI_UNDEFINED, rank == a ? 0 : 1, &comm);
    return comm;
}

static MPI_Comm copy(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return comm;
}

/* The next communicator of the same ranks goes on where the last one was, in the first call that it opens its channel
 * in, also where that one lives on, or was in the middle of a round. */
static void successors(const char *machine)
{
    if (!harness_use_machine(machine))
        return;
    MPI_Comm first = copy();
    int asks = calls_until_open(first, MOST);
    harness_check(asks < MOST, "%s: the first one opens", machine);
    harness_check(settle(first, slow, quick), "%s: the first one learns", machine);
    const struct topo_algorithm *form = form_of(first);
    harness_check(form && form->id != TOPO_ALGORITHM_allreduce_native, "%s: ours was the fastest", machine);
    for (int which = 0; which < 3; which++) {
        const uint64_t hash = hash_of(kind_of(first));
        if (which == 1) /* of the second one, whose count of calls went on */
            MPI_Comm_free(&first);
        MPI_Comm next = copy();
        harness_check(calls_until_open(next, MOST) == asks, "%s: successor %d asks as early", machine, which);
        const struct topo_kind *kind = kind_of(next);
        harness_check(knows(kind) && form_of(next) == form, "%s: successor %d knows", machine, which);
        harness_check(which == 1 || (kind && hash_of(kind) != 0 && hash != 0), "%s: successor %d has a kind", machine,
                      which);
        if (first != MPI_COMM_NULL)
            MPI_Comm_free(&first);
        first = next;
    }
    MPI_Comm_free(&first);
}

/* Where ours was found to be slower nobody opens a channel for it, and all ask again after eight times as many calls.
 */
static void refusals(const char *machine)
{
    if (!harness_use_machine(machine))
        return;
    MPI_Comm first = copy();
    int asks = calls_until_open(first, MOST);
    harness_check(settle(first, quick, slow), "%s: native is learnt", machine);
    MPI_Comm next = copy();
    calls_until_open(next, asks);
    harness_check(!is_open(next) && state_of(next)->refusals == 1, "%s: nobody opens in vain", machine);
    calls_until_open(next, 7 * (asks - 1) - 1);
    harness_check(state_of(next)->refusals == 1, "%s: nobody asks too early", machine);
    calls_until_open(next, 1);
    harness_check(!is_open(next) && state_of(next)->refusals == 2, "%s: they ask again", machine);
    MPI_Comm_free(&next);
    MPI_Comm_free(&first);
}

/* What the ranks of a communicator know that were in others of its layout before. */
enum known { NOTHING, OURS, NATIVE };

static void learn(MPI_Comm comm, enum known known)
{
    if (comm == MPI_COMM_NULL)
        return;
    if (known != NOTHING) {
        calls_until_open(comm, MOST);
        settle(comm, known == OURS ? slow : quick, known == OURS ? quick : slow);
    }
    MPI_Comm_free(&comm);
}

/* Ranks 0 and 1 know something, 2 and 3 something else: what do 0 and 2? */
static void strangers(enum known one, enum known other)
{
    if (!harness_use_machine("synthetic:node:1 core:4"))
        return;
    learn(members(0, 1), one);
    learn(members(2, 3), other);
    MPI_Comm comm = members(0, 2);
    bool good = true, agree = true;
    if (comm != MPI_COMM_NULL) {
        calls_until_open(comm, MOST / 2);
        const struct topo_kind *kind = kind_of(comm);
        int mine[3] = {is_open(comm), kind ? (int)form_of(comm)->id : -1, kind ? (int)kind->contest.quiet : -1};
        int theirs[3];
        MPI_Sendrecv(mine, 3, MPI_INT, !(rank / 2), 0, theirs, 3, MPI_INT, !(rank / 2), 0, comm, MPI_STATUS_IGNORE);
        agree = memcmp(mine, theirs, sizeof mine) == 0;
        good = is_open(comm) == (one != NATIVE && other != NATIVE);
        if (one == OURS && other == OURS) /* it begins with that, and looks at it later */
            good =
                good && kind && kind->contest.quiet > 100 && form_of(comm)->id != TOPO_ALGORITHM_allreduce_native;
        else if (good && is_open(comm))
            good = kind && kind->contest.quiet == 0;
        for (int i = 0; i < MOST; i++)
            good &= call(comm);
        MPI_Comm_free(&comm);
    }
    harness_check(agree, "ranks that know %d and %d agree", one, other);
    harness_check(good, "ranks that know %d and %d do what both know", one, other);
}

static void release(MPI_Comm *comm)
{
    const MPI_Comm old = *comm;
    harness_check(topo_comm_free_begin(old) == MPI_SUCCESS, "memory for an end");
    MPI_Comm_free(comm);
    topo_comm_free_end(old, true);
}

/* A communicator whose constructor was seen. */
static MPI_Comm seen(void)
{
    MPI_Comm comm = copy();
    topo_comm_created(comm);
    return comm;
}

/* A call that is wrong on this rank alone, and comes back at once. */
static bool is_mistake(MPI_Comm comm)
{
    int number = 1;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return topo_auto_allreduce(&number, &number, -1, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS;
}

/* First calls are counted by the handle alone; ranks that look closer, as those of odd numbers do after `looks` calls,
 * or never (0), count alike. One rank's mistakes count nowhere. */
static void first_calls(const char *machine, int looks)
{
    if (!harness_use_machine(machine))
        return;
    MPI_Comm comm = copy();
    topo_first_calls_start(state_of(comm));
    const int asks = calls_until_open(comm, MOST);
    MPI_Comm_free(&comm);
    for (int life = 0; life < 3; life++) { /* later ones with the handles of earlier ones */
        comm = seen();
        harness_check(topo_early_of(comm) && topo_early_of(comm)->kept.calls == 0, "%s: it is there", machine);
        bool good = true, early = true;
        for (int calls = 1; calls < asks; calls++) {
            good &= call(comm);
            if (rank == 2 && calls == 2)
                good &= is_mistake(comm);
            if (looks && rank % 2 && calls == looks)
                good &= (int)state_of(comm)->calls == calls && state_of(comm)->early == (unsigned)looks;
            early &= looks && rank % 2 && calls >= looks
                         ? !topo_early_of(comm)
                         : topo_early_of(comm) && topo_early_of(comm)->kept.calls == calls;
        }
        harness_check(good, "%s: right results", machine);
        harness_check(early, "%s: counted by the handle", machine);
        if (life < 2)
            good &= call(comm);
        harness_check(life == 2 || (is_open(comm) && !topo_early_of(comm)), "%s: it asks as others do", machine);
        if (life == 2 && !looks) {
            topo_comm_free_begin(comm);
            harness_check(!topo_early_of(comm), "%s: what is freed is not there", machine);
            topo_comm_free_end(comm, false);
            harness_check(topo_early_of(comm)->kept.calls == asks - 1, "%s: it was not freed", machine);
        }
        release(&comm);
    }
    /* A type of the program's own is looked at anew: its handle may come to mean another. */
    MPI_Datatype pair;
    int numbers[2] = {0};
    comm = seen();
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    topo_auto_bcast(numbers, 1, pair, 0, comm);
    harness_check(topo_early_of(comm)->kept.calls == 1 && topo_first_call_last.type != pair, "%s: a type", machine);
    MPI_Type_free(&pair);
    release(&comm);
    /* In a delete callback, and with a result that depends on the order, they look at once. */
    comm = seen();
    call(comm);
    topo_comm_free_begin(comm);
    harness_check(call(comm) && state_of(comm)->calls == 2, "%s: a call while it is freed", machine);
    MPI_Comm old = comm;
    MPI_Comm_free(&comm);
    topo_comm_free_end(old, true);
    comm = seen();
    double sum = rank, all;
    topo_auto_allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    harness_check(!topo_early_of(comm), "%s: sums of floating-point numbers", machine);
    release(&comm);
    topo_early_most = 0;
}

/* On ranks of odd numbers, all places that are free are taken, or free again. */
static void fill(bool takes)
{
    for (int i = 0; rank % 2 && i < (1 << TOPO_EARLY_BITS) * TOPO_EARLY_LINE; i++) {
        uintptr_t from = takes ? 0 : 1;
        atomic_compare_exchange_strong(&topo_early[i / TOPO_EARLY_LINE][i % TOPO_EARLY_LINE].comm, &from, takes);
    }
}

/* Ranks object once: later communicators of the same ranks ask when that one would have asked again, also where some
 * ranks have no room to count by handles. Those of another order, and those that were there before, do not know. */
static void inherited(bool has_room)
{
    if (!harness_use_machine("synthetic:node:2 core:2"))
        return;
    MPI_Comm first = copy(), other;
    const int asks = calls_until_open(first, MOST);
    harness_check(settle(first, quick, slow), "native is learnt");
    topo_first_calls_start(state_of(first));
    MPI_Comm before = seen(), next = seen();
    calls_until_open(next, asks);
    harness_check(!is_open(next) && state_of(next)->refusals == 1 && state_of(next)->channel.comm != MPI_COMM_NULL,
                  "nobody wants it, and they ask again on the channel");
    harness_check(topo_refusals_count() == 1, "that is kept");
    if (!has_room)
        fill(true);
    MPI_Comm later = seen();
    harness_check(has_room || rank % 2 == 0 || !topo_early_of(later), "no room");
    fill(false);
    calls_until_open(later, asks);
    harness_check(state_of(later)->channel.comm == MPI_COMM_NULL && state_of(later)->refusals == 1,
                  "a later one waits");
    calls_until_open(later, 7 * (asks - 1));
    harness_check(state_of(later)->channel.comm != MPI_COMM_NULL && state_of(later)->refusals == 2, "and asks then");
    calls_until_open(before, asks);
    harness_check(state_of(before)->channel.comm != MPI_COMM_NULL && state_of(before)->refusals == 1,
                  "an earlier one asks");
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &other);
    topo_comm_created(other);
    calls_until_open(other, asks - 1);
    harness_check(state_of(other)->refusals == 0, "one of another order does not know");
    MPI_Comm *all[] = {&first, &before, &next, &later, &other};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        release(all[i]);
    topo_early_most = 0;
    topo_refusals_stop();
}

int main(int argc, char **argv)
{
    int ranks;
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks == RANKS) {
        successors("synthetic:node:2 core:2");
        successors("synthetic:node:1 core:4");
        refusals("synthetic:node:2 core:2");
        types_differ = true;
        refusals("synthetic:node:1 core:4");
        types_differ = false;
        for (int looks = 0; looks < 12; looks += 5)
            first_calls(looks ? "synthetic:node:2 core:2" : "synthetic:node:1 core:4", looks);
        inherited(true);
        inherited(false);
        for (enum known one = NOTHING; one <= NATIVE; one++)
            for (enum known other = NOTHING; other <= NATIVE; other++)
                strangers(one, other);
    }
    return harness_finish();
}
