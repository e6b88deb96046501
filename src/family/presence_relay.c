/* PMI-1 and PMI-2 of other launchers than Hydra, as srun --mpi=pmi2: a key among those of the MPI library.
 *
 * The MPI library, or the client library that it loads, talks with the launcher over the socket PMI_FD: lines in PMI-1,
 * texts behind six digits of length in PMI-2 (docs/REFERENCES.md, Launchers 1 and 3). Slurm takes nothing before MPI's
 * own "init", and a second one not at all; after PMPI_Init() only a barrier of all ranks would spread a key. So in
 * PMPI_Init() what goes over the socket passes through a thread of ours, which puts the key just before MPI's first
 * barrier. That spreads it with MPI's own keys to all ranks; whose key is not there after it has no library. */
#include "family/presence_exchange.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/memory.h"
#include "base/text.h"
#include "topompi.h"

enum { DIGITS = 6, QUESTION = 1024, MESSAGE = 1 << 17 }; /* PMI-2 clients hold less */

static long own_rank;
static long socket_fd;      /* PMI_FD: MPI's end of the pair while the thread runs, else the launcher */
static int launcher, inner; /* meanwhile: the launcher's socket, and the thread's end of the pair */
static int flags;           /* of that descriptor */
static pthread_t thread;
static bool runs, tried, is_put, is_second; /* is_second: MPI talks PMI-2 */
static char space[256];                     /* PMI-1: whose keys */
static char *message;                       /* [MESSAGE] of MPI, as far as it has come */
static size_t used;

/* -- messages -- */

static bool send_all(int fd, const char *data, size_t length)
{
    for (size_t sent = 0; sent < length;) {
        ssize_t more = send(fd, data + sent, length - sent, MSG_NOSIGNAL);
        if (more < 0 && errno == ENOTSOCK)
            more = write(fd, data + sent, length - sent);
        if (more < 0 && errno != EINTR)
            return false;
        sent += more > 0 ? (size_t)more : 0;
    }
    return true;
}

static bool receive(int fd, char *data, size_t length)
{
    for (size_t got = 0; got < length;) {
        ssize_t more = read(fd, data + got, length - got);
        if (more == 0 || (more < 0 && errno != EINTR))
            return false;
        got += more > 0 ? (size_t)more : 0;
    }
    return true;
}

/* The length of a message of PMI-2 by its digits, which blanks fill up; -1 when there are none. */
static long length_of(const char *at)
{
    char digits[DIGITS + 1] = "", *end;
    memcpy(digits, at, DIGITS);
    long length = strtol(digits, &end, 10);
    return end > digits && strspn(end, " ") == strlen(end) ? length : -1;
}

/* Asks; `answer` ends up as " name=value name=value ...". */
static bool ask(int fd, const char *question, char *answer, size_t size)
{
    char text[QUESTION + DIGITS];
    size_t length = 0;
    if (is_second)
        snprintf(text, sizeof text, "%-*d%s", DIGITS, (int)strlen(question), question);
    else
        snprintf(text, sizeof text, "%s\n", question);
    if (!send_all(fd, text, strlen(text)))
        return false;
    answer[length++] = ' ';
    if (is_second) {
        char digits[DIGITS];
        long left = receive(fd, digits, DIGITS) ? length_of(digits) : -1;
        if (left < 0 || left > (long)size - 2 || !receive(fd, answer + length, (size_t)left))
            return false;
        length += (size_t)left;
    } else {
        do
            if (length == size - 1 || !receive(fd, answer + length, 1)) /* one by one: what is behind is for MPI */
                return false;
        while (answer[length++] != '\n');
    }
    answer[length] = '\0';
    for (char *at = answer; *at; at++)
        *at = *at == ';' || *at == '\n' ? ' ' : *at;
    return true;
}

bool topo_presence_ask(int fd, const char *question, const char *name, char *word, size_t size)
{
    char answer[QUESTION];
    const char *at = ask(fd, question, answer, sizeof answer) ? strstr(answer, name) : NULL;
    size_t length = at ? strcspn(at + strlen(name), " ") : 0;
    if (length == 0 || length >= size)
        return false;
    snprintf(word, size, "%.*s", (int)length, at + strlen(name));
    return true;
}

bool topo_presence_done(int fd, const char *question)
{
    char code[16];
    return topo_presence_ask(fd, question, " rc=", code, sizeof code) && !strcmp(code, "0");
}

static bool put(void)
{
    char question[512];
    if (is_second)
        snprintf(question, sizeof question, "cmd=kvs-put;key=topompi-%ld;value=%s;", own_rank, TOPOMPI_VERSION);
    else if (topo_presence_ask(launcher, "cmd=get_my_kvsname", " kvsname=", space, sizeof space))
        snprintf(question, sizeof question, "cmd=put kvsname=%s key=topompi-%ld value=%s", space, own_rank,
                 TOPOMPI_VERSION);
    else
        return false;
    return topo_presence_done(launcher, question);
}

