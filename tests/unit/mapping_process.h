#ifndef TOPO_TESTS_MAPPING_PROCESS_H
#define TOPO_TESTS_MAPPING_PROCESS_H

#include "unit.h"

#include "renumber/mapping.h"

/* Builds, checks with the checker and, independently of it, recounts (check_mapping.c). */
struct topo_mapping *mapping_built_by(const struct topo_tree *tree, enum topo_graph_kind graph,
                                      enum topo_partitioner partitioner);

void mapping_add_tests_of_a_process(TCase *all);

#endif
