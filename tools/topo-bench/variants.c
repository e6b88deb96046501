#include "topo-bench/variants.h"

#include <string.h>

#include "base/memory.h"
#include "catalog/options.h"
#include "patterns/grid.h"
#include "schedule/scheduler.h"
#include "topo-bench/loop.h"
#include "topo-bench/native_form.h"

static const char native_prefix[] = "native:";

static struct bench_variant *find(const struct bench_variants *variants, const char *name)
{
    for (int i = 0; i < variants->count; i++)
        if (!strcmp(variants->variant[i].name, name))
            return &variants->variant[i];
    return NULL;
}

/* Adds a variant, each name once; `kind` holds what it is, but for its name. */
static enum topo_status add(struct bench_variants *variants, const char *name, struct bench_variant kind)
{
    struct bench_variant *before = find(variants, name);
    if (before) {
        before->named = before->named || kind.named;
        return TOPO_OK;
    }
    struct bench_variant *grown = topo_realloc(variants->variant, (size_t)variants->count + 1, sizeof *grown);
    if (!grown)
        return TOPO_NOMEM;
    variants->variant = grown;
    kind.name = topo_strdup(name);
    kind.grid = kind.grid ? topo_strdup(kind.grid) : NULL;
    kind.comm = MPI_COMM_NULL;
    grown[variants->count] = kind;
    return grown[variants->count++].name ? TOPO_OK : TOPO_NOMEM;
}

/* Every algorithm of ours for the operation. */
static enum topo_status add_all(struct bench_variants *variants, enum topo_operation operation)
{
    enum topo_status status = TOPO_OK;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT && status == TOPO_OK; id++) {
        const struct topo_algorithm *algorithm = topo_algorithm((enum topo_algorithm_id)id);
        if (algorithm->operation == operation && strcmp(algorithm->name, "native"))
            status = add(variants, algorithm->name,
                         (struct bench_variant){.algorithm = algorithm, .packet = BENCH_PACKET_AS_SET, .sync = -1});
    }
    return status;
}

/* What may stand in the list, for the complaint. */
static void allowed(enum topo_operation operation, struct topo_text *out)
{
    topo_text_add(out, "native auto all");
    bench_native_words(operation, out);
    if (operation == TOPO_OPERATION_allreduce)
        topo_text_add(out, " NAME@PACKET cyclic:GRID cyclic:GRID@PACKET");
    if (operation == TOPO_OPERATION_alltoallv)
        topo_text_add(out, " NAME@SYNC unscheduled@SYNC shifted@SYNC");
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *algorithm = topo_algorithm((enum topo_algorithm_id)id);
        if (algorithm->operation == operation && strcmp(algorithm->name, "native"))
            topo_text_addf(out, " %s", algorithm->name);
    }
}

/* "cyclic@4K..4M:2": the algorithm once with each of these packets. */
static enum topo_status add_packets(struct bench_variants *variants, struct bench_variant kind, const char *packets,
                                    struct topo_error *error)
{
    TOPO_SCOPED_BY(bench_sizes_free) struct bench_sizes list = {0};
    struct topo_error why = {""};
    enum topo_status status = bench_packets_read(packets, &list, &why);
    if (status != TOPO_OK)
        topo_fail(error, status, "--algorithms %s@: %.400s, or 0 alone", kind.algorithm->name, why.text);
    for (int i = 0; i < list.count && status == TOPO_OK; i++) {
        struct topo_text name = {0};
        char size[32];
        topo_format_size(list.bytes[i], size, sizeof size);
        topo_text_addf(&name, "%s%s%s@%s", kind.algorithm->name, kind.grid ? ":" : "", kind.grid ? kind.grid : "",
                       size);
        kind.packet = list.bytes[i];
        status = name.failed ? TOPO_NOMEM : add(variants, name.text, kind);
        topo_text_free(&name);
    }
    return status;
}

