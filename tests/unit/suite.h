/* suite.h - what the Check suites share: tests, seeds that can be repeated, golden files.
 *
 * A suite is a file that includes this and has tests: TEST(name) { ... }. Each is played in a
 * process of its own. What is set up is closed by itself (suite_closes), and variables are by OWN.
 * Property tests draw from `suite_random`: the same series in each run and for each test, so that
 * what fails has to do with what was changed. SEED=clock in the environment makes new ones,
 * SEED=number another. */
#ifndef LMP_SUITE_H
#define LMP_SUITE_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "own.h"

/* Check's assertions note every success in a file, to tell where a test crashed. In loops of
 * millions that takes minutes, and a debugger tells it as well. */
#define _mark_point(file, line) ((void)0)

#define TEST(name)                                                                                 \
    static void name##_test_(int);                                                                 \
    __attribute__((constructor)) static void name##_is_added_(void) {                              \
        static const TTest test = {#name, name##_test_, __FILE__, __LINE__};                       \
        suite_add(&test);                                                                          \
    }                                                                                              \
    static void name##_test_(int suite_row_ CK_ATTRIBUTE_UNUSED)

/* What every test of the file begins with. */
#define BEFORE_TESTS(set_up)                                                                       \
    __attribute__((constructor)) static void suite_is_set_up_(void) {                              \
        suite_before(set_up);                                                                      \
    }

/* For what sets something up: `close` is called when the test is over, or when the same is set up
 * anew; and what was set up since, before it. */
void suite_closes(void (*close)(void));
/* Closes all that was set up. */
void suite_close(void);
/* The test has closed it all by itself. */
void suite_closed(void);

void suite_add(const TTest *test);
void suite_before(SFun set_up);

/* The next of a repeatable series. */
uint64_t suite_random(void);
/* A number below n (n > 0). */
uint64_t suite_below(uint64_t n);
/* The series begins anew. */
void suite_again(void);
/* What the series comes from: it is printed, so that a failure can be repeated. */
extern uint64_t suite_seed;

/* Compares `text` with tests/golden/NAME; with GENERATE=1 writes it there instead. What is to be
 * equal to another one is a link to that. On a difference names the first line that differs and
 * leaves what was got in the file NAME.got (slashes as -) of the working directory. */
void suite_golden(const char *name, const char *text);
/* The same of a screen, see canvas_dump.h. Where a screen WHAT.txt of that size is there, which the
 * suite has before it, the file of WHAT-OTHERWISE.txt has only the rows that are others, with their
 * numbers; unless that has more lines. */
void suite_golden_screen(const char *name, const char *text);

/* Makes a directory that is removed with all in it when the test is over. */
const char *suite_directory(void);

/* Where a text is written; one at a time. */
FILE *suite_write(void);
/* Ends it; the caller frees it. */
char *suite_written(void);
/* The bytes of the last. */
extern size_t suite_wrote;

#endif
