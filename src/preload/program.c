#include "preload/program.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/log.h"
#include "catalog/flag.h"
#include "topompi.h"

#define CORE_FILE "libtopompi-core.so"

static void *mpi;          /* the object of the program's MPI library */
static void *_Atomic core; /* ours; NULL: every call goes on to the program's */

/* -- objects -- */

static const void *base_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Do `symbol` and what it would be called by belong to us? A look-up must not lead back here. */
static bool is_ours(const void *symbol)
{
    static const void *own, *cores;
    const void *base = base_of(symbol);
    own = own ? own : base_of(&mpi);
    cores = !cores && core ? base_of(dlsym(core, "topo_core_start")) : cores;
    return base && (base == own || base == cores);
}

/* The loaded object that `address` lies in, to be closed; NULL when it is none. The program itself has no name for
 * dlopen(). */
static void *object_of(const void *address)
{
    Dl_info info;
    void *object;
    if (!address || !dladdr(address, &info) || !info.dli_fname)
        return NULL;
    object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!object) {
        dlerror(); /* or the program would find what failed in here */
        object = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);
    }
    return object;
}

/* `name` in an object and those that it needs. */
static void *find_in(void *object, const char *name)
{
    void *symbol = object ? dlsym(object, name) : NULL;
    return symbol && !is_ours(symbol) ? symbol : NULL;
}

struct visit {
    int left; /* objects until the one that is wanted */
    char path[PATH_MAX];
};

static int visit_one(struct dl_phdr_info *info, size_t size, void *context)
{
    struct visit *visit = context;
    (void)size;
    if (visit->left-- > 0)
        return 0;
    snprintf(visit->path, sizeof visit->path, "%s", info->dlpi_name);
    return 1;
}

/* `name` in the objects that are loaded and what these need, from number *at on; *at becomes the one after. NULL: no
 * more of them has it. */
static void *find_further(int *at, const char *name)
{
    struct visit visit;
    void *symbol = NULL;
    while (!symbol) {
        visit.left = (*at)++;
        if (!dl_iterate_phdr(visit_one, &visit))
            return NULL;
        void *object = *visit.path ? dlopen(visit.path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        symbol = find_in(object, name);
        if (object)
            dlclose(object);
    }
    return symbol;
}

/* `name` in any object that is loaded. */
static void *find_anywhere(const char *name)
{
    int at = 0;
    return find_further(&at, name);
}

/* `name` as the caller would have got it without us: from the libraries that everyone sees, after this one; else from
 * those that the caller needs, which the program may have opened privately, as Python does. */
static void *find(const char *name, const void *caller)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    if (!symbol) {
        void *object = object_of(caller);
        symbol = find_in(object, name);
        if (object)
            dlclose(object);
    }
    if (!symbol)
        symbol = find_in(mpi, name);
    return symbol ? symbol : find_anywhere(name);
}

static topo_symbol *as_function(void *object)
{
    union {
        void *object;
        topo_symbol *function;
    } symbol = {object};
    return symbol.function;
}

static topo_symbol *find_function(const char *name, const void *caller)
{
    void *symbol = find(name, caller);
    if (!symbol) {
        topo_say("no %s in the libraries of this program", name);
        abort();
    }
    return as_function(symbol);
}

topo_symbol *topo_program_next(const char *name, const void *caller)
{
    return find_function(name, caller);
}

/* libmpi.so of Open MPI is not among them: it calls no function by its name, so a call from there is that of a callback
 * of the program that ends in it. */
static const char *const callers[] = {TOPO_MPI_CALLERS};

static bool is_mpis(const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++)
        if (!strncmp(file, callers[i], strlen(callers[i])))
            return true;
    return false;
}

bool topo_program_is_mpis(const void *caller)
{
    /* By pages, as objects share none: page and answer. An object once seen stays, so that no other comes to lie there.
     */
    enum { PAGE = 4096, PAGES = 256 };
    static atomic_uintptr_t known[PAGES];
    uintptr_t page = (uintptr_t)caller / PAGE, word = atomic_load_explicit(&known[page % PAGES], memory_order_relaxed);
    Dl_info info;
    if (word / 2 == page)
        return word % 2;
    if (!dladdr(caller, &info) || !info.dli_fname || !object_of(caller))
        return false;
    bool is = is_mpis(info.dli_fname) || is_ours(caller);
    atomic_store_explicit(&known[page % PAGES], 2 * page + is, memory_order_relaxed);
    return is;
}

/* -- the core -- */

/* For the core: the MPI library's function of this name, and the next one. */
static topo_symbol *own(const char *name)
{
    void *symbol = find_in(mpi, name);
    return symbol ? as_function(symbol) : find_function(name, NULL);
}

static topo_symbol *next(const char *name)
{
    return find_function(name, NULL);
}

/* A hexadecimal number of at least one digit at **text, which moves behind it; without sscanf() and strtoul(), whose
 * symbols differ from C library to C library. */
static bool read_address(const char **text, uintptr_t *address)
{
    static const char digits[] = "0123456789abcdef";
    const char *start = *text, *digit;
    for (*address = 0; **text && (digit = strchr(digits, **text)); (*text)++)
        *address = *address * 16 + (uintptr_t)(digit - digits);
    return *text > start;
}