/* "drc@send": with that word of TOPOMPI_ALLTOALLV_SYNC. */
static enum topo_status add_sync(struct bench_variants *variants, struct bench_variant kind, const char *sync,
                                 struct topo_error *error)
{
    const char *words = topo_option_info(TOPO_OPTION_ALLTOALLV_SYNC)->values;
    TOPO_SCOPED_BY(topo_text_free) struct topo_text name = {0};
    int word = 0;
    for (const char *at = words; *at; word++) {
        size_t length = strcspn(at, " ");
        if (length == strlen(sync) && !strncmp(at, sync, length))
            kind.sync = word;
        at += length + strspn(at + length, " ");
    }
    if (kind.sync < 0 || topo_scheduler_of(kind.algorithm->id) == TOPO_SCHEDULERS)
        return topo_fail(error, TOPO_PARSE, "--algorithms %s@%s: allowed: a scheduled form, and one of %s",
                         kind.algorithm->name, sync, words);
    topo_text_addf(&name, "%s@%s", kind.algorithm->name, sync);
    return name.failed ? TOPO_NOMEM : add(variants, name.text, kind);
}

/* The rest of "cyclic:4x4@60K" after the name: `mark` and what follows. */
static enum topo_status add_set(struct bench_variants *variants, struct bench_variant kind, const char *grid,
                                const char *set, struct topo_error *error)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text name = {0};
    struct topo_grid read;
    enum topo_status status = TOPO_OK;
    if (grid) {
        if (kind.algorithm->id != TOPO_ALGORITHM_allreduce_cyclic)
            return topo_fail(error, TOPO_PARSE, "--algorithms %s:%s: cyclic alone has a grid", kind.algorithm->name,
                             grid);
        status = topo_grid_parse("--algorithms cyclic", grid, &read, error);
        if (status != TOPO_OK)
            return status;
        kind.grid = (char *)grid; /* copied with the name */
    }
    if (set)
        return kind.algorithm->operation == TOPO_OPERATION_allreduce ? add_packets(variants, kind, set, error)
                                                                     : add_sync(variants, kind, set, error);
    topo_text_addf(&name, "%s:%s", kind.algorithm->name, grid);
    return name.failed ? TOPO_NOMEM : add(variants, name.text, kind);
}

/* "unscheduled", "shifted@send": a loop over the ranks, with none, send or sendrecv; false: another word. */
static bool add_loop(struct bench_variants *variants, const char *word, struct bench_variant kind,
                     enum topo_status *status, struct topo_error *error)
{
    static const char *const loops[] = {"", "unscheduled", "shifted"};
    for (int loop = BENCH_LOOP_UNSCHEDULED; loop <= BENCH_LOOP_SHIFTED; loop++) {
        size_t length = strlen(loops[loop]);
        if (strncmp(word, loops[loop], length) || (word[length] && word[length] != '@'))
            continue;
        kind.loop = (enum bench_loop)loop;
        for (kind.sync = BENCH_LOOP_NONE; kind.sync < BENCH_LOOP_SYNCS; kind.sync++)
            if (!word[length] || !strcmp(word + length + 1, bench_loop_sync_word((enum bench_loop_sync)kind.sync)))
                break;
        *status = kind.sync < BENCH_LOOP_SYNCS
                      ? add(variants, word, kind)
                      : topo_fail(error, TOPO_PARSE, "--algorithms %s: allowed: %s@none, %s@send, %s@sendrecv", word,
                                  loops[loop], loops[loop], loops[loop]);
        return true;
    }
    return false;
}

