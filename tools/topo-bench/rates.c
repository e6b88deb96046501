#include "topo-bench/rates.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const struct {
    const char *unit;
    double bits;
} units[] = {{"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}, {"tbit", 1e12}};

bool bench_rate_read(const char *text, double *bytes_per_second)
{
    char *end;
    /* Digits first: strtod() would take blanks, signs, "inf" and hexadecimal as well. */
    size_t length = strspn(text, "0123456789.");
    if (length == 0 || length > 15)
        return false;
    double value = strtod(text, &end);
    if (end != text + length || !(value > 0))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!strcmp(end, units[i].unit)) {
            *bytes_per_second = value * units[i].bits / 8;
            return true;
        }
    }
    return false;
}

void bench_rate_write(double bytes_per_second, struct topo_text *out)
{
    double bits = bytes_per_second * 8;
    if (bits >= 1e10)
        topo_text_addf(out, "%.2f Gbit/s", bits / 1e9);
    else
        topo_text_addf(out, "%.1f Mbit/s", bits / 1e6);
}

static enum topo_status read_term(char *term, struct bench_rates *rates, struct topo_error *error)
{
    double rate;
    char *equals = strchr(term, '=');
    if (equals)
        *equals = '\0';
    for (int kind = 0; equals && kind < TOPO_LEVEL_KINDS; kind++) {
        if (strcmp(term, topo_level_name((enum topo_level_kind)kind)))
            continue;
        if (!bench_rate_read(equals + 1, &rate))
            return topo_fail(error, TOPO_PARSE, "'%s=%s': a rate with its unit is wanted, as 100mbit or 2.5gbit", term,
                             equals + 1);
        rates->kind[kind] = rate;
        return TOPO_OK;
    }
    return topo_fail(error, TOPO_PARSE, "'%s': LEVEL=RATE is wanted, LEVEL one of switch node package numa l3 core",
                     term);
}

enum topo_status bench_rates_read(const char *text, struct bench_rates *rates, struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    TOPO_SCOPED char *copy = topo_strdup(text);
    char *rest = copy, *term;
    if (!copy)
        return topo_fail(error, TOPO_NOMEM, "out of memory");
    while (status == TOPO_OK && (term = strsep(&rest, ",")))
        status = read_term(term, rates, error);
    return status;
}

enum topo_status bench_rates_of(const struct bench_rates *rates, const struct topo_tree *tree, double *rate,
                                struct topo_error *error)
{
    for (int kind = 0; kind < TOPO_LEVEL_KINDS; kind++) {
        bool found = false;
        for (int l = 0; l < tree->levels; l++)
            found = found || (int)tree->kind[l] == kind;
        if (rates->kind[kind] > 0 && !found)
            return topo_fail(error, TOPO_INVALID, "a rate for level %s, which the machine of these ranks has not",
                             topo_level_name((enum topo_level_kind)kind));
    }
    for (int l = 0; l < tree->levels; l++)
        rate[l] = rates->kind[tree->kind[l]];
    return TOPO_OK;
}
