/* Trees that need no job: made up, from a machine file, or of this machine. */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/memory.h"
#include "common/cli.h"
#include "machine/build.h"
#include "machine/hostlist.h"
#include "machine/names.h"
#include "machine/topology_conf.h"
#include "topo-dump/commands.h"
#include "topo-dump/view.h"

/* What the user gave is wrong, or something broke. */
static int complain(enum topo_status status, const char *about, const struct topo_error *error)
{
    bool theirs = status == TOPO_PARSE || status == TOPO_INVALID || status == TOPO_IO;
    return cli_fail(DUMP_TOOL, theirs ? CLI_USAGE : CLI_FAILED, "%s%s", about, error->text);
}

static int synthetic_tree(const struct dump_request *request, struct topo_tree **tree)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text text = {0};
    struct topo_error error = {""};
    enum topo_status status = TOPO_NOMEM;
    topo_text_add(&text, request->synthetic);
    if (request->placed)
        topo_text_add(&text, request->placement == TOPO_PLACEMENT_NODE ? " by:node" : " by:slot");
    if (!text.failed)
        status = topo_synthetic_tree(text.text, (int)request->ranks, tree, &error);
    return status == TOPO_OK ? CLI_OK : complain(status, "--synthetic: ", &error);
}

/* -- machine file ---------------------------------------------------------- */

static enum topo_status add_host(const char *name, size_t length, void *context)
{
    return topo_names_add(context, name, length) < 0 ? TOPO_NOMEM : TOPO_OK;
}

struct host_reader {
    const char *path;
    struct topo_names hosts;
};

static enum topo_status add_hosts(const struct topo_conf_line *line, void *context, struct topo_error *error)
{
    struct host_reader *reader = context;
    struct topo_error why = {"out of memory"};
    enum topo_status status = TOPO_OK;
    if (line->nodes.length)
        status = topo_hostlist_walk(line->nodes.text, line->nodes.length, add_host, &reader->hosts, &why);
    return status == TOPO_OK ? TOPO_OK : topo_fail(error, status, "%s:%d: %s", reader->path, line->line, why.text);
}

/* Deals `ranks` ranks to the hosts, as evenly as it goes. */
static void deal(const struct topo_names *hosts, int ranks, enum topo_placement placement, struct topo_place *places)
{
    int rank = 0;
    for (int host = 0; placement == TOPO_PLACEMENT_SLOT && host < hosts->count; host++) {
        int share = ranks / hosts->count + (host < ranks % hosts->count);
        for (int i = 0; i < share; i++, rank++)
            places[rank].host = topo_names_get(hosts, host);
    }
    for (; rank < ranks; rank++)
        places[rank].host = topo_names_get(hosts, rank % hosts->count);
    for (rank = 0; rank < ranks; rank++) {
        places[rank].slurm_address = "";
        places[rank].package = places[rank].numa = places[rank].l3 = places[rank].core = -1;
    }
}

static int file_tree(const struct dump_request *request, struct topo_tree **tree)
{
    struct host_reader reader = {.path = request->machine};
    TOPO_SCOPED struct topo_place *places = NULL;
    TOPO_SCOPED_BY(topo_text_free) struct topo_text spec = {0};
    struct topo_error error = {""};
    TOPO_SCOPED char *content = NULL;
    size_t length = 0;
    int result = CLI_OK;
    enum topo_status status = topo_read_file(request->machine, &content, &length, &error);
    if (status == TOPO_OK)
        status = topo_conf_walk(content, length, request->machine, add_hosts, &reader, &error);
    if (status == TOPO_OK && !reader.hosts.count)
        status =
            topo_fail(&error, TOPO_PARSE, "%s: it names no hosts; needed: SwitchName=... Nodes=...", request->machine);
    if (status == TOPO_OK) {
        int ranks = request->ranks ? (int)request->ranks : reader.hosts.count;
        places = topo_calloc((size_t)ranks, sizeof *places);
        topo_text_addf(&spec, "file:%s", request->machine);
        if (!places || spec.failed) {
            status = topo_fail(&error, TOPO_NOMEM, "out of memory for %d ranks", ranks);
        } else {
            deal(&reader.hosts, ranks, request->placement, places);
            status = topo_machine_build(spec.text, places, ranks, topo_environment, tree, &error);
        }
    }
    if (status != TOPO_OK)
        result = complain(status, "", &error);
    topo_names_free(&reader.hosts);
    return result;
}

/* -- this machine ---------------------------------------------------------- */

/* Keeps the first CPU of each core; how many there are. */
static int one_per_core(struct topo_place *places, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        bool known = places[i].core < 0;
        for (int k = 0; k < kept && !known; k++)
            known = places[k].core == places[i].core;
        if (!known)
            places[kept++] = places[i];
    }
    return kept;
}

static int this_machine(const struct dump_request *request, struct topo_tree **tree)
{
    struct topo_error error = {""};
    TOPO_SCOPED struct topo_place *places = NULL;
    TOPO_SCOPED cpu_set_t *sets = NULL;
    long configured = sysconf(_SC_NPROCESSORS_CONF);
    int cpus = configured > 0 && configured < CPU_SETSIZE ? (int)configured : CPU_SETSIZE, cores = 0;
    char host[256] = "";
    int result = CLI_OK;
    enum topo_status status = TOPO_NOMEM;
    places = topo_calloc((size_t)cpus, sizeof *places);
    sets = topo_calloc((size_t)cpus, sizeof *sets);
    if (places && sets) {
        for (int cpu = 0; cpu < cpus; cpu++)
            CPU_SET(cpu, &sets[cpu]);
        status = topo_hwloc_places((const unsigned char *)sets, sizeof *sets, cpus, places, &error);
        cores = one_per_core(places, cpus);
    }
    if (status == TOPO_OK && !cores)
        cores = 1; /* one CPU: nothing told it apart from others */
    if (status == TOPO_OK && request->ranks > cores)
        return cli_fail(DUMP_TOOL, CLI_USAGE, "--ranks %ld: this machine has %d cores; --synthetic can show more",
                        request->ranks, cores);
    if (request->ranks)
        cores = (int)request->ranks;
    if (gethostname(host, sizeof host - 1))
        snprintf(host, sizeof host, "localhost");
    for (int i = 0; i < cores && status == TOPO_OK; i++) {
        places[i].host = host;
        places[i].slurm_address = "";
    }
    if (status == TOPO_OK)
        status = topo_machine_build("auto", places, cores, topo_environment, tree, &error);
    if (status != TOPO_OK)
        result = complain(status, "", &error);
    return result;
}

int dump_offline_tree(const struct dump_request *request, struct topo_tree **tree)
{
    *tree = NULL;
    if (request->synthetic)
        return synthetic_tree(request, tree);
    if (request->machine)
        return file_tree(request, tree);
    return this_machine(request, tree);
}
