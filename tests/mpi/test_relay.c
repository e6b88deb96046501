/* What family/presence_relay.c does to a PMI socket, between a launcher and an MPI library of our own: what MPI says and
 * hears is as without it, but for the key, which comes just before the first barrier. No MPI is started. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "family/presence_exchange.h"
#include "topompi.h"

enum { TEXT = 512, RANK = 3 };

/* What the launcher hears, each by one read(), as Slurm takes it, and answers. */
struct turn {
    const char *hears, *answers;
    bool ours;
};

/* Up to the barriers; what comes after these is asked behind the end of PMPI_Init(). */
static const struct turn first[] = {
    {"cmd=init pmi_version=1 pmi_subversion=1", "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1", false},
    {"cmd=put kvsname=4.0 key=P0 value=x", "cmd=put_result rc=0", false},
    {"cmd=get_my_kvsname", "cmd=my_kvsname rc=0 kvsname=4.0", true},
    {"cmd=put kvsname=4.0 key=topompi-3 value=" TOPOMPI_VERSION, "cmd=put_result rc=0", true},
    {"cmd=barrier_in", "cmd=barrier_out rc=0", false},
    {"cmd=barrier_in", "cmd=barrier_out rc=0", false},
    {"cmd=get kvsname=4.0 key=topompi-0", "cmd=get_result rc=0 value=" TOPOMPI_VERSION, true},
    {"cmd=get kvsname=4.0 key=topompi-1", "cmd=get_result rc=0 value=0.0.1", true},
    {"cmd=get kvsname=4.0 key=topompi-2", "cmd=get_result rc=1", true},
    {"cmd=finalize", "cmd=finalize_ack rc=0", false},
    {0}};
static const struct turn second[] = {
    {"cmd=init pmi_version=2 pmi_subversion=0", "cmd=response_to_init rc=0 pmi_version=2 pmi_subversion=0", false},
    {"cmd=fullinit;pmirank=3;threaded=FALSE;", "cmd=fullinit-response;rc=0;size=4;", false},
    {"cmd=kvs-put;key=topompi-3;value=" TOPOMPI_VERSION ";", "cmd=kvs-put-response;rc=0;", true},
    {"cmd=kvs-fence;", "cmd=kvs-fence-response;rc=0;", false},
    {"cmd=kvs-get;jobid=;srcid=-1;key=topompi-0;", "cmd=kvs-get-response;rc=0;found=TRUE;value=" TOPOMPI_VERSION ";",
     true},
    {"cmd=kvs-get;jobid=;srcid=-1;key=topompi-1;", "cmd=kvs-get-response;rc=0;found=TRUE;value=0.0.1;", true},
    {"cmd=kvs-get;jobid=;srcid=-1;key=topompi-2;", "cmd=kvs-get-response;rc=0;found=FALSE;", true},
    {"cmd=finalize;", "cmd=finalize-response;rc=0;", false},
    {0}};
static const struct turn refusing[] = {
    {"cmd=get_my_kvsname", "cmd=my_kvsname rc=0 kvsname=4.0", true},
    {"cmd=put kvsname=4.0 key=topompi-3 value=" TOPOMPI_VERSION, "cmd=put_result rc=1", true},
    {"cmd=barrier_in", "cmd=barrier_out rc=0", false},
    {0}};
static const struct turn no_barrier[] = {
    {"cmd=init pmi_version=1 pmi_subversion=1", "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1", false},
    {0}};
static const struct turn aborting[] = {{"cmd=abort exitcode=1", NULL, false}, {0}};

/* As it goes over the socket: a line, or behind its length. */
static size_t write_message(char *text, const char *message)
{
    bool line = !strchr(message, ';');
    return (size_t)(line ? snprintf(text, TEXT, "%s\n", message)
                         : snprintf(text, TEXT, "%-6zu%s", strlen(message), message));
}

static void say(int fd, const char *message)
{
    char text[TEXT];
    size_t length = write_message(text, message);
    if (write(fd, text, length) != (ssize_t)length)
        _exit(9);
}

static void hear(int fd, const char *message)
{
    char text[TEXT], got[TEXT];
    size_t length = write_message(text, message);
    ssize_t more = read(fd, got, sizeof got);
    if (more == (ssize_t)length && !memcmp(text, got, length))
        return;
    printf("heard '%.*s', not '%s'\n", (int)(more > 0 ? more : 0), got, text);
    _exit(8);
}

static const enum topo_presence_answer answers[RANK] = {TOPO_PRESENCE_HAS, TOPO_PRESENCE_OTHER, TOPO_PRESENCE_LACKS};

/* MPI and the library: exit status 0 when all is as it is to be. */
static void be_rank(int fd, const struct turn *turn, enum topo_presence_state state)
{
    char number[16];
    snprintf(number, sizeof number, "%d", fd);
    setenv("PMI_FD", number, 1);
    setenv("PMI_RANK", "3", 1);
    unsetenv("MPI_LOCALRANKID");
    topo_presence_relay.publish();
    for (; turn->hears && (!turn->ours || !strstr(turn->hears, "get") || strstr(turn->hears, "my")); turn++) {
        if (turn->ours)
            continue;
        say(fd, turn->hears);
        if (!turn->answers)
            exit(0); /* at once, with what was said on its way */
        hear(fd, turn->answers);
    }
    if (topo_presence_relay.published() != state)
        _exit(7);
    for (int rank = 0; turn->hears && rank < RANK; rank++, turn++)
        if (topo_presence_relay.of(rank) != answers[rank])
            _exit(6);
    if (turn->hears) {
        say(fd, turn->hears);
        hear(fd, turn->answers);
    }
    _exit(0);
}

static bool runs(const struct turn *turn, enum topo_presence_state state)
{
    int pair[2], status;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return false;
    fflush(stdout);
    pid_t rank = fork();
    if (rank == 0) {
        close(pair[0]);
        be_rank(pair[1], turn, state);
    }
    close(pair[1]);
    pid_t launcher = fork();
    if (launcher == 0) {
        for (; turn->hears; turn++) {
            hear(pair[0], turn->hears);
            if (turn->answers)
                say(pair[0], turn->answers);
        }
        _exit(read(pair[0], &status, 1) != 0); /* the rank's end is closed, and nothing more came */
    }
    close(pair[0]);
    bool good = waitpid(rank, &status, 0) == rank && status == 0;
    return waitpid(launcher, &status, 0) == launcher && status == 0 && good;
}

int main(void)
{
    const struct {
        const char *name;
        const struct turn *turns;
        enum topo_presence_state state;
    } test[] = {{"PMI-1", first, TOPO_PRESENCE_PUBLISHED},
                {"PMI-2", second, TOPO_PRESENCE_PUBLISHED},
                {"a launcher that takes no key", refusing, TOPO_PRESENCE_FAILED},
                {"MPI without a barrier", no_barrier, TOPO_PRESENCE_UNUSED},
                {"the end of the process", aborting, TOPO_PRESENCE_UNUSED}};
    int passed = 0, count = sizeof test / sizeof *test;
    for (int i = 0; i < count; i++) {
        bool good = runs(test[i].turns, test[i].state);
        printf("%s %s\n", good ? "ok  " : "FAIL", test[i].name);
        passed += good;
    }
    printf("%d passed, %d failed\n", passed, count - passed);
    return passed < count;
}
