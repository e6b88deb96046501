/* An MPI program that knows nothing of TopoMPI: unusual ways for communicators, processes and the job to end.
 *
 *   endings fork        every rank forks a child that exits, one that runs a program, and goes on
 *   endings pending     frees communicators while operations of its own are under way on them
 *   endings callback    frees a communicator inside a delete callback of another one
 *   endings own         delete callbacks use the communicator that is freed, on some ranks before and on others after
 *                       ours, free others meanwhile, and refuse
 *   endings leak        finalizes without freeing communicators
 *   endings finalize    even ranks go on in a delete callback of MPI_COMM_SELF, others right before MPI_Finalize
 *   endings abort       rank 1 calls MPI_Abort between collectives
 *   endings kill        rank 1 ends by SIGKILL between collectives
 *   endings spawn       starts as many ranks again and joins them in one communicator
 *
 * Collectives run before, between and after, each result checked. Prints "ok" on rank 0. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mpi.h>

enum { CALLS = 150 }; /* beyond the short calls that stay native */

static int rank, ranks, wrong, everywhere = -1; /* wrong on all ranks, once it is known */

/* Checked calls of all three operations on an intracommunicator. */
static void use(MPI_Comm comm, int calls)
{
    int own, count;
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &count);
    int *out = malloc(4 * (size_t)count * sizeof *out), *in = out + count, *counts = in + count,
        *places = counts + count;
    for (int i = 0; i < count; i++) {
        counts[i] = 1;
        places[i] = i;
    }
    for (int call = 0; call < calls; call++) {
        int mine = own + call, sum;
        MPI_Allgather(&mine, 1, MPI_INT, in, 1, MPI_INT, comm);
        for (int i = 0; i < count; i++) {
            wrong += in[i] != i + call;
            out[i] = own * 1000 + i + call;
        }
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
        wrong += sum != count * (count - 1) / 2 + count * call;
        MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm);
        for (int i = 0; i < count; i++)
            wrong += in[i] != i * 1000 + own + call;
    }
    free(out);
}

static void fork_children(void)
{
    int status;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm, CALLS);
    for (int way = 0; way < 2; way++) {
        pid_t child = fork();
        if (child == 0 && way == 0)
            exit(7);
        if (child == 0) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(1);
        }
        waitpid(child, &status, 0);
        wrong += !WIFEXITED(status) || WEXITSTATUS(status) != (way == 0 ? 7 : 0);
        use(comm, CALLS);
    }
    MPI_Comm_free(&comm);
}

static void pending(void)
{
    for (int round = 0; round < 10; round++) {
        int sum = 0, came = -1, next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
        MPI_Request requests[4];
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        use(comm, round % 2 ? CALLS : 2);
        MPI_Irecv(&came, 1, MPI_INT, before, 5, comm, &requests[0]);
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[1]);
        MPI_Ibarrier(comm, &requests[2]);
        use(comm, 3);
        MPI_Isend(&rank, 1, MPI_INT, next, 5, comm, &requests[3]);
        MPI_Comm_free(&comm);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        wrong += came != before || sum != ranks * (ranks - 1) / 2;
        use(MPI_COMM_WORLD, 1);
    }
}

static int free_other(MPI_Comm comm, int key, void *other, void *extra)
{
    (void)comm, (void)key;
    ++*(int *)extra;
    use(*(MPI_Comm *)other, 1);
    return MPI_Comm_free(other);
}

static void callback(void)
{
    int key, called = 0;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_other, &key, &called);
    for (int round = 0; round < 10; round++) {
        MPI_Comm outer, inner;
        MPI_Comm_dup(MPI_COMM_WORLD, &outer);
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &inner);
        /* Both orders: our attribute is set before the application's, and after it. */
        if (round % 2)
            use(outer, CALLS);
        MPI_Comm_set_attr(outer, key, &inner);
        use(inner, CALLS);
        use(outer, CALLS);
        MPI_Comm_free(&outer);
        wrong += called != round + 1;
    }
    MPI_Comm_free_keyval(&key);
}

/* What the callback is to do besides using its communicator. */
static struct {
    MPI_Comm other;
    int refuses, called;
} own_end;

