#include "unit.h"

#include <string.h>

#include "machine/topology_yaml.h"

static struct topo_text seen;

static enum topo_status note(const struct topo_conf_line *line, void *context, struct topo_error *error)
{
    static const char letters[] = {[TOPO_CONF_SWITCH] = 's',
                                   [TOPO_CONF_BLOCK] = 'b',
                                   [TOPO_CONF_SIZES] = '#',
                                   [TOPO_CONF_TOPOLOGY] = '-',
                                   [TOPO_CONF_DEFAULT] = '*'};
    (void)context;
    if (line->line == 99)
        return topo_fail(error, TOPO_IO, "enough");
    topo_text_addf(&seen, "%d%c%s|%s|%s;", line->line, letters[line->kind], line->name.length ? line->name.text : "",
                   line->nodes.length ? line->nodes.text : "", line->switches.length ? line->switches.text : "");
    return TOPO_OK;
}

static enum topo_status walk(const char *text, struct topo_error *error)
{
    topo_text_free(&seen);
    /* Of exactly this size, so that the sanitizers see a read behind it. */
    size_t length = strlen(text);
    char *exact = malloc(length ? length : 1);
    memcpy(exact, text, length);
    enum topo_status status = topo_yaml_walk(exact, length, "t", note, NULL, error);
    free(exact);
    return status;
}

/* The example of Slurm's manual. */
static const char manual[] = "---\n"
                             "- topology: topo1\n"
                             "  cluster_default: true\n"
                             "  tree:\n"
                             "    switches:\n"
                             "      - switch: sw_root\n"
                             "        children: s[1-2]\n"
                             "      - switch: s1\n"
                             "        nodes: node[01-02]\n"
                             "      - switch: s2\n"
                             "        nodes: node[03-04]\n"
                             "- topology: topo2\n"
                             "  cluster_default: false\n"
                             "  block:\n"
                             "    block_sizes:\n"
                             "      - 4\n"
                             "      - 16\n"
                             "    blocks:\n"
                             "      - block: b1\n"
                             "        nodes: node[01-04]\n"
                             "      - block: b2\n"
                             "        nodes: node[05-08]\n"
                             "- topology: topo3\n"
                             "  cluster_default: false\n"
                             "  flat: true\n";

START_TEST(entries)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"# nothing\n---\n", ""},
        {manual, "2-||;3*||;6ssw_root||s[1-2];8ss1|node[01-02]|;10ss2|node[03-04]|;12-||;15#4,16||;19bb1|node[01-04]|;"
                 "21bb2|node[05-08]|;23-||;"},
        /* Lists that stand at their key, as other programs write them; words in quotes; comments. */
        {"- topology: a   # first\n  tree:\n    switches:\n    - switch: 's''0'\n      nodes: \"n0,n1\"\n    - switch "
         ": s1\r\n"
         "      nodes:\n      - n2\n      -   n3 # last\n      children: ~\n",
         "1-||;4ss'0|n0,n1|;6ss1|n2,n3|;"},
        {"-\n   block:\n     blocks:\n     -\n      block: b#0\n      nodes: [n0 , n1]\n     block_sizes: [2, 4]\n   "
         "topology: x\n",
         "2-||;5bb#0|n0,n1|;7#2,4||;"},
        {"- \"topology\": a\n  cluster_default: Yes\n  block:\n    block_sizes: 8\n    blocks: []\n",
         "1-||;2*||;4#8||;"},
        {"- topology: a\n  tree:\n    switches: []\n", "1-||;"},
        {"- topology: a\n  tree:\n", "1-||;"},
        /* What later versions may bring. */
        {"- topology: a\n  ring:\n    rings:\n    - ring: r0\n      nodes: n0\n  flat:\n    deep: true\n- topology: "
         "b\n",
         "1-||;8-||;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topo_error error = {""};
        ck_assert_msg(walk(cases[i][0], &error) == TOPO_OK, "'%s': %s", cases[i][0], error.text);
        ck_assert_str_eq(seen.length ? seen.text : "", cases[i][1]);
    }
}
END_TEST

#define TREE "- topology: a\n  tree:\n    switches:\n"

