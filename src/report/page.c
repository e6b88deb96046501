#include <string.h>

#include "report/report.h"

extern const char topo_report_template[];

void topo_report_page(struct topo_text *report)
{
    static const char place[] = "@REPORT@";
    const char *at = strstr(topo_report_template, place), *json = report->text;
    struct topo_text page = {0};
    if (report->failed || !json)
        return;
    topo_text_addf(&page, "%.*s", (int)(at - topo_report_template), topo_report_template);
    /* In JSON this character stands in strings alone. Without it nothing in them ends the script or begins a comment.
     */
    for (const char *end; (end = strchr(json, '<')); json = end + 1)
        topo_text_addf(&page, "%.*s\\u003c", (int)(end - json), json);
    topo_text_add(&page, json);
    topo_text_add(&page, at + strlen(place));
    topo_text_free(report);
    *report = page;
}
