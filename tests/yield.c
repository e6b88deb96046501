/* Preloaded under MPICH by tests/lib.sh. MPICH 4.0 polls UCX while it waits and never yields its processor, so that
 * with more ranks than cores each collective takes milliseconds; here the polls that find nothing yield. Symbols are hidden
 * elsewhere: this one must be seen, or nobody finds it. */
#include <dlfcn.h>
#include <sched.h>
#include <string.h>

typedef unsigned poll_function(void *worker);
__attribute__((visibility("default"))) poll_function ucp_worker_progress;

unsigned ucp_worker_progress(void *worker)
{
    static poll_function *next;
    if (!next) {
        void *symbol = dlsym(RTLD_NEXT, "ucp_worker_progress");
        if (!symbol) /* Python opens MPI privately, and so what it needs */
            symbol = dlsym(dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD), "ucp_worker_progress");
        memcpy(&next, &symbol, sizeof next);
    }
    unsigned found = next(worker);
    if (!found)
        sched_yield();
    return found;
}
