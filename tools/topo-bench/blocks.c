#include "topo-bench/blocks.h"

#include <limits.h>

#include "base/memory.h"

MPI_Datatype bench_element_type(const struct bench_layout *layout)
{
    MPI_Datatype run, element = MPI_BYTE;
    if (layout->stride > layout->element) {
        MPI_Type_contiguous((int)layout->element, MPI_BYTE, &run);
        MPI_Type_create_resized(run, 0, (MPI_Aint)layout->stride, &element);
        MPI_Type_commit(&element);
        MPI_Type_free(&run);
    }
    return element;
}

void bench_element_free(MPI_Datatype *type)
{
    if (*type && *type != MPI_BYTE)
        MPI_Type_free(type);
}

void bench_blocks_describe(const struct bench_request *request, struct topo_text *out)
{
    topo_text_add(out, request->gaps ? "elements with gaps" : "contiguous");
}

/* Length of block i of what this rank sends, or receives, and its number in the pattern. */
struct block {
    size_t bytes;
    uint64_t number;
};

static struct block block_of(const struct bench_call *call, bool sends, int i)
{
    bool exchanged = call->operation->blocks == BENCH_BLOCKS_EXCHANGED;
    bool dealt = call->operation->blocks == BENCH_BLOCKS_FROM_ROOT; /* one has the number of who gets it */
    int from = sends != dealt ? call->rank : i, to = !exchanged ? from : sends ? i : call->rank;
    size_t bytes = call->bytes;
    if (call->operation->length)
        bytes = call->operation->length(call->request, call->ranks, from, to, call->bytes);
    return (struct block){bytes, exchanged ? (uint64_t)from * (uint64_t)call->ranks + (uint64_t)to : (uint64_t)from};
}

static bool open_side(const struct bench_call *call, struct bench_side *side, bool sends, int blocks)
{
    const struct bench_blocks *s = call->state;
    size_t element = s->layout.stride > s->layout.element ? s->layout.element : 1, total = 0;
    side->blocks = blocks;
    side->count = topo_calloc((size_t)blocks, 2 * sizeof *side->count);
    side->at = topo_calloc((size_t)blocks, sizeof *side->at);
    if (!side->count || !side->at)
        return false;
    side->place = side->count + blocks;
    for (int i = 0; i < blocks; i++) {
        size_t bytes = block_of(call, sends, i).bytes;
        if (call->operation->length && (total > INT_MAX || bytes > INT_MAX))
            return false;
        side->count[i] = (int)(bytes / element);
        side->place[i] = (int)total;
        side->at[i] = side->span;
        side->span += bench_layout_span(&s->layout, bytes);
        total += bytes / element;
    }
    side->memory = topo_alloc(side->span, 1);
    return side->memory;
}

bool bench_blocks_open(struct bench_call *call)
{
    enum bench_blocks_form form = call->operation->blocks;
    struct bench_blocks *s = call->state = topo_calloc(1, sizeof *s);
    if (!s)
        return false;
    s->layout = bench_layout_of(call->operation->length ? 8 : call->bytes, call->request->gaps);
    s->type = bench_element_type(&s->layout);
    int all = call->ranks, roots = call->rank == 0 ? all : 0;
    const struct {
        int sent, received;
    } blocks[] = {[BENCH_BLOCK_OF_ROOT] = {0, 1},
                  [BENCH_BLOCKS_OF_ALL] = {1, all},
                  [BENCH_BLOCKS_EXCHANGED] = {all, all},
                  [BENCH_BLOCKS_TO_ROOT] = {1, roots},
                  [BENCH_BLOCKS_FROM_ROOT] = {roots, 1}};
    return open_side(call, &s->send, true, blocks[form].sent) &&
           open_side(call, &s->receive, false, blocks[form].received);
}

static void close_side(struct bench_side *side)
{
    topo_free_all(side->count, side->at, side->memory);
}

void bench_blocks_close(struct bench_call *call)
{
    struct bench_blocks *s = call->state;
    if (!s)
        return;
    bench_element_free(&s->type);
    close_side(&s->send);
    close_side(&s->receive);
    topo_free(s);
    call->state = NULL;
}

static void write_side(struct bench_call *call, const struct bench_side *side, bool sends)
{
    const struct bench_blocks *s = call->state;
    for (int i = 0; i < side->blocks; i++) {
        struct block block = block_of(call, sends, i);
        bench_pattern_write(&s->layout, side->memory + side->at[i], block.bytes, block.number, call->round);
    }
}

void bench_blocks_fill(struct bench_call *call)
{
    struct bench_blocks *s = call->state;
    bench_pattern_spoil(s->send.memory, s->send.span);
    bench_pattern_spoil(s->receive.memory, s->receive.span);
    write_side(call, &s->send, true);
    /* What the root sends lies in the same place as what the others receive. */
    if (call->operation->blocks == BENCH_BLOCK_OF_ROOT && call->rank == 0)
        write_side(call, &s->receive, false);
}

size_t bench_blocks_wrong(const struct bench_call *call)
{
    const struct bench_blocks *s = call->state;
    size_t bytes = 0;
    for (int i = 0; i < s->receive.blocks; i++) {
        struct block block = block_of(call, false, i);
        bytes += bench_pattern_wrong(&s->layout, s->receive.memory + s->receive.at[i], block.bytes, block.number,
                                     call->round);
    }
    return bytes;
}
