/* test_recname.c - a process that cannot record says why. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "recorder/recname.h"
#include "shared/layout.h"
#include "suite.h"

TEST(test_other_build) {
    char line[2 * RECNAME_MOST + 200];
    OWN(close_at) int state = memfd_create("state", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    LmpHeader header = {.magic = LMP_MAGIC, .layout = LMP_LAYOUT + 1};
    RecEnd end;
    ck_assert_int_eq(ftruncate(state, (off_t)(LMP_LEAVES_AT + 4096)), 0);
    ck_assert_int_eq(pwrite(state, &header, sizeof header, 0), sizeof header);
    ck_assert_int_eq(fcntl(state, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    OWN(close_at)
    int job = recjob_start(&(RecJob){.state = state, .file = "never.lmprec", .output = -1});
    ck_assert_int_ge(job, 0);
    ck_assert_int_eq(recv(job, &end, sizeof end, 0), sizeof end);
    ck_assert_int_eq(end.why, RECJOB_FAILED);
    recname_say(line, sizeof line, "never.lmprec", &end);
    ck_assert_str_eq(line, "no recording in never.lmprec: the shared state was written by "
                           "another version of lmp");
}
