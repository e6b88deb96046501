#include "patterns/grid.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum topo_status topo_grid_parse(const char *name, const char *text, struct topo_grid *grid, struct topo_error *error)
{
    const char *at = text;
    long long product = 1;
    grid->dims = 0;
    for (;;) {
        char *end;
        long size = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : 0;
        if (size < 2 || size > INT_MAX || (product *= size) > INT_MAX)
            break;
        grid->size[grid->dims] = (int)size;
        grid->kind[grid->dims++] = TOPO_DIM_RING;
        grid->ranks = (int)product;
        if (!*end)
            return TOPO_OK;
        if (*end != 'x')
            break;
        at = end + 1;
    }
    return topo_fail(error, TOPO_PARSE,
                     "%s=%.80s is not a grid; allowed: auto, or sizes of at least 2 joined by x, such as 4x4 or 14x15",
                     name, text);
}

enum topo_status topo_grid_option(const char *name, const char *text, struct topo_grid *grid, struct topo_error *error)
{
    grid->dims = 0;
    return strcmp(text, "auto") ? topo_grid_parse(name, text, grid, error) : TOPO_OK;
}

struct topo_grid topo_grid_of_twos(int places, enum topo_dim_kind kind)
{
    struct topo_grid grid = {.ranks = 1};
    for (; grid.ranks < places; grid.ranks *= 2) {
        grid.size[grid.dims] = 2;
        grid.kind[grid.dims++] = kind;
    }
    return grid;
}

bool topo_grid_fits(const struct topo_grid *grid, int ranks)
{
    return grid->ranks == ranks;
}

void topo_grid_format(const struct topo_grid *grid, struct topo_text *out)
{
    static const char *const marks[] = {[TOPO_DIM_RING] = "", [TOPO_DIM_DIRECT] = "d", [TOPO_DIM_EXCHANGE] = "e"};
    if (grid->dims == 0)
        topo_text_add(out, "1");
    for (int dim = 0; dim < grid->dims; dim++)
        topo_text_addf(out, "%s%d%s", dim ? "x" : "", grid->size[dim], marks[grid->kind[dim]]);
}

int topo_grid_stride(const struct topo_grid *grid, int dim)
{
    int stride = 1;
    for (int i = 0; i < dim; i++)
        stride *= grid->size[i];
    return stride;
}

int topo_grid_coordinate(const struct topo_grid *grid, int position, int dim)
{
    return position / topo_grid_stride(grid, dim) % grid->size[dim];
}

int topo_grid_neighbour(const struct topo_grid *grid, int position, int dim, int step)
{
    int stride = topo_grid_stride(grid, dim), size = grid->size[dim];
    int here = position / stride % size;
    /* Sizes go up to INT_MAX: the sum is wider. */
    int there = (int)(((long long)here + step % size + size) % size);
    return position + (there - here) * stride;
}

struct topo_block topo_block_of(struct topo_block whole, int parts, int index)
{
    size_t longest = whole.count / (size_t)parts + (whole.count % (size_t)parts != 0);
    size_t begin = longest * (size_t)index, end;
    if (begin > whole.count)
        begin = whole.count;
    end = longest < whole.count - begin ? begin + longest : whole.count;
    return (struct topo_block){whole.at + begin, end - begin};
}

int topo_grid_own_block(const struct topo_grid *grid, int dim, int coordinate)
{
    return grid->kind[dim] == TOPO_DIM_RING ? (coordinate + 1) % grid->size[dim] : coordinate;
}

struct topo_block topo_grid_part(const struct topo_grid *grid, int position, int dim, struct topo_block whole)
{
    for (int i = 0; i < dim; i++)
        if (grid->kind[i] != TOPO_DIM_EXCHANGE)
            whole = topo_block_of(whole, grid->size[i],
                                  topo_grid_own_block(grid, i, topo_grid_coordinate(grid, position, i)));
    return whole;
}

struct topo_rank_group topo_rank_group_of(int ranks, const struct topo_numbers *rank_at)
{
    return (struct topo_rank_group){ranks, 0, rank_at ? *rank_at : (struct topo_numbers){0}};
}

struct topo_rank_group topo_rank_group_folded(int ranks, const struct topo_numbers *rank_at)
{
    int power = 1;
    while (power <= ranks / 2)
        power *= 2;
    struct topo_rank_group group = topo_rank_group_of(ranks, rank_at);
    group.extra = ranks - power;
    return group;
}

/* The rank that plays a number. */
static int rank_at(const struct topo_rank_group *group, int number)
{
    return group->rank_at.count ? topo_numbers_at(&group->rank_at, number) : number;
}

int topo_rank_group_rank(const struct topo_rank_group *group, int place)
{
    return rank_at(group, place < group->extra ? 2 * place : place + group->extra);
}

int topo_rank_group_place(const struct topo_rank_group *group, int number)
{
    if (number >= 2 * group->extra)
        return number - group->extra;
    return number % 2 ? -1 : number / 2;
}
