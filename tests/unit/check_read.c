/* Traces: what is written is read, cut and damaged files are told of and kept up to there. */
#include "unit.h"

#include <malloc.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "trace/read.h"
#include "trace/write.h"
#include "damage.h"

static unsigned char buffer[1 << 16];
static struct topo_trace_writer writer;
static struct topo_trace_rank rank;
static struct topo_notes notes;

static bool no_more(struct topo_trace_writer *one, size_t bytes)
{
    (void)one;
    (void)bytes;
    return false;
}

static int own_place; /* in the group of the sample; other than its rank's: nonsense */

static void write_sample(int own, int ranks)
{
    static const int world[] = {0, 1, 2, 3, 7, 6, 3};
    static const uint64_t bytes[] = {0, 1, 300, UINT64_MAX};
    struct topo_trace_job job = {.id = 77,
                                 .rank = own,
                                 .ranks = ranks,
                                 .host = "node1",
                                 .program = "p",
                                 .version = "0",
                                 .cpus = 2,
                                 .started = -5,
                                 .to_rank0 = -123456789,
                                 .clock = 99};
    struct topo_trace_peer peer = {1, 3, 4096};
    memset(buffer, 0, sizeof buffer);
    writer = (struct topo_trace_writer){.reserve = no_more, .window = buffer, .room = sizeof buffer};
    topo_trace_write_magic(&writer);
    topo_trace_write_job(&writer, &job);
    topo_trace_write_string(&writer, 1, "solve");
    topo_trace_write_string(&writer, 2, "a.c");
    topo_trace_write_group(&writer, 1, own_place ? own_place : own == 6 ? 5 : own, world, 7);
    topo_trace_write_vector(&writer, 1, bytes, 4);
    topo_trace_write_begin(&writer, (struct topo_trace_gap){1000, 900}, 1, 2, 42);
    topo_trace_write_p2p(&writer, 5, 600, &peer, 1);
    topo_trace_write_p2p(&writer, 1, 50, &peer, 1);
    topo_trace_write_collective(&writer, &(struct topo_trace_collective){.gap = {2000, 2000},
                                                                         .op = TOPO_TRACE_OP_ALLTOALLV,
                                                                         .algorithm = 1,
                                                                         .group = 1,
                                                                         .root = 6,
                                                                         .bytes = 8,
                                                                         .vector = 1,
                                                                         .nanoseconds = 123456});
    topo_trace_write_end(&writer, (struct topo_trace_gap){3000, 1});
    topo_trace_write_finish(&writer, (struct topo_trace_gap){4000, 2});
}

static enum topo_status parse(size_t length)
{
    topo_trace_rank_free(&rank);
    topo_notes_free(&notes);
    return topo_trace_parse(buffer, length, "t", &rank, &notes);
}

START_TEST(what_is_written_is_read)
{
    write_sample(1, 8);
    ck_assert_msg(parse(sizeof buffer) == TOPO_OK, "zeros behind the last record: %s",
                  notes.kept ? notes.list[0].text : "");
    ck_assert(parse(writer.written) == TOPO_OK);
    ck_assert_str_eq(rank.job.host, "node1");
    ck_assert(rank.job.id == 77 && rank.job.to_rank0 == -123456789 && rank.job.started == -5 && rank.job.ranks == 8);
    ck_assert_uint_eq(rank.count, 3);
    ck_assert_str_eq(rank.events[0].name, "solve");
    ck_assert_str_eq(rank.events[0].file, "a.c");
    ck_assert(rank.events[0].line == 42 && rank.events[0].call.gap.cpu == 900);
    const struct topo_trace_event *event = &rank.events[1];
    ck_assert(event->kind == TOPO_TRACE_EVENT_COLLECTIVE && event->call.nanoseconds == 123456);
    ck_assert_msg(event->traffic.calls == 6 && event->traffic.nanoseconds == 650 && event->traffic.count == 2,
                  "two records of messages in front of one event are one");
    const struct topo_trace_group *group = topo_trace_group(&rank, event->call.group);
    ck_assert(group && group->count == 7 && group->own == 1 && group->world[3] == 3 && group->world[4] == 7 &&
              group->world[6] == 3);
    const struct topo_trace_vector *vector = topo_trace_vector(&rank, event->call.vector);
    ck_assert(vector && vector->count == 4 && vector->bytes[3] == UINT64_MAX);
    ck_assert(rank.finished && rank.tail.wall == 4000);
}
END_TEST

START_TEST(cut_anywhere)
{
    write_sample(1, 8);
    size_t all = writer.written;
    for (size_t length = 0; length < all; length++) {
        enum topo_status status = parse(length);
        ck_assert_msg(!rank.finished, "%zu of %zu bytes are not the whole", length, all);
        ck_assert_msg(status == TOPO_OK || notes.errors > 0, "an error is told");
    }
    ck_assert_msg(rank.count == 3, "all events but the end are kept when the last byte is missing");
}
END_TEST

