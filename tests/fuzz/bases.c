/* The types that the others are made of. */
#include <complex.h>
#include <stddef.h>
#include <string.h>

#include "fuzz/types.h"

struct pair_double {
    double value;
    int index;
};
struct pair_long {
    long value;
    int index;
};
struct pair_short {
    short value;
    int index;
};
struct pair_float {
    float value;
    int index;
};
struct mixed {
    double a;
    int b;
    char c;
};

#define BASE(name, type, class) \
    { \
#name, name, sizeof(type), _Alignof(type), class, 0, sizeof(type), 0, 0 \
    }
#define PAIR(name, type) \
    { \
#name, name, sizeof(struct type), _Alignof(struct type), FUZZ_PAIR, 0, sizeof(((struct type *)0)->value), \
            offsetof(struct type, index), offsetof(struct type, index) + sizeof(int) \
    }

/* Those for arithmetic first. MPI_CHAR is text, so it cannot be added. */
static struct fuzz_base bases[] = {
    BASE(MPI_INT, int, FUZZ_SIGNED),
    BASE(MPI_DOUBLE, double, FUZZ_FLOAT),
    BASE(MPI_FLOAT, float, FUZZ_FLOAT),
    BASE(MPI_SIGNED_CHAR, signed char, FUZZ_SIGNED),
    BASE(MPI_UNSIGNED_CHAR, unsigned char, FUZZ_UNSIGNED),
    BASE(MPI_SHORT, short, FUZZ_SIGNED),
    BASE(MPI_UNSIGNED_SHORT, unsigned short, FUZZ_UNSIGNED),
    BASE(MPI_UNSIGNED, unsigned, FUZZ_UNSIGNED),
    BASE(MPI_LONG, long, FUZZ_SIGNED),
    BASE(MPI_UNSIGNED_LONG, unsigned long, FUZZ_UNSIGNED),
    BASE(MPI_LONG_LONG, long long, FUZZ_SIGNED),
    BASE(MPI_INT8_T, int8_t, FUZZ_SIGNED),
    BASE(MPI_INT32_T, int32_t, FUZZ_SIGNED),
    BASE(MPI_UINT64_T, uint64_t, FUZZ_UNSIGNED),
    BASE(MPI_C_FLOAT_COMPLEX, float complex, FUZZ_COMPLEX),
    BASE(MPI_C_DOUBLE_COMPLEX, double complex, FUZZ_COMPLEX),
    BASE(MPI_C_BOOL, _Bool, FUZZ_LOGICAL),
    BASE(MPI_BYTE, char, FUZZ_BYTES),
    /* ten bytes of sixteen have a value */
    {"MPI_LONG_DOUBLE", MPI_LONG_DOUBLE, sizeof(long double), _Alignof(long double), FUZZ_FLOAT, 0, 10, 0, 0},
    {"MPI_2INT", MPI_2INT, 2 * sizeof(int), _Alignof(int), FUZZ_PAIR, 0, sizeof(int), sizeof(int), 2 * sizeof(int)},
    PAIR(MPI_FLOAT_INT, pair_float),
    PAIR(MPI_DOUBLE_INT, pair_double),
    PAIR(MPI_LONG_INT, pair_long),
    PAIR(MPI_SHORT_INT, pair_short),
    BASE(MPI_CHAR, char, FUZZ_BYTES),
    {"mixed", MPI_DATATYPE_NULL, sizeof(struct mixed), _Alignof(struct mixed), FUZZ_BYTES, 0, 0, 0, 0},
};
enum { BASES = sizeof bases / sizeof *bases, ARITHMETIC = BASES - 2 };

void fuzz_bases_make(void)
{
    MPI_Datatype inner, parts[3] = {MPI_DOUBLE, MPI_INT, MPI_CHAR};
    int lengths[3] = {1, 1, 1};
    MPI_Aint at[3] = {offsetof(struct mixed, a), offsetof(struct mixed, b), offsetof(struct mixed, c)};
    PMPI_Type_create_struct(3, lengths, at, parts, &inner);
    PMPI_Type_create_resized(inner, 0, sizeof(struct mixed), &bases[BASES - 1].type);
    PMPI_Type_commit(&bases[BASES - 1].type);
    PMPI_Type_free(&inner);
}

void fuzz_bases_free(void)
{
    PMPI_Type_free(&bases[BASES - 1].type);
}

const struct fuzz_base *fuzz_base_any(struct fuzz_random *random)
{
    return fuzz_chance(random, 40) ? &bases[0] : &bases[fuzz_below(random, BASES)];
}

const struct fuzz_base *fuzz_base_arithmetic(struct fuzz_random *random)
{
    return fuzz_chance(random, 30) ? &bases[fuzz_below(random, 2)] : &bases[fuzz_below(random, ARITHMETIC)];
}

const struct fuzz_base *fuzz_base_named(const char *name)
{
    for (int i = 0; i < BASES; i++)
        if (strcmp(bases[i].name, name) == 0)
            return &bases[i];
    return NULL;
}
