#include "unit.h"

#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "machine/address.h"
#include "machine/build.h"
#include "machine/slurm.h"

enum { RANKS_MAX = 64 };

static struct topo_place places[RANKS_MAX];
static struct names {
    char host[128], address[128];
} names[RANKS_MAX];
static char folder[] = "/tmp/topo-check-build-XXXXXX";
static char slurm_conf[128];
static bool in_slurm;

static const char *environment(const char *name)
{
    if (!strcmp(name, "SLURM_JOB_ID"))
        return in_slurm ? "17" : NULL;
    return !strcmp(name, "SLURM_CONF") && slurm_conf[0] ? slurm_conf : NULL;
}

/* Ranks on the hosts named, blank separated. "n0:2.1.0.5" is bound to package 2, NUMA node 1, L3 0, core 5. */
static int place_ranks(const char *hosts)
{
    int ranks = 0;
    memset(names, 0, sizeof names);
    for (int rank = 0; rank < RANKS_MAX; rank++)
        places[rank] = (struct topo_place){.host = names[rank].host, .slurm_address = names[rank].address};
    while (*hosts) {
        struct topo_place *place = &places[ranks];
        size_t length = strcspn(hosts, " "), name = strcspn(hosts, " :");
        memcpy(names[ranks++].host, hosts, name);
        place->package = place->numa = place->l3 = place->core = -1;
        if (name < length)
            sscanf(hosts + name, ":%d.%d.%d.%d", &place->package, &place->numa, &place->l3, &place->core);
        hosts += length;
        hosts += *hosts == ' ';
    }
    return ranks;
}

static void addresses(const char *list)
{
    for (int rank = 0; *list; rank++) {
        size_t length = strcspn(list, " ");
        memcpy(names[rank].address, list, length);
        list += length;
        list += *list == ' ';
    }
}

/* Writes a file into the folder; file: and Slurm's own place find it there. */
static void write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void write_topology(const char *text)
{
    write_file("topology.conf", text);
}

static struct topo_error error;

static struct topo_tree *build(const char *spec, int ranks)
{
    struct topo_tree *tree = NULL;
    strcpy(error.text, "left over");
    ck_assert_msg(topo_machine_build(spec, places, ranks, environment, &tree, &error) == TOPO_OK, "%s: %s", spec,
                  error.text);
    ck_assert_msg(topo_tree_check(tree, NULL) == TOPO_OK, "%s gives a sound tree", spec);
    return tree;
}

/* Shape as text: "switch:2 node:4 core:8 0011|0123|...": units per level, then units per rank. */
static void check_tree(const char *spec, const char *hosts, const char *expected)
{
    struct topo_text text = {0};
    int ranks = hosts ? place_ranks(hosts) : 0;
    while (!hosts && ranks < RANKS_MAX && places[ranks].host[0])
        ranks++;
    struct topo_tree *tree = build(spec, ranks);
    for (int level = 0; level < tree->levels; level++) {
        topo_text_addf(&text, "%s%s:", level ? " " : "", topo_level_name(tree->kind[level]));
        for (int rank = 0; rank < ranks; rank++)
            topo_text_addf(&text, "%d", topo_tree_unit(tree, level, rank));
    }
    ck_assert_str_eq(text.text, expected);
    topo_text_free(&text);
    topo_tree_free(tree);
}

static void check_refused(const char *spec, const char *hosts, enum topo_status status, const char *message)
{
    struct topo_tree *tree = NULL;
    int ranks = place_ranks(hosts);
    enum topo_status got = topo_machine_build(spec, places, ranks, environment, &tree, &error);
    ck_assert_msg(got == status && !tree, "%s is refused (%d): %s", spec, got, error.text);
    ck_assert_msg(strstr(error.text, message), "'%s' holds '%s'", error.text, message);
}

static void setup(void)
{
    ck_assert(mkdtemp(folder));
    snprintf(slurm_conf, sizeof slurm_conf, "%s/slurm.conf", folder);
}

static void teardown(void)
{
    char path[256];
    snprintf(path, sizeof path, "%s/topology.conf", folder);
    unlink(path);
    rmdir(folder);
}

