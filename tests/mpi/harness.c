#include "mpi/harness.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/numbers.h"
#include "base/processors.h"
#include "coll/library.h"
#include "job/job.h"
#include "job/world_ranks.h"
#include "patterns/node_groups.h"

static int rank, ranks, passed, failed;
static char machines[16][160];
static int machine_count;

/* Ranks of a list that stays a table (base/numbers.h). */
enum { LONGEST_TABLE = 1024 };

static void add_machine(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add_machine(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(machines[machine_count++], sizeof *machines, format, args);
    va_end(args);
}

/* Slots of uneven nodes that sum up to n: as far apart as 7/5/3/1. */
static void uneven(int n, char *out, size_t size)
{
    int left = n, used = 0;
    for (int share = n - 1; left > 0; share = left > 1 ? (left + 1) / 2 : 1) {
        if (share > left || share < 1)
            share = left;
        used += snprintf(out + used, size - (size_t)used, "%s%d", used ? "," : "", share);
        left -= share;
    }
}

static int count_list(const char *list)
{
    int count = 1;
    for (; *list; list++)
        count += *list == ',';
    return count;
}

bool harness_everything(void)
{
    const char *counts = getenv("TEST_COUNTS");
    return getenv("TEST_MACHINES") || (counts && !strcmp(counts, "all"));
}

static void make_machines(void)
{
    char list[128];
    bool again = ranks < 16 || harness_everything(); /* machines whose like there is with fewer ranks */
    add_machine("auto");
    if (again)
        add_machine("synthetic:node:1 core:%d", ranks);
    add_machine("synthetic:node:%d core:1", ranks);
    if (ranks % 2 == 0 && again) {
        add_machine("synthetic:node:2 core:%d", ranks / 2);
        add_machine("synthetic:node:2 core:%d by:node", ranks / 2);
    }
    if (ranks % 4 == 0) {
        add_machine("synthetic:switch:2 node:2 core:%d", ranks / 4);
        add_machine("synthetic:switch:2 node:2 core:%d by:node", ranks / 4);
        add_machine("synthetic:node:2 package:2 core:%d", ranks / 4);
    }
    if (ranks == 16) {
        add_machine("synthetic:node:4 core:7,5,3,1");
        add_machine("synthetic:node:4 core:1,3,5,7 by:node");
        add_machine("synthetic:switch:2 node:3,1 core:4,5,6,1");
    }
    if (ranks > 2 && again) {
        uneven(ranks, list, sizeof list);
        add_machine("synthetic:node:%d core:%s", count_list(list), list);
        add_machine("synthetic:node:%d core:%s by:node", count_list(list), list);
    }
}

/* Keeps the machines whose text holds one of a few words joined by commas; NULL keeps all. */
static void choose_machines(const char *words)
{
    int kept = 0;
    for (int i = 0; words && i < machine_count; i++) {
        char copy[160], *word, *state = NULL;
        bool wanted = false;
        snprintf(copy, sizeof copy, "%s", words);
        for (word = strtok_r(copy, ",", &state); word; word = strtok_r(NULL, ",", &state))
            wanted = wanted || strstr(machines[i], word);
        if (wanted)
            memmove(machines[kept++], machines[i], sizeof *machines);
    }
    if (words)
        machine_count = kept;
}

void harness_start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks % 2 == 1) /* as on nodes of many ranks */
        topo_group_ranks_most = 2;
    harness_option("TOPOMPI_USER_OPS", "cut");
    make_machines();
    choose_machines(getenv("TEST_MACHINES"));
    if (rank == 0)
        printf("%s with %d ranks\n", (*argv)[0], ranks);
}

/* What checks found, until all ranks exchange it: a reduction after each would take longer than what most check. */
enum { WAITING = 64 };
static int waiting, found[WAITING];
static char texts[WAITING][320];

static void exchange_found(void)
{
    int everywhere[WAITING];
    PMPI_Allreduce(found, everywhere, waiting, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    for (int i = 0; i < waiting; i++) {
        passed += everywhere[i];
        failed += !everywhere[i];
        if (rank == 0 && !everywhere[i])
            printf("FAIL %s\n", texts[i]);
    }
    fflush(stdout);
    waiting = 0;
}

void harness_check(bool good, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (rank == 0)
        vsnprintf(texts[waiting], sizeof *texts, format, args);
    va_end(args);
    found[waiting++] = good;
    if (waiting == WAITING)
        exchange_found();
}

int harness_finish(void)
{
    exchange_found();
    if (rank == 0)
        printf("%d passed, %d failed\n", passed, failed);
    MPI_Finalize();
    return failed || !passed;
}

const char *harness_machine(int index)
{
    return index < machine_count ? machines[index] : NULL;
}

void harness_option(const char *name, const char *value)
{
    setenv(name, value, 1);
}

static bool start(const char *spec, bool processors)
{
    topo_library_stop();
    setenv("TOPOMPI_MACHINE", spec, 1);
    /* Of every other machine what is kept is kept by its rule, and groups are gone through, as those of a large job. */
    topo_numbers_short = topo_world_ranks_short = topo_numbers_short ? 0 : LONGEST_TABLE;
    topo_processors_pretended = processors ? ranks : 0;
    topo_library_start(true);
    bool active = topo_job.active || ranks == 1;
    harness_check(active, "TOPOMPI_MACHINE=%s is usable", spec);
    return active;
}

bool harness_use_machine(const char *spec)
{
    static int used;
    return start(spec, ++used % 4 == 0);
}

bool harness_use_processors(const char *spec)
{
    return start(spec, true);
}

static void on_machine(harness_work *work, const char *machine, const char *node, bool thorough, const void *context)
{
    MPI_Comm comm;
    harness_option("TOPOMPI_SHARED", node);
    if (!harness_use_machine(machine))
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    work(comm, machine, node, thorough, context);
    MPI_Comm_free(&comm);
}

void harness_on_machines(harness_work *work, const char *little, const void *context)
{
    const char *machine;
    for (int i = 0; (machine = harness_machine(i)); i++)
        on_machine(work, machine, "64M", i == 0 || strstr(machine, "by:node"), context);
    bool both = ranks <= 4 || harness_everything();
    for (int i = 0; (machine = harness_machine(i)); i++) {
        const char *single = strstr(machine, " core:1");
        if (!both && single && !strcmp(single, " core:1"))
            continue; /* nobody shares anything */
        if (both || i % 2)
            on_machine(work, machine, "0", false, context);
        if (both || i % 2 == 0)
            on_machine(work, machine, little, false, context);
    }
}

char *harness_said(void (*work)(void))
{
    static char text[8192];
    FILE *file = tmpfile();
    int saved = dup(STDERR_FILENO);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    work();
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}
