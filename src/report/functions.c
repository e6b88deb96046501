/* MPI's functions by their numbers (catalog/functions.def), and what was counted of them. */
#include "report/report.h"

static const struct {
    const char *name;
    enum topo_function_group group;
    bool sampled;
} functions[] = {
#define FUNCTION(group, Name, ...) {"MPI_" #Name, TOPO_GROUP_##group, false},
#define SAMPLED(group, Name, ...) {"MPI_" #Name, TOPO_GROUP_##group, true},
#include "catalog/functions.def"
    {"MPI_Pcontrol", TOPO_GROUP_OTHER, true}};

const char *topo_report_function_name(int function)
{
    return functions[function].name;
}

enum topo_function_group topo_report_function_group(int function)
{
    return functions[function].group;
}

bool topo_report_is_passed(int function)
{
    return function >= TOPO_OPERATION_COUNT && functions[function].group <= TOPO_GROUP_NONBLOCKING;
}

const char *topo_report_group_name(enum topo_function_group group)
{
    static const char *const names[] = {"collectives",    "non-blocking collectives",
                                        "point-to-point", "waits and tests",
                                        "probes",         "RMA",
                                        "files",          "communicators",
                                        "others"};
    return names[group];
}

struct topo_report_function topo_report_function_of(const struct topo_report_sheet *sheet, int function)
{
    struct topo_report_function of = {function, 1, sheet->rank.rank, .calls = 0};
    for (int thread = 0; thread < TOPO_FUNCTION_THREADS; thread++) {
        const struct topo_function_calls *calls = &sheet->functions.of[thread][function];
        /* The first of each so many was timed. */
        const double timed = functions[function].sampled ? ceil((double)calls->calls / TOPO_FUNCTION_EACH) : 1;
        const double times = functions[function].sampled && timed > 0 ? (double)calls->calls / timed : 1;
        of.calls += (int64_t)calls->calls;
        of.bytes += (double)calls->bytes;
        of.seconds += (double)calls->ticks * sheet->functions.tick * times;
    }
    of.most = of.seconds;
    return of;
}