START_TEST(host_names_alone)
{
    check_tree("auto", "a", "node:0");
    check_tree("auto", "a a a", "node:000");
    check_tree("auto", "a b c d", "node:0123");
    check_tree("auto", "a a b b c", "node:00112");
    check_tree("auto", "b a b a c", "node:01012");
    check_tree("auto", "x x x x x x x y y y y y z z z w", "node:0000000111112223");
    ck_assert_msg(!error.text[0], "no note without Slurm: %s", error.text);
}
END_TEST

START_TEST(inside_a_node)
{
    check_tree("auto", "a:0.0.0.0 a:0.0.0.1 a:1.1.1.2 a:1.1.1.3", "node:0000 package:0011 core:0123");
    check_tree("auto", "a:0.0.0.0 a:0.0.0.0 b:0.0.0.0 b:0.0.0.1", "node:0011 core:0012");
    check_tree("auto", "a:0.0.-1.-1 a:0.1.-1.-1 a:0.1.-1.-1 b:1.2.-1.-1", "node:0001 numa:0112");
    /* One rank of b is not bound: it shares nothing inside b with the others. */
    check_tree("auto", "a:0.0.0.0 a:0.0.0.0 b b:0.0.0.0 b:0.0.0.0", "node:00111 package:00122");
    /* No rank of b is bound: b is not divided, a is. */
    check_tree("auto", "a:0.0.0.0 a:1.0.0.1 b b b", "node:00111 package:01222");
}
END_TEST

START_TEST(machine_file)
{
    char spec[128];
    write_topology("SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-3],login.org\nSwitchName=t Switches=s[0-1]\n");
    snprintf(spec, sizeof spec, "file:%s/topology.conf", folder);
    check_tree(spec, "n0 n1 n2 n3", "switch:0011 node:0123");
    check_tree(spec, "n3 n0 n3 n1 n2", "switch:01010 node:02031");
    check_tree(spec, "n2 n2 n3", "node:001");
    check_tree(spec, "n1", "node:0");
    check_tree(spec, "n0.a.org n2.a.org login n0", "switch:0110 node:0120");
    check_tree(spec, "n0:0.0.0.0 n0:1.1.1.1 n2 n2", "switch:0011 node:0011 package:0122");
    check_refused(spec, "n0 n1 n7", TOPO_PARSE, "topology.conf: host n7 (rank 2) is missing in ");
    check_refused("file:/nonexistent/t.conf", "n0", TOPO_IO, "TOPOMPI_MACHINE=file:/nonexistent/t.conf: ");
    check_refused("file:/", "n0", TOPO_IO, "TOPOMPI_MACHINE=file:/: ");
    write_topology("SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[1-2]\n");
    check_refused(spec, "n0", TOPO_PARSE, "topology.conf:2: node n1 is below switch s0 already");
    write_topology("SwitchName=s0 Nodes=n0.a,n0.b\n");
    check_refused(spec, "n0", TOPO_PARSE, "host n0 (rank 0) fits several nodes of ");
}
END_TEST

