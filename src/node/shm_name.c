#include "node/shm_name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "topompi-"

bool topo_shm_name(char name[TOPO_SHM_NAME_BYTES])
{
    uint64_t number[2];
    if (getrandom(number, sizeof number, 0) != sizeof number)
        return false;
    snprintf(name, TOPO_SHM_NAME_BYTES, "/" PREFIX "%d-%016llx%016llx", (int)getpid(), (unsigned long long)number[0],
             (unsigned long long)number[1]);
    return true;
}

int topo_shm_create(const char *name)
{
    int descriptor = shm_open(name, O_CREAT | O_EXCL | O_RDWR, S_IRUSR | S_IWUSR);
    /* A umask such as 0777 takes the owner's right to open it again, too. */
    if (descriptor >= 0 && fchmod(descriptor, S_IRUSR | S_IWUSR) != 0) {
        close(descriptor);
        shm_unlink(name);
        return -1;
    }
    return descriptor;
}

static bool is_orphan(int folder, const char *name)
{
    enum { SECONDS = 60 };
    struct stat status;
    int process = 0, end = 0;
    return sscanf(name, PREFIX "%d-%*32[0-9a-f]%n", &process, &end) == 1 && end > 0 && !name[end] && process > 0 &&
           kill(process, 0) != 0 && errno == ESRCH && fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           status.st_uid == geteuid() && status.st_mtime < time(NULL) - SECONDS;
}

void topo_shm_sweep(const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    if (!directory)
        return;
    while ((entry = readdir(directory)))
        if (is_orphan(dirfd(directory), entry->d_name))
            unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
}
