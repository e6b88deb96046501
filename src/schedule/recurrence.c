#include "schedule/recurrence.h"

#include "base/memory.h"
#include "schedule/numbers.h"

bool topo_shift_holds(const struct topo_matrix *matrix, struct topo_shift shift)
{
    if (shift.m < 0 || shift.m >= matrix->senders || shift.n < 0 || shift.n >= matrix->receivers)
        return false;
    /* A shift moves pairs one to one, so it is enough that every message meets an equal one. */
    for (int64_t e = 0; e < matrix->messages; e++) {
        int i = (int)(((int64_t)matrix->sender[e] + shift.m) % matrix->senders);
        int j = (int)(((int64_t)matrix->receiver[e] + shift.n) % matrix->receivers);
        if (topo_matrix_at(matrix, i, j) != matrix->weight[e])
            return false;
    }
    return true;
}

bool topo_shift_is_single(const struct topo_matrix *matrix, struct topo_shift shift)
{
    return topo_gcd(shift.m, matrix->senders) == 1 &&
           matrix->receivers / topo_gcd(shift.n, matrix->receivers) >= matrix->senders;
}

/* A row seen as a cycle: the gap to the next receiver and the weight, message after
 * message. Two rows that are rotations of each other have the same `kind`, and
 * row i rotated by offset[i2] - offset[i] gives row i2, modulo the row's period. */
struct row {
    int64_t first, length; /* messages */
    int64_t start;         /* message of the row at which its least rotation begins */
    int64_t period;        /* receivers after which the row repeats; 1 when it is empty */
    uint64_t hash;         /* of the least rotation */
    int kind;              /* row of the same kind with the lowest index */
};

static int64_t gap_after(const struct topo_matrix *matrix, const struct row *row, int64_t k)
{
    int64_t here = matrix->receiver[row->first + k];
    return k + 1 < row->length ? matrix->receiver[row->first + k + 1] - here
                               : matrix->receiver[row->first] + matrix->receivers - here;
}

/* -1, 0, 1: the k-th item of the cycle against the l-th of another (or the same) row. */
static int compare(const struct topo_matrix *matrix, const struct row *a, int64_t k, const struct row *b, int64_t l)
{
    k %= a->length;
    l %= b->length;
    int64_t wa = matrix->weight[a->first + k], wb = matrix->weight[b->first + l];
    if (wa == wb) {
        wa = gap_after(matrix, a, k);
        wb = gap_after(matrix, b, l);
    }
    return (wa > wb) - (wa < wb);
}

/* Where the least rotation starts, and after how many items the cycle repeats:
 * two candidates i < j are compared; the loser jumps past what was compared. */
static void least_rotation(const struct topo_matrix *matrix, struct row *row)
{
    int64_t i = 0, j = 1, k = 0, period = row->length;
    while (i < row->length && j < row->length && k < row->length) {
        int order = compare(matrix, row, i + k, row, j + k);
        if (order == 0) {
            k++;
            continue;
        }
        if (order > 0)
            i += k + 1;
        else
            j += k + 1;
        if (i == j)
            j++;
        k = 0;
    }
    row->start = i < j ? i : j;
    /* Equal all the way round: the distance of the two is the repetition. */
    if (k == row->length)
        period = i < j ? j - i : i - j;
    row->period = 0;
    for (int64_t l = 0; l < period; l++)
        row->period += gap_after(matrix, row, (row->start + l) % row->length);
}

static void describe(const struct topo_matrix *matrix, int i, struct row *row)
{
    *row =
        (struct row){.first = matrix->row[i], .length = matrix->row[i + 1] - matrix->row[i], .period = 1, .kind = -1};
    if (row->length == 0)
        return;
    least_rotation(matrix, row);
    row->hash = 0xcbf29ce484222325u;
    for (int64_t l = 0; l < row->length; l++) {
        int64_t k = (row->start + l) % row->length;
        row->hash = (row->hash ^ (uint64_t)matrix->weight[row->first + k]) * 0x9e3779b97f4a7c15u;
        row->hash = (row->hash ^ row->hash >> 29 ^ (uint64_t)gap_after(matrix, row, k)) * 0xbf58476d1ce4e5b9u;
        row->hash ^= row->hash >> 32;
    }
}