START_TEST(bad_entries)
{
    static const char *const cases[][2] = {
        {"topology: a\n", "t:1: not what may stand here: 'topology'"},
        {"- a\n", "t:1: no key behind -, but 'a'"},
        {"-\n- topology: a\n", "t:2: no key behind -, but '-'"},
        {"- - topology: a\n", "t:1: no key behind -, but '-'"},
        {"-", "t:1: no key behind -, but 'the end'"},
        {"- topology: a\n tree:\n", "t:2: not what may stand here: 'tree'"},
        {"- topology: a\n\ttree:\n", "t:2: a tab 'in the indentation'"},
        {"- topology: a\n  tree:\n    switch:\n", "t:3: unknown key 'switch'"},
        {"- topology: a\n  block:\n    switches:\n", "t:3: unknown key 'switches'"},
        {TREE "    - s0\n", "t:4: no key behind -, but 's0'"},
        {TREE "    - switch: s0\n      node: n0\n", "t:5: unknown key 'node'"},
        {TREE "    - switch: s0\n      switch: s1\n", "t:5: a second 'switch'"},
        {TREE "    - switch: s0\n", "t:4: neither nodes nor children of 's0'"},
        {TREE "    - nodes: n0\n", "t:4: no name of a 'switch'"},
        {TREE "    - switch: s[0-1]\n      nodes: n0\n", "t:4: more than one name in 's[0-1]'"},
        {TREE "    - switch: s0\n      nodes: n0\n      more\n", "t:6: not what may stand here: 'more'"},
        {TREE "    - switch: s0\n      nodes:\n      - n0\n      - a: b\n", "t:7: not a word in a list: 'a'"},
        {TREE "    - switch: \"s0\n      nodes: n0\n", "t:4: no closing quote behind 's0'"},
        {TREE "    - switch: \"s\\t0\"\n", "t:4: an escape in 's'"},
        {TREE "    - switch: s0\n      nodes: [n0,\n", "t:5: no ] behind 'n0,'"},
        {TREE "    - switch: s0\n      nodes: [[n0]]\n", "t:5: more than words in the list ''"},
        {TREE "    - {switch: s0, nodes: n0}\n", "t:4: a form of YAML that is not read: '{'"},
        {TREE "    - switch: &s s0\n", "t:4: a form of YAML that is not read: '&'"},
        {TREE "    - switch: |\n", "t:4: a form of YAML that is not read: '|'"},
        {"- topology: a\n  block:\n    blocks:\n    - block: b0\n", "t:4: no nodes of 'b0'"},
        {"- topology: a\n  block:\n    blocks:\n    - block: b0\n      children: c\n", "t:5: unknown key 'children'"},
        {"- topology: a\n...\n", "t:2: not what may stand here: '...'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topo_error error = {""};
        ck_assert_msg(walk(cases[i][0], &error) == TOPO_PARSE, "refused: %s", cases[i][0]);
        ck_assert_msg(!strncmp(error.text, cases[i][1], strlen(cases[i][1])) && strstr(error.text, "; allowed: "),
                      "'%s': %s, not %s", cases[i][0], error.text, cases[i][1]);
    }
    struct topo_error error = {""};
    ck_assert_int_eq(topo_yaml_walk("- topology: a\0", 14, "t", note, NULL, &error), TOPO_PARSE);
}
END_TEST

START_TEST(the_visitor_ends_it)
{
    struct topo_error error = {""};
    struct topo_text text = {0};
    for (int line = 1; line < 99; line++)
        topo_text_add(&text, "\n");
    topo_text_add(&text, TREE);
    ck_assert_int_eq(walk(text.text, &error), TOPO_IO);
    ck_assert_str_eq(error.text, "enough");
    topo_text_free(&text);
}
END_TEST

/* The manual's example with characters changed: accepted or refused by one line, and no byte behind its end is read. */
START_TEST(fuzz)
{
    static const char alphabet[] = "- :\n#[],'\"s01\t&";
    unsigned state = 5;
    int taken = 0, refused = 0;
    for (int round = 0; round < 20000; round++) {
        char text[sizeof manual];
        struct topo_error error = {""};
        memcpy(text, manual, sizeof text);
        for (int change = 0; change <= round % 3; change++) {
            state = state * 1664525u + 1013904223u;
            text[(state >> 8) % (sizeof text - 1)] = alphabet[(state >> 20) % (sizeof alphabet - 1)];
        }
        if (round % 7 == 0)
            text[(state >> 4) % (sizeof text - 1)] = '\0';
        enum topo_status status = walk(text, &error);
        ck_assert_msg(status == TOPO_OK || (status == TOPO_PARSE && !strncmp(error.text, "t:", 2)), "%s: %d %s", text,
                      status, error.text);
        taken += status == TOPO_OK;
        refused += status != TOPO_OK;
    }
    ck_assert_msg(taken > 100 && refused > 100, "both happen: %d taken, %d refused", taken, refused);
}
END_TEST

static enum topo_status nothing(const struct topo_conf_line *line, void *context, struct topo_error *error)
{
    (void)line;
    (void)context;
    (void)error;
    return TOPO_OK;
}

START_TEST(out_of_memory)
{
    UNIT_OUT_OF_MEMORY(topo_yaml_walk(manual, strlen(manual), "t", nothing, NULL, NULL));
}
END_TEST

UNIT_MAIN("topology_yaml", {entries}, {bad_entries}, {the_visitor_ends_it}, {fuzz}, {out_of_memory})
