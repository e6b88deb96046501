/* What every unit-test program does around its tests. */
#ifndef TOPO_TESTS_UNIT_H
#define TOPO_TESTS_UNIT_H

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

/* Check's own macro writes into a file that an assertion held, millions of times in tests of all shapes. All others of
 * Check lead here. A test that crashes is named without its last assertion. */
#if CHECK_MAJOR_VERSION > 0 || CHECK_MINOR_VERSION >= 15
#undef ck_assert_msg
#define ck_assert_msg(expr, ...) \
    ((expr) ? (void)0 : _ck_assert_failed(__FILE__, __LINE__, "Assertion '" #expr "' failed", ##__VA_ARGS__))
#endif

/* A test and a function that it looks at may have one name; UNIT_MAIN's rows leave out what is 0. */
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* Runs the suite, prints "N passed, N failed" last, returns the exit status. */
static inline int unit_main(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    printf("%d passed, %d failed\n", srunner_ntests_run(runner) - failed, failed);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* A test, and how often it runs, with _i = 0, 1, ... (0: once). */
struct unit_test {
    const TTest *test;
    int times;
};

static inline int unit_run(const char *name, const struct unit_test *tests, int count)
{
    Suite *suite = suite_create(name);
    TCase *all = tcase_create(name);
    tcase_set_timeout(all, 120);
    for (int i = 0; i < count; i++)
        tcase_add_loop_test(all, tests[i].test, 0, tests[i].times ? tests[i].times : 1);
    suite_add_tcase(suite, all);
    return unit_main(suite);
}

/* main() of a program with these tests, each {name} or {name, times}. */
#define UNIT_MAIN(name, ...) \
    int main(void) \
    { \
        const struct unit_test tests[] = {__VA_ARGS__}; \
        return unit_run(name, tests, sizeof tests / sizeof *tests); \
    }

static inline void unit_allocation_failed(const char *call, long allocation, enum topo_status status)
{
    ck_assert_msg(allocation < 100000, "%s ends", call);
    if (status == TOPO_OK)
        ck_assert_msg(allocation > 0, "%s allocates", call);
    else
        ck_assert_msg(status == TOPO_NOMEM, "%s: allocation %ld fails and it says %s", call, allocation,
                      topo_status_text(status));
}

/* Evaluates `call`, which has a status, with memory running out at its first allocation, at its second, ... until it
 * succeeds: always TOPO_NOMEM, at least once. The statements behind it follow each call; they know its `status`. */
#define UNIT_OUT_OF_MEMORY(call, ...) \
    for (long allocation = 0, more = 1; more; allocation++) { \
        topo_memory_fail_after(allocation); \
        enum topo_status status = (call); \
        topo_memory_fail_after(-1); \
        unit_allocation_failed(#call, allocation, status); \
        more = status != TOPO_OK; \
        __VA_ARGS__; \
    }

#endif
