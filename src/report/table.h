/* The columns of the report's tables: text and JSON are both made from them. */
#ifndef TOPO_REPORT_TABLE_H
#define TOPO_REPORT_TABLE_H

#include "report/report.h"

/* What a column holds; numbers below 0 are not known: "-" in text, left out in JSON. Times are seconds, ns in JSON. */
enum topo_report_kind { TOPO_REPORT_WORD, TOPO_REPORT_BYTES, TOPO_REPORT_COUNT, TOPO_REPORT_MS, TOPO_REPORT_US };

struct topo_report_column {
    const char *key;  /* in JSON; NULL: not there */
    const char *head; /* in text; NULL: not there */
    int width;        /* there; below 0: to the left */
    enum topo_report_kind kind;
    const char *(*word)(const struct topo_report *report, const void *row);
    double (*number)(const struct topo_report *report, const void *row);
};

/* Of struct topo_report_row, topo_report_function and topo_report_rank; each ends with a column of neither key nor
 * head. */
extern const struct topo_report_column topo_report_rows[], topo_report_functions[], topo_report_ranks[];

/* The heads, and one row, a line each without its end. The model's native times are shown where it is of this machine.
 */
void topo_report_heads(const struct topo_report_column *columns, bool modelled, struct topo_text *out);
void topo_report_line(const struct topo_report_column *columns, const struct topo_report *report, const void *row,
                      struct topo_text *out);

/* The members of a JSON object, without its braces. */
void topo_report_members(const struct topo_report_column *columns, const struct topo_report *report, const void *row,
                         struct topo_text *out);

/* "MPI_COMM_WORLD", "8 ranks", "others"; static or the report's. */
const char *topo_report_comm_name(const struct topo_report_comm *comm);

#endif
