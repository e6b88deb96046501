/* Events that many ranks of a node bring about, or wait for, on lines of their own by groups of ranks
 * (patterns/node_groups.h): a rank raises and polls a line of its group alone, so that a line goes round among some 16
 * ranks whatever the node has, and one rank of each group goes on to a line of all groups.
 *
 * An event has some lines in a region, equal in number on all nodes of a communicator. It occurs again and again,
 * numbered modulo 2^32; no rank is at one number before all have added to the one before it. */
#ifndef TOPO_NODE_GROUP_FLAGS_H
#define TOPO_NODE_GROUP_FLAGS_H

#include "node/node.h"

/* An event that one rank tells all others. What it is about may lie beside the flags, up to TOPO_FLAG_BESIDE bytes: at
 * topo_group_beside(), from where topo_group_tell_beside() brings it to all groups. */
int topo_group_tell_lines(const struct topo_node *node);
void topo_group_tell(const struct topo_node *node, struct topo_flag *lines, uint32_t number);
void topo_group_tell_beside(const struct topo_node *node, struct topo_flag *lines, uint32_t number, size_t bytes);
void topo_group_tell_wait(const struct topo_node *node, struct topo_flag *lines, uint32_t number);

static inline char *topo_group_beside(const struct topo_node *node, struct topo_flag *lines)
{
    return lines[node->group.mine].beside;
}

/* An event that every rank adds to, once each time, and that one rank waits for. topo_group_count() is true on the rank
 * that is the last. */
int topo_group_count_lines(const struct topo_node *node);
bool topo_group_count(const struct topo_node *node, struct topo_flag *lines, uint32_t number);
void topo_group_count_wait(const struct topo_node *node, struct topo_flag *lines, uint32_t number);

/* An event that every rank adds to, once each time, and that all may wait for. In two halves: topo_group_meet_own() is
 * true on ranks that go on with topo_group_meet_all(), the last of each group, or all ranks of a node that is one
 * group. */
int topo_group_meet_lines(const struct topo_node *node);
bool topo_group_meet_own(const struct topo_node *node, struct topo_flag *lines, uint32_t number);
void topo_group_meet_all(const struct topo_node *node, struct topo_flag *lines, uint32_t number);
void topo_group_meet_wait(const struct topo_node *node, struct topo_flag *lines, uint32_t number);

/* In a new region, on every rank of the node: the event is as after number `number`; topo_group_tell() does it for one
 * that is told. */
void topo_group_count_begin(const struct topo_node *node, struct topo_flag *lines, uint32_t number);
void topo_group_meet_begin(const struct topo_node *node, struct topo_flag *lines, uint32_t number);

#endif
