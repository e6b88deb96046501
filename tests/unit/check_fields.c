#include "unit.h"

#include <string.h>

#include "base/notes.h"
#include "trace/fields.h"

static struct topo_trace_rank rank = {.path = "t"};
static struct topo_notes notes;

static struct topo_trace_reader reader_of(const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    topo_notes_free(&notes);
    return (struct topo_trace_reader){.rank = &rank, .notes = &notes, .start = at, .at = at, .end = at + length};
}

/* LEB128 as its definition has it. */
static size_t encode(uint64_t value, unsigned char *bytes)
{
    size_t length = 0;
    for (; value > 127; value /= 128)
        bytes[length++] = (unsigned char)(value % 128 + 128);
    bytes[length++] = (unsigned char)value;
    return length;
}

START_TEST(integers)
{
    for (int bit = 0; bit < 64; bit++)
        for (int less = 0; less < 2; less++) {
            uint64_t value = (UINT64_C(1) << bit) - (uint64_t)less, got;
            unsigned char bytes[16];
            size_t length = encode(value, bytes);
            struct topo_trace_reader reader = reader_of(bytes, length);
            ck_assert(topo_trace_get(&reader, &got) && got == value && reader.at == reader.end);
            for (size_t cut = 0; cut < length; cut++) {
                reader = reader_of(bytes, cut);
                ck_assert(!topo_trace_get(&reader, &got) && reader.bad && notes.errors == 1);
            }
            reader = reader_of(bytes, length);
            ck_assert(topo_trace_get_up_to(&reader, value, &got));
            reader = reader_of(bytes, length);
            ck_assert(!value || (!topo_trace_get_up_to(&reader, value - 1, &got) && reader.bad));
            int64_t sign = (int64_t)value;
            ck_assert(topo_trace_unzigzag(topo_trace_zigzag(sign)) == sign &&
                      topo_trace_unzigzag(topo_trace_zigzag(-sign)) == -sign);
        }
}
END_TEST

START_TEST(too_long)
{
    static const unsigned char endless[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
    struct topo_trace_reader reader = reader_of(endless, sizeof endless);
    uint64_t value;
    ck_assert(!topo_trace_get(&reader, &value));
    ck_assert_msg(strstr(notes.list[0].text, "t: byte 10: an integer of more than 64 bits"), "%s", notes.list[0].text);
}
END_TEST

START_TEST(texts)
{
    const char *text = NULL;
    struct topo_trace_reader reader = reader_of("\3abcd", 5);
    ck_assert(topo_trace_get_text(&reader, &text) && !strcmp(text, "abc") && *reader.at == 'd');
    reader = reader_of("\4abc", 4);
    ck_assert(!topo_trace_get_text(&reader, &text));
    ck_assert(strstr(notes.list[0].text, "a text longer than its record"));
    rank.path = topo_strdup("t");
    topo_trace_rank_free(&rank);
}
END_TEST

START_TEST(numbers_of_definitions)
{
    struct topo_trace_reader reader = reader_of("\1\2\2", 3);
    ck_assert(topo_trace_get_new_id(&reader, 0) && topo_trace_get_new_id(&reader, 1));
    ck_assert(!topo_trace_get_new_id(&reader, 2) && strstr(notes.list[0].text, "definitions out of order"));
}
END_TEST

START_TEST(arrays_grow)
{
    struct topo_trace_reader reader = reader_of("", 0);
    int *array = NULL;
    for (int count = 0; count < 1000; count++) {
        array = topo_trace_grow(&reader, array, count, sizeof *array);
        array[count] = count;
    }
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(array[i], i);
    topo_memory_fail_after(0);
    ck_assert_msg(topo_trace_grow(&reader, array, 999, sizeof *array) == array && !reader.out_of_memory, "has room");
    ck_assert_msg(topo_trace_grow(&reader, array, 1024, sizeof *array) == array && reader.out_of_memory, "stays");
    reader.out_of_memory = false;
    ck_assert(!topo_trace_keep(&reader, 1, 1) && reader.out_of_memory);
    topo_memory_fail_after(-1);
    reader.out_of_memory = false;
    ck_assert_msg(!topo_trace_keep(&reader, SIZE_MAX / 2, 4) && reader.out_of_memory, "a product that overflows");
    topo_free(array);
}
END_TEST

UNIT_MAIN("fields", {integers}, {too_long}, {texts}, {numbers_of_definitions}, {arrays_grow})
