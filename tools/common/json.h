/* JSON of jansson's as text. */
#ifndef TOPO_TOOLS_JSON_H
#define TOPO_TOOLS_JSON_H

#include <jansson.h>
#include <stdlib.h>

#include "base/text.h"

/* Adds the value by json_dumps() with its flags and a line feed, and drops it. NULL or no memory: out->failed. */
static inline void cli_json(struct topo_text *out, json_t *value, size_t flags)
{
    char *text = value ? json_dumps(value, flags) : NULL;
    if (text)
        topo_text_addf(out, "%s\n", text);
    else
        out->failed = true;
    free(text);
    json_decref(value);
}

#endif
