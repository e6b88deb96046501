#include "patterns/pipeline.h"

#include "patterns/limits.h"

enum { LEAST = 4 << 10, UNIT = 64 };

size_t topo_pipeline_segment(size_t bytes, int nodes, size_t overhead, size_t most)
{
    size_t segment = LEAST;
    while (2 * segment <= most &&
           (nodes <= 0 || 2 * segment * (2 * segment / 1024) / (overhead / 1024) <= bytes / (size_t)nodes))
        segment *= 2;
    return segment < most ? segment : most;
}

struct topo_pipeline topo_pipeline_of(size_t bytes, int nodes, bool oversubscribed, size_t given)
{
    size_t most = TOPO_SEGMENT_BYTES,
           segment = given            ? given
                     : oversubscribed ? most
                                      : topo_pipeline_segment(bytes, nodes, TOPO_OVERHEAD_OF_PIPELINES, most);
    int ahead = TOPO_LATENCY_OF_PIPELINES / segment + 1 > 2 ? (int)(TOPO_LATENCY_OF_PIPELINES / segment) + 1 : 2;
    bool leads = nodes > 0 && !oversubscribed && bytes > segment;
    struct topo_pipeline pipeline = topo_pipeline_cut(bytes, segment, leads ? ahead - 1 : 0, UNIT);
    pipeline.ahead = ahead;
    return pipeline;
}

struct topo_pipeline topo_pipeline_cut(size_t bytes, size_t segment, int lead, size_t unit)
{
    struct topo_pipeline pipeline = {.bytes = bytes, .segment = segment, .lead = lead, .unit = unit};
    size_t number = 0, offset = 0;
    if (segment / unit <= (size_t)lead)
        pipeline.lead = 0;
    for (; (int)number < pipeline.lead && offset < bytes; number++)
        offset = topo_pipeline_offset(&pipeline, number + 1);
    pipeline.segments = number + (offset < bytes ? (bytes - offset - 1) / segment + 1 : 0);
    return pipeline;
}

size_t topo_pipeline_offset(const struct topo_pipeline *pipeline, size_t number)
{
    size_t lead = (size_t)pipeline->lead, offset = 0;
    for (size_t i = 0; i < lead && i < number; i++)
        offset += pipeline->segment * (i + 1) / (lead + 1) / pipeline->unit * pipeline->unit;
    return offset + (number > lead ? number - lead : 0) * pipeline->segment;
}
