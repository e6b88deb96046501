#include "machine/build.h"

#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "machine/slurm.h"
#include "machine/switches.h"
#include "machine/synthetic.h"

/* Levels inside a node, below NODE. */
enum { INNER = TOPO_LEVEL_KINDS - 1 - TOPO_LEVEL_NODE };

static const char variable[] = "TOPOMPI_MACHINE";
static const char default_folder[] = "/etc/slurm";

static enum topo_status find_hosts(const struct topo_place *places, int ranks, struct topo_hosts *hosts,
                                   struct topo_error *error)
{
    hosts->ranks = ranks;
    hosts->places = places;
    hosts->host = topo_alloc((size_t)ranks, sizeof *hosts->host);
    hosts->first_rank = topo_alloc((size_t)ranks, sizeof *hosts->first_rank);
    bool failed = !hosts->host || !hosts->first_rank;
    for (int rank = 0; !failed && rank < ranks; rank++) {
        const char *name = places[rank].host;
        if (rank && !strcmp(name, places[rank - 1].host)) {
            hosts->host[rank] = hosts->host[rank - 1];
            continue;
        }
        int before = hosts->names.count, host = topo_names_add(&hosts->names, name, strlen(name));
        if (host == before)
            hosts->first_rank[host] = rank;
        hosts->host[rank] = host;
        failed = host < 0;
    }
    return failed ? topo_fail(error, TOPO_NOMEM, "out of memory for the hosts of %d ranks", ranks) : TOPO_OK;
}

static void hosts_free(struct topo_hosts *hosts)
{
    topo_names_free(&hosts->names);
    topo_free(hosts->host);
    topo_free(hosts->first_rank);
}

/* One level inside the nodes: the unit numbers of all ranks. */
static int inner_number(const struct topo_place *place, int inner)
{
    switch (inner) {
    case 0: return place->package;
    case 1: return place->numa;
    case 2: return place->l3;
    default: return place->core;
    }
}

/* Fills the ids of one level inside the nodes. Where no rank of a node is bound
 * that closely the level does not split the node; where some are, each of the
 * others is alone, because it is not known to share anything. */
static void fill_inner(const struct topo_hosts *hosts, int inner, unsigned char *bound, int *ids)
{
    memset(bound, 0, (size_t)hosts->names.count);
    for (int rank = 0; rank < hosts->ranks; rank++)
        if (inner_number(&hosts->places[rank], inner) >= 0)
            bound[hosts->host[rank]] = 1;
    for (int rank = 0; rank < hosts->ranks; rank++) {
        int number = inner_number(&hosts->places[rank], inner);
        ids[rank] = number >= 0 ? number : bound[hosts->host[rank]] ? -2 - rank : -1;
    }
}

static enum topo_status make_tree(const struct topo_hosts *hosts, const struct topo_switches *switches,
                                  struct topo_tree **tree, struct topo_error *error)
{
    enum topo_level_kind kind[TOPO_LEVELS_MAX];
    int levels = switches->depth + 1 + INNER;
    size_t row = (size_t)hosts->ranks;
    TOPO_SCOPED int *ids = topo_alloc((size_t)levels * row, sizeof *ids);
    TOPO_SCOPED unsigned char *bound = topo_alloc((size_t)hosts->names.count, 1);
    if (!ids || !bound)
        return topo_fail(error, TOPO_NOMEM, "out of memory for a tree of %d ranks and %d levels", hosts->ranks, levels);
    for (int level = 0; level < switches->depth; level++) {
        kind[level] = TOPO_LEVEL_SWITCH;
        for (size_t rank = 0; rank < row; rank++)
            ids[(size_t)level * row + rank] =
                switches->ids[(size_t)hosts->host[rank] * (size_t)switches->depth + (size_t)level];
    }
    int *node = ids + (size_t)switches->depth * row;
    kind[switches->depth] = TOPO_LEVEL_NODE;
    for (size_t rank = 0; rank < row; rank++)
        node[rank] = switches->node ? switches->node[hosts->host[rank]] : hosts->host[rank];
    for (int inner = 0; inner < INNER; inner++) {
        kind[switches->depth + 1 + inner] = (enum topo_level_kind)(TOPO_LEVEL_NODE + 1 + inner);
        fill_inner(hosts, inner, bound, node + (size_t)(1 + inner) * row);
    }
    return topo_tree_new(hosts->ranks, levels, kind, ids, tree, error);
}

/* Place of topology.yaml, or, where there is none, as Slurm does, of topology.conf: beside slurm.conf. */
static enum topo_status topology_path(const char *(*getenv_like)(const char *name), struct topo_text *path,
                                      struct topo_error *error)
{
    static const char *const names[] = {"topology.yaml", "topology.conf"};
    const char *conf = getenv_like("SLURM_CONF"), *slash = conf ? strrchr(conf, '/') : NULL;
    for (int i = 0; i < 2 && (i == 0 || (path->text && access(path->text, F_OK) != 0)); i++) {
        topo_text_free(path);
        topo_text_addf(path, "%.*s/%s", slash ? (int)(slash - conf) : (int)sizeof default_folder - 1,
                       slash ? conf : default_folder, names[i]);
    }
    return path->failed ? topo_fail(error, TOPO_NOMEM, "out of memory for the path of topology.conf") : TOPO_OK;
}

