/* Which operation goes with which datatype (MPI 3.1, sections 5.9.2 and 5.9.4). */
#include "coll/base/operators.h"

#include <stddef.h>
#include <string.h>

#include "job/job.h"

enum class {
    C_INTEGER = 1,
    OTHER_INTEGER = 64, /* Fortran's, and MPI_AINT, MPI_OFFSET, MPI_COUNT: no logical operations */
    INTEGER = C_INTEGER | OTHER_INTEGER,
    FLOATING = 2,
    LOGICAL = 4,
    COMPLEX = 8,
    BYTE = 16,
    INTEGER_PAIR = 32,
    FLOATING_PAIR = 128,
    PAIR = INTEGER_PAIR | FLOATING_PAIR
};

static struct {
    MPI_Op op;
    unsigned classes;
} operations[12];

static struct {
    unsigned class;
    MPI_Datatype types[19]; /* up to 0 */
} datatypes[8];

void topo_operators_start(void)
{
    const __typeof__(*operations) of_operations[] = {
        {MPI_SUM, INTEGER | FLOATING | COMPLEX},
        {MPI_MAX, INTEGER | FLOATING},
        {MPI_MIN, INTEGER | FLOATING},
        {MPI_PROD, INTEGER | FLOATING | COMPLEX},
        {MPI_LAND, C_INTEGER | LOGICAL},
        {MPI_LOR, C_INTEGER | LOGICAL},
        {MPI_LXOR, C_INTEGER | LOGICAL},
        {MPI_BAND, INTEGER | BYTE},
        {MPI_BOR, INTEGER | BYTE},
        {MPI_BXOR, INTEGER | BYTE},
        {MPI_MAXLOC, PAIR},
        {MPI_MINLOC, PAIR},
    };
    const __typeof__(*datatypes) of_datatypes[] = {
        {FLOATING, {MPI_DOUBLE, MPI_FLOAT, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION}},
        {C_INTEGER,
         {MPI_INT, MPI_LONG, MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG, MPI_SHORT,
          MPI_UNSIGNED_SHORT, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T,
          MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T}},
        {OTHER_INTEGER, {MPI_INTEGER, MPI_AINT, MPI_OFFSET, MPI_COUNT}},
        {LOGICAL, {MPI_C_BOOL, MPI_LOGICAL}},
        {COMPLEX,
         {MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX, MPI_COMPLEX, MPI_DOUBLE_COMPLEX}},
        {BYTE, {MPI_BYTE}},
        {INTEGER_PAIR, {MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT, MPI_2INTEGER}},
        {FLOATING_PAIR, {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_DOUBLE_INT, MPI_2REAL, MPI_2DOUBLE_PRECISION}},
    };
    _Static_assert(sizeof of_operations == sizeof operations && sizeof of_datatypes == sizeof datatypes, "all rows");
    memcpy(operations, of_operations, sizeof operations);
    memcpy(datatypes, of_datatypes, sizeof datatypes);
}

/* Classes an operation takes; 0: not one of MPI's. */
static unsigned classes_of(MPI_Op op)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].op == op)
            return operations[i].classes;
    return 0;
}

static unsigned class_of(MPI_Datatype type)
{
    for (size_t i = 0; i < sizeof datatypes / sizeof *datatypes; i++)
        for (const MPI_Datatype *each = datatypes[i].types; *each; each++)
            if (*each == type)
                return datatypes[i].class;
    return 0;
}

bool topo_operation_is_mpis(MPI_Op op)
{
    return classes_of(op) != 0;
}

bool topo_operation_wants_whole(MPI_Op op)
{
    enum { WHOLE };
    return topo_job.options.value[TOPO_OPTION_USER_OPS].choice == WHOLE && !topo_operation_is_mpis(op);
}

bool topo_operation_known(MPI_Op op, MPI_Datatype type)
{
    unsigned classes = classes_of(op);
    if (classes)
        return classes & class_of(type);
    return op != MPI_REPLACE && op != MPI_NO_OP;
}

bool topo_operation_depends_on_order(MPI_Op op, MPI_Datatype type)
{
    return !topo_operation_is_mpis(op) || (class_of(type) & (FLOATING | COMPLEX | FLOATING_PAIR));
}

bool topo_operation_swaps(MPI_Op op, MPI_Datatype type)
{
    return (op == MPI_SUM && (class_of(type) & (FLOATING | COMPLEX))) ||
           (op == MPI_PROD && (class_of(type) & FLOATING));
}

bool topo_operation_depends_on_side(MPI_Op op, MPI_Datatype type)
{
    return topo_operation_is_mpis(op) && op != MPI_SUM && op != MPI_PROD &&
           (class_of(type) & (FLOATING | FLOATING_PAIR));
}
