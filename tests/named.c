/* Preloaded: no socket by which descriptors travel, as where the ranks of a node are in network namespaces of their
 * own. So node-shared memory has names in /dev/shm. */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

typedef int socket_function(int domain, int type, int protocol);
__attribute__((visibility("default"))) socket_function socket;

int socket(int domain, int type, int protocol)
{
    static socket_function *next;
    if (!next) {
        void *symbol = dlsym(RTLD_NEXT, "socket");
        memcpy(&next, &symbol, sizeof next);
    }
    if (domain == AF_UNIX && (type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK)) == SOCK_DGRAM) {
        errno = EPERM;
        return -1;
    }
    return next(domain, type, protocol);
}
