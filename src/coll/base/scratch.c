#include "coll/base/scratch.h"

#include <pthread.h>
#include <stdalign.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/align.h"
#include "base/memory.h"

/* Before every block, so that give() knows its size. */
struct header {
    alignas(64) size_t bytes;
    void *raw; /* what topo_alloc() gave */
};

/* Threads may each run a collective on a communicator of their own. */
enum { KEPT = 4 };
static const size_t kept_bytes_max = (size_t)256 << 20;

static struct header *kept[KEPT];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *topo_scratch_take(size_t bytes)
{
    struct header *best = NULL;
    int at = -1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KEPT; i++)
        if (kept[i] && kept[i]->bytes >= bytes && (!best || kept[i]->bytes < best->bytes)) {
            best = kept[i];
            at = i;
        }
    if (best)
        kept[at] = NULL;
    pthread_mutex_unlock(&lock);
    if (best)
        return best + 1;
    void *raw = topo_alloc(bytes + sizeof *best + 63, 1);
    if (!raw)
        return NULL;
    best = (struct header *)(((size_t)raw + 63) & ~(size_t)63);
    best->bytes = bytes;
    best->raw = raw;
    return best + 1;
}

/* The memory of a long block is the program's between two calls, where it comes to need it: the system may take its
 * pages then. Those that it left are there without a page fault. */
static void lend(struct header *header)
{
    enum { LONG = 16 << 20 };
    size_t page = (size_t)sysconf(_SC_PAGESIZE), from = topo_align((size_t)(header + 1), page),
           to = ((size_t)(header + 1) + header->bytes) / page * page;
    if (header->bytes >= LONG)
        madvise((void *)from, to - from, MADV_FREE); /* where it cannot, the block is kept as it is */
}

void topo_scratch_give(void *block)
{
    if (!block)
        return;
    struct header *dropped = (struct header *)block - 1;
    lend(dropped);
    int smallest = 0;
    pthread_mutex_lock(&lock);
    for (int i = 1; i < KEPT; i++)
        if (kept[smallest] && (!kept[i] || kept[i]->bytes < kept[smallest]->bytes))
            smallest = i;
    if (dropped->bytes <= kept_bytes_max && (!kept[smallest] || kept[smallest]->bytes < dropped->bytes)) {
        struct header *swapped = kept[smallest];
        kept[smallest] = dropped;
        dropped = swapped;
    }
    pthread_mutex_unlock(&lock);
    if (dropped)
        topo_free(dropped->raw);
}
