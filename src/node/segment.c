#include "node/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/align.h"
#include "base/file.h"
#include "base/memory.h"
#include "node/descriptors.h"
#include "node/room.h"

/* The counter, and whether the segment was ended. */
struct line {
    alignas(TOPO_CACHE_LINE) _Atomic uint32_t users;
};
static const uint32_t ENDED = (uint32_t)1 << 31;

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

size_t topo_segment_length(size_t bytes)
{
    return topo_align(bytes + sizeof(struct line), page_bytes());
}

size_t topo_segment_beside(void)
{
    return sizeof(struct line) + page_bytes() - 1;
}

static size_t line_at(const struct topo_segment *segment)
{
    return segment->length - sizeof(struct line);
}

static _Atomic uint32_t *users_of(const struct topo_segment *segment)
{
    return &((struct line *)(void *)(segment->base + line_at(segment)))->users;
}

/* -- where the memory is ----------------------------------------------------------------------------------------------
 */

static int new_unnamed(void)
{
#ifdef SYS_memfd_create /* older C libraries do not have the function, older kernels not the call */
    const unsigned close_on_exec = 1;
    return (int)syscall(SYS_memfd_create, "topompi", close_on_exec);
#else
    errno = ENOSYS;
    return -1;
#endif
}

static int create_unnamed(struct topo_segment *segment, const int *members, int ranks, struct topo_segment_offer *offer)
{
    int code = 0;
    segment->descriptor = new_unnamed();
    if (segment->descriptor < 0 || ftruncate(segment->descriptor, (off_t)segment->length) != 0)
        code = errno;
    else if (getrandom(&offer->secret, sizeof offer->secret, 0) != sizeof offer->secret)
        code = EAGAIN;
    else
        code = topo_descriptor_send(segment->descriptor, offer->secret, members + 1, ranks - 1);
    if (code != 0)
        topo_segment_settle(segment, false);
    return code;
}

static int create_named(struct topo_segment *segment, int ranks, uint64_t charged, struct topo_segment_offer *offer)
{
    static atomic_flag swept = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&swept))
        topo_shm_sweep("/dev/shm");
    offer->secret = 0;
    if (segment->length > topo_room_named(charged, ranks))
        return ENOSPC;
    if (!topo_shm_name(offer->name))
        return EAGAIN;
    segment->descriptor = topo_shm_create(offer->name);
    if (segment->descriptor < 0)
        return errno;
    memcpy(segment->name, offer->name, sizeof segment->name);
    return ftruncate(segment->descriptor, (off_t)segment->length) == 0 ? 0 : errno;
}

static int map(struct topo_segment *segment)
{
    void *base = mmap(NULL, segment->length, PROT_READ | PROT_WRITE, MAP_SHARED, segment->descriptor, 0);
    if (base == MAP_FAILED)
        return errno;
    segment->base = base;
    return 0;
}

int topo_segment_create(struct topo_segment *segment, const int *members, int ranks, bool *passes, uint64_t charged,
                        struct topo_segment_offer *offer)
{
    int code = *passes ? create_unnamed(segment, members, ranks, offer) : ENOSYS;
    /* What was scarce may be there the next time. */
    *passes = *passes && (code == 0 || code == EAGAIN || code == EMFILE || code == ENFILE || code == ENOMEM);
    if (code != 0)
        code = create_named(segment, ranks, charged, offer);
    if (code == 0) /* the page with the counter, before it is touched */
        code = topo_reserve_file(segment->descriptor, (off_t)line_at(segment), sizeof(struct line));
    if (code == 0)
        code = map(segment);
    if (code == 0)
        atomic_store(users_of(segment), (uint32_t)ranks);
    return code;
}

int topo_segment_open(struct topo_segment *segment, const struct topo_segment_offer *offer)
{
    memcpy(segment->name, offer->name, sizeof segment->name);
    segment->descriptor = offer->name[0] ? shm_open(offer->name, O_RDWR, 0) : topo_descriptor_receive(offer->secret);
    return segment->descriptor < 0 ? ENOENT : map(segment);
}

int topo_segment_prepare(const struct topo_segment *segment, int part, int parts)
{
    size_t page = page_bytes(), pages = (segment->length + page - 1) / page;
    size_t from = pages * (size_t)part / (size_t)parts * page, to = pages * (size_t)(part + 1) / (size_t)parts * page;
    if (to > segment->length)
        to = segment->length;
    if (segment->id == 0 || segment->used || to <= from)
        return 0;
    return topo_reserve_file(segment->descriptor, (off_t)from, to - from);
}

void topo_segment_settle(struct topo_segment *segment, bool unlinks)
{
    if (unlinks && segment->name[0])
        shm_unlink(segment->name);
    if (segment->descriptor >= 0)
        close(segment->descriptor);
    segment->descriptor = -1;
}

void topo_segment_close(struct topo_segment *segment)
{
    if (segment->id == 0)
        topo_free(segment->base);
    else if (segment->base)
        munmap(segment->base, segment->length);
    segment->base = NULL;
}

/* -- who holds it -----------------------------------------------------------------------------------------------------
 */

/* All pages but the one with the counter. */
static void give_back(const struct topo_segment *segment)
{
    size_t bytes = line_at(segment) / page_bytes() * page_bytes();
    if (bytes > 0)
        madvise(segment->base, bytes, MADV_REMOVE);
}

bool topo_segment_claim(const struct topo_segment *segment, int ranks)
{
    uint32_t idle = 0;
    return atomic_compare_exchange_strong(users_of(segment), &idle, (uint32_t)ranks);
}

void topo_segment_leave(const struct topo_segment *segment)
{
    if (atomic_fetch_sub(users_of(segment), 1) - 1 == ENDED)
        give_back(segment);
}

void topo_segment_end(const struct topo_segment *segment)
{
    atomic_fetch_or(users_of(segment), ENDED);
}

bool topo_segment_end_idle(const struct topo_segment *segment)
{
    uint32_t idle = 0;
    if (!atomic_compare_exchange_strong(users_of(segment), &idle, ENDED))
        return false;
    give_back(segment);
    return true;
}

bool topo_segment_is_idle(const struct topo_segment *segment)
{
    return atomic_load(users_of(segment)) == 0;
}

bool topo_segment_is_ended(const struct topo_segment *segment)
{
    return atomic_load(users_of(segment)) & ENDED;
}
