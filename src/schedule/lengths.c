/* Steps of one length: every length's messages are edge-coloured exactly. */
#include <string.h>

#include "base/memory.h"
#include "schedule/blocks.h"
#include "schedule/order.h"

/* Messages order[first] .. order[end-1] have one length; degree = most of them at one vertex. */
struct length {
    int64_t first, end;
    int degree;
};

/* The class that starts at order[first]. at[] counts messages per vertex and is all 0 before and after. */
static struct length next_class(const struct topo_matrix *matrix, const int64_t *order, int64_t first, int *at)
{
    struct length class = {first, first, 0};
    int *at_receiver = at + matrix->senders;
    for (; class.end < matrix->messages && matrix->weight[order[class.end]] == matrix->weight[order[first]];
         class.end++) {
        int *sender = &at[matrix->sender[order[class.end]]],
            *receiver = &at_receiver[matrix->receiver[order[class.end]]];
        if (++*sender > class.degree)
            class.degree = *sender;
        if (++*receiver > class.degree)
            class.degree = *receiver;
    }
    for (int64_t k = first; k < class.end; k++) {
        at[matrix->sender[order[k]]] = 0;
        at_receiver[matrix->receiver[order[k]]] = 0;
    }
    return class;
}

bool topo_css_lengths_cost(const struct topo_matrix *matrix, struct topo_css_lengths *cost)
{
    TOPO_SCOPED int64_t *order = topo_alloc((size_t)matrix->messages, sizeof *order);
    TOPO_SCOPED int *at = topo_calloc((size_t)matrix->senders + (size_t)matrix->receivers, sizeof *at);
    bool done = order && at && topo_order_by_weight(matrix, order);
    *cost = (struct topo_css_lengths){0, 0};
    for (int64_t first = 0; done && first < matrix->messages;) {
        struct length class = next_class(matrix, order, first, at);
        cost->steps += class.degree;
        cost->duration += class.degree * matrix->weight[order[first]];
        first = class.end;
    }
    return done;
}

/* The colours of one class: edge[vertex * degree + colour] is the message there, -1 none. */
struct colours {
    const struct topo_matrix *matrix;
    int degree;
    int64_t *edge, *path;
    int *step_of; /* the colour, while the class is coloured */
};

static int64_t *slot(const struct colours *colours, int64_t e, bool at_sender, int colour)
{
    int vertex = at_sender ? colours->matrix->sender[e] : colours->matrix->senders + colours->matrix->receiver[e];
    return &colours->edge[(int64_t)vertex * colours->degree + colour];
}

static void put(const struct colours *colours, int64_t e, int colour)
{
    *slot(colours, e, true, colour) = e;
    *slot(colours, e, false, colour) = e;
    colours->step_of[e] = colour;
}

/* Exchanges colours a and b on the path that leaves the receiver of e by colour a. */
static void exchange(const struct colours *colours, int64_t e, int a, int b)
{
    int64_t count = 0;
    bool at_sender = true; /* the far end of the path's last message */
    for (int64_t last = *slot(colours, e, false, a); last >= 0; at_sender = !at_sender) {
        colours->path[count++] = last;
        last = *slot(colours, last, at_sender, count % 2 ? b : a);
    }
    for (int64_t k = 0; k < count; k++) {
        *slot(colours, colours->path[k], true, k % 2 ? b : a) = -1;
        *slot(colours, colours->path[k], false, k % 2 ? b : a) = -1;
    }
    for (int64_t k = 0; k < count; k++)
        put(colours, colours->path[k], k % 2 ? a : b);
}

/* Colours message e: with a colour free at both ends, else with a, free at the
 * sender, after a path was exchanged. The path cannot end at the sender, which it
 * would reach by colour a. */
static void colour(const struct colours *colours, int64_t e)
{
    int a = -1, b = -1, both = -1;
    for (int c = 0; c < colours->degree && both < 0; c++) {
        bool at_sender = *slot(colours, e, true, c) < 0, at_receiver = *slot(colours, e, false, c) < 0;
        if (at_sender && at_receiver)
            both = c;
        if (at_sender && a < 0)
            a = c;
        if (at_receiver && b < 0)
            b = c;
    }
    if (both < 0)
        exchange(colours, e, a, b);
    put(colours, e, both < 0 ? a : both);
}

bool topo_css_lengths(const struct topo_matrix *matrix, int *step_of, int *steps)
{
    size_t vertices = (size_t)matrix->senders + (size_t)matrix->receivers, capacity = 0;
    struct colours colours = {.matrix = matrix, .step_of = step_of};
    TOPO_SCOPED int64_t *order = topo_alloc((size_t)matrix->messages, sizeof *order);
    TOPO_SCOPED int *at = topo_calloc(vertices, sizeof *at);
    colours.path = topo_alloc(vertices, sizeof *colours.path);
    bool done = order && at && colours.path && topo_order_by_weight(matrix, order);
    *steps = 0;
    for (int64_t first = 0; done && first < matrix->messages;) {
        struct length class = next_class(matrix, order, first, at);
        colours.degree = class.degree;
        if (capacity < vertices * (size_t) class.degree) {
            capacity = vertices * (size_t) class.degree;
            topo_free(colours.edge);
            colours.edge = topo_alloc(capacity, sizeof *colours.edge);
            done = colours.edge;
        }
        if (done)
            memset(colours.edge, 0xff, vertices * (size_t) class.degree * sizeof *colours.edge);
        for (int64_t k = first; done && k < class.end; k++)
            colour(&colours, order[k]);
        for (int64_t k = first; done && k < class.end; k++)
            step_of[order[k]] += *steps;
        *steps += class.degree;
        first = class.end;
    }
    topo_free(colours.edge);
    topo_free(colours.path);
    return done;
}
