#include "node/shm_windows.h"

#include "base/align.h"

enum {
    SEGMENT_LEAST = 1024, /* below this the region is too small for so many ranks */
    WINDOWS_LEAST = 2,
    WINDOWS_WANTED = 4
};

/* Bytes of the region before the slots: equal on all nodes. */
static size_t header_bytes(const struct topo_node *node, int blocks)
{
    return topo_align((size_t)node->levels->ranks_most * sizeof(struct topo_flag) +
                          (size_t)TOPO_SHM_WINDOWS_MOST * (size_t)blocks * sizeof(uint64_t),
                      4096);
}

/* In a new region. */
static void begin(const struct topo_shm_windows *windows, int flags)
{
    const struct topo_node *node = windows->node;
    *windows->all =
        (struct topo_rounds){.before = topo_counters_start.iterations, .handed = topo_counters_start.iterations};
    if (!topo_counters_elsewhere())
        return;
    for (int flag = 0; flag < flags; flag++)
        for (int i = 0; i < node->ranks; i++)
            topo_flag_set(&windows->finished[flag * node->levels->ranks_most + i], (uint32_t)windows->all->before);
    topo_counters_set(node);
}

void topo_shm_windows_begin(struct topo_shm_windows *windows, struct topo_rounds *all, bool fresh, int flags)
{
    windows->all = all;
    windows->free = 0;
    if (fresh)
        begin(windows, flags);
    else if (all->stride != windows->stride || all->blocks != windows->blocks || all->windows != windows->windows ||
             all->rows != windows->rows)
        all->settled = all->before;
    all->stride = windows->stride;
    all->blocks = windows->blocks;
    all->windows = windows->windows;
    all->rows = windows->rows;
}

/* Bytes of a segment of a block of so many bytes that is cut into as few as may be, of up to `most`. */
static size_t share_of(size_t bytes, size_t most)
{
    size_t rounds = (bytes + most - 1) / most;
    return topo_align((bytes + rounds - 1) / rounds, TOPO_CACHE_LINE);
}

/* Memory for windows of segments of `stride` bytes, else of a half, a quarter and so on; false when there is none even
 * for SEGMENT_LEAST. A window of 1,024 ranks and 32 KiB takes 32 MiB. */
static bool reserve(struct topo_node *node, size_t header, size_t blocks, size_t stride, bool *fresh)
{
    for (size_t tried = stride;; tried = tried / 2 > SEGMENT_LEAST ? tried / 2 : SEGMENT_LEAST) {
        size_t window = blocks * tried;
        const struct topo_shm_size size = {header, header + WINDOWS_LEAST * window, header + WINDOWS_WANTED * window};
        if (topo_node_reserve(node, TOPO_SHM_GATHER, size, fresh))
            return true;
        if (tried <= SEGMENT_LEAST)
            return false;
    }
}

bool topo_shm_windows_open(struct topo_shm_windows *windows, struct topo_node *node, int blocks, size_t bytes,
                           size_t segment)
{
    size_t header = header_bytes(node, blocks), stride = share_of(bytes, segment);
    bool fresh;
    if (!reserve(node, header, (size_t)blocks, stride, &fresh))
        return false;
    const struct topo_shm_region *region = &node->region[TOPO_SHM_GATHER];
    size_t room = (region->bytes - header) / (size_t)blocks;
    if (room / WINDOWS_LEAST < stride)
        stride = share_of(bytes, room / WINDOWS_LEAST / TOPO_CACHE_LINE * TOPO_CACHE_LINE);
    *windows = (struct topo_shm_windows){
        .node = node,
        .finished = (struct topo_flag *)region->base,
        .filled = (_Atomic uint64_t *)(region->base + (size_t)node->levels->ranks_most * sizeof(struct topo_flag)),
        .slots = region->base + header,
        .blocks = blocks,
        .windows = room / stride < TOPO_SHM_WINDOWS_MOST ? (int)(room / stride) : TOPO_SHM_WINDOWS_MOST,
        .rounds = (int)((bytes + stride - 1) / stride),
        .rows = 1,
        .stride = stride};
    topo_shm_windows_begin(windows, &node->gather_rounds, fresh, 1);
    return true;
}

static _Atomic uint64_t *filled_at(const struct topo_shm_windows *windows, int64_t round, int block)
{
    return &windows->filled[topo_shm_window_of(windows, round) * (size_t)windows->blocks + (size_t)block];
}

bool topo_shm_windows_has(const struct topo_shm_windows *windows, int64_t round, int block)
{
    return atomic_load_explicit(filled_at(windows, round, block), memory_order_acquire) ==
           windows->all->before + (uint64_t)round + 1;
}

void topo_shm_windows_fill(const struct topo_shm_windows *windows, int64_t round, int block)
{
    atomic_store_explicit(filled_at(windows, round, block), windows->all->before + (uint64_t)round + 1,
                          memory_order_release);
}

/* Whether all ranks are through with what lies in the window of a round. */
static bool is_free(const struct topo_shm_windows *windows, int round)
{
    const struct topo_rounds *all = windows->all;
    const uint64_t number = all->before + (uint64_t)round + 1, ahead = (uint64_t)windows->windows;
    const uint64_t before = number > ahead ? number - ahead : 0, needed = before > all->settled ? before : all->settled;
    for (int i = 0; i < windows->node->ranks; i++)
        if (!topo_flag_reached(&windows->finished[i], (uint32_t)needed))
            return false;
    return true;
}

int topo_shm_windows_room(struct topo_shm_windows *windows)
{
    while (windows->free < windows->rounds && is_free(windows, windows->free))
        windows->free++;
    return windows->free;
}

void topo_shm_windows_finish(const struct topo_shm_windows *windows, int rounds)
{
    const struct topo_node *node = windows->node;
    topo_flag_set(&windows->finished[node->local], (uint32_t)(windows->all->before + (uint64_t)rounds));
}
