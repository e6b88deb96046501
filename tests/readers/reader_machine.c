/* The machine of a job as a whole: what users and Slurm say of it. The input is
 *
 *   SPEC                            TOPOMPI_MACHINE; for "file:" the path of the file below is added
 *   NAME=VALUE                      an environment variable, any number of lines
 *   HOST ADDRESS [PACKAGE NUMA L3 CORE]      the place of a rank, "-" for no address
 *   %
 *   topology.conf */
#include "readers/readers.h"

#include "machine/build.h"

enum { RANKS_MAX = 64, SET_MAX = 8 };

static struct job {
    char spec[1024];
    const char *set[SET_MAX];
    int sets;
    struct topo_place places[RANKS_MAX];
    struct {
        char host[256], address[256];
    } names[RANKS_MAX];
    int ranks;
    char slurm_conf[512];
} job;

static const char *setting(const char *name)
{
    size_t length = strlen(name);
    if (!strcmp(name, "SLURM_CONF"))
        return job.slurm_conf;
    for (int i = 0; i < job.sets; i++)
        if (!strncmp(job.set[i], name, length) && job.set[i][length] == '=')
            return job.set[i] + length + 1;
    return NULL;
}

static void read_place(const char *line)
{
    struct topo_place *place = &job.places[job.ranks];
    char *host = job.names[job.ranks].host, *address = job.names[job.ranks].address;
    *place = (struct topo_place){host, address, .package = -1, .numa = -1, .l3 = -1, .core = -1};
    if (sscanf(line, "%255s %255s %9d %9d %9d %9d", host, address, &place->package, &place->numa, &place->l3,
               &place->core) < 1)
        return;
    if (!strcmp(address, "-"))
        *address = '\0';
    job.ranks++;
}

/* Fills the job; `text` is cut up. */
static void read_job(char *text)
{
    char *rest = text, *line, *spec = reader_line(&rest);
    bool file = !strcmp(spec, "file:"), ended = false;
    job = (struct job){0};
    while (!ended && (line = reader_line(&rest))) {
        ended = !strcmp(line, "%");
        if (strchr(line, '=') && job.sets < SET_MAX)
            job.set[job.sets++] = line;
        else if (!ended && job.ranks < RANKS_MAX)
            read_place(line);
    }
    const char *path = reader_file("topology.conf", rest ? rest : "", rest ? strlen(rest) : 0);
    snprintf(job.slurm_conf, sizeof job.slurm_conf, "%s/slurm.conf", reader_folder());
    snprintf(job.spec, sizeof job.spec, "%s%s", spec, file ? path : "");
    /* Nothing but the folder's own file is read. */
    if (!file && !strncmp(job.spec, "file:", 5))
        job.spec[5] = '\0';
    if (!job.ranks)
        read_place("n0");
}

static void check_tree(const struct topo_tree *tree)
{
    struct topo_error error = {""};
    struct topo_tree *again = NULL;
    MUST(tree->ranks == job.ranks, "%d ranks of %d", tree->ranks, job.ranks);
    MUST(topo_tree_check(tree, &error) == TOPO_OK, "%s", error.text);
    int *ints = malloc(topo_tree_packed_ints(tree) * sizeof *ints);
    topo_tree_pack(tree, ints);
    MUST(topo_tree_unpack(ints, topo_tree_packed_ints(tree), &again, &error) == TOPO_OK, "%s", error.text);
    MUST(topo_tree_equal(tree, again), "another tree comes out of the packed one");
    topo_tree_free(again);
    free(ints);
}

READER(machine)
{
    char *text = reader_text(data, size);
    struct topo_tree *tree = NULL;
    struct topo_error error = {""};
    read_job(text);
    enum topo_status status = topo_machine_build(job.spec, job.places, job.ranks, setting, &tree, &error);
    /* A note may stand beside a tree. */
    if (status != TOPO_OK)
        reader_status(status, &error);
    else if (error.text[0])
        reader_one_line(error.text);
    MUST((status == TOPO_OK) == (tree != NULL), "%s", topo_status_text(status));
    MUST(status == TOPO_OK || strcmp(job.spec, "auto") != 0, "auto fails: %s", error.text);
    if (tree)
        check_tree(tree);
    topo_tree_free(tree);
    reader_scarce(data, size);
    topo_machine_build(job.spec, job.places, job.ranks, setting, &tree, &error);
    reader_plenty();
    topo_tree_free(tree);
    free(text);
    reader_remove();
    return 0;
}
