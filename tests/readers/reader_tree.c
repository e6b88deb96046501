/* Trees as integers, as rank 0 sends them: each byte is one integer, but -128 says that four bytes follow. */
#include "readers/readers.h"

#include "machine/tree.h"

enum { WIDE = -128 };

READER(tree)
{
    int *ints = malloc((size + 1) * sizeof *ints);
    size_t count = 0;
    struct topo_tree *tree = NULL;
    struct topo_error error = {""};
    MUST(ints, "%zu integers", size);
    for (size_t at = 0; at < size; count++) {
        ints[count] = (int8_t)data[at++];
        if (ints[count] == WIDE && size - at >= sizeof(int)) {
            memcpy(&ints[count], data + at, sizeof(int));
            at += sizeof(int);
        }
    }
    /* Of just their size, so that no integer behind them is read unseen. */
    int *exact = malloc(count ? count * sizeof *exact : 1);
    MUST(exact, "%zu integers", count);
    memcpy(exact, ints, count * sizeof *exact);
    enum topo_status status = topo_tree_unpack(exact, count, &tree, &error);
    reader_status(status, &error);
    MUST((status == TOPO_OK) == (tree != NULL), "%s", topo_status_text(status));
    if (tree) {
        MUST(topo_tree_check(tree, &error) == TOPO_OK, "%s", error.text);
        MUST(topo_tree_packed_ints(tree) == count, "%zu integers, then %zu", count, topo_tree_packed_ints(tree));
        topo_tree_pack(tree, ints);
        MUST(!memcmp(ints, exact, count * sizeof *ints), "other integers");
        MUST(topo_tree_node_level(tree) < tree->levels, "no nodes");
    }
    topo_tree_free(tree);
    reader_scarce(data, size);
    topo_tree_unpack(exact, count, &tree, &error);
    reader_plenty();
    topo_tree_free(tree);
    free(exact);
    free(ints);
    return 0;
}
