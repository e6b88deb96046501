#include "node/descriptors.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static uint64_t job_number;
static int own = -1;
static struct stat opened; /* what `own` was then: the program may have closed it and opened something else */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What another thread is about to receive, or nobody is: the oldest goes. */
enum { ASIDE = 8 };
static struct aside {
    uint64_t secret;
    int descriptor;
    bool there;
} aside[ASIDE];
static int aside_next;

/* An abstract name: its first byte is 0. */
static socklen_t name_of(struct sockaddr_un *name, int rank)
{
    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "topompi-%016llx-%d",
                          (unsigned long long)job_number, rank);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static int new_socket(void)
{
    return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

bool topo_descriptors_start(uint64_t job, int rank)
{
    struct sockaddr_un name;
    job_number = job;
    socklen_t length = name_of(&name, rank);
    own = new_socket();
    if (own < 0 || (bind(own, (struct sockaddr *)&name, length) == 0 && fstat(own, &opened) == 0))
        return own >= 0;
    close(own);
    own = -1;
    return false;
}

static bool is_own(void)
{
    struct stat now;
    return own >= 0 && fstat(own, &now) == 0 && S_ISSOCK(now.st_mode) && now.st_dev == opened.st_dev &&
           now.st_ino == opened.st_ino;
}

void topo_descriptors_stop(void)
{
    if (is_own())
        close(own);
    own = -1;
    for (int i = 0; i < ASIDE; i++)
        if (aside[i].there)
            close(aside[i].descriptor);
    memset(aside, 0, sizeof aside);
}

/* Room for one descriptor beside a datagram, aligned as its header. */
union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

static int send_one(int from, int descriptor, uint64_t secret, int rank)
{
    struct sockaddr_un name;
    socklen_t length = name_of(&name, rank);
    union control control = {.bytes = {0}};
    struct iovec text = {&secret, sizeof secret};
    struct msghdr message = {.msg_name = &name,
                             .msg_namelen = length,
                             .msg_iov = &text,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    ssize_t sent;
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    while ((sent = sendmsg(from, &message, MSG_NOSIGNAL | MSG_DONTWAIT)) < 0 && errno == EINTR)
        ;
    return sent == sizeof secret ? 0 : sent < 0 ? errno : EIO;
}

int topo_descriptor_send(int descriptor, uint64_t secret, const int *ranks, int count)
{
    int from = new_socket(), code = from < 0 ? errno : 0;
    for (int i = 0; i < count && code == 0; i++)
        code = send_one(from, descriptor, secret, ranks[i]);
    if (from >= 0)
        close(from);
    return code;
}

/* The next datagram; false: there is none. *descriptor is -1 where it brought none. */
static bool receive_one(uint64_t *secret, int *descriptor)
{
    union control control;
    struct iovec text = {secret, sizeof *secret};
    struct msghdr message = {
        .msg_iov = &text, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t received;
    *secret = 0;
    *descriptor = -1;
    while ((received = recvmsg(own, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    if (received < 0)
        return false;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof *descriptor))
        memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
    return true;
}

static void put_aside(uint64_t secret, int descriptor)
{
    struct aside *place = &aside[aside_next];
    aside_next = (aside_next + 1) % ASIDE;
    if (place->there)
        close(place->descriptor);
    *place = (struct aside){secret, descriptor, true};
}

static int take_aside(uint64_t secret)
{
    for (int i = 0; i < ASIDE; i++)
        if (aside[i].there && aside[i].secret == secret) {
            aside[i].there = false;
            return aside[i].descriptor;
        }
    return -1;
}

int topo_descriptor_receive(uint64_t secret)
{
    uint64_t other;
    int descriptor, found;
    pthread_mutex_lock(&lock);
    found = take_aside(secret);
    while (found < 0 && is_own() && receive_one(&other, &descriptor)) {
        if (descriptor >= 0 && other == secret)
            found = descriptor;
        else if (descriptor >= 0)
            put_aside(other, descriptor);
        else if (other == secret)
            break;
    }
    pthread_mutex_unlock(&lock);
    return found;
}
