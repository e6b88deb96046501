/* METIS behind a wall.
 *
 * METIS calls srand() and rand(), catches SIGABRT and SIGTERM while it runs, and
 * prints to stdout when a part comes out empty. An application may also have a
 * METIS of its own, with other index sizes, whose symbols would capture our
 * calls or be captured by ours. So libmetis is not linked. It is loaded with
 * dlmopen() into a namespace of its own: its own C library, hence its own rand()
 * and stdout (pointed at /dev/null here); signal handlers belong to the whole
 * process and are put back. Where dlmopen() fails (no namespace left),
 * dlopen(RTLD_LOCAL | RTLD_DEEPBIND) keeps the symbols apart, and the state of
 * rand() is put back as well. */
#include "renumber/metis.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <metis.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config.h"

typedef int partition_function(idx_t *vertices, idx_t *constraints, idx_t *row, idx_t *neighbour, idx_t *vertex_weight,
                               idx_t *vertex_size, idx_t *weight, idx_t *parts, real_t *target, real_t *balance,
                               idx_t *options, idx_t *cut, idx_t *part);
typedef int defaults_function(idx_t *options);
typedef FILE *open_function(const char *path, const char *mode);

/* One way of having METIS. */
struct library {
    bool tried;
    partition_function *partition; /* NULL when it could not be loaded */
    defaults_function *defaults;
};

static struct {
    pthread_mutex_t lock;
    enum topo_metis_state best; /* ways before it are not allowed */
    struct library library[TOPO_METIS_MISSING];
    char why[256];
} metis = {.lock = PTHREAD_MUTEX_INITIALIZER, .why = "not allowed"};

/* The signals that METIS catches (GKlib: SIGMEM and SIGERR). */
static const int caught[] = {SIGABRT, SIGTERM};
enum { CAUGHT = sizeof caught / sizeof *caught };

/* What of the process METIS changes, to be put back. */
struct surroundings {
    struct sigaction action[CAUGHT];
    sigset_t mask;
    char random_state[128], *old_state;
};

static void leave(struct surroundings *around, enum topo_metis_state state)
{
    /* A SIGTERM meant for the application waits until its handler is back: METIS's
     * would swallow it. SIGABRT must get through, METIS raises it on itself when
     * memory runs out. */
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &term, &around->mask);
    for (int i = 0; i < CAUGHT; i++)
        sigaction(caught[i], NULL, &around->action[i]);
    around->old_state = NULL;
    if (state == TOPO_METIS_LOCAL)
        around->old_state = initstate(1, around->random_state, sizeof around->random_state);
}

static void come_back(struct surroundings *around)
{
    if (around->old_state)
        setstate(around->old_state);
    for (int i = 0; i < CAUGHT; i++)
        sigaction(caught[i], &around->action[i], NULL);
    pthread_sigmask(SIG_SETMASK, &around->mask, NULL);
}

/* Function pointers out of dlsym(), without a cast that ISO C does not know. */
static bool find(void *library, const char *name, void *function, size_t size)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, size);
    return symbol != NULL;
}

/* In a namespace of its own METIS prints through that namespace's stdout. */
static void silence(void *library)
{
    open_function *open_file = NULL;
    void *out = dlsym(library, "stdout"), *err = dlsym(library, "stderr");
    FILE *null = NULL;
    if (out && err && find(library, "fopen", &open_file, sizeof open_file))
        null = open_file("/dev/null", "w");
    if (null) {
        memcpy(out, &null, sizeof(FILE *));
        memcpy(err, &null, sizeof(FILE *));
    }
}

/* Whether the library has the index and real types of the header we were built
 * with. The wrong kind must not be noticed by a crash or by output: setting the
 * defaults writes as many bytes as its index type is wide, and the target shares
 * below are valid whether read as float or as double (the first two floats are
 * one double close to 0). */
