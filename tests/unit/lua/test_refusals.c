/* What every function of the Lua modules does where the system refuses something, as the table
 * "refused" of docs/api.md says it: a function without a row fails, and so does a row without a
 * function. */
#include "agent/interp/luafacts.h"
#include "refused_memory.h"
#include "suite.h"

#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <sys/resource.h>

#include "base/os.h"
#include "helpers.h"

RELEASE_AT(lua_close)

int luaopen_luamemprofiler(lua_State *L);

/* ---- what is refused ------------------------------------------------------------------------- */

static LmpOs os;
static int why; /* of a mapping; EINVAL: of a file's */

static int no_memfd(const char *name, uint64_t size) {
    (void)name, (void)size;
    return -1;
}
static void *no_map(size_t size, int fd, uint64_t offset, bool writable) {
    return fd < 0 && why == EINVAL ? os_real.map(size, fd, offset, writable) : NULL;
}
static int told_why(void) {
    return why;
}

static void limit(int what, rlim_t most) {
    struct rlimit l;
    getrlimit(what, &l);
    l.rlim_cur = most < l.rlim_max ? most : l.rlim_max;
    ck_assert_int_eq(setrlimit(what, &l), 0);
}

/* What this process has now, and 100 MiB: Lua's own are few, a profile's are more. */
static void limit_memory(void) {
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    ck_assert(f && fscanf(f, "%lu", &pages) == 1);
    fclose(f);
    limit(RLIMIT_AS, pages * os_real.page() + (100u << 20));
}

/* refuse(WHAT): from now on, and nothing else. */
static int refuse(lua_State *L) {
    static const char *const words[] = {"nothing", "memfd",  "files", "space",
                                        "pages",   "memory", NULL};
    int what = luaL_checkoption(L, 1, NULL, words);
    refuse_after = -1;
    os = os_real;
    lmp_os = &os;
    limit(RLIMIT_FSIZE, RLIM_INFINITY);
    limit(RLIMIT_AS, RLIM_INFINITY);
    refuse_on = what == 5;
    if (what == 1) os.memfd = no_memfd;
    if (what == 2) limit(RLIMIT_FSIZE, 1000 * 1024);
    if (what == 3) limit_memory();
    if (what >= 4) {
        os.map = no_map;
        os.map_refused = told_why;
        why = what == 4 ? EINVAL : ENOMEM;
    }
    if (what == 5) refuse_after = 0;
    return 0;
}

/* Lua's own memory is there. */
static void *lua_memory(void *ud, void *ptr, size_t osize, size_t nsize) {
    (void)ud, (void)osize;
    if (nsize) return __real_realloc(ptr, nsize);
    free(ptr);
    return NULL;
}

/* ---- what is done about it ------------------------------------------------------------------- */

