/* MPI_Init, MPI_Init_thread and MPI_Finalize, from C and from Fortran. */
#include <mpi.h>

#include "base/export.h"
#include "coll/library.h"
#include "coll/prepare.h"
#include "job/job.h"
#include "job/presence.h"
#include "intercept/fortran.h"
#include "intercept/guard.h"
#include "observe/trace.h"

/* Both run once: around the outermost of the calls that start MPI. */
static void before_init(void)
{
    if (topo_depth++ == 0 && topo_job_wanted())
        topo_presence_announce();
}

static void after_init(int code)
{
    if (--topo_depth == 0 && code == MPI_SUCCESS && topo_job_wanted()) {
        topo_library_start(false);
        topo_world_created();
        topo_trace_start();
    }
}

TOPO_EXPORT int MPI_Init(int *argc, char ***argv)
{
    int (*next)(int *, char ***) = (int (*)(int *, char ***))topo_next("MPI_Init");
    before_init();
    int code = next(argc, argv);
    after_init(code);
    return code;
}

TOPO_EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int (*next)(int *, char ***, int, int *) = (int (*)(int *, char ***, int, int *))topo_next("MPI_Init_thread");
    before_init();
    int code = next(argc, argv, required, provided);
    after_init(code);
    return code;
}

/* What is to be done at the end hangs on MPI_COMM_SELF (comm/comm.h), so that it also runs where this wrapper is passed
 * by, and after the delete callbacks that the application has there: they may call collectives that other ranks call
 * before MPI_Finalize, so these are taken as before. Only a job that the library does nothing in has no such end. */
static void before_finalize(void)
{
    if (!topo_job.active)
        topo_trace_stop();
}

TOPO_EXPORT int MPI_Finalize(void)
{
    int (*next)(void) = (int (*)(void))topo_next("MPI_Finalize");
    before_finalize();
    return next();
}

#define FORTRAN_INIT(symbol) \
    TOPO_EXPORT void symbol(MPI_Fint *ierror); \
    TOPO_EXPORT void symbol(MPI_Fint *ierror) \
    { \
        MPI_Fint code = MPI_SUCCESS; \
        before_init(); \
        ((void (*)(MPI_Fint *))topo_next(#symbol))(&code); \
        after_init(code); \
        topo_fortran_code(ierror, code); \
    }
TOPO_FORTRAN_77(FORTRAN_INIT(mpi_init_))
FORTRAN_INIT(mpi_init_f08_)

#define FORTRAN_INIT_THREAD(symbol) \
    TOPO_EXPORT void symbol(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierror); \
    TOPO_EXPORT void symbol(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierror) \
    { \
        MPI_Fint code = MPI_SUCCESS; \
        before_init(); \
        ((void (*)(MPI_Fint *, MPI_Fint *, MPI_Fint *))topo_next(#symbol))(required, provided, &code); \
        after_init(code); \
        topo_fortran_code(ierror, code); \
    }
TOPO_FORTRAN_77(FORTRAN_INIT_THREAD(mpi_init_thread_))
FORTRAN_INIT_THREAD(mpi_init_thread_f08_)

#define FORTRAN_FINALIZE(symbol) \
    TOPO_EXPORT void symbol(MPI_Fint *ierror); \
    TOPO_EXPORT void symbol(MPI_Fint *ierror) \
    { \
        before_finalize(); \
        ((void (*)(MPI_Fint *))topo_next(#symbol))(ierror); \
    }
TOPO_FORTRAN_77(FORTRAN_FINALIZE(mpi_finalize_))
FORTRAN_FINALIZE(mpi_finalize_f08_)
