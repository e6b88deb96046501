#include "topo-dump/json_lines.h"

#include <stdlib.h>

#include "topo-dump/view.h"

void dump_json_lines(json_t *root, struct topo_text *out)
{
    const char *key, *before = "{\n  ";
    json_t *value;
    json_object_foreach(root, key, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY);
        topo_text_addf(out, "%s\"%s\": %s", before, key, text ? text : "");
        out->failed = out->failed || !text;
        before = ",\n  ";
        free(text);
    }
    topo_text_add(out, "\n}\n");
    json_decref(root);
}

json_t *dump_json_numbers(const int64_t *values, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_integer(values[i]));
    return list;
}

json_t *dump_json_labels(const struct topo_tree *tree)
{
    json_t *list = json_array();
    for (int z = 0; z <= tree->levels; z++) {
        struct topo_text label = {0};
        dump_level_label(tree, z, &label);
        json_array_append_new(list, json_string(label.text ? label.text : ""));
        topo_text_free(&label);
    }
    return list;
}
