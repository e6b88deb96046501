#include "unit.h"

#include <string.h>

#include "patterns/grid.h"
#include "model/packet.h"

static struct topo_grid grid_of(const char *text)
{
    struct topo_grid grid;
    struct topo_error error = {""};
    ck_assert_msg(topo_grid_parse("TEST", text, &grid, &error) == TOPO_OK, "%s is a grid: %s", text, error.text);
    return grid;
}

START_TEST(grids_are_read)
{
    static const char *const bad[] = {"",     "x",    "4x",  "x4", "1x4",   "0",           "-2x4",
                                      "4 x4", "4x4y", "4X4", "+4", "auto4", "65536x65536", "99999999999"};
    struct topo_grid grid = grid_of("14x15");
    ck_assert_msg(grid.dims == 2 && grid.size[0] == 14 && grid.size[1] == 15 && grid.ranks == 210, "14x15");
    ck_assert(topo_grid_fits(&grid, 210) && !topo_grid_fits(&grid, 209));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct topo_error error = {""};
        ck_assert_msg(topo_grid_parse("TOPOMPI_CYCLIC_GRID", bad[i], &grid, &error) == TOPO_PARSE, "'%s' is no grid",
                      bad[i]);
        ck_assert_msg(strstr(error.text, "TOPOMPI_CYCLIC_GRID=") && strstr(error.text, "14x15"),
                      "the message names the variable and what is allowed: %s", error.text);
    }
    ck_assert(topo_grid_option("X", "auto", &grid, NULL) == TOPO_OK && grid.dims == 0);
    ck_assert(topo_grid_option("X", "automatic", &grid, NULL) == TOPO_PARSE);
}
END_TEST

START_TEST(grids_are_written)
{
    struct topo_text text = {0};
    struct topo_grid grid = grid_of("4x2x2");
    grid.kind[0] = TOPO_DIM_DIRECT;
    grid.kind[2] = TOPO_DIM_EXCHANGE;
    topo_grid_format(&grid, &text);
    ck_assert_str_eq(text.text, "4dx2x2e");
    topo_text_free(&text);
    grid = (struct topo_grid){.ranks = 1};
    topo_grid_format(&grid, &text);
    ck_assert_str_eq(text.text, "1");
    topo_text_free(&text);
}
END_TEST

START_TEST(neighbours_go_round)
{
    struct topo_grid grid = grid_of("3x4x2");
    ck_assert_msg(topo_grid_neighbour(&grid, 2, 0, 1) == 0, "dimension 1 is the innermost");
    ck_assert(topo_grid_neighbour(&grid, 0, 0, -1) == 2);
    ck_assert_msg(topo_grid_neighbour(&grid, 10, 1, 1) == 1, "(1,3,0) goes on to (1,0,0)");
    ck_assert(topo_grid_neighbour(&grid, 5, 2, 1) == 17 && topo_grid_neighbour(&grid, 17, 2, 1) == 5);
    for (int position = 0; position < grid.ranks; position++)
        for (int dim = 0; dim < grid.dims; dim++)
            for (int step = -5; step <= 5; step++) {
                int there = topo_grid_neighbour(&grid, position, dim, step);
                ck_assert_msg(topo_grid_neighbour(&grid, there, dim, -step) == position, "there and back");
                for (int other = 0; other < grid.dims; other++)
                    ck_assert_msg(other == dim || topo_grid_coordinate(&grid, there, other) ==
                                                      topo_grid_coordinate(&grid, position, other),
                                  "the other coordinates stay");
            }
}
END_TEST

/* The largest ring that TOPOMPI_CYCLIC_GRID may name. */
START_TEST(neighbours_of_a_long_ring)
{
    struct topo_grid grid;
    ck_assert_int_eq(topo_grid_parse("g", "2147483647", &grid, NULL), TOPO_OK);
    ck_assert_int_eq(topo_grid_neighbour(&grid, 2147483646, 0, 1), 0);
    ck_assert_int_eq(topo_grid_neighbour(&grid, 0, 0, 1), 1);
    ck_assert_int_eq(topo_grid_neighbour(&grid, 0, 0, -1), 2147483646);
}
END_TEST

