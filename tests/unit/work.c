/* usage: work tree|mapping|model|price MACHINE [TIMES], work schedule RANDOM [TIMES]: how long the library needs for a tree,
 * a mapping of Bruck or one time of the model, by a formula or from plans, on a machine, or a schedule by sdrc of a random matrix, in topo-dump's
 * words; the best of TIMES. No test: times are this host's. tests/unit/test_work.sh counts the instructions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "machine/synthetic.h"
#include "model/cost.h"
#include "model/params.h"
#include "renumber/mapping.h"
#include "schedule/random.h"
#include "schedule/schedule.h"

struct given {
    const char *text;
    struct topo_tree *machine;
    struct topo_matrix *matrix;
};

static struct topo_error error;

static void need(bool well)
{
    if (well)
        return;
    fprintf(stderr, "work: %s\n",
            *error.text ? error.text : "usage: tree|mapping|model|price MACHINE [TIMES], schedule RANDOM [TIMES]");
    exit(1);
}

static void tree(const struct given *given)
{
    struct topo_tree *made = NULL;
    need(topo_synthetic_tree(given->text, 0, &made, &error) == TOPO_OK);
    topo_tree_free(made);
}

static void mapping(const struct given *given)
{
    struct topo_mapping *made = NULL;
    need(topo_mapping_build(given->machine, TOPO_GRAPH_BRUCK, TOPO_PARTITIONER_AUTO, &made, &error) == TOPO_OK);
    topo_mapping_free(made);
}

static void model(const struct given *given)
{
    struct topo_params params;
    struct topo_cost_call call = {.bytes = 1024};
    topo_params_default(&params);
    need(topo_cost(TOPO_ALGORITHM_allgather_native, given->machine, &params, &call) > 0);
}

static void price(const struct given *given)
{
    struct topo_params params;
    struct topo_cost_call call = {.bytes = 1 << 20};
    topo_params_default(&params);
    need(topo_cost(TOPO_ALGORITHM_bcast_trees, given->machine, &params, &call) > 0);
}

static void schedule(const struct given *given)
{
    struct topo_schedule *made = NULL;
    need(topo_schedule_sdrc(given->matrix, &made, &error) == TOPO_OK);
    topo_schedule_free(made);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*once)(const struct given *);
    } works[] = {{"tree", tree}, {"mapping", mapping}, {"model", model}, {"price", price}, {"schedule", schedule}};
    struct given given = {.text = argc > 2 ? argv[2] : ""};
    int times = argc > 3 ? atoi(argv[3]) : 1;
    size_t k = 0;
    uint64_t best = UINT64_MAX;
    while (k < sizeof works / sizeof *works && (argc < 3 || strcmp(argv[1], works[k].name)))
        k++;
    need(k < sizeof works / sizeof *works && times > 0);
    if (works[k].once == schedule) {
        struct topo_random_spec spec;
        need(topo_random_parse(given.text, &spec, &error) == TOPO_OK);
        need(topo_matrix_random(&spec, &given.matrix, &error) == TOPO_OK);
    } else if (works[k].once != tree) {
        need(topo_synthetic_tree(given.text, 0, &given.machine, &error) == TOPO_OK);
    }
    for (int i = 0; i < times; i++) {
        uint64_t begin = topo_clock_ns();
        works[k].once(&given);
        uint64_t took = topo_clock_ns() - begin;
        best = took < best ? took : best;
    }
    printf("%s, %s: %.1f us, the best of %d\n", works[k].name, given.text, 1e-3 * (double)best, times);
    topo_tree_free(given.machine);
    topo_matrix_free(given.matrix);
    return 0;
}
