#include "fuzz/arithmetic.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

static MPI_Op user_sum, user_sum_ordered, user_compose, user_greatest, user_compose_apart;
static atomic_int strange;

/* With absolute places in a type, buffers are no objects and places in them are numbers. */
static uint32_t *place(void *buffer, MPI_Aint at)
{
    return (uint32_t *)((uintptr_t)buffer + (uintptr_t)at);
}

/* Sums of unsigned ints, wherever they are in the elements. */
static void add(void *in, void *inout, int *count, MPI_Datatype *handle)
{
    const struct fuzz_type *type = fuzz_type_find(*handle);
    if (!type) {
        atomic_fetch_add(&strange, 1);
        return;
    }
    for (int i = 0; i < *count; i++)
        for (int k = 0; k < type->n; k++) {
            MPI_Aint at = i * type->extent + type->offset[k];
            *place(inout, at) += *place(in, at);
        }
}

/* Pairs (p, q) stand for x -> p x + q modulo 2^32; the function of lower ranks is applied first. */
static void compose(void *in, void *inout, int *count, MPI_Datatype *handle)
{
    const struct fuzz_type *type = fuzz_type_find(*handle);
    if (!type) {
        atomic_fetch_add(&strange, 1);
        return;
    }
    for (int i = 0; i < *count; i++)
        for (int k = 0; k + 1 < type->n; k += 2) {
            MPI_Aint p = i * type->extent + type->offset[k], q = i * type->extent + type->offset[k + 1];
            uint32_t *bp = place(inout, p), *bq = place(inout, q), ap = *place(in, p), aq = *place(in, q);
            *bq = *bp * aq + *bq;
            *bp = *bp * ap;
        }
}

/* Int `i` of all that the vector holds. */
static uint32_t *int_of(void *buffer, const struct fuzz_type *type, int i)
{
    return place(buffer, i / type->n * type->extent + type->offset[i % type->n]);
}

/* The greater vector as a whole, by the first int that differs. */
static void greatest(void *in, void *inout, int *count, MPI_Datatype *handle)
{
    const struct fuzz_type *type = fuzz_type_find(*handle);
    if (!type) {
        atomic_fetch_add(&strange, 1);
        return;
    }
    int ints = *count * type->n, i = 0;
    while (i < ints && *int_of(in, type, i) == *int_of(inout, type, i))
        i++;
    if (i == ints || *int_of(in, type, i) < *int_of(inout, type, i))
        return;
    for (; i < ints; i++)
        *int_of(inout, type, i) = *int_of(in, type, i);
}

/* As compose(), p in the first half of the vector, q in the second. */
static void compose_apart(void *in, void *inout, int *count, MPI_Datatype *handle)
{
    const struct fuzz_type *type = fuzz_type_find(*handle);
    if (!type) {
        atomic_fetch_add(&strange, 1);
        return;
    }
    for (int i = 0, half = *count * type->n / 2; i < half; i++) {
        uint32_t *bp = int_of(inout, type, i), *bq = int_of(inout, type, half + i);
        *bq += *bp * *int_of(in, type, half + i);
        *bp *= *int_of(in, type, i);
    }
}

void fuzz_reductions_make(void)
{
    PMPI_Op_create(add, 1, &user_sum);
    PMPI_Op_create(add, 0, &user_sum_ordered);
    PMPI_Op_create(compose, 0, &user_compose);
    PMPI_Op_create(greatest, 1, &user_greatest);
    PMPI_Op_create(compose_apart, 0, &user_compose_apart);
}

void fuzz_reductions_free(void)
{
    PMPI_Op_free(&user_sum);
    PMPI_Op_free(&user_sum_ordered);
    PMPI_Op_free(&user_compose);
    PMPI_Op_free(&user_greatest);
    PMPI_Op_free(&user_compose_apart);
}

#define OP(name) ((struct fuzz_reduction){#name, name, false, false, false})

