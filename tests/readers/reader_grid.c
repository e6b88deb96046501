/* TOPOMPI_CYCLIC_GRID. */
#include "readers/readers.h"

#include "patterns/grid.h"

static void check_places(const struct topo_grid *grid)
{
    long long product = 1;
    for (int dim = 0; dim < grid->dims; dim++) {
        MUST(grid->size[dim] >= 2 && topo_grid_stride(grid, dim) == product, "dimension %d", dim);
        product *= grid->size[dim];
    }
    MUST(topo_grid_fits(grid, grid->ranks) && product == grid->ranks, "%lld places, %d ranks", product, grid->ranks);
    const int place[] = {0, grid->ranks / 2, grid->ranks - 1};
    for (int dim = 0; dim < grid->dims; dim++)
        for (int i = 0; i < 3; i++) {
            int next = topo_grid_neighbour(grid, place[i], dim, 1);
            MUST(next >= 0 && next < grid->ranks && topo_grid_neighbour(grid, next, dim, -1) == place[i],
                 "neighbour %d of %d", next, place[i]);
        }
}

READER(grid)
{
    char *text = reader_text(data, size);
    struct topo_grid grid = {0}, again = {0};
    struct topo_error error = {""};
    enum topo_status status = topo_grid_option("TOPOMPI_CYCLIC_GRID", text, &grid, &error);
    reader_status(status, &error);
    if (status == TOPO_OK && grid.dims) {
        struct topo_text out = {0};
        check_places(&grid);
        topo_grid_format(&grid, &out);
        MUST(topo_grid_parse("again", out.text, &again, &error) == TOPO_OK, "%s: %s", out.text, error.text);
        MUST(again.dims == grid.dims && !memcmp(again.size, grid.size, (size_t)grid.dims * sizeof *grid.size), "%s",
             out.text);
        topo_text_free(&out);
    }
    free(text);
    return 0;
}
