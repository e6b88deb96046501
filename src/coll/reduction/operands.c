#include "coll/reduction/operands.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Floating-point numbers are combined here where each operation rounds to its type, in the order that is written. */
#if FLT_EVAL_METHOD == 0 && !defined __FAST_MATH__
enum { EXACT = true };
#else
enum { EXACT = false };
#endif

/* The same loops once more for processors with AVX2, which MPI libraries use too. */
#if defined __x86_64__ && defined __GNUC__
#define FOR_AVX2 __attribute__((target("avx2")))
#define HAS_AVX2 __builtin_cpu_supports("avx2")
#else
#define FOR_AVX2
#define HAS_AVX2 false
#endif

enum { WIDE = 32 }; /* bytes: four of so many are kept in registers while the operands are gone through */

/* Types of elements: any address will do, and bytes of any type may lie there. */
#define ELEMENT(T) \
    typedef T T##_one __attribute__((aligned(1), may_alias)); \
    typedef T T##_wide __attribute__((vector_size(WIDE), aligned(1), may_alias));

ELEMENT(int32_t)
ELEMENT(int64_t)
ELEMENT(uint8_t)
ELEMENT(uint32_t)
ELEMENT(uint64_t)
ELEMENT(float)
ELEMENT(double)

/* r = r op v. A comparison of wide elements gives all bits, or none, of each. */
#define SUM(r, v) ((r) += (v))
#define PROD(r, v) ((r) *= (v))
#define BAND(r, v) ((r) &= (v))
#define BOR(r, v) ((r) |= (v))
#define BXOR(r, v) ((r) ^= (v))
#define MIN_ONE(r, v) ((r) = (v) < (r) ? (v) : (r))
#define MAX_ONE(r, v) ((r) = (v) > (r) ? (v) : (r))
#define MIN_WIDE(r, v) ((r) = ((v) & (__typeof__(r))((v) < (r))) | ((r) & (__typeof__(r))((v) >= (r))))
#define MAX_WIDE(r, v) ((r) = ((v) & (__typeof__(r))((v) > (r))) | ((r) & (__typeof__(r))((v) <= (r))))

#define ONE_AT(T, i, at) (*(const T##_one *)(operand[i] + (at)))
#define WIDE_AT(T, i, at) (*(const T##_wide *)(operand[i] + (at)))

