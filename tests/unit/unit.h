/* What every unit-test program does around its suite. */
#ifndef TOPO_TESTS_UNIT_H
#define TOPO_TESTS_UNIT_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

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

#endif
