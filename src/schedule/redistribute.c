#include "schedule/redistribute.h"

#include "base/memory.h"
#include "schedule/numbers.h"

/* PIECES_MAX: some seconds of counting; CELLS_MAX: 4096 processes each, 1 GB when all of them have messages. */
enum { PIECES_MAX = 1 << 26, CELLS_MAX = 1 << 24 };

static enum topo_status inspect(const struct topo_redistribution *r, struct topo_error *error)
{
    if (r->x < 1 || r->y < 1 || r->np < 1 || r->nq < 1 || r->a1 < 1 || r->a2 < 1 || r->length < 0)
        return topo_fail(error, TOPO_INVALID,
                         "redistribution cyclic(%lld)@%d -> cyclic(%lld)@%d, access %lld,%lld,%lld,%lld, length %lld: "
                         "blocks, processes, a1 and a2 are 1 or more, the length 0 or more",
                         (long long)r->y, r->nq, (long long)r->x, r->np, (long long)r->a1, (long long)r->b1,
                         (long long)r->a2, (long long)r->b2, (long long)r->length);
    return TOPO_OK;
}

static enum topo_status too_large(struct topo_error *error)
{
    return topo_fail(error, TOPO_INVALID, "redistribution: periods or subscripts above %lld", (long long)INT64_MAX);
}

enum topo_status topo_redistribution_facts(const struct topo_redistribution *r, struct topo_redistribution_facts *facts,
                                           struct topo_error *error)
{
    int64_t around_a, around_b, both, blocks, image, factor;
    enum topo_status status = inspect(r, error);
    *facts = (struct topo_redistribution_facts){0};
    if (status != TOPO_OK)
        return status;
    /* Once round all processes of A, and of B. */
    if (__builtin_mul_overflow(r->x, (int64_t)r->np, &around_a) ||
        __builtin_mul_overflow(r->y, (int64_t)r->nq, &around_b))
        return too_large(error);
    facts->period_a = around_a / topo_gcd(around_a, r->a1);
    if (__builtin_mul_overflow(r->a2, facts->period_a, &both) || !topo_lcm(around_b, both, &facts->period_s))
        return too_large(error);
    facts->iterations = facts->period_s / r->a2;
    /* M = factor lcm(y, a2), factor the least for which M a1 / a2 is a multiple of x. */
    if (!topo_lcm(r->y, r->a2, &blocks) || __builtin_mul_overflow(blocks / r->a2, r->a1, &image))
        return too_large(error);
    factor = r->x / topo_gcd(image, r->x);
    if (__builtin_mul_overflow(blocks, factor, &facts->address) || __builtin_mul_overflow(image, factor, &image))
        return too_large(error);
    facts->m = facts->address / r->y;
    facts->n = image / r->x;
    facts->s = r->nq / (int)topo_gcd(facts->m, r->nq);
    facts->t = r->np / (int)topo_gcd(facts->n, r->np);
    return TOPO_OK;
}

struct topo_shift topo_redistribution_shift(const struct topo_redistribution *redistribution,
                                            const struct topo_redistribution_facts *facts)
{
    return (struct topo_shift){(int)(facts->m % redistribution->nq), (int)(facts->n % redistribution->np)};
}

/* Adds `times` for every iteration of [0, count): runs of iterations within one block of each array at once. */
static enum topo_status count(const struct topo_redistribution *r, int64_t iterations, int64_t times, int64_t *com,
                              struct topo_error *error)
{
    int64_t pieces = 0;
    for (int64_t i = 0; i < iterations;) {
        int64_t block_a = (r->a1 * i + r->b1) / r->x, block_b = (r->a2 * i + r->b2) / r->y;
        /* The last iterations of both blocks: a (i + more) + b < (block + 1) x. */
        int64_t more_a = (r->x - 1 - (r->a1 * i + r->b1) % r->x) / r->a1;
        int64_t more_b = (r->y - 1 - (r->a2 * i + r->b2) % r->y) / r->a2;
        int64_t run = 1 + (more_a < more_b ? more_a : more_b);
        if (run > iterations - i)
            run = iterations - i;
        if (++pieces > PIECES_MAX)
            return topo_fail(error, TOPO_UNSUPPORTED, "redistribution: more than %d pieces of blocks in a period",
                             PIECES_MAX);
        com[(block_b % r->nq) * r->np + block_a % r->np] += times * run;
        i += run;
    }
    return TOPO_OK;
}

/* The same table without negative shifts: owners repeat after once round all processes. False when that overflows. */
static bool forward(struct topo_redistribution *r)
{
    int64_t around;
    if (r->b1 < 0 && !__builtin_mul_overflow(r->x, (int64_t)r->np, &around))
        r->b1 = topo_mod(r->b1, around);
    if (r->b2 < 0 && !__builtin_mul_overflow(r->y, (int64_t)r->nq, &around))
        r->b2 = topo_mod(r->b2, around);
    return r->b1 >= 0 && r->b2 >= 0;
}

enum topo_status topo_redistribution_matrix(const struct topo_redistribution *given, struct topo_matrix **matrix,
                                            struct topo_error *error)
{
    struct topo_redistribution copy = *given, *r = &copy;
    struct topo_redistribution_facts facts;
    TOPO_SCOPED int64_t *com = NULL;
    int64_t top;
    enum topo_status status = inspect(r, error);
    *matrix = NULL;
    if (status == TOPO_OK && !forward(r))
        status = too_large(error);
    if (status != TOPO_OK)
        return status;
    /* A period too long to count is longer than the loop. */
    status = topo_redistribution_facts(r, &facts, error);
    if (status != TOPO_OK && !r->length)
        return status;
    int64_t period = status == TOPO_OK ? facts.iterations : INT64_MAX;
    int64_t length = r->length ? r->length : period, once = period < length ? period : length;
    /* Subscripts of one period, and elements altogether. */
    if (__builtin_mul_overflow(r->a1 > r->a2 ? r->a1 : r->a2, once, &top) ||
        __builtin_add_overflow(top, r->b1 > r->b2 ? r->b1 : r->b2, &top))
        return too_large(error);
    if ((int64_t)r->nq * r->np > CELLS_MAX)
        return topo_fail(error, TOPO_UNSUPPORTED,
                         "redistribution: a table of %d x %d; allowed: up to %d pairs of processes", r->nq, r->np,
                         CELLS_MAX);
    com = topo_calloc((size_t)r->nq, (size_t)r->np * sizeof *com);
    if (!com)
        return topo_fail(error, TOPO_NOMEM, "out of memory for a table of %d x %d", r->nq, r->np);
    status = length < period ? TOPO_OK : count(r, period, length / period, com, error);
    if (status == TOPO_OK)
        status = count(r, length % period, 1, com, error);
    if (status == TOPO_OK)
        status = topo_matrix_dense(r->nq, r->np, com, matrix, error);
    return status;
}