/* Switches as Slurm knows them. `needed`: none is an error, otherwise a note. */
static enum topo_status ask_slurm(const struct topo_hosts *hosts, const char *(*getenv_like)(const char *name),
                                  bool needed, struct topo_switches *switches, struct topo_error *error)
{
    struct topo_error address_error = {""}, file_error = {""};
    struct topo_text path = {0};
    bool any_address = false, inside = getenv_like("SLURM_JOB_ID") || getenv_like("SLURM_JOBID");
    for (int rank = 0; !any_address && rank < hosts->ranks; rank++)
        any_address = hosts->places[rank].slurm_address[0];
    if (!any_address && !inside && !needed)
        return TOPO_OK;
    enum topo_status status = topo_switches_from_addresses(hosts, switches, &address_error);
    if (status != TOPO_UNSUPPORTED)
        return status == TOPO_OK ? TOPO_OK : topo_fail(error, status, "%s", address_error.text);
    status = topology_path(getenv_like, &path, error);
    if (status == TOPO_OK && (needed || (inside && access(path.text, R_OK) == 0)))
        status = topo_switches_from_file(path.text, needed ? "TOPOMPI_MACHINE=slurm" : "TOPOMPI_MACHINE=auto", hosts,
                                         switches, &file_error);
    topo_text_free(&path);
    if (status == TOPO_NOMEM && file_error.text[0])
        return topo_fail(error, status, "%s", file_error.text);
    if (needed && status == TOPO_IO)
        return topo_fail(error, status, "%s, and %s; needed: a topology from Slurm", file_error.text,
                         address_error.text);
    if (needed && status != TOPO_OK)
        return topo_fail(error, status, "%s", file_error.text);
    if (!needed && status != TOPO_NOMEM) {
        /* Only a note: the tree ends at the nodes. */
        if (file_error.text[0])
            topo_fail(error, TOPO_OK, "no switches from Slurm: %s", file_error.text);
        else if (any_address && !switches->depth)
            topo_fail(error, TOPO_OK, "no switches from Slurm: %s", address_error.text);
        status = TOPO_OK;
    }
    return status;
}

/* The rest of `spec` behind `prefix`, NULL when it begins otherwise. */
static const char *behind(const char *spec, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(spec, prefix, length) ? NULL : spec + length;
}

bool topo_machine_is_synthetic(const char *spec)
{
    return behind(spec, "synthetic:");
}

static enum topo_status build_synthetic(const char *text, int ranks, struct topo_tree **tree, struct topo_error *error)
{
    struct topo_error why = {""};
    enum topo_status status = topo_synthetic_tree(text, ranks, tree, &why);
    return status == TOPO_OK ? TOPO_OK : topo_fail(error, status, "%s=synthetic: %s", variable, why.text);
}

static enum topo_status build_file(const char *path, const struct topo_hosts *hosts, struct topo_switches *switches,
                                   struct topo_error *error)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text begin = {0};
    topo_text_addf(&begin, "%s=file:%.200s", variable, path);
    return begin.failed ? topo_fail(error, TOPO_NOMEM, "out of memory for a message")
                        : topo_switches_from_file(path, begin.text, hosts, switches, error);
}

enum topo_status topo_machine_build(const char *spec, const struct topo_place *places, int ranks,
                                    const char *(*getenv_like)(const char *name), struct topo_tree **tree,
                                    struct topo_error *error)
{
    TOPO_SCOPED_BY(hosts_free) struct topo_hosts hosts = {0};
    TOPO_SCOPED_BY(topo_switches_free) struct topo_switches switches = {0};
    const char *synthetic = behind(spec, "synthetic:"), *path = behind(spec, "file:");
    bool automatic = !strcmp(spec, "auto");
    *tree = NULL;
    if (error)
        error->text[0] = '\0';
    if (synthetic)
        return build_synthetic(synthetic, ranks, tree, error);
    if (!automatic && strcmp(spec, "slurm") != 0 && (!path || !*path))
        return topo_fail(error, TOPO_PARSE, "%s=%.80s: %s; allowed: auto | slurm | file:PATH | synthetic:TEXT",
                         variable, spec, path ? "no path" : "unknown value");
    enum topo_status status = find_hosts(places, ranks, &hosts, error);
    if (status == TOPO_OK)
        status = path ? build_file(path, &hosts, &switches, error)
                      : ask_slurm(&hosts, getenv_like, !automatic, &switches, error);
    if (status == TOPO_OK)
        status = make_tree(&hosts, &switches, tree, error);
    return status;
}
