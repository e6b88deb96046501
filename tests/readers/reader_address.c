/* SLURM_TOPOLOGY_ADDR: the address, then on the next line the host. */
#include "readers/readers.h"

#include "machine/address.h"
#include "machine/hostlist.h"

READER(address)
{
    char *text = reader_text(data, size), *rest = text, *address = reader_line(&rest), *host = reader_line(&rest);
    size_t first[TOPO_HOST_NAME_MAX], length[TOPO_HOST_NAME_MAX], whole = strlen(address), behind = 0;
    int most = TOPO_HOST_NAME_MAX;
    int count = topo_address_switches(address, host ? host : "", most, first, length);
    MUST(count >= 0 && (size_t)count <= whole, "%d switches in %zu bytes", count, whole);
    for (int i = 0; i < count && i < most; i++) {
        MUST(first[i] == behind, "switch %d begins at %zu, not at %zu", i, first[i], behind);
        MUST(first[i] + length[i] < whole && address[first[i] + length[i]] == '.', "switch %d ends in nothing", i);
        behind = first[i] + length[i] + 1;
    }
    for (int i = 0; i <= count && i < 3; i++)
        MUST(topo_address_switches(address, host ? host : "", i, first, length) == count, "%d are told", i);
    free(text);
    return 0;
}
