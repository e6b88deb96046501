/* How pipelines cut vectors. */
#include "unit.h"

#include "patterns/limits.h"
#include "patterns/pipeline.h"

static size_t bytes_of(const struct topo_pipeline *pipeline, size_t number)
{
    size_t end = number + 1 < pipeline->segments ? topo_pipeline_offset(pipeline, number + 1) : pipeline->bytes;
    return end - topo_pipeline_offset(pipeline, number);
}

/* Segments follow one another, none is empty or longer than it may be, and only the first ones and the last are
 * shorter; as many as are received at a time, with a window of them, fit into the slots of a node. */
START_TEST(whole)
{
    for (size_t bytes = 1; bytes < (size_t)1 << 40; bytes = bytes * 5 / 2 + 1)
        for (int nodes = 0; nodes < 2000; nodes = nodes * 3 + 2)
            for (int shared = 0; shared < 2; shared++) {
                struct topo_pipeline pipeline = topo_pipeline_of(bytes, nodes, shared, 0);
                size_t count = pipeline.segments, at = 0;
                ck_assert(count > 0 && pipeline.segment <= TOPO_SEGMENT_BYTES);
                ck_assert(pipeline.ahead >= 2 && pipeline.ahead <= TOPO_PIPELINE_AHEAD_MOST);
                for (size_t i = 0; i < count; i += i < 20 || i + 20 > count ? 1 : (count - i) / 2) {
                    at = topo_pipeline_offset(&pipeline, i);
                    size_t length = bytes_of(&pipeline, i);
                    ck_assert(length > 0 && length <= pipeline.segment);
                    ck_assert(i + 1 == count ? at + length == bytes
                                             : at + length == topo_pipeline_offset(&pipeline, i + 1));
                    ck_assert((int)i < pipeline.lead || i + 1 == count || length == pipeline.segment);
                    at += length;
                }
                ck_assert(at == bytes);
            }
}
END_TEST

/* As long as is asked for, whoever shares processors. */
START_TEST(given)
{
    for (int shared = 0; shared < 2; shared++)
        for (size_t segment = 4096; segment <= TOPO_SEGMENT_BYTES; segment += 1000) {
            struct topo_pipeline pipeline = topo_pipeline_of(1 << 20, 6, shared, segment);
            ck_assert_uint_eq(pipeline.segment, segment);
            ck_assert(pipeline.ahead >= 2 && pipeline.ahead <= TOPO_PIPELINE_AHEAD_MOST);
            size_t at = 0;
            for (size_t i = 0; i < pipeline.segments; i++) {
                ck_assert_uint_eq(topo_pipeline_offset(&pipeline, i), at);
                at += bytes_of(&pipeline, i);
                ck_assert(bytes_of(&pipeline, i) <= segment);
            }
            ck_assert_uint_eq(at, 1 << 20);
        }
}
END_TEST

/* Each of the first ones is longer than the one before by the same share. */
START_TEST(lead)
{
    struct topo_pipeline pipeline = topo_pipeline_of(65536, 62, false, 0);
    ck_assert_uint_eq(pipeline.segment, 4096);
    ck_assert_int_eq(pipeline.ahead, 5);
    ck_assert_int_eq(pipeline.lead, 4);
    for (size_t i = 0; i < 4; i++)
        ck_assert_uint_eq(bytes_of(&pipeline, i), 4096 * (i + 1) / 5 / 64 * 64);
    ck_assert_int_eq(topo_pipeline_of(4096, 62, false, 0).segments, 1);
    ck_assert_int_eq(topo_pipeline_of(65536, 0, false, 0).lead, 0);
    ck_assert_int_eq(topo_pipeline_of(65536, 62, true, 0).lead, 0);
    ck_assert_uint_eq(topo_pipeline_of(65536, 62, true, 0).segment, 32768);
}
END_TEST

/* Short where a chain is deep and the vector is not long; longer where latencies count. */
START_TEST(lengths)
{
    ck_assert_uint_eq(topo_pipeline_segment(262144, 0, TOPO_OVERHEAD_OF_PIPELINES, 32768), 32768);
    ck_assert_uint_eq(topo_pipeline_segment(32768, 6, TOPO_OVERHEAD_OF_PIPELINES, 32768), 4096);
    ck_assert_uint_eq(topo_pipeline_segment(262144, 6, TOPO_OVERHEAD_OF_PIPELINES, 32768), 8192);
    ck_assert_uint_eq(topo_pipeline_segment(2097152, 6, TOPO_OVERHEAD_OF_PIPELINES, 32768), 16384);
    ck_assert_uint_eq(topo_pipeline_segment(16777216, 6, TOPO_OVERHEAD_OF_PIPELINES, 32768), 32768);
    ck_assert_uint_eq(topo_pipeline_segment(16777216, 6, TOPO_OVERHEAD_OF_PIPELINES, 262144), 65536);
    ck_assert_uint_eq(topo_pipeline_segment(16777216, 62, TOPO_OVERHEAD_OF_PIPELINES, 262144), 16384);
    ck_assert_uint_eq(topo_pipeline_segment(262144, 3, TOPO_LATENCY_OF_PIPELINES, 32768), 32768);
    ck_assert_uint_eq(topo_pipeline_segment(32768, 3, TOPO_LATENCY_OF_PIPELINES, 32768), 8192);
    ck_assert_uint_eq(topo_pipeline_segment(1, 6, TOPO_OVERHEAD_OF_PIPELINES, 100), 100);
    ck_assert_uint_eq(topo_pipeline_segment(SIZE_MAX, 1, TOPO_OVERHEAD_OF_PIPELINES, 98304), 65536);
}
END_TEST

UNIT_MAIN("pipeline", {whole}, {given}, {lead}, {lengths})
