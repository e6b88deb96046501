/* The parameters of the model, line by line. */
#include "readers/readers.h"

#include <math.h>

#include "model/params.h"

static bool is_sound(double value)
{
    return isfinite(value) && value >= 0;
}

static void check_values(const struct topo_params *params)
{
    for (int kind = 0; kind <= TOPO_LEVEL_KINDS; kind++) {
        const struct topo_link *link = &params->link[kind];
        MUST(is_sound(link->alpha) && is_sound(link->beta) && is_sound(link->shared) && is_sound(link->overhead) &&
                 is_sound(link->cpu) && is_sound(link->packet) && is_sound(link->from) && is_sound(link->wait),
             "level %d", kind);
    }
    MUST(is_sound(params->overhead) && is_sound(params->gamma) && is_sound(params->copy) && is_sound(params->turn) &&
             params->cores >= 0,
         "a value");
}

READER(params)
{
    char *text = reader_text(data, size), *rest = text;
    struct topo_params params, again;
    struct topo_text first = {0}, second = {0};
    topo_params_default(&params);
    for (char *line; (line = reader_line(&rest));) {
        struct topo_params before = params;
        const char *why = "";
        if (!topo_params_read_line(&params, line, &why)) {
            reader_one_line(why);
            MUST(!memcmp(&before, &params, sizeof params), "a line that was refused changed something: %s", line);
        }
    }
    check_values(&params);
    topo_params_write(&params, &first);
    topo_params_default(&again);
    char *copy = topo_strdup(first.text);
    rest = copy;
    for (char *line; (line = reader_line(&rest));) {
        const char *why = "";
        MUST(!*line || topo_params_read_line(&again, line, &why), "%s: %s", line, why);
    }
    topo_params_write(&again, &second);
    MUST(!strcmp(first.text, second.text), "%s becomes\n%s", first.text, second.text);
    topo_free(copy);
    topo_text_free(&first);
    topo_text_free(&second);
    free(text);
    return 0;
}
