/* What files of /sys say of a link's rate. */
#include "readers/readers.h"

#include "machine/link.h"

READER(link)
{
    char *text = reader_text(data, size);
    double ethernet = topo_link_ethernet(text), infiniband = topo_link_infiniband(text);
    MUST(ethernet >= 0 && ethernet <= 1e14, "%g", ethernet);
    MUST(infiniband >= 0 && infiniband <= 1e14, "%g", infiniband);
    MUST(ethernet == 0 || infiniband == 0, "both %g and %g", ethernet, infiniband);
    free(text);
    return 0;
}
