#include "unit.h"

#include <math.h>
#include <string.h>

#include "report/report.h"

static struct topo_report_sheet sheet;

enum { ALLREDUCE = TOPO_ALGORITHM_allreduce_leader, NATIVE = TOPO_ALGORITHM_allreduce_native };

/* Rank `rank` of 4 on 2 nodes, one kind of call. */
static struct topo_report_row *begin(int rank, const char *comm, double seconds)
{
    topo_report_begin(&sheet, rank);
    sheet.job = (struct topo_report_job){.ranks = 4, .nodes = 2, .about = "program", .libraries = "TopoMPI"};
    sheet.rank.node = rank / 2;
    snprintf(sheet.rank.host, sizeof sheet.rank.host, "n%d", rank / 2);
    sheet.rank.ended = 1;
    sheet.rank.run = 10;
    sheet.rank.inside = seconds;
    struct topo_report_row *row = topo_report_row_new(&sheet, topo_report_comm_of(&sheet, comm, 4), ALLREDUCE, 3);
    row->calls = 2;
    row->seconds = row->least = row->most = seconds;
    return row;
}

static char *text_of(const struct topo_report *report,
                     void (*say)(const struct topo_report *report, struct topo_text *out))
{
    static char text[4096];
    struct topo_text out = {0};
    say(report, &out);
    snprintf(text, sizeof text, "%s", out.text ? out.text : "");
    topo_text_free(&out);
    return text;
}

START_TEST(rows_of_ranks_are_one)
{
    struct topo_report report = {.ranks = 0};
    for (int rank = 3; rank >= 0; rank--) {
        begin(rank, rank == 2 ? "other" : "world", 1 + rank);
        ck_assert(topo_report_is_sheet(&sheet, sizeof sheet));
        ck_assert_int_eq(topo_report_add_sheet(&report, &sheet), TOPO_OK);
    }
    topo_report_sort(&report);
    ck_assert(report.ranks == 4 && report.comms == 2 && report.rows == 2 && report.rank[1].rank == 1);
    const struct topo_report_row *row = report.row;
    ck_assert(row->ranks == 3 && row->calls == 6 && row->seconds == 7);
    ck_assert(row->least == 1 && row->least_rank == 0 && row->most == 4 && row->most_rank == 3);
    struct topo_report_total total;
    topo_report_total(&report, &total);
    ck_assert(total.calls == 8 && total.ours == 8 && total.seconds == 10 && total.outside == 30 &&
              total.outside_most == 9 && total.run == 40 && total.ended == 4 && total.processor < 0);
    topo_report_free(&report);
}
END_TEST

START_TEST(packed_it_is_the_same)
{
    struct topo_report one = {.ranks = 0}, all = {.ranks = 0};
    char *bytes;
    size_t count;
    for (int rank = 0; rank < 3; rank++) {
        begin(rank, "world", rank);
        topo_report_add_sheet(&one, &sheet);
    }
    topo_report_pack(&one, &bytes, &count);
    begin(3, "world", 3);
    ck_assert_int_eq(topo_report_add_sheet(&all, &sheet), TOPO_OK);
    ck_assert_int_eq(topo_report_add_packed(&all, bytes, count), TOPO_OK);
    ck_assert(all.ranks == 4 && all.comms == 1 && all.rows == 1 && all.row->calls == 8 && all.row->most_rank == 3 &&
              all.row->least_rank == 0);
    ck_assert_int_eq(topo_report_add_packed(&all, bytes, count - 1), TOPO_PARSE);
    ck_assert_int_eq(topo_report_add_packed(&all, bytes, 3), TOPO_PARSE);
    topo_report_free(&one);
    struct topo_report again = {.ranks = 0};
    UNIT_OUT_OF_MEMORY(topo_report_add_packed(&again, bytes, count), topo_report_free(&again));
    topo_free(bytes);
    topo_report_free(&all);
}
END_TEST

