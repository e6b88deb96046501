#include "machine/slurm.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "machine/hostlist.h"
#include "machine/slurm_places.h"
#include "machine/topology_conf.h"
#include "machine/topology_yaml.h"

/* Bytes of short names: a million nodes of a long domain have 64 MB of them. */
enum { SHORT_NAMES_MAX = 1 << 28 };

static enum topo_status out_of_memory(const struct topo_slurm *slurm, struct topo_error *error)
{
    return topo_fail(error, TOPO_NOMEM, "%s: out of memory", slurm->origin);
}

/* Number of the name in `places`; a new one gets an empty place. -1 when memory is out. */
static int add_place(struct places *places, const char *name, size_t length)
{
    int count = places->names.count;
    if (!topo_grow(&places->place, (size_t)count, sizeof *places->place))
        return -1;
    int number = topo_names_add(&places->names, name, length);
    if (number == count)
        places->place[number] = (struct place){.parent = -1};
    return number;
}

/* What hang_below() needs to know beside the name. */
struct children {
    struct topo_slurm *slurm;
    struct places *places;
    int parent, line;
    bool explained; /* the error has its place in the file already */
    struct topo_error *error;
};

/* Visitor of a list of nodes or switches: each hangs below one switch. */
static enum topo_status hang_below(const char *name, size_t length, void *context)
{
    struct children *with = context;
    struct topo_slurm *slurm = with->slurm;
    int number = add_place(with->places, name, length);
    with->explained = true;
    if (number < 0)
        return out_of_memory(slurm, with->error);
    if (with->places->names.count > TOPO_HOSTLIST_MAX)
        return topo_fail(with->error, TOPO_PARSE, "%s:%d: too many %s; allowed: up to %d", slurm->origin, with->line,
                         with->places == &slurm->nodes ? "nodes" : "switches", TOPO_HOSTLIST_MAX);
    struct place *place = &with->places->place[number];
    if (place->parent >= 0)
        return topo_fail(with->error, TOPO_PARSE,
                         "%s:%d: %s %.80s is below %s %.80s already (line %d); allowed: one above each", slurm->origin,
                         with->line, with->places == &slurm->nodes ? "node" : "switch", name,
                         slurm->blocks_line ? "block" : "switch", topo_names_get(&slurm->switches.names, place->parent),
                         place->child_line);
    place->parent = with->parent;
    place->child_line = with->line;
    with->explained = false;
    return TOPO_OK;
}

static enum topo_status hang_list(struct topo_slurm *slurm, struct places *places, const struct topo_conf_line *line,
                                  const struct topo_text *list, int parent, struct topo_error *error)
{
    struct topo_error why = {""};
    struct children with = {slurm, places, parent, line->line, false, &why};
    enum topo_status status = topo_hostlist_walk(list->text, list->length, hang_below, &with, &why);
    if (status == TOPO_OK)
        return TOPO_OK;
    if (with.explained)
        return topo_fail(error, status, "%s", why.text);
    return topo_fail(error, status, "%s:%d: %s", slurm->origin, line->line, why.text);
}

static enum topo_status keep_sizes(struct topo_slurm *slurm, const struct topo_conf_line *line,
                                   struct topo_error *error)
{
    if (slurm->sizes_line)
        return topo_fail(error, TOPO_PARSE, "%s:%d: a second BlockSizes (line %d); allowed: one", slurm->origin,
                         line->line, slurm->sizes_line);
    slurm->sizes_line = line->line;
    topo_text_add(&slurm->sizes, line->name.text);
    return slurm->sizes.failed ? out_of_memory(slurm, error) : TOPO_OK;
}

/* One switch or block. */
static enum topo_status add_switch(struct topo_slurm *slurm, const struct topo_conf_line *line,
                                   struct topo_error *error)
{
    bool others = slurm->switches.names.count > 0;
    if (line->kind == TOPO_CONF_BLOCK ? others && !slurm->blocks_line : slurm->blocks_line > 0)
        return topo_fail(error, TOPO_PARSE, "%s:%d: switches and blocks in one topology; allowed: the one or the other",
                         slurm->origin, line->line);
    if (line->kind == TOPO_CONF_BLOCK && !others)
        slurm->blocks_line = line->line;
    int number = add_place(&slurm->switches, line->name.text, line->name.length);
    if (number < 0)
        return out_of_memory(slurm, error);
    struct place *place = &slurm->switches.place[number];
    if (place->line)
        return topo_fail(error, TOPO_PARSE, "%s:%d: %s %.80s is described twice (line %d); allowed: one line each",
                         slurm->origin, line->line, slurm->blocks_line ? "block" : "switch", line->name.text,
                         place->line);
    place->line = line->line;
    enum topo_status status = TOPO_OK;
    if (line->nodes.length)
        status = hang_list(slurm, &slurm->nodes, line, &line->nodes, number, error);
    if (status == TOPO_OK && line->switches.length)
        status = hang_list(slurm, &slurm->switches, line, &line->switches, number, error);
    return status;
}