#define LOOPS(NAME, T, ONE, EACH) \
    static inline __attribute__((always_inline)) void NAME##_loops(const char *const *operand, int number, \
                                                                   char *result, size_t count) \
    { \
        size_t bytes = count * sizeof(T), at = 0; \
        for (; at + 4 * WIDE <= bytes; at += 4 * WIDE) { \
            T##_wide a = WIDE_AT(T, 0, at), b = WIDE_AT(T, 0, at + WIDE), c = WIDE_AT(T, 0, at + 2 * WIDE), \
                     d = WIDE_AT(T, 0, at + 3 * WIDE); \
            for (int i = 1; i < number; i++) { \
                EACH(a, WIDE_AT(T, i, at)); \
                EACH(b, WIDE_AT(T, i, at + WIDE)); \
                EACH(c, WIDE_AT(T, i, at + 2 * WIDE)); \
                EACH(d, WIDE_AT(T, i, at + 3 * WIDE)); \
            } \
            *(T##_wide *)(result + at) = a; \
            *(T##_wide *)(result + at + WIDE) = b; \
            *(T##_wide *)(result + at + 2 * WIDE) = c; \
            *(T##_wide *)(result + at + 3 * WIDE) = d; \
        } \
        for (; at + WIDE <= bytes; at += WIDE) { \
            T##_wide a = WIDE_AT(T, 0, at); \
            for (int i = 1; i < number; i++) \
                EACH(a, WIDE_AT(T, i, at)); \
            *(T##_wide *)(result + at) = a; \
        } \
        for (; at < bytes; at += sizeof(T)) { \
            T a = ONE_AT(T, 0, at); \
            for (int i = 1; i < number; i++) \
                ONE(a, ONE_AT(T, i, at)); \
            *(T##_one *)(result + at) = a; \
        } \
    } \
    static void NAME(const char *const *operand, int number, char *result, size_t count) \
    { \
        NAME##_loops(operand, number, result, count); \
    } \
    FOR_AVX2 static void NAME##_avx2(const char *const *operand, int number, char *result, size_t count) \
    { \
        NAME##_loops(operand, number, result, count); \
    }

/* Sums of integers are unsigned, which wrap round. */
#define ADDING(T) LOOPS(sum_##T, T, SUM, SUM)
#define MULTIPLYING(T) LOOPS(prod_##T, T, PROD, PROD)
#define COMPARING(T) LOOPS(min_##T, T, MIN_ONE, MIN_WIDE) LOOPS(max_##T, T, MAX_ONE, MAX_WIDE)
#define BITS(T) LOOPS(band_##T, T, BAND, BAND) LOOPS(bor_##T, T, BOR, BOR) LOOPS(bxor_##T, T, BXOR, BXOR)

ADDING(double)
ADDING(float)
ADDING(uint32_t)
ADDING(uint64_t)
MULTIPLYING(double)
MULTIPLYING(float)
COMPARING(int32_t)
COMPARING(int64_t)
BITS(uint8_t)
BITS(uint32_t)
BITS(uint64_t)

/* What the bytes of an element are. */
enum kind { FLOATING, SIGNED, UNSIGNED, NO_KIND };

static struct {
    enum kind kind;
    MPI_Datatype types[12]; /* up to 0 */
} kinds[4];

#define BOTH(name) \
    { \
        name, name##_avx2 \
    }
#define LONGER(op, of) \
    { \
        {0}, {0}, BOTH(op##_##of##32_t), BOTH(op##_##of##64_t) \
    }
#define REAL(op) \
    { \
        {0}, {0}, BOTH(op##_float), BOTH(op##_double) \
    }
#define BITS_OF(op) \
    { \
        BOTH(op##_uint8_t), {0}, BOTH(op##_uint32_t), BOTH(op##_uint64_t) \
    }

/* [kind][log2 of an element's bytes][for AVX2]; the others are seldom used. */
static struct row {
    MPI_Op op;
    topo_combine *combine[NO_KIND][4][2];
} rows[7];

void topo_combine_start(void)
{
    const __typeof__(*kinds) of_kinds[] = {
        {FLOATING, {MPI_DOUBLE, MPI_FLOAT, MPI_DOUBLE_PRECISION, MPI_REAL}},
        {SIGNED,
         {MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_INTEGER, MPI_INT32_T, MPI_INT64_T, MPI_SHORT, MPI_SIGNED_CHAR,
          MPI_INT8_T, MPI_INT16_T}},
        {UNSIGNED,
         {MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG, MPI_UINT32_T, MPI_UINT64_T, MPI_UNSIGNED_SHORT,
          MPI_UNSIGNED_CHAR, MPI_UINT8_T, MPI_UINT16_T}},
        {UNSIGNED, {MPI_BYTE}},
    };
    const struct row of_rows[] = {
        {MPI_SUM, {REAL(sum), LONGER(sum, uint), LONGER(sum, uint)}},
        {MPI_MAX, {{{0}}, LONGER(max, int)}},
        {MPI_MIN, {{{0}}, LONGER(min, int)}},
        {MPI_PROD, {REAL(prod)}},
        {MPI_BAND, {{{0}}, BITS_OF(band), BITS_OF(band)}},
        {MPI_BOR, {{{0}}, BITS_OF(bor), BITS_OF(bor)}},
        {MPI_BXOR, {{{0}}, BITS_OF(bxor), BITS_OF(bxor)}},
    };
    _Static_assert(sizeof of_kinds == sizeof kinds && sizeof of_rows == sizeof rows, "all rows");
    memcpy(kinds, of_kinds, sizeof kinds);
    memcpy(rows, of_rows, sizeof rows);
}

static enum kind kind_of(MPI_Datatype type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (const MPI_Datatype *each = kinds[i].types; *each; each++)
            if (*each == type)
                return kinds[i].kind;
    return NO_KIND;
}

topo_combine *topo_combine_find(MPI_Op op, MPI_Datatype type, size_t size)
{
    enum kind kind = kind_of(type);
    int log2 = 0;
    while (log2 < 3 && size >> (log2 + 1))
        log2++;
    if (kind == NO_KIND || size != (size_t)1 << log2 || (kind == FLOATING && !EXACT))
        return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].op == op)
            return rows[i].combine[kind][log2][HAS_AVX2 ? 1 : 0];
    return NULL;
}
