/* The heap map of a recording against what the program itself says of its types at that moment: it
 * is the recorder who looks at the program's blocks, a little with every frame. */
#include <sys/mman.h>
#include <unistd.h>

#include "base/os.h"
#include "own_state.h"
#include "profiled.h"
#include "read/stats.h"
#include "recording/reader/recording.h"
#include "recording/writer/recorder.h"

RELEASE_AT(lua_close)

enum { LOOKS = 400, SCRIPTS = 4 };

static const char *const scripts[SCRIPTS] = {
    "t = {} for i = 1, 20000 do t[i] = {i, tostring(i), k = {}} end",
    "for i = 1, #t, 3 do t[i] = nil end collectgarbage()",
    "s = string.rep('x', 3000000) c = {} for i = 1, 200 do c[i] = coroutine.create(print) end",
    "t, s, c = nil collectgarbage() collectgarbage()",
};

static uint64_t count_kinds(const LmpRecording *read, uint64_t bytes[LMP_KINDS]) {
    static MapCell cell[MAPCELL_RECORDED];
    uint64_t size = recording_map(read, cell), blocks = 0;
    memset(bytes, 0, LMP_KINDS * sizeof *bytes);
    ck_assert_uint_gt(size, 0);
    ck_assert_uint_eq(size & (size - 1), 0);
    for (uint32_t i = 0; i < MAPCELL_RECORDED; i++) {
        uint64_t here = 0;
        for (int k = 0; k < LMP_KINDS; k++) {
            bytes[k] += cell[i].bytes[k];
            here += cell[i].bytes[k];
        }
        ck_assert_uint_le(here, cell[i].capacity);
        blocks += cell[i].blocks;
    }
    return blocks;
}

/* Frames are taken until all was looked at: the program stands meanwhile. */
static void take(LmpRecorder *r, LmpView *view, LmpRecording *read, const LmpStats *want) {
    uint64_t bytes[LMP_KINDS], blocks = 0;
    for (int looks = 0; looks < LOOKS && blocks != want->live_blocks; looks++) {
        ck_assert_int_eq(recorder_frame(r, view, lmp_os->clock()), LMP_OK);
        ck_assert_int_eq(recording_refresh(read), LMP_OK);
        ck_assert_int_eq(recording_seek(read, recording_frames(read) - 1), LMP_OK);
        blocks = count_kinds(read, bytes);
    }
    ck_assert_uint_eq(blocks, want->live_blocks);
    for (int k = 0; k < LMP_KINDS; k++)
        ck_assert_uint_eq(bytes[k], want->kind[k].live_bytes);
}

TEST(test_every_block) {
    static LmpStats want[SCRIPTS];
    uint32_t frame[SCRIPTS];
    uint64_t bytes[LMP_KINDS];
    OWN(close_at) int fd = memfd_create("recording", MFD_CLOEXEC);
    OWN(lua_close_at) lua_State *L = luaL_newstate();
    LmpRecorder *r;
    LmpRecording *read;
    luaL_openlibs(L);
    profiled_start(L, profiler_defaults);
    LmpView *view = own_view();
    ck_assert_int_eq(recorder_open(&r, view, &(LmpRecorderOptions){.fd = fd}), LMP_OK);
    ck_assert_int_eq(recording_open_fd(&read, fd), LMP_OK);
    for (int i = 0; i < SCRIPTS; i++) {
        ck_assert_int_eq(luaL_dostring(L, scripts[i]), 0);
        ck_assert_int_eq(profiler_stats(L, &want[i]), LMP_OK);
        take(r, view, read, &want[i]);
        frame[i] = recording_frames(read) - 1;
    }
    for (int i = SCRIPTS; i-- > 0;) { /* and when it is sought later */
        ck_assert_int_eq(recording_seek(read, frame[i]), LMP_OK);
        ck_assert_uint_eq(count_kinds(read, bytes), want[i].live_blocks);
    }
    recording_close(read);
    ck_assert_int_eq(recorder_close(r, view, 1), LMP_OK);
    own_view_close(view);
    profiler_stop(L, NULL);
}