/* Puts each `together` units of the level that begins at `first`, in the order of the file, below one of a new level.
 */
static enum topo_status aggregate(struct topo_slurm *slurm, int first, int together, struct topo_error *error)
{
    int end = slurm->switches.names.count;
    char name[64];
    for (int at = first; at < end; at++) {
        /* No block has a name with a comma. */
        snprintf(name, sizeof name, ",%d,%d", first, (at - first) / together);
        int number = add_place(&slurm->switches, name, strlen(name));
        if (number < 0)
            return out_of_memory(slurm, error);
        slurm->switches.place[number].line = slurm->sizes_line;
        slurm->switches.place[at].parent = number;
    }
    return TOPO_OK;
}

/* Blocks of several base blocks, by BlockSizes: the first size is that of a base block, each further one that times a
 * power of two, which says how many neighbours make a larger block (man topology.conf). */
static enum topo_status aggregate_blocks(struct topo_slurm *slurm, struct topo_error *error)
{
    long base = 0, before = 0, together = 1;
    int first = 0;
    for (char *at = slurm->sizes.text, *next; at; at = next) {
        long size;
        next = strchr(at, ',');
        if (next)
            *next++ = '\0';
        if (!topo_parse_long(at, 1, 1 << 30, &size) || size <= before ||
            (base && (size % base || ((size / base) & (size / base - 1)))))
            return topo_fail(
                error, TOPO_PARSE,
                "%s:%d: BlockSizes with '%.40s'; allowed: numbers of nodes that grow, each the first one times a "
                "power of two, such as BlockSizes=30,120",
                slurm->origin, slurm->sizes_line, at);
        if (base) {
            int end = slurm->switches.names.count;
            enum topo_status status = aggregate(slurm, first, (int)(size / base / together), error);
            if (status != TOPO_OK)
                return status;
            first = end;
            together = size / base;
        }
        base = base ? base : size;
        before = size;
    }
    return TOPO_OK;
}

/* Finds the depth of one switch and of all above it. */
static enum topo_status find_depth(struct topo_slurm *slurm, int number, struct topo_error *error)
{
    struct place *place = slurm->switches.place;
    int steps = 0, known = number;
    while (known >= 0 && !place[known].depth && steps <= slurm->switches.names.count) {
        steps++;
        known = place[known].parent;
    }
    if (steps > slurm->switches.names.count)
        return topo_fail(error, TOPO_PARSE, "%s:%d: switch %.80s is inside itself, through %.80s; allowed: a tree",
                         slurm->origin, place[known].line, topo_names_get(&slurm->switches.names, known),
                         topo_names_get(&slurm->switches.names, place[known].parent));
    int depth = steps + (known >= 0 ? place[known].depth : 0);
    for (int at = number; at != known; at = place[at].parent)
        place[at].depth = depth--;
    return TOPO_OK;
}

static enum topo_status check_switches(struct topo_slurm *slurm, struct topo_error *error)
{
    const struct topo_names *names = &slurm->switches.names;
    if (slurm->sizes_line && !slurm->blocks_line)
        return topo_fail(error, TOPO_PARSE,
                         "%s:%d: BlockSizes in a file of switches; allowed: with lines BlockName=...", slurm->origin,
                         slurm->sizes_line);
    enum topo_status aggregated = aggregate_blocks(slurm, error);
    if (aggregated != TOPO_OK)
        return aggregated;
    for (int i = 0; i < names->count; i++) {
        const struct place *place = &slurm->switches.place[i];
        if (!place->line)
            return topo_fail(error, TOPO_PARSE,
                             "%s:%d: switch %.80s is not described; needed: nodes or switches below it", slurm->origin,
                             place->child_line, topo_names_get(names, i));
        enum topo_status status = find_depth(slurm, i, error);
        if (status != TOPO_OK)
            return status;
    }
    for (int i = 0; i < slurm->nodes.names.count; i++) {
        const struct place *node = &slurm->nodes.place[i];
        int depth = slurm->switches.place[node->parent].depth;
        if (depth > TOPO_SWITCHES_MAX)
            return topo_fail(error, TOPO_PARSE, "%s:%d: node %.80s is below %d levels of switches; allowed: up to %d",
                             slurm->origin, node->child_line, topo_names_get(&slurm->nodes.names, i), depth,
                             TOPO_SWITCHES_MAX);
        slurm->depth = depth > slurm->depth ? depth : slurm->depth;
    }
    if (slurm->nodes.names.count == 0)
        return topo_fail(error, TOPO_PARSE, "%s: names no node; allowed: lines such as SwitchName=s0 Nodes=n[0-3]",
                         slurm->origin);
    return TOPO_OK;
}

