#include "schedule/near_shift.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "schedule/numbers.h"

enum {
    CELLS_MAX = 1 << 22, /* 2,048 processes each */
    FINALISTS = 16       /* looked at in full where the first look was at some rows */
};

/* What one search may look at. */
static const int64_t work_max = (int64_t)1 << 27;

bool topo_dense_of(const struct topo_matrix *matrix, bool transposed, struct topo_dense *dense)
{
    *dense = (struct topo_dense){.rows = transposed ? matrix->receivers : matrix->senders,
                                 .columns = transposed ? matrix->senders : matrix->receivers};
    if ((int64_t)dense->rows * dense->columns > CELLS_MAX)
        return true;
    dense->cell = topo_calloc((size_t)dense->rows * (size_t)dense->columns, sizeof *dense->cell);
    for (int64_t e = 0; dense->cell && e < matrix->messages; e++) {
        int i = transposed ? matrix->receiver[e] : matrix->sender[e];
        int j = transposed ? matrix->sender[e] : matrix->receiver[e];
        dense->cell[(int64_t)i * dense->columns + j] = matrix->weight[e];
    }
    return dense->cell;
}

void topo_dense_free(struct topo_dense *dense)
{
    topo_free(dense->cell);
    dense->cell = NULL;
}

/* Every so many-th row is looked at, so that `shifts` of them stay within the work. */
static int stride_of(const struct topo_dense *dense, int64_t shifts)
{
    int64_t rows = work_max / shifts / dense->columns;
    return rows >= dense->rows ? 1 : rows < 1 ? dense->rows : (int)((dense->rows + rows - 1) / rows);
}

/* Sum over the steps of the longest message, by the shift (1, n); of every `stride`-th row. */
static int64_t single_duration(const struct topo_dense *dense, int n, int stride, int64_t *longest)
{
    int64_t sum = 0;
    memset(longest, 0, (size_t)dense->columns * sizeof *longest);
    for (int i = 0; i < dense->rows; i += stride) {
        const int64_t *row = dense->cell + (int64_t)i * dense->columns;
        int first = (int)topo_mul_mod(n, i % dense->columns, dense->columns);
        for (int j = 0, step = dense->columns - first; j < dense->columns; j++, step++) {
            int64_t *most = &longest[step >= dense->columns ? step - dense->columns : step];
            *most = row[j] > *most ? row[j] : *most;
        }
    }
    for (int step = 0; step < dense->columns; step++)
        sum += longest[step];
    return sum;
}

struct candidate {
    int n;
    int64_t duration;
};

static int shorter_first(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    return a->duration != b->duration ? (a->duration > b->duration) - (a->duration < b->duration) : a->n - b->n;
}

bool topo_near_single(const struct topo_dense *dense, struct topo_shift *shift, bool *memory)
{
    int count = 0, stride = stride_of(dense, dense->columns);
    TOPO_SCOPED struct candidate *candidate = topo_alloc((size_t)dense->columns, sizeof *candidate);
    TOPO_SCOPED int64_t *longest = topo_alloc((size_t)dense->columns, sizeof *longest);
    *memory = candidate && longest;
    for (int n = 0; *memory && n < dense->columns; n++)
        if (dense->columns / topo_gcd(n, dense->columns) >= dense->rows)
            candidate[count++] = (struct candidate){n, single_duration(dense, n, stride, longest)};
    if (count > 0) {
        qsort(candidate, (size_t)count, sizeof *candidate, shorter_first);
        if (stride > 1) {
            int finalists = count < FINALISTS ? count : FINALISTS;
            for (int c = 0; c < finalists; c++)
                candidate[c].duration = single_duration(dense, candidate[c].n, 1, longest);
            qsort(candidate, (size_t)finalists, sizeof *candidate, shorter_first);
        }
        *shift = (struct topo_shift){1 % dense->rows, candidate[0].n};
    }
    return count > 0;
}

/* What the shift changes in every `stride`-th row; stops above `enough`. */
static int64_t change(const struct topo_dense *dense, struct topo_shift shift, int stride, int64_t enough)
{
    int64_t sum = 0;
    for (int i = 0; i < dense->rows && sum <= enough; i += stride) {
        const int64_t *row = dense->cell + (int64_t)i * dense->columns;
        const int64_t *other = dense->cell + ((int64_t)i + shift.m) % dense->rows * dense->columns;
        for (int j = 0, to = shift.n; j < dense->columns; j++, to = to + 1 == dense->columns ? 0 : to + 1)
            sum += row[j] > other[to] ? row[j] - other[to] : other[to] - row[j];
    }
    return sum;
}