START_TEST(damaged_files)
{
    write_sample(1, 8);
    damage_seed(7);
    for (int round = 0; round < 20000; round++) {
        size_t length = writer.written;
        char *copy = damaged((const char *)buffer, &length);
        topo_trace_rank_free(&rank);
        topo_notes_free(&notes);
        enum topo_status status = topo_trace_parse(copy, length, "t", &rank, &notes);
        ck_assert(status == TOPO_OK || (status == TOPO_PARSE && notes.errors && strstr(notes.list[0].text, "t:")));
        topo_free(copy);
    }
    own_place = 2;
    write_sample(1, 8);
    own_place = 0;
    ck_assert(parse(writer.written) == TOPO_PARSE);
    ck_assert_msg(strstr(notes.list[0].text, "a group without the rank itself"), "%s", notes.list[0].text);
    strcpy((char *)buffer, "ELF");
    ck_assert(parse(100) == TOPO_PARSE);
    ck_assert(strstr(notes.list[0].text, "no TopoMPI trace"));
}
END_TEST

/* A program that sends and receives alone: one record a flush, all of them in front of the end. What they say is kept
 * in memory in proportion to the file; a copy for each record would take 19 GB. */
START_TEST(many_records_of_messages)
{
    enum { RECORDS = 40000, MEMORY_MAX = 16 << 20 };
    static unsigned char large[RECORDS * 16];
    struct topo_trace_peer peer = {.rank = 3, .messages = 2, .bytes = 100};
    size_t bytes = 0;
    struct topo_trace_job job = {.id = 1, .rank = 1, .ranks = 8, .host = "h", .program = "p", .version = "0"};
    writer = (struct topo_trace_writer){.reserve = no_more, .window = large, .room = sizeof large};
    topo_trace_write_magic(&writer);
    topo_trace_write_job(&writer, &job);
    for (int i = 0; i < RECORDS; i++)
        topo_trace_write_p2p(&writer, 1, 10, &peer, 1);
    topo_trace_write_finish(&writer, (struct topo_trace_gap){1, 1});
    ck_assert_int_eq(writer.dropped, 0);
    topo_trace_rank_free(&rank);
    topo_notes_free(&notes);
    struct mallinfo2 before = mallinfo2();
    ck_assert_int_eq(topo_trace_parse(large, writer.written, "t", &rank, &notes), TOPO_OK);
    struct mallinfo2 after = mallinfo2();
    bytes = after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
    ck_assert_msg(bytes < MEMORY_MAX, "%zu bytes for %zu of the file", bytes, (size_t)writer.written);
    ck_assert_int_eq(rank.tail_traffic.count, RECORDS);
    ck_assert_uint_eq(rank.tail_traffic.calls, RECORDS);
    for (int i = 0; i < RECORDS; i++)
        ck_assert(rank.tail_traffic.peers[i].rank == 3 && rank.tail_traffic.peers[i].bytes == 100);
}
END_TEST

static void write_file(const char *folder, int number)
{
    char path[100];
    snprintf(path, sizeof path, "%s/" TOPO_TRACE_FILE, folder, number);
    FILE *file = fopen(path, "wb");
    ck_assert(file && fwrite(buffer, 1, writer.written, file) == writer.written);
    fclose(file);
}

/* A file of another rank and another, smaller run under the lowest name: it says nothing of how many ranks there are.
 */
START_TEST(a_file_under_anothers_name)
{
    char folder[] = "/tmp/check_trace.XXXXXX", path[100];
    struct topo_trace_run run;
    ck_assert(mkdtemp(folder));
    write_sample(0, 1);
    write_file(folder, 1);
    write_sample(6, 8);
    write_file(folder, 6);
    topo_notes_free(&notes);
    ck_assert(topo_trace_read(folder, &run, NULL, &notes) == TOPO_PARSE);
    const char *last = notes.list[notes.kept - 2].text; /* behind what is wrong in the file, before the ranks missing */
    ck_assert_msg(strstr(last, "000001.topotrace: it is rank 0's"), "%s", last);
    ck_assert(run.ranks == 8 && run.missing == 7 && run.rank[6].path);
    topo_trace_run_free(&run);
    for (int r = 1; r < 8; r += 5) {
        snprintf(path, sizeof path, "%s/" TOPO_TRACE_FILE, folder, r);
        unlink(path);
    }
    rmdir(folder);
}
END_TEST

START_TEST(a_run)
{
    char folder[] = "/tmp/check_trace.XXXXXX", path[100];
    struct topo_trace_run run;
    ck_assert(mkdtemp(folder));
    topo_notes_free(&notes);
    ck_assert(topo_trace_read(folder, &run, NULL, &notes) == TOPO_IO && !run.rank);
    for (int r = 1; r < 8; r += 5) {
        write_sample(r, 8);
        write_file(folder, r);
    }
    topo_notes_free(&notes);
    ck_assert(topo_trace_read(folder, &run, NULL, &notes) == TOPO_PARSE);
    ck_assert(run.ranks == 8 && run.missing == 6 && run.rank[1].path && run.rank[6].path && !run.rank[0].path);
    ck_assert_msg(strstr(notes.list[0].text, "6 of 8 ranks are missing, the first is 0"), "%s", notes.list[0].text);
    topo_trace_run_free(&run);
    for (int r = 1; r < 8; r += 5) {
        snprintf(path, sizeof path, "%s/" TOPO_TRACE_FILE, folder, r);
        unlink(path);
    }
    rmdir(folder);
}
END_TEST

UNIT_MAIN("read", {what_is_written_is_read}, {cut_anywhere}, {damaged_files}, {many_records_of_messages},
          {a_file_under_anothers_name}, {a_run})
