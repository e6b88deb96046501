/* MPI_Init, MPI_Init_thread and MPI_Finalize, from C and from Fortran, by both of their names: a tool between us and
 * MPI calls PMPI_Init, or passes us by. */
#include <stdbool.h>

#include <mpi.h>

#include "base/export.h"
#include "coll/library.h"
#include "coll/prepare.h"
#include "job/job.h"
#include "job/presence.h"
#include "intercept/fortran.h"
#include "intercept/next.h"
#include "intercept/worldless.h"
#include "observe/trace.h"

/* Both run once: before the first of the calls that start MPI, and after the first that has. Where a session started it
 * already, it is too late to say that this rank has the library: others may have asked. */
static void before_init(void)
{
    static bool announced;
    if (!announced && topo_job_wanted() && !topo_worldless_was_called())
        topo_presence_announce();
    announced = true;
}

static void after_init(int code)
{
    static bool started;
    if (code == MPI_SUCCESS)
        topo_is_worldless = false;
    if (started || code != MPI_SUCCESS || !topo_job_wanted())
        return;
    started = true;
    topo_library_start(false);
    topo_world_created();
    topo_trace_start();
}

/* What is to be done at the end hangs on MPI_COMM_SELF (comm/comm.h), so that it also runs where this wrapper is passed
 * by, and after the delete callbacks that the application has there: they may call collectives that other ranks call
 * before MPI_Finalize, so these are taken as before. Only a job that the library does nothing in has no such end. */
static void before_finalize(void)
{
    if (!topo_job.active)
        topo_trace_stop();
}

#define C_INIT(symbol, find, parameters, arguments) \
    TOPO_EXPORT int symbol parameters \
    { \
        before_init(); \
        int code = ((int(*) parameters)find(#symbol))arguments; \
        after_init(code); \
        return code; \
    }
#define LIFETIME(MPI, find) \
    C_INIT(MPI##_Init, find, (int *argc, char ***argv), (argc, argv)) \
    C_INIT(MPI##_Init_thread, find, (int *argc, char ***argv, int required, int *provided), \
           (argc, argv, required, provided)) \
    TOPO_EXPORT int MPI##_Finalize(void) \
    { \
        before_finalize(); \
        int code = ((int (*)(void))find(#MPI "_Finalize"))(); \
        topo_is_worldless = true; \
        return code; \
    }
LIFETIME(MPI, topo_next)
LIFETIME(PMPI, topo_own)

#define FORTRAN_INIT(symbol, parameters, arguments) \
    TOPO_EXPORT void symbol parameters; \
    TOPO_EXPORT void symbol parameters \
    { \
        int code = MPI_SUCCESS; \
        before_init(); \
        ((void(*) parameters)topo_next(#symbol)) arguments; \
        after_init(code); \
        topo_fortran_code(ierror, code); \
    }
#define FORTRAN_FINALIZE(symbol) \
    TOPO_EXPORT void symbol(int *ierror); \
    TOPO_EXPORT void symbol(int *ierror) \
    { \
        before_finalize(); \
        ((void (*)(int *))topo_next(#symbol))(ierror); \
        topo_is_worldless = true; \
    }
#define FORTRAN_LIFETIME(prefix, suffix) \
    FORTRAN_INIT(prefix##_init_##suffix, (int *ierror), (&code)) \
    FORTRAN_INIT(prefix##_init_thread_##suffix, (int *required, int *provided, int *ierror), \
                 (required, provided, &code)) \
    FORTRAN_FINALIZE(prefix##_finalize_##suffix)
TOPO_FORTRAN_77(FORTRAN_LIFETIME(mpi, ) FORTRAN_LIFETIME(pmpi, ) FORTRAN_LIFETIME(pmpi, f08_))
TOPO_FORTRAN_08(FORTRAN_LIFETIME(mpi, f08_))
