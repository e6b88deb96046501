/* The words of a switch, the same for every variable: libtopompi.so reads TOPOMPI before there are options. */
#ifndef TOPO_CATALOG_FLAG_H
#define TOPO_CATALOG_FLAG_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#define TOPO_FLAG_WORDS "on off yes no true false 1 0"

/* Reads one of them, in any case; false when `text` is none, and *flag is untouched. */
static inline bool topo_flag_read(const char *text, bool *flag)
{
    static const char *const words[] = {"on", "yes", "true", "1", "off", "no", "false", "0"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcasecmp(text, words[i])) {
            *flag = i < 4;
            return true;
        }
    return false;
}

/* What a variable's value switches; `otherwise` where it is not set or none of the words. */
static inline bool topo_flag_of(const char *value, bool otherwise)
{
    if (value && *value)
        topo_flag_read(value, &otherwise);
    return otherwise;
}

/* The other words of TOPOMPI_STATS: json, or the name of a file that ends in .json, or in .html for a page. */
static inline bool topo_report_is_page(const char *value)
{
    size_t length = strlen(value);
    return length > 5 && !strcasecmp(value + length - 5, ".html");
}
static inline bool topo_report_is_json(const char *value)
{
    size_t length = strlen(value);
    return !strcasecmp(value, "json") || (length > 5 && !strcasecmp(value + length - 5, ".json")) ||
           topo_report_is_page(value);
}

/* Does TOPOMPI_STATS ask for a report? */
static inline bool topo_flag_stats(const char *value)
{
    return topo_flag_of(value, value && topo_report_is_json(value));
}

/* Has the library anything to do in this process, by the values of TOPOMPI, TOPOMPI_STATS, TOPOMPI_VERBOSE and
 * TOPOMPI_TRACE? A word that is none of a switch's is complained of later. */
static inline bool topo_flag_wanted(const char *enabled, const char *stats, const char *verbose, const char *trace)
{
    return topo_flag_of(enabled, true) || topo_flag_stats(stats) || topo_flag_of(verbose, false) || (trace && *trace);
}

#endif
