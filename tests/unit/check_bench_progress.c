#include "unit.h"

#include <stdio.h>
#include <unistd.h>

#include "topo-bench/progress.h"

START_TEST(what_is_left_goes_by_what_was_done)
{
    static const struct {
        struct bench_done done;
        const char *text;
    } rows[] = {
        {{0, 8, 0}, "; 0 of 8 sizes"},
        {{3, 8, 0.3}, "; 0 of 8 sizes"}, /* a twentieth is 0.4 sizes */
        {{3, 8, 0.5}, "; 0 of 8 sizes, about 45 s left"},
        {{10, 8, 2}, "; 2 of 8 sizes, about 30 s left"},
        {{600, 10, 5.5}, "; 5 of 10 sizes, about 8 min left"},
        {{3600, 4, 1}, "; 1 of 4 sizes, about 3 h 00 min left"},
        {{7.9, 8, 7.99}, "; 7 of 8 sizes, about 1 s left"},
        {{5, 0, 0}, "; 0 of 0 sizes"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct topo_text out = {0};
        bench_progress_left(&rows[i].done, &out);
        ck_assert_str_eq(out.text, rows[i].text);
        topo_text_free(&out);
    }
}
END_TEST

/* Standard error of `work` into `text`. */
static void capture(void (*work)(void), char *text, size_t size)
{
    FILE *file = tmpfile();
    int saved = dup(STDERR_FILENO);
    ck_assert(file && saved >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    work();
    ck_assert(dup2(saved, STDERR_FILENO) >= 0);
    close(saved);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void three_lines(void)
{
    bench_progress(0, "before");
    bench_progress_begin(true, 2);
    bench_progress(0, "%s, %d bytes", "bcast", 8);
    bench_progress_size();
    bench_progress(0.5, "%s, %d bytes", "bcast", 16);
}

static void not_shown(void)
{
    bench_progress_begin(false, 2);
    bench_progress(0, "a");
    bench_progress_size();
}

START_TEST(one_line_overwrites_itself)
{
    char text[1000];
    capture(not_shown, text, sizeof text);
    ck_assert_str_eq(text, "");
    capture(three_lines, text, sizeof text);
    ck_assert_str_eq(text, "\rtopo-bench: bcast, 8 bytes; 0 of 2 sizes \033[K\r\033[K"
                           "\rtopo-bench: bcast, 16 bytes; 1 of 2 sizes, about 1 s left \033[K");
}
END_TEST

UNIT_MAIN("bench_progress", {what_is_left_goes_by_what_was_done}, {one_line_overwrites_itself})
