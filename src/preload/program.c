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
#include <unistd.h>

#include "base/environment.h"
#include "base/log.h"
#include "catalog/flag.h"
#include "family/known.h"
#include "preload/counting.h"
#include "topompi.h"

#define CORE "libtopompi-core-%s.so" /* of a family */

static void *mpi;            /* the object of the program's MPI library, which has its PMPI_Init */
static const void *mpi_base; /* where that lies */
static void *_Atomic core;   /* ours; NULL: every call goes on to the program's */
static bool counts;          /* calls of this process, for the report */

/* -- objects -- */

static const void *base_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

static const char *file_of(const Dl_info *info)
{
    const char *slash = strrchr(info->dli_fname, '/');
    return slash ? slash + 1 : info->dli_fname;
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

topo_symbol *topo_program_next(const char *name, const void *caller)
{
    void *symbol = find(name, caller);
    if (!symbol) {
        topo_say("no %s in the libraries of this program", name);
        abort();
    }
    return as_function(symbol);
}

topo_symbol *topo_program_look_up(const char *name)
{
    return as_function(find(name, NULL));
}

/* The core's; NULL without one. */
static bool (*core_is_mpis)(const char *file, bool itself);

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
    /* What counts a call returns to a tool's jump, too: that is the program's call. */
    bool is = (is_ours(caller) && info.dli_fbase != base_of(&mpi)) ||
              (core_is_mpis && core_is_mpis(file_of(&info), info.dli_fbase == mpi_base));
    atomic_store_explicit(&known[page % PAGES], 2 * page + is, memory_order_relaxed);
    return is;
}

/* -- the core -- */

/* For the core: the MPI library's symbol of this name, NULL where it has none, and the next function. */
static topo_symbol *own(const char *name)
{
    return as_function(find_in(mpi, name));
}

static topo_symbol *next(const char *name)
{
    return topo_program_next(name, NULL);
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

enum { LONGEST = 8192, WORDS = 256 }; /* what an MPI library says of its version; a part of a line */

/* The family of the program's MPI library, NULL where it is none that we know, and the library in words. What it says
 * of itself may be asked for before MPI_Init. */
static const char *family_of(char library[WORDS])
{
    char version[LONGEST];
    int major = -1, minor, length;
    topo_symbol *abi = own("PMPI_Abi_get_version"), *about = own("PMPI_Get_library_version");
    Dl_info info;
    if (!about || ((int (*)(char *, int *))about)(version, &length) != 0)
        snprintf(version, sizeof version, "it does not say which");
    version[strcspn(version, ",\n")] = '\0';
    snprintf(library, WORDS, "%s (%.99s)", dladdr(mpi_base, &info) && info.dli_fname ? file_of(&info) : "?", version);
    if (abi && ((int (*)(int *, int *))abi)(&major, &minor) == 0 && major != -1)
        return "abi";
    const struct topo_product *product = topo_product_of(version);
    return product ? product->family : NULL;
}

/* The cores that lie beside this library. */
static void list_cores(const char *folder, char list[WORDS])
{
    char path[PATH_MAX];
    int used = 0;
    for (size_t i = 0; i < sizeof topo_families / sizeof *topo_families; i++) {
        snprintf(path, sizeof path, "%s/" CORE, folder, topo_families[i]);
        if (access(path, F_OK) == 0)
            used += snprintf(list + used, (size_t)(WORDS - used), "%s" CORE, used ? ", " : "", topo_families[i]);
    }
    if (!used)
        snprintf(list, WORDS, "none");
}

/* Loads the core of a family; NULL when it cannot be, which is said. */
static void *load_core(const char *family, const char *library)
{
    char folder[PATH_MAX - WORDS] = "", path[PATH_MAX], list[WORDS];
    own_folder(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/" CORE, folder, family ? family : "");
    bool here = family && access(path, F_OK) == 0;
    void *object = here ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    const char *version = object ? dlsym(object, "topo_core_version") : NULL;
    if (version && !strcmp(version, TOPOMPI_VERSION))
        return object;
    if (!topo_launched_first())
        return NULL;
    list_cores(folder, list);
    if (!here)
        topo_say(
            "the MPI library of this program is %s; of the cores that TopoMPI has here, %s, none is for it; the job "
            "runs natively",
            library, list);
    else if (object)
        topo_say("libtopompi.so and " CORE " are of two versions; the job runs natively", family);
    else
        topo_say("%s; the job runs natively", dlerror());
    return NULL;
}

/* Starts it; false when the MPI library lacks what it needs, which is said. */
static bool start_core(void *object, const char *library)
{
    typedef const char *start(topo_symbol * (*)(const char *), topo_symbol * (*)(const char *),
                              void *(*)(int *, const char *), struct topo_functions *_Atomic *);
    const char *missing =
        ((start *)as_function(dlsym(object, "topo_core_start")))(own, next, find_further, &topo_counting_place);
    core_is_mpis = (bool (*)(const char *, bool))as_function(dlsym(object, "topo_core_is_mpis"));
    if (missing && topo_launched_first())
        topo_say("the MPI library of this program, %s, lacks %s; the job runs natively", library, missing);
    return !missing;
}

/* Looks which MPI the program has; false when there is none yet. */
static bool look(const void *caller)
{
    bool wanted = topo_flag_wanted(topo_environment("TOPOMPI"), topo_environment("TOPOMPI_STATS"),
                                   topo_environment("TOPOMPI_VERBOSE"), topo_environment("TOPOMPI_TRACE"));
    void *init = find("PMPI_Init", caller), *object;
    char library[WORDS];
    mpi = object_of(init);
    mpi_base = base_of(init);
    if (init && wanted && (object = load_core(family_of(library), library)) && start_core(object, library)) {
        atomic_store_explicit(&core, object, memory_order_release);
        counts = topo_flag_stats(topo_environment("TOPOMPI_STATS"));
        if (counts)
            topo_counting_start();
    }
    return init != NULL;
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

/* Calls that are counted go by what counts them. */
static topo_symbol *found(struct topo_call *known, topo_symbol *call)
{
    if (counts && known->counted) {
        known->next = call;
        call = known->counted;
    }
    atomic_store_explicit(&known->call, call, memory_order_release);
    return call;
}

topo_symbol *topo_program_find(struct topo_call *known, const void *caller)
{
    const char *name = known->name;
    bool profiled = *name == 'P' || *name == 'p';
    char below[64];
    look_once(caller);
    snprintf(below, sizeof below, "%s%s", profiled ? "" : *name == 'M' ? "P" : "p", name);
    if (known->instead && !find_in(mpi, below)) {
        dlerror(); /* or the program would find what failed in here */
        return found(known, known->instead);
    }
    void *next = find(name, caller);
    topo_symbol *call = topo_program_core(name);
    if (profiled) {
        call = call ? call : topo_program_core(name + 1);
        if (call && next)
            atomic_store_explicit(&known->own, as_function(next), memory_order_relaxed);
    } else if (call && known->last) {
        call = is_tools(next, name, below, caller) ? NULL : call;
    }
    return found(known, call ? call : topo_program_next(name, caller));
}
