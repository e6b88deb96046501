/* Vectors combined in one pass have the bits that PMPI_Reduce_local() gives, one operand after the other. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll/reduction/vector.h"
#include "mpi/harness.h"

enum { OPERANDS = 20, COUNT_MOST = 1100, BYTES = COUNT_MOST * 8 + 64 };

static const struct type {
    const char *name;
    MPI_Datatype type;
    bool floating;
} types[] = {
    {"double", MPI_DOUBLE, true},
    {"float", MPI_FLOAT, true},
    {"int", MPI_INT, false},
    {"long", MPI_LONG, false},
    {"long long", MPI_LONG_LONG, false},
    {"unsigned", MPI_UNSIGNED, false},
    {"unsigned long", MPI_UNSIGNED_LONG, false},
    {"unsigned long long", MPI_UNSIGNED_LONG_LONG, false},
    {"int32_t", MPI_INT32_T, false},
    {"int64_t", MPI_INT64_T, false},
    {"uint32_t", MPI_UINT32_T, false},
    {"uint64_t", MPI_UINT64_T, false},
    {"short", MPI_SHORT, false},
    {"unsigned short", MPI_UNSIGNED_SHORT, false},
    {"int8_t", MPI_INT8_T, false},
    {"uint8_t", MPI_UINT8_T, false},
    {"signed char", MPI_SIGNED_CHAR, false},
    {"unsigned char", MPI_UNSIGNED_CHAR, false},
    {"int16_t", MPI_INT16_T, false},
    {"uint16_t", MPI_UINT16_T, false},
    {"MPI_AINT", MPI_AINT, false},
    {"MPI_OFFSET", MPI_OFFSET, false},
    {"MPI_COUNT", MPI_COUNT, false},
};

static const struct op {
    const char *name;
    MPI_Op op;
    bool of_bits;
} ops[] = {{"sum", MPI_SUM, false},     {"product", MPI_PROD, false}, {"minimum", MPI_MIN, false},
           {"maximum", MPI_MAX, false}, {"and", MPI_BAND, true},      {"or", MPI_BOR, true},
           {"xor", MPI_BXOR, true}};
enum { TYPES = sizeof types / sizeof *types, OPS = sizeof ops / sizeof *ops };

static uint64_t state = 1;

static uint64_t random_bits(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state ^ state >> 29;
}

/* One number in three is special: zeros, subnormal and infinite ones, the largest, of both signs; with `nans`, NaNs. */
static double floating(bool nans)
{
    static const double special[] = {0.0, 4.9e-324, 1e-310, 1e-40, 1e308, 3e38, 1.0, 1e16, __builtin_inf()};
    uint64_t bits = random_bits();
    double sign = bits & 1 ? -1 : 1;
    if (nans && bits >> 1 & 1 && bits >> 2 & 1)
        return __builtin_nan("5");
    if (bits >> 3 & 1)
        return sign * (double)(int64_t)random_bits() * 1e-17;
    return sign * special[(bits >> 8) % (nans ? 9 : 8)];
}

static void fill(const struct type *type, char *at, size_t bytes, bool nans)
{
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        uint64_t bits = random_bits();
        double wide = floating(nans);
        float narrow[2] = {(float)floating(nans), (float)floating(nans)};
        memcpy(at + i, &bits, 8);
        if (type->floating)
            memcpy(at + i, type->type == MPI_FLOAT ? (void *)narrow : &wide, 8);
    }
}

/* The same bits, or NaNs both: which of two comes out of a sum is open (coll/reduction/operands.h). */
static bool agree(const struct type *type, const char *a, const char *b, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        double x[2];
        float y[2];
        const char *p = a + i * size, *q = b + i * size;
        if (memcmp(p, q, size) == 0)
            continue;
        if (!type->floating)
            return false;
        memcpy(&y[0], p, sizeof y[0]);
        memcpy(&y[1], q, sizeof y[1]);
        x[0] = y[0];
        x[1] = y[1];
        if (size == 8) {
            memcpy(&x[0], p, sizeof x[0]);
            memcpy(&x[1], q, sizeof x[1]);
        }
        if (x[0] == x[0] || x[1] == x[1])
            return false;
    }
    return true;
}

/* Some vectors at `shift` bytes from an aligned address, added in passes to the first or into memory of its own. */
static bool is_right(const struct type *type, MPI_Op op, int number, int count, size_t shift, bool in_place, bool nans)
{
    static _Alignas(64) char operand[OPERANDS][BYTES], expected[BYTES], result[BYTES], before[BYTES];
    int size;
    PMPI_Type_size(type->type, &size);
    size_t bytes = (size_t)count * (size_t)size;
    struct topo_vector vector;
    struct topo_bench bench;
    int code = topo_vector_describe(MPI_IN_PLACE, result, count, type->type, op, &vector);
    if (code != MPI_SUCCESS || !topo_bench_open(&bench, &vector, (size_t)count))
        return false;
    for (int i = 0; i < number; i++)
        fill(type, operand[i] + shift, bytes + 8, nans);
    memset(result, 0x5a, BYTES);
    memcpy(expected + shift, operand[0] + shift, bytes);
    for (int i = 1; i < number; i++)
        PMPI_Reduce_local(operand[i] + shift, expected + shift, count, type->type, op);
    char *sum = in_place ? operand[0] : result;
    memcpy(before, sum, BYTES);
    if (!in_place && !bench.combine)
        memcpy(sum + shift, operand[0] + shift, bytes);
    const char *first = bench.combine ? operand[0] + shift : sum + shift;
    struct topo_pass pass = topo_pass_begin(&bench, &vector, first, sum + shift, (size_t)count);
    for (int i = 1; i < number && code == MPI_SUCCESS; i++)
        code = topo_pass_add(&pass, operand[i] + shift);
    if (code == MPI_SUCCESS)
        code = topo_pass_end(&pass);
    topo_bench_close(&bench);
    return code == MPI_SUCCESS && agree(type, sum + shift, expected + shift, (size_t)count, (size_t)size) &&
           !memcmp(sum, before, shift) && !memcmp(sum + shift + bytes, before + shift + bytes, BYTES - shift - bytes);
}

