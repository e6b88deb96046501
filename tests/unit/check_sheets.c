#include "unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/sheets.h"

/* Writes the sheet of a rank where it belongs in its node's file. */
static void write_sheet(const char *folder, uint64_t job, int rank, int place)
{
    static struct topo_report_sheet sheet;
    struct topo_text path = {0};
    topo_report_begin(&sheet, rank);
    sheet.job = (struct topo_report_job){.ranks = 4, .nodes = 2, .number = job};
    sheet.rank.node = rank / 2;
    topo_sheets_name(folder, job, rank / 2, &path);
    int fd = open(path.text, O_RDWR | O_CREAT, 0600);
    ck_assert(fd >= 0 && pwrite(fd, &sheet, sizeof sheet, (off_t)place * TOPO_SHEETS_APART) == sizeof sheet);
    close(fd);
    topo_text_free(&path);
}

START_TEST(one_job_after_the_other)
{
    char folder[] = "/tmp/check_sheets.XXXXXX";
    struct topo_error error;
    uint64_t job;
    ck_assert(mkdtemp(folder));
    write_sheet(folder, 0x1234, 0, 0);
    write_sheet(folder, 0x1234, 1, 1);
    write_sheet(folder, 0x1234, 3, 1); /* before it is a hole: rank 2 never came to write */
    write_sheet(folder, UINT64_MAX, 2, 0);
    for (int i = 0; i < 2; i++) {
        struct topo_report report = {.ranks = 0};
        ck_assert_int_eq(topo_sheets_read(folder, &report, &job, &error), TOPO_OK);
        ck_assert_int_eq(report.ranks, job == 0x1234 ? 3 : 1);
        topo_report_free(&report);
        topo_sheets_remove(folder, job);
    }
    struct topo_report none = {.ranks = 0};
    ck_assert(topo_sheets_read(folder, &none, &job, &error) == TOPO_OK && none.ranks == 0 && job == 0);
    ck_assert(rmdir(folder) == 0);
    ck_assert_int_eq(topo_sheets_read(folder, &none, &job, &error), TOPO_IO);
}
END_TEST

UNIT_MAIN("sheets", {one_job_after_the_other})
