#include "predict/mpi/replay_scale.h"

#include <string.h>

#include "base/status.h"

bool replay_scaling_find(const char *word, enum replay_scaling *scaling)
{
    static const char *const words[] = {REPLAY_SCALING_MAP(TOPO_WORD)};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i])) {
            *scaling = (enum replay_scaling)i;
            return true;
        }
    return false;
}

struct replay_factors replay_factors_of(enum replay_scaling scaling, int from, int to)
{
    double ratio = (double)from / to;
    switch (scaling) {
    case REPLAY_SCALING_STRONG: return (struct replay_factors){ratio, ratio, ratio * ratio};
    case REPLAY_SCALING_WEAK: return (struct replay_factors){1, 1, ratio};
    default: return (struct replay_factors){1, 1, 1};
    }
}

int replay_source(int rank, int from, int to)
{
    return (int)((int64_t)rank * from / to);
}
