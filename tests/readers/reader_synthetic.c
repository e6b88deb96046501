/* Synthetic machines. */
#include "readers/readers.h"

#include "machine/synthetic.h"

enum { SLOW = 100000 };

static void check_packed(const struct topo_tree *tree)
{
    struct topo_error error = {""};
    struct topo_tree *again = NULL;
    size_t count = topo_tree_packed_ints(tree);
    int *ints = malloc(count * sizeof *ints);
    MUST(ints, "%zu integers", count);
    topo_tree_pack(tree, ints);
    MUST(topo_tree_unpack(ints, count, &again, &error) == TOPO_OK, "%s", error.text);
    MUST(topo_tree_equal(tree, again), "another tree comes out of the packed one");
    topo_tree_free(again);
    free(ints);
}

READER(synthetic)
{
    char *text = reader_text(data, size);
    struct topo_tree *tree = NULL, *again = NULL;
    struct topo_error error = {""}, why = {""};
    enum topo_status status = topo_synthetic_tree(text, 0, &tree, &error);
    reader_status(status, &error);
    if (status == TOPO_OK) {
        if (tree->ranks < SLOW)
            check_packed(tree);
        MUST(topo_tree_check(tree, &why) == TOPO_OK, "%s", why.text);
        MUST(topo_synthetic_tree(text, tree->ranks, &again, &why) == TOPO_OK, "%s", why.text);
        MUST(topo_tree_equal(tree, again), "another tree for as many ranks as slots");
        topo_tree_free(again);
        MUST(topo_synthetic_tree(text, tree->ranks + 1, &again, &why) == TOPO_PARSE && !again, "a rank too many");
        reader_one_line(why.text);
    }
    topo_tree_free(tree);
    reader_scarce(data, size);
    topo_synthetic_tree(text, 0, &tree, &error);
    reader_plenty();
    topo_tree_free(tree);
    free(text);
    return 0;
}
