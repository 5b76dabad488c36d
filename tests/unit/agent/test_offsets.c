/* test_offsets.c - the layout of objects is looked for in a state of ours, for which there may
 * be no memory: that is said, nothing is taken for known, and the next time it is looked for again.
 */
#include "suite.h"

#include <sys/wait.h>
#include <unistd.h>

#include "agent/interp/collector.h"
#include "agent/interp/frames.h"
#include "agent/objects/offsets.h"
#include "base/keptfile.h"
#include "refused_memory.h"

/* How many requests there are at least, asked of a process of its own, for what is known stays. By
 * chance (seeds of hashes) it is a few more or less each time. */
static long requests(void) {
    enum { MOST = 1 << 20 };
    long n = 0;
    int fd[2];
    setenv(LMP_CACHE, "off", 1); /* nothing of an earlier start */
    ck_assert(frames_known() &&
              collector_colour()); /* by then they are: from the start of a profile */
    ck_assert_int_eq(pipe(fd), 0);
    pid_t pid = fork();
    if (pid == 0) {
        refuse_after = MOST;
        if (offsets_known() == LMP_OK) n = MOST - refuse_after;
        _exit(write(fd[1], &n, sizeof n) != sizeof n);
    }
    ck_assert(read(fd[0], &n, sizeof n) == sizeof n);
    waitpid(pid, NULL, 0);
    ck_assert_int_gt(n, 500);
    return n - n / 20;
}

/* All that come after it are refused as well. */
TEST(no_memory_from_some_moment_on) {
    long all = requests();
    for (long at = 0; at < all; at += 1 + at / 30) {
        refuse_on = true;
        refuse_after = at;
        LmpErr err = offsets_known();
        refuse_after = -1;
        ck_assert_msg(err == LMP_E_NOMEM, "request %ld of %ld: %d, %s", at, all, (int)err,
                      offsets_why());
        ck_assert_str_eq(offsets_why(), "no memory for looking");
    }
    ck_assert_int_eq(offsets_known(), LMP_OK);
    ck_assert_str_eq(offsets_why(), "");
}

/* One is refused: the interpreter collects and asks once more, as a rule. */
TEST(no_memory_once) {
    long all = requests();
    for (long at = 0; at < all; at += 1 + at / 30) {
        pid_t pid = fork();
        if (pid == 0) {
            refuse_after = at;
            LmpErr first = offsets_known();
            _exit((first != LMP_OK && first != LMP_E_NOMEM) || offsets_known() != LMP_OK);
        }
        int status = 1;
        waitpid(pid, &status, 0);
        ck_assert_msg(status == 0, "request %ld of %ld: %d", at, all, status);
    }
}