/* The folder that this library lies in, wherever links lead and the working directory is by now; without /proc, as it
 * was named. */
static bool own_folder(char *folder, size_t size)
{
    char line[PATH_MAX + 128];
    static const char here[] = "read-only, so in the file's own mapping";
    uintptr_t start, end, at = (uintptr_t)here;
    Dl_info info;
    FILE *maps = fopen("/proc/self/maps", "re");
    const char *path = NULL;
    while (maps && !path && fgets(line, sizeof line, maps)) {
        const char *text = line;
        if (read_address(&text, &start) && *text++ == '-' && read_address(&text, &end) && start <= at && at < end)
            path = strchr(line, '/');
    }
    if (maps)
        fclose(maps);
    if (!path && dladdr(here, &info))
        path = info.dli_fname;
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash && (size_t)snprintf(folder, size, "%.*s", (int)(slash - path), path) < size;
}

/* One rank of the job is to speak, where the launcher gave it a number that we know. */
static bool speaks(void)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",   "PMI_RANK",
                                        "MV2_COMM_WORLD_RANK",  "PALS_RANKID", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        if (topo_environment(ranks[i]))
            return !strcmp(topo_environment(ranks[i]), "0");
    return true;
}

static void say_foreign(const void *init)
{
    Dl_info info;
    const char *path = dladdr(init, &info) && info.dli_fname ? info.dli_fname : "?", *slash = strrchr(path, '/');
    if (speaks())
        topo_say("the MPI library of this program is %s, not the " TOPO_MPI_NAME " that TopoMPI was built with; "
                 "every call passes through",
                 slash ? slash + 1 : path);
}

/* Loads the core; NULL when it cannot be, which is said. */
static void *load_core(void)
{
    char path[PATH_MAX], folder[PATH_MAX - sizeof CORE_FILE - 1] = "";
    own_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/%s", folder, CORE_FILE);
    void *object = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    const char *version = object ? dlsym(object, "topo_core_version") : NULL;
    if (version && !strcmp(version, TOPOMPI_VERSION))
        return object;
    if (speaks())
        topo_say("%s; the job runs natively",
                 object ? "libtopompi.so and " CORE_FILE " are of two versions" : dlerror());
    return NULL;
}

/* Looks which MPI the program has; false when there is none yet. */
static bool look(const void *caller)
{
    bool wanted = topo_flag_wanted(topo_environment("TOPOMPI"), topo_environment("TOPOMPI_STATS"),
                                   topo_environment("TOPOMPI_VERBOSE"), topo_environment("TOPOMPI_TRACE"));
    void *init = find("PMPI_Init", caller);
    mpi = object_of(init);
    if (!init || !wanted)
        return init != NULL;
    if (!find_in(mpi, TOPO_MPI_SYMBOL)) {
        say_foreign(init);
        return true;
    }
    void *object = load_core(), *brought = object ? dlsym(object, TOPO_MPI_SYMBOL) : NULL; /* MPICH's core needs none */
    if (brought && brought != find_in(mpi, TOPO_MPI_SYMBOL)) {
        say_foreign(init);
    } else if (object) {
        ((void (*)(topo_symbol * (*)(const char *), topo_symbol * (*)(const char *), void *(*)(int *, const char *)))
             as_function(dlsym(object, "topo_core_start")))(own, next, find_further);
        atomic_store_explicit(&core, object, memory_order_release);
    }
    return true;
}

static void look_once(const void *caller)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool looked;
    pthread_mutex_lock(&lock);
    if (!looked)
        looked = look(caller);
    pthread_mutex_unlock(&lock);
}

topo_symbol *topo_program_core(const char *name)
{
    void *object = atomic_load_explicit(&core, memory_order_acquire), *symbol = object ? dlsym(object, name) : NULL;
    return symbol && is_ours(symbol) ? as_function(symbol) : NULL; /* dlsym() looks into what the core needs, too */
}

/* Is `next`, the function `name` that comes after us, not that of the object which has MPI's PMPI_X, called `below`? */
static bool is_tools(const void *next, const char *name, const char *below, const void *caller)
{
    void *object = object_of(find(below, caller)), *mpis = find_in(object, name);
    if (object)
        dlclose(object);
    return mpis && mpis != next;
}

topo_symbol *topo_program_find(struct topo_call *known, const void *caller)
{
    const char *name = known->name;
    bool profiled = *name == 'P' || *name == 'p';
    char below[64];
    look_once(caller);
    void *next = find(name, caller);
    topo_symbol *call = topo_program_core(name);
    if (profiled) {
        call = call ? call : topo_program_core(name + 1);
        if (call && next)
            atomic_store_explicit(&known->own, as_function(next), memory_order_relaxed);
    } else if (call && known->last) {
        snprintf(below, sizeof below, "%c%s", *name == 'M' ? 'P' : 'p', name);
        call = is_tools(next, name, below, caller) ? NULL : call;
    }
    call = call ? call : find_function(name, caller);
    atomic_store_explicit(&known->call, call, memory_order_release);
    return call;
}
