#include "node/group_flags.h"

#include <string.h>

/* Lines of an event that is told: one of each group.
 * Lines of one that is counted: 0, of all groups; 1 .., of each group. The ranks of a node that is one group add to
 * line 0. Lines of one that all wait for: those of one that is counted, then those of one that is told; a node that is
 * one group polls line 0 itself. */

static bool has_groups(const struct topo_node *node)
{
    return node->group.groups > 1;
}

int topo_group_tell_lines(const struct topo_node *node)
{
    return node->group.groups_most;
}

int topo_group_count_lines(const struct topo_node *node)
{
    return node->group.groups_most > 1 ? 1 + node->group.groups_most : 1;
}

int topo_group_meet_lines(const struct topo_node *node)
{
    return topo_group_count_lines(node) + (node->group.groups_most > 1 ? topo_group_tell_lines(node) : 0);
}

void topo_group_tell(const struct topo_node *node, struct topo_flag *lines, uint32_t number)
{
    for (int group = 0; group < node->group.groups; group++)
        topo_flag_set(&lines[group], number);
}

void topo_group_tell_beside(const struct topo_node *node, struct topo_flag *lines, uint32_t number, size_t bytes)
{
    const char *payload = topo_group_beside(node, lines);
    for (int group = 0; group < node->group.groups; group++)
        if (group != node->group.mine)
            memcpy(lines[group].beside, payload, bytes);
    topo_group_tell(node, lines, number);
}

void topo_group_tell_wait(const struct topo_node *node, struct topo_flag *lines, uint32_t number)
{
    topo_flag_wait(&lines[node->group.mine], number, &node->wait_policy);
}

/* What is added to line 0 each time. */
static uint32_t parts(const struct topo_node *node)
{
    return (uint32_t)(has_groups(node) ? node->group.groups : node->ranks);
}

/* Adds to the group's line, if there is one; true on ranks that add to line 0. */
static bool count_own(const struct topo_node *node, struct topo_flag *lines, uint32_t number)
{
    const struct topo_node_group *group = &node->group;
    return !has_groups(node) || topo_flag_add(&lines[1 + group->mine], 1) == number * (uint32_t)group->ranks;
}

static bool count_all(const struct topo_node *node, struct topo_flag *lines, uint32_t number)
{
    return topo_flag_add(&lines[0], 1) == number * parts(node);
}

bool topo_group_count(const struct topo_node *node, struct topo_flag *lines, uint32_t number)
{
    return count_own(node, lines, number) && count_all(node, lines, number);
}

void topo_group_count_wait(const struct topo_node *node, struct topo_flag *lines, uint32_t number)
{
    topo_flag_wait(&lines[0], number * parts(node), &node->wait_policy);
}

bool topo_group_meet_own(const struct topo_node *node, struct topo_flag *lines, uint32_t number)
{
    return count_own(node, lines, number);
}

void topo_group_meet_all(const struct topo_node *node, struct topo_flag *lines, uint32_t number)
{
    if (count_all(node, lines, number) && has_groups(node))
        topo_group_tell(node, lines + topo_group_count_lines(node), number);
}

void topo_group_meet_wait(const struct topo_node *node, struct topo_flag *lines, uint32_t number)
{
    if (has_groups(node))
        topo_group_tell_wait(node, lines + topo_group_count_lines(node), number);
    else
        topo_group_count_wait(node, lines, number);
}

void topo_group_count_begin(const struct topo_node *node, struct topo_flag *lines, uint32_t number)
{
    topo_flag_set(&lines[0], number * parts(node));
    if (has_groups(node))
        topo_flag_set(&lines[1 + node->group.mine], number * (uint32_t)node->group.ranks);
}

void topo_group_meet_begin(const struct topo_node *node, struct topo_flag *lines, uint32_t number)
{
    topo_group_count_begin(node, lines, number);
    if (has_groups(node))
        topo_group_tell(node, lines + topo_group_count_lines(node), number);
}
