#include "unit.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/file.h"

static char folder[] = "/tmp/topompi-file-XXXXXX", path[64];

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void refused(const char *name, int flags, const char *says)
{
    struct topo_error error = {""};
    ck_assert_int_eq(topo_open_file(name, flags, &error), -1);
    ck_assert_msg(strstr(error.text, name) && strstr(error.text, says), "%s", error.text);
}

/* None of these waits: a FIFO has nobody at its other end. */
START_TEST(only_files)
{
    struct topo_error error = {""};
    struct stat facts;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(mkfifo(in_folder("fifo"), 0600), 0);
    refused(path, O_RDONLY, "not a regular file");
    refused(path, O_WRONLY, "not a regular file");
    unlink(path);
    refused(folder, O_RDONLY, "not a regular file");
    refused("/dev/zero", O_RDONLY, "not a regular file");
    refused(in_folder("missing"), O_RDONLY, "No such file");
    int fd = topo_open_file("/dev/null", O_WRONLY, &error);
    ck_assert_int_ge(fd, 0);
    close(fd);
    umask(0);
    fd = topo_open_file(in_folder("new"), O_WRONLY | O_CREAT, &error);
    ck_assert_msg(fd >= 0 && fstat(fd, &facts) == 0 && (facts.st_mode & 0777) == 0666, "%s", error.text);
    ck_assert_msg(fcntl(fd, F_GETFD) & FD_CLOEXEC, "programs that this one starts do not have it");
    close(fd);
    unlink(path);
    rmdir(folder);
}
END_TEST

static void on_alarm(int signal)
{
    (void)signal;
}

/* Space in memory, as of a profiled program whose timer comes all the while. */
START_TEST(reserved)
{
    enum { BYTES = (16 << 20) + 5, FROM = 4097 };
    const struct sigaction caught = {.sa_handler = on_alarm};
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    struct stat facts;
    FILE *file = NULL;
    int fd = (int)syscall(SYS_memfd_create, "reserved", 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(sigaction(SIGALRM, &caught, NULL), 0);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
    int code = topo_reserve_file(fd, FROM, BYTES);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &never, NULL), 0);
    ck_assert_int_eq(code, 0);
    ck_assert(fstat(fd, &facts) == 0 && facts.st_size == FROM + BYTES && facts.st_blocks * 512 >= BYTES);
    ck_assert_int_eq(topo_reserve_file(fd, 0, 0), 0);
    close(fd);
    ck_assert_int_eq(topo_reserve_file(fd, 0, 1), EBADF);
    file = fopen("/dev/null", "w");
    ck_assert_msg(topo_reserve_file(fileno(file), 0, 1) != 0, "what takes no space");
    fclose(file);
}
END_TEST

/* What would become longer than `ulimit -f` says is refused: write() and posix_fallocate() would end the process. */
START_TEST(limited)
{
    enum { LIMIT = 1 << 20, LENGTH = 600000 }; /* Check writes a file, too */
    static char text[LENGTH + 1];
    struct rlimit before, limit;
    struct stat facts;
    memset(text, 'x', LENGTH);
    FILE *file = tmpfile(), *nowhere = fopen("/dev/null", "w");
    ck_assert(file && nowhere && getrlimit(RLIMIT_FSIZE, &before) == 0);
    const int fd = fileno(file);
    ck_assert_uint_eq(topo_file_limit(), before.rlim_cur == RLIM_INFINITY ? UINT64_MAX : before.rlim_cur);
    limit = before;
    limit.rlim_cur = LIMIT;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ck_assert_uint_eq(topo_file_limit(), LIMIT);
    ck_assert_int_eq(topo_append_file(fd, text), 0);
    ck_assert_int_eq(topo_append_file(fd, text), EFBIG);
    ck_assert(fstat(fd, &facts) == 0 && facts.st_size == LENGTH);
    ck_assert_int_eq(topo_append_file(fd, ""), 0);
    ck_assert_int_eq(topo_append_file(fileno(nowhere), text), 0);
    ck_assert_int_eq(topo_reserve_file(fd, LENGTH, LIMIT - LENGTH + 1), EFBIG);
    ck_assert_int_eq(topo_reserve_file(fd, LENGTH, LIMIT - LENGTH), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert(fstat(fd, &facts) == 0 && facts.st_size == LIMIT);
    fclose(nowhere);
    fclose(file);
    ck_assert_int_eq(topo_append_file(-1, text), EBADF);
}
END_TEST

UNIT_MAIN("file", {only_files}, {reserved}, {limited})
