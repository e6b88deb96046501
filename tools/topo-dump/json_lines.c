#include "topo-dump/json_lines.h"

#include <stdlib.h>

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