static enum topo_status add_word(struct bench_variants *variants, const char *word, enum topo_operation operation,
                                 struct topo_error *error)
{
    const size_t prefix = sizeof native_prefix - 1;
    struct bench_variant kind = {.named = true, .packet = BENCH_PACKET_AS_SET, .sync = -1};
    struct topo_text names = {0};
    kind.native = !strcmp(word, "native") || (!strncmp(word, native_prefix, prefix) && word[prefix]);
    if (kind.native || !strcmp(word, "auto"))
        return add(variants, word, kind);
    if (!strcmp(word, "all"))
        return add_all(variants, operation);
    enum topo_status status = TOPO_OK;
    if (operation == TOPO_OPERATION_alltoallv && add_loop(variants, word, kind, &status, error))
        return status;
    bool sets = operation == TOPO_OPERATION_allreduce || operation == TOPO_OPERATION_alltoallv;
    TOPO_SCOPED char *copy = topo_strdup(word);
    char *set = copy && sets ? strchr(copy, '@') : NULL, *grid = NULL;
    status = copy ? TOPO_OK : TOPO_NOMEM;
    if (set)
        *set++ = '\0';
    if (copy && operation == TOPO_OPERATION_allreduce && (grid = strchr(copy, ':')))
        *grid++ = '\0';
    kind.algorithm = copy ? topo_algorithm_find(operation, copy) : NULL;
    if (kind.algorithm && (set || grid) && strcmp(copy, "native")) {
        status = add_set(variants, kind, grid, set, error);
    } else if (kind.algorithm && !set && !grid) {
        status = add(variants, word, kind);
    } else if (copy) {
        allowed(operation, &names);
        status = topo_fail(error, TOPO_PARSE, "--algorithms %s: no such algorithm; allowed are %s", word,
                           names.failed ? "" : names.text);
        topo_text_free(&names);
    }
    return status;
}

enum topo_status bench_variants_read(const char *list, const struct bench_operation *operation,
                                     struct bench_variants *variants, struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    char *copy = topo_strdup(list), *rest = copy, *word;
    *variants = (struct bench_variants){0};
    if (!copy)
        status = TOPO_NOMEM;
    while (status == TOPO_OK && (word = strsep(&rest, ",")))
        status = add_word(variants, word, bench_operation_id(operation), error);
    topo_free(copy);
    if (status == TOPO_OK && variants->count == 0)
        return topo_fail(error, TOPO_PARSE, "--algorithms %s: the library has no algorithm of %s of its own yet", list,
                         operation->name);
    return status == TOPO_NOMEM ? topo_fail(error, status, "out of memory") : status;
}

enum topo_status bench_variants_check(struct bench_variants *variants, enum topo_operation operation, int ranks,
                                      struct topo_error *error)
{
    struct topo_text words = {0};
    struct topo_grid grid;
    const size_t prefix = sizeof native_prefix - 1;
    for (int i = 0; i < variants->count; i++) {
        const char *name = variants->variant[i].name;
        bool special = variants->variant[i].native && strcmp(name, "native");
        if (special)
            variants->variant[i].form = bench_native_find(operation, name + prefix);
        if (special && !variants->variant[i].form) {
            bench_native_words(operation, &words);
            topo_fail(error, TOPO_PARSE, "--algorithms %s: the MPI library has no %s of its own for %s; allowed:%s",
                      name, name + prefix, topo_operation_name(operation), words.failed ? "" : words.text);
            topo_text_free(&words);
            return TOPO_PARSE;
        }
        const char *given = variants->variant[i].grid;
        if (given && ranks > 0 && topo_grid_parse("", given, &grid, NULL) == TOPO_OK && !topo_grid_fits(&grid, ranks))
            return topo_fail(error, TOPO_PARSE, "--algorithms %s: a grid of %d places, here are %d ranks", name,
                             grid.ranks, ranks);
    }
    return TOPO_OK;
}

void bench_variants_open(struct bench_variants *variants, MPI_Comm comm)
{
    for (int i = 0; i < variants->count; i++) {
        struct bench_variant *variant = &variants->variant[i];
        if (!variant->native)
            continue;
        variant->comm = comm;
        if (!strcmp(variant->name, "native"))
            continue;
        variant->comm = bench_native_comm(variant->name + sizeof native_prefix - 1, comm);
    }
}

void bench_variants_close(struct bench_variants *variants, MPI_Comm comm)
{
    for (int i = 0; i < variants->count; i++)
        if (variants->variant[i].comm != MPI_COMM_NULL && variants->variant[i].comm != comm)
            PMPI_Comm_free(&variants->variant[i].comm);
}

void bench_variants_free(struct bench_variants *variants)
{
    for (int i = 0; i < variants->count; i++) {
        topo_free(variants->variant[i].name);
        topo_free(variants->variant[i].grid);
    }
    topo_free(variants->variant);
    *variants = (struct bench_variants){0};
}