static const char *unfit(const struct library *library)
{
    enum { VERTICES = 8 };
    static const float shares[4] = {0.25f, 0.75f, 0.0f, 0.0f};
    unsigned char options[2 * METIS_NOPTIONS * 8];
    idx_t row[VERTICES + 1], neighbour[2 * VERTICES], part[2 * VERTICES], set[METIS_NOPTIONS];
    idx_t vertices = VERTICES, constraints = 1, parts = 2, cut = 0, at = 0, small = 0;
    union {
        float f[4];
        double d[2];
    } target;
    size_t written = 0;
    memset(options, 0x55, sizeof options);
    library->defaults((idx_t *)(void *)options);
    while (written < sizeof options && options[written] == 0xff)
        written++;
    if (written != METIS_NOPTIONS * sizeof(idx_t))
        return "its indices are not as wide as those of the metis.h this library was built with";
    memcpy(target.f, shares, sizeof shares);
    target.d[1] = 1.0 - target.d[0];
    for (idx_t v = 0; v < VERTICES; v++) {
        row[v] = at;
        if (v > 0)
            neighbour[at++] = v - 1;
        if (v < VERTICES - 1)
            neighbour[at++] = v + 1;
    }
    row[VERTICES] = at;
    library->defaults(set);
    if (sizeof(real_t) != sizeof(float))
        target.d[0] = 0.25, target.d[1] = 0.75;
    if (library->partition(&vertices, &constraints, row, neighbour, NULL, NULL, NULL, &parts, (real_t *)(void *)&target,
                           NULL, set, &cut, part) != METIS_OK)
        return "it fails on a path of 8 vertices";
    for (int v = 0; v < VERTICES; v++)
        small += part[v] == 0;
    if (small != 2)
        return "its real numbers are not those of the metis.h this library was built with";
    return NULL;
}

/* The file behind the name and its links, as libmetis.so.5.1.0. */
static void say_file(void *handle, const char *name)
{
    char path[PATH_MAX];
    struct link_map *map = NULL;
    bool known = dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name && realpath(map->l_name, path);
    snprintf(metis.why, sizeof metis.why, "%.255s", known ? path : name);
}

/* Tries one way to load `file`. */
static bool load(const char *file, enum topo_metis_state state, struct library *library)
{
    struct surroundings around;
    const char *problem;
    void *handle = state == TOPO_METIS_OWN ? dlmopen(LM_ID_NEWLM, file, RTLD_NOW | RTLD_LOCAL)
                                           : dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (!handle) {
        const char *reason = dlerror();
        snprintf(metis.why, sizeof metis.why, "%s", reason ? reason : "no reason given");
        return false;
    }
    if (find(handle, "METIS_PartGraphRecursive", &library->partition, sizeof library->partition) &&
        find(handle, "METIS_SetDefaultOptions", &library->defaults, sizeof library->defaults)) {
        if (state == TOPO_METIS_OWN)
            silence(handle);
        leave(&around, state);
        problem = unfit(library);
        come_back(&around);
    } else {
        problem = "it is not METIS 5";
    }
    if (problem) {
        snprintf(metis.why, sizeof metis.why, "%s: %s", file, problem);
        library->partition = NULL;
        dlclose(handle);
        return false;
    }
    say_file(handle, file);
    return true;
}

/* The best way that works and is allowed; with the lock held. The file's own name
 * first (the loader's search path, as for a linked library), then where configure
 * saw it. */
static enum topo_metis_state loaded(void)
{
    static const char *const files[] = {TOPO_METIS_SONAME, TOPO_METIS_PATH};
    for (int state = metis.best; state < TOPO_METIS_MISSING; state++) {
        struct library *library = &metis.library[state];
        /* AddressSanitizer ends a program that uses RTLD_DEEPBIND. */
        if (state == TOPO_METIS_LOCAL && !library->tried && dlsym(RTLD_DEFAULT, "__asan_init")) {
            snprintf(metis.why, sizeof metis.why, "AddressSanitizer does not allow RTLD_DEEPBIND");
            library->tried = true;
        }
        for (int i = 0; i < 2 && !library->tried; i++)
            library->tried = load(files[i], state, library);
        library->tried = true;
        if (library->partition)
            return state;
    }
    return TOPO_METIS_MISSING;
}

enum topo_metis_state topo_metis_state(const char **why)
{
    pthread_mutex_lock(&metis.lock);
    enum topo_metis_state state = loaded();
    pthread_mutex_unlock(&metis.lock);
    if (why)
        *why = metis.why;
    return state;
}

void topo_metis_about(struct topo_text *out)
{
    pthread_mutex_lock(&metis.lock);
    bool loaded_one = false, tried = false;
    for (int state = 0; state < TOPO_METIS_MISSING; state++) {
        loaded_one = loaded_one || metis.library[state].partition;
        tried = tried || metis.library[state].tried;
    }
    topo_text_addf(out, "METIS %d.%d.%d (%s%s)", METIS_VER_MAJOR, METIS_VER_MINOR, METIS_VER_SUBMINOR,
                   tried && !loaded_one ? "missing: " : "", tried ? metis.why : "not loaded");
    pthread_mutex_unlock(&metis.lock);
}

void topo_metis_allow(enum topo_metis_state best)
{
    pthread_mutex_lock(&metis.lock);
    metis.best = best;
    pthread_mutex_unlock(&metis.lock);
}

/* The graph in METIS's types. Weights are scaled down so that no sum over the
 * graph, each edge from both ends, overflows; an edge keeps at least 1. */
