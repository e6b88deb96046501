#include "schedule/blocks.h"

#include <stdlib.h>

#include "base/memory.h"
#include "schedule/residue_index.h"

/* Where a message stands in the order of algorithm 2. */
struct place {
    int64_t message, weight;
    int64_t largest; /* of its group: m_h */
    int group;
    int64_t position; /* of its block in the group, along the recurrence */
};

/* Similar lengths together: by decreasing weight; then groups by decreasing largest
 * message, blocks along the recurrence. */
static int order(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    if (a->largest != b->largest)
        return a->largest > b->largest ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    return a->message < b->message ? -1 : 1;
}

static bool place_all(const struct topo_matrix *matrix, struct topo_shift shift, struct place *places)
{
    struct topo_residue_index residues = topo_residue_index_of(matrix, shift);
    int64_t *largest = topo_calloc((size_t)residues.groups, sizeof *largest);
    if (!largest)
        return false;
    for (int64_t e = 0; e < matrix->messages; e++) {
        struct topo_orbit_place block = topo_residue_index_locate(&residues, matrix->sender[e], matrix->receiver[e]);
        places[e] = (struct place){e, matrix->weight[e], 0, block.group, block.position};
        if (places[e].weight > largest[places[e].group])
            largest[places[e].group] = places[e].weight;
    }
    for (int64_t e = 0; e < matrix->messages; e++)
        places[e].largest = largest[places[e].group];
    topo_free(largest);
    qsort(places, (size_t)matrix->messages, sizeof *places, order);
    return true;
}

/* One step: walks the messages not sent yet; runs of one group and weight
 * backwards when `backwards`. Returns what is left; places[] keeps the rest in order. */
static int64_t fill_step(const struct topo_matrix *matrix, struct place *places, int64_t left, int step, bool backwards,
                         int64_t *load, int *last_step, int *step_of)
{
    int64_t limit = places[0].weight, kept = 0;
    int open = matrix->senders;
    for (int i = 0; i < matrix->senders; i++)
        load[i] = 0;
    for (int64_t e = 0; e < left; e++)
        if (places[e].weight > limit)
            limit = places[e].weight;
    for (int64_t first = 0; first < left && open > 0;) {
        int64_t end = first + 1;
        while (end < left && places[end].group == places[first].group && places[end].weight == places[first].weight)
            end++;
        for (int64_t l = 0; l < end - first && open > 0; l++) {
            struct place *place = &places[backwards ? end - 1 - l : first + l];
            int i = matrix->sender[place->message], j = matrix->receiver[place->message];
            if (last_step[j] == step || load[i] + place->weight > limit)
                continue;
            last_step[j] = step;
            load[i] += place->weight;
            open -= load[i] == limit;
            step_of[place->message] = step;
            place->weight = -place->weight; /* taken */
        }
        first = end;
    }
    for (int64_t e = 0; e < left; e++)
        if (places[e].weight > 0)
            places[kept++] = places[e];
    return kept;
}

bool topo_css_blocks(const struct topo_matrix *matrix, struct topo_shift shift, int *step_of, int *steps)
{
    TOPO_SCOPED struct place *places = topo_alloc((size_t)matrix->messages, sizeof *places);
    TOPO_SCOPED int64_t *load = topo_alloc((size_t)matrix->senders, sizeof *load);
    TOPO_SCOPED int *last_step = topo_alloc((size_t)matrix->receivers, sizeof *last_step);
    bool done = places && load && last_step && place_all(matrix, shift, places);
    *steps = 0;
    for (int j = 0; done && j < matrix->receivers; j++)
        last_step[j] = -1;
    for (int64_t left = matrix->messages; done && left > 0; ++*steps)
        left = fill_step(matrix, places, left, *steps, *steps % 2 == 1, load, last_step, step_of);
    return done;
}
