/* Parameters of levels for tests of the model. */
#ifndef TOPO_TESTS_PARAMS_H
#define TOPO_TESTS_PARAMS_H

#include "model/params.h"

/* Powers of two, so that sums are exact: node link 1/1024 s a byte, 8 s latency. */
static inline void simple(struct topo_params *params)
{
    topo_params_default(params);
    for (int kind = 0; kind <= TOPO_LEVEL_KINDS; kind++)
        params->link[kind] = (struct topo_link){.alpha = 1};
    params->link[TOPO_LEVEL_NODE] = (struct topo_link){.alpha = 8, .beta = 1.0 / 1024};
    params->overhead = params->copy = 0;
}

#endif