START_TEST(nonsense)
{
    static const char *const bad[] = {
        "", "foo", "Auto", "auto ", "file:", "file", "slurm:", "synthetic", "node:2 core:2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        check_refused(bad[i], "a b", TOPO_PARSE, "allowed: auto | slurm | file:PATH | synthetic:TEXT");
    check_refused("synthetic:node:2 core:2", "a b", TOPO_PARSE,
                  "TOPOMPI_MACHINE=synthetic: 'node:2 core:2' has 4 slots");
    check_refused("synthetic:", "a b", TOPO_PARSE, "TOPOMPI_MACHINE=synthetic: ");
    check_tree("synthetic:node:2 core:2 by:node", "a a a a", "node:0101 core:0213");
}
END_TEST

START_TEST(slurm_addresses)
{
    place_ranks("n0 n0 n1 n2");
    addresses("t.s0.n0 t.s0.n0 t.s0.n1 t.s1.n2");
    check_tree("auto", NULL, "switch:0001 node:0012");
    check_tree("slurm", NULL, "switch:0001 node:0012");
    /* Node names with periods, given whole and short, and ranges of switches. */
    place_ranks("n0.a.org n1.a.org n2");
    addresses("s[0-1.2].n0.a.org s[0-1.2].n1.a.org s2.n2.a.org");
    check_tree("auto", NULL, "switch:001 node:012");
    /* Uneven depth: n2 hangs at t itself, n3 at no switch. */
    place_ranks("n0 n1 n2 n3 n4");
    addresses("t.s0.n0 t.s0.n1 t.n2 n3 t.n4");
    check_tree("auto", NULL, "switch:00010 switch:00121 node:01243");
    /* No switches: nothing to use, which only "slurm" minds. */
    place_ranks("n0 n1");
    addresses("n0 n1");
    in_slurm = true;
    check_tree("auto", NULL, "node:01");
    ck_assert_msg(strstr(error.text, "names no switches"), "the note says why: %s", error.text);
    /* One address everywhere: the launcher copied it. */
    place_ranks("n0 n1");
    addresses("t.n0 t.n0");
    check_tree("auto", NULL, "node:01");
    ck_assert_msg(strstr(error.text, "is set on several hosts"), "the note says why: %s", error.text);
    place_ranks("n0 n1");
    addresses("t.n0");
    check_tree("auto", NULL, "node:01");
    ck_assert_msg(strstr(error.text, "is not set on host n1 (rank 1)"), "the note says why: %s", error.text);
    place_ranks("n0 n0 n1");
    addresses("t.n0 s.n0 t.n1");
    check_tree("auto", NULL, "node:001");
    ck_assert_msg(strstr(error.text, "differs between ranks 0 and 1 of host n0"), "the note says why: %s", error.text);
}
END_TEST

START_TEST(slurm_file)
{
    check_refused("slurm", "n0 n1", TOPO_IO, "and SLURM_TOPOLOGY_ADDR is not set on host n0 (rank 0); needed:");
    write_topology("SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n2\n");
    check_tree("auto", "n0 n1 n2", "node:012");
    check_tree("slurm", "n0 n1 n2", "switch:001 node:012");
    in_slurm = true;
    check_tree("auto", "n0 n1 n2", "switch:001 node:012");
    ck_assert_str_eq(error.text, "");
    check_refused("slurm", "n0 n5", TOPO_PARSE, "TOPOMPI_MACHINE=slurm: host n5 (rank 1) is missing in");
    check_tree("auto", "n0 n5", "node:01");
    ck_assert_msg(strstr(error.text, "host n5 (rank 1) is missing in"), "the note says why: %s", error.text);
    write_topology("BlockName=b0 Nodes=n[0-1]\nBlockName=b1 Nodes=n[2-3]\nBlockName=b2 Nodes=n[4-5]\nBlockSizes=2,4\n");
    check_tree("slurm", "n0 n1 n2 n4", "switch:0001 switch:0012 node:0123");
    write_topology("RingName=r0 Nodes=n[0-1]\n");
    check_refused("slurm", "n0 n1", TOPO_PARSE, "topology.conf:1: unknown key 'RingName'");
    check_tree("auto", "n0 n1", "node:01");
    ck_assert_msg(strstr(error.text, "topology.conf:1: unknown key"), "the note says why: %s", error.text);
}
END_TEST

/* topology.yaml goes before topology.conf; of its topologies the first that has all hosts counts. */
START_TEST(slurm_yaml)
{
    char path[256];
    in_slurm = true;
    write_topology("SwitchName=s0 Nodes=n[0-7]\n");
    write_file("topology.yaml", "- topology: t0\n  tree:\n    switches:\n    - switch: a\n      nodes: n[0-1]\n"
                                "    - switch: b\n      nodes: n2\n"
                                "- topology: t1\n  block:\n    blocks:\n    - block: c\n      nodes: n[2-3]\n"
                                "    - block: d\n      nodes: n4\n");
    check_tree("slurm", "n0 n1 n2", "switch:001 node:012");
    check_tree("auto", "n2 n3 n4", "switch:001 node:012");
    ck_assert_str_eq(error.text, "");
    check_refused("slurm", "n1 n4", TOPO_PARSE, "TOPOMPI_MACHINE=slurm: host n4 (rank 1) is missing in");
    struct topo_tree *tree = NULL;
    place_ranks("n2 n3 n4");
    UNIT_OUT_OF_MEMORY(topo_machine_build("slurm", places, 3, environment, &tree, NULL),
                       ck_assert((status == TOPO_OK) == (tree != NULL)));
    topo_tree_free(tree);
    write_file("topology.yaml", "- topology: t0\n  tree:\n    switches:\n    - switch: a\n      node: n0\n");
    check_refused("slurm", "n0", TOPO_PARSE, "topology.yaml:5: unknown key 'node'");
    snprintf(path, sizeof path, "%s/topology.yaml", folder);
    ck_assert_int_eq(unlink(path), 0);
}
END_TEST

START_TEST(out_of_memory)
{
    char spec[128];
    write_topology("SwitchName=s0 Nodes=n0\nSwitchName=s1 Nodes=n1.a\nSwitchName=t Switches=s[0-1]\n");
    snprintf(spec, sizeof spec, "file:%s/topology.conf", folder);
    const char *const specs[] = {"auto", "slurm", spec, "synthetic:node:2 core:1 by:node"};
    in_slurm = true;
    for (int with_addresses = 0; with_addresses < 2; with_addresses++)
        for (int i = 0; i < 4; i++) {
            struct topo_tree *tree = NULL;
            place_ranks("n0 n1");
            if (with_addresses)
                addresses("s0.n0 s1.n1");
            UNIT_OUT_OF_MEMORY(topo_machine_build(specs[i], places, 2, environment, &tree, NULL),
                               ck_assert((status == TOPO_OK) == (tree != NULL)));
            topo_tree_free(tree);
        }
}
END_TEST

/* 131,072 ranks in 16,384 nodes below 512 switches, dealt by node: a quadratic step would take longer than a
 * test may. */
START_TEST(scale)
{
    enum { NODES = 16384, RANKS = 8 * NODES };
    struct topo_place *many = calloc(RANKS, sizeof *many);
    char(*hosts)[32] = calloc(NODES, sizeof *hosts);
    struct topo_tree *tree = NULL;
    char spec[128];
    struct topo_text text = {0};
    ck_assert(many && hosts);
    for (int node = 0; node < NODES; node++)
        snprintf(hosts[node], sizeof hosts[node], "node%05d.cluster.org", node);
    for (int rank = 0; rank < RANKS; rank++) {
        many[rank].host = hosts[rank % NODES];
        many[rank].slurm_address = "";
        many[rank].package = many[rank].numa = many[rank].l3 = rank / NODES / 4;
        many[rank].core = rank / NODES;
    }
    for (int i = 0; i < 512; i++)
        topo_text_addf(&text, "SwitchName=s%d Nodes=node[%05d-%05d]\n", i, i * 32, i * 32 + 31);
    topo_text_add(&text, "SwitchName=root Switches=s[0-511]\n");
    write_topology(text.text);
    topo_text_free(&text);
    snprintf(spec, sizeof spec, "file:%s/topology.conf", folder);
    ck_assert_msg(topo_machine_build(spec, many, RANKS, environment, &tree, &error) == TOPO_OK, "%s", error.text);
    ck_assert(tree->levels == 4 && tree->units[0] == 512 && tree->units[1] == NODES && tree->units[2] == 2 * NODES);
    topo_tree_free(tree);
    free(many);
    free(hosts);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("build");
    TCase *cases = tcase_create("build");
    tcase_set_timeout(cases, 120);
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, host_names_alone);
    tcase_add_test(cases, inside_a_node);
    tcase_add_test(cases, machine_file);
    tcase_add_test(cases, nonsense);
    tcase_add_test(cases, slurm_addresses);
    tcase_add_test(cases, slurm_file);
    tcase_add_test(cases, slurm_yaml);
    tcase_add_test(cases, out_of_memory);
    tcase_add_test(cases, scale);
    suite_add_tcase(suite, cases);
    return unit_main(suite);
}
