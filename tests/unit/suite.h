/* suite.h - what the Check suites share: a main, seeds that can be repeated, golden files.
 *
 * A suite is a file that includes this and has tests: TEST(name) { ... }. Each is played in a process
 * of its own. What all of them begin and end with is said once: AROUND_TESTS(set_up, tear_down).
 * Property tests draw from `suite_random`: the same series in each run and for each test, so that
 * what fails has to do with what was changed. SEED=clock in the environment makes new ones,
 * SEED=number another. */
#ifndef LMP_SUITE_H
#define LMP_SUITE_H

#include <check.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Check's assertions note every success in a file, to tell where a test crashed. In loops of
 * millions that takes minutes, and a debugger tells it as well. */
#define _mark_point(file, line) ((void)0)

static uint64_t suite_state_ = 1;

/* xorshift64*: the next of a repeatable series. */
__attribute__((unused)) static uint64_t suite_random(void) {
    suite_state_ ^= suite_state_ >> 12;
    suite_state_ ^= suite_state_ << 25;
    suite_state_ ^= suite_state_ >> 27;
    return suite_state_ * 0x2545f4914f6cdd1dull;
}

/* A number below n (n > 0). */
__attribute__((unused)) static uint64_t suite_below(uint64_t n) {
    return suite_random() % n;
}

/* The series begins anew. */
static uint64_t suite_seed;
static void suite_again(void) {
    suite_state_ = suite_seed * 2 + 1;
}

/* Takes the seed from SEED of the environment and prints it (stderr is shown by
 * `ctest --output-on-failure`), so that a failure can be repeated. */
static void suite_take_seed_(void) {
    const char *request = getenv("SEED");
    suite_seed = request ? strtoull(request, NULL, 10) : 54;
    if (request && strcmp(request, "clock") == 0) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        suite_seed = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    }
    fprintf(stderr, "SEED=%llu\n", (unsigned long long)suite_seed);
}

/* Compares `text` with tests/golden/NAME; with GENERATE=1 writes it there instead. On a difference
 * names the first line that differs and leaves what was got in the file NAME.got (slashes as -) of
 * the working directory. */
__attribute__((unused)) static void suite_golden(const char *name, const char *text) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", TEST_GOLDEN, name);
    if (getenv("GENERATE")) {
        FILE *f = fopen(path, "w");
        ck_assert_msg(f != NULL, "cannot write %s", path);
        fputs(text, f);
        fclose(f);
        return;
    }
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL, "no golden file %s (make it with GENERATE=1)", path);
    size_t size = 0, room = 4096, n;
    char *want = malloc(room);
    while ((n = fread(want + size, 1, room - size - 1, f)) > 0) {
        size += n;
        if (size + 1 == room) want = realloc(want, room *= 2);
    }
    want[size] = '\0';
    fclose(f);
    if (strcmp(want, text) != 0) {
        size_t at = 0;
        int line = 1;
        while (want[at] && want[at] == text[at])
            if (want[at++] == '\n') line++;
        while (at > 0 && want[at - 1] != '\n')
            at--;
        char got[256];
        snprintf(got, sizeof got, "%s.got", name);
        for (char *p = got; *p; p++)
            if (*p == '/') *p = '-';
        FILE *g = fopen(got, "w");
        if (g) {
            fputs(text, g);
            fclose(g);
        }
        size_t wide = strcspn(want + at, "\n"), wide_got = strcspn(text + at, "\n");
        ck_abort_msg("%s differs in line %d\n want: %.*s\n got:  %.*s\n(all of it in %s)", name,
                     line, (int)(wide < 400 ? wide : 400), want + at,
                     (int)(wide_got < 400 ? wide_got : 400), text + at, got);
    }
    free(want);
}

static TCase *suite_case_;

static void suite_add_(const TTest *test) {
    if (!suite_case_) {
        suite_case_ = tcase_create("all");
        tcase_set_timeout(suite_case_, 1200); /* for what hangs; ctest's own limit is above it */
        tcase_add_checked_fixture(suite_case_, suite_again, NULL);
    }
    if (test) tcase_add_test(suite_case_, test);
}

#define TEST(name)                                                                                 \
    static void name##_fn(int);                                                                    \
    __attribute__((constructor)) static void name##_add(void) {                                    \
        static const TTest test = {#name, name##_fn, __FILE__, __LINE__};                          \
        suite_add_(&test);                                                                         \
    }                                                                                              \
    static void name##_fn(int suite_row_ CK_ATTRIBUTE_UNUSED)

#define AROUND_TESTS(set_up, tear_down)                                                            \
    __attribute__((constructor)) static void suite_around_(void) {                                 \
        suite_add_(NULL);                                                                          \
        tcase_add_checked_fixture(suite_case_, set_up, tear_down);                                 \
    }

int main(void) {
    suite_take_seed_();
    Suite *suite = suite_create(program_invocation_short_name);
    suite_add_tcase(suite, suite_case_);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