static const char script[] =
    "local docs, what, code = ...\n"
    "package.preload.luassert = function() local a = {}\n"
    "  function a:register(_, name, f) self[name] = function(...)\n"
    "    local state = {mod = true} local ok = f(state, table.pack(...)) return ok, "
    "state.failure_message "
    "end end\n"
    "  return a end\n"
    "package.preload.say = function() return {set = function() end} end\n"
    "package.preload.luaunit = function()\n"
    "  return {fail = function(words) error('FAIL ' .. words, 0) end} end\n"
    /* Every function, by its name in the docs; those of the stand-ins are not ours. */
    "local all = {}\n"
    "for name, f in pairs(lmp) do if type(f) == 'function' then all[name] = f end end\n"
    "for _, name in ipairs {'assert.allocates_less_than', 'assert.holds_nothing'} do\n"
    "  all[name] = require('luamemprofiler.busted')[name:sub(8)] end\n"
    "for name, f in pairs(require 'luamemprofiler.luaunit') do\n"
    "  if name:find '^assert' then all['lu.' .. name] = f end end\n"
    "for name in pairs(require 'luamemprofiler.expect') do\n"
    "  assert(all['assert.' .. name], name) end\n"
    "lmp.stop()\n" /* the profile that is kept for them */
    /* The table: of each function what it does without start, after a refused one, and where it is
     * refused something itself. */
    "local rows = {}\n"
    "local text = assert(io.open(docs)):read 'a':match '<!%-%- refused: .-%-%->(.-)<!'\n"
    "for names, none, start, own in text:gmatch '\\n| (`[^|]-) | ([^|]-) | ([^|]-) | ([^|]-) |' "
    "do\n"
    "  for name in names:gmatch '`([^`]+)`' do rows[name] = {none, start, own} end end\n"
    "for name in pairs(rows) do assert(all[name], name .. ' has a row, and is no function') end\n"
    "local function made() return {} end\n"
    "local right = {start = {{summary = false}}, stop = {{sites = true}}, stats = {{sites = "
    "true}},\n"
    "  mark = {'m'}, frame = {'f'}, tag = {'t'}, snapshot = {os.tmpname(), {wait = true}},\n"
    "  measure = {made}, measure_growth = {31, made}}\n"
    "local wrong = {start = {{x = 1}}, stop = {{x = 1}}, stats = {1}, mark = {{}}, frame = {{}},\n"
    "  tag = {{}}, snapshot = {{}}, measure = {1}, measure_growth = {1, made}}\n"
    "for _, name in ipairs {'size', 'total_size', 'retained', 'references', 'paths'} do\n"
    "  right[name], wrong[name] = {made()}, {} end\n"
    "for name in pairs(all) do\n"
    "  if name:find 'olds_?[Nn]othing' then right[name], wrong[name] = {made}, {1}\n"
    "  elseif name:find '%.' then right[name], wrong[name] = {'1KiB', made}, {'x', made} end end\n"
    "local function is_refusal(message, code)\n"
    "  return type(message) == 'string' and type(code) == 'string' and code:find '^%u+$' ~= nil "
    "end\n"
    "local function call(f, arguments) return table.pack(pcall(f, table.unpack(arguments))) end\n"
    "local function does(f, arguments)\n"
    "  local r = call(f, arguments)\n"
    "  if not r[1] then return r[2]:find 'call start first' and 'raises' or\n"
    "    r[2]:find '^FAIL unclear: it could not be measured' and 'fails' or 'error: ' .. r[2] end\n"
    "  if r[2] == false then return r[3]:find '^unclear: it could not be measured' and 'fails' or "
    "r[3] end\n"
    "  if r[2] == nil and is_refusal(r[3], r[4]) then return 'refused', r[4] end\n"
    "  if r.n == 1 and f ~= lmp.mark then return 'works' end\n" /* lu's */
    "  if r[2] == nil then return type(r[3]) == 'table' and '`nil`, then what `f` returns' or "
    "'nothing' end\n"
    "  if is_refusal(r[3], r[4]) then return 'stops, without what was refused', r[4] end\n"
    "  return 'works' end\n"
    "local function check(name, column, got, its)\n"
    "  local want = rows[name] and rows[name][column]\n"
    "  if got ~= want then error(('%s (%s refused, column %d): %s, and docs/api.md says %s')\n"
    "    :format(name, what, column, got, want), 0) end\n"
    "  if its and its ~= code then error(('%s (%s refused): %s'):format(name, what, its), 0) end "
    "end\n"
    "local function misused(name)\n"
    "  local r = call(all[name], assert(wrong[name], name .. ': no wrong arguments are known'))\n"
    "  if r[1] or is_refusal(r[2], '') then error(name .. ' takes anything', 0) end end\n"
    "for name, f in pairs(all) do\n"
    "  misused(name)\n"
    "  check(name, 1, does(f, right[name]))\n"
    "  if name == 'start' then lmp.stop() end\n"
    "  refuse(what)\n"
    "  if what == 'memory' then\n"
    "    refuse 'nothing' lmp.start {summary = false} refuse(what)\n"
    "    if name == 'start' or name:find '^measure' or name:find '%.' then lmp.stop() end\n"
    "    check(name, 3, does(f, right[name]))\n"
    "    refuse 'nothing' pcall(lmp.stop)\n"
    "  else\n"
    "    local ok, message, its = lmp.start {summary = false}\n"
    "    assert(ok == nil and is_refusal(message, its) and its == code, message)\n"
    "    misused(name)\n"
    "    check(name, 2, does(f, right[name]))\n"
    "    refuse 'nothing' pcall(lmp.stop)\n"
    "    check('stats', 1, does(lmp.stats, {}))\n"
    "  end end\n"
    "os.remove(right.snapshot[1])\n";

static void compare(const char *what, const char *code) {
    OWN(lua_close_at) lua_State *L = luafacts_newstate(lua_memory, NULL);
    luaL_openlibs(L);
    luaL_requiref(L, "luamemprofiler", luaopen_luamemprofiler, 0);
    lua_setglobal(L, "lmp");
    helpers_preload(L);
    lua_register(L, "refuse", refuse);
    ck_assert_msg(luaL_loadstring(L, script) == LUA_OK, "%s", lua_tostring(L, -1));
    lua_pushliteral(L, TEST_DOCS "/api.md");
    lua_pushstring(L, what);
    lua_pushstring(L, code);
    int status = lua_pcall(L, 3, 0, 0);
    refuse_after = -1;
    ck_assert_msg(status == LUA_OK, "%s", lua_tostring(L, -1));
}

TEST(no_memory_file) {
    compare("memfd", "MEMFD");
}

TEST(files_are_small) {
    compare("files", "MEMFD");
}

TEST(addresses_are_few) {
#if !defined __SANITIZE_ADDRESS__ /* which takes terabytes of them */
    compare("space", "NOMEM");
#endif
}

TEST(pages_are_odd) {
    compare("pages", "INVAL");
}

TEST(no_memory) {
    compare("memory", "NOMEM");
}
