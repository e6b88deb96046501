#include "unit.h"

#include <string.h>

#include "report/table.h"

/* Text and JSON from one row: what is not known is "-" and left out. */
START_TEST(one_row)
{
    static struct topo_report_comm comm[] = {{"a \"name\"", 8}, {"", 4}, {"", 0}};
    static struct topo_report_row row = {.algorithm = TOPO_ALGORITHM_barrier_native,
                                         .size_class = 10,
                                         .ranks = 4,
                                         .calls = 8,
                                         .seconds = 2,
                                         .least = 0.25,
                                         .most = 1,
                                         .least_rank = 1,
                                         .most_rank = 2,
                                         .waited = 1};
    struct topo_report report = {.comms = 3, .comm = comm};
    struct topo_text out = {0};
    topo_report_heads(topo_report_rows, false, &out);
    ck_assert(!strstr(out.text, "model"));
    topo_text_free(&out);
    topo_report_line(topo_report_rows, &report, &row, &out);
    ck_assert_str_eq(out.text, "barrier                    1K        2 native                 500.000   250.000   "
                               "1000.000     2     50%  250000.00          - a \"name\"");
    topo_text_free(&out);
    row.open = 1;
    report.job.modelled = 1;
    row.comm = 1;
    topo_report_line(topo_report_rows, &report, &row, &out);
    ck_assert(strstr(out.text, "  >=50%  250000.00          -          - 4 ranks"));
    topo_text_free(&out);
    topo_report_members(topo_report_rows, &report, &row, &out);
    ck_assert_str_eq(out.text, "\"operation\": \"barrier\", \"bytes_at_most\": 1024, \"calls\": 8, \"algorithm\": "
                               "\"native\", \"communicator\": \"4 ranks\", \"communicator_ranks\": 4, \"ranks\": 4, "
                               "\"bytes\": 0, \"ns\": 2000000000, \"least_ns\": 250000000, \"least_rank\": 1, "
                               "\"most_ns\": 1000000000, \"most_rank\": 2, \"waited_ns\": 1000000000, "
                               "\"unknown_ns\": 1000000000");
    topo_text_free(&out);
    ck_assert_str_eq(topo_report_comm_name(&comm[2]), "others");
}
END_TEST

UNIT_MAIN("table", {one_row})