static bool rotations(const struct topo_matrix *matrix, const struct row *a, const struct row *b)
{
    if (a->length != b->length || a->hash != b->hash)
        return false;
    for (int64_t l = 0; l < a->length; l++)
        if (compare(matrix, a, a->start + l, b, b->start + l))
            return false;
    return true;
}

/* Gives every row its kind: a table of the kinds seen, by hash. */
static bool classify(const struct topo_matrix *matrix, struct row *rows)
{
    uint64_t mask = 1;
    while (mask < 2 * (uint64_t)matrix->senders)
        mask = 2 * mask + 1;
    TOPO_SCOPED int *table = topo_alloc((size_t)mask + 1, sizeof *table);
    if (!table)
        return false;
    for (uint64_t at = 0; at <= mask; at++)
        table[at] = -1;
    for (int i = 0; i < matrix->senders; i++) {
        uint64_t at = rows[i].hash & mask;
        while (table[at] >= 0 && !rotations(matrix, &rows[table[at]], &rows[i]))
            at = (at + 1) & mask;
        if (table[at] < 0)
            table[at] = i;
        rows[i].kind = table[at];
    }
    return true;
}

static int64_t offset(const struct topo_matrix *matrix, const struct row *row)
{
    return row->length ? matrix->receiver[row->first + row->start] : 0;
}

/* Does moving all rows by m leave the table alone for some n? Then n is *n modulo *period. */
static bool shift_of(const struct topo_matrix *matrix, const struct row *rows, int m, int64_t *n, int64_t *period)
{
    *n = 0;
    *period = 1;
    for (int i = 0; i < matrix->senders; i++) {
        const struct row *from = &rows[i], *to = &rows[(i + (int64_t)m) % matrix->senders];
        if (from->kind != to->kind)
            return false;
        /* Also n = d mod p. Both periods divide the number of receivers, so the numbers stay small. */
        int64_t p = from->period, d = topo_mod(offset(matrix, to) - offset(matrix, from), p);
        int64_t common = topo_gcd(*period, p);
        if ((d - *n) % common)
            return false;
        int64_t steps = topo_mul_mod(topo_mod((d - *n) / common, p / common),
                                     topo_inverse(*period / common, p / common), p / common);
        *n += *period * steps;
        *period = *period / common * p;
        *n %= *period;
    }
    return true;
}

/* Of n, n + period, ... below the number of receivers the one whose orbit with m is longest. */
static struct topo_shift best_of(const struct topo_matrix *matrix, int m, int64_t n, int64_t period)
{
    int64_t s = matrix->senders / topo_gcd(m, matrix->senders), best = -1;
    struct topo_shift shift = {0, 0};
    for (n = topo_mod(n, period); n < matrix->receivers; n += period) {
        int64_t t = matrix->receivers / topo_gcd(n, matrix->receivers), orbit = s / topo_gcd(s, t) * t;
        if (orbit > best) {
            best = orbit;
            shift = (struct topo_shift){m, (int)n};
        }
        /* Receivers of one step: distinct for s senders when t >= s, and larger t changes nothing then. */
        if (s == matrix->senders && t >= s)
            return (struct topo_shift){m, (int)n};
    }
    return shift;
}

enum topo_status topo_shift_find(const struct topo_matrix *matrix, struct topo_shift *shift, struct topo_error *error)
{
    TOPO_SCOPED struct row *rows = topo_alloc((size_t)matrix->senders, sizeof *rows);
    int64_t n, period;
    *shift = (struct topo_shift){0, 0};
    if (!rows)
        goto nomem;
    for (int i = 0; i < matrix->senders; i++)
        describe(matrix, i, &rows[i]);
    if (!classify(matrix, rows))
        goto nomem;
    /* The m of the group are the multiples of the smallest one, a divisor of the number of senders. */
    for (int m = 1; m <= matrix->senders; m++)
        if (matrix->senders % m == 0 && shift_of(matrix, rows, m % matrix->senders, &n, &period)) {
            *shift = best_of(matrix, m % matrix->senders, n, period);
            break;
        }
    return TOPO_OK;
nomem:
    return topo_fail(error, TOPO_NOMEM, "out of memory for the recurrence of a %d x %d table", matrix->senders,
                     matrix->receivers);
}