static int use_own(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)key, (void)value, (void)extra;
    own_end.called++;
    use(comm, 3);
    if (own_end.other != MPI_COMM_NULL) {
        MPI_Comm other = own_end.other;
        own_end.other = MPI_COMM_NULL;
        MPI_Comm_free(&other);
        use(comm, 3);
    }
    return own_end.refuses ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void own(void)
{
    enum { FREED, DISCONNECTED, NESTED, REFUSED, UNUSED, WAYS };
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, use_own, &key, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* where MPICH says that a communicator stays */
    own_end.other = MPI_COMM_NULL;
    for (int round = 0; round < 2 * WAYS; round++) {
        int way = round % WAYS, code;
        MPI_Comm comm, next;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        if (way == NESTED) {
            MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &own_end.other);
            use(own_end.other, CALLS);
            MPI_Comm_set_attr(own_end.other, key, NULL);
        }
        /* MPICH frees nonetheless where an older attribute does not refuse, as ours does not. */
        int first = rank % 2 && way != REFUSED;
        if (way != UNUSED && first)
            use(comm, CALLS);
        MPI_Comm_set_attr(comm, key, NULL);
        if (way != UNUSED && !first)
            use(comm, CALLS);
        own_end.refuses = way == REFUSED;
        own_end.called = 0;
        code = way == DISCONNECTED ? MPI_Comm_disconnect(&comm) : MPI_Comm_free(&comm);
        wrong += own_end.called != (way == NESTED ? 2 : 1) || (code != MPI_SUCCESS) != (way == REFUSED);
        own_end.refuses = 0;
        if (way == REFUSED && comm != MPI_COMM_NULL) {
            use(comm, CALLS);
            wrong += MPI_Comm_free(&comm) != MPI_SUCCESS;
        }
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &next); /* often at the place of the last one */
        use(next, CALLS);
        MPI_Comm_free(&next);
    }
    MPI_Comm_free_keyval(&key);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void leak(void)
{
    for (int i = 0; i < 8; i++) {
        MPI_Comm comm;
        if (i % 2)
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        else
            MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &comm);
        use(comm, i < 4 ? 2 : CALLS);
    }
}

/* The last calls. */
static void judge(void)
{
    use(MPI_COMM_WORLD, 2);
    MPI_Allreduce(&wrong, &everywhere, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static int go_on(MPI_Comm self, int key, void *value, void *extra)
{
    MPI_Comm *comm = value, made;
    (void)self, (void)key, (void)extra;
    use(*comm, CALLS);
    MPI_Comm_split(*comm, rank % 2, 0, &made);
    use(made, CALLS);
    MPI_Comm_free(&made);
    MPI_Comm_free(comm);
    judge();
    return MPI_SUCCESS;
}

static void finalize(void)
{
    static MPI_Comm comm;
    int key;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm, CALLS);
    if (rank % 2) {
        go_on(MPI_COMM_SELF, MPI_KEYVAL_INVALID, &comm, NULL);
        return;
    }
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, go_on, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &comm);
    MPI_Comm_free_keyval(&key);
}

/* The first process that the job loses. */
static void end(int by_signal)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm, CALLS);
    if (rank == 1 && by_signal)
        kill(getpid(), SIGKILL);
    if (rank == 1)
        MPI_Abort(comm, 9);
    use(comm, 1000000);
}

static void spawn(char *program)
{
    MPI_Comm parent, other, both;
    char *arguments[] = {"spawn", NULL};
    MPI_Comm_get_parent(&parent);
    use(MPI_COMM_WORLD, CALLS);
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(program, arguments, ranks, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);
    else
        other = parent;
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, other); /* of the other group */
    wrong += sum != ranks * (ranks - 1) / 2;
    MPI_Intercomm_merge(other, parent != MPI_COMM_NULL, &both);
    use(both, CALLS);
    use(MPI_COMM_WORLD, 3);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, both);
    MPI_Comm_free(&both);
    MPI_Comm_disconnect(&other);
    if (parent != MPI_COMM_NULL) {
        MPI_Finalize();
        exit(0);
    }
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!strcmp(mode, "fork"))
        fork_children();
    else if (!strcmp(mode, "pending"))
        pending();
    else if (!strcmp(mode, "callback"))
        callback();
    else if (!strcmp(mode, "own"))
        own();
    else if (!strcmp(mode, "leak"))
        leak();
    else if (!strcmp(mode, "finalize"))
        finalize();
    else if (!strcmp(mode, "abort") || !strcmp(mode, "kill"))
        end(!strcmp(mode, "kill"));
    else if (!strcmp(mode, "spawn"))
        spawn(argv[0]);
    else
        wrong++;
    if (strcmp(mode, "finalize"))
        judge();
    MPI_Finalize();
    if (rank == 0)
        printf(everywhere ? "wrong: %d\n" : "ok\n", everywhere);
    return everywhere != 0;
}
