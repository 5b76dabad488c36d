/* What tables look like that are found by their blocks: the same keys are the same shape; what is
 * garbage, being made or none at all is left alone, in every operation. */
#include "breaks_fixture.h"
#include "moving_alloc.h"

enum { MOST = 4096 };
static uint64_t at[MOST];
static uint32_t noted;

static int api_note(lua_State *state) {
    if (noted < MOST) at[noted++] = (uint64_t)(uintptr_t)lua_topointer(state, 1);
    return 0;
}

static LmpPreview preview[LMP_PREVIEWS];
static bool asked;

/* In the next pause: of the first so many. */
static bool ask_all(void) {
    if (!asked) {
        view_preview(view, at, noted, true);
        asked = true;
        return false;
    }
    ck_assert(view_preview_ready(view));
    memcpy(preview, view->live->preview, sizeof preview);
    return true;
}

static void shapes_of(const char *script) {
    noted = 0;
    asked = false;
    lua_register(L, "note", api_note);
    on_pause = ask_all;
    ck_assert_int_ge(run_with("size 1MiB", script), 1);
    on_pause = NULL;
}

static const char *keys_of(uint32_t i) {
    static char text[LMP_PREVIEW_BYTES + 1];
    memcpy(text, preview[i].bytes, preview[i].shown);
    text[preview[i].shown] = 0;
    return text;
}

TEST(test_shapes) {
    begin();
    shapes_of("local kept = {}\n"
              "local function k(t) kept[#kept + 1] = t note(t) end\n"
              "k {id = 1, name = 'a', price = 2}\n"
              "local t = {} t.price = 1 t.id = {} t.name = 4 k(t)\n"
              "k {id = 1, name = 'a'}\n"
              "k {}\n"
              "k {1, 2, 3}\n"
              "k {1, 2, id = 3}\n"
              "k {[print] = 1}\n"
              "local many = {} for i = 1, 17 do many['key' .. i] = i end k(many)\n"
              "local gone = {a = 1, b = 2} gone.a = nil k(gone)\n"
              "local long = {} for i = 1, 9 do long[('x'):rep(20) .. i] = i end k(long)\n"
              "local s = ('x'):rep(1 << 20)");
    static const struct {
        const char *keys;
        uint32_t shape;
    } want[] = {{"id, name, price", LMP_SHAPE_NAMES},
                {"id, name, price", LMP_SHAPE_NAMES},
                {"id, name", LMP_SHAPE_NAMES},
                {"", 0},
                {"", LMP_SHAPE_ITEMS},
                {"id", LMP_SHAPE_NAMES | LMP_SHAPE_ITEMS},
                {"", LMP_SHAPE_OTHERS},
                {"", LMP_SHAPE_MANY},
                {"b", LMP_SHAPE_NAMES},
                {"xxxxxxxxxxxxxxxxxxxx1, xxxxxxxxxxxxxxxxxxxx2, xxxxxxxxxxxxxxxxxxxx3, "
                 "xxxxxxxxxxxxxxxxxxxx4",
                 LMP_SHAPE_NAMES | LMP_SHAPE_CUT}};
    ck_assert_uint_eq(noted, sizeof want / sizeof *want);
    for (uint32_t i = 0; i < noted; i++) {
        ck_assert_uint_eq(preview[i].valid, LMP_PREVIEW_SHAPE);
        ck_assert_str_eq(keys_of(i), want[i].keys);
        ck_assert_uint_eq(preview[i].shape, want[i].shape);
        for (uint32_t j = 0; j < i; j++)
            ck_assert(((preview[i].hash == preview[j].hash) == (i == 1 && j == 0)));
    }
}

/* Strings are the same if all of their bytes are. */
TEST(test_strings) {
    begin();
    shapes_of("local a = ('x'):rep(5000) .. 'a' local b = ('x'):rep(5000) .. 'a'\n"
              "local c = ('x'):rep(5000) .. 'c' local d = ('x'):rep(5000)\n"
              "note(a) note(b) note(c) note(d)\n"
              "local s = ('x'):rep(1 << 20)");
    ck_assert_uint_eq(noted, 4);
    ck_assert_uint_ne(at[0], at[1]);
    ck_assert_uint_ne(preview[0].hash, 0);
    ck_assert_uint_eq(preview[0].hash, preview[1].hash);
    ck_assert_uint_ne(preview[0].hash, preview[2].hash);
    ck_assert_uint_ne(preview[0].hash, preview[3].hash);
}

/* ---- in every operation ---------------------------------------------------------------------- */

static uint64_t read_so_far, left_alone;

/* Keys are kN or itN: anything else was read where it is not. */
static bool step_by_step(void) {
    if (!asked && noted > 0) {
        uint64_t some[LMP_PREVIEWS];
        for (uint32_t i = 0; i < LMP_PREVIEWS; i++)
            some[i] = at[suite_below(noted)];
        view_preview(view, some, LMP_PREVIEWS, true);
        asked = true;
        return false;
    }
    if (noted > 0) {
        ck_assert(view_preview_ready(view));
        memcpy(preview, view->live->preview, sizeof preview);
        for (uint32_t i = 0; i < LMP_PREVIEWS; i++) {
            if (preview[i].valid == LMP_PREVIEW_SHAPE) {
                const char *keys = keys_of(i);
                ck_assert_msg(strspn(keys, "kit0123456789, ") == strlen(keys), "%s", keys);
                read_so_far++;
            } else {
                left_alone++;
            }
        }
    }
    asked = false;
    view_step(view, 1);
    return false;
}

static void all_operations(const char *mode) {
    char script[1200];
    made_by = moves;
    begin();
    lua_register(L, "note", api_note);
    noted = 0;
    asked = false;
    on_pause = step_by_step;
    view_pause(view, true);
    snprintf(script, sizeof script,
             "%s\n"
             "local kept = {}\n"
             "for i = 1, 150 do\n"
             "  local t = {} note(t)\n"
             "  for j = 1, i %% 7 do t['k' .. i * 10 + j] = j t['it' .. j] = i t[j] = j end\n"
             "  if i %% 3 == 0 then kept[#kept + 1] = t end\n"
             "  if i %% 20 == 0 then kept[i // 20] = {} end\n"
             "  if i %% 50 == 0 then collectgarbage('step', 2) end\n"
             "end\n"
             "collectgarbage()\n",
             mode);
    run(script);
    view_pause(view, false);
    on_pause = NULL;
    suite_close();
    made_by = NULL;
}

TEST(test_every_operation) {
    read_so_far = left_alone = 0;
    all_operations("collectgarbage('incremental', 100, 400)");
    ck_assert_uint_gt(read_so_far, 10000);
    ck_assert_uint_gt(left_alone, 1000);
    all_operations("collectgarbage('generational')");
}