START_TEST(tables_come_to_an_end)
{
    struct topo_report report = {.ranks = 0};
    char name[16];
    begin(0, "world", 1);
    for (int i = 0; i < 2 * TOPO_REPORT_COMMS; i++) {
        snprintf(name, sizeof name, "%d", i);
        int comm = topo_report_comm_of(&sheet, name, 2);
        ck_assert_int_eq(comm, i + 2 < TOPO_REPORT_COMMS ? i + 2 : TOPO_REPORT_OTHERS);
    }
    ck_assert(topo_report_comm_of(&sheet, "3", 2) == 5 && topo_report_comm_of(&sheet, "world", 4) == 1);
    ck_assert_int_eq(sheet.comm[TOPO_REPORT_OTHERS].ranks, 0);
    for (int i = 1; i < TOPO_REPORT_ROWS - TOPO_REPORT_ROWS_OF_OTHERS; i++)
        ck_assert(topo_report_row_new(&sheet, 1 + i % (TOPO_REPORT_COMMS - 1), NATIVE, i / (TOPO_REPORT_COMMS - 1)));
    ck_assert(!topo_report_row_new(&sheet, 1, NATIVE, 0));
    for (int i = 0; i < TOPO_REPORT_ROWS_OF_OTHERS; i++)
        ck_assert(topo_report_row_new(&sheet, TOPO_REPORT_OTHERS, NATIVE + i / 64, i % 64)->calls == 0);
    ck_assert(!topo_report_row_new(&sheet, TOPO_REPORT_OTHERS, NATIVE, 0));
    ck_assert(topo_report_is_sheet(&sheet, sizeof sheet) && !topo_report_is_sheet(&sheet, sizeof sheet - 1));
    ck_assert_int_eq(topo_report_add_sheet(&report, &sheet), TOPO_OK);
    ck_assert_int_eq(report.rows, TOPO_REPORT_ROWS);
    topo_report_free(&report);
    sheet.row[5].comm = TOPO_REPORT_COMMS;
    ck_assert(!topo_report_is_sheet(&sheet, sizeof sheet));
    begin(0, "world", 1);
    memset(sheet.rank.host, 'x', sizeof sheet.rank.host);
    ck_assert(!topo_report_is_sheet(&sheet, sizeof sheet));
}
END_TEST

/* Each thread's are added up; of what is sampled, each seventeenth was timed. */
START_TEST(functions_are_added_up)
{
    struct topo_report own = {.ranks = 0}, all = {.ranks = 0};
    struct topo_report_total total;
    char *bytes;
    size_t count;
    for (int rank = 0; rank < 2; rank++) {
        begin(rank, "world", 1)->calls = 2;
        sheet.functions.tick = 1e-3;
        sheet.functions.of[0][TOPO_FUNCTION_Isend] = (struct topo_function_calls){10, 2000, 80};
        sheet.functions.of[TOPO_FUNCTION_THREADS - 1][TOPO_FUNCTION_Isend] =
            (struct topo_function_calls){1, 1000 * (uint64_t)rank, 8};
        sheet.functions.of[0][TOPO_FUNCTION_Test] = (struct topo_function_calls){34, 4, 0};
        sheet.functions.of[0][TOPO_FUNCTION_Iallreduce] = (struct topo_function_calls){3, 0, 0};
        sheet.functions.started = 500;
        sheet.functions.last[1] = 20500;
        sheet.rank.ended = rank == 0;
        ck_assert_int_eq(topo_report_add_sheet(rank ? &own : &all, &sheet), TOPO_OK);
    }
    topo_report_pack(&own, &bytes, &count);
    ck_assert_int_eq(topo_report_add_packed(&all, bytes, count), TOPO_OK);
    topo_report_sort(&all);
    ck_assert(all.functions == 3 && all.function[0].function == TOPO_FUNCTION_Isend && all.function[0].ranks == 2);
    ck_assert(all.function[0].calls == 22 && all.function[0].bytes == 176 && all.function[0].most_rank == 1);
    ck_assert(fabs(all.function[0].seconds - 5) < 1e-9 && fabs(all.function[0].most - 3) < 1e-9);
    ck_assert(all.function[1].calls == 68 && fabs(all.function[1].seconds - 0.136) < 1e-9);
    ck_assert(topo_report_is_passed(all.function[2].function) && !topo_report_is_passed(TOPO_FUNCTION_Allreduce));
    ck_assert(all.rank[0].run == 10 && all.rank[1].run == 20); /* to the end of its last call */
    topo_report_total(&all, &total);
    ck_assert(fabs(total.mpi - 5.136) < 1e-9 && fabs(total.outside - (30 - 5.136)) < 1e-9);
    ck_assert_ptr_nonnull(
        strstr(text_of(&all, topo_report_text),
               "MPI: 17.1 % of the time of all ranks: non-blocking collectives 0.0 % (0.000 s, 6 calls), "
               "point-to-point 16.7 % (5.000 s, 22 calls, 0.0 MiB), waits and tests 0.5 % (0.136 s, 68 "
               "calls)\n"));
    topo_free(bytes);
    topo_report_free(&own);
    topo_report_free(&all);
}
END_TEST

