#include "unit.h"

#include <string.h>
#include <unistd.h>

#include "machine/switches.h"

enum { HOSTS_MAX = 8 };

static struct topo_place places[HOSTS_MAX];
static int host_of[HOSTS_MAX], first_rank[HOSTS_MAX];
static struct topo_hosts hosts;
static struct topo_error error;

/* One rank for each word "host" or "host=address". */
static void put(const char *list)
{
    static char words[512];
    char *rest = NULL;
    topo_names_free(&hosts.names);
    hosts = (struct topo_hosts){.places = places, .host = host_of, .first_rank = first_rank};
    strcpy(words, list);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *address = strchr(word, '=');
        int rank = hosts.ranks++, before = hosts.names.count;
        if (address)
            *address++ = '\0';
        places[rank] = (struct topo_place){word, address ? address : "", .package = -1};
        host_of[rank] = topo_names_add(&hosts.names, word, strlen(word));
        if (host_of[rank] == before)
            first_rank[before] = rank;
    }
}

/* How many outer levels two hosts share, as topo_tree_new() would see it. */
static int shared(const struct topo_switches *switches, int a, int b)
{
    int level = 0;
    while (level < switches->depth &&
           switches->ids[a * switches->depth + level] == switches->ids[b * switches->depth + level])
        level++;
    return level;
}

START_TEST(addresses)
{
    struct topo_switches switches;
    put("n0=r.a.n0 n1=r.a.n1 n1=r.a.n1 n2=r.b.n2 n3=r.n3 n4=q.a.n4");
    ck_assert_msg(topo_switches_from_addresses(&hosts, &switches, &error) == TOPO_OK, "%s", error.text);
    ck_assert(switches.depth == 2 && !switches.node);
    ck_assert_int_eq(shared(&switches, 0, 1), 2);
    ck_assert_int_eq(shared(&switches, 0, 2), 1);
    ck_assert_msg(shared(&switches, 0, 3) == 1, "n3 hangs at r itself");
    ck_assert_msg(shared(&switches, 0, 4) == 0, "a below q is another switch than a below r");
    topo_switches_free(&switches);
    put("n0=s.n0 n1=s.s.n1");
    ck_assert_int_eq(topo_switches_from_addresses(&hosts, &switches, &error), TOPO_OK);
    ck_assert_msg(shared(&switches, 0, 1) == 1, "a switch below it that bears its name stays apart");
    topo_switches_free(&switches);
}
END_TEST

START_TEST(addresses_that_say_nothing)
{
    static const char *const cases[][2] = {
        {"n0=s.n0 n1", "SLURM_TOPOLOGY_ADDR is not set on host n1 (rank 1)"},
        {"n0=s.n0 n0=t.n0", "SLURM_TOPOLOGY_ADDR differs between ranks 0 and 1 of host n0"},
        {"n0=s.n n1=s.n", "SLURM_TOPOLOGY_ADDR=s.n is set on several hosts"},
        {"n0=n0 n1=n1", "SLURM_TOPOLOGY_ADDR names no switches"},
        {"n0=1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17.n0", "more than"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topo_switches switches;
        put(cases[i][0]);
        ck_assert_int_eq(topo_switches_from_addresses(&hosts, &switches, &error), TOPO_UNSUPPORTED);
        ck_assert_msg(strstr(error.text, cases[i][1]) && !switches.ids, "%s: %s", cases[i][0], error.text);
    }
}
END_TEST

static char path[] = "/tmp/topompi-switches-XXXXXX";

static void write_file(void)
{
    int fd = mkstemp(path);
    ck_assert_int_eq(dprintf(fd, "SwitchName=a Nodes=n[0-1],x.org,x.net\nSwitchName=b Nodes=n2.org\n"
                                 "SwitchName=r Switches=a,b\n") > 0,
                     1);
    close(fd);
}

START_TEST(from_a_file)
{
    struct topo_switches switches;
    write_file();
    put("n0 n1 n2 n2.org n0.org");
    ck_assert_msg(topo_switches_from_file(path, "V", &hosts, &switches, &error) == TOPO_OK, "%s", error.text);
    ck_assert(switches.depth == 2 && shared(&switches, 0, 1) == 2 && shared(&switches, 0, 2) == 1);
    ck_assert_msg(switches.node[2] == switches.node[3] && switches.node[0] == switches.node[4] &&
                      switches.node[0] != switches.node[1],
                  "two names of one node");
    topo_switches_free(&switches);
    put("n0 n7");
    ck_assert_int_eq(topo_switches_from_file(path, "V", &hosts, &switches, &error), TOPO_PARSE);
    ck_assert_msg(strstr(error.text, "V: host n7 (rank 1) is missing in"), "%s", error.text);
    put("x");
    ck_assert_int_eq(topo_switches_from_file(path, "V", &hosts, &switches, &error), TOPO_PARSE);
    ck_assert_msg(strstr(error.text, "V: host x (rank 0) fits several nodes of"), "%s", error.text);
    unlink(path);
    ck_assert_int_eq(topo_switches_from_file(path, "V", &hosts, &switches, &error), TOPO_IO);
    ck_assert_msg(!strncmp(error.text, "V: ", 3) && strstr(error.text, path), "%s", error.text);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_switches switches;
    put("n0=r.a.n0 n1=r.b.n1");
    UNIT_OUT_OF_MEMORY(topo_switches_from_addresses(&hosts, &switches, NULL),
                       ck_assert((status == TOPO_OK) == (switches.ids != NULL)));
    topo_switches_free(&switches);
    write_file();
    UNIT_OUT_OF_MEMORY(topo_switches_from_file(path, "V", &hosts, &switches, NULL),
                       ck_assert((status == TOPO_OK) == (switches.ids != NULL)));
    topo_switches_free(&switches);
    unlink(path);
}
END_TEST

UNIT_MAIN("switches", {addresses}, {addresses_that_say_nothing}, {from_a_file}, {out_of_memory})
