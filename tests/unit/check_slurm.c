#include "unit.h"

#include <string.h>

#include "base/memory.h"
#include "machine/slurm.h"

static struct topo_slurm *parse(const char *text)
{
    struct topo_slurm *slurm = NULL;
    struct topo_error error = {""};
    ck_assert_msg(topo_slurm_parse(text, strlen(text), "t.conf", &slurm, &error) == TOPO_OK, "%s\n%s", text,
                  error.text);
    return slurm;
}

/* Number of outer switches that two hosts share. */
static int shared(const struct topo_slurm *slurm, const char *a, const char *b)
{
    int of_a[TOPO_SWITCHES_MAX], of_b[TOPO_SWITCHES_MAX], level = 0;
    ck_assert_msg(topo_slurm_find(slurm, a) >= 0, "%s is found", a);
    ck_assert_msg(topo_slurm_find(slurm, b) >= 0, "%s is found", b);
    topo_slurm_switches(slurm, topo_slurm_find(slurm, a), of_a);
    topo_slurm_switches(slurm, topo_slurm_find(slurm, b), of_b);
    while (level < topo_slurm_depth(slurm) && of_a[level] == of_b[level])
        level++;
    return level;
}

START_TEST(two_levels)
{
    struct topo_slurm *slurm = parse("# the machine\n"
                                     "SwitchName=s0 Nodes=n[0-3]\n"
                                     "switchname = s1 NODES = \"n[4-5],m[01-02]\" LinkSpeed=100 # leaf\r\n"
                                     "\n"
                                     "SWITCHNAME=top \\\n"
                                     "  Switches=s[0-\\\n1]\n"
                                     "\t # end");
    ck_assert_int_eq(topo_slurm_depth(slurm), 2);
    ck_assert_int_eq(topo_slurm_nodes(slurm), 8);
    ck_assert_str_eq(topo_slurm_node_name(slurm, 7), "m02");
    ck_assert_int_eq(shared(slurm, "n0", "n3"), 2);
    ck_assert_int_eq(shared(slurm, "n5", "m01"), 2);
    ck_assert_int_eq(shared(slurm, "n3", "n4"), 1);
    ck_assert_int_eq(topo_slurm_find(slurm, "n6"), TOPO_SLURM_MISSING);
    ck_assert_int_eq(topo_slurm_find(slurm, ""), TOPO_SLURM_MISSING);
    ck_assert_int_eq(topo_slurm_find(slurm, "."), TOPO_SLURM_MISSING);
    topo_slurm_free(slurm);
    topo_slurm_free(NULL);
}
END_TEST

/* Blocks of two nodes, four and sixteen of them; the last larger ones are not full. */
START_TEST(blocks)
{
    struct topo_slurm *slurm = parse("BlockName=b0 Nodes=n[0-1]\nBlockName=b1 Nodes=n[2-3]\n"
                                     "blocksizes=2,8,16\n"
                                     "BlockName=b2 Nodes=n[4-6]\nBlockName=b3 Nodes=n[7-8]\nBlockName=b4 Nodes=n[9-10]\n");
    ck_assert_int_eq(topo_slurm_depth(slurm), 3);
    ck_assert_int_eq(topo_slurm_nodes(slurm), 11);
    ck_assert_int_eq(shared(slurm, "n0", "n1"), 3);
    ck_assert_int_eq(shared(slurm, "n4", "n6"), 3);
    ck_assert_int_eq(shared(slurm, "n0", "n8"), 2);
    ck_assert_int_eq(shared(slurm, "n8", "n9"), 1);
    topo_slurm_free(slurm);
    slurm = parse("BlockName=b0 Nodes=n[0-1]\nBlockName=b1 Nodes=n[2-3]\n");
    ck_assert_int_eq(topo_slurm_depth(slurm), 1);
    ck_assert_int_eq(shared(slurm, "n0", "n1"), 1);
    ck_assert_int_eq(shared(slurm, "n1", "n2"), 0);
    topo_slurm_free(slurm);
}
END_TEST

