/* The machine of a DVM prediction. */
#include "readers/readers.h"

#include <math.h>

#include "topo-predict-dvm/dvm_par.h"

static void check_machine(const struct topo_transfer_machine *machine)
{
    long product = 1;
    MUST(machine->dimensions >= 0 && machine->dimensions <= TOPO_GRID_DIMENSIONS_MAX, "%d dimensions",
         machine->dimensions);
    for (int d = 0; d < machine->dimensions; d++) {
        MUST(machine->size[d] >= 1, "size %d", machine->size[d]);
        product *= machine->size[d];
        MUST(product <= 1 << 20, "%ld processors", product);
    }
    MUST(isfinite(machine->start) && machine->start >= 0 && isfinite(machine->byte) && machine->byte >= 0,
         "%g s, %g s a byte", machine->start, machine->byte);
}

READER(dvm_par)
{
    char *text = reader_text(data, size);
    struct topo_dvm_par par;
    struct topo_transfer_machine machine = {0};
    struct topo_notes notes = {0};
    topo_dvm_par_default(&par);
    enum topo_status status = topo_dvm_par_parse(text, "f.par", &par, &notes);
    reader_notes(status, &notes);
    check_machine(&par.machine);
    MUST(par.power > 0 && isfinite(1e18 * par.power), "power %g", par.power);
    if (topo_dvm_par_topology(text, &machine))
        check_machine(&machine);
    else
        MUST(machine.dimensions == 0, "a topology that was refused has %d dimensions", machine.dimensions);
    free(text);
    return 0;
}
