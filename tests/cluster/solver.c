/* Conjugate gradients on the normal equations of a sparse system (CGLS), for
 * comparing predictions with. Rows are shared out among the ranks (scaling:
 * strong), vectors of unknowns are whole on every rank (fixed). A new direction is made
 * conjugate to the last few once more, by one number after the other. Each iteration has
 * all-reduces of single numbers (interval "scalars"), a long one and another number
 * ("product"), and computation alone ("vectors"). Where processors are short, ranks leave a
 * call at different times, and the interval in which they do shows it: so there are several
 * calls in "scalars", and intervals end with short ones. */
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "intervals.h"

enum { UNKNOWNS = 8192, ROWS = 16384, ENTRIES = 24, ITERATIONS = 30, KEPT = 4 };

/* Entry k of row r: its column and its value, the same on any number of ranks. */
static int column(int r, int k)
{
    return (int)(((unsigned)r * 2654435761u + (unsigned)k * 40503u * 65537u) % UNKNOWNS);
}

static double value(int r, int k)
{
    return k == 0 ? 8.0 : 1.0 / (1 + (r + 3 * k) % 7);
}

/* q = A p for this rank's rows. */
static void multiply(const double *p, double *q, int first, int rows)
{
    for (int i = 0; i < rows; i++) {
        q[i] = 0;
        for (int k = 0; k < ENTRIES; k++)
            q[i] += value(first + i, k) * p[column(first + i, k)];
    }
}

/* s = A^T r, summed up over all ranks. */
static void multiply_back(const double *r, double *s, int first, int rows)
{
    for (int j = 0; j < UNKNOWNS; j++)
        s[j] = 0;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < ENTRIES; k++)
            s[column(first + i, k)] += value(first + i, k) * r[i];
    MPI_Allreduce(MPI_IN_PLACE, s, UNKNOWNS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* The product of two vectors of which the ranks have parts. */
static double dot(const double *v, const double *w, int count)
{
    double sum = 0, all;
    for (int i = 0; i < count; i++)
        sum += v[i] * w[i];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static double square(const double *v, int count)
{
    return dot(v, v, count);
}

/* The last directions p, whole, with this rank's parts of q = A p and the squares of those. */
struct kept {
    double *p[KEPT], *q[KEPT], squares[KEPT];
    int count, next;
};

/* Takes out of p and q what they have of the kept ones, one after the other (modified Gram-Schmidt). */
static void make_conjugate(const struct kept *kept, double *p, double *q, int rows)
{
    for (int k = 0; k < kept->count; k++) {
        double part = dot(q, kept->q[k], rows) / kept->squares[k];
        for (int i = 0; i < rows; i++)
            q[i] -= part * kept->q[k][i];
        for (int j = 0; j < UNKNOWNS; j++)
            p[j] -= part * kept->p[k][j];
    }
}

/* Keeps them in place of the oldest. */
static void keep(struct kept *kept, const double *p, const double *q, double squares, int rows)
{
    memcpy(kept->p[kept->next], p, UNKNOWNS * sizeof *p);
    memcpy(kept->q[kept->next], q, (size_t)rows * sizeof *q);
    kept->squares[kept->next] = squares;
    kept->next = (kept->next + 1) % KEPT;
    kept->count += kept->count < KEPT;
}

int main(int argc, char **argv)
{
    int rank, n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    int first = (int)((long)ROWS * rank / n), rows = (int)((long)ROWS * (rank + 1) / n) - first;
    double *r = calloc((size_t)rows + 1, sizeof *r), *q = calloc((size_t)rows + 1, sizeof *q);
    double *x = calloc(UNKNOWNS, sizeof *x), *p = calloc(UNKNOWNS, sizeof *p), *s = calloc(UNKNOWNS, sizeof *s);
    struct kept kept = {.count = 0};
    bool memory = r && q && x && p && s;
    for (int k = 0; k < KEPT; k++) {
        kept.p[k] = calloc(UNKNOWNS, sizeof *p);
        kept.q[k] = calloc((size_t)rows + 1, sizeof *q);
        memory = memory && kept.p[k] && kept.q[k];
    }
    if (!memory)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < rows; i++)
        r[i] = 1 + (first + i) % 5;
    for (int warm = 0; warm < 3; warm++) {
        multiply_back(r, s, first, rows);
        square(r, rows);
    }
    int part = UNKNOWNS / n, mine = rank * part, length = rank == n - 1 ? UNKNOWNS - mine : part;
    double gamma = square(s + mine, length), start = gamma;
    for (int j = 0; j < UNKNOWNS; j++)
        p[j] = s[j];
    MPI_Barrier(MPI_COMM_WORLD);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        int interval = interval_begin("scalars");
        multiply(p, q, first, rows);
        make_conjugate(&kept, p, q, rows);
        double squares = square(q, rows), alpha = gamma / squares;
        keep(&kept, p, q, squares, rows);
        interval_end(interval);
        interval = interval_begin("product");
        for (int i = 0; i < rows; i++)
            r[i] -= alpha * q[i];
        multiply_back(r, s, first, rows);
        double next = square(s + mine, length);
        interval_end(interval);
        interval = interval_begin("vectors");
        for (int j = 0; j < UNKNOWNS; j++) {
            x[j] += alpha * p[j];
            p[j] = s[j] + next / gamma * p[j];
        }
        gamma = next;
        interval_end(interval);
    }
    intervals_print();
    if (rank == 0)
        printf("gradient reduced by %.1e\n", sqrt(gamma / start));
    for (int k = 0; k < KEPT; k++) {
        free(kept.p[k]);
        free(kept.q[k]);
    }
    free(r);
    free(q);
    free(x);
    free(p);
    free(s);
    MPI_Finalize();
    return gamma < start ? EXIT_SUCCESS : EXIT_FAILURE;
}