/* What is saved is told where it is more than chance. */
START_TEST(saved_if_certain)
{
    static const struct {
        int64_t calls;
        double native, ours, squares; /* of each: native - ours */
        bool certain;
    } rows[] = {{1, 2, 1, 1, false},            /* one alone */
                {100, 200, 100, 100, true},     /* 1 each time */
                {10, 0.949, 16.6, 225, false},  /* one of 15 */
                {10, 0.949, 16.6, 24.6, true}}; /* all about the same: lost */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct topo_report report = {.ranks = 0};
        struct topo_report_total total;
        struct topo_report_row *row = begin(0, "world", 1);
        row->measured = rows[i].calls;
        row->measured_native = rows[i].native;
        row->measured_ours = rows[i].ours;
        row->saved_squares = rows[i].squares;
        topo_report_add_sheet(&report, &sheet);
        topo_report_total(&report, &total);
        ck_assert_msg(topo_report_saved_is_certain(&total) == rows[i].certain, "row %zu", i);
        ck_assert(!strstr(text_of(&report, topo_report_text), "+-") == !rows[i].certain);
        topo_report_free(&report);
    }
}
END_TEST

START_TEST(sentences_have_figures)
{
    struct topo_report report = {.ranks = 0};
    for (int rank = 0; rank < 4; rank++) {
        begin(rank, "world", rank == 3 ? 1 : 5)->waited = rank == 3 ? 0 : 4;
        if (rank == 3)
            sheet.rank.late[TOPO_OPERATION_allreduce] = 12;
        topo_report_add_sheet(&report, &sheet);
    }
    topo_report_sort(&report);
    ck_assert_str_eq(
        text_of(&report, topo_report_sentences),
        "rank 3 (n1) came late: 75 % of the time in MPI_Allreduce was waiting for it (12.000 of 16.000 s of "
        "all ranks); no library helps\n");
    report.rank[3].late[TOPO_OPERATION_allreduce] = 4;
    report.row->open = 1;
    report.rank[0].ended = report.rank[1].ended = 0;
    report.rank[1].run = 5;
    report.job.ranks = 7;
    ck_assert_str_eq(
        text_of(&report, topo_report_sentences),
        "nothing is here of the ranks 4-6\n"
        "did not come to MPI_Finalize: the ranks 0-1; their last calls ended 5.000 to 10.000 s after MPI_Init\n"
        "ranks in turn came late: at least 75 % of the time in MPI_Allreduce was waiting (12.000 of 16.000 s of "
        "all ranks), most for rank 3 (n1) (4.000 s); no library helps\n"
        "not known is how much of 6 % of the time in these calls was waiting for ranks on other nodes, or in "
        "calls whose ranks need not wait for each other\n");
    report.row->waited = 1;
    report.row->open = 0;
    ck_assert(!strstr(text_of(&report, topo_report_sentences), "late"));
    topo_report_free(&report);
}
END_TEST

START_TEST(at_ten_thousand_ranks)
{
    struct topo_report report = {.ranks = 0};
    struct topo_text out = {0};
    enum { RANKS = 10000 };
    begin(0, "world", 1);
    sheet.job.ranks = RANKS;
    for (int size_class = 4; size_class < 24; size_class++)
        topo_report_row_new(&sheet, 0, NATIVE, size_class)->calls = 1;
    for (int rank = 0; rank < RANKS; rank++) {
        sheet.rank.rank = rank;
        topo_report_add_sheet(&report, &sheet);
    }
    topo_report_json(&report, NULL, &out);
    ck_assert(!out.failed && out.length < 10u << 20);
    topo_text_free(&out);
    topo_report_free(&report);
}
END_TEST

/* Names that would be markup: but for the template's, no character of the page begins an element. */
START_TEST(page_has_its_json)
{
    struct topo_report report = {.ranks = 0};
    struct topo_text empty = {0}, page = {0};
    begin(0, "</script><script>alert(1)", 1);
    topo_report_add_sheet(&report, &sheet);
    topo_text_add(&empty, "");
    topo_report_page(&empty);
    topo_report_json(&report, NULL, &page);
    topo_report_page(&page);
    ck_assert(!page.failed && strstr(page.text, "\\u003c/script>\\u003cscript>alert(1)") &&
              !strstr(page.text, "@REPORT@"));
    int marks[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        for (const char *at = (i ? page : empty).text; (at = strchr(at, '<')); at++)
            marks[i]++;
    ck_assert_int_eq(marks[0], marks[1]);
    UNIT_OUT_OF_MEMORY((topo_text_free(&page), topo_text_add(&page, "{}"), topo_report_page(&page),
                        page.failed ? TOPO_NOMEM : TOPO_OK),
                       topo_text_free(&page));
    topo_text_free(&page);
    topo_text_free(&empty);
    topo_report_free(&report);
}
END_TEST

UNIT_MAIN("report", {rows_of_ranks_are_one}, {packed_it_is_the_same}, {tables_come_to_an_end}, {functions_are_added_up},
          {saved_if_certain}, {sentences_have_figures}, {at_ten_thousand_ranks}, {page_has_its_json})
