#include "unit.h"

#include <string.h>

#include "machine/topology_conf.h"

static struct topo_text seen;

static enum topo_status note(const struct topo_conf_line *line, void *context, struct topo_error *error)
{
    if (line->line == *(int *)context)
        return topo_fail(error, TOPO_IO, "enough");
    topo_text_addf(&seen, "%d:%s|%s|%s;", line->line, line->name.text, line->nodes.length ? line->nodes.text : "",
                   line->switches.length ? line->switches.text : "");
    return TOPO_OK;
}

static enum topo_status walk(const char *text, int stop, struct topo_error *error)
{
    topo_text_free(&seen);
    return topo_conf_walk(text, strlen(text), "t", note, &stop, error);
}

START_TEST(lines)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"\n\n# x\n", ""},
        {"SwitchName=s Nodes=a", "1:s|a|;"},
        {"blockname=b Nodes=a\nBlockSizes=4,8\n", "1:b|a|;2:4,8||;"},
        {"SwitchName=s Nodes=a\nSwitchName=t Switches=s\n", "1:s|a|;2:t||s;"},
        {"\n# c\n  switchname = s  NODES=a,b LinkSpeed=9 # d\n", "3:s|a,b|;"},
        {"SwitchName=s \\\nNodes=a\\\n,b\nSwitchName=t Nodes=c", "1:s|a,b|;4:t|c|;"},
        {"SwitchName=s Nodes=\"a b#c\" Switches=t\r\n", "1:s|a b#c|t;"},
        {"SwitchName=s Nodes=a\\\r\nb\r\nSwitchName=t Nodes=c\r\n", "1:s|ab|;3:t|c|;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topo_error error = {""};
        ck_assert_msg(walk(cases[i][0], 0, &error) == TOPO_OK, "'%s': %s", cases[i][0], error.text);
        ck_assert_str_eq(seen.length ? seen.text : "", cases[i][1]);
    }
}
END_TEST

START_TEST(bad_lines)
{
    static const char *const cases[][2] = {
        {"SwitchName=s", "t:1: neither Nodes nor Switches for switch 's'"},
        {"SwitchName=s Nodes=a\nNodes=b", "t:2: the line does not begin with SwitchName, BlockName or BlockSizes but with 'Nodes'"},
        {"SwitchName=s Nodes", "t:1: no '=' behind 'Nodes'"},
        {"SwitchName=s Nodes=", "t:1: no value for 'Nodes'"},
        {"SwitchName=s Nodes=\"a\nb\"", "t:1: no closing quote in the value of 'Nodes'"},
        {"SwitchName=a,b Nodes=n", "t:1: more than one name in SwitchName 'a,b'"},
        {"SwitchName=s Speed=1", "t:1: unknown key 'Speed'"},
        {"SwitchName=s SwitchName=t", "t:1: a second 'SwitchName'"},
        {"BlockName=b", "t:1: no Nodes for block 'b'"},
        {"BlockName=b Nodes=a Switches=s", "t:1: more than Nodes for block 'b'"},
        {"BlockName=b Nodes=a BlockSizes=4", "t:1: a second 'BlockSizes'"},
        {"BlockName=b,c Nodes=a", "t:1: more than one name in BlockName 'b,c'"},
        {"BlockSizes=4 Nodes=a", "t:1: more than the sizes behind BlockSizes '4'"},
        {"=", "t:1: not a key: '='"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topo_error error = {""};
        ck_assert_int_eq(walk(cases[i][0], 0, &error), TOPO_PARSE);
        ck_assert_msg(!strncmp(error.text, cases[i][1], strlen(cases[i][1])) && strstr(error.text, "; allowed: "),
                      "'%s': %s", cases[i][0], error.text);
    }
}
END_TEST

START_TEST(the_visitor_ends_it)
{
    struct topo_error error = {""};
    ck_assert_int_eq(walk("SwitchName=a Nodes=1\nSwitchName=b Nodes=2\nSwitchName=c Nodes=3\n", 2, &error), TOPO_IO);
    ck_assert_str_eq(error.text, "enough");
    ck_assert_str_eq(seen.text, "1:a|1|;");
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
    static const char text[] = "SwitchName=s Nodes=a LinkSpeed=1\nSwitchName=t Switches=s\n";
    UNIT_OUT_OF_MEMORY(topo_conf_walk(text, strlen(text), "t", nothing, NULL, NULL));
}
END_TEST

UNIT_MAIN("topology_conf", {lines}, {bad_lines}, {the_visitor_ends_it}, {out_of_memory})
