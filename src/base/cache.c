#include "base/cache.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

bool topo_cache_folder(const char *given, const char *xdg, const char *home, struct topo_text *folder)
{
    if (given && *given)
        topo_text_add(folder, given);
    else if (xdg && xdg[0] == '/')
        topo_text_addf(folder, "%s/topompi", xdg);
    else if (home && *home)
        topo_text_addf(folder, "%s/.cache/topompi", home);
    else
        return false;
    return !folder->failed;
}

void topo_cache_word(const char *text, size_t most, struct topo_text *name)
{
    bool gap = false, any = false;
    for (size_t written = 0; *text && written < most; text++) {
        unsigned char c = (unsigned char)*text;
        if (!strncmp(text, "(R)", 3) || !strncmp(text, "(TM)", 4)) {
            text += strcspn(text, ")");
            gap = true;
            continue;
        }
        if (c >= 0x80 || !(isalnum(c) || c == '.')) {
            gap = true;
            continue;
        }
        if (gap && any) {
            topo_text_add(name, "-");
            written++;
        }
        topo_text_addf(name, "%c", c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
        written++;
        gap = false;
        any = true;
    }
}

/* Every folder above the file. What cannot be made shows as the file is opened. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

/* In the folder of `path`, a name that no other process has, on any machine that shares the folder, nor had. */
static void name_beside(const char *path, struct topo_text *beside)
{
    const char *slash = strrchr(path, '/');
    char host[64] = "";
    struct timespec now = {0};
    gethostname(host, sizeof host - 1);
    clock_gettime(CLOCK_REALTIME, &now);
    topo_text_addf(beside, "%.*s.%s.%ld.%lx%08lx", slash ? (int)(slash + 1 - path) : 0, path, host, (long)getpid(),
                   (unsigned long)now.tv_sec, (unsigned long)now.tv_nsec);
}

bool topo_cache_usable(const char *path)
{
    struct topo_text folder = {0};
    topo_text_add(&folder, path);
    bool usable = !folder.failed;
    if (usable) {
        make_folders(folder.text);
        char *slash = strrchr(folder.text, '/');
        if (slash)
            *slash = '\0';
        usable = access(slash && *folder.text ? folder.text : slash ? "/" : ".", W_OK | X_OK) == 0;
    }
    topo_text_free(&folder);
    return usable;
}

enum topo_status topo_cache_keep(const char *path, const char *text, struct topo_error *error)
{
    struct topo_text beside = {0};
    int fd, reason = 0;
    name_beside(path, &beside);
    if (beside.failed)
        return topo_fail(error, TOPO_NOMEM, "out of memory for %s", path);
    make_folders(beside.text);
    fd = open(beside.text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        reason = errno;
    } else {
        reason = topo_append_file(fd, text);
        if (close(fd) != 0 && !reason)
            reason = errno;
        if (!reason && rename(beside.text, path) != 0)
            reason = errno;
        if (reason)
            unlink(beside.text);
    }
    topo_text_free(&beside);
    return reason ? topo_fail(error, TOPO_IO, "%s: %s", path, strerror(reason)) : TOPO_OK;
}
