/* MPI_Pcontrol with more arguments than registers hold, numbers of both kinds; built with -DTOOL the tool that gets
 * them, to be preloaded after the library: prints "whole" when all came. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <mpi.h>

enum { PAIRS = 12 };

#ifdef TOOL
int MPI_Pcontrol(const int level, ...)
{
    va_list list;
    va_start(list, level);
    int good = level == 3 && !strcmp(va_arg(list, const char *), "solver");
    for (int i = 0; i < PAIRS; i++) {
        good &= va_arg(list, long long) == ((long long)i << 40) - 1;
        good &= va_arg(list, double) == i + 0.25;
    }
    va_end(list);
    puts(good ? "whole" : "garbage");
    return 17;
}
#else
#define PAIR(i) ((long long)i << 40) - 1, i + 0.25
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int code = MPI_Pcontrol(3, "solver", PAIR(0), PAIR(1), PAIR(2), PAIR(3), PAIR(4), PAIR(5), PAIR(6), PAIR(7),
                            PAIR(8), PAIR(9), PAIR(10), PAIR(11));
    MPI_Finalize();
    return code != 17;
}
#endif
