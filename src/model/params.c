#include "model/params.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { MEMORY = TOPO_LEVEL_KINDS };

/* Far above any second or byte there is; sums and products of such numbers stay finite. */
static const double value_max = 1e15;

void topo_params_default(struct topo_params *params)
{
    char line[128];
    const char *why;
    memset(params, 0, sizeof *params);
    params->cores_kind = TOPO_LEVEL_KINDS;
    for (const char *at = topo_levels_text; *at; at += strcspn(at, "\n") + 1) {
        size_t length = strcspn(at, "#\n");
        if (length == 0 || length >= sizeof line)
            continue;
        memcpy(line, at, length);
        line[length] = '\0';
        topo_params_read_line(params, line, &why);
    }
}

const struct topo_link *topo_params_link(const struct topo_params *params, const struct topo_tree *tree, int shared)
{
    return &params->link[shared < tree->levels ? (int)tree->kind[shared] : MEMORY];
}

void topo_params_set_links(struct topo_params *params, double rate, enum topo_link_kind kind)
{
    struct topo_link *node = &params->link[TOPO_LEVEL_NODE], *outer = &params->link[TOPO_LEVEL_SWITCH];
    node->beta = outer->beta = 8 / rate;
    if (kind == TOPO_LINK_INFINIBAND) {
        node->alpha = 4e-6;
        outer->alpha = 6e-6;
    }
}

static const char *link_name(int kind)
{
    return kind == MEMORY ? "memory" : topo_level_name(kind);
}

/* Reads a number of seconds; false when it is not one. */
static bool read_seconds(const char *text, double *value, const char **end)
{
    char *stop;
    double number = topo_strtod(text, &stop);
    if (stop == text || !(number >= 0) || number > value_max)
        return false;
    *value = number;
    *end = stop;
    return true;
}

static bool only_blanks(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

/* "KEY=VALUE" at *rest, which moves behind it; *found says whether it was there. False: no value. */
static bool read_key(const char **rest, const char *key, double *value, bool *found)
{
    size_t length = strlen(key);
    *rest += strspn(*rest, " \t");
    *found = !strncmp(*rest, key, length) && (*rest)[length] == '=';
    return !*found || read_seconds(*rest + length + 1, value, rest);
}

/* "level KIND alpha=A beta=B ..." after the word level. */
static bool read_level(struct topo_params *params, const char *rest, const char **why)
{
    char name[16];
    int used = 0;
    struct topo_link link = {0};
    const struct {
        const char *word;
        double *value;
        bool needed;
    } keys[] = {{"alpha", &link.alpha, true},        {"beta", &link.beta, true}, {"shared", &link.shared, false},
                {"overhead", &link.overhead, false}, {"cpu", &link.cpu, false},  {"packet", &link.packet, false},
                {"from", &link.from, false},         {"wait", &link.wait, false}};
    *why = "allowed: level switch|node|package|numa|l3|core|memory alpha=SECONDS beta=SECONDS_PER_BYTE "
           "[shared=SECONDS_PER_BYTE] [overhead=SECONDS] [cpu=SECONDS_PER_BYTE] [packet=SECONDS from=BYTES] "
           "[wait=SECONDS], numbers of 0 to 1e15";
    if (sscanf(rest, " %15[a-z0-9]%n", name, &used) != 1)
        return false;
    rest += used;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        bool found;
        if (!read_key(&rest, keys[i].word, keys[i].value, &found) || (keys[i].needed && !found))
            return false;
    }
    if (!only_blanks(rest))
        return false;
    for (int kind = 0; kind <= MEMORY; kind++)
        if (!strcmp(name, link_name(kind))) {
            params->link[kind] = link;
            return true;
        }
    return false;
}

/* "cores COUNT per KIND" after the word cores. */
static bool read_cores(struct topo_params *params, const char *rest, const char **why)
{
    char digits[12], name[16];
    int used = 0;
    long cores;
    *why = "allowed: cores COUNT per machine|switch|node|package|numa|l3|core";
    if (sscanf(rest, " %11[0-9] per %15[a-z0-9]%n", digits, name, &used) != 2 || !only_blanks(rest + used) ||
        !topo_parse_long(digits, 0, 1 << 24, &cores))
        return false;
    for (int kind = 0; kind <= TOPO_LEVEL_KINDS; kind++)
        if (!strcmp(name, kind == TOPO_LEVEL_KINDS ? "machine" : topo_level_name(kind))) {
            params->cores = (int)cores;
            params->cores_kind = (enum topo_level_kind)kind;
            return true;
        }
    return false;
}

bool topo_params_read_line(struct topo_params *params, const char *line, const char **why)
{
    const struct {
        const char *word;
        double *value;
    } scalars[] = {
        {"overhead", &params->overhead}, {"gamma", &params->gamma}, {"copy", &params->copy}, {"turn", &params->turn}};
    size_t length;
    line += strspn(line, " \t");
    length = strcspn(line, " \t\r\n");
    if (length == 5 && !strncmp(line, "level", 5))
        return read_level(params, line + length, why);
    if (length == 5 && !strncmp(line, "cores", 5))
        return read_cores(params, line + length, why);
    *why = "allowed: level ..., cores ..., overhead SECONDS, gamma SECONDS_PER_BYTE, copy SECONDS_PER_BYTE, "
           "turn SECONDS, numbers of 0 to 1e15";
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
        const char *end;
        double value;
        if (length != strlen(scalars[i].word) || strncmp(line, scalars[i].word, length) != 0)
            continue;
        if (!read_seconds(line + length, &value, &end) || !only_blanks(end))
            return false;
        *scalars[i].value = value;
        return true;
    }
    return false;
}

void topo_params_tell_link(const struct topo_params *params, const char *from, struct topo_text *out)
{
    const struct topo_link *node = &params->link[TOPO_LEVEL_NODE];
    topo_text_addf(out, "link: %.3g Gbit/s, %.3g us, %s%s", 8e-9 / node->beta, node->alpha * 1e6,
                   from ? "from " : "as shipped", from ? from : "");
}

void topo_params_write(const struct topo_params *params, struct topo_text *out)
{
    for (int kind = 0; kind <= MEMORY; kind++) {
        topo_text_addf(out, "level %s alpha=%.4g beta=%.4g", link_name(kind), params->link[kind].alpha,
                       params->link[kind].beta);
        if (params->link[kind].shared > 0)
            topo_text_addf(out, " shared=%.4g", params->link[kind].shared);
        if (params->link[kind].overhead > 0)
            topo_text_addf(out, " overhead=%.4g", params->link[kind].overhead);
        if (params->link[kind].cpu > 0)
            topo_text_addf(out, " cpu=%.4g", params->link[kind].cpu);
        if (params->link[kind].packet > 0)
            topo_text_addf(out, " packet=%.4g from=%.4g", params->link[kind].packet, params->link[kind].from);
        if (params->link[kind].wait > 0)
            topo_text_addf(out, " wait=%.4g", params->link[kind].wait);
        topo_text_add(out, "\n");
    }
    topo_text_addf(out, "overhead %.4g\ngamma %.4g\ncopy %.4g\n", params->overhead, params->gamma, params->copy);
    if (params->turn > 0)
        topo_text_addf(out, "turn %.4g\n", params->turn);
    if (params->cores > 0)
        topo_text_addf(out, "cores %d per %s\n", params->cores,
                       params->cores_kind == TOPO_LEVEL_KINDS ? "machine" : topo_level_name(params->cores_kind));
}
