/* Records byte for byte as topompi-trace(5) has them. */
#include "unit.h"

#include <string.h>

#include "trace/write.h"

static unsigned char buffer[512];

static bool no_more(struct topo_trace_writer *writer, size_t bytes)
{
    (void)writer;
    (void)bytes;
    return false;
}

static struct topo_trace_writer fresh(size_t room)
{
    memset(buffer, 0, sizeof buffer);
    return (struct topo_trace_writer){.reserve = no_more, .window = buffer, .room = room};
}

static void holds(const struct topo_trace_writer *writer, const char *bytes, size_t length, const char *what)
{
    ck_assert_msg(writer->written == length && !memcmp(buffer, bytes, length) && !buffer[length], "%s: %d bytes", what,
                  (int)writer->written);
}
#define HOLDS(bytes, what) holds(&writer, bytes, sizeof(bytes) - 1, what)

START_TEST(records)
{
    static const int world[] = {4, 6, 8, 3};
    static const uint64_t entries[] = {1, 300};
    static const struct topo_trace_peer peer = {5, 2, 128};
    struct topo_trace_job job = {.id = 300,
                                 .rank = 1,
                                 .ranks = 4,
                                 .host = "h",
                                 .program = "",
                                 .version = "v",
                                 .cpus = 2,
                                 .started = -1,
                                 .to_rank0 = 1,
                                 .clock = 7};
    struct topo_trace_writer writer = fresh(sizeof buffer);
    topo_trace_write_magic(&writer);
    HOLDS("TOPOTRC1", "the magic");
    writer = fresh(sizeof buffer);
    topo_trace_write_job(&writer, &job);
    HOLDS("J\015\xac\2\4\1\1h\0\1v\2\1\2\7", "id, ranks, rank, three texts, CPUs, two signed numbers, clock");
    writer = fresh(sizeof buffer);
    topo_trace_write_string(&writer, 1, "ab");
    HOLDS("S\4\1\2ab", "a string");
    writer = fresh(sizeof buffer);
    topo_trace_write_group(&writer, 2, 3, world, 4);
    HOLDS("G\011\2\4\3\4\4\3\3\0\1", "4, 6, 8 are a run of step 2, 3 one of its own");
    writer = fresh(sizeof buffer);
    topo_trace_write_vector(&writer, 1, entries, 2);
    HOLDS("V\5\1\2\1\xac\2", "a vector");
    writer = fresh(sizeof buffer);
    topo_trace_write_begin(&writer, (struct topo_trace_gap){3, 2}, 1, 0, 9);
    HOLDS("B\5\3\2\1\0\11", "an interval begins");
    writer = fresh(sizeof buffer);
    topo_trace_write_end(&writer, (struct topo_trace_gap){128, 0});
    HOLDS("E\3\x80\1\0", "and ends");
    writer = fresh(sizeof buffer);
    topo_trace_write_p2p(&writer, 3, 4, &peer, 1);
    HOLDS("P\7\3\4\1\5\2\x80\1", "messages");
    writer = fresh(sizeof buffer);
    topo_trace_write_collective(
        &writer,
        &(struct topo_trace_collective){
            .gap = {1, 1}, .op = 9, .algorithm = 2, .group = 1, .root = 0, .bytes = 8, .vector = 0, .nanoseconds = 5});
    HOLDS("C\011\1\1\11\2\1\0\10\0\5", "a collective");
    writer = fresh(sizeof buffer);
    topo_trace_write_finish(&writer, (struct topo_trace_gap){0, 0});
    HOLDS("F\2\0\0", "the end");
}
END_TEST

/* What finds no room is counted, and nothing of it is in the file; `L` says how many. */
START_TEST(full)
{
    struct topo_trace_gap gap = {1, 1};
    for (size_t room = 0; room < 4; room++) {
        struct topo_trace_writer writer = fresh(room);
        topo_trace_write_end(&writer, gap);
        ck_assert(writer.dropped == 1 && writer.written == 0);
        for (size_t i = 0; i < sizeof buffer; i++)
            ck_assert_msg(buffer[i] == 0, "room for %zu bytes: byte %zu is not written", room, i);
        writer.room = sizeof buffer;
        topo_trace_write_lost(&writer);
        HOLDS("L\1\1", "how many are lost");
    }
}
END_TEST

UNIT_MAIN("write", {records}, {full})