static void all_lengths(const struct type *type, const struct op *op)
{
    static const int counts[] = {0, 1, 3, 8, 9, 31, 33, 63, 129, 200, 1023, 1100};
    static const size_t shifts[] = {0, 1, 8, 33};
    static const int numbers[] = {1, 2, 3, 8, 9, OPERANDS};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t s = 0; s < sizeof shifts / sizeof *shifts; s++)
            for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
                for (int kind = 0; kind < (type->floating ? 4 : 2); kind++)
                    harness_check(is_right(type, op->op, numbers[n], counts[c], shifts[s], kind & 1, kind & 2),
                                  "%s of %d vectors of %d %s, %zu bytes from an aligned address%s%s", op->name,
                                  numbers[n], counts[c], type->name, shifts[s], kind & 1 ? ", in place" : "",
                                  kind & 2 ? ", NaNs among them" : "");
}

/* One NaN in an element keeps its bits, as do all zeros their signs. */
static void one_nan(void)
{
    enum { COUNT = 67, NUMBER = 8 };
    double operand[NUMBER][COUNT], expected[COUNT], sum[COUNT];
    const char *each[NUMBER];
    for (int i = 0; i < NUMBER; i++) {
        each[i] = (const char *)operand[i];
        for (int at = 0; at < COUNT; at++) {
            uint64_t nan = UINT64_C(0x7ff8000000000000) + (uint64_t)at + ((uint64_t)(at & 1) << 63);
            operand[i][at] = at % 3 ? 1.5 * i + at : -0.0;
            if (at % (NUMBER + 1) == i)
                memcpy(&operand[i][at], &nan, sizeof nan);
        }
    }
    memcpy(expected, operand[0], sizeof expected);
    for (int i = 1; i < NUMBER; i++)
        PMPI_Reduce_local(operand[i], expected, COUNT, MPI_DOUBLE, MPI_SUM);
    topo_combine_find(MPI_SUM, MPI_DOUBLE, sizeof(double))(each, NUMBER, (char *)sum, COUNT);
    harness_check(!memcmp(sum, expected, sizeof sum), "a NaN keeps its bits, zeros their signs");
}

static void user_function(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)count;
    (void)type;
}

/* What is combined here and what the MPI library does. */
static void choice(void)
{
    MPI_Op own;
    MPI_Op_create(user_function, true, &own);
    const struct {
        MPI_Op op;
        MPI_Datatype type;
        size_t size;
        bool here;
    } pairs[] = {
        {MPI_SUM, MPI_DOUBLE, sizeof(double), true},
        {MPI_SUM, MPI_FLOAT, sizeof(float), true},
        {MPI_SUM, MPI_INT, sizeof(int), true},
        {MPI_SUM, MPI_LONG, sizeof(long), true},
        {MPI_MAX, MPI_INT, sizeof(int), true},
        {MPI_MIN, MPI_INT64_T, 8, true},
        {MPI_BOR, MPI_UNSIGNED_CHAR, 1, true},
        {MPI_PROD, MPI_DOUBLE, sizeof(double), true},
        {MPI_MAX, MPI_DOUBLE, sizeof(double), false},
        {MPI_MIN, MPI_FLOAT, sizeof(float), false},
        {MPI_MAX, MPI_UNSIGNED_LONG, sizeof(long), false},
        {MPI_MAX, MPI_OFFSET, sizeof(MPI_Offset), false},
        {MPI_SUM, MPI_INT8_T, 1, false},
        {MPI_SUM, MPI_UINT16_T, 2, false},
        {MPI_LAND, MPI_INT, sizeof(int), false},
        {MPI_MAXLOC, MPI_2INT, 2 * sizeof(int), false},
        {own, MPI_DOUBLE, sizeof(double), false},
        {MPI_SUM, MPI_LONG_DOUBLE, sizeof(long double), false},
        {MPI_SUM, MPI_C_DOUBLE_COMPLEX, 16, false},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        harness_check(!topo_combine_find(pairs[i].op, pairs[i].type, pairs[i].size) == !pairs[i].here,
                      "pair %zu of operation and type", i);
    MPI_Op_free(&own);
}

int main(int argc, char **argv)
{
    harness_start(&argc, &argv);
    topo_combine_start();
    for (int t = 0; t < TYPES; t++)
        for (int o = 0; o < OPS; o++)
            if (!(types[t].floating && ops[o].of_bits))
                all_lengths(&types[t], &ops[o]);
    one_nan();
    choice();
    return harness_finish();
}