struct fuzz_reduction fuzz_reduction_for(struct fuzz_random *random, const struct fuzz_base *base)
{
    const struct fuzz_reduction all[] = {OP(MPI_SUM), OP(MPI_PROD), OP(MPI_MAX),  OP(MPI_MIN), OP(MPI_BAND),
                                         OP(MPI_BOR), OP(MPI_BXOR), OP(MPI_LAND), OP(MPI_LOR), OP(MPI_LXOR)};
    switch (base->class) {
    case FUZZ_SIGNED:
    case FUZZ_UNSIGNED: return fuzz_chance(random, 40) ? all[0] : all[fuzz_below(random, 10)];
    case FUZZ_FLOAT: return fuzz_chance(random, 40) ? all[0] : all[fuzz_below(random, 4)];
    case FUZZ_COMPLEX: return all[0]; /* the sign of a zero in a product depends on the order */
    case FUZZ_LOGICAL: return all[7 + fuzz_below(random, 3)];
    case FUZZ_PAIR: return fuzz_chance(random, 50) ? OP(MPI_MAXLOC) : OP(MPI_MINLOC);
    default: return all[4 + fuzz_below(random, 3)];
    }
}

struct fuzz_reduction fuzz_reduction_user(struct fuzz_random *random, bool commutes)
{
    if (commutes)
        return (struct fuzz_reduction){"user sum", user_sum, true, false, false};
    if (fuzz_chance(random, 30))
        return (struct fuzz_reduction){"ordered user sum", user_sum_ordered, true, false, false};
    return (struct fuzz_reduction){"user composition", user_compose, true, true, false};
}

struct fuzz_reduction fuzz_reduction_whole(bool commutes)
{
    return commutes ? (struct fuzz_reduction){"greatest vector", user_greatest, true, false, true}
                    : (struct fuzz_reduction){"composition of halves", user_compose_apart, true, false, true};
}

/* Open MPI's vector code lets sums of 8 and 16 bits saturate, and takes the minimum and maximum of some unsigned 64-bit
 * types as signed ones: small values show neither. */
static long long operand(const struct fuzz_base *base, MPI_Op op, struct fuzz_random *random)
{
    bool negative = base->class != FUZZ_UNSIGNED;
    if (op == MPI_PROD)
        return negative && fuzz_chance(random, 50) ? -1 : base->class == FUZZ_FLOAT ? fuzz_between(random, 1, 2) : 1;
    int most = base->extent < 4 ? 3 : 1000;
    return negative ? fuzz_between(random, -most, most) : fuzz_below(random, most + 1);
}

static void store_float(char *to, int extent, long long value)
{
    float f = (float)value;
    double d = (double)value;
    long double l = (long double)value;
    memcpy(to, extent == sizeof f ? (void *)&f : extent == sizeof d ? (void *)&d : (void *)&l, (size_t)extent);
}

static void store_int(char *to, int bytes, long long value)
{
    memcpy(to, &value, (size_t)bytes); /* little-endian, as every machine that Open MPI's AVX code runs on */
}

static void store_pair(char *to, const struct fuzz_base *base, struct fuzz_random *random)
{
    long long value = fuzz_between(random, -3, 3);
    int bytes = base->first_end;
    if (base->type == MPI_FLOAT_INT || base->type == MPI_DOUBLE_INT)
        store_float(to, bytes, value);
    else
        store_int(to, bytes, value);
    store_int(to + base->second, sizeof(int), fuzz_below(random, 100));
}

void fuzz_operands(struct fuzz_area *area, const struct fuzz_base *base, MPI_Op op, struct fuzz_random *random)
{
    int half = base->extent / 2;
    for (int i = area->first; i < area->end; i++) {
        char *to = area->base + (long)i * base->extent;
        if (base->class == FUZZ_FLOAT) {
            store_float(to, base->extent, operand(base, op, random));
        } else if (base->class == FUZZ_COMPLEX) {
            store_float(to, half, fuzz_between(random, -1000, 1000));
            store_float(to + half, half, fuzz_between(random, -1000, 1000));
        } else if (base->class == FUZZ_PAIR) {
            store_pair(to, base, random);
        } else if (base->class == FUZZ_LOGICAL) {
            *to = (char)fuzz_below(random, 2);
        } else if (op == MPI_SUM || op == MPI_PROD || op == MPI_MAX || op == MPI_MIN) {
            store_int(to, base->extent, operand(base, op, random));
        } /* random bits do for the others */
    }
}

int fuzz_strange_types(void)
{
    return atomic_exchange(&strange, 0);
}