/* -- the thread -- */

/* Length of the first message that MPI sent, 0 while it is not whole. */
static size_t first_message(void)
{
    const char *end = memchr(message, '\n', used);
    if (used && *message != ' ' && (*message < '0' || *message > '9'))
        return end ? (size_t)(end - message) + 1 : 0;
    if (used < DIGITS)
        return 0;
    long length = length_of(message);
    if (length < 0)
        return used; /* another protocol: as it came */
    return used < DIGITS + (size_t)length ? 0 : DIGITS + (size_t)length;
}

static bool begins(size_t at, const char *text)
{
    return used >= at + strlen(text) && !memcmp(message + at, text, strlen(text));
}

/* Hands on what MPI sent, each message by itself; the key goes before the first barrier. */
static bool pass_on(void)
{
    size_t length;
    while ((length = first_message()) > 0 || used == MESSAGE) {
        length = length ? length : used;
        bool second = begins(DIGITS, "cmd=kvs-fence");
        if (!tried && (second || begins(0, "cmd=barrier_in"))) {
            tried = true;
            is_second = second;
            is_put = put();
        }
        if (!send_all(launcher, message, length))
            return false;
        used -= length;
        memmove(message, message + length, used);
    }
    return true;
}

static void *relay(void *unused)
{
    char answer[4096];
    struct pollfd both[] = {{.fd = inner, .events = POLLIN}, {.fd = launcher, .events = POLLIN}};
    for (;;) {
        if (poll(both, 2, -1) < 0 && errno != EINTR)
            break;
        if (both[1].revents) {
            ssize_t length = read(launcher, answer, sizeof answer);
            bool gone = length == 0 || (length < 0 && errno != EINTR);
            if (gone || (length > 0 && !send_all(inner, answer, (size_t)length))) {
                shutdown(inner, SHUT_WR);
                both[1].fd = -1;
            }
        }
        if (both[0].revents) {
            ssize_t length = read(inner, message + used, MESSAGE - used);
            used += length > 0 ? (size_t)length : 0;
            if (length == 0 || (length > 0 && !pass_on()))
                break;
        }
    }
    shutdown(inner, SHUT_RDWR);
    return unused;
}

/* The socket is the launcher's again. */
static void restore(void)
{
    dup3(launcher, (int)socket_fd, flags & FD_CLOEXEC ? O_CLOEXEC : 0);
    close(launcher);
    close(inner);
    topo_free(message);
}

/* What MPI has sent is with the launcher, and what it sends from now on goes there by itself. At exit(), too: MPI may
 * end the process in PMPI_Init(), and tells the launcher before. */
static void end(void)
{
    if (!runs)
        return;
    runs = false;
    shutdown((int)socket_fd, SHUT_WR);
    pthread_join(thread, NULL);
    restore();
}

/* Signals of the program are for its own threads. */
static bool start_thread(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, NULL, relay, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void publish(void)
{
    const char *fd = topo_environment("PMI_FD"), *rank = topo_environment("PMI_RANK");
    int pair[2];
    struct stat is;
    /* The number of a process on its node is in this variable by Hydra alone (presence_pmi.c). */
    if (!fd || !rank || topo_environment("MPI_LOCALRANKID") || !topo_parse_long(rank, 0, INT_MAX, &own_rank) ||
        !topo_parse_long(fd, 0, 1 << 20, &socket_fd) || fstat((int)socket_fd, &is) != 0 || !S_ISSOCK(is.st_mode))
        return;
    message = topo_alloc(MESSAGE, 1);
    if (!message || atexit(end) != 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        topo_free(message);
        return;
    }
    inner = pair[1];
    flags = fcntl((int)socket_fd, F_GETFD);
    launcher = fcntl((int)socket_fd, F_DUPFD_CLOEXEC, 0);
    if (launcher >= 0 && dup3(pair[0], (int)socket_fd, flags & FD_CLOEXEC ? O_CLOEXEC : 0) >= 0)
        runs = start_thread();
    close(pair[0]);
    if (!runs)
        restore();
}

static enum topo_presence_state published(void)
{
    end();
    return is_put ? TOPO_PRESENCE_PUBLISHED : tried ? TOPO_PRESENCE_FAILED : TOPO_PRESENCE_UNUSED;
}

static enum topo_presence_answer of(int rank)
{
    char question[512], version[64];
    if (is_second)
        snprintf(question, sizeof question, "cmd=kvs-get;jobid=;srcid=-1;key=topompi-%d;", rank);
    else
        snprintf(question, sizeof question, "cmd=get kvsname=%s key=topompi-%d", space, rank);
    return topo_presence_ask((int)socket_fd, question, " value=", version, sizeof version)
               ? topo_presence_answer_of(version)
               : TOPO_PRESENCE_LACKS;
}

const struct topo_presence_exchange topo_presence_relay = {publish, published, of};