struct copy {
    idx_t *row, *neighbour, *weight, *part;
    real_t *target;
};

static enum topo_status copy_graph(const struct topo_graph *graph, int parts, const int *sizes, struct copy *copy)
{
    int64_t edges = graph->row[graph->vertices], sum = 0;
    int shift = 0;
    bool equal = true;
    copy->row = topo_alloc((size_t)graph->vertices + 1, sizeof *copy->row);
    copy->neighbour = topo_alloc((size_t)edges, sizeof *copy->neighbour);
    copy->weight = topo_alloc((size_t)edges, sizeof *copy->weight);
    copy->target = topo_alloc((size_t)parts, sizeof *copy->target);
    if (sizeof *copy->part != sizeof(int))
        copy->part = topo_alloc((size_t)graph->vertices, sizeof *copy->part);
    if (!copy->row || !copy->neighbour || !copy->weight || !copy->target ||
        (!copy->part && sizeof *copy->part != sizeof(int)))
        return TOPO_NOMEM;
    for (int64_t e = 0; e < edges; e++)
        sum += graph->weight[e];
    while ((sum >> shift) + edges > INT_MAX)
        shift++;
    for (int v = 0; v <= graph->vertices; v++)
        copy->row[v] = (idx_t)graph->row[v];
    for (int64_t e = 0; e < edges; e++) {
        int64_t weight = graph->weight[e] >> shift;
        copy->neighbour[e] = graph->neighbour[e];
        copy->weight[e] = weight > 0 ? (idx_t)weight : 1;
    }
    for (int p = 0; p < parts; p++) {
        copy->target[p] = (real_t)((double)sizes[p] / graph->vertices);
        equal = equal && sizes[p] == sizes[0];
    }
    if (equal) {
        topo_free(copy->target); /* METIS's own 1/parts */
        copy->target = NULL;
    }
    return TOPO_OK;
}

/* In the application's own C library METIS may run only where it is known not to
 * print: it does when a part comes out empty, seen with parts of 3 vertices and
 * with a million vertices, never within these limits. */
enum { QUIET_PART = 4, QUIET_VERTICES = 32768 };

enum topo_status topo_metis_partition(const struct topo_graph *graph, int parts, const int *sizes, int seed, int *part,
                                      struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    struct copy copy = {0};
    struct surroundings around;
    idx_t options[METIS_NOPTIONS], vertices = graph->vertices, constraints = 1, wanted = parts, cut = 0;
    enum topo_metis_state state;
    int result = METIS_ERROR, smallest = INT_MAX;
    for (int p = 0; p < parts; p++)
        smallest = sizes[p] < smallest ? sizes[p] : smallest;
    if (graph->row[graph->vertices] > INT_MAX / 2)
        return topo_fail(error, TOPO_UNSUPPORTED, "METIS: %lld edges are too many for its indices",
                         (long long)graph->row[graph->vertices]);
    pthread_mutex_lock(&metis.lock);
    state = loaded();
    if (state == TOPO_METIS_MISSING) {
        status = topo_fail(error, TOPO_UNSUPPORTED, "METIS: %s", metis.why);
        goto out;
    }
    if (state == TOPO_METIS_LOCAL && (smallest < QUIET_PART || graph->vertices > QUIET_VERTICES)) {
        status = topo_fail(error, TOPO_UNSUPPORTED, "METIS: with %d vertices in parts of %d it might print to stdout",
                           graph->vertices, smallest);
        goto out;
    }
    status = copy_graph(graph, parts, sizes, &copy);
    if (status != TOPO_OK) {
        status = topo_fail(error, status, "METIS: out of memory for a graph of %d vertices", graph->vertices);
        goto out;
    }
    leave(&around, state);
    metis.library[state].defaults(options);
    options[METIS_OPTION_SEED] = seed;
    result = metis.library[state].partition(&vertices, &constraints, copy.row, copy.neighbour, NULL, NULL, copy.weight,
                                            &wanted, copy.target, NULL, options, &cut,
                                            copy.part ? copy.part : (idx_t *)(void *)part);
    come_back(&around);
    if (result == METIS_ERROR_MEMORY)
        status = topo_fail(error, TOPO_NOMEM, "METIS: out of memory for a graph of %d vertices", graph->vertices);
    else if (result != METIS_OK)
        status = topo_fail(error, TOPO_UNSUPPORTED, "METIS failed with code %d on a graph of %d vertices", result,
                           graph->vertices);
    else if (copy.part)
        for (int v = 0; v < graph->vertices; v++)
            part[v] = (int)copy.part[v];
out:
    pthread_mutex_unlock(&metis.lock);
    topo_free_all(copy.row, copy.neighbour, copy.weight, copy.target, copy.part);
    return status;
}
