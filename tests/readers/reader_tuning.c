/* Tuning files: what is read, written and read again says the same; and something runs by them. */
#include "readers/readers.h"

#include "machine/synthetic.h"
#include "model/params.h"
#include "select/by_model.h"
#include "select/tuning.h"

static void write_all(const struct topo_tuning *tuning, struct topo_text *out)
{
    topo_params_write(&tuning->params, out);
    for (int i = 0; i < tuning->count; i++)
        topo_rule_write(&tuning->rules[i], out);
}

static bool alike(struct topo_range a, struct topo_range b)
{
    return a.low == b.low && a.high == b.high;
}

static void check_again(const struct topo_tuning *tuning)
{
    struct topo_text first = {0}, second = {0};
    struct topo_tuning again;
    struct topo_error error = {""};
    write_all(tuning, &first);
    MUST(topo_tuning_parse(first.text, "again", &again, &error) == TOPO_OK, "%s\n%s", error.text, first.text);
    write_all(&again, &second);
    MUST(!strcmp(first.text, second.text), "%s becomes\n%s", first.text, second.text);
    MUST(again.count == tuning->count, "%d rules, then %d", tuning->count, again.count);
    for (int i = 0; i < again.count; i++) {
        const struct topo_rule *a = &tuning->rules[i], *b = &again.rules[i];
        MUST(topo_algorithm_equal(a->algorithm, b->algorithm) && a->by_slot == b->by_slot && a->even == b->even &&
                 a->shares == b->shares && alike(a->ranks, b->ranks) && alike(a->bytes, b->bytes) &&
                 alike(a->nodes, b->nodes) && alike(a->per_node, b->per_node) && alike(a->link, b->link) &&
                 a->conditions == b->conditions && a->others_count == b->others_count,
             "rule %d", i);
        for (int other = 0; other < a->others_count; other++)
            MUST(topo_algorithm_equal(a->others[other], b->others[other]), "other %d of rule %d", other, i);
    }
    topo_tuning_free(&again);
    topo_text_free(&first);
    topo_text_free(&second);
}

static void check_choice(const struct topo_tuning *tuning)
{
    static const size_t bytes[] = {0, 1024, 1 << 20};
    struct topo_tree *tree = NULL;
    struct topo_layout layout;
    MUST(topo_synthetic_tree("switch:2 node:2 core:3", 0, &tree, NULL) == TOPO_OK, "a machine");
    MUST(topo_layout_of(tree, &layout) == TOPO_OK, "its layout");
    layout.has_shm = true;
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
        for (int i = 0; i < 3; i++) {
            const struct topo_algorithm *found = topo_select_on(tuning, operation, tree, &layout, bytes[i]);
            MUST(found && found->operation == (enum topo_operation)operation, "nothing for %s",
                 topo_operation_name(operation));
            MUST(topo_algorithm_applies(found, layout.ranks, NULL), "%s", found->name);
        }
    topo_tree_free(tree);
}

READER(tuning)
{
    char *text = reader_text(data, size);
    struct topo_tuning tuning;
    struct topo_error error = {""};
    enum topo_status status = topo_tuning_parse(text, "f", &tuning, &error);
    reader_status(status, &error);
    if (status == TOPO_OK) {
        check_again(&tuning);
        check_choice(&tuning);
    }
    topo_tuning_free(&tuning);
    reader_scarce(data, size);
    topo_tuning_parse(text, "f", &tuning, &error);
    reader_plenty();
    topo_tuning_free(&tuning);
    free(text);
    return 0;
}
