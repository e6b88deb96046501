/* What programs tell recording_tool.c: from where and to where it is to record. */
#ifndef TOPO_TESTS_PRELOAD_RECORDING_H
#define TOPO_TESTS_PRELOAD_RECORDING_H

#include <dlfcn.h>
#include <stddef.h>

typedef void recording_switch(int on);

static inline void record(int on)
{
    recording_switch *tool = NULL;
    *(void **)&tool = dlsym(RTLD_DEFAULT, "recording_tool");
    if (tool)
        tool(on);
}

#endif
