/* The steps of an all-reduce as JSON; man topo-dump describes the keys. */
#include <jansson.h>
#include <stdlib.h>

#include "topo-dump/json_lines.h"
#include "topo-dump/allreduce_steps.h"

static json_t *text_and_free(struct topo_text *text)
{
    json_t *string = json_string(text->failed || !text->text ? "" : text->text);
    topo_text_free(text);
    return string;
}

/* [first element, number of elements] */
static json_t *block(struct topo_block block)
{
    return json_pack("[I, I]", (json_int_t)block.at, (json_int_t)block.count);
}

static json_t *dimensions(const struct dump_allreduce_steps_view *steps)
{
    const struct topo_grid *grid = &steps->shape.grid;
    json_t *list = json_array();
    for (int dim = 0; dim < grid->dims; dim++) {
        struct topo_text crossing = {0};
        size_t part, longest;
        dump_allreduce_steps_lengths(steps, dim, &part, &longest);
        dump_allreduce_steps_crossing(steps, dim, &crossing);
        json_array_append_new(list, json_pack("{si ss so sI sI}", "size", grid->size[dim], "kind",
                                              dump_dim_kind(grid->kind[dim]), "crosses", text_and_free(&crossing),
                                              "elements", (json_int_t)part, "block", (json_int_t)longest));
    }
    return list;
}

/* For each rank: coordinates, neighbours, and blocks it holds the sum of after each dimension. */
static json_t *ranks(const struct dump_allreduce_steps_view *steps)
{
    const struct topo_grid *grid = &steps->shape.grid;
    json_t *list = json_array();
    for (int rank = 0; rank < steps->view.tree->ranks; rank++) {
        int place = dump_allreduce_steps_place(steps, rank);
        json_t *coordinates = json_array(), *next = json_array(), *previous = json_array(), *blocks = json_array();
        for (int dim = 0; dim < grid->dims && place >= 0; dim++) {
            json_array_append_new(coordinates, json_integer(topo_grid_coordinate(grid, place, dim)));
            json_array_append_new(next, json_integer(dump_allreduce_steps_neighbour(steps, place, dim, 1)));
            json_array_append_new(previous, json_integer(dump_allreduce_steps_neighbour(steps, place, dim, -1)));
            json_array_append_new(blocks, block(topo_grid_part(grid, place, dim + 1, steps->whole)));
        }
        json_array_append_new(list, json_pack("{si si so so so so}", "rank", rank, "place", place, "coordinates",
                                              coordinates, "next", next, "previous", previous, "blocks", blocks));
    }
    return list;
}

static json_t *stripes(const struct dump_allreduce_steps_view *steps)
{
    const struct topo_stripes *stripes = &steps->stripes;
    json_t *list = json_array();
    for (int stripe = 0; stripe < stripes->stripes; stripe++) {
        json_t *owners = json_array();
        for (int node = 0; node < stripes->nodes; node++)
            json_array_append_new(owners, json_integer(topo_stripes_rank(stripes, node, stripe)));
        json_array_append_new(list, json_pack("{so so}", "block",
                                              block(topo_block_of(steps->whole, stripes->stripes, stripe)), "owners",
                                              owners));
    }
    return list;
}

void dump_allreduce_steps_json(const struct dump_allreduce_steps_view *steps, struct topo_text *out)
{
    const struct dump_view *view = &steps->view;
    struct topo_text grid = {0};
    int crossings = view->tree->levels + 1;
    json_t *root = json_object();
    json_object_set_new(root, "n", json_integer(view->tree->ranks));
    json_object_set_new(root, "operation", json_string(topo_operation_name(view->request->operation)));
    json_object_set_new(root, "algorithm", json_string(view->request->algorithm));
    json_object_set_new(root, "bytes", json_integer((json_int_t)steps->whole.count * DUMP_ELEMENT));
    json_object_set_new(root, "elements", json_integer((json_int_t)steps->whole.count));
    if (steps->seconds >= 0)
        json_object_set_new(root, "model_seconds", json_real(steps->seconds));
    if (steps->shape.stripes) {
        json_object_set_new(root, "stripes", stripes(steps));
    } else {
        topo_grid_format(&steps->shape.grid, &grid);
        json_object_set_new(root, "grid", text_and_free(&grid));
        json_object_set_new(root, "dimensions", dimensions(steps));
        json_object_set_new(root, "ranks", ranks(steps));
    }
    json_object_set_new(root, "crossing", dump_json_labels(view->tree));
    json_object_set_new(root, "bytes_per_level", dump_json_numbers(steps->bytes, crossings));
    json_object_set_new(root, "messages_per_level", dump_json_numbers(steps->messages, crossings));
    json_object_set_new(root, "node_bytes_out", dump_json_numbers(steps->out, view->nodes));
    json_object_set_new(root, "node_bytes_in", dump_json_numbers(steps->in, view->nodes));
    json_object_set_new(root, "node_bytes_bound", json_integer(dump_allreduce_steps_bound(steps)));
    dump_json_lines(root, out);
}
