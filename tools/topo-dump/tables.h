/* The tables of algorithms and options in the forms `topo-dump algorithms` and
 * `topo-dump options` print, and the generated files env.example and man/topompi.7. */
#ifndef TOPO_DUMP_TABLES_H
#define TOPO_DUMP_TABLES_H

#include "base/text.h"

void dump_algorithms_text(struct topo_text *out);
void dump_algorithms_json(struct topo_text *out);
void dump_options_text(struct topo_text *out);
void dump_options_json(struct topo_text *out);

/* env.example: every variable commented out at its default, with help and values. */
void dump_options_env(struct topo_text *out);

/* man/topompi.7: variables and algorithms. */
void dump_options_man(struct topo_text *out);

#endif
