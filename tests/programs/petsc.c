/* A heat source in a block of uneven conductivity, implicit steps in time: each solves a sparse system (PETSc).
 *
 *     mpicc petsc.c -o petsc $(pkg-config --cflags --libs PETSc)
 *     mpirun -np N ./petsc [-n POINTS] [-steps N] [-ksp_type cg|gmres|bcgs|...] [-pc_type jacobi|bjacobi|...]
 *
 * Rank 0 prints for the last step the iterations, the residual and two digits-long sums of the field. */
#include <petscksp.h>

#define CHECK PetscCall

struct problem {
    PetscInt points; /* along each of the three directions */
    PetscReal dt;
};

/* Conductivity between two neighbours: a poor conductor in one half of the block. */
static PetscReal conductivity(const struct problem *problem, PetscInt x) {
    return 2 * x < problem->points ? 1.0 : 0.02;
}

/* One row of I + dt * A, A the seven-point operator. */
static PetscErrorCode set_row(Mat matrix, const struct problem *problem, PetscInt row) {
    const PetscInt n = problem->points, stride[3] = {1, n, n * n};
    const PetscInt at[3] = {row % n, row / n % n, row / n / n};
    PetscInt columns[7], entries = 0;
    PetscReal values[7], sum = 0;
    for (int d = 0; d < 3; d++)
        for (int side = -1; side <= 1; side += 2) {
            PetscReal k = problem->dt * conductivity(problem, at[0]);
            sum += k; /* the border is cold: its neighbour is there, with the value 0 */
            if (at[d] + side < 0 || at[d] + side >= n)
                continue;
            columns[entries] = row + side * stride[d];
            values[entries++] = -k;
        }
    columns[entries] = row;
    values[entries++] = 1 + sum;
    CHECK(MatSetValues(matrix, 1, &row, entries, columns, values, INSERT_VALUES));
    return 0;
}
static PetscErrorCode make_matrix(const struct problem *problem, Mat *matrix) {
    PetscInt rows = problem->points * problem->points * problem->points, first, end;
    CHECK(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, rows, rows, 7, NULL, 6, NULL, matrix));
    CHECK(MatSetFromOptions(*matrix));
    CHECK(MatGetOwnershipRange(*matrix, &first, &end));
    for (PetscInt row = first; row < end; row++)
        CHECK(set_row(*matrix, problem, row));
    CHECK(MatAssemblyBegin(*matrix, MAT_FINAL_ASSEMBLY));
    CHECK(MatAssemblyEnd(*matrix, MAT_FINAL_ASSEMBLY));
    return 0;
}

/* Steps in time from the cold block; the source is one corner. */
static PetscErrorCode march(KSP solver, Vec field, PetscInt steps) {
    Vec right;
    PetscInt iterations, all = 0;
    PetscReal residual = 0, sum, largest;
    KSPConvergedReason reason;
    CHECK(VecDuplicate(field, &right));
    for (PetscInt step = 0; step < steps; step++) {
        CHECK(VecCopy(field, right));
        CHECK(VecSetValue(right, 0, 1.0, ADD_VALUES));
        CHECK(VecAssemblyBegin(right));
        CHECK(VecAssemblyEnd(right));
        CHECK(KSPSolve(solver, right, field));
        CHECK(KSPGetConvergedReason(solver, &reason));
        CHECK(KSPGetIterationNumber(solver, &iterations));
        CHECK(KSPGetResidualNorm(solver, &residual));
        PetscCheck(reason > 0, PETSC_COMM_WORLD, PETSC_ERR_CONV_FAILED, "step %d", (int)step);
        all += iterations;
    }
    CHECK(VecNorm(field, NORM_1, &sum));
    CHECK(VecNorm(field, NORM_INFINITY, &largest));
    CHECK(PetscPrintf(PETSC_COMM_WORLD, "iterations %d residual %.3e sum %.9e largest %.9e\n", (int)all, (double)residual,
                      (double)sum, (double)largest));
    CHECK(VecDestroy(&right));
    return 0;
}

int main(int argc, char **argv) {
    struct problem problem = {20, 2.0};
    PetscInt steps = 10;
    Mat matrix;
    Vec field;
    KSP solver;
    PetscFunctionBeginUser;
    CHECK(PetscInitialize(&argc, &argv, NULL, NULL));
    CHECK(PetscOptionsGetInt(NULL, NULL, "-n", &problem.points, NULL));
    CHECK(PetscOptionsGetInt(NULL, NULL, "-steps", &steps, NULL));
    CHECK(make_matrix(&problem, &matrix));
    CHECK(MatCreateVecs(matrix, &field, NULL));
    CHECK(KSPCreate(PETSC_COMM_WORLD, &solver));
    CHECK(KSPSetOperators(solver, matrix, matrix));
    CHECK(KSPSetTolerances(solver, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    CHECK(KSPSetFromOptions(solver));
    CHECK(march(solver, field, steps));
    CHECK(KSPDestroy(&solver));
    CHECK(VecDestroy(&field));
    CHECK(MatDestroy(&matrix));
    CHECK(PetscFinalize());
    return 0;
}
