#include "fuzz/types.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

enum { REGISTERED_MOST = 64 };

static const char *const kind_names[FUZZ_KINDS] = {"plain",    "contiguous", "duplicate", "spaced",
                                                   "padded",   "struct",     "permuted",  "column",
                                                   "subarray", "negative",   "lowered"};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct fuzz_type *registered[REGISTERED_MOST];

enum fuzz_kind fuzz_kind_any(struct fuzz_random *random, int n, bool bounded)
{
    enum fuzz_kind kind = (enum fuzz_kind)fuzz_below(random, bounded ? FUZZ_SUBARRAY : FUZZ_KINDS);
    if (n > 1 ? kind == FUZZ_PLAIN : fuzz_chance(random, 50))
        return n > 1 ? FUZZ_CONTIGUOUS : FUZZ_PLAIN;
    return kind;
}

const char *fuzz_kind_name(enum fuzz_kind kind)
{
    return kind_names[kind];
}

/* Where base element i is, in extents of the base. */
static int place(enum fuzz_kind kind, int i, int n, int columns)
{
    switch (kind) {
    case FUZZ_SPACED:
    case FUZZ_PADDED: return 2 * i;
    case FUZZ_STRUCT: return i == 0 ? 0 : i + 1;
    case FUZZ_SUBARRAY: return 3 * (i + 1) + 1;
    case FUZZ_PERMUTED:
        return 2 * ((i + 1) % n); /* with gaps: Open MPI packs vectors that run backwards without gaps wrongly */
    case FUZZ_COLUMN: return i * columns;
    case FUZZ_NEGATIVE: return 2 * (i - n) + 1;
    default: return i;
    }
}

static void construct(struct fuzz_type *type, int columns)
{
    MPI_Datatype base = type->base->type, inner, parts[2] = {base, base};
    int n = type->n, one[FUZZ_ELEMENTS_MOST], sizes[2] = {n + 1, 3}, some[2] = {n, 1}, starts[2] = {1, 1};
    int lengths[2] = {1, n - 1};
    MPI_Aint extent = type->base->extent, at[2] = {0, 2 * extent};
    for (int i = 0; i < n; i++)
        one[i] = 1;
    switch (type->kind) {
    case FUZZ_CONTIGUOUS: PMPI_Type_contiguous(n, base, &type->type); return;
    case FUZZ_SPACED: PMPI_Type_vector(n, 1, 2, base, &type->type); return;
    case FUZZ_STRUCT: PMPI_Type_create_struct(2, lengths, at, parts, &type->type); return;
    case FUZZ_SUBARRAY: PMPI_Type_create_subarray(2, sizes, some, starts, MPI_ORDER_C, base, &type->type); return;
    case FUZZ_PERMUTED:
    case FUZZ_NEGATIVE: PMPI_Type_create_hindexed(n, one, type->offset, base, &type->type); return;
    case FUZZ_PADDED: PMPI_Type_vector(n, 1, 2, base, &inner); break;
    case FUZZ_COLUMN: PMPI_Type_create_hvector(n, 1, columns * extent, base, &inner); break;
    default: PMPI_Type_contiguous(n, base, &inner); break;
    }
    if (type->kind == FUZZ_DUPLICATE)
        PMPI_Type_dup(inner, &type->type);
    else if (type->kind == FUZZ_COLUMN)
        PMPI_Type_create_resized(inner, 0, extent, &type->type);
    else
        PMPI_Type_create_resized(inner, type->kind == FUZZ_LOWERED ? -extent : 0, (2 * n + 1) * extent, &type->type);
    PMPI_Type_free(&inner);
}

/* Asks MPI for the bounds and makes the type known. */
static void enter(struct fuzz_type *type)
{
    MPI_Aint lb;
    if (type->made)
        PMPI_Type_commit(&type->type);
    PMPI_Type_get_extent(type->type, &lb, &type->extent);
    PMPI_Type_get_true_extent(type->type, &type->true_lb, &type->true_extent);
    pthread_mutex_lock(&lock);
    int i = 0;
    while (i < REGISTERED_MOST - 1 && registered[i])
        i++;
    registered[i] = type;
    pthread_mutex_unlock(&lock);
}

void fuzz_type_make(struct fuzz_type *type, const struct fuzz_base *base, enum fuzz_kind kind, int n, int columns)
{
    *type = (struct fuzz_type){.type = base->type, .base = base, .kind = kind, .n = n, .made = kind != FUZZ_PLAIN};
    for (int i = 0; i < n; i++)
        type->offset[i] = (MPI_Aint)place(kind, i, n, columns) * base->extent;
    if (type->made)
        construct(type, columns);
    enter(type);
}

void fuzz_type_make_at(struct fuzz_type *type, const struct fuzz_type *of, const void *address)
{
    int one = 1;
    MPI_Aint at;
    PMPI_Get_address(address, &at);
    *type = *of;
    type->made = true;
    for (int i = 0; i < of->n; i++)
        type->offset[i] += at;
    PMPI_Type_create_hindexed(1, &one, &at, of->type, &type->type);
    enter(type);
}

void fuzz_type_free(struct fuzz_type *type)
{
    if (!type->base)
        return;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < REGISTERED_MOST; i++)
        if (registered[i] == type)
            registered[i] = NULL;
    pthread_mutex_unlock(&lock);
    if (type->made)
        PMPI_Type_free(&type->type);
    type->base = NULL;
}

const struct fuzz_type *fuzz_type_find(MPI_Datatype handle)
{
    const struct fuzz_type *found = NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < REGISTERED_MOST && !found; i++)
        if (registered[i] && registered[i]->type == handle)
            found = registered[i];
    pthread_mutex_unlock(&lock);
    return found;
}