/* Remembers n0 and n0.cluster for the node n0.cluster.org. */
static enum topo_status add_short_names(struct topo_slurm *slurm, struct topo_error *error)
{
    for (int node = 0; node < slurm->nodes.names.count; node++) {
        const char *name = topo_names_get(&slurm->nodes.names, node);
        for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
            int count = slurm->short_names.count;
            if (!topo_grow(&slurm->short_node, (size_t)count, sizeof *slurm->short_node))
                return out_of_memory(slurm, error);
            int number = topo_names_add(&slurm->short_names, name, (size_t)(dot - name));
            if (number < 0)
                return out_of_memory(slurm, error);
            if (slurm->short_names.used > SHORT_NAMES_MAX)
                return topo_fail(
                    error, TOPO_PARSE,
                    "%s:%d: too many domains in the names of nodes; allowed: short forms of up to %d bytes "
                    "together",
                    slurm->origin, slurm->nodes.place[node].child_line, SHORT_NAMES_MAX);
            slurm->short_node[number] = number == count ? node : TOPO_SLURM_AMBIGUOUS;
        }
    }
    return TOPO_OK;
}

/* While a file is read. */
struct reading {
    const char *origin;
    struct topo_slurm *first; /* what was read, the cluster's default first */
    struct topo_slurm *now;
    bool has_default, is_default; /* is_default: of `now` */
};

static enum topo_status begin_topology(struct reading *reading, struct topo_error *error)
{
    reading->now = topo_calloc(1, sizeof *reading->now);
    reading->is_default = false;
    if (!reading->now)
        return topo_fail(error, TOPO_NOMEM, "%s: out of memory", reading->origin);
    reading->now->origin = reading->origin;
    return TOPO_OK;
}

/* Keeps it, unless it has no switch, as a flat one. */
static enum topo_status end_topology(struct reading *reading, struct topo_error *error)
{
    struct topo_slurm *slurm = TOPO_KEPT(reading->now), **at = &reading->first;
    bool empty = !slurm || !slurm->switches.names.count;
    enum topo_status status = empty ? TOPO_OK : check_switches(slurm, error);
    if (status == TOPO_OK && !empty)
        status = add_short_names(slurm, error);
    if (status != TOPO_OK || empty) {
        topo_slurm_free(slurm);
        return status;
    }
    slurm->origin = NULL;
    topo_text_free(&slurm->sizes);
    while (*at && (reading->has_default || !reading->is_default))
        at = &(*at)->next;
    reading->has_default |= reading->is_default;
    slurm->next = *at;
    *at = slurm;
    return TOPO_OK;
}

/* Visitor of a file. */
static enum topo_status add_line(const struct topo_conf_line *line, void *context, struct topo_error *error)
{
    struct reading *reading = context;
    enum topo_status status;
    switch (line->kind) {
    case TOPO_CONF_TOPOLOGY:
        status = end_topology(reading, error);
        return status == TOPO_OK ? begin_topology(reading, error) : status;
    case TOPO_CONF_DEFAULT: reading->is_default = true; return TOPO_OK;
    case TOPO_CONF_SIZES: return keep_sizes(reading->now, line, error);
    default: return add_switch(reading->now, line, error);
    }
}

enum topo_status topo_slurm_parse(const char *text, size_t length, const char *origin, struct topo_slurm **out,
                                  struct topo_error *error)
{
    struct reading reading = {.origin = origin};
    const char *dot = strrchr(origin, '.');
    bool yaml = dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
    *out = NULL;
    enum topo_status status = begin_topology(&reading, error);
    if (status == TOPO_OK)
        status = (yaml ? topo_yaml_walk : topo_conf_walk)(text, length, origin, add_line, &reading, error);
    if (status == TOPO_OK)
        status = end_topology(&reading, error);
    if (status == TOPO_OK && !reading.first)
        status = topo_fail(error, TOPO_PARSE, "%s: describes no switch; allowed: %s", origin,
                           yaml ? "topologies with tree: or block:"
                                : "lines such as SwitchName=s0 Nodes=n[0-3] or BlockName=b0 Nodes=n[0-3]");
    topo_slurm_free(reading.now);
    if (status != TOPO_OK)
        topo_slurm_free(reading.first);
    else
        *out = reading.first;
    return status;
}

enum topo_status topo_slurm_read(const char *path, struct topo_slurm **slurm, struct topo_error *error)
{
    TOPO_SCOPED char *content = NULL;
    size_t length;
    *slurm = NULL;
    enum topo_status status = topo_read_file(path, &content, &length, error);
    if (status == TOPO_OK)
        status = topo_slurm_parse(content, length, path, slurm, error);
    return status;
}
