#include "graphs.h"

#include <dlfcn.h>
#include <string.h>

#include "renumber/metis.h"

/* Before it is loaded, and after: the file itself. Each test is a process of its own. */
START_TEST(metis_says_its_version)
{
    struct topo_text before = {0}, after = {0};
    char file[400] = "";
    int major = 0, minor = 0, last = 0;
    topo_metis_about(&before);
    ck_assert_msg(strstr(before.text, "METIS 5.") == before.text && strstr(before.text, " (not loaded)"), "%s",
                  before.text);
    ck_assert(topo_metis_state(NULL) != TOPO_METIS_MISSING);
    topo_metis_about(&after);
    ck_assert_msg(sscanf(after.text, "METIS %d.%d.%d (/%399[^)])", &major, &minor, &last, file) == 4 &&
                      strstr(file, "libmetis"),
                  "%s", after.text);
    topo_text_free(&before);
    topo_text_free(&after);
}
END_TEST

START_TEST(other_ways_to_metis)
{
    static const enum topo_metis_state ways[] = {TOPO_METIS_OWN, TOPO_METIS_LOCAL, TOPO_METIS_MISSING};
    struct topo_graph *graph = build(TOPO_GRAPH_BRUCK, 100);
    int *sizes = even_sizes(100, 10), part[100], first[100];
    struct topo_error error;
    const char *why = NULL;
    for (int i = 0; i < 3; i++) {
        topo_metis_allow(ways[i]);
        if (ways[i] == TOPO_METIS_LOCAL && dlsym(RTLD_DEFAULT, "__asan_init"))
            continue; /* a sanitizer rules this way out */
        ck_assert_msg(topo_metis_state(&why) == ways[i], "METIS is there in way %d: %s", ways[i], why);
        enum topo_status status = topo_metis_partition(graph, 10, sizes, -1, part, &error);
        ck_assert_msg(status == (ways[i] == TOPO_METIS_MISSING ? TOPO_UNSUPPORTED : TOPO_OK), "way %d: %s", ways[i],
                      error.text);
        if (i == 0)
            memcpy(first, part, sizeof part);
        else if (status == TOPO_OK)
            ck_assert_msg(!memcmp(first, part, sizeof part), "both ways give the same partition");
    }
    topo_metis_allow(TOPO_METIS_OWN);
    topo_free(sizes);
    topo_graph_free(graph);
}
END_TEST

/* METIS draws from rand(): the application's sequence goes on as if nobody had. */
START_TEST(the_seed_decides)
{
    struct topo_graph *graph = build(TOPO_GRAPH_BRUCK, 60);
    int *sizes = even_sizes(60, 6), first[60], part[60], others = 0;
    for (int seed = -1; seed < 8; seed++) {
        srand(4711);
        int expected = rand();
        srand(4711);
        ck_assert_int_eq(topo_metis_partition(graph, 6, sizes, seed, part, NULL), TOPO_OK);
        ck_assert_int_eq(rand(), expected);
        for (int v = 0; v < 60; v++)
            ck_assert(part[v] >= 0 && part[v] < 6);
        memcpy(first, part, sizeof part);
        ck_assert_int_eq(topo_metis_partition(graph, 6, sizes, seed, part, NULL), TOPO_OK);
        ck_assert_msg(!memcmp(first, part, sizeof part), "seed %d: the same again", seed);
        ck_assert_int_eq(topo_metis_partition(graph, 6, sizes, seed + 1, part, NULL), TOPO_OK);
        others += memcmp(first, part, sizeof part) != 0;
    }
    ck_assert_msg(others > 0, "another seed, another partition");
    topo_free(sizes);
    topo_graph_free(graph);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_graph *graph = build(TOPO_GRAPH_BRUCK, 30);
    int *sizes = even_sizes(30, 3), part[30];
    topo_metis_state(NULL);
    UNIT_OUT_OF_MEMORY(topo_metis_partition(graph, 3, sizes, -1, part, NULL));
    topo_free(sizes);
    topo_graph_free(graph);
}
END_TEST

UNIT_MAIN("metis", {metis_says_its_version}, {other_ways_to_metis}, {the_seed_decides}, {out_of_memory})
