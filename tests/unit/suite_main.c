/* suite_main.c - plays the tests of a suite: see suite.h. */
#include <errno.h>

#include "suite.h"

static TCase *tests(void) {
    static TCase *all;
    if (!all) {
        all = tcase_create("all");
        tcase_set_timeout(all, 1200); /* for what hangs; ctest's own limit is above it */
        tcase_add_checked_fixture(all, suite_again, suite_close);
    }
    return all;
}

void suite_add(const TTest *test) {
    tcase_add_test(tests(), test);
}

void suite_before(SFun set_up) {
    tcase_add_checked_fixture(tests(), set_up, NULL);
}

static void take_seed(void) {
    const char *request = getenv("SEED");
    if (request && strcmp(request, "clock") == 0) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        suite_seed = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    } else if (request) {
        suite_seed = strtoull(request, NULL, 10);
    }
    char seed[32];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)suite_seed);
    setenv("LMP_SAMPLE_SEED", seed, 1); /* samples are of the series, too */
    fprintf(stderr, "SEED=%s\n", seed);
}

int main(void) {
    take_seed();
    Suite *suite = suite_create(program_invocation_short_name);
    suite_add_tcase(suite, tests());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
