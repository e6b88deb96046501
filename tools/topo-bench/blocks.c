#include "topo-bench/blocks.h"

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

size_t bench_blocks_fit(const struct bench_request *request, size_t bytes)
{
    (void)request;
    return bytes;
}

void bench_blocks_describe(const struct bench_request *request, struct topo_text *out)
{
    topo_text_add(out, request->gaps ? "elements with gaps" : "contiguous");
}

bool bench_blocks_open(struct bench_call *call, int sent, int received)
{
    struct bench_blocks *s = call->state = topo_calloc(1, sizeof *s);
    if (!s)
        return false;
    s->layout = bench_layout_of(call->bytes, call->request->gaps);
    s->type = bench_element_type(&s->layout);
    s->count = (int)(call->request->gaps ? call->bytes / s->layout.element : call->bytes);
    s->sent = sent;
    s->received = received;
    s->span = bench_layout_span(&s->layout, call->bytes);
    s->send = topo_alloc((size_t)sent, s->span);
    s->receive = topo_alloc((size_t)received, s->span);
    return s->receive && (s->send || sent == 0);
}

void bench_blocks_close(struct bench_call *call)
{
    struct bench_blocks *s = call->state;
    if (!s)
        return;
    bench_element_free(&s->type);
    topo_free(s->send);
    topo_free(s->receive);
    topo_free(s);
    call->state = NULL;
}

void bench_blocks_fill(struct bench_call *call, uint64_t first)
{
    struct bench_blocks *s = call->state;
    bench_pattern_spoil(s->send, s->span * (size_t)s->sent);
    for (int i = 0; i < s->sent; i++)
        bench_pattern_write(&s->layout, s->send + (size_t)i * s->span, call->bytes, first + (uint64_t)i, call->round);
    bench_pattern_spoil(s->receive, s->span * (size_t)s->received);
}

size_t bench_blocks_wrong(const struct bench_call *call, uint64_t first, uint64_t step)
{
    const struct bench_blocks *s = call->state;
    size_t bytes = 0;
    for (int i = 0; i < s->received; i++)
        bytes += bench_pattern_wrong(&s->layout, s->receive + (size_t)i * s->span, call->bytes,
                                     first + (uint64_t)i * step, call->round);
    return bytes;
}
