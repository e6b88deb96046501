/* A program without MPI that opens a shared object privately, as Python opens extensions, and runs the loaded_main() in
 * it. Before that it leaves its folder: paths relative to that one are worth nothing any more.
 *
 *   loader OBJECT [ARGUMENT]... */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    union {
        void *object;
        int (*function)(int, char **);
    } loaded = {NULL};
    void *object = argc > 1 && chdir("/") == 0 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (object)
        loaded.object = dlsym(object, "loaded_main");
    if (!loaded.object) {
        fprintf(stderr, "loader: %s\n", argc > 1 ? dlerror() : "no object");
        return 2;
    }
    return loaded.function(argc - 1, argv + 1);
}
