/* Before src/node/segment.c, shm_name.c, room.c and descriptors.c (build): shared memory among ranks that are contexts
 * of one process is the same memory at the same address, so that a counter is one object for whoever waits for it. */
#ifndef TOPO_TESTS_SIM_SHM_H
#define TOPO_TESTS_SIM_SHM_H

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <unistd.h>

int sim_shm_open(const char *name, int flags, mode_t mode);
int sim_fchmod(int descriptor, mode_t mode);
int sim_ftruncate(int descriptor, off_t bytes);
int sim_posix_fallocate(int descriptor, off_t at, off_t bytes);
void *sim_mmap(void *at, size_t bytes, int access, int flags, int descriptor, off_t offset);
int sim_munmap(void *base, size_t bytes);
int sim_shm_unlink(const char *name);
int sim_close(int descriptor);
int sim_statvfs(const char *path, struct statvfs *space);

#ifdef SIM_REPLACES_SHM
#define shm_open sim_shm_open
#define fchmod sim_fchmod
#define ftruncate sim_ftruncate
#define posix_fallocate sim_posix_fallocate
#define mmap sim_mmap
#define munmap sim_munmap
#define shm_unlink sim_shm_unlink
#define close sim_close
#define statvfs(path, space) sim_statvfs(path, space)
#define madvise(at, bytes, advice) ((void)(at))
#define socket(domain, type, protocol) (-1) /* so that memory has a name */
#endif

#endif