/* Of topology.yaml: the cluster's default comes first, the others as they stand there; flat ones have nothing to say. */
START_TEST(several)
{
    static const char text[] = "- topology: t0\n  tree:\n    switches:\n    - switch: s0\n      nodes: n[0-1]\n"
                               "- topology: t1\n  flat: true\n"
                               "- topology: t2\n  cluster_default: true\n  block:\n    block_sizes: [2, 4]\n    blocks:\n"
                               "    - block: b0\n      nodes: m[0-1]\n    - block: b1\n      nodes: m[2-3]\n"
                               "- topology: t3\n  cluster_default: true\n  tree:\n    switches:\n"
                               "    - switch: s0\n      nodes: n0\n";
    struct topo_slurm *slurm = NULL;
    struct topo_error error = {""};
    ck_assert_msg(topo_slurm_parse(text, strlen(text), "t.yaml", &slurm, &error) == TOPO_OK, "%s", error.text);
    ck_assert_int_eq(shared(slurm, "m0", "m1"), 2);
    ck_assert_int_eq(shared(slurm, "m1", "m2"), 1);
    const struct topo_slurm *second = topo_slurm_next(slurm), *third = topo_slurm_next(second);
    ck_assert_int_eq(shared(second, "n0", "n1"), 1);
    ck_assert_int_eq(topo_slurm_nodes(third), 1);
    ck_assert_ptr_null(topo_slurm_next(third));
    topo_slurm_free(slurm);
    UNIT_OUT_OF_MEMORY(topo_slurm_parse(text, strlen(text), "t.yaml", &slurm, NULL),
                       ck_assert((status == TOPO_OK) == (slurm != NULL)));
    topo_slurm_free(slurm);
    static const char *const cases[][2] = {
        {"- topology: t\n  flat: true\n", "t.yaml: describes no switch; allowed: topologies"},
        {"- topology: t\n  tree:\n    switches:\n    - switch: s0\n      nodes: n0\n  block:\n    blocks:\n"
         "    - block: b\n      nodes: n1\n",
         "t.yaml:8: switches and blocks in one topology"},
        {"- topology: t\n  tree:\n    switches:\n    - switch: s0\n      children: s1\n", "t.yaml:4: switch s1 is not described"},
        {"- topology: t\n  block:\n    block_sizes: [2, 3]\n    blocks:\n    - block: b\n      nodes: n1\n",
         "t.yaml:3: BlockSizes with '3'"},
        {"SwitchName=s0 Nodes=n0\n", "t.yaml:1: not what may stand here: 'SwitchName=s0 Nodes=n0'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(topo_slurm_parse(cases[i][0], strlen(cases[i][0]), "t.yaml", &slurm, &error), TOPO_PARSE);
        ck_assert_msg(!strncmp(error.text, cases[i][1], strlen(cases[i][1])) && !slurm, "%s", error.text);
    }
}
END_TEST

/* n0 hangs at the root, n1 and n2 one below, n3 and n4 two below; n5 is in a tree of its own. */
START_TEST(uneven_depth)
{
    struct topo_slurm *slurm = parse("SwitchName=root Nodes=n0,n9 Switches=a\n"
                                     "SwitchName=a Nodes=n1,n2 Switches=b\n"
                                     "SwitchName=b Nodes=n3,n4\n"
                                     "SwitchName=apart Nodes=n5\n");
    ck_assert_int_eq(topo_slurm_depth(slurm), 3);
    ck_assert_int_eq(shared(slurm, "n0", "n9"), 3);
    ck_assert_int_eq(shared(slurm, "n0", "n1"), 1);
    ck_assert_int_eq(shared(slurm, "n0", "n3"), 1);
    ck_assert_int_eq(shared(slurm, "n1", "n2"), 3);
    ck_assert_int_eq(shared(slurm, "n1", "n3"), 2);
    ck_assert_int_eq(shared(slurm, "n3", "n4"), 3);
    ck_assert_int_eq(shared(slurm, "n5", "n0"), 0);
    topo_slurm_free(slurm);
}
END_TEST

START_TEST(host_names)
{
    struct topo_slurm *slurm = parse("SwitchName=s Nodes=n0,n1.a.org,n2.a.org,n2.b.org,n3,n3.c.org,n4.rack.a.org");
    static const struct {
        const char *host, *node; /* NULL: missing, "": ambiguous */
    } cases[] = {{"n0", "n0"},
                 {"n0.a.org", "n0"},
                 {"n0.", "n0"},
                 {"n1", "n1.a.org"},
                 {"n1.a.org", "n1.a.org"},
                 {"n1.a", "n1.a.org"},
                 {"n1.b.org", NULL},
                 {"n2", ""},
                 {"n2.b", "n2.b.org"},
                 {"n2.c.org", NULL},
                 {"n3", "n3"},
                 {"n3.c.org", "n3.c.org"},
                 {"n3.d.org", "n3"},
                 {"n4.rack", "n4.rack.a.org"},
                 {"n4", "n4.rack.a.org"},
                 {"n", NULL},
                 {"n00", NULL},
                 {"N0", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int node = topo_slurm_find(slurm, cases[i].host);
        if (cases[i].node && *cases[i].node)
            ck_assert_msg(node >= 0 && !strcmp(topo_slurm_node_name(slurm, node), cases[i].node), "%s is %s",
                          cases[i].host, cases[i].node);
        else
            ck_assert_msg(node == (cases[i].node ? TOPO_SLURM_AMBIGUOUS : TOPO_SLURM_MISSING), "%s is not found (%d)",
                          cases[i].host, node);
    }
    topo_slurm_free(slurm);
}
END_TEST

START_TEST(bad_files)
{
    static const struct {
        const char *text, *message; /* the message begins so */
    } cases[] = {
        {"", "t.conf: describes no switch"},
        {"# nothing\n\n", "t.conf: describes no switch"},
        {"SwitchName=s0 Nodes=n0\nNode=n1\n", "t.conf:2: unknown key 'Node'"},
        {"SwitchName=s0 Nodes=n0 Color=red", "t.conf:1: unknown key 'Color'"},
        {"\nNodes=n0\n", "t.conf:2: the line does not begin with SwitchName, BlockName or BlockSizes but with 'Nodes'"},
        {"SwitchName=s0 SwitchName=s1 Nodes=n0", "t.conf:1: a second 'SwitchName'"},
        {"SwitchName=s0 Nodes=n0 Nodes=n1", "t.conf:1: a second 'Nodes'"},
        {"SwitchName=s0 Nodes=n0\nSwitchName=s1\n", "t.conf:2: neither Nodes nor Switches for switch 's1'"},
        {"SwitchName=s0 Nodes=", "t.conf:1: no value for 'Nodes'"},
        {"SwitchName=s0 Nodes", "t.conf:1: no '=' behind 'Nodes'"},
        {"SwitchName=s0 \\\nNodes=n0 \\\n\\\n =x", "t.conf:4: not a key: '='"},
        {"SwitchName=s0 Nodes=\"n0\nSwitchName=s1 Nodes=n1", "t.conf:1: no closing quote in the value of 'Nodes'"},
        {"SwitchName=s[0-1] Nodes=n0", "t.conf:1: more than one name in SwitchName 's[0-1]'"},
        {"SwitchName=s0 Nodes=n[3-1]", "t.conf:1: 'n[3-1]': a range goes down"},
        {"SwitchName=s0 Nodes=n0,n1\nSwitchName=s1 Nodes=n[1-2]\n",
         "t.conf:2: node n1 is below switch s0 already (line 1)"},
        {"BlockName=b0 Nodes=n0\nBlockName=b1 Nodes=n0", "t.conf:2: node n0 is below block b0 already (line 1)"},
        {"BlockName=b0 Nodes=n0\nBlockName=b0 Nodes=n1", "t.conf:2: block b0 is described twice (line 1)"},
        {"BlockName=b0 Nodes=n0\nSwitchName=s Nodes=n1", "t.conf:2: switches and blocks in one topology"},
        {"SwitchName=s Nodes=n1\n\nBlockName=b0 Nodes=n0", "t.conf:3: switches and blocks in one topology"},
        {"SwitchName=s Nodes=n1\nBlockSizes=4", "t.conf:2: BlockSizes in a file of switches"},
        {"BlockSizes=4\nBlockName=b0 Nodes=n0\nBlockSizes=4", "t.conf:3: a second BlockSizes (line 1)"},
        {"BlockName=b0 Nodes=n0\nBlockSizes=4,12", "t.conf:2: BlockSizes with '12'"},
        {"BlockName=b0 Nodes=n0\nBlockSizes=4,4", "t.conf:2: BlockSizes with '4'"},
        {"BlockName=b0 Nodes=n0\nBlockSizes=0", "t.conf:2: BlockSizes with '0'"},
        {"BlockName=b0 Nodes=n0\nBlockSizes=4,", "t.conf:2: BlockSizes with ''"},
        {"BlockSizes=4", "t.conf: describes no switch"},
        {"SwitchName=s0 Nodes=n0,n0", "t.conf:1: node n0 is below switch s0 already (line 1)"},
        {"SwitchName=s0 Nodes=n0\nSwitchName=a Switches=s0\nSwitchName=b Switches=s0\n",
         "t.conf:3: switch s0 is below switch a already (line 2)"},
        {"SwitchName=s0 Nodes=n0\n#\nSwitchName=s0 Nodes=n1\n", "t.conf:3: switch s0 is described twice (line 1)"},
        {"SwitchName=s0 Nodes=n0\nSwitchName=top Switches=s[0-1]\n", "t.conf:2: switch s1 is not described"},
        {"SwitchName=a Switches=a Nodes=n0", "t.conf:1: switch a is inside itself, through a"},
        {"SwitchName=x Nodes=n0\nSwitchName=a Switches=b\nSwitchName=b Switches=c\nSwitchName=c Switches=a Nodes=n1\n",
         "t.conf:"},
        {"SwitchName=a Switches=b\nSwitchName=b Switches=a\n", "t.conf:"},
        {"SwitchName=a Nodes=n[0-999999]\nSwitchName=b Nodes=m[0-999999]\n", "t.conf:2: too many nodes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topo_slurm *slurm = NULL;
        struct topo_error error = {""};
        enum topo_status status = topo_slurm_parse(cases[i].text, strlen(cases[i].text), "t.conf", &slurm, &error);
        ck_assert_msg(status == TOPO_PARSE && !slurm, "refused:\n%s", cases[i].text);
        ck_assert_msg(!strncmp(error.text, cases[i].message, strlen(cases[i].message)), "'%s', expected '%s'",
                      error.text, cases[i].message);
        ck_assert_msg(strstr(error.text, "allowed:") || strstr(error.text, "needed:"), "%s", error.text);
    }
    struct topo_error error = {""};
    struct topo_slurm *slurm = NULL;
    ck_assert(topo_slurm_parse("SwitchName=s0 Nodes=n\0x", 23, "t.conf", &slurm, &error) == TOPO_PARSE);
    ck_assert(topo_slurm_parse("SwitchName=s0 Nodes=n0\n\0", 24, "t.conf", &slurm, &error) == TOPO_PARSE);
    ck_assert(topo_slurm_read("/nonexistent/topology.conf", &slurm, &error) == TOPO_IO);
    ck_assert_msg(strstr(error.text, "/nonexistent/topology.conf"), "%s", error.text);
}
END_TEST

START_TEST(deep)
{
    struct topo_text text = {0};
    for (int levels = TOPO_SWITCHES_MAX; levels <= TOPO_SWITCHES_MAX + 1; levels++) {
        struct topo_slurm *slurm = NULL;
        struct topo_error error = {""};
        for (int i = 1; i < levels; i++)
            topo_text_addf(&text, "SwitchName=s%d Switches=s%d\n", i, i + 1);
        topo_text_addf(&text, "SwitchName=s%d Nodes=n0\n", levels);
        enum topo_status status = topo_slurm_parse(text.text, text.length, "t.conf", &slurm, &error);
        if (levels == TOPO_SWITCHES_MAX)
            ck_assert_msg(status == TOPO_OK && topo_slurm_depth(slurm) == levels, "%d levels: %s", levels, error.text);
        else
            ck_assert_msg(status == TOPO_PARSE && !strncmp(error.text, "t.conf:12: node n0", 18), "%s", error.text);
        topo_slurm_free(slurm);
        topo_text_free(&text);
    }
}
END_TEST

static const char sample[] =
    "SwitchName=s0 Nodes=n[0-3],x.a.org LinkSpeed=1\nSwitchName=s1 \\\n Nodes=\"m[01-02]\" # c\n"
    "SwitchName=t Switches=s[0-1]\n";

START_TEST(fuzz)
{
    static const char alphabet[] = "SwitchNode=s0n1[-,]\\\n# \"\t.\0";
    unsigned state = 11;
    int taken = 0, refused = 0;
    for (int round = 0; round < 40000; round++) {
        char text[sizeof sample];
        struct topo_slurm *slurm = NULL;
        struct topo_error error = {""};
        memcpy(text, sample, sizeof text);
        size_t length = sizeof text - 1;
        for (int change = 0; change <= round % 4; change++) {
            state = state * 1664525u + 1013904223u;
            text[(state >> 8) % length] = alphabet[(state >> 20) % (sizeof alphabet - 1)];
        }
        if (round % 7 == 0)
            length = (state >> 4) % length;
        /* A block of exactly this size, so that the sanitizers see a read behind it. */
        char *exact = malloc(length ? length : 1);
        memcpy(exact, text, length);
        enum topo_status status = topo_slurm_parse(exact, length, "t.conf", &slurm, &error);
        ck_assert_msg(status == TOPO_OK || (status == TOPO_PARSE && !strncmp(error.text, "t.conf:", 7)), "%.*s: %d %s",
                      (int)length, text, status, error.text);
        for (int node = 0; status == TOPO_OK && node < topo_slurm_nodes(slurm); node++) {
            int ids[TOPO_SWITCHES_MAX];
            ck_assert_int_eq(topo_slurm_find(slurm, topo_slurm_node_name(slurm, node)), node);
            topo_slurm_switches(slurm, node, ids);
        }
        taken += status == TOPO_OK;
        refused += status != TOPO_OK;
        topo_slurm_free(slurm);
        free(exact);
    }
    ck_assert_msg(taken > 100 && refused > 100, "both happen: %d taken, %d refused", taken, refused);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_slurm *slurm = NULL;
    UNIT_OUT_OF_MEMORY(topo_slurm_parse(sample, sizeof sample - 1, "t.conf", &slurm, NULL),
                       ck_assert((status == TOPO_OK) == (slurm != NULL)));
    topo_slurm_free(slurm);
    static const char blocks[] = "BlockName=b0 Nodes=n0\nBlockName=b1 Nodes=n1\nBlockSizes=1,2,4\n";
    UNIT_OUT_OF_MEMORY(topo_slurm_parse(blocks, sizeof blocks - 1, "t.conf", &slurm, NULL),
                       ck_assert((status == TOPO_OK) == (slurm != NULL)));
    topo_slurm_free(slurm);
}
END_TEST

UNIT_MAIN("slurm", {two_levels}, {blocks}, {several}, {uneven_depth}, {host_names}, {bad_files}, {deep}, {fuzz}, {out_of_memory})
