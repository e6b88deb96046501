#include "machine/switches.h"

#include <string.h>

#include "base/memory.h"
#include "machine/address.h"
#include "machine/slurm.h"

static enum topo_status out_of_memory(const struct topo_hosts *hosts, struct topo_error *error)
{
    return topo_fail(error, TOPO_NOMEM, "out of memory for the switches above %d hosts", hosts->names.count);
}

void topo_switches_free(struct topo_switches *switches)
{
    topo_free(switches->ids);
    topo_free(switches->node);
    *switches = (struct topo_switches){0};
}

/* The switches above each host by one topology. */
static enum topo_status fill_switches(const struct topo_slurm *slurm, const char *path, const char *variable,
                                      const struct topo_hosts *hosts, struct topo_switches *switches,
                                      struct topo_error *error)
{
    size_t count = (size_t)hosts->names.count;
    switches->depth = topo_slurm_depth(slurm);
    switches->ids = topo_alloc(count * (size_t)switches->depth, sizeof *switches->ids);
    switches->node = topo_alloc(count, sizeof *switches->node);
    if (!switches->ids || !switches->node)
        return out_of_memory(hosts, error);
    for (int host = 0; host < hosts->names.count; host++) {
        const char *name = topo_names_get(&hosts->names, host);
        int node = topo_slurm_find(slurm, name);
        if (node < 0)
            return topo_fail(error, TOPO_PARSE, "%s: host %.80s (rank %d) %s %s; allowed: one line with each host",
                             variable, name, hosts->first_rank[host],
                             node == TOPO_SLURM_MISSING ? "is missing in" : "fits several nodes of", path);
        switches->node[host] = node;
        topo_slurm_switches(slurm, node, switches->ids + (size_t)host * (size_t)switches->depth);
    }
    return TOPO_OK;
}

enum topo_status topo_switches_from_file(const char *path, const char *variable, const struct topo_hosts *hosts,
                                         struct topo_switches *switches, struct topo_error *error)
{
    struct topo_slurm *slurm = NULL;
    struct topo_error why = {""};
    *switches = (struct topo_switches){0};
    enum topo_status status = topo_slurm_read(path, &slurm, &why);
    if (status != TOPO_OK)
        return status == TOPO_PARSE ? topo_fail(error, status, "%s", why.text)
                                    : topo_fail(error, status, "%s: %s", variable, why.text);
    status = fill_switches(slurm, path, variable, hosts, switches, error);
    for (const struct topo_slurm *each = topo_slurm_next(slurm); each && status == TOPO_PARSE;
         each = topo_slurm_next(each)) {
        topo_switches_free(switches);
        status = fill_switches(each, path, variable, hosts, switches, &why);
        if (status == TOPO_NOMEM)
            topo_fail(error, status, "%s", why.text);
    }
    topo_slurm_free(slurm);
    if (status != TOPO_OK)
        topo_switches_free(switches);
    else if (error)
        error->text[0] = '\0';
    return status;
}

/* True when one address belongs to one host and the other way round. */
static enum topo_status check_addresses(const struct topo_hosts *hosts, struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    struct topo_names seen = {0};
    for (int rank = 0; status == TOPO_OK && rank < hosts->ranks; rank++) {
        const char *address = hosts->places[rank].slurm_address;
        int host = hosts->host[rank], first = hosts->first_rank[host], before = seen.count;
        if (!*address)
            status = topo_fail(error, TOPO_UNSUPPORTED, "SLURM_TOPOLOGY_ADDR is not set on host %.80s (rank %d)",
                               topo_names_get(&hosts->names, host), rank);
        else if (rank != first && strcmp(address, hosts->places[first].slurm_address) != 0)
            status =
                topo_fail(error, TOPO_UNSUPPORTED, "SLURM_TOPOLOGY_ADDR differs between ranks %d and %d of host %.80s",
                          first, rank, topo_names_get(&hosts->names, host));
        else if (rank == first && topo_names_add(&seen, address, strlen(address)) < 0)
            status = out_of_memory(hosts, error);
        else if (rank == first && seen.count == before)
            status = topo_fail(error, TOPO_UNSUPPORTED, "SLURM_TOPOLOGY_ADDR=%.80s is set on several hosts", address);
    }
    topo_names_free(&seen);
    return status;
}

/* Fills one host's ids. A host with fewer switches than others repeats its own. */
static enum topo_status fill_ids(const struct topo_hosts *hosts, int host, struct topo_names *parts, int depth,
                                 int *ids, struct topo_error *error)
{
    const char *address = hosts->places[hosts->first_rank[host]].slurm_address;
    size_t first[TOPO_SWITCHES_MAX], length[TOPO_SWITCHES_MAX];
    int switches = topo_address_switches(address, topo_names_get(&hosts->names, host), depth, first, length);
    /* A host below no switch shares none. */
    int id = -1 - host;
    for (int level = 0; level < depth; level++) {
        if (level < switches) {
            id = topo_names_add(parts, address + first[level], length[level]);
            if (id < 0)
                return out_of_memory(hosts, error);
        } else if (level && level == switches) {
            /* A number of its own, so that a switch below it that bears the same name stays apart. */
            id = -1 - hosts->names.count - id;
        }
        ids[level] = id;
    }
    return TOPO_OK;
}

enum topo_status topo_switches_from_addresses(const struct topo_hosts *hosts, struct topo_switches *switches,
                                              struct topo_error *error)
{
    struct topo_names parts = {0};
    size_t first[TOPO_SWITCHES_MAX], length[TOPO_SWITCHES_MAX];
    int depth = 0;
    *switches = (struct topo_switches){0};
    enum topo_status status = check_addresses(hosts, error);
    if (status != TOPO_OK)
        return status;
    for (int host = 0; host < hosts->names.count; host++) {
        const char *address = hosts->places[hosts->first_rank[host]].slurm_address;
        int here =
            topo_address_switches(address, topo_names_get(&hosts->names, host), TOPO_SWITCHES_MAX, first, length);
        if (here > TOPO_SWITCHES_MAX)
            return topo_fail(error, TOPO_UNSUPPORTED, "SLURM_TOPOLOGY_ADDR=%.80s: more than %d levels of switches",
                             address, TOPO_SWITCHES_MAX);
        depth = here > depth ? here : depth;
    }
    if (depth == 0)
        return topo_fail(error, TOPO_UNSUPPORTED, "SLURM_TOPOLOGY_ADDR names no switches");
    switches->depth = depth;
    switches->ids = topo_alloc((size_t)hosts->names.count * (size_t)depth, sizeof *switches->ids);
    if (!switches->ids)
        status = out_of_memory(hosts, error);
    for (int host = 0; status == TOPO_OK && host < hosts->names.count; host++)
        status = fill_ids(hosts, host, &parts, depth, switches->ids + (size_t)host * (size_t)depth, error);
    topo_names_free(&parts);
    if (status != TOPO_OK)
        topo_switches_free(switches);
    return status;
}