static int64_t orbit_of(const struct topo_dense *dense, struct topo_shift shift)
{
    int64_t s = dense->rows / topo_gcd(shift.m, dense->rows), t = dense->columns / topo_gcd(shift.n, dense->columns);
    return s / topo_gcd(s, t) * t;
}

struct topo_shift topo_near_shift(const struct topo_dense *dense)
{
    struct topo_shift best = {0, 0};
    int64_t least = INT64_MAX / 2, orbit = 0, divisors = 0;
    for (int m = 1; m <= dense->rows; m++)
        divisors += dense->rows % m == 0;
    int stride = stride_of(dense, divisors * dense->columns);
    /* First what the least change is, then the longest orbit among those that change little more. */
    for (int pass = 0; pass < 2; pass++)
        for (int m = 1; m <= dense->rows; m++)
            for (int n = 0; n < dense->columns && dense->rows % m == 0; n++) {
                struct topo_shift shift = {m % dense->rows, n};
                int64_t limit = pass == 0 ? least - 1 : least + least / 2;
                if ((!shift.m && !shift.n) || (pass == 1 && orbit_of(dense, shift) <= orbit))
                    continue;
                int64_t changed = change(dense, shift, stride, limit);
                if (changed > limit)
                    continue;
                if (pass == 0)
                    least = changed;
                else
                    orbit = orbit_of(dense, shift);
                best = shift;
            }
    return best;
}

static int heavier_first(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a < b) - (a > b);
}

/* The last of head[count], by decreasing weight, that is no less than `weight`. */
static int64_t head_of(const int64_t *head, int64_t count, int64_t weight)
{
    int64_t low = 0, high = count;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (head[middle] >= weight)
            low = middle;
        else
            high = middle;
    }
    return head[low];
}

enum topo_status topo_near_base(const struct topo_dense *dense, struct topo_shift shift, struct topo_matrix **base,
                                int64_t *beyond, struct topo_error *error)
{
    int64_t cells = (int64_t)dense->rows * dense->columns, tolerance = 0, orbits = 0;
    TOPO_SCOPED int64_t *weight = topo_alloc((size_t)cells, sizeof *weight);
    TOPO_SCOPED int64_t *heads = topo_alloc((size_t)cells, sizeof *heads);
    *base = NULL;
    *beyond = 0;
    if (!weight || !heads)
        return topo_fail(error, TOPO_NOMEM, "out of memory for a table of %d x %d", dense->rows, dense->columns);
    memset(weight, 0xff, (size_t)cells * sizeof *weight);
    for (int64_t cell = 0; cell < cells; cell++) {
        int64_t most = 0, least = INT64_MAX, sum = 0, length = 0;
        if (weight[cell] >= 0)
            continue;
        for (int pass = 0; pass < 2; pass++) {
            int64_t i = cell / dense->columns, j = cell % dense->columns;
            do {
                int64_t at = i * dense->columns + j, here = dense->cell[at];
                if (pass == 0) {
                    most = here > most ? here : most;
                    least = here < least ? here : least;
                    sum += here;
                    length++;
                } else {
                    weight[at] = most;
                }
                i = (i + shift.m) % dense->rows;
                j = (j + shift.n) % dense->columns;
            } while (i * dense->columns + j != cell);
        }
        tolerance = most - least > tolerance ? most - least : tolerance;
        *beyond += sum - length * least;
        heads[orbits++] = most;
    }
    qsort(heads, (size_t)orbits, sizeof *heads, heavier_first);
    /* Of each weight class its heaviest. */
    int64_t classes = 0;
    for (int64_t k = 0; k < orbits; k++)
        if (classes == 0 || heads[classes - 1] - heads[k] > tolerance)
            heads[classes++] = heads[k];
    for (int64_t cell = 0; cell < cells; cell++)
        if (weight[cell] > 0)
            weight[cell] = head_of(heads, classes, weight[cell]);
    return topo_matrix_dense(dense->rows, dense->columns, weight, base, error);
}