START_TEST(blocks_cover_the_part)
{
    for (size_t count = 0; count <= 40; count++)
        for (int parts = 1; parts <= 17; parts++) {
            struct topo_block whole = {100, count};
            size_t next = 100, longest = (count + (size_t)parts - 1) / (size_t)parts;
            for (int i = 0; i < parts; i++) {
                struct topo_block block = topo_block_of(whole, parts, i);
                ck_assert_msg(block.at == next, "%zu elements in %d blocks: block %d starts where the last one ended",
                              count, parts, i);
                ck_assert_msg(block.count == longest || next + block.count == 100 + count,
                              "only the last block that is not empty may be shorter than %zu", longest);
                next += block.count;
            }
            ck_assert_msg(next == 100 + count, "%zu elements in %d blocks: all of them", count, parts);
        }
    struct topo_block block = topo_block_of((struct topo_block){0, 5}, 4, 3);
    ck_assert_msg(block.at == 5 && block.count == 0, "5 elements in 4 blocks of 2: 2, 2, 1, 0");
    block = topo_block_of((struct topo_block){0, SIZE_MAX / 2}, 3, 2);
    ck_assert_msg(block.at + block.count == SIZE_MAX / 2, "no overflow");
}
END_TEST

START_TEST(parts_are_owned_once)
{
    static const char *const grids[] = {"4x4", "16", "2x3x5", "7x2"};
    for (int g = 0; g < 4; g++)
        for (int kind = TOPO_DIM_RING; kind <= TOPO_DIM_DIRECT; kind++)
            for (size_t m = 0; m < 70; m += 3) {
                struct topo_grid grid = grid_of(grids[g]);
                int owners[70] = {0};
                for (int dim = 0; dim < grid.dims; dim++)
                    grid.kind[dim] = kind;
                for (int position = 0; position < grid.ranks; position++) {
                    struct topo_block part = topo_grid_part(&grid, position, grid.dims, (struct topo_block){0, m});
                    for (size_t i = 0; i < part.count; i++)
                        owners[part.at + i]++;
                }
                for (size_t i = 0; i < m; i++)
                    ck_assert_msg(owners[i] == 1, "%s, %zu elements: element %zu has one owner after phase 1", grids[g],
                                  m, i);
            }
}
END_TEST

START_TEST(packets)
{
    struct topo_caches caches = {32 << 10, 384 << 10, 0};
    ck_assert_msg(topo_packet_default(&caches) == 48 << 10, "an eighth of the second-level cache");
    caches.l2 = 64 << 20;
    ck_assert_msg(topo_packet_default(&caches) == 60 << 10, "at most 60 KiB");
    caches.l2 = 1;
    ck_assert_msg(topo_packet_default(&caches) == 32 << 10, "at least 32 KiB");
    caches.l2 = 0;
    ck_assert_msg(topo_packet_default(&caches) == 60 << 10, "60 KiB where hwloc knows no cache");
    ck_assert_msg(topo_packet_elements(100, 8) == 12 && topo_packet_elements(4, 8) == 1,
                  "whole elements, at least one");
    ck_assert_msg(topo_packet_elements(7, 0) == 7, "elements without bytes");
}
END_TEST

START_TEST(caches_of_this_machine)
{
    struct topo_caches caches = {1, 1, 1};
    topo_caches_read(&caches);
    ck_assert_msg(caches.l1 < 16 << 20 && caches.l2 < (size_t)1 << 30, "sizes of caches, not of memory");
    ck_assert(topo_packet_default(&caches) >= 32 << 10);
}
END_TEST

START_TEST(a_group_keeps_its_order)
{
    struct topo_rank_group group = topo_rank_group_folded(13, NULL);
    int last = -1;
    ck_assert_msg(group.extra == 5, "13 = 8 + 5");
    for (int number = 0; number < 13; number++) {
        int place = topo_rank_group_place(&group, number);
        if (place < 0) {
            ck_assert_msg(number < 10 && number % 2 == 1, "the second of a folded pair waits");
            continue;
        }
        ck_assert(place == ++last && topo_rank_group_rank(&group, place) == number);
    }
    ck_assert(last == 7);
}
END_TEST

UNIT_MAIN("grid", {grids_are_read}, {grids_are_written}, {neighbours_go_round}, {neighbours_of_a_long_ring},
          {blocks_cover_the_part}, {parts_are_owned_once}, {packets}, {caches_of_this_machine},
          {a_group_keeps_its_order})
